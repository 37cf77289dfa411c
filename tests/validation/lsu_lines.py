"""How long lines of loads and stores keep shared memory busy on an RTX 2080 Ti: what counters of variants of convolution say. Prints the tables of
docs/accuracy.md about it. tests/golden/hardware/README.md has the origin of the counters.

A warp's access to shared memory has passes; Nsight Compute calls them wavefronts and counts them. How many lines of 128 bytes the loads and stores of global
memory touch is computed here: a variant's blocks and tiles say what each lane accesses. The computed loads of a launch must be those counted. Of a variant

    cycles of an SM = warp instructions / (68 SMs x 4 schedulers x the share of cycles in which a scheduler issues)
    busy            = (2 x passes + load_line x lines of loads + store_line x lines of stores) / 68 / cycles

busy cannot be more than 1."""
import csv, itertools, statistics

from script import command_line, run

SOURCE, PAGE = 'tests/golden/hardware/variants/counters.csv', 'docs/accuracy.md'
SMS, SCHEDULERS, WARP, LINE, FLOAT = 68, 4, 32, 128, 4
OTHERS = {'RTX 2080 Ti': ('tuner_milliseconds', 68), 'TITAN RTX': ('titan_rtx_milliseconds', 72)}   # measured by another tuner: column, SMs
IMAGE, HALO = 4096, 14          # pixels of a side; a filter of 15 x 15 reads so many more of the input
INNER = 2                       # blocks of a row or column of the grid, beside the last, whose lines are counted for all of them
PASS, LOAD_LINE, STORE_LINE = 2, 1, 2   # cycles, as in hw-models/machines/rtx2080ti.cfg
CHOICES = [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2)]
OF_CLOCKS = [(0, 0), (1, 1), (1, 2), (1, 3), (2, 2)]
ABOVE, MUST_BE_BELOW = 0.97, 1.01
FOUND_WITH = [2, 32, 8, 1]      # blocks and tiles of the variant whose replay was too fast
HALVES = {'odd': 1, 'even': 0}  # by the width of the tile


