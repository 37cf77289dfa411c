#!/bin/bash
# The house rules that a machine can check: the direction of includes, a top level without surprises.
set -u
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }

# from(folder) may include only these folders of ours
check_arrow() {
    local folder=$1 allowed=$2 found
    found=$(grep -rnE '^\s*#\s*include\s*"' "$folder" --include='*.[ch]' | grep -vE "\"($allowed)")
    if [ -z "$found" ]; then ok "includes of $folder go to $allowed only"; else bad "includes of $folder"; echo "$found" >&2; fi
}
check_arrow tracefmt 'tracefmt/'
check_arrow frontend 'frontend/|tracefmt/'
check_arrow frontend/operation 'frontend/operation/|tracefmt/'
check_arrow frontend/core/lanes 'frontend/(operation|core/lanes)/|tracefmt/'
check_arrow frontend/core 'frontend/(operation|core)/|tracefmt/'
check_arrow frontend/check 'frontend/(operation|core|check)/|tracefmt/'
check_arrow frontend/module 'frontend/(operation|core|module)/|tracefmt/'
check_arrow frontend/isa/ptx 'frontend/(operation|core|module|isa/ptx)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/isa/sass 'frontend/(operation|core|module|isa/sass)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/isa/sass5x 'frontend/(operation|core|module|isa/sass|isa/sass5x)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/isa/sass7x 'frontend/(operation|core|module|isa/sass|isa/sass7x)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/guest 'frontend/(operation|core|module|guest)/|tracefmt/'
check_arrow frontend/isa/arm 'frontend/(operation|core/lanes|module|guest|isa/arm)/|tracefmt/'
check_arrow frontend/isa/rv32 'frontend/(operation|module|guest|isa/rv32)/|tracefmt/'
check_arrow frontend/loader 'frontend/(operation|core|module|loader|guest)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/record 'frontend/(operation|core|record)/|tracefmt/'
check_arrow frontend/host 'frontend/(operation|core|check|module|record|host)/|tracefmt/'
check_arrow frontend/cuda/abi 'frontend/cuda/abi/'
check_arrow frontend/cuda/runtime 'frontend/cuda/(abi|runtime)/'
check_arrow frontend/cuda/blas 'frontend/cuda/(abi|blas)/'
check_arrow frontend/cuda/driver 'frontend/(operation|core|check|module|loader|host)/|frontend/cuda/(abi/|driver/|session\.h)|tracefmt/'
check_arrow hw-models 'hw-models/'
check_arrow replay 'replay/|tracefmt/|hw-models/'
check_arrow replay/base 'replay/base/|tracefmt/|hw-models/'
check_arrow replay/memory 'replay/(base|memory)/|tracefmt/|hw-models/'
check_arrow replay/engines 'replay/(base|memory|engines)/|tracefmt/|hw-models/'
check_arrow tools/ui 'tools/ui/'
check_arrow tools/lib 'tools/(ui|lib)/|frontend/|replay/|tracefmt/|hw-models/'
if grep -rnE '^\s*#\s*include\s*"tools/commands/' tools --include='*.[ch]' | grep -v '^tools/commands/' >&2; then
    bad "nothing includes commands"
else
    ok "nothing includes commands"
fi

# No folder needs itself by way of others, by includes and by the symbols of the objects.
floors=tests/layout/floors.py
if picture=$(python3 $floors --build "$BUILD"); then ok "no folders need each other in a circle"; else
    bad "folders need each other in a circle"
    echo "$picture" >&2
fi
if diff <(echo "$picture") <(sed -n '/^ \+[0-9]\+  [a-z]/,/^```/p' ARCHITECTURE.md | grep -v '^```') >&2; then
    ok "ARCHITECTURE.md shows the floors"
else
    bad "ARCHITECTURE.md shows other floors: $floors --write ARCHITECTURE.md mends it"
fi
# It finds a circle of includes, and one that only symbols make.
turned=$(mktemp -d)
trap 'rm -rf "$turned"' EXIT
mkdir -p "$turned/tracefmt" "$turned/replay/base" "$turned/build/obj/tracefmt" "$turned/build/obj/replay/base"
echo 'void down(void); void up(void) { down(); }' >"$turned/replay/base/up.c"
echo 'void down(void) {}' >"$turned/tracefmt/down.c"
compile_turned() { for s in replay/base/up tracefmt/down; do ${CC:-gcc} -c "$turned/$s.c" -o "$turned/build/obj/$s.o" || return; done; }
turned_floors() { python3 $floors --root "$turned" --build "$turned/build"; }
if compile_turned && turned_floors >/dev/null; then ok "one way is no circle"; else bad "one way is no circle"; fi
echo '#include "replay/base/up.h"' >>"$turned/tracefmt/down.c"
if turned_floors | grep -q 'tracefmt/down.c needs replay/base/up.h'; then ok "an include turned round is found"; else bad "an include turned round is found"; fi
echo 'void up(void); void down(void) { up(); }' >"$turned/tracefmt/down.c"
if compile_turned && turned_floors | grep -q 'tracefmt/down.c needs replay/base/up.c'; then ok "a call turned round is found"; else bad "a call turned round is found"; fi
if grep -rnE '^\s*#\s*include\s*"tools/' tracefmt frontend hw-models replay >&2; then bad "nothing includes tools"; else ok "nothing includes tools"; fi

# A name that two archives define links without a word. (The runtime of CUDA is there once for each version.)
objects=()
while read -r object; do # of files that are still there
    source=${object#"$BUILD"/obj/}
    [ -e "${source%.o}.c" ] && objects+=("$object")
done < <(find "$BUILD"/obj/{tracefmt,frontend,replay,hw-models,tools} -name '*.o' ! -path '*/frontend/cuda/*')
twice=$(nm -g --defined-only "${objects[@]}" | awk '$2 ~ /^[TDBR]$/ { print $3 }' | sort | uniq -d)
if [ -z "$twice" ]; then ok "no name is defined twice"; else bad "defined twice: $twice"; fi

# Only tracefmt knows how the file is encoded.
if grep -rln 'trace\.pb-c\.h' --include='*.[ch]' frontend replay hw-models tools >&2; then bad "only tracefmt includes the generated messages"; else ok "only tracefmt includes the generated messages"; fi

if git rev-parse >/dev/null 2>&1; then
    odd=$(git ls-tree --name-only HEAD | grep -vxE 'frontend|tracefmt|replay|hw-models|tools|tests|Makefile|README\.md|LICENSE|ARCHITECTURE\.md|CONTRIBUTING\.md|CHANGELOG\.md|SECURITY\.md|CITATION\.cff|Dockerfile|docs|\.ci|\.clang-format|\.clang-tidy|\.gitignore')
    if [ -z "$odd" ]; then ok "the top level holds what a newcomer expects"; else bad "top level: $odd"; fi
fi
