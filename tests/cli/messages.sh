#!/bin/bash
# What is said when something is mistyped, or is something else than what is wanted.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels" "$BUILD/programs/synthetic"
says() { # status, text, arguments...: one line on standard error that holds the text
    local status=$1 text=$2 got
    shift 2
    "$r" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]; then echo "ok - says: $text"; else
        echo "not ok - says: $text"; echo "  $* ended with $got and said: $(cat "$dir/err")" >&2; fi
}
quiet_about() { # text that is not said, arguments...
    local text=$1
    shift
    "$r" "$@" >"$dir/out" 2>"$dir/err"
    if [ $? -ne 0 ] && ! grep -qF -- "$text" "$dir/err"; then echo "ok - does not say: $text ($*)"; else echo "not ok - does not say: $text"; cat "$dir/err" >&2; fi
}
"$BUILD/programs/synthetic" 6 "$dir/mm.wtr" || exit 1
t=$dir/mm.wtr
on=(-m jetson-tx2)

# ---- what was typed is what is echoed ------------------------------------------------------------------------------
says 1 "--vary foo=1: unknown key 'foo'" diff "$t" "${on[@]}" --vary foo=1,2
says 1 "--vary scheduler=lr: unknown model 'lr'; did you mean 'lrr'?" diff "$t" "${on[@]}" --vary scheduler=lr,gto
says 1 "--set scheduler=lr: unknown model" replay "$t" "${on[@]}" --set scheduler=lr
says 1 "--set units.foo=ideal: unknown key 'units.foo'" replay "$t" "${on[@]}" --set units.foo=ideal
says 1 "--vary l1_subcores=3: l1.subcores (3) does not divide" diff "$t" "${on[@]}" --vary l1_subcores=3
says 1 "--grid l1.size=0: l1.size" wcet "$t" -m orin-wcet --set l1=direct-mapped --grid l1.size=0 policy=gto

# ---- the environment -----------------------------------------------------------------------------------------------
for level in x 5 ""; do
    export REPRISE_SIMD=$level
    says 1 "REPRISE_SIMD is '$level' in the environment; there are 2, 3 and 4" info "$t"
done
unset REPRISE_SIMD
mine=$REPRISE_MACHINES
export REPRISE_MACHINES=/nowhere
says 1 "REPRISE_MACHINES is '/nowhere' in the environment, which is no folder" info "$t"
export REPRISE_MACHINES=$mine

# ---- an option's name of another command ---------------------------------------------------------------------------
says 1 "--launch is an option of 'reprise" ablate "$t" "${on[@]}" --launch 0
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    head -c 100 "$t" >"$dir/mine" && chmod 0 "$dir/mine" && chmod 755 "$dir"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$r" results "$dir/mine" 2>"$dir/err"
    is "results of a file that may not be read" "$? $(cat "$dir/err")" "2 reprise: cannot open '$dir/mine': Permission denied"
fi

# ---- suggestions where near, and only there ------------------------------------------------------------------------
quiet_about "did you mean" replay "$t" "${on[@]}" --set scheduler=foo
quiet_about "did you mean" replay "$t" "${on[@]}" --set classes.fp99.latency=4
says 1 "did you mean 'classes.fp32.latency'?" replay "$t" "${on[@]}" --set classes.fp23.latency=4
quiet_about "did you mean" replay "$t" -m foo
says 1 "--set l2.dirty_ways=25: l2: in each of 64 slices, dirty_ways must not be more than ways" replay "$t" -m gv100 --set l2.dirty_ways=25
says 1 "did you mean 'gto'?" replay "$t" "${on[@]}" --set scheduler=GTO
says 1 "did you mean 'direct-mapped'?" replay "$t" "${on[@]}" --set l1=direct
says 1 "did you mean 'scheduler'?" replay "$t" "${on[@]}" --set shceduler=gto
says 1 "did you mean 'jetson-tx2'?" replay "$t" -m jetson
k=$BUILD/kernels
launch=(--grid 1 --block 32)
says 2 "has no kernel 'vector_ad'; did you mean 'vector_add'?" run --module "$k/vector_add.ptx" --kernel vector_ad "${launch[@]}"
quiet_about "did you mean" run --module "$k/vector_add.ptx" --kernel something "${launch[@]}"
sed 's/vector_add/_Z10vector_addPKfS0_Pfi/g' "$k/vector_add.ptx" >"$dir/mangled.ptx"
says 2 "did you mean 'vector_add'?" run --module "$dir/mangled.ptx" --kernel vectoradd "${launch[@]}"
says 2 "$dir/mm.wt: no such file; did you mean '$dir/mm.wtr'?" info "$dir/mm.wt"
says 2 "no such file; did you mean '$dir/mangled.ptx'?" run --module "$dir/mangeld.ptx" "${launch[@]}"
(cd "$dir" && "$r" verify mn.wtr 2>err; grep -q "did you mean 'mm.wtr'?" err) && echo "ok - a name without a folder" || echo "not ok - a name without a folder"
quiet_about "did you mean" info "$dir/other"

