#!/bin/bash
# Memory that draws, and replays that are repeated: the SAN paper's examples, a model of its own in Python, JSON, errors.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/gemm.ptx"

# An integer and a store, the paper's [4, 3]; and one of each instruction of its Table 1.
cat >"$work/pair.ptx" <<'PTX'
.version 6.4
.target sm_75
.address_size 64
.global .u32 out;
.visible .entry pair()
{
    .reg .u32 %r<2>;
    mov.u32 %r1, 1;
    st.global.u32 [out], %r1;
    ret;
}
PTX
cat >"$work/seven.ptx" <<'PTX'
.version 6.4
.target sm_75
.address_size 64
.shared .u32 word[4];
.global .u32 in[2];
.visible .entry seven()
{
    .reg .u32 %r<4>;
    .reg .f32 %f<2>;
    ld.global.u32 %r1, [in];
    ld.global.u32 %r2, [in+4];
    add.u32 %r3, %r1, %r2;
    add.f32 %f1, 0f3F800000, 0f3F800000;
    bar.sync 0;
    st.shared.u32 [word], %r3;
    ret;
}
PTX
"$r" record -q -o "$work/pair.wtr" -M "$work/pair.ptx" -g 1 -b 32 || exit 1
"$r" record -q -o "$work/seven.wtr" -M "$work/seven.ptx" -g 5 -b 96 || exit 1
"$r" record -q -o "$work/gemm.wtr" -M "$BUILD/kernels/gemm.ptx" -k gemm -g 2,2 -b 16,16 -a buf=rand-i32:1024:seed=1 \
    -a buf=rand-i32:1024:seed=2 -a buf=zeros:8192 -a i32=32 || exit 1

# ---- both engines against the model in Python, batch by batch
compare() { # TRACE WARPS_OF_A_BLOCK KIND=PROBABILITIES...
    local trace=$1 warps=$2 set=()
    shift 2
    for kind in "$@"; do set+=(--set "memory.$kind"); done
    model=$("$r" info --san --json "$work/$trace.wtr" | python3 tests/validation/san.py 6 "$warps" 7 5 "$@" | tr '\n' ' ')
    for engine in fast reference; do
        "$r" replay "$work/$trace.wtr" -m san-rtx2080 --set sms=3 --set subcores=2 --seed 7 --batches 5 --json \
            --engine $engine "${set[@]}" >"$work/batches.json"
        is "$trace: engine $engine draws as the model in Python" "$(json "$work/batches.json" '" ".join(map(str, d["cycles"])) + " "')" "$model"
    done
}
compare pair 1 global_store=0.5,0.3,0.2
compare seven 3 local_store=0.1,0.1,0.8 global_load=0.99,0,0.01
compare gemm 8

# Barriers of warps: Table 1 names those of blocks.
"$r" record -q -o "$work/arms.wtr" -M tests/golden/splits.ptx -k arms --target sm_75 -g 2 -b 64 -a buf=zeros:512 || exit 1
compare arms 2

# ---- a processor against the grid: GEMM 256 with the loop unrolled, 12 warps on a processor
cat >"$work/gemm256.cu" <<'CUDA'
extern "C" __global__ void gemm(const int *a, const int *b, long *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 256; i++)
        c[row * 256 + col] += a[row * 256 + i] * b[i * 256 + col];
}
CUDA
"$r" record -q -o "$work/gemm256.wtr" -M "$work/gemm256.cu" -g 16,16 -b 16,16 -a buf=rand-i32:65536:seed=1 \
    -a buf=rand-i32:65536:seed=2 -a buf=zeros:524288 || exit 1
gemm256() { "$r" replay "$work/gemm256.wtr" -m san-rtx2080 --set memory.global_load=0.7,0.2,0.1 --set memory.global_store=0.7,0.2,0.1 --json "$@"; }
gemm256 --processors 1 --exact >"$work/one.json"
is "12 warps of GEMM 256: about 811,000 cycles, deviation 15,200" "$(json "$work/one.json" '(round(d["exact"]["mean"], -3), round(d["exact"]["deviation"], -2), d["exact"]["warps_per_processor"])')" "(811000.0, 15200.0, 12)"
gemm256 --set measure=grid --batches 100 >"$work/grid.json"
is "the slowest of 184 takes 2 to 6 % more" "$(json "$work/grid.json" "1.02 < d['statistics']['cycles']['mean'] / $(json "$work/one.json" 'd["exact"]["mean"]') < 1.06")" True

