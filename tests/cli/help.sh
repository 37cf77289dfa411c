#!/bin/bash
# Help, man pages and completion: all from the same rows, all there for every command.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/programs/synthetic"
commands=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' tools/commands/commands.def)
check "there are commands" test "$(wc -w <<<"$commands")" -ge 11

# ---- --help --------------------------------------------------------------------------------------------------------
"$r" help >"$dir/help"
check "--help, -h and help are the same" eval '"$r" --help | cmp - "$dir/help" && "$r" -h | cmp - "$dir/help"'
check "--version, -V and version are the same" eval '[ "$("$r" --version)" = "$("$r" -V)" ] && [ "$("$r" version)" = "$("$r" -V)" ] && "$r" version | grep -qE "^reprise [0-9.]+$"'
"$r" >"$dir/out" 2>"$dir/err"
status=$?
check "no command: usage on standard error, status 1" eval '[ $status -eq 1 ] && [ ! -s "$dir/out" ] && grep -q Usage "$dir/err"'
wide() { LC_ALL=C.UTF-8 awk 'length > 80' "$1"; }
check "help fits 80 columns" test -z "$(wide "$dir/help")"
for c in $commands; do
    "$r" help "$c" >"$dir/$c"
    check "$c: --help, -h and help $c are the same" eval '"$r" $c --help | cmp - "$dir/$c" && "$r" $c -h | cmp - "$dir/$c"'
    check "$c: -V and --version" eval '[ "$("$r" $c -V)" = "$("$r" --version)" ] && [ "$("$r" $c --version)" = "$("$r" -V)" ]'
    check "$c: is listed" grep -qE "^  $c +[a-z]" "$dir/help"
    check "$c: usage, examples and statuses" eval 'grep -q "^Usage: reprise $c " "$dir/$c" && grep -q "^  reprise $c " "$dir/$c" && grep -q "^Exit status: 0" "$dir/$c"'
    check "$c: fits 80 columns" test -z "$(wide "$dir/$c")"
    "$r" $c --help >/dev/full 2>"$dir/err"
    status=$?
    check "$c: a full disk is an error" eval '[ $status -eq 4 ] && grep -q "cannot write to standard output" "$dir/err"'
    "$r" $c --no-such-option >"$dir/out" 2>"$dir/err"
    status=$?
    check "$c: an unknown option, in one line" eval '[ $status -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "unknown option .--no-such-option." "$dir/err"'
done
topics="checks statistics machines traces statuses"
for t in $topics; do
    "$r" help $t >"$dir/topic"
    check "topic $t: is listed" grep -qE "^  $t +[a-z]" "$dir/help"
    check "topic $t: some lines that fit 80 columns" eval '[ "$(wc -l <"$dir/topic")" -gt 5 ] && [ -z "$(wide "$dir/topic")" ]'
done
is "the topics of reprise help are these" "$(sed -n '/^Topics/,/^$/p' "$dir/help" | sed '1d;$d' | awk '{print $1}' | tr '\n' ' ')" "$topics "
is "every statistic has its line" "$("$r" help statistics | grep -cE "^  [a-z0-9_]+[a-z0-9_.A-Z-]*( |$)")" "$(($("$r" replay --explain --csv | wc -l) - 1))"
"$r" help >/dev/full 2>/dev/null
check "help: a full disk is an error" test $? -eq 4
# a short option stands for the same long one wherever it is
check "short options mean the same everywhere" python3 - "$dir" $commands <<'PY'
import re, sys
meant = {}
for c in sys.argv[2:]:
    seen = set()
    for line in open(f"{sys.argv[1]}/{c}"):
        m = re.match(r"  -(\w), --([\w-]+)", line)
        if m:
            assert m.group(1) not in seen, (c, line)
            seen.add(m.group(1))
            assert meant.setdefault(m.group(1), m.group(2)) == m.group(2), (c, line, meant)
assert len(meant) > 12 and meant["m"] == "machine" and meant["h"] == "help", meant
PY
says() { # text, arguments...
    local text=$1
    shift
    "$r" "$@" >"$dir/out" 2>"$dir/err"
    if [ $? -eq 1 ] && grep -qF -- "$text" "$dir/err" && [ ! -s "$dir/out" ]; then echo "ok - says: $text"; else echo "not ok - says: $text"; cat "$dir/err" >&2; fi
}
if [ "$("$r" help help)" = "$("$r" help)" ] && [ "$("$r" help version)" = "$("$r" help)" ] &&
    [ "$("$r" help --help)" = "$("$r" help)" ] && [ "$("$r" help -h)" = "$("$r" help)" ]; then echo "ok - help help, help version"; else echo "not ok - help help, help version"; fi
