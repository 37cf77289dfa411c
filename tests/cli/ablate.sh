#!/bin/bash
# reprise ablate against reprise replay of each machine, and against figures worked out here.
set -u
. tests/support/cli.sh
needs "$BUILD/programs/synthetic"
fails() { # status, text, options: one line
    local status=$1 text=$2 got
    shift 2
    "$r" ablate -q "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then echo "ok - refuses: $text"; else
        echo "not ok - refuses: $text"; echo "  $got: $(cat "$work/err")" >&2; fi
}
for seed in 3 6; do "$BUILD/programs/synthetic" $seed "$work/$seed.wtr" || exit 1; done
traces=("$work/3.wtr" "$work/6.wtr")
on=(-m jetson-tx2 --set l1.size=16K --set icache=set-associative --set icache.line=128 --set icache.sets=4 --set icache.ways=2
    --set icache.latency=50)
"$r" ablate -q --cumulative "${traces[@]}" "${on[@]}" --json >"$work/steps.json"
"$r" ablate -q --cumulative "${traces[@]}" "${on[@]}" --json --threads 3 | cmp -s - "$work/steps.json" && echo "ok - threads change nothing" || echo "not ok - threads change nothing"
"$r" ablate -q "${traces[@]}" "${on[@]}" --alone --json >"$work/alone.json"
"$r" ablate -q --cumulative "${traces[@]}" "${on[@]}" --csv >"$work/steps.csv"
"$r" ablate -q --cumulative "${traces[@]}" -m jetson-tx2 --step "near DRAM:dram.latency=1" --step dram.latency=1000,l2=none --step none:l1.size=24K --json >"$work/own.json"
"$r" ablate -q --cumulative "${traces[0]}" -m rtx2060-accelsim --csv | grep -q ',no caches,single issue,[0-9.]*,[0-9]' && echo "ok - the staged pipeline goes without caches" || echo "not ok - the staged pipeline goes without caches"
n=0 steps=()
for settings in "" "icache=perfect" "subcores=1 l1.subcores=1 icache.subcores=1" "issue.width=1" "l1=none l2=none" "coalescer=ideal"; do
    for s in $settings; do
        steps+=(--set "$s")
    done
    for t in 0 1; do
        # what is set for a part cannot be given when that goes away
        args=()
        for o in "${on[@]}"; do
            case "$o ${steps[*]}" in
                l1.size*l1=none*) args=("${args[@]:0:${#args[@]}-1}") ;;
                icache*.*icache=perfect* | icache=set*icache=perfect*) args=("${args[@]:0:${#args[@]}-1}") ;;
                *) args+=("$o") ;;
            esac
        done
        "$r" replay -q "${traces[t]}" "${args[@]}" "${steps[@]}" --json >"$work/step.$n.$t.json" || echo "not ok - replay ${args[*]} ${steps[*]}"
    done
    n=$((n + 1))
done
python3 - "$work" <<'PY'
import csv, json, statistics, sys
folder = sys.argv[1] + '/'
def check(what, fine, more=''):
    print(('ok - ' if fine else 'not ok - ') + what)
    if not fine:
        print('  ', more, file=sys.stderr)
steps, alone, own = (json.load(open(folder + n + '.json')) for n in ('steps', 'alone', 'own'))
cycles = lambda d, stage: [[l['cycles'] for l in t['stages'][stage]['launches']] for t in d['traces']]
names = lambda d: [s['step'] for s in d['traces'][0]['stages']]
for n in range(6):
    for t in (0, 1):
        replay = json.load(open(f'{folder}step.{n}.{t}.json'))['traces'][0]
        check(f'step {n}, trace {t}: launches and sums are those of replay', all(steps['traces'][t]['stages'][n][k] == replay[k] for k in ('launches', 'total')))
replays = [[[l['cycles'] for l in json.load(open(f'{folder}step.{n}.{t}.json'))['traces'][0]['launches']] for t in (0, 1)] for n in range(6)]
for n in range(6):
    check(f'after step {n} the cycles are those of the machine', cycles(steps, n) == replays[n], (cycles(steps, n), replays[n]))
