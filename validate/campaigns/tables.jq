# The tables of campaigns' rows (table.sh): numbers, names of rows, groups of rows.
include "rows"; include "statistics";
# A ratio as percent with one decimal; signed: with the ratio's sign, also where it rounds to 0.
def percent: (fabs * 1000 | round) as $n | "\($n / 10 | floor).\($n % 10)";
def signed: "\(if . < 0 then "-" else "+" end)\(percent)";
def ms: . * 1000 | round;
def size: if . % 1048576 == 0 then "\(. / 1048576) MB" elif . % 1024 == 0 then "\(. / 1024) KB" else "\(.) B" end;
def listed: map(tostring) | if length == 1 then .[0] else "\(.[:-1] | join(", ")) and \(.[-1])" end;
def distinct: reduce .[] as $x ([]; if index([$x]) then . else . + [$x] end); # in the order of the first of each
def line: "| \(join(" | ")) |";
def table($titles; lines): ($titles | line), "|\($titles | map("---|") | join(""))", (lines | line);

# The prediction without draws; the part's own, where the result has no other one.
def undrawn: .undrawn // .part;
# A row's error, and its runs' spread; its program with the semantics that the campaign gave it.
def error: "\(.part.relative | signed) (\(.part.spread | percent))";
def exchange: if .semantics == "library" then .program else "\(.program), \(.semantics)" end;
# The campaign's cluster.
def setting: "\(.delay_us | if . % 1000 == 0 then "\(. / 1000) ms" else "\(.) us" end), \(.rate_mbit) Mbit/s";
# A campaign in words.
def described:
    ([.rows[].program | rtrimstr("_count")] | unique | length) as $programs | ([.rows[].bytes] | unique | map(size)) as $sizes |
    "`\(.file).json`: \($programs) programs, " +
    (if ($sizes | length) > 2 then "\($sizes[0]) to \($sizes[-1])" else $sizes | listed end) +
    ", \([.rows[].ranks] | unique | listed) ranks, \(.campaign.cluster | setting)" +
    (.campaign.recorded_on | if . then ", recorded at \(setting)" else "" end) +
    (if any(.rows[]; .undrawn) then ", median of \(.campaign.draws) draws" else "" end);
# Each row with its campaign and its family: the program of six_exchanges.c, else the file of its program, else the directory of
# files of a program each.
def family: (.command // "" | split(" ")[0] // "") as $file |
    if $file | startswith("six_exchanges") then .program
    elif $file | test("^(independent|holdout)_") then "`\($file | split("_")[0])/*.c`"
    else "`\($file).c`" end;
def rows: [.[] | . as $result | .rows[] | . + {file: $result.file, family: family}];

# The communication part of a row: the run less the replay of its recording on an ideal cluster. Its share of the measured run,
# and its error: that of the run, of that part.
def share: if .ideal_s then (.part.measured_s - .ideal_s) / .part.measured_s | if . < 0 then 0 else . end else null end;
def part_error: if .ideal_s == null then null elif share == 0 then infinite
    else (.part.predicted_s - .part.measured_s) / (.part.measured_s - .ideal_s) | fabs end;
# Errors of rows: of the runs the median, and how many are within 3 and 8 %; of the communication parts whose shares are above
# the limit the median, and how many are within 15 %.
def within($share): map(select((.part.relative | fabs) <= $share)) | length;
def run_titles: ["run: median", "within 3 %", "within 8 %"];
def run_columns: [.[].part.relative | fabs] as $sizes | "\($sizes | median | percent) %", within(0.03), within(0.08);
def part_titles: ["its median", "within 15 %"];
def part_columns($least): [.[] | select(share and share >= $least) | part_error] as $errors |
    if $errors == [] then "-", "-" else ($errors | median | if . > 1e6 then "-" else "\(percent) %" end),
    ($errors | map(select(. <= 0.15)) | length) end;
def titles: run_titles + ["communication"] + part_titles + ["rows above 30 %"] + part_titles;
def columns_of: run_columns, "\(map(share | values) | median // 0 | 100 * . | round) %", part_columns(0),
    (map(select(share and share > 0.3)) | length), part_columns(0.3);
def transfers_within: [.[].transfers | select(.)] | if length == 0 then "-" else
    (map(.within_bounds) | add) / (map(.count) | add) * 1e4 | round | "\(. / 100 | floor).\(. % 100 + 100 | tostring[1:]) %" end;

# Wait states above 2 % of the part's time on all ranks: name, row, predicted_s, measured_s, error (infinite where none was
# measured), held: within 10 % or within the runs' range. Waits for locks and for progress count together where a row has both.
def of($names): select(.name as $name | $names | index($name));
def lock_and_progress: ["lock_contention", "wait_for_progress"] as $both | [.[] | of($both)] as $told |
    if ([$told[] | select(([.measured_s, .predicted_s] | max) > 0)] | length) < 2 then . else
    [.[] | select(.name as $name | $both | index($name) | not)] + [$told[0] + {name: ($both | join(" and "))} +
    ([("predicted_s", "measured_s", "measured_min_s", "measured_max_s") as $key | {($key): ([$told[][$key]] | add)}] | add)] end;
def waits: [rows[] | . as $row | .patterns | lock_and_progress[]
    | select(([.measured_s, .predicted_s] | max) > 0.02 * $row.part.measured_s * $row.ranks)
    | {name, row: "\($row | exchange), \($row.bytes) B, \($row.ranks) ranks", predicted_s, measured_s,
       error: (if .measured_s > 0 then (.predicted_s / .measured_s - 1 | fabs) else infinite end)} +
      {held: (.predicted_s >= .measured_min_s and .predicted_s <= .measured_max_s)} | .held = (.held or .error <= 0.1)];
def wait_percent: if . > 1e6 then "never measured" else percent end;
def lower_median: sort | .[(length - 1) / 2 | floor];
def largest_but($share): sort | .[(1 - $share) * (length - 1) | ceil];
