"""Turns the benchmark's result lines into tables; ends with 1 where a figure can't be trusted.

usage: report.py RESULTS
"""

import collections
import statistics
import sys

LOAD = ("round size requests microseconds p50 p99 longest status socket timeout accepted replayed rejected "
        "server_cpu wrk_cpu written rss peak database wal").split()

lines = collections.defaultdict(list)
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        kind, *fields = line.rstrip("\n").split("\t")
        lines[kind].append(fields)
settings = dict(lines["setting"])
loads = [dict(zip(LOAD, (float(field) for field in fields), strict=True)) for fields in lines["load"]]
sizes = list(dict.fromkeys(int(load["size"]) for load in loads))
faults = [fault for (fault,) in lines["fault"]]


def table(title, head, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + " --: |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def events_a_second(load):
    return load["requests"] * load["size"] / load["microseconds"] * 1e6


def judge(load):
    """A round counts only where every request got a 200 and the server's own count agrees with the client's."""
    name = f"round {load['round']:.0f}, {load['size']:.0f} a request"
    for kind in ("status", "socket", "timeout", "replayed", "rejected"):
        if load[kind]:
            faults.append(f"{name}: {load[kind]:.0f} ({kind})")
    unanswered = load["accepted"] - load["requests"] * load["size"]
    if not 0 <= unanswered <= int(settings["connections"]) * load["size"]:
        faults.append(f"{name}: the server counts {load['accepted']:.0f} events, the client {load['requests'] * load['size']:.0f}")


def load_tables():
    medians = []
    for size in sizes:
        of_size = [load for load in loads if load["size"] == size]

        def median(value):
            return statistics.median(value(load) for load in of_size)

        medians.append([
            str(size), f"{median(events_a_second):,.0f}", f"{median(events_a_second) / size:,.0f}",
            f"{median(lambda load: load['p50']) / 1000:.2f}", f"{median(lambda load: load['p99']) / 1000:.2f}",
            f"{sum(load['status'] + load['socket'] + load['timeout'] for load in of_size):.0f}",
            f"{median(lambda load: load['accepted'] / load['server_cpu'] * 1000 if load['server_cpu'] else 0):,.0f}",
            f"{median(lambda load: load['server_cpu'] / load['microseconds'] * 1000):.2f}",
            f"{median(lambda load: load['wrk_cpu'] / load['microseconds'] * 1000):.2f}",
            f"{median(lambda load: load['written'] / load['accepted'] if load['accepted'] else 0):,.0f}"])
    table("Load, medians of the rounds (latencies in ms)",
          ["events a request", "events/s", "requests/s", "p50", "p99", "not 200", "events a CPU second", "server cores",
           "wrk cores", "bytes written an event"], medians)
    table("Every round, in order",
          ["round", "events a request", "events/s", "p50", "p99", "longest", "requests × events", "server accepted",
           "server CPU s", "written MiB", "RSS MiB", "peak MiB", "database MiB", "WAL MiB"],
          [[f"{load['round']:.0f}", f"{load['size']:.0f}", f"{events_a_second(load):,.0f}", f"{load['p50'] / 1000:.2f}",
            f"{load['p99'] / 1000:.2f}", f"{load['longest'] / 1000:.1f}", f"{load['requests'] * load['size']:.0f}",
            f"{load['accepted']:.0f}", f"{load['server_cpu'] / 1000:.2f}",
            f"{load['written'] / 2**20:.0f}", f"{load['rss'] / 1024:.1f}", f"{load['peak'] / 1024:.1f}", f"{load['database'] / 2**20:.1f}", f"{load['wal'] / 2**20:.1f}"]
           for load in loads])


def machine_tables():
    appends = lines["appends"]
    table("The disk: write and fdatasync, one after the other, before the load and after it",
          ["bytes", "a second", "median µs", "p99 µs"],
          [[f"{int(size):,}", f"{int(rate):,}", median, p99] for size, rate, median, p99 in appends])
    rows = []
    for in_transaction, count, rate, size in lines["inserts"]:
        ratios = [f"{statistics.median(events_a_second(load) for load in loads if load['size'] == s) / float(rate):.2f}"
                  for s in sizes]
        rows.append([in_transaction, f"{int(count):,}", f"{int(rate):,}", size, *ratios])
    table("SQLite alone, and the server's events/s as a part of it",
          ["rows a transaction", "rows", "rows/s", "bytes a row", *(f"server, {size} a request" for size in sizes)], rows)


if settings:
    for name in ("commit", "machine", "load"):
        print(f"{name}: {settings[name]}")
if loads:
    for load in loads:
        judge(load)
    load_tables()
if lines["database"]:
    events, size, wal = map(int, lines["database"][0])
    print(f"\nDatabase after the stop: {events:,} events, {size / 2**20:.1f} MiB, {size / max(events, 1):.1f} bytes an event, "
          f"WAL {wal / 2**20:.1f} MiB.")
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
