#!/bin/bash
# reprise sweep: plans, what is in the database afterwards, and that the same command goes on where it was stopped.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/programs/memory"
BUILD=$(realpath "$BUILD")
dump="python3 $PWD/tests/support/sweep_dump.py"
cd "$work" || exit 1
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
"$r" record -q -o a.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 "${args[@]}" || exit 1
"$r" record -q -o b.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,3 --block 16,16 "${args[@]}" || exit 1
"$BUILD/programs/memory" launches 20 many.wtr || exit 1
head -c $(($(stat -c %s many.wtr) * 2 / 3)) many.wtr >cut.wtr
sweep() { "$r" sweep -q "$@"; }
query() { "$r" results "$1" sql "$2" --csv | tail -n +2; } # database, query: its rows
runs() { query "$1" "SELECT count(*) FROM run"; }
cycles() { "$r" replay -q --json "$@" | json /dev/stdin 'd["total"]["cycles"]'; }

# ---- what is in the database ---------------------------------------------------------------------------------------
sweep a.wtr b.wtr -m jetson-tx2 --vary scheduler=gto,lrr --vary l1.size=8K..32K:x2 -o r.db
is "two traces on six machines" "$? $(runs r.db)" "0 12"
is "each run is what replay says alone" "$(query r.db "SELECT cycles FROM runs WHERE trace = 'b.wtr' AND \"l1.size\" = 16384 AND \"scheduler.model\" = 'lrr'")" \
    "$(cycles b.wtr -m jetson-tx2 --set scheduler=lrr --set l1.size=16K)"
"$r" replay -q a.wtr -m jetson-tx2 --set l1.size=8K --json >replay.json
"$r" results r.db show "$(query r.db "SELECT run FROM runs WHERE trace = 'a.wtr' AND \"l1.size\" = 8192 AND \"scheduler.model\" = 'gto'")" --json >show.json
is "all statistics are those of replay --json" "$(python3 - <<'PY'
import json
def flat(d, prefix=""):
    for k, v in d.items():
        yield from flat(v, prefix + k + ".") if isinstance(v, dict) else [(prefix + k, v)]
replay, show = json.load(open("replay.json"))["traces"][0], json.load(open("show.json"))
total = {k: v for k, v in flat(replay["total"]) if v}
for derived in ("us", "main_stall"):
    total.pop(derived)
ratios = {"ipc": total.pop("ipc"), "occupancy.achieved": total.pop("occupancy.achieved")}
print(total == show["statistics"], abs(ratios["ipc"] - show["ipc"]) < 1e-12, abs(ratios["occupancy.achieved"] - show["occupancy"]) < 1e-12,
      show["hash"] == replay["machine"]["hash"], show["sha256"] == replay["trace"]["sha256"], show["options"] == {k: str(v).lower() if isinstance(v, bool) else v for k, v in replay["machine"]["options"].items()})
PY
)" "True True True True True True"
is "one file is left" "$(ls r.db*)" r.db
before=$($dump r.db)
"$r" sweep a.wtr b.wtr -m jetson-tx2 --vary scheduler=gto,lrr --vary l1.size=8K..32K:x2 -o r.db 2>err
is "the same command finds nothing to do" "$? $(grep -c '^done: *12 in the database already$' err) $(grep -c '^reprise: r.db: 0 runs done' err)" "0 1 1"
is "... and changes nothing" "$($dump r.db)" "$before"
cp a.wtr renamed.wtr
sweep renamed.wtr -m jetson-tx2 --vary scheduler=gto --vary l1.size=16K -o r.db
is "another name, the same content: the run is there" "$(runs r.db)" 12
"$r" sweep renamed.wtr -m jetson-tx2 --vary scheduler=gto --vary l1.size=16K -o r.db 2>err
is "... and a note says under which" "$? $(grep -c '^reprise: note: renamed.wtr has the content of trace a.wtr; its runs are in r.db under that name$' err)" "0 1"
"$r" machine show jetson-tx2 >same.cfg
"$r" sweep a.wtr -m same.cfg --vary l1.size=16K,32K -o r.db 2>err
is "... as with another name of a machine, once" "$? $(grep -c '^reprise: note: machine same has the options of jetson-tx2; its runs are in r.db under that name$' err) $(runs r.db)" "0 1 12"
sweep a.wtr -m jetson-tx2 --vary scheduler=gto,lrr,serial --set l1.size=8K -o r.db
is "what is new is added" "$(runs r.db)" 13
sweep a.wtr a.wtr renamed.wtr -m jetson-tx2 --vary sms=1,2 -o twice.db
is "a trace that is named twice is one" "$(runs twice.db)" 2

