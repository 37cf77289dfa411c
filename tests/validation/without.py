"""What single values of machine gv100 do to launches of tests/golden/hardware, from machine code: prints a table of quantities as measured, as
replayed, and as replayed with one value of the machine changed."""
import csv

from hardware import COUNTERS, CYCLES, FOLDER, MACHINE, SMS, error, put, replay, table
from script import check_texts, command_line, run, side_by_side

QUANTITIES = {**CYCLES, **COUNTERS, 'active_warps': ('active warps of an SM', lambda l: l['occupancy']['warp_cycles'] / l['occupancy']['sm_cycles']),
              'active_sms': ('SMs active, % of the cycles', lambda l: 100 * l['occupancy']['sm_cycles'] / SMS / l['cycles'])}
# Program, launch, quantity, and the settings.
ROWS = (*((program, launch, quantity, 'scheduler=gty') for program, launch in (('backprop', '0'), ('hotspot', '0'), ('lud', '2'))
          for quantity in ('gpu_active_cycles', 'active_warps')),
        *(('gemm', '0', quantity, setting) for setting in ('scheduler=gty', 'scheduler=lrr') for quantity in ('active_sms', 'active_warps', 'gpu_active_cycles')),
        ('gemm', '0', 'gpu_active_cycles', 'placement=balanced'),
        ('nn', '0', 'sm_active_cycles', 'tlb=none l2_tlb=none'), ('3DConvolution', '0', 'sm_active_cycles', 'tlb=none l2_tlb=none'),
        ('2DConvolution', '0', 'active_warps', 'l1.merges=8'), ('backprop', '1', 'dram_sectors', 'l2.dirty_ways=0'),
        ('nw', '99', 'dram_sectors', 'l2.fill=0'), ('gramschmidt', '1', 'dram_sectors', 'l2.fill=0'), ('bicg', '1', 'l2_sectors', 'l1.hash=none'),
        ('nw', '0', 'sm_active_cycles', 'icache.ahead=0'), ('nw', '99', 'sm_active_cycles', 'icache.ahead=0'))


def measured():
    """The measured rows by program and launch, each with its place in the program's trace."""
    found, places = {}, {}
    with open(f'{FOLDER}/measured.csv') as f:
        for row in csv.DictReader(f):
            place = places[row['program']] = places.get(row['program'], -1) + 1
            numbers = {key: float(row[key]) for key in QUANTITIES if key in row}
            numbers['active_sms'] = 100 * numbers['sm_active_cycles'] / numbers['gpu_active_cycles']
            found[row['program'], row['launch']] = place, numbers
    return found


def shown(value, truth):
    text = f'{value:,.1f}' if truth < 100 else f'{value:,.0f}'
    return f'{text} ({error(value, truth):+.0f} %)'


def rows(words):
    known = measured()
    wanted = [row for row in ROWS if not words or any(word in ' '.join(row) for word in words)]
    runs = sorted({(program, s) for program, _, _, setting in wanted for s in ('', setting)})
    launches = dict(zip(runs, side_by_side(lambda of: replay(f'{FOLDER}/{of[0]}.sass.wtr', [*MACHINE, *(word for s in of[1].split() for word in ('--set', s))]), runs)))
    for program, launch, quantity, setting in wanted:
        place, numbers = known[program, launch]
        name, of = QUANTITIES[quantity]
        truth = numbers[quantity]
        yield [f'`{setting}`', f'{program}, {launch}', name, f'{truth:,.1f}' if truth < 100 else f'{truth:,.0f}',
               *(shown(of(launches[program, s][place]), truth) for s in ('', setting))]


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('--write', action='store_true', help='put the table into docs/accuracy.md; not with texts')
    parser.add_argument('text', nargs='*', help='rows with one of these texts alone: nn, l1.hash')
    given = parser.parse_args(arguments)
    write, words = given.write, given.text
    check_texts(parser, words, [' '.join(row) for row in ROWS], sorted({cell for row in ROWS for cell in row}))
    if write and words:
        parser.error('--write puts all rows into the table; leave out the texts')
    text = '\n'.join([*table(['setting', 'program, launch', 'what', 'measured', 'as it is', 'with the setting'], list(rows(words))), ''])
    if write:
        put(text, 'without')
    else:
        print(text, end='')
    return 0


if __name__ == '__main__':
    run(main)
