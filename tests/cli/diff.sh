#!/bin/bash
# Variants of reprise diff: coupled options, ranges, options that only some models have, impossible ones, order, CSV.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
fails() { # status, text, options: one line
    local status=$1 text=$2 got
    shift 2
    "$r" diff -q "$work/t.wtr" -m jetson-tx2 "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then echo "ok - refuses: $text"; else
        echo "not ok - refuses: $text"; echo "  $got: $(cat "$work/err")" >&2; fi
}
"$r" record -q -o "$work/t.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 --arg buf=rand-f32:4096:seed=1 \
    --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64 || exit 1
diff() { "$r" diff -q "$work/t.wtr" -m jetson-tx2 "$@"; }
cycles() { "$r" replay -q "$work/t.wtr" -m jetson-tx2 --json "$@" | json /dev/stdin 'd["total"]["cycles"]'; }

# ---- numbers, ranges, coupled options ------------------------------------------------------------------------------
diff --vary sms=1..3 --vary warm_l2=true,false --json >"$work/a.json"
is "a range is its numbers, and numbers are numbers in JSON" "$(json "$work/a.json" '[(v["varied"]["sms"], v["varied"]["warm_l2"]) for v in d["variants"]]')" \
    "[(1, True), (1, False), (2, True), (2, False), (3, True), (3, False)]"
is "each is what replay says alone" "$(json "$work/a.json" 'd["variants"][4]["total"]["cycles"]')" "$(cycles --set sms=3 --set warm_l2=true)"
diff --vary subcores,l1_subcores,icache_subcores=1,1,1:2,2,2:4,2,4 --json >"$work/b.json"
is "options that change together" "$(json "$work/b.json" '[tuple(v["varied"].values()) for v in d["variants"]]')" "[(1, 1, 1), (2, 2, 2), (4, 2, 4)]"
is "and are set together" "$(json "$work/b.json" 'd["variants"][1]["total"]["cycles"]')" "$(cycles --set subcores=2 --set l1_subcores=2 --set icache_subcores=2)"
is "beside another axis" "$(diff --vary subcores,icache_subcores=2,2:4,4 --vary sms=1,2 --json | json /dev/stdin 'len(d["variants"])')" 4

for size in 8k 8K 8192 0x2000; do
    is "l1.size=$size" "$("$REPRISE" machine show jetson-tx2 --set l1.size=$size --csv | sed -n 's/^l1.size,//p')" 8192
done
is "sizes are numbers in CSV and JSON" "$(diff --vary l1.size=8k,16K --csv | python3 -c 'import csv, sys; print([r["l1.size"] for r in csv.DictReader(sys.stdin)])') $(diff --vary l1.size=8k,16K --json | json /dev/stdin '[v["varied"]["l1.size"] for v in d["variants"]]')" "['8192', '16384'] [8192, 16384]"
fails 1 "'8KB' is not a whole number from 32 to 268435456 bytes; only K, M and G may stand behind it, for powers of 1024" --vary l1.size=8KB

# ---- options that only some models have ----------------------------------------------------------------------------
diff --vary l1=none,direct-mapped --vary l1.size=8K,24K --json >"$work/c.json"
is "a size varies where there is a cache" "$(json "$work/c.json" '[(v["varied"]["l1"], v["varied"]["l1.size"]) for v in d["variants"]]')" \
    "[('none', None), ('direct-mapped', 8192), ('direct-mapped', 24576)]"
is "the one without is what replay says" "$(json "$work/c.json" 'd["variants"][0]["total"]["cycles"]')" "$(cycles --set l1=none)"
is "those with, too" "$(json "$work/c.json" 'd["variants"][1]["total"]["cycles"]')" "$(cycles --set l1.size=8K)"
is "the order of the axes does not matter" "$(diff --vary l1.size=8K,24K --vary l1=none,direct-mapped --json | json /dev/stdin 'sorted(str(v["total"]["cycles"]) for v in d["variants"]) == sorted(str(v["total"]["cycles"]) for v in load("'"$work"'/c.json")["variants"])')" True
fails 1 "--vary l1.size=8K: l1.size is an option of 'direct-mapped', 'sectored', 'staged', and the model chosen is 'none'" --set l1=none --vary l1.size=8K,16K

