"""Makes a failing program smaller: takes away statements, then parts of expressions, as long as it fails as before."""

import copy
import os
import re
import subprocess

import build
import generate

TRIALS = 400


def kind_of(what):
    """What stays of a report when the program shrinks."""
    if " on the host, " in what:
        return "differs"
    return re.sub(r"0x[0-9a-f]+|\d+", "#", what)[:60]


class Reducer:
    def __init__(self, tools, folder, program, module, what):
        self.tools, self.module, self.kind = tools, module, kind_of(what)
        self.stem = os.path.join(folder, "reduce-" + program.name)
        self.best = copy.deepcopy(program)
        self.trials = 0

    def fails(self):
        """Whether self.best, as it is now, fails in the same way."""
        if self.trials >= TRIALS:
            return False
        self.trials += 1
        source = self.stem + ".cu"
        with open(source, "w") as f:
            f.write(generate.file_of([self.best]))
        try:
            found = build.differences(self.tools, source, self.stem, [self.module])
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        finally:
            build.clean(self.stem, [self.module])
        return any(kind_of(what) == self.kind for _, _, what in found)

    def blocks(self):
        """Every list of statements, outer ones first."""
        queue = [self.best.declarations]
        while queue:
            block = queue.pop(0)
            yield block
            queue += [inner for s in block for inner in s.blocks()]

    def shrink_block(self, block):
        """Tries to do without runs of statements, long ones first; then with only what is inside of one."""
        size = len(block)
        while size:
            start = 0
            while start < len(block):
                taken = block[start:start + size]
                if any(s.fixed for s in taken):
                    start += 1
                    continue
                del block[start:start + size]
                if not self.fails():
                    block[start:start] = taken
                    start += size
            size //= 2
        for i in range(len(block) - 1, -1, -1):
            for inner in block[i].blocks():
                whole = block[i]
                if block is self.best.declarations:
                    break
                block[i:i + 1] = inner
                if self.fails():
                    break
                block[i:i + len(inner)] = [whole]

    def shrink_texts(self):
        """Tries 1 for every expression in parentheses. What bounds a loop stays."""
        for block in list(self.blocks()):
            for s in block:
                for k, text in enumerate(s.parts):
                    if isinstance(text, str) and not s.fixed and not text.startswith("EACH"):
                        self.shrink_text(s, k)

    def shrink_text(self, statement, k):
        loop = re.search(r"\b(for|while)\b", statement.parts[k])
        at = 0
        while True:
            text = statement.parts[k]
            at = text.find("(", at)
            if at < 0:
                return
            end = matching(text, at)
            inside = text[at + 1:end]
            head = loop and at == loop.end() + 1
            if end > 0 and len(inside) > 1 and inside not in generate.BITS and not head:
                statement.parts[k] = text[:at] + "(1)" + text[end + 1:]
                if not self.fails():
                    statement.parts[k] = text
            at += 1

    def run(self):
        """The smaller program, or None where even the whole does not fail by itself."""
        if not self.fails():
            return None
        before = -1
        while before != self.trials and self.trials < TRIALS:
            before, size = self.trials, len(self.best.text())
            for block in self.blocks():
                self.shrink_block(block)
            self.shrink_texts()
            if len(self.best.text()) == size:
                break
        return self.best


def matching(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1
