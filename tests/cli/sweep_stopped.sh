#!/bin/bash
# Sweeps that are stopped, and databases that cannot be read or written: nothing that was finished is lost.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/preload/back.so"
BUILD=$(realpath "$BUILD")
support=$PWD/tests/support
export PYTHONPATH=$support PYTHONDONTWRITEBYTECODE=1
dump="python3 $support/sweep_dump.py"
cd "$work" || exit 1
args=(--arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2 --arg buf=zeros:16384 --arg i32=64)
for n in 1 2 3 4; do
    "$r" record -q -o $n.wtr --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,$n --block 16,16 "${args[@]}" || exit 1
done
plan=(1.wtr 2.wtr 3.wtr 4.wtr -m "jetson-tx2,orin-wcet" --vary "scheduler=gto,lrr,serial" --vary "barrier_latency=1..8")
sweep() { "$r" sweep -q "${plan[@]}" "$@"; }
runs() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM run").fetchone()[0])' "$1"; }
sweep -t 2 -o whole.db
is "a sweep that nothing disturbs" "$? $(runs whole.db)" "0 192"
whole=$($dump whole.db | sha256sum)

# ---- killed ------------------------------------------------------------------------------------------------------------
python3 "$support/kill_sweep.py" 20 killed.db "$r" sweep -q "${plan[@]}" -t 2 -o killed.db >out
is "killed at 20 random moments, no run is lost" "$(cut -d' ' -f2,3 out) $(runs killed.db)" "kept 0 192"
check "... and it was killed before its end" [ "$(cut -d' ' -f1 out)" -ge 1 ]
is "... and in the end the database is the same" "$($dump killed.db | sha256sum)" "$whole"
is "... one file" "$(ls killed.db*)" killed.db

# ---- Ctrl-C ------------------------------------------------------------------------------------------------------------
# The sweep is stopped once runs are in the database: a database that somebody reads says when.
interrupt() { # signal
    rm -f stopped.db*
    python3 - "$1" "$r" sweep "${plan[@]}" -t 1 -o stopped.db <<'PY' 2>err
import signal, sys
from sweep_begun import begun
sweep = begun(sys.argv[2:], "stopped.db")
number = getattr(signal, sys.argv[1])
sweep.send_signal(number)
print(sweep.wait() == -number)
PY
}
for s in SIGINT SIGTERM; do
    is "$s ends it as a signal does" "$(interrupt $s)" True
    is "... it says what is kept" "$(grep -c "^reprise: stopped: [0-9]* of 192 runs are in stopped.db, and the same command goes on from there$" err)" 1
    said=$(sed -n 's/^reprise: stopped: \([0-9]*\) of.*/\1/p' err)
    is "... which is true" "$(runs stopped.db)" "$said"
    is "... in one file" "$(ls stopped.db*)" stopped.db
done
sweep -o stopped.db
is "the same command goes on from there" "$? $($dump stopped.db | sha256sum)" "0 $whole"

# ---- traces that go away, or change, in its middle --------------------------------------------------------------------
# The first trace is written into while it is open, the last one is removed before it is needed.
slow=("${plan[@]}" --engine reference)
"$r" sweep -q "${slow[@]}" -o slow.db
mkdir kept && cp ./*.wtr kept
python3 - "$r" sweep -q "${slow[@]}" -t 1 -o gone.db <<'PY' 2>err
import os, sys
from sweep_begun import begun
sweep = begun(sys.argv[1:], "gone.db")
size = os.path.getsize("4.wtr")
with open("4.wtr", "r+b") as f:
    f.seek(size // 4)
    f.write(bytes(size // 2))
os.remove("1.wtr")
sys.exit(sweep.wait())
PY
is "traces that go away or change are an error" "$? $(grep -cE '^reprise: [0-9]+ runs are missing, and the same command tries them again; the last one: cannot open .1.wtr.' err)" "4 1"
is "... and no results" "$(python3 -c 'import sqlite3; d = sqlite3.connect("gone.db"); print(*d.execute("SELECT count(*) FROM run WHERE status <> \"done\"").fetchone(), *d.execute("SELECT count(*) BETWEEN 48 AND 143 FROM run").fetchone())')" "0 1"
cp kept/*.wtr .
"$r" sweep -q "${slow[@]}" -o gone.db
is "... and when they are back, the same command goes on" "$? $($dump gone.db | sha256sum)" "0 $($dump slow.db | sha256sum)"

# ---- several at once ---------------------------------------------------------------------------------------------------
for i in 1 2 3; do "$r" sweep "${plan[@]}" -t 1 -o shared.db 2>shared.$i & done
wait
is "three sweeps into one database" "$($dump shared.db | sha256sum)" "$whole"
is "... do each run once" "$(cat shared.[123] | sed -n 's/^reprise: shared.db: \([0-9]*\) runs\? done.*/\1/p' | awk '{ n += $1 } END { print n }')" 192
is "... one file" "$(ls shared.db*)" shared.db

