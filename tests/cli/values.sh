#!/bin/bash
# Values as users write them: sizes, extents, .npy files, what is saved, printed and expected.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels"
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
check() { # what, command...
    local what=$1
    shift
    if "$@" >&2; then ok "$what"; else bad "$what"; fi
}
k=$BUILD/kernels
record() { "$REPRISE" record --no-trace --module "$k/matmul.ptx" --kernel matmul --quiet "$@"; }
mm=(--grid 4,4 --block 16,16 --arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)

# ---- numbers -------------------------------------------------------------------------------------------------------
record "${mm[@]}" --save "2=$dir/C.bin"
record -g 4x4 -b 16x16x1 --arg buf=rand-f32:4K:seed=1 --arg buf=rand-f32:4K:seed=2 --arg buf=zeros:16K --arg i32=64 --save "2=$dir/C2.bin"
check "4x4 is 4,4 and 16K is 16384" cmp "$dir/C.bin" "$dir/C2.bin"
record -g 4x4 -b 16x16 --arg buf=rand-f32:4k:seed=1 --arg buf=rand-f32:0x1000:seed=2 --arg buf=zeros:16k --arg i32=64 --limit 1m --save "2=$dir/C5.bin"
check "and so is 16k" cmp "$dir/C.bin" "$dir/C5.bin"
says() { # status, text, options...
    local status=$1 text=$2 got
    shift 2
    record "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$dir/err"; then ok "says: $text"; else bad "says: $text"; echo "status $got: $(cat "$dir/err")" >&2; fi
}
says 1 "zeros: '-1' is negative; the least is 0" "${mm[@]}" --arg buf=zeros:-1
says 1 "--shared: '-4' is negative; the least is 0" "${mm[@]}" --shared -4
says 1 "--grid: '-1' is negative; the least is 1" "${mm[@]}" -g 4,-1
says 1 "zeros: '4X' is not a whole number" "${mm[@]}" --arg buf=zeros:4X
says 1 "zeros: '4KiB' is not a whole number, or one with K, M or G behind it" "${mm[@]}" --arg buf=zeros:4KiB
says 1 "is too large" "${mm[@]}" --arg buf=zeros:99999999999G
says 1 "--shared: '5G' is too large" "${mm[@]}" --shared 5G
for g in 4x4,4 4X4 "4 4"; do says 1 "--grid: '$g' is not X[,Y[,Z]]" "${mm[@]}" -g "$g"; done
for g in 4x 4,,4 ""; do says 1 "--grid: '$g' lacks an extent" "${mm[@]}" -g "$g"; done
for t in 5000 x; do says 1 "--threads $t: give a whole number from 0 to 1024" "${mm[@]}" --threads $t; done

# ---- .npy, written and read: the format of numpy.lib.format, parsed here as its definition says ---------------------
cat >"$dir/npy.py" <<'PY'
import ast, struct, sys
CODES = {'<f2': 'e', '<f4': 'f', '<f8': 'd', '<i4': 'i', '|u1': 'B', '<i8': 'q', '<u2': 'H'}
def load(path):
    data = open(path, 'rb').read()
    assert data[:8] == b'\x93NUMPY\x01\x00', data[:8]
    length, = struct.unpack('<H', data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length] == 10
    head = ast.literal_eval(data[10:10 + length].decode('latin1'))
    assert set(head) == {'descr', 'fortran_order', 'shape'} and head['fortran_order'] is False
    body = data[10 + length:]
    n = 1
    for d in head['shape']: n *= d
    return head['descr'], head['shape'], struct.unpack('<%d%s' % (n, CODES[head['descr']]), body)
def save(path, descr, shape, values, order='False', version=1, cut=0):
    text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)).encode()
    pad = -(len(text) + 1 + (10 if version == 1 else 12)) % 64
    text += b' ' * pad + b'\n'
    head = b'\x93NUMPY' + bytes([version, 0]) + struct.pack('<H' if version == 1 else '<I', len(text)) + text
    body = struct.pack('<%d%s' % (len(values), CODES.get(descr, 'f')), *values)
    open(path, 'wb').write((head + body)[:len(head + body) - cut])
