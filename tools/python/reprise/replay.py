"""Replays a trace."""
import json
import os

from .program import call_program


def replay(trace, machine, *, settings=None, threads=0):
    """The output of `reprise replay --json` for a trace on a machine: cycles and statistics of each launch.

    settings  options of the machine, such as {"scheduler": "lrr", "l1.size": "64K"}
    """
    command = ["replay", "--json", "--quiet", "--threads", str(threads), "--machine", os.fspath(machine)]
    for key, value in (settings or {}).items():
        command += ["--set", f"{key}={value}"]
    return json.loads(call_program(command + [os.fspath(trace)]))
