#!/bin/bash
# Records the kernels of docs/validation.md's tables, one block each, and prints the tables beside the paper's figures.
set -eu
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
dir=$BUILD/wcet; mkdir -p "$dir"
# case=size; the class of the Rodinia suite that it stands for
kernels="bfs_level=64 matmul=16 gemm=8 transpose_padded=32 stencil=16 spmv_scalar=128 spmv_vector=4 needleman_wunsch=16
    nbody=64 kmeans=256 bitonic=512 reduce_tree=512 scan=256 mandelbrot=8"
# shellcheck disable=SC2086
traces=$("$BUILD/record-cases" "$dir" $kernels)
# shellcheck disable=SC2086
"$BUILD/reprise" wcet -q --json --machine orin-wcet --grid latency=400,200,100,50,25,10,5 policy=lrr,gto $traces > "$dir/table3.json"
# Where the pessimism comes from: attacks on every launch, and on the opaque block of its phases. All schedules of those
# with less than 300 warp instructions; that takes half a minute.
tries=300
for t in $traces; do
    l=0
    for n in $("$BUILD/reprise" info --json "$t" | python3 -c "import json,sys; print(*[l['warp_instructions'] for l in json.load(sys.stdin)['traces'][0]['launches']])"); do
        to=$dir/$(basename "$t" .wtr)-$l
        states=$((n < 300 ? 20000000 : 200000))
        "$BUILD/reprise" wcet -q --json --machine orin-wcet --launch $l --exhaust 0 "$t" > "$to-theorems.json"
        "$BUILD/reprise" wcet -q --json --machine orin-wcet --launch $l --exhaust $states --check gto,lrr --attack $tries "$t" > "$to-attack.json"
        "$BUILD/reprise" wcet -q --machine orin-wcet --launch $l --phases "$to.csv" "$t" > /dev/null
        settings=$("$BUILD/opaque" "$dir/opaque.wtr" < "$to.csv")
        # shellcheck disable=SC2086
        "$BUILD/reprise" wcet -q --json --machine orin-wcet $settings --attack $tries "$dir/opaque.wtr" > "$to-opaque.json"
        l=$((l + 1))
    done
done
# What no bound is below that charges a warp for each of the others: for any number of them, and for no more than the
# machine has room for.
for warps in 256 48; do
    # shellcheck disable=SC2086
    "$BUILD/crowd" orin-wcet $warps $traces > "$dir/crowd-$warps.txt"
done
for kind in naive double; do
    for warps in 32 16 8 4; do
        t=$("$BUILD/record-cases" "$dir" sgemm_${kind}_$warps=1024)
        "$BUILD/reprise" wcet -q --json --machine orin-wcet --grid latency=400,200,100,50,25,10,5 policy=gto,lrr "$t" > "$dir/$kind-$warps.json"
        "$BUILD/reprise" wcet -q --json --machine orin-wcet --check gto,lrr --attack 100 "$t" > "$dir/$kind-$warps-attack.json"
    done
done
python3 tests/soundness/tables.py "$dir"