# ---- impossible variants -------------------------------------------------------------------------------------------
diff --vary l1_subcores=2,3,4 >"$work/out"
is "an impossible variant is a row with its reason, the others run" "$? $(grep -c 'l1.subcores (3) does not divide subcores (4)' "$work/out") $(grep -cE ' [0-9,]+  [0-9.]+  [0-9.]+ ' "$work/out")" "0 1 2"
is "--by with one variant that runs: there is nothing to compare" \
    "$(diff --vary l1_subcores=3,4 --by instruction | tail -n 1)" "Only one variant ran: there are no differences to show."
is "in JSON, too" "$(diff --vary l1_subcores=2,3,4 --json | json /dev/stdin '["error" in v for v in d["variants"]]')" "[False, True, False]"
diff --vary limits.shared=0,64K >"$work/out"
is "what the machine cannot run as well" "$? $(grep -c 'a block needs .* bytes of shared memory' "$work/out")" "0 1"
is "ratios are to the first that runs" "$(diff --vary limits.shared=0,64K | grep -c '  1.000  ')" 1
fails 1 "l1.subcores (3) does not divide" --vary l1_subcores=3
fails 2 "a block needs" --vary limits.shared=0
fails 1 "did you mean 'lrr'?" --vary scheduler=gto,lr

# ---- baseline and order --------------------------------------------------------------------------------------------
diff --vary sms=1..4 --baseline sms=2 --json >"$work/d.json"
is "--baseline: ratios are to it" "$(json "$work/d.json" '[abs(v["ratio"] - v["total"]["cycles"] / d["variants"][1]["total"]["cycles"]) < 1e-6 for v in d["variants"]] + [d["variants"][1]["ratio"]]')" "[True, True, True, True, 1.0]"
is "of several keys" "$(diff --vary sms=1,2 --vary scheduler=gto,lrr --baseline scheduler=lrr,sms=1 --json | json /dev/stdin '[v["varied"] for v in d["variants"] if v["ratio"] == 1.0]')" "[{'sms': 1, 'scheduler': 'lrr'}]"
fails 1 "--baseline sms=9: no variant has these values" --vary sms=1..4 --baseline sms=9
is "--sort cycles" "$(diff --vary sms=1..4 --sort cycles --json | json /dev/stdin '[v["varied"]["sms"] for v in d["variants"]]')" "[4, 3, 2, 1]"
is "impossible ones come last" "$(diff --vary l1_subcores=3,2,4 --sort cycles --json | json /dev/stdin '["error" in v for v in d["variants"]]')" "[False, False, True]"
fails 1 "rows are sorted by cycles" --vary sms=1,2 --sort size

column() { python3 -c 'import csv, sys; print(*[r[sys.argv[1]] for r in csv.DictReader(open(sys.argv[2]))], sep="\n")' "$1" "$2"; }
# ---- CSV -----------------------------------------------------------------------------------------------------------
diff --vary sms=1,2 --vary l1_subcores=2,3 --csv >"$work/d.csv"
is "CSV reads back: every row whole, numbers plain" "$(python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print([(r["launch"], r["kernel"], r["sms"], r["cycles"].isdigit()) for r in rows], all(None not in r and None not in r.values() for r in rows))' "$work/d.csv")" \
    "[('0', 'matmul', '1', True), ('0', 'matmul', '1', False), ('0', 'matmul', '2', True), ('0', 'matmul', '2', False)] True"
