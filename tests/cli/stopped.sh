#!/bin/bash
# Commands that a signal stops: one line says so, and nothing half-written is left.
set -u
. tests/support/cli.sh
support=$PWD/tests/support
export PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1
# Replays and bounds of it take seconds of the processor.
cat >loop.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry loop(.param .u32 n) { .reg .b32 %t, %n; .reg .pred %q; ld.param.u32 %n, [n]; mov.u32 %t, 0;
L: add.u32 %t, %t, 1; setp.lt.u32 %q, %t, %n; @%q bra L; ret; }
PTX
"$r" record -q -o long.wtr --module loop.ptx --grid 4 --block 256 --arg u32=1000000 || exit 1
"$r" record -q -o short.wtr --module loop.ptx --grid 1 --block 32 --arg u32=4 || exit 1

stop() { # signal, then a command: how it ended, what it said, and what it left
    rm -rf left
    mkdir left
    python3 "$support/stop_at.py" "$1" 0.3 "$r" "${@:2}" 2>err >out
    echo "$(tail -n 1 out); $(cat err); $(ls left)"
}

for s in SIGTERM SIGINT SIGXCPU; do
    why=$s
    [ $s != SIGXCPU ] || why="SIGXCPU: 'ulimit -t' limits the time of the processor"
    is "$s: replay" "$(stop $s replay -q long.wtr -m orin)" "by the signal; reprise: stopped by $why; "
    is "$s: timeline" "$(stop $s timeline -q long.wtr -m orin -o left/t.json)" \
        "by the signal; reprise: stopped by $why; 'left/t.json' was not written; "
    is "$s: report" "$(stop $s report -q long.wtr -m orin -o left/r.html)" \
        "by the signal; reprise: stopped by $why; 'left/r.html' was not written; "
    is "$s: wcet, two outputs" "$(stop $s wcet -q long.wtr -m orin-bound --assume all --phases left/p.csv --report left/b.html)" \
        "by the signal; reprise: stopped by $why; 'left/p.csv' and 'left/b.html' were not written; "
    is "$s: sweep" "$(stop $s sweep -q long.wtr -m orin -o left/s.db)" \
        "by the signal; reprise: stopped: 0 of 1 runs are in left/s.db, and the same command goes on from there; s.db"
done
is "what was written before stays, and is not named" "$(stop SIGTERM replay -q long.wtr -m orin --save-machine left/m.cfg)" \
    "by the signal; reprise: stopped by SIGTERM; m.cfg"
is "SIGPIPE ends without a word" "$(stop SIGPIPE timeline -q long.wtr -m orin -o left/t.json)" "by the signal; ; "
(trap '' TERM; stop SIGTERM report -q short.wtr -m orin -o left/r.html >ignored)
is "a signal that is ignored stays so" "$(cat ignored)" "status 0; ; r.html"

# ---- bounds --------------------------------------------------------------------------------------------------------
wcet() { stop SIGTERM wcet -q "$@" -m orin-bound --assume all; }
is "bounds of no launch" "$(wcet long.wtr) $(wc -l <out)" "by the signal; reprise: stopped before any launch was analysed;  1"
is "... are no report" "$(wcet long.wtr --report left/b.html)" \
    "by the signal; reprise: stopped before any launch was analysed; 'left/b.html' was not written; "
is "bounds of a part" "$(wcet short.wtr long.wtr short.wtr --report left/b.html)" \
    "by the signal; reprise: stopped: the bounds above are those of 1 of 2 launches, and 1 trace was not begun; 'left/b.html' has these alone; b.html"
check "... which are printed" grep -q '^short.wtr *0 *loop' out
is "... and the report says so" \
    "$(python3 -c 'import json, re; print(json.loads(re.search("id=\"data\">(.*?)</script>", open("left/b.html").read(), re.S)[1])["stopped"])')" \
    "{'launches': 2, 'analysed': 1, 'traces_left': 1}"
is "rows of no value" "$(wcet long.wtr --grid latency=100,200 --grid policy=gto)" "by the signal; reprise: stopped before any value was done; "
