#!/bin/sh
# Prints the rows of campaigns' results as CSV: rows.sh RESULT.json... (rows.jq has the columns; rows.csv beside this script holds
# those of docs/accuracy.md). A row's campaign is the name of its file.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { sed -n 2,3p "$0" && exit 2; }
jq -nr -L "$here" 'include "rows"; columns | line_of_cells'
for file; do
    name=${file##*/}
    jq -r -L "$here" --arg name "${name%.json}" 'include "rows"; to_cells($name) | line_of_cells' "$file"
done
