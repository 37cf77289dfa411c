#!/usr/bin/env python3
"""Folders of the source and what they need of one another: by #include lines and by the symbols of built objects.

    tests/layout/floors.py [--build BUILD] [--root FOLDER] [--write FILE]

Prints one line for each floor, the highest first: folders of a floor need only folders of lower ones. Exit status 1, and
the circle with the files that make it, if folders need each other in a circle. --write puts the floors into FILE, in the
place of the block that begins with the highest one (ARCHITECTURE.md has it).
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import textwrap

STAGES = ("tracefmt", "hw-models", "frontend", "replay", "tools")
INCLUDE = re.compile(r'^\s*#\s*include\s*"((?:' + "|".join(STAGES) + r')/[^"]+)"', re.M)


def folder(path):
    return os.path.dirname(path)


def includes(root):
    """(file, file it includes), of all sources."""
    for stage in STAGES:
        for where, _, files in os.walk(os.path.join(root, stage)):
            for name in files:
                if not name.endswith((".c", ".h", ".S")):
                    continue
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as file:
                    for target in INCLUDE.findall(file.read()):
                        yield os.path.relpath(path, root), target


def symbols(root, build):
    """(source, source that defines what it calls), of all objects of the stages. The width of a .simd.c is dropped."""
    objects = []
    for stage in STAGES:
        for where, _, files in os.walk(os.path.join(build, "obj", stage)):
            objects += [os.path.join(where, name) for name in files if name.endswith(".o")]
    if not objects:
        sys.exit(f"{build}/obj: there are no objects; run 'make' first")
    defined, used = collections.defaultdict(set), []
    listing = subprocess.run(["nm", "-A", "-g", *sorted(objects)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.partition(":")
        source = re.sub(r"(\.v\d)?\.o$", ".c", os.path.relpath(path, os.path.join(build, "obj")))
        if not os.path.exists(os.path.join(root, source)):
            continue  # the object of a source that is no more
        words = rest.split()
        if len(words) == 2:
            used.append((source, words[1]))
        else:
            defined[words[2]].add(source)
    c_library = re.compile(r"_?exec[a-z]+|posix_spawnp?|system|popen|_exit|_Exit")  # whose place a library of ours takes in a program
    for source, symbol in used:
        if c_library.fullmatch(symbol):
            continue
        # what several libraries define, each for itself, says nothing about folders
        if len(defined[symbol]) == 1:
            yield source, next(iter(defined[symbol]))


def circles(needs):
    """The strongly connected components with more than one folder (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in needs[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    for v in sorted(needs):
        if v not in index:
            visit(v)
    return found


def heights(needs):
    known = {}

    def height(v):
        if v not in known:
            known[v] = 1 + max((height(w) for w in needs[v]), default=-1)
        return known[v]

    for v in needs:
        height(v)
    return known


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.environ.get("BUILD", "build"))
    p.add_argument("--root", default=".")
    p.add_argument("--write", metavar="FILE")
    a = p.parse_args()
    needs, because = collections.defaultdict(set), collections.defaultdict(set)
    for source, target in [*includes(a.root), *symbols(a.root, a.build)]:
        one, other = folder(source), folder(target)
        needs[one]
        needs[other]
        if one != other:
            needs[one].add(other)
            because[one, other].add(f"{source} needs {target}")
    found = circles(needs)
    for circle in found:
        print("a circle of folders:", " ".join(sorted(circle)))
        inside = [pair for pair in because if set(pair) <= circle]
        for one, other in sorted(inside, key=lambda pair: (len(because[pair]), pair)):
            edges = sorted(because[one, other])
            print(f"    {edges[0]}" + (f", and {len(edges) - 1} more" if len(edges) > 1 else ""))
    if found:
        return 1
    floors = collections.defaultdict(list)
    for where, floor in heights(needs).items():
        floors[floor].append(where)
    text = "".join(picture(floors))
    if a.write:
        replace_block(a.write, text)
    else:
        print(text, end="")
    return 0


def picture(floors):
    """Lines of at most 120 characters."""
    for floor in sorted(floors, reverse=True):
        yield textwrap.fill(" ".join(sorted(floors[floor])), 119, initial_indent=f"{floor:4}  ",
                            subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False) + "\n"


def replace_block(path, text):
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    whole, count = re.subn(r"(?<=```\n) +\d+  \w[^`]*(?=```)", lambda _: text, whole)
    if count != 1:
        sys.exit(f"{path}: {count} blocks of floors, not one")
    with open(path, "w", encoding="utf-8") as file:
        file.write(whole)


if __name__ == "__main__":
    sys.exit(main())
