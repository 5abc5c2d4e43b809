"""Judges the generator's bodies against the contract: bodies on standard input, one a line.

usage: check-bodies.py EVENTS_A_REQUEST returning|new
"""

import collections
import datetime
import json
import re
import sys

DIMENSIONS = {
    "acquisitionChannel": {"APP_STORE_ORGANIC", "REFERRAL", "SOCIAL_CONTENT", "UNKNOWN"},
    "feature": {"TRANSCRIPTION", "POLISH", "AI_ASSISTANT", "AGENT", "HOTWORD", "OTHER"},
    "executionMode": {"MANAGED", "LOCAL", "BYOK"},
    "failureCategory": {"NETWORK", "PROVIDER", "TIMEOUT", "CANCELLED", "INSUFFICIENT_CREDITS", "VALIDATION", "UNKNOWN"},
    "durationBucket": {"LT_1S", "S1_TO_3", "S3_TO_10", "S10_TO_30", "GTE_30S"},
}
ANY = {"APP", "KEYBOARD", "INVITE_WEB"}
AI = {"feature", "executionMode"}
# type: (surfaces, required dimensions, optional dimensions)
EVENTS = {
    "FIRST_OPEN": ({"APP"}, {"acquisitionChannel"}, set()),
    "SESSION_STARTED": ({"APP", "KEYBOARD"}, set(), set()),
    "KEYBOARD_ACTIVATED": ({"KEYBOARD"}, set(), set()),
    "AI_FEATURE_STARTED": (ANY, AI, set()),
    "AI_FEATURE_SUCCEEDED": (ANY, AI | {"durationBucket"}, set()),
    "AI_FEATURE_FAILED": (ANY, AI | {"failureCategory"}, {"durationBucket"}),
    "PURCHASE_VIEWED": ({"APP"}, set(), set()),
    "PURCHASE_STARTED": ({"APP"}, set(), set()),
    "PURCHASE_CANCELLED": ({"APP"}, {"failureCategory"}, set()),
    "REFERRAL_SHARED": ({"APP"}, set(), set()),
    "INVITE_OPENED": ({"INVITE_WEB"}, {"acquisitionChannel"}, set()),
}
FIXED = {"PURCHASE_CANCELLED": ("failureCategory", "CANCELLED"), "INVITE_OPENED": ("acquisitionChannel", "REFERRAL")}
COMMON = {"clientEventId", "eventType", "occurredAt", "surface", "appVersion", "osVersion"}
VERSION = re.compile(r"[A-Za-z0-9._+-]{1,32}", re.ASCII)
LOWER_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
UPPER_ID = re.compile(r"[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z", re.ASCII)


def unique_members(pairs):
    assert len({name for name, _ in pairs}) == len(pairs), "a member twice"
    return dict(pairs)


def judge_event(event, now):
    surfaces, required, optional = EVENTS[event["eventType"]]
    dimensions = set(event) - COMMON
    assert COMMON <= set(event), "a common member is missing"
    assert required <= dimensions <= required | optional, "dimensions of the type"
    assert event["surface"] in surfaces, "surface"
    for name in dimensions:
        assert event[name] in DIMENSIONS[name], name
    if event["eventType"] in FIXED:
        name, value = FIXED[event["eventType"]]
        assert event[name] == value, name
    assert UPPER_ID.fullmatch(event["clientEventId"]), "clientEventId"
    assert VERSION.fullmatch(event["appVersion"]) and VERSION.fullmatch(event["osVersion"]), "version"
    assert INSTANT.fullmatch(event["occurredAt"]), "occurredAt"
    age = now - datetime.datetime.fromisoformat(event["occurredAt"])
    assert datetime.timedelta(0) <= age <= datetime.timedelta(hours=49), f"occurredAt is {age} old"


def main():
    count, population = int(sys.argv[1]), sys.argv[2]
    now = datetime.datetime.now(datetime.timezone.utc)
    ids, installations, types, days = set(), collections.Counter(), collections.Counter(), collections.Counter()
    requests = events = 0
    for line in sys.stdin:
        line = line.rstrip("\n")
        try:
            assert len(line.encode()) <= 60 * 1024, "body over 60 KiB"
            body = json.loads(line, object_pairs_hook=unique_members)
            assert list(body) == ["installationId", "events"], "root members"
            canonical = {"installationId": body["installationId"],
                         "events": [dict(sorted(event.items())) for event in body["events"]]}
            assert json.dumps(canonical, separators=(",", ":")) == line, "not canonical"
            assert LOWER_ID.fullmatch(body["installationId"]), "installationId"
            assert len(body["events"]) == count, "number of events"
            for index, event in enumerate(body["events"]):
                judge_event(event, now)
                assert event["clientEventId"] not in ids, "an id twice"
                ids.add(event["clientEventId"])
                first = event["eventType"] == "FIRST_OPEN"
                assert first == (population == "new" and index == 0), "FIRST_OPEN"
                types[event["eventType"]] += 1
                days[event["occurredAt"][:10]] += 1
            installations[body["installationId"]] += 1
        except (AssertionError, KeyError, ValueError) as problem:
            sys.exit(f"request {requests + 1}: {problem!r}\n{line[:600]}")
        requests += 1
        events += count
    if requests == 0:
        sys.exit("no bodies")
    if population == "new" and len(installations) != requests:
        sys.exit("an installation twice")
    print(f"{population}, {count} a request: {requests} valid bodies, {events} events, "
          f"{len(installations)} installations; days {dict(sorted(days.items()))}")
    print("  " + ", ".join(f"{name} {100 * number / events:.1f} %" for name, number in types.most_common()))


main()
