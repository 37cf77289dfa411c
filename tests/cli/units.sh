#!/bin/bash
# reprise replay --by unit: shares add up, agree with the statistics, by instruction and in both engines.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels/gemm.ptx" "$BUILD/kernels/reduce.ptx" "$BUILD/kernels/vector_add.ptx"
"$r" record -q -o "$dir/gemm.wtr" --module "$BUILD/kernels/gemm.ptx" -k gemm_unrolled --grid 4x4 --block 8x8 --arg buf=rand-i32:4K:seed=1 \
    --arg buf=rand-i32:4K:seed=2 --arg buf=zeros:8K
"$r" record -q -o "$dir/reduce.wtr" --module "$BUILD/kernels/reduce.ptx" -k reduce_tree --grid 6 --block 128 --arg buf=rand-f32:3K:seed=1 \
    --arg buf=zeros:4K --arg i32=768
# What a launch reads is in the L2 of rtx2060 behind the copies of the host, and nothing of it in L1.
"$r" record -q -o "$dir/add.wtr" --module "$BUILD/kernels/vector_add.ptx" --grid 4 --block 128 --arg buf=iota-i32:512 --arg buf=iota-i32:512 \
    --arg buf=zeros:2K --arg i32=512
"$r" replay -q "$dir/add.wtr" -m rtx2060 --by unit --json >"$dir/add.json"
# Chains of loads that Accel-Sim's RTX 2060 finds in one level each.
for level in l1hit_dep_1w l2hit_lo_1w dram_dep_1lane; do
    "$r" import accelsim -q "tests/golden/accelsim/m_ldg_$level/kernelslist.g" -o "$dir/chain.wtr"
    for e in fast reference; do
        "$r" replay -q "$dir/chain.wtr" -m rtx2060-accelsim --by unit --json --engine $e >"$dir/$level.$e.json"
    done
done
# Accesses whose guard is off in all lanes of some warps or of all, and others; 15 processors have them unevenly.
cat >"$dir/off.ptx" <<'PTX'
.version 7.5
.target sm_80
.address_size 64
.shared .align 4 .b8 word[4];
.visible .entry off(.param .u64 p)
{
    .reg .u64 a; .reg .u32 r, t, s; .reg .pred none, some;
    ld.param.u64 a, [p];
    mov.u32 t, %tid.x;
    mov.u32 s, word;
    setp.ne.u32 none, 0, 0;
    setp.lt.u32 some, t, 16;
    @none ld.global.u32 r, [a];
    @none st.shared.u32 [s], t;
    @some atom.global.add.u32 r, [a], 1;
    @some cp.async.ca.shared.global [s], [a], 4;
    cp.async.wait_all;
    bar.sync 0;
    ld.global.u32 r, [a];
    ret;
}
PTX
"$r" record -q -o "$dir/off.wtr" --module "$dir/off.ptx" --grid 16 --block 64 --arg buf=zeros:128
for m in san-gtx480 san-rtx2080; do
    "$r" replay -q "$dir/off.wtr" -m $m --by unit --json >"$dir/off.$m.json"
    "$r" replay -q "$dir/off.wtr" -m $m --by instruction --json >"$dir/off.$m.instructions.json"
done
for t in gemm reduce; do
    for m in san-rtx2080 jetson-tx2 rtx2060-accelsim; do
        for e in fast reference; do
            "$r" replay -q "$dir/$t.wtr" -m $m --by unit --json --engine $e >"$dir/$t.$m.$e.json"
        done
        "$r" replay -q "$dir/$t.wtr" -m $m --by unit --csv >"$dir/$t.$m.csv"
        "$r" replay -q "$dir/$t.wtr" -m $m --by instruction --json >"$dir/$t.$m.instructions.json"
        "$r" replay -q "$dir/$t.wtr" -m $m --by instruction --csv >"$dir/$t.$m.instructions.csv"
        "$r" replay -q "$dir/$t.wtr" -m $m --by instruction --csv --top 2 >"$dir/$t.$m.top.csv"
    done
