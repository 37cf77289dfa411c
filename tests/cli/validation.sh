#!/bin/bash
# The tables of docs/validation.md, docs/accuracy.md and docs/machines.md that take no time to make again.
set -u
if bash tests/validation/pastis.sh >"$BUILD/pastis.md" && diff "$BUILD/pastis.md" \
    <(sed -n '/^<!-- pastis -->$/,/^<!-- end of pastis -->$/p' docs/validation.md | sed '1d;$d') >&2; then
    echo "ok - docs/validation.md has what make validation-pastis prints"
else
    echo "not ok - docs/validation.md has what make validation-pastis prints"
fi
python3 tests/validation/latencies.py >"$BUILD/latencies.md"
if [ $? -eq 0 ]; then echo "ok - latencies of titan-v are within 5 % of those measured"; else echo "not ok - latencies of titan-v are within 5 % of those measured"; fi
if diff "$BUILD/latencies.md" <(sed -n '/^<!-- latencies -->$/,/^<!-- end of latencies -->$/p' docs/validation.md | sed '1d;$d') >&2; then
    echo "ok - docs/validation.md has what make validation-latencies prints"
else
    echo "not ok - docs/validation.md has what make validation-latencies prints"
fi
if [ -e "$BUILD/toolchain/complete" ]; then
    python3 tests/validation/machine_code.py >"$BUILD/machine_code.md"
    if [ $? -eq 0 ]; then echo "ok - chains of machine code take the published cycles"; else echo "not ok - chains of machine code take the published cycles"; fi
    if diff "$BUILD/machine_code.md" <(sed -n '/^<!-- machine code -->$/,/^<!-- end of machine code -->$/p' docs/validation.md | sed '1d;$d') >&2; then
        echo "ok - docs/validation.md has what make validation-latencies prints of machine code"
    else
        echo "not ok - docs/validation.md has what make validation-latencies prints of machine code"
    fi
else
    echo "ok - chains of machine code # SKIP no $BUILD/toolchain: make toolchain fetches ptxas"
fi
if python3 tests/validation/lsu_lines.py >"$BUILD/lsu_lines.md" && diff "$BUILD/lsu_lines.md" \
    <(sed -n '/^<!-- lines -->$/,/^<!-- end of lines -->$/p' docs/accuracy.md | sed '1d;$d') >&2; then
    echo "ok - docs/accuracy.md has what tests/validation/lsu_lines.py prints"
else
    echo "not ok - docs/accuracy.md has what tests/validation/lsu_lines.py prints"
fi
if python3 tests/validation/machine_tables.py --check >&2; then
    echo "ok - docs/machines.md has what tests/validation/machine_tables.py prints"
else
    echo "not ok - docs/machines.md has what tests/validation/machine_tables.py prints"
fi
# Of what was measured on a GV100, an H100 and an A100, that which takes no time: rows of the tables, and marks of the plot, which has one for each launch.
if python3 tests/validation/hardware.py nw 3DConvolution dct8x8 srad_v1 vectorAdd.l2 BlackScholes.small pnpoly.rtx2080ti convolution.rtx3090 >"$BUILD/hardware.md" &&
    [ "$(grep -cE '^\| ([n3dsah]|pnpoly|convolution)' "$BUILD/hardware.md")" = 42 ] &&
    grep -E '^\| ([n3dsah]|pnpoly|convolution)' "$BUILD/hardware.md" | while read -r row; do grep -qxF -- "$row" docs/accuracy.md || exit 1; done; then
    echo "ok - docs/accuracy.md has the rows of make validation-hardware for those that take no time"
else
    echo "not ok - docs/accuracy.md has the rows of make validation-hardware for those that take no time"
fi
if [ "$(grep -cE '^\| (`|GV100, of|H100 and)' "$BUILD/hardware.md")" -ge 20 ] &&
    diff <(grep -E '^\| (`|GV100, of|H100 and)' "$BUILD/hardware.md") <(sed -n '/^<!-- choices -->$/,/^<!-- end of choices -->$/p' docs/accuracy.md | grep -E '^\| (`|GV100, of|H100 and)') >&2; then
    echo "ok - docs/accuracy.md has what was fitted or chosen as make validation-hardware writes it"
else
    echo "not ok - docs/accuracy.md has what was fitted or chosen as make validation-hardware writes it"
