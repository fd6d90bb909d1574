#!/bin/sh
# Usage: limit.sh SECONDS COMMAND...: runs a command. If it does not end in time, says on file descriptor 3 where each of
# its processes stands (state, kernel function, stack by gdb where that is installed), ends them all and exits 124.
set -u
seconds=$1
shift
"$@" 3>&- &
child=$!

# All processes below PID, it first.
tree() {
    echo "$1"
    for task in /proc/"$1"/task/*/children; do
        for below in $(cat "$task" 2>/dev/null); do tree "$below"; done
    done
}

describe() {
    echo "process $1: $(tr '\0' ' ' < /proc/"$1"/cmdline)"
    for task in /proc/"$1"/task/*; do
        echo "  thread ${task##*/}: $(awk '/^State/ { print $2, $3 }' "$task/status"), in $(cat "$task/wchan"), $(awk '
            /ctxt/ { printf "%s %s ", $1, $2 }' "$task/status")"
    done
    if command -v gdb >/dev/null; then
        timeout 20 gdb -p "$1" -batch -nx -iex 'set debuginfod enabled off' -ex 'thread apply all backtrace 16' |
            grep -E '^(Thread|#)' | sed 's/^/    /'
    fi
}

ticks=0
while [ "$ticks" -lt $((seconds * 10)) ] && kill -0 "$child" 2>/dev/null; do
    sleep 0.1
    ticks=$((ticks + 1))
done
if kill -0 "$child" 2>/dev/null; then
    all=$(tree "$child")
    echo "not ended after $seconds s: $*" >&3
    for process in $all; do describe "$process" 2>/dev/null >&3; done
    kill -TERM "$child"
    sleep 1
    for process in $all; do kill -KILL "$process" 2>/dev/null; done
    wait "$child"
    exit 124
fi
wait "$child"
