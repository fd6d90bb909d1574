#!/bin/sh
# Writes the tables of docs/accuracy.md from rows of campaigns: tables.sh [--check] [PAGE [ROWS.csv]]
# Between the lines "<!-- table: ARGUMENTS -->" and "<!-- end -->" the page has what table.sh prints with these arguments; a word
# that begins with a letter names a campaign of ROWS.csv (rows.csv, beside this script).
# A table of a campaign that is not in ROWS.csv stays as it is, and a line on standard error says so.
# --check: writes nothing, prints the differences, and exits with 1 if there are some.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
check=no
[ "${1:-}" != --check ] || { check=yes && shift; }
[ $# -le 2 ] || { sed -n 2,6p "$0" && exit 2; }
page=$(realpath -e "${1:-$here/../../docs/accuracy.md}") rows=$(realpath -e "${2:-$here/rows.csv}")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# print WORD...: what table.sh prints; fails where a campaign is missing.
print() {
    : >"$work/chosen.csv"
    for word; do
        shift
        case $word in
        [a-z]*)
            grep "^$word," "$rows" >>"$work/chosen.csv" ||
                { echo "tables.sh: no $word: its table stays as it is" >&2 && return 1; } ;;
        *) set -- "$@" "$word" ;;
        esac
    done
    "$here/table.sh" "$@" "$work/chosen.csv" || { touch "$work/failed" && return 1; }
}
inside=no
while IFS= read -r line; do
    [ "$line" != '<!-- end -->' ] || inside=no
    [ $inside = yes ] || printf '%s\n' "$line"
    words=${line#*: } words=${words% -->}
    case $line in '<!-- table: '*' -->') ! print $words || inside=yes ;; esac
done <"$page" >"$work/page"
[ $inside = no ] || { echo "tables.sh: $page: a table without <!-- end -->" >&2 && exit 1; }
[ ! -e "$work/failed" ] || exit 1
if [ $check = yes ]; then diff "$page" "$work/page" >&2; else cat "$work/page" >"$page"; fi
