# rmacast report: one page, self-contained, with hostile names as text. What it draws: report_browser.sh.
. "$(dirname "$0")/lib.sh"

# By hand: in the barrier rank 0 waits from 100 to 190 us and rank 1 from 180 to 190, which is 100 us of 600 or 16.7 %. Rank 1
# waits from 40 us on, and rank 2, for the complete at 70: 60 us. Start waits from 30 to 35.
cat >run.txt <<'END'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=4096,4096,4096 disp_unit=1
0 0.000000 0.000020 MPI_Win_create win=0
0 0.000020 enter <script>alert(1)<!--
0 0.000030 0.000040 MPI_Win_start win=0 group=1,2
0 0.000050 0.000060 MPI_Put win=0 target=1 bytes=1024 disp=0
0 0.000060 0.000070 MPI_Get win=0 target=2 bytes=1048576 disp=0
0 0.000070 0.000090 MPI_Win_complete win=0
0 0.000100 leave <script>alert(1)<!--
0 0.000100 0.000200 MPI_Barrier comm=0
1 0.000000 0.000020 MPI_Win_create win=0
1 0.000035 0.000036 MPI_Win_post win=0 group=0
1 0.000040 0.000100 MPI_Win_wait win=0
1 0.000180 0.000200 MPI_Barrier comm=0
2 0.000000 0.000020 MPI_Win_create win=0
2 0.000030 0.000031 MPI_Win_post win=0 group=0
2 0.000040 0.000100 MPI_Win_wait win=0
2 0.000190 0.000200 MPI_Barrier comm=0
END
run 0 compare run.txt --platform ideal --engine loggp --json comparison.json
run 0 report run.txt comparison.json --title '<b>"a" & b</b>' -o page.html
[ "$(grep -c '<script' page.html)" = 2 ] || fail "$(grep -c '<script' page.html) script elements, expected 2: a name was read as markup"
grep -q '<b>\|<!--' page.html && fail 'a name stands in the page as markup'
grep -qE '(src|href)=|https?://[^w]|@import|url\(' page.html && fail 'the page loads something'

# The page is report/web as it stands there: the style sheet, the body, and the scripts in their order.
web=$source/report/web
sed -n '/^<style>$/,/^<\/style>$/p' page.html | sed '1d;$d' | cmp -s - "$web/style.css" || fail 'the style is not report/web/style.css'
sed -n '/^"use strict";$/,/^<\/script>$/p' page.html | sed '1,2d' | head -n -2 >scripts.js
sed -n 's/^  ${web}\/\(.*\.js\))\{0,1\}$/\1/p' "$source/report/CMakeLists.txt" >order
[ "$(sort order)" = "$(cd "$web" && ls -- *.js | sort)" ] || fail "not all scripts are in the page: $(sort order | tr '\n' ' ')"
(cd "$web" && xargs cat) <order | cmp -s - scripts.js || fail 'the scripts are not those of report/web'

# The data are the result and the time lines: the wait of rank 0 in the barrier, 90 us of it for rank 2.
sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' page.html >data.json
holds data.json '.title == "<b>\"a\" & b</b>" and (.inputs | length) == 2'
holds data.json '.inputs[0].data.schema == "rmacast.result/1" and .inputs[1].data.schema == "rmacast.comparison/1"'
holds data.json '.inputs[0].timeline | .ranks == 3 and .end_ps == 200000000 and (.calls[1] | length) == 4'
holds data.json '.inputs[0].timeline | . as $t | [.waits[] | select($t.patterns[.[4]] == "Wait at Barrier")] ==
    [[0, 0, 100000000, 190000000, .waits[0][4], 2, 90000000, 100000000], [1, 0, 180000000, 190000000, .waits[0][4], 2, 10000000, 180000000]]'

# Epochs: the access epoch of rank 0 with two partners and operations, the exposure epochs of both.
holds data.json '.inputs[0].timeline.epochs == [[0, 30000000, 90000000, 0, 0, -1, 2, 2],
    [1, 35000000, 100000000, 4, 0, -1, 1, 0], [2, 30000000, 100000000, 4, 0, -1, 1, 0]]'
# Arrows, by the five models (docs/export.md): the data of the put leave at its call (50 us) and are there when it returns (base)
# or when the wait does; the data of the get leave at its call (60 us) or, of the logical model, 1 ns before complete returns;
# they are there when the get returns (base), or complete does. Views: base 1, extended 2, closed 4, logical 8, dependencies
# 16.
holds data.json '.inputs[0].timeline | .arrow_kinds as $k | (.views | map(.[0])) ==
    ["base", "extended", "closed", "logical", "dependencies"] and ([.arrows[][] | [$k[.[0]]] + .[1:]]) == [
    ["data", 0, 50000000, 1, 60000000, 1024, 1], ["data", 2, 60000000, 0, 70000000, 1048576, 1],
    ["data", 0, 50000000, 1, 100000000, 1024, 22], ["data", 2, 60000000, 0, 90000000, 1048576, 22],
    ["data", 0, 50000000, 1, 100000000, 1024, 8], ["data", 2, 89999000, 0, 90000000, 1048576, 8],
    ["get: request", 0, 60000000, 2, 60000000, 0, 20],
    ["post to start", 1, 35000000, 0, 40000000, 0, 16], ["complete to wait", 0, 70000000, 1, 100000000, 0, 16],
    ["post to start", 2, 30000000, 0, 40000000, 0, 16], ["complete to wait", 0, 70000000, 2, 100000000, 0, 16]]'

