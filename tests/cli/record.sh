#!/bin/bash
# reprise record from the outside: what it computes, what it refuses, what it leaves behind.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels"
k=$BUILD/kernels
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
check() { # what, command...
    local what=$1
    shift
    if "$@" >&2; then ok "$what"; else bad "$what"; fi
}
same() { cmp -s "$1" "$2"; }

vector_add=(--module "$k/vector_add.ptx" --kernel vector_add --grid 4 --block 256 --arg buf=rand-f32:1000:seed=1
    --arg buf=rand-f32:1000:seed=2 --arg buf=zeros:4000 --arg i32=1000)

# ---- the command of the manual, and the product computed apart ------------------------------------------------------
"$REPRISE" record -o "$dir/mm.wtr" --module "$k/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 \
    --arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64 \
    --save "2=$dir/C.bin" --save "0=$dir/A.bin" --threads 2 >"$dir/out" 2>&1
check "matmul is recorded" test $? -eq 0
check "the summary counts blocks" grep -q '1 launch of matmul, 16 blocks, [0-9,]* warp instructions, [0-9,]* bytes, ' "$dir/out"
check "the trace is whole" "$REPRISE" verify "$dir/mm.wtr"
cat >"$dir/check.py" <<'PY'
import struct, sys
M = (1 << 64) - 1
def rand(seed, n):
    out = []
    for _ in range(n):
        seed = seed + 0x9e3779b97f4a7c15 & M
        z = seed
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M
        out.append(((z ^ z >> 31) >> 40) * 2.0 ** -23 - 1)
    return out
read = lambda path: struct.unpack('4096f', open(path, 'rb').read())
a, b, c = rand(1, 4096), rand(2, 4096), read(sys.argv[1] + '/C.bin')
assert read(sys.argv[1] + '/A.bin') == tuple(a), 'buffers are not what the manual says'
for i in range(0, 64, 7):
    for j in range(64):
        assert abs(c[64 * i + j] - sum(a[64 * i + n] * b[64 * n + j] for n in range(64))) < 1e-4, (i, j)
PY
check "the product and the random numbers are right" python3 "$dir/check.py" "$dir"

# ---- small blocks share a chunk; on the product of the README ---------------------------------------------------------
small=(--module "$k/matmul.ptx" --kernel matmul --grid 8,8 --block 16,16 --arg buf=rand-f32:16384:seed=1
    --arg buf=rand-f32:16384:seed=2 --arg buf=zeros:65536 --arg i32=128)
for t in 1 2 5; do "$REPRISE" record -o "$dir/small$t.wtr" "${small[@]}" --threads $t --quiet || bad "64 blocks with $t threads"; done
check "64 small blocks: traces are the same at 1, 2 and 5 threads" eval 'same "$dir/small1.wtr" "$dir/small2.wtr" && same "$dir/small1.wtr" "$dir/small5.wtr"'
check "... and whole" "$REPRISE" verify "$dir/small2.wtr"
"$REPRISE" info --json --no-mix "$dir/small1.wtr" | python3 -c '
import json, sys
launch = json.load(sys.stdin)["traces"][0]["launches"][0]
assert launch["blocks_recorded"] == 64 and 4 <= launch["chunks"] <= 16 and launch["bits_per_warp_instruction"] < 0.1, launch'
check "... in several chunks, with less than 0.1 bits per warp instruction" test $? -eq 0

# ---- the trace depends on what was run, not on how ------------------------------------------------------------------
for t in 1 2 3 8; do
    "$REPRISE" record -o "$dir/t$t.wtr" "${vector_add[@]}" --threads $t --quiet || bad "vector_add with $t threads"
done
check "traces are the same at 1 and 2 threads" same "$dir/t1.wtr" "$dir/t2.wtr"
check "traces are the same at 1 and 3 threads" same "$dir/t1.wtr" "$dir/t3.wtr"
check "traces are the same at 1 and 8 threads" same "$dir/t1.wtr" "$dir/t8.wtr"
for level in 2 3 4; do
    REPRISE_SIMD=$level "$REPRISE" record -o "$dir/v$level.wtr" "${vector_add[@]}" --save "2=$dir/v$level.bin" --quiet || bad "level $level"
done
check "traces and results are the same at every vector width" \
    eval 'same "$dir/v2.wtr" "$dir/v3.wtr" && same "$dir/v2.wtr" "$dir/v4.wtr" && same "$dir/v2.bin" "$dir/v4.bin" && same "$dir/v2.bin" "$dir/v3.bin"'
head -c 4000 /dev/zero | tr '\0' 'x' >"$dir/in.bin"
"$REPRISE" record --no-trace --module "$k/vector_add.ptx" --grid 4 --block 256 --arg "buf=file:$dir/in.bin" \
    --arg buf=iota-i32:1000 --arg buf=zeros:4000 --arg i32=0 --save "0=$dir/copy.bin" --save "1=$dir/iota.bin" --quiet
