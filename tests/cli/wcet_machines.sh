#!/bin/bash
# reprise wcet on real machines: what they need, in one message; --relax; the ready machines orin-bound and tx2-bound.
set -u
. tests/support/cli.sh
needs "$BUILD/record-cases"
cases=$("$BUILD/record-cases" "$work" sgemm_double_4 matmul=64 gemm=16 reduce_tree scan histogram_global local_array) || echo "not ok - record"
trace=$work/sgemm_double_4.wtr

# ---- all that a machine needs --------------------------------------------------------------------------------------
fails 2 "--set units.lsu.queue=0 --set units.barrier.subcores=1 --set lsu.queue=-1 --set l1.queue=-1" "$r" wcet "$trace" -m rtx2060
cp "$work/err" "$work/rtx2060.err"
read -r -a said <<<"$(grep -oE -- '--set [^ ,]+|--assume [a-z,-]*[a-z]' "$work/rtx2060.err" | tr '\n' ' ')"
check "what the message says is all that it takes" "$r" wcet "$trace" -m rtx2060 "${said[@]}"
for pair in "orin orin-bound" "jetson-tx2 tx2-bound"; do
    read -r real bound <<<"$pair"
    fails 2 "Take '--machine $bound --assume all': it is $real for bounds" "$r" wcet "$trace" -m "$real"
    read -r -a said <<<"$(sed -n "s/.*Take '\([^']*\)'.*/\1/p" "$work/err")"
    check "$bound is ready" "$r" wcet -q "$trace" "${said[@]}"
    check "--relax names it, too" grep -qF -- "'--machine $bound --assume all' is $real for bounds" <("$r" wcet "$trace" -q -m "$real" --relax)
done
fails 2 "--assume subcores,conflicts,transactions,caches,dual-issue covers it" "$r" wcet "$trace" -m tx2-pastis

# ---- --relax -------------------------------------------------------------------------------------------------------
for m in $("$r" machine list | cut -d' ' -f1); do
    if "$r" machine show "$m" | grep -qE 'pipeline: \{ model = "(direct)"' && "$r" machine show "$m" | grep -q 'memory: { model = "hierarchy"'; then
        check "$m, relaxed" "$r" wcet "$trace" -q -m "$m" --relax --check gto,random --csv
    else
        fails 1 "machine $m: " "$r" wcet "$trace" -m "$m" --relax
    fi
done
"$r" wcet "$trace" -m orin --relax --json >"$work/relaxed.json"
"$r" wcet "$trace" -m orin --relax >"$work/relaxed.txt"
read -r -a printed <<<"$(grep -- '^--set' "$work/relaxed.txt")"
is "what it prints makes the same machine" "$("$r" machine show orin "${printed[@]}" | head -1)" "# orin, hash $(json "$work/relaxed.json" 'd["valid_for"]["hash"]')"
is "JSON has the settings, too" "$(json "$work/relaxed.json" 'd["valid_for"]["relaxed"]["l2"], d["valid_for"]["assumptions"]')" \
    "('none', ['subcores', 'conflicts', 'transactions'])"
"$r" wcet "$trace" -m orin-wcet --relax >"$work/whole.txt"
is "nothing is relaxed where nothing has to be" "$(grep -c Relaxed "$work/whole.txt")" 0
is "each table says what the bounds are valid for" "$(grep -c '^Bounds are valid for the path that each warp took' "$work/relaxed.txt" "$work/whole.txt" | cut -d: -f2 | tr '\n' ' ')" "1 1 "

# ---- orin-bound and tx2-bound: no replay on the real one is beyond the bound --------------------------------------
for pair in "orin orin-bound" "jetson-tx2 tx2-bound"; do
    read -r real bound <<<"$pair"
    for t in $cases; do
        "$r" wcet -q "$t" -m "$bound" --assume all --exhaust 0 --json >"$work/b.json" 2>"$work/err"
        status=$?
        "$r" replay -q "$t" -m "$real" --json >"$work/r.json"
        if [ "${t##*/}" = local_array.wtr ]; then
            is "$bound: local memory is refused" "$status $(grep -c 'local memory' "$work/err")" "2 1"
            continue
        fi
        is "$bound: ${t##*/} takes no longer on $real" "$(python3 - "$work/b.json" "$work/r.json" <<'PY'
import json, sys
bounds, replays = (json.load(open(f))["traces"][0]["launches"] for f in sys.argv[1:])
print(len(bounds) == len(replays) and all(r["cycles"] <= b["unit_bound"] for b, r in zip(bounds, replays)))
PY
        )" True
    done
done

# ---- traces that do not fit ----------------------------------------------------------------------------------------
"$r" wcet -q "$work/matmul.wtr" "$trace" "$work/local_array.wtr" -m orin-bound --assume all --json >"$work/some.json" 2>"$work/err"
is "a trace that does not fit is left out, and the status says so" "$? $(wc -l <"$work/err")" "2 1"
is "with a reason" "$(json "$work/some.json" '[(len(t["launches"]), [s["launch"] for s in t["skipped"] if "local memory" in s["reason"]]) for t in d["traces"]]')" \
    "[(1, []), (1, []), (0, [0])]"
