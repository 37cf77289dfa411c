#!/bin/bash
# reprise results: every view against what Python makes of the tables, in text, CSV and JSON.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/programs/memory"
BUILD=$(realpath "$BUILD")
cd "$work" || exit 1
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
for n in 1 2; do
    "$r" record -q -o $n.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,$n --block 16,16 "${args[@]}" || exit 1
done
"$r" sweep -q 1.wtr 2.wtr -m jetson-tx2 --vary scheduler=gto,lrr,serial --vary l1.size=8K..32K:x2 --vary l1_subcores=2,3,4 --stalls -o r.db || exit 1
results() { "$r" results r.db "$@"; }
# what, command's output as JSON in $work/got, an expression of `got`, `runs` (all rows of the view) and `db`
agrees() {
    if python3 - "$2" <<'PY'
import json, math, sqlite3, sys
db = sqlite3.connect("r.db")
db.row_factory = sqlite3.Row
runs = [dict(row) for row in db.execute("SELECT * FROM runs")]
got = json.load(open("got"))
mean = lambda values: math.exp(sum(map(math.log, values)) / len(values))
sys.exit(not eval(sys.argv[1]))
PY
    then echo "ok - $1"; else echo "not ok - $1"; head -c 2000 got >&2; fi
}

# ---- the list ----------------------------------------------------------------------------------------------------------
results --json >got
agrees "list: all runs, and what could not be" '[r["status"] for r in got].count("done") == 36 == len(runs) and [r["status"] for r in got].count("impossible") == 9'
agrees "... each with its values" 'all(r["cycles"] == q["cycles"] and r["l1.size"] == q["l1.size"] for r in got for q in runs if q["run"] == r["run"])'
agrees "... and the reason" 'all("does not divide" in r["reason"] for r in got if r["status"] == "impossible")'
is "CSV has the same rows" "$(results --csv | python3 -c 'import csv, json, sys; rows = list(csv.DictReader(sys.stdin)); print([{k: v or "" for k, v in r.items() if k != "ipc"} for r in rows] == [{k: "" if v is None else str(v) for k, v in r.items() if k != "ipc"} for r in json.load(open("got"))])')" True
is "text has them, too" "$(results | wc -l) $(results list | head -1 | xargs)" "46 run trace machine scheduler.model l1.size l1.subcores cycles ipc status reason"

# ---- the best ----------------------------------------------------------------------------------------------------------
results --best cycles --json >got
agrees "--best: the least of each trace" '{r["trace"]: r["cycles"] for r in got} == {t: min(r["cycles"] for r in runs if r["trace"] == t) for t in ("1.wtr", "2.wtr")} and len(got) == 2'
results --best +ipc --by scheduler --json >got
agrees "--best +: the most, by an option" '{r["scheduler.model"]: round(r["ipc"], 6) for r in got} == {s: round(max(r["ipc"] for r in runs if r["scheduler.model"] == s), 6) for s in ("gto", "lrr", "serial")}'
results --best cycles --by trace --top 3 --json >got
agrees "--top" 'all([r["cycles"] for r in got if r["trace"] == t] == sorted(r["cycles"] for r in runs if r["trace"] == t)[:3] for t in ("1.wtr", "2.wtr"))'
results --best cycles --by all --top 0 --json >got
agrees "--by all: geometric means over the traces" 'len(got) == 18 and all(abs(r["cycles"] / mean([q["cycles"] for q in runs if all(q[k] == r[k] for k in ("scheduler.model", "l1.size", "l1.subcores"))]) - 1) < 1e-6 for r in got)'
agrees "... the least first" 'got == sorted(got, key=lambda r: r["cycles"])'
is "--by all names one machine" "$(results --best cycles --by all --csv | wc -l)" 2

# ---- the Pareto front ----------------------------------------------------------------------------------------------------
front='lambda rows, one, other: {r["run"] for r in rows if not any(q["trace"] == r["trace"] and one(q) <= one(r) and other(q) <= other(r) and (one(q), other(q)) != (one(r), other(r)) for q in rows)}'
results pareto cycles l1.size --json >got
agrees "pareto: no other is better in both" "{r['run'] for r in got} == ($front)(runs, lambda r: r['cycles'], lambda r: r['l1.size'])"
results pareto +ipc l2.misses --json >got
agrees "... with more as better" "{r['run'] for r in got} == ($front)(runs, lambda r: -r['ipc'], lambda r: r['l2.misses']) and all(r['ipc'] > 0 for r in got)"

