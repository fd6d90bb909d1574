# info, dump and generate on right and wrong traces.
cat >contract.txt <<'TRACE'
rmacast-trace 1
ranks 3
comm 1 ranks=0,2                      # communicator 0 is the world
window 0 comm=0 bytes=4096,4096,4096 disp_unit=1
0 0.000000 0.000020 MPI_Win_create win=0
0 0.010000 0.010001 MPI_Win_start win=0 group=1,2 assert=0
1 0.020000 0.020001 MPI_Win_post win=0 group=0
0 0.010002 0.010003 MPI_Put win=0 target=1 bytes=1024 disp=0
0 0.010003 0.010004 MPI_Win_complete win=0
1 0.020002 0.020900 MPI_Win_wait win=0
0 0.040000 0.040010 MPI_Isend comm=0 peer=1 tag=7 bytes=64 req=1
0 0.040010 0.040020 MPI_Waitall reqs=1
0 0.050000 0.050010 MPI_Allreduce comm=0 bytes=8
TRACE

# The second pass of a dump changes nothing; standard input is a trace as well.
"$rmacast" dump contract.txt >first.txt && "$rmacast" dump first.txt >second.txt
same first.txt second.txt "dump of a dump"
"$rmacast" dump - <contract.txt >third.txt
same first.txt third.txt "dump of standard input"
works '^0 0.010002 0.010003 MPI_Put win=0 target=1 bytes=1024 disp=0$' dump contract.txt
works '^1 0.020002 0.020900 MPI_Win_wait win=0$' dump --rank 1 contract.txt
grep -q '^0 ' out && complain "dump --rank 1" "$(grep '^0 ' out)"
works '^0 0.040010 0.040020 MPI_Waitall reqs=1$' dump --from 40ms contract.txt
grep -q 'MPI_Put' out && complain "dump --from 40ms" "holds a put at 10 ms"
works '^0 0.040010 0.040020 MPI_Waitall reqs=$' dump --from 40.015ms contract.txt
works '^0 0.010003 0.010004 MPI_Win_complete' dump --to 0.0200005 contract.txt
grep -q 'MPI_Win_wait' out && complain "dump --to" "holds a wait at 20.002 ms"
fails 2 "--rank 3, expected 0 to 2" dump --rank 3 contract.txt

works '^ranks *3$' info contract.txt
works '^MPI_Put  *1  *1.024 kB' info contract.txt
works '^complete *yes' info contract.txt
works '"schema":.*"rmacast.info/1"' info --json - contract.txt
[ "$(jq -r '[.ranks, .rma_bytes, .message_bytes, .complete, .windows[0].bytes[2], .communicators[1].ranks,
             (.calls[] | select(.name == "MPI_Put") | .count)] | map(tostring) | join(" ")' out)" = "3 1024 64 true 4096 2 1" ] ||
  complain "info --json" "$(jq -c . out)"
works '^ranks *3$' info --json info.json contract.txt
jq -e '.duration_s == 0.05001' info.json >jq.out || complain "info --json duration" "$(cat jq.out)"
{ cat contract.txt; echo "incomplete 1 killed by signal 9"; } >broken.txt
works '^  rank 1 breaks off after 2 events at 0.020900 s: killed by signal 9$' info broken.txt

