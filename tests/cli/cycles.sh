#!/bin/bash
# reprise dump --cycles: the issues of all warps together are what reprise replay counts.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
fails() { # status, text, options: one line
    local status=$1 text=$2 got
    shift 2
    "$r" dump "$work/t.wtr" "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then echo "ok - refuses: $text"; else
        echo "not ok - refuses: $text"; echo "  $got: $(cat "$work/err")" >&2; fi
}
"$r" record -q -o "$work/t.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 2,2 --block 16,16 --arg buf=rand-f32:1024:seed=1 \
    --arg buf=rand-f32:1024:seed=2 --arg buf=zeros:4096 --arg i32=32 || exit 1
for machine in jetson-tx2 orin-wcet; do
    mkdir "$work/$machine"
    "$r" replay -q "$work/t.wtr" -m $machine --set issue.width=1 --json >"$work/$machine/replay"
    for block in 0 1 2 3; do for warp in 0 1 2 3 4 5 6 7; do
        "$r" dump "$work/t.wtr" --cycles -m $machine --set issue.width=1 -b $block -w $warp --json >"$work/$machine/$block.$warp.json"
        "$r" dump "$work/t.wtr" --cycles -m $machine --set issue.width=1 -b $block -w $warp --csv >"$work/$machine/$block.$warp.csv"
    done; done
    "$r" dump "$work/t.wtr" --cycles -m $machine --set issue.width=1 -b 3 -w 7 | tail -n +2 | grep -v '^  *$' >"$work/$machine/text"
    python3 - $machine "$work/$machine" <<'PY'
import collections, csv, glob, json, sys
machine, folder = sys.argv[1:]
def check(what, fine, more=''):
    print(('ok - ' if fine else 'not ok - ') + machine + ': ' + what)
    if not fine:
        print('  ', more, file=sys.stderr)
replay = json.load(open(folder + '/replay'))['traces'][0]
warps = {name: json.load(open(name))['instructions'] for name in glob.glob(folder + '/*.json')}
issues = [i['issue'] for w in warps.values() for i in w if i['issue'] is not None]
check('as many issues as replay counts', len(issues) == replay['total']['issue']['issued'], len(issues))
check('as many in a cycle as there are sub-cores, at most',
      max(collections.Counter(issues).values()) <= replay['machine']['options']['sms'] * replay['machine']['options']['subcores'])
check('the last result is the end', max(i['done'] for w in warps.values() for i in w if i['done'] is not None) in (replay['total']['cycles'], replay['total']['cycles'] - 1))
check('a warp issues in order', all(a['issue'] < b['issue'] for w in warps.values() for a, b in zip(w, w[1:]) if b['issue'] is not None))
check('issue, dispatch, done ascend', all(i['issue'] <= i['dispatch'] <= i['done'] for w in warps.values() for i in w if i['issue'] is not None))
free = [i for w in warps.values() for i in w if i['issue'] is None]
check('only free exits have no cycle', bool(free) == (not replay['machine']['options']['issue_exit']) and all(i['text'].startswith(('ret', 'exit')) for i in free), free[:1])
number = lambda text: int(text) if text else None
check('CSV says the same', all([(number(row['issue']), number(row['done'])) for row in csv.DictReader(open(name[:-4] + 'csv'))] ==
                               [(i['issue'], i['done']) for i in w] for name, w in warps.items()))
lines = [l.split()[:2] for l in open(folder + '/text') if not l.startswith(' ' * 30)]
check('and so does the text', lines == [[str(i['issue']) if i['issue'] is not None else '-', str(i['done']) if i['done'] is not None else '-'] for i in warps[folder + '/3.7.json']], lines[:3])
PY
done
fails 1 "--cycles: on which machine?" --cycles
fails 1 "--machine is for --cycles" --machine jetson-tx2
fails 1 "unknown machine 'tx3'" --cycles --machine tx3
