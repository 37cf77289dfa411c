#!/bin/bash
# docs/ci.md: the steps of its workflows, but those that install, fail with the race and pass with the fix.
set -u
. tests/support/cli.sh
mkdir "$work/bin" "$work/project"
ln -s "$REPRISE" "$work/bin/reprise"
export PATH=$work/bin:$PATH
if ! command -v "${CLANG:-clang}" >/dev/null; then
    echo "ok - workflows # SKIP no clang here"
    exit
fi
python3 - docs/ci.md "$work/project" <<'PY'
import json, re, subprocess, sys
import xml.etree.ElementTree as xml
sys.path.insert(0, "tests/support")
import workflows
page, folder = open(sys.argv[1]).read(), sys.argv[2]

def report(ok, what):
    print(f"{'ok' if ok else 'not ok'} - {what}")

for name, block in workflows.files(page):
    open(f"{folder}/{name}", "w").write(block)
# the steps that check; release-check carries out those that install, too
github, gitlab = [[text for kind, text in steps(page) if kind == "run"][-1:] for steps in (workflows.github, workflows.gitlab)]
report("--format github" in github[0] and "--format gitlab" in gitlab[0], "a step that checks in each workflow")

def run(steps):
    for step in steps:
        ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ran.returncode:
            return ran
    return ran

def load(name):
    return json.load(open(f"{folder}/{name}"))

ran = run(github)
report(ran.returncode == 3, f"GitHub: the step fails with the race ({ran.returncode})")
report(re.search(r"^::error file=sum\.cu,line=\d+", ran.stdout, re.M), "... with annotations at the lines")
results = load("findings.sarif")["runs"][0]["results"]
report({r["ruleId"] for r in results} == {"race", "init"} and
       all(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sum.cu" for r in results), "... and SARIF that names the file")
ran = run(gitlab)
report(ran.returncode == 3, f"GitLab: the job fails with the race ({ran.returncode})")
suite = xml.parse(f"{folder}/findings.xml").getroot()
report(len(list(suite.iter("failure"))) == 2 and len(load("quality.json")) == 2, "... with failed tests, and Code Quality")
known = run(re.findall(r"^    (bash check\.sh --.*known\.txt)$", page, re.M)[1:] and ["bash check.sh --write-suppressions known.txt || true", "bash check.sh --suppressions known.txt"])
report(known.returncode == 0, "what is known does not fail")

subprocess.run(["sed", "-i", "-f", "fix.sed", "sum.cu"], cwd=folder, check=True)
report(run(github).returncode == 0 and load("findings.sarif")["runs"][0]["results"] == [], "GitHub: it passes with the fix")
ran = run(gitlab)
suite = xml.parse(f"{folder}/findings.xml").getroot()
report(ran.returncode == 0 and not list(suite.iter("failure")) and load("quality.json") == [], "GitLab, too")
PY