sweep b.wtr a.wtr -m jetson-tx2 --vary sms=1,2 -t 1 -o order.db
is "long traces are replayed first, machines in their order" "$(query order.db 'SELECT trace, sms FROM runs ORDER BY run' | xargs)" "a.wtr,1 a.wtr,2 b.wtr,1 b.wtr,2"

# ---- plans -----------------------------------------------------------------------------------------------------------
cat >plan.cfg <<'CFG'
# as on the command line
trace = ["a.wtr", "b.wtr"];
machine = "jetson-tx2,orin-wcet";
set = "barrier_latency=15";
vary = ["scheduler=gto,lrr", "subcores=2,4 with l1_subcores=1,2 with icache_subcores=2,4"];
exclude = ["scheduler=lrr and subcores<=2", "machine=orin-wcet and trace=b.wtr"];
launches = true;
CFG
sweep plan.cfg -o file.db
sweep a.wtr b.wtr -m jetson-tx2,orin-wcet --set barrier_latency=15 --vary scheduler=gto,lrr --vary 'subcores=2,4 with l1_subcores=1,2 with icache_subcores=2,4' \
    --exclude 'scheduler=lrr and subcores<=2' --exclude 'machine=orin-wcet and trace=b.wtr' --launches -o line.db
is "a plan as a file is the same as on the command line" "$($dump file.db | sha256sum)" "$($dump line.db | sha256sum)"
is "what is excluded is not there" "$(query file.db "SELECT trace, machine, count(*) FROM runs GROUP BY 1, 2" | xargs)" "a.wtr,jetson-tx2,3 a.wtr,orin-wcet,3 b.wtr,jetson-tx2,3"
is "... by value" "$(query file.db "SELECT count(*) FROM runs WHERE \"scheduler.model\" = 'lrr' AND subcores = 2")" 0
is "coupled options are set together" "$(query file.db 'SELECT DISTINCT subcores, "l1.subcores", "icache.subcores" FROM runs ORDER BY 1' | xargs)" "2,1,2 4,2,4"
is "a key beside a key" "$("$r" sweep a.wtr -m jetson-tx2 --set icache_subcores=1 --vary subcores=1,2,4 --vary l1_subcores=1,2,4 --exclude 'l1_subcores>subcores' --dry-run | grep -E '^(excluded|machines):' | xargs)" \
    "excluded: 3 by --exclude machines: 6"
cp same.cfg 'm,x.cfg'
printf 'trace = ["a.wtr"]; machine = ["m,x.cfg", "jetson-tx2"]; set = ["sms=2"];\n' >comma.cfg
is "a machine file whose name has a comma" "$("$r" sweep comma.cfg --dry-run | grep -E '^(variants|the same|machines|runs):' | xargs)" "variants: 2 combinations of values the same: 1 as another, option by option machines: 1 runs: 1"
"$r" sweep plan.cfg --dry-run >out 2>err
is "--dry-run counts" "$? $(grep -cE '^(traces: +2|variants: +8 comb|excluded: +2 by|machines: +6|runs: +9|to do: +9 runs, [0-9,]+ warp instructions: .* on [0-9]+ threads?, if )' out) $(cat err)" "0 6 "
is "... makes nothing, and with a database says what is left" "$(ls dry.db 2>&1 | grep -c 'No such') $("$r" sweep plan.cfg --dry-run -o file.db | grep -c '^done: *9 in') $("$r" sweep plan.cfg --dry-run -o dry.db | grep -c 'runs before') $(ls dry.db 2>&1 | grep -c 'No such')" "1 1 0 1"
is "ranges with steps" "$("$r" sweep a.wtr -m jetson-tx2 --vary dram.latency=100..400:+100 --vary l1.size=8K..64K:x2 --vary sms=1..3 --dry-run | grep -c '^runs: *48$')" 1

