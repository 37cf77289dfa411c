#!/bin/bash
# reprise import gpgpusim.config: the machine is rtx2060-accelsim, others give the cycles that Accel-Sim gives, and broken files
# have one clear error.
set -u
. tests/support/cli.sh
dir=$work
golden=tests/golden/gpgpusim
cycles() { "$r" replay -q --csv "$@" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i } END { print $c }'; }
"$r" import -q $golden/rtx2060.config $golden/rtx2060-trace.config -o "$dir/mine.cfg" 2>"$dir/err"
is "a configuration is read without a word" "$? $(cat "$dir/err")" "0 "
# the area of the die and what programs are told of a device are no part of a configuration
is "it is rtx2060-accelsim, option by option" "$("$r" machine diff rtx2060-accelsim "$dir/mine.cfg" --csv | tail -n +2 | grep -vE "^(area,|device\.)")" ""
is "each value has its place" "$(grep -c 'sms = 30; .*# rtx2060.config:3 -gpgpu_n_clusters 30$' "$dir/mine.cfg")" 1
for t in m_ffma_dep_1w m_copy_240b; do
    "$r" import accelsim -q tests/golden/accelsim/$t/kernelslist.g -o "$dir/$t.wtr" 2>/dev/null || continue
    is "$t: cycles of rtx2060-accelsim" "$(cycles "$dir/$t.wtr" -m "$dir/mine.cfg")" "$(cycles "$dir/$t.wtr" -m rtx2060-accelsim)"
done
# what Accel-Sim reports for its TITAN V, whose units and latencies these are
sed -e 's/\(latency_initiation_dp\) .*/\1 8,4/; s/\(latency_initiation_sfu\) .*/\1 20,8/' $golden/rtx2060-trace.config >"$dir/titanv-trace.config"
sed -e 's/\(gpgpu_smem_latency\) .*/\1 20/; s/\(kernel_launch_latency\) .*/\1 0/; s/\(shader_core_pipeline\) .*/\1 2048:32/; s/\(n_clusters\) .*/\1 80/' \
    $golden/rtx2060.config >"$dir/titanv.config"
"$r" import -q "$dir/titanv.config" "$dir/titanv-trace.config" -o "$dir/titanv.cfg"
for row in m_ffma_dep_1w=7171 m_imad_dep_1w=7172 m_dfma_dep_1w=13315 m_mufu_dep_1w=25603 m_lds_dep_1w=12803 m_ffma_ind_16w=8202 m_mix2_ffma_imad_16w=4110; do
    t=${row%=*}
    "$r" import accelsim -q tests/golden/accelsim/$t/kernelslist.g -o "$dir/$t.wtr"
    is "$t: Accel-Sim's cycles for its TITAN V" "$(cycles "$dir/$t.wtr" -m "$dir/titanv.cfg")" "${row#*=}"
done
# without trace.config: the latencies for PTX
"$r" import -q $golden/rtx2060.config -o "$dir/ptx.cfg"
is "latencies for PTX where there are no others" "$("$r" machine diff "$dir/mine.cfg" "$dir/ptx.cfg" --csv | grep -c '^classes.\(int\|int-div\|fp32-div\|fp64-div\).latency,')" 4
is "a division as these have it" "$("$r" machine show "$dir/ptx.cfg" --csv | grep -e '^classes.fp64-div' | tr '\n' ' ')" \
    "classes.fp64-div.unit,dp classes.fp64-div.initiation,130 classes.fp64-div.latency,200 "

