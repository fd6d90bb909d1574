# The table a-d of docs/simulation.md through `rmacast compare`, with both engines.
. "$(dirname "$0")/lib.sh"

for engine in loggp simgrid; do
    run 0 compare "$worked" --platform "$platform" --engine $engine --json comparison.json
    holds comparison.json '.schema == "rmacast.comparison/1"'
    holds comparison.json '[.results[].semantics] == ["a", "b", "c", "d"]'
    holds comparison.json "[.results[].engine] | unique == [\"$engine\"]"
    # wait ends last, at 570 under a and 520 else
    holds comparison.json '[.results[].run_time_s * 1e6 | round] == [570, 520, 520, 520]'
    for row in "late_post 400 0 300 0" "early_transfer 0 350 0 0" "early_wait 60 10 0 0"; do
        set -- $row
        holds comparison.json "[.results[].patterns[] | select(.name == \"$1\") | .severity_s * 1e6 | round] ==
                               [$2, $3, $4, $5]"
    done
    # 1 MB; the put is entered at 460 under a, at 50 else; the target's wait ends at 570, 520
    holds comparison.json 'near(.results[0].transfers.lower_bound_Bps.median / (1e6 / 110e-6); 1)'
    holds comparison.json 'near(.results[1].transfers.lower_bound_Bps.median / (1e6 / 470e-6); 1)'
    # b returns at 410, 360 after the call
    holds comparison.json 'near(.results[1].transfers.upper_bound_Bps.median / (1e6 / 360e-6); 1)'
    holds comparison.json '[.results[].transfers.within_bounds] == [1, 1, 1, 1]'
    shows '^ +Late +Early +Early +Late +lower +upper$'
    shows '^semantics +run time +Post +Transfer +Wait +Complete +bound +bound$'
    shows '^a +570 us +400 us +0 +60 us +50 us +9\.091 GB/s +unbounded$'
    shows '^b +520 us +0 +350 us +10 us +10 us +2\.128 GB/s +2\.778 GB/s$'
    shows '^c +520 us +300 us +0 +0'
    shows '^d +520 us +0 +0 +0'
    shows '^Fastest: b, c, d with 520 us\. Against a: b 50 us less \(-8\.77%\), c 50 us less'
done

run 0 compare "$worked" --platform "$platform" --semantics d,a --json -
holds out '[.results[].semantics] == ["d", "a"]'
holds out '[.results[].run_time_s * 1e6 | round] == [520, 570]'
run 0 compare "$worked" --platform "$platform" --semantics d,a
shows 'Fastest: d with 520 us\. Against d: a 50 us more \(\+9\.62%\)\.'
run 0 compare "$worked" --platform "$platform" --set network.latency_s=20us --json -
holds out '[.results[].run_time_s * 1e6 | round] == [590, 540, 540, 540]'

# CPU time: 10 us before the put, not 50. a: start 0-410, put 420, complete 470-520, the notification is there at 530;
# c: the data leave from 410 on all the same
sed 's/\(MPI_Put .*\)/\1 cpu=0.00001/' "$worked" >cpu.txt
run 0 compare cpu.txt --platform "$platform" --compute cpu --semantics a,c --json -
holds out '[.results[].run_time_s * 1e6 | round] == [530, 520]'
run 0 compare cpu.txt --platform "$platform" --compute wall --semantics a,c --json -
holds out '[.results[].run_time_s * 1e6 | round] == [570, 520]'
# Threads: thread 1 has the mutex from 10 to 60, thread 2 then computes 30 + 3: 93. With 20 us of CPU time thread 1 has it
# until 30: 63. The CPU time of thread 2 behind its lock is unknown, so wall time.
sed '/pthread_mutex_unlock.*thread=1/s/$/ cpu=0.00002/' "$source/tests/cases/threads/threads_mutex/trace.txt" >threads.txt
for compute in wall:93 cpu:63; do
    run 0 simulate threads.txt --platform "$platform" --set nodes.cores=2 --compute ${compute%:*} --verify --json result.json
    holds result.json ".run_time_s * 1e6 | round == ${compute#*:}"
    holds result.json '[.verify[] | select(.state == "broken")] == []'
done
error 2 "expected one of wall, cpu" compare "$worked" --platform "$platform" --compute all

