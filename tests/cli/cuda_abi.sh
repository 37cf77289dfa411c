#!/bin/bash
# Our header of the driver's binary interface against NVIDIA's, where that is installed: sizes, offsets, values, and the
# functions that the library exports against those of the stub that programs are linked with.
set -u
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
cuda=${CUDA_HOME:-/usr/local/cuda}
. tests/support/cli.sh
if [ ! -f "$cuda/include/cuda.h" ]; then
    echo "ok - types and codes as in cuda.h # SKIP no $cuda/include/cuda.h"
    echo "ok - exports as in libcuda's stub # SKIP no $cuda"
    exit 0
fi

# every enumerator and struct of ours, printed by a program that is compiled once with each header
types=$(sed -n 's/^} \(CU[A-Za-z0-9_]*\);$/\1/p' frontend/cuda/abi/types.h)
codes=$(sed -n 's/^ *\(CU_[A-Za-z0-9_]*\) = .*/\1/p' frontend/cuda/abi/codes.h)
errors=$(sed -n 's/^\(DRIVER_\)\?ERROR([0-9]*, \([A-Z0-9_]*\),.*/\2/p' frontend/cuda/abi/errors.def)
attributes=$(sed -n 's/^ATTRIBUTE(\([A-Z0-9_]*\),.*/CU_DEVICE_ATTRIBUTE_\1/p' frontend/cuda/abi/attributes.def)
{
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    for t in $types; do echo "printf(\"$t %zu\\n\", sizeof($t));"; done
    for c in $codes $errors $attributes; do echo "printf(\"$c %d\\n\", (int)$c);"; done
    for m in srcPitch dstArray dstHeight Depth; do echo "printf(\"$m %zu\\n\", __builtin_offsetof(CUDA_MEMCPY3D, $m));"; done
    for m in sharedMemBytes kernelParams kern; do
        echo "printf(\"$m %zu\\n\", __builtin_offsetof(CUDA_KERNEL_NODE_PARAMS, $m));"
    done
    for m in flags borderColor minMipmapLevelClamp; do echo "printf(\"$m %zu\\n\", __builtin_offsetof(CUDA_TEXTURE_DESC, $m));"; done
    echo '}'
} >"$work/values.c"
cc=${CC:-gcc}
if $cc -w -I. -include frontend/cuda/abi/driver.h "$work/values.c" -o "$work/ours" &&
    $cc -w -I"$cuda/include" -include cuda.h "$work/values.c" -o "$work/theirs" &&
    "$work/ours" >"$work/a" && "$work/theirs" >"$work/b" && [ "$(wc -l <"$work/a")" -gt 250 ] && diff "$work/a" "$work/b" >&2; then
    ok "types and codes as in cuda.h"
else
    bad "types and codes as in cuda.h"
fi

stub=$cuda/lib64/stubs/libcuda.so
names() { nm -D --defined-only "$1" | awk '$2 == "T" && $3 ~ /^cu/ { print $3 }' | sort; }
if [ ! -f "$stub" ] || ! grep -q '^#define CUDA_VERSION 13000' "$cuda/include/cuda.h"; then
    echo "ok - exports as in libcuda's stub # SKIP no $stub of CUDA 13.0"
elif diff <(names "$BUILD/lib/libcuda.so.1") <(names "$stub") >&2; then
    ok "exports as in libcuda's stub"
else
    bad "exports as in libcuda's stub"
fi
