"""Cycles and counters of programs on a GV100 as others measured them, and as machine gv100 replays them from PTX and from machine code: prints the
tables of docs/accuracy.md, or with --write puts them there. hardware.py PROGRAM...: of these alone. The traces are in tests/golden/hardware, and in
its folder kernels those of single kernels; README.md there has the origin of the figures."""
import csv, json, os, statistics, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

FOLDER, PAGE = 'tests/golden/hardware', 'docs/accuracy.md'
REPRISE = os.environ.get('REPRISE', os.environ.get('BUILD', 'build') + '/reprise')
KINDS, SMS = {'ptx': 'PTX', 'sass': 'machine code'}, 80
MACHINE = ['-m', 'gv100', '--set', 'warm_l2=no']  # Nsight Compute empties the caches before each launch
CYCLES = {'gpu_active_cycles': ('GPU active cycles', lambda l: l['cycles']),
          'sm_active_cycles': ('SM active cycles', lambda l: l['occupancy']['sm_cycles'] / SMS)}
COUNTERS = {'warp_instructions': ('warp instructions', lambda l: l['warp_instructions']),
            'l1_sectors_read': ('L1 sectors read', lambda l: l['global']['load_transactions']),
            'l2_sectors': ('L2 sectors', lambda l: l['l2']['hits'] + l['l2']['misses']),
            'dram_sectors': ('DRAM sectors', lambda l: l['dram']['accesses'])}
KERNEL_COUNTERS = [name for name in COUNTERS if name != 'warp_instructions']
OTHERS = {'accelsim_cycles': 'Accel-Sim 1.x', 'hyfiss_cycles': 'HyFiSS'}


def replay(path):
    """The launches of a trace, as statistics; None: there is no such trace."""
    if not os.path.exists(path):
        return None
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', '-t', '1', *MACHINE, path], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)['launches']


def error(value, measured):
    return 100 * (value / measured - 1)


def with_error(value, measured):
    return f'{value:,.0f} ({error(value, measured):+.0f} %)'


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|---|' + (len(head) - 1) * '--:|'] + ['| ' + ' | '.join(r) + ' |' for r in rows]


def cycles_of_launches(rows):
    head = ['program, launch']
    for what in CYCLES.values():
        head += [what[0], *KINDS.values()]
    out = []
    for row in rows:
        cells = [f'{row["program"]}, {row["launch"]}']
        for what, (_, of) in CYCLES.items():
            cells.append(f'{row[what]:,.0f}')
            cells += [with_error(of(row[kind]), row[what]) if row[kind] else '-' for kind in KINDS]
        out.append(cells)
    return table(head, out)


def counters_of_launches(rows):
    head = ['program, launch']
    for what in COUNTERS.values():
        head += [what[0], 'ours']
    out = []
    for row in rows:
        cells = [f'{row["program"]}, {row["launch"]}']
        for what, (_, of) in COUNTERS.items():
            cells += [f'{row[what]:,.0f}', with_error(of(row['sass']), row[what])]
        out.append(cells)
    return table(head, out)


def errors(rows, what, predict):
    """The mean of the errors' sizes, by program."""
    of = {}
    for row in rows:
        value = predict(row)
        if value is not None:
            of.setdefault(row['program'], []).append(abs(error(value, row[what])))
    return {program: statistics.mean(sizes) for program, sizes in of.items()}


def by_program(rows):
    columns = [(f'{KINDS[kind]}, {name}', errors(rows, what, lambda r: of(r[kind]) if r[kind] else None))
               for what, (name, of) in CYCLES.items() for kind in KINDS]
    columns += [(name, errors(rows, 'gpu_active_cycles', lambda r: r[key])) for key, name in OTHERS.items()]
    programs = list(dict.fromkeys(row['program'] for row in rows))
    out = [[p, str(sum(r['program'] == p for r in rows))] + [f'{c[p]:.0f} %' if p in c else '-' for _, c in columns] for p in programs]
    for name, of in ('mean', statistics.mean), ('median', statistics.median):
        out.append([f'**{name}**', ''] + [f'{of(c.values()):.1f} %' for _, c in columns])
    return table(['program', 'launches'] + [name for name, _ in columns], out)


def kernels(rows):
    """Rows of single kernels: cycles as measured, as replayed when they were first seen, and as replayed now; counters."""
    head = ['program, kernel', 'GPU active cycles', 'at first', 'now']
    for what in KERNEL_COUNTERS:
        head += [COUNTERS[what][0], 'ours']
    out, sizes = [], {'first_cycles': [], 'now': []}
    for row in rows:
        row['now'] = row['replayed']['cycles']
        cells = [f'{row["program"]}, {row["kernel"]}', f'{row["cycles"]:,.0f}']
        for when in sizes:
            cells.append(with_error(row[when], row['cycles']))
            sizes[when].append(abs(error(row[when], row['cycles'])))
        for what in KERNEL_COUNTERS:
            ours = COUNTERS[what][1](row['replayed'])
            cells += [f'{row[what]:,.0f}', with_error(ours, row[what]) if row[what] else f'{ours:,.0f}']
        out.append(cells)
    for name, of in ('mean', statistics.mean), ('median', statistics.median):
        out.append([f'**{name} error**', ''] + [f'{of(s):.1f} %' for s in sizes.values()] + 2 * len(KERNEL_COUNTERS) * [''])
    return table(head, out)


def read_rows(folder, only):
    """The measured rows of a folder, each with the place of its launch in the program's trace."""
    with open(f'{folder}/measured.csv') as f:
        rows = [r for r in csv.DictReader(f) if not only or r['program'] in only]
    place = {}
    for row in rows:
        row['at'] = place[row['program']] = place.get(row['program'], -1) + 1  # rows and launches of a trace are in the same order
        for key, value in row.items():
            if key not in ('program', 'launch', 'kernel', 'at'):
                row[key] = float(value)
    return rows


def put(text, name):
    with open(PAGE) as f:
        page = f.read()
    begin, end = page.index(f'<!-- {name} -->') + len(f'<!-- {name} -->'), page.index(f'<!-- end of {name} -->')
    with open(PAGE, 'w') as f:
        f.write(page[:begin] + '\n' + text + page[end:])


def main(*arguments):
    only = [a for a in arguments if a != '--write']
    rows, single = read_rows(FOLDER, only), read_rows(f'{FOLDER}/kernels', only)
    paths = {f'{FOLDER}/{row["program"]}.{kind}.wtr' for row in rows for kind in KINDS} | {f'{FOLDER}/kernels/{row["program"]}.wtr' for row in single}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(paths, pool.map(replay, paths)))
    for row in rows:
        for kind in KINDS:
            launches = found[f'{FOLDER}/{row["program"]}.{kind}.wtr']
            row[kind] = launches[row['at']] if launches else None
    for row in single:
        row['replayed'] = found[f'{FOLDER}/kernels/{row["program"]}.wtr'][row['at']]
    texts = {}
    if rows:
        texts['hardware'] = '\n'.join(['Mean error by program:', '', *by_program(rows), '', 'Cycles of each launch:', '', *cycles_of_launches(rows), '',
                                       'Counters of each launch, from machine code:', '', *counters_of_launches(rows), ''])
    if single:
        texts['kernels'] = '\n'.join([*kernels(single), ''])
    for name, text in texts.items():
        if '--write' in arguments:
            put(text, name)
        else:
            print(text, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
