#!/bin/bash
# info, dump, verify, and readers that are not ours: protoc, and the Python reader of docs/.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/programs/memory" "$BUILD/programs/synthetic"
status() { # wanted exit status, command...
    local wanted=$1
    shift
    "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    [ $got -eq "$wanted" ] || { echo "exit status $got, wanted $wanted: $*"; cat "$dir/err"; return 1; }
}
json() { python3 -c "import json,sys; d=json.load(open('$dir/info')); d=d.get('traces', [d])[0]; $1"; }

for seed in 1 6 9 23 29; do
    t=$dir/$seed.wtr
    "$BUILD/programs/synthetic" $seed "$t" || { echo "not ok - synthetic trace $seed"; continue; }
    "$REPRISE" info --json "$t" >"$dir/info"
    check "trace $seed: the Python reader counts what info says" diff <(python3 docs/read_trace.py "$t") \
        <(json '[print(i, l["kernel"], l["warp_instructions"], l["thread_instructions"]) for i, l in enumerate(d["launches"])]')
    check "trace $seed: protoc prints it, chunk for chunk" diff \
        <(zstd -dcq "$t" | protoc --decode=reprise.Trace tracefmt/trace.proto | grep -c '^chunk {') \
        <(json 'print(sum(l["chunks"] for l in d["launches"]))')
    check "trace $seed: the mix adds up" json 'assert all(sum(m[k] for m in l["mix"].values()) == l[k] for l in d["launches"] for k in ("warp_instructions","thread_instructions"))'
    check "trace $seed: verify" status 0 "$REPRISE" verify "$t"
    # every warp dumped, a line per instruction
    lines=0
    for l in $(json 'print(*range(len(d["launches"])))'); do
        read -r blocks warps <<<"$(json "l=d['launches'][$l]; g=l['grid']; b=l['block']; print(g[0]*g[1]*g[2], (b[0]*b[1]*b[2]+31)//32)")"
        for ((b = 0; b < blocks; b++)); do for ((w = 0; w < warps; w++)); do
            lines=$((lines + $("$REPRISE" dump "$t" --launch "$l" --block "$b" --warp "$w" | grep -cE "^[0-9a-f]{6}  ")))
        done; done
    done
    check "trace $seed: dump prints each warp instruction once" [ "$lines" -eq "$(json 'print(d["total"]["warp_instructions"])')" ]
done

# Traces of the first version, as it wrote them: readable for ever.
check "traces of earlier versions: read, verified, dumped and replayed to the same figures" \
    python3 tests/golden/trace/check.py "$REPRISE" tests/golden/trace/figures.json tests/golden/trace/*.wtr

t=$dir/29.wtr
check "info prints text" status 0 "$REPRISE" info "$t"
check "info says what made the trace" grep -q '^made by   synthetic' "$dir/out"
check "dump --limit" status 0 "$REPRISE" dump "$t" --limit 5
check "five instructions and a heading" [ "$(grep -cv "^ " "$dir/out")" -eq 6 ]
check "dump --source" status 0 "$REPRISE" dump --source --limit 1 tests/golden/trace/chain.wtr
check "places in the source" grep -q 'matmul.ptx:28$' "$dir/out"
check "dump takes coordinates" diff <("$REPRISE" dump "$t" --launch 1 --block 1,1) \
    <("$REPRISE" info --json --no-mix "$t" >"$dir/info"; "$REPRISE" dump "$t" --launch 1 --block "$(json 'print(1 + d["launches"][1]["grid"][0])')")
check "... also as tables print them" diff <("$REPRISE" dump "$t" --launch 1 --block 1,1) <("$REPRISE" dump "$t" --launch 1 --block 1x1)
"$REPRISE" dump "$t" --launch 1 --block 1,1 >"$dir/text"
"$REPRISE" dump "$t" --launch 1 --block 1,1 --json >"$dir/info"
# The text's addresses worked out from their notation, against the JSON's.
cat >"$dir/dump.py" <<'PY'
import json, re, sys
d = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
assert all(len(line) <= 120 for line in text.splitlines())
text = re.sub(r'\n {26}', ' ', text.replace(',\n' + 26 * ' ', ',')) # lines that go on
lines = text.splitlines()[1:]
assert d['error'] is None and d['launch'] == 1 and d['warp'] == 0 and len(lines) == len(d['instructions']) > 0
lists = 0
for line, step in zip(lines, d['instructions']):
    pc, active, executed, rest = re.match('([0-9a-f]+)  ([0-9a-f]{8}) ([0-9a-f]{8})  (.*)', line).groups()
    assert (int(pc, 16), int(active, 16), int(executed, 16)) == (step['pc'], step['active'], step['executed']), line
    assert rest.startswith(step['text']), line
    words = rest[len(step['text']):].split()
    if 'aux' in step:
        assert words.pop() == 'aux=' + step['aux'], line
    assert len(words) == len(step['accesses']), line
    lanes = [n for n in range(32) if step['executed'] >> n & 1]
    for word, access in zip(words, step['accesses']):
        space, text = word.split(':')
        assert space == access['space'] and access['width'] > 0
        shown = [int(a, 16) for a in access['addresses']]
        assert 0 < len(shown) <= len(lanes)
        lists += 1
        base, stride = re.match('(0x[0-9a-f]+)(?:([+-][0-9]+)[*]lane)?$', text.split(',')[0]).groups()
        if ',' in text:
            assert [int(a, 16) for a in text.split(',')] == shown, line
        elif stride is None:
            assert set(shown) == {int(base, 16)}, line
        else:
            assert [int(base, 16) + int(stride) * (n - lanes[0]) for n in lanes] == shown, line
assert lists
PY
check "dump --json says what the text says" python3 "$dir/dump.py" "$dir/info" "$dir/text"
"$REPRISE" dump "$t" --launch 1 --block 1,1 --csv >"$dir/csv"
check "dump --csv, too" python3 - "$dir/info" "$dir/csv" <<'PY'
import csv, json, sys
d, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(d['instructions'])
for row, step in zip(rows, d['instructions']):
    assert all(row[k] == str(step[k]) for k in ('pc', 'active', 'executed', 'text')) and None not in row, row
    assert row['aux'].split(',')[0] == step.get('aux', ''), row
    assert [w.split(':')[0] for w in row['addresses'].split()] == [a['space'] for a in step['accesses']], row
PY
"$REPRISE" dump "$t" --limit 5 --json >"$dir/info"
check "dump --json --limit" json 'assert len(d["instructions"]) == 5'
for wrong in "--block 99999" "--block 0,0,7" "--block x" "--block 1x" "--block 1x1x1x1" "--block 0x0x9" "--block 1,2,3,4" "--warp 32" "--launch 9" "--nonsense" "--limit -1"; do
    # shellcheck disable=SC2086
    check "dump $wrong is wrong usage" status 1 "$REPRISE" dump "$t" $wrong
done
for command in "info $t" "info --json $t" "dump $t" "dump --json $t" "verify $t" "verify --json $t" "machine list" "machine list --json" --help --version; do
    check "${command%% *}: output that cannot be written is an error" status 4 bash -c "'$REPRISE' $command >/dev/full"
done
for command in info dump verify; do
    check "$command --help has an example" bash -c "'$REPRISE' $command --help | grep -q 'reprise $command mm.wtr\|reprise $command --json mm.wtr'"
    check "$command without a trace is wrong usage" status 1 "$REPRISE" $command
    check "$command of a file that is not there" status 2 "$REPRISE" $command "$dir/none.wtr"
    check "one line that names it" [ "$(grep -c 'none.wtr' "$dir/err")" -eq 1 ]
    check "$command of another file" status 2 "$REPRISE" $command tests/run
done

h=$dir/host.wtr
"$BUILD/programs/memory" host 5 "$h"
check "a trace with streams and host operations is whole" status 0 "$REPRISE" verify "$h"
check "info counts what the host did" status 0 "$REPRISE" info "$h"
check "... by kind, with bytes" grep -q '^          copy  *5  *320$' "$dir/out"
check "... and says what launches wait for" grep -q '^          stream 1, after launch 2$' "$dir/out"
check "... and modules" grep -q '^module 0  m.ptx (ptx, sm_75)$' "$dir/out"
"$REPRISE" info --json "$h" >"$dir/info"
check "info --json: streams, dependencies, modules, the host" json '
assert [(l["stream"], l["depends_on"]) for l in d["launches"]] == [(0, []), (1, []), (2, [0]), (0, [1]), (1, [2])]
assert d["host"] == {"allocate": {"count": 5, "bytes": 330}, "copy": {"count": 5, "bytes": 320}}
assert [m["target"] for m in d["modules"]] == ["sm_75"]'
check "dump --host lists what the host did" status 0 "$REPRISE" dump --host "$h"
check "... in order" [ "$(sed -n 5p "$dir/out")" = "1        1        copy               to-device 0x2000 from 0x0 64 bytes" ]
"$REPRISE" dump --host --json "$h" >"$dir/info"
check "dump --host --json" json '
o = d["host_operations"]
assert [x["launches_before"] for x in o] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
assert o[2]["kind"] == "allocate" and o[2]["address"] == "0x2000" and o[2]["bytes"] == 65 and o[3]["direction"] == "to-device"'

size=$(stat -c %s "$t")
head -c $((size - 20)) "$t" >"$dir/cut.wtr"
ln -s nowhere "$dir/link.wtr"
for command in "info" "replay -m orin" "diff -m orin --vary sms=1,2" "dump" "ablate -m orin"; do
    # shellcheck disable=SC2086
    check "$command: a link to nothing is not taken for a misspelt name" eval 'status 2 "$REPRISE" $command "$dir/link.wtr" && grep -q "link.wtr is a link to a file that does not exist" "$dir/err"'
    # shellcheck disable=SC2086
    check "$command: standard input is no trace" eval 'status 1 "$REPRISE" $command - && grep -q "standard input is not read here; name a file" "$dir/err"'
done
for form in --json --csv ""; do
    for command in "info" "replay -m orin" "diff -m orin --vary sms=1,2"; do
        # shellcheck disable=SC2086
        check "$command ${form:-as text}: of several traces one is missing, and nothing is printed" eval 'status 2 "$REPRISE" $command "$t" "$dir/none.wtr" $form && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ]'
    done
done
check "verify of several: one damaged, in whichever place" status 2 "$REPRISE" verify "$dir/cut.wtr" "$t"
check "... the whole one is read, too" grep -q '^.*/29.wtr: whole' "$dir/out"
check "verify of several: the damaged one last" status 2 "$REPRISE" verify "$t" "$dir/cut.wtr"
check "verify of a cut trace" status 2 "$REPRISE" verify "$dir/cut.wtr"
check "info of a cut trace" status 5 "$REPRISE" info "$dir/cut.wtr"
check "says what is wrong" grep -q 'warning:.*index' "$dir/err"
status 2 "$REPRISE" verify --json "$t" "$dir/cut.wtr" "$dir/none.wtr" # damage alone on stderr
check "verify --json: status and messages as without" [ "$(grep -c 'cut.wtr\|none.wtr' "$dir/err")" -eq 2 ]
cp "$dir/out" "$dir/verified"
"$REPRISE" info --json "$t" >"$dir/info"
check "verify --json counts what info counts" python3 -c '
import json, sys
traces, info = json.load(open(sys.argv[1]))["traces"], json.load(open(sys.argv[2]))["traces"][0]
whole, cut, none = traces
assert whole["whole"] and whole["trace"]["file"] == info["trace"]["file"] and whole["bytes"] == info["trace"]["bytes"]
assert whole["blocks"] == info["total"]["blocks_recorded"]
assert whole["kernels"] == len(info["kernels"]) and whole["launches"] == len(info["launches"])
assert not cut["whole"] and "cut.wtr" in cut["error"] and not none["whole"] and "none.wtr" in none["error"]
' "$dir/verified" "$dir/info"
check "verify --json --quiet leaves out what is whole" eval '"$REPRISE" verify --json --quiet "$t" | tr -d " \n" | grep -qF "\"traces\":[]}"'

# barrier objects: each operation is told, a loop that polls is one wait, and replay in both engines waits for the copy
cat >"$dir/bulk.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in) {
.shared .align 8 .b64 obj; .shared .align 16 .b8 data[256];
.reg .b64 %a; .reg .b32 %i, %v; .reg .pred %p, %f;
ld.param.u64 %a, [in]; mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0;
@%f mbarrier.init.shared.b64 [obj], 1; bar.sync 0;
@%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 256;
@%f cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a], 256, [obj];
W: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0;
@!%p bra W;
ld.shared.u32 %v, [data]; ret; }
EOF
b=$dir/bulk.wtr
check "record a bulk copy" status 0 "$REPRISE" record -o "$b" -M "$dir/bulk.ptx" -g 2 -b 64 -a buf=zeros:256
check "verify it" status 0 "$REPRISE" verify "$b"
"$REPRISE" dump --json --warp 1 "$b" >"$dir/info"
check "dump --json: one wait for phase 0 per warp" json '
o = [a for s in d["instructions"] for a in s.get("accesses", []) if "operation" in a]
assert [(a["operation"], a["waits"], a["phase"]) for a in o] == [("test", True, 0)], o'
"$REPRISE" dump --json "$b" >"$dir/info"
check "dump --json: what is done with the object" json '
o = [a for s in d["instructions"] for a in s.get("accesses", []) if "operation" in a]
assert [(a["operation"], a["arrivals"], a["transaction_bytes"]) for a in o] == [
    ("init", 1, 0), ("arrive", 1, 256), ("bytes", 0, -256), ("test", 0, 0)], o'
