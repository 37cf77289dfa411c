"""findings_schemas.py FOLDER: the reports f.json, f.sarif, f.xml, gl.json and annotations there fit their schemas, and say the
same as f.json. Prints TAP."""
import json
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
golden = pathlib.Path("tests/golden/findings")
report = json.loads((folder / "f.json").read_text())
findings = report["findings"]


def result(what, fine, why=""):
    print(("" if fine else "not ") + "ok - " + what)
    if not fine:
        print(f"  {why}", file=sys.stderr)


def fits(what, schema, document):
    try:
        import jsonschema
    except ImportError:
        print(f"ok - {what} fits its schema # SKIP there is no jsonschema (Debian: python3-jsonschema)")
        return
    schema = json.loads(schema.read_text())
    kind = jsonschema.validators.validator_for(schema)
    wrong = [f"{list(e.path)}: {e.message}" for e in kind(schema).iter_errors(document)]
    result(f"{what} fits its schema", not wrong, wrong)


fits("JSON", pathlib.Path("docs/findings.schema.json"), report)
sarif = json.loads((folder / "f.sarif").read_text())
fits("SARIF", golden / "sarif-schema-2.1.0.json", sarif)
gitlab = json.loads((folder / "gl.json").read_text())
fits("Code Quality", golden / "gitlab.schema.json", gitlab)
try:
    done = subprocess.run(["xmllint", "--noout", "--schema", golden / "junit-10.xsd", folder / "f.xml"], capture_output=True, text=True)
    result("JUnit fits its schema", done.returncode == 0, done.stderr)
except FileNotFoundError:
    print("ok - JUnit fits its schema # SKIP there is no xmllint (Debian: libxml2-utils)")

# The same findings in all of them.
kinds = [f["kind"] for f in findings]
results = sarif["runs"][0]["results"]
result("SARIF has the findings", [r["ruleId"] for r in results] == kinds, results)
rules = [r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]]
result("SARIF: rules by index", all(rules[r["ruleIndex"]] == r["ruleId"] for r in results), rules)
result("SARIF has fingerprints", [r["partialFingerprints"]["repriseFinding/v1"] for r in results] == [f["fingerprint"] for f in findings])
result("Code Quality has the findings", [i["check_name"] for i in gitlab] == kinds, gitlab)
result("Code Quality: each fingerprint once", len({i["fingerprint"] for i in gitlab}) == len(gitlab), gitlab)
import xml.etree.ElementTree as tree

suite = tree.parse(folder / "f.xml").getroot().find("testsuite")
result("JUnit has the findings", [c.get("type") for c in suite.iter("failure")] == kinds and suite.get("failures") == str(len(kinds)))
lines = (folder / "annotations").read_text().splitlines()
grammar = re.compile(r"::(error|warning) (file=[^:,]+,line=[1-9][0-9]*,)?title=[^:,]+::[^\r\n]+")
annotations = [line for line in lines if line.startswith("::")]
result("annotations have the findings", len(annotations) == len(kinds) and all(grammar.fullmatch(a) for a in annotations), annotations)
result("the tool, the program, the device", report["tool"]["name"] == "reprise" and report["program"]["command"] and
       report["device"]["capability"] == "6.1" and report["checks"] == "all", report)

# A run in which nothing was checked.
why = "nothing was checked: " + json.loads((folder / "u.json").read_text())["incomplete"]
sarif = json.loads((folder / "u.sarif").read_text())
fits("SARIF of nothing", golden / "sarif-schema-2.1.0.json", sarif)
run = sarif["runs"][0]["invocations"][0]
result("SARIF: nothing was checked", not run["executionSuccessful"] and run["toolExecutionNotifications"] == [{"level": "error", "message": {"text": why}}], run)
gitlab = json.loads((folder / "ugl.json").read_text())
fits("Code Quality of nothing", golden / "gitlab.schema.json", gitlab)
result("Code Quality: nothing was checked", [i["description"] for i in gitlab] == [why], gitlab)
suite = tree.parse(folder / "u.xml").getroot().find("testsuite")
result("JUnit: nothing was checked", [e.get("message") for e in suite.iter("error")] == [why] and suite.get("errors") == suite.get("tests") == "1")
try:
    done = subprocess.run(["xmllint", "--noout", "--schema", golden / "junit-10.xsd", folder / "u.xml"], capture_output=True, text=True)
    result("JUnit of nothing fits its schema", done.returncode == 0, done.stderr)
except FileNotFoundError:
    print("ok - JUnit of nothing fits its schema # SKIP there is no xmllint (Debian: libxml2-utils)")
result("an annotation: nothing was checked", (folder / "uannotations").read_text() == f"::warning title=reprise::{why}\n")
