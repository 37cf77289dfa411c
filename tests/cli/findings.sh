#!/bin/bash
# What becomes of findings: the exit status, reports in five formats, suppressions, baselines, filters, and findings of
# programs that are killed.
set -u
. tests/support/cli.sh
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - findings of CUDA programs # SKIP they are for Linux on x86-64, without AddressSanitizer"
    exit 0
fi
${CC:-gcc} -std=c17 -D_GNU_SOURCE -g -O0 -no-pie -fno-inline -I. tests/cuda/wrong.c -L"$BUILD/lib" -l:libcuda.so.1 -o "$work/wrong"
# shellcheck disable=SC2016
each='program=$1; shift; for what; do "$program" "$what" || status=$?; done; exit ${status:-0}'
run() { # status, options... -- words: what wrong does, one process for each word
    local status=$1 got options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    "$r" run "${options[@]}" -- sh -c "$each" sh "$work/wrong" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$status" ] || { echo "status $got, not $status" >&2; cat "$work/out" "$work/err" >&2; return 1; }
}
says() { grep -qe "$1" "$work/err" || { cat "$work/err" >&2; false; }; }
silent() { [ ! -s "$work/err" ] || { cat "$work/err" >&2; false; }; }
kinds() { json "$1" '" ".join(sorted({f["kind"] for f in d["findings"]}))'; }

# ---- the exit status -------------------------------------------------------------------------------------------------
check "nothing is found: 0" run 0 --check all -- part0
check "... and nothing is said" silent
check "a finding: 3" run 3 --check race -- race
check "... and the sum is said" says "^reprise: 1 finding$"
check "--error-exitcode" run 9 --check race --error-exitcode 9 -- race
check "--error-exitcode 0 leaves the program's status" run 0 --check race --error-exitcode 0 -- race
check "... also where it failed" run 7 --check race --error-exitcode 0 -- fails
check "a double free is one finding" run 3 --check all -- twice
check "... and that is the sum" says "^reprise: 1 finding$"
check "a program that fails and has a finding: 3" run 3 --check race -- fails
check "a program that fails without one: its own" run 7 --check init -- fails
"$r" run --check race --findings "$work/crash.json" -- "$work/wrong" crash >/dev/null 2>"$work/err"
is "a program that a signal ends keeps its status" $? 134
is "... and its findings" "$(json "$work/crash.json" '[f["kind"] for f in d["findings"]], d["program"]["signal"]')" "(['race'], 6)"
"$r" run --check race --findings "$work/none.json" -- "$work/nothing" 2>/dev/null
is "no such program: 127" $? 127
check "... and no file" test ! -e "$work/none.json"
is "a kernel of ours: --error-exitcode" "$("$r" run --module tests/golden/cubin/inlined.ptx --kernel k --grid 2 --block 2 --arg buf=zeros:8 \
    --check race --error-exitcode 5 -q --findings "$work/module.sarif" 2>/dev/null; echo $?)" 5
is "... and its report" "$(json "$work/module.sarif" '[r["ruleId"] for r in d["runs"][0]["results"]][0]')" race

# ---- reports ---------------------------------------------------------------------------------------------------------
check "one of each" run 3 --check all --findings "$work/f.json" --findings "$work/f.sarif" --findings "$work/f.xml" --format github -- \
    leak twice race init sync wild used refused
cp "$work/out" "$work/annotations"
is "each kind" "$(kinds "$work/f.json")" "api host init leak memory race sync"
check "the same as Code Quality" run 3 --check all --findings "$work/gl.json" --format gitlab -- leak twice race init sync wild used refused
check "without memory: a fault" run 3 --check api --findings "$work/fault.json" -- wild
is "... with the call that returns it" "$(kinds "$work/fault.json")" "api fault"
# Nothing is checked: in all formats.
"$r" run --check all --findings "$work/u.json" --findings "$work/u.sarif" --findings "$work/u.xml" -- true >/dev/null 2>&1
"$r" run --check all --findings "$work/ugl.json" --format gitlab -- true >/dev/null 2>&1
"$r" run --check all --format github -- true >"$work/uannotations" 2>/dev/null
python3 tests/cli/findings_schemas.py "$work"
is "where it was launched" "$(json "$work/f.json" '[[s["what"], s["frames"][-1]["function"]] for f in d["findings"] if f["kind"] == "race" for s in f["stacks"]]')" \
    "[['launched', 'main'], ['allocated', 'main']]"
is "where it was freed" "$(json "$work/f.json" '[s["what"] for f in d["findings"] if f["kind"] == "host" for s in f["stacks"]]')" "['called', 'freed', 'allocated']"
is "a call that fails: which, and how often" "$(json "$work/f.json" '[(f["text"].split()[0], f["times"]) for f in d["findings"] if "INVALID_VALUE" in f["text"] and "cuLaunch" in f["text"]]')" \
    "[('cuLaunchKernel', 2)]"
