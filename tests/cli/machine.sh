#!/bin/bash
# Machine files as users write them: what `machine show` prints reads back, and a machine builds on another.
set -u
. tests/support/cli.sh
options() { "$REPRISE" machine show --json "$@" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["hash"], d["options"])'; }

# ---- show and back -------------------------------------------------------------------------------------------------
for m in $("$REPRISE" machine list | cut -d' ' -f1); do
    "$REPRISE" machine show "$m" >"$work/$m.cfg"
    is "$m: what show prints is the same machine" "$(options "$work/$m.cfg")" "$(options "$m")"
    is "$m: and is printed in the same way" "$("$REPRISE" machine show "$work/$m.cfg")" "$(cat "$work/$m.cfg")"
done
set=(--set scheduler=random --set scheduler.seed=9223372036854775807 --set l1=none --set limits.shared=100K --set warm_l2=on)
"$REPRISE" machine show jetson-tx2 "${set[@]}" >"$work/set.cfg"
is "with settings, and numbers beyond 32 bits" "$(options "$work/set.cfg")" "$(options jetson-tx2 "${set[@]}")"
set=(--set clock_mhz=1365.123456789)
"$REPRISE" machine show jetson-tx2 "${set[@]}" >"$work/set.cfg"
is "a fraction is printed exactly" "$(grep ^clock "$work/set.cfg")" "clock_mhz = 1365.123456789;"
is "and reads back" "$("$REPRISE" machine show "$work/set.cfg" --csv)" "$("$REPRISE" machine show jetson-tx2 "${set[@]}" --csv)"
# What programs are told of the device is shown, reads back, and is no part of the hash.
printf 'base = "v100";\ndevice: { name = "A \x27card\x27 = 1 #2"; capability = 90; memory = "3G"; memory_clock_mhz = 1000.5; };\n' >"$work/card.cfg"
"$REPRISE" machine show "$work/card.cfg" >"$work/shown.cfg"
is "the device of a file" "$(tail -1 "$work/shown.cfg")" "device: { name = \"A 'card' = 1 #2\"; capability = 90; memory = 3221225472L; memory_clock_mhz = 1000.5; memory_bus = 4096; };"
is "it reads back" "$("$REPRISE" machine show "$work/shown.cfg" --csv)" "$("$REPRISE" machine show "$work/card.cfg" --csv)"
is "machine diff shows it" "$("$REPRISE" machine diff --csv v100 "$work/card.cfg" | tail -n +2)" "device.name,Tesla V100-SXM2-16GB,A 'card' = 1 #2
device.capability,70,90
device.memory,17179869184,3221225472
device.memory_clock_mhz,877,1000.5"
is "the hash is without it" "$(options "$work/card.cfg" | cut -d' ' -f1)" "$(options v100 | cut -d' ' -f1)"
is "machine diff shows it" "$("$REPRISE" machine diff --csv jetson-tx2 "$work/set.cfg" | tail -n +2)" "clock_mhz,1300,1365.123456789"
is "JSON has it as a number" "$("$REPRISE" machine show jetson-tx2 --set clock_mhz=.5 --json | grep '"clock_mhz"' | tr -d ' ')" '"clock_mhz":0.5,'

# ---- base ----------------------------------------------------------------------------------------------------------
echo 'base = "jetson-tx2";' >"$work/same.cfg"
is "a file with a base alone is the base" "$(options "$work/same.cfg")" "$(options jetson-tx2)"
cat >"$work/mine.cfg" <<'CFG'
# Mine: a Jetson TX2 with no L1.
base = "jetson-tx2";
sms = 4;
l1 = "none";               # the options that the base gives its L1 are left out
scheduler: { model = "two-level"; group = 4; };
units: { lsu: { queue = 2; }; };
classes: { fp32: { latency = 3; }; };
CFG
is "a file changes what it names" "$(options "$work/mine.cfg")" \
    "$(options jetson-tx2 --set sms=4 --set l1=none --set scheduler=two-level --set scheduler.group=4 --set units.lsu.queue=2 --set classes.fp32.latency=3)"
mkdir "$work/sub"
printf 'base = "../mine.cfg";\nsms = 8;\nscheduler = "gto";\n' >"$work/sub/third.cfg"
is "bases have bases, paths count from the file" "$(options "$work/sub/third.cfg")" \
    "$(options jetson-tx2 --set sms=8 --set l1=none --set units.lsu.queue=2 --set classes.fp32.latency=3)"
is "--set wins over all" "$(options "$work/sub/third.cfg" --set sms=1)" "$(options jetson-tx2 --set sms=1 --set l1=none --set units.lsu.queue=2 --set classes.fp32.latency=3)"
is "replay takes such a machine by its path" "$("$REPRISE" machine show "$work/mine.cfg" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["name"])')" mine