"$r" wcet -q "$work/matmul.wtr" "$trace" -m orin-wcet --csv >"$work/some.csv" 2>"$work/err"
is "CSV has those that fit, and why others do not" "$? $(wc -l <"$work/some.csv") $(grep -c 'matmul.wtr: launch 0 is left out: .*--assume blocks' "$work/err") $(grep -c 'matmul.wtr,orin-wcet,0,matmul,.*,"machine orin-wcet: not covered: .*--assume blocks' "$work/some.csv")" "2 3 1 0"
"$r" wcet -q "$work/matmul.wtr" "$work/matmul.wtr" -m orin-wcet >"$work/none" 2>"$work/err"
is "no table where none fits" "$? $(wc -c <"$work/none") $(wc -l <"$work/err")" "2 0 2"
"$r" wcet -q "$work/matmul.wtr" "$trace" -m orin-wcet --grid latency=200 policy=gto --csv >"$work/grid.csv" 2>"$work/err"
is "nor in a grid" "$? $(wc -l <"$work/grid.csv") $(grep -c 'is left out' "$work/err")" "2 4 1"

# several launches of a trace: each reason once, with its launches
cat >"$work/two.ptx" <<'PTX'
.version 6.0
.target sm_70
.address_size 64
.visible .entry plain() { ret; }
.visible .entry local() { .reg .b32 %a; .local .b32 x[4]; mov.u32 %a, %tid.x; st.local.u32 [x], %a; ret; }
PTX
launch() { echo "{ kernel = \"$1\"; grid = $2; block = 32; }"; }
echo "launches = ( $(launch plain 1), $(launch plain 3), $(launch plain 2), $(launch local 1), $(launch plain 3) );" >"$work/two.cfg"
"$r" record -q -o "$work/two.wtr" --module "$work/two.ptx" --launch-file "$work/two.cfg"
"$r" wcet -q "$work/two.wtr" -m orin-bound --assume subcores,conflicts,transactions --csv >"$work/two.csv" 2>"$work/err"
is "launches that do not fit: status, rows and lines" "$? $(wc -l <"$work/two.csv") $(grep -c ",$" "$work/two.csv") $(wc -l <"$work/err")" "2 6 1 2"
is "... each reason with its launches" "$(grep -oE 'launch.* left out: (machine|kernel)' "$work/err" | tr '\n' ' ')" \
    "launches 1..2, 4 are left out: machine launch 3 is left out: kernel "
is "... and the launch is said once" "$(grep -c 'launch.*launch [0-9]*:' "$work/err")" 0

"$r" wcet -q "$work/two.wtr" "$work/matmul.wtr" -m orin-bound --assume subcores,conflicts,transactions --grid latency=100,200 policy=gto --json >"$work/grid.json" 2>"$work/err"
is "... in a grid, too: each reason of each trace once" "$? $(wc -l <"$work/err") $(grep -oE '(two|matmul).wtr: launch.* left out' "$work/err" | tr '\n' ' ')" \
    "2 3 two.wtr: launches 1..2, 4 are left out two.wtr: launch 3 is left out matmul.wtr: launch 0 is left out "
is "... and in JSON for each value" "$(json "$work/grid.json" 'len(d["rows"]), [(s["value"], s["trace"][-7:], s["launch"]) for s in d["skipped"]][3:6]')" \
    "(6, [('100', 'two.wtr', 4), ('100', 'mul.wtr', 0), ('200', 'two.wtr', 1)])"
for options in "" "--grid latency=100 policy=gto"; do
    # shellcheck disable=SC2086
    "$r" wcet -q "$work/matmul.wtr" -m orin-bound $options --json >"$work/none.json" 2>"$work/err"
    is "JSON where nothing has a bound ${options%% *}" "$? $(json "$work/none.json" '[(s["launch"], "--assume" in s["reason"]) for s in d["skipped"]], d["rows" if "rows" in d else "launches"]')" "2 ([(0, True)], [])"
done

# ---- what a bound is valid for --------------------------------------------------------------------------------------
"$r" wcet -q "$trace" -m orin --relax --csv >"$work/relaxed.csv"
is "CSV says what was assumed and relaxed" "$(python3 -c 'import csv, sys; r = next(csv.DictReader(open(sys.argv[1]))); print(r["assumptions"], "l2=none" in r["relaxed"].split())' "$work/relaxed.csv")" "subcores conflicts transactions True"

# ---- a stopped search ----------------------------------------------------------------------------------------------
python3 - "$r" "$work/gemm.wtr" "$trace" >"$work/stopped" <<'PY'
import json, signal, subprocess, sys
r, *traces = sys.argv[1:]
def stopped(by, *arguments):
    p = subprocess.Popen([r, 'wcet', *traces, '-m', 'orin-wcet', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in p.stderr:  # the line of progress says that the search has begun
        if 'states of schedules' in line:
            p.send_signal(by)
            break
    out, err = p.communicate()
    return p.returncode == -by and 'reprise: stopped' in err, out
fine, out = stopped(signal.SIGINT, '--exhaust', '1000000000')
print(fine, ' gemm ' in out or ' double_4 ' in out, 'Not exact: 1 launch whose search was stopped' in out, 'Bounds are valid for the path' in out)
whole = {l['kernel']: l for t in json.loads(subprocess.run([r, 'wcet', '-q', *traces, '-m', 'orin-wcet', '--exhaust', '0', '--json'], stdout=subprocess.PIPE).stdout)['traces'] for l in t['launches']}
fine, out = stopped(signal.SIGTERM, '--exhaust', '1000000000', '--json')
found = [l for t in json.loads(out)['traces'] for l in t['launches']]
print(fine, all(l['unit_bound'] == whole[l['kernel']]['unit_bound'] and l['exact'] is None and l['stopped'] for l in found), len(found))
PY
is "a search that is stopped prints what was found" "$(head -1 "$work/stopped")" "True True True True"
is "... and bounds that are those without a search" "$(tail -1 "$work/stopped")" "True True 1"