says "unknown command 'recrod'; did you mean 'record'?" recrod
says "unknown command or topic 'statitics'; did you mean 'statistics'?" help statitics
says "'extra' is one word too many" version extra
check "version --help is help version" eval '[ "$("$r" version --help)" = "$("$r" help version)" ]'
says "'extra' is one word too many" help checks extra
check "a topic in the singular" cmp <("$r" help check) <("$r" help checks)
check "a command before a topic in the plural" eval '"$r" help machine | grep -q "^Usage: reprise machine"'
says "'xyz' is neither a command nor a topic; 'reprise help' lists both, and the topics are checks, statistics, machines, traces, statuses" help xyz
says "unknown command 'xyz'; 'reprise help' lists them" xyz
says "unknown command 'checks'; 'reprise help checks' describes this topic" checks
says "unknown option '--machin3'; did you mean '--machine'?" replay --machin3 x
says "unknown option '--blocks'; did you mean '--block'? 'reprise timeline' has --blocks" run --blocks x -- ./app
says "--kernels chooses what is checked: what shall be looked for? Such as --check all" run --kernels x -- ./app
says "unknown option '--nvtx'; 'reprise record' has it" replay --nvtx x
says "unknown option '-Z'" replay -Z
says "'--l' may be --launch or --limit" dump --l 5
says "--json takes no value" info --json=5 x
says "--machine needs a value: --machine NAME" replay x --machine
says "-m needs a value: -m NAME" replay x -m
says "there are bash, zsh and fish" help --completion csh
"$BUILD/programs/synthetic" 6 "$dir/t.wtr"
check "options may be shortened, joined and come in any order" eval 'cmp <("$r" replay "$dir/t.wtr" --mach=jetson-tx2 --js -q) <("$r" replay -jqm jetson-tx2 -- "$dir/t.wtr")'

# ---- man pages -----------------------------------------------------------------------------------------------------
man_page() { # command or topic: $dir/page
    # shellcheck disable=SC2086
    "$r" help --man $1 >"$dir/page"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww "$dir/page" >"$dir/text" 2>"$dir/err"
        check "man page ${1:-reprise}: groff has nothing to say" test ! -s "$dir/err"
    else
        echo "ok - man page ${1:-reprise} # SKIP no groff here"
    fi
}
for c in "" $commands; do
    man_page "$c"
    check "man page ${c:-reprise}: has name, synopsis, statuses" eval '[ "$(grep -cE "^.SH (NAME|SYNOPSIS|EXIT STATUS)" "$dir/page")" -eq 3 ]'
    for o in $([ -z "$c" ] || grep -oE '^ +(-., )?--[a-z-]+' "$dir/$c" | grep -oE '[a-z-]{3,}$' | sed 's/^--//'); do
        grep -qF -- "\\-\\-${o//-/\\-}" "$dir/page" || check "man page $c has --$o" false
    done
done

for t in $topics; do
    man_page $t
    check "man page $t: has name and section" eval 'grep -qE "^.TH REPRISE-[A-Z]+ [57] " "$dir/page" && grep -q "^.SH NAME" "$dir/page"'
done

# ---- completion ----------------------------------------------------------------------------------------------------
"$r" help --completion bash >"$dir/reprise.bash"
complete_bash() { # words: prints what bash offers for the last
    PATH="$(dirname "$r"):$PATH" bash -c '
        source "$1"; shift
        COMP_WORDS=(reprise "$@"); COMP_CWORD=$#
        _reprise; printf "%s\n" "${COMPREPLY[@]}"' _ "$dir/reprise.bash" "$@" | sort | tr '\n' ' '
}
check "bash: commands" test "$(complete_bash re)" = "record replay report results "
check "bash: topics behind help" test "$(complete_bash help sta)" = "statistics statuses "
check "bash: no topics as commands" test "$(complete_bash sta)" = " "
check "bash: options" test "$(complete_bash replay --la)" = "--launch "
check "bash: machines" test "$(complete_bash replay -m jet)" = "jetson-tx2 "
check "bash: devices" test "$(complete_bash run --device jet) $(complete_bash env --device jet)" = "jetson-tx2  jetson-tx2 "
check "bash: machines behind =" test "$(complete_bash replay --machine = jet)" = "jetson-tx2 "
check "bash: keys of machines" test "$(complete_bash diff --vary l1.s)" = "l1.sector= l1.sets= l1.shared_sizes= l1.size= l1.subcores= "
check "bash: keys of machines behind =" test "$(complete_bash replay --set = dram.in)" = "dram.interleave= dram.interval= "
check "bash: values" test "$(complete_bash replay --by l)" = "line "
check "bash: values of a list" test "$(complete_bash run --check memory,ra)" = "memory,race memory,race=strict "
check "bash: assumptions" test "$(complete_bash wcet --assume s)" = "subcores "
check "bash: values of a machine's option" test "$(complete_bash replay --set dram.scheduler = fr)" = "fr-fcfs "
check "bash: models" test "$(complete_bash replay --set scheduler = gt)" = "gto gty "
check "bash: actions" test "$(complete_bash machine "")" = "diff list options show "
check "bash: machines to show" test "$(complete_bash machine show jet)" = "jetson-tx2 "
: >"$dir/my trace.wtr"
check "bash: a name with a space is one name" test "$(complete_bash replay "$dir/my")" = "$dir/my trace.wtr "
if command -v fish >/dev/null; then
    "$r" help --completion fish >"$dir/c.fish"
    offered() { PATH="$(dirname "$r"):$PATH" fish -N -c 'source $argv[1]; complete -C $argv[2]' "$dir/c.fish" "$1" | cut -f1 | sort | tr '\n' ' '; }
    check "fish: commands" test "$(offered "reprise re")" = "record replay report results "
    check "fish: actions" test "$(offered "reprise machine ")" = "diff list options show "
    check "fish: machines to show" grep -q jetson-tx2 <<<"$(offered "reprise machine show jet")"
