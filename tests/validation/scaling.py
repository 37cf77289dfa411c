"""What twice of something does to the programs of tests/golden/hardware, from machine code on machine gv100: prints the cycles of each launch, as a
ratio to those of the machine as it is, or with --write puts the table into docs/accuracy.md. scaling.py [--write] PROGRAM...: of these alone.

Exit status 1: a launch takes more than 2 % longer."""
import csv, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

from hardware import FOLDER, MACHINE, REPRISE, put, table

TWICE = {'SMs': ['sms=160'], 'clock of device memory': ['dram.clock=1.501766784'], 'L1': ['l1.size=262144', 'l1.unified=262144'],
         'L2': ['l2.size=12582912', 'l2.ways=48', 'l2.dirty_ways=24']}
MOST = 1.02


def cycles(program, settings):
    sets = [word for s in settings for word in ('--set', s)]
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', '-t', '1', *MACHINE, *sets, f'{FOLDER}/{program}.sass.wtr'], check=True,
                         stdout=subprocess.PIPE)
    return [launch['cycles'] for launch in json.loads(out.stdout)['traces'][0]['launches']]


def main(*arguments):
    only = [a for a in arguments if a != '--write']
    with open(f'{FOLDER}/measured.csv') as f:
        rows = [r for r in csv.DictReader(f) if not only or r['program'] in only]
    programs = list(dict.fromkeys(row['program'] for row in rows))
    runs = [(program, name) for program in programs for name in ['', *TWICE]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(runs, pool.map(lambda run: cycles(run[0], TWICE.get(run[1], [])), runs)))
    lines, slower = [], 0
    for program in programs:
        for at, row in enumerate(r for r in rows if r['program'] == program):
            ratios = [found[program, name][at] / found[program, ''][at] for name in TWICE]
            slower += max(ratios) > MOST
            lines.append([f'{program}, {row["launch"]}'] + [f'**{r:.2f}**' if r > MOST else f'{r:.2f}' for r in ratios])
    text = '\n'.join(table(['program, launch', *(f'2 × {name}' for name in TWICE)], lines)) + '\n'
    if '--write' in arguments:
        put(text, 'scaling')
    else:
        print(text, end='')
    return int(slower > 0)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