# ---- the area ------------------------------------------------------------------------------------------------------------
"$r" sweep -q 1.wtr 2.wtr -m v100,rtx2060 --vary 'sms=1,2,4 with area=100,150.5,240' --vary scheduler=gto,lrr -o area.db || exit 1
area() { "$r" results area.db "$@"; }
area pareto cycles area --json >got
python3 -c 'import sqlite3, json; db = sqlite3.connect("area.db"); db.row_factory = sqlite3.Row; json.dump([dict(r) for r in db.execute("SELECT * FROM runs")], open("area.json", "w"))'
agrees "pareto cycles area" "{r['run'] for r in got} == ($front)(json.load(open('area.json')), lambda r: r['cycles'], lambda r: r['area']) and len(got) > 4 and list(got[0]) == ['run', 'trace', 'machine', 'sms', 'area', 'scheduler.model', 'cycles']"
area --json >got
agrees "the area of coupled values, and a column of the list" '{(r["sms"], r["area"]) for r in got} == {(1, 100), (2, 150.5), (4, 240)} and len(got) == 24'
"$r" sweep -q 1.wtr 2.wtr -m v100,rtx2060 --vary sms=1,2,4 --vary scheduler=gto,lrr -o area.db
area --json >got
agrees "a sweep that gives no area leaves those that are there" '{(r["sms"], r["area"]) for r in got} == {(1, 100), (2, 150.5), (4, 240)} and len(got) == 24'
area --best area --by machine --json >got
agrees "--best area, once" '[r["area"] for r in got] == [100, 100] and len(got[0]) == 6'
"$r" sweep -q 1.wtr -m titan-v,rtx2060,jetson-tx2 -o gpus.db
"$r" results gpus.db --json >got
agrees "areas of machine files, without an axis" '{r["machine"]: r["area"] for r in got} == {"titan-v": 815, "rtx2060": 445, "jetson-tx2": None}'
"$r" results gpus.db pareto cycles area --json >got 2>err
agrees "a machine without an area is not on the front" 'sorted(r["machine"] for r in got) == ["rtx2060", "titan-v"]'
is "... which is said" "$(grep -c 'warning: 1 run is left out where areas are compared, as machine jetson-tx2 has no area; give it with --set area=MM2' err)" 1
"$r" results r.db pareto cycles area >out 2>err
is "no machine has an area: an error with the way out" "$? $(cat out) $(grep -c '^reprise: machine jetson-tx2 has no area; give it with' err)" "1  1"
"$r" sweep 1.wtr -m jetson-tx2 --set area=90 -o gpus.db 2>err
"$r" results gpus.db --json >got
agrees "a machine gets the area of the last sweep" '{r["machine"]: r["area"] for r in got} == {"titan-v": 815, "rtx2060": 445, "jetson-tx2": 90}'
is "... and no run is repeated" "$(grep -c 'gpus.db: 0 runs done' err)" 1
cp gpus.db late.db
"$r" sweep -q 1.wtr -m jetson-tx2,titan-v --set area=0 -o gpus.db
"$r" results gpus.db --json >got
agrees "... or none" '{r["machine"]: r["area"] for r in got} == {"titan-v": None, "rtx2060": 445, "jetson-tx2": None}'
"$r" results merge late.db -o gpus.db && "$r" results gpus.db --json >got
agrees "merge takes the areas of what is merged" '{r["machine"]: r["area"] for r in got} == {"titan-v": 815, "rtx2060": 445, "jetson-tx2": 90}'
"$r" sweep -q 1.wtr -m titan-v --vary area=1,2 -o one.db
is "machines that differ in area alone are one" "$("$r" results one.db --csv | cut -d, -f 2-4,8 | sed 's/: .*//')" "trace,machine,area,reason
1.wtr,titan-v,1,
,titan-v,,\"area=2"
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("gpus.db")
columns = "r.id AS run, t.file AS trace, m.name AS machine, m.id AS machine_id, r.launch, r.engine, r.seed, r.status, r.reason, r.ipc, r.method, r.tool, r.batches"
db.executescript(f"""DELETE FROM machine_option WHERE option = (SELECT id FROM option WHERE key = 'area'); DELETE FROM option WHERE key = 'area';
DROP VIEW runs; CREATE VIEW runs AS SELECT {columns} FROM run r JOIN trace t ON t.id = r.trace JOIN machine m ON m.id = r.machine; PRAGMA user_version = 2;""")
PY
chmod a-w gpus.db
"$r" results gpus.db --json >got
agrees "a database of version 2 is read" 'sorted(r["machine"] for r in got) == ["jetson-tx2", "rtx2060", "titan-v"] and "area" not in got[0]'
is "... and has no areas" "$("$r" results gpus.db pareto cycles area 2>&1 | grep -c '^reprise: machines jetson-tx2, rtx2060 and titan-v have no area')" 1
chmod u+w gpus.db
"$r" sweep -q 1.wtr -m titan-v,rtx2060 -o gpus.db
"$r" results gpus.db --json >got
agrees "... until a sweep brings it up to date" '{r["machine"]: r["area"] for r in got} == {"titan-v": 815, "rtx2060": 445, "jetson-tx2": None} and len(got) == 3'

