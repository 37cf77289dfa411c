"""What twice of something does to launches of tests/golden/hardware, from machine code: prints the cycles of each, as a ratio to those of the machine as it
is. Programs and single kernels are on gv100, the launches of cells that take little time on h100 and a100.

Exit status 1: a launch takes more than 2 % longer. 2: an option or a trace that there is not."""
import csv, json, sys

from hardware import FOLDER, MACHINE, PAGE, put, table
from script import REPRISE, check_names, command_line, output, run, side_by_side

WHAT = ('SMs', 'clock of device memory', 'L1', 'L2')
# Of each machine the settings that make twice of it: of L2 the ways, of device memory without a clock the bytes in a cycle.
TWICE = {
    'gv100': (['sms=160'], ['dram.clock=1.501766784'], ['l1.size=262144', 'l1.unified=262144'], ['l2.size=12582912', 'l2.ways=48', 'l2.dirty_ways=24']),
    'h100': (['sms=264'], ['dram.bytes_per_cycle=39.556'], ['l1.size=524288', 'l1.unified=524288'], ['l2.size=104857600', 'l2.ways=40']),
    'a100': (['sms=216'], ['dram.bytes_per_cycle=49.11'], ['l1.size=393216', 'l1.unified=393216'], ['l2.size=83886080', 'l2.ways=32'])}
CELLS = ('vectorAdd.l2', 'matrixMul.small', 'BlackScholes.small')
MOST = 1.02


def traces():
    """The board's traces by name: a path, the machine's arguments, what makes twice of it, and the numbers of its launches."""
    found = {}

    def add(name, path, machine, twice, launch):
        found.setdefault(name, (f'{FOLDER}/{path}.wtr', machine, twice, []))[3].append(launch)

    for folder in ('', 'kernels/'):
        with open(f'{FOLDER}/{folder}measured.csv') as f:
            for row in csv.DictReader(f):
                add(folder + row['program'], folder + row['program'] + ('' if folder else '.sass'), MACHINE, TWICE['gv100'], row['launch'])
    with open(f'{FOLDER}/cells/measured.csv') as f:
        for row in csv.DictReader(f):
            if row['trace'] in CELLS:
                name = f'cells/{row["machine"]}.{row["trace"]}'
                add(name, name, ['-m', row['machine']], TWICE[row['machine']], row['launch'])
    return found


def cycles(path, machine, settings):
    sets = [word for s in settings for word in ('--set', s)]
    printed = output([REPRISE, 'replay', '-q', '--json', '-t', '1', *machine, *sets, path])
    return [launch['cycles'] for launch in json.loads(printed)['traces'][0]['launches']]


def page_rows():
    """The rows of the page's table, by trace and launch."""
    with open(PAGE) as f:
        text = f.read().split('<!-- scaling -->')[1].split('<!-- end of scaling -->')[0]
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in text.strip().splitlines()[2:]]
    return {row[0]: row for row in rows}


def shown(ratio):
    """A ratio as the table has it: bold if the launch takes longer."""
    return f'{ratio:.2f}' if ratio <= MOST else f'**{ratio:.2f}**'


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('--write', action='store_true', help='put the table into docs/accuracy.md; with traces their rows, the others stay as they are')
    parser.add_argument('trace', nargs='*', help='these alone: nn, kernels/dct8x8, cells/h100.vectorAdd.l2')
    given = parser.parse_args(arguments)
    only, all_of = given.trace, traces()
    check_names(parser, 'trace', only, all_of)
    runs = [(name, settings) for name in only or all_of for settings in ([], *all_of[name][2])]
    found = side_by_side(lambda of: cycles(*all_of[of[0]][:2], of[1]), runs)
    known = page_rows() if only and given.write else {}
    lines, slower = [], []
    for trace, (_, _, _, launches) in all_of.items():
        of = [took for (name, _), took in zip(runs, found) if name == trace]
        for at, launch in enumerate(launches):
            name = f'{trace}, {launch}'
            if of:
                line = [name, *(shown(twice[at] / of[0][at]) for twice in of[1:])]
                slower += [f'{name}: {cell} times the cycles with twice the {what}' for what, cell in zip(WHAT, line[1:]) if cell.startswith('**')]
                lines.append(line)
            elif name in known:
                lines.append(known[name])
    text = '\n'.join(table(['trace, launch', *(f'2 × {what}' for what in WHAT)], lines)) + '\n'
    if given.write:
        put(text, 'scaling')
    else:
        print(text, end='')
    for line in slower:
        print(f'scaling.py: {line.replace("**", "")}, which nothing explains', file=sys.stderr)
    return int(bool(slower))


if __name__ == '__main__':
    run(main)