check "--findings - is standard output" run 3 --check race --findings - -- race
is "... as JSON" "$(kinds "$work/out")" race
# a file that was named by mistake is not written over
cp tests/cuda/wrong.c "$work/mine.c"
cp "$r" "$work/program"
printf '#!/bin/sh\n' >"$work/script"
printf '{"name": "package"}\n' >"$work/package.json"
sum=$(cat "$work/mine.c" "$work/program" "$work/script" "$work/package.json" | sha256sum)
for mine in mine.c program script; do
    fails 1 "is a source or a program, and is not written over" "$r" run --check all --findings "$work/$mine" --format json -- true
    fails 1 "is a source or a program, and is not written over" "$r" run --check all --write-suppressions "$work/$mine" -- true
    fails 1 "is a source or a program, and is not written over" "$r" record -o "$work/$mine" -- true
done
fails 1 "was not written by reprise" "$r" run --check all --findings "$work/package.json" -- true
is "what was named by mistake is as it was" "$(cat "$work/mine.c" "$work/program" "$work/script" "$work/package.json" | sha256sum)" "$sum"
for format in json sarif junit github gitlab; do
    : >"$work/twice.json"
    for i in 1 2; do
        "$r" run --check race --findings "$work/twice.json" --format $format -- "$work/wrong" race >/dev/null 2>"$work/err"
        is "--format $format, again into the same file: $i" $? 3
    done
done
fails 1 "in which format?" "$r" run --check all --findings "$work/f.txt" -- true
fails 1 "there are json, sarif, junit, github and gitlab" "$r" run --check all --format pdf -- true
check "a program that cannot be started for want of file numbers" eval '(ulimit -n 5; "$r" run --check all -- true) 2>"$work/err"; [ $? = 4 ] && grep -q "cannot start true: Too many open files" "$work/err"'
fails 1 "--baseline: what shall be looked for?" "$r" run --baseline "$work/f.json" -- true
fails 1 "--kernels is for CUDA programs" "$r" run --module tests/golden/cubin/inlined.ptx --kernels x

# ---- choosing --------------------------------------------------------------------------------------------------------
check "--write-suppressions" run 3 --check all --write-suppressions "$work/known" -- leak race init
check "--suppressions: all of it" run 0 --check all --suppressions "$work/known" --findings "$work/s.json" --findings "$work/s.sarif" -- leak race init
check "... and the sum alone is said" eval '[ "$(cat "$work/err")" = "reprise: 0 findings, and 3 that are suppressed or known" ]'
is "... reports have it" "$(json "$work/s.json" '[f["suppressed"] for f in d["findings"]]')" "[True, True, True]"
is "... SARIF calls it suppressed" "$(json "$work/s.sarif" '[r["suppressions"][0]["kind"] for r in d["runs"][0]["results"]]')" "['external', 'external', 'external']"
check "--suppressions: what is new is found" run 3 --check all --suppressions "$work/known" -- leak race init sync
check "... and nothing else is said" eval '[ "$(grep -c "^reprise: [^ 0-9]" "$work/err")" = 1 ] && says "kernel .sync."'
printf '# a comment\nkind=init,race kernel=^ra file="wr*.cu:1-2"\n\n' >"$work/rules"
sed 's/$/\r/' "$work/known" >"$work/known.crlf"
check "--suppressions: lines may end as on Windows" run 0 --check all --suppressions "$work/known.crlf" -- leak race init
check "a rule: all fields match" run 0 --check race --suppressions "$work/rules" -- race
printf 'kind=race file=wrong.cu:3\n' >"$work/rules"
check "a rule: another line" run 3 --check race --suppressions "$work/rules" -- race
printf 'file=wrong.c\n' >"$work/rules"
check "a rule: a file of the host" run 0 --check leak --suppressions "$work/rules" -- leak
for wrong in 'kind=rac:there is no kind' 'kernel=(:kernel=(' 'what=x:there is no field' 'race:is no field' 'kernel="x:the quote is not closed' 'file=a.cu:9-3:write NAME' \
    'file=a.cu:x-y:write NAME' 'file=a.cu:0:write NAME' 'file=a.cu::write NAME' 'file=:3:write NAME' 'kind=:has no value' 'kernel=:has no value' 'file=:has no value' \
    'fingerprint=:has no value' 'kind=,:there is no kind' 'kind=race,:there is no kind' 'kind=race kind=init:stands there twice' 'file=a file=b:stands there twice'; do
    printf '\n%s\n' "${wrong%:*}" >"$work/rules"
    fails 2 "$work/rules:2: " "$r" run --check race --suppressions "$work/rules" -- true
    check "... ${wrong##*:}" says "${wrong##*:}"
