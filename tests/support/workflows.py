#!/usr/bin/env python3
"""What docs/ci.md shows, as files.

    tests/support/workflows.py github|gitlab FOLDER

writes the page's files into FOLDER (sum.cu, check.sh, fix.sed), and the commands of its workflow: `install`, all but the last step,
and `step`, the last one, which checks. Where a workflow uses an action, `install` has its name as a comment."""
import re
import sys
import textwrap
from pathlib import Path


def files(page):
    """The files of the page: names and contents."""
    return re.findall(r"`([\w.]+)`:\n+```\w*\n(.*?)^```$", page, re.S | re.M)


def github(page):
    """The steps of the workflow for GitHub, in order: commands, or the name of an action."""
    workflow = re.search(r"^```yaml\n(.*?jobs:\n.*?)^```$", page, re.S | re.M)[1]
    steps = re.split(r"^ {6}- ", workflow.split("    steps:\n")[1], flags=re.M)[1:]
    found = []
    for step in steps:
        run = re.search(r"^ +run: (?:\|\n((?: {10}.*\n)+)|(.*))", step, re.M)
        found.append(("run", textwrap.dedent(run[1]) if run[1] else run[2] + "\n") if run else ("uses", step.split("\n")[0]))
    return found


def gitlab(page):
    """The same for GitLab: before_script, and script."""
    workflow = re.search(r"^```yaml\n(\w+:\n  image:.*?)^```$", page, re.S | re.M)[1]
    lists = [re.search(rf"^  {key}:\n((?:    - .*\n)+)", workflow, re.M)[1] for key in ("before_script", "script")]
    return [("run", re.sub("^    - ", "", lines, flags=re.M)) for lines in lists]


def main():
    steps, folder = {"github": github, "gitlab": gitlab}[sys.argv[1]], Path(sys.argv[2])
    page = Path("docs/ci.md").read_text()
    for name, text in files(page):
        (folder / name).write_text(text)
    commands = [("" if kind == "run" else "# ") + text for kind, text in steps(page)]
    last = max(i for i, (kind, _) in enumerate(steps(page)) if kind == "run")
    (folder / "install").write_text("\n".join(commands[:last]) + "\n")
    (folder / "step").write_text(commands[last])


if __name__ == "__main__":
    main()
