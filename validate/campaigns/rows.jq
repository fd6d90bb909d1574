# Rows of campaigns as CSV. A row has a line whose `what` is part, and a line for each wait state above 2 % of the part's time on
# all ranks; locks' waits and progress's count together, so a row has both of them or neither. Times are rounded to 1 ns.
def columns: ["campaign", "program", "bytes", "ranks", "semantics", "what", "predicted_s", "measured_s", "least_s", "most_s",
    "command", "delay_us", "rate_mbit", "recorded_delay_us", "recorded_rate_mbit", "repetitions", "draws", "undrawn_s",
    "draws_median_s", "draws_least_s", "draws_most_s", "draws_hold_runs", "transfers", "transfers_within", "mpi_s",
    "ideal_s", "other_calls", "change", "gain_s", "gain_error_s", "advised"];

def time: if . then . * 1e9 | round / 1e9 else null end;
def is_lock_or_progress: .name == "lock_contention" or .name == "wait_for_progress";
def shown($limit_s): . as $all | ([$all[] | select(is_lock_or_progress)] |
        ([map(.measured_s), map(.predicted_s) | add // 0] | max) > $limit_s) as $both |
    [$all[] | select(if is_lock_or_progress then $both else ([.measured_s, .predicted_s] | max) > $limit_s end)];
# A result's rows as arrays of cells.
def to_cells($name): .campaign as $campaign | .rows[] | . as $row | .draws as $draws |
    ([$campaign.programs[] | select(.name == $row.program) | .command[:2][] | select(. != "{bytes}")] | join(" ")) as $command |
    [$name, .program, .bytes, .ranks, .semantics] as $key |
    $key + ["part"] + [.part | .predicted_s, .measured_s, .measured_min_s, .measured_max_s | time] +
        [$command, $campaign.cluster.delay_us, $campaign.cluster.rate_mbit, $campaign.recorded_on.delay_us,
         $campaign.recorded_on.rate_mbit, .repetitions, $campaign.draws, (.undrawn.predicted_s | time),
         ($draws.median_s, $draws.min_s, $draws.max_s | time), $draws.runs_within, .transfers.count, .transfers.within_bounds,
         (.inside_mpi_s, .ideal_s | time),
         (if .error_class == "decided" then "decided" elif .other_control_flow then "yes" else null end)] +
        (.advice | if . then [.change, (.gain_s, .error_s | time), (if .advised then "yes" else null end)] else [] end),
    (.patterns | shown(0.02 * $row.part.measured_s * $row.ranks)[] |
        $key + [.name] + [.predicted_s, .measured_s, .measured_min_s, .measured_max_s | time]);
def line_of_cells: map(if . == null then "" else tostring end) | join(",") | sub(",+$"; "");

# Lines of CSV as results of campaigns: {file, campaign, rows}, in the order of the lines.
def cell: if . == "" then null else tonumber? // . end;
def row_of_cells: . as $c | {program, bytes, ranks, semantics, repetitions, patterns: [], command,
    part: {predicted_s, measured_s, measured_min_s: .least_s, measured_max_s: .most_s,
           relative: (.predicted_s / .measured_s - 1), spread: ((.most_s - .least_s) / .measured_s)},
    undrawn: (if .undrawn_s then {predicted_s: .undrawn_s, relative: (.undrawn_s / .measured_s - 1)} else null end),
    draws: (if .draws_median_s then {median_s: .draws_median_s, min_s: .draws_least_s, max_s: .draws_most_s,
            relative: (.draws_median_s / .measured_s - 1), runs_within: .draws_hold_runs,
            within: (.measured_s >= .draws_least_s and .measured_s <= .draws_most_s)} else null end),
    transfers: (if .transfers then {count: .transfers, within_bounds: .transfers_within} else null end), mpi_s, ideal_s,
    other_calls,
    advice: (if .change then {change, gain_s, error_s: .gain_error_s, advised} else null end)};
def campaign_of_cells: {repetitions, draws, cluster: {delay_us, rate_mbit},
    recorded_on: (if .recorded_delay_us then {delay_us: .recorded_delay_us, rate_mbit: .recorded_rate_mbit} else null end)};
def results_of_lines: columns as $names | reduce (.[] | split(",") | select(.[0] != $names[0])) as $cells ([];
    ([[$names, ($cells | map(cell))] | transpose[] | select(.[0]) | {(.[0]): .[1]}] | add) as $c |
    if $c.what != "part" then .[-1].rows[-1].patterns += [{name: $c.what, predicted_s: $c.predicted_s,
        measured_s: $c.measured_s, measured_min_s: $c.least_s, measured_max_s: $c.most_s}]
    else (if length > 0 and .[-1].file == $c.campaign then .
          else . + [{file: $c.campaign, campaign: ($c | campaign_of_cells), rows: []}] end) |
          .[-1].rows += [$c | row_of_cells] end);
# Rows with advice beside those of the same programs, changed as it says (their names end with _followed).
def followed: .rows as $rows | $rows[] | select(.advice.advised) | . as $one | . + {followed: ([$rows[] |
        select(.program == $one.program + "_followed" and .bytes == $one.bytes and .ranks == $one.ranks)][0])} |
    select(.followed) | . + {gain_s: (.part.measured_s - .followed.part.measured_s)} |
    . + {held: ((.gain_s - .advice.gain_s | if . < 0 then -. else . end) <= .advice.error_s)};
# Rows that differ in semantics alone: how many pairs the runs tell apart, and how many are predicted in their order.
def order: [.rows | group_by([.program, .bytes, .ranks])[] | select(length > 1) | .[0] as $one |
    [[.[].part] | . as $parts | range(length) as $i | range(length) as $j | [$parts[$i], $parts[$j]] |
        select(.[0].measured_max_s < .[1].measured_min_s)] |
    {program: $one.program, bytes: $one.bytes, ranks: $one.ranks, pairs_apart: length,
        pairs_right: (map(select(.[0].predicted_s < .[1].predicted_s)) | length)}];
