"""Dependent chains and throughput on the machines from machine code: prints the second part of "Latencies of the machines" in
docs/validation.md. The kernels are PTX; ptxas 12.9 (make toolchain) translates them for each GPU's architecture, and replay goes by the
stall counts and barriers that it writes.

A step is what one warp takes for each operation of a chain, without the loop, as in latencies.py. Throughput is the results of an SM in a
cycle: 32 warps do 8 chains each.

Exit status 1: a step is further than 15 % from the published figure, and more than a cycle, or throughput is more than 10 % away, and
the row is not known to differ."""
import json, os, subprocess, sys, tempfile

import latencies
from script import REPRISE, check_names, command_line, run

BUILD = os.environ.get('BUILD', 'build')
PTXAS = BUILD + '/toolchain/12.9/ptxas'
MACHINES = {'v100': 70, 'rtx2060': 75, 'rtx3070': 86}
# a step's operation, the published cycles of one instruction and results per cycle and SM by machine. [J] arXiv:1804.06826, Tables 3.1
# and 4.1; [T] arXiv:1903.07486 (T4, the same SM as RTX 2060); [H] Huerta et al., MICRO 2025 (RTX A6000, the same SM as RTX 3070); [G] CUDA
# C++ Programming Guide, "Arithmetic Instructions"; tensor cores: white papers of GV100, TU102 and GA102, multiply-adds with f16 sums. None:
# not published, or none that is known.
MMA = 'mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {{%h1{d}0, %h1{d}1}}, {{%r8, %r9}}, {{%r8}}, {{%h1{d}0, %h1{d}1}};'
MMA_70 = ('mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {{%h1{d}0, %h1{d}1, %h1{d}2, %h1{d}3}}, {{%r8, %r9}}, {{%r8, %r9}}, '
          '{{%h1{d}0, %h1{d}1, %h1{d}2, %h1{d}3}};')
