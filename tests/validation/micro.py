"""Micro-benchmarks (tests/micro) on machines, beside published figures: prints the tables of docs/micro.md.

Exit status 1, too: SGEMM, a copy or a read takes longer on a later GPU (table times). 2: an option that is none of these.

A case is launched with n and with 2 n rounds, or with as many and twice as many blocks. A step is what the second launch takes longer, divided by what
it does more: cycles of an operation of a warp; of an operation of the SM, where the block has several warps; bytes of a cycle, of streams. The traces in
tests/golden/micro are of machine code for 9.0. On a machine of another generation registers say what waits for what, not the code's stall counts."""
import csv, json, sys

from script import REPRISE, check_machines, command_line, output, run, side_by_side

FOLDER, PAGE = 'tests/golden/micro', 'docs/micro.md'
MACHINES = ['v100', 'rtx2080', 'rtx3070', 'a100', 'rtx5000ada', 'h100']
GROUPS = ['arithmetic', 'tensor', 'shared', 'hopper', 'wgmma', 'launches', 'large-launches', 'code', 'atomics', 'memory', 'tlb', 'occupancy', 'cold']
FULL = {'atomics', 'memory', 'cold'}  # what fills the chip takes longer
RISING = ['v100', 'a100', 'h100']  # each is to take less time than the one before
SGEMM = 'tests/golden/hardware/kernels/sgemm.wtr'  # Parboil's, machine code for 7.0
OWN = {'h100', 'h200'}  # whose code the traces have
ROUNDS = {'memory': 2, 'tlb': 2, 'occupancy': 2}  # of each launch, as tests/micro/record has them: caches are kept, the last one counts
TLB_STRIDE = (2 << 20) + 4352  # bytes from page to page (tests/micro/memory.cu)
HOPPER = {'hopper', 'wgmma', 'large-launches'}  # what no older GPU has


def name_of(row):
    """A case: its name, warps of a block, and what tells it from others of this name."""
    words = [row['case'].removesuffix('_chain')]
    if row['group'].endswith('launches'):
        words += [f'{row["blocks"]}x{row["threads"]}'] + [f'{row["shared"]}B'] * (row['shared'] > 0) + [f'cluster{row["cluster"]}'] * (row['cluster'] > 0)
        return ' '.join(words)
    words.append(f'{(row["threads"] + 31) // 32}w')
    if row['group'] in ('shared', 'hopper') and not row['case'].startswith(('mbarrier', 'cp_async', 'cluster')):
        words.append(f'{row["a"]}B' + (f'/{row["b"]}' if row['b'] < 32 and not row['case'].startswith('bulk') else ''))
    if row['cluster']:
        words.append(f'cluster{row["cluster"]}')
    if row['case'].endswith('_l1'):
        words.append(f'{row["a"]}B')
    if row['case'].endswith('_chase') and row['group'] == 'memory' and row['b']:
        words.append(f'{row["b"]}K')
    if row['group'] == 'tlb':
        words.append(f'{1024 * row["b"] // TLB_STRIDE} pages')
    if row['group'] == 'atomics':
        words = [words[0], f'{row["blocks"]}x{row["threads"]}', f'{row["a"]}B,{row["b"]}B']
    return ' '.join(words)


def cases():
    """The cases of each group: name, rows of its launches, and where these are among the launches that are not preparations."""
    with open(f'{FOLDER}/launches.csv') as f:
        rows = [{k: v if k in ('group', 'case') else float(v) if k == 'operations' else int(v) for k, v in r.items()} for r in csv.DictReader(f)]
    place, found = {}, {}
    for row in rows:
        at = place[row['group']] = place.get(row['group'], -1) + 1
        key = name_of(row) if row['group'].endswith('launches') else (row['case'], row['threads'], row['shared'], row['cluster'], row['a'], row['b'], row['operations'],
                                                               row['blocks'] if row['group'] == 'atomics' else 0)
        found.setdefault(row['group'], {}).setdefault(key, []).append((at, row))
    return {group: {name_of(c[0][1]): c for c in of.values()} for group, of in found.items()}