PY
record "${mm[@]}" --save "2=$dir/C.npy" --save "0=$dir/A.npy" --save "1=$dir/B.npy"
check "C.npy is the same floats" python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
assert load('$dir/C.npy') == ('<f4', (4096,), struct.unpack('4096f', open('$dir/C.bin', 'rb').read()))"
record "${mm[@]:0:4}" --arg "buf=file:$dir/A.npy" --arg "buf=file:$dir/B.npy" --arg buf=zeros:16K --arg i32=64 --save "2=$dir/C3.npy"
check "arrays go in as they came out" cmp "$dir/C.npy" "$dir/C3.npy"
python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
a = load('$dir/A.npy')[2]
save('$dir/A2.npy', '<f4', (64, 64), a)
save('$dir/A3.npy', '<f4', (64, 64), a, version=2)"
for f in A2 A3; do
    record "${mm[@]:0:4}" --arg "buf=file:$dir/$f.npy" --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16K --arg i32=64 --save "2=$dir/C4.npy" --save "0=$dir/$f.out.npy"
    check "$f: two dimensions" cmp "$dir/C.npy" "$dir/C4.npy"
    check "$f: the shape comes out again" python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
assert load('$dir/$f.out.npy')[:2] == ('<f4', (64, 64))"
done
record "${mm[@]}" --save "2=$dir/C.f64.npy:f64" --save "2=$dir/C.u8.npy:u8" --save "1=$dir/C.txt:i32" --save "0=$dir/A.txt"
check "a type that is given counts" python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
raw = open('$dir/C.bin', 'rb').read()
assert load('$dir/C.f64.npy')[2] == struct.unpack('2048d', raw) and bytes(load('$dir/C.u8.npy')[2]) == raw
b = open('$dir/B.npy', 'rb').read()[-16384:]
assert [int(l) for l in open('$dir/C.txt')] == list(struct.unpack('4096i', b))
a = load('$dir/A.npy')[2]
assert [struct.unpack('f', struct.pack('f', float(l)))[0] for l in open('$dir/A.txt')] == list(a)"