# The platform's own semantics beside the letters. The table lets puts below 2 MB wait in complete and larger ones in the
# call: of the worked example's 1 MB put that is c, 520 with 300 of Late Post; rewrites and the file's other values hold.
sed 's/"semantics": *"a"/"semantics": {"put": [{"upto_bytes": 2097152, "waits": "complete"}, {"waits": "call"}]}/' \
    "$platform" >mixed.json
grep -q upto_bytes mixed.json || fail "the platform has no table"
run 0 compare "$worked" --platform mixed.json --rows a,platform,c --json own.json
holds own.json '[.results[].run_time_s * 1e6 | round] == [570, 520, 520]'
holds own.json '[.results[].patterns[] | select(.name == "late_post") | .severity_s * 1e6 | round] == [400, 300, 300]'
shows '^platform +520 us +300 us'
run 0 compare "$worked" --platform mixed.json --rows platform+post-early,c+post-early --json own.json
holds own.json '.results[0].run_time_s == .results[1].run_time_s'
# One window changed from that table: case window_semantics, 1 MB puts, so the table is c. On the second window b: its put is
# entered at 220, the post comes at 520, complete is entered at 550. Late Post is left on the first window, 100 - 0.
windows=$source/tests/cases/windows/window_semantics/trace.txt
run 0 compare "$windows" --platform mixed.json --rows platform,platform@halo=b,c@1=b --json own.json
holds own.json '[.results[].row] == ["platform", "platform@halo=b", "c@1=b"]'
holds own.json '[.results[].semantics] == ["table", "table@halo=b", "c@1=b"]'
holds own.json '[.results[].patterns[] | select(.name == "late_post") | .severity_s * 1e6 | round] == [380, 100, 100]'
holds own.json '[.results[].patterns[] | select(.name == "early_transfer") | .severity_s * 1e6 | round] == [0, 300, 300]'
run 0 simulate "$windows" --platform mixed.json --semantics platform@1=b --json own.json
holds own.json '.patterns[] | select(.name == "early_transfer") | near(.severity_s; 300e-6)'
error 2 "--semantics platform@halo" compare "$windows" --platform mixed.json --rows platform@halo
error 2 "--semantics platforms" compare "$worked" --platform mixed.json --rows platforms

# a row that fails leaves the others: under d a put waits for room that never comes (case buffer_deadlock)
for engine in loggp simgrid; do
    stuck=$source/tests/cases/active/buffer_deadlock/trace.txt
    error 1 "semantics d: " compare "$stuck" --platform "$platform" --engine $engine --set mpi.rma.buffer_bytes=1500000 \
        --rows d,c --json rows.json
    shows '^c +220 us'
    shows '^Fastest: c with 220 us\.$'
    shows '^Incomplete: no result of semantics d: .*rank 0, event 3 \(MPI_Put\).*deadlock'
    holds rows.json '.incomplete and (.failed | length == 1) and .failed[0].row == "d"'
    holds rows.json '[.results[].row] == ["c"] and (.failed[0].error | contains("room for 1000000 bytes"))'
done
error 1 "semantics a: " compare "$stuck" --platform "$platform" --rows a,b --json none.json
[ ! -e none.json ] || fail "a comparison without any result is written"

# one window differs (case window_semantics: 640 under each, waits differ); by number, by name, from the file
sed 's/ name=halo/ name=the%20halo/' "$windows" >named.txt
for which in 1 "the halo"; do
    run 0 compare named.txt --platform "$platform" --rows "a,a@$which=c,d@$which=c,b@0=d@$which=c" --json rows.json
    holds rows.json '[.results[].row] == ["a", "a@'"$which"'=c", "d@'"$which"'=c", "b@0=d@'"$which"'=c"]'
    holds rows.json '[.results[1:][].patterns[] | select(.name == "late_post") | .severity_s * 1e6 | round] == [380, 440, 440]'
    holds rows.json '.results[1].semantics == "a@'"$which"'=c" and .results[0].semantics == "a"'
