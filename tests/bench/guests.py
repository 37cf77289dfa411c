"""Figures 6 and 7 of Raghav et al., "Scalable Instruction Set Simulator for Thousand-core Architectures Running on GPGPUs", on this
machine.

    guests.py PROGRAM [--isa rv32|arm|ia32] [--cores N,N,...] [--rounds N] [--steps PROGRAM] [--write PAGE]

Figure 6, million instructions of guests a second of processor time: BC, where all cores execute one program of all instructions of the table, and
WC, where each core starts at another instruction of it; without a trace and with one (SK), whose blocks are clusters of 32, 64 and 128 cores, too;
and with --steps (tests/programs/guest_steps.c) handed over after every instruction (MK), without and with each access; and BC and a
matrix product under qemu-user on one core, where that and gcc are installed. Figure 7, of a matrix product, the cosine transform and the FFT's loop: how many times fewer steps n cores
in lock step take than one (ideal: n), and how many times faster lock step is than one core after the other. Last, the rates of some
programs on 1,024 cores. Rates are the best of some rounds. The last lines are the rows of the table in docs/guests.md, of the most
cores; --write puts them into the page's column of the instruction set."""
import argparse
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def module(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, "../guests/%s.py" % name))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


rv32, arm, ia32 = module("random_rv32"), module("random_arm"), module("random_ia32")
GOLDEN = os.path.join(HERE, "../golden/guests")
LENGTH = 3500  # instructions that each core executes, as in the paper
LOOPS = 400  # times, so that it can be measured
MIDDLE = 2112  # bytes of a core's data on either side of its base register
QEMU_LOOPS = 200000  # of BC under qemu-user, which executes one core
STEPPED_LOOPS = (100, 10)  # of BC and WC handed over after each instruction; in WC cores do not meet again


def straight(code):
    """Jumps go to the next instruction."""
    return [(length, make, ahead and (2 if n + 1 < len(code) and code[n + 1][3] else 1), inner) for n, (length, make, ahead, inner) in enumerate(code)]