# Buffers with gaps: 2 of 3 puts (1000 and 24 bytes), a get_accumulate (8 there, 16 back), the receive of 64; all of them move
# 1000 + 24 + 24 + 64 bytes. An archive, a replay and its dump keep the extents.
cat >gaps.txt <<'TRACE'
rmacast-trace 1
ranks 2
window 0 comm=0 bytes=4096 disp_unit=1
0 0.000000 0.000020 MPI_Win_create win=0
0 0.010000 0.010001 MPI_Win_lock win=0 target=1 lock=shared
0 0.010002 0.010003 MPI_Put win=0 target=1 bytes=1000 disp=0 origin_extent=2000
0 0.010004 0.010005 MPI_Put win=0 target=1 bytes=24 disp=0 origin_extent=48 target_extent=40
0 0.010006 0.010007 MPI_Put win=0 target=1 bytes=16 disp=0
0 0.010008 0.010009 MPI_Get_accumulate win=0 target=1 bytes=8 disp=0 op=SUM result_bytes=16 result_extent=12
0 0.010010 0.010030 MPI_Win_unlock win=0 target=1
0 0.020000 0.020010 MPI_Send comm=0 peer=1 tag=7 bytes=64
1 0.000000 0.000020 MPI_Win_create win=0
1 0.020000 0.020010 MPI_Recv comm=0 peer=0 tag=7 bytes=64 recv_extent=100
TRACE
cat >unseen.txt <<'E2'
rmacast-trace 1
ranks 2
node 0 name=here ranks=0,1
0 0 0 pthread_create child=1
0 1 enter f thread=1
0 1 enter f thread=2
1 1 enter f thread=1
E2
works '^not known *2 threads whose creation was not recorded$' info unseen.txt
works '^nodes *1$' info unseen.txt
works '"threads_without_creation":.*2' info --json - unseen.txt
works '^data types *4 calls with non-contiguous buffers, 1.112 kB$' info gaps.txt
works '"schema"' info --json - gaps.txt
[ "$(jq -c '[.non_contiguous, (.calls[] | select(.name == "MPI_Put" or .name == "MPI_Send") | .non_contiguous)]' out)" = \
  '[{"count":4,"bytes":1112},{"count":2,"bytes":1024},null]' ] || complain "info --json of gaps" "$(jq -c . out)"
works '"schema"' info --json - contract.txt
[ "$(jq -c .non_contiguous out)" = '{"count":0,"bytes":0}' ] || complain "info --json without gaps" "$(jq -c . out)"
works '' info contract.txt
grep -q '^data types' out && complain "info contract.txt" "$(grep '^data types' out)"
extents() { "$rmacast" dump "$1" | grep -o 'MPI_[A-Za-z_]* \|[a-z]*_extent=[0-9]*' | tr -d '\n' >"$2"; }
"$rmacast" export gaps.txt --to otf2 -o gaps.rma >out || complain "export gaps.txt" "fails"
"$rmacast" simulate gaps.rma --platform "$here/../../platforms/infiniband-64.json" --verify -o predicted.rma >out ||
  complain "simulate gaps.rma" "$(tail -n 3 out)"
"$rmacast" simulate gaps.txt --platform "$here/../../platforms/infiniband-64.json" --engine simgrid -o - >predicted.txt 2>err ||
  complain "simulate gaps.txt" "$(cat err)"
for trace in gaps.txt gaps.rma predicted.rma predicted.txt; do
  extents $trace extents.txt
  printf '%s' 'MPI_Win_create MPI_Win_lock MPI_Put origin_extent=2000MPI_Put origin_extent=48target_extent=40MPI_Put ' \
    'MPI_Get_accumulate result_extent=12MPI_Win_unlock MPI_Send MPI_Win_create MPI_Recv recv_extent=100' >expected.txt
  same expected.txt extents.txt "extents of $trace"
done

# Of its 4 transfers (1000 + 24 + 16 + 8 bytes) the put of 16 has none; in slices, as a whole, and read back.
for trace in gaps.txt "gaps.rma --whole" gaps.rma; do
  # shellcheck disable=SC2086
  works '"non_contiguous"' analyze --json - $trace
  [ "$(jq -c '.transfers | [.count, .bytes, .non_contiguous]' out)" = '[4,1048,{"count":3,"bytes":1032}]' ] ||
    complain "analyze --json $trace" "$(jq -c .transfers out)"
done
works '^  with gaps in buffers *3, 1.032 kB$' analyze gaps.rma
works '' analyze contract.txt
grep -q 'with gaps' out && complain "analyze contract.txt" "$(grep 'with gaps' out)"

