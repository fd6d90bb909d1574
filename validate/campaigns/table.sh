#!/bin/sh
# table.sh RESULT.json: a campaign's rows as a Markdown table: error of the part against the median of the real runs, and the
# runs' own spread, in percent.
# table.sh --waits RESULT.json...: error of each wait state, summed over the ranks, that is measured or predicted above 2 % of the
# part's time on all ranks; and how many are within 10 % of the measured median or within the runs' range. Where ranks wait for
# locks and for progress, the sum counts: time stamps do not tell them apart (docs/results.md, Tolerance).
# table.sh --draws RESULT.json...: the rows that have draws: prediction, draws and runs, in ms; whether the runs' median is in the
# range of the draws, and how many runs are.
# table.sh --svg RESULT.json: predicted against measured time of the part, with lines of equality and of 10 % to either side.
set -eu
usage() { sed -n 2,9p "$0"; exit 2; }
if [ "${1:-}" = --waits ]; then
    shift
    [ $# -gt 0 ] || usage
    jq -rs '
        def percent: if . > 1e6 then "never measured" else "\(. * 1000 | round / 10)" end;
        def of($names): select(.name as $name | $names | index($name));
        def waits: ["lock_contention", "wait_for_progress"] as $both | [.[] | of($both)] as $told |
            if ([$told[] | select(([.measured_s, .predicted_s] | max) > 0)] | length) < 2 then . else
            [.[] | select(.name as $name | $both | index($name) | not)] + [$told[0] + {name: ($both | join(" and "))} +
            ([("predicted_s", "measured_s", "measured_min_s", "measured_max_s") as $key | {($key): ([$told[][$key]] | add)}] | add)] end;
        [.[].rows[] | . as $row | .patterns | waits[]
         | select(([.measured_s, .predicted_s] | max) > 0.02 * $row.part.measured_s * $row.ranks)
         | {row: "\($row.program), \($row.semantics), \($row.bytes) B, \($row.ranks) ranks", name, predicted_s, measured_s,
            error: (if .measured_s > 0 then (.predicted_s / .measured_s - 1 | fabs) else infinite end),
            within: (.predicted_s >= .measured_min_s and .predicted_s <= .measured_max_s)}] | sort_by(.error) | . as $waits |
        "| wait state | exchange | predicted, ms | measured, ms | error, % |", "|---|---|---|---|---|",
        (.[] | "| \(.name) | \(.row) | \(.predicted_s * 1e4 | round / 10) | " +
               "\(.measured_s * 1e4 | round / 10) | \(.error | percent) |"),
        if length == 0 then "no wait states above 2 %" else
        "median \(.[(length - 1) / 2 | floor].error | percent), " +
        "95th percentile \(.[0.95 * (length - 1) | ceil].error | percent); " +
        "\(map(select(.error <= 0.1 or .within)) | length) of \(length) within 10 % or within the spread" end' "$@"
    exit 0
fi
if [ "${1:-}" = --draws ]; then
    shift
    [ $# -gt 0 ] || usage
    jq -rs '
        def ms: . * 1000 | round;
        def signed: . * 1000 | round / 10 + 0 | if . >= 0 then "+\(.)" else "\(.)" end;
        [.[].rows[] | select(.draws)] as $rows |
        "| row | predicted | draws: median, range | runs: median, range | error: prediction, draws | in the range |", "|---|---|---|---|---|---|",
        ($rows[] | .part as $p | .draws as $d | "| \(.program), \(.semantics), \(.bytes) B, \(.ranks) ranks | \($p.predicted_s | ms) | " +
         "\($d.median_s | ms) (\($d.min_s | ms) to \($d.max_s | ms)) | \($p.measured_s | ms) (\($p.measured_min_s | ms) to \($p.measured_max_s | ms)) | " +
         "\($p.relative | signed), \($d.relative | signed) | \(if $d.within then "yes" else "no" end), \($d.runs_within) of \(.repetitions) runs |"),
        "\([$rows[] | select(.draws.within)] | length) of \($rows | length) medians are in the range of the draws"' "$@"
    exit 0
fi
if [ "${1:-}" != --svg ]; then
    [ $# = 1 ] || usage
    jq -r '
        def percent: . * 1000 | round / 10;
        def signed: percent + 0 | if . >= 0 then "+\(.)" else "\(.)" end;
        (.rows | map("\(.bytes) B, \(.ranks) ranks") | unique_by(split(" ") | [.[2], .[0]] | map(tonumber))) as $columns |
        "| exchange | \($columns | join(" | ")) |",
        "|---|\($columns | map("---|") | join(""))",
        (.rows | group_by([.program, .semantics])[] | . as $rows |
         "| \($rows[0].program), \($rows[0].semantics) | \([$columns[] as $c |
            ([$rows[] | select("\(.bytes) B, \(.ranks) ranks" == $c)][0]) as $row |
            if $row then "\($row.part.relative | signed) (\($row.part.spread | percent))" else "" end] | join(" | ")) |")' "$1"
    exit 0
fi
[ $# = 2 ] || usage
jq -r '
    [.rows[].part | .predicted_s, .measured_s] as $all |
    (($all | min | log10) - 0.05) as $low | (($all | max | log10) + 0.05) as $high |
    def x: 60 + (log10 - $low) / ($high - $low) * 400;
    def y: 440 - (log10 - $low) / ($high - $low) * 400;
    def line($factor; $style): "<line x1=\"\(pow(10; $low) | x)\" y1=\"\(pow(10; $low) * $factor | y)\" x2=\"\(pow(10; $high) | x)\" y2=\"\(pow(10; $high) * $factor | y)\" clip-path=\"url(#frame)\" \($style)/>";
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 480\" font-family=\"sans-serif\" font-size=\"12\">",
    "<title>\(.campaign.name): predicted against measured</title>",
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
    "</svg>"' "$2"