done
fails 2 "No such file" "$r" run --check race --suppressions "$work/nofile" -- true
check "a baseline" run 3 --check all --findings "$work/base.json" -- leak race
check "--baseline: nothing new" run 0 --check all --baseline "$work/base.json" --findings "$work/b.sarif" -- leak race
is "... SARIF calls it unchanged" "$(json "$work/b.sarif" '{r["baselineState"] for r in d["runs"][0]["results"]}')" "{'unchanged'}"
check "--baseline: one is new" run 3 --check all --baseline "$work/base.json" -- leak race sync
check "... and it alone is said" eval '[ "$(grep -c "^reprise: [^ 0-9]" "$work/err")" = 1 ] && says "kernel .sync."'
fails 2 "reprise: $work/gone.json: No such file or directory" "$r" run --check all --baseline "$work/gone.json" -- true
fails 2 "is no file of findings" "$r" run --check all --baseline docs/findings.schema.json -- true
check "--kernels: another kernel: nothing was checked" run 2 --check race --kernels '^sync' -- race
check "... and that is said" says "nothing was checked: no launch is one that --kernels and --launches choose"
check "... unless the status is left to the program" run 0 --check race --kernels '^sync' --error-exitcode 0 -- race
check "... it is said then, too" says "nothing was checked"
check "... one process of several is enough" run 3 --check race,sync --kernels '^sync' -- race sync
check "--kernels: this one" run 3 --check race --kernels '^ra' -- race
check "--launches: no such launch" run 2 --check race --launches 1.. -- race
"$r" run --check all -- true >"$work/out" 2>"$work/err"
is "a program that does not use CUDA: 2" $? 2
check "... and that is said" says "nothing was checked: no process of the program used CUDA"
"$r" run --check all -- false >"$work/out" 2>"$work/err"
is "a program that fails before it does: its status" $? 1
check "--launches: what an unchecked launch writes is known" run 0 --check init --launches 1 -- written
check "--print-limit" run 3 --check memory --print-limit 1 --findings "$work/limit.json" -- wild
check "... others are counted" says "^reprise: 1 more finding not shown$"
is "... and not printed" "$(grep -c "kernel .wild.: memory" "$work/err")" 1
is "... but reports have them" "$(json "$work/limit.json" 'len(d["findings"]), d["findings_not_shown"]')" "(2, 0)"
cat >"$work/many.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.file 1 "many.cu"
.visible .entry many(.param .u64 p, .param .u64 q) { .reg .b64 %p, %q; .reg .b32 %t; ld.param.u64 %p, [p]; ld.param.u64 %q, [q];
  mov.u32 %t, %tid.x;
.loc 1 1 0
  st.global.u32 [%p], %t; st.global.u32 [%q], %t;
.loc 1 2 0
  ld.global.u32 %t, [%p+4]; add.u32 %t, %t, 1; st.global.u32 [%p+4], %t; ret; }
PTX
many() { "$r" run -q --module "$work/many.ptx" --grid 2 --block 64 --arg buf=zeros:8 --arg buf=zeros:8 --check race "$@" >"$work/out" 2>"$work/err"; }
many --findings "$work/many.json"
is "an update without order is one race, of a load and a store or of two stores" \
    "$(json "$work/many.json" 'sorted((f["here"]["line"], f["other"]["line"]) for f in d["findings"])')" "[(1, 1), (1, 1), (2, 2)]"
