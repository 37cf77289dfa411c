#!/bin/bash
# --sample of reprise replay and reprise sweep, and --batches of sweeps: what is printed, what is kept, and wrong usage.
set -u
. tests/support/cli.sh
needs "$BUILD/programs/many_launches" "$BUILD/kernels/stream.ptx"
BUILD=$(realpath "$BUILD") kernels=$PWD/tests/validation/sampling.cu bfs=$PWD/tests/golden/hardware/bfs.sass.wtr
cd "$work" || exit 1
"$BUILD/programs/many_launches" t.wtr kernels=3 launches=300 blocks=4 warps=2 loops=6 launch_spread=30 block_spread=30 random_percent=20 || exit 1
"$BUILD/programs/many_launches" equal.wtr kernels=2 launches=40 blocks=4 warps=2 loops=6 random_percent=20 repeats=20 || exit 1
query() { "$r" results "$1" sql "$2" --csv | tail -n +2; } # database, query: its rows

# ---- replay ----------------------------------------------------------------------------------------------------------
"$r" replay t.wtr -m jetson-tx2 --json >whole.json
"$r" replay t.wtr -m jetson-tx2 --sample 2%@95% --json >some.json; is "replay --sample ends well" $? 0
is "it says what was asked for" "$(json some.json '(d["sample"]["error"], d["sample"]["confidence"], d["sample"]["reached"])')" "(0.02, 0.95, True)"
is "each launch has its numbers from somewhere" "$(json some.json 'sum(d["sample"]["launches"].values()) == len(d["launches"]) == 300 and d["sample"]["launches"]["estimated"] > 100')" True
is "launches say whence" "$(json some.json 'sum(l.get("source") == "estimated" for l in d["launches"]) == d["sample"]["launches"]["estimated"]')" True
is "the share is that of the warp instructions" "$(json some.json 's = d["sample"]["warp_instructions"]; print(s["share"] < 0.5 and abs(s["share"] - s["replayed"] / s["all"]) < 1e-9 and s["all"] == d["total"]["warp_instructions"])' 2>/dev/null || json some.json 'd["sample"]["warp_instructions"]["share"] < 0.5')" True
is "the true cycles lie in the interval" "$(python3 -c 'import json; a, b = (json.load(open(f))["traces"][0] for f in ("whole.json", "some.json"))
print(abs(a["total"]["cycles"] - b["total"]["cycles"]) <= b["sample"]["half_width"]["cycles"])')" True
is "what the trace counts is exact" "$(json some.json '[d["total"][k] for k in ("blocks", "warps", "warp_instructions", "thread_instructions")]')" \
    "$(json whole.json '[d["total"][k] for k in ("blocks", "warps", "warp_instructions", "thread_instructions")]')"
"$r" replay t.wtr -m jetson-tx2 --sample 2%@95% --json --threads 3 | cmp -s - some.json; is "three threads give the same bytes" $? 0
is "the reference engine samples the same" "$("$r" replay t.wtr -m jetson-tx2 --sample 2% --json --engine reference | sed s/reference/fast/ | cmp - some.json)" ""
is "the text has estimate, interval and share" "$("$r" replay t.wtr -m jetson-tx2 --sample 2%@95% | grep -c -e '^Sampled: [0-9,]* ± [0-9,]* cycles (.* %) with a confidence of 95 %\.$' -e '% of the warp instructions were replayed')" 2
is "the table has half widths and sources" "$("$r" replay t.wtr -m jetson-tx2 --sample 2%@95% --csv | python3 -c 'import csv, sys; r = list(csv.DictReader(sys.stdin))[-1]; print(r["launch"], r["half_width"] > "", r["source"])')" "total True sampled"
"$r" replay equal.wtr -m jetson-tx2 --json >whole.json
"$r" replay equal.wtr -m jetson-tx2 --sample 2%@95% --json >some.json
is "equal launches are replayed once, and exact" "$(json some.json 'd["sample"]["launches"]["replayed"], d["sample"]["launches"]["equal"], d["sample"]["half_width"]["cycles"], d["launches"][39]["equal"]') $(python3 -c 'import json; a, b = (json.load(open(f))["traces"][0] for f in ("whole.json", "some.json")); print(a["total"] == b["total"])')" "(2, 38, 0, 1) True"

head -c $(($(stat -c %s equal.wtr) * 2 / 3)) equal.wtr >cut.wtr
"$r" replay cut.wtr -m jetson-tx2 --json >whole.json 2>err; whole=$?
"$r" replay cut.wtr -m jetson-tx2 --sample 2%@95% --json >some.json 2>err
is "of a damaged trace what is there" "$? $(python3 -c 'import json; a, b = (json.load(open(f))["traces"][0] for f in ("whole.json", "some.json")); print(a["total"] == b["total"], len(a["launches"]) == len(b["launches"]))')" "$whole True True"

