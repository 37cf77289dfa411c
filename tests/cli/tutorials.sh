#!/bin/bash
# Pages that are done step by step: every command in its turn, in a fresh folder, prints what is printed there.
# tests/support/tutorial.py says what is not compared.
# pieces: architect developer real-time ci compare-gpus write-a-model
set -u
. tests/support/cli.sh
PROGRAMS=1
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then PROGRAMS=; fi
mkdir "$work/bin" "$work/fresh-$1"
ln -s "$REPRISE" "$work/bin/reprise"
export EXAMPLES=$PWD/tests/cuda/prebuilt HEADERS=$PWD/tools/cuda PROGRAMS PATH=$work/bin:$PATH
unset NO_COLOR
if [ "$1" = write-a-model ]; then # a copy of the sources, with what is built of them
    mkdir -p "$work/fresh-$1/reprise/build"
    cp -a Makefile ./*.md frontend hw-models replay tests tools tracefmt docs "$work/fresh-$1/reprise"
    for f in obj flags gen reprise libreplay.a libhw-models.a libfrontend.a libtracefmt.a lib; do
        [ ! -e "$BUILD/$f" ] || cp -a "$BUILD/$f" "$work/fresh-$1/reprise/build"
    done
    unset MAKELEVEL # make compiles as this build was compiled, or it would compile everything again
    compiler=$(sed 's/ -I.*//' "$BUILD/flags/c")
    MAKEFLAGS="CC=${compiler// /\\ }$(grep -q -- -Werror "$BUILD/flags/c" && echo ' WERROR=1')"
    export MAKEFLAGS
fi
page=docs/tutorial-$1.md
[ -e "$page" ] || page=docs/$1.md
python3 tests/support/tutorial.py "$page" "$work/fresh-$1" ${WRITE:+--write}