# One that is killed has claimed runs; the other does them.
python3 - "$r" sweep -q "${plan[@]}" -t 1 -o claimed.db <<'PY'
import subprocess, sys
from sweep_begun import begun
sweep = begun(sys.argv[1:], "claimed.db")
other = subprocess.Popen(sys.argv[1:])
sweep.kill()
sys.exit(other.wait())
PY
is "one of two that is killed" "$? $($dump claimed.db | sha256sum)" "0 $whole"

# Others that look into the database, and close it, leave the log that the sweep writes.
python3 - "$r" sweep -q "${slow[@]}" -t 1 -o seen.db <<'PY' >seen.out
import os, sqlite3, subprocess, sys
sweep = subprocess.Popen(sys.argv[1:])
while not os.path.exists("seen.db-claims") and sweep.poll() is None:  # it comes once the database is open
    pass
runs, folder = 0, f"/proc/{sweep.pid}/fd"
while runs < 20 and sweep.poll() is None:
    looker = sqlite3.connect("seen.db")
    runs = looker.execute("SELECT count(*) FROM run").fetchone()[0]
    looker.close()
files = [os.readlink(f"{folder}/{n}") for n in os.listdir(folder)]
print(any(f.endswith("/seen.db-wal") for f in files), any(f.endswith("seen.db-wal (deleted)") for f in files))
sys.exit(sweep.wait())
PY
is "other programs that open and close the database" "$? $(cat seen.out)" "0 True False"
is "... and it has all runs" "$($dump seen.db | sha256sum)" "$($dump slow.db | sha256sum)"

# ---- the database goes away --------------------------------------------------------------------------------------------
lose() { # what happens to the database
    rm -f lost.db*
    python3 - "$1" "$r" sweep -q "${slow[@]}" -t 1 -o lost.db <<'PY' 2>err
import os, shutil, sys
from sweep_begun import begun
sweep = begun(sys.argv[2:], "lost.db")
if sys.argv[1] == "replaced":
    shutil.copy("whole.db", "lost.new")
    os.rename("lost.new", "lost.db")
else:
    os.remove("lost.db")
sys.exit(sweep.wait())
PY
}
for what in "deleted or moved" replaced; do
    lose "$what"
    is "a database that is $what meanwhile is an error" "$? $(grep -c "^reprise: lost.db: .* $what the database while results were written" err)" "4 1"
done

# ---- the disk is full --------------------------------------------------------------------------------------------------
small() { # KB: no file may grow beyond; what follows is run
    (ulimit -f "$1" && shift && "$@")
}
small 400 "$r" sweep -q "${plan[@]}" -o full.db 2>err
is "a full disk ends it with an error" "$? $(wc -l <err) $(grep -cE '^reprise: full.db: (the disk is full|cannot be read or written).*; what is in it stays, and the same command goes on from there$' err)" "4 1 1"
sweep -o full.db
is "... and with room again it goes on" "$? $($dump full.db | sha256sum)" "0 $whole"
said=$(small 0 "$r" sweep -q "${plan[@]}" -o none.db 2>&1)
is "no room at all" "$? $(wc -l <<<"$said")" "4 1"
sweep -o none.db
is "... is no harm" "$? $($dump none.db | sha256sum)" "0 $whole"

