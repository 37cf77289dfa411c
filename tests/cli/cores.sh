#!/bin/bash
# Machines of kind `cores`: guests on chips of many cores, as users call for them.
set -u
. tests/support/cli.sh
golden=tests/golden/guests

guest() { "$r" record -o "$work/$1.wtr" --guest "$golden/$2.elf" --cores "$3" -q >/dev/null; }
guest mm matmul.gcc-O2.rv32imac 32
guest locks locks.gcc-Os.thumb 32
guest fft fft.gcc-O2.arm 8
mm=$work/mm.wtr

# ---- both modes, all kinds of machines -----------------------------------------------------------------------------------
# Caches so small that lines of all kinds go, and every model of device memory that is not stepped.
small="--set l1i.size=512 --set l1d.size=512 --set l2.size=32768"
same='(lambda a, b: a["total"] == b["total"] and a["cores"] == b["cores"])(d, load(sys.argv[3]))'
both() { # trace, settings
    "$r" replay "$work/$1.wtr" -m manycore-32 $2 --json -q >"$work/fast" 2>&1
    "$r" replay "$work/$1.wtr" -m manycore-32 $2 --json -q --engine reference --threads 3 >"$work/reference" 2>&1
    is "$1 $2: fast is reference" "$(json "$work/fast" "$same" "$work/reference")" True
}
both mm "$small --set dram.model=banked"
both mm "$small --set coherence=none --set dram.model=fixed --set l1d.replacement=random --set mesh.columns=4"
both locks ""
both locks "$small --set dram.queue=1 --set l1i.latency=1"
both fft "--set coherence=none"
both fft "$small"

# ---- several blocks ------------------------------------------------------------------------------------------------------
# The barrier is of all cores, so that it does not matter how the trace divides them; 4,096 are four blocks.
for cluster in 32 64 128; do
    "$r" record -o "$work/c$cluster.wtr" --guest $golden/fft.gcc-Os.thumb.elf --cores 128 --cluster $cluster -q >/dev/null
    "$r" replay "$work/c$cluster.wtr" -m manycore-1024 --json -q >"$work/json"
    json "$work/json" '{k: v for k, v in d["total"].items() if k not in ("blocks",)}, d["cores"]' >"$work/cluster$cluster"
done
check "blocks of 32 cores are as one of 128" cmp "$work/cluster32" "$work/cluster128"
check "and so are those of 64" cmp "$work/cluster64" "$work/cluster128"
guest most matmul.gcc-O2.rv32imac 4096
"$r" replay "$work/most.wtr" -m manycore-1024 --set cores=4096 --set mesh.columns=64 --json -q >"$work/json"
is "4,096 cores, in four blocks" "$(json "$work/json" 'd["total"]["blocks"], len(d["cores"]), len({sum(c["cycles"][k] for k in ("base", "fetch", "load", "store", "barrier")) > 0 for c in d["cores"]})')" "(4, 4096, 1)"

# Accel-Sim's pipeline: stores write registers, and instructions have several accesses. What is counted is what pipeline
# `direct` counts, but for sectors that two accesses of an LDM or STM touch: these are one transaction here.
counted='[d["total"]["global"][k] for k in ("load_transactions", "store_transactions")]'
for isa in gcc-O2.rv32imac gcc-O2.arm gcc-Os.thumb gcc-O2.ia32; do
    guest pushes "quicksort.$isa" 32
    for engine in fast reference; do
        "$r" replay "$work/pushes.wtr" -m rtx2060-accelsim --json -q --engine $engine | grep -v '"engine"' >"$work/$engine"
    done
    check "$isa on pipeline 'staged', in both modes" eval 'test -s "$work/fast" && cmp "$work/fast" "$work/reference"'
    "$r" replay "$work/pushes.wtr" -m rtx2060 --json -q >"$work/direct"
    shared=0
    case $isa in *.arm | *.thumb) shared=0.1 ;; esac
    is "$isa: its accesses are those of pipeline 'direct'" "$(json "$work/fast" "[0 <= b - a <= $shared * b for a, b in zip($counted, (lambda d: $counted)(load(sys.argv[3])))]" "$work/direct")" "[True, True]"
done

# A GPU whose SMs cannot hold all blocks at a time would never open that barrier; nor does every model of one know it.
"$r" replay "$work/c32.wtr" -m v100 --json -q | grep -v '"engine"' >"$work/fast"
"$r" replay "$work/c32.wtr" -m v100 --json -q --engine reference | grep -v '"engine"' >"$work/reference"
check "GPUs have the barrier of all blocks, in both modes" cmp "$work/fast" "$work/reference"
check "which the trace tells" eval '"$r" info "$work/c32.wtr" | grep -q "cooperative"'
fails 2 "a cooperative launch of 4 blocks, which wait for one another, does not fit on jetson-tx2, which holds 2 at a time" \
    "$r" replay "$work/c32.wtr" -m jetson-tx2 --set sms=1 --set limits.blocks=2
