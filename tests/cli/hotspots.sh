#!/bin/bash
# Where cycles go: reprise replay --by and reprise diff --by, against reprise dump, against sums, and beside the source.
set -u
. tests/support/cli.sh
fails() { # status, text, command: one line
    local status=$1 text=$2 got
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then echo "ok - refuses: $text"; else
        echo "not ok - refuses: $text"; echo "  $got: $(cat "$work/err")" >&2; fi
}
cat >"$work/k.cu" <<'CUDA'
__device__ __forceinline__ float both(const float *p, int i)
{
    return p[i] + p[i + 1]; /* two loads */
}
__global__ void first(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = both(in, i) * 3;
}
__global__ void second(float *out, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x] / n;
}
CUDA
cat >"$work/l.cfg" <<'LAUNCHES'
module = "k.cu";
buffers = { A = "rand-f32:1024:seed=1"; B = "zeros:1024"; };
launches = (
    { kernel = "first"; grid = 3; block = 64; args = ( "buf=A", "buf=B", "i32=150" ); },
    { kernel = "second"; grid = 2; block = 64; args = ( "buf=B", "i32=7" ); },
    { kernel = "first"; grid = 3; block = 64; args = ( "buf=A", "buf=B", "i32=70" ); }
);
LAUNCHES
"$r" record -q -o "$work/inlined.wtr" --module tests/golden/cubin/inlined.ptx --kernel k --grid 1 --block 32 --arg buf=zeros:8 || exit 1
cd "$work" || exit 1
"$r" record -q -o t.wtr --launch-file l.cfg || exit 1
"$r" replay -q inlined.wtr -m jetson-tx2 --by function --json >inlined.json
"$r" replay -q inlined.wtr -m jetson-tx2 --by instruction --json >chains.json
for machine in san-rtx2080 rtx2060-accelsim titan-v; do
    "$r" replay -q t.wtr -m $machine --by line --json >$machine.json
done
for by in instruction line function subcore; do
    "$r" replay -q t.wtr -m jetson-tx2 --by $by --json >fast.$by.json
    "$r" replay -q t.wtr -m jetson-tx2 --by $by --json --engine reference >reference.$by.json
done
"$r" replay -q t.wtr -m jetson-tx2 --by instruction --json --threads 3 >threads.json
"$r" replay -q t.wtr -m jetson-tx2 --by line --json --top 2 >top.json
"$r" replay -q t.wtr -m jetson-tx2 --by instruction --csv >instructions.csv
"$r" diff -q t.wtr --vary machine=jetson-tx2,orin-wcet --by line --json >machines.json
"$r" diff -q t.wtr -m jetson-tx2 --vary subcores,l1_subcores,icache_subcores=4,4,4:1,1,1 --vary l1=direct-mapped,none --by instruction --csv >changes.csv
"$r" diff -q t.wtr -m jetson-tx2 --vary subcores,l1_subcores,icache_subcores=4,4,4:1,1,1 --vary l1=direct-mapped,none --csv >cycles.csv
for launch in 0 1 2; do
    for block in 0 1 2; do
        for warp in 0 1; do
            [ $launch,$block = 1,2 ] || "$r" dump t.wtr -l $launch -b $block -w $warp --json >dump.$launch.$block.$warp.json
        done
    done
done
python3 - <<'PY'
import collections, csv, glob, json
def check(what, fine, more=''):
    print(('ok - ' if fine else 'not ok - ') + what)
    if not fine:
        import sys
        print('  ', more, file=sys.stderr)
