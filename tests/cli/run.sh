#!/bin/sh
# Runs the rmacast command on right and wrong input: exit status, one line on standard error, what stands in it.
# Usage: run.sh RMACAST
set -u
rmacast=$(realpath "$1") here=$(dirname "$(realpath "$0")")
directory=$(mktemp -d "${TMPDIR:-/tmp}/rmacast-cli.XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1
failures=0

complain() {
  failures=$((failures + 1))
  echo "FAILED: $1"
  shift
  printf '  %s\n' "$@"
}

# fails STATUS MESSAGE ARGUMENT...: exactly the line "rmacast: MESSAGE", nothing on standard output.
fails() {
  expected=$1 message=$2
  shift 2
  "$rmacast" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$expected" ] || complain "rmacast $*" "exit status $status, expected $expected"
  [ "$(cat err)" = "rmacast: $message" ] || complain "rmacast $*" "said:     $(cat err)" "expected: rmacast: $message"
  [ "$(wc -l <err)" -eq 1 ] || complain "rmacast $*" "not one line"
  [ -s out ] && complain "rmacast $*" "standard output: $(head -n 1 out)"
}

# works PATTERN ARGUMENT...: exit status 0, nothing on standard error, a line that matches on standard output.
works() {
  pattern=$1
  shift
  "$rmacast" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq 0 ] || complain "rmacast $*" "exit status $status, expected 0" "$(cat err)"
  [ -s err ] && complain "rmacast $*" "standard error: $(cat err)"
  grep -q -e "$pattern" out || complain "rmacast $*" "no line matches $pattern" "$(head -n 5 out)"
}

same() {
  cmp -s "$1" "$2" || complain "$3" "$(diff "$1" "$2" | head -n 5)"
}

for part in "$here"/cases_*.sh; do
  . "$part"
done
[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