is "--exclude of one trace" "$("$r" sweep a.wtr b.wtr -m jetson-tx2 --exclude 'machine=jetson-tx2 and trace=b.wtr' --dry-run | grep -E '^(excluded|runs):' | xargs)" "excluded: 1 run on one of the traces, by --exclude runs: 1"
is "... and of variants" "$("$r" sweep a.wtr b.wtr -m jetson-tx2 --vary sms=1,2,4 --exclude sms=4 --exclude 'sms<=2 and trace=b.wtr' --dry-run | grep -E '^(excluded|machines|runs):' | xargs)" \
    "excluded: 1 by --exclude excluded: 2 runs on some of the traces, by --exclude machines: 2 runs: 2"
is "what --exclude leaves out is counted, also nothing" "$("$r" sweep a.wtr -m jetson-tx2 --vary sms=1,8 --vary subcores=4 --exclude 'sms<subcores and subcores<sms' --dry-run | grep -c '^excluded: *0 by --exclude$')" 1
fails 1 "--exclude sms=3: it never holds, as no sms of the sweep is 3" "$r" sweep a.wtr -m jetson-tx2 --vary sms=1,2 --exclude sms=3 --dry-run
fails 1 "--exclude sms=1 and sms=2: it never holds, as sms is not 1 and 2 at once" "$r" sweep a.wtr -m jetson-tx2 --vary sms=1,2 --exclude "sms=1 and sms=2" --dry-run

# estimate DB OPTION...: the time of a run that is not there yet
estimate() { "$r" sweep a.wtr -m jetson-tx2 --set sms=3 --dry-run -t 1 -o "$@" | sed -n 's/.*instructions: \(.*\) on 1 thread.*/\1/p'; }
seconds() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("UPDATE run SET seconds = " + sys.argv[2]); c.commit()' "$@"; }
sweep a.wtr -m jetson-tx2 -o slow.db
seconds slow.db 40
is "the estimate of time: as long as the run before, and longer with --stalls" "$(estimate slow.db), $(estimate slow.db --stalls)" "40 s, 50 s"
sweep a.wtr -m jetson-tx2 --set sms=1 --stalls -o slow.db
seconds slow.db '40 + 15 * detail'
is "... as long as the one with stalls before" "$(estimate slow.db), $(estimate slow.db --stalls)" "40 s, 70 s"
"$r" sweep a.wtr -m rtx2060,v100,jetson-tx2 --vary sms=1,2 --dry-run >out 2>err
is "an area that stays while the SMs change is said once" "$(cat err)" "reprise: note: sms varies, and the area of a machine (rtx2060) stays the same; give one with each: --vary 'sms=... with area=...'"
is "... not where there is none, it is given, or with -q" "$("$r" sweep a.wtr -m jetson-tx2 --vary sms=1,2 --dry-run 2>&1 >/dev/null; "$r" sweep a.wtr -m rtx2060 --vary 'sms=1,2 with area=20,30' --dry-run 2>&1 >/dev/null; "$r" sweep -q a.wtr -m rtx2060 --vary sms=1,2 --dry-run 2>&1 >/dev/null)" ""

# ---- impossible variants, failed runs ----------------------------------------------------------------------------------
sweep a.wtr -m jetson-tx2 --vary l1_subcores=2,3,4 -o i.db
is "an impossible variant is a row with its reason" "$? $(query i.db "SELECT machine, settings FROM refusal") $("$r" results i.db | grep -c '^ *-  .* impossible .*l1_subcores=3: .*does not divide')" '0 jetson-tx2,l1_subcores=3 1'
is "... and the others run" "$(query i.db "SELECT count(*) FROM run WHERE status = 'done'")" 2
sweep a.wtr -m jetson-tx2 --vary limits.shared=0,64K -o f.db
is "a run that fails is a row with its reason" "$? $(query f.db "SELECT status, reason LIKE '%a block needs%bytes of shared memory%' FROM runs ORDER BY 1" | xargs)" "0 done, failed,1"
"$r" sweep a.wtr -m jetson-tx2 --vary limits.shared=0,64K -o f.db 2>err
is "... and is not repeated" "$(grep -c ': 0 runs done, 0 of them failed; 1 that was there before has failed$' err)" 1
sweep a.wtr -m jetson-tx2,orin-wcet --vary l1.size=8K,16K -o p.db
is "an option varies where the part has it" "$(query p.db "SELECT machine, \"l1.size\" FROM runs ORDER BY 1, 2" | xargs)" "jetson-tx2,8192 jetson-tx2,16384 orin-wcet,"
sweep cut.wtr -m orin-wcet -o cut.db 2>err
is "a damaged trace runs as far as it goes" "$? $(query cut.db "SELECT status, warnings > 0 FROM runs") $(query cut.db "SELECT count(*) > 0 FROM trace WHERE damage IS NOT NULL")" "0 done,1 1"