sed '/^\.loc/d' "$work/many.ptx" >"$work/unlined.ptx"
"$r" run -q --module "$work/unlined.ptx" --grid 2 --block 64 --arg buf=zeros:8 --arg buf=zeros:8 --check race >"$work/out" 2>"$work/err"
is "... also without lines" "$? $(grep -c "kernel .many.: race" "$work/err")" "3 3"
{ printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sum() { .shared .b32 s[128]; .reg .b32 %%a, %%b, %%c; mov.u32 %%a, %%tid.x; shl.b32 %%a, %%a, 2; mov.u32 %%b, s; add.u32 %%a, %%a, %%b;\n'
  for d in 128 64 32 16; do echo "ld.shared.u32 %b, [%a]; ld.shared.u32 %c, [%a+$d]; add.u32 %b, %b, %c; st.shared.u32 [%a], %b;"; done
  echo 'ret; }'; } >"$work/sum.ptx"
"$r" run -q --module "$work/sum.ptx" --grid 1 --block 64 --check race >"$work/out" 2>"$work/err"
is "... a loop of updates that is unrolled" "$? $(grep -c "kernel .sum.: race" "$work/err")" "3 1"
is "... each has a fingerprint of its own" "$(json "$work/many.json" 'len({f["fingerprint"] for f in d["findings"]})')" 3
check "... of which a baseline knows each" many --baseline "$work/many.json"
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); d["findings"].pop(1); json.dump(d, open(sys.argv[1], "w"))' "$work/many.json"
many --baseline "$work/many.json"
is "... and one that it does not have is new" "$? $(grep -c "kernel 'many'" "$work/err")" "3 1"
many --print-limit 1 --findings "$work/many.json" --write-suppressions "$work/places"
is "--print-limit: reports and suppressions have all" "$(json "$work/many.json" 'len(d["findings"]), d["findings_not_shown"]') $(grep -c ^kind= "$work/places")" "(3, 0) 3"
check "... one is printed" eval 'says "2 more findings not shown" && [ "$(grep -c "kernel .many." "$work/err")" = 1 ]'
{ grep -v '^  \(st\|ld\)\|^\.loc\|^\.file' "$work/many.ptx"; seq 0 4 40000 | sed 's/.*/st.global.u32 [%p+&], %t;/'; echo 'ret; }'; } >"$work/most.ptx"
"$r" run -q --module "$work/most.ptx" --grid 1 --block 2 --arg buf=zeros:40004 --arg buf=zeros:8 --check race --findings "$work/most.sarif" --findings "$work/most.xml" \
    --format github >"$work/out" 2>"$work/err"
left="1 more finding is not in this report"
is "10,000 findings are kept; SARIF says that there are more" \
    "$(json "$work/most.sarif" 'len(d["runs"][0]["results"]), d["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]')" "(10000, '$left')"
check "... and so do JUnit and annotations" eval 'grep -q "<failure message=.$left" "$work/most.xml" && grep -q "^::error title=reprise::$left" "$work/out"'
# Compilers write the bytes of such a name in PTX as octal digits.
printf '// a\n// b\n' >"$work/é.cu"
named() { # name in PTX, options
    sed "s|\"many.cu\"|\"$work/$1.cu\"|" "$work/many.ptx" >"$work/named.ptx"
    "$r" run --module "$work/named.ptx" --grid 2 --block 64 --arg buf=zeros:8 --arg buf=zeros:8 --check race "${@:2}" >"$work/out" 2>"$work/err"
}
uris() { json "$1" 'sorted({r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rsplit("/", 1)[1] for r in d["runs"][0]["results"]})'; }
named '\\303\\251' --findings "$work/named.json" --findings "$work/named.sarif" --format github --write-suppressions "$work/places"
is "a file whose name is not ASCII" "$(json "$work/named.json" '{f["here"]["file"].rsplit("/", 1)[1] for f in d["findings"]}')" "{'é.cu'}"
is "... SARIF" "$(uris "$work/named.sarif")" "['%C3%A9.cu']"
check "... annotations" grep -q '^::error file=[^,]*/é.cu,line=1,' "$work/out"
check "... suppressions" grep -q 'file="é.cu:1"' "$work/places"
check "... its lines are shown" says '^ *2 | // b$'
# In a job, paths begin at the project, wherever in it the command runs.
r=$(realpath "$r")
mkdir -p "$work/é-build"
for variable in GITHUB_WORKSPACE CI_PROJECT_DIR; do
    (cd "$work/é-build" && export "$variable=$work" && named '\\303\\251' --findings "$work/job.sarif" --findings "$work/job.json" --format github)
    check "$variable: annotations" grep -q '^::error file=é.cu,line=1,' "$work/out"
    is "$variable: SARIF" "$(json "$work/job.sarif" 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]')" "%C3%A9.cu"
done
(cd "$work/é-build" && GITHUB_WORKSPACE=$PWD/elsewhere named '\\303\\251' --format github)
check "a project elsewhere does not count" grep -q "^::error file=$work/é.cu,line=1," "$work/out"
named '\\351' --findings "$work/named.sarif" --format gitlab
is "a file whose name is no UTF-8: SARIF" "$? $(uris "$work/named.sarif")" "3 ['%E9.cu']"
is "... Code Quality" "$(json "$work/out" 'ascii(d[0]["location"]["path"].rsplit("/", 1)[1])')" "'\ufffd.cu'"
fails 1 "--check leak,api: a kernel of --module can be checked for memory, init, race and sync" "$r" run --module "$work/many.ptx" --grid 1 --block 1 \
    --arg buf=zeros:8 --arg buf=zeros:8 --check leak,api