done
if python3 - "$dir" >&2 <<'PY'; then echo "ok - shares add up and agree"; else echo "not ok - shares add up and agree"; fi
import csv, json, sys
d = sys.argv[1]
for t in ("gemm", "reduce"):
    for m in ("san-rtx2080", "jetson-tx2", "rtx2060-accelsim"):
        both = [json.load(open(f"{d}/{t}.{m}.{e}.json"))["traces"][0] for e in ("fast", "reference")]
        assert both[0]["units"] == both[1]["units"], (t, m)
        total, options = both[0]["total"], both[0]["machine"]["options"]
        units = {u["unit"]: u["subcore_cycles"] for u in both[0]["units"]}
        everything = total["cycles"] * options["sms"] * options["subcores"]
        assert sum(units.values()) == everything, (t, m, units, everything)
        assert abs(sum(u["share"] for u in both[0]["units"]) - 1) < 1e-8
        assert abs(sum(u["busy_share"] for u in both[0]["units"]) - 1) < 1e-8
        rows = {u["unit"]: int(u["subcore_cycles"]) for u in csv.DictReader(open(f"{d}/{t}.{m}.csv"))}
        assert rows == units
        by = {}
        for place in json.load(open(f"{d}/{t}.{m}.instructions.json"))["traces"][0]["hotspots"]["places"]:
            assert sum(place.get("units", {}).values()) == place["subcore_cycles"] or "units" not in place, place
            for unit, cycles in place.get("units", {}).items():
                by[unit] = by.get(unit, 0) + cycles
        assert all(by.get(u, 0) == n for u, n in units.items() if u not in ("idle", "drain")), (by, units)
        for name in ("instructions", "top"):
            table = list(csv.DictReader(open(f"{d}/{t}.{m}.{name}.csv")))
            assert all(sum(int(row["units." + u]) for u in units if u != "idle") == int(row["subcore_cycles"]) for row in table[:-1])
            assert {u: sum(int(row["units." + u]) for row in table) for u in units if u not in ("idle", "drain")} == \
                {u: n for u, n in units.items() if u not in ("idle", "drain")}, (t, m, name)
        assert len(table) == 4
        if m.startswith("san"):
            busy, drawn = total["units"], total["drawn"]
            for level in ("l1", "l2", "dram"):
                assert units[level] == drawn[f"{level}_cycles"], (t, level, units, drawn)
            assert units["barrier"] == busy["barrier"]["busy"]
            assert units["alu"] + units["l1"] + units["l2"] + units["dram"] == sum(busy[u]["busy"] for u in ("int", "float", "memory"))
        if not m.startswith("san"):
            assert units["l1"] and units["dram"] and units["memory"] == total["issue"]["stall"].get("fence", 0), units
        assert (units["barrier"] > 0) == (t == "reduce"), (t, m, units)
for m in ("san-gtx480", "san-rtx2080"):
    d0 = json.load(open(f"{d}/off.{m}.json"))["traces"][0]
    units, total = {u["unit"]: u["subcore_cycles"] for u in d0["units"]}, d0["total"]
    assert abs(sum(u["share"] for u in d0["units"]) - 1) < 1e-9, (m, d0["units"])
    assert abs(sum(u["busy_share"] for u in d0["units"]) - 1) < 1e-9, (m, d0["units"])
    # A copy's two draws go side by side: the slower one alone is charged. What drew nothing is an integer.
    assert units["l1"] % 12 == 0 and units["l2"] % 300 == 0 and units["dram"] % 600 == 0 and units["shared"] == 0, (m, units)
    assert 0 < units["l1"] <= total["drawn"]["l1_cycles"] and units["barrier"] == total["units"]["barrier"]["busy"], (m, units, total)
    for place in json.load(open(f"{d}/off.{m}.instructions.json"))["traces"][0]["hotspots"]["places"]:
        if place.get("threads") == 0:
            assert set(place["units"]) == {"alu"}, place
for level in ("l1hit_dep_1w", "l2hit_lo_1w", "dram_dep_1lane"):
    both = [json.load(open(f"{d}/{level}.{e}.json"))["traces"][0]["units"] for e in ("fast", "reference")]
    cycles = {u["unit"]: u["subcore_cycles"] for u in both[0] if u["unit"] != "idle"}
    of = level[: 4 if level.startswith("dram") else 2]
    assert both[0] == both[1] and max(cycles, key=cycles.get) == of and cycles[of] > 0.8 * sum(cycles.values()), (level, cycles)
add = json.load(open(f"{d}/add.json"))["traces"][0]
units = {u["unit"]: u["subcore_cycles"] for u in add["units"]}
assert add["total"]["l2"]["hits"] and not add["total"]["dram"]["accesses"] and units["l2"] and not units["dram"], (units, add["total"])
PY
"$r" replay "$dir/gemm.wtr" -m jetson-tx2 --by unit >"$dir/text"
if grep -qE '^all +[0-9,]+ +100\.00 % +100\.00 %$' "$dir/text"; then echo "ok - text: all is 100 %"; else echo "not ok - text: all is 100 %"; fi
"$r" replay "$dir/gemm.wtr" -m san-rtx2080 --by unit --processors 2 >"$dir/text"
if grep -q '^all ' "$dir/text" && ! grep -q '^idle' "$dir/text"; then echo "ok - of the processors that are replayed"; else echo "not ok - of the processors that are replayed"; fi
"$r" replay "$dir/gemm.wtr" -m jetson-tx2 --by unit --top 3 2>"$dir/err" >"$dir/out"
if [ $? -eq 1 ] && grep -q -- "leave --top out" "$dir/err"; then echo "ok - refuses --top"; else echo "not ok - refuses --top"; fi
