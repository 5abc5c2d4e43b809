"""How long the server takes from exec to its first 200 on /readyz, polled every 2 ms over a new connection.

usage: start-up.py TIMES HOST PORT COMMAND…
prints: start-up TAB milliseconds, a line for every start; the server is stopped by SIGTERM each time
"""

import signal
import socket
import subprocess
import sys
import time

INTERVAL, LONGEST = 0.002, 30.0
times, host, port, command = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
REQUEST = f"GET /readyz HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode()


def is_ready():
    try:
        with socket.create_connection((host, port), timeout=1) as connection:
            connection.sendall(REQUEST)
            return connection.recv(64).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


def measure():
    start = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while not is_ready():
            if server.poll() is not None:
                sys.exit(f"the server ended with {server.returncode} instead of starting")
            if time.perf_counter() - start > LONGEST:
                sys.exit(f"the server wasn't ready in {LONGEST:.0f} s")
            time.sleep(INTERVAL)
        took = time.perf_counter() - start
        server.terminate()
        if server.wait(timeout=20) != 0:
            sys.exit(f"the server ended with {server.returncode} on SIGTERM")
        return took
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()


# Ended from outside, it still takes its server along.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
for _ in range(times):
    print("start-up", f"{measure() * 1000:.1f}", sep="\t", flush=True)