def figures(name, d, before):
    near = lambda a, b: abs(a - b) < 1e-6 * abs(b) + 1e-9
    for n, s in enumerate(d['steps']):
        a, b = ([c for t in cycles(d, i) for c in t] for i in (before(n), n + 1))
        q = [x / y for x, y in zip(a, b)]
        check(f'{name}: figures of "{s["step"]}"', s['launches'] == len(q) and near(s['speedup'], statistics.mean(q)) and
              near(s['deviation'], statistics.stdev(q)) and near(s['least'], min(q)) and near(s['greatest'], max(q)) and
              s['against'] == names(d)[before(n)], (s, q))
figures('one after the other', steps, lambda n: n)
figures('alone', alone, lambda n: 0)
figures('own steps', own, lambda n: n)
check('the instruction cache matters here', steps['steps'][0]['changes'] and steps['steps'][0]['speedup'] > 1.01)
check('own steps have their names', [s['step'] for s in own['steps']] == ['near DRAM', 'dram.latency=1000,l2=none', 'none'], own['steps'])
check('and their settings', own['steps'][1]['set'] == {'dram.latency': 1000, 'l2': 'none'} and own['traces'][0]['stages'][2]['machine']['options']['l2.model'] == 'none')
check('a step that changes nothing says so', [s['changes'] for s in own['steps']] == [True, True, False] and own['steps'][2]['speedup'] == 1)
rows = list(csv.DictReader(open(folder + 'steps.csv')))
check('CSV has each launch after each step', [[int(r['cycles']) for r in rows if r['step'] == name] for name in names(steps)] == [[c for t in cycles(steps, n) for c in t] for n in range(6)])
check('with what all commands say of a launch', list(rows[0])[:6] == ['trace', 'machine', 'launch', 'kernel', 'grid', 'block'] and {r['trace'] for r in rows} == {t['trace']['file'] for t in steps['traces']} and {r['machine'] for r in rows} == {'jetson-tx2'}, rows[0])
check('each column has its own name', len(rows[0]) == len(open(folder + 'steps.csv').readline().split(',')))
for s in steps['steps']:
    own = [float(r['step_speedup']) for r in rows if (r['step'], r['against']) == (s['step'], s['against'])]
    check(f'its speedups have the mean of "{s["step"]}"', len(own) == s['launches'] and abs(statistics.mean(own) - s['speedup']) < 1e-5, own)
PY
# Each machine of GPUs can be ablated, also one whose sub-cores have instruction caches of their own.
for m in $("$r" machine list --json | python3 -c 'import json,sys; print(*[m["name"] for m in json.load(sys.stdin)])'); do
    case $m in manycore-*) continue ;; esac
    check "ablate on $m" eval '"$r" ablate -q "${traces[0]}" -m $m --json >"$work/$m.json"'
done
"$r" replay -q "${traces[0]}" -m gv100 --set subcores=1 --set l1.subcores=1 --set icache.subcores=1 --set icache.caches=1 --json >"$work/one.json"
check "one sub-core of gv100 has one of its instruction caches" python3 -c "
import json
def cycles(stage): return [l['cycles'] for l in stage['launches']]
d, one = json.load(open('$work/gv100.json')), json.load(open('$work/one.json'))['traces'][0]
stage = [s for s in d['traces'][0]['stages'] if s['step'] == 'one sub-core'][0]
assert cycles(stage) == cycles(one) and d['steps'][1]['set']['icache.caches'] == 1"
fails 1 "--step x: give NAME:KEY=VALUE,KEY=VALUE" "${traces[0]}" -m jetson-tx2 --step x
fails 1 "did you mean 'none'?" "${traces[0]}" -m jetson-tx2 --step l1=nono
fails 1 "which machine" "${traces[0]}"
fails 2 "not there.wtr" "$work/not there.wtr" -m jetson-tx2
