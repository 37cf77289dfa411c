#!/bin/bash
# pytest --reprise: findings fail the tests that they are found in.
set -u
. tests/support/cli.sh
python=$PWD/$BUILD/clients/bin/python
if ! [ -e "$BUILD/clients/complete" ] || address_sanitizer; then
    echo "ok - pytest --reprise # SKIP no Numba and pytest here, or not for this build: make clients-environment"
    exit 0
fi
cat >"$work/test_shift.py" <<'PY'
import numpy as np
from numba import cuda


@cuda.jit
def shift(a, n):
    s = cuda.shared.array(64, np.int32)
    i = cuda.threadIdx.x
    s[i] = i
    if n:
        cuda.syncthreads()
    a[i] = s[(i + 33) % 64]


def run(n):
    a = cuda.to_device(np.zeros(64, np.int32))
    shift[1, 64](a, n)
    return a.copy_to_host()


def test_right():
    assert run(1)[0] == 33


def test_race():
    run(0)


def test_again():
    run(0)


def test_wrong():
    assert run(1)[0] == 5
PY
${CC:-gcc} -std=c17 -D_GNU_SOURCE -I. tests/cuda/wrong.c -L"$BUILD/lib" -l:libcuda.so.1 -o "$work/wrong"
cat >"$work/test_child.py" <<'PY'
import subprocess


def test_fine():
    subprocess.run(["./wrong", "part0"], check=True)


def test_race():
    subprocess.run(["sh", "-c", "./wrong race; true"], check=True)


def test_after():
    pass
