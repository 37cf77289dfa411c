"""Dependent chains and throughput on the machines from machine code: prints the second part of "Latencies of the machines" in
docs/validation.md. The kernels are PTX; ptxas 12.9 (make toolchain) translates them for each GPU's architecture, and replay goes by the
stall counts and barriers that it writes.

A step is what one warp takes for each operation of a chain, without the loop, as in latencies.py. Throughput is the results of an SM in a
cycle: 32 warps do 8 chains each.

Exit status 1: a step is further than 15 % from the published figure, and more than a cycle, or throughput is more than 10 % away, and
the row is not known to differ."""
import json, os, subprocess, sys, tempfile

BUILD = os.environ.get('BUILD', 'build')
REPRISE, PTXAS = os.environ.get('REPRISE', BUILD + '/reprise'), BUILD + '/toolchain/12.9/ptxas'
MACHINES = {'v100': 70, 'rtx2060': 75, 'rtx3070': 86}
# a step's operation, the published cycles and results per cycle and SM by machine. [J] arXiv:1804.06826, Table 4.1; [T] arXiv:1903.07486
# (T4, the same SM as RTX 2060); [H] Huerta et al., MICRO 2025 (RTX A6000, the same SM as RTX 3070); [G] CUDA C++ Programming Guide,
# "Arithmetic Instructions". None: not published, or none that is known.
OPERATIONS = {
    'FFMA': ('fma.rn.f32 %f{d}, %f{d}, %f8, %f9;', {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 128)}),
    'SHF': ('shf.l.wrap.b32 %r{d}, %r{d}, %r{d}, %r8;', {'v100': (4, 64), 'rtx2060': (4, 64), 'rtx3070': (4, 64)}),
    'IMAD': ('mad.lo.s32 %r{d}, %r{d}, %r8, %r9;', {'v100': (5, 64), 'rtx2060': (5, 64), 'rtx3070': (None, 64)}),
    'HFMA2': ('fma.rn.f16x2 %r{d}, %r{d}, %r8, %r9;', {'v100': (6, 128), 'rtx2060': (6, 128), 'rtx3070': (None, 128)}),
    'DFMA': ('fma.rn.f64 %d{d}, %d{d}, %d8, %d9;', {'v100': (8, 32), 'rtx2060': (54, 2), 'rtx3070': (None, 2)}),
    'MUFU.EX2': ('ex2.approx.ftz.f32 %f{d}, %f{d};', {'v100': (14, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'POPC': ('popc.b32 %r{d}, %r{d};', {'v100': (10, 16), 'rtx2060': (15, 16), 'rtx3070': (None, 16)}),
    'SHFL': ('shfl.sync.up.b32 %r{d}, %r{d}, 1, 0, -1;', {'v100': (None, 32), 'rtx2060': (None, 32), 'rtx3070': (None, 32)}),
    'LDS': ('ld.shared.u32 %r{d}, [%r{d}];', {'v100': (19, 32), 'rtx2060': (19, 16), 'rtx3070': (24, None)}),
}
UNROLLED = 64
# Rows that differ, with the reason: (machine, operation, what).
KNOWN = {
    ('v100', 'POPC', 'step'): 'class convert has one latency, that of FLO and BREV',
    ('rtx2060', 'DFMA', 'step'): 'an SM has one unit for all sub-cores; here each has a slower one',
    ('rtx3070', 'LDS', 'step'): "the machine follows Accel-Sim's 29",
}

KERNEL = '''
.visible .entry {name}(.param .u64 p, .param .u32 n)
{{
.reg .pred %q; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f<12>; .reg .f64 %d<12>; .shared .align 4 .b8 zero[128];
ld.param.u64 %rd1, [p]; ld.param.u32 %r10, [n];
mov.u32 %r11, zero; {begin}
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


def kernel(name, operation, chains):
    begin, end = 'st.shared.u32 [%r11], 0;', ''
    for c in range(chains):
        begin += f' mov.u32 %r{c}, {0 if "shared" in operation else "%laneid"}; cvt.rn.f32.u32 %f{c}, %r{c}; cvt.rn.f64.u32 %d{c}, %r{c};'
        end += f'st.global.u32 [%rd1+{8 * c}], %r{c}; st.global.f32 [%rd1+{8 * c + 64}], %f{c}; st.global.f64 [%rd1+{8 * c + 128}], %d{c};\n'
    body = '\n'.join(operation.format(d=c) for _ in range(UNROLLED // chains) for c in range(chains))
    return KERNEL.format(name=name, begin=begin, body=body, end=end)


def record(folder, sm):
    names = list(OPERATIONS)
    text = f'.version 7.8\n.target sm_{sm}\n.address_size 64\n'
    for i, (operation, _) in enumerate(OPERATIONS.values()):
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


def measure(trace, machine):
    """For each operation the cycles of a step, and results per cycle."""
    out = subprocess.run([REPRISE, 'replay', '-q', '--json', trace, '-m', machine], check=True, stdout=subprocess.PIPE)
    cycles, found = [l['cycles'] for l in json.loads(out.stdout)['launches']], {}
    for i, (name, (operation, _)) in enumerate(OPERATIONS.items()):
        a, b, c, d = cycles[4 * i:4 * i + 4]
        steps = 8 * UNROLLED * operation.count(';')
        found[name] = (b - a) / steps, steps * 1024 / (d - c) * (2 if 'f16x2' in operation else 1)
    return found


def cell(value, published):
    return f'{value:.1f}' + (f' ({published})' if published else '')


def main(*only):
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
                apart = abs(code[name][0] - step) if step else 0
                if step and apart > 1 and apart > .15 * step and (machine, name, 'step') not in KNOWN:
                    far.append(f'{machine}, {name}: a step takes {code[name][0]:.1f} cycles, not {step}')
                if rate and abs(code[name][1] / rate - 1) > .1 and (machine, name, 'rate') not in KNOWN:
                    far.append(f'{machine}, {name}: {code[name][1]:.1f} results per cycle, not {rate}')
    print(*far, sep='\n', file=sys.stderr)
    return 1 if far else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
