#!/bin/sh
# check_timelines.sh DRAW_TIMELINE SOURCE [--update]: every pattern has a case, a picture that is up to date, and a place in
# docs/patterns.md. --update draws them again.
set -u
draw=$1 source=$2 update=${3:-}
failed=0
temporary=$(mktemp) || exit 1
trap 'rm -f "$temporary"' EXIT
patterns=$("$draw" --list) || exit 1
for pattern in $patterns; do
    picture=$source/docs/timelines/$pattern.svg
    if ! "$draw" "$source/tests/timelines/cases/$pattern.txt" > "$temporary"; then
        failed=1
        continue
    fi
    [ "$update" = --update ] && cp "$temporary" "$picture"
    if ! cmp -s "$temporary" "$picture"; then
        echo "docs/timelines/$pattern.svg is not up to date: $0 $draw $source --update"
        failed=1
    fi
    if ! grep -q "timelines/$pattern.svg" "$source/docs/patterns.md"; then
        echo "docs/patterns.md does not show timelines/$pattern.svg"
        failed=1
    fi
done
exit $failed
