"""Replays a trace."""
import json
import os

from .program import call_program


def settings_of(settings) -> list:
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]


def replay(trace, machine, *, settings=None, threads=0) -> dict:
    """What `reprise replay --json` says of a trace on a machine: cycles and statistics of each launch.

    settings  options of the machine, such as {"scheduler": "lrr", "l1.size": "64K"}
    """
    command = ["replay", "--json", "--quiet", "--threads", str(threads), "--machine", os.fspath(machine)]
    return json.loads(call_program(command + settings_of(settings) + [os.fspath(trace)]))["traces"][0]
