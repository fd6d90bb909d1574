#!/bin/sh
# Transcripts: each NAME.test holds inputs, commands, and what the commands are expected to print. A transcript is carried out in
# an empty directory, and what happens is compared with what it says. Usage: run.sh [--update] RMACAST SOURCE FILE...
#
#   # a comment; empty lines separate
#   @ FILE          an input: the lines below it that are indented by two spaces
#   $ COMMAND       a shell command; lines "> ..." continue it. rmacast is the program; cases, platforms and examples are those of
#                   the source, which is $source; part, both, agree, once and query below serve commands
#     output        expected lines of standard output, indented by two spaces, "." for an empty one
#   ! message       expected lines of standard error
#   = 1             expected exit status, where it is not 0
#
# Each JSON document that a command writes with --json is valid by its installed schema (tests/schemas/check.py).
# All commands of a file share one shell and one directory. --update writes what happens into the file; look at the difference.
set -u
export LC_ALL=C # the order of sort, and what commands say
update=false
if [ "$1" = --update ]; then
    update=true
    shift
fi
program=$(realpath "$1") source=$(realpath "$2")
shift 2
[ -x "$program" ] || exit 1
start=$PWD
place=$(mktemp -d "${TMPDIR:-/tmp}/rmacast-commands.XXXXXX") || exit 1
trap 'rm -rf "$place"' EXIT

schemas=$(dirname "$program")/../share/rmacast/schemas
mkdir "$place/json"

# The status of a command in a pipe is lost, but not that a signal or the time ended it.
rmacast() {
    run_json= run_before=
    for run_word; do
        [ "$run_before" != --json ] || run_json=$run_word
        run_before=$run_word
    done
    run_kept=$(mktemp "$place/json/XXXXXX")
    if [ "$run_json" = - ] && [ ! -c /dev/stdout ]; then
        timeout 60 "$program" "$@" >"$run_kept"
        ran=$?
        cat "$run_kept"
    else
        timeout 60 "$program" "$@"
        ran=$?
        [ ! -f "$run_json" ] || cp "$run_json" "$run_kept"
    fi
    [ $ran -eq 0 ] || [ "$(head -c 1 "$run_kept")" = '{' ] || rm "$run_kept" # it wrote none
    [ $ran -le 2 ] || echo "rmacast $*: exit status $ran" >&2
    return $ran
}

# both ARGUMENT...: rmacast with each of the two engines.
both() {
    rmacast "$@" --engine loggp
    rmacast "$@" --engine simgrid
}

# agree ARGUMENT...: rmacast with each of the two engines; what they print, once, and their exit status, if both are the same.
agree() {
    for engine in loggp simgrid; do
        rmacast "$@" --engine $engine >"$place/$engine" 2>"$place/$engine.err"
        echo $? >"$place/$engine.status"
    done
    cat "$place/loggp"
    cat "$place/loggp.err" >&2
    for part in '' .err .status; do diff "$place/loggp$part" "$place/simgrid$part" >&2; done
    return "$(cat "$place/loggp.status")"
}

# once: each line of standard input the first time that it comes.
once() { awk '!seen[$0]++'; }

# query FILTER [FILE]: what jq finds in FILE, or in standard input, in one line; "us" turns seconds into microseconds.
query() {
    filter=$1
    shift
    jq -c "def us: . * 1e9 | round / 1000; $filter" "$@"
}

# part PATTERN COMMAND...: of what the command prints the parts that match, with grep's basic expressions.
part() {
    part_pattern=$1
    shift
    "$@" >"$place/part" || return
    grep -o -e "$part_pattern" "$place/part" || echo "no part matches $part_pattern"
}

# A transcript may use any name that does not begin with run_.
carry_out() {
    [ -n "$run_command" ] || return 0
    eval "$run_command" >"$place/out" 2>"$place/err" </dev/null
    run_status=$?
    sed 's/^/  /; s/^  $/  ./' "$place/out"
    sed 's/^/! /' "$place/err"
    [ $run_status -eq 0 ] || echo "= $run_status"
    run_command=
}

transcribe() { # FILE
    run_command= run_input=
    while IFS= read -r run_line; do
        case $run_line in
        '  '*)
            if [ -n "$run_input" ]; then
                printf '%s\n' "$run_line"
                printf '%s\n' "${run_line#??}" >>"$run_input"
            fi
            continue ;;
        '> '*)
            printf '%s\n' "$run_line"
            run_command="$run_command
${run_line#??}"
            continue ;;
        '! '* | '= '*) continue ;;
        esac
        carry_out
        run_input=
        printf '%s\n' "$run_line"
        case $run_line in
        '$ '*) run_command=${run_line#??} ;;
        '@ '*)
            run_input=${run_line#??}
            : >"$run_input" ;;
        '#'* | '') ;;
        *) echo "# ^ this line is none of a transcript's" ;;
        esac
    done <"$1"
    carry_out
}

failed=0
for file in "$@"; do
    file=$(cd "$start" && realpath "$file") || exit 1
    mkdir "$place/here" && cd "$place/here" || exit 1
    ln -s "$source/tests/cases" cases
    ln -s "$source/platforms" platforms
    ln -s "$source/examples" examples
    (transcribe "$file") >"$place/found"
    carried=$?
    cd "$place" && rm -rf here
    python3 "$source/tests/schemas/check.py" "$schemas" "$place/json" || { echo "$file: JSON against its schema"; failed=1; }
    [ $carried -eq 0 ] || { echo "$file: the shell ended: $(cat "$place/err")"; failed=1; continue; }
    grep -q '^\$ ' "$file" || { echo "$file: no command"; failed=1; }
    cmp -s "$file" "$place/found" && continue
    if $update; then
        cp "$place/found" "$file"
        echo "$file: updated"
    else
        echo "$file: < is expected, > is what happens"
        diff "$file" "$place/found"
        failed=1
    fi
done
exit $failed