# ---- launches, stalls, chance -------------------------------------------------------------------------------------------
sweep many.wtr -m orin-wcet -o l.db
is "begin and end of each launch" "$(query l.db "SELECT count(*), max(end) FROM run_launch") $(query l.db "SELECT count(*) FROM launch_value")" "$("$r" replay -q many.wtr -m orin-wcet --json | json /dev/stdin '"%d,%d" % (len(d["launches"]), d["total"]["cycles"])') 0"
sweep many.wtr -m orin-wcet --launches -o l.db
is "--launches adds their statistics, in the place of the run" "$(runs l.db) $(query l.db "SELECT sum(value) FROM launch_value JOIN statistic ON id = statistic WHERE name = 'warp_instructions'")" "1 $(query l.db "SELECT warp_instructions FROM runs")"
sweep a.wtr -m jetson-tx2 --vary scheduler=gto,lrr --stalls -o s.db
is "--stalls: all cycles of sub-cores but the idle ones" "$(query s.db 'SELECT sum(s.cycles) + r."issue.idle" - r.cycles * 8 FROM stall s JOIN runs r ON r.run = s.run GROUP BY r.run' | xargs)" "0 0"
sweep a.wtr -m jetson-tx2 --vary scheduler=gto,lrr --launches -o s.db
is "what is kept stays when more is asked for" "$(query s.db 'SELECT count(DISTINCT run), (SELECT count(DISTINCT run) FROM launch_value) FROM stall') $(query s.db 'SELECT DISTINCT detail FROM run')" "2,2 3"
sweep a.wtr -m san-rtx2080 --seed 5 -o c.db
sweep a.wtr -m san-rtx2080 --seed 6 -o c.db
is "each seed is a run of its own" "$(query c.db "SELECT seed, cycles FROM runs ORDER BY 1" | xargs)" "5,$(cycles a.wtr -m san-rtx2080 --seed 5) 6,$(cycles a.wtr -m san-rtx2080 --seed 6)"
sweep many.wtr -m orin-wcet --launch 3 -o one.db
is "--launch" "$(query one.db "SELECT launch, cycles FROM runs")" "3,$(cycles many.wtr -m orin-wcet --launch 3)"
sweep a.wtr -m jetson-tx2 --engine reference --vary scheduler=gto -o r.db
is "engines are kept apart, and agree" "$(query r.db "SELECT count(*), count(DISTINCT cycles) FROM runs WHERE trace = 'a.wtr' AND \"scheduler.model\" = 'gto' AND \"l1.size\" = 24576")" "1,1"

# ---- shards ------------------------------------------------------------------------------------------------------------
for i in 0 1 2; do sweep plan.cfg --shard $i/3 -o "shard$i.db"; done
is "shards are parts" "$(runs shard0.db) $(runs shard1.db) $(runs shard2.db)" "3 3 3"
"$r" results merge shard0.db shard1.db shard2.db -o merged.db
is "... that merge into the whole" "$? $($dump merged.db | sha256sum)" "0 $($dump file.db | sha256sum)"
"$r" results merge shard1.db merged.db -o merged.db 2>err
is "merging again changes nothing" "$? $($dump merged.db | sha256sum)" "0 $($dump file.db | sha256sum)"
sweep a.wtr -m jetson-tx2 --vary scheduler=gto,lrr -o bare.db
"$r" results merge s.db -o bare.db
is "a run gets the detail that it has elsewhere" "$($dump bare.db | sha256sum)" "$($dump s.db | sha256sum)"
for detail in --launches --stalls "--launches --stalls"; do
    # shellcheck disable=SC2086
    sweep a.wtr -m jetson-tx2 --vary scheduler=gto,lrr $detail -o "detail$detail.db"
