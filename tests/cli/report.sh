#!/bin/bash
# reprise report: the data of a page against the database, the replay and the bounds; what a page consists of; errors.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/kernels/sgemm_warps.ptx" "$BUILD/kernels/stream.ptx" "$BUILD/programs/many_launches"
BUILD=$(realpath "$BUILD")
pages=$PWD/tools/report/page
page_text=$PWD/tests/support/page_text.js
cd "$work" || exit 1
if [ ! -s "$BUILD/gen/report/library.js" ]; then
    fails 4 "this reprise was built without D3" "$r" report r.db -o r.html
    echo "ok - reports # SKIP this reprise was built without D3 (Debian: node-d3)"
    exit 0
fi
odd="a <!--<script>'\"&.wtr"
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
for n in 1 2; do
    "$r" record -q -o $n.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,$n --block 16,16 "${args[@]}" || exit 1
done
mv 2.wtr "$odd"
"$r" sweep -q 1.wtr "$odd" -m jetson-tx2 --vary scheduler=gto,lrr --vary l1.size=8K..32K:x2 --vary l1_subcores=2,3 --stalls -o r.db || exit 1

# data FILE: the data of a page, as a browser reads them
cat >page.py <<'PY'
import html.parser, json
class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.scripts, self.tags, self.inside = {}, [], None
        self.feed(open(path, encoding="utf-8").read())
    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = dict(attributes).get("id") if tag == "script" else None
    def handle_endtag(self, tag): self.inside = None
    def handle_data(self, text):
        if self.inside: self.scripts[self.inside] = self.scripts.get(self.inside, "") + text
def data(path): return json.loads(Page(path).scripts["data"])
PY
# what, page, an expression of its data d, of `runs` (the rows of view runs that are done) and `db`
agrees() {
    if python3 - "$2" "$3" <<'PY'
import json, os, sqlite3, sys
sys.path.insert(0, ".")
from page import Page, data
d = data(sys.argv[1])
db = sqlite3.connect("r.db")
db.row_factory = sqlite3.Row
runs = {r["run"]: dict(r) for r in db.execute("SELECT * FROM runs WHERE status = 'done'")}
values = lambda name: next(s["values"] for s in d["statistics"] if s["name"] == name)
sys.exit(not eval(sys.argv[2]))
PY
    then echo "ok - $1"; else echo "not ok - $1"; fi
}

# ---- a sweep -----------------------------------------------------------------------------------------------------------
is "a report is written" "$("$r" report r.db -o r.html)" "r.html: 12 runs, $(python3 -c 'import os; print(format(os.path.getsize("r.html"), ","))') bytes"
agrees "all runs that are done, with their statistics" r.html 'len(d["runs"]) == len(runs) == 12 and all(values(n) == [runs[r][n] for r in d["runs"]] for n in ("cycles", "l2.misses", "issue.stall.memory", "dram.accesses"))'
agrees "every statistic that is not 0" r.html '{s["name"] for s in d["statistics"]} == {n for n, in db.execute("SELECT DISTINCT name FROM value JOIN statistic ON id = statistic")} | {"ipc", "occupancy"}'
agrees "... with unit and definition" r.html 'all(s["unit"] for s in d["statistics"] if s["name"] != "occupancy") and all(s["text"] for s in d["statistics"])'
agrees "the values of the axes" r.html 'all([a["values"][i] for i in a["of"]] == [runs[r][a["name"]] for r in d["runs"]] for a in d["axes"]) and [a["name"] for a in d["axes"]] == ["scheduler.model", "l1.size"] and d["axes"][1]["unit"] == "bytes"'
agrees "the best run of each trace" r.html '[runs[d["runs"][r["best"]]]["cycles"] for r in d["roles"]] == [min(r["cycles"] for r in runs.values() if r["trace"] == t["file"]) for t in d["traces"]]'
agrees "the baseline: the machine that the sweep began with" r.html 'all((b["scheduler.model"], b["l1.size"]) == ("gto", 8192) for b in (runs[d["runs"][r["baseline"]]] for r in d["roles"]))'
"$r" sweep -q 1.wtr -m v100,jetson-tx2 -o gpus.db
"$r" report -q gpus.db -o gpus.html 2>err
is "-q: no warning, which else says whose area is not known" "$(cat err) $("$r" report gpus.db -o gpus.html 2>&1 >/dev/null | grep -c 'jetson-tx2 has no area')" " 1"
agrees "the area of the machines, where it is known" gpus.html '[(s["values"], s["unit"], bool(s["text"])) for s in d["statistics"] if s["name"] == "area"] == [([815, None], "mm²", True)]'
agrees "... and no such column where it is not" r.html '"area" not in [s["name"] for s in d["statistics"]]'
"$r" report -q r.db --baseline scheduler=lrr,l1.size=8K -o lrr.html
agrees "the options of the machines that are compared" lrr.html 'all(dict(db.execute("SELECT key, value FROM machine_option JOIN option o ON o.id = option WHERE machine = ?", (m,)).fetchall()) == o["options"] for m, o in d["machines"].items()) and len(d["machines"]) >= 2'
agrees "where everything comes from" r.html '[tuple(x) for x in db.execute("SELECT file, sha256 FROM trace ORDER BY id")] == [(t["file"], t["sha256"]) for t in d["traces"]]'
agrees "... the command, the version, the date" r.html 'd["made"]["command"] == "reprise report r.db -o r.html" and d["made"]["tool"].startswith("reprise ") and len(d["made"]["timing"]) == 64 and d["made"]["date"].endswith("Z")'
agrees "values that do not go together" r.html 'len(d["refused"]) == 6 and all("does not divide" in r["reason"] for r in d["refused"])'
agrees "roofs: 8 sub-cores with dual issue, a sector of 32 bytes a cycle" r.html '[(r["issue"], r["memory"], r["sector"], r["mhz"]) for r in d["roofs"]] == [(16, 32, 32, 1300)] and set(d["roof_of"]) == {0}'
best=$(python3 -c 'import page; d = page.data("lrr.html"); r = d["roles"][0]; print(d["runs"][r["baseline"]], d["runs"][r["best"]])')
# shellcheck disable=SC2086
"$r" results r.db compare $best --json >compare.json
agrees "source lines: what results compare says" lrr.html '(lambda c: [(l["line"], round(l["change"], 3), l["mostly"]) for l in d["roles"][0]["lines"]] == [(l["line"] or 0, round(l["change"], 3), l["mostly"]) for l in c["lines"]])(json.load(open("compare.json"))) and len(d["roles"][0]["lines"]) > 5'