interval() { # SAMPLE, and options of replay: how the sample stands to the whole replay
    "$r" replay "${@:2}" --json >whole.json
    "$r" replay "${@:2}" --json --sample "$1" >some.json
    python3 - <<'END'
import json
whole, some = (json.load(open(f))['traces'][0] for f in ('whole.json', 'some.json'))
away, sample = abs(whole['total']['cycles'] - some['total']['cycles']), some['sample']
print('exact' if not away and not sample['half_width']['cycles'] else 'inside' if away <= sample['half_width']['cycles'] else f'{away} cycles away',
      'all' if sample['warp_instructions']['share'] == 1 else 'part' if sample['warp_instructions']['share'] < 0.7 else 'part, then all')
END
}

# sum: its blocks come apart over tens of waves.
"$r" record -q -o red.wtr --module "$kernels" --kernel sum --grid 4096 --block 256 --arg buf=rand-f32:1M:seed=1 --arg buf=zeros:16K || exit 1
"$r" record -q -o more.wtr --module "$kernels" --kernel sum --grid 16384 --block 256 --arg buf=rand-f32:4M:seed=1 --arg buf=zeros:64K || exit 1
is "blocks that come apart slowly: the true cycles lie in the interval" "$(interval 2%@95% more.wtr -m titan-v --set scheduler=lrr --set sms=9)" "inside part"
is "... on a machine where waves are not stable" "$(interval 2%@95% more.wtr -m v100 --set scheduler=lrr --set sms=9)" "exact all"
is "... in a smaller launch" "$(interval 2%@95% red.wtr -m v100 --set scheduler=lrr --set sms=9)" "exact all"
is "... where a sample shows that a longer beginning would be too much of the launch" "$(interval 2%@95% red.wtr -m titan-v --set scheduler=two-level --set sms=12)" "exact part, then all"
for sms in 3 8; do
    is "... on $sms SMs, where warps take turns, nothing is sampled" "$(interval 2%@95% red.wtr -m v100 --set scheduler=lrr --set sms=$sms)" "exact all"
done
is "... where they do not, the launch is" "$(interval 2%@95% red.wtr -m titan-v --set scheduler=gto --set sms=8)" "inside part"

# polynomial: on 2, 4 and 5 SMs its blocks are together for a hundred waves and more, and no window shows that this will end.
"$r" record -q -o poly.wtr --module "$kernels" --kernel polynomial --grid 20000 --block 64 --arg buf=rand-f32:1280000:seed=1 --arg buf=zeros:5120000 || exit 1
for sms in 2 4 5 10; do
    is "blocks that come apart late, on $sms SMs, at 2 %" "$(interval 2%@95% poly.wtr -m rtx3070 --set sms=$sms)" "exact part, then all"
done
for sms in 2 3; do
    is "... on $sms SMs, at 5 %" "$(interval 5%@80% poly.wtr -m rtx3070 --set sms=$sms)" "inside part"
done
upto() { # BLOCKS of it: how many cycles they take on 2 SMs
    "$r" record -q -o first.wtr --module "$kernels" --kernel polynomial --grid "$1" --block 64 --arg buf=rand-f32:1280000:seed=1 --arg buf=zeros:5120000 &&
        "$r" replay first.wtr -q -m rtx3070 --set sms=2 --json | json /dev/stdin 'd["total"]["cycles"]'
}
wave=32 # blocks of a wave
is "... waves take 3 % less time then" "$(python3 -c "print(round(($(upto 6400) - $(upto 3200)) * $wave / 3200), round(($(upto 17600) - $(upto 14400)) * $wave / 3200))")" "950 921"

# bfs: some of its blocks take far longer than most. Of four windows of a wave none may show one.
for case in "titan-v 4 3" "jetson-tx2 2 2" "orin 6 2"; do
    read -r machine sms launch <<<"$case"
    is "launch $launch of bfs on $machine with $sms SMs" "$(interval 2%@95% "$bfs" -m "$machine" --set sms="$sms" --launch "$launch" | cut -d' ' -f1)" exact
done
"$r" record -q -o copy.wtr --module "$BUILD/kernels/stream.ptx" --kernel stream_copy --grid 1024 --block 256 --arg buf=zeros:4M --arg buf=zeros:4M --arg i32=1048576 || exit 1
is "on one SM nothing is sampled" "$(interval 0.5%@99% copy.wtr -m orin --set sms=1 --set l2.latency=180)" "exact all"