def all_rows_arm(apart, loops, on_stack=True):
    """A guest in A32: each row once, over and over. apart: a core starts at the instruction of its number. on_stack: its data are on its
    stack, else in an array."""
    p, body, core_bytes = arm.Program(1, False), arm.Program(2, False), arm.PROGRAM_BYTES
    p.move(arm.SCRATCH, arm.SP)
    arm.begin(p, core_bytes)
    if on_stack:
        p.add(arm.BASE, arm.SCRATCH, MIDDLE, True)
        p.add(arm.SAVED, arm.BASE, 1008, True)
        p.move(arm.SP, arm.SAVED)
    p.word(0xE20AA01F)  # and sl, sl, #31: it is an offset, too
    arm.fill(p)
    for row in arm.TABLES["a32"]:
        if row[5] != "EXCLUSIVE":  # as for RISC-V
            arm.add_random(body, row)
    code = straight(body.code)
    p.li(0, LENGTH * loops // len(code))
    p.word(0xE50B09C4)  # str r0, [fp, #-2500]: counts the loops
    if apart:
        starts = [n for n, c in enumerate(code) if not c[3]]
        p.word(0xE20A001F)  # and r0, sl, #31
        p.word(0xE08FF100)  # add pc, pc, r0, lsl #2
        p.word(0xE320F000)
        for k in range(32):
            p.branch(lambda d: 0xEA000000 | d - 8 >> 2 & 0xFFFFFF, 4, 32 - k + starts[k % len(starts)])
    head = len(p.code)
    p.code += code
    for w in (0xE51B09C4, 0xE2500001, 0xE50B09C4):  # ldr, subs, str
        p.word(w)
    p.word(0x1A000000 | -(len(p.code) - head) - 2 & 0xFFFFFF)
    p.li(0, 0)
    p.call(1)
    return arm.elf(p.bytes(), core_bytes * 1024, 40, 0x05000000)


def all_rows_ia32(apart, loops, on_stack=True):
    """A guest of IA-32: each row once, of all lengths, without LOCK, over and over. Strings are compared once, as all cores shall stay
    together. apart, on_stack: as for ARM."""
    p, body, core_bytes = ia32.Program(1), ia32.Program(2, False, False), ia32.PROGRAM_BYTES
    counter = ia32.number(2040, 4)
    ia32.begin(p, core_bytes, True)  # by the depth of their stacks cores meet again
    if on_stack:
        p.put(0x8D, 0xAC, 0x24, ia32.number(-MIDDLE, 4))  # lea -MIDDLE(%esp), %ebp
        p.put(0x8D, 0xA5, ia32.number(-MIDDLE, 4))  # lea -MIDDLE(%ebp), %esp
    for row in ia32.TABLE:
        ia32.add_random(body, row)
    code = straight(body.code)
    p.put(0xC7, 0x85, counter, ia32.number(LENGTH * loops // len(code), 4))  # counts the loops
    if apart:
        starts = [n for n, c in enumerate(code) if not c[3]]
        p.call(0x5250)
        p.put(0x83, 0xE0, 31)  # and $31, %eax
        p.put(0x8D, 0x04, 0x80)  # lea (%eax,%eax,4), %eax
        p.put(0xE8, ia32.number(0, 4))
        p.put(0x59)  # pop %ecx
        p.put(0x8D, 0x4C, 0x01, 7)  # lea 7(%ecx,%eax), %ecx
        p.put(0xFF, 0xE1)  # jmp *%ecx: to one of these
        for k in range(32):
            p.jump([0xE9], 4, 32 - k + starts[k * len(starts) // 32])
    head = len(p.code)
    p.code += code
    p.put(0xFF, 0x8D, counter)  # decl
    size = sum(c[0] for c in p.code[head:])
    p.put(0x0F, 0x85, ia32.number(-(size + 6), 4))  # jne
    p.li(ia32.EBX, 0)
    p.call(1)
    return ia32.elf(p.bytes(), core_bytes * 1024, 3, 0)


def all_rows(apart, loops, on_stack=True):
    """A guest of RISC-V: each row once, over and over. apart, on_stack: as for ARM."""
    rv32.FIXED.add(26)  # counts the loops
    p, core_bytes = rv32.Program(1), rv32.PROGRAM_BYTES
    p.call(0x5250)
    p.i(0, 0x13, rv32.CORE, 10, 0)
    if on_stack:
        p.i(0, 0x13, rv32.BASE, 2, -MIDDLE // 2)
        p.i(0, 0x13, rv32.BASE, rv32.BASE, -MIDDLE // 2)
    else:
        p.li(rv32.BASE, rv32.buffer_of(0))
        p.li(5, core_bytes)
        p.r(1, 5, rv32.CORE, 0, 5)  # mul
        p.r(0, 5, rv32.BASE, 0, rv32.BASE)
    p.i(0, 0x13, rv32.WORD, rv32.BASE, 0)
    p.i(0, 0x13, 2, rv32.BASE, -1024)
    body = rv32.Program(2)
    count = 0
    for name, _, value, form in rv32.rows():
        if name.startswith(("lr.w", "sc.w", "amo")):
            continue  # cores in step would wait for one another at one word: they are measured as loads
        before = len(body.code)
        if rv32.add_random(body, name, value, form):
            count += len(body.code) - before
    p.li(26, LENGTH * loops // count)
    code = straight(body.code)
    if apart:  # auipc t6; add t6, 4 × core; jump there: a table of jumps
        starts = [n for n, c in enumerate(code) if not c[3]]
        p.i(7, 0x13, 5, rv32.CORE, 63)
        p.i(1, 0x13, 5, 5, 2)
        p.word(0x17 | 31 << 7)
        p.r(0, 5, 31, 0, 31)
        p.word(12 << 20 | 31 << 15 | 0x67)
        for k in range(64):
            p.branch(lambda d: 0x6F | rv32.j_offset(d), 4, 64 - k + starts[k % len(starts)])
    head = len(p.code)
    p.code += code
    p.i(0, 0x13, 26, 26, -1)
    sizes = sum(c[0] for c in p.code[head:])
    p.branch(lambda d: 0x63 | rv32.b_offset(8) | 26 << 15, 4, 1)  # beq s10, zero: over the jump
    p.word(0x6F | rv32.j_offset(-(sizes + 4)))
    p.i(0, 0x13, 10, 0, 0)
    p.call(93)
    return rv32.elf(p.bytes(), core_bytes * 1024)


def children_seconds():
    """The processor's seconds of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(*command):
    """What a program says as JSON, with the processor's seconds that it took."""
    before = children_seconds()
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    seconds = children_seconds() - before
    if ran.returncode:
        sys.exit("guests.py: " + ran.stderr.decode())
    text = ran.stdout.decode()
    result = json.loads(text[text.index("{\n"):])  # behind what the guest writes
    result["seconds"] = seconds
    return result


def seconds_of(*command):
    before = children_seconds()
    subprocess.run(command, check=True)
    return children_seconds() - before


def run(program, elf, cores, *options):
    return timed(program, "run", "--guest", elf, "--cores", str(cores), "--json", *options)


def record(program, elf, cores, trace, *options):
    return timed(program, "record", "-o", trace, "--guest", elf, "--cores", str(cores), "--json", *options)


def rate(runs):
    return max(r["instructions"] / r["seconds"] for r in runs) * 1e-6


def write_guest(a, folder, apart, loops, on_stack=True):
    """The path of BC or WC."""
    path = os.path.join(folder, "%s-%d%s.elf" % ("wc" if apart else "bc", loops, "" if on_stack else "-array"))
    with open(path, "wb") as f:
        f.write({"rv32": all_rows, "arm": all_rows_arm, "ia32": all_rows_ia32}[a.isa](apart, loops, on_stack))
    return path


def both(rates):
    """As the page has it: a rate, and that of the same recorded."""
    return "%s; recorded %s" % tuple("{:,.0f}".format(round(r, -1) if r >= 1000 else r) for r in rates)


def one(value):
    return both((value, 0)).split(";")[0]


def stepped(a, path, cores):
    """Million instructions a second with a call for each instruction, and so with each access handed over."""
    ran = subprocess.run([a.steps, path, str(cores), str(a.rounds)], stdout=subprocess.PIPE, check=True)
    return [float(n) for n in ran.stdout.split()]


def in_array(a, folder, trace, page):
    path = write_guest(a, folder, False, LOOPS, False)
    rates = [rate([run(a.program, path, a.cores[-1]) for _ in range(a.rounds)]),
             rate([record(a.program, path, a.cores[-1], trace) for _ in range(a.rounds)])]
    print("%d cores, their data in one array: BC %.0f, recorded %.0f" % (a.cores[-1], *rates))
    page["BC, data of the cores 4.5 KiB apart in one array"] = both(rates)


def qemu_of(a):
    """qemu-user for the instruction set; None: it is not installed."""
    return shutil.which({"rv32": "qemu-riscv32", "arm": "qemu-arm", "ia32": "qemu-i386"}[a.isa])


def compiled(a, folder):
    """The matrix product of 512 by gcc; None: the compiler is not installed."""
    gcc = shutil.which({"rv32": "riscv64-unknown-elf-gcc", "arm": "arm-linux-gnueabihf-gcc", "ia32": "i686-linux-gnu-gcc"}[a.isa])
    if not gcc:
        return None
    path = os.path.join(folder, "matmul.elf")
    flags = subprocess.run([a.program, "guest", "--flags", a.isa], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    subprocess.run([gcc, "-O2", "-DN=512", "-DFIGURE", "-o", path, os.path.join(HERE, "../guests/matmul.c"), *flags], check=True)
    return path


def under_qemu(a, folder, page):
    """Rates of qemu-user on one core, with nothing recorded, as a measure of the machine: of BC, and of a matrix product."""
    qemu = qemu_of(a)
    if not qemu:
        print("under qemu-user: not measured, as qemu-user is not installed")
        return
    bc, product = write_guest(a, folder, False, QEMU_LOOPS), compiled(a, folder)
    os.chmod(bc, 0o755)
    rows = [("BC", bc, LENGTH * QEMU_LOOPS)]
    if product:
        rows.append(("matrix product of 512", product, run(a.program, product, 512)["instructions"]))
    for name, path, instructions in rows:
        best = instructions * 1e-6 / min(seconds_of(qemu, path) for _ in range(a.rounds))
        print("%s under %s, one core, nothing recorded: %.0f" % (name, os.path.basename(qemu), best))
        page[name + " under qemu-user, one core"] = one(best)


def figure_6_in_steps(a, folder, page):
    print("Handed over after every instruction (MK; %d and %d instructions a core), and with each access (paper: BC 50, WC 25)"
          % tuple(LENGTH * loops for loops in STEPPED_LOOPS))
    print("%8s %14s %14s %14s %14s" % ("cores", "BC", "BC, accesses", "WC", "WC, accesses"))
    paths = [write_guest(a, folder, apart, STEPPED_LOOPS[apart]) for apart in (False, True)]
    for cores in a.cores:
        row = [r for path in paths for r in stepped(a, path, cores)]
        print("%8d %14.0f %14.0f %14.0f %14.0f" % (cores, *row))
    for name, n in (("BC", 0), ("WC", 2)):
        page[name + ", handed over after every instruction (MK)"] = one(row[n])
        page[name + " (MK) with each access handed over"] = one(row[n + 1])


def figure_6(a, folder, page):
    print("Figure 6, %s: million instructions a second, %d instructions a core (paper, GTX 295, ARM, 1,024 cores: BC 1,000, WC 140)"
          % (a.isa, LENGTH * LOOPS))
    print("%8s %14s %14s %14s %14s" % ("cores", "BC", "BC recorded", "WC", "WC recorded"))
    paths = [write_guest(a, folder, apart, LOOPS) for apart in (False, True)]
    trace = os.path.join(folder, "t.wtr")
    for cores in a.cores:
        row = []
        for path in paths:
            row.append(rate([run(a.program, path, cores) for _ in range(a.rounds)]))
            row.append(rate([record(a.program, path, cores, trace) for _ in range(a.rounds)]))
        print("%8d %14.0f %14.0f %14.0f %14.0f" % (cores, *row))
    page["all cores execute the same instruction (BC)"] = both(row[:2])
    page["each core starts at another instruction (WC)"] = both(row[2:])
    in_array(a, folder, trace, page)
    under_qemu(a, folder, page)
    print("%d cores, recorded in clusters:" % a.cores[-1])
    print("%8s %14s %14s %14s %14s" % ("cluster", "", "BC", "", "WC"))
    for cluster in (32, 64, 128):
        row = [rate([record(a.program, path, a.cores[-1], trace, "--cluster", str(cluster)) for _ in range(a.rounds)]) for path in paths]
        print("%8d %14s %14.0f %14s %14.0f" % (cluster, "", row[0], "", row[1]))
    if a.steps:
        figure_6_in_steps(a, folder, page)


def folder_of(a):
    return os.path.join(GOLDEN, "figure7" if a.isa == "rv32" else "figure7-" + a.isa)


FIGURE_7 = ("matrix product, speed-up in steps", "cosine transform", "FFT, stages split a group in five of ten", "FFT, stages always split a group")


def figure_7(a, page):
    print("\nFigure 7: speed-up over one core in steps of the group that takes most, and over the plain engine in time")
    print("(ideal: the number of cores; half of the FFT's stages split a group: 2/3, and all of fft-stuck: 1/2)")
    programs = ("matmul", "idct", "fft", "fft-stuck")
    print("%8s" % "cores" + "".join("%12s %10s" % (p, "in time") for p in programs))
    elfs = [os.path.join(folder_of(a), p + ".elf") for p in programs]
    alone = [run(a.program, elf, 1)["steps"] for elf in elfs]
    plain = [rate([run(a.program, elf, 1, "--engine", "reference")]) for elf in elfs]
    for cores in a.cores:
        row = "%8d" % cores
        for n, elf in enumerate(elfs):
            runs = [run(a.program, elf, cores) for _ in range(a.rounds)]
            page[FIGURE_7[n]] = "{:,.0f}".format(alone[n] / runs[0]["steps"])
            row += "%12.1f %10.1f" % (alone[n] / runs[0]["steps"], rate(runs) / plain[n])
        print(row)


def programs(a, folder, page):
    print("\nM instructions a second of 1,024 cores, and recorded")
    suffix = {"rv32": "rv32imac", "arm": "arm", "ia32": "ia32"}[a.isa]
    for name, elf in (("matrix product", os.path.join(folder_of(a), "matmul.elf")),
                      ("the same by gcc -O0", os.path.join(folder_of(a), "matmul-O0.elf")),
                      ("machine of byte codes", os.path.join(GOLDEN, "bytecode.gcc-O2.%s.elf" % suffix))):
        runs = [run(a.program, elf, 1024) for _ in range(a.rounds)]
        recorded = [record(a.program, elf, 1024, os.path.join(folder, "t.wtr")) for _ in range(a.rounds)]
        print("%-21s %6.0f %6.0f   %4.1f lanes" % (name, rate(runs), rate(recorded), runs[0]["active_lanes"]))
        page[name] = both((rate(runs), rate(recorded))) + (" (%.1f)" % runs[0]["active_lanes"] if "codes" in name else "")


def write_page(path, isa, page):
    """Puts the rows into the table's column of the instruction set."""
    column = {"rv32": 3, "arm": 4, "ia32": 5}[isa]
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    rows = {re.sub(r", M/s.*", "", line.split("|")[1].strip()): n for n, line in enumerate(lines) if line.count("|") == 6}
    for name, value in page.items():
        if name not in rows:
            sys.exit("guests.py: %s has no row '%s'" % (path, name))
        cells = lines[rows[name]].split("|")
        cells[column] = " %s " % value
        lines[rows[name]] = "|".join(cells)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--isa", choices=("rv32", "arm", "ia32"), default="rv32")
    parser.add_argument("--cores", type=lambda t: [int(n) for n in t.split(",")], default=[32, 64, 128, 256, 512, 1024])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps")
    parser.add_argument("--write", metavar="PAGE")
    a = parser.parse_args()
    if a.write and not os.path.isfile(a.write):
        parser.error("no page %s" % a.write)
    page = {}
    with tempfile.TemporaryDirectory() as folder:
        figure_6(a, folder, page)
        figure_7(a, page)
        programs(a, folder, page)
    print("\nIn docs/guests.md, %s:" % a.isa)
    for name, value in page.items():
        print("%-52s %s" % (name, value))
    if a.write:
        write_page(a.write, a.isa, page)


main()
