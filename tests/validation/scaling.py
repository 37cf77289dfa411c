"""What twice of something does to the programs of tests/golden/hardware, from machine code on machine gv100: prints the cycles of each launch, as a
ratio to those of the machine as it is.

Usage: scaling.py [--write] [PROGRAM...]

PROGRAM     these programs alone
--write     puts the table into docs/accuracy.md; with programs their rows, and leaves the others as they are
--help      prints this

Exit status 1: a launch takes more than 2 % longer. 2: an option or a program that there is not."""
import csv, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

from hardware import FOLDER, MACHINE, PAGE, REPRISE, put, table

TWICE = {'SMs': ['sms=160'], 'clock of device memory': ['dram.clock=1.501766784'], 'L1': ['l1.size=262144', 'l1.unified=262144'],
         'L2': ['l2.size=12582912', 'l2.ways=48', 'l2.dirty_ways=24']}
MOST = 1.02


def cycles(program, settings):
    sets = [word for s in settings for word in ('--set', s)]
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', '-t', '1', *MACHINE, *sets, f'{FOLDER}/{program}.sass.wtr'], check=True,
                         stdout=subprocess.PIPE)
    return [launch['cycles'] for launch in json.loads(out.stdout)['traces'][0]['launches']]


def page_rows():
    """The rows of the page's table, by program and launch."""
    with open(PAGE) as f:
        text = f.read().split('<!-- scaling -->')[1].split('<!-- end of scaling -->')[0]
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in text.strip().splitlines()[2:]]
    return {row[0]: row for row in rows}


def main(*arguments):
    only = [a for a in arguments if not a.startswith('-')]
    with open(f'{FOLDER}/measured.csv') as f:
        rows = list(csv.DictReader(f))
    programs = list(dict.fromkeys(row['program'] for row in rows))
    wrong = [a for a in arguments if a not in ['--write', '--help', *programs]]
    if '--help' in arguments:
        print(__doc__)
        return 0
    if wrong:
        print(f'scaling.py: {wrong[0]}: no such option or program; programs are {", ".join(programs)}', file=sys.stderr)
        return 2
    runs = [(program, name) for program in only or programs for name in ['', *TWICE]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(runs, pool.map(lambda run: cycles(run[0], TWICE.get(run[1], [])), runs)))
    known = page_rows() if only and '--write' in arguments else {}
    lines, slower = [], 0
    for program in programs:
        for at, row in enumerate(r for r in rows if r['program'] == program):
            name = f'{program}, {row["launch"]}'
            if (program, '') in found:
                ratios = [found[program, what][at] / found[program, ''][at] for what in TWICE]
                slower += max(ratios) > MOST
                lines.append([name] + [f'**{r:.2f}**' if r > MOST else f'{r:.2f}' for r in ratios])
            elif name in known:
                lines.append(known[name])
    text = '\n'.join(table(['program, launch', *(f'2 × {name}' for name in TWICE)], lines)) + '\n'
    if '--write' in arguments:
        put(text, 'scaling')
    else:
        print(text, end='')
    return int(slower > 0)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