# Generated traces read back, the same options make the same trace.
for sync in pscw fence lock p2p; do
  for pattern in halo2d ring transpose; do
    "$rmacast" generate $pattern -n 5 -i 3 -b 1K --imbalance 20% --sync $sync -o g1.txt || complain "generate $pattern $sync"
    "$rmacast" generate $pattern -n 5 -i 3 -b 1K --imbalance 20% --sync $sync >g2.txt || complain "generate $pattern $sync"
    same g1.txt g2.txt "generate $pattern $sync twice"
    "$rmacast" dump g1.txt >g3.txt
    same g1.txt g3.txt "dump of generate $pattern $sync"
  done
done

# Definitions of more than one chunk, 4 MB, as those of 50,000 ranks are: 50,000 names of 100 bytes.
{
  printf 'rmacast-trace 1\nranks 1\n'
  awk 'BEGIN { for (i = 0; i < 50000; i++) for (k = 0; k < 2; k++)
         printf "0 %.6f %s %0100d\n", (2 * i + k) / 1e6, k ? "leave" : "enter", i }'
} >wide.txt
"$rmacast" export wide.txt --to otf2 -o wide.rma >out || complain "export of 50,000 names" "fails"
[ "$(wc -c <wide.rma/traces.def)" -gt 4194304 ] || complain "definitions of 50,000 names" "fit into one chunk"
"$rmacast" dump wide.txt >wide1.txt
"$rmacast" dump wide.rma >wide2.txt || complain "an archive of several chunks of definitions" "cannot be read"
same wide1.txt wide2.txt "definitions in several chunks"

# Bad data: exit status 1.
kinds="expected an OTF2 archive, a spool directory or a text trace"
mkdir bare
: >empty
echo '{"schema": "rmacast.result/1"}' >result.json
echo "hello" >words
printf 'rmacast-trace 1\nranks 2\n0 0 0 MPI_Win_start win=0\n' >window.txt
printf 'rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_start win=0\n' >group.txt
printf 'rmacast-trace 1\nranks 2\n0 0 0 MPI_Win_comple win=0\n' >call.txt
printf 'rmacast-trace 1\nranks 2\n0 2 1 MPI_Barrier comm=0\n' >time.txt
printf 'rmacast-trace 1\nranks 2\n0 0 0 MPI_Wait req=1\n' >request.txt
fails 1 "nowhere: cannot be opened: No such file or directory" info nowhere
fails 1 "bare: a directory without a trace, $kinds" info bare
fails 1 "empty: empty, $kinds" info empty
fails 1 "result.json: JSON, as results and platforms are, and no trace; $kinds" info result.json
fails 1 "words: no trace, $kinds" dump words
fails 1 "window.txt:3: rank 0, event 1 at 0.000000 s: win=0 is not defined, expected a line \"window 0 ...\" before" dump window.txt
fails 1 "group.txt:4: rank 0, event 1 at 0.000000 s: MPI_Win_start lacks group=, expected win= group=" dump group.txt
fails 1 "call.txt:3: rank 0, event 1 at 0.000000 s: unknown call MPI_Win_comple, known are MPI_Win_complete ... (trace/calls/mpi_calls.def lists all)" dump call.txt
fails 1 "time.txt:3: rank 0, event 1 at 2.000000 s: exit at 1.000000 s is before enter at 2.000000 s, expected enter <= exit" \
  dump time.txt
fails 1 "request.txt:3: rank 0, event 1 at 0.000000 s: MPI_Wait of request 1, which was not made before on this rank" dump request.txt
fails 1 "nowhere/x.json: cannot be written: No such file or directory" info --json nowhere/x.json contract.txt
fails 1 "nowhere/g.txt: cannot be written: No such file or directory" generate ring -o nowhere/g.txt

if [ -w /dev/full ]; then
  "$rmacast" dump contract.txt >/dev/full 2>err
  [ $? -eq 1 ] || complain "dump to a full device" "exit status not 1"
  [ "$(wc -l <err)" -eq 1 ] || complain "dump to a full device" "$(cat err)"
fi
