#!/bin/bash
# Names and widths: C++ names as in the source for people, whole for programs; no table is wider than 120 columns.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels/sgemm_warps.ptx" "$BUILD/kernels/vector_add.ptx"
cat >"$dir/k.cu" <<'CUDA'
namespace of_some_length { namespace and_another_one_below_it {
template <class T, int N> __global__ void a_kernel_with_a_name_that_takes_more_room_than_a_table_has(T *p, const T *q)
{
    for (int i = 0; i < N; i++)
        p[threadIdx.x] += q[i];
}
template __global__ void a_kernel_with_a_name_that_takes_more_room_than_a_table_has<float, 3>(float *, const float *);
} }
namespace { struct Pair { int a, b; }; }
__global__ void simple(int *p, Pair) { p[threadIdx.x] = 1; }
CUDA
long=_ZN14of_some_length24and_another_one_below_it58a_kernel_with_a_name_that_takes_more_room_than_a_table_hasIfLi3EEEvPT_PKS2_
one=(--grid 1 --block 32)
"$r" record -o "$dir/t.wtr" --module "$dir/k.cu" --kernel "$long" "${one[@]}" --arg buf=zeros:128 --arg buf=zeros:128 2>"$dir/err"
check "a kernel with a long name is recorded" test $? -eq 0
plain="of_some_length::and_another_one_below_it::a_kernel_with_a_name_that_takes_more_room_than_a_table_has<float, 3>"
check "the summary has its name in the source" grep -qF "1 launch of $plain, " "$dir/err"
"$r" info "$dir/t.wtr" >"$dir/out"
check "info, too" eval 'tr "\n" " " <"$dir/out" | tr -s " " | grep -qF " $plain (ptx"'
check "and not the one in the module" eval '! grep -q _ZN14 "$dir/out"'
wide() { LC_ALL=C.UTF-8 awk 'length > 120' "$1" | grep -q .; }
for c in "replay -m jetson-tx2" "diff -m jetson-tx2 --vary scheduler=gto,lrr --vary l1_subcores=1,3" \
    "wcet -m orin-wcet --check gto,lrr,oldest,two-level,random --attack 5 --assume all" "info " "dump --source" "machine list"; do
    # shellcheck disable=SC2086
    "$r" ${c%% *} $([ "$c" = "machine list" ] && echo list || echo "$dir/t.wtr") $([ "$c" = "machine list" ] || echo "${c#* }") >"$dir/out" 2>"$dir/err"
    status=$?
    check "no line of '$c' has more than 120 columns" eval '[ $status -eq 0 ] && [ -s "$dir/out" ] && ! wide "$dir/out"'
done
check "a name that is cut says so" eval '"$r" diff "$dir/t.wtr" -m jetson-tx2 --vary scheduler=gto,lrr --vary l1_subcores=1,2 | grep -q "^ *0  \.\.\.a_kernel_with_a_name.*\.\.\.  gto"'
"$r" record -o "$dir/s.wtr" --module "$dir/k.cu" --kernel simple "${one[@]}" --arg buf=zeros:128 --arg bytes=0000000000000000 2>"$dir/err"
check "a name with an anonymous namespace among its parameters" grep -qF "1 launch of simple, " "$dir/err"
check "replay's table has it" eval '"$r" replay "$dir/s.wtr" -m jetson-tx2 | grep -qE "^ +0  simple +1 "'

# ---- wcet for people -----------------------------------------------------------------------------------------------
"$r" record -q -o "$dir/w.wtr" --module "$BUILD/kernels/sgemm_warps.ptx" --kernel double_4 --grid 1 --block 32,4 \
    --arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:4096 --arg i32=128