fails 1 "is to be both what is found and the log" "$r" run --check race --findings "$work/same.json" --log-file "$work/same.json" -- "$work/wrong" race
fails 1 "is to be both what is found and the suppressions" "$r" run --check race --findings "$work/same.json" --write-suppressions "$work/same.json" -- "$work/wrong" race
fails 1 "is to be both what is found and what is found in another format" "$r" run --check race --findings "$work/same.json" --findings "$work/same.json" \
    -- "$work/wrong" race
check "what two processes find is said once" run 3 --check race --findings "$work/two.json" -- race race
is "... and counts twice" "$(grep -c "kernel 'race'" "$work/err") $(json "$work/two.json" 'len(d["findings"]), d["findings"][0]["times"]')" "1 (1, 6)"
# Numbers of processes begin again at small ones.
wrapped() { # NUMBER: the kinds in order, of processes whose numbers begin behind it
    unshare --user --map-root-user --pid --fork --mount-proc sh -c "echo $1 >/proc/sys/kernel/ns_last_pid && exec \"\$@\"" sh \
        "$r" run -q --check all --findings "$work/wrapped.json" -- sh -c "$each" sh "$work/wrong" leak twice race init sync >/dev/null 2>"$work/err"
    [ $? -eq 3 ] && json "$work/wrapped.json" '" ".join(f["kind"] for f in d["findings"])'
}
most=$(unshare --user --map-root-user --pid --fork --mount-proc sh -c 'echo 500 >/proc/sys/kernel/ns_last_pid && cat /proc/sys/kernel/pid_max' 2>/dev/null)
if [ -n "$most" ]; then
    for before in 4 7 10 13; do
        is "findings are in the order of the processes, whose numbers end $before after the first" "$(wrapped $((most - before)))" "$(wrapped 1000)"
    done
    is "... and there are some" "$(wrapped 1000)" "leak host race init sync"
else
    echo "ok - findings are in the order of the processes # SKIP numbers of processes cannot be set here"
fi
check "a launch that is refused" run 3 --check api -- refused
check "... says which, and why" says "kernel 'store', grid 1x1x1, block 2048x1x1; a grid has .* at most 1024 in all"
check "a __syncwarp() that does not name the lane" run 3 --check all --findings "$work/unnamed.json" -- unnamed
is "... is one finding" "$(kinds "$work/unnamed.json")" sync
check "memory that is left by _Exit()" run 3 --check leak -- leaves
check "memory that is left after a fault" run 3 --check leak --findings "$work/sticky.json" -- sticky
is "... but for what was freed without success" "$(json "$work/sticky.json" '[f["text"].split(" at ")[0] for f in d["findings"] if f["kind"] == "leak"]')" \
    "['leak: 48 bytes']"

# ---- places ----------------------------------------------------------------------------------------------------------
# A header of the toolkit has functions that call the runtime; its lines are those of no program.
cat >"$work/cuda_runtime.h" <<'C'
#include "frontend/cuda/abi/driver.h"
static CUdeviceptr allocate(void) { CUdeviceptr p = 0; cuMemAlloc_v2(&p, 8); return p; }
C
cat >"$work/mine.c" <<'C'
#include "cuda_runtime.h"
int main(int argc, char **argv)
{
    CUcontext context;
    (void)argv;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    allocate();
    if (argc > 1)
        allocate();
}
C
${CC:-gcc} -std=c17 -gdwarf-4 -O0 -no-pie -I. -I"$work" "$work/mine.c" -L"$BUILD/lib" -l:libcuda.so.1 -o "$work/mine"
"$r" run --check leak --write-suppressions "$work/places" --format github -- "$work/mine" >"$work/out" 2>/dev/null
is "a suppression names the program's own line" "$(grep -c 'kind=leak file="mine.c:7"' "$work/places")" 1
check "... as an annotation does" grep -q '^::warning file=[^,]*mine.c,line=7,' "$work/out"
"$r" run --check leak --suppressions "$work/places" -- "$work/mine" >/dev/null 2>&1
is "... it hides the leak" $? 0
"$r" run --check leak --suppressions "$work/places" -- "$work/mine" more >/dev/null 2>&1
is "... and no other one" $? 3
# Without debugging information the symbol table names the file that was compiled, in nvcc's case a temporary one.
for build in 1 2; do
    cp "$work/mine.c" "$work/tmpxft_$build.c"
    ${CC:-gcc} -std=c17 -O0 -no-pie -I. -I"$work" "$work/tmpxft_$build.c" -L"$BUILD/lib" -l:libcuda.so.1 -o "$work/build$build"
done
"$r" run --check leak --findings "$work/build1.json" --write-suppressions "$work/places" -- "$work/build1" >/dev/null 2>&1
is "a program without lines: the frames of a leak" \
    "$(json "$work/build1.json" '[(f["function"], "file" in f) for s in d["findings"][0]["stacks"] for f in s["frames"]]')" "[('allocate', False), ('main', False)]"
