"""Cycles of programs on a GV100 as others measured them, and as machine v100 replays them from PTX and from machine code: prints the tables of
docs/accuracy.md; hardware.py PROGRAM...: of these alone. The traces are in tests/golden/hardware, with the origin of the figures in its README.md."""
import csv, json, os, statistics, subprocess, sys

FOLDER = 'tests/golden/hardware'
REPRISE = os.environ.get('REPRISE', os.environ.get('BUILD', 'build') + '/reprise')
KINDS, SMS = ('ptx', 'sass'), 80
SETTINGS = ['--set', 'warm_l2=no']  # Nsight Compute empties the caches before each launch


def launches(program, kind):
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', '-m', 'v100', *SETTINGS, f'{FOLDER}/{program}.{kind}.wtr'], check=True,
                         stdout=subprocess.PIPE)
    return json.loads(out.stdout)['launches']


def main(*only):
    with open(f'{FOLDER}/measured.csv') as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith('#')))
    found, errors = {}, {(what, kind): [] for what in ('gpu', 'sm') for kind in KINDS}
    print('| program, launch | warp instructions, GPU | PTX | machine code | GPU active cycles | PTX | machine code | SM active cycles | PTX '
          '| machine code |')
    print('|---|' + 9 * '--:|')
    for row in rows:
        program, launch = row['program'], int(row['launch'])
        if only and program not in only:
            continue
        for kind in KINDS:
            if (program, kind) not in found:
                found[program, kind] = launches(program, kind)
        ours = [found[program, kind][launch] for kind in KINDS]
        cells = [f'{program}, {launch}', f'{int(row["warp_instructions"]):,}']
        cells += [f'{l["warp_instructions"]:,}' for l in ours]
        for what in 'gpu', 'sm':
            measured = float(row[what + '_active_cycles'])
            cells.append(f'{measured:,.0f}')
            for kind, l in zip(KINDS, ours):
                value = l['cycles'] if what == 'gpu' else l['occupancy']['sm_cycles'] / SMS
                errors[what, kind].append(100 * (value / measured - 1))
                cells.append(f'{value:,.0f} ({errors[what, kind][-1]:+.0f} %)')
        print('| ' + ' | '.join(cells) + ' |')
    print()
    for what, name in ('gpu', 'GPU active cycles'), ('sm', 'SM active cycles'):
        for kind, code in zip(KINDS, ('PTX', 'machine code')):
            sizes = [abs(e) for e in errors[what, kind]]
            print(f'{name}, {code}: median error {statistics.median(sizes):.0f} %, mean {statistics.mean(sizes):.0f} %')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
