#!/bin/bash
# Traces of CUDA programs: the same bytes every time, what the filters leave in, and whole however a program ends.
set -u
. tests/support/cli.sh
dir=$work
export XDG_CACHE_HOME=$dir/cache
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - traces of CUDA programs # SKIP they are for Linux on x86-64, without AddressSanitizer"
    exit 0
fi
build() { ${CC:-gcc} -std=c17 -D_GNU_SOURCE -g -I. "$@" -L"$BUILD/lib" -l:libcuda.so.1 -lpthread -ldl; }
build tests/cuda/ends.c -o "$dir/ends"
record() { # trace, options... -- program
    local trace=$1
    shift
    "$REPRISE" record -q -o "$dir/$trace" "$@" >"$dir/out" 2>"$dir/err"
}
launches() { "$REPRISE" info --json "$dir/$1" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["traces"][0]["launches"]))'; }
has() { # trace, launches
    local n
    "$REPRISE" verify "$dir/$1" >/dev/null && n=$(launches "$1")
    [ "${n:-}" = "$2" ] || { echo "${n:-no} launches, not $2"; cat "$dir/err"; false; }
}

# ---- the same bytes -------------------------------------------------------------------------------------------------
same() { # name, program, arguments...
    local name=$1 layout
    shift
    record one --threads 1 -- "$@"
    record two --threads 2 -- "$@"
    check "$name: the same trace with 1 and 2 threads" cmp "$dir/one" "$dir/two"
    if setarch -R true 2>/dev/null; then
        # by hand, so that both layouts are those of the system
        for layout in "setarch -R" env; do
            (eval "$("$REPRISE" env -o "$dir/${layout%% *}")"
             # shellcheck disable=SC2086
             REPRISE_QUIET=1 $layout "$@") >/dev/null 2>"$dir/err"
        done
        check "$name: the same trace in another layout of addresses" cmp "$dir/setarch" "$dir/env"
    else
        echo "ok - $name: layouts of addresses # SKIP setarch -R is not allowed here"
    fi
}
for program in memory classes thrust cub textures driver cooperative; do same $program tests/cuda/prebuilt/$program; done
same ends "$dir/ends"
# Memory of the program itself has addresses that the system chooses; record asks it not to.
record one -- "$dir/ends" registered
record two -- "$dir/ends" registered
if setarch -R true 2>/dev/null; then
    check "memory of the program: the same trace" cmp "$dir/one" "$dir/two"
else
    echo "ok - memory of the program # SKIP setarch -R is not allowed here"
fi

# ---- several devices -------------------------------------------------------------------------------------------------
record devices --device h100 --devices 2 -- tests/cuda/prebuilt/devices
record again --device h100 --devices 2 --threads 1 -- tests/cuda/prebuilt/devices
check "several devices: the same trace with another number of threads" cmp "$dir/devices" "$dir/again"
"$REPRISE" info --json "$dir/devices" >"$dir/info.json"
is "info says which device ran a launch" "$(json "$dir/info.json" 'sorted({l["device"] for l in d["launches"]})')" "[0, 1]"
"$REPRISE" dump "$dir/devices" --host --json >"$dir/host.json"
is "dump says what was copied between devices" \
    "$(json "$dir/host.json" 'sum(o["bytes"] for o in d["host_operations"] if o["kind"] == "copy" and o["direction"] == "on-device" and o["from"] == 0)')" 20000
"$REPRISE" replay -q "$dir/devices" -m h100 --set link.bandwidth=200 --set link.latency=1000 --json >"$dir/replay.json"
is "replay takes copies over links" "$(json "$dir/replay.json" '[(l["from"], l["to"], l["count"], l["bytes"], l["cycles"]) for l in d["links"]]')" \
    "[(0, 1, 6, 20000, 6100), (1, 0, 2, 4000, 2020)]"