fi
if [ "$(grep -c '<title>.*: measured' "$BUILD/hardware.md")" = 18 ] &&
    grep -E '^<' "$BUILD/hardware.md" | while read -r line; do grep -qxF -- "$line" docs/accuracy.svg || exit 1; done &&
    [ "$(grep -c '<title>.*: measured' docs/accuracy.svg)" = "$(cat tests/golden/hardware/measured.csv tests/golden/hardware/{kernels,cells}/measured.csv | grep -c '[0-9]$')" ]; then
    echo "ok - docs/accuracy.svg has their marks, and one for each launch"
else
    echo "not ok - docs/accuracy.svg has their marks, and one for each launch"
fi
if python3 tests/validation/scaling.py nn kernels/dct8x8 >"$BUILD/scaling.md" && [ "$(grep -c '^| [nk][n/e]' "$BUILD/scaling.md")" = 2 ] &&
    grep '^| [nk][n/e]' "$BUILD/scaling.md" | while read -r row; do grep -qxF -- "$row" docs/accuracy.md || exit 1; done; then
    echo "ok - docs/accuracy.md has the rows of make validation-scaling for those that take no time"
else
    echo "not ok - docs/accuracy.md has the rows of make validation-scaling for those that take no time"
fi
if python3 tests/validation/without.py nn 3DConvolution icache.ahead >"$BUILD/without.md" && [ "$(grep -c '^| `' "$BUILD/without.md")" = 4 ] &&
    grep '^| `' "$BUILD/without.md" | while read -r row; do grep -qxF -- "$row" docs/accuracy.md || exit 1; done; then
    echo "ok - docs/accuracy.md has the rows of make validation-without for those that take no time"
else
    echo "not ok - docs/accuracy.md has the rows of make validation-without for those that take no time"
fi
if PYTHONPATH=tests/validation python3 -c "
import scaling
assert [scaling.shown(ratio) for ratio in (1.02, 1.025, 1.06)] == ['1.02', '**1.02**', '**1.06**']"; then
    echo "ok - a launch that takes longer is not passed over"
else
    echo "not ok - a launch that takes longer is not passed over"
fi
# Command lines: what there is not is refused before anything runs, with the names that there are.
REPRISE_BEFORE=$REPRISE
export REPRISE=/nowhere
for script in hardware machine_tables without scaling sampling micro latencies machine_code lsu_lines gemm; do
    help=$(python3 tests/validation/$script.py --help) && grep -q "^usage: $script.py" <<<"$help" || echo "not ok - $script.py --help"
    for wrong in --foo nosuch; do
        printed=$(python3 tests/validation/$script.py $wrong 2>&1 >"$BUILD/wrong" </dev/null)
        status=$?
        if [ $status = 2 ] && [ ! -s "$BUILD/wrong" ] && grep -q "$script.py: error: .*$wrong" <<<"$printed"; then
            echo "ok - $script.py $wrong is refused"
        else
            echo "not ok - $script.py $wrong is refused"
        fi
    done