"$r" wcet -q "$dir/w.wtr" -m orin-wcet --check gto,lrr >"$dir/out"
"$r" wcet -q "$dir/w.wtr" -m orin-wcet --check gto,lrr --json >"$dir/json"
check "times beside cycles, sections, and no statistics over one launch" python3 - "$dir" <<'PY'
import json, sys
text = open(sys.argv[1] + '/out').read()
d = json.load(open(sys.argv[1] + '/json'))['traces'][0]
l, mhz = d['launches'][0], d['machine']['options']['clock_mhz']
rows = [line.replace(',', '').split() for line in text.splitlines()]
assert any(r[:2] == ['0', 'double_4'] and r[-1] == '%.3f' % (l['unit_bound'] / mhz) for r in rows)
for p in ('gto', 'lrr'):
    assert ['0', p, str(l['replay'][p]), '%.3f' % (l['replay'][p] / mhz)] in [r[:4] for r in rows]
sections = rows[rows.index(['Sections']) + 2:][:len(l['sections'])]
assert [[int(x) for x in r[1:8]] for r in sections] == [[i] + [s[k] for k in ('warps', 'instructions', 'alone', 'gub', 'serial_bound', 'unit_bound')] for i, s in enumerate(l['sections'])]
assert 'std. dev.' not in text
PY
"$r" wcet -q "$dir/w.wtr" "$dir/t.wtr" -m orin-wcet --assume all --check gto >"$dir/out"
status=$?
check "several traces in one table" eval '[ $status -eq 0 ] && [ "$(grep -c "^trace " "$dir/out")" -eq 2 ] && [ "$(grep -c "[wt].wtr  *0 " "$dir/out")" -eq 4 ]'
"$r" wcet -q "$dir/w.wtr" "$dir/t.wtr" -m orin-wcet --json >"$dir/two"
check "each is what it is alone" python3 -c "
import json
one, two = json.load(open('$dir/json'))['traces'][0], json.load(open('$dir/two'))['traces']
assert len(two) == 2 and two[0]['launches'][0]['unit_bound'] == one['launches'][0]['unit_bound'] and two[1]['trace']['file'].endswith('t.wtr')"
"$r" wcet -q "$dir/none" "$dir/w.wtr" -m orin-wcet >"$dir/out" 2>"$dir/err"
status=$?
check "one that cannot be read is left out, and said to be" eval '[ $status -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "w.wtr" "$dir/out"'
check "--csv" test "$("$r" wcet -q --csv "$dir/w.wtr" -m orin-wcet | python3 -c 'import csv, sys; print(*[r["unit_bound"] for r in csv.DictReader(sys.stdin)])')" = \
    "$(python3 -c "import json; print(json.load(open('$dir/json'))['traces'][0]['launches'][0]['unit_bound'])")"

