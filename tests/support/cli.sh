# What scripts of tests/cli share: $work, a folder that goes with them; $r, the program; and ways to compare.
# shellcheck shell=bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
r=$REPRISE
is() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; echo "  expected: $3" >&2; echo "  got:      $2" >&2; fi; }
# check WHAT COMMAND...: it succeeds
check() {
    local what=$1
    shift
    if "$@" >&2; then echo "ok - $what"; else echo "not ok - $what"; fi
}
# json FILE EXPRESSION [MORE...]: prints a Python expression of the document d, or of its trace d if it is of one trace;
# MORE is in sys.argv[3:]
json() { python3 -c 'import json,sys
def load(f): a=json.load(open(f)); t=a.get("traces", [a]) if isinstance(a, dict) else [a]; return t[0] if len(t)==1 and "steps" not in a else a
d=load(sys.argv[1]); print(eval(sys.argv[2]))' "$@"; }
# fails STATUS TEXT COMMAND...: one line on stderr that holds TEXT, nothing on stdout
fails() {
    local status=$1 text=$2 got
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got = "$status" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then
        echo "ok - status $status: $text"
    else
        echo "not ok - status $status: $text"
        echo "  $* ended with $got and said: $(cat "$work/err")" >&2
    fi
}
# Whether the build is one of make asan.
address_sanitizer() { grep -qa __asan_init "$REPRISE"; }
# needs FILE...: ends the script if one was not built
needs() {
    local file
    for file; do
        [ -e "$file" ] || { echo "not ok - $file is not there: make units kernels builds it"; exit 1; }
    done
}
