#!/bin/bash
# reprise results, given what is wrong: one line that says what, and the exit status.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
BUILD=$(realpath "$BUILD")
cd "$work" || exit 1
"$r" record -q -o 1.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 2,2 --block 16,16 \
    --arg buf=rand-f32:1024:seed=1 --arg buf=rand-f32:1024:seed=2 --arg buf=zeros:4096 --arg i32=32 || exit 1
"$r" sweep -q 1.wtr -m jetson-tx2 --vary scheduler=gto,lrr --vary l1.size=8K,16K -o r.db || exit 1

fails 1 "which database?" "$r" results
fails 1 "there are list, show, compare, pareto and sql" "$r" results r.db best
fails 1 "show RUN" "$r" results r.db show
fails 1 "there is no such run" "$r" results r.db show 999
fails 1 "did you mean 'l1.size'?" "$r" results r.db pareto cycles l1.siz
fails 1 "did you mean 'cycles'?" "$r" results r.db --best cycle
fails 1 "--by goes with --best" "$r" results r.db --by trace
fails 1 "give the numbers of two runs, or values" "$r" results r.db compare gto lrr
fails 1 "give the numbers of two runs, or values" "$r" results r.db compare 1 scheduler=lrr
fails 1 "no run of one side has a counterpart: none that is done has scheduler=oldest" "$r" results r.db compare scheduler=gto scheduler=oldest
"$r" sweep -q 1.wtr -m jetson-tx2 --vary 'subcores=1,2,4 with l1_subcores=1,2,2 with icache_subcores=1,2,4 with area=80,90,100' -o coupled.db
fails 1 "counterpart: the sides differ in l1.subcores, icache.subcores, too; name on both sides what is to differ" "$r" results coupled.db compare subcores=1 subcores=2
is "an area that differs is no reason" "$("$r" results coupled.db compare subcores=2,icache.subcores=2 subcores=4,icache.subcores=4 --csv | wc -l)" 2
"$r" sweep -q 1.wtr -m v100,jetson-tx2 -o two.db
"$r" record -q -o 2.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 2,1 --block 16,16 \
    --arg buf=rand-f32:1024:seed=1 --arg buf=rand-f32:1024:seed=2 --arg buf=zeros:4096 --arg i32=32 || exit 1
"$r" sweep -q 2.wtr -m v100 -o two.db
fails 1 "counterpart: runs 1 and 3 are of different traces" "$r" results two.db compare 1 3

# Runs without an area, of several machines.
"$r" sweep -q 1.wtr -m jetson-tx2,orin-wcet,tx2-pastis,v100 -o areas.db
is "machines without an area are named" "$("$r" results areas.db pareto cycles area 2>&1 >/dev/null | cut -d ';' -f 1)" "reprise: warning: 3 runs are left out where areas are compared, as machines jetson-tx2, orin-wcet and tx2-pastis have no area"

# Databases without a run.
"$r" sweep -q 1.wtr -m jetson-tx2 --vary l1.size=100,200 -o none.db
is "a sweep in which all is impossible: a list with the reasons" "$("$r" results none.db --csv | cut -d, -f 1-3,6 | sed 's/:.*//')" "run,trace,machine,status
,,jetson-tx2,impossible
,,jetson-tx2,impossible"
is "... --best and pareto have no run" "$("$r" results none.db --best cycles --csv) $("$r" results none.db pareto cycles ipc --csv)" "run,trace,machine,cycles run,trace,machine,cycles,ipc"
fails 1 "none.db: there is no run yet, and nothing known of 'l2.misses'; 'reprise results none.db' lists" "$r" results none.db --best l2.misses
fails 1 "none.db: there is no run yet, and nothing known of 'l1.size'" "$r" results none.db compare l1.size=100 l1.size=200
fails 1 "no run is done" "$r" report none.db -o none.html
fails 1 "both sides are the same" "$r" results r.db compare 1 1
fails 1 "run 999: there is no such run" "$r" results r.db compare 1 999
fails 1 "trace is a text" "$r" results r.db --best trace
fails 1 "scheduler is a text" "$r" results r.db pareto cycles scheduler
fails 1 "--best beside show" "$r" results r.db --best cycles show 1
fails 1 "--best beside list" "$r" results r.db list --best cycles
fails 1 "pareto: both values are 'cycles'" "$r" results r.db pareto cycles +cycles
fails 1 "merge prints no table: leave out --csv" "$r" results merge r.db --csv -o m.db
fails 1 "merge prints no table: leave out --json" "$r" results merge r.db --json -o m.db
fails 1 "--stat goes with compare" "$r" results r.db --stat cycles
fails 1 "--top goes with --best and with compare" "$r" results r.db --top 3
fails 1 "-o goes with merge" "$r" results r.db -o x.db
fails 1 "sql: give one query" "$r" results r.db sql "ATTACH 'q.db' AS q"
fails 1 "which database?" "$r" results ''
fails 2 ". is a folder; give a database of results" "$r" results .
fails 2 "1.wtr is a trace, not a database of results" "$r" results 1.wtr
fails 2 "1.wtr is a trace, not a database of results" "$r" results merge r.db 1.wtr -o half.db
is "... and nothing is made" "$(ls half.db 2>&1 | grep -c 'No such')" 1
fails 1 "sql: near" "$r" results r.db sql 'SELEC 1'
fails 1 "sql: give one query" "$r" results r.db sql 'SELECT 1; SELECT 2'
fails 1 "reprise results merge A.db B.db -o r.db" "$r" results merge r.db
fails 2 "no.db: there is no such file" "$r" results merge no.db -o m.db
