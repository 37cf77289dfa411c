#!/bin/bash
# reprise wcet: bounds above replays, figures that agree in all outputs, refusals, exit statuses.
set -u
. tests/support/cli.sh
tmp=$work
needs "$BUILD/kernels/gemm.ptx" "$BUILD/kernels/matmul.ptx" "$BUILD/kernels/sgemm_warps.ptx"
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
is() { if [ "$1" = "$2" ]; then ok "$3"; else bad "$3"; echo "  '$1' is not '$2'" >&2; fi; }
holds() { if python3 -c "import json,sys; d=json.load(open('$tmp/out.json'))['traces'][0]; l=d['launches'][0]; sys.exit(0 if $1 else 1)"; then ok "$2"; else bad "$2"; fi; }
trace=$tmp/sgemm.wtr
"$REPRISE" record -q -o "$trace" --module "$BUILD/kernels/sgemm_warps.ptx" --kernel double_4 --grid 1 --block 32,4 \
    --arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:4096 --arg i32=128 || bad "record"

"$REPRISE" wcet "$trace" --machine orin-wcet --check gto,lrr,oldest,two-level,random --attack 20 --json --warps -q > "$tmp/out.json"
is $? 0 "exit status 0"
holds "all(c <= l['unit_bound'] <= l['serial_bound'] for c in l['replay'].values())" "replays within the unit-aware bound, and that within the serial one"
holds "l['attack']['longest'] <= l['unit_bound'] and l['attack']['schedules'] == 20" "attacks stay within the bound"
holds "l['attack']['longest'] >= max(l['replay'][p] for p in ('gto', 'lrr', 'oldest'))" "no known policy takes longer than the longest schedule found"
holds "abs(l['attack']['per_cent_of_unit_bound'] - 100*l['attack']['longest']/l['unit_bound']) < 1e-4" "how close that is to the bound"
found=$(python3 -c "import json; print(json.load(open('$tmp/out.json'))['traces'][0]['launches'][0]['attack']['longest'])")
read -r -a settings <<< "$(python3 -c "import json; print(' '.join('--set ' + s for s in json.load(open('$tmp/out.json'))['traces'][0]['launches'][0]['attack']['schedule'].split()))")"
is "$("$REPRISE" replay "$trace" --machine orin-wcet "${settings[@]}" --json | python3 -c "import json,sys; print(json.load(sys.stdin)['traces'][0]['total']['cycles'])")" "$found" "the schedule found takes that long again in reprise replay"
holds "l['gub'] == sum(s['gub'] for s in l['sections']) and len(l['sections']) == 6" "the block's GUB is the sum of its sections'"
holds "abs(l['overestimation']['gto']['gub'] - 100*(l['gub']/l['replay']['gto']-1)) < 1e-4" "overestimation is what it says"
holds "len(l['warps']) == 4 and {p['kind'] for w in l['warps'] for p in w['phases']} == {'exec','idle'}" "phases of all warps"
holds "sum(p['instructions'] for w in l['warps'] for p in w['phases']) == sum(s['instructions'] for s in l['sections'])" "phases hold all instructions"
for p in gto lrr; do
    cycles=$("$REPRISE" replay "$trace" --machine orin-wcet --set scheduler=$p --json | python3 -c "import json,sys; print(json.load(sys.stdin)['traces'][0]['total']['cycles'])")
    holds "l['replay']['$p'] == $cycles" "cycles under $p are those of reprise replay"
done

"$REPRISE" wcet -q "$trace" --machine orin-wcet --set scheduler.seed=5 --check gto,random --json > "$tmp/seed.json"
seeded=$("$REPRISE" replay "$trace" --machine orin-wcet --set scheduler=random --set scheduler.seed=5 --json | python3 -c "import json,sys; print(json.load(sys.stdin)['traces'][0]['total']['cycles'])")
holds "{k: json.load(open('$tmp/seed.json'))['traces'][0]['launches'][0]['replay'][k] for k in ('gto', 'random')} == {'gto': l['replay']['gto'], 'random': $seeded} and $seeded != l['replay']['random']" "a seed goes to the policy that has one"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --set scheduler.seed=5 --grid latency=5 policy=gto,random > /dev/null
is $? 0 "in a grid, too"