is "... and nothing where there is no number" "$(python3 -c '
import csv, sys
print([r["cycles"] for r in csv.DictReader(open(sys.argv[1])) if not r["cycles"].isdigit()], [r["ratio"] for r in csv.DictReader(open(sys.argv[1])) if not r["cycles"].isdigit()])' "$work/d.csv")" "['', ''] ['', '']"
is "its cycles are those of JSON" "$(column cycles "$work/d.csv" | head -1)" "$(cycles --set sms=1)"
is "replay --csv" "$("$r" replay -q "$work/t.wtr" -m jetson-tx2 --csv | python3 -c 'import csv,sys; r=list(csv.DictReader(sys.stdin)); print(len(r), r[0]["cycles"], r[0]["occupancy.achieved"].replace(".", "").isdigit())')" "1 $(cycles) True"
is "why a variant did not run stands in a column of its own" "$(column error "$work/d.csv" | cut -c1-21 | tr '\n' '|') $(column main_stall "$work/d.csv" | grep -c vary)" "|--vary l1_subcores=3:||--vary l1_subcores=3:| 0"
# several traces
cp "$work/t.wtr" "$work/u.wtr"
for command in "replay" "diff --vary sms=1,2" "replay --by line" "replay --by instruction" "replay --by subcore" "replay --by unit" \
    "replay --exact --set pipeline=one-at-a-time --set memory=stochastic --set measure=processor" "replay --batches 3 --set scheduler=random" \
    "diff --vary sms=1,2 --by function" "diff --vary sms=1,2 --set scheduler=random --batches 3"; do
    read -r -a words <<<"$command"
    "$r" "${words[@]}" -q "$work/t.wtr" "$work/u.wtr" -m jetson-tx2 --csv >"$work/two.csv"
    "$r" "${words[@]}" -q "$work/t.wtr" -m jetson-tx2 --csv >"$work/one.csv"
    is "$command of two traces: one heading, and the rows of each" "$(cat "$work/two.csv")" "$(cat "$work/one.csv"; sed '1d; s/t\.wtr/u.wtr/' "$work/one.csv")"
    is "... begin with the trace and the machine" "$(sed -n '1p;$p' "$work/two.csv" | cut -d, -f1,2 | tr '\n' ' ')" "trace,machine $work/u.wtr,jetson-tx2 "
    "$r" "${words[@]}" -q "$work/t.wtr" "$work/u.wtr" -m jetson-tx2 --json >"$work/two.json"
    is "... in JSON a document each" "$(json "$work/two.json" '[t["trace"]["file"][-5:] for t in d["traces"]]')" "['t.wtr', 'u.wtr']"
done
is "machine list --csv" "$("$r" machine list --csv | python3 -c 'import csv,sys; print(*[r["name"] for r in csv.DictReader(sys.stdin) if r["summary"]])')" "$("$r" machine list | cut -d' ' -f1 | xargs)"

# ---- what is no axis -----------------------------------------------------------------------------------------------
fails 1 "--machine jetson-tx2 beside --vary machine=...: leave out one of them" --vary machine=orin,rtx2060
fails 1 "--set sms=4 beside --vary sms=...: leave out one of them" --set sms=4 --vary sms=1,2
fails 1 "--by function, and --by line before: one at a time" --vary sms=1,2 --by line --by function
fails 1 "1 value for 2 keys" --vary subcores,l1_subcores=1:2
fails 1 "sms is varied twice" --vary sms=1,2 --vary sms,subcores=1,2
fails 1 "4..1 runs backwards" --vary sms=4..1
fails 1 "more than 4096 combinations" --vary sms=1..1000 --vary clock_mhz=1..1000
fails 1 "0..99999 has more than 4096 values" --vary sms=0..99999
fails 1 "give KEY=A,B,C" --vary ,=1
fails 1 "--vary sms=-1: sms: '-1' is not a whole number from 1 to 1024" --vary sms=-1
is "a number beyond its limits is a row, too" "$(diff --vary sms=-1,2 | grep -cE "'-1' is not a whole number|  1.000  ")" 2

# ---- where functions were inlined -----------------------------------------------------------------------------------
cat >"$work/inlined.cfg" <<CFG
module = "$PWD/tests/golden/cubin/inlined.ptx";
buffers = { A = "zeros:8"; };
launches = ( { kernel = "k"; grid = 1; block = 32; args = ( "buf=A" ); }, { kernel = "first"; grid = 1; block = 32; args = ( "buf=A" ); } );
CFG
"$r" record -q -o "$work/both.wtr" -f "$work/inlined.cfg" || exit 1
both() { "$r" diff -q "$work/both.wtr" -m jetson-tx2 --vary scheduler=gto,serial --top 20 "$@"; }
is "--by instruction: the calls, to the kernel" "$(both --by instruction | sed -n 's/.*k 00[0-9a-f]* st.global.u32 \[%rd1\], %r1 *//p')" "dot.cuh:7, in dot at k.cu:20, in norm at k.cu:41"
is "--by line: the calls" "$(both --by line | sed -n 's/.*dot.cuh:7 *//p')" "in dot at k.cu:20, in norm at k.cu:41"
is "--by line: more than one chain of calls" "$(both --by line | sed -n 's/.*k.cu:20  *//p')" "in several calls"
is "--by line: no call" "$(both --by line | sed -n 's/.*k.cu:41 *//p')" ""
is "in JSON" "$(both --by line --json | json /dev/stdin '[(p["line"], p["source"] and [c["function"] for c in p["source"]]) for p in d["variants"][1]["difference"]["places"] if p.get("line") in (7, 20)]')" "[(7, ['dot', 'norm', 'k']), (20, None)]"
