"""How many appends a second the disk makes durable: write and fdatasync, one after the other, one file.

usage: durable-appends.py FOLDER SECONDS
prints: appends TAB bytes TAB appends a second TAB median microseconds TAB p99 microseconds, a line for every size
"""

import os
import sys
import time

MOST_BYTES = 1 << 30


def measure(folder, size, seconds):
    path = os.path.join(folder, f"appends-{size}")
    block = os.urandom(size)
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    took = []
    try:
        start = before = time.perf_counter()
        while before - start < seconds and len(took) * size < MOST_BYTES:
            if os.write(descriptor, block) != size:
                raise OSError("a short write")
            os.fdatasync(descriptor)
            now = time.perf_counter()
            took.append(now - before)
            before = now
        total = before - start
    finally:
        os.close(descriptor)
        os.unlink(path)
    took.sort()
    print("appends", size, round(len(took) / total), round(took[len(took) // 2] * 1e6),
          round(took[len(took) * 99 // 100] * 1e6), sep="\t", flush=True)


for size in (4 << 10, 64 << 10, 512 << 10):
    measure(sys.argv[1], size, float(sys.argv[2]))
