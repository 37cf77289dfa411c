"""Records a CUDA program."""
import os

from .program import call_program


def record(command, trace, *, device=None, kernels=None, launches=None, options=()) -> str:
    """Runs a program and records its launches (`reprise record -- PROGRAM`). Returns the path of the trace.

    command  the words of its command line: ["./app", "1024"], or ["python3", "train.py"]
    device   the machine whose device it sees
    kernels  record only kernels whose names this regular expression finds; launches: only those of these numbers
    options  further options of `reprise record`
    """
    words = ["record", "--quiet", "--output", os.fspath(trace)]
    for name, value in (("--device", device), ("--kernels", kernels), ("--launches", launches)):
        words += [name, str(value)] if value is not None else []
    call_program([*words, *options, "--", *map(os.fspath, command)])
    return os.fspath(trace)
