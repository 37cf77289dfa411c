"""pytest --reprise: every test under the checks of reprise; what they find fails the test that it was found in.

pytest starts itself again under `reprise run --check`, which says and writes findings at the end (docs/findings.md). Here
a test's findings are those that this process, and those that it has started, have logged since the test began
(frontend/cuda/driver/findings.h).
"""
import json
import os
import sys
from pathlib import Path

import pytest

from .program import BAD_INPUT, Error, find_program


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
    try:
        program = find_program()
    except Error as e:
        raise pytest.UsageError(str(e)) from e
    # Findings fail their tests, and so the status is that of pytest.
    command = [program, "run", "--check", config.getoption("--reprise-check"), "--error-exitcode", "0", *config.getoption("--reprise-option"), "--",
               sys.executable, "-m", "pytest", *config.invocation_params.args]
    sys.stdout.flush()
    os.chdir(config.invocation_params.dir)
    try:
        os.execv(program, command)
    except OSError as e:
        raise pytest.UsageError(f"{program} cannot be started: {e.strerror}") from e


def _is_of(first, process, worker):
    """Whether a log with this first line is of the process, or of one that it has started: which comes from it, or has
    its environment. A worker runs one test at a time."""
    return process in [first["process"], *first["ancestors"]] or first.get("worker") == worker


class _Logs:
    """What has been found so far. Each process of a program has a log of its own; the first line says whose it is."""

    def __init__(self):
        self.at = {}  # by file
        self.known = {}  # the findings, by file and their number in it
        self.worker = os.environ.get("PYTEST_XDIST_WORKER")  # other workers' tests run at the same time

    def _lines(self, path):
        with open(path, "rb") as f:
            head = f.readline()
            if not head.endswith(b"\n"):
                return []
            first = json.loads(head)
            if self.worker and not _is_of(first, os.getpid(), self.worker):
                return []
            f.seek(self.at.get(path, len(head)))
            data = f.read()
        whole = data.rfind(b"\n") + 1
        self.at[path] = self.at.get(path, len(head)) + whole
        return [json.loads(line) for line in data[:whole].splitlines()]

    def new(self):
        """What this process and those that the test has started have found since the last call, again or for the first time."""
        found = []
        for path in sorted(Path(os.environ["REPRISE_FINDINGS"]).glob("[0-9]*")):
            numbers = {}  # in order, each once: a line has a finding, or how often it has been found by now
            for line in self._lines(path):
                if "finding" in line:
                    self.known[path, line["id"]] = line["finding"]
                if "id" in line:
                    numbers[line["id"]] = True
            found += [self.known[path, n] for n in numbers]
        return [f for f in found if not f.get("suppressed")]


def _all_logs():
    """The lines of each."""
    for path in sorted(Path(os.environ["REPRISE_FINDINGS"]).glob("[0-9]*")):
        lines = path.read_bytes().splitlines(keepends=True)
        yield [json.loads(line) for line in lines if line.endswith(b"\n")]


def _all_was_checked(options):
    """As `reprise run` decides, which says why not: some process used CUDA, and all code could be loaded."""
    seen = {key for log in _all_logs() for line in log for key in line}
    chosen = any(o.startswith(("--kernels", "--launches")) for o in options)
    static = any(Path(os.environ["REPRISE_FINDINGS"]).glob(".static-*"))  # programs that no library can be loaded into
    return "process" in seen and "unloaded" not in seen and not static and ("checked" in seen or not chosen)


def pytest_configure(config):
    if config.getoption("--reprise") and _is_checked():
        config.pluginmanager.register(_Checked(), "reprise-checked")


class _Checked:
    def __init__(self):
        self.logs = _Logs()
        self.workers = []  # of pytest-xdist, which have ended: process and name of each
        self.of_no_test = []  # findings

    def _phase(self, item, when):
        """Findings fail the test as an exception does, so that marks such as xfail mean the same as ever. One that fails, or is
        skipped, anyway has them in its report."""
        try:
            result = yield
        except BaseException:
            found = self.logs.new()
            if found:
                item.add_report_section(when, "reprise", "\n".join(f["text"] for f in found))
            raise
        found = self.logs.new()
        if found:
            texts = "\n".join(f["text"] for f in found)
            pytest.fail(f"reprise found {len(found)} finding{'s' if len(found) > 1 else ''} in this test:\n{texts}", pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        return (yield from self._phase(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        return (yield from self._phase(item, "teardown"))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.workers.append(getattr(node, "workeroutput", {}).get("reprise", (0, node.workerinput["workerid"])))

    def _of_no_worker(self):
        """Findings of processes that no worker of pytest-xdist is known to have started."""
        logs = [log for log in _all_logs() if log and not any(_is_of(log[0], *w) for w in self.workers)]
        return [line["finding"] for log in logs for line in log if "finding" in line and not line["finding"].get("suppressed")]

    def pytest_sessionfinish(self, session, exitstatus):
        if self.logs.worker:
            if hasattr(session.config, "workeroutput"):
                session.config.workeroutput["reprise"] = (os.getpid(), self.logs.worker)
            return
        if self.workers:
            self.of_no_test = self._of_no_worker()
        if exitstatus == 0 and self.of_no_test:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        elif exitstatus == 0 and not _all_was_checked(session.config.getoption("--reprise-option")):
            session.exitstatus = BAD_INPUT

    def pytest_terminal_summary(self, terminalreporter):
        if self.of_no_test:
            terminalreporter.section("reprise: findings of processes; no test is known to have started them")
            for finding in self.of_no_test:
                terminalreporter.line(finding["text"])