"$r" run --check leak --baseline "$work/build1.json" -- "$work/build2" >/dev/null 2>&1
is "... a baseline knows it after another build" $? 0
"$r" run --check leak --suppressions "$work/places" -- "$work/build2" >/dev/null 2>&1
is "... and so do suppressions" $? 0

# ---- what cannot be checked, or kept ---------------------------------------------------------------------------------
cat >"$work/unloaded.c" <<'C'
#include "frontend/cuda/abi/driver.h"
int main(void)
{
    CUcontext context;
    CUmodule module;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    for (int i = 0; i < 2; i++)
        cuModuleLoadData(&module, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { nothing; }");
}
C
${CC:-gcc} -std=c17 -I. "$work/unloaded.c" -L"$BUILD/lib" -l:libcuda.so.1 -o "$work/unloaded"
for checks in race leak; do
    "$r" run --check $checks --findings "$work/unloaded.json" -- sh -c "'$work/wrong' part0; '$work/unloaded'" >/dev/null 2>"$work/err"
    is "--check $checks: a module that cannot be loaded: 2" $? 2
    check "... and that is said" says "^reprise: not all was checked: code could not be loaded, and did not run: .*nothing"
    check "... the report has it" test -n "$(json "$work/unloaded.json" 'd["incomplete"]')"
done
"$r" run -- "$work/unloaded" >/dev/null 2>"$work/err"
is "a module that cannot be loaded, twice: said once" "$(grep -c 'a module cannot be loaded: ' "$work/err")" 1
(ulimit -v 1000000; "$r" run --check race -- "$work/unloaded") >/dev/null 2>"$work/err"
is "no room for a device: 2" $? 2
check "... and that is said" says "^reprise: not all was checked: code could not be loaded, and did not run: no room for the device"
# The log of the process is a device that is full, until the process has ended.
# shellcheck disable=SC2016
"$r" run --check race -- bash -c 'sh -c "ln -s /dev/full \$REPRISE_FINDINGS/\$\$; exec $1 race"; find "$REPRISE_FINDINGS" -type l -delete' bash "$work/wrong" \
    >/dev/null 2>"$work/err"
is "no space for what is found: 4" $? 4
check "... and that is said" says "cannot write what was found: No space left on device"
check "... by reprise, too" says "not all that was found could be kept in"
check "... and not that nothing was checked" eval '! grep -q "nothing was checked" "$work/err"'
# shellcheck disable=SC2016
"$r" run --check race -- bash -c '"$1" race & until ls "$REPRISE_FINDINGS" | grep -q .; do sleep 0.01; done' bash "$work/wrong" >/dev/null 2>&1
is "a process that uses CUDA and outlives the first one is waited for" $? 3
# shellcheck disable=SC2016
REPRISE_OUTLIVING=1 "$r" run --check race -- bash -c '{ while [ -d "$REPRISE_FINDINGS" ]; do sleep 0.02; done; "$1" race; } & "$1" part0' bash "$work/wrong" 2>&1 | cat >"$work/err"
check "a process that outlives reprise says that its findings are lost" says "what this process finds is in no report"
check "... and what it finds" says "kernel .race.: race"

# A process that begins to use CUDA after the first one has ended, and one with an environment of its own.
"$r" run --check race -- sh -c "{ while kill -0 \$\$ 2>/dev/null; do :; done; '$work/wrong' race; } & exit 0" >/dev/null 2>"$work/err"
is "a process that begins with CUDA when the first one has ended is waited for" $? 3
"$r" run --check race -- env -i "$work/wrong" race >/dev/null 2>"$work/err"
is "a program without an environment is checked" $? 3
"$r" run --check race -- python3 -c 'import os, subprocess, sys
p = sys.argv[1]
assert subprocess.run([p, "part0"], env={}).returncode == 0
assert os.waitpid(os.posix_spawn(p, [p, "race"], {"LD_PRELOAD": "", "A": "1"}), 0)[1] == 0' "$work/wrong" >/dev/null 2>"$work/err"
is "... also what Python starts" "$? $(grep -c ": race: " "$work/err")" "3 1"
"$r" run --check race -- python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).clearenv()
sys.exit(os.system(sys.argv[1] + " race"))' "$work/wrong" >/dev/null 2>"$work/err"
is "... and a shell, where the C library's environment was emptied" $? 3
check "a program has its own environment otherwise" eval '"$r" run --check race -- env -i A=1 sh -c "env" 2>/dev/null | grep -v "^\(REPRISE\|LD\|TRITON\|CUPY\|NUMBA\|DISABLE_ADDMM\|PWD\|SHLVL\|_\)" | grep -qx A=1'
is "... also without a variable of ours that it takes out" "$("$r" run -- env -u NUMBA_CACHE_DIR env 2>/dev/null | grep -c '^NUMBA_CACHE_DIR=')" 0