done
run 0 simulate named.txt --platform "$platform" --set 'mpi.rma.windows."the halo".semantics=c' --semantics d --json one.json
run 0 simulate named.txt --platform "$platform" --semantics d@1=c --json two.json
holds one.json '.patterns[] | select(.name == "late_post") | near(.severity_s; 440e-6)'
jq -S .patterns one.json >one
jq -S .patterns two.json >two
cmp -s one two || fail "a window by name and by number differ"
for letter in a b c d; do
    for engine in loggp simgrid; do
        run 0 simulate named.txt --platform "$platform" --semantics $letter@1=c --engine $engine --verify
    done
done
run 0 info named.txt
shows "^  1 .*, named 'the halo'"
run 0 dump named.txt
shows ' name=the%20halo$'
# What an option says of a window that is none is the option's fault, what the file says is the file's.
unknown="'9' is no window of named.txt, expected a number below 2 or the name of a window"
error 2 "rmacast: --semantics:a@9=c: $unknown" compare named.txt --platform "$platform" --rows a,a@9=c --json nothing.json
[ ! -e nothing.json ] || fail "a row of an unknown window leaves the others"
error 2 "rmacast: --semantics:b@0=a@9=c: $unknown" simulate named.txt --platform "$platform" --semantics b@0=a@9=c
for key in windows.9.lock=lazy 'windows."9".semantics=c' 'windows={"9":{"fence":"notify"}}' 'windows.9={"lock":"lazy"}'; do
    error 2 "rmacast: --set:mpi.rma.$key: $unknown" simulate named.txt --platform "$platform" --set "mpi.rma.$key"
done
sed 's/"semantics": *"a"/"semantics": "a", "windows": {"9": {"lock": "lazy"}}/' "$platform" >nine.json
error 1 "rmacast: nine.json:mpi.rma.windows.9: $unknown" simulate named.txt --platform nine.json --set mpi.rma.windows.1.lock=lazy
# A name with '=' in it is a name.
sed 's/ name=halo/ name=x%3Dy/' "$windows" >equals.txt
run 0 compare equals.txt --platform "$platform" --rows a@x=y=c,a@1=c --json rows.json
holds rows.json '.results | .[0].run_time_s == .[1].run_time_s and .[0].patterns == .[1].patterns'
run 0 simulate equals.txt --platform "$platform" --set 'mpi.rma.windows."x=y".semantics=c' --json one.json
holds one.json '.semantics == "a@x=y=c"'
error 2 "expected LETTER or LETTER@WINDOW=LETTER" compare named.txt --platform "$platform" --rows a@1
error 2 "expected one of a, b, c, d" compare named.txt --platform "$platform" --rows a@1=e
error 2 "unknown key, expected one of semantics, lock, fence" simulate named.txt --platform "$platform" \
    --set mpi.rma.windows.1.locks=lazy
error 2 "expected blocking or lazy" simulate named.txt --platform "$platform" --set mpi.rma.windows.1.lock=never

# Rules of one window by name and by number are one: what the second does not say stays. Lock granted at 20, put 20-120, known
# at 140, before which 100 of computing end; a lazy one asks at the unlock, at 100: data 120-220, known at 240.
printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0 name=halo\n0 0 0 MPI_Win_lock win=0 target=1 lock=shared
0 0 0 MPI_Put win=0 target=1 bytes=1000000\n0 0.0001 0.0001 MPI_Win_unlock win=0 target=1\n' >rules.txt
for engine in loggp simgrid; do
    run 0 compare rules.txt --platform "$platform" --engine $engine --rows a,a@0=c --json rows.json
    holds rows.json '[.results[].run_time_s * 1e6 | round] == [140, 140]'
    run 0 compare rules.txt --platform "$platform" --engine $engine --rows a,a@0=c,a@halo=c --json rows.json \
        --set mpi.rma.windows.halo.lock=lazy
    holds rows.json '[.results[].run_time_s * 1e6 | round] == [240, 240, 240]'
    holds rows.json '[.results[].semantics] == ["a", "a@0=c", "a@halo=c"]'
done

