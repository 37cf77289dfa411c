"""Does what a tutorial says, in a fresh folder, as its reader would; prints TAP.

    tutorial.py PAGE FOLDER [--section HEADING] [--write]

A fenced block behind a line that ends in "`NAME`:" is the file NAME. A block that begins with "$ " has commands, each with
what it prints. All else is text, such as the first block, which prepares the reader's shell. A last line "..." stands
for more that is printed. --section does what is below this heading alone. --write puts what the commands print into
the page.

Compared is every letter, but for: times (seconds at the end of a line, progress of what takes long), the path of the folder,
and the bytes of traces of whole programs, in which this path stands.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def commands(block):
    """(command, what it prints), with the backslashes of a command that goes on."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = part.splitlines(keepends=True)
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        yield "".join(lines[:end]), "".join(lines[end:])


def run(command, folder):
    """Status and output, in the order in which a terminal shows it."""
    ran = subprocess.run(["stdbuf", "-oL", "bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [line for line in ran.stdout.splitlines(keepends=True) if not re.search(r"/[\d,]+ warp instructions, .* left$", line)]
    return ran.returncode, re.sub(r"[^\s(']*" + re.escape(os.path.basename(folder)) + "/", "", "".join(lines))


def plain(output):
    output = re.sub(r"\d+\.\d+ s$", "T s", output, flags=re.M)
    return re.sub(r"( recorded), \d+ bytes$", r"\1, N bytes", output, flags=re.M)


def report(ok, what):
    print(f"{'ok' if ok else 'not ok'} - {what}", flush=True)


def do_block(block, page, folder):
    text = ""
    for command, printed in commands(block):
        what = f"{page.name}: {command.splitlines()[0]}"
        text += "$ " + command
        if re.search(r" -- |\bapp\b", command) and not os.environ["PROGRAMS"]:
            report(True, what + " # SKIP CUDA programs do not run here")
            text += printed
            continue
        status, got = run(command, folder)
        if printed.endswith("\n...\n"):  # as many lines as the page has
            got = "".join(got.splitlines(keepends=True)[: printed.count("\n") - 1]) + "...\n"
        fails = re.search(r"^reprise: ", printed, re.M)  # an error that the page shows
        fine = plain(got) == plain(printed) and (not status or fails)
        report(fine, what)
        if not fine:
            print(f"status {status}, printed:\n{got}\nthe page has:\n{printed}", file=sys.stderr)
        text += got
    return text


def main():
    page, folder, write = Path(sys.argv[1]), sys.argv[2], "--write" in sys.argv[3:]
    text, done, at, end = page.read_text(), "", 0, None
    if "--section" in sys.argv:
        heading = f"\n### {sys.argv[sys.argv.index('--section') + 1]}\n"
        at = text.index(heading)
        done, end = text[:at], text.index("\n##", at + len(heading))
    for found in FENCED.finditer(text, at, len(text) if end is None else end):
        language, block = found.groups()
        before = re.search(r"`([\w.]+)`:\n+$", text[:found.start()])
        done += text[at : found.start()]
        if before:
            Path(folder, before[1]).write_text(block)
        elif block.startswith("$ "):
            block = do_block(block, page, folder)
        done += f"```{language}\n{block}```"
        at = found.end()
    if write:
        page.write_text(done + text[at:])
    for link in re.findall(r"\]\(([^)#:]+)\)", FENCED.sub("", text)):
        if not (page.parent / link).exists():
            report(False, f"{page.name}: a link to {link}")


main()
