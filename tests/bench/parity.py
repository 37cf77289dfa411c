"""Cycles of rtx2060-accelsim beside those that Accel-Sim reports: parity.py [NAME...].

Reads tests/golden/accelsim; REPRISE names the program. Exit status 1: more than 1 % apart, a small trace by more than 2
cycles per step of its chain, or another sign of GTO - LRR."""
import csv, json, os, subprocess, sys, tempfile

GOLDEN = 'tests/golden/accelsim'
SCHEDULERS = {'lrr': ['scheduler=lrr'], 'gto': ['scheduler=gto', 'scheduler.stays_with=slot'], 'old': ['scheduler=oldest'],
              'two_level_active:6:0:1': ['scheduler=two-level-active']}
OPTIONS = {'launch_latency': lambda v: ['pipeline.launch_latency=' + v], 'n_sm': lambda v: ['sms=' + v],
           'scheduler': lambda v: SCHEDULERS[v]}
STEPS = 256  # the shortest chain of the small traces


def settings(options):
    return [s for o in options.split() for s in OPTIONS[o.split('=', 1)[0]](o.split('=', 1)[1])]


def cycles(program, trace, options):
    command = [program, 'replay', '--json', '-q', trace, '-m', 'rtx2060-accelsim']
    for s in settings(options):
        command += ['--set', s]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)['total']['cycles']


def main(names):
    program, apart, found = os.environ.get('REPRISE', 'build/reprise'), 0, {}
    print(f'{"trace":22} {"options":40} {"Accel-Sim":>9} {"Reprise":>9} {"apart":>8}')
    with tempfile.TemporaryDirectory() as folder:
        for row in csv.DictReader(open(f'{GOLDEN}/cycles-rtx2060.csv')):
            name, options, wanted = row['trace'], row['options'], int(row['cycles'])
            trace = f'{folder}/{name}.wtr'
            if names and not any(n in f'{name} {options}' for n in names):
                continue
            if not os.path.exists(trace):
                subprocess.run([program, 'import', 'accelsim', '-q', f'{GOLDEN}/{name}/kernelslist.g', '-o', trace], check=True)
            got = found[name, options] = cycles(program, trace, options)
            far = abs(got - wanted) > wanted * 0.01
            apart += far
            print(f'{name:22} {options:40} {wanted:9} {got:9} {100 * (got - wanted) / wanted:7.2f}%{" FAR" if far else ""}',
                  flush=True)
    reference = {(r['trace'], r['options']): int(r['cycles']) for r in csv.DictReader(open(f'{GOLDEN}/cycles-rtx2060.csv'))}
    for (name, options), got in found.items():
        gto = options.replace('scheduler=lrr', 'scheduler=gto')
        if gto == options or (name, gto) not in found:
            continue
        ours, theirs = found[name, gto] - got, reference[name, gto] - reference[name, options]
        same = (ours > 0) == (theirs > 0)
        apart += not same
        print(f'{name} {options}: GTO - LRR is {ours}, Accel-Sim {theirs}: {"the same sign" if same else "ANOTHER SIGN"}')
    equal = sum(found[k] == reference[k] for k in found)
    print(f'{equal} of {len(found)} are equal')
    return 1 if apart or not found else 0


sys.exit(main(sys.argv[1:]))
