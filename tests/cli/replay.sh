#!/bin/bash
# reprise replay, diff and machine on the command line: output, JSON, errors, and the tables in docs/.
set -u
. tests/support/cli.sh
needs "$BUILD/programs/memory" "$BUILD/programs/synthetic"

"$BUILD/programs/synthetic" 6 "$work/t.wtr" || exit 1
launches=$("$r" info --json --no-mix "$work/t.wtr" | python3 -c 'import json,sys; print(len(json.load(sys.stdin)["traces"][0]["launches"]))')

# ---- replay: JSON
"$r" replay "$work/t.wtr" --machine jetson-tx2 --json >"$work/a.json"; is "replay --json ends well" $? 0
"$r" info --json --no-mix "$work/t.wtr" >"$work/i.json"
is "ipc is issued instructions per cycle" "$(json "$work/a.json" 'all(abs(l["ipc"] - (l["issue"]["issued"] + l["issue"]["dual"]) / l["cycles"]) < 1e-8 for l in d["launches"] + [d["total"]] if l["cycles"])')" True
is "achieved occupancy is of an SM's warps" "$(json "$work/a.json" 'all(abs(l["occupancy"]["achieved"] - l["occupancy"]["warp_cycles"] / l["occupancy"]["sm_cycles"] / d["machine"]["options"]["limits.warps"]) < 1e-8 for l in d["launches"] if l["cycles"])')" True
is "one entry per launch" "$(json "$work/a.json" 'len(d["launches"])')" "$launches"
is "instructions as in the trace" "$(json "$work/a.json" '[l["warp_instructions"] for l in d["launches"]]')" \
    "$(json "$work/i.json" '[l["warp_instructions"] for l in d["launches"]]')"
is "threads' instructions, too" "$(json "$work/a.json" '[l["thread_instructions"] for l in d["launches"]]')" \
    "$(json "$work/i.json" '[l["thread_instructions"] for l in d["launches"]]')"