check "a file goes in and comes out" same "$dir/in.bin" "$dir/copy.bin"
check "iota counts" python3 -c "import struct,sys; assert struct.unpack('1000i', open(sys.argv[1],'rb').read()) == tuple(range(1000))" "$dir/iota.bin"
"$REPRISE" record -o "$dir/j.wtr" "${vector_add[@]}" --json >"$dir/json" 2>"$dir/err"
check "--json is JSON and alone" python3 -c "
import json,os,sys
j = json.load(open(sys.argv[1]))
assert j['outcome'] == 'complete' and j['launches'][0]['kernel'] == 'vector_add' and j['launches'][0]['blocks'] == 4
assert j['bytes'] == os.path.getsize(j['trace']) and abs(j['bits_per_warp_instruction'] - 8 * j['bytes'] / j['warp_instructions']) < 1e-6
" "$dir/json"
"$REPRISE" info --json "$dir/j.wtr" | python3 -c "
import json,sys
a, b = json.load(sys.stdin)['traces'][0], json.load(open(sys.argv[1]))
assert a['launches'][0]['warp_instructions'] == b['warp_instructions'] and a['launches'][0]['thread_instructions'] == b['thread_instructions']" "$dir/json"
check "info counts what record counted" test $? -eq 0
"$REPRISE" info --json "$dir/j.wtr" | grep -q "\"module_sha256\": \"$(sha256sum <"$k/vector_add.ptx" | cut -d' ' -f1)\""
check "the trace names the module by its hash" test $? -eq 0

# ---- a structure by value: { int a = 0x04030201; short b = -2; double c = 1.5; } --------------------------------------
cat >"$dir/struct.ptx" <<'PTX'
.version 7.0
.target sm_62
.address_size 64
.visible .entry by_value(.param .align 8 .b8 s[16], .param .u64 out)
{
    .reg .b64 %p;
    .reg .b32 %a, %b;
    .reg .f64 %c;
    ld.param.u32 %a, [s];
    ld.param.s16 %b, [s+4];
    ld.param.f64 %c, [s+8];
    ld.param.u64 %p, [out];
    st.global.u32 [%p], %a;
    st.global.u32 [%p+4], %b;
    st.global.f64 [%p+8], %c;
    ret;
}
PTX
"$REPRISE" record -o "$dir/s.wtr" --module "$dir/struct.ptx" --grid 1 --block 1 --arg bytes=01020304FEff0000000000000000F83f \
    --arg buf=zeros:16 --save "1=$dir/struct.bin" --quiet
check "a structure goes by value" python3 -c "
import struct, sys
assert struct.unpack('<iid', open(sys.argv[1], 'rb').read()) == (0x04030201, -2, 1.5)" "$dir/struct.bin"
check "... and is in the trace's provenance" eval '"$REPRISE" info "$dir/s.wtr" | grep -q "launch0.arg0 = bytes=01020304FEff"'
cat >"$dir/struct.cfg" <<CFG
module = "struct.ptx";
buffers = { y = "zeros:16"; };
launches = ( { grid = 1; block = 1; args = ( "bytes=01020304FEff0000000000000000F83f", "buf=y" ); } );
save = { y = "$dir/struct2.bin"; };
CFG
"$REPRISE" record --no-trace --launch-file "$dir/struct.cfg" --quiet
check "... from a launch file, too" same "$dir/struct.bin" "$dir/struct2.bin"

# ---- a structure with pointers, as nvcc passes it: { float *in; int n; struct { char c; double d; }; float *out; } -------
cat >"$dir/fields.ptx" <<'PTX'
.version 7.0
.target sm_62
.address_size 64
.visible .entry fields(.param .align 8 .b8 s[40], .param .u64 out)
{
    .reg .b64 %p, %q, %r;
    .reg .b32 %n, %c;
    .reg .f32 %f;
    .reg .f64 %d;
    ld.param.u64 %p, [s];
    ld.param.u32 %n, [s+8];
    ld.param.s8 %c, [s+16];
    ld.param.f64 %d, [s+24];
    ld.param.u64 %q, [s+32];
    ld.param.u64 %r, [out];
    ld.global.f32 %f, [%p+4];
    st.global.f32 [%q], %f;
    st.global.u32 [%r], %n;
    st.global.u32 [%r+4], %c;
    st.global.f64 [%r+8], %d;
    ret;
}
PTX
fields=(--module "$dir/fields.ptx" --grid 1 --block 1)
"$REPRISE" record -o "$dir/fields.wtr" "${fields[@]}" --arg struct=buf=rand-f32:8:seed=5,i32=-9,at=16,bytes=fd,f64=2.5,buf=zeros:8 \
    --arg buf=zeros:16 --save "0.0=$dir/in.f32" --save "0.4=$dir/out.f32" --save "1=$dir/fields.bin" --quiet
check "a structure's fields, pointers too, are where C has them" python3 -c "
import struct, sys
read = lambda name: open(sys.argv[1] + '/' + name, 'rb').read()
assert struct.unpack('<iid', read('fields.bin')) == (-9, -3, 2.5)
assert read('out.f32')[:4] == read('in.f32')[4:8] != bytes(4)" "$dir"
check "... and in the trace's provenance" eval '"$REPRISE" info "$dir/fields.wtr" | grep -qF \
    "launch0.arg0 = struct=at=0,buf=arg0.0,at=8,i32=-9,at=16,bytes=fd,at=24,f64=2.5,at=32,buf=arg0.4,at=40"'
cat >"$dir/fields.cfg" <<CFG
module = "fields.ptx";
buffers = { x = "rand-f32:8:seed=5"; y = "zeros:8"; z = "zeros:16"; };
launches = ( { grid = 1; block = 1; args = ( "struct=buf=x,i32=-9,at=16,bytes=fd,at=24,f64=2.5,buf=y,at=40", "buf=z" ); } );
save = { y = "$dir/out2.f32"; z = "$dir/fields2.bin"; };
CFG
"$REPRISE" record --no-trace --launch-file "$dir/fields.cfg" --quiet
check "... from a launch file, too" eval 'same "$dir/fields.bin" "$dir/fields2.bin" && same "$dir/out.f32" "$dir/out2.f32"'

