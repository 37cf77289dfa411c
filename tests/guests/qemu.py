"""Compares the registers of a guest before each instruction with those that qemu has.

qemu.py LOG OURS: LOG is what qemu-riscv32 or qemu-arm -singlestep -d cpu,nochain -D LOG writes, OURS what
tests/programs/guest_registers.c prints. Values that point into the stack may be as far from where the stack pointer began; above that
lie arguments and environment, whose strings have no fixed places."""
import re
import sys

BELOW, ABOVE = 65536, 4096


FLAGS = 0xF80F0000  # N Z C V Q GE of ARM's status register
EFLAGS = 0xCD5  # C P A Z S D O of IA-32's
IA32 = ("EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI")  # by number


def states(path):
    """pc, flags and registers before each instruction."""
    values, names = [], {}
    with open(path, encoding="ascii") as log:
        for line in log:
            words = line.split()
            if words and words[0] == "pc":  # RISC-V
                if values:
                    yield values
                values = [int(words[1], 16), 0]
            elif words and re.match(r"x\d+/", words[0]):
                values += [int(w, 16) for w in words[1::2]]
            elif words and words[0][:4] in ("EAX=", "ESI="):
                names.update(re.findall(r"(E..)=(\w+)", line))
            elif words and words[0].startswith("EIP="):  # IA-32
                names.update(re.findall(r"(E..)=(\w+)", line))
                yield [int(names["EIP"], 16), int(names["EFL"], 16) & EFLAGS] + [int(names[n], 16) for n in IA32]
            elif words and words[0].startswith("R"):  # ARM
                names.update((w[:3], int(w[4:], 16)) for w in words)
            elif words and words[0].startswith("PSR="):
                yield [names["R15"], int(words[0][4:], 16) & FLAGS] + [names["R%02d" % n] for n in range(15)]
    if values:
        yield values


def same(a, b, start_a, start_b):
    """Whether two values are equal, or point to one place of the stack."""
    below_a, below_b = (start_a - a) % 2**32, (start_b - b) % 2**32
    above_a, above_b = (a - start_a) % 2**32, (b - start_b) % 2**32
    return a == b or (below_a == below_b < BELOW) or (above_a < ABOVE and above_b < ABOVE)


def main(log, ours):
    start = first = last = of_stack = None
    count = 0
    with open(ours, encoding="ascii") as lines:
        for theirs in states(log):
            line = lines.readline()
            if not line:
                sys.exit("%s: qemu goes on after %d instructions" % (ours, count))
            mine = [int(w, 16) for w in line.split()]
            stack = {34: 4, 17: 15, 10: 6}[len(mine)]  # x2, r13, ESP
            start = start or (theirs[stack], mine[stack])
            first = first or (theirs, mine)  # what Linux leaves in registers is for nobody
            # comparing a pointer into the stack with a number gives other flags, as stacks lie elsewhere
            pointers = any(a != b for r, (a, b) in enumerate(zip(theirs, mine)) if r not in (1, stack))
            # so does arithmetic on the stack pointer, until others are written
            if pointers or mine[stack] != last:
                of_stack = (theirs[1], mine[1])
            last = mine[stack]
            for r, (a, b) in enumerate(zip(theirs, mine)):
                if r == 1 and (a, b) == of_stack:
                    continue
                if not same(a, b, *start) and (a, b) != (first[0][r], first[1][r]):
                    sys.exit("instruction %d at %x: %s is %08x, of qemu %08x"
                             % (count, mine[0], "register %d" % (r - 2) if r > 1 else ("pc", "flags")[r], b, a))
            count += 1
        if lines.readline():
            sys.exit("%s: qemu ends after %d instructions" % (ours, count))
    print("%d instructions: all registers as qemu has them" % count)


main(*sys.argv[1:])