done
"$r" results merge detail--launches.db detail--stalls.db -o both.db
is "... with both kinds, where each database has one" "$($dump both.db | sha256sum)" "$($dump "detail--launches --stalls.db" | sha256sum)"

# ---- Slurm: here sbatch is a script that runs the tasks one after the other; make check-slurm has a real one ---------
mkdir bin
cat >bin/sbatch <<'SH'
#!/bin/bash
echo "$*" >>sbatch.log
tasks=
for word; do case $word in --array=*) tasks=${word#--array=} ;; esac; done
for i in ${tasks//,/ }; do [ "$i" = "$LOSE" ] || SLURM_ARRAY_TASK_ID=$i sh "${*: -1}" >&2; done
[ -n "$tasks" ] || sh "${*: -1}" >&2
echo "4711;cluster"
SH
printf '#!/bin/bash\ncat queue 2>/dev/null || [ ! -e queue.fails ]\n' >bin/squeue # the jobs that are not over
chmod +x bin/sbatch bin/squeue
slurm() { LOSE=${LOSE:-} PATH=$work/bin:$PATH "$r" sweep -q plan.cfg -o slurm.db --slurm="--mem=1G --time=5" --array 4 "$@"; }
LOSE=2 slurm --vary 'barrier_latency=15,16' >out 2>err
is "settings beside what varies are refused before anything is submitted" "$? $(grep -c 'leave out one of them' err) $(ls sbatch.log 2>&1 | grep -c 'No such')" "1 1 1"
LOSE=2 slurm >out
is "--slurm submits an array, and what gathers its results" "$? $(cat out)" "0 job 4711: 9 runs in 4 of 4 tasks; job 4711 then takes their results into slurm.db"
is "... with options for sbatch" "$(sed 's/ --output.*//' sbatch.log | xargs)" "--parsable --job-name=reprise-sweep --array=0,1,2,3 --mem=1G --time=5 --parsable --job-name=reprise-gather --dependency=afterany:4711 --mem=1G --time=5"
is "... a lost task's runs are missing" "$(runs slurm.db)" 7
cp sbatch.log before.log && cp -r slurm.db.parts parts.before
echo 4711 >queue
slurm >out 2>err
is "the same command while its jobs run submits nothing, and touches nothing" \
    "$? $(cat out err) $(cmp sbatch.log before.log)$(diff -r slurm.db.parts parts.before)" \
    "4 reprise: slurm.db: jobs 4711 4711 of this sweep are not over ('squeue' shows them); then the same command submits what is missing "
rm queue && touch queue.fails
is "... nor where squeue fails" "$(slurm 2>&1 >/dev/null) $(cmp sbatch.log before.log)" "reprise: squeue failed; what it says stands above. Whether jobs 4711 4711 of this sweep are over is not known "
rm queue.fails && echo 4712 >queue # of somebody else
slurm >out
is "the same command submits that task again" "$(cat out) $(runs slurm.db)" "job 4711: 2 runs in 1 of 4 tasks; job 4711 then takes their results into slurm.db 9"
is "... and the database is that of a sweep" "$($dump slurm.db | sha256sum)" "$($dump file.db | sha256sum)"
PATH=$work/bin:$PATH "$r" sweep plan.cfg -o slurm.db --slurm --array 4 >out 2>err
is "... and then nothing is submitted" "$? $(tail -1 err)" "0 reprise: slurm.db: all runs are there; nothing is submitted"
is "without Slurm it says so" "$(PATH=$work/none "$r" sweep -q plan.cfg -o none.db --slurm --array 4 2>&1 | tail -1)" \
    "reprise: sbatch failed; what it says stands above. It is part of Slurm (Debian: slurm-client)"
LOSE='' PATH=$work/bin:$PATH "$r" sweep -q a.wtr -m jetson-tx2 --exclude "trace!=x'y and sms=1" --vary sms=1,2 -o "it's here.db" --slurm --array 1 >out
is "names and values with quotes and blanks" "$? $(runs "it's here.db")" "0 1"
