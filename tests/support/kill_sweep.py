"""Starts a sweep again and again, and kills it in a random moment each time; then lets it run to its end.

    kill_sweep.py KILLS DB COMMAND...

Prints how often it was killed before its end, and whether runs were ever lost. A moment is random within the time that
the sweep would take if each start did a fair part of it, as starts so far have shown.
"""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time


def runs(path):
    """How many runs are in the database; what was written last may lie beside it and is read, too."""
    if not os.path.exists(path):
        return 0
    db = sqlite3.connect(path)
    try:
        return db.execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:  # killed before there were tables
        return 0
    finally:
        db.close()


kills, path, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
random.seed(int(os.environ.get("SEED", "1")))
killed, lost, before, limit = 0, False, 0, 0.2
for _ in range(kills):
    sweep = subprocess.Popen(command)
    time.sleep(random.uniform(0, limit))
    sweep.send_signal(signal.SIGKILL)
    killed += sweep.wait() == -signal.SIGKILL
    now = runs(path)
    lost |= now < before
    if now == before:
        limit *= 1.2  # too short to get anywhere
    before = now
print(killed, "lost" if lost else "kept", subprocess.run(command, check=False).returncode)
