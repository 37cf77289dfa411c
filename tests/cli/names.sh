#!/bin/bash
# Names and widths: C++ names as in the source for people, whole for programs; no table is wider than 120 columns.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
r=$REPRISE
check() { # what, command...
    local what=$1
    shift
    if "$@" >&2; then echo "ok - $what"; else echo "not ok - $what"; fi
}
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
check "info, too" grep -qF " $plain (ptx" "$dir/out"
check "with the name in the module" grep -qx " *$long" "$dir/out"
check "JSON has the whole name" eval '"$r" info --json "$dir/t.wtr" | grep -qF "\"name\": \"$long\"" && "$r" replay --json "$dir/t.wtr" -m jetson-tx2 | grep -qF "\"kernel\": \"$long\""'
check "CSV, too" eval '"$r" replay --csv "$dir/t.wtr" -m jetson-tx2 | grep -qF "$long"'
wide() { LC_ALL=C.UTF-8 awk 'length > 120' "$1" | grep -q .; }
for c in "replay -m jetson-tx2" "diff -m jetson-tx2 --vary scheduler=gto,lrr --vary l1_subcores=1,3" \
    "wcet -m orin-wcet --check gto,lrr,oldest,two-level,random --attack 5 --assume all" "machine list"; do
    # shellcheck disable=SC2086
    "$r" ${c%% *} $([ "$c" = "machine list" ] && echo list || echo "$dir/t.wtr") $([ "$c" = "machine list" ] || echo "${c#* }") >"$dir/out" 2>"$dir/err"
    status=$?
    check "no line of '$c' has more than 120 columns" eval '[ $status -eq 0 ] && [ -s "$dir/out" ] && ! wide "$dir/out"'
done
check "a name that is cut says so" eval '"$r" diff "$dir/t.wtr" -m jetson-tx2 --vary scheduler=gto,lrr --vary l1_subcores=1,2 | grep -q "^ *0  of_some_length.*\.\.\.  gto"'
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
d = json.load(open(sys.argv[1] + '/json'))
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
one, two = json.load(open('$dir/json')), json.load(open('$dir/two'))['traces']
assert len(two) == 2 and two[0]['launches'][0]['unit_bound'] == one['launches'][0]['unit_bound'] and two[1]['trace']['file'].endswith('t.wtr')"
"$r" wcet -q "$dir/none" "$dir/w.wtr" -m orin-wcet >"$dir/out" 2>"$dir/err"
status=$?
check "one that cannot be read ends it" eval '[ $status -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ]'
check "--csv" test "$("$r" wcet -q --csv "$dir/w.wtr" -m orin-wcet | python3 -c 'import csv, sys; print(*[r["unit-aware"] for r in csv.DictReader(sys.stdin)])')" = \
    "$(python3 -c "import json; print(json.load(open('$dir/json'))['launches'][0]['unit_bound'])")"

# ---- one block of a larger launch ----------------------------------------------------------------------------------
add=(--module "$BUILD/kernels/vector_add.ptx" --block 256 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg buf=zeros:4000 --arg i32=800)
"$r" record -q -o "$dir/four.wtr" "${add[@]}" --grid 4
"$r" record -q -o "$dir/first.wtr" "${add[@]}" --grid 1
bounds() { "$r" wcet -q --json -m orin-wcet "$@" | python3 -c '
import json, sys
l = json.load(sys.stdin)["launches"][0]
print(l["blocks"], l["gub"], l["serial_bound"], l["overlap_bound"], l["warp_instructions"])'; }
check "a block of four has the bounds that it has alone" eval '[ "$(bounds "$dir/four.wtr" --block 0)" = "$(bounds "$dir/first.wtr" --exhaust 0)" ] && [ "$(bounds "$dir/four.wtr" -b 2)" = "$(bounds "$dir/first.wtr" --exhaust 0)" ]'
check "the last one, which does less, has its own" eval '[ "$(bounds "$dir/four.wtr" --block 3)" != "$(bounds "$dir/four.wtr" --block 0)" ]'
"$r" wcet -q "$dir/four.wtr" -m orin-wcet --block 4 >"$dir/out" 2>"$dir/err"
status=$?
check "there is no fifth" eval '[ $status -eq 1 ] && grep -q "launch 0 has no block 4; it has 4" "$dir/err"'
"$r" wcet -q "$dir/four.wtr" -m orin-wcet --block 1 --check gto >"$dir/out" 2>"$dir/err"
status=$?
check "and no replay of one" eval '[ $status -eq 1 ] && grep -q "goes with neither" "$dir/err"'