is "totals are sums" "$(json "$work/a.json" 'all(d["total"][k] == sum(l[k] for l in d["launches"]) for k in ("cycles","warp_instructions","blocks"))')" True
is "every sub-core cycle is accounted for" "$(json "$work/a.json" 'all(l["issue"]["issued"]+l["issue"]["idle"]+sum(sum(s.values()) if isinstance(s, dict) else s for s in l["issue"]["stall"].values()) == l["cycles"]*8 for l in d["launches"])')" True
is "shared memory has its place" "$(json "$work/a.json" 'sorted(d["total"]["shared"])')" "['atomic_transactions', 'conflicts', 'load_transactions', 'store_transactions']"
is "the trace is named by its hash" "$(json "$work/a.json" 'd["trace"]["sha256"]')" "$(sha256sum "$work/t.wtr" | cut -d' ' -f1)"
is "the tool and the document are named" "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["schema"], d["version"], d["tool"])' "$work/a.json")" "reprise-replay 1 $("$r" --version)"
is "options are resolved" "$(json "$work/a.json" '(d["machine"]["name"], d["machine"]["options"]["l1.size"], d["machine"]["options"]["issue_exit"])')" "('jetson-tx2', 24576, True)"
"$r" replay "$work/t.wtr" --machine jetson-tx2 --json --engine reference >"$work/b.json"
is "the reference engine says the same" "$(json "$work/b.json" 'd["launches"]')" "$(json "$work/a.json" 'd["launches"]')"
is "and gives its name" "$(json "$work/b.json" 'd["engine"]')" reference
"$r" replay "$work/t.wtr" --machine jetson-tx2 --json --threads 5 | cmp -s - "$work/a.json"; is "threads change nothing" $? 0
"$r" replay "$work/t.wtr" -m jetson-tx2 --json --launch 0 >"$work/c.json"
is "one launch alone" "$(json "$work/c.json" 'd["launches"]')" "$(json "$work/a.json" 'd["launches"][:1]')"
"$r" replay "$work/t.wtr" -m jetson-tx2 --set l1=none --json >"$work/d.json"
is "--set changes the machine" "$(json "$work/d.json" '(d["machine"]["options"]["l1.model"], d["total"]["l1"]["hits"])')" "('none', 0)"
is "and its hash" "$(json "$work/d.json" "d['machine']['hash'] != '$(json "$work/a.json" 'd["machine"]["hash"]')'")" True
# counters of device memory: sums with the statistics, channels by themselves, only where the model has some
counting=(-m jetson-tx2 --set dram=banked --set dram.channels=2 --set dram.t_refi=1000 --set dram.t_rfc=100)
counters="['activates', 'precharges', 'reads', 'refreshes', 'row_hits', 'writes']"
"$r" replay "$work/t.wtr" "${counting[@]}" --json >"$work/n.json"
is "device memory's counters have a place" "$(json "$work/n.json" 'sorted(d["total"]["dram"]["counters"])')" "$counters"
is "each channel has them" "$(json "$work/n.json" '[sorted(c) for c in d["dram_channels"]] == [sorted(d["total"]["dram"]["counters"])] * d["machine"]["options"]["dram.channels"]')" True
is "they are not all 0" "$(json "$work/n.json" 'all(d["total"]["dram"]["counters"][k] for k in ("activates", "reads", "refreshes", "row_hits"))')" True
is "sums are those of the channels" "$(json "$work/n.json" 'd["total"]["dram"]["counters"] == {k: sum(c[k] for c in d["dram_channels"]) for k in d["dram_channels"][0]}')" True
is "and of the launches" "$(json "$work/n.json" 'd["total"]["dram"]["counters"] == {k: sum(l["dram"]["counters"][k] for l in d["launches"]) for k in d["dram_channels"][0]}')" True
is "what was read and written is what was asked for" "$(json "$work/n.json" 'd["total"]["dram"]["counters"]["reads"] + d["total"]["dram"]["counters"]["writes"] == d["total"]["dram"]["accesses"]')" True
is "refreshes come by the clock" "$(json "$work/n.json" 'all(int(d["total"]["cycles"] * d["machine"]["options"]["dram.clock"]) // 1000 == c["refreshes"] for c in d["dram_channels"])')" True
is "text has the sums" "$("$r" replay "$work/t.wtr" "${counting[@]}" | tr -d , | grep -c "^dram.counters.activates  *$(json "$work/n.json" 'd["total"]["dram"]["counters"]["activates"]')$")" 1
is "models without counters have none" "$(json "$work/a.json" '("dram_channels" in d, "counters" in d["total"]["dram"])')" "(False, False)"
is "--explain defines them" "$("$r" replay --explain --csv | sed -n 's/^dram\.counters\.\([a-z_]*\),[a-z]*,.\{20,\}/\1/p' | sort | tr '\n' ' ')" "activates precharges reads refreshes row_hits writes "
is "the table shows the cycles" "$("$r" replay "$work/t.wtr" -m jetson-tx2 | tr -d , | grep -c "^cycles  *$(json "$work/a.json" 'd["total"]["cycles"]')$")" 1

# ---- diff
"$r" diff "$work/t.wtr" -m jetson-tx2 --vary scheduler=gto,lrr,serial --vary l1=none,direct-mapped --json >"$work/x.json"
is "diff makes every combination" "$(json "$work/x.json" '[(v["varied"]["scheduler"], v["varied"]["l1"]) for v in d["variants"]]')" \
    "[('gto', 'none'), ('gto', 'direct-mapped'), ('lrr', 'none'), ('lrr', 'direct-mapped'), ('serial', 'none'), ('serial', 'direct-mapped')]"
is "each as replay alone" "$(json "$work/x.json" 'd["variants"][1]["launches"]')" "$(json "$work/a.json" 'd["launches"]')"
is "ratios are to the first" "$(json "$work/x.json" 'all(abs(v["ratio"] - v["total"]["cycles"] / d["variants"][0]["total"]["cycles"]) < 1e-6 for v in d["variants"])')" True
"$r" diff "$work/t.wtr" -m jetson-tx2 --vary scheduler=gto,lrr,serial --vary l1=none,direct-mapped --json --threads 1 | cmp -s - "$work/x.json"
is "threads change nothing in diff" $? 0
is "the table has a row per variant" "$("$r" diff "$work/t.wtr" -m orin-wcet --vary scheduler=gto,lrr --launch 0 | grep -cE ' (gto|lrr) ')" 2