# A lock is granted when its call returns, that of rank 2 after the release by rank 0 at 30 us.
cat >lock.txt <<'END'
rmacast-trace 1
ranks 3
window 0 comm=0 bytes=4096,4096,4096 disp_unit=1 name=queue
0 0.000000 0.000005 MPI_Win_create win=0
0 0.000010 0.000012 MPI_Win_lock win=0 target=1 lock=exclusive
0 0.000013 0.000014 MPI_Put win=0 target=1 bytes=8 disp=0
0 0.000020 0.000030 MPI_Win_unlock win=0 target=1
1 0.000000 0.000005 MPI_Win_create win=0
2 0.000000 0.000005 MPI_Win_create win=0
2 0.000015 0.000031 MPI_Win_lock win=0 target=1 lock=exclusive
2 0.000035 0.000040 MPI_Win_unlock win=0 target=1
END
run 0 report lock.txt -o lock.html
sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' lock.html >data.json
holds data.json '.inputs[0].timeline | .grants == [[0, 12000000, 0, 1, 1], [2, 31000000, 0, 1, 1]] and
    (.epochs | map(.[0:6])) == [[0, 10000000, 30000000, 1, 0, 1], [2, 15000000, 40000000, 1, 0, 1]] and
    .arrow_kinds as $k | [.arrows[][] | select($k[.[0]] == "release to grant") | .[1:]] == [[0, 30000000, 2, 31000000, 0, 30]]'

# Messages in every view, by receiver: from the call that sends to the exit of the receive, or of the call that completes it.
cat >messages.txt <<'END'
rmacast-trace 1
ranks 2
0 0.000010 0.000012 MPI_Isend comm=0 peer=1 tag=7 bytes=64 req=1
0 0.000012 0.000020 MPI_Wait req=1
0 0.000030 0.000031 MPI_Irecv comm=0 peer=1 tag=8 bytes=32 req=2
0 0.000040 0.000055 MPI_Waitall reqs=2
1 0.000000 0.000015 MPI_Recv comm=0 peer=0 tag=7 bytes=64
1 0.000045 0.000050 MPI_Send comm=0 peer=0 tag=8 bytes=32
END
run 0 report messages.txt -o messages.html
sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' messages.html >data.json
holds data.json '.inputs[0].timeline | .arrow_kinds as $k | [.arrows[][] | [$k[.[0]]] + .[1:]] == [
    ["message", 1, 45000000, 0, 55000000, 32, 63], ["message", 0, 10000000, 1, 15000000, 64, 63]]'

# More calls than are shown one by one: levels of detail. 200 us are 12500 pieces of 16 ns. Rank 1 is in MPI_Win_wait ("I": active
# target) from 40 to 100 us and waits in it until 70, then computes ("A") to 180. Of the coarsest piece from 69.888 to 70.144
# us it waits for 0.4375: 9 of 21.
run 0 report run.txt --calls 3 -o levels.html
sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' levels.html >data.json
holds data.json '.inputs[0].timeline | .calls == null and (.levels | map(.piece_ps)) == [16000, 64000, 256000] and
    (.levels[0].rows | map(length / 3) == [12500, 12500, 12500]) and (.levels[0].rows[1] |
    .[3 * 3750:3 * 3751] == "IVV" and .[3 * 5000:3 * 5001] == "IVA" and .[3 * 8750:3 * 8751] == "AVA") and
    .levels[2].rows[1][3 * 273:3 * 274] == "IVJ"'

# The same in slices, of an archive.
run 0 export run.txt --to otf2 -o run.rma
run 0 report run.rma --calls 3 -o whole.html
run 0 report run.rma --slices -o slices.html
for page in whole slices; do sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' $page.html >$page.json; done
jq -e -n --slurpfile a whole.json --slurpfile b slices.json '$a[0].inputs[0] as $a | $b[0].inputs[0] as $b |
    $a.timeline.levels == $b.timeline.levels and $a.timeline.waits == $b.timeline.waits and
    $a.data.patterns == $b.data.patterns' >found || fail "a page in slices differs: $(cat found)"

# A window of time: the barrier alone.
run 0 report run.txt --from 101us -o window.html
sed -n 's/^.*id="data">\(.*\)<\/script>$/\1/p' window.html >data.json
holds data.json '[.inputs[0].timeline.calls[] | length] == [1, 1, 1]'

error 2 'TRACE|RESULT... is missing' report
error 2 '--to is not behind --from' report run.txt --from 2us --to 1us
error 2 'run.txt' report run.txt -o run.txt
error 1 'ends before --from' report run.txt --from 1s -o window.html
echo '{"schema": "rmacast.platform/1"}' >other.json
error 1 'other.json:nodes: missing' report other.json -o other.html
echo '{"schema": "rmacast.info/1"}' >other.json
error 1 "other.json:schema: 'rmacast.info/1', expected a result" report other.json -o other.html
echo '{"schema": "rmacast.advice/1", "run_time_s": 1, "error": 0.06, "changes": [{"row": "c"}]}' >other.json
error 1 'other.json:changes[0].advised: missing' report other.json -o other.html
# A prediction of another number of ranks is not of this run.
run 0 simulate "$worked" --platform "$platform" --engine loggp --json predicted.json
error 1 'predicted.json: predicts 2 ranks, the recorded run has 3' report run.txt predicted.json -o other.html
[ ! -e other.html ] || fail 'a page was written in spite of the error'
finish