else
    echo "ok - fish: what it offers # SKIP no fish here"
fi
check "bash: options of another command are not offered" test "$(complete_bash disasm --mach)" = " "
for shell in zsh fish; do
    "$r" help --completion $shell >"$dir/reprise.$shell"
    for c in $commands; do grep -q "\b$c\b" "$dir/reprise.$shell" || check "$shell knows $c" false; done
    if command -v $shell >/dev/null; then
        check "$shell: reads its script" $shell -n "$dir/reprise.$shell"
    else
        echo "ok - $shell: reads its script # SKIP no $shell here"
    fi
done

# ---- colour --------------------------------------------------------------------------------------------------------
on_terminal() { # variables and command: what a terminal gets
    python3 - "$@" <<'PY'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(a.split("=", 1) for a in sys.argv[1:3])
    os.execvp(sys.argv[3], sys.argv[3:])
out = b""
try:
    while chunk := os.read(fd, 4096): out += chunk
except OSError: pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
PY
}
escape=$(printf '\033')
check "bold on a terminal" grep -q "$escape" <(on_terminal TERM=xterm X= "$r" replay --help)
check "none under NO_COLOR" eval '! on_terminal TERM=xterm NO_COLOR=1 "$r" replay --help | grep -q "$escape"'
check "none under TERM=dumb" eval '! on_terminal TERM=dumb X= "$r" replay --help | grep -q "$escape"'
check "none in a file" eval '! TERM=xterm "$r" replay --help | grep -q "$escape"'

# ---- what make install brings --------------------------------------------------------------------------------------
make -s install-files BUILD="$BUILD" PREFIX=/usr/local DESTDIR="$dir/root" >&2 || exit 1
root=$dir/root/usr/local
for f in bin/reprise share/man/man1/reprise.1 share/reprise/trace.proto share/reprise/phases.proto include/reprise/cuda.h share/doc/reprise/README.md \
    share/doc/reprise/machines.md share/doc/reprise/examples/chain.cfg share/bash-completion/completions/reprise \
    share/zsh/site-functions/_reprise share/fish/vendor_completions.d/reprise.fish; do
    check "installs $f" test -s "$root/$f"
done
for t in $topics; do check "installs the man page of topic $t" test -s "$(echo "$root"/share/man/man[57]/reprise-$t.[57])"; done
for c in $commands; do check "installs reprise-$c.1" test -s "$root/share/man/man1/reprise-$c.1"; done
# every file of ours that the man pages name is there
for f in $(cat "$root"/share/man/man1/*.1 | sed 's/\\-/-/g' | grep -oE '/usr/local/[A-Za-z/._-]+' | sed 's/[.,]$//' | grep -v '^/usr/local/cuda' | sort -u); do
    check "the man pages point at $f, which is there" test -e "$dir/root$f"
done
for f in $(sed -n '/share\/doc\/reprise holds/p' "$root/share/man/man1/reprise.1" | sed 's/\\-/-/g' | grep -oE '[a-z-]+\.md'); do
    check "... at $f" test -e "$root/share/doc/reprise/$f"
done
make -s uninstall BUILD="$BUILD" PREFIX=/usr/local DESTDIR="$dir/root" >&2
check "uninstall takes every file away" test -z "$(find "$dir/root" -type f)"
