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

# Efficiency in predictions, of the first run above. a: the origin is 400 in MPI and computes 100, the target 50 and 450;
# run 500, total 1000, productive 550 + the target's 50. b: 350 and 100, 0 and 450; total 900, productive 550.
for engine in loggp simgrid; do
    run 0 compare "$worked" --platform ideal --engine $engine --semantics a,b --efficiency --json rows.json
    holds rows.json '[.results[].efficiency.intervals[0] | .total_s, .productive_s, .lost_s | . * 1e6 | round] ==
                     [1000, 600, 400, 900, 550, 350]'
    holds rows.json '[.results[].efficiency.holds] == [true, true]'
    holds rows.json '[.results[].critical_path.total_s * 1e6 | round] == [500, 450]'
    # the same from simulate, and from analyze of the trace that it keeps
    run 0 simulate "$worked" --platform ideal --engine $engine --semantics b --per-rank -o kept.txt --json kept.json
    shows '^Interval run '
    run 0 analyze kept.txt --per-rank --ideal kept.json --json analyzed.json # the run is its own ideal one
    jq -S '[.efficiency, .causes, .critical_path]' kept.json >one
    jq -S '[.efficiency, .causes, .critical_path]' analyzed.json >two
    cmp -s one two || fail "efficiency, causes or critical path differ between simulate and analyze"
    holds kept.json '[.efficiency.intervals[0].characteristics.mpi_s.ranks[] * 1e6 | round] == [350, 0]'
done
run 0 compare "$worked" --platform ideal --engine loggp --semantics b --efficiency=callpaths --json rows.json
holds rows.json '.results[0].efficiency.intervals_of == "callpaths"'
run 0 compare "$worked" --platform ideal --engine loggp --semantics b --json rows.json
holds rows.json '.results[0] | [.efficiency, .causes, .critical_path] == [null, null, null]'
error 2 "--per-rank needs --json FILE" compare "$worked" --platform ideal --per-rank

# POP's metrics of a prediction: the replay on the ideal network comes along. On the platform of the worked example the run takes
# 570 under a, 520 else, and ideally 500 and 450 (above). Computing: 100 at the origin, 450 at the target, mean 275.
# a: Load balance 275/450, Serialization 450/500, Transfer 500/570, Parallel efficiency 275/570.
# b, c, d: 275/450, 450/450, 450/520, 275/520.
for engine in loggp simgrid; do
    run 0 compare "$worked" --platform "$platform" --engine $engine --efficiency --json pop.json
    shows '^Row +Parallel efficiency +Load balance +Serialization +Transfer$'
    shows '^a +0\.4825 +0\.6111 +0\.9000 +0\.8772$'
    shows '^c +0\.5288 +0\.6111 +1\.0000 +0\.8654$'
    holds pop.json '[.results[].efficiency | .ideal_run_time_s * 1e6 | round] == [500, 450, 450, 450]'
    holds pop.json '[.results[].efficiency.intervals[0].pop | .serialization, .transfer | . * 1e6 | round] ==
                    [900000, 877193, 1000000, 865385, 1000000, 865385, 1000000, 865385]'
    run 0 simulate "$worked" --platform "$platform" --engine $engine --efficiency --json pop.json
    shows '^      Serialization +0\.9'
    shows '^      Transfer +0\.877'
    holds pop.json '.efficiency.intervals[0].pop | near(.serialization; 0.9) and near(.transfer; 500 / 570) and
                    near(.load_balance; 275 / 450) and near(.parallel_efficiency; 275 / 570)'
done
# twice as fast nodes: computing and what they wait for, but not the network, take half the time: ideally 250 in place of 500
run 0 simulate "$worked" --platform "$platform" --engine loggp --efficiency --set nodes.speed=2 --json pop.json
holds pop.json 'near(.efficiency.ideal_run_time_s; 250e-6)'

# Both ends at once, no computing: every interval is empty, nothing bounds the rate, and JSON has no infinite number
run 0 simulate "$source/tests/predict/at_once.txt" --platform ideal --engine loggp --json once.json
holds once.json '.run_time_s == 0 and .platform == "ideal"'
holds once.json '.transfers.lower_bound_Bps == {count: 0, unbounded: 1, min: null, median: null, mean: null, max: null}'
holds once.json '.transfers.upper_bound_Bps == .transfers.lower_bound_Bps and .transfers.within_bounds == 1'
run 0 compare "$source/tests/predict/at_once.txt" --platform ideal --engine loggp
shows '^a +0 +unbounded +unbounded$'

finish
