#!/bin/sh
# Prints a Markdown table of campaigns (docs/accuracy.md; tables.sh writes them there): table.sh [OPTION] RESULT.json|ROWS.csv...
# ROWS.csv has what rows.sh prints of results.
# An error is that of a row's part against the median of its real runs, a spread (largest - least) / median of the runs; percent.
#   (none)          exchanges: errors and spreads by size and ranks
#   --summary       campaigns: errors of their runs and of the communication parts (the run less the replay of the recording on an
#                   ideal cluster), and those of all of them
#   --steps         the same of predictions of the same runs (steps.sh), by programs of tests/programs/holdout and others
#   --families      exchanges of six_exchanges.c, other files and directories of programs: median error, largest, rows within 8 %,
#                   by ranks
#   --above PERCENT the rows with larger errors
#   --order         rows that differ in semantics alone: how many pairs are predicted in the order of the runs
#   --draws         the rows that have draws: prediction without them, draws and runs, in ms; whether the runs' median is in the
#                   range of the draws, and how many runs are
#   --races PERCENT the same, for the rows whose draws differ by PERCENT of their median or more
#   --waits         each wait state, summed over the ranks, that is measured or predicted above 2 % of the part's time on all
#                   ranks, and its error. Where ranks wait for locks and for progress, the sum counts: time stamps do not tell
#                   them apart (docs/results.md, Tolerance).
#   --wait-errors   how many of them are within 10 % of the measured median or within the runs' range
#   --followed      programs that were changed as rmacast advise said: the gain that it promised, and the one measured
#   --svg           no table, but a picture of one campaign: predicted against measured time of the part, with lines of equality
#                   and of 10 % to either side
set -eu
here=$(cd "$(dirname "$0")" && pwd)
usage() { sed -n '2,/^set/{/^set/!p}' "$0"; exit 2; }
kind=--errors share=0
case ${1:-} in
--above | --races)
    [ $# -gt 2 ] || usage
    kind=$1 share=$2
    shift 2
    ;;
--*)
    kind=$1
    shift
    ;;
esac
[ $# -gt 0 ] || usage
case $kind in
--errors) filter='
    ([.[].rows[].ranks] | unique | length > 1) as $ranks | (length > 1) as $files |
    def column: (if $files then "\(.file), " else "" end) + (.bytes | size) + (if $ranks then ", \(.ranks)" else "" end);
    rows as $rows | ([$rows[].file] | distinct) as $order |
    ([$rows | sort_by(.file as $f | [($order | index([$f])), .ranks, .bytes])[] | column] | distinct) as $columns |
    table(["exchange"] + $columns; [$rows[] | exchange] | distinct[] | . as $name |
          [.] + [$columns[] as $column | [$rows[] | select(exchange == $name and column == $column) | error][0] // ""])' ;;
--summary) filter='
    table(["campaign", "rows", "runs a row"] + titles;
          (.[] | .rows as $rows | [described, ($rows | length), .campaign.repetitions // 3, ($rows | columns_of)]),
          (rows | ["all", length, "", columns_of]))' ;;
--steps) filter='
    def group($name; condition): .rows |= map(select(condition)) | select(.rows != []) | . as $one | ([$one] | waits) as $waits |
        ([$one | order[] | [.pairs_apart, .pairs_right]] | transpose | map(add)) as $order |
        ["`\($one.file)`", $name, ($one.rows | length, columns_of), "\($waits | map(select(.held)) | length) of \($waits | length)",
         (if $order == [] then "-" else "\($order[1]) of \($order[0])" end)];
    table(["prediction", "programs", "rows"] + titles + ["wait states", "order of a to d"];
          .[] | group("new"; .command | startswith("holdout_")), group("others"; .command | startswith("holdout_") | not))' ;;
--families) filter='
    rows as $rows | ([$rows[].ranks] | unique) as $ranks |
    table(["program"] + ($ranks | map("\(.) ranks")); [$rows[].family] | distinct[] | . as $family | [.] + [$ranks[] as $n |
          [$rows[] | select(.family == $family and .ranks == $n)] | if length == 0 then "" else
          "\(map(.part.relative | fabs) | median | percent) (\(map(.part.relative | fabs) | max | percent)), \(within(0.08)) of \(length)" end])' ;;
--above) filter='
    table(["row", "predicted", "runs: median, range", "error (spread)"]; rows[] | select((.part.relative | fabs) > $share / 100) |
          ["\(exchange), \(.bytes | size), \(.ranks) ranks, `\(.file).json`", "\(.part.predicted_s | ms) ms",
           "\(.part.measured_s | ms) ms, \(.part.measured_min_s | ms) to \(.part.measured_max_s | ms)", error])' ;;
