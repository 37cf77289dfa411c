#!/bin/bash
# docs/tutorial-*.md: every command in its turn, in a fresh folder, prints what is printed there. tests/support/tutorial.py says
# what is not compared.
# pieces: architect developer real-time
set -u
. tests/support/cli.sh
SOURCES=$PWD PROGRAMS=1
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then PROGRAMS=; fi
mkdir "$work/bin" "$work/fresh-$1"
ln -s "$REPRISE" "$work/bin/reprise"
export SOURCES PROGRAMS PATH=$work/bin:$PATH
unset NO_COLOR
python3 tests/support/tutorial.py "docs/tutorial-$1.md" "$work/fresh-$1" ${WRITE:+--write}