says() { # what, text, option lines: warnings for them, once, and a machine that reads back
    { cat $golden/rtx2060.config; printf '%s\n' "${@:3}"; } >"$dir/w.config"
    "$r" import -q "$dir/w.config" -o "$dir/w.cfg" 2>"$dir/err"
    is "$1" "$? $(grep -cF -- "$2" "$dir/err") $(wc -l <"$dir/err") $("$r" machine show "$dir/w.cfg" >/dev/null && echo reads back)" "0 1 1 reads back"
}
says "an option that is not known" "w.config:95: option -gpgpu_colour is not known, and left out" "-gpgpu_colour 7" "-gpgpu_colour 8"
says "a value that is not modelled" "w.config:95: -network_mode 1: not modelled" "-network_mode 1"
says "a number beyond what is modelled" "w.config:95: -gpgpu_inst_fetch_throughput 1000: not modelled: fetches is 64 here" "-gpgpu_inst_fetch_throughput 1000"
says "units that a sub-core has not" "w.config:95: -gpgpu_num_sp_units 8: not modelled" "-gpgpu_num_sp_units 8"
says "a scheduler that is not there" "w.config:95: -gpgpu_scheduler rrr: not modelled" "-gpgpu_scheduler rrr"
{ cat $golden/rtx2060.config; echo "-gpgpu_scheduler warp_limiting:2:4"; } >"$dir/limited.config"
"$r" import -q "$dir/limited.config" $golden/rtx2060-trace.config -o "$dir/limited.cfg"
is "warps are limited" "$("$r" machine show "$dir/limited.cfg" --csv | grep -e '^scheduler' | tr '\n' ' ')" "scheduler.model,limited scheduler.warps,4 "
{ cat $golden/rtx2060.config; echo "-gpgpu_clock_domains 1365:700:900.5:3500.5"; } >"$dir/clocks.config"
"$r" import -q "$dir/clocks.config" $golden/rtx2060-trace.config -o "$dir/clocks.cfg" 2>"$dir/err"
is "crossbar and L2 have their clocks" "$("$r" machine show "$dir/clocks.cfg" --csv | grep -v ^device | grep clock_mhz | tr '\n' ' ')$(cat "$dir/err")" \
    "clock_mhz,1365 l2.clock_mhz,900.5 dram.clock_mhz,3500.5 interconnect.clock_mhz,700 "
says "instructions that are not always there" "not modelled: instructions that miss take -gpgpu_l2_rop_latency here" \
    "-gpgpu_perfect_inst_const_cache 0" "-gpgpu_cache:il1 N:32:128:8,L:R:f:N:L,S:2:48,4"
is "are in a cache of the SM" "$("$r" machine show "$dir/w.cfg" --csv | grep '^icache' | tr '\n' ' ')" \
    "icache.model,set-associative icache.subcores,4 icache.line,128 icache.sets,32 icache.ways,8 icache.latency,194 icache.replacement,lru "
{ cat $golden/rtx2060.config; echo "-gpgpu_cache:dl1 S:4:128:64,F:T:m:L:L,A:256:32,16:0,32"; } >"$dir/fifo.config"
"$r" import -q "$dir/fifo.config" $golden/rtx2060-trace.config -o "$dir/fifo.cfg" 2>"$dir/err"
is "lines replaced in the order in which they came" "$("$r" machine show "$dir/fifo.cfg" --csv | grep 'replacement' | tr '\n' ' ')$(cat "$dir/err")" \
    "l1.replacement,fifo l2.replacement,lru "
says "lines replaced otherwise" "not modelled: lines are replaced by LRU (L) or FIFO (F) here" "-gpgpu_cache:dl1 S:4:128:64,R:T:m:L:L,A:256:32,16:0,32"
says "another L2" "w.config:95: -gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32: not modelled: a slice has 64 sets" \
    "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32"
is "keeps its size" "$("$r" machine show "$dir/w.cfg" --csv | grep -e '^l2.s[ei][tz]' | tr '\n' ' ')" "l2.size,2359296 l2.sets,64 "

