"""The device functions of reprise/cuda.h (tests/kernels/sm_75/functions.cu) against their meaning in the CUDA C++
Programming Guide, computed here. functions.py DIR prints TAP; "$REPRISE" records into DIR."""
import math, os, random, struct, subprocess, sys
from fractions import Fraction

DIR, SOURCE, THREADS, TARGET = sys.argv[1], 'tests/kernels/sm_75/functions.cu', 64, 'sm_75'
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
rng = random.Random(11)


def s32(x): return (x & M32) - ((x & M32) >> 31 << 32)
def s64(x): return (x & M64) - ((x & M64) >> 63 << 64)
def u32_of(x): return struct.unpack('I', struct.pack('f', x))[0]
def u64_of(x): return struct.unpack('Q', struct.pack('d', x))[0]
def single(x): return struct.unpack('f', struct.pack('f', x))[0]


def run(kernel, buffers, save):
    """Records the kernel with these buffers; the content of number `save` afterwards."""
    args = []
    for i, data in enumerate(buffers):
        with open(f'{DIR}/{kernel}.{i}', 'wb') as f:
            f.write(data)
        args += ['--arg', f'buf=file:{DIR}/{kernel}.{i}']
    out = f'{DIR}/{kernel}.out'
    command = [os.environ['REPRISE'], 'record', '-q', '-o', f'{DIR}/{kernel}.wtr', '--module', SOURCE, '--kernel', kernel,
               '--target', TARGET, '--grid', '2', '--block', '32', *args, '--save', f'{save}={out}']
    if subprocess.run(command).returncode:
        return b''
    with open(out, 'rb') as f:
        return f.read()


def report(what, wrong):
    for line in wrong[:5]:
        print(f'# {line}')
    print(f'{"not ok" if wrong else "ok"} - {what}')


def compare(what, got, expected):
    """Words or longs, 32 for each thread."""
    wrong = [] if len(got) == len(expected) else [f'{len(got)} values, not {len(expected)}']
    wrong += [f'thread {i // 32}, value {i % 32}: {g:#x}, not {e:#x}' for i, (g, e) in enumerate(zip(got, expected)) if g != e]
    report(what, wrong)


# ---- integers --------------------------------------------------------------------------------------------------------

def reverse(x, bits): return int(format(x, f'0{bits}b')[::-1], 2)
def first(x): return (x & -x).bit_length()
def low24(x): return x & 0xffffff
def s24(x): return low24(x) - (low24(x) >> 23 << 24)


def permuted(a, b, s):
    source, to = b << 32 | a, 0
    for i in range(4):
        byte = source >> 8 * (s >> 4 * i & 7) & 255
        to |= (byte >> 7) * 255 << 8 * i if s >> 4 * i & 8 else byte << 8 * i
    return to


def parts(x, bits, signed):
    field = [x >> i & (1 << bits) - 1 for i in range(0, 32, bits)]
    return [f - (f >> bits - 1 << bits) if signed else f for f in field]


def dot(a, b): return sum(x * y for x, y in zip(a, b))


def integers(a, b):
    w, sa, sb, n = a << 32 | b, s32(a), s32(b), a & 63
    high = s64(w) * s64(w * 3) >> 64
    pair = b << 32 | a
    dp2 = [dot(parts(a, 16, s), parts(b, 8, s)[lo:lo + 2]) + 5 for s, lo in ((True, 0), (False, 2))]
    return [bin(a).count('1'), bin(w).count('1'), 32 - a.bit_length(), 64 - (w >> 20).bit_length(),
            first(a & 0xff00), first(w & ~0xffff), reverse(a, 32), reverse(w, 64) >> 7, permuted(a, b, 0x6173),
            s24(a) * s24(b), low24(a) * low24(b), sa * sb >> 32, a * b >> 32, high, w * (w * 3 & M64) >> 64,
            abs(sa - sb) + 17, abs(a - b) + 17, pair << n % 32 >> 32, pair << min(n, 32) >> 32, pair >> n % 32,
            pair >> min(n, 32), sa + sb >> 1, sa + sb + 1 >> 1, a + b >> 1, a + b + 1 >> 1,
            dot(parts(a, 8, True), parts(b, 8, True)) + 5, dot(parts(a, 8, False), parts(b, 8, False)) + 5, *dp2, 6 * a,
            (min(sa, sb) ^ max(sa, sb) & M32) % (1 << 32) + min(a, b), abs(sa) ^ abs(s64(w))]


words = [rng.getrandbits(32) for _ in range(2 * THREADS)]
words[:4] = [0, M32, 1 << 31, 1]
got = struct.unpack(f'{32 * THREADS}I', run('integers', [struct.pack(f'{2 * THREADS}I', *words), bytes(128 * THREADS)], 1)
                    or bytes(128 * THREADS))
compare('integers', got, [v & M32 for i in range(THREADS) for v in integers(words[i], words[i + THREADS])])


# ---- floats ----------------------------------------------------------------------------------------------------------

def rounded(x, mode, digits=24):
    """The exact x as a number of that many binary digits; normal numbers only."""
    x = Fraction(x)
    if not x:
        return 0.0
    e = 0
    m = abs(x)
    while m >= 2: m, e = m / 2, e + 1
    while m < 1: m, e = m * 2, e - 1
    unit = Fraction(2) ** (e - digits + 1)
    return float(whole(x / unit, mode) * unit)


def whole(x, mode):
    return {'n': round, 'z': math.trunc, 'u': math.ceil, 'd': math.floor}[mode](x)