"$REPRISE" wcet -q "$trace" --machine orin-wcet --json | grep -q '"warps": \[' && bad "no phases unless asked" || ok "no phases unless asked"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --phases "$tmp/../${tmp##*/}/sgemm.wtr" > /dev/null 2>&1
is $? 1 "phases are not written over the trace"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --phases "$tmp/p.csv" > /dev/null
is "$(head -1 "$tmp/p.csv")" "launch,block,warp,section,start,duration,kind,instructions" "phases as CSV"
holds "sum(len(w['phases']) for w in l['warps']) == $(($(wc -l < "$tmp/p.csv") - 1))" "as many phases in CSV as in JSON"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --phases "$tmp/p.pb" > /dev/null
protoc --decode=reprise.wcet.Profile -I tools/wcet phases.proto < "$tmp/p.pb" > "$tmp/p.txt"
is $? 0 "phases as protobuf decode by the schema"
holds "$(grep -c 'phases {' "$tmp/p.txt") == sum(len(w['phases']) for w in l['warps'])" "as many phases there"
holds "$(grep -c ' issue:' "$tmp/p.txt") == sum(s['instructions'] for s in l['sections'])" "and the times of every instruction"

for form in "" --json; do
    "$REPRISE" wcet -q "$trace" --machine orin-wcet $form > /dev/full 2> "$tmp/full"
    is "$? $(grep -c 'cannot write to standard output: ' "$tmp/full")" "4 1" "a full standard output is said to be full $form"
done
refused() { # status, pattern, arguments
    local status=$1 pattern=$2; shift 2
    "$REPRISE" wcet -q "$trace" "$@" > "$tmp/refused" 2>&1
    if [ $? -eq "$status" ] && grep -q -- "$pattern" "$tmp/refused"; then ok "refused: $*"; else bad "refused: $*"; cat "$tmp/refused" >&2; fi
}
refused 2 "--assume subcores,conflicts,transactions,caches,dual-issue covers it" --machine tx2-pastis
refused 2 "--assume transactions,caches,dual-issue" --machine tx2-pastis --assume subcores,conflicts
refused 2 "--assume dual-issue" --machine tx2-pastis --assume subcores,conflicts,caches,transactions
refused 2 "flush_caches=true" --machine tx2-pastis --set flush_caches=false --assume subcores,conflicts,caches
refused 2 "flush_caches=true" --machine orin-wcet --set flush_caches=false --set dram=fixed --set dram.interval=2 --assume transactions
refused 2 "--assume instruction-cache" --machine orin-wcet --set icache=set-associative
refused 2 "--assume subcores" --machine orin-wcet --set subcores=4
refused 2 "--assume conflicts" --machine orin-wcet --set shared=pastis
refused 2 "--assume transactions" --machine orin-wcet --set dram=fixed --set dram.interval=2
refused 2 "units.int.queue" --machine orin-wcet --set units.int.queue=3
refused 1 "--warps goes with --json" --machine orin-wcet --warps
refused 1 "--exhaust" --machine orin-wcet --exhaust -1
refused 1 "--exhaust" --machine orin-wcet --exhaust many
refused 1 "work-conserving" --machine orin-wcet --check serial
refused 1 "did you mean 'gto'" --machine orin-wcet --check gta
refused 1 "named twice" --machine orin-wcet --check gto,lrr,gto
refused 1 "no policy is named" --machine orin-wcet --check ,
refused 1 "nothing is named" --machine orin-wcet --assume ,
refused 1 "an axis looks like" --machine orin-wcet --grid latency=, policy=gto
refused 1 "goes with neither" --machine orin-wcet --grid latency=5 policy=gto --attack 5
refused 1 "goes with neither" --machine orin-wcet --grid latency=5 policy=gto --phases "$tmp/none.csv"
refused 1 "goes with neither" --machine orin-wcet --grid latency=5 policy=gto --launch 0
refused 1 "did you mean 'blocks'" --machine orin-wcet --assume block
refused 1 "did you mean 'all'" --machine orin-wcet --assume al
refused 1 "scheduler.seed is an option of 'random', and the model chosen is" --machine orin-wcet --check gto,lrr --set scheduler.seed=5
refused 1 "--set l1_subcores=3: l1.subcores (3) does not divide subcores (1)" --machine orin-wcet --set l1_subcores=3
refused 1 "there is no launch 1; the trace has 1" --machine orin-wcet --launch 1
"$REPRISE" wcet -q "$trace" --machine orin-wcet --set subcores=2 --set shared=pastis --set units.shared.queue=0 --assume subcores,conflicts --check gto,random --json > "$tmp/out.json"
holds "all(c <= l['unit_bound'] for c in l['replay'].values())" "two sub-cores and conflicts, when assumed"
"$REPRISE" wcet -q "$trace" --machine tx2-pastis --assume subcores,conflicts,caches,transactions,dual-issue --check gto,random,levels --json > "$tmp/out.json"
is $? 0 "tx2-pastis, with caches and two instructions at once, when assumed"
holds "all(c <= l['unit_bound'] for c in l['replay'].values())" "its replays are within the bound"
holds "l['caches']['l1']['always_hit'] > 0 and l['caches']['l1']['first_miss'] > 0 and l['caches']['l2']['always_miss'] == 0" "accesses are classified: L2 holds all, L1 some"
counts=$("$REPRISE" replay "$trace" --machine tx2-pastis --json | python3 -c "import json,sys; s=json.load(sys.stdin)['traces'][0]['total']; print(s['l1']['hits'], s['l1']['hits'] + s['l1']['misses'], s['l2']['hits'] + s['l2']['misses'], s['dram']['accesses'])")
read -r hits l1 l2 dram <<< "$counts"
holds "l['caches']['l1']['always_hit'] <= $hits and l['caches']['l1']['requests'] == $l1 and l['caches']['l2']['requests'] >= $l2 and l['caches']['dram']['requests'] >= $dram" "replay has these hits, and no more requests"
"$REPRISE" wcet -q "$trace" --machine tx2-pastis --assume subcores,conflicts,caches,transactions,dual-issue > "$tmp/out.txt"
is "$(grep -c '^ *0  L[12] ' "$tmp/out.txt")" 2 "the classes of L1 and L2 are printed, too"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --set icache=set-associative --set icache.latency=50 --set icache.sets=2 --assume instruction-cache --check gto,random,levels --json > "$tmp/out.json"
holds "all(c <= l['unit_bound'] for c in l['replay'].values())" "an instruction cache, when assumed"

