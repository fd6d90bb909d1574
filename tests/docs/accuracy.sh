#!/bin/sh
# Usage: accuracy.sh SOURCE: the tables of docs/accuracy.md are those of validate/campaigns/rows.csv, and the summaries there and
# in README have their figures. What table.sh counts is counted on two rows by hand.
. "$(dirname "$0")/../expect.sh"
source=$1
campaigns=$source/validate/campaigns
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1

"$campaigns/tables.sh" --check "$source/docs/accuracy.md" >"$work/out" 2>&1 ||
    fail "docs/accuracy.md is not of the rows (validate/campaigns/tables.sh writes it): $(cat "$work/out")"
[ "$(grep -c '^<!-- table: ' "$source/docs/accuracy.md")" -ge 8 ] || fail "docs/accuracy.md has too few tables"

! grep / "$campaigns/rows.csv" >"$work/out" ||
    fail "a row names a directory of the machine that made it: $(head -n 1 "$work/out")"

# | all | rows | | run: median | within 3 % | within 8 % | communication | its median | within 15 % | rows above 30 % | ... |
all=$(grep '^| all | .* % | .* % | ' "$source/docs/accuracy.md" | head -n 1)
figure() { echo "$all" | cut -d'|' -f"$1" | tr -d ' %'; }
says() { # PAGE WORDS
    tr '\n' ' ' <"$source/$1" | tr -s ' ' | grep -qF "$2" || fail "$1 does not say '$2': $all"
}
says README.md "within 8 % in $(figure 7) of $(figure 3) rows; the median was $(figure 5) %"
# What the rows themselves say: exchanges, the largest spread of a row's runs, the largest error (a negative one is too short).
of_rows() { # FILTER of the list of campaigns
    for name in $(sed -n 's/^<!-- table: --summary \(.*\) -->/\1/p' "$source/docs/accuracy.md" | head -n 1); do
        grep "^$name," "$campaigns/rows.csv"
    done | jq -Rnr -L "$campaigns" "include \"rows\"; [inputs] | results_of_lines | $1"
}
exchanges=$(of_rows '[.[].rows[].command] | unique | length')
spread=$(of_rows '[.[].rows[].part.spread] | max * 100 | round')
worst=$(of_rows '[.[].rows[].part.relative] | max_by(fabs) * 100 | round |
    if . < 0 then "\(-.) % too short" else "\(.) % too long" end')
says README.md "MPICH ran $exchanges exchanges"
says docs/accuracy.md "differ from each other by up to $spread %, and the worst prediction is $worst"
# Every row has its replay on the ideal cluster.
[ "$(of_rows '[.[].rows[] | select(.ideal_s == null)] | length')" = 0 ] || fail "rows without ideal_s"
# The pages' own summaries: of the same row, of the tables of order and of wait states, and of the hold-out.
says docs/accuracy.md "is $(figure 5) %, with $(figure 6) of $(figure 3) rows within 3 % and $(figure 7) within 8 %"
says docs/accuracy.md "has a median of $(figure 9) %, and $(figure 10) rows are within 15 %"
says docs/accuracy.md "In the $(figure 11) rows in which it is more than 30 % of the run its median is $(figure 12) %, and $(figure 13) are within 15 %"
of_all() { sed -n "/^<!-- table: $1 /,/^<!-- end/p" "$source/docs/accuracy.md" | sed -n 's/^| all | \([0-9]*\) | \([0-9]*\) |.*/\2 of \1/p'; }
says docs/accuracy.md "$(of_all --order) pairs that the runs tell apart"
says docs/accuracy.md "$(of_all --wait-errors) are within 10 %"
# | prediction | programs | rows | run: median | within 3 % | within 8 % | communication | its median | within 15 % | ...
all=$(grep '^| `strangers_300us_recordings` | new | ' "$source/docs/accuracy.md")
for page in docs/accuracy.md README.md; do
    says "$page" "a median of $(figure 5) % of the run, and $(figure 7) of $(figure 4) rows within 8 %"
done
says docs/trust.md "median error $(figure 5) % of the run time, $(figure 7) of $(figure 4) rows within 8 %"

# Two rows of two runs: predicted 0.95 s for 1 s (-5 %, runs 0.9 to 1.1 s: spread 20 %), and 2.02 s for 2 s (+1 %, runs 2 s).
# 0.5 s and 1.8 s on an ideal cluster: the communication is 0.5 s of 1 s (0.05 s off: 10 %) and 0.2 s of 2 s (0.02 s off: 10 %).
cat >"$work/two.json" <<'JSON'
{ "campaign": { "repetitions": 2, "cluster": { "delay_us": 1000, "rate_mbit": 100 },
    "programs": [ { "name": "ring", "command": [ "six_exchanges" ] }, { "name": "sum", "command": [ "ten_exchanges" ] } ] },
  "rows": [
    { "program": "ring", "semantics": "a", "bytes": 8, "ranks": 2, "repetitions": 2, "draws": null, "ideal_s": 0.5,
      "part": { "predicted_s": 0.95, "measured_s": 1, "measured_min_s": 0.9, "measured_max_s": 1.1, "relative": -0.05, "spread": 0.2 },
      "transfers": { "count": 3, "within_bounds": 3 },
      "patterns": [ { "name": "late_post", "predicted_s": 0.4, "measured_s": 0.5, "measured_min_s": 0.45, "measured_max_s": 0.5 } ] },
    { "program": "sum", "semantics": "library", "bytes": 65536, "ranks": 4, "repetitions": 2, "ideal_s": 1.8,
      "draws": { "median_s": 2.1, "min_s": 1.9, "max_s": 2.2, "relative": 0.05, "within": true, "runs_within": 2 },
      "part": { "predicted_s": 2.02, "measured_s": 2, "measured_min_s": 2, "measured_max_s": 2, "relative": 0.01, "spread": 0 },
      "transfers": { "count": 1, "within_bounds": 0 },
      "patterns": [ { "name": "late_post", "predicted_s": 1.05, "measured_s": 1, "measured_min_s": 1, "measured_max_s": 1 },
                    { "name": "early_wait", "predicted_s": 0.1, "measured_s": 0, "measured_min_s": 0, "measured_max_s": 0 } ] } ] }
JSON
of=two
prints() { # LINE OPTION...: table.sh prints the line of the result
    line=$1
    shift
    "$campaigns/table.sh" "$@" "$work/$of.json" >"$work/out" || fail "table.sh $*"
    grep -qxF -- "$line" "$work/out" || fail "table.sh $* does not print '$line': $(cat "$work/out")"
}
prints '| exchange | 8 B, 2 | 64 KB, 4 |'
prints '| ring, a | -5.0 (20.0) |  |'
prints '| sum |  | +1.0 (0.0) |'
prints '| `two.json`: 2 programs, 8 B and 64 KB, 2 and 4 ranks, 1 ms, 100 Mbit/s | 2 | 2 | 3.0 % | 1 | 2 | 30 % | 10.0 % | 2 | 1 | 10.0 % | 1 |' --summary
prints '| `two` | others | 2 | 3.0 % | 1 | 2 | 30 % | 10.0 % | 2 | 1 | 10.0 % | 1 | 1 of 2 | - |' --steps
prints '| ring | 5.0 (5.0), 1 of 1 |  |' --families
prints '| `ten_exchanges.c` |  | 1.0 (1.0), 1 of 1 |' --families
prints '| ring, a, 8 B, 2 ranks, `two.json` | 950 ms | 1000 ms, 900 to 1100 | -5.0 (20.0) |' --above 4
# Three semantics, whose runs take 0.9 to 1.1, 1.9 to 2.1, 2.9 to 3.1 s: three pairs. Predicted are 1, 3, 2 s: one pair is not in
# order.
jq '.rows = [.rows[0] as $row | [["a", 1, 1], ["b", 2, 3], ["c", 3, 2]][] | .[1] as $m | .[2] as $p | $row + {semantics: .[0], part:
    {predicted_s: $p, measured_s: $m, measured_min_s: ($m - 0.1), measured_max_s: ($m + 0.1)}}]' "$work/two.json" >"$work/three.json"
