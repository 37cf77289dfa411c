#!/bin/bash
# info, dump, verify, and readers that are not ours: protoc, and the Python reader of docs/.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check() { # name, command...: succeeds
    local name=$1
    shift
    if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}
status() { # wanted exit status, command...
    local wanted=$1
    shift
    "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    [ $got -eq "$wanted" ] || { echo "exit status $got, wanted $wanted: $*"; cat "$dir/err"; return 1; }
}
json() { python3 -c "import json,sys; d=json.load(open('$dir/info')); $1"; }

for seed in 1 6 9 23 29; do
    t=$dir/$seed.wtr
    "$BUILD/programs/synthetic" $seed "$t" || { echo "not ok - synthetic trace $seed"; continue; }
    "$REPRISE" info --json "$t" >"$dir/info"
    check "trace $seed: the Python reader counts what info says" diff <(python3 docs/read_trace.py "$t") \
        <(json '[print(i, l["kernel_name"], l["warp_instructions"], l["thread_instructions"]) for i, l in enumerate(d["launches"])]')
    check "trace $seed: protoc prints it, chunk for chunk" diff \
        <(zstd -dcq "$t" | protoc --decode=reprise.Trace tracefmt/trace.proto | grep -c '^chunk {') \
        <(json 'print(sum(l["chunks"] for l in d["launches"]))')
    check "trace $seed: the mix adds up" json 'assert all(sum(m[k] for m in l["mix"].values()) == l[k] for l in d["launches"] for k in ("warp_instructions","thread_instructions"))'
    check "trace $seed: verify" status 0 "$REPRISE" verify "$t"
    # every warp dumped, a line per instruction
    lines=0
    for l in $(json 'print(*range(len(d["launches"])))'); do
        read -r blocks warps <<<"$(json "l=d['launches'][$l]; g=l['grid']; b=l['block']; print(g[0]*g[1]*g[2], (b[0]*b[1]*b[2]+31)//32)")"
        for ((b = 0; b < blocks; b++)); do for ((w = 0; w < warps; w++)); do
            lines=$((lines + $("$REPRISE" dump "$t" --launch "$l" --block "$b" --warp "$w" | tail -n +2 | wc -l)))
        done; done
    done
    check "trace $seed: dump prints each warp instruction once" [ "$lines" -eq "$(json 'print(d["total"]["warp_instructions"])')" ]
done

t=$dir/29.wtr
check "info prints text" status 0 "$REPRISE" info "$t"
check "info says what made the trace" grep -q '^made by   synthetic' "$dir/out"
check "dump --limit" status 0 "$REPRISE" dump "$t" --limit 5
check "five lines and a heading" [ "$(wc -l <"$dir/out")" -eq 6 ]
check "dump takes coordinates" diff <("$REPRISE" dump "$t" --launch 1 --block 1,1) \
    <("$REPRISE" info --json --no-mix "$t" >"$dir/info"; "$REPRISE" dump "$t" --launch 1 --block "$(json 'print(1 + d["launches"][1]["grid"][0])')")
for wrong in "--block 99999" "--block 0,0,7" "--block x" "--block 1,2,3,4" "--warp 32" "--launch 9" "--nonsense" "--limit -1"; do
    # shellcheck disable=SC2086
    check "dump $wrong is wrong usage" status 1 "$REPRISE" dump "$t" $wrong
done
for command in "info $t" "info --json $t" "dump $t" "verify $t" "machine list" "machine list --json" --help --version; do
    check "${command%% *}: output that cannot be written is an error" status 4 bash -c "'$REPRISE' $command >/dev/full"
done
for command in info dump verify; do
    check "$command --help has an example" bash -c "'$REPRISE' $command --help | grep -q 'reprise $command mm.wtr\|reprise $command --json mm.wtr'"
    check "$command without a trace is wrong usage" status 1 "$REPRISE" $command
    check "$command of a file that is not there" status 2 "$REPRISE" $command "$dir/none.wtr"
    check "one line that names it" [ "$(grep -c 'none.wtr' "$dir/err")" -eq 1 ]
    check "$command of another file" status 2 "$REPRISE" $command tests/run
done

size=$(stat -c %s "$t")
head -c $((size - 20)) "$t" >"$dir/cut.wtr"
check "verify of several: one damaged, in whichever place" status 2 "$REPRISE" verify "$dir/cut.wtr" "$t"
check "... the whole one is read, too" grep -q '^.*/29.wtr: whole' "$dir/out"
check "verify of several: the damaged one last" status 2 "$REPRISE" verify "$t" "$dir/cut.wtr"
check "verify of a cut trace" status 2 "$REPRISE" verify "$dir/cut.wtr"
check "info of a cut trace" status 0 "$REPRISE" info "$dir/cut.wtr"
check "says what is wrong" grep -q 'warning:.*index' "$dir/err"