check "replay has cycles of each device, fewer than the total's" \
    test "$(json "$dir/replay.json" 'all(0 < v["cycles"] < d["total"]["cycles"] for v in d["devices"]) and len(d["devices"])')" = 2
"$REPRISE" replay -q "$dir/devices" -m h100 >"$dir/text"
check "replay says that links take no time" grep -q "link.bandwidth is 0" "$dir/text"
check "replay names the device of a launch" grep -q "^ *1 *1  fill_own" "$dir/text"
fails 1 "is of 2 devices" "$REPRISE" replay -q "$dir/devices" -m h100 --sample 5%

# ---- launches by kernels ----------------------------------------------------------------------------------------------
xz -dc tests/cuda/prebuilt/nested.xz >"$dir/nested"
chmod +x "$dir/nested"
same nested "$dir/nested"
check "the children are launches of the trace, and verify finds it whole" has one 422
check "info says whose children they are" eval '"$REPRISE" info --json "$dir/one" | python3 -c "
import json, sys
launches = json.load(sys.stdin)[\"traces\"][0][\"launches\"]
first = [l for l in launches if l.get(\"parent\") == 0]
assert [l[\"launch\"] for l in first] == list(range(1, 265)), len(first)
assert len({l[\"stream\"] for l in first}) == 4 and launches[0][\"stream\"] == 0, first[0]
assert any(l.get(\"parent\", 0) > 300 for l in launches)"'
check "and so does its text" eval '"$REPRISE" info "$dir/one" | grep -q "^          child of launch 0, stream 16777216, after launch 0$"'
record chosen --kernels "^tree" -- "$dir/nested"
check "a launch that is recorded is so with its children" has chosen 15
check "they are replayed, in both engines alike" eval '"$REPRISE" replay -q --json -m rtx2060 "$dir/chosen" >"$dir/fast" &&
    "$REPRISE" replay -q --json -m rtx2060 --engine reference "$dir/chosen" >"$dir/slow" &&
    diff <(grep -v "\"engine\"" "$dir/fast") <(grep -v "\"engine\"" "$dir/slow")'

# ---- cooperative launches --------------------------------------------------------------------------------------------
record cooperative -- tests/cuda/prebuilt/cooperative
check "info says which launches are cooperative" eval '"$REPRISE" info "$dir/cooperative" | grep -q "^launch 0  sums, grid 7, cooperative, block 64"'
check "info --json, too, and which are not" eval '"$REPRISE" info --json "$dir/cooperative" | python3 -c "
import json, sys
launches = json.load(sys.stdin)[\"traces\"][0][\"launches\"]
assert launches[0][\"cooperative\"] is True, launches[0]
"'
record plain -- tests/cuda/prebuilt/vector_add 1000
check "a plain launch is not" eval '! "$REPRISE" info "$dir/plain" | grep -q cooperative'
for how in "--engine fast -m jetson-tx2" "--engine reference -m jetson-tx2" "-m rtx2060-accelsim --set sms=1"; do
    "$REPRISE" replay "$dir/cooperative" $how >"$dir/out" 2>"$dir/err"
    status=$?
    check "a cooperative launch that the machine cannot hold at a time is refused: $how" \
        eval '[ $status -eq 2 ] && [ ! -s "$dir/out" ] && grep -q "cooperative launch of .* blocks, .* does not fit" "$dir/err"'
done
check "one that it holds is timed" eval '"$REPRISE" replay -q "$dir/cooperative" -m rtx2060 >"$dir/out" 2>"$dir/err"'

# ---- traces that cannot be written ----------------------------------------------------------------------------------
for where in "$dir/no/such.wtr" "$dir"; do
    "$REPRISE" record -o "$where" -- touch "$dir/started" >"$dir/out" 2>"$dir/err"
    status=$?
    check "a trace that cannot be written: status 1, the file is named, the program is not started ($where)" \
        eval '[ $status -eq 1 ] && grep -q "$where" "$dir/err" && [ ! -e "$dir/started" ]'
done
check "--nvtx that is no regular expression: status 1, and the program is not started" \
    eval '"$REPRISE" record -o "$dir/t.wtr" --nvtx "[" -- touch "$dir/started" 2>"$dir/err"
          [ $? -eq 1 ] && grep -q -- "--nvtx \[" "$dir/err" && [ ! -e "$dir/started" ]'
# by hand: what the command line cannot know
(eval "$("$REPRISE" env)"
 REPRISE_TRACE=$dir/gone/t.wtr python3 -c '
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
print(cuda.cuInit(0), *(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) for _ in range(2)))') >"$dir/out" 2>"$dir/err"
check "a trace that cannot be created: said once, and no context comes to be" \
    eval '[ $(grep -c "cannot create" "$dir/err") -eq 1 ] && grep -qx "0 2 2" "$dir/out"'

# as on a full disk
(python3 -c 'import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
os.execvp(sys.argv[1], sys.argv[1:])' "$REPRISE" record -o "$dir/full.wtr" -- "$dir/ends" many) >"$dir/out" 2>"$dir/err"
check "no room for the trace: said once, the calls that follow fail, and no trace is left" \
    eval '[ $(grep -c "cannot write .*full.wtr" "$dir/err") -le 2 ] && grep -q "cuLaunchKernel.*: 304" "$dir/out" &&
          [ ! -e "$dir/full.wtr" ] || { cat "$dir/out" "$dir/err"; false; }'

# As a user has it, where the signal would end the program: the library's writes fail, the program's own do what they did.
(ulimit -f 2; "$REPRISE" record -q -o "$dir/limited.wtr" -- "$dir/ends" many 2>&1 >"$dir/out"; echo "status $?") 2>&1 | cat >"$dir/err"
check "a limit of files' sizes: said, the calls that follow fail, and no trace is left" \
    eval 'grep -qx "reprise: cannot write .*/limited.wtr.: File too large: .ulimit -f. limits the size of files; raise the limit" "$dir/err" &&
          grep -q "cuLaunchKernel.*: 304" "$dir/out" && grep -qx "status 1" "$dir/err" && [ -z "$(ls "$dir"/limited*)" ] || { cat "$dir/out" "$dir/err"; false; }'
(ulimit -f 1; "$REPRISE" record -q -o "$dir/limited.wtr" -- "$dir/ends" 2>&1; echo "status $?") | cat >"$dir/err"
is "... the trace's end does not fit: said once" "$(cat "$dir/err")" "reprise: the trace is not whole: cannot write '$dir/limited.wtr': File too large: 'ulimit -f' limits the size of files; raise the limit
status 4"
check "... and no trace is left" test -z "$(ls "$dir"/limited* 2>/dev/null)"
(ulimit -f 64; "$REPRISE" record -q -o "$dir/grown.wtr" -- "$dir/ends" grow "$dir/grown" 2>&1; echo "status $?") 2>/dev/null | cat >"$dir/err"
is "a program whose own file is too large ends as without reprise" "$(cat "$dir/err") $(stat -c %s "$dir/grown")" "status $((128 + $(kill -l XFSZ))) 65536"
check "... and its trace is whole" has grown.wtr 6

# ---- programs without a trace ---------------------------------------------------------------------------------------
touch "$dir/old.wtr"
"$REPRISE" record -o "$dir/old.wtr" -- "$dir/nothing" 2>"$dir/err"
check "a program that does not exist leaves an earlier trace alone" test $? -eq 127 -a -e "$dir/old.wtr"
"$REPRISE" record -o "$dir/old.wtr" -- python3 -c 'raise SystemExit(3)' 2>"$dir/err"
check "a program without CUDA: its own status" test $? -eq 3
check "a program without CUDA: that there is no trace is said once" \
    eval '[ $(grep -c "old.wtr was not written: the program did nothing on a device" "$dir/err") -eq 1 ]'
check "a program without CUDA: no trace of an earlier command is left" test ! -e "$dir/old.wtr"
"$REPRISE" record -o "$dir/old.wtr" -- bash -c "$dir/ends; $dir/ends; true" 2>"$dir/err"
check "a shell whose programs use CUDA: nothing is said" eval '! grep -q "was not written" "$dir/err"'

# ---- names ----------------------------------------------------------------------------------------------------------
record names.wtr --limit 2 -- "$dir/ends"
check "messages name kernels as the source does" grep -q "kernel 'first(int\*)': " "$dir/err"

# ---- filters --------------------------------------------------------------------------------------------------------
filtered() { # launches, options...
    local wanted=$1
    shift
    record filtered.wtr "$@" -- "$dir/ends"
    check "$*: $wanted launches" has filtered.wtr "$wanted"
}
filtered 6
filtered 3 --kernels '^first\(int\*\)$'
filtered 6 --kernels 'first|second'
filtered 0 --kernels '_Z5first'
filtered 3 --launches 1,3..4
filtered 2 --launches 4..
filtered 2 --first 1
filtered 1 --first 1 --kernels second
filtered 1 --launches 2..3 --kernels first
filtered 0 --max-size 1
filtered 6 --max-size 1000000
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ -e "$cuda/include/nvtx3/nvToolsExt.h" ]; then
    build -I"$cuda/include" tests/cuda/ranges.c -o "$dir/ranges"
    ranges() { # launches, expression
        record ranges.wtr --nvtx "$2" -- "$dir/ranges"
        check "--nvtx '$2': $1 launches" has ranges.wtr "$1"
    }
    ranges 6 'step 1'
    ranges 4 '^inner$'
    ranges 32 'step 3'
    ranges 48 'epoch|step 3'
    ranges 54 '.'
    ranges 0 'nothing'
    record ranges.wtr -- "$dir/ranges"
    check "without --nvtx all launches" has ranges.wtr 127
else
    echo "ok - NVTX # SKIP no $cuda/include/nvtx3"
fi

# ---- copies ---------------------------------------------------------------------------------------------------------
record copies.wtr -- "$dir/ends" copies
"$REPRISE" dump --host "$dir/copies.wtr" >"$dir/host"
for copy in "to-device 1001" "to-host 1002" "on-device 1003" "on-host 1004" "to-device 1005"; do
    check "a copy $copy bytes" grep -q "copy  *${copy% *} .*${copy#* } bytes" "$dir/host"
done
for bytes in 1001 1002 1004 1005 1007 1009; do
    check "the host waits for $bytes bytes" grep -q "$bytes bytes, the host waits" "$dir/host"
done
for bytes in 1003 1006 1008; do
    check "the host goes on beside $bytes bytes" grep -q "$bytes bytes, asynchronous" "$dir/host"
done

# ---- ends -----------------------------------------------------------------------------------------------------------
ends() { # how, status, launches
    local status
    record end.wtr -- "$dir/ends" "$1"
    status=$?
    check "$1: status $2" test $status -eq "$2"
    check "$1: $3 launches, whole" has end.wtr "$3"
    check "$1: nothing is left beside the trace" eval '! ls "$dir"/*.part-* >/dev/null 2>&1'
}
ulimit -c 0
ends return 0 6
ends exit 3 6
{ ends abort 134 6; } 2>/dev/null
{ ends crash 139 6; } 2>/dev/null
ends fork 0 7
ends threads 0 206
ends exec 0 6
check "exec: the new program has a trace of its own" has end.2.wtr 6
check "exec: where it is is said" grep -q "is of another process of this command; this one's launches go to $dir/end.2.wtr" "$dir/err"
record 'process%p.wtr' -- bash -c "$dir/ends; $dir/ends"
check "%p: two processes, two traces" eval '[ $(ls "$dir"/process[0-9]*.wtr | wc -l) -eq 2 ] && [ ! -s "$dir/err" ]'
record both.wtr -- bash -c "$dir/ends; $dir/ends"
check "without %p no process overwrites the other's trace" eval 'has both.wtr 6 && has both.2.wtr 6'
record both.wtr -- "$dir/ends"
check "a trace of an earlier command is overwritten" eval '[ ! -s "$dir/err" ] && has both.wtr 6'
end_by() { # signal, what the program does when it comes, launches
    mkfifo "$dir/ready"
    # a process of its own, as those in the background of a script do not hear SIGINT, and those under nohup no SIGHUP; the
    # alarm ends one that goes on
    python3 -c 'import os, signal, sys; signal.alarm(60); [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGHUP)]; os.execvp(sys.argv[1], sys.argv[1:])' \
        "$REPRISE" record -q -o "$dir/signal.wtr" -- "$dir/ends" "$2" >"$dir/ready" 2>"$dir/err" &
    process=$!
    read -r _ <"$dir/ready"
    kill -$1 $process
    wait $process 2>/dev/null
    status=$?
    check "SIG$1 ends the program ($2)" test $status -eq $((128 + $(kill -l $1)))
    check "SIG$1: $3 launches, whole ($2)" has signal.wtr $3
    rm "$dir/ready"
}
for signal in INT TERM HUP; do
    end_by $signal wait 6
    end_by $signal endless 7
    check "SIG$signal: the kernel that was stopped is named" grep -q "kernel 'endless': interrupted: " "$dir/err"
done
end_by XCPU endless 7
end_by TERM blocks 7
is "a block that had not begun is no error of the trace" "$(grep -c "cannot encode" "$dir/err")" 0

# ---- kill -9 --------------------------------------------------------------------------------------------------------
# A process beside the program completes the trace, a moment after the program's end.
killed() { # trace, what the program does when it comes, launches that are there by then
    local process reader
    mkfifo "$dir/wrote" "$dir/said"
    cat "$dir/said" >"$dir/err" & # until the last process that may say something has ended
    reader=$!
    REPORT_WRITES=1 python3 -c 'import os, signal, sys; signal.alarm(60); os.execvp(sys.argv[1], sys.argv[1:])' \
        "$REPRISE" record -o "$dir/$1" -- "$dir/ends" "$2" >"$dir/wrote" 2>"$dir/said" &
    process=$!
    exec 3<"$dir/wrote"
    while read -r _ <&3; do # launches are saved some time after their end
        "$REPRISE" info --json "$dir/$1".part-* 2>/dev/null | python3 -c "import json, sys; sys.exit(len(json.load(sys.stdin)['traces'][0]['launches']) < $3)" 2>/dev/null && break
    done
    kill -9 $process
    wait $process $reader 2>/dev/null
    exec 3<&-
    rm "$dir/wrote" "$dir/said"
}
killed 'k[1].wtr' wait 6
check "kill -9: 6 launches, whole" has 'k[1].wtr' 6
check "kill -9: what is there is said" grep -qF "k[1].wtr: the program was killed; 6 launches are saved" "$dir/err"
check "kill -9: nothing is left beside the trace" eval '! ls "$dir"/*.part-* >/dev/null 2>&1'
record unkilled.wtr -- "$dir/ends"
columns() { "$REPRISE" info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["traces"][0]["launches"])'; }
check "kill -9: the launches are those of a program that is not killed" \
    eval '[ "$(columns "$dir/k[1].wtr")" = "$(columns "$dir/unkilled.wtr")" ]'
killed kernel.wtr eternal 7
check "kill -9 within a kernel: what came before is whole" eval '"$REPRISE" info "$dir/kernel.wtr" | grep -q "cut short"'
check "kill -9 within a kernel: 6 launches have ended" \
    eval '[ $(columns "$dir/kernel.wtr" | grep -o complete | wc -l) -eq 6 ]'
