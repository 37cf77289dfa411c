"""Cycles of rtx2060-accelsim beside those that Accel-Sim reports: parity.py [NAME...]; parity.py --speed: how fast it is.

Reads tests/golden/accelsim; REPRISE names the program. Exit status 1: more than 1 % apart, a small trace by more than 2
cycles per step of its chain, or another sign of GTO - LRR."""
import csv, json, os, resource, subprocess, sys, tempfile

GOLDEN = 'tests/golden/accelsim'
SCHEDULERS = {'lrr': ['scheduler=lrr'], 'gto': ['scheduler=gto', 'scheduler.stays_with=slot'], 'old': ['scheduler=oldest'],
              'two_level_active:6:0:1': ['scheduler=two-level-active']}
OPTIONS = {'launch_latency': lambda v: ['pipeline.launch_latency=' + v], 'n_sm': lambda v: ['sms=' + v],
           'scheduler': lambda v: SCHEDULERS[v]}
STEPS = 256  # the shortest chain of the small traces
# Warp instructions per second of Accel-Sim (tests/golden/accelsim/README.md); its SGEMM has twice the rows and columns.
ACCELSIM = {'sgemm_n128': 58_000, 'm_copy_240b': 9_000}


def settings(options):
    return [s for o in options.split() for s in OPTIONS[o.split('=', 1)[0]](o.split('=', 1)[1])]


def cycles(program, trace, options):
    command = [program, 'replay', '--json', '-q', trace, '-m', 'rtx2060-accelsim']
    for s in settings(options):
        command += ['--set', s]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)['traces'][0]['total']['cycles']


def imported(program, name, folder):
    trace = f'{folder}/{name}.wtr'
    if not os.path.exists(trace):
        subprocess.run([program, 'import', 'accelsim', '-q', f'{GOLDEN}/{name}/kernelslist.g', '-o', trace], check=True)
    return trace


def rate(program, trace, machine):
    """Warp instructions per second of processor time, the best of five runs of the whole program on one thread."""
    command, best = [program, 'replay', '--json', '-q', trace, '-m', machine, '--threads', '1'], 0
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)['traces'][0]['total']
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = max(best, total['warp_instructions'] / used)
    return best


def speed():
    program = os.environ.get('REPRISE', 'build/reprise')
    print(f'{"trace":12} {"machine":17} {"warp instructions/s":>19} {"times Accel-Sim":>16}')
    with tempfile.TemporaryDirectory() as folder:
        for name, theirs in ACCELSIM.items():
            print(f'{name:12} {"Accel-Sim":17} {theirs:19,} {1:16}')
            for machine in 'rtx2060-accelsim', 'rtx2060':
                ours = rate(program, imported(program, name, folder), machine)
                print(f'{name:12} {machine:17} {ours:19,.0f} {ours / theirs:16.0f}', flush=True)
    return 0


def main(names):
    program, apart, found = os.environ.get('REPRISE', 'build/reprise'), 0, {}
    print(f'{"trace":22} {"options":40} {"Accel-Sim":>9} {"Reprise":>9} {"apart":>8}')
    with tempfile.TemporaryDirectory() as folder:
        for row in csv.DictReader(open(f'{GOLDEN}/cycles-rtx2060.csv')):
            name, options, wanted = row['trace'], row['options'], int(row['cycles'])
            if names and not any(n in f'{name} {options}' for n in names):
                continue
            got = found[name, options] = cycles(program, imported(program, name, folder), options)
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


sys.exit(speed() if sys.argv[1:] == ['--speed'] else main(sys.argv[1:]))