load = lambda name: (lambda d: d.get("traces", [d])[0])(json.load(open(name)))
fast = {by: load(f'fast.{by}.json') for by in ('instruction', 'line', 'function', 'subcore')}
for by, d in fast.items():
    h, r = d['hotspots'], load(f'reference.{by}.json')['hotspots']
    check(f'by {by}: both engines say the same', h == r)
    check(f'by {by}: all cycles of all sub-cores are there',
          sum(p['subcore_cycles'] for p in h['places']) + h['idle'] == h['cycles'] * h['subcores'] and
          h['cycles'] == d['total']['cycles'] and h['idle'] == d['total']['issue']['idle'])
    total = collections.Counter()
    for p in h['places']:
        check(f'by {by}: a row is its parts', p['subcore_cycles'] == p['issue_cycles'] + sum(p['stall'].values())) if p is h['places'][0] else None
        total.update(p['stall'])
    whole = {k: sum(v.values()) if isinstance(v, dict) else v for k, v in d['total']['issue']['stall'].items()}
    check(f'by {by}: stalls are those of the total', dict(total) == {k: v for k, v in whole.items() if v}, (total, whole))
    check(f'by {by}: the hottest first', [p['subcore_cycles'] for p in h['places']] == sorted((p['subcore_cycles'] for p in h['places']), reverse=True))
check('threads change nothing', load('threads.json')['hotspots'] == fast['instruction']['hotspots'])

# what issued, from the trace itself
issued, threads = collections.Counter(), collections.Counter()
for name in glob.glob('dump.*.json'):
    d = load(name)
    for i in d['instructions']:
        issued[d['kernel'], i['pc']] += 1
        threads[d['kernel'], i['pc']] += bin(i['executed']).count('1')
rows = [p for p in fast['instruction']['hotspots']['places'] if 'pc' in p]
check('each instruction issued as often as the trace has it', {(p['kernel'], p['pc']): p['issued'] for p in rows if p['issued']} == issued)
check('with as many threads', {(p['kernel'], p['pc']): p['threads'] for p in rows if p['issued']} == threads)

# lines and functions are sums of instructions
source = open('k.cu').read().split('\n')
for by, key in (('line', lambda p: (p['file'], p['line']) if p['line'] else p['kernel']),
                ('function', lambda p: (p['kernel'], p['source'][0]['function'] if 'source' in p else p['function']))):
    sums = collections.Counter()
    for p in rows:
        sums[key(p)] += p['subcore_cycles']
    check(f'a {by} is the sum of its instructions', {key(p): p['subcore_cycles'] for p in fast[by]['hotspots']['places'] if 'kernel' in p and p['subcore_cycles']} == {k: v for k, v in sums.items() if v})
lines = [p for p in fast['line']['hotspots']['places'] if p.get('source_text')]
check('lines have their text', lines and all(p['source_text'] == source[p['line'] - 1].strip() for p in lines if p['file'].endswith('k.cu')))
d = load('inlined.json')['hotspots']['places']
check('inlined functions have rows of their own', {p['function']: p['issued'] for p in d if 'function' in p} == {'k': 3, 'norm': 2, 'dot': 2}, d)
d = {p['text'].split()[0]: p for p in load('chains.json')['hotspots']['places'] if 'text' in p}
check('and instructions their chains of calls', [(c['function'], c['line']) for c in d['add.u32']['source']] == [('dot', 7), ('norm', 20), ('k', 41)], d['add.u32'])

top, all_lines = load('top.json')['hotspots'], fast['line']['hotspots']['places']
check('--top 2 shows two', top['places'] == all_lines[:2])
check('and sums up the others', top['others']['subcore_cycles'] == sum(p['subcore_cycles'] for p in all_lines[2:]))
table = list(csv.DictReader(open('instructions.csv')))
check('CSV has the same', [int(t['subcore_cycles']) for t in table] == [p['subcore_cycles'] for p in fast['instruction']['hotspots']['places']] + [fast['instruction']['hotspots']['idle']])

for machine in 'san-rtx2080', 'rtx2060-accelsim', 'titan-v':
    h = load(machine + '.json')['hotspots']
    sums = sum(p['subcore_cycles'] for p in h['places']) + h['idle']
    # where cycles are a mean over sub-cores they are rounded
    check(f'{machine}: all cycles are there', abs(sums - h['cycles'] * h['subcores']) <= (h['subcores'] if 'san' in machine else 0), (sums, h['cycles'] * h['subcores']))
    if 'san' not in machine:  # where exits are no instructions
        check(f'{machine}: each line issued as often', {(p['file'], p['line'], p['kernel'] if not p['line'] else ''): p['issued'] for p in h['places'] if 'kernel' in p and p['issued']} ==
          {(p['file'], p['line'], p['kernel'] if not p['line'] else ''): p['issued'] for p in all_lines if 'kernel' in p and p['issued']})
