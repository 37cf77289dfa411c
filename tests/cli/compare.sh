#!/bin/bash
# reprise compare: the formats of Nsight Compute, figures against those of reprise replay, launches that match and that do not.
set -u
. tests/support/cli.sh
g=tests/golden/ncu trace=tests/golden/ncu/nw.wtr
compare() { "$r" compare -q "$trace" -m v100 "$@"; }
for f in details.csv raw.csv raw.txt details-2020.txt; do compare --measured $g/$f --json >"$work/$f.json"; done
"$r" replay -q "$trace" -m v100 --set warm_l2=no --json >"$work/replay.json"
python3 - "$work" <<'END' || echo "not ok - the documents have what is compared"
import json, sys
def load(name): return json.load(open(f'{sys.argv[1]}/{name}.json'))
files = ['details.csv', 'raw.csv', 'raw.txt', 'details-2020.txt']
docs = {f: load(f) for f in files}
replay = load('replay')['traces'][0]
def without_line(launches): return [{k: v for k, v in l.items() if k != 'line'} for l in launches]
def close(a, b): return abs(a - b) <= 2e-3 * max(1, abs(b))
def report(ok, what): print(('ok' if ok else 'not ok') + ' - ' + what)
common = set.intersection(*({*l['quantities']} for d in docs.values() for l in d['launches']))
report(len(common) == 9 and all(close(l['quantities'][n]['measured'], docs['raw.csv']['launches'][i]['quantities'][n]['measured'])
       for f in files for i, l in enumerate(docs[f]['launches']) for n in common), 'the four formats say the same')
report(without_line(docs['raw.csv']['launches']) == without_line(docs['raw.txt']['launches']), 'CSV and text of the raw page say the same')
# measured values, from the table that the fixtures are of
measured = {'cycles': (8867, 9014), 'duration': (9.566, 9.29), 'sm_active_cycles': (92.85, 178.49), 'warp_instructions': (789, 1578),
            'registers': (32, 32), 'l1_hit_rate': (41.07, 21.62), 'l2_hit_rate': (52.11, 51.30), 'load_sectors': (66, 130), 'store_sectors': (46, 92),
            'l2_sectors': (111, 222), 'dram_read_sectors': (102, 198), 'occupancy': (1.56, 1.56), 'active_warps': (1, 1)}
q = [l['quantities'] for l in docs['raw.csv']['launches']]
report({*q[0]} == {*measured} and all(close(q[l][n]['measured'], v[l]) for n, v in measured.items() for l in (0, 1)), 'measured values and units')
def expected(l):
    l1, l2, o = l['l1'], l['l2'], l['occupancy']
    return {'cycles': l['cycles'], 'duration': l['cycles'] / 1380, 'sm_active_cycles': o['sm_cycles'] / 80, 'warp_instructions': l['warp_instructions'],
            'l1_hit_rate': 100 * l1['hits'] / (l1['hits'] + l1['misses']), 'l2_hit_rate': 100 - 100 * l2['fetches'] / (l2['hits'] + l2['misses']),
            'load_sectors': l['global']['load_transactions'], 'store_sectors': l['global']['store_transactions'], 'l2_sectors': l2['hits'] + l2['misses'],
            'dram_read_sectors': l['dram']['accesses'] - l['dram']['writes'], 'active_warps': o['warp_cycles'] / o['sm_cycles'],
            'occupancy': 100 * o['warp_cycles'] / o['sm_cycles'] / 64, 'registers': 54}
report(all(abs(q[i][n]['replayed'] - v) < 1e-6 * max(1, v) for i in (0, 1) for n, v in expected(replay['launches'][i]).items()),
       'replayed values are those of reprise replay')
shares = ('l1_hit_rate', 'l2_hit_rate', 'occupancy')
report(all(abs(v['error'] - ((v['replayed'] - v['measured']) / 100 if n in shares else v['replayed'] / v['measured'] - 1)) < 1e-9
           for l in q for n, v in l.items()), 'errors: parts, and points of shares')
s, e = docs['raw.csv']['quantities']['cycles'], [l['cycles']['error'] for l in q]
report(s['launches'] == 2 and abs(s['mean_error'] + sum(e) / 2) < 1e-9 and abs(s['largest_error'] - min(e)) < 1e-9 and s['largest_of'] == 1, 'errors over launches')
report(docs['raw.csv']['not_compared'] == [], 'nothing is left over')
END
is "text has a line for each quantity" "$(compare --measured $g/raw.csv | grep -c 'cycles  ')" 6
is "CSV has full rows" "$(compare --measured $g/raw.csv --csv | sed -n '2p;15p' | cut -d, -f2-10)" "v100,0,needle_cuda_shared_1,1,16,cycles,cycles,8867,8570
v100,1,needle_cuda_shared_1,2,16,cycles,cycles,9014,$(json "$work/replay.json" "d['launches'][1]['cycles']")"
is "standard input" "$(compare --measured - --json <$g/raw.csv | grep -v '"measured": "')" "$(grep -v '"measured": "' "$work/raw.csv.json")"
"$r" replay -q "$trace" -m v100 --set flush_caches=no --json >"$work/warm.json"
is "--cache-control none keeps caches, and what the host copied in L2" "$(compare --measured $g/raw.csv --cache-control none --json | python3 -c 'import json,sys; print([l["quantities"]["cycles"]["replayed"] for l in json.load(sys.stdin)["launches"]])')" \
    "$(json "$work/warm.json" "[float(l['cycles']) for l in d['launches']]")"

