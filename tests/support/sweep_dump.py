"""Everything in a database of reprise sweep, in an order and with names that do not depend on which run ended first.

    sweep_dump.py DB

Numbers of rows are replaced by what they stand for; left out is what differs from one sweep to the next: how long a run
took, and when it was done.
"""
import sqlite3
import sys

QUERIES = {
    "trace": "SELECT sha256, file, bytes, warp_instructions, damage FROM trace",
    "launch": "SELECT t.sha256, l.launch, kernel, grid, block, l.warp_instructions, thread_instructions"
              " FROM launch l JOIN trace t ON t.id = l.trace",
    "machine": "SELECT hash, name FROM machine",
    "option": "SELECT m.hash, o.key, v.value FROM machine_option v JOIN machine m ON m.id = v.machine"
              " JOIN option o ON o.id = v.option",
    "varied": "SELECT key FROM option WHERE varied",
    "refusal": "SELECT machine, settings, reason FROM refusal",
    "run": "SELECT r.key, t.sha256, m.hash, engine, launch, seed, status, reason, ipc, occupancy, warnings, detail"
           " FROM run r JOIN trace t ON t.id = r.trace JOIN machine m ON m.id = r.machine",
    "value": "SELECT r.key, s.name, v.value FROM value v JOIN run r ON r.id = v.run JOIN statistic s ON s.id = statistic",
    "run_launch": "SELECT r.key, l.launch, begin, end, overlaps, warning FROM run_launch l JOIN run r ON r.id = l.run",
    "launch_value": "SELECT r.key, v.launch, s.name, v.value FROM launch_value v JOIN run r ON r.id = v.run"
                    " JOIN statistic s ON s.id = statistic",
    "stall": "SELECT r.key, i.kernel, i.number, i.pc, i.text, i.line, s.reason, s.cycles FROM stall s"
             " JOIN run r ON r.id = s.run JOIN instruction i ON i.id = s.instruction",
}

db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)] or db.execute("PRAGMA foreign_key_check").fetchall():
    sys.exit("the database is damaged")
for name, query in QUERIES.items():
    for row in sorted(db.execute(query).fetchall(), key=repr):
        print(name, *map(repr, row))