d = load('machines.json')['variants']
change = d[1]['difference']
near = lambda a, b: abs(a - b) < 1e-6 * max(1, abs(a), abs(b))
check('the changes from machine to machine are the whole difference',
      near(sum(p['change'] for p in change['places']) + change['idle']['change'], d[1]['total']['cycles'] - d[0]['total']['cycles']))
check('and each is its parts', all(near(p['change'], p['issue'] + sum(p['stall'].values())) and near(p['change'], p['after'] - p['before']) for p in change['places']))
check('the largest first', [abs(p['change']) for p in change['places']] == sorted((abs(p['change']) for p in change['places']), reverse=True))
one = {(p.get('file'), p.get('line'), p.get('kernel')): p for p in change['places']}
mine = {(p.get('file'), p.get('line'), p.get('kernel')): p for p in all_lines}
check('what was before is what replay says', all(near(p['before'], mine[k]['subcore_cycles'] / 8 if k in mine else 0) for k, p in one.items()))
key = ('subcores', 'l1')
sums, cycles = collections.Counter(), collections.Counter()
for row in csv.DictReader(open('changes.csv')):
    sums[tuple(row[k] for k in key)] += float(row['change'])
for row in csv.DictReader(open('cycles.csv')):
    cycles[tuple(row[k] for k in key)] += int(row['cycles'])
base = cycles['4', 'direct-mapped']
check('as CSV, for each variant', len(sums) == 3 and all(abs(sums[k] - (cycles[k] - base)) < 0.1 for k in sums), (sums, cycles))
PY
is "a function is named with where it is inlined" "$("$r" replay -q inlined.wtr -m jetson-tx2 --by function | grep -c ' norm in k *$')" 1
"$r" replay -q t.wtr -m jetson-tx2 --by line >text
is "the text has the source" "$(grep -c 'k.cu:9 .*both(in, i)' text)" 1
is "and its total" "$(sed -n 's/^ *\([0-9.,]*\)  *100.0 %  *total *$/\1/p' text | tr -d ,)" "$("$r" replay -q t.wtr -m jetson-tx2 --json | python3 -c 'import json,sys; print(float(json.load(sys.stdin)["traces"][0]["total"]["cycles"]))')"
mv k.cu elsewhere.cu
is "a file that is not there is only not shown" "$("$r" replay -q t.wtr -m jetson-tx2 --by line | grep -c '  k.cu:9 *$')" 1
mkdir k.cu
is "nor is a folder" "$("$r" replay -q t.wtr -m jetson-tx2 --by line | grep -c '  k.cu:9 *$')" 1
rmdir k.cu
mkfifo k.cu
is "nor is what would have to be waited for" "$(timeout 20 "$r" replay -q t.wtr -m jetson-tx2 --by line | grep -c '  k.cu:9 *$')" 1
rm k.cu
printf '\n\n\n\n\n\n\n\nout[i]\xff = 1;\n' >k.cu
is "bytes that are no UTF-8 are no error of JSON" "$("$r" replay -q t.wtr -m jetson-tx2 --by line --json | python3 -c 'import json,sys; print([p["source_text"] for p in json.load(sys.stdin)["traces"][0]["hotspots"]["places"] if p.get("line") == 9])')" "[None]"

fails 1 "--by lines: give instruction, line, function, subcore or unit" "$r" replay t.wtr -m jetson-tx2 --by lines
fails 1 "--by subcore: give instruction, line or function" "$r" diff t.wtr -m jetson-tx2 --vary l1=none --by subcore
fails 1 "--top counts what --by lists" "$r" replay t.wtr -m jetson-tx2 --top 3
fails 1 "unknown machine 'tx3'" "$r" diff t.wtr --vary machine=jetson-tx2,tx3
