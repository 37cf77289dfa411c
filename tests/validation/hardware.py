"""Cycles and counters of programs on a GV100 as others measured them, and as machine gv100 replays them from PTX, as it is and with --schedule, and
from machine code: prints the tables of docs/accuracy.md and the plot docs/accuracy.svg. The traces are in tests/golden/hardware, and in its folders kernels,
cells and variants those of single kernels; README.md there has the origin of the figures."""
import csv, json, os, statistics

from scatter import scatter
from script import REPRISE, check_names, command_line, output, run, side_by_side

FOLDER, PAGE, PLOT = 'tests/golden/hardware', 'docs/accuracy.md', 'docs/accuracy.svg'
KINDS, SMS = {'ptx': 'PTX', 'scheduled': '--schedule', 'sass': 'machine code'}, 80
MACHINE = ['-m', 'gv100', '--set', 'warm_l2=no']  # Nsight Compute empties the caches before each launch
CYCLES = {'gpu_active_cycles': ('GPU active cycles', lambda l: l['cycles']),
          'sm_active_cycles': ('SM active cycles', lambda l: l['occupancy']['sm_cycles'] / SMS)}
COUNTERS = {'warp_instructions': ('warp instructions', lambda l: l['warp_instructions']),
            'l1_sectors_read': ('L1 sectors read', lambda l: l['global']['load_transactions']),
            'l2_sectors': ('L2 sectors', lambda l: l['l2']['hits'] + l['l2']['misses']),
            'dram_sectors': ('DRAM sectors', lambda l: l['dram']['accesses'])}
L2_HIT_RATE = ('L2 hit rate', lambda l: 100 * (1 - l['l2']['fetches'] / (l['l2']['hits'] + l['l2']['misses'])))
HIT_RATES = {'l1_hit_rate': ('L1 hit rate', lambda l: 100 * l['l1']['hits'] / (l['l1']['hits'] + l['l1']['misses'])), 'l2_hit_rate': L2_HIT_RATE}
# What was fitted to measurements of these launches, or chosen by them, since nobody published it: value, which of both, by what of them, and launches as
# the tables name them. "changed": the value is published, but that it matters was seen in these launches.
CHOICES = (
    ('launch_latency', 'fitted', 'GPU active cycles less SM active cycles', ['nw, 0', 'lud, 0', 'gramschmidt, 0']),
    ('dispatch_latency, dispatch_interval', 'fitted', 'cycles, active warps', ['bfs, 0', 'bfs, 1']),
    ('dispatch_warp_interval', 'fitted', 'active warps', ['bfs, 0', 'bfs, 1', 'hotspot, 0']),
    ('dram.queue', 'fitted', 'cycles', ['backprop, 1']),
    ('port.queue', 'fitted', 'cycles; of gemm requests to L2', ['backprop, 1', *(f'3DConvolution, {n}' for n in range(4)), 'gemm, 0']),
    ('l2_tlb.page', 'fitted', 'cycles', ['gramschmidt, 0']),
    ('lsu.load_line, lsu.store_line', 'fitted', 'counters of one half of 694 variants on an RTX 2080 Ti, tested by the other half; not of gv100', []),
    ('scheduler', 'chosen', 'cycles; of gemm and lud active SMs and warps, too', ['binomialOptions, binomialOptionsKernel', 'gemm, 0', 'lud, 2']),
    ('icache.ahead', 'chosen', 'SM active cycles', [f'nw, {n}' for n in (0, 1, 49, 99)]),
    ('tlb', 'chosen', 'SM active cycles; what a walk takes is published', ['nn, 0', *(f'3DConvolution, {n}' for n in range(4))]),
    ('l1.merges', 'chosen', 'active warps', ['2DConvolution, 0']),
    ('l1.hash', 'chosen', 'L2 sectors', ['bicg, 1']),
    ('l2.fill', 'chosen', 'DRAM sectors', [*(f'nw, {n}' for n in (0, 1, 49, 99)), *(f'gramschmidt, {n}' for n in range(3))]),
    ('l2.dirty_ways', 'chosen', 'DRAM sectors', ['backprop, 1', 'fastWalshTransform, fwtBatch1Kernel', 'fastWalshTransform, fwtBatch2Kernel',
                                                 'quasirandomGenerator, quasirandomGeneratorKernel', 'quasirandomGenerator, inverseCNDKernel',
                                                 'SobolQRNG, sobolGPU_kernel']),
    ('placement', 'changed', 'cycles', ['SobolQRNG, sobolGPU_kernel', 'dct8x8, CUDAkernel2DCT']),
    ('placement = rotating', 'chosen', 'cycles', ['binomialOptions, binomialOptionsKernel']),
    ('shared.pairs', 'changed', 'cycles; published of 7.0 to 7.5, kept for a100 and h100 by the cells',
     ['sgemm, mysgemmNT', *(f'{gpu}, matrixMul.{size}' for gpu in ('h100', 'a100') for size in ('small', 'medium'))]),
    ('ldc_latency', 'changed', 'pipeline cycles, times',
     ['mri-q, ComputeQ_GPU', 'quasirandomGenerator, quasirandomGeneratorKernel', 'pnpoly, rtx2080ti', 'pnpoly, rtx3090']),
    ('fp32_compare', 'changed', 'times', ['pnpoly, rtx2080ti', 'pnpoly, rtx3090']),
    ('shared.least', 'changed', 'times; not of gv100', ['convolution, rtx3090']),
    ('interconnect.gpc_out', 'chosen', 'times, against interconnect.sm_flit; its number is fitted to a micro-benchmark; not of gv100', ['h100, BlackScholes.small']),
)
BEFORE_FIRST = 'l2.dirty_ways'  # the counters by which this was chosen had been looked at before their kernels were replayed for the first time
SMALL = 10_000  # cycles of a launch, as measured
WHAT_IS_FITTED = 'values fitted to it, or chosen by it'
# Cycles of the pipelines of an SM, all SMs: ALU, FMA, and FP64, which counts twice: as such and as what FP64 and tensor cores share.
PIPES = ('pipeline cycles', lambda l: l['units']['int']['busy'] + l['units']['fp32']['busy'] + 2 * l['units']['fp64']['busy'])
KERNEL_COUNTERS = {'pipe_cycles': PIPES, **{name: what for name, what in COUNTERS.items() if name != 'warp_instructions'}}
PROBLEMS = {'pnpoly': 20_000_000, 'convolution': 4096 * 4096}  # results of the launches whose time is in variants
SM_COUNTS = {'rtx2080ti': 68, 'rtx3090': 82}
CLOCKS = {'h100': 1980, 'a100': 1410}  # MHz at which the launches of cells were measured
OTHERS = {'accelsim_cycles': 'Accel-Sim 1.x', 'hyfiss_cycles': 'HyFiSS'}


