#!/bin/bash
# tests/run itself, on a suite made here: tests that pass, fail, skip, die, hang, and that are none; shards, selections.
set -u
. tests/support/cli.sh
export TESTS=$work/suite BUILD=$work/build JOBS=2
mkdir -p "$TESTS"/cli "$TESTS"/unit/{long,short,absent} "$BUILD/tests"
script() { cat >"$TESTS/cli/$1.sh"; } # name
program() { # name, Criterion suites: each has two tests
    cat >"$BUILD/tests/$1" <<END
#!/bin/bash
for o; do case \$o in
--list) printf '%s: 2 tests\n├── one\n└── two\n' $2; exit ;;
--tap=*) tap=\${o#--tap=} ;;
--filter=*) filter=\${o#--filter=} ;;
esac; done
for suite in $2; do for name in one two; do
    case \${filter:-\$suite/*} in
    "\$suite/*" | "\$suite/\$name") echo "ok - \$suite::\$name" ;;
    *) echo "ok - \$suite::\$name  # SKIP test was skipped" ;;
    esac
done; done >"\$tap"
END
    chmod +x "$BUILD/tests/$1"
}
script passes <<<'echo "ok - one"; echo "ok - two"'
script fails <<<'echo "ok - one"; echo "not ok - what is wrong"; echo "details of it" >&2'
script skips <<<'echo "ok - this # SKIP no such thing here"'
script dies <<<'echo "ok - one"; kill -9 $$'
script empty <<<':'
printf '# pieces: A B\necho "ok - piece $1"\n' | script pieces
program long 'first second'
program short 'first second'
cat >"$TESTS/durations" <<'END'
cli/fails 3
unit/long/first/one 25
unit/long/first/two 6
unit/long/second 10
cli/pieces/B 8
unit/short 4
END
echo 'cli/passes unit/long' >"$TESTS/fast"

# ---- what a run says ------------------------------------------------------------------------------------------------
tests/run >"$work/out" 2>&1
is "a run with failures has status 1" $? 1
says() { # what, extended regular expression
    if grep -qE -- "$2" "$work/out"; then echo "ok - $1"; else echo "not ok - $1"; cat "$work/out" >&2; fi
}
is "the last line counts" "$(tail -1 "$work/out")" "14 passed, 4 failed, 1 skipped"
says "skipped tests are warned of" '^WARNING: 1 tests were skipped'
says "a test that passes" '^cli/passes +2 passed, 0 failed +[0-9.]+ s$'
says "a failing one is quoted" '^  not ok - what is wrong$'
says "with what it said" '^details of it$'
says "one that dies has failed" '^  cli/dies: ended by SIGKILL$'
says "one that tests nothing has failed" '^  cli/empty: ran no test$'
says "one that was not built has failed" 'build/tests/absent is not there: make units builds it$'
says "a skip is said with its reason" '^  ok - this # SKIP no such thing here$'
is "tests say so in this form alone, which is counted" "$(grep -rniE 'echo "# *skip|print\(f?"# *skip' tests/cli tests/random tests/python)" ""
says "a long program runs in pieces" '^unit/long/second +2 passed, 0 failed +[0-9.]+ s$'
says "and so does a long suite" '^unit/long/first/two +1 passed, 0 failed +[0-9.]+ s$'
says "a short one does not" '^unit/short +4 passed'
says "the slowest are named" '^the slowest:$'
says "times of clock and processors" '^took [0-9.]+ s; [0-9.]+ s of 2 processors, [0-9.]+ s each$'
is "durations are kept, but for what was skipped" "$(grep -c . "$BUILD/durations")" 11
rm "$BUILD/durations"
is "the longest come first" "$(tests/run --list | head -4 | paste -sd' ')" "unit/long/first/one unit/long/second cli/pieces/B unit/long/first/two"

# ---- selections -----------------------------------------------------------------------------------------------------
tests/run cli/passes tests/cli/pieces.sh >"$work/out" 2>&1
is "named tests, with their pieces" "$? $(tail -1 "$work/out")" "0 4 passed, 0 failed"
tests/run unit/long >"$work/out" 2>&1
is "pieces of a program are all of it" "$(tail -1 "$work/out")" "4 passed, 0 failed"
tests/run unit/long/first >"$work/out" 2>&1
is "pieces of a suite are all of it" "$(tail -1 "$work/out")" "2 passed, 0 failed"
tests/run --fast >"$work/out" 2>&1
is "--fast runs the list" "$(tail -1 "$work/out")" "6 passed, 0 failed"
says "and says what it leaves out" '^left out: .*cli/pieces/B.* cli/skips'
tests/run --list | sort >"$work/all"
for n in 1 2 4; do
    for i in $(seq $n); do tests/run --shard $i/$n --list; done | sort >"$work/shards"
    is "$n shards are all tests, each once" "$(cat "$work/shards")" "$(cat "$work/all")"
done
is "the longest test has a shard for itself" "$(tests/run --shard 1/4 --list)" unit/long/first/one
tests/run --help >"$work/out"
says "--help says how" '--shard I/N'
fails 2 "no test 'cli/passed'; did you mean 'cli/passes'?" tests/run cli/passed
fails 2 "unknown option '--shards'" tests/run --shards 1/2
for part in 3/2 0/2 1 x; do fails 2 "--shard: write I/N" tests/run --shard $part; done
JOBS=none fails 2 "JOBS=none: give a number above 0" tests/run

# ---- one that hangs -------------------------------------------------------------------------------------------------
mkfifo "$work/alive"
script hangs <<END
exec 3>"$work/alive"
cat "$work/alive" & # a process of its own, that would outlive it
echo "ok - one"
kill -STOP \$\$
END
TIME_LIMIT=1 tests/run cli/hangs >"$work/out" 2>&1 &
cat "$work/alive" >/dev/null # ends when no process of the test is left
wait $!
is "a test that hangs has failed" "$? $(tail -1 "$work/out")" "1 1 passed, 1 failed"
says "and is named, with how long it had" '^  cli/hangs: killed after 1 s$'

# ---- tests/suites/programs chooses ------------------------------------------------------------------------------------
for name in one two three; do
    mkdir -p "$work/checkout/src/$name-cuda"
    printf 'all:\nrun:\n\t./main\n' >"$work/checkout/src/$name-cuda/Makefile"
done
chosen() { NVCC=true REPRISE=/bin/true tests/suites/programs hecbench "$work/checkout" --all "$@" | sed '$d' | cut -d' ' -f1 | xargs; }
is "programs by name" "$(chosen --only ^t)" "three two"
is "... by several" "$(chosen --only one --only tw)" "one two"
