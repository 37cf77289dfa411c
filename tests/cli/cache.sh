#!/bin/bash
# Results that are kept in a folder (--cache): the same bytes as without, for each command and format; damaged ones,
# those of other versions, folders that cannot be written, several processes at once.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/programs/memory"
BUILD=$(realpath "$BUILD")
kept=$work/kept
cd "$work" || exit 1
files() { find "$kept" -type f | wc -l; }
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
"$r" record -q -o one.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 "${args[@]}" || exit 1
"$r" record -q -o other.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,3 --block 16,16 "${args[@]}" || exit 1
"$BUILD/programs/memory" launches 20 many.wtr || exit 1
head -c $(($(stat -c %s many.wtr) * 2 / 3)) many.wtr >cut.wtr

# ---- the same bytes ------------------------------------------------------------------------------------------------
# name, command...: without a folder, with an empty one, and again; standard output and exit status each
same() {
    local name=$1 bare first again
    shift
    rm -rf "$kept"
    "$r" "$@" >bare 2>bare.err; bare=$?
    "$r" "$@" --cache "$kept" >first 2>first.err; first=$?
    "$r" "$@" --cache "$kept" >again 2>again.err; again=$?
    is "$name: exit statuses" "$first $again" "$bare $bare"
    if cmp -s bare first && cmp -s bare again; then echo "ok - $name: the same bytes"; else
        echo "not ok - $name: the same bytes"; command diff bare again | head -5 >&2; fi
    is "$name: all of them were there" "$(sed -n 's/^reprise: \([0-9]*\) of \([0-9]*\) results\{0,1\} from .*/\1/p' again.err)" "$(files)"
    is "$name: else the same on standard error" "$(grep -v ' from ' again.err)" "$(cat bare.err)"
}
for form in "" --json --csv; do
    same "replay $form" replay one.wtr -m jetson-tx2 $form
    same "replay of many launches $form" replay many.wtr -m orin-wcet $form
    same "replay of one of them $form" replay many.wtr -m orin-wcet --launch 3 $form
    same "replay of a damaged trace $form" replay cut.wtr -m orin-wcet $form
    same "diff $form" diff one.wtr -m jetson-tx2 --vary scheduler=gto,lrr --vary l1=none,direct-mapped $form
    same "diff of machines $form" diff many.wtr --vary machine=jetson-tx2,orin-wcet --launches $form
    same "ablate $form" ablate one.wtr many.wtr -m jetson-tx2 --launches --threads 3 $form
done
same "replay with chance" replay one.wtr -m san-rtx2080 --seed 5 --json
same "replay by stages" replay one.wtr -m rtx2060-accelsim --json
same "replay by the reference engine" replay one.wtr -m jetson-tx2 --engine reference --json

# A result is of a machine's options and a trace's bytes; the names are those of today.
rm -rf "$kept"
cp one.wtr renamed.wtr
"$r" machine show jetson-tx2 >mine.cfg
for form in "" --json; do
    "$r" replay one.wtr -m jetson-tx2 --cache "$kept" -q $form >/dev/null
    "$r" replay renamed.wtr -m ./mine.cfg $form >bare
    "$r" replay renamed.wtr -m ./mine.cfg --cache "$kept" $form >again 2>err
    is "other names of trace and machine $form" "$(cmp bare again) $(cat err)" " reprise: 1 of 1 result from $kept"
done

