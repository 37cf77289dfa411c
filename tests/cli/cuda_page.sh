#!/bin/bash
# The quick start of docs/cuda.md: its commands, in a fresh folder, print what is printed there. nvcc's code and that of the compilers in Python's
# wheels are those of the versions that the page names; where they are not here, they are skipped. WRITE=1 puts what they print into the page.
# pieces: nvcc Numba CuPy
set -u
. tests/support/cli.sh
what="docs/cuda.md, quick start, $1"
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - $what # SKIP CUDA programs do not run here"
    exit
fi
mkdir "$work/bin" "$work/fresh"
ln -s "$REPRISE" "$work/bin/reprise"
export PROGRAMS=1 PATH=$work/bin:$PATH XDG_CACHE_HOME=$work PYTHONDONTWRITEBYTECODE=1
unset NO_COLOR
if [ "$1" = nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
    if ! nvcc --version 2>/dev/null | grep -q 'release 13\.0'; then
        echo "ok - $what # SKIP no nvcc 13.0 here"
        exit
    fi
elif [ -e "$BUILD/clients/complete" ]; then
    PATH=$work/bin:$PWD/$BUILD/clients/bin:$PATH
else
    echo "ok - $what # SKIP it is not here: make clients-environment"
    exit
fi
/usr/bin/python3 tests/support/tutorial.py docs/cuda.md "$work/fresh" --section "$1" ${WRITE:+--write}