"$r" report -q r.db --value +ipc --baseline scheduler=lrr,l1.size=32K --pareto +ipc,l1.size --top 2 -o other.html
agrees "--baseline, --value, --top" other.html 'all((b["scheduler.model"], b["l1.size"]) == ("lrr", 32768) for b in (runs[d["runs"][r["baseline"]]] for r in d["roles"])) and d["value"] == {"name": "ipc", "more": True} and all(runs[d["runs"][r["best"]]]["ipc"] == max(x["ipc"] for x in runs.values() if x["trace"] == t["file"]) for r, t in zip(d["roles"], d["traces"])) and max(len(r.get("lines", [])) for r in d["roles"]) == 2'
agrees "--pareto" other.html 'd["pareto"] == [{"name": "ipc", "more": True}, {"name": "l1.size", "more": False}]'
agrees "the command as it was given" other.html 'd["made"]["command"] == "reprise report -q r.db --value +ipc --baseline scheduler=lrr,l1.size=32K --pareto +ipc,l1.size --top 2 -o other.html"'
"$r" report -q r.db --baseline 5 --runs 4 -o few.html
agrees "--runs: the best of each trace, and the baseline" few.html '(lambda b: d["counts"] == {"done": 12, "failed": 0, "shown": len(d["runs"])} and 4 <= len(d["runs"]) <= 6 and 5 in [d["runs"][r["baseline"]] for r in d["roles"]] and all(sorted(r["cycles"] for r in runs.values() if r["trace"] == t["file"])[:2] == sorted(runs[r]["cycles"] for r, n in zip(d["runs"], d["trace_of"]) if n == i)[:2] for i, t in enumerate(d["traces"])))(0)'

