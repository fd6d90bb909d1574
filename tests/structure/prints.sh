#!/bin/sh
# What people read is printed by text_print() (common/text/text.h), which keeps names of inputs from making lines and from
# steering terminals; a tree of JSON becomes text in common/json/json_write.c alone. Files that write another format are listed
# here, and so are programs that run beside MPI: they print by themselves. Usage: prints.sh SOURCE
set -eu
. "$(dirname "$0")/../expect.sh"
cd "$1"

# Traces, exports, pages; tables as files, pictures; JSON, program models; help, the terminal; texts that others print later.
formats='^(common|trace|export|report|cli/terminal|platforms/(bench|probe/program)|validate/(cluster|semantics))/
^model/result/result_csv\.c|^validate/validate_(fields|svg)\.c|^predictors/curve/curve_files\.c|^platforms/fit/plot\.c
^platforms/(simgrid_file|topology/topology)\.c
^predictors/(comparison|sweep/run|sweep/result_file|scale/write)\.c|^cli/(output|calibrate/check|scale/measured_runs)\.c
^cli/(main|manual)\.c
^model/(efficiency/intervals|waits/advice)\.c'
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
find . \( -name build -o -name .git \) -prune -o -name '*.c' -print | sed 's#^\./##' | LC_ALL=C sort |
    grep -vE '^(tests|bench|examples|demo|demo-out)/' >"$place/files"
[ "$(wc -l <"$place/files")" -gt "${2:-300}" ] || fail "only $(wc -l <"$place/files") files seen: the check itself is broken"

# fputs() may write literals, and names of our own. A control character of a format but newline would not be printed.
{
    xargs grep -nHE 'text_print[a-z_]*\(.*"[^"]*\\([rtvbaf]|0|x)' /dev/null <"$place/files" || true
    grep -vE "$(echo "$formats" | paste -sd '|')" "$place/files" |
        xargs grep -nHE '(^|[^a-z_])v?f?printf\(|[^a-z_]f?puts\([^"]*;' /dev/null |
        grep -vE 'fputs\((call_name|taker_names)|curve->(program|doubts|statistics|why)' || true
    grep -v '^common/json/json_write\.c' "$place/files" | xargs grep -nHE 'cJSON_Print[A-Za-z]*\(' /dev/null || true
} >"$place/found"
if [ -s "$place/found" ]; then
    cat "$place/found"
    fail "these print by themselves, expected text_print() or json_print()"
fi
finish