# ---- launch files ---------------------------------------------------------------------------------------------------
"$REPRISE" record -o "$dir/chain.wtr" --launch-file docs/examples/chain.cfg --module "$k/matmul.ptx" >"$dir/out" 2>&1
check "the launch file of the manual runs" grep -q '2 launches of matmul, 8 blocks' "$dir/out"
awk '/^buffers/,/^\);/' docs/launch-file.md >"$dir/manual"
awk '/^buffers/,/^\);/' docs/examples/chain.cfg >"$dir/example"
check "the manual shows the example as it is" same "$dir/manual" "$dir/example"
cat >"$dir/streams.cfg" <<'CFG'
buffers = { A = "rand-f32:1024:seed=1"; B = "iota-i32:1024"; C = "zeros:4096"; D = "zeros:4096"; };
launches = (
    { kernel = "matmul"; grid = [2, 2]; block = [16, 16]; stream = 1; args = ( "buf=A", "buf=A", "buf=C", "i32=32" ); },
    { kernel = "matmul"; grid = [2, 2]; block = [16, 16]; stream = 2; args = ( "buf=A", "buf=A", "buf=D", "i32=32" ); },
    { kernel = "matmul"; grid = [2, 2]; block = [16, 16]; stream = 2; after = [ 0 ]; args = ( "buf=C", "buf=D", "buf=D", "i32=32" ); },
    { kernel = "matmul"; grid = [2, 2]; block = [16, 16]; args = ( "buf=C", "buf=D", "buf=C", "i32=32" ); }
);
print = { D = "f32:1"; };
CFG
for n in 1 4; do
    "$REPRISE" record -q -o "$dir/streams$n.wtr" --threads $n --launch-file "$dir/streams.cfg" --module "$k/matmul.ptx" >"$dir/out"
done
check "streams: the same bytes on 1 and 4 threads" same "$dir/streams1.wtr" "$dir/streams4.wtr"
check "... the trace is whole" "$REPRISE" verify "$dir/streams1.wtr"
"$REPRISE" info --json --no-mix "$dir/streams1.wtr" >"$dir/out"
check "... and says what waits for what, and what the host did" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))["traces"][0]
assert [(l["stream"], l["depends_on"]) for l in d["launches"]] == [(1, []), (2, []), (2, [0]), (0, [0, 2])], d["launches"]
assert d["host"] == {"allocate": {"count": 4, "bytes": 16384}, "copy": {"count": 3, "bytes": 12288},
                     "set": {"count": 2, "bytes": 8192}, "record-event": {"count": 1, "bytes": 0},
                     "wait-event": {"count": 1, "bytes": 0}}, d["host"]
assert [m["name"] for m in d["modules"]] == ["matmul.ptx"] and [k["module"] for k in d["kernels"]] == [0]' "$dir/out"
"$REPRISE" info --no-mix "$dir/streams1.wtr" >"$dir/out"
check "info has it in order" eval 'grep -A1 "^          after launch 1$" "$dir/out" | grep -q "wait-event  *event 0, stream 2"'
mkdir "$dir/sub"
cp "$k/vector_add.ptx" "$dir/in.bin" "$dir/sub"
cat >"$dir/sub/run.cfg" <<CFG
module = "vector_add.ptx";
buffers = { x = "file:in.bin"; y = "zeros:4000"; };
launches = ( { grid = 4; block = 256; args = ( "buf=y", "buf=y", "buf=y", "i32=0x3e8" ); } );
save = { x = "$dir/x.bin"; };
CFG
"$REPRISE" record --no-trace --launch-file "$dir/sub/run.cfg" --quiet
check "paths in a launch file count from its folder" same "$dir/x.bin" "$dir/in.bin"