# ---- one block of a larger launch ----------------------------------------------------------------------------------
add=(--module "$BUILD/kernels/vector_add.ptx" --block 256 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg i32=800)
"$r" record -q -o "$dir/four.wtr" "${add[@]}" --grid 4
"$r" record -q -o "$dir/first.wtr" "${add[@]}" --grid 1
bounds() { "$r" wcet -q --json -m orin-wcet "$@" | python3 -c '
import json, sys
l = json.load(sys.stdin)["traces"][0]["launches"][0]
print(l["blocks"], l["gub"], l["serial_bound"], l["overlap_bound"], l["warp_instructions"])'; }
check "a block of four has the bounds that it has alone" eval '[ "$(bounds "$dir/four.wtr" --block 0)" = "$(bounds "$dir/first.wtr" --exhaust 0)" ] && [ "$(bounds "$dir/four.wtr" -b 2)" = "$(bounds "$dir/first.wtr" --exhaust 0)" ]'
check "the last one, which does less, has its own" eval '[ "$(bounds "$dir/four.wtr" --block 3)" != "$(bounds "$dir/four.wtr" --block 0)" ]'
"$r" wcet -q "$dir/four.wtr" -m orin-wcet --block 4 >"$dir/out" 2>"$dir/err"
status=$?
check "coordinates, as dump takes them" eval '[ "$(bounds "$dir/four.wtr" -b 3,0)" = "$(bounds "$dir/four.wtr" -b 3)" ] && [ "$(bounds "$dir/four.wtr" -b 3x0x0)" = "$(bounds "$dir/four.wtr" -b 3)" ]'
check "there is no fifth" eval '[ $status -eq 1 ] && grep -q "launch 0 has no block 4; it has 4" "$dir/err"'
"$r" wcet -q "$dir/four.wtr" -m orin-wcet --block 1 --check gto >"$dir/out" 2>"$dir/err"
status=$?
check "and no replay of one" eval '[ $status -eq 1 ] && grep -q "goes with neither" "$dir/err"'

# ---- kernels by their names in the source ----------------------------------------------------------------------------
cat >"$dir/t.cu" <<'CUDA'
template <class T, int N> __global__ void gemm(T *p) { p[threadIdx.x] = N; }
template __global__ void gemm<float, 16>(float *);
template __global__ void gemm<int, 32>(int *);
namespace a { __global__ void copy(int *p) { p[threadIdx.x] = 1; } }
namespace b { __global__ void copy(float *p) { p[threadIdx.x] = 2; } }
CUDA
named() { # kernel, type: the element that it writes
    "$r" run -q --module "$dir/t.cu" -g 1 -b 1 --arg buf=zeros:4 --print "0=$2" -k "$1" 2>"$dir/err" | sed -n 's/^ *\[0\] //p'
}
for name in 'gemm<float, 16>' 'gemm<float,16>' ' gemm < float , 16 > ' 'gemm<float, 16>(float*)' 'void gemm<float, 16>(float *)' _Z4gemmIfLi16EEvPT_; do
    check "--kernel '$name'" test "$(named "$name" f32)" = 16
done
check "the other one" test "$(named 'gemm<int,32>' i32)" = 32
check "a scope tells names apart" test "$(named a::copy i32) $(named b::copy f32)" = "1 2"
cat >"$dir/arguments.cu" <<'CUDA'
template <class T, int N> __global__ void gemm(T *p) { p[threadIdx.x] = N; }
template __global__ void gemm<unsigned, 1>(unsigned *);
template __global__ void gemm<unsigned long, 2>(unsigned long *);
template __global__ void gemm<signed char, 3>(signed char *);
template __global__ void gemm<short, 4>(short *);
template <char C> __global__ void letter(int *p) { *p = C; }
template __global__ void letter<'a'>(int *);
template __global__ void letter<'\''>(int *);
template __global__ void letter<-3>(int *);
namespace ns { enum Kind { A, B }; }
template <ns::Kind K, bool Turned> __global__ void copy(int *p) { *p = 10 * K + Turned; }
template __global__ void copy<ns::A, true>(int *);
template __global__ void copy<ns::B, false>(int *);
template <unsigned N> __global__ void size(int *p) { *p = N; }
template __global__ void size<16>(int *);
template <class T> __global__ void qualified(int *p) { *p = 0; }
template <class T> struct box { struct in {}; };
template <> __global__ void qualified<const float *>(int *p) { *p = 21; }
template <> __global__ void qualified<float *const>(int *p) { *p = 22; }
template <> __global__ void qualified<volatile box<const int>::in *>(int *p) { *p = 23; }
template <> __global__ void qualified<const volatile unsigned>(int *p) { *p = 24; }
namespace ns { __device__ void f(int) {} }
template <auto *F> __global__ void calls(int *p) { *p = 25; }
template __global__ void calls<&ns::f>(int *);
template <auto N> __global__ void any(int *p) { *p = (int)sizeof N; }
template __global__ void any<5>(int *);
template __global__ void any<5l>(int *);
CUDA
# spelling=the number that the kernel writes
for case in 'gemm<unsigned,1>=1' 'gemm<int unsigned,1>=1' 'gemm<long unsigned int,2>=2' 'gemm<unsigned long,0x2u>=2' 'gemm<signed char,3>=3' 'gemm<short int, 4>=4' \
    "letter<'a'>=97" "letter<'\\x61'>=97" "letter<'\\141'>=97" "letter<'\\''>=39" 'letter<-3>=-3' 'letter<(char)-3>=-3' 'letter<97>(int *)=97' \
    'copy<(ns::Kind)1, false>=10' 'copy<1,false>=10' 'copy<0,1>=1' 'size<16>=16' 'size<0x10>=16' 'size<16u>=16' 'any<5>=4' 'any<5l>=8' 'qualified<const float*>=21' 'qualified<float const *>=21' 'qualified<float *const>=22' \
    'qualified<volatile box<const int>::in *>=23' 'qualified<box<int const>::in volatile*>=23' 'qualified<volatile unsigned const>=24' \
    'calls<&ns::f>=25' 'calls<&(ns::f(int))>=25'; do
    "$r" run -q --module "$dir/arguments.cu" --clang-flags=-std=c++17 -g 1 -b 1 --arg buf=zeros:8 --print 0=i32:1 -k "${case%=*}" >"$dir/out" 2>"$dir/err"
    check "--kernel '${case%=*}'" grep -qx "  \[0\] ${case##*=}" "$dir/out"
done
"$r" run -q --module "$dir/arguments.cu" --clang-flags=-std=c++17 -g 1 -b 1 --arg buf=zeros:8 -k 'copy<ns::A, ns::B>' 2>"$dir/err"
check "the kernels of that name, with enumerators as numbers" grep -qx "reprise: .*has no kernel 'copy<ns::A, ns::B>'; it has: copy<(ns::Kind)0, true>, copy<(ns::Kind)1, false>" "$dir/err"
for name in 'gemm<char,3>' 'gemm<unsigned short,4>' "letter<'b'>" "letter<'a>" 'letter<(char>' "letter<'\\" 'copy<ns::B,false>' 'size<16.0>' 'any<0x5>'; do
    "$r" run -q --module "$dir/arguments.cu" --clang-flags=-std=c++17 -g 1 -b 1 --arg buf=zeros:8 -k "$name" >"$dir/out" 2>"$dir/err"
    status=$?
    check "--kernel '$name' is refused" eval '[ $status != 0 ] && grep -q "has no kernel\|2 kernels of" "$dir/err"'
done
# Names as Nsight Compute prints them, in the spelling of NVIDIA's demangler: T1 is the first template argument, T2... the
# second and all that follow.
cat >"$dir/nvidia.cu" <<'CUDA'
template <class T, int N> __global__ void scale(T *p, int n, T by) { *(int *)p = N; }
template __global__ void scale<float, 4>(float *, int, float);
template __global__ void scale<float *, 4>(float **, int, float *);
template <int N, class F, class A> __global__ void apply(int *p, F, const A *) { *p = N; }
template __global__ void apply<5, float, char *>(int *, float, char *const *);
template <class T> __global__ void twice(T *p, int) { *p = 6; }
template <class T> __global__ void twice(T *p, T *) { *p = 7; }
template __global__ void twice<int>(int *, int);
template __global__ void twice<int>(int *, int *);
struct kind { struct of { int value; }; };
template <class T> __global__ void nested(int *p, typename T::of) { *p = 8; }
template __global__ void nested<kind>(int *, kind::of);
template <class T, class... More> __global__ void pack(T *p, More...) { *p = 10 + sizeof...(More); }
template __global__ void pack<int, float, char>(int *, float, char);
template __global__ void pack<int>(int *);
namespace { struct hidden {}; __global__ void anonymous(int *p, hidden) { *p = 15; } }
extern "C" __global__ void plain(int *p) { *p = 16; }
template <class F> __global__ void each(F f, int *p) { f(p); }
void launch(int *p) { each<<<1, 1>>>([] __device__(int *q) { *q = 1; }, p); each<<<1, 1>>>([] __device__(int *q) { *q = 2; }, p); }
CUDA
nvidia() { "$r" run -q --module "$dir/nvidia.cu" --clang-flags=-std=c++17 -g 1 -b 1 --arg buf=zeros:8 "${@:2}" --print 0=i32:1 -k "$1" >"$dir/out" 2>"$dir/err"; }
while IFS='|' read -r name number arguments; do
    more=()
    for a in $arguments; do more+=(--arg "$a"); done
    nvidia "$name" "${more[@]}"
    check "--kernel '$name'" grep -qx "  \[0\] $number" "$dir/out"
done <<'NAMES'
void scale<float, (int)4>(T1 *, int, T1)|4|i32=0 f32=0
void scale<float, 4>|4|i32=0 f32=0
void scale<float *, (int)4>(T1 *, int, T1)|4|i32=0 u64=0
void apply<(int)5, float, char *>(int *, T2, const T3 *)|5|f32=0 u64=0
void twice<int>(T1 *, int)|6|i32=0
void twice<int>(T1 *, T1 *)|7|u64=0
void nested<kind>(int *, T1::of)|8|bytes=00000000
void pack<int, float, char>(T1 *, T2...)|12|f32=0 bytes=00
void pack<int>(T1 *, T2...)|10|
<unnamed>::anonymous(int *, <unnamed>::hidden)|15|bytes=00
anonymous(int *, <unnamed>::hidden)|15|bytes=00
plain(int *)|16|
NAMES
for name in 'void each<launch(int *)::[lambda(int *) (instance 1)]>(T1, int *)' 'void each<launch(int*)::{lambda(int*)#2}>(T1, int*)'; do
    nvidia "$name"
    check "a lambda's number is read: '$name'" grep -q 'argument\|parameter' "$dir/err"
done
for name in 'void twice<int>' 'void twice<int>(T2 *, int)' 'void pack<int, float>(T1 *, T2...)' 'void scale<float, (int)4>(T1 *, int, T2)' 'void scale<double, (int)4>(T1 *, int, T1)' \
    'plain<int>(int *)' 'plain(int *' 'void each<launch(int *)::[lambda(int *) (instance 3)]>(T1, int *)' "scale<$(printf '<%.0s' {1..200})" "scale<float>($(printf '(%.0s' {1..200})"; do
    nvidia "$name"
    status=$?
    check "--kernel '${name:0:60}' is refused" eval '[ $status != 0 ] && grep -q "has no kernel\|2 kernels of" "$dir/err"'
done
refused() { # text, kernel
    local text=$1
    named "$2" i32 >"$dir/out"
    check "'$2': ${1/$dir\//}" eval 'grep -qF -- "$text" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ]'
}
refused "2 kernels of $dir/t.cu are called 'gemm'; name one of: gemm<float, 16>, gemm<int, 32>" gemm
refused "2 kernels of $dir/t.cu are called 'copy'; name one of: a::copy, b::copy" copy
refused "has no kernel 'gemn'; did you mean 'gemm'?" gemn
refused "has no kernel 'gemm<float,17>'; did you mean 'gemm<float, 16>'?" 'gemm<float,17>'
refused "has no kernel 'entirely'; it has: gemm<float, 16>, gemm<int, 32>, a::copy, b::copy" entirely
"$r" run -q --module "$dir/t.cu" -g 1 -b 1 --arg buf=zeros:4 2>"$dir/err"
check "none is named: all that there are" grep -qF "has several kernels; name one with --kernel: gemm<float, 16>, gemm<int, 32>, a::copy, b::copy" "$dir/err"

# ---- comma-separated values ------------------------------------------------------------------------------------------
"$r" info --json "$dir/w.wtr" >"$dir/json"
"$r" info --csv "$dir/w.wtr" >"$dir/csv"
check "info --csv says what its JSON says" python3 - "$dir/json" "$dir/csv" <<'PY'
import csv, json, sys
d, rows = json.load(open(sys.argv[1]))['traces'][0], list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(d['launches']) == 1
for i, (row, l) in enumerate(zip(rows, d['launches'])):
    assert row['launch'] == str(i) and row['kernel'] == l['kernel'] and row['outcome'] == l['outcome'], row
    for key in ('warp_instructions', 'thread_instructions', 'compressed_bytes', 'blocks', 'blocks_recorded', 'chunks', 'raw_bytes', 'dynamic_shared_bytes', 'stream', 'device'):
        assert int(row[key]) == l[key], (key, row)
    mix = {k[4:]: int(v) for k, v in row.items() if k.startswith('mix.') and v != '0'}
    assert mix == {k: v['warp_instructions'] for k, v in l['mix'].items()}, mix
PY
check "info --csv --no-mix leaves the mix out" eval '! "$r" info --csv --no-mix "$dir/w.wtr" | grep -q mix'
"$r" wcet -q "$dir/w.wtr" "$dir/t.wtr" -m orin-wcet --check gto,lrr --attack 3 --csv >"$dir/csv"
"$r" wcet -q "$dir/w.wtr" "$dir/t.wtr" -m orin-wcet --check gto,lrr --attack 3 --json >"$dir/json"
check "wcet --check --csv is one table" python3 - "$dir/json" "$dir/csv" <<'PY'
import csv, json, sys
d, rows = json.load(open(sys.argv[1])), list(csv.reader(open(sys.argv[2])))
assert len(rows) == 3 and len({len(r) for r in rows}) == 1, rows
for row, t in zip((dict(zip(rows[0], r)) for r in rows[1:]), d['traces']):
    l = t['launches'][0]
    assert row['trace'] == t['trace']['file'] and row['machine'] == t['machine']['name'] and row['attack.longest'] == str(l['attack']['longest']), row
    assert [row['replay.' + p] for p in ('gto', 'lrr')] == [str(l['replay'][p]) for p in ('gto', 'lrr')], row
    for key in ('launch', 'kernel', 'blocks', 'warp_count', 'warp_instructions', 'gub', 'serial_bound', 'overlap_bound', 'unit_bound', 'exact'):
        assert row[key] == ('' if l[key] is None else str(l[key])), (key, row)
PY

"$r" sweep -q "$dir/t.wtr" -m jetson-tx2 --vary scheduler=gto,lrr --stalls -o "$dir/t.db"
check "a database of a sweep has it" eval 'python3 -c "
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute(\"SELECT DISTINCT kernel FROM launch\").fetchall() == db.execute(\"SELECT DISTINCT name FROM instruction\").fetchall() == [(sys.argv[2],)]" "$dir/t.db" "$plain"'
"$r" record -q -o "$dir/chance.wtr" --module "$BUILD/kernels/vector_add.ptx" --block 64 --grid 1 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg i32=50
"$r" record -q -o "$dir/fault.wtr" --module "$dir/k.cu" --kernel "$long" "${one[@]}" --arg buf=zeros:64 --arg buf=zeros:128 --json >"$dir/out" 2>"$dir/err"
check "a fault in JSON names the kernel as the source does" eval 'grep -qF "\"fault\": \"kernel '"'"'$plain'"'"': out of bounds" "$dir/out" && "$r" info --json "$dir/fault.wtr" | grep -qF "\"fault\": \"kernel '"'"'$plain'"'"'"'
python3 tests/cli/names.py "$r" "$dir" "$plain" "$long"
"$r" wcet -q "$dir/w.wtr" "$dir/t.wtr" -m orin-wcet >"$dir/out"
check "several traces: why some are not exact" grep -q "^Not exact: " "$dir/out"
for c in "info $dir/w.wtr" "dump $dir/w.wtr" "dump --host $dir/w.wtr" "dump --source $dir/w.wtr" "replay -q $dir/w.wtr -m jetson-tx2" "replay --explain" \
    "diff -q $dir/w.wtr -m jetson-tx2 --vary sms=1,2" "wcet -q $dir/w.wtr -m orin-wcet --grid latency=100,200 policy=gto" \
    "machine list" "machine options" "machine show jetson-tx2"; do
    # shellcheck disable=SC2086
    check "'${c/$dir\//}' --csv is a table" eval '"$r" $c --csv | python3 -c "
import csv, sys
rows = list(csv.reader(sys.stdin))
assert len(rows) > ('"'$c'"'.count(\"--host\") == 0) and len({len(r) for r in rows}) == 1 and len(set(rows[0])) == len(rows[0]), rows[:3]"'
    # shellcheck disable=SC2086
    "$r" $c --csv --json >"$dir/out" 2>"$dir/err"
    status=$?
    check "and not with --json" eval '[ $status -eq 1 ] && [ ! -s "$dir/out" ] && grep -q "either --json or --csv" "$dir/err"'
done
"$r" info "$dir/w.wtr" >"$dir/out"
check "info: thousands apart" eval 'grep -qE "[0-9]{1,3},[0-9]{3} warp instructions" "$dir/out" && ! sed "/^trace/d; /^launch/,\$!d" "$dir/out" | grep -qE "(^|[^0-9.])[0-9]{4}"'
"$r" run -q --module "$dir/t.cu" -g 1 -b 1 --arg i32=1 --arg i32=1 -k 'gemm<float,16>' 2>"$dir/err"
check "messages name kernels as the source does" grep -qF "kernel 'gemm<float, 16>' has 1 parameter, but 2 arguments are given" "$dir/err"

"$r" run --module "$dir/k.cu" --kernel simple "${one[@]}" --arg i32=1 --arg bytes=0000000000000000 2>"$dir/err"
check "a message about an argument has the name in the source" grep -qF "parameter 'simple_param_0' of kernel 'simple' has 8" "$dir/err"

# Machine code, too: a function of disassembled text by its name in the source.
sed 's/Function : first/Function : _Z5scaleIfEvPT_S0_/; s/Function : second/Function : _Z5scaleIiEvPT_S0_/' <<<"$("$r" disasm tests/golden/cubin/module.cubin)" >"$dir/two.sass"
check "the text has both functions" test "$(grep -c 'Function : _Z5scale' "$dir/two.sass")" -eq 2
"$r" disasm tests/golden/cubin/module.cubin -k first >"$dir/first.sass" && "$r" asm "$dir/first.sass" -o "$dir/first.bin"
check "asm takes the name in the source" eval '"$r" asm "$dir/two.sass" -k "scale<float>" -o "$dir/k.bin" && cmp "$dir/k.bin" "$dir/first.bin"'
"$r" asm "$dir/two.sass" -k scale -o "$dir/none.bin" 2>"$dir/err"
status=$?
check "and asks which one is meant" eval '[ $status -eq 1 ] && grep -qF "name one of: scale<int>, scale<float>" "$dir/err" && [ ! -e "$dir/none.bin" ]'

# ---- names of files that are no UTF-8 --------------------------------------------------------------------------------
odd=$(printf 'b\xff') root=$PWD
cd "$dir" || exit 1
mv w.wtr "$odd.wtr"
cp "$root/hw-models/machines/tx2-pastis.cfg" "$odd.cfg"
"$r" sweep -q "$odd.wtr" -m "./$odd.cfg" -o "$odd.db"
for c in "info FILE.wtr" "info --registers FILE.wtr" "dump FILE.wtr" "verify FILE.wtr" "replay -q FILE.wtr -m ./FILE.cfg" "replay -q FILE.wtr -m ./FILE.cfg --by line" \
    "diff -q FILE.wtr -m ./FILE.cfg --vary sms=1,2" "ablate -q FILE.wtr -m ./FILE.cfg" "wcet -q FILE.wtr -m orin-wcet" "machine show ./FILE.cfg" \
    "machine diff ./FILE.cfg v100" "results FILE.db" "results FILE.db show 1" \
    "record -q --module FILE.cu -k simple -g 1 -b 32 --arg buf=zeros:128 --arg bytes=0000000000000000 --save 0=FILE.npy:i32 -o r_FILE.wtr" \
    "run -q --module FILE.cu -k simple -g 1 -b 32 --arg buf=zeros:128 --arg bytes=0000000000000000 --expect 0=FILE.npy:i32"; do
    [ "${c#*.cu}" != "$c" ] && cp k.cu "$odd.cu"
    # shellcheck disable=SC2086
    "$r" ${c//FILE/$odd} --json >out 2>err
    status=$?
    check "${c%% --module*}: JSON, with U+FFFD for a byte of a name that is no UTF-8" eval '[ $status -eq 0 ] && [ ! -s err ] && python3 -c "
import json
json.loads(open(\"out\", encoding=\"utf-8\").read())
assert \"b\\ufffd\" in open(\"out\", encoding=\"utf-8\").read() or \"wcet\" in \"$c\""'
done