# ---- it is kept apart -----------------------------------------------------------------------------------------------
"$r" replay t.wtr -m jetson-tx2 --json >bare
"$r" replay t.wtr -m jetson-tx2 --sample 2%@95% --json --cache kept -q >first
"$r" replay t.wtr -m jetson-tx2 --json --cache kept -q | cmp -s - bare; is "a sampled result does not pass for an exact one" $? 0
is "each has a file" "$(ls kept | wc -l)" 2
"$r" replay t.wtr -m jetson-tx2 --sample 2%@95% --json --cache kept 2>err | cmp -s - first; is "the same bytes from the folder" "$? $(cat err)" "0 reprise: 1 of 1 result from kept"
"$r" replay t.wtr -m jetson-tx2 --sample 2%@99% --json --cache kept 2>err >/dev/null; is "another confidence is another result" "$(cat err)" ""

# ---- sweeps ---------------------------------------------------------------------------------------------------------
plan=(t.wtr -m jetson-tx2 --vary scheduler=gto,lrr -q)
"$r" sweep "${plan[@]}" -o r.db && "$r" sweep "${plan[@]}" --sample 2%@95% -o r.db; is "exact and sampled runs into one database" "$? $(query r.db 'SELECT count(*) FROM run')" "0 4"
is "the method says which is which" "$(query r.db 'SELECT method, count(*) FROM runs GROUP BY method ORDER BY method')" "exact,2
sample 2%@95%,2"
is "the sampled run is that of replay" "$(query r.db "SELECT cycles, cycles_half_width FROM runs WHERE method <> 'exact' AND \"scheduler.model\" = 'gto'")" \
    "$(json first '"%d,%d" % (d["total"]["cycles"], d["sample"]["half_width"]["cycles"])')"
is "the part that was replayed" "$(query r.db "SELECT replayed IS NOT NULL, replayed < 0.5 FROM runs ORDER BY run")" "0,
0,
1,1
1,1"
is "launches say whence" "$(query r.db "SELECT source, count(*) > 0 FROM run_launch WHERE run = 3 GROUP BY source")" "estimated,1
replayed,1"
"$r" sweep "${plan[@]}" --sample 2%@95% -o other.db
"$r" results merge r.db other.db -o merged.db -q 2>/dev/null || "$r" results merge r.db other.db -o merged.db >/dev/null
is "databases merge" "$(query merged.db 'SELECT count(*), count(DISTINCT method) FROM run') $(query merged.db 'SELECT count(*) > 0 FROM estimate')" "4,2 1"
is "pairs are of one method" "$("$r" results r.db compare scheduler=gto scheduler=lrr --json | json /dev/stdin 'len(d["pairs"]) if isinstance(d, dict) and "pairs" in d else d')" 2
is "a list has the method" "$("$r" results r.db --csv | head -1 | grep -c method)" 1

# an interval that is wider than was asked for
wide=(t.wtr -m jetson-tx2 --set flush_caches=false)
"$r" sweep "${wide[@]}" --sample 0.5%@99% -o wide.db 2>err
is "a sweep says that an interval is wider than was asked for" "$? $("$r" replay "${wide[@]}" --sample 0.5%@99% --json -q | json /dev/stdin 'd["sample"]["reached"]') $(grep -c '^reprise: warning: wide.db: the interval of the cycles is wider than was asked for in 1 of them' err)" "0 False 1"
"$r" sweep "${wide[@]}" --sample 20%@95% -o wide.db 2>err
is "... and nothing where it is not" "$? $(grep -c wider err)" "0 0"
"$r" sweep -q "${wide[@]}" -o wide.db
is "a list, a run and a query say which it is" "$("$r" results wide.db --json | json /dev/stdin 'sorted((r["method"], r["reached"]) for r in d)') $("$r" results wide.db show 1 | grep '^reached' | xargs) $(query wide.db 'SELECT count(*) FROM runs WHERE reached = 0')" \
    "[('exact', None), ('sample 0.5%@99%', 0), ('sample 20%@95%', 1)] reached 0 1"
python3 -c 'import sqlite3; sqlite3.connect("wide.db").executescript("DROP VIEW runs; CREATE VIEW runs AS SELECT id AS run, 1 AS cycles FROM run")'
is "... also where the view is one of an earlier version" "$(query wide.db 'SELECT count(*) FROM runs WHERE reached = 0')" 1

# a database of version 1: without what is new
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("r.db")
db.executescript("""PRAGMA foreign_keys = ON; DROP VIEW runs; DELETE FROM run WHERE method <> 'exact'; DROP TABLE estimate; ALTER TABLE run DROP COLUMN method;
ALTER TABLE run DROP COLUMN replayed; ALTER TABLE run DROP COLUMN batches; ALTER TABLE run_launch DROP COLUMN source;
ALTER TABLE run_launch DROP COLUMN half_width; PRAGMA user_version = 1;""")
PY
fails 2 "of version 1; this reprise knows version 3, and a sweep into this database brings them up to date" "$r" results r.db
"$r" sweep "${plan[@]}" --sample 2%@95% -o r.db; is "a sweep brings it up to date" "$? $(query r.db 'SELECT count(*), count(DISTINCT method) FROM run')" "0 4,2"

