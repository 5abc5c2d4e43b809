"""The rate at which SQLite alone takes the same rows: one thread, WAL, synchronous=FULL, prepared statement, no server.

Every 50 rows are one random installation's, as in a request of 50; the keys are in no other order. Rows are made
outside the measured time. Python's binding of the values is inside it, as a server's would be.

usage: sqlite-inserts.py FOLDER ROWS INSTALLATIONS MOST_SECONDS
prints: inserts TAB how TAB rows TAB rows a second TAB bytes a row, a line for 50 and one for 3200 rows a transaction
"""

import os
import random
import sqlite3
import sys
import time

BATCH = 50
TABLE = """CREATE TABLE events (
  installation_key INTEGER NOT NULL, client_event_id BLOB NOT NULL, event_type INTEGER NOT NULL,
  surface INTEGER NOT NULL, occurred_at INTEGER NOT NULL, received_at INTEGER NOT NULL, app_version INTEGER,
  os_version INTEGER, acquisition_channel INTEGER, feature INTEGER, execution_mode INTEGER, failure_category INTEGER,
  duration_bucket INTEGER, PRIMARY KEY (installation_key, client_event_id)) WITHOUT ROWID"""
INSERT = "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"


def rows_of_one(installation, now, chance):
    ids = os.urandom(16 * BATCH)
    rows = []
    for i in range(BATCH):
        kind = chance.randrange(11)
        ai = 3 <= kind <= 5
        rows.append((installation, ids[16 * i:16 * i + 16], kind, chance.randrange(3),
                     now - chance.randrange(172_800_000_000), now, chance.randrange(6), chance.randrange(6),
                     1 if kind == 0 else None, chance.randrange(6) if ai else None, chance.randrange(3) if ai else None,
                     chance.randrange(7) if kind == 5 else None, chance.randrange(5) if kind == 4 else None))
    return rows


def remove(path):
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)


def measure(folder, in_transaction, wanted, installations, most_seconds):
    path = os.path.join(folder, f"inserts-{in_transaction}.sqlite")
    chance = random.Random(in_transaction)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(TABLE)
        inserted, spent = 0, 0.0
        while inserted < wanted and spent < most_seconds:
            transactions = [
                [row for _ in range(in_transaction // BATCH)
                 for row in rows_of_one(chance.randrange(installations), time.time_ns() // 1000, chance)]
                for _ in range(max(1, 32_000 // in_transaction))]
            start = time.perf_counter()
            for rows in transactions:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(INSERT, rows)
                connection.execute("COMMIT")
                inserted += len(rows)
            spent += time.perf_counter() - start
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        print("inserts", f"INSERT, {in_transaction} a transaction", inserted, round(inserted / spent),
              round(os.path.getsize(path) / inserted, 1), sep="\t", flush=True)
    finally:
        connection.close()
        remove(path)


for size in (50, 3200):
    measure(sys.argv[1], size, int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
