"""What a run of a kit found: summary.py function.tar.gz. Jobs with how much they compared and what differs, and the order
in which the arms of divergent branches ran, the engine's and the GPU's."""

import collections
import re
import sys
import tarfile


def read(path):
    with tarfile.open(path) as t:
        return {m.name: t.extractfile(m).read() for m in t if m.isfile()}


def jobs(text):
    """(name, status, lines) of each."""
    for part in re.split(r"^JOB ", text, flags=re.M)[1:]:
        lines = part.splitlines()
        name, _, status = lines[0].partition(" ")
        yield name, status, lines[1:]


def totals(lines):
    sums = collections.Counter()
    for line in lines:
        if line.startswith("TOTAL "):
            words = line.split()[1:]
            for what, count in zip(words[::2], words[1::2]):
                sums[what] += int(count)
    return sums


def print_jobs(text):
    everything = collections.Counter()
    for name, status, lines in jobs(text):
        sums = totals(lines)
        everything += sums
        kinds = collections.Counter(line.split()[0] for line in lines if re.match("DIFFERS|REFUSED|FAULT|HANGS|UNREAD|OUTPUT", line))
        said = ", ".join("%d %s" % (n, kind) for kind, n in sorted(kinds.items()))
        print("%-50s %s: %d launches, %d words, %d launches differ%s" % (
            name, status, sums["launches"], sums["words"], sums["differ"], said and "; lines: " + said))
        for line in lines:
            if line.startswith("DIFFERS"):
                print("    " + line[:200])
    print("in all: " + ", ".join("%d %s" % (n, what) for what, n in everything.items()))


def entries(line):
    """Places and active lanes that a program of order.c noted with its counter."""
    words = {int(at, 16): int(value, 16) for at, value in (w.split(":") for w in line.split()[3:])}
    return ["%d %08x" % (words.get(2 + 2 * i, 0), words.get(3 + 2 * i, 0)) for i in range(min(words.get(0, 0), 500))]


def print_order(files):
    for path in sorted(files):
        lines = files[path].decode().splitlines() if "/order-" in path and "/values." in path else []
        if not lines or any(re.search(r" 100:", line) for line in lines[:2]):  # lists of clocks begin at word 64
            continue
        print("\n" + path)
        for engine, gpu in zip(lines[::2], lines[1::2]):
            ours, theirs = entries(engine), entries(gpu)
            print("%s %s" % (engine.split()[0], "as here" if ours == theirs else "differs"))
            if ours != theirs:
                print("    engine " + ", ".join(ours) + "\n    gpu    " + ", ".join(theirs))


def main():
    files = read(sys.argv[1])
    print(next((files[f].decode() for f in files if f.endswith("gpu.txt")), ""))
    print_jobs(next(files[f].decode() for f in files if f.endswith("found.txt")))
    print_order(files)


if __name__ == "__main__":
    main()
