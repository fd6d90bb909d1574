#!/bin/sh
# Usage: links.sh SOURCE: each link of README and docs leads to a file of the tree and, behind a #, to a heading of that page.
# The anchor of a heading is its text in small letters, with - for a space, without other signs.
. "$(dirname "$0")/../expect.sh"
cd "$1" || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1
links=0
for page in README.md docs/*.md docs/*/*.md; do
    # Code in fences and in the text has no links.
    awk '/^```/ { fenced = !fenced; next } !fenced' "$page" | sed 's/`[^`]*`//g' | grep -o '](([^()]*)\|]([^()]*)' |
        sed 's/^](//; s/)$//; s/ .*//' | grep -v '^https\?:' >"$work/links"
    while IFS= read -r link; do
        links=$((links + 1))
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        [ -e "$target" ] || { fail "$page: no $link" && continue; }
        case $link in *'#'*) ;; *) continue ;; esac
        awk '/^```/ { fenced = !fenced } !fenced && /^#+ /' "$target" |
            sed 's/^#* //; s/\[\([^]]*\)\]([^)]*)/\1/g' | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9_ -]//g; s/ /-/g' >"$work/anchors"
        grep -qxF -- "${link#*#}" "$work/anchors" || fail "$page: $target has no heading for #${link#*#}"
    done <"$work/links"
done
[ "$links" -gt 150 ] || fail "$links links are seen: the test itself is broken"
finish