fails 2 "it has a barrier of all its blocks; there is no model of that here" "$r" replay "$work/c32.wtr" -m rtx2060-accelsim
fails 2 "it has a barrier of all its blocks" "$r" wcet "$work/c32.wtr" -m orin-wcet

# ---- what is printed ---------------------------------------------------------------------------------------------------
"$r" replay "$mm" -m manycore-32 --json >"$work/json"
is "cycles of all causes add up, for each core and all" "$(json "$work/json" \
    'all(sum(c["cycles"].values()) == d["total"]["cycles"] for c in d["cores"]), sum(d["total"]["cores"]["cycles"].values()) == 32 * d["total"]["cycles"], len(d["cores"])')" "(True, True, 32)"
is "cores add up to the total" "$(json "$work/json" 'sum(c["l1d"]["invalidations"] for c in d["cores"]) == d["total"]["l1d"]["invalidations"] > 0')" True
is "the speed-up" "$(json "$work/json" 'abs(d["total"]["speedup"] - sum(d["total"]["cores"]["cycles"][k] for k in ("base", "fetch", "load", "store")) / d["total"]["cycles"]) < 1e-6')" True
"$r" replay "$mm" -m manycore-32 >"$work/out"
check "the machine" grep -q "on manycore-32 (32 cores, coherence msi, 500.05 MHz)" "$work/out"
check "causes" grep -qE "^load +[0-9,]+ +[0-9.]+ +[0-9,]+ +[0-9,]+$" "$work/out"
"$r" replay "$mm" -m manycore-32 --by instruction --json >"$work/by"
is "misses of instructions are those of the caches" "$(json "$work/by" 'sum(p["misses"] for p in d["hotspots"]["places"]) == sum(d["total"][a][b] for a, b in (("l1i", "misses"), ("l1d", "load_misses"), ("l1d", "store_misses")))')" True
is "and their cycles those of the cores" "$(json "$work/by" 'sum(p["subcore_cycles"] for p in d["hotspots"]["places"]) + d["hotspots"]["idle"] == 32 * d["total"]["cycles"]')" True
"$r" replay "$mm" -m manycore-32 --cache "$work/cache" --json >"$work/first"
"$r" replay "$mm" -m manycore-32 --cache "$work/cache" --json >"$work/again"
check "a result that was kept" cmp "$work/first" "$work/again"
is "CSV has the columns" "$("$r" replay "$mm" -m manycore-32 --csv | head -1 | grep -o 'l1d.upgrades,l1d.written_back')" "l1d.upgrades,l1d.written_back"
"$r" replay "$mm" -m rtx2060 --csv | head -1 >"$work/gpu"
check "which GPUs do not have" test -z "$(grep -o "cores\.\|l1d\." "$work/gpu")"

# ---- other commands ------------------------------------------------------------------------------------------------------
"$r" diff "$mm" -m manycore-32 --vary l1d.size=1024,8192 --csv >"$work/diff"
is "diff varies a cache" "$(tail -n +2 "$work/diff" | wc -l)" 2
"$r" diff "$mm" --vary machine=manycore-32,rtx2060 --vary l1d.size=1024,8192 --csv >"$work/diff"
is "machines of both kinds side by side" "$(tail -n +2 "$work/diff" | wc -l)" 3
"$r" sweep "$mm" -m manycore-32 --vary l1d.size=1024,8192 --vary coherence=none,msi -o "$work/s.db" -q
is "sweep, too" "$("$r" results "$work/s.db" list --csv 2>/dev/null | tail -n +2 | wc -l)" 4
"$r" sweep "$mm" -m manycore-32 --vary l1d.size=1024,8192 --stalls -o "$work/stalls.db" -q
is "cycles of lines, as many as the runs differ by" "$("$r" results "$work/stalls.db" compare 1 2 --json 2>/dev/null | python3 -c 'import json,sys; d=json.load(sys.stdin); print(abs(sum(l["change"] for l in d["lines"])) > 1000)')" True
check "report" "$r" report "$mm" -m manycore-32 -o "$work/r.html" -q
check "timeline" "$r" timeline "$mm" -m manycore-32 -o "$work/t.json" -q
fails 1 "--tracks: machine manycore-32 has no 'units' (pipeline 'cores', dram 'bandwidth'); it has launches, subcores" \
    "$r" timeline "$mm" -m manycore-32 -o "$work/t.json" --tracks units