# A row is told from the others by its name; none is cut.
error 2 "--semantics has the row a twice, expected each once" compare "$worked" --platform "$platform" --rows a,b,a
error 2 "the row c+post-early twice" compare "$worked" --platform "$platform" --semantics c+post-early,c,c+post-early
long=$(printf '+post-early%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
error 2 "--semantics a+post-early+post-ea..., expected rows of less than 256 characters" compare "$worked" \
    --platform "$platform" --rows "b,a$long"

error 2 "--platform FILE is missing" compare "$worked"
error 2 "--platform FILE is missing" compare "$worked" --platform ''
error 2 "TRACE is missing" compare --platform "$platform"
error 2 "expected one of a, b, c, d" compare "$worked" --platform "$platform" --semantics a,e
error 2 "expected one of simgrid, loggp" compare "$worked" --platform "$platform" --engine ns3
error 1 "none.txt" compare none.txt --platform "$platform"
error 1 "nodes.count" compare "$worked" --platform "$platform" --set nodes.count=1
# deadlocks under every semantics; the first row is named
error 1 "semantics a: " compare "$source/tests/cases/messages/recv_unmatched/trace.txt" --platform "$platform"
# deadlocks under a only because start waits
start_first=$source/tests/cases/active/both_roles_start_first/trace.txt
error 1 "semantics b: " compare "$start_first" --platform "$platform" --semantics d,b

# The recorded start returned at 300, before the post at 400, put and complete at 360 and before 500: base.json says a,
# where start waits. The recording shows no more of b, c or d than that start returns: the put returned before the post,
# complete (410 to 500) was entered behind it. Under b a put waits in its call.
run 0 compare "$worked" --platform "$platform" --json comparison.json
holds comparison.json '.semantics_matter == true'
holds comparison.json '[.contradictions[] | [.call, .waits, .expected, .seen, .of]] == [["MPI_Win_start", "none", "post", 1, 1]]'
shows '^Warning: .* MPI_Win_start returned before the post in 1 of 1 epochs; on this platform it waits for the post\.$'
run 0 compare "$worked" --platform "$platform" --set mpi.rma.semantics=b --json comparison.json
holds comparison.json '[.contradictions[] | [.call, .waits, .expected]] == [["MPI_Put", "none", "post"]]'
for letter in c d; do
    run 0 compare "$worked" --platform "$platform" --set mpi.rma.semantics=$letter --json comparison.json
    holds comparison.json '.contradictions == []'
    grep -q '^Warning' out && fail "a warning under $letter"
done
# What simulate predicts behaves as its letter says (the times of docs/simulation.md's worked example; its post is at 400).
for row in "a post not_seen not_seen" "b none post not_seen" "c none none post" "d none none none"; do
    set -- $row
    run 0 simulate "$worked" --platform "$platform" --semantics $1 --json result.json
    holds result.json "[.behaviour[] | .waits | gsub(\" \"; \"_\")] == [\"$2\", \"$3\", \"$4\"]"
    holds result.json '[.behaviour[] | .call] == ["MPI_Win_start", "MPI_Put", "MPI_Win_complete"]'
    holds result.json '[.contradictions[] | .call] == ["MPI_Win_start"]'
done
# Start returned before both posts, so did the put before its target's or another's, or neither. Of a put to rank 1 of 10 us on:
# rank 1 has posted at 5 and rank 2 posts at 40 in the put, 10-45: it waited for the group. One that ends at 15 returned before
# rank 2's post; one that waits for its own, 10-25 with posts at 20 and 40, did so, too. Where both posts are at 20 none can tell.
put() { # OWN OTHER EXIT
    printf 'rmacast-trace 1\nranks 3\nwindow 0 comm=0\n0 0 0.000001 MPI_Win_start win=0 group=1,2\n'
    printf '0 0.00001 0.0000%s MPI_Put win=0 target=1 bytes=8\n0 0.00005 0.000051 MPI_Win_complete win=0\n' "$3"
    for target in "1 $1" "2 $2"; do
        printf '%s 0.0000%s 0.0000%s MPI_Win_post win=0 group=0\n' ${target% *} ${target#* } ${target#* }
        printf '%s 0.00006 0.00006 MPI_Win_wait win=0\n' ${target% *}
    done
}
group='{"put":[{"waits":"call","posts":"group"}]}'
for row in "05 40 45 b [[\"MPI_Put\",\"group\",\"post\"]]" "05 40 45 $group []" "20 40 25 b []" "20 20 25 b []" "20 20 25 $group []" \
    "20 40 25 $group [[\"MPI_Put\",\"post\",\"group\"]]"; do
    set -- $row
    put $1 $2 $3 >put.txt
    run 0 compare put.txt --platform "$platform" --set nodes.count=3 --set "mpi.rma.semantics=$4" --json comparison.json
    holds comparison.json "[.contradictions[] | [.call, .waits, .expected]] == $5"
done
shows 'MPI_Put of 8 B waited for its target.s post in 1 of 1 calls; on this platform it waits for the posts of the whole group\.$'
put 05 40 45 >put.txt
run 0 compare put.txt --platform "$platform" --set nodes.count=3 --set mpi.rma.semantics=b
shows 'MPI_Put of 8 B waited for the posts of the whole group in 1 of 1 calls; on this platform it waits for its target.s post alone\.$'
run 0 analyze put.txt --json result.json
holds result.json '[.behaviour[] | select(.call == "MPI_Put") | .for_group, .not_for_group] == [1, 0]'
put 05 40 15 >put.txt
run 0 analyze put.txt --json result.json
holds result.json '[.behaviour[] | select(.call == "MPI_Put") | .for_group, .not_for_group] == [0, 1]'
run 0 compare "$source/tests/cases/fence/fence_four/trace.txt" --platform "$platform" --set nodes.count=4 --json comparison.json
holds comparison.json '.semantics_matter == false'
none='no MPI_Win_start of it has a post to wait for\.$'
shows "^No call of this trace can differ under a to d: $none"
# A rank that posts to itself before it starts has nobody to wait for: rows are the same. Only d copies its put.
alone() {
    printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 0.000001 MPI_Win_%s win=0 group=0\n' "$2"
    printf '0 0.000001 0.000002 MPI_Win_%s win=0 group=%s\n' "$3" "$4"
    printf '0 0.000003 0.000004 MPI_%s win=0 target=0 bytes=1000000\n0 0.000007 0.00001 MPI_Win_complete win=0\n' "$1"
    printf '0 0.00002 0.00003 MPI_Win_wait win=0\n'
}
alone Get post start 0 >alone.txt
run 0 compare alone.txt --platform "$platform" --json comparison.json
holds comparison.json '.semantics_matter == false and ([.results[].run_time_s] | unique | length == 1)'
shows "^No call of this trace can differ under a to d: $none"
alone Put post start 0 >alone.txt
run 0 compare alone.txt --platform "$platform" --json comparison.json
holds comparison.json '.semantics_matter == true and ([.results[:3][].run_time_s] | unique | length == 1)'
holds comparison.json '.results[3].run_time_s > .results[0].run_time_s'
shows "^No call of this trace can differ under a to c, and under d only by the copies of puts: $none"
alone Get start post 0 >alone.txt # start waits for ever under a
run 1 compare alone.txt --platform "$platform" --json comparison.json
holds comparison.json '.semantics_matter == true and [.failed[].row] == ["a"]'
alone Put post start 0,1 >alone.txt
sed 's/^0 \(.*MPI_Win_post.*\)/&\n1 \1/; s/^0 \(.*MPI_Win_wait.*\)/&\n1 \1/' alone.txt >both.txt
run 0 compare both.txt --platform "$platform" --json comparison.json
holds comparison.json '.semantics_matter == true'
grep -q '^No call' out && fail "an epoch with another rank is no choice"
sed 's/MPI_Win_\(post\|start\).*/& assert=NOCHECK/' both.txt >nocheck.txt
run 0 compare nocheck.txt --platform "$platform"
shows "^No call of this trace can differ under a to c, and under d only"

# Installed platforms by name: of a build tree the source's.
run 0 compare "$worked" --platform two-nodes --semantics a --json by-name.json
run 0 compare "$worked" --platform "$source/platforms/two-nodes.json" --semantics a --json by-path.json
holds by-name.json ".results[0].run_time_s == $(jq '.results[0].run_time_s' by-path.json)"
run 0 simulate "$worked" --platform two-nodes.json
error 1 "no such file or installed platform, expected a file, ideal or one of dragonfly-512, ethernet-16, four-nodes, infiniband-64, two-nodes, virtual-1ms-100mbit, virtual-300us-200mbit" \
    simulate "$worked" --platform three-nodes
cp "$platform" four-nodes # a file of the name comes first; base.json has its own name
run 0 simulate "$worked" --platform four-nodes --json result.json
holds result.json '.platform == "'"$(jq -r .name "$platform")"'"'

finish