def figure(case, cycles):
    """The figure of a case and its unit, by the cycles of its launches."""
    (at, row), more = case[0], case[1:]
    if not more:
        return cycles[at], 'cycles'
    again, longer = more[0]
    apart = cycles[again] - cycles[at]
    if longer['blocks'] > row['blocks'] or (row['operations'] >= 1024 and row['group'] != 'code'):
        return (row['operations'] / apart if apart > 0 else float('inf')), 'bytes/cycle'
    warps = (row['threads'] + 31) // 32
    return apart / (row['operations'] * row['n'] * warps), 'cycles' if warps == 1 else 'cycles of the SM'


given_settings = []  # of the command line


def launches_of(machine, trace, settings):
    """The launches of a trace on a machine, but those that prepare memory."""
    settings = settings + given_settings + ([] if machine in OWN else ['dependencies=scoreboard'])
    printed = output([REPRISE, 'replay', '-q', '--json', '-t', '1', '-m', machine, trace, *[w for s in settings for w in ('--set', s)]])
    return [l for l in json.loads(printed)['traces'][0]['launches'] if not l['kernel'].startswith('prepare_')]


def replay(machine, group, of):
    """The figures of a group's cases."""
    launches = launches_of(machine, f'{FOLDER}/{group}.wtr', ['flush_caches=' + ('no' if group in ROUNDS else 'yes'), 'warm_l2=no'])
    launches = launches[ROUNDS.get(group, 1) - 1::ROUNDS.get(group, 1)]
    rows = sorted((pair for case in of.values() for pair in case), key=lambda pair: pair[0])
    if [(l['grid'][0], l['block'][0]) for l in launches] != [(row['blocks'], row['threads']) for _, row in rows]:
        sys.exit(f'{FOLDER}/{group}.wtr has other launches than {FOLDER}/launches.csv')
    cycles = [l['cycles'] for l in launches]
    return {name: figure(case, cycles) for name, case in of.items()}


def times(machine):
    """Microseconds: program → time. Copy and read are the longer ones of group cold."""
    cold = launches_of(machine, f'{FOLDER}/cold.wtr', ['flush_caches=yes', 'warm_l2=no'])
    longest = {kernel: max(l['us'] for l in cold if l['kernel'] == kernel) for kernel in ('copy_blocks', 'read_blocks')}
    return {'SGEMM of 992 × 1024 × 1056': launches_of(machine, SGEMM, [])[0]['us'], 'copy of 8 MB': longest['copy_blocks'],
            'read of 32 MB': longest['read_blocks']}


def rising(found):
    """The table of times on RISING, and whether each machine is faster than the one before."""
    lines = ['| times | unit | ' + ' | '.join(RISING) + ' |', '|---|---|' + len(RISING) * '--:|']
    lines += [f'| {name} | µs | ' + ' | '.join(f'{found[m][name]:.1f}' for m in RISING) + ' |' for name in found[RISING[0]]]
    faster = all(found[a][name] > found[b][name] for a, b in zip(RISING, RISING[1:]) for name in found[a])
    return '\n'.join(lines) + '\n', faster


def published():
    """machine, case → figure, the number of its source; and the sources in the order of their numbers, from 1."""
    with open(f'{FOLDER}/published.csv') as f:
        rows = list(csv.DictReader(f))
    sources = sorted({r['source'] for r in rows})
    return {(r['machine'], r['case']): (float(r['figure']), sources.index(r['source']) + 1) for r in rows}, sources


def number(value):
    return f'{value:,.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def cell(value, known):
    return f'{number(value)} ({known[0]:,g}, {100 * (value / known[0] - 1):+.0f} %) [{known[1]}]' if known else number(value)