def replay(path, machine):
    """The launches of a trace, as statistics; None: there is no such trace."""
    if not os.path.exists(path):
        return None
    return json.loads(output([REPRISE, 'replay', '-q', '--json', '-t', '1', *machine, path]))['traces'][0]['launches']


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


def share_of(what, row, replayed):
    """A share as measured, and ours with the difference in points."""
    ours = what[1](replayed)
    return f'{row:.1f}', f'{ours:.1f} ({ours - row:+.1f})'


def hit_rates_of_launches(rows):
    head = ['program, launch']
    for what in HIT_RATES.values():
        head += [f'{what[0]}, %', 'ours']
    out = [[f'{row["program"]}, {row["launch"]}'] + [cell for name, what in HIT_RATES.items() for cell in share_of(what, row[name], row['sass'])] for row in rows]
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


def values_of(*launches):
    """The values that some of these launches took part in choosing, as text."""
    return ', '.join(value for value, _, _, by in CHOICES if any(l in by for l in launches)) or '-'


def part_of(launch):
    """fitted: a value was fitted to this launch; chosen: at least it took part in choosing one; or neither."""
    kinds = [kind for _, kind, _, by in CHOICES if launch in by]
    return 'fitted' if 'fitted' in kinds else 'chosen' if kinds else 'neither'


def label(row):
    return f'{row["program"]}, {row["launch"]}'


def summaries(sizes, of, count):
    """Cells with what `of` makes of each column, and of how many sizes where these are not all."""
    return [f'{of(s):.1f} %' + (f' of {len(s)}' if len(s) != count else '') if s else '-' for s in sizes]