# ---- what is refused: status, one line that says what, no file ------------------------------------------------------
refuse() { # status, text, options...
    local status=$1 text=$2 got
    shift 2
    rm -rf "$dir/no"
    mkdir "$dir/no"
    "$REPRISE" record -o "$dir/no/t.wtr" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    if [ $got -ne "$status" ]; then bad "status $got, not $status: $text"; cat "$dir/err" >&2; return; fi
    if ! grep -qF -- "$text" "$dir/err"; then bad "says: $text"; cat "$dir/err" >&2; return; fi
    if [ "$(wc -l <"$dir/err")" -ne 1 ]; then bad "one line: $text"; cat "$dir/err" >&2; return; fi
    if [ -n "$(ls -A "$dir/no")" ]; then bad "no file: $text"; ls -A "$dir/no" >&2; return; fi
    ok "refuses: $text"
}
va=(--module "$k/vector_add.ptx")
geo=(--grid 4 --block 256)
z=buf=zeros:4000
four=(--arg $z --arg $z --arg $z --arg i32=1000)
refuse 1 "--grid X[,Y[,Z]] is missing" "${va[@]}" --block 4
refuse 1 "--block X[,Y[,Z]] is missing" "${va[@]}" --grid 4
refuse 1 "which module, or which program?" "${geo[@]}"
printf '\177ELD\0\1\2' >"$dir/binary"
refuse 2 "neither text nor a binary of these kinds; a module is CUDA source (.cu), PTX, a cubin, a fat binary, or a program with one" --module "$dir/binary" "${geo[@]}"
refuse 2 "an ELF file, but not for an NVIDIA GPU, and no fat binary in it" --module "$REPRISE" "${geo[@]}"
printf '\177ELF' >"$dir/binary"
refuse 2 "an ELF file, but not for an NVIDIA GPU" --module "$dir/binary" "${geo[@]}"
refuse 2 "/dev/null: empty" --module /dev/null "${geo[@]}"
refuse 1 "'0' has an extent of 0" "${va[@]}" --grid 0 --block 4
refuse 1 "is not a whole number" "${va[@]}" --grid 4y4 --block 4
refuse 1 "more than three extents" "${va[@]}" --grid 1,1,1,1 --block 4
refuse 1 "block dimension x is 2048" "${va[@]}" --grid 1 --block 2048 "${four[@]}"
refuse 1 "has 1056 threads; at most 1024" "${va[@]}" --grid 1 --block 33,32 "${four[@]}"
refuse 1 "grid dimension y is 65536" "${va[@]}" --grid 1,65536 --block 1 "${four[@]}"
refuse 1 "has 4 parameters, but 1 argument is given" "${va[@]}" "${geo[@]}" --arg i32=5
refuse 1 "argument 0 (i32) is 4 bytes, but parameter 'vector_add_param_0'" "${va[@]}" "${geo[@]}" --arg i32=1 --arg $z --arg $z --arg i32=1
refuse 1 "argument 3 (buf) is 8 bytes" "${va[@]}" "${geo[@]}" --arg $z --arg $z --arg $z --arg $z
refuse 1 "argument 0: unknown form 'i33' of an argument; did you mean 'i32'" "${va[@]}" "${geo[@]}" --arg i33=1
refuse 1 "'99999999999' is out of range" "${va[@]}" "${geo[@]}" --arg i32=99999999999
refuse 1 "u32: '-1' is negative; the least is 0" "${va[@]}" "${geo[@]}" --arg u32=-1
refuse 1 "'1.5' is not a whole number" "${va[@]}" "${geo[@]}" --arg i32=1.5
refuse 1 "'abc' is not a number" "${va[@]}" "${geo[@]}" --arg f32=abc
refuse 1 "'1e39' is out of range; write inf" "${va[@]}" "${geo[@]}" --arg f32=1e39
refuse 1 "'-1e999' is out of range; write inf" "${va[@]}" "${geo[@]}" --arg f64=-1e999
refuse 1 "argument 0 (bytes) is 2 bytes, but parameter 's'" --module "$dir/struct.ptx" --grid 1 --block 1 --arg bytes=0102 --arg $z
refuse 1 "'012' are no bytes" "${va[@]}" "${geo[@]}" --arg bytes=012
refuse 1 "'0x12' are no bytes" "${va[@]}" "${geo[@]}" --arg bytes=0x12
printf '%s\n' '.version 7.0' '.target sm_62' '.address_size 64' '.visible .entry packed(.param .align 4 .b8 p[8]) { ret; }' >"$dir/packed.ptx"
refuse_fields() { # text, structure
    refuse 1 "$1" "${fields[@]}" --arg "$2" --arg $z
}
refuse_fields "argument 0 (struct) is 24 bytes, but parameter 's'" struct=buf=zeros:4,i32=1,f64=1
refuse_fields "at=8: the fields before it end at offset 12" struct=f64=1,i32=1,at=8,i32=1
refuse_fields "'f64=1' cannot stand at offset 12; its alignment is 8" struct=at=12,f64=1
refuse_fields "at: 'x' is not a whole number" struct=at=x
refuse_fields "a structure's fields are values and buffers" struct=i32=1,struct=i32=1
refuse_fields "unknown form 'i33' of an argument; did you mean 'i32'" struct=i32=1,i33=1
refuse_fields "'' is no argument" struct=
refuse_fields "rand-f32 needs a seed" struct=buf=rand-f32:4
refuse_fields "at: '99999999' is too large" struct=at=99999999
refuse 1 "a structure whose alignment is 8, but that of parameter 'p' of kernel 'packed' is 4" --module "$dir/packed.ptx" --grid 1 --block 1 --arg struct=f64=1
refuse 1 "--save 0: argument 0 is a structure; write 0.N for its field N" "${fields[@]}" --arg struct=buf=zeros:4,at=40 --arg $z --save "0=$dir/no/x"
refuse 1 "--save 0.5: argument 0 has 1 field, counted from 0" "${fields[@]}" --arg struct=buf=zeros:4,at=40 --arg $z --save "0.5=$dir/no/x"
refuse 1 "--save 0: its field 1 is a value, not a buffer" "${fields[@]}" --arg struct=buf=zeros:4,i32=1,at=40 --arg $z --save "0.1=$dir/no/x"
refuse 1 "--save 1.0: argument 1 has 0 fields" "${fields[@]}" --arg struct=buf=zeros:4,at=40 --arg $z --save "1.0=$dir/no/x"
refuse 1 "'i32' is no argument" "${va[@]}" "${geo[@]}" --arg i32
refuse 1 "did you mean 'zeros'" "${va[@]}" "${geo[@]}" --arg buf=zeroes:4
refuse 1 "zeros needs a size" "${va[@]}" "${geo[@]}" --arg buf=zeros
refuse 1 "a buffer of nothing" "${va[@]}" "${geo[@]}" --arg buf=zeros:0
refuse 1 "rand-f32 needs a seed" "${va[@]}" "${geo[@]}" --arg buf=rand-f32:5
refuse 1 "is too large" "${va[@]}" "${geo[@]}" --arg buf=rand-f64:99999999999999999999:seed=1
refuse 1 "zeros takes no ':seed=1'" "${va[@]}" "${geo[@]}" --arg buf=zeros:4:seed=1
refuse 1 "--save 7: there are 4 arguments" "${va[@]}" "${geo[@]}" "${four[@]}" --save "7=$dir/no/x"
refuse 1 "--save 3: argument 3 is a value" "${va[@]}" "${geo[@]}" "${four[@]}" --save "3=$dir/no/x"
refuse 1 "write N=FILE" "${va[@]}" "${geo[@]}" "${four[@]}" --save "$dir/no/x"
refuse 1 "cannot write '$dir/none/x'" "${va[@]}" "${geo[@]}" "${four[@]}" --save "2=$dir/none/x"
refuse 1 "bytes of shared memory per block; at most 49152" "${va[@]}" "${geo[@]}" "${four[@]}" --shared 50000
refuse 1 "stand in the file" --launch-file docs/examples/chain.cfg "${geo[@]}"
refuse 1 "either -o FILE or --no-trace" "${va[@]}" "${geo[@]}" "${four[@]}" --no-trace
refuse 2 "none.ptx" --module "$dir/none.ptx" "${geo[@]}" "${four[@]}"
refuse 2 "cannot read '$dir/none' for arg0" "${va[@]}" "${geo[@]}" --arg "buf=file:$dir/none" --arg $z --arg $z --arg i32=1
refuse 2 "it is a folder, not a regular file" "${va[@]}" "${geo[@]}" --arg "buf=file:$dir" --arg $z --arg $z --arg i32=1
mkfifo "$dir/fifo"
refuse 2 "it is not a regular file" "${va[@]}" "${geo[@]}" --arg "buf=file:$dir/fifo" --arg $z --arg $z --arg i32=1
: >"$dir/empty"
refuse 2 "it is empty" "${va[@]}" "${geo[@]}" --arg "buf=file:$dir/empty" --arg $z --arg $z --arg i32=1
refuse 2 "$dir/none: No such file" --launch-file "$dir/none"
refuse 2 "fifo: not a regular file" --launch-file "$dir/fifo"

