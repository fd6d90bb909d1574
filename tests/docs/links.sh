#!/bin/sh
# Usage: links.sh SOURCE: each link of README and docs leads to a file of the tree and, behind a #, to a heading of that page.
# The anchor of a heading is its text in small letters, with - for a space, without other signs.
. "$(dirname "$0")/../expect.sh"
cd "$1" || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1
set -- README.md docs/*.md docs/*/*.md
# Code in fences and in the text has no links.
awk -v work="$work" '
    # The path of a link from the root of the tree.
    function resolve(page, path) {
        if (path == "")
            return page
        if (sub(/[^\/]*$/, "", page))
            path = page path
        while (match(path, /[^\/]+\/\.\.\//))
            path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
        return path
    }
    FNR == 1 { fenced = 0 }
    /^```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / {
        text = $0
        sub(/^#* /, "", text)
        while (match(text, /\[[^]]*\]\([^)]*\)/)) {
            link = substr(text, RSTART, RLENGTH)
            text = substr(text, 1, RSTART - 1) substr(link, 2, index(link, "]") - 2) substr(text, RSTART + RLENGTH)
        }
        text = tolower(text)
        gsub(/[^a-z0-9_ -]/, "", text)
        gsub(/ /, "-", text)
        print FILENAME "#" text >(work "/anchors")
    }
    {
        text = $0
        gsub(/`[^`]*`/, "", text)
        while (match(text, /\]\([^()]*\)/)) {
            link = substr(text, RSTART + 2, RLENGTH - 3)
            text = substr(text, RSTART + RLENGTH)
            sub(/ .*/, "", link)
            at = index(link "#", "#")
            if (link !~ /^https?:/)
                print FILENAME, resolve(FILENAME, substr(link, 1, at - 1)) substr(link, at) >(work "/links")
        }
    }' "$@"
links=0
while read -r page link; do
    links=$((links + 1))
    [ -e "${link%%#*}" ] || fail "$page: no $link"
done <"$work/links"
awk 'NR == FNR { known[$0]; next } $2 ~ /#/ && !($2 in known) { print $1 ": no heading for " $2 }' \
    "$work/anchors" "$work/links" >"$work/lost"
[ ! -s "$work/lost" ] || fail "$(cat "$work/lost")"
[ "$links" -gt 150 ] || fail "$links links are seen: the test itself is broken"
finish