"$r" replay "$work/t.wtr" -m jetson-tx2 --set scheduler=random --set scheduler.seed=5 --json >"$work/e.json"
"$r" diff "$work/t.wtr" -m jetson-tx2 --set scheduler.seed=5 --vary scheduler=gto,random --json >"$work/y.json"
is "a setting goes to the schedulers that have it" "$(json "$work/y.json" '[v["launches"] for v in d["variants"]]')" "[$(json "$work/a.json" 'd["launches"]'), $(json "$work/e.json" 'd["launches"]')]"
is "and changes something there" "$(json "$work/e.json" 'd["total"]["cycles"]' | grep -cvx "$("$r" replay "$work/t.wtr" -m jetson-tx2 --set scheduler=random --json | json /dev/stdin 'd["total"]["cycles"]')")" 1
fails 1 "scheduler.seed is an option of 'random', and the model chosen is" "$r" diff -q "$work/t.wtr" -m jetson-tx2 --set scheduler.seed=5 --vary scheduler=gto,lrr

# ---- machine
files=$(cd hw-models/machines && ls ./*.cfg | sed 's|./||; s|.cfg||' | sort | tr '\n' ' ')
is "machine list shows every machine file" "$("$r" machine list | cut -d' ' -f1 | tr '\n' ' ')" "$files"
is "machine list --json, too" "$("$r" machine list --json | python3 -c 'import json,sys; print(*[m["name"] for m in json.load(sys.stdin)], end=" ")')" "$files"
is "machine options --json lists what the table lists" "$("$r" machine options --json | python3 -c 'import json,sys; print(*[o["key"] for o in json.load(sys.stdin)], sep="\n")' | sha256sum)" \
    "$("$r" machine options | sed '1d; /^ /d; s|  .*||' | sha256sum)"
# every key that holds for a part is one that show prints and --set takes
is "machine options gives keys that --set takes" "$("$r" machine options --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
keys = {o["key"] for o in rows}
for part in ("l1", "l2"):
    assert [o["values"] for o in rows if o["key"] == part] == ["none", "direct-mapped", "sectored", "staged"]
    assert {k for k in keys if k.startswith(part + ".")} == {part + "." + n for n in (
        ("size", "line", "sector", "latency", "interval", "write", "atomic_interval", "queue", "mshrs",
         "ways", "replacement", "hash", "allocate", "write_miss", "banks", "merges", "sets", "misses", "dirty", "dirty_ways")
        + (("subcores", "unified", "shared_sizes") if part == "l1" else ("slices", "interleave", "slice_hash", "clock_mhz", "fill")))}
print(not any(set(k) & set(" ,") for k in keys))')" True
is "machine show resolves settings" "$("$r" machine show jetson-tx2 --set l1.size=48K --json | json /dev/stdin 'd["options"]["l1.size"]')" 49152
mapfile -t settings < <("$r" machine show jetson-tx2 --set l1.size=48K --json | json /dev/stdin '"\n".join("--set=%s=%s" % (k, str(v).lower() if v in (True, False) and isinstance(v, bool) else v) for k, v in d["options"].items())')
is "what show says as settings gives the same machine" "$("$r" machine show jetson-tx2 "${settings[@]}")" "$("$r" machine show jetson-tx2 --set l1.size=48K)"
cp hw-models/machines/jetson-tx2.cfg "$work/mine.cfg"
is "a machine file by its path" "$("$r" machine show "$work/mine.cfg" | sed 1d | sha256sum)" "$("$r" machine show jetson-tx2 | sed 1d | sha256sum)"
for doc in "machines:machine options --markdown" "statistics:replay --explain=markdown"; do
    file=docs/${doc%%:*}.md
    # shellcheck disable=SC2086
    if "$r" ${doc#*:} | diff - <(sed -n '/^<!-- table -->$/,/^<!-- end of table -->$/p' "$file" | sed '1d;$d') >&2; then
        echo "ok - $file has the tables of this program"
    else
        echo "not ok - $file has the tables of this program: put the output of 'reprise ${doc#*:}' there"
    fi
done

# ---- errors
fails 1 "which trace? Example: reprise replay mm.wtr" "$r" replay
fails 1 "which machine? 'reprise machine list' names those there are" "$r" replay "$work/t.wtr"
fails 1 "which machine? 'reprise machine list' names those there are" "$r" wcet "$work/t.wtr"
fails 1 "what shall vary? 'reprise machine options' lists all keys" "$r" diff "$work/t.wtr" -m jetson-tx2
fails 2 "registers, an SM of jetson-tx2 has 64 (limits.registers); --launch N takes another launch; record this one with smaller blocks, or compiled with __launch_bounds__" \
    "$r" replay "$work/t.wtr" -m jetson-tx2 --set limits.registers=64
fails 1 "did you mean 'jetson-tx2'?" "$r" replay "$work/t.wtr" -m jetson-tx
fails 1 "did you mean 'scheduler'?" "$r" replay "$work/t.wtr" -m jetson-tx2 --set schedular=gto
fails 1 "did you mean 'lrr'?" "$r" replay "$work/t.wtr" -m jetson-tx2 --set scheduler=lr
fails 1 "give KEY=VALUE" "$r" replay "$work/t.wtr" -m jetson-tx2 --set scheduler
fails 1 "--set l1_subcores=3 --set subcores=8: l1.subcores (3) does not divide subcores (8)" "$r" replay "$work/t.wtr" -m jetson-tx2 --set l1_subcores=3 --set subcores=6 --set subcores=8
fails 1 "--set warm_l2=true --set l2=none: warm_l2 warms nothing" "$r" replay "$work/t.wtr" -m jetson-tx2 --set warm_l2=true --set l2=none
fails 1 "--set l2_tlb=set-associative: nothing reaches l2_tlb" "$r" replay "$work/t.wtr" -m tx2-pastis --set l2_tlb=set-associative
fails 1 "l2.clock_mhz of pipeline 'staged' is at least a hundredth of clock_mhz" "$r" replay "$work/t.wtr" -m rtx2060-accelsim --set l2.clock_mhz=1
fails 1 "interconnect.clock_mhz is that of links" "$r" replay "$work/t.wtr" -m tx2-pastis --set interconnect.clock_mhz=500
fails 1 "l2.clock_mhz is that of a cache" "$r" replay "$work/t.wtr" -m tx2-pastis --set l2.clock_mhz=500 --set l2=none --set warm_l2=false
fails 2 "icache.replacement = srrip, which may replace lines that were used since others" "$r" wcet "$work/t.wtr" -m tx2-pastis --set icache=set-associative --set icache.replacement=srrip
fails 2 "--set l2.clock_mhz=0" "$r" wcet "$work/t.wtr" -m tx2-pastis --set l2.clock_mhz=500
fails 1 "--set icache.caches=8: icache.caches (8) are more than icache.subcores (4) use" "$r" replay "$work/t.wtr" -m titan-v --set icache.caches=8
fails 1 "constants.caches must be 1" "$r" replay "$work/t.wtr" -m titan-v --set constants.caches=2
fails 1 "icache: last.line must be at least next.line" "$r" replay "$work/t.wtr" -m titan-v --set icache=three-level --set icache.last.line=128
fails 1 "--set l1.shared_sizes=1,2,3: the last of l1.shared_sizes must hold all shared memory" "$r" replay "$work/t.wtr" -m rtx2060 --set l1.shared_sizes=1,2,3
fails 1 "--set limits.shared=80K: the last of l1.shared_sizes must hold" "$r" replay "$work/t.wtr" -m rtx2060 --set limits.shared=80K
fails 1 "l2.fill must be a power of two, at least a sector and at most a line" "$r" replay "$work/t.wtr" -m titan-v --set l2.fill=96
fails 2 "not covered: l2.fill = 32;" "$r" wcet "$work/t.wtr" -m tx2-pastis --set l2.fill=32
fails 1 "tlb.walkers must not be 0" "$r" replay "$work/t.wtr" -m jetson-tx2 --set tlb.walkers=0
fails 1 "tlb: entries must be a multiple of ways" "$r" replay "$work/t.wtr" -m jetson-tx2 --set tlb=set-associative --set tlb.ways=3
fails 1 "pipeline 'staged' has a memory of its own, without translation" "$r" replay "$work/t.wtr" -m rtx2060-accelsim --set tlb=set-associative
fails 1 "pipeline 'staged' has no constant cache" "$r" replay "$work/t.wtr" -m rtx2060-accelsim --set constants=two-level
for set in lsu.queue=4 l1.queue=8 port.width=1 port.latency=5 port.queue=4 interconnect.flit=64 shared=pastis \
           l2.slice_hash=ipoly l2.fill=64 dram.channel_hash=xor dispatch_latency=9 dispatch_interval=2 dispatch_warp_interval=2 barrier_latency=3 control_interval=2 coalescer.size=128 shared.latency=9; do
    fails 1 "--set $set: pipeline 'staged'" "$r" replay "$work/t.wtr" -m rtx2060-accelsim --set $set
done
fails 1 "constants: next.line must be at least line" "$r" replay "$work/t.wtr" -m jetson-tx2 --set constants=two-level --set constants.next.line=32
# the machine with TLBs that docs/machines.md gives as an example
sed -n '/^```$/,/^```$/p' docs/machines.md | awk -v RS='```\n' '/\nl2_tlb: /' >"$work/example.cfg"
is "the example of l2_tlb in docs/machines.md is a machine" "$("$r" machine show "$work/example.cfg" | grep -c "^l2_tlb: ")" 1
# caches and TLBs whose times are all 0 change nothing: one warning says so
timeless=(-m tx2-pastis --set icache=two-level --set constants=set-associative --set tlb=set-associative --set l2_tlb=set-associative)
says="reprise: warning: these parts take no time, so they change no cycles: icache (set icache.latency, icache.next.latency), constants (set constants.latency), tlb (set tlb.latency, tlb.walk, l2_tlb.latency)"
"$r" replay "$work/t.wtr" "${timeless[@]}" >/dev/null 2>"$work/err"; is "parts without times are named" "$(cat "$work/err")" "$says"
"$r" diff "$work/t.wtr" "${timeless[@]}" --vary scheduler=gto,lrr >/dev/null 2>"$work/err"; is "by diff, once" "$(cat "$work/err")" "$says"
"$r" ablate "$work/t.wtr" "${timeless[@]}" >/dev/null 2>"$work/err"; is "by ablate, once" "$(cat "$work/err")" "$says"
"$r" replay -q "$work/t.wtr" "${timeless[@]}" >/dev/null 2>"$work/err"; is "--quiet does not" "$(cat "$work/err")" ""
"$r" replay "$work/t.wtr" "${timeless[@]}" --set icache.next.latency=1 --set constants.latency=1 --set l2_tlb.latency=1 >/dev/null 2>"$work/err"
is "those that have a time are not" "$(cat "$work/err")" ""
for m in $("$r" machine list | cut -d' ' -f1); do "$r" replay "$work/t.wtr" -m "$m"; done >/dev/null 2>"$work/err"; is "no machine has such parts" "$(grep -c "take no time" "$work/err")" 0
fails 1 "there is no launch 99" "$r" replay "$work/t.wtr" -m jetson-tx2 --launch 99
fails 1 "there are fast and reference" "$r" replay "$work/t.wtr" -m jetson-tx2 --engine quick
fails 1 "--threads many" "$r" replay "$work/t.wtr" -m jetson-tx2 --threads many
fails 2 "no.wtr" "$r" replay "$work/no.wtr" -m jetson-tx2
fails 2 "$work/bad.cfg:1" "$r" replay "$work/t.wtr" -m "$(echo 'sms = ;' >"$work/bad.cfg"; echo "$work/bad.cfg")"
fails 1 "did you mean 'lrr'?" "$r" diff "$work/t.wtr" -m jetson-tx2 --vary scheduler=gto,lr
fails 1 "give KEY=A,B,C" "$r" diff "$work/t.wtr" -m jetson-tx2 --vary scheduler
fails 1 "scheduler is varied twice" "$r" diff "$work/t.wtr" -m jetson-tx2 --vary scheduler=gto --vary scheduler=lrr
# libconfig would keep the low 32 bits: 2
sed 's/^sms = .*/sms = 4294967298;/' hw-models/machines/tx2-pastis.cfg >"$work/large.cfg"
fails 2 "4294967298 is too large" "$r" replay "$work/t.wtr" -m "$work/large.cfg"
sed 's/^sms = .*/sms = 2; # not 4294967298\nclock_mhz = -4294967298;/; /^clock_mhz = 1300/d' hw-models/machines/tx2-pastis.cfg >"$work/large.cfg"
fails 2 "large.cfg:$(grep -n "clock_mhz = -" "$work/large.cfg" | cut -d: -f1): 4294967298 is too large" "$r" replay "$work/t.wtr" -m "$work/large.cfg"
fails 1 "did you mean 'list'?" "$r" machine lst
fails 1 "which one?" "$r" machine show
head -c 3000 "$work/t.wtr" >"$work/cut.wtr"
"$r" replay "$work/cut.wtr" -m jetson-tx2 >"$work/out" 2>"$work/err"
case $? in
5) grep -q warning "$work/err"; is "a trace cut short is replayed with a warning" $? 0 ;;
2) is "a trace cut short gives one line" "$(wc -l <"$work/err")" 1 ;;
*) echo "not ok - a trace cut short" ;;
esac
for c in replay diff machine; do "$r" $c --help | grep -q "reprise $c"; is "$c --help has an example" $? 0; done

