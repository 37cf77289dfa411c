#!/bin/bash
# PasTiS's three integer matrix multiplications (ERTS 2022, Figures 10 to 12) on tx2-pastis and jetson-tx2: prints the table of
# docs/validation.md. Its code is not published; ours is tests/kernels/matmul_int.cu, as compiled once and kept in
# tests/golden/pastis: PTX by clang 14 -O2, and that by ptxas 12.3 -O3 -arch=sm_62. PTX= and CUBIN= name others.
set -eu
cd "$(dirname "$0")/../.."
export REPRISE=${REPRISE:-${BUILD:-build}/reprise} REPRISE_MACHINES=$PWD/hw-models/machines
ptx=${PTX:-tests/golden/pastis/matmul_int.ptx} cubin=${CUBIN:-tests/golden/pastis/matmul_int.cubin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in 4 8 11; do
    for module in "$ptx" "$cubin"; do
        kind=PTX; [ "$module" = "$ptx" ] || kind=SASS
        "$REPRISE" record -q -o "$work/$kind-$n.wtr" --module "$module" --kernel matmul_int --grid 1 --block $n,$n \
            --arg buf=rand-i32:$((n * n)):seed=1 --arg buf=rand-i32:$((n * n)):seed=2 --arg buf=zeros:$((4 * n * n)) --arg i32=$n
    done
done
# row NAME CODE SETTINGS...: cycles of the three on $machine, and their shared-memory transactions into a file
row() {
    local name=$1 kind=$2 n options=()
    shift 2
    for n in "$@"; do options+=(--set "$n"); done
    printf '| %s |' "$name"
    for n in 4 8 11; do
        "$REPRISE" replay -q "$work/$kind-$n.wtr" --machine $machine "${options[@]}" --json >"$work/out.json"
        python3 - "$work/out.json" "$work/shared" <<'P'
import json, sys
launch = json.load(open(sys.argv[1]))["traces"][0]["launches"][0]
print(f' {launch["cycles"]} |', end="")
print(launch["shared"]["load_transactions"], launch["shared"]["store_transactions"], file=open(sys.argv[2], "a"))
P
    done
    echo
}
echo '| | 4×4 | 8×8 | 11×11 |'
echo '|---|--:|--:|--:|'
echo '| Jetson TX2, measured by PasTiS'"'"'s authors | 1131 | 1381 | 1580 |'
echo '| PasTiS, L2 cold | 1241 | 1491 | 1677 |'
machine=tx2-pastis
for kind in PTX SASS; do
    for scheduler in serial gto lrr; do
        row "$kind, \`$scheduler\`" $kind scheduler=$scheduler
    done
    row "$kind, \`serial\`, \`warm_l2\`" $kind scheduler=serial warm_l2=yes
done
row 'SASS, warm, by the scoreboard' SASS scheduler=serial warm_l2=yes dependencies=scoreboard
row 'SASS, warm, `issue.width=1`' SASS scheduler=serial warm_l2=yes issue.width=1
machine=jetson-tx2
warm=(scheduler=serial warm_l2=yes) none=(icache=perfect constants=perfect tlb=none l2_tlb=none)
for kind in PTX SASS; do
    row "$kind, warm, \`jetson-tx2\` without its caches of instructions and constants and its TLBs" $kind "${warm[@]}" "${none[@]}"
    row "$kind, warm, with instruction caches alone" $kind "${warm[@]}" "${none[@]:1}"
    row "$kind, warm, the same, code in L1.5 already" $kind "${warm[@]}" "${none[@]:1}" icache.next.latency=0
    row "$kind, warm, the same, times of M60 (39, 100)" $kind "${warm[@]}" "${none[@]:1}" icache.latency=39 icache.next.latency=100
    row "$kind, warm, with constant caches alone" $kind "${warm[@]}" "${none[0]}" "${none[@]:2}"
    row "$kind, warm, with TLBs alone" $kind "${warm[@]}" "${none[@]:0:2}"
    row "$kind, warm, \`jetson-tx2\`" $kind "${warm[@]}"
    row "$kind, cold, \`jetson-tx2\`" $kind scheduler=serial
done
echo
echo "Transactions of shared memory in each row, loads and stores: $(sort -u -n "$work/shared" | paste -sd, | sed 's/ / and /g; s/,/, /g')."