# ---- which launch is which
heading=$(grep '^"ID"' $g/raw.csv | tr -d '\r')
units=$(grep '^"",' $g/raw.csv | tr -d '\r')
row() { grep "^\"$1\"" $g/raw.csv | tr -d '\r'; }
{ echo "$heading"; echo "$units"; row 1; } >"$work/second.csv"
is "a launch alone is found by its grid" "$(compare --measured "$work/second.csv" --json | python3 -c 'import json,sys; d=json.load(sys.stdin); print([l["launch"] for l in d["launches"]], [(s["launch"], s["why"]) for s in d["not_compared"]])')" \
    "[1] [(0, 'not measured')]"
{ cat "$work/second.csv"; row 0 | sed 's/needle_cuda_shared_1/other/'; row 0 | sed 's/(1, 1, 1)/(3, 1, 1)/'; } >"$work/more.csv"
is "other kernels and shapes are named" "$(compare --measured "$work/more.csv" | sed -n '/not compared/,$p')" "not compared:
  line 4, other: $trace has no kernel 'other'; it has: needle_cuda_shared_1
  line 5, needle_cuda_shared_1: no launch of this kernel in the trace has this grid and block
  launch 0, needle_cuda_shared_1: not measured"
sed '/Profiling/d' $g/details-2020.txt | awk '/Context/ && n++ {exit} 1' >"$work/one.txt"
fails 2 "measured 1 time, and the trace has 2 launches of this kernel and shape" compare --measured "$work/one.txt"
is "--launch-skip says which" "$(compare --measured "$work/one.txt" --launch-skip 1 --json | python3 -c 'import json,sys; print([l["launch"] for l in json.load(sys.stdin)["launches"]])')" "[1]"
fails 2 "which is next, has another kernel, grid or block" compare --measured "$work/second.csv" --launch-skip 0
fails 2 "has 1 launch of kernels of the trace, which with --launch-skip 2 has 0 of them" compare --measured "$work/one.txt" --launch-skip 2

# ---- more launches in the file than in the trace: which of them were recorded is not known
compare_t() { "$r" compare -q "$work/two.wtr" -m v100 --measured "$@"; }
times_csv() { # KERNEL CYCLES...: a launch each
    local kernel=$1 id=0
    shift
    printf '"ID","Process ID","Kernel Name","Block Size","Grid Size","gpc__cycles_elapsed.max"\n"","","","","","cycle"\n'
    for cycles; do printf '"%s","47","%s","(32, 1, 1)","(1, 1, 1)","%s"\n' $((id++)) "$kernel" "$cycles"; done
}
cat >"$work/two.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry one(.param .u64 p) { ret; }
PTX
cat >"$work/two.cfg" <<'LAUNCHES'
buffers = { A = "zeros:256"; };
launches = (
    { kernel = "one"; grid = 1; block = 32; args = ("buf=A"); }, { kernel = "one"; grid = 1; block = 32; args = ("buf=A"); }
);
LAUNCHES
check "two launches are recorded" "$r" record -q -o "$work/two.wtr" --module "$work/two.ptx" --launch-file "$work/two.cfg"
times_csv one 2,000 2,001 2,002 2,003 >"$work/four.csv"
fails 2 "measured 4 times, and the trace has 2 launches of this kernel and shape: record all that were measured (without --launches" compare_t "$work/four.csv"
fails 2 "has 4 launches of kernels of the trace, which with --launch-skip 0 has 2 of them: record all" compare_t "$work/four.csv" --launch-skip 0
times_csv one 2,000 >"$work/first.csv"
fails 2 "measured 1 time, and the trace has 2 launches of this kernel and shape: say with --launch-skip" compare_t "$work/first.csv"
is "the first one, by --launch-skip" "$(compare_t "$work/first.csv" --launch-skip 0 --json | python3 -c 'import json,sys; print([l["launch"] for l in json.load(sys.stdin)["launches"]])')" "[0]"
times_csv one 2,000 2,001 2,000 2,001 >"$work/rows.csv"
fails 2 "lines 3 and 5 have the same values: does the output stand in the file twice?" compare_t "$work/rows.csv"
cat $g/raw.txt $g/raw.txt >"$work/doubled.txt"
fails 2 "have the same values: does the output stand in the file twice?" compare --measured "$work/doubled.txt"
{ echo "$heading"; echo "$units"; row 0; row 0; row 1; } >"$work/doubled.csv"
fails 2 "doubled.csv, line 4: launch 0 again of process 4711, which line 3 has" compare --measured "$work/doubled.csv"
cat $g/details.csv $g/details.csv >"$work/doubled.csv"
fails 2 "launch 0 again of process 4711, which line 8 has: rows or the whole output stand in the file twice" compare --measured "$work/doubled.csv"