# What the trace does not tell enough of is refused, and named: bulk copies (5: what they read, 6: what they write), barrier
# objects (7).
# All other kinds of access replay.
for kind in 0 1 2 3 4 5 6 7; do
    "$BUILD/programs/memory" kind $kind "$work/kind.wtr" || echo "not ok - a trace of kind $kind"
    if [ $kind -lt 5 ]; then
        "$r" replay "$work/kind.wtr" -m jetson-tx2 --quiet >/dev/null; is "an access of kind $kind replays" $? 0
        continue
    fi
    for c in "replay --engine fast -m jetson-tx2" "replay --engine reference -m jetson-tx2 --json" \
        "diff -m jetson-tx2 --vary scheduler=lrr,gto" "wcet -m orin-wcet"; do
        # shellcheck disable=SC2086
        fails 2 "instruction 0 (ld) of kernel k: " "$r" ${c%% *} "$work/kind.wtr" ${c#* } --quiet
    done
done

# Launches in three streams, each after the one two before it, and copies between.
"$BUILD/programs/memory" host 20 "$work/host.wtr" || exit 1
"$r" replay "$work/host.wtr" -m jetson-tx2 --json --quiet >"$work/s.json"
is "launches of several streams overlap" "$(json "$work/s.json" 'd["total"]["cycles"] < sum(l["cycles"] for l in d["launches"]) and any("overlaps" in l for l in d["launches"])')" True
is "each begins when it may" "$(json "$work/s.json" 'all(l["begin"] == max([0] + [e["end"] for e in d["launches"][:i] if e["launch"] == i - 2 or (i - e["launch"]) % 3 == 0]) and l["end"] - l["begin"] == l["cycles"] for i, l in enumerate(d["launches"]))')" True
is "the total ends with the last" "$(json "$work/s.json" 'd["total"]["cycles"] == max(l["end"] for l in d["launches"])')" True
is "what they share is in the total only" "$(json "$work/s.json" '[l["launch"] for l in d["launches"] if ("overlaps" in l) == ("l2" in l)], d["total"]["l2"]["misses"] > 0')" "([], True)"
for more in "--engine reference" "--threads 5"; do
    # shellcheck disable=SC2086
    is "the same with $more" "$("$r" replay "$work/host.wtr" -m jetson-tx2 --json --quiet $more | json /dev/stdin 'd["launches"], d["total"]')" "$(json "$work/s.json" 'd["launches"], d["total"]')"
done
"$r" replay "$work/host.wtr" -m jetson-tx2 --json --quiet --set limits.grids=1 >"$work/s1.json"
is "limits.grids=1: one after the other" "$(json "$work/s1.json" 'd["total"]["cycles"] == sum(l["cycles"] for l in d["launches"]) and not any("overlaps" in l for l in d["launches"])')" True
"$r" diff "$work/host.wtr" -m jetson-tx2 --vary limits.grids=1,16 --json --quiet >"$work/s2.json"
is "diff tells them apart" "$(json "$work/s2.json" '[v["total"]["cycles"] for v in d["variants"]]')" "[$(json "$work/s1.json" 'd["total"]["cycles"]'), $(json "$work/s.json" 'd["total"]["cycles"]')]"
is "and says so" "$("$r" diff "$work/host.wtr" -m jetson-tx2 --vary limits.grids=1,16 --quiet | grep -c "Launches overlap")" 1
is "the table shows begins" "$("$r" replay "$work/host.wtr" -m jetson-tx2 --quiet | grep -c "begin")" 2

# On many SMs some hear of their last stores after their launches are over.
"$r" record --quiet -o "$work/streams.wtr" --launch-file tests/golden/streams.cfg || exit 1
for sms in 9 12 17; do
    for engine in reference fast; do
        "$r" replay "$work/streams.wtr" -m jetson-tx2 --quiet --json --engine $engine --set sms=$sms --set l1.latency=0 \
            --set dispatch_interval=7 --set port.queue=2 >"$work/$engine.json"
    done
    is "launches that end on $sms SMs: the engines agree" "$(json "$work/fast.json" 'd["launches"], d["total"]')" "$(json "$work/reference.json" 'd["launches"], d["total"]')"
done
