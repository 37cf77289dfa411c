#!/bin/bash
# A slice of make network: a network that has learnt for a moment, its kernels as PTX and as machine code, against the CPU.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/network"
data=${NETWORK_DATA:-/usr/share/datasets/fashion-mnist}
network=$BUILD/network
modules=("$network/network.ptx")
sass="machine code gives the CPU's classes"
if [ -e "$network/network.sm_62.cubin" ]; then modules+=("$network/network.sm_62.cubin"); fi
if [ ! -e "$data/t10k-images-idx3-ubyte.gz" ]; then
    for what in "PTX gives the CPU's classes" "$sass" "it has learnt something" "cycles are those of reprise replay" "wrong kernels are found out"; do
        echo "ok - $what # SKIP no $data: apt-get install dataset-fashion-mnist"
    done
    exit 0
fi
small=(--data "$data" --train 1000 --epochs 1 --images 40)

"$network/network" "${small[@]}" --traces "$dir" "${modules[@]}" >"$dir/out"
check "every class is the CPU's, every dense layer bit for bit" test $? -eq 0
cat "$dir/out" >&2
check "PTX gives the CPU's classes" test "$(grep -c '^network\.ptx .* 40 of 40' "$dir/out")" -eq 2
if [ ${#modules[@]} -eq 2 ]; then
    check "$sass" test "$(grep -c '^network\.sm_62\.cubin .* 40 of 40' "$dir/out")" -eq 2
else
    echo "ok - $sass # SKIP no ptxas: make toolchain fetches it"
fi
# 10 classes: without learning 10 % would be right
check "it has learnt something" awk '/^network\.ptx +f32 .*%/ { right = $(7) } END { exit !(right > 50) }' "$dir/out"
for precision in f32 f64; do
    cycles=$("$REPRISE" replay --json "$dir/network.ptx.$precision.wtr" --machine tx2-pastis |
        python3 -c 'import json, sys; print(format(json.load(sys.stdin)["traces"][0]["total"]["cycles"], ","))')
    check "cycles are those of reprise replay: $precision" grep -qE "^network\.ptx +$precision .* ${cycles:-none} " "$dir/out"
done

# Kernels that compute something else must be found out: sums rounded down, and an exponential to another base.
found_out() { # name, sed script
    sed "$2" "$network/network.ptx" >"$dir/wrong.ptx"
    cmp -s "$dir/wrong.ptx" "$network/network.ptx" && { echo "not ok - $1: nothing was changed"; return; }
    "$network/network" "${small[@]}" "$dir/wrong.ptx" >"$dir/wrong" 2>&1
    check "$1" test $? -eq 1
}
found_out "sums that are rounded otherwise are found out" 's/add\.rn\.f32/add.rm.f32/'
found_out "an exponential that is a little off is found out" 's/0f3FB8AA3B/0f3FB8AA00/'