# no output over an input or another output, however it is spelt
cp "$k/vector_add.ptx" "$dir/copy.ptx"
mv_args=(--module "$dir/copy.ptx" "${geo[@]}" "${four[@]}")
refuse 1 "would be written over the module" "${mv_args[@]}" -o "$dir/no/../copy.ptx"
refuse 1 "would be written over the module" "${mv_args[@]}" --save "2=$dir/copy.ptx"
refuse 1 "would be written over the trace" "${mv_args[@]}" --save "2=$dir/no/./t.wtr"
refuse 1 "would be written over another one" "${mv_args[@]}" --save "2=$dir/no/x" --save "1=$dir/no/x"
refuse 1 "would be written over a buffer's file" "${va[@]}" "${geo[@]}" -o "$dir/in.bin" --arg "buf=file:$dir/in.bin" --arg $z --arg $z --arg i32=1
refuse 1 "what kernels print '$dir/copy.ptx' would be written over the module" "${mv_args[@]}" -o "$dir/no/t.wtr" --kernel-output "$dir/copy.ptx"
refuse 1 "would be written over what kernels print" "${mv_args[@]}" --save "2=$dir/no/x" -o "$dir/no/t.wtr" --kernel-output "$dir/no/x"
refuse 1 "would be written over the launch file" --launch-file docs/examples/chain.cfg --module "$k/matmul.ptx" -o docs/examples/chain.cfg
check "the module is as it was" same "$dir/copy.ptx" "$k/vector_add.ptx"
refuse 1 "-o needs the name of a file" "${va[@]}" "${geo[@]}" "${four[@]}" -o ""
refuse 1 "No such file or directory" "${va[@]}" "${geo[@]}" "${four[@]}" -o "$dir/none/t.wtr"
refuse 1 "cannot write to '-'" "${va[@]}" "${geo[@]}" "${four[@]}" -o -
refuse 1 "cannot write to '-'" "${va[@]}" "${geo[@]}" "${four[@]}" --save 2=-
"$REPRISE" record "${va[@]}" "${geo[@]}" "${four[@]}" >"$dir/out" 2>"$dir/err"
status=$?
check "without -o it says so" eval '[ $status -eq 1 ] && grep -q "where shall the trace go" "$dir/err"'

launch_file() { # text in the error, content
    printf '%s\n' "$2" >"$dir/bad.cfg"
    refuse 2 "$1" --launch-file "$dir/bad.cfg" --module "$k/vector_add.ptx"
}
launch_file "bad.cfg:2: syntax error" 'launches = ('
launch_file "bad.cfg:2: unknown key 'launch'; did you mean 'launches'" $'\nlaunch = 5;'
launch_file "bad.cfg: there is no launch" ''
launch_file "bad.cfg: there is no launch" 'buffers = { A = "zeros:4"; };'
launch_file "did you mean 'zeros'" 'buffers = { A = "zero:4"; };'
launch_file "a launch needs 'grid'" 'launches = ( { block = 4; } );'
launch_file "'block' must be one to three whole numbers" 'launches = ( { grid = 1; block = [1,2,3,4]; } );'
launch_file "there is no buffer 'B'" 'launches = ( { grid = 1; block = 4; args = ( "buf=B" ); } );'
launch_file "bad.cfg:1: there is no buffer 'B'" 'launches = ( { grid = 1; block = 4; args = ( "struct=i32=4,buf=B" ); } );'
launch_file "'lots' is not a whole number" 'launches = ( { grid = 1; block = 4; args = ( "i32=lots" ); } );'
launch_file "'kernel' must be a string" 'launches = ( { kernel = 5; grid = 1; block = 4; } );'
launch_file "'module' must be a string" 'module = 5; launches = ( { grid = 1; block = 4; } );'
launch_file "bad.cfg:1: 'after' holds numbers of earlier launches" 'launches = ( { grid = 1; block = 4; after = 0; } );'
launch_file "'stream' must be a whole number from 0" 'launches = ( { grid = 1; block = 4; stream = -1; } );'
launch_file "'args' must be a list" 'launches = ( { grid = 1; block = 4; args = "i32=4"; } );'
launch_file "'save' must be a group" 'buffers = { A = "zeros:4"; }; launches = ( { grid = 1; block = 4; } ); save = "A";'
launch_file "bad.cfg:2: 4294967297 is too large" $'# not this: 4294967297\nlaunches = ( { grid = 4294967297; block = 4; } );'
launch_file "bad.cfg:4: " $'launches = ( {\n  grid = 1;\n  block = 4;\n  kernel = "vector_ad"; } );'
launch_file "vector_add.ptx has no kernel 'vector_ad'; did you mean 'vector_add'?" 'launches = ( { kernel = "vector_ad"; grid = 1; block = 4; } );'
launch_file "bad.cfg:2: kernel 'vector_add' has 4 parameters, but 1 argument is given" $'launches = ( { grid = 1; block = 4;\n args = ( "i32=4" ); } );'
launch_file "bad.cfg:2: kernel 'vector_add' has 4 parameters, but 0 arguments are given" $'launches = (\n { grid = 1; block = 4; } );'
launch_file "bad.cfg:1: @include is not allowed" '@include "/dev/zero"'
launch_file "there is no buffer 'A'" 'launches = ( { grid = 1; block = 4; } ); save = { A = "x"; };'

