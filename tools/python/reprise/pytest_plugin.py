"""pytest --reprise: every test under the checks of reprise; what they find fails the test that it was found in.

pytest starts itself again under `reprise run --check`, which says and writes findings at the end (docs/findings.md). Here
a test's findings are those that the process has logged since the test began (frontend/cuda/driver/findings.h).
"""
import json
import os
import sys
from pathlib import Path

import pytest

from .program import find_program


def pytest_addoption(parser):
    group = parser.getgroup("reprise", "CUDA without a GPU, checked")
    group.addoption("--reprise", action="store_true", help="run CUDA on the CPU, under checks; what they find fails the test")
    group.addoption("--reprise-check", default="all", metavar="LIST",
                    help="look for these: memory, init, race, sync, api, leak, several with commas, or all (the default)")
    group.addoption("--reprise-option", action="append", default=[], metavar="OPTION",
                    help="an option for `reprise run`, such as --reprise-option=--suppressions=known.txt; may be repeated")


def _is_checked():
    return "REPRISE_FINDINGS" in os.environ


# Before anything is collected, so that no test module has loaded a CUDA library yet.
@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.getoption("--reprise") or _is_checked():
        return None
    program = find_program()
    # Findings fail their tests, and so the status is that of pytest.
    command = [program, "run", "--check", config.getoption("--reprise-check"), "--error-exitcode", "0", *config.getoption("--reprise-option"), "--",
               sys.executable, "-m", "pytest", *config.invocation_params.args]
    sys.stdout.flush()
    os.chdir(config.invocation_params.dir)
    os.execv(program, command)


class _Log:
    """What this process has found so far; each process of a program has a file of its own."""

    def __init__(self):
        self.at = 0

    def new(self):
        path = Path(os.environ["REPRISE_FINDINGS"], str(os.getpid()))
        if not path.exists():
            return []
        with open(path, "rb") as f:
            f.seek(self.at)
            data = f.read()
        whole = data.rfind(b"\n") + 1
        self.at += whole
        lines = [json.loads(line) for line in data[:whole].splitlines()]
        return [line["finding"] for line in lines if "finding" in line and not line["finding"].get("suppressed")]


def pytest_configure(config):
    if config.getoption("--reprise") and _is_checked():
        config.pluginmanager.register(_Checked(), "reprise-checked")


class _Checked:
    def __init__(self):
        self.log = _Log()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        found = self.log.new()
        if found:
            texts = "\n".join(f["text"] for f in found)
            report.sections.append(("reprise", texts))
            if report.passed:
                report.outcome = "failed"
                report.longrepr = f"reprise found {len(found)} fault{'s' if len(found) > 1 else ''} in this test:\n{texts}"
        return report