def halves(f, g):
    F, G = Fraction(f), Fraction(g)
    d = f * g + 1e-9  # the product is exact
    D = Fraction(d)
    bits, dbits = u32_of(f), u64_of(d)
    low = lambda v: u64_of(v) & M32
    r = lambda v: math.copysign(math.floor(abs(v) + 0.5), v)
    ten = single(10 * f)
    return [*map(u32_of, [rounded(F + G, 'z'), rounded(F * G, 'u'), rounded(F - G, 'd'), rounded(F / G, 'n'),
                          rounded(F * G + F, 'n'), rounded(1 / F, 'n'), single(math.sqrt(abs(f)))]),
            *(whole(Fraction(single(100 * f)), m) for m in 'nzud'), whole(Fraction(abs(single(1000 * g))), 'n'),
            *map(u32_of, [rounded(s32(bits), 'z'), rounded(u32_of(g), 'n'), rounded(D, 'd')]),
            whole(Fraction(1000 * d), 'n'), whole(Fraction(1000 * d), 'd'), dbits >> 32, low(d + 1), low(d * 3), 77,
            u32_of(min(max(f, 0.0), 1.0)), u32_of(math.copysign(f, g)), u32_of(r(ten)),
            u32_of(0.0 if f <= g else rounded(F - G, 'n')), 2 + 4 + 8, u32_of(min(f, g)) ^ u32_of(max(f, g)), low(d / 7),
            low(rounded(D * D + 1, 'n', 53)), u32_of(float(math.floor(g))) ^ u32_of(math.copysign(round(f), f)),
            low(whole(Fraction(single(100 * f)), 'z') + abs(d)), u32_of(rounded(s64(dbits), 'n'))]


values = [single(rng.uniform(-9, 9)) for _ in range(2 * THREADS)]
floats = struct.pack(f'{2 * THREADS}f', *values)
got = struct.unpack(f'{32 * THREADS}I', run('floats', [floats, bytes(128 * THREADS)], 1) or bytes(128 * THREADS))
compare('floats', got, [v & M32 for i in range(THREADS) for v in halves(values[i], values[i + THREADS])])


def approximations(f, g):
    g = single(abs(g) + 0.5)
    return [math.sin(f), math.cos(f), math.tan(f / 8), math.exp(f), 10 ** f, math.log(g), math.log2(g), math.log10(g),
            g ** f, f / g, g ** -0.5, g ** -0.5, math.sin(f), math.cos(f), g ** -0.5, math.tanh(f)]


got = struct.unpack(f'{32 * THREADS}f', run('approximations', [floats, bytes(128 * THREADS)], 1) or bytes(128 * THREADS))
wrong = []
for i in range(THREADS):
    for n, e in enumerate(approximations(values[i], values[i + THREADS])):
        if not abs(got[32 * i + n] - e) <= 2e-6 * max(1, abs(e)) * (8 if n in (3, 4, 8) else 1):
            wrong.append(f'thread {i}, value {n}: {got[32 * i + n]}, not {e}')
report('approximations', wrong)

# ---- atomics, shuffles, vectors --------------------------------------------------------------------------------------

numbers = [s32(rng.getrandbits(32)) >> 4 for _ in range(THREADS)]
wide = [v << 20 for v in numbers]
start = [0, 0, 0, M64, M64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
got = struct.unpack('18Q', run('atomics', [struct.pack(f'{THREADS}i', *numbers), struct.pack('18Q', *start)], 1) or bytes(144))
low, folded, all_of, any_of, xor = [w & M64 for w in wide], M64, M64, 0, 0
for w in low:
    all_of, any_of, xor = all_of & (w | 0xfffff), any_of | w, xor ^ w
every = 0
for v in numbers:
    every |= v & M32
compare('atomics', got, [max(0, *wide), min(0, *wide) & M64, max(low), min(low), all_of, any_of, xor,
                         u64_of(float(sum(numbers))), sum(numbers) & M32, sum(numbers) & M32, max(0, *numbers),
                         min(0, *numbers) & M32, xor, every, 3 * THREADS, u64_of(THREADS / 2), u32_of(2.5), 0x123456789abcdef])

doubles = [rng.uniform(-1000, 1000) for _ in range(THREADS)]
data = run('vectors', [struct.pack(f'{THREADS}d', *doubles), bytes(32 * THREADS), bytes(32 * THREADS)], 1)
got = struct.unpack(f'{4 * THREADS}d', data or bytes(32 * THREADS))
expected = []
for i in range(THREADS):
    warp, lane = doubles[i & 32:(i & 32) + 32], i & 31
    expected += [warp[lane ^ 5], warp[lane - 3 if lane >= 3 else lane], warp[lane + 9 if lane + 9 < 32 else lane],
                 float(math.trunc(warp[7 * i % 32] * 1000))]
report('shuffles of 64 bits', [f'value {i}: {g}, not {e}' for i, (g, e) in enumerate(zip(got, expected)) if g != e])
data = run('vectors', [struct.pack(f'{THREADS}d', *doubles), bytes(32 * THREADS), bytes(32 * THREADS)], 2)
got = struct.unpack(f'{4 * THREADS}q', data or bytes(32 * THREADS))
expected = [v for i in range(THREADS) for v in (0, 10, i + 3, -7)]
report('vector types', [f'value {i}: {g}, not {e}' for i, (g, e) in enumerate(zip(got, expected)) if g != e])