fails() { # text, content of the file
    printf '%s\n' "$2" >"$work/bad.cfg"
    "$REPRISE" machine show "$work/bad.cfg" >"$work/out" 2>"$work/err"
    local status=$?
    if [ $status = 2 ] && grep -qF -- "$1" "$work/err" && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ]; then
        echo "ok - refuses: $1"
    else
        echo "not ok - refuses: $1"; echo "  status $status: $(cat "$work/err")" >&2
    fi
}
fails "bad.cfg:2: unknown machine 'jetson-tx'; did you mean 'jetson-tx2'?" $'sms = 1;\nbase = "jetson-tx";'
fails "bad.cfg:2: clock_mhz: '1e-05' is not a number from 0.001 to 100000 MHz" $'base = "jetson-tx2";\nclock_mhz = 0.00001;'
fails "bad.cfg:2: clock_mhz: '1,2' is not a number" $'base = "jetson-tx2";\nclock_mhz = [1, 2];'
fails "bad.cfg:2: clock_mhz: lists may hold numbers only" $'base = "jetson-tx2";\nclock_mhz = ((1), 2);'
fails "none.cfg: No such file" 'base = "none.cfg";'
fails "bad.cfg:1: with this base the machine builds on itself" 'base = "./bad.cfg";'
printf 'base = "bad.cfg";\n' >"$work/round.cfg"
fails "round.cfg:1: with this base the machine builds on itself" $'sms = 4;\nbase = "round.cfg";'
for i in 1 2 3 4 5 6 7 8; do echo "base = \"chain$((i + 1)).cfg\";" >"$work/chain$i.cfg"; done
echo 'base = "jetson-tx2";' >"$work/chain9.cfg"
fails "chain8.cfg:1: this is the base of a base" 'base = "chain1.cfg";'
is "7 bases between" "$(options "$work/chain3.cfg")" "$(options jetson-tx2)"
fails "bad.cfg:2: unknown key 'device.nane'; did you mean 'device.name'?" $'base = "v100";\ndevice: { nane = "x"; };'
fails "bad.cfg:2: device.memory: '0' is not a whole number from 67108864 to 1099511627776 bytes" $'base = "v100";\ndevice: { memory = 0; };'
fails "bad.cfg:2: device.name: '2080' does not begin with a letter" $'base = "v100";\ndevice: { name = "2080"; };'
fails "bad.cfg:2: device.name: '日本' has a character that is not ASCII" $'base = "v100";\ndevice: { name = "日本"; };'
fails "bad.cfg:2: 'device' is a group" $'base = "v100";\ndevice = 3;'
fails "bad.cfg:1: 'units' is a group" 'units = 3;'
fails "bad.cfg:2: unknown key 'bsae'; did you mean 'base'?" $'\nbsae = "v100";'
fails "bad.cfg:2: unknown key 'bsae'; did you mean 'base'?" $'units: { alu = "pipelined"; };\nbsae = "v100";'
fails "bad.cfg: there are no units" 'sms = 4;'
fails "bad.cfg:2: device.name: 'Gerät' has a character that is not ASCII" $'base = "v100";\ndevice: { name = "Gerät"; };'
fails "bad.cfg:2: device.name: 'a;b' has a character that is not allowed" $'base = "v100";\ndevice: { name = "a;b"; };'
fails 'bad.cfg:2: a size with a suffix stands in quotes: "32G"' $'base = "v100";\ndevice: { memory = 32G; };'
fails 'bad.cfg:3: a size with a suffix stands in quotes: "48k"' $'base = "v100"; # not 32K\nl1: {\nsize = 48kB\n};'
printf 'base = "v100"; # 32K\ndevice: { name = "G 32G"; memory = "3G"; };\n' >"$work/quoted.cfg"
is "a size in quotes, a name or a comment is fine" "$("$REPRISE" machine show "$work/quoted.cfg" --csv | grep '^device.memory,')" "device.memory,3221225472"
fails "bad.cfg:2: unknown key 'smss'; did you mean 'sms'?" $'base = "jetson-tx2";\nsmss = 4;'
fails "bad.cfg:3: l1.size is an option of 'direct-mapped', 'sectored', 'staged', and the model chosen is" $'base = "jetson-tx2";\nl1: { model = "none";\nsize = 4096; };'
printf 'base = "jetson-tx2";\nsms = 0;\n' >"$work/wrong.cfg"
fails "wrong.cfg:2: sms: '0' is not a whole number" 'base = "wrong.cfg";'
# ---- diff: what `show --csv` of both says, compared ------------------------------------------------------------------
for pair in "jetson-tx2 orin-wcet" "orin-wcet rtx2060-accelsim" "jetson-tx2 jetson-tx2"; do
    # shellcheck disable=SC2086
    set -- $pair
    is "machine diff $1 $2" "$("$REPRISE" machine diff --csv "$1" "$2" | tail -n +2 | sort)" "$(python3 - <<PY
import csv, subprocess, sys
out = csv.writer(sys.stdout, lineterminator="\n")
def options(name): return dict(list(csv.reader(subprocess.run(["$REPRISE", "machine", "show", "--csv", name], stdout=subprocess.PIPE, text=True).stdout.splitlines()))[1:])
a, b = options("$1"), options("$2")
for k in sorted(set(a) | set(b)):
    if a.get(k) != b.get(k): out.writerow((k, a.get(k, ""), b.get(k, "")))
PY
)"
done

# ---- sources -------------------------------------------------------------------------------------------------------
# Values without a comment on their line, nor on the line before their group.
bare=$(python3 - hw-models/machines/*.cfg <<'P'
import sys
for name in sys.argv[1:]:
    groups, before = [], False
    for number, line in enumerate(open(name), 1):
        text, _, comment = line.strip().partition('#')
        told = bool(comment.strip()) or before
        if '=' in text and not text.startswith('base') and not told and not any(groups):
            print(f'{name}:{number}: {text.strip()}')
        deeper = text.count('{') - text.count('}')
        groups = groups + [told] * deeper if deeper >= 0 else groups[:deeper]
        before = not text and bool(comment.strip())
P
)
is "every value of a machine file has its source" "$bare" ""