# ---- numbers with a fraction ------------------------------------------------------------------------------------------
"$r" sweep -q 1.wtr -m jetson-tx2 --vary 'l1.size=16K,32K with area=430.5,440' --vary clock_mhz=1000.1,1250 -o real.db
"$r" results real.db compare l1.size=16K,area=430.5 l1.size=32K,area=440 --json >got
agrees "compare finds values with a fraction" 'len(got["pairs"]) == 2'
"$r" results real.db compare clock_mhz=1000.1 clock_mhz=1.25e3 --json >got
agrees "... also of options that vary alone" 'len(got["pairs"]) == 2'
"$r" report -q real.db --baseline clock_mhz=1000.1,area=440.0 -o real.html
is "... and so does report --baseline" $? 0

# ---- comparisons -----------------------------------------------------------------------------------------------------------
results compare scheduler=gto scheduler=lrr --json >got
agrees "compare: pairs that are alike in all else" 'len(got["pairs"]) == 12 and all((lambda a, b: a["scheduler.model"] == "gto" and b["scheduler.model"] == "lrr" and all(a[k] == b[k] for k in ("trace", "l1.size", "l1.subcores")) and (a["cycles"], b["cycles"]) == (p["a"], p["b"]))(*[next(r for r in runs if r["run"] == p[k]) for k in ("run_a", "run_b")]) for p in got["pairs"])'
agrees "... and the geometric mean of their ratios" 'abs(got["geometric_mean"] / mean([p["b"] / p["a"] for p in got["pairs"]]) - 1) < 1e-6'
results compare scheduler=gto scheduler=lrr --top 0 --json >got
agrees "... and all source lines: they add up to the difference, but for idle cycles" 'abs(sum(l["change"] for l in got["lines"]) - sum(b["cycles"] - a["cycles"] - (b["issue.idle"] - a["issue.idle"]) / 8 for p in got["pairs"] for a in runs if a["run"] == p["run_a"] for b in runs if b["run"] == p["run_b"])) < 0.1'
agrees "... the largest changes first" '[abs(l["change"]) for l in got["lines"]] == sorted((abs(l["change"]) for l in got["lines"]), reverse=True) and len(got["lines"]) > 5'
a=$(results sql "SELECT run FROM runs WHERE trace = '1.wtr' AND \"scheduler.model\" = 'gto' AND \"l1.size\" = 8192 AND \"l1.subcores\" = 2" --csv | tail -1)
b=$(results sql "SELECT run FROM runs WHERE trace = '1.wtr' AND \"scheduler.model\" = 'serial' AND \"l1.size\" = 32768 AND \"l1.subcores\" = 4" --csv | tail -1)
results compare "$a" "$b" --json >got
agrees "compare: two runs by number" 'len(got["pairs"]) == 1 and got["pairs"][0]["run_a"] == '"$a"' and got["pairs"][0]["run_b"] == '"$b"
is "... by line it says what reprise diff --by line says" "$(results compare "$a" "$b" --top 3 --json | json /dev/stdin '[(l["line"], round(l["change"], 1)) for l in d["lines"]]')" \
    "$("$r" diff -q 1.wtr -m jetson-tx2 --vary scheduler,l1.size,l1_subcores=gto,8K,2:serial,32K,4 --by line --csv >diff.csv; python3 - <<'PY'