# ---- kernels that misbehave -----------------------------------------------------------------------------------------
"$REPRISE" record -o "$dir/f.wtr" "${va[@]}" "${geo[@]}" --arg $z --arg $z --arg buf=zeros:2000 --arg i32=1000 \
    --save "2=$dir/f.bin" >"$dir/out" 2>"$dir/err"
check "a fault has status 3" test $? -eq 3
check "... and one line" test "$(wc -l <"$dir/err")" -eq 1
check "... that says where" grep -qF "0 bytes past the end of arg2 (2000 bytes); at 'st.global.f32" "$dir/err"
check "... and by whom" grep -qF 'block (1,0,0), thread (244,0,0)' "$dir/err"
check "... the trace is kept" "$REPRISE" verify "$dir/f.wtr"
check "... and says fault" eval '"$REPRISE" info "$dir/f.wtr" | grep -q fault'
check "... and nothing is saved" test ! -e "$dir/f.bin"
printf '%s\n' '.version 7.0' '.target sm_62' '.address_size 64' '.visible .entry spin() {' 'L: bra L;' '}' >"$dir/spin.ptx"
"$REPRISE" record -o "$dir/s.wtr" --module "$dir/spin.ptx" --grid 1 --block 32 --limit 5000 >"$dir/out" 2>"$dir/err"
status=$?
check "an endless loop ends at --limit" eval '[ $status -eq 3 ] && grep -q "endless loop. the warp has executed 5000 instructions, the limit;" "$dir/err"'
sed 's/^L: bra L;/mov.u32 %r, 0; L: add.u32 %r, %r, 1; bra L;/; s/^.visible.*/&\n.reg .b32 %r;/' "$dir/spin.ptx" >"$dir/count1.ptx"
"$REPRISE" record -o "$dir/s.wtr" --module "$dir/count1.ptx" --grid 1 --block 32 --limit 1 >"$dir/out" 2>"$dir/err"
status=$?
check "--limit 1 says how many were executed" \
    eval '[ $status -eq 3 ] && grep -q "the warp has executed 3 instructions, more than the limit of 1;" "$dir/err"'
{ # straight code counts as well: 202 instructions
    printf '%s\n' '.version 7.0' '.target sm_62' '.address_size 64' '.visible .entry straight() {' '.reg .b64 %n;' 'mov.u64 %n, 0;'
    for _ in $(seq 200); do echo 'add.u64 %n, %n, 1;'; done
    echo 'ret; }'
} >"$dir/straight.ptx"
for target in sm_62 sm_75; do
    sed -i "s/^\.target .*/.target $target/" "$dir/straight.ptx"
    "$REPRISE" record -o "$dir/s.wtr" --module "$dir/straight.ptx" --grid 2 --block 64 --limit 201 >"$dir/out" 2>"$dir/err"
    status=$?
    check "$target: straight code ends at --limit, too" eval '[ $status -eq 3 ] && grep -q "202 instructions, more than the limit of 201" "$dir/err" && "$REPRISE" verify -q "$dir/s.wtr"'
    "$REPRISE" run --module "$dir/straight.ptx" --grid 2 --block 64 --limit 202 2>/dev/null
    check "$target: as many as --limit may be executed" test $? -eq 0
done
mkdir "$dir/signal"
# a loop in which something changes, so that it is not seen to be endless
printf '%s\n' '.version 7.0' '.target sm_62' '.address_size 64' '.visible .entry count() {' '.reg .b64 %n;' 'mov.u64 %n, 0;' \
    'L: add.u64 %n, %n, 1;' 'bra L;' '}' >"$dir/count.ptx"
# the signal comes as soon as the file is there, when its name may not yet be known to whoever removes it, or later
cat >"$dir/kill.py" <<'END'
import os, signal, subprocess, sys
folder, command = sys.argv[1], sys.argv[2:]
for _ in range(10):
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while run.poll() is None and not os.listdir(folder):
        pass
    if run.poll() is not None:
        sys.exit("it ended by itself")
    run.send_signal(signal.SIGTERM)
    if run.wait() != -signal.SIGTERM or os.listdir(folder) not in ([], ["s.wtr"]):
        sys.exit(f"ended with {run.returncode} and left {os.listdir(folder)}")
    for file in os.listdir(folder):
        if subprocess.run([command[0], "verify", "-q", f"{folder}/{file}"]).returncode:
            sys.exit("the trace is not whole")
        os.remove(f"{folder}/{file}")
