#!/bin/bash
# The wheel: installed by pip into an environment, used with nothing else of ours in reach, and uninstalled.
set -u
. tests/support/cli.sh
python=$PWD/$BUILD/python/bin/python
skip() { echo "ok - the wheel # SKIP $1"; exit 0; }
[ -e "$BUILD/python/complete" ] || skip "no pip here: make python-environment"
command -v patchelf >/dev/null || skip "no patchelf here"
{ [ "$(uname -sm)" = "Linux x86_64" ] && ! address_sanitizer; } || skip "not for this build"
make -s install-files BUILD="$BUILD" DESTDIR="$work/stage" PREFIX=/usr/local >&2 || exit 1
cp -r "$work/stage" "$work/again"
wheel=$(tools/package/wheel "$work/stage/usr/local" "$work/dist")
check "its name has a tag of manylinux" grep -qE '/gpu_reprise-[0-9.]+-py3-none-manylinux_2_[0-9]+_x86_64\.whl$' <<<"$wheel"
check "that of a glibc that others have (2.34 or older)" test "$(sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/' <<<"$wheel")" -le 34
tools/package/wheel "$work/again/usr/local" "$work/dist2" >&2
check "equal files make equal wheels" cmp "$wheel" "$work/dist2/$(basename "$wheel")"
"$python" -m venv --without-pip "$work/env" >&2
(cd "$work/env" && find . ! -type d | sort) >"$work/before"
pip() { "$python" -m pip --python "$work/env/bin/python" --disable-pip-version-check -q "$@"; }
check "pip installs it" pip install --no-index --no-deps "$wheel"
used() { (cd "$work" && env -i HOME="$work" PATH=/usr/bin:/bin "$work/env/bin/$1" "${@:2}"); }
is "the program knows its version" "$(used reprise --version)" "$("$r" --version)"
is "it lists the machines" "$(used reprise machine list)" "$("$r" machine list)"
is "every library that is not everywhere comes from the wheel" \
    "$(for f in "$work"/env/bin/reprise "$work"/env/lib/reprise/*.so*; do env -i ldd "$f"; done | grep -vE 'lib(c|m|dl|gcc_s|stdc\+\+)\.so|ld-linux|linux-vdso|statically' | grep -v "$work/env" | sort -u)" ""
cp tests/cuda/prebuilt/vector_add "$work/app"
check "a CUDA program runs" used reprise run -q -- ./app
check "and is recorded" used reprise record -q -o app.wtr -- ./app
check "and replayed" used reprise replay -q app.wtr -m jetson-tx2
echo '__global__ void twice(float *x) { x[threadIdx.x] *= 2; }' >"$work/twice.cu"
check "CUDA source is compiled, with the header of the wheel" \
    used reprise run -q --module twice.cu --grid 1 --block 32 --arg buf=iota-i32:32
check "the Python package finds the program of its environment" \
    env -u REPRISE PYTHONPATH="$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')" PATH=/usr/bin:/bin \
    "$work/env/bin/python" -c 'import reprise.program, sys; assert reprise.program.find_program() == sys.prefix + "/bin/reprise", reprise.program.find_program()'
is "pytest finds the plugin" "$("$work/env/bin/python" -c 'from importlib.metadata import entry_points; print([e.value for e in entry_points(group="pytest11")])')" "['reprise.pytest_plugin']"
check "pip uninstalls it" pip uninstall -y gpu-reprise
(cd "$work/env" && find . ! -type d ! -path "*__pycache__*" | sort) >"$work/after"
is "and nothing is left" "$(comm -13 "$work/before" "$work/after")" ""