# ---- the page ------------------------------------------------------------------------------------------------------------
agrees "D3 is in it as Debian has it, with its licence" r.html '(lambda s: s["d3"].strip() == open("'"$BUILD"'/gen/report/library.js").read().strip() and "BSD-3-Clause" in s["licence"])(Page("r.html").scripts)'
agrees "and our scripts" r.html 'all(open(os.path.join("'"$pages"'", f)).read() in Page("r.html").scripts["page"] for f in os.listdir("'"$pages"'") if f.endswith(".js"))'
agrees "nothing is loaded" r.html 'not [t for t in Page("r.html").tags if t[0] in ("link", "img", "iframe", "object") or "src" in t[1] or "http" in t[1].get("href", "")]'
is "no text of the data ends its element" "$(grep -c '<!--' r.html)" 0
agrees "names are whole" r.html 'sorted(t["file"] for t in d["traces"]) == ["1.wtr", "a <!--<script>'"'"'\"&.wtr"]'
cp r.db $'odd \xff.db'
"$r" report -q $'odd \xff.db' -o "it's.html"
agrees "a name that is no UTF-8" "it's.html" 'd["title"] == "odd \ufffd.db" and d["made"]["command"] == "reprise report -q '"'odd \\\\ufffd.db' -o 'it'\\\\\\\\''s.html'"'".encode().decode("unicode_escape")'
mkdir elsewhere && cp "$r" elsewhere/reprise
(cd / && "$work/elsewhere/reprise" report -q "$work/r.db" -o "$work/elsewhere/r.html")
agrees "a copy of the program alone writes it, too" elsewhere/r.html 'len(d["runs"]) == 12'
chmod a-w r.db && "$r" report -q r.db -o again.html && chmod u+w r.db
is "the database stays as it is" "$(sha256sum <r.db)" "$(sha256sum <$'odd \xff.db')"

# ---- a replay ------------------------------------------------------------------------------------------------------------
"$r" report 1.wtr -m rtx2060 -q --top 0 -o replay.html
"$r" replay 1.wtr -m rtx2060 --by line --json >replay.json
agrees "a replay: what replay --json says" replay.html '(lambda j: d["total"]["cycles"] == j["total"]["cycles"] and d["total"]["l1.misses"] == j["total"]["l1"]["misses"] and d["machine"] == j["machine"] and d["trace"] == j["trace"] and [l["end"] for l in d["launches"]] == [l["end"] for l in j["launches"]])(json.load(open("replay.json"))["traces"][0])'
agrees "... and where its cycles go" replay.html '(lambda j: [p["subcore_cycles"] for p in d["hotspots"]["places"]] == [p["subcore_cycles"] for p in j["hotspots"]["places"]] and d["hotspots"]["idle"] == j["hotspots"]["idle"])(json.load(open("replay.json"))["traces"][0])'
agrees "roofs: 30 SMs of 4 sub-cores; 336 GB/s" replay.html 'd["roofs"]["issue"] == 120 and abs(d["roofs"]["memory"] * d["roofs"]["mhz"] / 1000 - 336) < 1'
"$r" report 1.wtr -m rtx2060 -q --cache kept -o stored.html
"$r" report 1.wtr -m rtx2060 -q --cache kept -o stored2.html
agrees "--cache: the same, without source lines" stored2.html '"hotspots" not in d and d["total"] == data("replay.html")["total"] and d["stored"]'
"$r" report 1.wtr -m san-rtx2080 --set memory.from=rtx2080 --seed 7 -q -o chance.html
"$r" replay 1.wtr -m san-rtx2080 --set memory.from=rtx2080 --seed 7 -q --json >chance.json
agrees "chance, and what is measured in caches of another machine" chance.html '(lambda j: d["total"]["cycles"] == j["total"]["cycles"] and d["machine"] == j["machine"])(json.load(open("chance.json"))["traces"][0])'
for m in orin h100; do
    "$r" report 1.wtr -m $m -q -o $m.html
done
agrees "roofs: what the machines' files say in GB/s" orin.html '[round(x["roofs"]["memory"] * x["roofs"]["mhz"] / 1000) for x in (d, data("h100.html"))] == [205, 3133]'

