#!/bin/bash
# CUDA C whose lanes wait for one another (tests/kernels/sm_75/warp.cu), compiled and recorded for sm_75 and beside it for
# sm_62, and the device functions of reprise/cuda.h; results are those that the CPU computes.
set -u
. tests/support/cli.sh
dir=$work
record() { # kernel, target, grid, block, arguments and --save...
    "$REPRISE" record -o "$dir/$1.$2.wtr" --module tests/kernels/sm_75/warp.cu --kernel "$1" --target "$2" --grid "$3" \
        --block "$4" "${@:5}" --quiet 2>"$dir/err"
}
python3 - "$dir" <<'PY'
import random, struct, sys
rng = random.Random(5)
open(sys.argv[1] + '/in', 'wb').write(struct.pack('64i', *(rng.randrange(-9, 1000) for _ in range(64))))
PY
in=buf=file:$dir/in
verdict() { # kernel, target: what python computes for it is what was saved
    python3 - "$1" "$2" "$dir" <<'PY'
import struct, sys
kernel, target, dir = sys.argv[1:]
out = list(struct.iter_unpack('i', open(f'{dir}/{kernel}.{target}.bin', 'rb').read()))
out = [v for v, in out]
data = list(struct.unpack('64i', open(dir + '/in', 'rb').read()))
signed = lambda x: (x & 0xffffffff) - ((x & 0xffffffff) >> 31 << 32)

def lock_per_lane():
    return out[:2] == [0, 128] and sorted(out[2:]) == list(range(128))

def hand_off():
    handed, cells = 0, {}
    for lane in range(32):
        handed = signed(3 * handed + lane)
        cells[31 - lane] = handed
    return out == [32, handed] + [cells[i] for i in range(32)]

def sync_across_arms():
    first = [(10 if i & 1 else 100) * (i ^ 1) for i in range(64)]
    return out == first + [(9 if i & 1 else 7) * (i ^ 1) for i in range(64)]

def tiles():
    expected = []
    for i in range(64):
        for size in 4, 8, 16:
            tile = range(i & -size, (i & -size) + size)
            expected += [sum(data[j] for j in tile), sum((data[j] & 1) << j % 32 for j in tile)]
        half = range(i & -16, (i & -16) + 16)
        expected += [any(data[j] == data[40] for j in half) + 2 * all(data[j] >= 0 for j in half), data[(i & -16) + 3]]
    return out == [signed(v) for v in expected]

def barrier_in_two_arms():
    cells = [5 * i + 1 if i % 3 == 0 else 11 * i + 2 for i in range(64)]
    return out == [cells[63 - i] + (i % 3 != 0) for i in range(64)]

def match_under_tiles():
    expected = []
    for i in range(64):
        tile = range(i & -8, (i & -8) + 8)
        same = signed(sum(((data[j] ^ data[i]) & 3 == 0) << j % 32 for j in tile))
        all_same = i & 8 or len({data[j] & 3 for j in tile}) == 1
        expected += [same, same, signed(sum(1 << j % 32 for j in tile)) if all_same else 0, int(bool(all_same))]
    return out == expected

def reduce_under_tiles():
    expected = []
    for i in range(64):
        tile = [data[j] for j in range(i & -8, (i & -8) + 8)]
        words, both, either, odd = [v & 0xffffffff for v in tile], 0xffffffff, 0, 0
        for w in words:
            both, either, odd = both & w, either | w, odd ^ w
        expected += [sum(tile), min(tile), max(tile), *map(signed, (both, either, odd, min(words), max(words)))]
    return out == expected

sys.exit(not globals()[kernel]())
PY
}
holds() { # kernel, target, grid, block, bytes of the result, arguments before it...
    local arguments=()
    for a in "${@:6}"; do arguments+=(--arg "$a"); done
    record "$1" "$2" "$3" "$4" "${arguments[@]}" --arg "buf=zeros:$5" --save "$(($# - 5))=$dir/$1.$2.bin" &&
        verdict "$1" "$2" && "$REPRISE" verify --quiet "$dir/$1.$2.wtr"
}
stops() { # kernel, grid, block, bytes: on sm_62, with this in the report
    record "$1" sm_62 "$2" "$3" --arg "buf=zeros:$4"
    [ $? -eq 3 ] && grep -q "$5" "$dir/err"
}

check "sm_75: a lock per lane" holds lock_per_lane sm_75 2 64 520
check "sm_62: lanes that spin for a lane's lock are a livelock" stops lock_per_lane 2 64 520 "livelock.*as on GPUs before Volta"
check "sm_75: hand-off from lane to lane" holds hand_off sm_75 1 32 136
check "sm_62: lanes that spin for another's turn are a livelock" stops hand_off 1 32 136 "livelock.*as on GPUs before Volta"
check "sm_75: __syncwarp in both arms" holds sync_across_arms sm_75 1 64 512
record sync_across_arms sm_62 1 64 --arg buf=zeros:512 --save "0=$dir/sync_across_arms.sm_62.bin"
check "sm_62: __syncwarp in an arm waits for nobody: the first arm reads zeros" eval \
    'od -An -td4 -v -w4 "$dir/sync_across_arms.sm_62.bin" | head -64 | awk "\$1 == 0 { zeros++ } END { exit !(zeros > 16) }"'
check "sm_75: tiles with masks of their own" holds tiles sm_75 1 64 2048 "$in"
check "sm_75: barrier.sync in two arms" holds barrier_in_two_arms sm_75 1 64 256
check "sm_62: barrier.sync in an arm is a fault" stops barrier_in_two_arms 1 64 256 "threads of warp 0 while"
check "sm_75: match under tiles" holds match_under_tiles sm_75 1 64 1024 "$in"
check "sm_80: match under tiles" holds match_under_tiles sm_80 1 64 1024 "$in"
check "sm_80: redux under tiles" holds reduce_under_tiles sm_80 1 64 2048 "$in"
record match_under_tiles sm_62 1 64 --arg "$in" --arg buf=zeros:1024
check "sm_62: there is no match" test $? -eq 2

python3 tests/cli/functions.py "$dir"