{ times_csv one 2,000; times_csv one 2,001 2,002 | sed 's/"Grid Size"/"Other Size"/; s/"Block Size"/"Another Size"/; s/^"\([01]\)"/"7\1"/'; } >"$work/shapes.csv"
is "no launch is compared twice" "$(compare_t "$work/shapes.csv" --json | python3 -c 'import json,sys; print([l["launch"] for l in json.load(sys.stdin)["launches"]])')" "[0, 1]"
{ times_csv one 2,000 2,001; times_csv one 2,002 2,003 | sed 's/"Grid Size"/"Other Size"/; s/"Block Size"/"Another Size"/; s/^"\([01]\)"/"7\1"/'; } >"$work/shapes.csv"
is "... also where each alone would fit" "$(compare_t "$work/shapes.csv" --json | python3 -c 'import json,sys; d=json.load(sys.stdin); print([(l["launch"], l["line"]) for l in d["launches"]], [s["line"] for s in d["not_compared"]])')" \
    "[(0, 3), (1, 4)] [7, 8]"

# ---- names as ncu prints them: T1 is the first template argument
cat >"$work/t.cu" <<'CUDA'
template <class T, int N> __global__ void scale(T *p, int n, T by) { p[threadIdx.x] *= by; }
template __global__ void scale<float, 4>(float *, int, float);
template __global__ void scale<double, 4>(double *, int, double);
namespace { __global__ void hidden(int *p) { p[threadIdx.x] = 1; } }
void user(int *p) { hidden<<<1, 1>>>(p); }
extern "C" __global__ void plain(int *p) { p[threadIdx.x] = 1; }
CUDA
cat >"$work/t.cfg" <<'LAUNCHES'
buffers = { A = "zeros:256"; };
launches = (
    { kernel = "scale<float, 4>"; grid = 1; block = 32; args = ("buf=A", "i32=4", "f32=1"); },
    { kernel = "scale<double, 4>"; grid = 1; block = 32; args = ("buf=A", "i32=4", "f64=1"); },
    { kernel = "hidden"; grid = 1; block = 32; args = ("buf=A"); },
    { kernel = "plain"; grid = 1; block = 32; args = ("buf=A"); }
);
LAUNCHES
check "templates are recorded" "$r" record -q -o "$work/t.wtr" --module "$work/t.cu" --launch-file "$work/t.cfg"
names_csv() { # NAME...: one launch each
    printf '"ID","Kernel Name","Block Size","Grid Size","gpc__cycles_elapsed.max"\n"","","","","cycle"\n'
    for name; do printf '"0","%s","(32, 1, 1)","(1, 1, 1)","2,000"\n' "$name"; done
}
names_csv 'void scale<double, (int)4>(T1 *, int, T1)' 'plain(int *)' '<unnamed>::hidden(int *)' 'void scale<float, 4>' >"$work/names.csv"
is "each is the kernel that it is" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/names.csv" --json |
    python3 -c 'import json,sys; d=json.load(sys.stdin); print([l["launch"] for l in d["launches"]], d["not_compared"])')" "[1, 3, 2, 0] []"
names_csv 'void scale<T1, (int)4>(T1 *, int, T1)' 'plain(int *)' 'void scale<int, (int)4>(T1 *, int, T1)' >"$work/others.csv"
is "what is none of them is not guessed" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/others.csv" --json |
    python3 -c 'import json,sys; d=json.load(sys.stdin); print([l["launch"] for l in d["launches"]], [s["why"].split("has: ")[1] for s in d["not_compared"] if "line" in s])')" \
    "[3] ['scale<float, 4>, scale<double, 4>', 'scale<float, 4>, scale<double, 4>']"
names_csv scale 'plain(int *)' >"$work/several.csv"
is "a name that several kernels have is not guessed" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/several.csv" --json |
    python3 -c 'import json,sys; d=json.load(sys.stdin); print([l["launch"] for l in d["launches"]], [s["why"].split(": ")[1] for s in d["not_compared"] if "line" in s])')" \
    "[3] ['scale<float, 4>, scale<double, 4>']"

