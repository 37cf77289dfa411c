"""A sweep under way, for tests that disturb it."""
import sqlite3
import subprocess


def begun(command, database):
    """Starts the sweep, and returns its process once a run is in the database, or the process has ended."""
    sweep = subprocess.Popen(command)
    while sweep.poll() is None:
        try:
            if sqlite3.connect(database).execute("SELECT count(*) FROM run").fetchone()[0]:
                break
        except sqlite3.OperationalError:
            pass
    return sweep
