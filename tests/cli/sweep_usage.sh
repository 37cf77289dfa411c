#!/bin/bash
# reprise sweep, given what is wrong: one line that says what, the exit status, and no database.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
BUILD=$(realpath "$BUILD")
cd "$work" || exit 1
args=(--arg buf=rand-f32:1024:seed=1 --arg buf=rand-f32:1024:seed=2 --arg buf=zeros:4096 --arg i32=32)
for name in a b; do
    "$r" record -q -o $name.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 2,2 --block 16,16 "${args[@]}" || exit 1
done
"$r" sweep -q a.wtr -m jetson-tx2 -o r.db || exit 1
mkdir bin

bad() { fails "$1" "$2" "$r" sweep -q "${@:3}"; }
bad 1 "which traces?" -m jetson-tx2 -o x.db
bad 1 "on which machines?" a.wtr -o x.db
bad 1 "where shall the results go?" a.wtr -m jetson-tx2
bad 1 "did you mean 'lrr'?" a.wtr -m jetson-tx2 --vary scheduler=gto,lr -o x.db
bad 1 "--set sms=2 beside --vary sms=...: leave out one of them" a.wtr -m jetson-tx2 --set sms=2 --vary sms=1,2 -o x.db
bad 1 "--exclude sms=2: sms does not vary" a.wtr -m jetson-tx2 --exclude sms=2 -o x.db
bad 1 "--exclude: nothing is left to replay: all 2 combinations of values are excluded" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude sms=1 --exclude sms=2 -o x.db
bad 1 "--exclude sms: write KEY=VALUE" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude sms -o x.db
bad 1 "2 values of l1_subcores for 3 before it; give a value for each" a.wtr -m jetson-tx2 --vary 'subcores=1,2,4 with l1_subcores=1,2' -o x.db
bad 1 "'1..4:3' is no range; write 1..4, 100..400:+100 or 32K..128K:x2" a.wtr -m jetson-tx2 --vary sms=1..4:3 -o x.db
bad 1 "4..1 runs backwards" a.wtr -m jetson-tx2 --vary sms=4..1 -o x.db
bad 1 "--shard 3: give I/N" a.wtr -m jetson-tx2 --shard 3 -o x.db
bad 1 "--shard 3/3: give I/N, I from 0 to N - 1" a.wtr -m jetson-tx2 --shard 3/3 -o x.db
bad 1 "--shard 0/0: give I/N" a.wtr -m jetson-tx2 --shard 0/0 -o x.db
bad 1 "--slurm and --array go together" a.wtr -m jetson-tx2 --slurm -o x.db
bad 1 "--shard beside --array" a.wtr -m jetson-tx2 --slurm --array 3 --shard 0/3 -o x.db
bad 1 "1..1000000000000 has more than 4096 values; give a step" a.wtr -m jetson-tx2 --vary sms=1..1000000000000 -o x.db
bad 1 "more than 10000000 combinations" a.wtr -m jetson-tx2 --vary dram.latency=1..4000 --vary l2.latency=1..4000 -o x.db
bad 1 "a value is missing beside a comma" a.wtr -m jetson-tx2 --vary sms=1,,2 -o x.db
bad 1 "scheduler.model is varied twice" a.wtr -m jetson-tx2 --vary scheduler=gto --vary scheduler.model=lrr -o x.db
bad 1 "--set l1_subcores=2 beside --vary l1_subcores=...: leave out one of them" a.wtr -m jetson-tx2 --set l1_subcores=2 --vary l1.subcores=2,4 -o x.db
is "an option by another of its names" "$("$r" sweep a.wtr -m jetson-tx2 --vary l1.subcores=2,4 --exclude 'l1_subcores=2' --dry-run | grep -c '^excluded: *1 by')" 1
bad 1 "sms is varied twice" a.wtr -m jetson-tx2 --vary sms=1 --vary sms=2 -o x.db
bad 1 "--exclude sms=1 and: write KEY=VALUE" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude 'sms=1 and' -o x.db
bad 1 "--exclude trace=a.wtr and: write KEY=VALUE" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude 'trace=a.wtr and' -o x.db
bad 1 "--exclude sms=1 or sms=2: write KEY=VALUE" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude 'sms=1 or sms=2' -o x.db
bad 1 "--exclude sms<few: few is neither a number nor a key that varies" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude 'sms<few' -o x.db
bad 1 "--exclude sms>sms: it compares sms with itself" a.wtr -m jetson-tx2 --vary sms=1,2 --exclude 'sms>sms' -o x.db
bad 1 "--exclude scheduler=scheduler.model: it compares scheduler with itself" a.wtr -m jetson-tx2 --vary scheduler=gto,lrr --exclude 'scheduler=scheduler.model' -o x.db
bad 1 "--exclude sms=scheduler: it never holds, as no sms of the sweep is its scheduler" a.wtr -m jetson-tx2 --vary sms=1,2 --vary scheduler=gto,lrr --exclude 'sms=scheduler' -o x.db
bad 1 "--vary sms=1,2 wth subcores=1,2: keys that vary together stand in one --vary with the word 'with' between them, as in 'subcores=1,2 with l1_subcores=1,2'" a.wtr -m jetson-tx2 --vary 'sms=1,2 wth subcores=1,2' -o x.db
bad 1 "--exclude subcores>l1_subcores: it never holds, as no subcores of the sweep is > its l1_subcores" a.wtr -m jetson-tx2 --vary 'subcores=1,2 with l1_subcores=1,2' --exclude 'subcores>l1_subcores' -o x.db
bad 1 "a.wtr: there is no launch 1; the trace has 1" a.wtr -m jetson-tx2 --launch 1 -o x.db
bad 1 "'' is no name of a database" a.wtr -m jetson-tx2 -o ''
bad 1 "':memory:' is no name of a database" a.wtr -m jetson-tx2 -o :memory:
bad 2 "bin is a folder; give a database of results" a.wtr -m jetson-tx2 -o bin
bad 2 "b.wtr is a trace, not a database of results" a.wtr -m jetson-tx2 -o b.wtr
mkfifo pipe
bad 2 "pipe: not a regular file; a database must be one" a.wtr -m jetson-tx2 -o pipe
fails 2 "pipe: not a regular file; a database must be one" "$r" results pipe
bad 2 "r.db is a database of results, not a trace" r.db -m jetson-tx2 -o x.db
is "... and the trace is whole" "$("$r" verify b.wtr >&2; echo $?)" 0
bad 2 "no.wtr" no.wtr -m jetson-tx2 -o x.db
bad 2 "is PTX, not a trace" "$BUILD/kernels/matmul.ptx" -m jetson-tx2 -o x.db
bad 1 "no-such-machine" a.wtr -m no-such-machine -o x.db
bad 1 "'two' is not a whole number from 1 to 1024" a.wtr -m jetson-tx2 --vary sms=two,3 -o x.db
refused() { "$r" sweep -q --dry-run a.wtr "$@" | sed -n 's/^impossible: *[0-9].*//; s/^impossible: //p'; }
is "a number beyond its limits is a row" "$(refused -m jetson-tx2 --vary sms=0..2)" "jetson-tx2 sms=0: --vary sms=0: sms: '0' is not a whole number from 1 to 1024"
is "... however long it is" "$(refused -m jetson-tx2 --vary sms=1,99999999999999999999 | cut -d: -f1) $(refused -m jetson-tx2 --vary l1.size=8K,-99999999999999999999G | wc -l)" "jetson-tx2 sms=99999999999999999999 1"
is "... and so is one in a list, and of a unit" "$(refused -m rtx2060 --vary limits.warps=0,32 --vary classes.int.latency=-1,4 | wc -l)" 3
is "... once, whatever varies that the machine does not have" "$(refused -m jetson-tx2,orin-wcet --vary l1.size=8K,16K --vary sms=0,1 | cut -d: -f1)" "$(printf '%s\n' 'jetson-tx2 l1.size=8K,sms=0' 'jetson-tx2 l1.size=16K,sms=0' 'orin-wcet sms=0')"
is "a unit that one of several machines has" "$(refused -m jetson-tx2,rtx2060 --vary units.tensor=ideal,pipelined | cut -d: -f1)" "$(printf 'jetson-tx2 units.tensor=%s\n' ideal pipelined)"
is "... where a class of instructions goes" "$(refused -m jetson-tx2,rtx2060 --vary classes.int.unit=alu,int | cut -d: -f1)" "$(printf '%s\n' 'jetson-tx2 classes.int.unit=int' 'rtx2060 classes.int.unit=alu')"
bad 1 "unknown unit 'alu'" a.wtr -m rtx2060 --vary classes.int.unit=alu,int -o x.db
bad 1 "does not take probabilities from another machine" a.wtr -m san-rtx2080 --set memory.from=jetson-tx2 -o x.db
bad 1 "none/x.db: cannot make it: there is no folder 'none'; make that, or name another with -o" a.wtr -m jetson-tx2 -o none/x.db
bad 1 "none/../x.db: cannot make it: there is no folder 'none/..'" a.wtr -m jetson-tx2 -o none/../x.db
ln -s r.db link.db
"$r" sweep -q a.wtr -m jetson-tx2 -o link.db
is "a link to a database is that database" "$? $(readlink link.db)" "0 r.db"
ln -s new.db to-new.db
"$r" sweep -q a.wtr -m jetson-tx2 -o to-new.db
is "... and one to a file that is not there makes it" "$? $("$r" results new.db --csv | wc -l)" "0 2"
printf 'trace = ["a.wtr"];\nmachin = "jetson-tx2";\n' >wrong.cfg
bad 2 "wrong.cfg:2: a plan has no 'machin'; did you mean 'machine'?" wrong.cfg -o x.db
printf 'trace = ["a.wtr"];\nmachine = "jetson-tx2";\nvary = ["sms=4..1"];\n' >wrong.cfg
bad 2 "wrong.cfg:3: --vary sms=4..1: 4..1 runs backwards" wrong.cfg -o x.db
printf 'trace = [3];\n' >wrong.cfg
bad 2 "wrong.cfg:1: this is no text; write it in quotes" wrong.cfg -o x.db
printf 'trace = \n' >wrong.cfg
bad 2 "wrong.cfg:2: syntax error" wrong.cfg -o x.db
bad 2 "no.cfg: No such file or directory" no.cfg -o x.db
is "a name that SQLite takes for a URI is that of a file" "$("$r" sweep -q a.wtr -m jetson-tx2 -o 'file:u.db?mode=memory'; ls file*)" "file:u.db?mode=memory"
is "... which can be read, and merged" "$("$r" results merge 'file:u.db?mode=memory' -o file:m.db && "$r" results file:m.db --csv | wc -l) $(ls file:m.db)" "2 file:m.db"
is "no database is made by any of them" "$(ls x.db 2>&1 | grep -c 'No such')" 1