names_csv 'void scale<float, (int)4>(T1 *, int, int)' plain >"$work/parameters.csv"
is "other parameters are shown" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/parameters.csv" --json |
    python3 -c 'import json,sys; print([s["why"].split("; ")[1] for s in json.load(sys.stdin)["not_compared"] if "line" in s])')" \
    "[\"did you mean 'void scale<float, 4>(float*, int, float)'?\"]"

# Names that come again: each launch has its kernel, or why it has none
names_csv plain none plain none 'void scale<float, (int)4>(T1 *, int, T1)' none | awk -F, -v OFS=, '/^"0"/ {$1 = "\"" NR "\""} 1' >"$work/again.csv"
is "names that come again" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/again.csv" --json |
    python3 -c 'import json,sys; d=json.load(sys.stdin); print([(l["launch"], l["line"]) for l in d["launches"]], [(s["line"], s["kernel"], s["why"].split(":")[0].split("/")[-1] if s["kernel"] == "none" else s["why"].split(",")[0]) for s in d["not_compared"] if "line" in s])')" \
    "[(0, 7)] [(4, 'none', \"t.wtr has no kernel 'none'; it has\"), (6, 'none', \"t.wtr has no kernel 'none'; it has\"), (8, 'none', \"t.wtr has no kernel 'none'; it has\"), (3, 'plain', 'measured 2 times'), (5, 'plain', 'measured 2 times')]"

# Launches of one kernel and one reason are one line, which names those that it is of
{ echo 'buffers = { A = "zeros:256"; }; launches = ('
    for grid in 1 2 3 4 5 6 7; do echo "{ kernel = \"one\"; grid = $grid; block = 32; args = (\"buf=A\"); }$([ $grid = 7 ] || echo ,)"; done; echo ');'; } >"$work/seven.cfg"
check "seven launches are recorded" "$r" record -q -o "$work/seven.wtr" --module "$work/two.ptx" --launch-file "$work/seven.cfg"
grids_csv() { for grid; do echo "$grid"; done | awk 'BEGIN {print "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpc__cycles_elapsed.max\"\n\"\",\"\",\"\",\"\",\"cycle\""}
    {print "\"" NR "\",\"one\",\"(32, 1, 1)\",\"(" $1 ", 1, 1)\",\"2,000\""}'; }
strays() { "$r" compare -q "$work/seven.wtr" -m v100 --measured "$work/grids.csv" | sed -n '/not compared/,$p' | tail -n +2; }
grids_csv 2 >"$work/grids.csv"
is "a launch that was measured is none of them" "$(strays)" "  launches 0, 2 to 6 (6 launches), one: not measured"
grids_csv 10 2 11 12 4 13 6 >"$work/grids.csv"
is "nor is a line of the file" "$(strays)" "  lines 3, 5 to 6, 8 (4 launches), one: no launch of this kernel in the trace has this grid and block
  launches 0, 2, 4, 6 (4 launches), one: not measured"
"$r" compare "$work/seven.wtr" -m v100 --measured "$work/grids.csv" --csv >/dev/null 2>"$work/err"
is "as in warnings" "$(tail -1 "$work/err")" "reprise: warning: not compared: launches 0, 2, 4, 6 (4 launches), one: not measured"
grids_csv 10 >"$work/grids.csv"
fails 2 "(of 1 launch none is in the trace)" "$r" compare -q "$work/seven.wtr" -m v100 --measured "$work/grids.csv"

# ---- CSV has no room for what is not compared
"$r" compare "$trace" -m v100 --measured "$work/more.csv" --csv >"$work/out" 2>"$work/err"
is "CSV has the rows alone" "$(cut -d, -f3 "$work/out" | sort -u)" "1
launch"
is "warnings have the rest" "$(grep -v clock_mhz "$work/err")" "reprise: warning: not compared: line 4, other: $trace has no kernel 'other'; it has: needle_cuda_shared_1
reprise: warning: not compared: line 5, needle_cuda_shared_1: no launch of this kernel in the trace has this grid and block
reprise: warning: not compared: launch 0, needle_cuda_shared_1: not measured"
is "-q has none" "$(compare --measured "$work/more.csv" --csv 2>&1 >/dev/null)" ""

# ---- clocks: times of a replay are of the measured one
clock_csv() { # FREQUENCY UNIT [METRIC]: a launch of 8,867 cycles that takes 8,061 ns, which are 1,100 MHz
    printf '"ID","Kernel Name","Block Size","Grid Size","gpc__cycles_elapsed.max","gpu__time_duration.sum","%s"\n"","","","","cycle","nsecond","%s"\n' "${3:-gpc__cycles_elapsed.avg.per_second}" "$2"
    printf '"0","needle_cuda_shared_1","(16, 1, 1)","(1, 1, 1)","8,867","8,061","%s"\n' "$1"
}
compare_h100() { "$r" compare "$trace" -m h100 --measured "$work/clock.csv" "$@" 2>"$work/err"; }
while read -r frequency unit metric; do
    clock_csv "$frequency" "$unit" "$metric" >"$work/clock.csv"
    compare_h100 --json >"$work/clock.json"
    is "duration at $frequency $unit, $metric" "$(python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); l=d["launches"][0]; q=l["quantities"]
print(l["clock_mhz"], sorted(q), abs(q["duration"]["replayed"] - q["cycles"]["replayed"] / 1100) < 1e-6, abs(q["duration"]["error"] - q["cycles"]["error"]) < 1e-3, sorted(d["quantities"]))' "$work/clock.json")" \
        "1100.0 ['cycles', 'duration'] True True ['cycles', 'duration']"
done <<'END'
1.10 Ghz gpc__cycles_elapsed.avg.per_second
1.10 cycle/nsecond smsp__cycles_elapsed.avg.per_second
1,100 cycle/usecond sm__cycles_elapsed.avg.per_second
1,100,000,000 hz SM Frequency
END
is "another clock is said once" "$(cat "$work/err")" "reprise: warning: $work/clock.csv, line 3: measured at 1100 MHz, and clock_mhz of h100 is 1980: where a kernel waits for memory, its cycles differ, too; --set clock_mhz=1100 replays at that clock"
is "CSV has the same duration" "$(compare_h100 --csv | grep ',duration,' | cut -d, -f10)" "$(python3 -c 'import json,sys; print("%.2f" % json.load(open(sys.argv[1]))["launches"][0]["quantities"]["duration"]["replayed"])' "$work/clock.json")"
is "the text says so" "$(compare_h100 | grep '^duration')" "duration: replayed cycles at the SM frequency that was measured"
is "at the same clock nothing is said" "$(compare_h100 --set clock_mhz=1100 --csv >/dev/null; grep clock "$work/err")" ""
clock_csv 5 "" other >"$work/clock.csv"
compare_h100 --json >"$work/clock.json"
is "without a frequency it is the machine's" "$(python3 -c 'import json,sys; l=json.load(open(sys.argv[1]))["launches"][0]; q=l["quantities"]; print(l["clock_mhz"], abs(q["duration"]["replayed"] - q["cycles"]["replayed"] / 1980) < 1e-6)' "$work/clock.json")" "1980.0 True"
is "and that it is another one is said" "$(cat "$work/err")" "reprise: warning: $work/clock.csv, line 3: 8867 cycles in 8.06 us are about 1100 MHz, and clock_mhz of h100 is 1980, which its durations are of; have ncu measure the clock, too (gpc__cycles_elapsed.avg.per_second), or give --set clock_mhz"
is "nothing of clocks in the text" "$(compare_h100 -q | grep '^duration')$(cat "$work/err")" ""
clock_csv 1.10 usecond >"$work/clock.csv"
fails 2 "gpc__cycles_elapsed.avg.per_second is a frequency, and not '1.10' in unit 'usecond'" compare --measured "$work/clock.csv"
sed -i 's/"gpc__cycles_elapsed.max"/"no"/; s/"gpu__time_duration.sum"/"none"/; s/"usecond"/"Ghz"/' "$work/clock.csv"
fails 2 "1 launch, and no value that is compared" compare --measured "$work/clock.csv"

# ---- what was measured as 0
times_csv one 2,000 0 >"$work/zero.csv"
is "median and mean are of the others" "$(compare_t "$work/zero.csv" --json | python3 -c 'import json,sys; c=json.load(sys.stdin)["quantities"]["cycles"]; print(c["launches"], c["measured_as_0"], c["median_error"] == c["mean_error"] == abs(c["largest_error"]) > 0, c["largest_of"])')" "1 1 True 0"
check "and it is said how many these are" eval 'compare_t "$work/zero.csv" | grep -q "^cycles *1 of 2  *[0-9.]* %  *[0-9.]* %"'
times_csv one 0 0 >"$work/zero.csv"
is "there may be none" "$(compare_t "$work/zero.csv" | tail -1 | xargs)" "cycles 0 of 2 - - - -"

# ---- control characters of names
names_csv "$(printf '\033[31mevil\007\302\2331m')" plain >"$work/control.csv"
is "escaped in the text" "$("$r" compare -q "$work/t.wtr" -m v100 --measured "$work/control.csv" | grep -o "line 3, .*: " | tr -d '\n')" \
    "line 3, \\x1b[31mevil\\x07\\xc2\\x9b1m: "
names_csv "$(printf '\033[31mevil\007')" >"$work/control.csv"
fails 2 "control.csv, line 3: '\\x1b[31mevil\\x07':" "$r" compare -q "$work/t.wtr" -m v100 --measured "$work/control.csv"

# ---- bad input
fails 1 "what was measured?" "$r" compare "$trace" -m v100
fails 1 "--cache-control some: give all or none" compare --measured $g/raw.csv --cache-control some
fails 1 "machine manycore-32 has cores, which replay programs that 'reprise record --guest' records, and ncu measures kernels of a GPU" "$r" compare "$trace" -m manycore-32 --measured $g/raw.csv
fails 1 "nosuch" "$r" compare "$trace" -m manycore-32 --set nosuch=1 --measured $g/raw.csv
is "an option that was given is named" "$(cat "$work/err" | grep -c flush)" 0
fails 2 "nothing.csv" compare --measured "$work/nothing.csv"
: >"$work/empty"
fails 2 "no launch in what Nsight Compute prints" compare --measured "$work/empty"
fails 2 "no launch in what Nsight Compute prints" compare --measured /dev/null
fails 2 "is a folder" compare --measured "$work"
fails 2 "ncu --import" compare --measured "$trace"
head -c -30 $g/raw.csv >"$work/cut.csv"
fails 2 "cut.csv, line 5" compare --measured "$work/cut.csv"
sed 's/"8,867"/"8.867,00"/' $g/raw.csv >"$work/german.csv"
fails 2 "german.csv, line 4: '8.867,00' is no number" compare --measured "$work/german.csv"
sed 's/"8,867"/"8.867"/' $g/raw.csv >"$work/german.csv"
fails 2 "german.csv, line 4: gpc__cycles_elapsed.max is a whole number, and not '8.867'" compare --measured "$work/german.csv"
sed 's/"92.85"/"90.321"/; s/"dram__bytes_read.sum"/"dram__throughput.pct"/; s/"3.264"/"12,5"/' $g/raw.csv >"$work/german.csv"
fails 2 "german.csv, line 4: '12,5' is no number (dram__throughput.pct)" compare --measured "$work/german.csv"
sed 's/"8,867"/"0x22a3"/' $g/raw.csv >"$work/hexadecimal.csv"
fails 2 "hexadecimal.csv, line 4: '0x22a3' is no number" compare --measured "$work/hexadecimal.csv"
sed 's/"(1, 1, 1)"/"(4294967297, 1, 1)"/' $g/raw.csv >"$work/grid.csv"
fails 2 "grid.csv, line 4: '(4294967297, 1, 1)' is no grid" compare --measured "$work/grid.csv"
sed 's/"(16, 1, 1)"/"16"/' $g/raw.csv >"$work/block.csv"
fails 2 "block.csv, line 4: '16' is no block" compare --measured "$work/block.csv"
sed '/^"/s/"Process Name"/"Kernel Name"/' $g/raw.csv >"$work/names.csv"
fails 2 "names.csv, line 2: two columns are called 'Kernel Name'" compare --measured "$work/names.csv"
sed 's/"usecond"/"fortnight"/' $g/raw.csv >"$work/unit.csv"
fails 2 "unknown unit 'fortnight'" compare --measured "$work/unit.csv"
sed 's/"usecond"/"cycle"/' $g/raw.csv >"$work/time.csv"
fails 2 "time.csv, line 4: gpu__time_duration.sum is a time, and not '9.57' in unit 'cycle'" compare --measured "$work/time.csv"
sed 's/"cycle","usecond"/"usecond","usecond"/' $g/raw.csv >"$work/cycles.csv"
fails 2 "cycles.csv, line 4: gpc__cycles_elapsed.max is a number, and not '8,867' in unit 'usecond'" compare --measured "$work/cycles.csv"
sed 's/"8,867"/"-8,867"/' $g/raw.csv >"$work/negative.csv"
fails 2 "negative.csv, line 4: gpc__cycles_elapsed.max is a number, and not '-8,867' in unit 'cycle'" compare --measured "$work/negative.csv"
sed '/^"","",/d' $g/raw.csv >"$work/unitless.csv"
fails 2 "unitless.csv, line 3: the row of units behind the heading is missing" compare --measured "$work/unitless.csv"
sed 's/dram__bytes_read.sum/gpc__cycles_elapsed.max/; s/"Kbyte"/"cycle"/; s/"3.264"/"3,264"/; s/"6.336"/"6,336"/' $g/raw.csv >"$work/twice.csv"
fails 2 "twice.csv, line 4: another value of gpc__cycles_elapsed.max for the same launch" compare --measured "$work/twice.csv"
for order in "lts__t_sectors.sum 111 lts__t_sectors_srcunit_tex.sum 100" "lts__t_sectors_srcunit_tex.sum 100 lts__t_sectors.sum 111"; do
    read -r one first other second <<<"$order"
    printf '"ID","Kernel Name","Block Size","Grid Size","%s","%s"\n"","","","","sector","sector"\n"0","needle_cuda_shared_1","(16, 1, 1)","(1, 1, 1)","%s","%s"\n' "$one" "$other" "$first" "$second" >"$work/both.csv"
    is "of two metrics the same one counts, whatever their order" "$(compare --measured "$work/both.csv" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["launches"][0]["quantities"]["l2_sectors"]["measured"])')" 100.0
done
# Names of compute capability 12.0
while read -r metric unit name values; do
    sed "s/dram__bytes_read.sum/$metric/; s/\"Kbyte\"/\"$unit\"/" $g/raw.csv >"$work/op.csv"
    is "$metric" "$(compare --measured "$work/op.csv" --json | python3 -c 'import json,sys; print([l["quantities"][sys.argv[1]]["measured"] for l in json.load(sys.stdin)["launches"]])' "$name")" "$values"
done <<'END'
dram__bytes_op_read.sum Kbyte dram_read_sectors [102.0, 198.0]
dram__bytes_op_write.sum Kbyte dram_write_sectors [102.0, 198.0]
dram__sectors_op_read.sum Ksector dram_read_sectors [3264.0, 6336.0]
dram__sectors_op_write.sum Ksector dram_write_sectors [3264.0, 6336.0]
END
printf '"ID","Kernel Name","Block Size","Grid Size","gpc__cycles_elapsed.max"\n"","","","","cycle"\n"0","needle_cuda_shared_1","(16, 1, 1)","(1, 1, 1)","n/a"\n' >"$work/none.csv"
fails 2 "none.csv: 1 launch, and no value that is compared" compare --measured "$work/none.csv"
cycles() { compare --measured "$1" --json | python3 -c 'import json,sys; print([l["quantities"]["cycles"]["measured"] for l in json.load(sys.stdin)["launches"]])'; }
# What ncu prints of a metric that has no value, in all formats: it is passed over, and the others are read
for value in '(!) n/a' '(!) nan' '-nan' 'inf' '(!) -inf'; do
    sed "s,\"3.264\",\"$value\"," $g/raw.csv >"$work/absent.csv"
    sed "s,\"52.11\",\"$value\"," $g/details.csv >"$work/absent-long.csv"
    sed "s,Kbyte        3.264,Kbyte $value," $g/raw.txt >"$work/absent.txt"
    sed "s,Kbyte        3.264,      $value," $g/raw.txt >"$work/absent-bare.txt"
    for f in absent.csv absent.txt absent-bare.txt; do
        is "no value: $value, $f" "$(compare --measured "$work/$f" --json | python3 -c 'import json,sys; print([("dram_read_sectors" in l["quantities"], l["quantities"]["cycles"]["measured"]) for l in json.load(sys.stdin)["launches"]])')" \
            "[(False, 8867.0), (True, 9014.0)]"
    done
    is "no value: $value, a row for each metric" "$(compare --measured "$work/absent-long.csv" --json | python3 -c 'import json,sys; print(["l2_hit_rate" in l["quantities"] for l in json.load(sys.stdin)["launches"]])')" "[False, True]"
done
sed 's/"3.264"/"(!) 3.264"/' $g/raw.csv >"$work/marked.csv"
fails 2 "marked.csv, line 4: '(!) 3.264' is no number (dram__bytes_read.sum)" compare --measured "$work/marked.csv"
is "and English would not help" "$(grep -c English "$work/err")" 0
sed 's/Kbyte        3.264/Kbyte    (!) 3.264/' $g/raw.txt >"$work/marked.txt"
fails 2 "marked.txt, line 9: '(!) 3.264' is no number (dram__bytes_read.sum)" compare --measured "$work/marked.txt"
# --print-metric-instances values: the value, and those of the instances
sed 's/"8,867"/"8,867 (8,867; 8,800)"/' $g/raw.csv >"$work/instances.csv"
is "a value before its instances" "$(cycles "$work/instances.csv")" "[8867.0, 9014.0]"
for value in '(8,867; 8,800)' '8,867 (8,867; 8,800' '8,867 pieces'; do
    sed "s/\"8,867\"/\"$value\"/" $g/raw.csv >"$work/instances.csv"
    fails 2 "instances.csv, line 4: '$value' is no number (gpc__cycles_elapsed.max)" compare --measured "$work/instances.csv"
done
is "nor here" "$(grep -c English "$work/err")" 0
iconv -f UTF-8 -t UTF-16 $g/raw.csv >"$work/wide.csv"
fails 2 "text in UTF-16, as PowerShell writes it; iconv" compare --measured "$work/wide.csv"
for n in 12 23 27 33; do # within the first table, before its end, behind the second launch's line, within its table
    sed "${n}q" $g/raw.txt >"$work/cut.txt"
    fails 2 "cut.txt, line $n: the text is cut off: the metrics of the launch of line" compare --measured "$work/cut.txt"
done
for f in raw.csv details.csv raw.txt; do
    { printf '\xef\xbb\xbf'; sed '/^==PROF/d; /^Start/d' $g/$f; } >"$work/mark"
    is "a byte order mark before $f" "$(cycles "$work/mark")" "[8867.0, 9014.0]"
done
{ echo "$heading"; echo "$units"; row 0; echo '"ID","Kernel Name","Grid Size","Block Size","gpc__cycles_elapsed.max"'; echo '"","","","","cycle"'
    echo '"0","needle_cuda_shared_1","(2, 1, 1)","(16, 1, 1)","9,015"'; } >"$work/tables.csv"
sed '/^"/!d; s/"\([^",]*\)"/\1/g' $g/raw.csv >"$work/bare.csv"
is "fields without quotes" "$(cycles "$work/bare.csv")" "[8867.0, 9014.0]"
head -c -30 "$work/bare.csv" >"$work/cut.csv"
fails 2 "cut.csv, line 4: 22 fields, and the heading has 27: the line is cut off" compare --measured "$work/cut.csv"
# Lines of the program between rows, also in quotes; a name that goes on in the next line
{ echo "$heading"; echo "$units"; row 0; printf '"a line"\n"a", "b"\n"unclosed\n12 rounds\n"3 rounds"\n'; row 1; echo '"unclosed'; } >"$work/lines.csv"
is "lines of the program that begin with a quote" "$(cycles "$work/lines.csv")" "[8867.0, 9014.0]"
{ sed -n 1,3p "$work/bare.csv"; echo '12 rounds'; sed -n 4p "$work/bare.csv"; } >"$work/lines.csv"
is "and with a number" "$(cycles "$work/lines.csv")" "[8867.0, 9014.0]"
{ echo "$heading"; echo "$units"; row 0; echo '"3"'; row 1; } >"$work/lines.csv"
fails 2 "lines.csv, line 4: 1 field, and the heading has 27: the line is cut off. If the program printed it: ncu --log-file keeps" compare --measured "$work/lines.csv"
{ echo "$heading"; echo "$units"; row 0 | sed 's/$/,"28"/'; } >"$work/longer.csv"
fails 2 "longer.csv, line 3: 28 fields, and the heading has 27: a field has a comma and no quotes, or another line follows without a line end. If" compare --measured "$work/longer.csv"
is "nothing is cut off there" "$(grep -c 'cut off' "$work/err")" 0
sed 's/needle_cuda_shared/needle_cuda\n_shared/' $g/raw.csv >"$work/lines.csv"
fails 2 "lines.csv, line 4: a quote is not closed: a field has a line end, which no row may have, or the line is cut off" compare --measured "$work/lines.csv"
sed 's/","/";"/g' $g/raw.csv >"$work/semicolons.csv"
fails 2 "semicolons.csv: its fields are separated by semicolons" compare --measured "$work/semicolons.csv"
sed 's/$/\r/' $g/raw.csv >"$work/returns.csv"
is "lines that end in CR CR LF" "$(cycles "$work/returns.csv")" "[8867.0, 9014.0]"
is "two tables in one file" "$(cycles "$work/tables.csv")" "[8867.0, 9015.0]"
says() { "$r" compare "$trace" -m "$1" --measured "$2" 2>&1 >/dev/null | grep warning | grep -v clock_mhz; } # but of clocks, see below
is "the GPU that the machine stands for" "$(says v100 $g/raw.csv)" ""
is "another GPU" "$(says a100 $g/raw.txt)" "reprise: warning: $g/raw.txt, line 4: measured on a device of compute capability 7.0; a100 has 8.0"
sed 's/"41.07"/"141.07"/' $g/raw.csv >"$work/share.csv"
is "a hit rate above 100 % is said, and kept" "$(says v100 "$work/share.csv" | sed 's/:[^:]*$//') $(compare --measured "$work/share.csv" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["launches"][0]["quantities"]["l1_hit_rate"]["measured"])')" \
    "reprise: warning: $work/share.csv, line 4: l1tex__t_sector_hit_rate.pct is 141.07 %, and no share is above 100 % 141.07"
sed 's/"52.11"/"101"/; s/"51.30"/"102"/' $g/raw.csv >"$work/share.csv"
is "how many there are" "$(says v100 "$work/share.csv" | grep -c 'line 4: lts__t_sector_hit_rate.pct is 101 %.*(of 2 values this is the first)')" 1
{ echo "$heading"; echo "$units"; row 0; row 1 | sed 's/"0","7.0"/"1","7.0"/'; } >"$work/devices.csv"
for order in "details.csv raw.txt 42" "raw.txt details.csv 4"; do
    read -r one other line <<<"$order"
    cat $g/$one $g/$other >"$work/mixed"
    is "text beside CSV, $order" "$(says v100 "$work/mixed")" \
        "reprise: warning: $work/mixed, line $line: 2 launches in the text of ncu are passed over; the file has CSV, too, which is read"
done
without() { sed "/^\"/s/\"$1\"/\"No $1\"/" $g/raw.csv >"$work/without.csv"; }
without "Grid Size"
is "a grid that is missing" "$(says v100 "$work/without.csv")" \
    "reprise: warning: $work/without.csv, line 4: the grid of launches is missing (ncu prints it from 2022.1 on); their order alone says which is which"
without "Block Size"
is "a block that is missing, where grids tell" "$(says v100 "$work/without.csv")" ""
is "... which count" "$(cycles "$work/without.csv")" "[8867.0, 9014.0]"
is "releases without shapes" "$(says v100 $g/details-2020.txt)" \
    "reprise: warning: $g/details-2020.txt, line 4: the shape of launches is missing (ncu prints it from 2022.1 on); their order alone says which is which"
is "several devices" "$(says v100 "$work/devices.csv")" "reprise: warning: $work/devices.csv, line 4: measured on another device than the launch of line 3"
echo '"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"' >"$work/summary.csv"
fails 2 "without --print-summary" compare --measured "$work/summary.csv"
fails 2 "not a Reprise trace" "$r" compare $g/raw.csv -m v100 --measured $g/raw.csv
for n in 100 700 1300 1500 2100; do
    head -c $n $g/details.csv >"$work/part"
    compare --measured "$work/part" >/dev/null 2>"$work/err"
    status=$?
    { [ $status = 0 ] || { [ $status = 2 ] && [ "$(wc -l <"$work/err")" = 1 ]; }; } && echo "ok - cut after $n bytes" || echo "not ok - cut after $n bytes: $status"
done

# ---- what docs/compare.md says of metrics is what is read
grep -o '^METRIC("[^"]*"' tools/compare/quantities.def | sed 's/METRIC("//; s/"$//' | sort >"$work/read"
sed -n '/^| quantity/,/^$/p' docs/compare.md | sed 1,2d | cut -d'|' -f3 | sed 's,/ 32,,g' | tr ',' '\n' | sed 's/[`]//g; s/^ *//; s/ *$//; /^$/d' | sort >"$work/documented"
check "docs/compare.md names every metric" diff "$work/read" "$work/documented"