END
check "SIGTERM leaves a whole trace or none" python3 "$dir/kill.py" "$dir/signal" "$REPRISE" record -o "$dir/signal/s.wtr" \
    --module "$dir/count.ptx" --grid 1 --block 32 --limit 999999999999

# ---- one thing is no plural -----------------------------------------------------------------------------------------
"$REPRISE" record -o "$dir/one.wtr" --module "$k/vector_add.ptx" --grid 1 --block 32 --arg buf=zeros:128 --arg buf=zeros:128 \
    --arg buf=zeros:128 --arg i32=32 >"$dir/out" 2>"$dir/err"
check "1 block is recorded" grep -q 'one.wtr: 1 launch of vector_add, 1 block, [0-9]* warp instructions, ' "$dir/err"
check "the summary leaves standard output alone" test ! -s "$dir/out"
check "1 block is verified" eval '"$REPRISE" verify "$dir/one.wtr" | grep -q "whole: 1 kernel, 1 launch, 1 block, [0-9,]* bytes$"'
check "1 block is told of" eval '"$REPRISE" info "$dir/one.wtr" | grep -q "complete, 1 of 1 block recorded$"'
printf '%s\n' '.version 7.0' '.target sm_62' '.address_size 64' '.visible .entry byte(.param .u64 p) {' '.reg .b64 %p; .reg .b16 %v;' \
    'ld.param.u64 %p, [p]; ld.global.u8 %v, [%p+2]; ret; }' >"$dir/byte.ptx"
"$REPRISE" record --no-trace --module "$dir/byte.ptx" --grid 1 --block 1 --arg buf=zeros:1 2>"$dir/err"
check "1 byte is read, past a buffer of 1 byte" grep -q 'load of 1 byte at .*, 1 byte past the end of arg0 (1 byte);' "$dir/err"

# ---- a reader of stdout that goes away, a full disk -----------------------------------------------------------------
# "true" may still be there when the first line is written; what the kernel prints is more than a pipe holds
say=(--module "$k/print.ptx" --kernel print --grid 500 --block 256 --arg "buf=file:$dir/text" --arg f32=1)
printf 'text\0' >"$dir/text"
"$REPRISE" run "${say[@]}" -q >"$dir/said"
"$REPRISE" run "${say[@]}" --json --kernel-output "$dir/said2" >"$dir/json" 2>"$dir/err"
check "what kernels print in a file of its own" eval 'same "$dir/said" "$dir/said2" && [ -s "$dir/said" ] && ! [ -s "$dir/err" ]'
"$REPRISE" run "${say[@]}" -q --kernel-output /dev/full 2>"$dir/err"
status=$?
check "a file for it that is none" eval '[ $status = 1 ] && grep -q "cannot write .*/dev/full" "$dir/err"'
mkdir "$dir/pipe"
"$REPRISE" record -o "$dir/pipe/p.wtr" "${say[@]}" 2>"$dir/err" | true
status=${PIPESTATUS[0]}
check "a reader that goes away ends the run" test "$status" -eq 141
check "... and leaves no file" test -z "$(ls -A "$dir/pipe")"
(
    ulimit -f 1
    exec "$REPRISE" record -o "$dir/pipe/p.wtr" "${say[@]}" >/dev/null 2>&1
)
status=$?
check "a limit on file sizes ends the run" test "$status" -ne 0
check "... and leaves no file" test -z "$(ls -A "$dir/pipe")"
"$REPRISE" record --no-trace "${say[@]}" --quiet >/dev/full 2>"$dir/err"
status=$?
check "what the kernel prints is not lost in silence" eval '[ $status -eq 4 ] && grep -q "cannot" "$dir/err"'
for what in --help --version "info $dir/mm.wtr" "info --json $dir/mm.wtr" "dump $dir/mm.wtr" "verify $dir/mm.wtr" "machine list"; do
    # shellcheck disable=SC2086
    "$REPRISE" $what >/dev/full 2>"$dir/err"
    status=$?
    check "a full disk: ${what%% /*} says so once" eval '[ $status -eq 4 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]'
done

# ---- targets --------------------------------------------------------------------------------------------------------
refuse 1 "no target 'sm_63'; known are sm_10, " "${va[@]}" "${geo[@]}" "${four[@]}" --target sm_63
refuse 1 "32-bit.cubin is machine code for sm_50; only PTX can be run as for another target" --target sm_75 \
    --module tests/golden/cubin/32-bit.cubin --kernel scale --grid 1 --block 32 --arg buf=zeros:128 --arg u32=1000
launch_file "bad.cfg:2: no target 'volta'; known are" $'module = "'"$PWD/$k"$'/vector_add.ptx";\ntarget = "volta"; launches = ({ grid = 1; block = 1; });'
"$REPRISE" record -o "$dir/target.wtr" "${va[@]}" "${geo[@]}" "${four[@]}" --target sm_90a --quiet
sed 's/^\.target .*/.target sm_77/' "$k/vector_add.ptx" >"$dir/sm_77.ptx"
"$REPRISE" record -o "$dir/sm_77.wtr" --module "$dir/sm_77.ptx" "${geo[@]}" "${four[@]}" --quiet 2>"$dir/err"
status=$?
line=$(grep -n '^\.target' "$dir/sm_77.ptx" | cut -d: -f1)
check "an unknown target in the module is an error" \
    eval '[ $status -eq 2 ] && grep -q "sm_77.ptx:$line:9: no target .sm_77.; --target gives another" "$dir/err" && [ ! -e "$dir/sm_77.wtr" ]'
