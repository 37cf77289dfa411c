#!/usr/bin/env python3
"""What docs/ci.md shows, as files.

    tests/support/workflows.py github|gitlab FOLDER [NAME]

writes the page's files into FOLDER (sum.cu, check.sh, fix.sed, app.cu), and the commands of the workflow that has job NAME (kernels):
`install`, its first commands, and `step`, those after it, which build and check."""
import re
import sys
import textwrap
from pathlib import Path


def files(page):
    """The files of the page: names and contents."""
    return re.findall(r"`([\w.]+)`:\n+```\w*\n(.*?)^```$", page, re.S | re.M)


def blocks(page):
    """The YAML of the page."""
    return re.findall(r"^```yaml\n(.*?)^```$", page, re.S | re.M)


def github(page, job="kernels"):
    """The steps of the workflow for GitHub, in order: commands, or the name of an action."""
    workflow = next(b for b in blocks(page) if f"jobs:\n  {job}:\n" in b)
    steps = re.split(r"^ {6}- ", workflow.split("    steps:\n")[1], flags=re.M)[1:]
    found = []
    for step in steps:
        run = re.search(r"^ +run: (?:\|\n((?: {10}.*\n)+)|(.*))", step, re.M)
        found.append(("run", textwrap.dedent(run[1]) if run[1] else run[2] + "\n") if run else ("uses", step.split("\n")[0]))
    return found


def gitlab(page, job="kernels"):
    """The same for GitLab: before_script, and script."""
    workflow = next(b for b in blocks(page) if b.startswith(f"{job}:\n"))
    lists = [re.search(rf"^  {key}:\n((?:    - .*\n)+)", workflow, re.M)[1] for key in ("before_script", "script")]
    return [("run", re.sub("^    - ", "", lines, flags=re.M)) for lines in lists]


def main():
    steps, folder = {"github": github, "gitlab": gitlab}[sys.argv[1]], Path(sys.argv[2])
    page = Path("docs/ci.md").read_text()
    for name, text in files(page):
        (folder / name).write_text(text)
    install, *step = (text for kind, text in steps(page, *sys.argv[3:]) if kind == "run")
    (folder / "install").write_text(install)
    (folder / "step").write_text("".join(step))


if __name__ == "__main__":
    main()