"$REPRISE" dump "$b" >"$dir/out"
check "... and as text" grep -q 'phase=0 bytes=+0 init=1' "$dir/out"
"$REPRISE" replay --json --engine reference --machine orin-wcet "$b" >"$dir/slow"
"$REPRISE" replay --json --machine orin-wcet "$b" >"$dir/fast"
check "both engines: the same cycles, and warps wait" python3 -c '
import json, sys
a, b = (json.load(open(f))["traces"][0] for f in sys.argv[1:])
assert a["launches"] == b["launches"] and a["total"]["issue"]["stall"]["async"] > 100, a["total"]["issue"]
' "$dir/slow" "$dir/fast"
# a cluster of two blocks: each loads what the other stored, and tells its object
cat >"$dir/pair.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
.shared .align 8 .b64 obj; .shared .align 4 .b8 data[256];
.reg .b64 %o, %t; .reg .b32 %i, %r, %s, %d, %m, %v; .reg .pred %p, %f;
ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %r, %cluster_ctarank; setp.eq.u32 %f, %i, 0;
@%f mbarrier.init.shared.b64 [obj], 1; mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s; mad.lo.u32 %v, %r, 1000, %i;
st.shared.u32 [%s], %v; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
xor.b32 %r, %r, 1; mapa.shared::cluster.u32 %d, %s, %r; ld.shared::cluster.u32 %v, [%d];
mov.u32 %m, obj; mapa.shared::cluster.u32 %m, %m, %r; @%f mbarrier.arrive.shared::cluster.b64 _, [%m];
W: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @!%p bra W;
mov.u32 %r, %ctaid.x; mad.lo.u32 %i, %r, 64, %i; mul.wide.u32 %t, %i, 4; add.u64 %o, %o, %t; st.global.u32 [%o], %v;
barrier.cluster.arrive; barrier.cluster.wait; ret; }
EOF
c=$dir/pair.wtr
cat >"$dir/pair.cfg" <<'EOF'
module = "pair.ptx"; buffers = { O = "zeros:1024"; };
launches = ( { grid = 4; block = 64; cluster = [2]; args = ("buf=O"); } );
EOF
check "record clusters of two" status 0 "$REPRISE" record -o "$c" -M "$dir/pair.ptx" -g 4 -b 64 --cluster 2 -a buf=zeros:1024 --save "0=$dir/pair.out:u32"
check "each block has what the other stored" python3 -c '
import sys
v = [int(x) for x in open(sys.argv[1]).read().split()]
assert v == [1000 * (b % 2 == 0) + t for b in range(4) for t in range(64)], v' "$dir/pair.out"
check "verify them" status 0 "$REPRISE" verify "$c"
"$REPRISE" info --json "$c" >"$dir/info"
check "info --json: clusters" json 'assert d["launches"][0]["cluster"] == [2, 1, 1], d["launches"]'
"$REPRISE" info "$c" >"$dir/out"
check "... and as text" grep -q 'grid 4, in clusters of 2, block 64, ' "$dir/out"
check "... not of blocks alone" sh -c '! "$0" info "$1" | grep -q clusters' "$REPRISE" "$b"
"$REPRISE" dump --json --warp 1 "$c" >"$dir/info"
check "warps wait for an object that another block changes" json '
o = [a for s in d["instructions"] for a in s.get("accesses", []) if "operation" in a]
assert [(a["operation"], a["waits"], a["phase"]) for a in o] == [("test", True, 0)], o'
check "the same from a launch file" status 0 "$REPRISE" record -o "$c.2" -f "$dir/pair.cfg"
for e in fast reference; do
    "$REPRISE" replay --json --engine $e --machine h100 "$c" >"$dir/$e"
    "$REPRISE" replay --json --engine $e --machine h100 --set spaces.shared-cluster.latency=1000 "$c" >"$dir/$e.late"