# ---- batches --------------------------------------------------------------------------------------------------------
"$r" sweep equal.wtr -m san-rtx2080,jetson-tx2 --batches 5..50 --width 0.2 --seed 3 -o b.db -q; is "a sweep with batches" $? 0
is "batches reach their width, or not" "$("$r" sweep -q equal.wtr -m san-rtx2080 --batches 5..6 --width 0.000001 --seed 3 -o b2.db; query b2.db 'SELECT reached FROM runs') $(query b.db "SELECT reached FROM runs WHERE machine = 'san-rtx2080'")" "0 1"
is "machines without chance are replayed once" "$(query b.db 'SELECT machine, method, batches FROM runs ORDER BY machine')" "jetson-tx2,exact,
san-rtx2080,batches 5..50 0.95 0.2,$("$r" replay equal.wtr -m san-rtx2080 --batches 5..50 --width 0.2 --seed 3 --json | tee b.json | json /dev/stdin 'd["batches"]["used"]')"
is "means and intervals are those of replay" "$(query b.db "SELECT mean, half_width, deviation FROM estimate e JOIN statistic s ON s.id = e.statistic JOIN runs r ON r.run = e.run WHERE s.name = 'cycles'" | python3 -c 'import json, sys; c = json.load(open("b.json"))["traces"][0]["statistics"]["cycles"]; print(all(abs(float(a) - c[k]) < 1e-4 * c[k] for a, k in zip(sys.stdin.read().split(","), ("mean", "half_width", "deviation"))))')" True
is "other batches are another run" "$("$r" sweep equal.wtr -m san-rtx2080 --batches 7 --seed 3 -o b.db -q; query b.db 'SELECT count(*) FROM run')" 3
cat >plan.cfg <<'CFG'
trace = "equal.wtr"; machine = "san-rtx2080"; batches = "7"; seed = 3;
CFG
is "a plan has the same options" "$("$r" sweep plan.cfg -o b.db -q; query b.db 'SELECT count(*) FROM run')" 3

# ---- wrong usage ----------------------------------------------------------------------------------------------------
for text in 2 2%@ %@95% 0%@95% 60%@95% 2%@100% 2%@95%x @95% -2%; do
    fails 1 "--sample $text: give ERROR%@CONFIDENCE, for example 2%@95%" "$r" replay t.wtr -m jetson-tx2 --sample="$text"
done
fails 1 "--sample estimates what one replay would say; leave out --by" "$r" replay t.wtr -m jetson-tx2 --sample 2% --by line
fails 1 "leave out --batches" "$r" replay t.wtr -m san-rtx2080 --sample 2% --batches 5
fails 1 "pipeline 'staged' keeps its state from launch to launch" "$r" replay t.wtr -m rtx2060-accelsim --sample 2%
fails 1 "there is no launch 300" "$r" replay t.wtr -m jetson-tx2 --sample 2% --launch 300
fails 1 "--sample beside --batches" "$r" sweep t.wtr -m jetson-tx2 --sample 2% --batches 5 -o x.db
"$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=gto,lrr --sample 2%@95% -o both.db && "$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=gto,lrr -o both.db
is "a list has half the widths of intervals" "$("$r" results both.db --json | json /dev/stdin '[(r["method"], bool(r["cycles_half_width"])) for r in d]')" \
    "[('exact', False), ('sample 2%@95%', True), ('exact', False), ('sample 2%@95%', True)]"
if "$r" report both.db -q -o both.html 2>err; then
    is "a report tells them apart, with half widths" "$(python3 - <<'PY'
import json, re
d = json.loads(re.search(r'id="data">(.*?)</script>', open("both.html", encoding="utf-8").read(), re.S).group(1).replace("\\u003c", "<"))
axis = next(a for a in d["axes"] if a["name"] == "method")
half = next(s for s in d["statistics"] if s["name"] == "cycles_half_width")["values"]
print(sorted((axis["values"][a], h > 0) for a, h in zip(axis["of"], half)))
PY
)" "[('exact', False), ('exact', False), ('sample 2%@95%', True), ('sample 2%@95%', True)]"
fi
fails 1 "--stalls beside --sample" "$r" sweep t.wtr -m jetson-tx2 --sample 2% --stalls -o x.db
fails 1 "--launches beside --batches" "$r" sweep t.wtr -m san-rtx2080 --batches 5 --launches -o x.db
fails 1 "--width is about --batches" "$r" sweep t.wtr -m san-rtx2080 --width 0.1 -o x.db
fails 1 "give MIN..MAX or a number" "$r" sweep t.wtr -m san-rtx2080 --batches 0 -o x.db