# A program that is linked statically as a whole, with kernels, whose runtime looks for the driver.
cat >"$work/whole.c" <<'C'
#include <dlfcn.h>
#include <stdlib.h>
__attribute__((section(".nvFatBinSegment"))) int kernels = 1;
int main(void) { return dlopen("libcuda.so.1", RTLD_NOW) ? 1 : getenv("WHOLE") ? 0 : 7; }
C
if ${CC:-gcc} -static "$work/whole.c" -o "$work/whole" 2>/dev/null && "$work/whole"; [ $? = 7 ]; then
    "$r" run --check race -- "$work/whole" >/dev/null 2>"$work/err"
    is "a program linked statically as a whole: as without reprise" $? 7
    WHOLE=1 "$r" run --check race -- "$work/whole" >/dev/null 2>"$work/err"
    is "... and nothing was checked" "$? $(grep -c "nothing was checked: .*whole is linked statically as a whole" "$work/err")" "2 1"
    WHOLE=1 "$r" run --check race -- sh -c "'$work/whole'; '$work/wrong' part0; env '$work/whole'" >/dev/null 2>"$work/err"
    is "... by a shell: as well" "$? $(grep -c "not all was checked: .*whole is linked statically as a whole" "$work/err")" "2 1"
    "$r" run --check race -- sh -c "'$work/whole'" >/dev/null 2>"$work/err"
    is "... and it ends as it does without" $? 7
else
    echo "ok - a program linked statically as a whole # SKIP no static C library here, or a CUDA driver"
fi

# ---- logs ------------------------------------------------------------------------------------------------------------
check "--log-file" run 3 --check race --log-file "$work/log" -- race
check "... has it all" eval 'silent && grep -q "kernel .race.: race" "$work/log" && grep -q "^reprise: 1 finding$" "$work/log"'

# ---- programs that are killed ----------------------------------------------------------------------------------------
# A program that has said a finding, and then runs a kernel that has another one and does not end in time.
mkfifo "$work/said"
mkdir "$work/tmp"
TMPDIR=$work/tmp "$r" run --check race --findings "$work/killed.json" -- "$work/wrong" hang >/dev/null 2>"$work/said" &
pid=$!
exec 3<"$work/said"
read -r first <&3
kill -TERM $pid
wait $pid
is "SIGTERM ends it" $? 143
cat <&3 >"$work/err"
exec 3<&-
check "it had said a finding" eval 'case "$first" in *"kernel '"'race'"': race: "*) ;; *) false ;; esac'
is "SIGTERM: what was found" "$(json "$work/killed.json" '[f["kind"] for f in d["findings"]][0], d["program"]["signal"]')" "('race', 15)"
check "SIGTERM: nothing is left" eval '[ -z "$(ls -A "$work/tmp")" ]'
# Nobody reads what is said; and a run that is killed, whose folder the next one removes, and no other.
# shellcheck disable=SC2016
status=$(TMPDIR=$work/tmp bash -c '{ "$1" run --check race --findings - --format json -- "$2" race 2>/dev/null; echo $? >&3; } | true' bash "$r" "$work/wrong" 3>&1)
is "a closed pipe: SIGPIPE or nothing" "$(case $status in 3 | 141) echo fine ;; *) echo "$status" ;; esac)" fine
check "a closed pipe: nothing is left" eval '[ -z "$(ls -A "$work/tmp")" ]'
mkfifo "$work/begun" "$work/goes_on"
waiting() { # starts a run whose program waits, and makes its folder look old: $pid
    # shellcheck disable=SC2016
    TMPDIR=$work/tmp "$r" run --check race -- sh -c 'echo >"$1"; read line <"$2"' sh "$work/begun" "$work/goes_on" >/dev/null 2>&1 &
    pid=$!
    read -r <"$work/begun"
    touch -d "1 hour ago" "$work"/tmp/reprise-run-*/.whole
}
waiting
kill -KILL $pid
wait $pid 2>/dev/null
is "SIGKILL leaves a folder" "$(ls "$work/tmp" | wc -l)" 1
waiting
is "another run removes it" "$(ls "$work/tmp" | wc -l)" 1
TMPDIR=$work/tmp "$r" run --check race -- "$work/wrong" part0 >/dev/null 2>&1
is "... and not that of a run that goes on" "$(ls "$work/tmp" | wc -l)" 1
echo >"$work/goes_on"
wait $pid
check "... which removes it itself" eval '[ -z "$(ls -A "$work/tmp")" ]'
# A limit of the processor's time, which no handler hears of, within the kernel.
(ulimit -c 0; ulimit -S -t 1; REPRISE_PROGRESS=0 exec "$r" run --check race --findings "$work/limited.json" -- "$work/wrong" hang) >/dev/null 2>"$work/err"
is "a limit ends it" $? $((128 + $(kill -l XCPU)))
is "a limit: what was found, also in the kernel that ran" "$(json "$work/limited.json" '[f["kernel"] for f in d["findings"]]')" "['race', 'hang']"
check "a limit: it is said" says "kernel .hang.: race"
check "a kernel that takes long: its progress" says "kernel .hang. has run for [0-9]* s: 0 of 1 block (0 %), [0-9.]* million warp instructions per second"
check "a launch with many bad accesses ends" run 3 --check memory --findings "$work/explode.json" -- explode
is "... after a number of them" "$(json "$work/explode.json" '[(f["kind"], f["times"]) for f in d["findings"]]')" "[('memory', 100000), ('fault', 1)]"

