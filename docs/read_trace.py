#!/usr/bin/env python3
"""Counts the instructions of a Reprise trace, per launch: an example of a reader, for docs/trace-format.md."""
import subprocess, sys

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at

def fields(data):  # the fields of a message: number -> list of integers or bytes
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)  # every field of a trace is a varint or has a length
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        out.setdefault(tag >> 3, []).append(value)
    return out

def column(message, number):  # a packed column
    data, at, out = message.get(number, [b''])[0], 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out

def counts(chunk, guarded):  # warp and thread instructions of a chunk
    start, length, mask = (iter(column(chunk, n)) for n in (9, 10, 11))
    guard, paths = iter(column(chunk, 12)), []
    for runs in column(chunk, 8):
        at, active, previous, warp, thread = 0, 0xffffffff, {}, 0, 0
        for _ in range(runs):
            delta = next(start)
            at += delta >> 1 ^ -(delta & 1)
            active ^= next(mask)
            for at in range(at, at + next(length)):
                lanes = active
                if guarded[at]:
                    code = next(guard)
                    lanes = previous[at] = [active, 0, previous.get(at), code - 3][min(code, 3)]
                warp, thread = warp + 1, thread + bin(lanes).count('1')
            at += 1
        paths.append((warp, thread))
    return [sum(paths[p][i] for p in column(chunk, 7)) for i in (0, 1)]

trace = fields(subprocess.run(['zstd', '-dcq', sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout)
kernels = [fields(k) for k in trace.get(3, [])]
guarded = [[fields(i).get(6, [0])[0] & 1 for i in k[4]] for k in kernels]
launches = [fields(l).get(2, [0])[0] for l in trace.get(4, [])]
total = [[0, 0] for _ in launches]
for chunk in map(fields, trace.get(5, [])):
    launch = chunk.get(1, [0])[0]
    total[launch] = [a + b for a, b in zip(total[launch], counts(chunk, guarded[launches[launch]]))]
for launch, (warp, thread) in enumerate(total):
    print(launch, kernels[launches[launch]][2][0].decode(), warp, thread)