# ---- repeating
san() { "$r" replay "$work/pair.wtr" -m san-rtx2080 --set memory.global_store=0.5,0.3,0.2 "$@"; }
san --batches 100..1000 --json >"$work/a.json"
is "the paper's example stops by its known deviation" "$(json "$work/a.json" '(d["batches"]["used"], d["batches"]["reached"], round(d["exact"]["mean"], 1), round(d["exact"]["deviation"], 1))')" "(424, True, 218.0, 228.9)"
san --batches 100..1000 --json --threads 3 | cmp -s - "$work/a.json"; is "three threads give the same bytes" $? 0
san --batches 100..1000 --json --seed 1 | cmp -s - "$work/a.json"; is "the same seed gives the same bytes" $? 0
san --batches 100..1000 --json --seed 2 >"$work/b.json"
is "another seed gives others" "$(json "$work/b.json" "d['cycles'] == $(json "$work/a.json" 'd["cycles"]')")" False
is "--exact alone" "$(san --exact --json | json /dev/stdin '(round(d["exact"]["mean"], 1), "statistics" in d)')" "(218.0, False)"
is "--exact as CSV" "$(san --exact --csv | cut -d, -f2- | awk -F, 'NR > 1 { $3 = sprintf("%.4f", $3) } 1' | tr '\n' ' ')" \
    "machine,mean,deviation,processors,warps_per_processor san-rtx2080 218 228.9454 1 1 "
is "the table begins with the cycles" "$(san --batches 100 --csv | sed -n 2p | cut -d, -f3,7,11)" "cycles,14,602"
is "a machine without chance runs once" "$("$r" replay "$work/pair.wtr" -m jetson-tx2 --batches 10..20 --json | json /dev/stdin '(d["batches"]["used"], d["batches"]["deterministic"])')" "(1, True)"
is "a scheduler that draws lots is repeated, too" "$("$r" replay "$work/gemm.wtr" -m jetson-tx2 --set scheduler=random --batches 5 --json | json /dev/stdin '(d["batches"]["used"], len(set(d["cycles"])) > 1)')" "(5, True)"

# ---- instructions without an access
cat >"$work/idle.ptx" <<'PTX'
.version 7.5
.target sm_80
.address_size 64
.visible .entry idle(.param .u64 p)
{
    .reg .u64 a; .reg .u32 r; .reg .pred q;
    ld.param.u64 a, [p];
    setp.ne.u32 q, 0, 0;
    @q ld.global.u32 r, [a];
    @q st.global.u32 [a], r;
    cp.async.commit_group;
    cp.async.wait_group 0;
    membar.cta;
    ld.global.u32 r, [a];
    ret;
}
PTX
"$r" record -q -o "$work/idle.wtr" --module "$work/idle.ptx" --grid 1 --block 32 --arg buf=zeros:128
is "what makes no access costs what info --san says: an integer" \
    "$("$r" replay "$work/idle.wtr" -m san-rtx2080 --set memory.global_load=1,0,0 --json | json /dev/stdin 'd["total"]["cycles"]')" \
    "$("$r" info "$work/idle.wtr" --san --json | json /dev/stdin 'sum({4: 2, 2: 12}[i] for i in d["launches"][0]["warps"][0]["ids"])')"

# ---- what a machine's caches say
"$r" replay "$work/gemm.wtr" -m san-rtx2080 --set memory.from=jetson-tx2 --exact --save-machine "$work/mine.cfg" >"$work/from.txt"; is "memory.from" $? 0
is "the shares are printed" "$(grep -c '^global_load  *[0-9,]*  0\.[0-9]*  0\.[0-9]*  0\.[0-9]*$' "$work/from.txt")" 1
is "the machine that was written gives the same" "$("$r" replay "$work/gemm.wtr" -m "$work/mine.cfg" --exact | grep Known)" "$(grep Known "$work/from.txt")"
for how in "" --exact "--batches 2"; do
    is "JSON names the machine and what ended where${how:+, $how}" "$("$r" replay "$work/gemm.wtr" -m san-rtx2080 --set memory.from=jetson-tx2 $how --json |
        json /dev/stdin '(d["memory_from"]["machine"], sum(d["memory_from"]["global_load"].values()))')" "('jetson-tx2', $(awk '$1 == "global_load" { gsub(",", "", $2); print $2 }' "$work/from.txt"))"
