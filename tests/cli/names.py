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
