#!/bin/sh
# lines.sh must find a long line of a document and of a source, and must pass a table and its mark, fenced output and a script's
# command. Usage: lines_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar cf - common trace model simulate tests/unit docs/*.md | tar xf - -C "$copy"
long=$(printf '%0131d' 0)
echo "# $long" >"$copy/page.md"
echo "int x; /* $long */" >"$copy/file.c"
echo "    # $long" >"$copy/file.sh"
printf '| %s |\n<!-- table: %s -->\n```\n%s\n```\n%s\n' "$long" "$long" "$long" "$(printf '%065d' 0 | sed 's/0/éé/g')" >"$copy/allowed.md"
echo "echo $long" >"$copy/allowed.sh"
! sh tests/structure/lines.sh "$copy" >"$copy/found" || { echo "long lines pass"; exit 1; }
sed 's/ .*//' "$copy/found" | LC_ALL=C sort >"$copy/places"
printf './file.c:1:\n./file.sh:1:\n./page.md:1:\n' | diff - "$copy/places"