# ---- locked ------------------------------------------------------------------------------------------------------------
cp whole.db locked.db
python3 - "$r" sweep -q 1.wtr -m jetson-tx2 --vary sms=1..4 -o locked.db --wait 0 <<'PY' 2>err
import sqlite3, subprocess, sys
db = sqlite3.connect("locked.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
sys.exit(subprocess.run(sys.argv[1:]).returncode)
PY
is "a locked database is an error, once --wait is over" "$? $(wc -l <err) $(grep -c '^reprise: locked.db: another program has locked it for 0 s' err)" "4 1 1"
is "... and nothing is lost" "$($dump locked.db | sha256sum)" "$whole"
"$r" sweep -q 1.wtr -m jetson-tx2 --vary sms=1..4 -o locked.db
is "... and it goes on when it is free" "$? $(runs locked.db)" "0 196"

# A program that is about to write has it locked while it is at rest: whoever comes waits.
cat >waits.py <<'PY'
import sqlite3, subprocess, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
one = subprocess.Popen(sys.argv[2:])
try:
    one.wait(1)
except subprocess.TimeoutExpired:
    pass
db.execute("ROLLBACK")
sys.exit(one.wait())
PY
cp whole.db resting.db
python3 waits.py resting.db "$r" sweep -q 1.wtr -m jetson-tx2 --vary sms=1..4 -o resting.db --wait 600
is "a sweep waits until the database is free" "$? $(runs resting.db)" "0 196"
cp whole.db target.db
python3 waits.py target.db "$r" results merge resting.db -o target.db --wait 600
is "a merge does, too" "$? $(runs target.db)" "0 196"

# Locked once it has written something: what is there stays.
python3 - "$r" sweep -q "${plan[@]}" -t 1 --wait 0 -o middle.db <<'PY' 2>err
import os, sqlite3, subprocess, sys
sweep = subprocess.Popen(sys.argv[1:])
runs = 0
while not runs and sweep.poll() is None:
    if not os.path.exists("middle.db-wal"):  # a reader would lock the beginning out
        continue
    try:
        db = sqlite3.connect("middle.db", isolation_level=None)
        runs = db.execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:
        pass
db.execute("BEGIN IMMEDIATE")
print(db.execute("SELECT count(*) FROM run").fetchone()[0], file=open("locked", "w"))
sys.exit(sweep.wait())
PY
is "locked in its middle: an error" "$? $(wc -l <err) $(grep -c '^reprise: middle.db: another program has locked it for 0 s' err)" "4 1 1"
is "... what is there stays" "$(runs middle.db)" "$(cat locked)"
sweep -o middle.db
is "... and it goes on when it is free" "$? $($dump middle.db | sha256sum)" "0 $whole"

# ---- damage ------------------------------------------------------------------------------------------------------------
python3 - <<'PY'
data = bytearray(open("whole.db", "rb").read())
for page in range(3, 30):
    data[page * 4096:page * 4096 + 2000] = b"\xa5" * 2000
open("broken.db", "wb").write(data)
open("cut.db", "wb").write(open("whole.db", "rb").read()[:20000])
open("text.db", "w").write("this is no database\n" * 1000)
PY
cp broken.db broken.copy
for name in broken cut; do
    sweep -o $name.db 2>err
    is "$name: a damaged database is an error" "$? $(wc -l <err) $(grep -c "^reprise: $name.db: the database is damaged .*recover" err)" "2 1 1"
done
python3 - <<'PY'
# only pages in the middle, so that what is asked first can be read
data = bytearray(open("whole.db", "rb").read())
for page in range(len(data) // 4096 // 2, len(data) // 4096 // 2 + 3):
    data[page * 4096:page * 4096 + 2000] = b"\xa5" * 2000
open("middle-damage.db", "wb").write(data)
PY
for name in broken middle-damage; do
    fails 2 "$name.db: the database is damaged" "$r" results $name.db
    fails 2 "$name.db: the database is damaged" "$r" results $name.db show 1
    fails 2 "$name.db: the database is damaged" "$r" report -q $name.db -o damaged.html
done
is "... and has no report" "$(ls damaged.html 2>&1 | grep -c 'No such')" 1
cp whole.db lost.db # a run's row is lost, its statistics are not
python3 -c 'import sqlite3; sqlite3.connect("lost.db").executescript("DELETE FROM run WHERE id = (SELECT max(id) FROM run)")'
fails 2 "lost.db: the database is damaged (UNIQUE constraint failed: " "$r" sweep -q "${plan[@]}" -o lost.db
is "... and is left as it was" "$(cmp broken.db broken.copy)" ""
for name in $(python3 -c 'import sqlite3; print(*(n for n, in sqlite3.connect("whole.db").execute("SELECT name FROM sqlite_schema WHERE type IN (\"table\", \"view\")")))'); do
    cp whole.db lacks.db
    python3 -c 'import sqlite3, sys; db = sqlite3.connect("lacks.db"); db.execute("DROP %s %s" % ("VIEW" if sys.argv[1] == "runs" else "TABLE", sys.argv[1]))' "$name"
    cp lacks.db lacks.copy
    lacks="lacks.db: the database is damaged (it has no '$name')"
    fails 2 "$lacks" "$r" results lacks.db
    fails 2 "$lacks" "$r" results merge whole.db lacks.db -o lacks-merged.db
    fails 2 "$lacks" "$r" report -q lacks.db -o lacks.html
    fails 2 "$lacks" "$r" sweep -q "${plan[@]}" -o lacks.db
    is "... which stays as it was, and nothing is made of it" "$(cmp lacks.db lacks.copy; ls lacks-merged.db lacks.html 2>&1 | grep -c 'No such')" 2
done
fails 2 "text.db: this is no database of SQLite" "$r" sweep -q "${plan[@]}" -o text.db
fails 2 "text.db: this is no database of SQLite" "$r" results text.db
python3 -c 'import sqlite3; sqlite3.connect("other.db").execute("CREATE TABLE t (x)")'
cp other.db other.copy
fails 2 "other.db: this database has no results of reprise sweep" "$r" sweep -q "${plan[@]}" -o other.db
fails 2 "other.db: this database has no results of reprise sweep" "$r" results other.db
: >bare.db # of a sweep that was stopped while it made its database
"$r" results merge whole.db bare.db -o added.db >out 2>err
is "a database that nothing was put into adds nothing" "$? $($dump added.db | sha256sum)" "0 $($dump whole.db | sha256sum)"
cp whole.db later.db
python3 -c 'import sqlite3; sqlite3.connect("later.db").execute("PRAGMA user_version = 9")'
cp later.db later.copy
fails 2 "later.db: its tables are of version 9; this reprise knows version 3" "$r" results later.db
fails 2 "later.db: its tables are of version 9; this reprise knows version 3" "$r" sweep -q "${plan[@]}" -o later.db
is "... which stay as they were" "$(cmp other.db other.copy; cmp later.db later.copy)" ""
: >empty.db
is "a dry run takes an empty file, as a sweep does" "$(sweep --dry-run -o empty.db >/dev/null 2>&1; echo $?)" 0
fails 2 "nothing.db: there is no such file" "$r" results nothing.db

# ---- folders that cannot be written --------------------------------------------------------------------------------------
fails 1 "/proc/r.db: cannot make it in folder '/proc': No such file or directory; name another with -o" "$r" sweep -q "${plan[@]}" -o /proc/r.db
fails 1 "no/r.db: cannot make it: there is no folder 'no'" "$r" sweep -q "${plan[@]}" -o no/r.db
mkdir readonly && cp whole.db readonly && cp whole.db 'readonly/a?b#c%41.db' # the second one as if a sweep had been killed
python3 -c 'import sqlite3; sqlite3.connect("readonly/a?b#c%41.db").execute("PRAGMA journal_mode = WAL")'
chmod 444 readonly/* && chmod 555 readonly && chmod 755 "$work"
somebody=()
[ "$(id -u)" != 0 ] || somebody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${somebody[@]}" test -r readonly/whole.db -a -x "$r" 2>/dev/null && ! "${somebody[@]}" test -w readonly; then
    is "a database in a read-only folder is read" "$("${somebody[@]}" "$r" results readonly/whole.db --csv | wc -l)" 193
    is "... also in WAL mode" "$("${somebody[@]}" "$r" results 'readonly/a?b#c%41.db' --csv | wc -l)" 193
    fails 1 "readonly/whole.db: cannot open it, or write beside it in its folder: Permission denied" "${somebody[@]}" "$r" sweep -q 1.wtr -m jetson-tx2 --set sms=1 -o readonly/whole.db
else
    echo "ok - a database in a read-only folder # SKIP this user can write everywhere, and no other can run reprise here"
fi
chmod 755 readonly

# ---- the clock is set back ------------------------------------------------------------------------------------------------
if grep -qa __asan_init "$r"; then
    echo "ok - a clock that is set back # SKIP AddressSanitizer wants to be loaded first"
else
    LD_PRELOAD=$BUILD/preload/back.so "$r" sweep -q "${plan[@]}" -o back.db
    is "a clock that is set back is no harm" "$? $($dump back.db | sha256sum)" "0 $whole"
    check "... it was: what was done last has the earliest time" \
        python3 -c 'import sqlite3; d = sqlite3.connect("back.db"); f = [r[0] for r in d.execute("SELECT finished FROM run ORDER BY id")]; assert f[0] > f[-1]'
fi
