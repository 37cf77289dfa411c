"""Latencies that kernels see on the machines: dependent chains of operations and pointer chases by one thread, as
microbenchmarks on GPUs measure them. Prints the tables of docs/validation.md.

Each kernel runs a loop of 64 dependent operations (of 16, for chases) n times and 2 n times; the difference, divided by
the number of operations in it, is a step: launch, first touch and last result cancel, the loop's own instructions do not,
as in a measurement. A chase goes round a ring of pointers that a kernel before it has built, one line of 128 bytes after
the other: 16 KiB for L1, 1 MiB for L2, of which the second round counts, and the begin of 64 MiB for device memory.

Exit status 1: titan-v is further than 5 % from a measured figure."""
import json, subprocess, tempfile

from script import REPRISE, check_machines, command_line, output, run

# The sources are those in the machine files.
PUBLISHED = {
    'titan-v': {'float': 4.1, 'int': 4.3, 'double': 8.1, 'SFU': 21.1, 'shared': 27.0, 'L1': 33.7, 'L2': 211, 'DRAM': 313},
    'v100': {'float': 4, 'int': 4, 'double': 8, 'SFU': 14, 'shared': 19, 'L1': 28, 'L2': 193, 'DRAM': 375},
    'rtx2060': {}, 'rtx2080': {'float': 4, 'int': 4, 'double': 54, 'SFU': 15, 'shared': 19, 'L1': 32, 'L2': 188, 'DRAM': 296},
    'quadro-rtx6000': {}, 'rtx3070': {'float': 4, 'int': 4, 'shared': 24, 'L1': 32}, 'orin': {},
    'a100': {'float': 4, 'shared': 29.0, 'L1': 37.9, 'L2': 261.5, 'DRAM': 466},
    'h100': {'shared': 29.0, 'L1': 34, 'L2': 265, 'DRAM': 654}}
CHAINS = {'float': 'fma.rn.f32 %f1, %f1, %f2, %f3;', 'int': 'add.s32 %r1, %r1, %r2;', 'double': 'fma.rn.f64 %d1, %d1, %d2, %d3;',
          'SFU': 'ex2.approx.f32 %f1, %f1;'}
RINGS = {'L1': 16 << 10, 'L2': 1 << 20, 'DRAM': 64 << 20}
STEPS = {'L1': 1024, 'L2': 8192, 'DRAM': 2048, 'shared': 1024}  # L2: once round, so that the second time it is there

LOOP = '''
.visible .entry {name}(.param .u64 p, .param .u32 n)
{{
.reg .pred %q; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .f64 %d<4>;{shared}
ld.param.u64 %rd1, [p]; ld.param.u32 %r7, [n];
mov.u64 %rd2, %rd1; mov.u32 %r1, 1; mov.u32 %r2, 3;
mov.f32 %f1, 0f3F000000; mov.f32 %f2, 0f3F000000; mov.f32 %f3, 0f3F000000;
mov.f64 %d1, 0d3FE0000000000000; mov.f64 %d2, 0d3FE0000000000000; mov.f64 %d3, 0d3FE0000000000000;
{before}
L:
{body}
sub.s32 %r7, %r7, 1;
setp.ne.s32 %q, %r7, 0;
@%q bra L;
{after}
ret;
}}
'''
BUILD = '''
.visible .entry build(.param .u64 p, .param .u32 n)
{
.reg .pred %q; .reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [p]; ld.param.u32 %r7, [n];
mov.u64 %rd2, %rd1;
L:
add.s64 %rd3, %rd2, 128;
sub.s32 %r7, %r7, 1;
setp.ne.s32 %q, %r7, 0;
selp.b64 %rd4, %rd3, %rd1, %q;
st.global.u64 [%rd2], %rd4;
mov.u64 %rd2, %rd3;
@%q bra L;
ret;
}
'''