done
check "both engines: the same cycles; the latency of the cluster's memory counts" python3 -c '
import json, sys
a, b, c, d = (json.load(open(f))["traces"][0]["launches"] for f in sys.argv[1:])
assert a == b and c == d and c[0]["cycles"] > a[0]["cycles"] + 500, (a[0]["cycles"], c[0]["cycles"])
' "$dir/fast" "$dir/reference" "$dir/fast.late" "$dir/reference.late"
check "a cluster that fits nowhere" status 2 "$REPRISE" replay --machine h100 --set gpcs=1 --set sms=1 --set limits.blocks=1 "$c"
check "... is told in one line" [ "$(grep -c "a cluster of 2 blocks does not fit on h100: 1 SMs (sms, gpcs) hold 1 of its blocks each" "$dir/err") $(wc -l <"$dir/err")" = "1 1" ]
check "wcet refuses clusters" status 2 "$REPRISE" wcet --machine orin-wcet "$c"
check "... by name" grep -q 'kernel k: its blocks run in clusters' "$dir/err"
check "Accel-Sim gets blocks alone" status 0 "$REPRISE" export accelsim "$c" -o "$dir/accelsim"
check "... and export says so" grep -q '1 launch is in clusters' "$dir/err"
# one block of two fetches for both, and each waits for its own object
cat >"$dir/both.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqnctapercluster 2 {
.shared .align 128 .b8 data[256]; .shared .align 8 .b64 obj;
.reg .b64 %a, %t; .reg .b32 %i, %v, %r; .reg .b16 %m; .reg .pred %p, %f, %leads;
ld.param.u64 %a, [in]; mov.u32 %i, %tid.x; mov.u32 %r, %cluster_ctarank; setp.eq.u32 %f, %i, 0;
@%f mbarrier.init.shared.b64 [obj], 1; @%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 256;
barrier.cluster.arrive; barrier.cluster.wait; setp.eq.and.u32 %leads, %r, 1, %f; mov.u16 %m, 3;
@%leads cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [%a], 256, [obj], %m;
W: mbarrier.try_wait.parity.shared.b64 %p, [obj], 0; @!%p bra W;
mov.u32 %v, data; mad.lo.u32 %v, %i, 4, %v; ld.shared.u32 %v, [%v]; ld.param.u64 %a, [out]; mov.u32 %r, %ctaid.x;
mad.lo.u32 %i, %r, 64, %i; mul.wide.u32 %t, %i, 4; add.u64 %a, %a, %t; st.global.u32 [%a], %v;
barrier.cluster.arrive; barrier.cluster.wait; ret; }
EOF
m=$dir/both.wtr
check "record a copy to both blocks" status 0 "$REPRISE" record -o "$m" -M "$dir/both.ptx" -g 4 -b 64 -a buf=iota-i32:64 -a buf=zeros:1024 --save "0=$dir/both.in:u32" --save "1=$dir/both.out:u32"
check "each has what was fetched" python3 -c '
import sys
a, b = ([int(x) for x in open(f).read().split()] for f in sys.argv[1:])
assert b == 4 * a and any(a), b' "$dir/both.in" "$dir/both.out"
"$REPRISE" dump --json --block 1 "$m" >"$dir/info"
check "dump --json: to which blocks" json '
o = [a for s in d["instructions"] for a in s.get("accesses", []) if "blocks" in a]
assert [(a["bytes"], a["blocks"]) for a in o] == [(256, "0x3")], o'
for e in fast reference; do "$REPRISE" replay --json --engine $e --machine h100 "$m" >"$dir/$e"; done
check "both engines: the same cycles" python3 -c '
import json, sys
a, b = (json.load(open(f))["traces"][0]["launches"] for f in sys.argv[1:])
assert a == b' "$dir/fast" "$dir/reference"
check "a grid that is no whole number of clusters" status 1 "$REPRISE" run -M "$dir/pair.ptx" -g 3 -b 64 --cluster 2 -a buf=zeros:1024
check "wcet refuses it by instruction" status 2 "$REPRISE" wcet --machine orin-wcet "$b"
check "... and names it" grep -q 'instruction 3 .*mbarrier.init.*:8: ' "$dir/err"
