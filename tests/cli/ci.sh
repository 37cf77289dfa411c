#!/bin/bash
# docs/ci.md: the steps of its workflows, but those that install, fail with the race and pass with the fix. The program is built
# where there is nvcc.
set -u
. tests/support/cli.sh
mkdir "$work/bin" "$work/project"
ln -s "$REPRISE" "$work/bin/reprise"
export PATH=$work/bin:$PATH
if ! command -v "${CLANG:-clang}" >/dev/null; then
    echo "ok - workflows # SKIP no clang here"
    exit
fi
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ -x "$cuda/bin/nvcc" ]; then
    export PATH=$PATH:$cuda/bin
else
    echo "ok - a program that nvcc builds # SKIP no nvcc here"
fi
python3 - docs/ci.md "$work/project" <<'PY'
import json, re, shutil, subprocess, sys
import xml.etree.ElementTree as xml
sys.path.insert(0, "tests/support")
import workflows
page, folder = open(sys.argv[1]).read(), sys.argv[2]

def report(ok, what):
    print(f"{'ok' if ok else 'not ok'} - {what}")

for name, block in workflows.files(page):
    open(f"{folder}/{name}", "w").write(block)
# what comes after the installation; release-check carries that out, too
def steps_of(job):
    return [[text for kind, text in steps(page, job) if kind == "run"][1:] for steps in (workflows.github, workflows.gitlab)]

github, gitlab = steps_of("kernels")
report("--format github" in github[-1] and "--format gitlab" in gitlab[-1], "a step that checks in each workflow")

def run(steps):
    for step in steps:
        ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if ran.returncode:
            return ran
    return ran

def load(name):
    return json.load(open(f"{folder}/{name}"))

def fails(what, github, gitlab, stdout):
    """With the race. `stdout`: the program's own."""
    ran = run(github)
    report(ran.returncode == 3, f"{what}, GitHub: the step fails with the race ({ran.returncode})")
    report(re.search(r"^::error file=sum\.cu,line=\d+", ran.stdout, re.M) and stdout in ran.stdout, "... with annotations at the lines")
    results = load("findings.sarif")["runs"][0]["results"]
    report({"race", "init"} == {r["ruleId"] for r in results} and
           all(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sum.cu" for r in results), "... and SARIF that names the file")
    ran = run(gitlab)
    report(ran.returncode == 3, f"{what}, GitLab: the job fails with the race ({ran.returncode})")
    suite = xml.parse(f"{folder}/findings.xml").getroot()
    report(len(list(suite.iter("failure"))) == len(load("quality.json")) == len(results), "... with failed tests, and Code Quality")

def passes(what, github, gitlab):
    report(run(github).returncode == 0 and load("findings.sarif")["runs"][0]["results"] == [], f"{what}, GitHub: it passes with the fix")
    ran = run(gitlab)
    suite = xml.parse(f"{folder}/findings.xml").getroot()
    report(ran.returncode == 0 and not list(suite.iter("failure")) and load("quality.json") == [], f"{what}, GitLab, too")

program = steps_of("program") if shutil.which("nvcc") else None
fails("a kernel", github, gitlab, "")
if program:
    fails("a program", *program, " of 1024\n")
known = run(re.findall(r"^    (bash check\.sh --.*known\.txt)$", page, re.M)[1:] and ["bash check.sh --write-suppressions known.txt || true", "bash check.sh --suppressions known.txt"])
report(known.returncode == 0, "what is known does not fail")

subprocess.run(["sed", "-i", "-f", "fix.sed", "sum.cu"], cwd=folder, check=True)
passes("a kernel", github, gitlab)
if program:
    passes("a program", *program)
PY
