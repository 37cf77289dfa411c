"""Replays of traces as tables: launches, variants of machines, sweeps."""
import os
import sqlite3
from pathlib import Path

from .program import BAD_INPUT, Error, call_program
from .replay import settings_of
from .rows import Rows, rows_of


def _paths(traces):
    return [os.fspath(t) for t in ([traces] if isinstance(traces, (str, os.PathLike)) else traces)]


def _varied(vary):
    """--vary for each option; its values are a list, or a range as text: "1..4"."""
    words = []
    for key, values in (vary or {}).items():
        text = values if isinstance(values, str) else ",".join(map(str, values))
        words += ["--vary", f"{key}={text}"]
    return words


def launches(traces, machine, *, settings=None, threads=0) -> Rows:
    """A row for each launch of the traces on the machine, with all statistics (`reprise replay --csv`)."""
    command = ["replay", "--csv", "--quiet", "--threads", str(threads), "--machine", os.fspath(machine)]
    return rows_of(call_program(command + settings_of(settings) + _paths(traces), fine=(0, 5)))


def diff(traces, machine=None, *, vary, settings=None, threads=0) -> Rows:
    """A row for each launch and variant of the machine (`reprise diff --csv`); `ratio` is to the first variant.

    vary  {"scheduler": ["gto", "lrr"], "sms": "1..4"}; {"machine": [...]} instead of `machine` compares machines
    """
    command = ["diff", "--csv", "--quiet", "--threads", str(threads)]
    command += ["--machine", os.fspath(machine)] if machine is not None else []
    return rows_of(call_program(command + settings_of(settings) + _varied(vary) + _paths(traces), fine=(0, 5)))


def sweep(traces, machines, output, *, vary=None, settings=None, threads=0) -> Rows:
    """Replays all into a database, but what is there already (`reprise sweep`). Returns the rows of its view `runs`."""
    machines = [machines] if isinstance(machines, (str, os.PathLike)) else machines
    command = ["sweep", "--quiet", "--threads", str(threads), "--machine", ",".join(map(os.fspath, machines))]
    call_program(command + settings_of(settings) + _varied(vary) + ["--output", os.fspath(output)] + _paths(traces))
    return results(output)


def results(database, query="SELECT * FROM runs") -> Rows:
    """The rows of a query on a database of sweeps; docs/sweep.md describes its tables. Raises Error if it cannot be read."""
    path = os.fspath(database)
    if not os.path.exists(path):
        raise Error(f"{path}: there is no such file; reprise.sweep or 'reprise sweep -o {path}' makes a database", BAD_INPUT)
    db = sqlite3.connect(Path(path).absolute().as_uri() + "?mode=ro", uri=True)
    try:
        cursor = db.execute(query)
        columns = [c[0] for c in cursor.description or ()]
        rows = Rows(dict(zip(columns, row)) for row in cursor)
    except sqlite3.Error as error:
        raise Error(f"{path}: {error}", BAD_INPUT) from error
    finally:
        db.close()
    rows.columns = columns
    return rows