# ---- what pages say ------------------------------------------------------------------------------------------------------
# said PAGE SECTION [BUTTON...]: the text of a section, once the buttons were clicked
said() { node "$page_text" "$@"; }
if command -v node >/dev/null; then
    # the table's column "cycles": its heading, and whether the numbers below rise or fall
    column() { awk -F'\t' 'NF > 5 && head == "" { for (c = 1; c <= NF; c++) if ($c ~ /^cycles/) head = $(at = c); next }
        NF > 5 { gsub(",", "", $at); up += n && $at + 0 > last; down += n++ && $at + 0 < last; last = $at + 0 }
        END { print head, down && !up ? "falls" : up && !down ? "rises" : "mixed" }'; }
    is "source lines: the arrow says how the cycles are sorted" "$(said replay.html lines | column)" "cycles ▼ descending falls"
    is "... and turns with them" "$(said replay.html lines cycles | column)" "cycles ▲ ascending rises"
    is "no source column where no source can be read ..." "$(said replay.html lines | grep -c $'\tline\tcycles') $(said lrr.html changes | grep -c $'^line\tbaseline\tbest')" "1 1"
    cp "$BUILD/kernels/matmul.ptx" .
    "$r" report -q 1.wtr -m rtx2060 -o text.html
    "$r" report -q r.db --baseline scheduler=lrr,l1.size=8K -o text2.html
    rm matmul.ptx
    is "... and one where it can" "$(said text.html lines | grep -c $'\tline\tsource\tcycles') $(said text2.html changes | grep -c $'^line\tsource\tbaseline')" "1 1"
    "$r" sweep -q 1.wtr -m v100,jetson-tx2 --vary l1.latency=30,40 -o two.db
    "$r" report -q two.db --baseline machine=jetson-tx2,l1.latency=40 -o two.html
    is "between two GPUs the options that vary, and the others on demand" "$(said two.html changes | grep -A4 '^option' | sed '4s/^[0-9]* //' | head -5)" \
        $'option\tbaseline\tbest\nmachine\tjetson-tx2\tv100\nl1.latency\t40\t30\nother options in which these machines differ\noption\tbaseline\tbest'
    agrees "... which are all there" two.html '(lambda r: (lambda a, b: len([k for k in {**a, **b} if a.get(k) != b.get(k)]) == int("'"$(said two.html changes | sed -n 's/ other options in which.*//p')"'") + 1)(*(d["machines"][str(r[m + "_machine"])]["options"] for m in ("baseline", "best"))))(d["roles"][0])'
    is "one known area is no axis of a Pareto front" "$(said gpus.html pareto | grep -c 'less area')" 0
    "$r" sweep -q 1.wtr -m v100,rtx2060,jetson-tx2 -o areas.db
    "$r" report -q areas.db -o areas.html
    is "what a front leaves out, and why" "$(said areas.html pareto | grep 'left out\|good is')" "1 run on jetson-tx2 is left out, as no area is known there.
No other run is as good as one on the front in both, and better in one; good is less cycles and less area."
    "$r" sweep -q 1.wtr -m orin-wcet -o areas.db # has no L2 between, which the input is in
    "$r" report -q areas.db -o areas.html
    is "... and a roofline" "$(said areas.html roofline | grep 'left out')" "2 runs on v100, rtx2060 are left out, as no access to device memory is counted there."
    "$BUILD/programs/many_launches" some.wtr kernels=3 launches=100 blocks=4 warps=2 loops=6 launch_spread=30 block_spread=30 random_percent=20
    "$r" sweep -q some.wtr -m jetson-tx2 --set flush_caches=false --vary l2.latency=180,200 --sample 0.5%@99% -o sampled.db
    "$r" report -q sampled.db -o sampled.html
    is "estimates have their intervals" "$(said sampled.html top | grep -c ' ± [1-9]') $(said sampled.html top | grep 'estimates;')" \
        "2 2 runs are estimates; ± is half the width of the interval of the cycles. In $("$r" results sampled.db sql 'SELECT count(*) FROM runs WHERE reached = 0' --csv | tail -1) it is wider than was asked for."
    "$r" sweep -q some.wtr -m jetson-tx2 --set flush_caches=false --set l2.latency=200 -o sampled.db
    "$r" report -q sampled.db -o sampled.html
    is "... and do not compete with exact runs" "$(said sampled.html top | grep -c 'run 3: ') $(said sampled.html top | grep -c 'They do not compete') $(said sampled.html pareto | grep -c '2 estimated runs do not compete with those that are exact')" "1 1 1"
    "$BUILD/programs/many_launches" alike.wtr kernels=1 launches=3000 blocks=1 warps=1 loops=1 && "$r" report -q alike.wtr -m jetson-tx2 -o alike.html
    is "of launches that are alike some are shown, over the whole time" "$(said alike.html time | awk '/^[0-9]+ / { n++; last = $1 } END { print n, (last > 2800) }') $(said alike.html time | grep -c 'that are equally long some are shown, evenly over all')" "40 1 1"
    agrees "... and kept" alike.html '(lambda l: len(l) == 2000 and l[0] < 10 and l[-1] > 2990)([x["launch"] for x in d["launches"]])'
else
    echo "ok - what pages say # SKIP there is no node, which runs their scripts (Debian: nodejs)"
fi

# ---- bounds --------------------------------------------------------------------------------------------------------------
"$r" record -q -o one.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 1 --block 16,16 --arg buf=rand-f32:256:seed=1 --arg buf=rand-f32:256:seed=2 --arg buf=zeros:1K --arg i32=16 || exit 1
"$r" wcet -q one.wtr -m orin-wcet --check gto,lrr --report bounds.html >table
"$r" wcet -q one.wtr -m orin-wcet --check gto,lrr >table2
"$r" wcet -q one.wtr -m orin-wcet --check gto,lrr --json --warps >bounds.json
agrees "wcet --report: what --json says" bounds.html '(lambda j: d["traces"][0]["launches"] == j["launches"] and d["machine"] == j["machine"] and d["made"]["command"].endswith("--check gto,lrr --report bounds.html"))(json.load(open("bounds.json"))["traces"][0])'
is "... and the tables are printed as ever" "$(cat table)" "$(cat table2)"
sed 's/\bmatmul/_Z6matmulPKfS0_Pfi/g' "$BUILD/kernels/matmul.ptx" >mangled.ptx
"$r" record -q -o mangled.wtr --module mangled.ptx --grid 1 --block 16,16 --arg buf=rand-f32:256:seed=1 --arg buf=rand-f32:256:seed=2 --arg buf=zeros:1K --arg i32=16 || exit 1
agrees "... and what the bounds are valid for" bounds.html 'd["traces"][0]["valid_for"] == json.load(open("bounds.json"))["traces"][0]["valid_for"]'
"$r" wcet -q mangled.wtr -m orin-wcet --report mangled.html >table
agrees "... kernels have names as people read them" mangled.html 'd["traces"][0]["launches"][0]["kernel"] == "matmul"'

# ---- errors --------------------------------------------------------------------------------------------------------------
fails 1 "which database, or which trace?" "$r" report
fails 1 "where shall the report go?" "$r" report r.db
fails 2 "no.db" "$r" report no.db -m orin -o x.html
fails 2 "no.db: No such file or directory; give a database" "$r" report no.db -o x.html
fails 1 "on which machine?" "$r" report 1.wtr -o x.html
fails 1 "leave --machine, --set, --launch and --cache out" "$r" report r.db -m orin -o x.html
fails 1 "are about the runs of a database" "$r" report 1.wtr -m orin --value ipc -o x.html
fails 1 "give two values" "$r" report -q r.db --pareto cycles -o x.html
fails 1 "did you mean 'l1.size'?" "$r" report -q r.db --pareto cycles,l1.siz -o x.html
fails 1 "did you mean 'cycles'?" "$r" report -q r.db --value cycle -o x.html
fails 1 "--baseline 99: there is no such run that is done" "$r" report -q r.db --baseline 99 -o x.html
fails 1 "--baseline: 'gto': give the number of a run" "$r" report -q r.db --baseline gto -o x.html
fails 1 "is not written over" "$r" report r.db -o ./r.db
fails 1 "is not written over" "$r" report 1.wtr -m orin -o 1.wtr
fails 1 "goes with neither --grid nor --json" "$r" wcet one.wtr -m orin-wcet --json --report x.html
fails 1 "cannot write 'none/x.html'" "$r" report r.db -o none/x.html
fails 1 "an output is a file" "$r" report r.db -o -
python3 -c 'import sqlite3; sqlite3.connect("other.db").execute("CREATE TABLE t (a)").connection.commit()'
fails 2 "this database has no results of reprise sweep" "$r" report other.db -o x.html
"$r" sweep -q 1.wtr -m jetson-tx2 --shard 1/2 -o empty.db
fails 1 "there is nothing to report: no run is done" "$r" report empty.db -o x.html
head -c 2000 r.db >cut.db
fails 2 "cut.db" "$r" report cut.db -o x.html
: >nothing
fails 2 "nothing" "$r" report nothing -m orin -o x.html
fails 2 "nothing is neither a database of results nor a trace" "$r" report nothing -o x.html
cp r.db head.db && printf '\0\0\0\0' | dd of=head.db conv=notrunc status=none
fails 2 "head.db is neither a database of results nor a trace, or its first bytes are damaged" "$r" report head.db -o x.html
fails 2 "is PTX; give a database of 'reprise sweep', or a trace" "$r" report "$BUILD/kernels/matmul.ptx" -o x.html
"$r" report -q r.db -o x.html
before=$(sha256sum <x.html)
(ulimit -f 100 && "$r" report -q r.db -o x.html 2>err)
is "a disk that is full leaves the report before as it was" "$(sha256sum <x.html) $(find . -maxdepth 1 -name 'x.html?*' | wc -l)" "$before 0"