# Kernels of ours: one that is said to have begun by what it prints, and then goes on and on.
cat >"$work/on.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 begun[7] = {98, 101, 103, 117, 110, 10, 0};
.visible .entry on(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .pred %q; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; st.global.u32 [%p], %t;
  { .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %p, begun; cvta.global.u64 %p, %p; st.param.b64 [f], %p;
  mov.u64 %p, 0; st.param.b64 [a], %p; call.uni (r), vprintf, (f, a); }
L: add.u32 %t, %t, 1; setp.ne.u32 %q, %t, 2000000000; @%q bra L; ret; }
PTX
stopped() { # signal
    python3 - "$@" "$r" record -q -o "$work/on.wtr" --findings "$work/on.json" --check race --module "$work/on.ptx" --grid 1 --block 64 \
        --arg buf=zeros:4 <<'PY'
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
with subprocess.Popen(["stdbuf", "-oL", *sys.argv[2:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
    run.stdout.readline()
    run.send_signal(getattr(signal, sys.argv[1]))
    print(run.wait()) # before the pipe is closed
PY
}
for signal in TERM INT; do
    rm -f "$work/on.json" "$work/on.wtr"
    is "a kernel of ours: SIG$signal ends it" "$(stopped SIG$signal)" "-$(kill -l $signal)"
    is "... what was found" "$(json "$work/on.json" '[f["kind"] for f in d["findings"]], d["program"]["signal"]')" "(['race'], $(kill -l $signal))"
    check "... and the trace is whole" "$r" verify -q "$work/on.wtr"
done
rm "$work/on.json" "$work/on.wtr"
(ulimit -c 0; ulimit -S -t 1; exec "$r" record -q -o "$work/on.wtr" --findings "$work/on.json" --check race --module "$work/on.ptx" --grid 1 --block 64 \
    --arg buf=zeros:4) >"$work/out" 2>"$work/err"
is "a kernel of ours: a limit ends it" $? $((128 + $(kill -l XCPU)))
is "... what was found" "$(json "$work/on.json" '[f["kind"] for f in d["findings"]]')" "['race']"
check "... and the trace is whole" "$r" verify -q "$work/on.wtr"

# ---- programs that fail, without --check -----------------------------------------------------------------------------
hinted() { "$r" run "${@:3}" -- "$work/wrong" "$1" >/dev/null 2>"$work/err"; [ $? = "$2" ]; }
check "a program whose result depends on the order of warps fails" hinted order 4
check "... and --check race is named" says "status 4. In kernel .order. warps of a block use the same shared memory.*--check race"
hinted_record() { "$r" record -o "$work/order.wtr" -- "$work/wrong" order >/dev/null 2>"$work/err"; [ $? = 4 ]; }
check "... also while it is recorded" eval 'hinted_record && says "status 4. In kernel .order. warps of a block.*--check race"'
check "... with the trace" "$r" verify -q "$work/order.wtr"
check "... but not with --quiet" eval 'hinted order 4 -q && silent'
check "a program that fails for another reason: no hint" eval 'hinted fails 7 && silent'
check "with --check race it is found" eval 'run 3 --check race -- order && says "kernel .order.: race: .*shared memory"'

# ---- programs that are right -----------------------------------------------------------------------------------------
for program in classes cub memory thrust "vector_add 1000"; do
    # shellcheck disable=SC2086
    "$r" run --check all -- tests/cuda/prebuilt/$program >"$work/out" 2>"$work/err"
    is "$program is right" "$? $(cat "$work/err")" "0 "
done