of=three
prints '| all | 3 | 2 |' --order
of=two
prints '| sum, 65536 B, 4 ranks | 2020 | 2100 (1900 to 2200) | 2000 (2000 to 2000) | +1.0, +5.0 | yes, 2 of 2 runs |' --draws
# The draws of one row differ by 0.3 s of 2.1 s, 14.3 %; the other row has none.
prints '| sum, 65536 B, 4 ranks | 2020 | 2100 (1900 to 2200) | 2000 (2000 to 2000) | +1.0, +5.0 | yes, 2 of 2 runs |' --races 14
prints '1 of 1 medians are in the range of the draws; median of the errors: without draws 1.0 %, draws 5.0 %.' --races 14
prints '0 of 0 medians are in the range of the draws.' --races 15
prints 'The other row: median of the errors: without draws 1.0 %, draws 5.0 %.' --races 15
# The same row with its prediction of 2.02 s as that of a draw: 1.8 s are predicted without draws, for 2 s.
jq '.campaign.draws = 40 | .rows[1].undrawn = {predicted_s: 1.8, relative: -0.1}' "$work/two.json" >"$work/drawn.json" && of=drawn
prints '| sum, 65536 B, 4 ranks | 1800 | 2100 (1900 to 2200) | 2000 (2000 to 2000) | -10.0, +5.0 | yes, 2 of 2 runs |' --draws
prints '1 of 1 medians are in the range of the draws; median of the errors: without draws 10.0 %, draws 5.0 %.' --races 14
prints '| sum |  | +1.0 (0.0) |'
prints '| `drawn.json`: 2 programs, 8 B and 64 KB, 2 and 4 ranks, 1 ms, 100 Mbit/s, median of 40 draws | 2 | 2 | 3.0 % | 1 | 2 | 30 % | 10.0 % | 2 | 1 | 10.0 % | 1 |' --summary
of=two
# Of the rows' time on all ranks (2 s and 8 s) 2 % are 40 and 160 ms: early_wait of 100 ms is below. 0.4 s for 0.5 s is 20 % off,
# outside the runs' 0.45 to 0.5 s; 1.05 s for 1 s is within 10 %. The lower one of two is the median.
prints '| late_post | ring, a, 8 B, 2 ranks | 400 | 500 | 20.0 |' --waits
prints '| late_post | 2 | 1 | 5.0 | 20.0 |' --wait-errors
prints '| all | 2 | 1 | 5.0 | 20.0 |' --wait-errors

