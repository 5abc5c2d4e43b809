"""Turns the benchmark's result lines into tables; ends with 1 where a figure can't be trusted.

usage: report.py RESULTS
"""

import collections
import statistics
import sys

LOAD = ("round size requests microseconds p50 p99 longest status socket timeout accepted replayed rejected "
        "server_cpu database_cpu wrk_cpu written logged rss peak database log").split()

# Events a request: events a second, and the p99 in ms.
GOALS = {
    "sqlite": {1: (30_000, None), 10: (90_000, None), 50: (150_000, 30)},
    "postgres": {1: (30_000, 16.5), 10: (90_000, 21.5), 50: (150_000, 44.5)},
}
SLOW_COMMITS_KEEP = 0.5  # of the events a second at 1 event a request

lines = collections.defaultdict(list)
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        kind, *fields = line.rstrip("\n").split("\t")
        lines[kind].append(fields)
settings = dict(lines["setting"])
loads, slow_loads = ([dict(zip(LOAD, (float(field) for field in fields), strict=True)) for fields in lines[kind]]
                     for kind in ("load", "slow"))
sizes = list(dict.fromkeys(int(load["size"]) for load in loads))
faults = [fault for (fault,) in lines["fault"]]
on_postgres = settings.get("database kind") == "postgres"