refuse 1 "no target 'sm_78'; known are" --module "$dir/sm_77.ptx" "${geo[@]}" "${four[@]}" --target sm_78
"$REPRISE" record -o "$dir/sm_77.wtr" --module "$dir/sm_77.ptx" "${geo[@]}" "${four[@]}" --target sm_75 --quiet
check "--target stands for a target that is unknown" eval '"$REPRISE" info "$dir/sm_77.wtr" | grep -q "module.*sm_75"'
check "the target goes into the trace" eval '"$REPRISE" info "$dir/target.wtr" | grep -q "target.*sm_90a"'

# ---- addresses of 32 bits -------------------------------------------------------------------------------------------
for module in 32-bit.cubin 32-bit.ptx; do
    "$REPRISE" record --no-trace --module "tests/golden/cubin/$module" --kernel scale --grid 1 --block 32 --arg buf=zeros:128 \
        --arg u32=1000 --save "0=$dir/narrow.bin" >"$dir/out" 2>&1
    check "$module: a buffer below 4 GiB" test "$(od -An -tu4 -v -w4 "$dir/narrow.bin" | sort | uniq -c | xargs)" = "32 7003"
done

# ---- names ----------------------------------------------------------------------------------------------------------
sed 's/vector_add/_Z10vector_addPKfS0_Pfi/g' "$k/vector_add.ptx" >"$dir/mangled.ptx"
check "a kernel is found by its name in the source" "$REPRISE" record --no-trace --module "$dir/mangled.ptx" --kernel vector_add "${geo[@]}" "${four[@]}"
refuse 2 "vector_add" "${va[@]}" --kernel vector_ad "${geo[@]}" "${four[@]}"
cp "$k/vector_add.ptx" "$dir/app"
chmod +x "$dir/app"
for stray in "$dir/app:a program stands behind --: 'reprise run ... -- $dir/app'" "$k/vector_add.ptx:given with --module $k/vector_add.ptx" "word:a program behind --"; do
    "$REPRISE" run "${stray%%:*}" 2>"$dir/err"
    status=$?
    check "a word that stands alone: ${stray##*/}" eval '[ $status -eq 1 ] && grep -qF -- "${stray#*:}" "$dir/err"'
done
check "--help has an example" eval '"$REPRISE" record --help | grep -q "reprise record -o mm.wtr"'

# ---- sums of tensor cores: 2^24 + 1 - 2^24 in one sum; sm_70 has groups of four products, in which 1 is cut off beside 2^24 ----------
cat >"$dir/sum.ptx" <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %lane, %a, %b, %zero; .reg .f32 %d<4>; .reg .b64 %p; .reg .pred %q;
    mov.u32 %lane, %laneid; mov.u32 %zero, 0; mov.u32 %a, 0; mov.u32 %b, 0;
    setp.eq.u32 %q, %lane, 0; @%q mov.u32 %a, 0x6c00; @%q mov.u32 %b, 0x6c00;
    setp.eq.u32 %q, %lane, 1; @%q mov.u32 %a, 0x3c00; @%q mov.u32 %b, 0x3c00;
    setp.eq.u32 %q, %lane, 2; @%q mov.u32 %a, 0x6c00; @%q mov.u32 %b, 0xec00;
    mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a, %zero, %zero, %zero}, {%b, %zero}, {%d0, %d1, %d2, %d3};
    setp.eq.u32 %q, %lane, 0; ld.param.u64 %p, [p]; @%q st.global.f32 [%p], %d0;
    ret;
}
PTX
sum() { "$REPRISE" run -q --module "$dir/sum.ptx" -g 1 -b 32 --arg buf=zeros:4 --print 0=f32:1 "$@" | tail -1; }
check "--tensor-sums: as a V100, not exact" eval '[ "$(sum) $(sum --tensor-sums exact) $(sum --tensor-sums sm_70) $(sum --tensor-sums sm_80)" = "  [0] 1   [0] 1   [0] 0   [0] 1" ]'
check "... and in the trace's provenance" eval '"$REPRISE" record -q -o "$dir/sum.wtr" --module "$dir/sum.ptx" -g 1 -b 32 --arg buf=zeros:4 --tensor-sums sm_70 &&
    "$REPRISE" info "$dir/sum.wtr" | grep -q "tensor-sums = sm_70"'
refuse 1 "--tensor-sums sm_75: there are exact, sm_70, sm_80" --module "$dir/sum.ptx" -g 1 -b 32 --arg buf=zeros:4 --tensor-sums sm_75

# A function of the device runtime that nvcc's PTX declares is there, as in a program.
cat >"$dir/condition.ptx" <<'PTX'
.version 9.0
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry set(.param .u64 handle, .param .u32 value)
{
    .reg .b32 %r;
    .reg .b64 %d;
    .param .b64 a;
    .param .b32 b;
    ld.param.u64 %d, [handle];
    ld.param.u32 %r, [value];
    st.param.b64 [a], %d;
    st.param.b32 [b], %r;
    call.uni cudaGraphSetConditional, (a, b);
    ret;
}
PTX
check "a module of PTX sets a condition" eval '"$REPRISE" run -q --module "$dir/condition.ptx" -g 1 -b 32 --arg buf=zeros:4 --arg u32=7 --print 0=u32:1 |
    grep -qx "  \[0\] 7"'
