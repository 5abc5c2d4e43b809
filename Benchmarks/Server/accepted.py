"""What the server has counted: reads /metrics until the counts stand still, since batches may still be committing.

usage: accepted.py HOST PORT
prints: accepted TAB replayed TAB rejected, of the events endpoint
"""

import re
import sys
import time
import urllib.request

SAMPLE = re.compile(r'^osg_analytics_items_total\{([^}]*)\} ([0-9.e+]+)$', re.MULTILINE)
LABEL = re.compile(r'(\w+)="([^"]*)"')


def read(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        text = answer.read().decode()
    counts = {"accepted": 0, "replayed": 0, "rejected": 0}
    for labels, value in SAMPLE.findall(text):
        labels = dict(LABEL.findall(labels))
        if labels.get("endpoint") == "events":
            outcome = labels.get("outcome")
            counts[outcome if outcome in counts else "rejected"] += int(float(value))
    return counts


url = f"http://{sys.argv[1]}:{sys.argv[2]}/metrics"
counts = read(url)
for _ in range(50):
    time.sleep(0.1)
    before, counts = counts, read(url)
    if before == counts:
        break
else:
    sys.exit("the server still takes events 5 s after the load has stopped")
print(counts["accepted"], counts["replayed"], counts["rejected"], sep="\t")
