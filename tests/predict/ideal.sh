# --platform ideal: no latency, no limit of bandwidth, as POP's transfer efficiency asks for. What remains is computing
# and waiting for others.
. "$(dirname "$0")/lib.sh"

# The worked example: the target posts at 400. a: start 0-400, put 450, complete 500; the target's wait 450-500.
# b: put 50-400, complete 450; wait 450. c: complete 100-400; wait 450-450. d: the copy takes no time: complete ends at
# 100, the data leave at 400, wait 450-450.
for engine in loggp simgrid; do
    run 0 compare "$worked" --platform ideal --engine $engine --json ideal.json
    holds ideal.json '[.results[].run_time_s * 1e6 | round] == [500, 450, 450, 450]'
    holds ideal.json '[.results[].rank_time_s[0] * 1e6 | round] == [500, 450, 400, 100]'
    for row in "late_post 400 0 300 0" "early_transfer 0 350 0 0" "early_wait 50 0 0 0"; do
        set -- $row
        holds ideal.json "[.results[].patterns[] | select(.name == \"$1\") | .severity_s * 1e6 | round] ==
                          [$2, $3, $4, $5]"
    done
    # 1 MB from enter(put) to exit(wait): 450-500, 50-450, 50-450, 50-450; puts that return at once bound nothing from
    # above, b's takes 350
    holds ideal.json 'near(.results[0].transfers.lower_bound_Bps.median / 1e6 * 50e-6; 1)'
    holds ideal.json '[.results[1, 2, 3].transfers.lower_bound_Bps.median / 1e6 * 400e-6 | . * 1e6 | round] ==
                      [1000000, 1000000, 1000000]'
    holds ideal.json '[.results[].transfers.upper_bound_Bps | [.count, .unbounded]] == [[0, 1], [1, 0], [0, 1], [0, 1]]'
    holds ideal.json 'near(.results[1].transfers.upper_bound_Bps.median / 1e6 * 350e-6; 1)'
    shows '^a +500 us +400 us +0 +50 us .* 20 GB/s +unbounded$'
    shows '^c +450 us .* 2\.5 GB/s +unbounded$'
    run 0 simulate "$worked" --platform ideal --engine $engine --verify
    shows '^Run time +500 us$'
done

# Both ends at once, no computing: every interval is empty, nothing bounds the rate, and JSON has no infinite number
run 0 simulate "$source/tests/predict/at_once.txt" --platform ideal --engine loggp --json once.json
holds once.json '.run_time_s == 0 and .platform == "ideal"'
holds once.json '.transfers.lower_bound_Bps == {count: 0, unbounded: 1, min: null, median: null, mean: null, max: null}'
holds once.json '.transfers.upper_bound_Bps == .transfers.lower_bound_Bps and .transfers.within_bounds == 1'
run 0 compare "$source/tests/predict/at_once.txt" --platform ideal --engine loggp
shows '^a +0 +unbounded +unbounded$'

finish