OPERATIONS = {
    'FFMA': ('fma.rn.f32 %f{d}, %f{d}, %f8, %f9;', {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 128)}),
    'FADD': ('add.rn.f32 %f{d}, %f{d}, %f8;', {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 128)}),
    'FMNMX': ('min.f32 %f{d}, %f{d}, %f8; max.f32 %f{d}, %f{d}, %f9;', {'v100': (5, 64), 'rtx2060': (5, 64), 'rtx3070': (None, 64)}),
    'IMAD.IADD, LOP3': ('add.s32 %r{d}, %r{d}, %r8; xor.b32 %r{d}, %r{d}, %r9;', {'v100': (None, None), 'rtx2060': (None, None), 'rtx3070': (None, None)}),
    'ISETP, SEL': ('setp.lt.s32 %p{d}, %r{d}, %r8; selp.b32 %r{d}, %r9, %r{d}, %p{d};',
                   {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 64)}),
    'SHF': ('shf.l.wrap.b32 %r{d}, %r{d}, %r{d}, %r8;', {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 64)}),
    'IMAD': ('mad.lo.s32 %r{d}, %r{d}, %r8, %r9;', {'v100': (5, 64), 'rtx2060': (5, 64), 'rtx3070': (None, 64)}),
    'HFMA2': ('fma.rn.f16x2 %r{d}, %r{d}, %r8, %r9;', {'v100': (6, 128), 'rtx2060': (6, 128), 'rtx3070': (None, 128)}),
    'DFMA': ('fma.rn.f64 %d{d}, %d{d}, %d8, %d9;', {'v100': (8, 32), 'rtx2060': (54, 2), 'rtx3070': (None, 2)}),
    'DADD': ('add.rn.f64 %d{d}, %d{d}, %d8;', {'v100': (8, 32), 'rtx2060': (48, 2), 'rtx3070': (None, 2)}),
    'MUFU.EX2': ('ex2.approx.ftz.f32 %f{d}, %f{d};', {'v100': (14, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'MUFU.RSQ': ('rsqrt.approx.ftz.f32 %f{d}, %f{d};', {'v100': (14, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'POPC': ('popc.b32 %r{d}, %r{d};', {'v100': (10, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'FLO': ('bfind.u32 %r{d}, %r{d};', {'v100': (14, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'F2I, I2F': ('cvt.rzi.s32.f32 %r{d}, %f{d}; cvt.rn.f32.s32 %f{d}, %r{d};', {'v100': (None, 16), 'rtx2060': (None, 16), 'rtx3070': (None, None)}),
    'HMMA': ({70: MMA_70, None: MMA}, {'v100': (None, 512), 'rtx2060': (None, 512), 'rtx3070': (None, 512)}),
    'SHFL': ('shfl.sync.up.b32 %r{d}, %r{d}, 1, 0, -1;', {'v100': (None, 32), 'rtx2060': (None, 32), 'rtx3070': (None, 32)}),
    'LDS': ('ld.shared.u32 %r{d}, [%r{d}];', {'v100': (19, 32), 'rtx2060': (19, 16), 'rtx3070': (24, None)}),
}
# Chases of pointers, as in latencies.py: the published cycles.
CHASES = {'L1': {'v100': 28, 'rtx2060': 32, 'rtx3070': 32}, 'L2': {'v100': 193, 'rtx2060': 188}, 'DRAM': {'v100': 375, 'rtx2060': 296}}
UNROLLED = 64
# Rows that differ, with the reason: (machine, operation, what).
KNOWN = {
    ('v100', 'POPC', 'step'): 'class convert has one latency, that of FLO and BREV',
    ('rtx3070', 'FMNMX', 'rate'): 'class fp32 has one rate, that of FFMA',
}

KERNEL = '''
.visible .entry {name}(.param .u64 p, .param .u32 n)
{{
.reg .pred %q; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f<12>; .reg .f64 %d<12>;
.reg .pred %p<8>; .reg .b32 %h<180>; .shared .align 4 .b8 zero[128];
ld.param.u64 %rd1, [p]; ld.param.u32 %r10, [n];
{begin}
ld.global.u32 %r8, [%rd1]; ld.global.u32 %r9, [%rd1+4]; mov.b32 %f8, %r8; mov.b32 %f9, %r9; mov.b64 %d8, {{%r8, %r9}}; mov.b64 %d9, {{%r9, %r8}};
L:
{body}
sub.s32 %r10, %r10, 1;
setp.ne.s32 %q, %r10, 0;
@%q bra L;
{end}
ret;
}}
'''


def operation_of(name, sm):
    operation = OPERATIONS[name][0]
    return operation if isinstance(operation, str) else operation.get(sm, operation[None])


# For each kind of register: how chain c begins, and how it is stored, so that nothing is left out.
REGISTERS = {
    '%r{d}': ('mov.u32 %r{c}, {first};', 'st.global.u32 [%rd1+{at}], %r{c};'),
    '%f{d}': ('mov.u32 %r11, %laneid; cvt.rn.f32.u32 %f{c}, %r11;', 'st.global.f32 [%rd1+{at}], %f{c};'),
    '%d{d}': ('mov.u32 %r11, %laneid; cvt.rn.f64.u32 %d{c}, %r11;', 'st.global.f64 [%rd1+{at}], %d{c};'),
    '%h1{d}': (' '.join(f'mov.u32 %h1{{c}}{i}, 0;' for i in range(4)),
               'st.global.v4.u32 [%rd1+{at}], {{%h1{c}0, %h1{c}1, %h1{c}2, %h1{c}3}};'),
}


def kernel(name, operation, chains):
    begin = 'mov.u32 %r11, zero; st.shared.u32 [%r11], 0;'
    end = ''
    for c in range(chains):
        for kind, (before, after) in REGISTERS.items():
            if kind in operation:
                begin += ' ' + before.format(c=c, first=0 if 'shared' in operation else '%laneid')
                end += after.format(c=c, at=16 * c) + '\n'
    body = '\n'.join(operation.format(d=c) for _ in range(UNROLLED // chains) for c in range(chains))
    return KERNEL.format(name=name, begin=begin, body=body, end=end)


def record(folder, sm):
    names = list(OPERATIONS)
    text = f'.version 7.8\n.target sm_{sm}\n.address_size 64\n'
    for i, operation in enumerate(operation_of(n, sm) for n in names):
        text += kernel(f'chain_{i}', operation, 1) + kernel(f'full_{i}', operation, 8)
    with open(f'{folder}/k.ptx', 'w') as f:
        f.write(text)
    subprocess.run([PTXAS, '-w', f'-arch=sm_{sm}', '-o', f'{folder}/k.cubin', f'{folder}/k.ptx'], check=True)
    launches = [f'{{ kernel = "{k}_{i}"; grid = 1; block = {b}; args = ( "buf=out", "i32={n}" ); }}'
                for i in range(len(names)) for k, b in (('chain', 32), ('full', 1024)) for n in (4, 12)]
    traces = {}
    for kind in 'ptx', 'cubin':
        with open(f'{folder}/{kind}.cfg', 'w') as f:
            f.write(f'module = "k.{kind}";\nbuffers = {{ out = "zeros:4K"; }};\nlaunches = (\n' + ',\n'.join(launches) + '\n);\n')
        traces[kind] = f'{folder}/{kind}.{sm}.wtr'
        subprocess.run([REPRISE, 'record', '-q', '-o', traces[kind], '--launch-file', f'{folder}/{kind}.cfg'], check=True)
    return traces


def results_of(operation):
    """Of an instruction, for each lane."""
    return 32 if 'mma' in operation else 2 if 'f16x2' in operation else 1


def measure(trace, machine):
    """For each operation the cycles of a step, and results per cycle."""
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', trace, '-m', machine], check=True, stdout=subprocess.PIPE)
    cycles, found = [l['cycles'] for l in json.loads(out.stdout)['traces'][0]['launches']], {}
    for i, name in enumerate(OPERATIONS):
        operation = operation_of(name, MACHINES[machine])
        a, b, c, d = cycles[4 * i:4 * i + 4]
        steps = 8 * UNROLLED * operation.count(';')
        found[name] = (b - a) / steps, steps * 1024 / (d - c) * results_of(operation)
    return found


def chases(folder, machine, sm):
    """The kernels of latencies.py, as PTX and as machine code: the cycles of a step."""
    places, found = latencies.launches(folder), []
    with open(f'{folder}/latencies.ptx', 'w') as f:
        f.write(latencies.module())
    with open(f'{folder}/launches.cfg') as f:
        launch_file = f.read()
    subprocess.run([PTXAS, '-w', f'-arch=sm_{sm}', '-o', f'{folder}/latencies.cubin', f'{folder}/latencies.ptx'], check=True)
    for kind in 'ptx', 'cubin':
        with open(f'{folder}/launches.cfg', 'w') as f:
            f.write(launch_file.replace('latencies.ptx', 'latencies.' + kind))
        subprocess.run([REPRISE, 'record', '-q', '-o', f'{folder}/t.wtr', '--launch-file', f'{folder}/launches.cfg'], check=True)
        found.append(latencies.steps(folder, places, machine, ()))
    return found


def is_far(machine, name, step, published):
    return published and abs(step - published) > max(1, .15 * published) and (machine, name, 'step') not in KNOWN


def cell(value, published):
    return f'{value:.1f}' + (f' ({published})' if published else '')


def main(arguments):
    parser = command_line(__doc__)
    parser.add_argument('machine', nargs='*', help='these alone: ' + ', '.join(MACHINES))
    only = parser.parse_args(arguments).machine
    check_names(parser, 'machine', only, MACHINES)
    if not os.path.exists(PTXAS):
        print(f'no {PTXAS}: make toolchain fetches it; no table', file=sys.stderr)
        return 0
    far = []
    print('| machine | operation | cycles of a step, PTX | machine code | results per cycle and SM, PTX | machine code |\n|---|---|--:|--:|--:|--:|')
    with tempfile.TemporaryDirectory() as folder:
        for machine, sm in MACHINES.items():
            if only and machine not in only:
                continue
            traces = record(folder, sm)
            ptx, code = measure(traces['ptx'], machine), measure(traces['cubin'], machine)
            for name in OPERATIONS:
                step, rate = OPERATIONS[name][1][machine]
                print(f'| {machine} | {name} | {ptx[name][0]:.1f} | {cell(code[name][0], step)} | {ptx[name][1]:.0f} | {code[name][1]:.0f}'
                      + (f' ({rate})' if rate else '') + ' |')
                if is_far(machine, name, code[name][0], step):
                    far.append(f'{machine}, {name}: a step takes {code[name][0]:.1f} cycles, not {step}')
                if rate and abs(code[name][1] / rate - 1) > .1 and (machine, name, 'rate') not in KNOWN:
                    far.append(f'{machine}, {name}: {code[name][1]:.1f} results per cycle, not {rate}')
            ptx, code = chases(folder, machine, sm)
            for name, published in CHASES.items():
                print(f'| {machine} | LDG, {name} | {ptx[name]:.1f} | {cell(code[name], published.get(machine))} | | |')
                if is_far(machine, name, code[name], published.get(machine)):
                    far.append(f'{machine}, {name}: a step takes {code[name]:.1f} cycles, not {published[machine]}')
    print(*far, sep='\n', file=sys.stderr)
    return 1 if far else 0


if __name__ == '__main__':
    run(main)
