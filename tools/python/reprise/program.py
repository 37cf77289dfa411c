"""Finds the program reprise and calls it."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

BAD_INPUT, KERNEL_FAULT = 2, 3  # exit statuses of reprise


class Error(Exception):
    """reprise failed. `status` is its exit status, the text its message."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class KernelFault(Error):
    """The kernel misbehaved: an access out of bounds, a deadlock. The trace ends there.

    `report` is the output of `reprise record --json` (`fault_place`, `findings`), `printed` what kernels printed."""

    def __init__(self, message, report=None, printed=""):
        super().__init__(message, KERNEL_FAULT)
        self.report, self.printed = report, printed


class ProgramFailed(Error):
    """A recorded program ended with a status that is not 0, or by a signal; reprise itself did what it should.

    `status` is that of the program (-N: signal N, or 128 + N), `trace` the path of what it had launched by then, `output` and
    `errors` what it wrote to standard output and standard error."""

    def __init__(self, message, status, trace, output, errors):
        super().__init__(message, status)
        self.trace, self.output, self.errors = trace, output, errors


def find_program():
    named = os.environ.get("REPRISE")
    if named:
        return named
    for folder in (os.path.join(sys.prefix, "bin"), None):  # that of the environment comes first
        found = shutil.which("reprise", path=folder)
        if found:
            return found
    built = Path(__file__).resolve().parents[3] / "build" / "reprise"
    if built.is_file():
        return str(built)
    raise Error("the program reprise is not on the PATH: install it (make install), or name it in $REPRISE")


def start_program(arguments):
    """Runs reprise with these arguments to its end."""
    try:
        return subprocess.run([find_program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as e:
        raise Error(f"reprise cannot be started: {e}") from e


def call_program(arguments, fine=(0,)):
    """Runs reprise with these arguments. Returns its standard output if its exit status is one of `fine`; else raises
    Error with its message."""
    done = start_program(arguments)
    if done.returncode in fine:
        return done.stdout
    message = done.stderr.strip() or f"reprise ended with status {done.returncode}"
    raise Error(message, done.returncode)
