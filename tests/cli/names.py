"""names.py REPRISE FOLDER PLAIN SYMBOL: names of columns and keys, and of kernels, in all CSV and JSON.

t.wtr is of kernel SYMBOL, PLAIN in the source. Columns and keys are in lower case, their words joined by "_". Behind a dot, or as a
key, the name of a stall, a class of instructions, a unit or a space stands as it is everywhere, with "-" between its words.
"""
import csv
import io
import json
import re
import subprocess
import sys

reprise, folder, plain, symbol = sys.argv[1:]
NAMES = {'int-mul', 'int-div', 'fp32-div', 'fp64-div', 'control-word', 'register-banks', 'result-bus', 'front-end', 'shared-cluster'}
OTHER_WORDS = {'kernel_name', 'standard_deviation', 'max', 'speed_up'}  # kernel and symbol, deviation, greatest, speedup
CSV, JSON = ['csv'], ['json']
COMMANDS = [  # and the forms that they have
    ('replay -q T -m jetson-tx2', CSV + JSON), ('replay -q T -m jetson-tx2 --by line', CSV + JSON), ('replay -q T -m jetson-tx2 --by function', CSV + JSON),
    ('replay -q T -m jetson-tx2 --by instruction', CSV + JSON), ('replay -q T -m jetson-tx2 --by subcore', CSV + JSON),
    ('replay -q T -m jetson-tx2 --by unit', CSV + JSON), ('replay -q chance -m san-rtx2080 --batches 4', CSV + JSON),
    ('replay -q chance -m san-rtx2080 --exact', CSV + JSON), ('replay --explain', CSV),
    ('diff -q T -m jetson-tx2 --vary sms=1,2', CSV + JSON), ('diff -q T -m jetson-tx2 --vary sms=1,2 --by instruction', CSV + JSON),
    ('diff -q chance -m san-rtx2080 --vary sms=1,2 --batches 4', CSV + JSON), ('ablate -q T -m jetson-tx2', CSV + JSON),
    ('wcet -q T -m orin-wcet --check gto --attack 3 --assume all', CSV + JSON), ('wcet -q T -m orin-wcet --grid latency=100,200 policy=gto', CSV + JSON),
    ('compare -q NCU.wtr -m v100 --measured NCU/raw.csv', CSV + JSON), ('info T', CSV + JSON), ('info --registers T', CSV + JSON),
    ('info --registers -m jetson-tx2 T', CSV + JSON), ('info --san T', JSON), ('dump T --cycles -m jetson-tx2 --source', CSV + JSON), ('dump T --host', CSV + JSON),
    ('verify T', JSON), ('machine list', CSV + JSON), ('machine diff jetson-tx2 orin', JSON), ('machine show jetson-tx2', CSV + JSON), ('machine options', CSV + JSON), ('results DB', CSV + JSON), ('results DB compare 1 2', CSV + JSON),
    ('results DB show 1', CSV + JSON), ('results DB sql LAUNCHES', CSV + JSON),
]
PLACES = {'T': folder + '/t.wtr', 'chance': folder + '/chance.wtr', 'DB': folder + '/t.db', 'NCU.wtr': 'tests/golden/ncu/nw.wtr',
          'NCU/raw.csv': 'tests/golden/ncu/raw.csv', 'LAUNCHES': 'SELECT kernel FROM launch'}


def objects(value):
    """All objects in a value."""
    if isinstance(value, dict):
        yield value
    for v in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(v)


def leaves(value, path=''):
    """(name with dots, value) of all that is in an object."""
    for key, v in value.items():
        yield from leaves(v, path + key + '.') if isinstance(v, dict) else [(path + key, v)]


def cell(value):
    """A value of JSON as CSV has it; fractions are rounded there."""
    if isinstance(value, list):
        return 'x'.join(str(v) for v in value[:3 if value[2] > 1 else 2 if value[1] > 1 else 1])
    return value if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def differs(column, text, value):
    if not isinstance(value, float):
        return text != value
    return not text or abs(float(text) - value) > 1e-3


def launches_of(document):
    """All launches in a document, as its CSV orders them: by trace, and for each by the launch and its variants, or by stage."""
    for trace in document['traces']:
        of_variants = [v['launches'] for v in trace.get('variants', [])]
        yield from (l for stage in trace.get('stages', []) for l in stage['launches'])
        yield from trace.get('launches', [l for same in zip(*of_variants) for l in same])