PY
export REPRISE=$r PYTHONPATH=$PWD/tools/python PYTHONDONTWRITEBYTECODE=1
tests() { (cd "$work" && "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider "$@" test_shift.py >out 2>err; echo $?); }
is "a race and a wrong result fail, with the status of pytest" "$(tests --reprise --reprise-check race,init)" 1
is "which tests failed" "$(grep -c '^FAILED' "$work/out") $(grep -c '^FAILED test_shift.py::test_\(race\|again\) - Failed: reprise found' "$work/out")" "3 2"
check "the test says what was found" grep -q 'race: store of 4 bytes' "$work/out"
is "what is suppressed fails nothing" "$(echo kind=race >"$work/known"; tests --reprise --reprise-check race --reprise-option=--suppressions=known -k 'race or again or right')" 0
is "a mended file passes" "$(sed -i 's/run(0)/run(1)/; s/== 5/== 33/' "$work/test_shift.py"; tests --reprise)" 0
check "four passed" grep -q '^4 passed' "$work/out"
is "a check that is none is an error of usage" "$(tests --reprise --reprise-check speed) $(grep -c "there is no check 'speed'" "$work/err")" "1 1"
is "what a test's child process finds fails the test" "$(cd "$work" && "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider --reprise test_child.py >out 2>err; echo $?)" 1
is "... and no other one" "$(grep -c '^FAILED' "$work/out") $(grep -c '^FAILED test_child.py::test_race - Failed: reprise found 1 finding' "$work/out")" "1 1"
cat >"$work/test_marked.py" <<'PY'
import subprocess

import pytest


def race():
    subprocess.run(["sh", "-c", "./wrong race; true"], check=True)


@pytest.mark.xfail
def test_expected():
    race()


@pytest.mark.xfail(strict=True)
def test_expected_strictly():
    race()


@pytest.mark.xfail(raises=ValueError)
def test_another_is_expected():
    race()


@pytest.mark.xfail(strict=True)
def test_passes():
    subprocess.run(["./wrong", "part0"], check=True)


def test_skipped():
    race()
    pytest.skip("after it")


@pytest.fixture
def wrong():
    race()


def test_of_a_fixture(wrong):
    pass
PY
is "marks mean what they do elsewhere" "$(cd "$work" && "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider --reprise -rA test_marked.py >out 2>err; echo $?)" 1
is "... xfail, strict or not: expected" "$(grep -c '^XFAIL test_marked.py::test_expected\(_strictly\)\?\b' "$work/out")" 2
is "... but not with another exception in mind, nor where nothing is found" "$(grep -c '^FAILED test_marked.py::test_\(another_is_expected\|passes\)' "$work/out")" 2
is "... and what a fixture does is an error of its test" "$(grep -c '^ERROR test_marked.py::test_of_a_fixture - Failed: reprise found 1 finding' "$work/out") $(tail -1 "$work/out" | grep -c '2 failed, 1 skipped, 2 xfailed, 1 error')" "1 1"
printf 'def test_nothing():\n    pass\n' >"$work/test_nothing.py"
nothing() { (cd "$work" && "$@" "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider --reprise test_nothing.py >out 2>err; echo $?); }
is "tests that use no CUDA: 2" "$(nothing env)" 2
check "... and that is said" grep -q "nothing was checked: no process of the program used CUDA" "$work/err"
is "no reprise: an error of usage" "$(nothing env REPRISE=/nonexistent/reprise)" 4
is "... in one line" "$(grep -c . "$work/err") $(grep -c '^ERROR: /nonexistent/reprise cannot be started: No such file or directory' "$work/err")" "1 1"
# As a worker of pytest-xdist, of which others run at the same time.
cat >"$work/test_worker.py" <<'PY'
import subprocess

import pytest


@pytest.fixture
def ends_wrong():
    yield
    subprocess.run(["sh", "-c", "./wrong race; true"], check=True)


def test_its_fixture(ends_wrong):
    pass


def test_own_environment():
    subprocess.run(["./wrong", "race"], env={})


@pytest.mark.parametrize("of", ["a b", "a c"])
def test_innocent(of):
    if of == "a c":
        subprocess.run(["./wrong", "part0"], check=True)
PY
# shellcheck disable=SC2016
is "a worker" "$(cd "$work" && "$r" run --check all --error-exitcode 0 -- sh -c 'env -i ./wrong race; PYTEST_XDIST_WORKER=gw1 ./wrong init; PYTEST_XDIST_WORKER=gw0 "$@"' sh \
    "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider --reprise test_worker.py >out 2>err; echo $?)" 1
is "... a fixture's end, and a child with an environment of its own" "$(grep -c -e '^ERROR test_worker.py::test_its_fixture - Failed: reprise found' -e '^FAILED test_worker.py::test_own_environment - Failed: reprise found' "$work/out")" 2
is "... and no test has what processes of others found" "$(tail -1 "$work/out" | sed 's/ in .*//')" "1 failed, 3 passed, 1 error"
if "$python" -c 'import xdist' 2>/dev/null; then
    is "pytest-xdist" "$(cd "$work" && "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider -n 2 --reprise test_worker.py >out 2>err; tail -1 out | sed 's/ in .*//')" "1 failed, 3 passed, 1 error"
    cat >"$work/test_lost.py" <<'PY'
import subprocess


def test_lost():
    subprocess.run(["sh", "-c", "(while kill -0 $$; do :; done; exec env -i ./wrong race) >/dev/null 2>&1 &"], check=True, env={})
    subprocess.run(["./wrong", "part0"], check=True)


def test_waits():
    subprocess.run(["sh", "-c", "while ! grep -q finding \"$REPRISE_FINDINGS\"/[0-9]*; do :; done"], check=True)
PY
    is "... a process that no test is known to have started: 1" "$(cd "$work" && "$python" -m pytest -q -p reprise.pytest_plugin -p no:cacheprovider -n 2 --reprise test_lost.py >out 2>err; echo $?)" 1
    check "... and what it found" eval 'grep -q "^2 passed" "$work/out" && grep -q "race: store of" "$work/out"'
else
    echo "ok - pytest-xdist # SKIP it is not there: $python -m pip install pytest-xdist"
fi
