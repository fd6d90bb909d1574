# For shell tests, read with '.' before they change the directory: what commands must give. A test with several checks counts its
# failures and ends with finish. Tests that are commands and their output only are transcripts: tests/commands.
set -u
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: output goes to out and err.
expect() {
    wanted=$1
    shift
    timeout 100 "$@" >out 2>err
    got=$?
    sed -i '/^\[hwloc\//d; / UCX  *ERROR /d' out err # what MPICH's libraries say where /sys is missing, as in a bare chroot
    [ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted: $*: $(cat err)"
}

# check COMMAND...: the command succeeds.
check() {
    "$@" || fail "$*: $(cat err)"
}

# run STATUS ARGUMENT...: runs rmacast, which is $program; output is in out and err.
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

# shows PATTERN: a line of out matches.
shows() {
    grep -qE -- "$1" out || fail "the output does not show '$1'"
}

# lines FILE NUMBER: for check.
lines() { [ "$(wc -l <"$1")" -eq "$2" ]; }

finish() {
    [ $failures -eq 0 ] || exit 1
}
