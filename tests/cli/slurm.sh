#!/bin/bash
# reprise sweep --slurm with a real Slurm on this computer: munged, slurmctld and slurmd on the loopback address, in a folder
# that goes with them. Needs root, as slurmd does, and Debian's slurm-wlm and munge, which make check-slurm installs.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
BUILD=$(realpath "$BUILD")
dump="python3 $PWD/tests/support/sweep_dump.py"
for program in munged slurmctld slurmd sbatch squeue scontrol; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "ok - Slurm # SKIP no $program here: make check-slurm installs it"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "ok - Slurm # SKIP slurmd wants to be root"; exit 0; }
export PATH=$PATH:/usr/sbin SLURM_CONF=$work/slurm.conf
stop() {
    local file pid
    for file in slurmd.pid slurmctld.pid munge/pid; do
        [ -s "$work/$file" ] || continue
        pid=$(cat "$work/$file")
        kill "$pid" && tail --sleep-interval=0.1 --pid="$pid" -f /dev/null
    done
    rm -rf "$work"
}
trap stop EXIT
chmod 755 "$work"
cd "$work" || exit 1

# ---- Slurm -------------------------------------------------------------------------------------------------------------
mkdir -p munge state spool && chmod 700 munge
head -c 128 /dev/urandom >munge/key && chmod 600 munge/key
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
MinJobAge=300
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
CONF
# Each goes into the background once it is ready.
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >&2 || exit 1
slurmctld -L "$work/slurmctld.log" >&2 && slurmd -L "$work/slurmd.log" >&2 || exit 1
# after [CONDITION]: returns when a job of its own has run, in its turn
after() { timeout 120 srun --quiet --ntasks=1 --job-name=after ${1:+--dependency=$1} true >&2; }
if after; then echo "ok - Slurm runs"; else echo "not ok - Slurm runs"; tail -n 5 slurmctld.log slurmd.log >&2; exit 1; fi

# ---- a sweep -------------------------------------------------------------------------------------------------------------
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
for n in 1 2; do
    "$r" record -q -o $n.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,$n --block 16,16 "${args[@]}" || exit 1
done
plan=(1.wtr 2.wtr -m jetson-tx2 --vary "scheduler=gto,lrr,serial" --vary "barrier_latency=1..8")
"$r" sweep -q "${plan[@]}" -o whole.db
whole=$($dump whole.db | sha256sum)
runs() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM run").fetchone()[0])' "$1"; }
# array TASKS DB: submits; $job is the array, $gathering the job behind it
array() {
    "$r" sweep -q "${plan[@]}" -o "$2" --slurm --array "$1" >out
    job=$(sed -n 's/^job \([0-9]*\):.*/\1/p' out) gathering=$(sed -n 's/.*; job \([0-9]*\) then.*/\1/p' out)
}
"$r" sweep -q "${plan[@]}" -o held.db --slurm=--hold --array 2 >out
job=$(sed -n 's/^job \([0-9]*\):.*/\1/p' out) gathering=$(sed -n 's/.*; job \([0-9]*\) then.*/\1/p' out)
fails 4 "held.db: jobs $job $gathering of this sweep are not over" "$r" sweep -q "${plan[@]}" -o held.db --slurm=--hold --array 2
scancel "$job" "$gathering"
array 6 r.db
check "the array is submitted" grep -q '^job [0-9]*: 48 runs in 6 of 6 tasks; job [0-9]* then takes their results into r.db$' out
scancel "${job}_0" "${job}_5"
check "it ends, and so does what gathers its results" after "afterany:$gathering"
is "two tasks are cancelled, the others are whole" "$(for i in 1 2 3 4; do runs r.db.parts/$i.db; done | xargs) $(($(runs r.db) >= 32))" "8 8 8 8 1"
array 6 r.db
after "afterany:$gathering"
is "the same command does what is missing" "$($dump r.db | sha256sum)" "$whole"
"$r" sweep -q "${plan[@]}" -o r.db --slurm --array 6 >out 2>err
is "and then there is nothing to do" "$(tail -1 err)" "reprise: r.db: all runs are there; nothing is submitted"

# A task that is killed in its middle, once it has begun. The reference engine takes its time.
plan=(1.wtr 2.wtr -m jetson-tx2 --engine reference --vary "scheduler=gto,lrr,serial" --vary "barrier_latency=1..10")
"$r" sweep -q "${plan[@]}" -o long.db
whole=$($dump long.db | sha256sum)
middle=0
for try in 1 2 3; do
    rm -rf killed.db*
    array 2 killed.db
    python3 - killed.db.parts/0.db <<'PY' # returns once the task has runs
import sqlite3, sys
def runs():
    try:
        return sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
while not runs():
    pass
PY
    scancel --signal=KILL --full "${job}_0" 2>/dev/null # it may be over
    after "afterany:$gathering"
    before=$(runs killed.db)
    middle=$((middle + (before < 60)))
    array 2 killed.db
    [ -z "$gathering" ] || after "afterany:$gathering"
    is "$try: a task is killed: the same command does what is missing" "$($dump killed.db | sha256sum)" "$whole"
    [ $middle = 0 ] || break
done
check "a task was killed in its middle" [ $middle -gt 0 ]
