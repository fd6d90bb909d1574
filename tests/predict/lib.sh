# For the tests of this folder, read with '.': PROGRAM and SOURCE are the test's arguments.
set -u
program=$1
source=$2
failures=0
worked=$source/tests/cases/active/worked_example/trace.txt
platform=$source/tests/cases/base.json

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# run STATUS ARGUMENT...: runs rmacast; output is in out and err.
run() {
    expected=$1
    shift
    timeout 50 "$program" "$@" >out 2>err
    status=$?
    [ $status -eq "$expected" ] || fail "rmacast $*: exit status $status, expected $expected: $(cat err)"
}

# error STATUS TEXT ARGUMENT...: fails in one line of standard error that holds TEXT.
error() {
    text=$2
    expected=$1
    shift 2
    run "$expected" "$@"
    [ "$(wc -l <err)" -eq 1 ] || fail "rmacast $*: $(wc -l <err) lines of error, expected 1: $(cat err)"
    grep -q '^rmacast: ' err || fail "rmacast $*: the error does not begin with 'rmacast: ': $(cat err)"
    grep -qF -- "$text" err || fail "rmacast $*: '$text' is not in the error: $(cat err)"
}

# holds FILE CONDITION: a jq condition on a JSON file. near(a; b) means equal to 1e-9.
holds() {
    jq -e "def near(a; b): (a - b | fabs) <= 1e-9; $2" "$1" >/dev/null || fail "$1: not $2"
}

shows() {
    grep -qE -- "$1" out || fail "the output does not show '$1'"
}

finish() {
    [ $failures -eq 0 ] || exit 1
}
