"""How often the true cycles of launches that are replayed in part (reprise replay --sample) lie in their intervals.

Replays each trace, whole and sampled, on each machine of MACHINES: few SMs, so that launches have many waves. The traces are those of
tests/golden/hardware that have many blocks and take little time, cases of tests/kernels, and kernels whose rate changes while they run
(sampling.cu). Prints a row for each request: launches that were replayed in part, and those of them whose true cycles lie in the interval; how much
wider than it the worst estimate is off; and launches that a sample was not enough for, so that all of their blocks were replayed after it.
Each launch outside has a line on stderr. Takes about a quarter of an hour.

BUILD is the folder with record-cases. Exit status 1: fewer lie in their intervals than the request says, or no launch was replayed in part."""
import json, os, subprocess, sys, tempfile

from script import REPRISE, check_texts, command_line, output, run

BUILD = os.environ.get('BUILD', 'build')
REQUESTS = ((2, 95), (3, 90), (5, 80))  # percent of the cycles, and the confidence
GOLDEN = ('backprop.sass', 'bfs.sass', 'hotspot.sass', 'kernels/dct8x8', 'kernels/srad_v1', 'cells/a100.BlackScholes.medium', 'cells/a100.vectorAdd.l2')
CASES = ('vector_add=1048576', 'reduce_tree=1048576', 'transpose_padded=1024', 'transpose_conflicts=1024', 'spmv_vector=16384', 'stencil=768',
         'stream_gather=262144', 'stream_copy=1048576', 'scan=262144', 'mandelbrot=256')
# Kernels of sampling.cu: blocks, threads of a block, buffers.
KERNELS = {'sum': (16384, 256, 'rand-f32:4M:seed=1', 'zeros:64K'), 'polynomial': (20000, 64, 'rand-f32:1280000:seed=1', 'zeros:5120000'),
           'stride': (8192, 128, 'rand-f32:1048576:seed=1', 'zeros:4M'), 'table': (8192, 128, 'rand-f32:1048576:seed=1', 'zeros:4M'),
           'rounds': (8192, 128, 'rand-f32:1048576:seed=1', 'zeros:4M')}
MACHINES = ('rtx3070 sms=2', 'rtx3070 sms=10', 'v100 sms=9 scheduler=lrr', 'titan-v sms=4', 'jetson-tx2', 'orin sms=6', 'rtx2060 sms=7 l2.latency=150',
            'a100 sms=12', 'gv100 sms=3')


def record(folder):
    """Records what is no golden trace. Returns the paths of all traces by name."""
    traces = {name: f'tests/golden/hardware/{name}.wtr' for name in GOLDEN}
    subprocess.run([f'{BUILD}/record-cases', folder, *CASES], check=True, stdout=subprocess.DEVNULL)
    for case in CASES:
        name = case.split('=')[0]
        traces[name] = f'{folder}/{name}.wtr'
    for name, (blocks, threads, *buffers) in KERNELS.items():
        traces[name] = f'{folder}/{name}.wtr'
        arguments = [word for buffer in buffers for word in ('--arg', 'buf=' + buffer)]
        subprocess.run([REPRISE, 'record', '-q', '-o', traces[name], '--module', 'tests/validation/sampling.cu', '--kernel', name, '--grid', str(blocks),
                        '--block', str(threads), *arguments], check=True)
    return traces


def replay(trace, machine, *options):
    """The launches of a trace, and what is said of the sample."""
    name, *settings = machine.split()
    sets = [word for s in settings for word in ('--set', s)]
    document = json.loads(output([REPRISE, 'replay', '-q', '--json', '-t', '1', '-m', name, *sets, *options, trace]))['traces'][0]
    return document['launches'], document.get('sample')


class Row:
    """What came of a request."""

    def __init__(self):
        self.launches = self.inside = self.too_much = 0
        self.furthest = 0  # by which an estimate is off, as a part of half the interval's width
        self.shares = []   # of the instructions that were replayed, by trace and machine

    def add(self, what, true, launches, sample):
        """true: gives the whole replay's launches."""
        parts = [i for i, launch in enumerate(launches) if launch.get('source') == 'in part']
        self.too_much += not parts and sample['warp_instructions']['share'] > 1
        if parts:
            self.shares.append(sample['warp_instructions']['share'])
        for i in parts:
            cycles, estimate, half = true()[i]['cycles'], launches[i]['cycles'], launches[i]['half_width']
            away = abs(cycles - estimate) / half
            self.launches += 1
            self.inside += away <= 1
            self.furthest = max(self.furthest, away)
            if away > 1:
                print(f'{what}: launch {i} takes {cycles:,} cycles; the estimate is {estimate:,} with {half:,}', file=sys.stderr)


def measure(traces, words):
    rows = {request: Row() for request in REQUESTS}
    for name, trace in traces.items():
        for machine in MACHINES:
            what = f'{name} on {machine}'
            if words and not any(word in what for word in words):
                continue
            whole = []

            def true():
                if not whole:
                    whole.extend(replay(trace, machine)[0])
                return whole

            for (error, confidence), row in rows.items():
                request = f'{error}%@{confidence}%'
                row.add(f'{what}, {request}', true, *replay(trace, machine, '--sample', request))
    return rows


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('text', nargs='*', help='these alone: a trace and a machine, as in a line on stderr, that have one of these texts')
    words = parser.parse_args(arguments).text
    names = [*GOLDEN, *(case.split('=')[0] for case in CASES), *KERNELS]
    check_texts(parser, words, [f'{trace} on {machine}' for trace in names for machine in MACHINES], [*names, *MACHINES])
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(record(folder), words)
    print('| request | launches in part | true cycles in the interval | furthest, half widths | instructions replayed | samples that were not enough |')
    print('|---|--:|--:|--:|--:|--:|')
    for (error, confidence), row in rows.items():
        share = 100 * sum(row.shares) / max(1, len(row.shares))
        print(f'| {error} % at {confidence} % | {row.launches} | {row.inside} ({100 * row.inside / max(1, row.launches):.1f} %) | {row.furthest:.2f} | {share:.0f} % | {row.too_much} |')
    if not any(row.launches for row in rows.values()):
        print('sampling.py: no launch was replayed in part, so that intervals are not known to hold', file=sys.stderr)
        return 1
    return int(any(100 * row.inside < confidence * row.launches for (_, confidence), row in rows.items()))


if __name__ == '__main__':
    run(main)
