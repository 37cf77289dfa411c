#!/bin/bash
# tests/hardware without a GPU: reprise run takes its place. Nothing may differ, and what does differ is found.
set -u
. tests/support/cli.sh
needs "$BUILD/hardware/bin/order" "$BUILD/hardware/bin/functions" "$BUILD/hardware/bin/programs"
export GPU_RESULTS=$work/results
judged() { # program, arguments...: what it finds, in $work/found
    local program=$BUILD/hardware/bin/$1
    shift
    rm -rf "$GPU_RESULTS" && mkdir "$GPU_RESULTS"
    "$REPRISE" run --device h100 -- "$program" "$@" >"$work/out" 2>&1 || cat "$work/out" >&2
    cat "$GPU_RESULTS"/found.* >"$work/found"
}
total() { awk -v what="$1" '/^TOTAL/ { for (i = 2; i < NF; i += 2) if ($i == what) sum += $(i + 1) } END { print sum + 0 }' "$work/found"; }

export GPU_DISTANCES=0
judged functions functions::half
is "four functions of 16 bits are compared, of all numbers" "$(total launches) $(total words)" "4 262144"
is "and do not differ" "$(total differ) $(total refused) $(total faults)" "0 0 0"
is "the distances of one are kept" "$(stat -c %s "$GPU_RESULTS/distances.h_tanh_approx_f16")" 65536
unset GPU_DISTANCES

# A kernel whose result is an address that each device chooses for itself.
cat >"$work/own.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 p) malloc (.param .b64 n);
.visible .entry address(.param .u64 in, .param .u64 out, .param .u64 mine, .param .u64 sums)
{
    .reg .b64 %o, %a;
    .param .b64 n; .param .b64 p;
    ld.param.u64 %o, [out];
    st.param.b64 [n], 16;
    call (p), malloc, (n);
    ld.param.b64 %a, [p];
    st.global.u64 [%o+16], %a;
    ret;
}
END
echo "address 1 1" >"$work/own.launches"
judged programs "$work/own.launches" "$work/own.ptx"
is "a launch that differs is found" "$(total launches) $(total differ)" "1 1"
check "with the words that differ" grep -qE '^DIFFERS ptx [0-9a-f]{16} address nan 0 near 0 other [12] of [0-9]+: \[1\+0x1[04]\] 0{8} engine' "$work/found"
kernel=$(awk '/^DIFFERS/ { print $3 }' "$work/found")
check "and its kernel is kept" grep -q "st.global.u64 \[%o+16\]" "$GPU_RESULTS/kernel-$kernel.ptx"

if [ ! -e "$BUILD/toolchain/complete" ]; then
    echo "ok - machine code of tests on a GPU # SKIP no $BUILD/toolchain: make toolchain fetches NVIDIA's ptxas"
    exit 0
fi
python3 tests/hardware/frame.py >"$work/frame.ptx"
"$BUILD/toolchain/12.9/ptxas" -arch=sm_90 -o "$work/frame.cubin" "$work/frame.ptx"
export GPU_FRAME=$work/frame.cubin GPU_VALUES=0
judged order order::counter
is "the order of arms in every case" "$(total launches) $(total differ)" "$(grep -c '^[a-z_]*: [0-9]' "$work/out") 0"
is "is kept, of both sides" "$(cat "$GPU_RESULTS"/values.* | wc -l)" "$((2 * $(total launches)))"
python3 tests/hardware/numerics.py "$work"
judged programs "$work/numerics.launches" "$work/numerics.ptx"
is "products of matrices whose numbers lie far apart" "$(total launches) $(total differ)" "$(wc -l <"$work/numerics.launches") 0"