def table(group, all_cases, found, machines, known):
    if not machines:
        return []
    lines = [f'| {group} | unit | ' + ' | '.join(machines) + ' |', '|---|---|' + len(machines) * '--:|']
    for name in all_cases[group]:
        unit = found[machines[0], group][name][1]
        lines.append(f'| {name} | {unit} | ' + ' | '.join(cell(found[m, group][name][0], known.get((m, name))) for m in machines) + ' |')
    return lines + ['']


def others_table(others, found, group_of, known):
    """The figures that are published of machines that are no column of the other tables."""
    lines = ['| machine | case | unit | ours (published, error) [source] |', '|---|---|---|--:|']
    for machine, case in others:
        value, unit = found[machine, group_of[case]][case]
        lines.append(f'| {machine} | {case} | {unit} | {cell(value, known[machine, case])} |')
    return '\n'.join(lines) + '\n'


def parts(text):
    """What stands between the marks of each group in the page."""
    return {g: text.split(f'<!-- {g} -->\n')[1].split(f'<!-- end of {g} -->')[0] for g in GROUPS + ['times', 'others', 'sources'] if f'<!-- {g} -->' in text}


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('--quick', action='store_true', help='leave out what fills the chip, which takes longer')
    what = parser.add_mutually_exclusive_group()
    what.add_argument('--write', action='store_true', help='put the tables into docs/micro.md')
    what.add_argument('--check', action='store_true', help='exit status 1 if docs/micro.md has other tables')
    parser.add_argument('--group', action='append', choices=GROUPS, help='with machines: these tables alone; may be repeated')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', help='with machines: change an option of each; may be repeated')
    parser.add_argument('machine', nargs='*', help='the tables of these machines alone, printed')
    given = parser.parse_args(arguments)
    if (given.set or given.group) and (given.write or given.check or not given.machine):
        parser.error('--set and --group print tables of machines: name some')
    given_settings.extend(given.set)
    machines = given.machine or MACHINES
    check_machines(parser, machines)
    if given.write and machines != MACHINES:
        parser.error('--write is of all machines of the page: name none')
    groups = given.group or [g for g in GROUPS if not (given.quick and g in FULL)]
    all_cases, (known, sources) = cases(), published()
    runs = [(m, g) for g in groups for m in machines if g not in HOPPER or m in OWN]
    page_whole = machines == MACHINES and not (given.quick or given.set or given.group)
    timed = RISING if page_whole else []
    group_of = {case: g for g in groups for case in all_cases[g]}
    # What is published of machines that are no column
    others = [(m, case) for m, case in known if m not in MACHINES and case in group_of] if page_whole else []
    runs += list(dict.fromkeys((m, group_of[case]) for m, case in others))
    found = dict(zip(runs, side_by_side(lambda of: replay(*of, all_cases[of[1]]), runs)))
    seconds = dict(zip(timed, side_by_side(times, timed)))
    tables = {g: '\n'.join(table(g, all_cases, found, [m for m in machines if (m, g) in found], known)) for g in groups}
    tables['sources'] = ''.join(f'{n}. {text}\n' for n, text in enumerate(sources, 1))
    slower = 0
    if others:
        tables['others'] = others_table(others, found, group_of, known)
    if timed:
        tables['times'], faster = rising(seconds)
        slower = int(not faster)
    if given.write:
        with open(PAGE) as f:
            page = f.read()
        for group, text in tables.items():
            begin, end = page.index(f'<!-- {group} -->\n') + len(f'<!-- {group} -->\n'), page.index(f'<!-- end of {group} -->')
            page = page[:begin] + text + page[end:]
        with open(PAGE, 'w') as f:
            f.write(page)
        return slower
    if given.check:
        with open(PAGE) as f:
            page = parts(f.read())
        changed = [g for g in tables if page.get(g) != tables[g]]
        for group in changed:
            print(f'{PAGE}, {group}: another table; make validation-micro writes this one')
        return 1 if changed else slower
    print('\n'.join(tables.values()), end='')
    return slower


if __name__ == '__main__':
    run(main)
