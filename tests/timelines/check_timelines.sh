#!/bin/sh
# check_timelines.sh DRAW_TIMELINE SOURCE [--update]: every pattern has a case, a drawing that is up to date, and its text in
# docs/patterns.md, in the block behind "**Picture.** ([drawn](timelines/NAME.svg))". --update makes both again.
set -u
draw=$1 source=$2 update=${3:-}
page=$source/docs/patterns.md
failed=0
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
patterns=$("$draw" --list) || exit 1
for pattern in $patterns; do
    picture=$source/docs/timelines/$pattern.svg
    trace=$source/tests/timelines/cases/$pattern.txt
    if ! "$draw" "$trace" >"$temporary/svg" || ! "$draw" --text "$trace" >"$temporary/text"; then
        failed=1
        continue
    fi
    marker="**Picture.** ([drawn](timelines/$pattern.svg))"
    if [ "$update" = --update ]; then
        cp "$temporary/svg" "$picture"
        awk -v marker="$marker" -v text="$temporary/text" '
            marked && $0 == "```" && !inside { print; inside = 1; while ((getline line <text) > 0) print line; next }
            inside && $0 == "```" { inside = marked = 0 }
            $0 == marker { marked = 1 }
            !inside' "$page" >"$temporary/page" && cp "$temporary/page" "$page"
    fi
    if ! cmp -s "$temporary/svg" "$picture"; then
        echo "docs/timelines/$pattern.svg is not up to date: $0 $draw $source --update"
        failed=1
    fi
    awk -v marker="$marker" '
        inside && $0 == "```" { exit }
        inside
        marked && $0 == "```" { inside = 1 }
        $0 == marker { marked = 1 }' "$page" >"$temporary/block"
    if ! cmp -s "$temporary/text" "$temporary/block"; then
        echo "docs/patterns.md: the picture of $pattern is not up to date: $0 $draw $source --update"
        failed=1
    fi
done
exit $failed