done
for named in "hardware nosuch there.are.*nw" "without nosuch there.are.*l1.hash=none" "scaling nosuch there.are.*nn" "sampling nosuch there.are.*bfs.sass.*jetson-tx2" \
    "micro nosuch there.are.*h100" "latencies nosuch there.are.*titan-v" "machine_code nosuch there.are.v100" "san 1 2 3 4 nosuch=1 there.are.local_load"; do
    script=${named%% *} names=${named##* }
    wrong=${named#* }
    # shellcheck disable=SC2086
    if python3 tests/validation/$script.py ${wrong% *} 2>&1 </dev/null | grep -q "$names"; then echo "ok - $script.py lists names"; else echo "not ok - $script.py lists names"; fi
done
if python3 - "$(mktemp -d)" <<'END'; then echo "ok - an interrupt ends replays at once"; else echo "not ok - an interrupt ends replays at once"; fi
import os, shutil, signal, subprocess, sys
folder = sys.argv[1]
os.mkfifo(f'{folder}/begun')
with open(f'{folder}/reprise', 'w') as f:
    f.write(f'#!/bin/sh\necho begun >{folder}/begun\nexec sleep 1000\n')
os.chmod(f'{folder}/reprise', 0o755)
script = subprocess.Popen(['python3', 'tests/validation/hardware.py', 'nw', 'bfs'], env={**os.environ, 'REPRISE': f'{folder}/reprise'}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
with open(f'{folder}/begun') as f:
    f.readline()
script.send_signal(signal.SIGINT)
out, err = script.communicate()
shutil.rmtree(folder)
sys.exit((script.returncode, out, err) != (130, '', 'hardware.py: stopped by SIGINT\n'))
END
export REPRISE=$REPRISE_BEFORE
# Figures 10 to 12
if grep -q 'loads and stores: 8 and 2, 32 and 4, 88 and 8\.$' "$BUILD/pastis.md"; then
    echo "ok - as many transactions of shared memory as PasTiS measured"
else
    echo "not ok - as many transactions of shared memory as PasTiS measured"
fi
for script in micro latencies; do
    printed=$(python3 tests/validation/$script.py manycore-32 2>&1 </dev/null)
    if [ $? = 2 ] && [ "$(grep -c 'machine manycore-32 has cores' <<<"$printed")" = 1 ] && ! grep -q flush_caches <<<"$printed"; then
        echo "ok - $script.py refuses a machine of cores, once"
    else
        echo "not ok - $script.py refuses a machine of cores, once"
    fi
done
# both engines on real control words, also with an instruction cache in the way
. tests/support/cli.sh
"$REPRISE" record -q -o "$work/t.wtr" --module tests/golden/pastis/matmul_int.cubin --kernel matmul_int --grid 3,2 --block 16,16 \
    --arg buf=rand-i32:256:seed=1 --arg buf=rand-i32:256:seed=2 --arg buf=zeros:1024 --arg i32=16
for settings in "scheduler=gto" "scheduler=lrr --set issue.width=1" "dependencies=scoreboard" \
    "icache=set-associative --set icache.sets=2 --set icache.ways=1 --set icache.latency=50"; do
    for engine in fast reference; do
        # shellcheck disable=SC2086
        "$REPRISE" replay -q "$work/t.wtr" --machine jetson-tx2 --set $settings --json --engine $engine | sed '/"engine"/d' >"$work/$engine"
    done
    if grep -q '"cycles"' "$work/fast" && cmp -s "$work/fast" "$work/reference"; then
        echo "ok - machine code: both engines agree, $settings"
    else
        echo "not ok - machine code: both engines agree, $settings"
    fi
done
if grep -q '"dependencies": "control-words"' "$work/fast"; then echo "ok - its control words are obeyed"; else echo "not ok - its control words are obeyed"; fi

# One line and status 1 where nothing can be printed, or reprise is not there
says_once() { # WHAT FILE STATUS TEXT
    if [ "$3" = 1 ] && [ "$(cat "$2")" = "$4" ]; then echo "ok - $1"; else echo "not ok - $1: status $3, $(cat "$2")"; fi
}
python3 tests/validation/hardware.py dct8x8 2>"$work/err" >/dev/full
says_once "a full disk" "$work/err" $? "hardware.py: standard output: No space left on device"
python3 -c "import os, subprocess, sys
read, write = os.pipe()
os.close(read)
sys.exit(subprocess.run(['python3', 'tests/validation/hardware.py', 'dct8x8'], stdout=write).returncode)" 2>"$work/err"
says_once "a closed pipe" "$work/err" $? "hardware.py: standard output: Broken pipe"
REPRISE=/nonexist python3 tests/validation/hardware.py dct8x8 2>"$work/err" >"$work/out"
says_once "no reprise" "$work/err" $? "hardware.py: /nonexist: No such file or directory; make builds it, and REPRISE names another one"

# Of the GEMM of the SAN paper: what the code is, by counting it. The rows of ptxas's code need make toolchain.
python3 tests/validation/gemm.py --code >"$BUILD/gemm.md"
if [ -e "$BUILD/toolchain/complete" ]; then skipped=; else skipped=" # without the rows of ptxas: no toolchain here"; fi
if [ "$(grep -c '^| [Nu]' "$BUILD/gemm.md")" -ge 3 ] && grep '^|' "$BUILD/gemm.md" | while read -r row; do grep -qxF -- "$row" docs/validation.md || exit 1; done; then
    echo "ok - docs/validation.md has the rows of make validation-gemm about the code$skipped"
else
    echo "not ok - docs/validation.md has the rows of make validation-gemm about the code"
fi
