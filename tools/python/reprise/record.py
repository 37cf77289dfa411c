"""Records a CUDA program."""
import os

from .program import Error, ProgramFailed, start_program


def _content(path):
    """What tells a file from the one that was there before; None: there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def record(command, trace, *, device=None, kernels=None, launches=None, options=(), any_status=False) -> str:
    """Runs a program and records its launches (`reprise record -- PROGRAM`). Returns the path of the trace.

    command     the words of its command line: ["./app", "1024"], or ["python3", "train.py"]
    device      the machine whose device it sees
    kernels     record only kernels whose names this regular expression finds; launches: only those of these numbers
    options     further options of `reprise record`
    any_status  a program may end with any status, or by a signal, if it was recorded

    Raises ProgramFailed if the program was recorded and ended with a status that is not 0; Error if reprise failed, checks in
    `options` found something, or nothing was recorded.
    """
    if isinstance(command, (str, bytes)):
        raise TypeError(f"command is a list of words, such as ['./app', '1024'], not {command!r}")
    path = os.fspath(trace)
    words = ["record", "--quiet", "--output", path]
    for name, value in (("--device", device), ("--kernels", kernels), ("--launches", launches)):
        words += [name, str(value)] if value is not None else []
    before = _content(path)
    done = start_program([*words, *options, "--", *map(os.fspath, command)])
    recorded = _content(path) not in (None, before)
    if done.returncode == 0 and recorded:
        return path
    ours = [line for line in done.stderr.splitlines() if line.startswith("reprise: ") or line.startswith("reprise record: ")]
    if ours:
        raise Error("\n".join(ours), done.returncode)
    if not recorded:
        raise Error(f"{os.fspath(command[0])} ended with status {done.returncode}, and nothing was recorded", done.returncode)
    if any_status:
        return path
    raise ProgramFailed(f"{os.fspath(command[0])} ended with status {done.returncode}; {path} has what it launched",
                        done.returncode, path, done.stdout, done.stderr)
