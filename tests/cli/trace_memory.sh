#!/bin/bash
# What reading takes in memory at most, where much could be taken. MEMORY_FULL=1: the full size (make memory).
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/programs/memory"
MACHINE=(--machine orin-wcet --set sms=144)
LIMIT_MB=${MEMORY_FULL:+256}
unlimited= # why memory is not limited here; the status must be right nevertheless
if address_sanitizer; then unlimited=" # SKIP its memory: AddressSanitizer takes some of its own"; fi

# name, wanted status, megabytes for the small size, command...: the status, and the most memory that was resident
within() {
    local name=$1 wanted=$2 most=${LIMIT_MB:-$3}
    if [ -n "$unlimited" ]; then most=inf; fi
    shift 3
    python3 - "$most" "$wanted" "$@" >&2 <<'PY'
import os, sys
limit, wanted, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
_, status, usage = os.wait4(pid, 0)
status, megabytes = os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024
print(f'{" ".join(command)}: status {status}, {megabytes:.0f} MB, {usage.ru_utime:.1f} s')
sys.exit(status != wanted or megabytes > limit)
PY
    if [ $? -eq 0 ]; then echo "ok - $name$unlimited"; else echo "not ok - $name"; failed=1; fi
}
make_trace() { "$BUILD/programs/memory" "$1" "$2" "$dir/$1.wtr" || echo "not ok - the trace of $1"; }

if [ -n "${MEMORY_FULL-}" ]; then
    gather=445 launches=9000 index=11000000
else
    gather=100 launches=2000 index=11000000
fi

make_trace gather $gather
within "a gather, all its 9216 warps resident: replay" 0 160 "$REPRISE" replay "$dir/gather.wtr" "${MACHINE[@]}" --quiet
within "a gather: verify" 0 80 "$REPRISE" verify "$dir/gather.wtr"
rm "$dir/gather.wtr"
make_trace launches $launches
within "many launches of one block: replay" 0 40 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json
within "the same on two machines: diff" 0 40 "$REPRISE" diff "$dir/launches.wtr" "${MACHINE[@]}" --vary scheduler=gto,lrr --threads 1 --quiet --json
within "their result kept: replay --cache" 0 40 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json --cache "$dir/kept"
within "and taken from there" 0 40 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json --cache "$dir/kept"
rm "$dir/launches.wtr"
make_trace unfold 12
size=$(stat -c %s "$dir/unfold.wtr")
if [ "$size" -lt 32768 ]; then echo "ok - a hostile file of $size bytes"; else echo "not ok - a hostile file of $size bytes"; fi
within "a small file that unfolds to much: replay refuses it" 2 256 "$REPRISE" replay "$dir/unfold.wtr" --machine orin-wcet --quiet
within "a small file that unfolds to much: verify reads a chunk at a time" 0 256 "$REPRISE" verify "$dir/unfold.wtr"
make_trace index $index
within "an index of 100 MB: info refuses it" 2 256 "$REPRISE" info "$dir/index.wtr"
if [ -n "${MEMORY_FULL-}" ]; then
    rm "$dir/index.wtr"
    make_trace launches 100000
    within "10^9 warp instructions in 10^5 launches: replay --json" 0 256 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json
    within "the same, kept: replay --cache" 0 256 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json --cache "$dir/kept"
    within "and taken from there" 0 256 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet --json --cache "$dir/kept"
    within "the same on rtx2060, its whole hierarchy" 0 256 "$REPRISE" replay "$dir/launches.wtr" --machine rtx2060 --quiet
    within "the same as a table" 0 256 "$REPRISE" replay "$dir/launches.wtr" "${MACHINE[@]}" --quiet
    within "the same on two machines: diff" 0 256 "$REPRISE" diff "$dir/launches.wtr" "${MACHINE[@]}" --vary scheduler=gto,lrr --threads 1 --quiet --json
fi
exit "${failed:-0}"