def module():
    text = '.version 7.0\n.target sm_70\n.address_size 64\n' + BUILD
    for name, operation in CHAINS.items():
        text += LOOP.format(name='chain_' + name, shared='', before='', body='\n'.join(64 * [operation]),
                            after='st.global.f32 [%rd1], %f1; st.global.u32 [%rd1+4], %r1; st.global.f64 [%rd1+8], %d1;')
    text += LOOP.format(name='chase', shared='', before='', body='\n'.join(16 * ['ld.global.u64 %rd2, [%rd2];']),
                        after='st.global.u64 [%rd1+8], %rd2;')
    # 32 words in a ring, each with the next one's address
    ring = ''.join(f'mov.u32 %r4, ring; add.s32 %r5, %r4, {(i + 1) % 32 * 4}; st.shared.u32 [%r4+{i * 4}], %r5;\n' for i in range(32))
    text += LOOP.format(name='shared', shared=' .shared .align 4 .b8 ring[128];', before=ring + 'mov.u32 %r3, ring;',
                        body='\n'.join(16 * ['ld.shared.u32 %r3, [%r3];']), after='st.global.u32 [%rd1], %r3;')
    return text


def launches(folder):
    """A launch file; returns where the results are: name, launch with n and with 2 n, operations between them."""
    buffers, lines, places = [], [], []
    def launch(kernel, buffer, n):
        lines.append(f'{{ kernel = "{kernel}"; grid = 1; block = 1; args = ( "buf={buffer}", "i32={n}" ); }}')
        return len(lines) - 1
    buffers.append('out = "zeros:64";')
    for name in CHAINS:
        places.append((name, launch('chain_' + name, 'out', 16), launch('chain_' + name, 'out', 32), 16 * 64))
    n = STEPS['shared'] // 16
    places.append(('shared', launch('shared', 'out', n), launch('shared', 'out', 2 * n), 16 * n))
    for name, size in RINGS.items():
        buffers.append(f'{name} = "zeros:{size}";')
        launch('build', name, min(size // 128, 2 * STEPS[name] + 1))
        n = STEPS[name] // 16
        places.append((name, launch('chase', name, n), launch('chase', name, 2 * n), 16 * n))
    with open(f'{folder}/launches.cfg', 'w') as f:
        f.write('module = "latencies.ptx";\nbuffers = { ' + ' '.join(buffers) + ' };\nlaunches = (\n' + ',\n'.join(lines) + '\n);\n')
    return places


def steps(folder, places, machine, options):
    settings = [s for o in options for s in ('--set', o)]
    printed = output([REPRISE, 'replay', '-q', '--json', f'{folder}/t.wtr', '-m', machine, *settings])
    cycles = [l['cycles'] for l in json.loads(printed)['traces'][0]['launches']]
    return {name: (cycles[long] - cycles[short]) / operations for name, short, long, operations in places}


def cell(step, published):
    return f'{step:.1f}' + (f' ({published})' if published else '')


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('machine', nargs='?', help='this one alone')
    parser.add_argument('setting', nargs='*', metavar='KEY=VALUE', help='changes an option of it')
    given = parser.parse_args(arguments)
    only, options = given.machine, given.setting
    check_machines(parser, [only] if only else [])
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/latencies.ptx', 'w') as f:
            f.write(module())
        places = launches(folder)
        subprocess.run([REPRISE, 'record', '-q', '-o', f'{folder}/t.wtr', '--launch-file',
                        f'{folder}/launches.cfg'], check=True)
        found = {m: steps(folder, places, m, options) for m in ([only] if only else PUBLISHED)}
    names, far = [p[0] for p in places], 0
    if 'titan-v' in found:
        print('| titan-v, a step of | cycles | measured | apart |\n|---|--:|--:|--:|')
        for n in names:
            apart = 100 * (found['titan-v'][n] / PUBLISHED['titan-v'][n] - 1)
            far += abs(apart) > 5
            print(f'| {n} | {found["titan-v"][n]:.1f} | {PUBLISHED["titan-v"][n]} | {apart:+.1f} % |')
        found.pop('titan-v')
        print()
    if found:
        print('| machine | ' + ' | '.join(names) + ' |\n|---|' + len(names) * '--:|')
    for m in found:
        print(f'| {m} | ' + ' | '.join(cell(found[m][n], PUBLISHED.get(m, {}).get(n)) for n in names) + ' |')
    return 1 if far else 0


if __name__ == '__main__':
    run(main)