def by_program(rows):
    columns = [(f'{KINDS[kind]}, {name}', what, lambda r, of=of, kind=kind: of(r[kind]) if r[kind] else None)
               for what, (name, of) in CYCLES.items() for kind in KINDS]
    columns += [(name, 'gpu_active_cycles', lambda r, key=key: r[key]) for key, name in OTHERS.items()]
    means = [errors(rows, what, predict) for _, what, predict in columns]
    programs = list(dict.fromkeys(row['program'] for row in rows))
    out = [[p, str(sum(r['program'] == p for r in rows))] + [f'{m[p]:.0f} %' if p in m else '-' for m in means] +
           [values_of(*(label(r) for r in rows if r['program'] == p))] for p in programs]
    with_ptx = list(means[0])
    for name, of, some in ((f'mean of {len(programs)} programs', statistics.mean, programs), (f'median of {len(programs)} programs', statistics.median, programs),
                           (f'mean of the {len(with_ptx)} with PTX', statistics.mean, with_ptx)):
        sizes = [[m[p] for p in some if p in m] for m in means]
        out.append([f'**{name}**', str(sum(r['program'] in some for r in rows))] + summaries(sizes, of, len(some)) + [''])
    for name, of, some in (('mean of launches below 10,000 cycles', statistics.mean, [r for r in rows if r['gpu_active_cycles'] < SMALL]),
                           ('largest of launches below 10,000 cycles', max, [r for r in rows if r['gpu_active_cycles'] < SMALL]),
                           ('mean of launches to which a value was fitted', statistics.mean, [r for r in rows if part_of(label(r)) == 'fitted']),
                           ('mean of launches by which one was chosen', statistics.mean, [r for r in rows if part_of(label(r)) == 'chosen']),
                           ('mean of all other launches', statistics.mean, [r for r in rows if part_of(label(r)) == 'neither'])):
        sizes = [[abs(error(predict(r), r[what])) for r in some if predict(r) is not None] for _, what, predict in columns]
        out.append([f'**{name}**', str(len(some))] + summaries(sizes, of, len(some)) + [''])
    return table(['program', 'launches'] + [name for name, _, _ in columns] + [WHAT_IS_FITTED], out)


def labels(folder, *columns):
    """What the tables call the launches of a folder."""
    with open(f'{FOLDER}/{folder}measured.csv') as f:
        return [', '.join(row[column] for column in columns) for row in csv.DictReader(f)]


def choices():
    """The table of what was fitted or chosen, and how many launches of each group took part."""
    out = []
    for value, kind, by, launches in CHOICES:
        names = {}
        for launch in launches:
            names.setdefault(launch.split(', ')[0], []).append(launch.split(', ')[1])
        out.append([', '.join(f'`{v}`' for v in value.split(', ')), kind, by, '; '.join(f'{p} {", ".join(of)}' for p, of in names.items()) or '-'])
    lines = table(['value', 'fitted or chosen', 'by', 'of launches'], out) + ['']
    lines += table(['launches', 'in all', 'to which a value was fitted', 'by which one was chosen besides', 'that took no part', 'which'], [
        [name, str(len(found)), *(str(sum(part_of(l) == part for l in found)) for part in ('fitted', 'chosen', 'neither')),
         '; '.join(dict.fromkeys(l for l in found if part_of(l) == 'neither'))]
        for name, found in (('GV100, of programs', labels('', 'program', 'launch')), ('GV100, of single kernels', labels('kernels/', 'program', 'kernel')),
                            ('H100 and A100', labels('cells/', 'machine', 'trace')))])
    return '\n'.join(lines) + '\n'


def programs(rows):
    return ['Mean error by program:', '', *by_program(rows), '', 'Cycles of each launch:', '', *cycles_of_launches(rows), '',
            'Counters of each launch, from machine code:', '', *counters_of_launches(rows), '',
            'Hit rates of each launch, from machine code, with the difference in points:', '', *hit_rates_of_launches(rows)]