# ---- what is no such file ------------------------------------------------------------------------------------------
wrong() { # text, python that writes x.npy
    python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
$2"
    says 2 "$1" "${mm[@]:0:4}" --arg "buf=file:$dir/x.npy" --arg buf=zeros:16K --arg buf=zeros:16K --arg i32=64
}
wrong "it does not begin as numpy's files do" "open('$dir/x.npy', 'wb').write(b'1,2,3' * 9)"
wrong "columns first" "save('$dir/x.npy', '<f4', (64, 64), [0] * 4096, order='True')"
wrong "big-endian numbers ('>f4'); save it with .astype('<f4')" "save('$dir/x.npy', '>f4', (4,), [0] * 4)"
wrong "numpy's type '<c8'" "save('$dir/x.npy', '<c8', (4,), [0] * 4)"
wrong "(5,) elements of f32 are not the 16 bytes" "save('$dir/x.npy', '<f4', (5,), [0] * 4)"
wrong "not as numpy writes it" "save('$dir/x.npy', '<f4', '(4, 4', [0] * 4)"
wrong "not as numpy writes it" "save('$dir/x.npy', '<f4', '(99999999999999999999,)', [0] * 4)"
wrong "not as numpy writes it" "save('$dir/x.npy', '<f4', '(4294967296, 4294967296, 4294967296)', [0] * 4)"
wrong "not as numpy writes it" "save('$dir/x.npy', '<f4', '(4,)', [0] * 4, order='Maybe')"
wrong "the file ends within its header" "save('$dir/x.npy', '<f4', (4,), [0] * 4, cut=100)"
wrong "version 9" "save('$dir/x.npy', '<f4', (4,), [0] * 4, version=9)"
wrong "no elements" "save('$dir/x.npy', '<f4', (0,), [])"
# every file of which a piece is missing or changed is refused or read, and nothing worse
check "damaged headers end in status 0 or 2" python3 -c "
import random, subprocess, sys
sys.path.insert(0, '$dir'); from npy import *
save('$dir/whole.npy', '<f4', (64, 64), [1.0] * 4096)
whole = open('$dir/whole.npy', 'rb').read()
random.seed(1)
for i in range(120):
    b = bytearray(whole)
    for _ in range(random.choice((1, 1, 3))): b[random.randrange(128)] = random.choice(b\"(),':{}0 9\\n\\0\\xff\" + bytes([random.randrange(256)]))
    open('$dir/x.npy', 'wb').write(b)
    r = subprocess.run(['$REPRISE', 'record', '--no-trace', '-q', '--module', '$k/matmul.ptx', '--kernel', 'matmul', '--grid', '4,4', '--block', '16,16', '--arg', 'buf=file:$dir/x.npy',
        '--arg', 'buf=zeros:16K', '--arg', 'buf=zeros:16K', '--arg', 'i32=64'], stderr=subprocess.PIPE)
    assert r.returncode in (0, 2), (i, r)"

says 1 "the type of arg0 is not known; write $dir/y.npy:f32" --grid 1 --block 16,16 --arg buf=zeros:1K --arg buf=zeros:1K --arg buf=zeros:1K --arg i32=16 --save "0=$dir/y.npy"
check "and nothing is written" test ! -e "$dir/y.npy"
says 1 "arg0 has 1026 bytes, which are not a whole number of f32" --grid 1 --block 16,16 --arg buf=zeros:1026 --arg buf=zeros:1K --arg buf=zeros:1K --arg i32=16 --save "0=$dir/y.txt:f32"

# ---- --print -------------------------------------------------------------------------------------------------------
record "${mm[@]}" --print 2:f32:3 --print 0=f32 >"$dir/out"
check "elements are printed" python3 -c "
import struct
lines = open('$dir/out').read().splitlines()
c = struct.unpack('4096f', open('$dir/C.bin', 'rb').read())
assert lines[0] == 'arg2: 3 of 4096 elements of f32' and [struct.unpack('f', struct.pack('f', float(x)))[0] for x in lines[1].split()[1:]] == list(c[:3]), lines
assert lines[2] == 'arg0: 16 of 4096 elements of f32' and lines[4].startswith('  [8] ') and len(lines) == 5, lines"
record "${mm[@]}" --print 2:f32:3 --json >"$dir/json"
check "in JSON, too" python3 -c "
import json, struct
p = json.load(open('$dir/json'))['printed']
c = struct.unpack('4096f', open('$dir/C.bin', 'rb').read())
assert p == [{'buffer': 'arg2', 'type': 'f32', 'values': p[0]['values']}] and all(abs(a - b) < 1e-6 for a, b in zip(p[0]['values'], c[:3])) and len(p[0]['values']) == 3"
says 1 "'f33' is no type; there are i8 u8" "${mm[@]}" --print 2:f33
says 1 "--print : write N, or N=TYPE[:COUNT]" "${mm[@]}" --print ""
record "${mm[@]}" --print 2=f32:16 >"$dir/out"
record "${mm[@]}" --print 2 >"$dir/out2"
check "--print 2 takes the type of the buffers" cmp "$dir/out" "$dir/out2"
record "${mm[@]}" --print 2=f32:0 >"$dir/out"
check "no elements take no line" test "$(wc -l <"$dir/out")" -eq 1
python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
save('$dir/h.npy', '<f2', (5,), [1.5, -0.0, 65504, 6e-8, float('inf')])
save('$dir/i.npy', '<i8', (2,), [-2**63, 5])"
cat >"$dir/nothing.ptx" <<'PTX'
.version 7.0
.target sm_62
.address_size 64
.visible .entry nothing(.param .u64 p, .param .u64 q) { ret; }
PTX
"$REPRISE" record --no-trace -q --module "$dir/nothing.ptx" --grid 1 --block 1 --arg "buf=file:$dir/h.npy" --arg "buf=file:$dir/i.npy" --print 0=f16 --print 1=i64 --print 1=u8:1 >"$dir/out"
check "halves and 64-bit integers" diff "$dir/out" - <<'END'
arg0: 5 of 5 elements of f16
  [0] 1.5 -0 65504 5.9605e-08 inf
arg1: 2 of 2 elements of i64
  [0] -9223372036854775808 5
arg1: 1 of 16 elements of u8
  [0] 0
END

# ---- --expect ------------------------------------------------------------------------------------------------------
record "${mm[@]}" --expect "2=$dir/C.npy"
check "a result that is equal is as expected" test $? -eq 0
python3 -c "
import sys; sys.path.insert(0, '$dir'); from npy import *
c = [struct.unpack('<I', struct.pack('<f', x))[0] for x in load('$dir/C.npy')[2]]
c[5] += 3
c[7] += 5
save('$dir/near.npy', '<f4', (4096,), [struct.unpack('<f', struct.pack('<I', x))[0] for x in c])"
record "${mm[@]}" --expect "2=$dir/near.npy" 2>"$dir/err"
check "status 3 if it is not" test $? -eq 3
check "how many differ, and which" python3 -c "
l = open('$dir/err').read().splitlines()
assert l[0].endswith('near.npy: 2 of 4096 elements of f32 differ') and l[1].startswith('  [5] is ') and l[1].endswith(': 3 ulp apart') and l[2].endswith(': 5 ulp apart') and len(l) == 3, l"
record "${mm[@]}" --expect "2=$dir/near.npy:ulp=4" 2>"$dir/err"
status=$?
check "ulp=4 leaves one" eval '[ $status -eq 3 ] && grep -q "1 of 4096 elements of f32 differ (ulp=4)" "$dir/err"'
for within in ulp=5 abs=0.001 rel=0.00001 ulp=1:abs=0.001; do
    record "${mm[@]}" --expect "2=$dir/near.npy:$within" 2>"$dir/err"
    check "within $within" test $? -eq 0
done
record "${mm[@]}" --expect "2=$dir/C.bin:f32" --expect "2=$dir/C.bin"
check "plain files, too" test $? -eq 0
record "${mm[@]}" --expect "2=$dir/near.npy:ulp=4" --json >"$dir/json" 2>/dev/null
check "JSON says what differs" python3 -c "
import json
e = json.load(open('$dir/json'))['expected'][0]
assert (e['buffer'], e['elements'], e['differing'], e['most_steps']) == ('arg2', 4096, 1, 5), e"
"$REPRISE" record -o "$dir/e.wtr" --module "$k/matmul.ptx" --kernel matmul "${mm[@]}" --expect "2=$dir/near.npy" --save "2=$dir/after.bin" >/dev/null 2>&1
check "trace and buffers are kept then" eval '"$REPRISE" verify "$dir/e.wtr" && cmp "$dir/after.bin" "$dir/C.bin"'
says 2 "cannot read '$dir/none.npy' for --expect" "${mm[@]}" --expect "2=$dir/none.npy"
says 2 "holds 20 bytes, but arg2 has 16384" "${mm[@]}" --expect "2=$(head -c 20 /dev/zero >"$dir/short"; echo "$dir/short"):f32"
says 2 "holds f32, not i32" "${mm[@]}" --expect "2=$dir/C.npy:i32"
says 1 "--expect: 'x' is not a number from 0" "${mm[@]}" --expect "2=$dir/C.npy:abs=x"
says 1 "would be written over what is expected" "${mm[@]}" --expect "2=$dir/C.npy" --save "2=$dir/C.npy"
cat >"$dir/l.cfg" <<CFG
buffers = { A = "file:A.npy"; B = "rand-f32:4K:seed=2"; C = "zeros:16K"; };
launches = ( { grid = [4, 4]; block = [16, 16]; args = ( "buf=A", "buf=B", "buf=C", "i32=64" ); } );
save = { C = "$dir/L.npy"; };
print = { C = "f32:2"; };
expect = { C = "$dir/near.npy:ulp=5"; };
CFG
"$REPRISE" record --no-trace --module "$k/matmul.ptx" --launch-file "$dir/l.cfg" -q >"$dir/out"
status=$?
check "a launch file, too" eval '[ $status -eq 0 ] && cmp "$dir/L.npy" "$dir/C.npy" && grep -q "^C: 2 of 4096 elements of f32" "$dir/out"'

# ---- what --save writes as text, --expect reads --------------------------------------------------------------------
# A kernel that changes nothing, on the bytes of a product of matrices and on all halves.
python3 -c "import sys; sys.stdout.buffer.write(b''.join(i.to_bytes(2, 'little') for i in range(65536)))" >"$dir/halves.bin"
on_file() { "$REPRISE" run -q --module "$k/vector_add.ptx" -k vector_add -g 1 -b 32 --arg "buf=file:$1" --arg buf=zeros:4 --arg buf=zeros:4 --arg i32=0 "${@:2}"; }
for e in i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64; do
    check "$e as text and back" eval 'for data in C halves; do
        on_file "$dir/$data.bin" --save "0=$dir/t.txt:$e" && on_file "$dir/$data.bin" --expect "0=$dir/t.txt:$e" || break; done'
done
# Halves that are rounded from text, against those of Python.
python3 - "$dir" <<'PY'
import random, struct, sys
random.seed(1)
texts = ["0", "-0", "1", "1.00048828125", "1.00146484375", "65504", "65519.9", "-65519", "1e-8", "2.98e-8", "2.9802322387695312e-8", "6e-5"]
texts += ["%.9g" % (random.uniform(-1, 1) * 2.0 ** random.randint(-27, 15)) for _ in range(4000)]
open(sys.argv[1] + "/r.txt", "w").write("\n".join(texts) + "\n")
open(sys.argv[1] + "/r.bin", "wb").write(b"".join(struct.pack("<e", float(t)) for t in texts))
PY
check "halves are rounded as Python rounds them" on_file "$dir/r.bin" --expect "0=$dir/r.txt:f16"
sed -i '7s/.*/65505e3/; 9s/.*/1/' "$dir/r.txt"
on_file "$dir/r.bin" --expect "0=$dir/r.txt:f16" 2>"$dir/err"
status=$?
check "and the lines that differ are found" eval '[ $status -eq 3 ] && grep -q "2 of 4012 elements of f16 differ" "$dir/err" && grep -qF "[6] is 65504, expected inf" "$dir/err"'
on_file "$dir/C.bin" --save "0=$dir/t.txt:f32"
sed '9s/.*/abc/' "$dir/t.txt" >"$dir/bad.txt"
says 2 "bad.txt:9: 'abc' is not of type f32" "${mm[@]}" --expect "2=$dir/bad.txt"
sed 9d "$dir/t.txt" >"$dir/bad.txt"
says 2 "bad.txt: holds 4095 elements, not 4096" "${mm[@]}" --expect "2=$dir/bad.txt"
on_file "$dir/C.bin" --save "0=$dir/t.txt:i32"
says 2 "is not of type u32" "${mm[@]}" --expect "2=$dir/t.txt:u32"
echo 4294967296 >"$dir/bad.txt"
says 2 "bad.txt:1: '4294967296' is not of type u32" "${mm[@]}" --expect "2=$dir/bad.txt:u32"
# What stands behind a file's extension is a type or a tolerance, in any order.
says 1 "--save: 'f128' is no type" "${mm[@]}" --save "2=$dir/C3.npy:f128"
says 1 "--expect: 'ulps=4' is no type and no ulp=K, abs=X or rel=X" "${mm[@]}" --expect "2=$dir/C.npy:ulps=4"
check "a tolerance may stand before the type" record "${mm[@]}" --expect "2=$dir/C.npy:ulp=4:f32"
check "a colon may be part of a name" eval 'record "${mm[@]}" --save "2=$dir/a:b.npy" && cmp "$dir/a:b.npy" "$dir/C.npy"'