import csv
rows = [r for r in csv.DictReader(open("diff.csv")) if r["line"]]
change = next(k for k in rows[0] if k in ("change", "difference"))
rows.sort(key=lambda r: -abs(float(r[change])))
print([(int(r["line"]), round(float(r[change]), 1)) for r in rows[:3]])
PY
)"
is "text ends in the mean and the lines" "$(results compare scheduler=gto,l1.size=8K scheduler=lrr,l1.size=32K | grep -cE '^(geometric mean of the ratios of 4 pairs: [0-9.]+|Cycles by source line, .*)$')" 2
is "--stat" "$(results compare scheduler=gto scheduler=lrr --stat l2.misses --json | json /dev/stdin 'len(d["pairs"])')" 12

# ---- traces and machines of one name and another content -------------------------------------------------------------------
mkdir old new
cp 1.wtr old/t.wtr
cp 2.wtr new/t.wtr
(cd old && "$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=gto,lrr -o ../same.db)
(cd new && "$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=lrr,serial -o ../same.db)
rows() { python3 -c 'import json, sys; print(eval(sys.argv[1], {"rows": json.load(sys.stdin), "hash": dict(x.split()[::-1] for x in open("sums"))}))' "$1"; }
sha256sum old/t.wtr new/t.wtr >sums
named='all(r["trace"] in ["t.wtr (%s)" % hash[f + "/t.wtr"][:8] for f in ("old", "new")] for r in rows)'
is "list: traces of one name have a hash" "$("$r" results same.db --json | rows "$named and len({r['trace'] for r in rows}) == 2")" True
is "--best: each of them has its best" "$("$r" results same.db --best cycles --json | rows "$named and len(rows) == 2")" True
is "pareto: each has its front" "$("$r" results same.db pareto cycles issue.idle --json | rows "$named and len({r['trace'] for r in rows}) == 2")" True
is "compare pairs runs of one content" "$("$r" results same.db compare scheduler=gto scheduler=lrr --json | json /dev/stdin '[p["trace"] for p in d["pairs"]]')" "['t.wtr ($(sha256sum old/t.wtr | head -c 8))']"
is "... and says where there are none" "$("$r" results same.db compare scheduler=gto scheduler=serial 2>&1 | grep -c '^reprise: compare: no run of one side has a counterpart')" 1
is "--by all: means over the same traces" "$("$r" results same.db --best cycles --by all --top 0 --json | rows '[(r["scheduler.model"], len(r["traces"].split(", "))) for r in rows]')" "[('lrr', 2)]"
is "... and the machines that lack one are counted" "$("$r" results same.db --best cycles --by all 2>&1 >/dev/null)" "reprise: note: 2 of 3 machines have no run of some trace, and are left out"
(cd old && "$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=gto,lrr -o ../sets.db)
(cd new && "$r" sweep -q t.wtr -m jetson-tx2 --vary scheduler=serial -o ../sets.db)
is "... sets of traces do not compete" "$("$r" results sets.db --best cycles --by all --json | rows 'sorted(r["traces"] for r in rows) == sorted("t.wtr (%s)" % h[:8] for h in hash.values())')" True
"$r" machine show jetson-tx2 >own.cfg
"$r" sweep -q 1.wtr -m ./own.cfg --vary scheduler=gto,lrr -o own.db
"$r" results own.db --csv >plain.csv
"$r" machine show jetson-tx2 --set dram.latency=900 >own.cfg
"$r" sweep -q 1.wtr -m ./own.cfg --vary scheduler=lrr,serial -o own.db
machines='sorted({r["machine"] for r in rows})'
is "a machine file that was edited: names tell its contents apart" "$(grep -c '(' plain.csv) $("$r" results own.db --json | rows "[m[:-9] for m in $machines]")" "0 ['own (', 'own (']"
is "... --by machine has the best of both" "$("$r" results own.db --best cycles --by machine --json | rows "len($machines)")" 2
is "... --by all names them" "$("$r" results own.db --best cycles --by all --top 0 --json | rows "len(rows), len($machines)")" "(4, 2)"
is "... compare pairs runs of one content" "$("$r" results own.db compare scheduler=gto scheduler=lrr --json | json /dev/stdin '[sorted((p["run_a"], p["run_b"])) for p in d["pairs"]]')" "[[1, 2]]"
is "... also where both sides name it" "$("$r" results own.db compare machine=own,scheduler=gto machine=own,scheduler=lrr --json | json /dev/stdin '[sorted((p["run_a"], p["run_b"])) for p in d["pairs"]]')" "[[1, 2]]"

# ---- launches and samples do not compete with all of a trace ----------------------------------------------------------------
"$BUILD/programs/memory" launches 20 many.wtr
for options in "" "--launch 0" "--sample 5%@95%"; do
    # shellcheck disable=SC2086
    "$r" sweep -q many.wtr -m jetson-tx2 --vary scheduler=gto,lrr $options -o kinds.db
done
kind_rows() { json /dev/stdin 'sorted({(str(r["launch"]), r["method"]) for r in d}), len(d)'; }
all_kinds="([('0', 'exact'), ('None', 'exact'), ('None', 'sample 5%@95%')], 3)"
is "--best has one of each kind, and columns that say which" "$("$r" results kinds.db --best cycles --json | kind_rows)" "$all_kinds"
is "... --by all too" "$("$r" results kinds.db --best cycles --by all --json | kind_rows)" "$all_kinds"
is "... and pareto a front of each" "$("$r" results kinds.db pareto cycles warp_instructions --json | kind_rows | cut -d] -f 1)" "${all_kinds%]*}"

# ---- one run, and any question ---------------------------------------------------------------------------------------------
results show "$a" --json >got
agrees "show: all statistics that are not 0" 'got["statistics"] == {r["name"]: r["value"] for r in db.execute("SELECT name, value FROM value JOIN statistic ON id = statistic WHERE run = ?", (got["run"],))}'
is "show: text" "$(results show "$a" | grep -cE '^(trace +1.wtr|machine +jetson-tx2|status +done|cycles +[0-9,]+|     0  matmul .*)$')" 5
results sql 'SELECT trace, min(cycles) AS least, NULL AS none, ipc * 2 AS twice FROM runs GROUP BY trace' --json >got
agrees "sql: texts, numbers, nothing" '[(r["trace"], r["none"]) for r in got] == [("1.wtr", None), ("2.wtr", None)] and got[0]["least"] == min(r["cycles"] for r in runs if r["trace"] == "1.wtr") and isinstance(got[0]["twice"], float)'
is "sql changes nothing" "$(results sql 'DELETE FROM run' 2>&1; echo $?)" "reprise: sql: only queries; nothing here changes the database
1"
is "sql: what a function refuses is an error of the query" "$(results sql "SELECT load_extension('x')" 2>&1; echo $?)" "reprise: sql: not authorized
1"
is "a cell that needs quotes in CSV" "$(results sql "SELECT 'a,\"b' AS x" --csv | tail -1)" '"a,""b"'

cp 1.wtr $'a\nname\t.wtr'
"$r" sweep -q $'a\nname\t.wtr' -m jetson-tx2 -o names.db
is "a name with a line break stays on its line" "$("$r" results names.db | grep -c "^ *1  a?name?.wtr  jetson-tx2") $("$r" results names.db | wc -l)" "1 2"
is "... and is as it was in JSON" "$("$r" results names.db --json | json /dev/stdin 'd[0]["trace"] == "a\nname\t.wtr"')" True

# ---- versions ----------------------------------------------------------------------------------------------------------------
cp r.db old.db
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("old.db")
db.execute("INSERT INTO tool (version, timing) VALUES ('0.0', 'another')")
columns = "trace, machine, engine, launch, seed, status, reason, ipc, occupancy, warnings, detail, seconds, finished"
db.execute(f"INSERT INTO run (key, tool, {columns}) SELECT 'k', (SELECT max(id) FROM tool), {columns} FROM run WHERE id = 1")
db.commit()
PY
is "runs of earlier versions are left out" "$("$r" results old.db --json | json /dev/stdin 'len([x for x in d if x["run"]])') $("$r" results old.db --all --json | json /dev/stdin 'len([x for x in d if x["run"]])')" "36 37"
is "... whichever came first" "$(python3 - <<'PY'
import sqlite3
db = sqlite3.connect("old.db")
db.execute("PRAGMA foreign_keys = OFF")
for table, column in (("run", "tool"), ("refusal", "tool"), ("tool", "id")):
    db.execute(f"UPDATE {table} SET {column} = -{column}")
    db.execute(f"UPDATE {table} SET {column} = 3 + {column}")
db.commit()
PY
"$r" results old.db --json | json /dev/stdin 'len([x for x in d if x["run"]])')" 36
