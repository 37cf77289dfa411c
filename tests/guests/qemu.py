"""Compares the registers of a guest before each instruction with those that qemu has.

qemu.py LOG OURS: LOG is what qemu-riscv32 -singlestep -d cpu,nochain -D LOG writes, OURS what tests/programs/guest_registers.c
prints. Values that point into the stack may be as far from where the stack pointer began; above that lie arguments and
environment, whose strings have no fixed places."""
import re
import sys

BELOW, ABOVE = 65536, 4096


def states(path):
    """pc and the registers x1 to x31 before each instruction."""
    values = []
    with open(path, encoding="ascii") as log:
        for line in log:
            words = line.split()
            if words and words[0] == "pc":
                if values:
                    yield values
                values = [int(words[1], 16)]
            elif words and re.match(r"x\d+/", words[0]):
                values += [int(w, 16) for w in words[1::2]]
    yield values


def same(a, b, start_a, start_b):
    """Whether two values are equal, or point to one place of the stack."""
    below_a, below_b = (start_a - a) % 2**32, (start_b - b) % 2**32
    above_a, above_b = (a - start_a) % 2**32, (b - start_b) % 2**32
    return a == b or (below_a == below_b < BELOW) or (above_a < ABOVE and above_b < ABOVE)


def main(log, ours):
    start = None
    count = 0
    with open(ours, encoding="ascii") as lines:
        for theirs in states(log):
            line = lines.readline()
            if not line:
                sys.exit("%s: qemu goes on after %d instructions" % (ours, count))
            mine = [int(w, 16) for w in line.split()]
            theirs = [theirs[0]] + theirs[2:]  # without x0
            start = start or (theirs[2], mine[2])
            for r, (a, b) in enumerate(zip(theirs, mine)):
                if not same(a, b, *start):
                    sys.exit("instruction %d at %x: %s is %08x, of qemu %08x" % (count, mine[0], "x%d" % r if r else "pc", b, a))
            count += 1
        if lines.readline():
            sys.exit("%s: qemu ends after %d instructions" % (ours, count))
    print("%d instructions: all registers as qemu has them" % count)


main(*sys.argv[1:])