def table(title, head, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + " --: |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def events_a_second(load):
    return load["requests"] * load["size"] / load["microseconds"] * 1e6


def p99(load):
    return load["p99"] / 1000


def cores(process):
    return lambda load: load[process] / load["microseconds"] * 1000


def an_event(what):
    return lambda load: load[what] / load["accepted"] if load["accepted"] else 0


def events_a_cpu_second(load):
    cpu = load["server_cpu"] + load["database_cpu"]
    return load["accepted"] / cpu * 1000 if cpu else 0


def median(value, of):
    return statistics.median(value(load) for load in of)


def of_size(size):
    return [load for load in loads if load["size"] == size]


def judge(load, name):
    """A round counts only where every request got a 200 and the server's own count agrees with the client's."""
    for kind in ("status", "socket", "timeout", "replayed", "rejected"):
        if load[kind]:
            faults.append(f"{name}: {load[kind]:.0f} ({kind})")
    unanswered = load["accepted"] - load["requests"] * load["size"]
    if not 0 <= unanswered <= int(settings["connections"]) * load["size"]:
        faults.append(f"{name}: the server counts {load['accepted']:.0f} events, the client {load['requests'] * load['size']:.0f}")


def median_row(name, of):
    return [
        name, f"{median(events_a_second, of):,.0f}", f"{median(events_a_second, of) / of[0]['size']:,.0f}",
        f"{median(lambda load: load['p50'] / 1000, of):.2f}", f"{median(p99, of):.2f}",
        f"{sum(load['status'] + load['socket'] + load['timeout'] for load in of):.0f}",
        f"{median(events_a_cpu_second, of):,.0f}", f"{median(cores('server_cpu'), of):.2f}",
        *([f"{median(cores('database_cpu'), of):.2f}"] if on_postgres else []),
        f"{median(cores('wrk_cpu'), of):.2f}", f"{median(an_event('written'), of):,.0f}",
        *([f"{median(an_event('logged'), of):,.0f}"] if on_postgres else [])]


def round_row(name, load):
    return [
        f"{load['round']:.0f}", name, f"{events_a_second(load):,.0f}", f"{load['p50'] / 1000:.2f}", f"{p99(load):.2f}",
        f"{load['longest'] / 1000:.1f}", f"{load['requests'] * load['size']:.0f}", f"{load['accepted']:.0f}",
        f"{load['server_cpu'] / 1000:.2f}", *([f"{load['database_cpu'] / 1000:.2f}"] if on_postgres else []),
        f"{load['written'] / 2**20:.0f}", f"{load['rss'] / 1024:.1f}", f"{load['peak'] / 1024:.1f}",
        f"{load['database'] / 2**20:.1f}", f"{load['log'] / 2**20:.1f}"]


def load_tables():
    slow = f"1, commits {lines['commit-delay'][0][0]} ms slower" if slow_loads else ""
    table("Load, medians of the rounds (latencies in ms)",
          ["events a request", "events/s", "requests/s", "p50", "p99", "not 200", "events a CPU second", "server cores",
           *(["PostgreSQL cores"] if on_postgres else []), "wrk cores", "bytes written an event",
           *(["WAL bytes an event"] if on_postgres else [])],
          [*(median_row(str(size), of_size(size)) for size in sizes), *([median_row(slow, slow_loads)] if slow_loads else [])])
    table("Every round, in order",
          ["round", "events a request", "events/s", "p50", "p99", "longest", "requests × events", "server accepted",
           "server CPU s", *(["PostgreSQL CPU s"] if on_postgres else []), "written MiB", "RSS MiB", "peak MiB",
           "database MiB", "WAL MiB"],
          [*(round_row(f"{load['size']:.0f}", load) for load in loads), *(round_row(slow, load) for load in slow_loads)])


def goal_table():
    goals = GOALS[settings["database kind"]]
    rows = []
    for size in (size for size in sizes if size in goals):
        rate, latency = goals[size]
        measured, measured_latency = median(events_a_second, of_size(size)), median(p99, of_size(size))
        rows.append([str(size), f"{rate:,}", f"{measured:,.0f}", f"{latency}" if latency else "", f"{measured_latency:.2f}",
                     "yes" if measured >= rate and (latency is None or measured_latency <= latency) else "no"])
    table("The goals", ["events a request", "goal, events/s", "measured", "goal, p99 ms", "measured", "reached"], rows)


def slow_commits():
    delay, as_it_is, delayed = map(float, lines["commit-delay"][0])
    if delayed < delay:
        faults.append(f"a commit takes {delayed} ms with a delay of {delay:.0f} ms")
    print(f"\nSlow commits: alone, a commit takes {as_it_is:.2f} ms as it is and {delayed:.2f} ms with the delay.")
    if slow_loads and 1 in sizes:
        ratio = median(events_a_second, slow_loads) / median(events_a_second, of_size(1))
        print(f"With it the server keeps {ratio:.2f} of its events/s at 1 event a request (goal: {SLOW_COMMITS_KEEP} at least).")


def machine_tables():
    appends = lines["appends"]
    table("The disk: write and fdatasync, one after the other, before the load and after it",
          ["bytes", "a second", "median µs", "p99 µs"],
          [[f"{int(size):,}", f"{int(rate):,}", median, p99] for size, rate, median, p99 in appends])
    rows = []
    for how, count, rate, *bytes_a_row in lines["inserts"]:
        ratios = [f"{median(events_a_second, of_size(size)) / float(rate):.2f}" for size in sizes]
        rows.append([how, f"{int(count):,}", f"{int(rate):,}", *bytes_a_row, *ratios])
    table(f"{'PostgreSQL' if on_postgres else 'SQLite'} alone, and the server's events/s as a part of it",
          ["how", "rows", "rows/s", "bytes a row", *(["WAL bytes a row"] if on_postgres else []),
           *(f"server, {size} a request" for size in sizes)], rows)


def database_size():
    events, size, log = map(int, lines["database"][0])
    parts = [f"{name} {int(part) / max(events, 1):.1f}" for name, part in lines["table"]]
    print(f"\nDatabase after the stop: {events:,} events, {size / 2**20:.1f} MiB, {size / max(events, 1):.1f} bytes an event"
          f"{' (' + ', '.join(parts) + ')' if parts else ''}, WAL {log / 2**20:.1f} MiB.")


for name in ("commit", "machine", "database", "load"):
    if name in settings:
        print(f"{name}: {settings[name]}")
for load in loads:
    judge(load, f"round {load['round']:.0f}, {load['size']:.0f} a request")
for load in slow_loads:
    judge(load, f"round {load['round']:.0f}, slow commits")
if loads:
    goal_table()
    load_tables()
if lines["commit-delay"]:
    slow_commits()
if lines["database"]:
    database_size()
if lines["start-up"]:
    starts = sorted(float(fields[0]) for fields in lines["start-up"])
    print(f"\nStart-up on it: median {statistics.median(starts):.1f} ms of {', '.join(f'{start:.1f}' for start in starts)}.")
if lines["appends"]:
    machine_tables()
table("The generator alone, on one core", ["events a request", "ns a request", "ns an event", "bytes a body"],
      lines["alone"])
for fault in faults:
    print(f"NOT TRUSTED: {fault}")
sys.exit(1 if faults else 0)
