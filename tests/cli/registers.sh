#!/bin/bash
# reprise info --registers and --san: static counts, paths of warps, time; text, CSV and JSON say the same.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels/reduce.ptx"
"$r" record -q -o "$dir/t.wtr" --module "$BUILD/kernels/reduce.ptx" -k reduce_tree --grid 6 --block 128 --arg buf=rand-f32:3K:seed=1 \
    --arg buf=zeros:4K --arg i32=768
m="--machine jetson-tx2"
"$r" info "$dir/t.wtr" --registers >"$dir/text"
"$r" info "$dir/t.wtr" --registers $m >"$dir/time"
"$r" info "$dir/t.wtr" --registers --csv >"$dir/csv"
"$r" info "$dir/t.wtr" --registers --json $m >"$dir/json"
"$r" info "$dir/t.wtr" --registers --csv $m >"$dir/changes"
"$r" info "$dir/t.wtr" --san --json >"$dir/san"
"$r" info "$dir/t.wtr" --san >"$dir/san.text"
"$r" info "$dir/t.wtr" --json >"$dir/info"
"$r" replay "$dir/t.wtr" $m --json >"$dir/replay"
check "registers and ids: text, CSV, JSON and a replay agree" python3 - "$dir" <<'PY'
import csv, json, sys
d = sys.argv[1]
live, san, info, replay = (json.load(open(f"{d}/{n}")) for n in ("json", "san", "info", "replay"))
info, replay = info["traces"][0], replay["traces"][0]
kernel, launch, time = live["kernels"][0], live["launches"][0], live["time"]
rows = list(csv.DictReader(open(f"{d}/csv")))
assert kernel["virtual"] and len(rows) == len(kernel["instructions"]) == info["kernels"][0]["instructions"]
after = 0
for row, i in zip(rows, kernel["instructions"]):
    assert [row[k] for k in ("live", "change", "after", "predicates")] == [str(i[k]) for k in ("live", "change", "after", "predicates")]
    assert i["change"] == i["after"] - after and i["live"] >= i["after"]
    after = i["after"]
assert kernel["peak"]["registers"] == max(i["live"] for i in kernel["instructions"])
assert launch["warp_instructions"] == info["launches"][0]["warp_instructions"]
text = open(f"{d}/text").read()
assert f"peak    {kernel['peak']['registers']} virtual registers" in text and f"mean    {launch['mean']:.2f} over warp" in text

# ids: every warp's list has one for each instruction but the plain exit, two for an atomic; changes begin and end at none
warps = sum(w["warps"] for w in san["launches"][0]["warps"])
assert warps == launch["warps"], warps
mix = {k: v["warp_instructions"] for k, v in info["launches"][0]["mix"].items()}
count = [0] * 7
for w in san["launches"][0]["warps"]:
    assert len(w["ids"]) == len(w["registers"]) and sum(w["registers"]) == 0, sum(w["registers"])
    for i in w["ids"]:
        count[i] += w["warps"]
assert count[6] == mix.get("barrier", 0), (count, mix)
assert sum(count) == launch["warp_instructions"] - warps, "one exit a warp is left out"
assert count[5] == sum(n for c, n in mix.items() if c.startswith("fp") or c == "sfu"), (count, mix)

# time: the changes end at none; their integral and peak are those that are told
now, peak, last, area = {}, {}, 0, 0
for c in csv.DictReader(open(f"{d}/changes")):
    cycle, place, n = int(c["cycle"]), (c["sm"], c["subcore"]), int(c["registers"])
    assert cycle >= last
    area += (cycle - last) * sum(now.values())
    last, now[place] = cycle, n
    peak["sub-core"] = max(peak.get("sub-core", 0), n)
assert not any(now.values()) and peak["sub-core"] == time["subcore"]["peak"]
cycles = replay["total"]["cycles"]
assert time["cycles"] == cycles and last <= cycles + 1
options = replay["machine"]["options"]
assert abs(area / cycles / options["sms"] - time["sm"]["mean"]) < 1e-5, (area / cycles / options["sms"], time["sm"])
assert abs(time["sm"]["mean"] / options["subcores"] - time["subcore"]["mean"]) < 1e-5
assert time["warp"]["peak"] == launch["peak"] and time["sm"]["peak"] >= time["subcore"]["peak"] >= time["warp"]["peak"]
PY
"$r" info "$dir/t.wtr" --registers --machine san-rtx2080 --json >"$dir/even.json"
"$r" info "$dir/t.wtr" --registers --machine san-rtx2080 --csv >"$dir/even.csv"
check "time: 24 warps that are dealt one by one are on 24 processors" python3 - "$dir" <<'PY'
import csv, json, sys
time = json.load(open(f"{sys.argv[1]}/even.json"))["time"]
places = {(c["sm"], c["subcore"]) for c in csv.DictReader(open(f"{sys.argv[1]}/even.csv"))}
assert len(places) == 24 and len({sm for sm, _ in places}) == 6, places
assert time["subcore"]["peak"] == time["warp"]["peak"] < time["sm"]["peak"] <= 4 * time["warp"]["peak"], time
PY
check "time: the table has a warp's, a sub-core's and an SM's" grep -qE '^sub-core +[0-9]+' "$dir/time"
check "ids as text: one row for warps that did the same" grep -qE '^block 0, warp 2: 2 warps$' "$dir/san.text"