says 1 "unknown policy 'lrrr'; did you mean 'lrr'?" wcet "$t" -m orin-wcet --check lrrr
says 1 "unknown policy 'foo'; there are: lrr, gto, gty, grr, oldest, two-level, random, levels" wcet "$t" -m orin-wcet --check foo

# ---- a file that is something else ---------------------------------------------------------------------------------
printf '__global__ void k(float *p) { *p = 1; }\n' >"$dir/k.cu"
cp "$k/vector_add.ptx" "$dir/k.ptx"
cp tests/golden/cubin/module.cubin "$dir/k.cubin"
cp docs/examples/chain.cfg "$dir/chain.cfg"
cp hw-models/machines/jetson-tx2.cfg "$dir/m.cfg"
for c in info dump verify "replay ${on[*]}" "diff ${on[*]} --vary sms=1,2" "wcet -m orin-wcet"; do
    # shellcheck disable=SC2086
    set -- $c
    says 2 "k.cu is CUDA source, not a trace; 'reprise record --module' takes it" "$@" "$dir/k.cu"
    says 2 "k.ptx is PTX, not a trace" "$@" "$dir/k.ptx"
    says 2 "$dir is a folder; give a trace" "$@" "$dir"
done
says 2 "k.cubin is machine code, not a trace" info "$dir/k.cubin"
says 2 "chain.cfg is a launch file, not a trace" info "$dir/chain.cfg"
says 2 "mm.wtr is a trace, not a module" run --module "$t" "${launch[@]}"
says 2 "m.cfg is a machine file, not a module" run --module "$dir/m.cfg" "${launch[@]}"
says 2 "$dir is a folder; give a module" run --module "$dir" "${launch[@]}"
says 2 "k.ptx is PTX, not a launch file" run --launch-file "$dir/k.ptx"
says 2 "mm.wtr is a trace, not a launch file" run --launch-file "$t"
says 2 "mm.wtr is a trace, not a machine file" replay "$t" -m "$t"
says 2 "chain.cfg is a launch file, not a machine file" replay "$t" -m "$dir/chain.cfg"
says 2 "$dir/ is a folder; give a machine file" replay "$t" -m "$dir/"
# ... without a folder in its name, which a machine's name has not either
cp "$dir/m.cfg" "$dir/mine"
mkdir "$dir/folder"
cd "$dir"
says 2 "k.cu is CUDA source, not a machine file" machine show k.cu
says 2 "folder is a folder; give a machine file" machine show folder
says 1 "unknown machine 'mine'; write ./mine for the file of this name" machine show mine
echo 'not a machine' >jetson-tx2
if "$r" machine show jetson-tx2 >out && "$r" machine show ./mine >out; then echo "ok - a machine's name comes before a file of this name"; else echo "not ok - a machine's name comes before a file of this name"; fi
cd - >/dev/null
says 2 "k.ptx is PTX, not machine code" disasm "$dir/k.ptx"
says 2 "k.cu is CUDA source, not machine code" disasm "$dir/k.cu"
says 2 "mm.wtr is a trace, not a list of kernels of Accel-Sim" import accelsim "$t" -o "$dir/none.wtr"
says 2 "$dir is a folder; give a list of kernels" import accelsim "$dir" -o "$dir/none.wtr"
says 1 "'shwo' is unknown; did you mean 'show'?" machine shwo jetson-tx2
says 1 "'xyz' is unknown; there are list, show NAME, diff A B and options" machine xyz
says 1 "--by line --by unit: give one of them" replay "$t" -m orin --by line --by unit
says 1 "cannot write '/nowhere/x.wtr'" record -o /nowhere/x.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 1 --block 1 --arg buf=zeros:4 --arg buf=zeros:4 --arg buf=zeros:4 --arg i32=1
says 1 "/proc/x.json" timeline "$t" -m orin -o /proc/x.json
