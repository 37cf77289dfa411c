#!/usr/bin/env python3
"""The SAN paper's model of a launch, in few lines, for comparison with `reprise replay` draw for draw.

    reprise info --san --json TRACE | san.py PROCESSORS WARPS_OF_A_BLOCK SEED BATCHES [KIND=L1,L2,DRAM ...]

Prints the mean cycles of the processors that have a warp, rounded, one line a batch."""
import json
import sys
from fractions import Fraction

from script import check_names, command_line, run

KINDS = ["local_load", "local_store", "global_load", "global_store"]  # ids 0 to 3 of Table 1
FIXED = {4: 2, 5: 2, 6: 3000}  # Table 2: integer, float, barrier
LEVELS = [12, 300, 600]  # Table 2: L1, L2, DRAM
LOW = 2**32 - 1


def philox(key, low, high):
    """Philox4x32-10 of Salmon et al. (SC 2011): two words of 64 bits."""
    c, k = [low & LOW, low >> 32, high & LOW, high >> 32], [key & LOW, key >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & LOW, (a >> 32) ^ c[3] ^ k[1], a & LOW]
        k = [(k[0] + 0x9E3779B9) & LOW, (k[1] + 0xBB67AE85) & LOW]
    return c[0] | c[1] << 32, c[2] | c[3] << 32


def warp_cycles(ids, chances, seed, batch, launch, block, warp):
    stream = philox(seed, block * 64 + warp, launch | batch << 32)[0]
    cycles = number = 0
    for i in ids:
        if i in FIXED:
            cycles += FIXED[i]
            continue
        draw = Fraction(philox(stream, number // 2, 0)[number % 2] >> 1, 2**63)
        number += 1
        l1, l2, _ = chances[i]
        cycles += LEVELS[(draw >= l1) + (draw >= l1 + l2)]
    return cycles


def batch_cycles(launches, processors, warps_of_block, chances, seed, batch):
    total = 0
    for launch in launches:
        time = [0] * processors
        for same in launch["warps"]:
            first = same["block"] * warps_of_block + same["warp"]
            for w in range(first, first + same["warps"]):
                time[w % processors] += warp_cycles(same["ids"], chances, seed, batch, launch["launch"],
                                                    w // warps_of_block, w % warps_of_block)
        used = sum(t > 0 for t in time) or 1
        total += (2 * sum(time) + used) // (2 * used)
    return total


def main(arguments):
    parser = command_line(__doc__)
    for name in ("processors", "warps_of_block", "seed", "batches"):
        parser.add_argument(name, type=int)
    parser.add_argument("shares", nargs="*", metavar="KIND=L1,L2,DRAM", help="shares of accesses; KIND: " + ", ".join(KINDS))
    given = parser.parse_args(arguments)
    check_names(parser, "kind", [option.split("=")[0] for option in given.shares], KINDS)
    processors, warps_of_block, seed, batches = given.processors, given.warps_of_block, given.seed, given.batches
    chances = {k: [Fraction(1), Fraction(0), Fraction(0)] if k < 2 else [Fraction(3, 10), Fraction(6, 10), Fraction(1, 10)]
               for k in range(4)}
    for option in given.shares:
        kind, values = option.split("=")
        chances[KINDS.index(kind)] = [Fraction(v) for v in values.split(",")]
    trace = json.load(sys.stdin)
    for b in range(batches):
        print(batch_cycles(trace["launches"], processors, warps_of_block, chances, seed, b))


if __name__ == '__main__':
    run(main)