def bad_launches(command):
    """What CSV, JSON and, of `replay`, the table do not say alike of launches."""
    words = [reprise, *(PLACES.get(w, w) for w in command.split())]
    rows = list(csv.DictReader(io.StringIO(subprocess.run([*words, '--csv'], stdout=subprocess.PIPE, text=True).stdout)))
    document = json.loads(subprocess.run([*words, '--json'], stdout=subprocess.PIPE, text=True).stdout)
    rows, launches = [r for r in rows if r['launch'] != 'total'], list(launches_of(document))
    bad = [] if rows and len(rows) == len(launches) else [(len(rows), len(launches))]
    for row, launch in zip(rows, launches):
        there = {k: cell(v) for k, v in leaves(launch) if k != 'symbol'}
        known = {k: v for k, v in row.items() if k not in ('trace', 'machine', 'error', 'ratio', 'step', 'against', 'speedup', 'step_speedup', 'scheduler')}
        bad += [k for k in there if k not in row or differs(k, row[k], there[k])] + [k for k, v in known.items() if v and k not in there]
    if command.startswith('replay'):
        text = subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout
        heading = next(line for line in text.splitlines() if line.startswith('launch'))
        columns = [c.lower().replace(' ', '_').replace('occupancy', 'occupancy.achieved') for c in re.split('  +', heading)]
        bad += [c for c in columns if c not in rows[0]]
    return bad


def bad_words(words):
    return [w for w in words if w in OTHER_WORDS or not all(p in NAMES or re.fullmatch('[a-z0-9]+(_[a-z0-9]+)*', p) for p in w.split('.'))]


def bad_kernels(found, form, command):
    """Objects, or rows, with a name of a kernel or a function that is not what it should be."""
    both = form == 'json' and 'results' not in command or command == 'info T'
    return [o for o in found if o.get('kernel') and (o['kernel'] != plain or (o.get('symbol') != symbol if both else 'symbol' in o))
            or o.get('function', plain) != plain]


for command, forms in COMMANDS:
    for form in forms:
        done = subprocess.run([reprise, *(PLACES.get(w, w) for w in command.split()), '--' + form], stdout=subprocess.PIPE, text=True)
        if form == 'json':
            found = list(objects(json.loads(done.stdout))) if done.stdout else []
            words = {k for o in found for k in o}
        else:
            reader = csv.DictReader(io.StringIO(done.stdout))
            found, words = list(reader), set(reader.fieldnames or [])
        ours = ' T' in command or 'LAUNCHES' in command
        bad = bad_words(words), bad_kernels(found, form, command) if ours else []
        fine = done.returncode == 0 and words and not any(bad)
        print(f"{'ok' if fine else 'not ok'} - '{command}' --{form}: names of columns, of keys and of kernels")
        if not fine:
            print(done.returncode, *bad, file=sys.stderr)

for command in ('replay -q T -m jetson-tx2', 'replay -q T T -m orin', 'replay -q T -m jetson-tx2 --sample 2%@95%', 'diff -q T T -m jetson-tx2 --vary scheduler=gto,lrr',
                'ablate -q T T -m jetson-tx2'):
    bad = bad_launches(command)
    print(f"{'not ok' if bad else 'ok'} - '{command}': table, CSV and JSON say the same of launches")
    if bad:
        print(bad[:20], file=sys.stderr)

for command in ('info', 'replay -m orin', 'diff -m orin --vary sms=1,2', 'ablate -m orin', 'wcet -m orin-wcet', 'verify'):
    one, two = (json.loads(subprocess.run([reprise, *command.split(), *traces, '--json'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
                for traces in ([PLACES['T']], 2 * [PLACES['T']]))
    name = command.split()[0]
    fine = [len(one['traces']), len(two['traces'])] == [1, 2] and two['traces'] == 2 * one['traces'] and list(one) == list(two) and (
        one['schema'], one['version']) == ('reprise-' + name, 1) and one['traces'][0]['trace']['file'] == PLACES['T']
    print(f"{'ok' if fine else 'not ok'} - {name} --json: one trace is a list of one")