def lines(addresses):
    return len({a * FLOAT // LINE for a in addresses})


def accesses(block_x, block_y, tile_x, tile_y, at):
    """Of a block at this pixel: the addresses of each warp's loads, then those of its stores, as lists of floats' numbers."""
    x, y = at
    lanes = [(i % block_x, i // block_x) for i in range(block_x * block_y)]
    warps = [lanes[i:i + WARP] for i in range(0, len(lanes), WARP)]
    wide, high, pitch = block_x * tile_x + HALO, block_y * tile_y + HALO, IMAGE + HALO
    loads = [[(y + i + b) * pitch + x + j + a for a, b in warp if i + b < high and j + a < wide and y + i + b < pitch and x + j + a < pitch]
             for warp in warps for i in range(0, high, block_y) for j in range(0, wide, block_x)]
    stores = [[(y + i * block_y + b) * IMAGE + x + j * block_x + a for a, b in warp if y + i * block_y + b < IMAGE and x + j * block_x + a < IMAGE]
              for warp in warps for i in range(tile_y) for j in range(tile_x)]
    return loads, stores


def blocks_of(size):
    """Where blocks of this size begin, and how many each stands for: some, and the last, which may reach over the edge."""
    last = -(-IMAGE // size) - 1
    return [((2 * n + 1) * last // (2 * INNER) * size, last / INNER) for n in range(INNER)] + [(last * size, 1)]


def lines_of_launch(*shape):
    """Loads, their lines, and lines of stores."""
    sums = [0, 0, 0]
    for (x, columns), (y, rows) in itertools.product(blocks_of(shape[0] * shape[2]), blocks_of(shape[1] * shape[3])):
        loads, stores = accesses(*shape, (x, y))
        sums = [s + columns * rows * of for s, of in zip(sums, (sum(map(bool, loads)), sum(map(lines, loads)), sum(map(lines, stores))))]
    return sums


def read():
    rows = []
    with open(SOURCE) as f:
        for row in csv.DictReader(f):
            row = {key: float(value) for key, value in row.items()}
            shape = [int(row[key]) for key in ('block_x', 'block_y', 'tile_x', 'tile_y')]
            loads, load_lines, store_lines = lines_of_launch(*shape)
            if abs(loads / row['load_requests'] - 1) > 0.01:  # lanes of a warp went apart, and loaded one after the other
                continue
            cycles = row['warp_instructions'] / (SMS * SCHEDULERS * row['issue_percent'] / 100)
            passes = row['shared_load_passes'] + row['shared_store_passes']
            counts = (passes, load_lines, store_lines)
            rows.append({'shape': shape, 'counts': counts, 'times': {name: (row[column], sms) for name, (column, sms) in OTHERS.items()}, 'width': shape[0], 'tile': shape[2], 'mhz': cycles / row['milliseconds'] / 1000, 'a load': load_lines / loads,
                         'shares': [n / SMS / cycles for n in counts]})
    return rows


def busy(row, load_line, store_line):
    return sum(share * cost for share, cost in zip(row['shares'], (PASS, load_line, store_line)))


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|---|' + (len(head) - 1) * '--:|'] + ['| ' + ' | '.join(r) + ' |' for r in rows]


def choices(rows):
    """What each pair of costs says of the two halves."""
    head, out = ['cycles of a line of loads, of stores'], []
    halves = {name: [row for row in rows if row['tile'] % 2 == odd] for name, odd in HALVES.items()}
    for name in halves:
        head += [f'busiest, tiles of {name} width', f'above {ABOVE:.0%}'.replace('%', ' %')]
    for choice in CHOICES:
        line = [f'{choice[0]}, {choice[1]}']
        for half in halves.values():
            all_busy = [busy(row, *choice) for row in half]
            line += [f'{100 * max(all_busy):.1f} %', f'{sum(b > ABOVE for b in all_busy)} of {len(half)}']
        out.append(line)
    return table(head, out)


def by_width(rows):
    def of(row):
        return row['width']
    return [(width, list(some)) for width, some in itertools.groupby(sorted(rows, key=of), key=of)]


def widths(rows):
    head = ['block width', 'variants', 'lines of a load', 'busiest, shared memory alone', 'with lines of loads', 'and of stores']
    out = []
    for width, some in by_width(rows):
        out.append([str(width), str(len(some)), f'{statistics.mean(row["a load"] for row in some):.1f}'] +
                   [f'{100 * max(busy(row, *choice) for row in some):.1f} %' for choice in ((0, 0), (LOAD_LINE, 0), (LOAD_LINE, STORE_LINE))])
    return table(head, out)


def least_squares(rows):
    """The three costs, in cycles, with which busy is nearest to 1."""
    x = [row['shares'] for row in rows]
    m = [[sum(a[i] * a[j] for a in x) for j in range(3)] + [sum(a[i] for a in x)] for i in range(3)]
    for i in range(3):
        m[i] = [value / m[i][i] for value in m[i]]
        for k in range(3):
            if k != i:
                m[k] = [value - m[k][i] * of for value, of in zip(m[k], m[i])]
    return [row[3] for row in m]


def fits(rows):
    out = []
    for name, odd in HALVES.items():
        some = [row for row in rows if row['tile'] % 2 == odd and busy(row, LOAD_LINE, STORE_LINE) > ABOVE]
        cost = least_squares(some)
        of = [sum(share * c for share, c in zip(row['shares'], cost)) for row in some]
        out.append([f'of {name} width', str(len(some)), *(f'{c:.2f}' for c in cost), f'{100 * statistics.pstdev(of):.1f} %'])
    return table(['tiles', 'variants', 'a pass', 'a line of loads', 'a line of stores', 'deviation of busy'], out)


def clock(row, gpu, choice):
    """MHz at which passes and lines take all of the time that another tuner measured."""
    milliseconds, sms = row['times'][gpu]
    return sum(n * cost for n, cost in zip(row['counts'], (PASS, *choice))) / sms / milliseconds / 1000


def clocks(rows):
    """The same, the third quartile of all variants of a block width: a quarter of them, at least, is busy all the time."""
    head = ['block width', 'variants'] + [f'{gpu}, {choice[0]}, {choice[1]}' for gpu in OTHERS for choice in OF_CLOCKS]
    out = []
    for width, some in by_width(rows):
        quarters = [statistics.quantiles((clock(row, gpu, choice) for row in some), n=4) for gpu in OTHERS for choice in OF_CLOCKS]
        out.append([str(width), str(len(some))] + [f'{q[2]:,.0f}' for q in quarters])
    return table(head, out)


def of_one(row):
    shares = [f'{100 * share * cost:.1f} %' for share, cost in zip(row['shares'], (PASS, LOAD_LINE, STORE_LINE))]
    block_x, block_y, tile_x, tile_y = row['shape']
    return (f'Of the time of the variant of {block_x} x {block_y} and {tile_x} x {tile_y} passes take {shares[0]}, lines of loads {shares[1]}, lines of stores {shares[2]}: '
            f'{100 * busy(row, LOAD_LINE, STORE_LINE):.1f} % in all.')


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('--write', action='store_true', help='put the tables into docs/accuracy.md')
    write = parser.parse_args(arguments).write
    rows = read()
    mhz = statistics.quantiles([row['mhz'] for row in rows], n=20)
    text = '\n'.join([*choices(rows), '', *widths(rows), '', *fits(rows), '', *clocks(rows), '',
                      f'The clock was {statistics.median(row["mhz"] for row in rows):,.0f} MHz in the median, {mhz[0]:,.0f} to {mhz[-1]:,.0f} for nine tenths.',
                      of_one(next(row for row in rows if row['shape'] == FOUND_WITH)), ''])
    if write:
        with open(PAGE) as f:
            page = f.read()
        begin, end = page.index('<!-- lines -->') + len('<!-- lines -->'), page.index('<!-- end of lines -->')
        with open(PAGE, 'w') as f:
            f.write(page[:begin] + '\n' + text + page[end:])
    else:
        print(text, end='')
    return max(busy(row, LOAD_LINE, STORE_LINE) for row in rows) > MUST_BE_BELOW


if __name__ == '__main__':
    run(main)
