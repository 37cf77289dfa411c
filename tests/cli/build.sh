#!/bin/bash
# The Makefile: objects follow their sources, headers and flags; help names every target; the version stands once.
set -u
. tests/support/cli.sh
object=obj/tests/programs/progress.o # of the fewest lines
unset MAKEFLAGS MAKELEVEL WERROR OPT SANITIZE CC # of the make that runs all tests
build() { make -s BUILD="$work/build" "$work/build/$object" "$@" >&2; }
current() { make -q BUILD="$work/build" "$work/build/$object" "$@" >&2; }
build
is "an object is built" $? 0
current
is "and then is there" $? 0
current -W tests/programs/progress.c
is "it follows its source" $? 1
current -W tools/ui/progress.h
is "its headers" $? 1
current -W tracefmt/reader.h
is "and no others" $? 0
for flag in OPT=-O0 WERROR=1 SANITIZE=-fsanitize=undefined CC=clang; do
    current "$flag"
    is "it follows $flag" $? 1
done
build OPT=-O0
current OPT=-O0
is "one that was built with another flag is there" $? 0
current
is "and is built again without" $? 1

# ---- what is where --------------------------------------------------------------------------------------------------
make help >"$work/help"
undescribed=$(sed -n 's/^\.PHONY: //p' Makefile tools/make/*.mk | tr ' ' '\n' | sed 's/\$1/NAME/' | sort -u | while read -r target; do
    grep -q "^$target  *[^ ]" "$work/help" || echo "$target"
done | paste -sd' ')
is "make help describes all targets but parts of others" "$undescribed" "FORCE bench-programs fuzz-programs hardware-programs install-files network-programs"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' tools/python/pyproject.toml)
is "reprise has the version" "$("$r" --version)" "reprise $version"
is "nothing else does" "$(grep -rlF "$version" Makefile tools tracefmt frontend replay hw-models docs tests ./*.md --include='*.[chm]*' --include='*.py*' \
    --include='*.toml' --include='*.in' --include='*.sh' --include=Makefile --include='*.proto')" tools/python/pyproject.toml
