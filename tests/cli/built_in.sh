#!/bin/bash
# The program alone, copied to where none of its files are: machines, and what is found first.
set -u
. tests/support/cli.sh
mkdir "$work/alone" "$work/own"
cp "$r" "$work/alone/reprise"
alone() { (cd "$work/alone" && env -u REPRISE_MACHINES PATH=/usr/bin:/bin ./reprise "$@"); }
is "the program alone lists all machines" "$(alone machine list)" "$("$r" machine list)"
for file in hw-models/machines/*.cfg; do
    name=$(basename "$file" .cfg)
    [ "$(alone machine show "$name")" = "$("$r" machine show "$name")" ] || check "$name is the same" false
done
[ "$(alone machine list | wc -l)" -gt 10 ] && echo "ok - every machine is the same" || echo "not ok - there are machines"
printf 'base = "v100";\nsms = 3;\n' >"$work/alone/mine.cfg"
check "a built-in machine is the base of a file" test "$(alone machine show mine.cfg | grep '^sms')" = "sms = 3;"
printf 'base = "v100";\nsms = 4;\n' >"$work/own/a100.cfg"
is "REPRISE_MACHINES comes first" "$(cd "$work/alone" && REPRISE_MACHINES=$work/own ./reprise machine show a100 | grep '^sms')" "sms = 4;"
fails 1 "did you mean 'a100'?" alone machine show a10
printf 'base = "v100";\nsms = 0;\n' >"$work/alone/bad.cfg"
fails 2 "bad.cfg:2:" alone machine show bad.cfg
# what it needs and has not is the system's failure, whatever it is
printf '__global__ void k(int *p) { *p = 1; }\n' >"$work/alone/k.cu"
fails 4 "reprise/cuda.h is neither" alone run --module k.cu -g 1 -b 1 --arg buf=zeros:4
fails 4 "libcuda.so.1 of reprise is neither" alone run -- /bin/true
fails 2 "built-in:none.cfg" alone machine show built-in:none.cfg