def kernels(rows):
    """Rows of single kernels: cycles as measured, as replayed when they were first seen, and as replayed now; counters."""
    head = ['program, kernel', 'cycles of an SM', 'at first', 'now']
    for what in KERNEL_COUNTERS:
        head += [KERNEL_COUNTERS[what][0], 'ours']
    head += ['L2 hit rate, %', 'ours', WHAT_IS_FITTED]
    out, sizes = [], {'first_cycles': [], 'now': []}
    for row in rows:
        row['now'] = row['replayed']['cycles']
        name = f'{row["program"]}, {row["kernel"]}'
        cells, values = [name, f'{row["cycles"]:,.0f}'], values_of(name)
        for when in sizes:
            cells.append(with_error(row[when], row['cycles']))
            sizes[when].append((values, abs(error(row[when], row['cycles']))))
        for what in KERNEL_COUNTERS:
            ours = KERNEL_COUNTERS[what][1](row['replayed'])
            cells += [f'{row[what]:,.0f}', with_error(ours, row[what]) if row[what] else f'{ours:,.0f}']
        out.append(cells + [*share_of(L2_HIT_RATE, row['l2_hit_rate'], row['replayed']), values])
    for name, of, takes in (('mean error', statistics.mean, lambda values: True), ('median error', statistics.median, lambda values: True),
                            (f'mean error without those of {BEFORE_FIRST}', statistics.mean, lambda values: BEFORE_FIRST not in values),
                            ('mean error of those with values', statistics.mean, lambda values: values != '-'),
                            ('mean error of the others', statistics.mean, lambda values: values == '-')):
        some = [[size for values, size in s if takes(values)] for s in sizes.values()]
        out.append([f'**{name}**', ''] + [f'{of(s):.1f} %' if s else '-' for s in some] + (2 * len(KERNEL_COUNTERS) + 3) * [''])
    return table(head, out)


def cells(rows):
    """Rows of launches whose time was measured, L2 warm: as measured, as replayed at first, and as replayed now."""
    out, sizes = [], {machine: {'first_cycles': [], 'now': []} for machine in CLOCKS}
    for row in rows:
        machine = row['machine']
        row['now'] = row['replayed']['cycles']
        line = [f'{machine}, {row["trace"]}', f'{row["size"]}', row['block'], f'{row["microseconds"]:.2f}']
        for when, of in sizes[machine].items():
            took = row[when] / CLOCKS[machine]
            line.append(f'{took:.2f} ({error(took, row["microseconds"]):+.0f} %)')
            of.append((values_of(line[0]), abs(error(took, row['microseconds']))))
        out.append([*line, values_of(line[0])])
    for name, takes in (('mean error', lambda values: True), ('mean error of those without values', lambda values: values == '-')):
        for machine, of in sizes.items():
            some = [[size for values, size in s if takes(values)] for s in of.values()]
            if some[0]:
                out.append([f'**{machine}, {name}**', '', '', ''] + [f'{statistics.mean(s):.1f} %' for s in some] + [''])
    return table(['GPU, launch', 'size', 'block', 'microseconds', 'at first', 'now', WHAT_IS_FITTED], out)


def ranks(values):
    """Their places in order; equal ones share the mean of theirs."""
    inorder = sorted(values)
    return [inorder.index(v) + (inorder.count(v) - 1) / 2 for v in values]


def spearman(a, b):
    return statistics.correlation(ranks(a), ranks(b)) if len(a) > 1 else 1


FASTEST = 16


def ranking(name, rows):
    """How well replay ranks these variants, by its cycles for a result on one SM; and the clocks at which replay takes as long."""
    kernel, machine = rows[0]['kernel'], rows[0]['machine']
    measured = [row['milliseconds'] for row in rows]
    ours = [row['replayed']['cycles'] / row['results'] for row in rows]
    clocks = sorted(cycles * PROBLEMS[kernel] / SM_COUNTS[machine] / time / 1000 for cycles, time in zip(ours, measured))
    quarters = statistics.quantiles(clocks, n=4) if len(clocks) > 1 else 3 * clocks
    chosen, best = measured[ours.index(min(ours))], min(measured)
    return [f'{kernel}, {machine}', name, str(len(rows)), f'{spearman(measured, ours):.2f}', f'{best:.2f}', f'{chosen:.2f} ({error(chosen, best):+.0f} %)',
            f'{quarters[1]:,.0f}', f'{quarters[0]:,.0f} to {quarters[2]:,.0f}']


def variants(rows):
    """For each kernel and GPU the ranking of variants at even distances, of the fastest that were measured, and of both."""
    head = ['kernel, GPU', 'which', 'variants', "Spearman's correlation", 'best as measured, ms', 'best by replay, as measured', 'clock for equal times, MHz',
            'of half of them']
    out = []
    for kernel, machine in dict.fromkeys((row['kernel'], row['machine']) for row in rows):
        some = [row for row in rows if (row['kernel'], row['machine']) == (kernel, machine)]
        out += [ranking('at even distances', [row for row in some if row['spread']]),
                ranking('the fastest', sorted(some, key=lambda row: row['milliseconds'])[:FASTEST]), ranking('all', some)]
    return table(head, out)


