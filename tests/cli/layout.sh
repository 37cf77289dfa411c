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
check_arrow frontend/loader 'frontend/(operation|core|module|loader)/|frontend/isa/[a-z]+\.h|tracefmt/'
check_arrow frontend/record 'frontend/(operation|core|record)/|tracefmt/'
check_arrow frontend/host 'frontend/(operation|core|check|module|record|host)/|tracefmt/'
check_arrow frontend/cuda/abi 'frontend/cuda/abi/'
check_arrow frontend/cuda/runtime 'frontend/cuda/(abi|runtime)/'
check_arrow frontend/cuda/blas 'frontend/cuda/(abi|blas)/'
check_arrow frontend/cuda/driver 'frontend/(operation|core|check|module|loader|host)/|frontend/cuda/(abi/|driver/|session\.h)|tracefmt/'
check_arrow hw-models 'hw-models/'
check_arrow replay 'replay/|tracefmt/|hw-models/'
if grep -rnE '^\s*#\s*include\s*"tools/' tracefmt frontend hw-models replay >&2; then bad "nothing includes tools"; else ok "nothing includes tools"; fi

# Only tracefmt knows how the file is encoded.
if grep -rln 'trace\.pb-c\.h' --include='*.[ch]' frontend replay hw-models tools >&2; then bad "only tracefmt includes the generated messages"; else ok "only tracefmt includes the generated messages"; fi

if git rev-parse >/dev/null 2>&1; then
    odd=$(git ls-tree --name-only HEAD | grep -vxE 'frontend|tracefmt|replay|hw-models|tools|tests|Makefile|README\.md|LICENSE|ARCHITECTURE\.md|CONTRIBUTING\.md|docs|\.ci|\.clang-format|\.clang-tidy|\.gitignore')
    if [ -z "$odd" ]; then ok "the top level holds what a newcomer expects"; else bad "top level: $odd"; fi
fi
