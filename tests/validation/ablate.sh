#!/bin/bash
# The ablation of ECRTS 2025, Table 2, on machine orin: prints the table of docs/validation.md. The paper's baseline is one SM with
# four sub-cores, an instruction cache, dual issue and caches; its kernels are Rodinia's, ours those of make wcet-tables. "called ten
# times": each launch ten times with caches that are kept, as the paper's 58 kernels are called 583 times in all.
set -eu
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
export REPRISE=${REPRISE:-$BUILD/reprise} REPRISE_MACHINES=$PWD/hw-models/machines
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=$(sed -n '/^kernels="/,/"$/p' tests/soundness/tables.sh | sed 's/kernels=//; s/"//g')
mkdir "$work/ten"
# shellcheck disable=SC2086
traces=$("$BUILD/record-cases" "$work" $kernels)
# shellcheck disable=SC2046
ten=$("$BUILD/record-cases" "$work/ten" $(for k in $kernels; do echo "$k*10"; done))
# the instruction cache that Accel-Sim's configurations have (128 KB), refilled from L2; their constants are always at hand
baseline=(--set sms=1 --set constants=perfect --set issue.width=2 --set icache=set-associative --set icache.line=128 --set icache.sets=64 --set icache.ways=16
    --set icache.subcores=4 --set icache.latency=226)
steps=(--step 'perfect I$:icache=perfect' --step 'single core:subcores=1,l1.subcores=1,icache.subcores=1' --step 'single issue:issue.width=1'
    --step 'no cache:l1=none')
# their model: all accesses coalesced and pipelined, 200 cycles; no bank conflicts
memory=l2=none,warm_l2=false,interconnect=direct,port.width=0,port.latency=0,port.queue=-1,lsu.queue=-1,dram=ideal,shared=ideal
model="their model:coalescer=ideal,$memory,spaces.global.initiation=1,spaces.global.latency=199,spaces.shared.initiation=1,spaces.shared.latency=1"
# shellcheck disable=SC2086
"$REPRISE" ablate -q --cumulative --json -m orin "${baseline[@]}" "${steps[@]}" --step 'coalesced:coalescer=ideal' $traces >"$work/coalesced.json"
# shellcheck disable=SC2086
"$REPRISE" ablate -q --cumulative --json -m orin "${baseline[@]}" "${steps[@]}" --step "$model" $traces >"$work/model.json"
# shellcheck disable=SC2086
"$REPRISE" ablate -q --cumulative --json -m orin "${baseline[@]}" "${steps[@]}" --step 'no L2:l2=none,warm_l2=false' --step "$model" $traces >"$work/l2.json"
# shellcheck disable=SC2086
"$REPRISE" ablate -q --cumulative --json -m orin "${baseline[@]}" --set flush_caches=false --set l1.unified=0 "${steps[0]}" "${steps[1]}" $ten >"$work/ten.json"
python3 - "$work" <<'PY'
import json, sys
paper = [('perfect I$', 111.79, 41.01, 96.94, 494.79), ('single core', 94.01, 4.23, 27.25, 101.00), ('single issue', 99.77, .73, 96.65, 102.26),
         ('no cache', 91.90, 13.51, 34.24, 125.10), ('their model', 234.11, 38.77, 100.25, 290.47)]
coalesced, model = (json.load(open(f'{sys.argv[1]}/{n}.json'))['steps'] for n in ('coalesced', 'model'))
print('| step | | mean % | std. dev. % | min % | max % |\n|---|---|--:|--:|--:|--:|')
for p, ours in zip(paper, model):
    assert p[0] == ours['step']
    print('| %s | paper | %.2f | %.2f | %.2f | %.2f |' % p)
    print('| %s | orin | %.2f | %.2f | %.2f | %.2f |' % ('', ours['mean'], ours['deviation'], ours['least'], ours['greatest']))
ten, l2 = (json.load(open(f'{sys.argv[1]}/{n}.json'))['steps'] for n in ('ten', 'l2'))
for name, o in (('perfect I$, called ten times', ten[0]), ('no L2 either', l2[-2]), ('their model after that', l2[-1]), ('only coalesced', coalesced[-1])):
    print('| %s | orin | %.2f | %.2f | %.2f | %.2f |' % (name, o['mean'], o['deviation'], o['least'], o['greatest']))
PY