says() { # status, text, arguments...
    local status=$1 text=$2
    shift 2
    "$r" info "$@" >"$dir/out" 2>"$dir/err"
    if [ $? -eq "$status" ] && grep -qF -- "$text" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ]; then
        echo "ok - says: $text"
    else
        echo "not ok - says: $text"
        cat "$dir/err" >&2
    fi
}
says 1 "ask for one at a time" "$dir/t.wtr" --registers --san
says 1 "--machine goes with --registers" "$dir/t.wtr" --machine jetson-tx2
says 1 "the trace has 1 launch" "$dir/t.wtr" --registers --launch 1
says 1 "--launch goes with" "$dir/t.wtr" --launch 0
says 1 "name it with --machine" "$dir/t.wtr" --registers --set sms=1
says 1 "unknown machine" "$dir/t.wtr" --registers --machine nowhere
says 1 "--san prints text" "$dir/t.wtr" --san --csv
says 2 "does not tell its live registers" tests/golden/trace/chain.wtr --registers
check "ids of a trace that does not tell its registers" eval '"$r" info tests/golden/trace/chain.wtr --san --json | grep -q "\"registers\": null"'

# ---- PTX whose values do not fit: as many registers as lets the block fit --------------------------------------------
python3 - "$dir" <<'PY'
import sys
N = 200
def module(name, directives):
    loads = "\n".join(f"ld.volatile.global.f32 %f{i}, [%rd2+{128 * i}];" for i in range(N))
    stores = "\n".join(f"st.volatile.global.f32 [%rd2+{128 * i}], %f{i};" for i in range(N))
    open(f"{sys.argv[1]}/{name}.ptx", "w").write(f""".version 7.0
.target sm_70
.address_size 64
.visible .entry many(.param .u64 p) {directives} {{
.reg .f32 %f<{N}>; .reg .u64 %rd<4>;
ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;
{loads}
{stores}
ret; }}
""")
module("free", "")
module("bound", ".maxntid 512, 1, 1")
module("two", ".maxntid 256, 1, 1 .minnctapersm 2")
module("never", ".maxntid 1024, 1, 1 .minnctapersm 3")
module("nine", ".reqntid 288")
PY
estimated() { # module, threads: the kernel's registers, and the exit status of a replay
    "$r" record -q -o "$dir/many.wtr" --module "$dir/$1.ptx" --grid 1 --block "$2" --arg buf=zeros:32K
    "$r" replay -q "$dir/many.wtr" -m a100 >/dev/null
    echo "$("$r" info "$dir/many.wtr" --json | python3 -c 'import json,sys; print(*[k["registers"] for k in json.load(sys.stdin)["traces"][0]["kernels"]])') $?"
}
is "a small block has all it needs" "$(estimated free 64)" "204 0"
is "1,024 threads fit" "$(estimated free 1024)" "64 0"
is "288 threads are 12 warps to the SM" "$(estimated free 288)" "168 0"
is ".maxntid" "$(estimated bound 64)" "128 0"
is ".minnctapersm" "$(estimated two 64)" "128 0"
is ".minnctapersm of more blocks than an SM holds" "$(estimated never 64)" "64 0"
is ".reqntid" "$(estimated nine 288)" "168 0"
cat >"$dir/many.cfg" <<'CFG'
buffers = { A = "zeros:32K"; };
launches = (
    { grid = 1; block = 64; args = ( "buf=A" ); }, { grid = 1; block = 1024; args = ( "buf=A" ); },
    { grid = 1; block = 64; args = ( "buf=A" ); }
);
CFG
"$r" record -q -o "$dir/many.wtr" --launch-file "$dir/many.cfg" --module "$dir/free.ptx"
is "what fitted a large block stays" "$("$r" info "$dir/many.wtr" --json | python3 -c 'import json,sys
d = json.load(sys.stdin)["traces"][0]
print(*[k["registers"] for k in d["kernels"]], *[l["kernel"] for l in d["launches"]])')" "204 64 many many many"
check "each launch is replayed" "$r" replay -q "$dir/many.wtr" -m a100
check "and the trace is whole" "$r" verify "$dir/many.wtr"
