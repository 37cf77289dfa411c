"""A sweep under way, for tests that disturb it."""
import sqlite3
import subprocess


def begun(command, database):
    """Starts the sweep, and returns its process once a run is in the database, or the process has ended."""
    sweep = subprocess.Popen(command)
    while sweep.poll() is None:
        try:
            # read-only: a file that this made would be in the sweep's way
            reader = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            if reader.execute("SELECT count(*) FROM run").fetchone()[0]:
                break
        except sqlite3.OperationalError:
            pass
    return sweep