--order) filter='
    def pairs: [([.[].pairs_apart] | add // 0), ([.[].pairs_right] | add // 0)];
    table(["campaign", "pairs that the runs tell apart", "predicted in their order"];
          (.[] | select(order | length > 0) | ["`\(.file).json`"] + (order | pairs)), (["all"] + (map(order[]) | pairs)))' ;;
--followed) filter='
    def tenths: . * 1e4 | round / 10;
    [.[] | followed] as $all | table(["program", "change", "promised, ms", "before, ms", "after, ms", "gain, ms", "in the band"];
        $all[] | ["\(.program), \(.bytes | size), \(.ranks) ranks", "`\(.advice.change | ltrimstr("platform+"))`",
                  "\(.advice.gain_s | tenths) +- \(.advice.error_s | tenths)", (.part, .followed.part | .measured_s | ms), (.gain_s | tenths),
                  (if .held then "yes" else "no" end)]),
    "", "\([$all[] | select(.held)] | length) of \($all | length) measured gains are in their bands; \([$all[] | .program] | unique | length) programs." ' ;;
--draws | --races) filter='
    def medians: "median of the errors: without draws \(map(undrawn.relative | fabs) | median | percent) %, " +
        "draws \(map(.draws.relative | fabs) | median | percent) %.";
    [rows[] | select(.draws)] as $all |
    [$all[] | select(.draws | .max_s - .min_s >= $share / 100 * .median_s)] as $rows | ($all - $rows) as $others |
    table(["row", "without draws", "draws: median, range", "runs: median, range", "error: without draws, with", "in the range"];
          $rows[] | .part as $p | .draws as $d | undrawn as $u |
          ["\(exchange), \(.bytes) B, \(.ranks) ranks", ($u.predicted_s | ms), "\($d.median_s | ms) (\($d.min_s | ms) to \($d.max_s | ms))",
           "\($p.measured_s | ms) (\($p.measured_min_s | ms) to \($p.measured_max_s | ms))", "\($u.relative | signed), \($d.relative | signed)",
           "\(if $d.within then "yes" else "no" end), \($d.runs_within) of \(.repetitions) runs"]),
    "", "\([$rows[] | select(.draws.within)] | length) of \($rows | length) medians are in the range of the draws" +
        (if $rows == [] then "." else "; \($rows | medians)" end),
    (if $others == [] then empty else "The other \($others | if length == 1 then "row" else "\(length) rows" end): \($others | medians)" end)' ;;
--waits) filter='
    waits | if length == 0 then "no wait states above 2 %" else
    table(["wait state", "exchange", "predicted, ms", "measured, ms", "error, %"];
          sort_by(.error)[] | [.name, .row, (.predicted_s * 1e4 | round / 10), (.measured_s * 1e4 | round / 10), (.error | wait_percent)]),
    "", "\(map(select(.held)) | length) of \(length) wait states are within 10 % of the measured one or within the runs'\'' range" end' ;;
--wait-errors) filter='
    def columns: [length, (map(select(.held)) | length), (map(.error) | (lower_median, largest_but(0.05)) | wait_percent)];
    table(["wait state", "rows", "within 10 % or the range of the runs", "median of the errors, %", "95th percentile, %"];
          waits | (group_by(.name) | sort_by(-length)[] | [.[0].name] + columns), (select(length > 0) | ["all"] + columns))' ;;
--svg)
    [ $# = 1 ] || usage
    filter='.[0] |
    [.rows[].part | .predicted_s, .measured_s] as $all |
    (($all | min | log10) - 0.05) as $low | (($all | max | log10) + 0.05) as $high |
    def x: 60 + (log10 - $low) / ($high - $low) * 400 | . * 10 | round / 10;
    def y: 440 - (log10 - $low) / ($high - $low) * 400 | . * 10 | round / 10;
    def line($factor; $style): "<line x1=\"\(pow(10; $low) | x)\" y1=\"\(pow(10; $low) * $factor | y)\" x2=\"\(pow(10; $high) | x)\" y2=\"\(pow(10; $high) * $factor | y)\" clip-path=\"url(#frame)\" \($style)/>";
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 480\" font-family=\"sans-serif\" font-size=\"12\">",
    "<title>\(.file): predicted against measured</title>",
    "<rect width=\"480\" height=\"480\" fill=\"white\"/><rect x=\"60\" y=\"40\" width=\"400\" height=\"400\" fill=\"none\" stroke=\"#888\"/>",
    "<clipPath id=\"frame\"><rect x=\"60\" y=\"40\" width=\"400\" height=\"400\"/></clipPath>",
    line(1; "stroke=\"#444\""), line(1.1; "stroke=\"#aaa\" stroke-dasharray=\"4\""), line(1 / 1.1; "stroke=\"#aaa\" stroke-dasharray=\"4\""),
    ([range(-4; 4) | pow(10; .) | (., 2 * ., 5 * .)][] | select(log10 > $low and log10 < $high) |
     "<text x=\"\(x)\" y=\"456\" text-anchor=\"middle\">\(. * 1000 | round) ms</text><text x=\"56\" y=\"\(y + 4)\" text-anchor=\"end\">\(. * 1000 | round)</text>"),
    "<text x=\"260\" y=\"474\" text-anchor=\"middle\">measured, median of the runs; bars: their range</text>",
    "<text x=\"60\" y=\"30\">predicted, ms (dashed: 10 % off)</text>",
    (.rows[] | .part as $p |
     "<line x1=\"\($p.measured_min_s | x)\" x2=\"\($p.measured_max_s | x)\" y1=\"\($p.predicted_s | y)\" y2=\"\($p.predicted_s | y)\" stroke=\"#36c\"/>" +
     "<circle cx=\"\($p.measured_s | x)\" cy=\"\($p.predicted_s | y)\" r=\"3\" fill=\"#36c\"><title>\(.program), \(.bytes) B, \(.ranks) ranks, \(.semantics)</title></circle>"),
    "</svg>"' ;;
*) usage ;;
esac
work=$(mktemp) && trap 'rm -f "$work"' EXIT
for file; do
    case $file in *.csv) cat "$file" ;; *) "$here/rows.sh" "$file" ;; esac >>"$work"
done
jq -Rnr -L "$here" --argjson share "$share" 'include "statistics"; include "rows"; include "tables";
    [inputs] | results_of_lines | '"$filter" "$work"
