# --rewrite and --scale as a user gives them; the times are those of tests/unit/predictors/test_transform_move.c.
. "$(dirname "$0")/lib.sh"

# post-early: the target posts at 0; start returns at 10, put at 60, complete 110-160, notification at 170; wait at 450
run 0 simulate "$worked" --platform "$platform" --engine loggp --rewrite post-early --json result.json
holds result.json 'near(.run_time_s; 450e-6) and near(.rank_time_s[0]; 160e-6)'
holds result.json '.rewrites == [{spec: "post-early", considered: 1, changed: 1, refused: 0, refusals: [],
                                  summary: "1 of 1 MPI_Win_post calls moved up, over 400 us of computing in all"}]'
shows '^Rewritten  post-early: 1 of 1 MPI_Win_post calls moved up, over 400 us of computing in all$'
shows '^Run time +450 us$'
run 0 simulate "$worked" --platform "$platform" --engine loggp --json result.json
holds result.json 'has("rewrites") | not'

# rows of compare, both engines: a 570; c 520; complete-early under a: complete 460-560, then 50 of computing: 610
for engine in loggp simgrid; do
    run 0 compare "$worked" --platform "$platform" --engine $engine --json rows.json \
        --rows a,c,a+post-early,a+complete-early,a+scale:/=0+post-early
    holds rows.json '[.results[].row] == ["a", "c", "a+post-early", "a+complete-early", "a+scale:/=0+post-early"]'
    holds rows.json '[.results[].semantics] == ["a", "c", "a", "a", "a"]'
    # without computing: start returns at 10, the data leave until 110, the notification is there at 120
    holds rows.json '[.results[].run_time_s * 1e6 | round] == [570, 520, 450, 610, 120]'
    holds rows.json '[.results[] | .rewrites // [] | length] == [0, 0, 1, 1, 2]'
    shows '^a\+scale:/=0\+post-early +120 us'
    shows '^Fastest: a\+scale:/=0\+post-early with 120 us\. Against a: c 50 us less'
    shows '^a\+complete-early  complete-early: 1 of 1 MPI_Win_complete calls moved up, over 50 us of computing in all$'
done
# --rewrite goes before the row's own and to all rows
run 0 compare "$worked" --platform "$platform" --engine loggp --rewrite post-early --scale /=0 --semantics d,a --json -
holds out '[.results[].rewrites | map(.spec)] == [["post-early", "scale:/=0"], ["post-early", "scale:/=0"]]'

# fence=pscw and the laws of simulation on what it made; fence=notify is the platform's
run 0 generate halo2d --ranks 4 --iterations 3 --bytes 100000 --imbalance 0.3 --sync fence -o fence.txt
four="--platform $source/platforms/four-nodes.json --engine loggp"
for letter in a b c d; do
    run 0 simulate fence.txt $four --semantics $letter --verify --rewrite fence=pscw --rewrite wait-late --json -
    holds out '[.verify[] | select(.state == "broken")] == []'
done
run 0 simulate fence.txt $four --rewrite fence=notify --json one.json
run 0 simulate fence.txt $four --fence notify --json two.json
jq -S 'del(.engine_stats, .rewrites)' one.json >one
jq -S 'del(.engine_stats, .rewrites)' two.json >two
cmp -s one two || fail "--rewrite fence=notify and --fence notify differ"

# worked out: tests/cases/fence/fence_notify says when its fences return with notify, rank 0 last, at 150. With barriers rank
# 0 knows at 150 that its put is complete, and only then sends to rank 1 and (rank 2's message is there) to rank 2: both leave
# at 160, rank 1 then sends to rank 0: 170.
for engine in loggp simgrid; do
    run 0 compare "$source/tests/cases/fence/fence_notify/trace.txt" --platform "$platform" --engine $engine --rows a,a+fence=notify --json rows.json
    holds rows.json '[.results[].rank_time_s | map(. * 1e6 | round)] == [[170, 160, 160], [150, 140, 140]]'
    holds rows.json '[.results[1].rewrites[0] | .spec, .considered, .changed, .refused] == ["fence=notify", 6, 3, 0]'
    shows '^a\+fence=notify  fence=notify: 3 of 6 fences wait only for the ranks that have operations on them$'
done

# the names come from the table of transforms, in the order of docs/transforms.md
run 0 simulate --rewrite list
[ "$(sed 's/[[::].*//; s/ .*//' out)" = "$(sed -n 's/^| `\([^`[:]*\).*/\1/p' "$source/docs/transforms.md" | head -9)" ] ||
    fail "docs/transforms.md and --rewrite list differ: $(cat out)"

error 2 "unknown rewrite 'posts', expected one of post-early, " \
    simulate "$worked" --platform "$platform" --rewrite posts
error 2 "expected CALLPATH=FACTOR" simulate "$worked" --platform "$platform" --scale main
error 2 "unknown rewrite 'e'" compare "$worked" --platform "$platform" --rows a,a+e
error 2 "expected one of a, b, c, d" compare "$worked" --platform "$platform" --rows post-early
error 1 "no user region has the call path 'main'" simulate "$worked" --platform "$platform" --scale main=2
error 1 "fence=pscw changes nothing: no fence closes" simulate \
    "$source/tests/predict/fence_open.txt" --platform "$platform" --rewrite fence=pscw

finish