fails() { # status, text, option lines: one line of error, and no file
    { cat $golden/rtx2060.config; printf '%s\n' "${@:3}"; } >"$dir/w.config"
    rm -f "$dir/w.cfg"
    "$r" import -q "$dir/w.config" -o "$dir/w.cfg" >"$dir/out" 2>"$dir/err"
    is "refuses: $2" "$? $(grep -cF -- "$2" "$dir/err") $(wc -l <"$dir/err") $(ls "$dir/w.cfg" 2>/dev/null)" "$1 1 1 "
}
fails 2 "w.config:95: -gpgpu_n_mem twelve: this is not a whole number" "-gpgpu_n_mem twelve"
fails 2 "w.config:95: option -gpgpu_n_mem has no value" "-gpgpu_n_mem"
fails 2 "w.config:96: 'twelve' stands where an option" "-gpgpu_n_mem 12" "twelve"
fails 2 "w.config:95: this text in quotes has no end" '-gpgpu_dram_timing_opt "nbk=16'
fails 2 "w.config:95: -gpgpu_dram_timing_opt nbk=16: there is no nbkgrp=N" "-gpgpu_dram_timing_opt nbk=16"
fails 2 "w.config:95: -gpgpu_clock_domains 1365:1365: these are not four clocks" "-gpgpu_clock_domains 1365:1365"
fails 2 "w.config:95: -gpgpu_clock_domains 1365:0:1365:3500.5: these are not four clocks" "-gpgpu_clock_domains 1365:0:1365:3500.5"
fails 2 "w.config:95: -gpgpu_cache:dl1 none: this is no cache" "-gpgpu_cache:dl1 none"
fails 2 "w.config:95: -gpgpu_shader_core_pipeline 1024:16: this is not THREADS:32" "-gpgpu_shader_core_pipeline 1024:16"
fails 2 "w.config:95: -gpgpu_n_clusters 100000: " "-gpgpu_n_clusters 100000"
fails 2 "w.config:95: -gpgpu_n_mem 0: there must be at least one" "-gpgpu_n_mem 0"
fails 2 "w.config: the machine that it describes is none: subcores (4) does not divide limits.warps (2)" "-gpgpu_shader_core_pipeline 64:32"
fails 2 "w.config:95: -trace_opcode_latency_initiation_int 0,0: an initiation is at least one cycle" "-trace_opcode_latency_initiation_int 0,0"
fails 2 "this is no configuration of GPGPU-Sim" "$(printf -- '-a \001')"
"$r" import $golden/rtx2060-trace.config -o "$dir/w.cfg" 2>"$dir/err"
is "half a configuration" "$? $(grep -c 'option -gpgpu_n_clusters is not there; is this a whole gpgpusim.config?' "$dir/err")" "2 1"
"$r" import "$dir/nothing.config" -o "$dir/w.cfg" 2>"$dir/err"
is "no configuration" "$? $(grep -c 'nothing.config' "$dir/err")" "2 1"
"$r" import $golden/rtx2060.config $golden/rtx2060-trace.config x -o "$dir/w.cfg" 2>"$dir/err"
is "three files" "$? $(grep -c 'at most gpgpusim.config and trace.config' "$dir/err")" "1 1"
cp $golden/rtx2060.config "$dir/own.config"
"$r" import "$dir/own.config" -o "$dir/own.config" 2>"$dir/err"
is "an output that is an input" "$? $(grep -c 'would be written over a configuration' "$dir/err")" "1 1"

# random changes: a machine that reads back, or one line of error and no file
python3 - "$r" "$dir" $golden/rtx2060.config $golden/rtx2060-trace.config <<'PY'
import os, random, re, subprocess, sys
program, folder, *files = sys.argv[1:]
rng = random.Random(8)
texts = [open(f, 'rb').read() for f in files]
bad, made = [], 0
def change(text):
    words = text.split(b' ')
    for _ in range(rng.choice((1, 1, 2, 5))):
        i, kind = rng.randrange(len(text)), rng.randrange(7)
        if kind == 0: text = text[:i] + bytes([rng.randrange(256)]) + text[i + 1:]
        elif kind == 1: text = text[:i] + text[i + rng.randrange(1, 40):]
        elif kind == 2: text = text[:i] + text[rng.randrange(len(text)):][:30] + text[i:]
        elif kind == 3: text = text[:i]
        else:  # another number
            numbers = list(re.finditer(rb'\d+', text))
            if not numbers: continue
            n = rng.choice(numbers)
            text = text[:n.start()] + rng.choice((b'0', b'1', b'-1', b'4294967296', b'99999999999999999999', b'3.5', b'', b'7', b'x', b'100000')) + text[n.end():]
        if not text: text = b' '
    return text
for n in range(250):
    names = []
    for i, t in enumerate(texts):
        names.append(f'{folder}/fuzz{i}.config')
        open(names[-1], 'wb').write(change(t))
    out = f'{folder}/fuzz.cfg'
    if os.path.exists(out): os.remove(out)
    p = subprocess.run([program, 'import', '-q', *names, '-o', out], capture_output=True, timeout=60)
    errors = [l for l in p.stderr.decode(errors='replace').split('\n') if l and 'warning: ' not in l]
    if p.returncode == 0:
        made += 1
        if errors or subprocess.run([program, 'machine', 'show', out], capture_output=True).returncode: bad.append((n, errors))
    elif p.returncode != 2 or len(errors) != 1 or 'fuzz' not in errors[0] or os.path.exists(out):
        bad.append((n, p.returncode, errors))
print(('not ok' if bad else 'ok') + ' - 250 random changes: a machine that reads back, or one error')
print(('ok' if 20 < made < 230 else 'not ok') + ' - both come about')
for b in bad[:5]: print('  ', b, file=sys.stderr)
if not 20 < made < 230: print(made, file=sys.stderr)
PY