fails 1 "does not report ends of instructions: pipeline 'cores'" "$r" dump "$mm" -m manycore-32 --cycles
check "ablate with a step of its own" "$r" ablate "$mm" -m manycore-32 --step hops:mesh.hop=0 --csv -q
check "machine list" grep -q "^manycore-1024 " <("$r" machine list)
fails 1 "bounds are for pipeline 'direct', not 'cores'" "$r" wcet "$mm" -m manycore-32
fails 1 "only pipeline 'one-at-a-time'" "$r" replay "$mm" -m manycore-32 --processors 3
fails 1 "that is a chip of many cores, and no device of CUDA" "$r" run --device manycore-32 -- true

# ---- what goes wrong -----------------------------------------------------------------------------------------------------
guest many matmul.gcc-O2.rv32imac 64
fails 1 "the program ran on more cores than machine manycore-32 has (32)" "$r" replay "$work/many.wtr" -m manycore-32
"$r" record -o "$work/odd.wtr" --guest $golden/matmul.gcc-O2.rv32imac.elf --cores 40 --cluster 32 -q >/dev/null
check "as many cores as there were, in blocks that have room for more" "$r" replay "$work/odd.wtr" -m manycore-32 --set cores=40 --csv -q
fails 1 "give --set cores=40" "$r" replay "$work/odd.wtr" -m manycore-32 --set cores=39
check "with as many cores" "$r" replay "$work/many.wtr" -m manycore-32 --set cores=64 --csv -q
wrong() { # settings, text
    fails 1 "$2" "$r" replay "$mm" -m manycore-32 $1
}
wrong "--set sms=3" "sms is no option of this machine, which is of kind 'cores'"
wrong "--set scheduler=gto" "scheduler is no option of this machine, which is of kind 'cores'"
wrong "--set units.alu.queue=3" "units.alu.queue is no option of this machine, which is of kind 'cores'"
wrong "--set l2.slices=4" "l2.slices is no option of this machine, which is of kind 'cores'"
wrong "--set l1d.sise=4" "unknown key 'l1d.sise'; did you mean 'l1d.size'?"
wrong "--set l1d.size=1000" "--set l1d.size=1000: l1d: line must be a power of two, and size a multiple of line × ways"
wrong "--set l1d.line=128" "a line of L1 must fit into one of L2"
wrong "--set l2.banks=64" "set l2.banks and dram.channels to at most the number of cores"
wrong "--set mesh.columns=33" "a row of the mesh has more tiles than there are cores; set mesh.columns to fewer"
wrong "--set dram.model=staged" "dram 'staged' is stepped by pipeline 'staged'"
wrong "--set dram.sector=48" "a line of L2 must be a multiple of dram.sector"
wrong "--set coherence=mesi" "'mesi' is not one of none, msi"
fails 2 "there are no units" "$r" replay "$mm" -m manycore-32 --set kind=gpu
fails 1 "l1d.size is no option of this machine, which is of kind 'gpu'" "$r" replay "$mm" -m rtx2060 --set l1d.size=4096
fails 1 "pipeline 'cores' is that of machines of kind 'cores'" "$r" replay "$mm" -m rtx2060 --set pipeline=cores
printf 'kind = "cores";\n' >"$work/bad.cfg"
fails 2 "bad.cfg: 'dram' is missing" "$r" machine show "$work/bad.cfg"
printf 'kind = "core";\n' >"$work/bad.cfg"
fails 2 "bad.cfg:1: kind: 'core' is not one of gpu, cores" "$r" machine show "$work/bad.cfg"

# ---- coupling ------------------------------------------------------------------------------------------------------------
needs "$BUILD/examples/coupling"
example=$(realpath "$BUILD/examples/coupling")
"$example" $golden/matmul.gcc-O2.rv32imac.elf >"$work/out"
sed -n '/^    \$ build\/examples\/coupling/,/^$/p' docs/guests.md | sed '1d;/^$/d;s/^    //' >"$work/manual"
check "the example prints what docs/guests.md says" diff "$work/manual" "$work/out"
sed -n '/^```c$/,/^```$/p' docs/guests.md | sed '/^```/d' >"$work/manual.c"
check "which shows it" diff "$work/manual.c" docs/examples/coupling.c
guest coupled matmul.gcc-O2.rv32imac 16
"$r" replay "$work/coupled.wtr" -m manycore-32 --set coherence=none --set l1d.size=2048 --set l1d.line=32 --set l1d.ways=1 --json >"$work/json"
is "a cache of the program's own counts as replay does" "$(sed -n 's/.* \([0-9]*\) of [0-9]* accesses missed/\1/p' "$work/out")" \
    "$(json "$work/json" 'd["total"]["l1d"]["load_misses"] + d["total"]["l1d"]["store_misses"]')"
fails 2 "cannot read '$work/nothing.elf': No such file" "$example" "$work/nothing.elf"
fails 2 "is a little-endian ELF file of 32 bits" "$example" "$0"