done
from=(-m san-rtx2080 --set memory.from=jetson-tx2 --set memory.cost.l2=301)
is "dump --cycles takes them, too" "$("$r" dump "$work/pair.wtr" --cycles "${from[@]}" --set memory.global_store=1,0,0 | awk '$3 == "000008" { print $2 - $1 }')" \
    "$("$r" replay "$work/pair.wtr" "${from[@]}" --json | json /dev/stdin 'd["total"]["cycles"] - 2')"
is "and info --registers" "$("$r" info "$work/pair.wtr" --registers "${from[@]}" --set memory.global_store=1,0,0 | grep -o 'on san-rtx2080, .*')" "on san-rtx2080, 303 cycles"

# ---- diff
"$r" diff "$work/gemm.wtr" -m san-rtx2080 --vary memory.cost.dram=600,660 --batches 100 --json >"$work/d.json"
is "differences vary less than what is compared" "$(json "$work/d.json" 'd["variants"][1]["difference"]["half_width"] * 3 < 2 ** 0.5 * d["variants"][1]["statistics"]["cycles"]["half_width"] and d["variants"][1]["difference"]["half_width"] > 0')" True
is "each variant as replay alone" "$(json "$work/d.json" 'd["variants"][0]["cycles"]')" "$("$r" replay "$work/gemm.wtr" -m san-rtx2080 --batches 100 --json | json /dev/stdin 'd["cycles"]')"

# ---- errors
fails 1 "give MIN..MAX or a number, from 1 to 100000" san --batches 0
fails 1 "give MIN..MAX or a number" san --batches 5..3
fails 1 "--width is about --batches" san --width 0.1
fails 1 "give a number above 0 and up to 0.999999" san --batches 5 --confidence 1
fails 1 "give a number from 0 to 1000000" san --batches 5 --width=-1
fails 1 "--seed: '-3' is negative" san --seed=-3
fails 1 "there is no launch 1; the trace has 1" san --launch 1 --exact
fails 1 "there is no launch 1; the trace has 1" san --launch 1 --batches 5
fails 1 "there is no launch 1; the trace has 1" "$r" diff "$work/pair.wtr" -m san-rtx2080 --launch 1 --vary scheduler=serial,gto --batches 5
fails 1 "--processors 0: give a whole number" san --processors 0
fails 1 "--by is about one replay" san --batches 5 --by line
fails 1 "do not sum to 1 within 1e-9" san --set memory.global_load=0.3,0.6,0.2
fails 1 "choose pipeline 'one-at-a-time'" san --set pipeline=direct
fails 1 "choose memory 'stochastic'" "$r" replay "$work/pair.wtr" -m san-rtx2080 --set memory=hierarchy
fails 1 "memory.model must be 'hierarchy'" san --set pipeline=staged
fails 1 "measure 'processor' needs sub-cores that do not wait" "$r" replay "$work/pair.wtr" -m jetson-tx2 --set measure=processor
fails 1 "mean and deviation are known with pipeline 'one-at-a-time' only" "$r" replay "$work/pair.wtr" -m jetson-tx2 --exact
fails 1 "the slowest of 6 processors are not known" "$r" replay "$work/seven.wtr" -m san-rtx2080 --set sms=3 --set subcores=2 --set measure=grid --exact
fails 1 "only pipeline 'one-at-a-time' replays some processors alone" "$r" replay "$work/pair.wtr" -m jetson-tx2 --processors 3
fails 1 "memory.from: unknown machine 'nope'" san --set memory.from=nope --exact
fails 1 "this machine has no caches" san --set memory.from=san-gtx480 --exact
fails 1 "no access of the trace reaches a cache" san --set memory.from=orin-wcet --exact
fails 1 "memory.from=rtx2080: no ablation replays there" "$r" ablate "$work/pair.wtr" -m san-rtx2080 --set memory.from=rtx2080
fails 1 "not about --batches" "$r" diff "$work/pair.wtr" -m san-rtx2080 --vary scheduler=serial,gto --batches 5 --sort cycles
fails 1 "there are no bounds where accesses draw" "$r" wcet "$work/pair.wtr" -m orin-wcet --set memory=stochastic
fails 1 "bounds are for pipeline 'direct'" "$r" wcet "$work/pair.wtr" -m san-gtx480