def plot(groups):
    """Cycles from machine code, a mark for each launch."""
    kinds = ['GV100, launches of programs', 'GV100, kernels that came later', 'H100', 'A100']
    points = [(kinds[0], f'{row["program"]}, {row["launch"]}', row['gpu_active_cycles'], row['sass']['cycles']) for row in groups['hardware']]
    points += [(kinds[1], f'{row["program"]}, {row["kernel"]}', row['cycles'], row['replayed']['cycles']) for row in groups['kernels']]
    points += [(row['machine'].upper(), f'{row["trace"]}, block {row["block"]}', row['microseconds'] * CLOCKS[row['machine']], row['replayed']['cycles'])
               for row in groups['cells']]
    return scatter('Measured and replayed cycles of launches', kinds, points)


TEXTS = {'hardware': programs, 'kernels': kernels, 'cells': cells, 'variants': variants}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read_rows(folder, name_of, runs_of, only):
    """The measured rows of a folder, each with the launches to replay: by key a trace, the machine's arguments, and the launch's place in the trace."""
    rows, place = [], {}
    with open(f'{FOLDER}/{folder}measured.csv') as f:
        for row in csv.DictReader(f):
            name = row[name_of] if name_of else f'{row["kernel"]}.{row["machine"]}'
            if only and name not in only:
                continue
            at = place[name] = place.get(name, -1) + 1  # rows and launches of a program's trace are in the same order
            row['runs'] = {key: (f'{FOLDER}/{folder}{path}', tuple(machine), launch) for key, (path, machine, launch) in runs_of(row, at).items()}
            rows.append({key: value if key in ('launch', 'size', 'block', 'runs') else number(value) for key, value in row.items()})
    return rows


def read_all(only):
    return {
        'hardware': read_rows('', 'program', lambda row, at: {kind: (f'{row["program"]}.{kind}.wtr', MACHINE, at) for kind in KINDS}, only),
        'kernels': read_rows('kernels/', 'program', lambda row, at: {'replayed': (f'{row["program"]}.wtr', MACHINE, at)}, only),
        'cells': read_rows('cells/', 'trace', lambda row, at: {'replayed': (f'{row["machine"]}.{row["trace"]}.wtr', ['-m', row['machine']], int(row['launch']))},
                           only),
        'variants': read_rows('variants/', None, lambda row, at: {'replayed': (f'{row["kernel"]}.{row["machine"]}.{row["number"]}.wtr',
                                                                              ['-m', row['machine'], '--set', 'sms=1'], 0)}, only)}


def replay_all(rows):
    """Each row's launches, as statistics, by the key of its runs; None: there is no such trace."""
    runs = sorted({(path, machine) for row in rows for path, machine, _ in row['runs'].values()})
    found = dict(zip(runs, side_by_side(lambda of: replay(*of), runs)))
    for row in rows:
        for key, (path, machine, launch) in row['runs'].items():
            launches = found[path, machine]
            row[key] = launches[launch] if launches else None


def put(text, name):
    with open(PAGE) as f:
        page = f.read()
    begin, end = page.index(f'<!-- {name} -->') + len(f'<!-- {name} -->'), page.index(f'<!-- end of {name} -->')
    with open(PAGE, 'w') as f:
        f.write(page[:begin] + '\n' + text + page[end:])


def names():
    """What can be named: programs, launches of cells, and kernels with the machine of their variants."""
    rows = [row for group in read_all([]).values() for row in group]
    return list(dict.fromkeys(row.get('program') or row.get('trace') or f'{row["kernel"]}.{row["machine"]}' for row in rows))


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('--write', action='store_true', help='put the tables and the plot into docs/accuracy.md and docs/accuracy.svg; not with names')
    parser.add_argument('program', nargs='*', help='these alone: programs as nw, launches as vectorAdd.l2, variants as pnpoly.rtx3090')
    given = parser.parse_args(arguments)
    write, only = given.write, given.program
    check_names(parser, 'program', only, names())
    if write and only:
        parser.error('--write puts all programs into the tables; leave out their names')
    groups = read_all(only)
    replay_all([row for rows in groups.values() for row in rows])
    if write:
        put(choices(), 'choices')
    else:
        print(choices(), end='')
    for name, rows in groups.items():
        text = '\n'.join([*TEXTS[name](rows), '']) if rows else ''
        if write:
            put(text, name)
        else:
            print(text, end='')
    if write:
        with open(PLOT, 'w') as f:
            f.write(plot(groups))
    else:
        print(plot(groups), end='')
    return 0


if __name__ == '__main__':
    run(main)
