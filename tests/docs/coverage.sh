#!/bin/sh
# Usage: coverage.sh SOURCE: the errors that predictions state cover 90 % of the campaigns' rows, run times and differences, and
# docs/trust.md says how many. The shares are those of model/result/uncertainty.c. The time inside MPI is that of the rows
# (validate/campaigns/rows.csv): the recording's part is left out, so that the bands here are narrower than those that users see.
# Not so where advice was followed: those bands are what advise said. Programs of the hold-out are counted, whatever the share is.
. "$(dirname "$0")/../expect.sh"
source=$1
share() { # CLASS FIELD: 1 of a run, 2 of a difference
    sed -n "s/^ *\[CLASS_[A-Z]*\] = {\"$1\", \([0-9.]*\), \([0-9.]*\)},/\\$2/p" "$source/model/result/uncertainty.c"
}
shares=
for class in undrawn steady racing decided steered; do
    [ -n "$(share $class 1)" ] || fail "model/result/uncertainty.c has no row of $class"
    shares="$shares\"$class\":[$(share $class 1),$(share $class 2)],"
    line=$(grep -F "| \`$class\` |" "$source/docs/trust.md")
    for field in 1 2; do
        percent=$(awk "BEGIN { print 100 * $(share $class $field) }")
        echo "$line" | cut -d'|' -f$((field + 3)) | grep -q "^ $percent %" ||
            fail "docs/trust.md does not say $percent % of $class: $line"
    done
done

counts=$(jq -Rnr --argjson shares "{${shares%,}}" -L "$source/validate/campaigns" 'include "rows";
    def class: if .other_calls == "decided" then "decided" elif .other_calls then "steered" elif .draws == null then "undrawn"
        elif (.draws.max_s - .draws.min_s) > 0.02 * .draws.median_s then "racing" else "steady" end;
    def half: if .draws then (.draws.max_s - .draws.min_s) / 2 else 0 end;
    def abs: if . < 0 then -. else . end;
    def order: ["undrawn", "steady", "racing", "decided", "steered"] as $all | . as $class | $all | index($class);
    def rows_of: [.rows[] | select(.mpi_s) | . + {class: class, mpi: .mpi_s, half: half}];
    ([inputs] | results_of_lines) as $results | [$results[] | select(.file | . != "followed_300us" and (startswith("strangers_") | not)) | rows_of] as $campaigns
    | def held: ((.part.predicted_s - .part.measured_s) | abs) <= $shares[.class][0] * .mpi + .half;
    [$campaigns[][] | held] as $runs
    | [$results[] | select(.file == "strangers_300us_recordings") | rows_of[] | select(.command | startswith("holdout_")) | held] as $new
    | def in_pairs: . as $group | range(length) as $i | range($i + 1; length) as $j | [$group[$i], $group[$j]]
        | ([.[].class] | max_by(order)) as $class
        | ((.[0].part.predicted_s - .[1].part.predicted_s) - (.[0].part.measured_s - .[1].part.measured_s) | abs)
            <= $shares[$class][1] * ([.[].mpi] | max) + ([.[].half] | max);
    [$campaigns[] | group_by([.program, .bytes, .ranks])[] | in_pairs] as $pairs
    | [$results[] | select(.file == "columns_300us") | rows_of | group_by([.bytes, .ranks])[] | in_pairs] as $changed
    | [$campaigns[][] | select(.class == "decided") | ((.part.predicted_s - .part.measured_s) | abs) <= $shares.decided[0] * .mpi] as $decided
    | [$results[] | followed | .held] as $followed
    | [$runs, $decided, $pairs, $changed, $followed, $new][] | "\(length) \(map(select(.)) | length)"' "$source/validate/campaigns/rows.csv") || fail "jq failed"
[ "$(echo "$counts" | wc -l)" = 6 ] || fail "not six kinds of rows: $counts"
echo "$counts" | head -n 5 | while read -r all inside; do
    [ "$all" -ge 20 ] || fail "only $all rows"
    [ $((10 * inside)) -ge $((9 * all)) ] || fail "only $inside of $all are inside their bands, expected 90 %"
done || exit 1
stated=$(sed -n '/^<!-- coverage/,/^<!-- end/p' "$source/docs/trust.md" | sed -n 's/^|[^|]*| \([0-9]*\) | \([0-9]*\) % |/\1 \2/p')
found=$(echo "$counts" | awk '{ printf "%d %d\n", $1, int(100 * $2 / $1 + 0.5) }')
[ "$stated" = "$found" ] || fail "docs/trust.md says $stated, the rows are $found"