# ---- it is not replayed --------------------------------------------------------------------------------------------
rm -rf "$kept"
cycles() { "$r" replay one.wtr -m jetson-tx2 --json -q "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["traces"][0]["total"]["cycles"])'; }
before=$(cycles --cache "$kept")
python3 - "$kept"/*.result <<'PY' || echo "not ok - a changed result"
import hashlib, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 32
def number():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value
def text():
    global at
    length = number()
    at += length
text()  # the identity
number()
for _ in range(number()):
    text()  # a name
data[at] ^= 1  # the total's cycles
data[-32:] = hashlib.sha256(data[:-32]).digest()
open(sys.argv[1], "wb").write(data)
PY
is "what is in the file is printed" "$(cycles --cache "$kept")" $((before ^ 1))
is "without a folder nothing changes" "$(cycles)" "$before"

# ---- what is another result, and what is none ----------------------------------------------------------------------
rm -rf "$kept"
replay() { "$r" replay -q --cache "$kept" "$@" >/dev/null; }
replay one.wtr -m jetson-tx2
replay one.wtr -m jetson-tx2 --threads 3
is "threads are no part of it" "$(files)" 1
replay one.wtr -m jetson-tx2 --set scheduler=lrr
replay one.wtr -m jetson-tx2 --launch 0
replay one.wtr -m jetson-tx2 --engine reference
replay other.wtr -m jetson-tx2
is "machine, launch, engine and trace are" "$(files)" 5
"$r" diff -q one.wtr -m jetson-tx2 --vary scheduler=gto,lrr,serial --cache "$kept" >/dev/null
is "what one command has replayed serves another" "$(files)" 6
rm -rf "$kept"
replay one.wtr -m jetson-tx2 --by line
replay one.wtr -m san-rtx2080 --batches 3..3
replay one.wtr -m san-rtx2080 --exact
"$r" diff -q one.wtr -m jetson-tx2 --vary scheduler=gto,lrr --by instruction --cache "$kept" >/dev/null
"$r" diff -q one.wtr -m san-rtx2080 --vary sms=1,2 --batches 3..3 --cache "$kept" >/dev/null
is "--by, --batches and --exact keep nothing and make no folder" "$([ -e "$kept" ] && echo made)" ""
mkdir "$kept"
"$r" replay one.wtr -m jetson-tx2 --launch 7 --cache "$kept" >out 2>err
is "a launch that is not there" "$? $(cat err) $(files)" "1 reprise: one.wtr: there is no launch 7; the trace has 1 0"

# ---- damage ---------------------------------------------------------------------------------------------------------
"$r" replay one.wtr -m jetson-tx2 --json >bare
damaged() { # what is said; the file has been changed
    local text=$1 warned
    "$r" replay one.wtr -m jetson-tx2 --json --cache "$kept" >out 2>err
    is "$text: replayed all the same" "$? $(cmp bare out)" "0 "
    warned=$(grep -c "^reprise: warning: $kept/.*: $text; replayed again$" err)
    "$r" replay one.wtr -m jetson-tx2 --json --cache "$kept" >out 2>err2
    is "$text: one warning, and it is replaced" "$warned $(wc -l <err) $(cat err2)" "1 1 reprise: 1 of 1 result from $kept"
}
replay one.wtr -m jetson-tx2
file=$(echo "$kept"/*.result)
cp "$file" whole
: >"$file"; damaged "no result of a replay"
head -c 500 whole >"$file"; damaged "a damaged result: its length is wrong"
python3 -c 'd = bytearray(open("whole", "rb").read()); d[300] ^= 8; open("'"$file"'", "wb").write(d)'; damaged "a damaged result: its checksum is wrong"
python3 -c 'd = bytearray(open("whole", "rb").read()); d[8] = 9; open("'"$file"'", "wb").write(d)'; damaged "a result in format 9; this reprise reads format 4"
replay other.wtr -m jetson-tx2
for other in "$kept"/*.result; do [ "$other" = "$file" ] || mv "$other" "$file"; done
damaged "a result of another replay, or of another reprise"

# A pipe in the place of an entry neither blocks nor goes.
rm "$file" && mkfifo "$file"
timeout 60 "$r" replay one.wtr -m jetson-tx2 --json --cache "$kept" >out 2>err
is "a pipe is no entry" "$? $(cmp bare out) $(grep -c "this is no file; replayed again" err)" "0  1"
rm "$file"

# ---- folders that cannot be written ----------------------------------------------------------------------------------
"$r" replay one.wtr -m jetson-tx2 --json --cache /proc >out 2>err
is "a folder in which nothing can be made: the result is printed" "$? $(cmp bare out) $(grep -c "^reprise: warning: cannot write '/proc/.*; results are not kept$" err) $(wc -l <err)" "0  1 1"
rm -rf "$kept"
full() { # no file may grow
    (
        trap '' XFSZ
        ulimit -f 0
        "$r" replay one.wtr -m jetson-tx2 --json --cache "$kept"
    )
}
full 2>/dev/null | cat >out
is "a full disk: the result is printed" "$(cmp bare out 2>&1)" ""
is "a full disk: it is said, and no half of a file stays" "$(full 2>&1 >/dev/null | grep -c 'results are not kept') $(files)" "1 0"
"$r" diff one.wtr -m jetson-tx2 --vary scheduler=gto,lrr,serial --cache /proc >out 2>err
is "said once" "$? $(grep -c 'results are not kept' err)" "0 1"
"$r" replay one.wtr -m jetson-tx2 --cache one.wtr >out 2>err
is "a file is no folder" "$? $(cat err)" "1 reprise replay: --cache one.wtr: this is no folder"
"$r" ablate one.wtr -m jetson-tx2 --cache no/where >out 2>err
is "nor is what is nowhere" "$? $(cat err)" "1 reprise ablate: --cache no/where: cannot make this folder: No such file or directory"
long=$(printf '%0300d' 0) # longer than any file system takes
"$r" replay one.wtr -m jetson-tx2 --cache "$long" >out 2>err
is "whatever the reason, the status is the same" "$? $(cat err)" "1 reprise replay: --cache $long: cannot make this folder: File name too long"
"$r" replay one.wtr -m jetson-tx2 --cache "" >out 2>err
is "nor is nothing" "$? $(cat err)" "1 reprise replay: --cache: the name of the folder is empty"

# ---- several at once ---------------------------------------------------------------------------------------------------
rm -rf "$kept"
for i in 1 2 3 4 5 6; do
    "$r" replay one.wtr -m jetson-tx2 --json -q --cache "$kept" >"at-once.$i" &
done
wait
for i in 1 2 3 4 5 6; do cmp bare "at-once.$i" || echo "not ok - process $i"; done
is "six processes leave one file" "$(files) $(find "$kept" -name '*.result' | wc -l)" "1 1"
"$r" replay one.wtr -m jetson-tx2 --json --cache "$kept" >out 2>err
is "which is whole" "$(cmp bare out) $(cat err)" " reprise: 1 of 1 result from $kept"