peak() { # KB that a command takes at most
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
"$REPRISE" record -q -o "$tmp/long.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 12,12 --block 16,16 \
    --arg buf=rand-f32:36864:seed=1 --arg buf=rand-f32:36864:seed=2 --arg buf=zeros:147456 --arg i32=192 || bad "record"
plain=$(peak "$REPRISE" wcet -q "$tmp/long.wtr" --machine orin-wcet --assume blocks)
for ending in csv pb; do # in memory at once, 900,000 instructions would take 80 MB in CSV and 160 MB in protobuf
    with=$(peak "$REPRISE" wcet -q "$tmp/long.wtr" --machine orin-wcet --assume blocks --phases "$tmp/long.$ending")
    is "$((${with:-0} > 0 && with < plain + 30000))" 1 "phases of many blocks are written block by block: $ending"
done

blocks=$tmp/blocks.wtr
"$REPRISE" record -q -o "$blocks" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 3,3 --block 16,16 \
    --arg buf=rand-f32:2304:seed=1 --arg buf=rand-f32:2304:seed=2 --arg buf=zeros:9216 --arg i32=48 || bad "record"
for n in 1 2 4 32; do
    "$REPRISE" wcet -q "$blocks" --machine orin-wcet --set limits.blocks=$n --assume blocks --check gto,lrr,oldest,two-level,random --json > "$tmp/out.json"
    holds "l['blocks'] == 9 and l['gub'] is None and all(c <= l['unit_bound'] for c in l['replay'].values())" "nine blocks, $n at once, when assumed"
done
"$REPRISE" wcet -q "$blocks" --machine orin-wcet --set limits.blocks=4 --assume blocks --attack 30 --json > "$tmp/out.json"
holds "max(int(s.split('=')[1]) for s in l['attack']['schedule'].split() if s.startswith(('scheduler.high', 'scheduler.low'))) >= 1 << 8" "an attack on blocks of 8 warps chooses among the warps of later blocks, too"
"$REPRISE" wcet -q "$blocks" --machine orin-wcet --set sms=2 --set limits.blocks=2 --assume blocks --attack 30 --json > "$tmp/out.json"
holds "l['attack']['longest'] <= l['unit_bound']" "attacks on nine blocks on two SMs stay within the bound"
"$REPRISE" wcet -q "$blocks" --machine tx2-pastis --assume subcores,conflicts,caches,transactions,dual-issue,blocks --check gto,lrr,random,levels --json > "$tmp/out.json"
holds "l['blocks'] == 9 and all(c <= l['unit_bound'] for c in l['replay'].values())" "nine blocks on tx2-pastis as it is, when assumed"
"$REPRISE" wcet -q "$blocks" --machine orin-wcet > /dev/null 2>&1
is $? 2 "several blocks are refused else"

head -c 900 "$trace" >"$tmp/cut.wtr"
"$REPRISE" wcet -q "$tmp/cut.wtr" "$trace" "$tmp/none.wtr" --machine orin-wcet --json >"$tmp/out.json" 2>"$tmp/err"
is "$? $(python3 -c "import json; print([(len(t['launches']), 'error' in t) for t in json.load(open('$tmp/out.json'))['traces']])") $(grep -cE 'cut.wtr: damaged|none.wtr' "$tmp/err")" "2 [(0, True), (1, False), (0, True)] 2" "of several traces a damaged and a missing one are left out"
"$REPRISE" wcet -q "$tmp/cut.wtr" --machine orin-wcet >"$tmp/out" 2>/dev/null
is "$? $(wc -c <"$tmp/out")" "2 0" "a damaged one alone has no bounds"
head -c -10 "$trace" >"$tmp/end.wtr"
for rest in "" --json "--grid latency=200,5 policy=lrr"; do
    # shellcheck disable=SC2086
    "$REPRISE" wcet "$tmp/end.wtr" --machine orin-wcet $rest >"$tmp/out" 2>"$tmp/err"
    is "$? $(grep -c 'warning: .*end.wtr: the index at the end is missing' "$tmp/err") $(grep -c . "$tmp/out" | sed 's/^[1-9].*/some/')" "5 1 some" "a trace without its index: bounds, a warning and 5${rest:+, with $rest}"
done

"$REPRISE" wcet -q "$trace" "$trace" --machine orin-wcet --grid latency=200,5 policy=lrr,gto --json > "$tmp/grid.json"
is "$(python3 -c "import json; r=json.load(open('$tmp/grid.json'))['rows']; print(len(r), sum(x['violations'] for x in r if x['bound']!='gub'), {x['launches'] for x in r})")" "12 0 {2}" "a grid over latency and policy"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --grid latency=5..7,9 policy=lrr --csv > "$tmp/range.csv"
"$REPRISE" wcet -q "$trace" --machine orin-wcet --grid latency=5,6,7,9 policy=lrr --csv > "$tmp/list.csv"
is "$(wc -l < "$tmp/range.csv") $(cmp "$tmp/range.csv" "$tmp/list.csv" && echo same)" "13 same" "5..7 is 5,6,7 in a grid, too"
refused 1 "7..5 is no range" --machine orin-wcet --grid latency=7..5 policy=gto
refused 1 "is no range of 1 to 4096" --machine orin-wcet --grid latency=1..4097 policy=gto
is "$("$REPRISE" wcet -q "$trace" --machine orin-wcet --grid latency=5 policy=gto | head -1 | tr -s ' ')" "latency policy bound larger by violations" "no statistics over one launch"
is "$("$REPRISE" wcet -q "$trace" "$trace" --machine orin-wcet --grid latency=5 policy=gto | head -1 | grep -c 'std. dev.')" 1 "statistics over two"
# Two warps with few enough schedules to go through them all.
gemm=$tmp/gemm.wtr
"$REPRISE" record -q -o "$gemm" --module "$BUILD/kernels/gemm.ptx" --kernel gemm --grid 1 --block 8,8 \
    --arg buf=rand-i32:64:seed=1 --arg buf=rand-i32:64:seed=2 --arg buf=zeros:512 --arg i32=8 || bad "record"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --check gto,lrr,oldest,random --attack 300 --json > "$tmp/out.json"
is $? 0 "exit status 0 where the worst case is exact"
holds "l['exact'] == l['unit_bound'] < min(l['serial_bound'], l['overlap_bound'])" "the exact worst case is the unit-aware bound"
holds "0.98 * l['exact'] < l['attack']['longest'] <= l['exact'] and all(c <= l['exact'] for c in l['replay'].values())" "replays and attacks stay within it, and come close"
exact=$(python3 -c "import json; print(json.load(open('$tmp/out.json'))['traces'][0]['launches'][0]['exact'])")
"$REPRISE" wcet -q "$gemm" --machine orin-wcet > "$tmp/out.txt"
is "$(tr -d , < "$tmp/out.txt" | awk '$1 == "0" && $2 == "gemm" { print $7, $8 }')" "$exact yes" "the table says so"
is "$(grep -c '^exact: all schedules were gone through' "$tmp/out.txt")" 1 "and what that means"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --exhaust 0 --json > "$tmp/out.json"
holds "l['exact'] is None and $exact < l['unit_bound'] <= l['overlap_bound']" "--exhaust 0: theorems only"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --exhaust 1000 > "$tmp/out.txt"
is "$? $(awk '$2 == "gemm" { print $8 }' "$tmp/out.txt") $(grep -c '^exact:' "$tmp/out.txt")" "0 - 0" "too many states are none"
is "$(grep -c '^Not exact: 1 launch with more schedules than were allowed (--exhaust N)\.$' "$tmp/out.txt")" 1 "and that is said"
# Too little memory for the states: one line says so, and what was written before stays.
echo before > "$tmp/kept.csv"
if (ulimit -v 60000; "$REPRISE" wcet -q "$trace" --machine orin-wcet --exhaust 0) > /dev/null 2>&1; then
    (ulimit -v 60000; "$REPRISE" wcet -q "$trace" --machine orin-wcet --exhaust 1000000000 --phases "$tmp/kept.csv") \
        > "$tmp/out.txt" 2> "$tmp/err.txt"
    is "$? $(cat "$tmp/kept.csv") $(wc -c < "$tmp/out.txt") $(wc -l < "$tmp/err.txt")" "4 before 0 1" "out of memory is a failure"
    is "$(grep -c '^reprise: launch 0: out of memory with [0-9]* .*; give --exhaust fewer$' "$tmp/err.txt")" 1 "and says what to do"
else
    ok "out of memory # SKIP 60 MB of addresses are not enough for this build of reprise"
fi
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --set subcores=2 --assume subcores > "$tmp/out.txt"
is "$(grep -c '^Not exact: 1 of a kind for which there is no exact figure' "$tmp/out.txt")" 1 "what is not covered is told apart"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --block 0 > "$tmp/out.txt"
is "$(grep -c '^Not exact: schedules are gone through for whole launches, not for --block' "$tmp/out.txt")" 1 "nor is a block by itself"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --exhaust 0 > "$tmp/out.txt"
is "$(grep -c 'exact:' "$tmp/out.txt")" 0 "who does not ask hears nothing"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --grid latency=200,5 policy=lrr,gto --json > "$tmp/grid.json"
"$REPRISE" wcet -q "$gemm" --machine orin-wcet --exhaust 0 --grid latency=200,5 policy=lrr,gto --json > "$tmp/grid0.json"
is "$(python3 -c "
import json
a, b = (json.load(open('$tmp/' + n))['rows'] for n in ('grid.json', 'grid0.json'))
print(all(x['mean'] < y['mean'] if x['bound'] == 'unit' else x['mean'] == y['mean'] for x, y in zip(a, b)))")" True "a grid has the exact figures, too"
"$REPRISE" wcet --help | grep -q Examples && ok "help has examples" || bad "help has examples"
