#!/usr/bin/env python3
"""Folders of the source and what they need of one another: by #include lines and by the symbols of built objects.

    tests/layout/floors.py [--build BUILD] [--root FOLDER]

Prints one line for each floor, the highest first: folders of a floor need only folders of lower ones. Exit status 1, and
the circle with the files that make it, if folders need each other in a circle.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

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
    for source, symbol in used:
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
        for (one, other), edges in sorted(because.items()):
            if one in circle and other in circle:
                for edge in sorted(edges):
                    print("   ", edge)
    if found:
        return 1
    floors = collections.defaultdict(list)
    for where, floor in heights(needs).items():
        floors[floor].append(where)
    for floor in sorted(floors, reverse=True):
        print(f"{floor:3}  {' '.join(sorted(floors[floor]))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