# 0.9 s on an ideal cluster leave 0.1 s, and 0.05 s are half of it; 2 s leave nothing, and any error is too large.
jq '.rows[0].ideal_s = 0.9 | .rows[1].ideal_s = 2 | .rows[1].part.relative = 0' "$work/two.json" >"$work/short.json" &&
    of=short
prints '| all | 2 |  | 3.0 % | 1 | 2 | 5 % | - | 0 | 0 | - | - |' --summary
# A program of tests/programs/independent: the family is the directory; one of tests/programs/holdout is new.
jq '.campaign.programs[1].command = ["independent_sum"]' "$work/two.json" >"$work/directory.json" && of=directory
prints '| `independent/*.c` |  | 1.0 (1.0), 1 of 1 |' --families
jq '.campaign.programs[1].command = ["holdout_sum"]' "$work/two.json" >"$work/directory.json"
prints '| `directory` | new | 1 | 1.0 % | 1 | 1 | 10 % | 10.0 % | 1 | 0 | - | - | 1 of 1 | - |' --steps
prints '| `directory` | others | 1 | 5.0 % | 0 | 1 | 50 % | 10.0 % | 1 | 1 | 10.0 % | 1 | 0 of 1 | - |' --steps
of=two

# The rows as CSV: 0.4 s for 0.5 s are above 2 % of 2 s; early_wait is not there.
"$campaigns/rows.sh" "$work/two.json" | cut -d, -f1-15 >"$work/two.csv"
for line in 'two,ring,8,2,a,part,0.95,1,0.9,1.1,six_exchanges,1000,100' 'two,ring,8,2,a,late_post,0.4,0.5,0.45,0.5' \
    'two,sum,65536,4,library,late_post,1.05,1,1,1'; do
    grep -q "^$line" "$work/two.csv" || fail "rows.sh does not print '$line': $(cat "$work/two.csv")"
done
[ "$(wc -l <"$work/two.csv")" = 5 ] || fail "rows.sh: expected a header and 4 lines: $(cat "$work/two.csv")"

# A page is written between its marks only, and what is missing stays.
"$campaigns/rows.sh" "$work/two.json" >"$work/rows.csv"
printf '%s\n' before '<!-- table: --summary two -->' old '<!-- end -->' '<!-- table: none -->' kept '<!-- end -->' after >"$work/page.md"
"$campaigns/tables.sh" --check "$work/page.md" "$work/rows.csv" >/dev/null 2>&1 && fail "--check accepts a page with an old table"
"$campaigns/tables.sh" "$work/page.md" "$work/rows.csv" 2>"$work/err" || fail "tables.sh: $(cat "$work/err")"
grep -q 'no none:' "$work/err" || fail "tables.sh does not name the campaign that is missing: $(cat "$work/err")"
[ "$(grep -c . "$work/page.md")" = 11 ] && grep -qx kept "$work/page.md" && ! grep -qx old "$work/page.md" ||
    fail "the page: $(cat "$work/page.md")"
"$campaigns/tables.sh" --check "$work/page.md" "$work/rows.csv" 2>"$work/err" || fail "the written page differs: $(cat "$work/err")"
finish
