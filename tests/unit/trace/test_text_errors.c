/* Each fault in a text trace: its line and its whole message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/text/text.h"

#include "trace_test.h"

#define HEAD   "rmacast-trace 1\nranks 3\n"
#define WINDOW HEAD "comm 1 ranks=0,2\nwindow 0 comm=0\nwindow 1 comm=1\n"

static const struct {
    const char *text, *message;
} faults[] = {
    {"", "t.txt:1: the file ends, expected \"rmacast-trace 1\""},
    {"# nothing\n", "t.txt:1: the file ends, expected \"rmacast-trace 1\""},
    {"rmacast-trace 1\n", "t.txt:1: the file ends, expected \"ranks N\""},
    {"ranks 3\n", "t.txt:1: 'ranks', expected \"rmacast-trace 1\" as the first line"},
    {"rmacast-trace 2\n", "t.txt:1: version 2 of the text form, expected \"rmacast-trace 1\""},
    {"rmacast-trace\n", "t.txt:1: the version is missing, expected \"rmacast-trace 1\""},
    {HEAD "rmacast-trace 1\n", "t.txt:3: a second line \"rmacast-trace\", expected one"},
    {HEAD "ranks 3\n", "t.txt:3: a second line \"ranks\", expected one"},
    {"rmacast-trace 1\n0 0 0 MPI_Init\n", "t.txt:2: '0', expected \"ranks N\" as the second line"},
    {"rmacast-trace 1\nranks 0\n", "t.txt:2: ranks '0', expected a number from 1 to 1048576"},
    {"rmacast-trace 1\nranks\n", "t.txt:2: ranks is missing, expected a number from 1 to 1048576"},
    {HEAD "foo\n", "t.txt:3: 'foo', expected a rank number, comm, window, node, property, speed, "
                   "memory_bound, incomplete or note"},
    {HEAD "node 1 name=a ranks=0\n", "t.txt:3: wrong node line, expected \"node 0 name=NAME ranks=0,1,... [cores=N]\""},
    {HEAD "node 0 name=a\n", "t.txt:3: wrong node line, expected \"node 0 name=NAME ranks=0,1,... [cores=N]\""},
    {HEAD "node 0 name= ranks=0\n", "t.txt:3: wrong node line, expected \"node 0 name=NAME ranks=0,1,... [cores=N]\""},
    {HEAD "node 0 name=a ranks=0 more\n",
     "t.txt:3: wrong node line, expected \"node 0 name=NAME ranks=0,1,... [cores=N]\""},
    {HEAD "node 0 name=a ranks=-\n", "t.txt:3: node 0 has no ranks, expected one or more"},
    {HEAD "node 0 name=a ranks=0\nnode 1 name=b ranks=1,0\n",
     "t.txt:4: rank 0 is on node 0 already, expected one node for each rank"},
    {HEAD "node 0 name=a ranks=0\nnode 1 name=a ranks=1\n",
     "t.txt:4: name=a is that of node 0, expected each name once"},
    {HEAD "speed 0 -1\n", "t.txt:3: speed -1, expected a number above 0"},
    {HEAD "memory_bound 0 1.5\n", "t.txt:3: memory_bound 1.5, expected a share from 0 to 1"},
    {HEAD "memory_bound 0\n", "t.txt:3: memory_bound is missing, expected a share from 0 to 1"},
    {HEAD "speed 0\n", "t.txt:3: speed is missing, expected a number above 0"},
    /* definitions */
    {HEAD "comm 0 ranks=1\n", "t.txt:3: comm 0 is the world, expected another number"},
    {HEAD "comm 1 ranks=0\ncomm 1 ranks=1\n", "t.txt:4: comm 1 is defined already, expected another number"},
    {HEAD "comm 1 ranks=0,3\n", "t.txt:3: '3' in ranks, expected numbers from 0 to 2 joined by commas"},
    {HEAD "comm 1 ranks=0,,1\n", "t.txt:3: '' in ranks, expected numbers from 0 to 2 joined by commas"},
    {HEAD "comm 1 ranks=2,0,2\n", "t.txt:3: rank 2 stands twice in ranks=, expected once"},
    {HEAD "comm 1\n", "t.txt:3: comm 1, expected \"comm 1 ranks=0,1,...\", of two groups and \"between=1\""},
    {HEAD "comm 1 ranks=0,1 within=1\n",
     "t.txt:3: comm 1, expected \"comm 1 ranks=0,1,...\", of two groups and \"between=1\""},
    {HEAD "comm 1 ranks=0,1 between=2\n", "t.txt:3: between '2', expected a number from 1 to 1"},
    {HEAD "comm 1 ranks=0 between=1\n", "t.txt:3: between=1 of 1 rank, expected two groups"},
    {HEAD "window 0 bytes=8\n", "t.txt:3: window 0 lacks comm=, expected \"window 0 comm=0 ...\""},
    {HEAD "window 0 comm=4\n", "t.txt:3: comm=4 is not defined, expected a line \"comm 4 ranks=...\" before"},
    {HEAD "window 0 comm=0 bytes=1,2\n", "t.txt:3: 2 values in bytes=, expected one or one for each of 3 members"},
    {HEAD "window 0 comm=0 disp_unit=0\n",
     "t.txt:3: '0' in disp_unit, expected numbers from 1 to 2147483647 joined by commas"},
    {HEAD "window 0 comm=0 color=red\n",
     "t.txt:3: 'color=red' in a window line, expected each once of comm=, bytes=, disp_unit=, flavor=, name="},
    {HEAD "window 0 comm=0 name=a%2\n", "t.txt:3: '%2' in a name, expected %XX with two hexadecimal digits"},
    {HEAD "window 0 comm=0 flavor=vanilla\n",
     "t.txt:3: flavor=vanilla, expected create, allocate, shared, dynamic or heap"},
    {HEAD "property simulated=2\n", "t.txt:3: simulated=2 is no property, expected simulated=0 or 1, platform=, "
                                    "engine=, semantics=, lock=, library=, transport=, generator=, "
                                    "clock_offset=, clock_error=, clock_violations=, clock_source=monotonic, tsc or mixed, "
                                    "record_cost=SECONDS, core_waits=0 or 1"},
    {HEAD "0 0 0 MPI_Init\nproperty simulated=1\n",
     "t.txt:4: simulated= stands behind calls, expected it before the first one"},
    {HEAD "incomplete 3 why\n", "t.txt:3: rank '3', expected a number from 0 to 2"},
    {HEAD "note\n", "t.txt:3: note is empty, expected a sentence"},
    /* extents */
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=4 origin_extent=0\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: origin_extent=0, expected a whole number from 1 to 2305843009213693951"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=4 target_extent=-8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: target_extent=-8, expected a whole number from 1 to 2305843009213693951"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=4 target_extent=2305843009213693952\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: target_extent=2305843009213693952, expected a whole number from 1 to "
     "2305843009213693951"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=4 origin_extent=8 origin_extent=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: origin_extent= stands twice, expected once"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=4 result_extent=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Put does not take result_extent=, expected win= target= bytes= disp= "
     "site="},
    {HEAD "0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=4 origin_extent=8\n",
     "t.txt:3: rank 0, event 1 at 0.000000 s: MPI_Send does not take origin_extent=, expected comm= peer= tag= bytes= "
     "site="},
    {HEAD "0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=4 recv_extent=8\n",
     "t.txt:3: rank 0, event 1 at 0.000000 s: MPI_Send does not take recv_extent=, expected comm= peer= tag= bytes= "
     "site="},
    {HEAD "0 0 0 MPI_Barrier comm=0 send_extent=8\n",
     "t.txt:3: rank 0, event 1 at 0.000000 s: MPI_Barrier does not take send_extent=, expected comm= site="},
    {HEAD "0 0 0 MPI_Send comm=0 peer=1 tag=0 bytes=0 send_extent=8\n",
     "t.txt:rank 0, event 1 (MPI_Send) at 0.000000 s: the extent of a buffer with gaps, but bytes=0"},
    /* counts, sendrecv, persistent requests */
    {WINDOW "0 0 0 MPI_Allgatherv comm=1 bytes=1 counts=1,2,3\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: 3 numbers in counts=, expected one, or one for each of the 2 members"},
    {WINDOW "0 0 0 MPI_Allgatherv comm=1 bytes=1 counts=\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: 0 numbers in counts=, expected one, or one for each of the 2 members"},
    {WINDOW "0 0 0 MPI_Dist_graph_create comm=0 neighbours=0,1:2\n",
     "t.txt:rank 0, event 1 (MPI_Dist_graph_create) at 0.000000 s: edges begin at 2 neighbours and end at 1, expected "
     "as many"},
    {WINDOW "0 0 0 MPI_Sendrecv comm=0 peer=1 tag=0 source=7 recvtag=0 bytes=1 received=1\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: source=7 is not a rank, expected 0 to 2"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=0 started=2\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: started=2, expected 0 or 1"},
    {WINDOW "0 0 0 MPI_Ibarrier comm=0 req=0\n0 0 0 MPI_Rput win=0 target=1 bytes=1 req=0\n",
     "t.txt:7: rank 0, event 2 at 0.000000 s: req=0 is not completed yet, expected a free number"},
    /* columns */
    {WINDOW "3 0 0 MPI_Init\n", "t.txt:6: rank '3', expected a number from 0 to 2"},
    {WINDOW "0 x 0 MPI_Init\n", "t.txt:6: rank 0, event 1: enter time 'x', expected seconds"},
    {WINDOW "0 0 y MPI_Init\n", "t.txt:6: rank 0, event 1 at 0.000000 s: exit time 'y', expected seconds"},
    {WINDOW "0\n", "t.txt:6: rank 0, event 1: enter time is missing, expected RANK ENTER EXIT NAME key=value ..."},
    {WINDOW "0 0\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: exit time is missing, expected RANK ENTER EXIT NAME key=value ..."},
    {WINDOW "0 0 0\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: the call's name is missing, expected RANK ENTER EXIT NAME key=value ..."},
    {WINDOW "0 0 0 Put win=0\n", "t.txt:6: rank 0, event 1 at 0.000000 s: 'Put', expected the name of an MPI call or "
                                 "thread primitive, enter or leave"},
    {WINDOW "0 2 1 MPI_Init\n", "t.txt:6: rank 0, event 1 at 2.000000 s: exit at 1.000000 s is before enter at "
                                "2.000000 s, expected enter <= exit"},
    {WINDOW "0 0 2 MPI_Init\n1 0 1 MPI_Init\n0 1 3 MPI_Barrier comm=0\n",
     "t.txt:8: rank 0, event 2 at 1.000000 s: time runs backwards: enter at 1.000000 s, expected no earlier than the "
     "exit of "
     "the call before at 2.000000 s"},
    {WINDOW "0 0 enter\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: enter, expected \"RANK TIME enter NAME\", a blank in NAME as %20"},
    {WINDOW "0 0 leave main loop\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: leave, expected \"RANK TIME leave NAME\", a blank in NAME as %20"},
    {WINDOW "0 0 1 enter r\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: enter with two times, expected \"RANK TIME enter NAME\""},
    {WINDOW "0 0 enter a%2\n", "t.txt:6: rank 0, event 1 at 0.000000 s: broken %XX, expected two hexadecimal digits"},
    /* keys */
    {WINDOW "0 0 0 MPI_Win_start win=0\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Win_start lacks group=, expected win= group="},
    {WINDOW "0 0 0 MPI_Put target=1 bytes=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Put lacks win=, expected win= target= bytes="},
    {WINDOW "0 0 0 MPI_Irecv comm=0 peer=1 tag=0 req=1\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Irecv lacks bytes=, expected comm= peer= tag= bytes= req="},
    {WINDOW "0 0 0 MPI_Bcast comm=0 root=0\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Bcast lacks bytes=, expected bytes=, sent= or received="},
    {WINDOW "0 0 0 MPI_Compare_and_swap win=0 target=1 bytes=16\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Compare_and_swap lacks result_bytes=, expected win= target= bytes= "
     "result_bytes="},
    {WINDOW "0 0 0 MPI_Gatherv comm=0 root=0 received=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Gatherv lacks bytes=, expected comm= root= bytes="},
    {WINDOW "0 0 0 MPI_Barrier comm=0 bytes=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Barrier does not take bytes=, expected comm= site="},
    {WINDOW "0 0 0 MPI_Barrier comm=0 colour=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Barrier does not take colour=, expected comm= site="},
    {WINDOW "0 0 0 MPI_Barrier comm=0 comm=0\n", "t.txt:6: rank 0, event 1 at 0.000000 s: comm= stands twice, expected once"},
    {WINDOW "0 0 0 MPI_Barrier comm\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: 'comm' of MPI_Barrier, expected key=value"},
    /* values */
    {WINDOW "0 0 0 MPI_Win_fence win=x\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: win=x, expected the number of a window"},
    {WINDOW "0 0 0 MPI_Win_fence win=3\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: win=3 is not defined, expected a line \"window 3 ...\" before"},
    {WINDOW "0 0 0 MPI_Barrier comm=9\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: comm=9 is not defined, expected a line \"comm 9 ...\" before"},
    {WINDOW "0 0 0 MPI_Put win=0 target=3 bytes=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: target=3 is not a rank, expected 0 to 2"},
    {WINDOW "0 0 0 MPI_Bcast comm=0 root=- bytes=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: root=- is not a rank, expected 0 to 2"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=-8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: bytes=-8, expected a whole number from 0 to 2305843009213693951"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=99999999999999999999\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: bytes=99999999999999999999, expected a whole number from 0 to "
     "2305843009213693951"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=8 disp=1.5\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: disp=1.5, expected a whole number from 0 to 2305843009213693951"},
    {WINDOW "0 0 0 MPI_Win_post win=0 group=1,7\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: '7' in group, expected numbers from 0 to 2 joined by commas"},
    {WINDOW "0 0 0 MPI_Win_fence win=0 assert=NOTHING\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: assert=NOTHING, expected 0, NOCHECK NOSTORE NOPUT NOPRECEDE NOSUCCEED "
     "joined by |, or MPICH's number"},
    {WINDOW "0 0 0 MPI_Win_fence win=0 assert=NOCHECK|WRONG\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: assert=NOCHECK|WRONG, expected 0, NOCHECK NOSTORE NOPUT NOPRECEDE NOSUCCEED "
     "joined by |, or MPICH's number"},
    {WINDOW "0 0 0 MPI_Win_fence win=0 assert=1\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: assert=1, expected 0, NOCHECK NOSTORE NOPUT NOPRECEDE NOSUCCEED joined "
     "by |, or MPICH's number"},
    {WINDOW "0 0 0 MPI_Win_lock win=0 target=1 lock=mine\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: lock=mine, expected exclusive or shared"},
    {WINDOW "0 0 0 MPI_Win_test win=0 flag=yes\n", "t.txt:6: rank 0, event 1 at 0.000000 s: flag=yes, expected 0 or 1"},
    {WINDOW "0 0 0 MPI_Accumulate win=0 target=1 bytes=8 op=ADD\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: op=ADD, expected an operation of MPI, as SUM, or USER"},
    {WINDOW "0 0 0 MPI_Send comm=0 peer=1 tag=x bytes=8\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: tag=x, expected a whole number from -2147483648 to 2147483647"},
    {WINDOW "0 0 0 MPI_Barrier comm=0 site=main\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: site=main, expected FUNCTION@FILE:LINE"},
    {WINDOW "0 0 0 MPI_Put win=0 target=1 bytes=8 xfer_end=1\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: xfer_end= needs a line \"property simulated=1 ...\" before"},
    {WINDOW "0 0 0 MPI_Gather comm=0 root=0 received=25\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: received=25 of MPI_Gather, expected a multiple of the 3 members"},
    {WINDOW "0 0 0 MPI_Bcast comm=0 root=0 bytes=8 sent=16\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: sent=16 of MPI_Bcast does not fit bytes=8"},
    /* requests */
    {WINDOW "0 0 0 MPI_Wait req=4\n",
     "t.txt:6: rank 0, event 1 at 0.000000 s: MPI_Wait of request 4, which was not made before on this rank"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=4\n1 0 0 MPI_Wait req=4\n",
     "t.txt:7: rank 1, event 1 at 0.000000 s: MPI_Wait of request 4, which was not made before on this rank"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=4\n0 0 0 MPI_Testall reqs=4 flag=0\n",
     "t.txt:rank 0, event 2 (MPI_Testall) at 0.000000 s: reqs of a call with flag=0, expected none: it completes no request"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=4\n0 0 0 MPI_Waitall reqs=4,4\n",
     "t.txt:7: rank 0, event 2 at 0.000000 s: MPI_Waitall of request 4, which is completed already"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=4\n0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=1 req=4\n",
     "t.txt:7: rank 0, event 2 at 0.000000 s: req=4 is not completed yet, expected a free number"},
    /* faults of the whole trace: trace_check */
    {WINDOW "1 0 0 MPI_Win_fence win=1\n",
     "t.txt:rank 1, event 1 (MPI_Win_fence) at 0.000000 s: rank 1 is no member of window 1"},
    {WINDOW "0 0 0 MPI_Put win=1 target=1 bytes=8\n",
     "t.txt:rank 0, event 1 (MPI_Put) at 0.000000 s: target=1 is no member of window 1"},
    {WINDOW "0 0 0 MPI_Init\n0 0 0 MPI_Win_start win=1 group=1,2\n",
     "t.txt:rank 0, event 2 (MPI_Win_start) at 0.000000 s: group member 1 is no member of window 1"},
    {WINDOW "0 0 0 MPI_Send comm=1 peer=1 tag=0 bytes=8\n",
     "t.txt:rank 0, event 1 (MPI_Send) at 0.000000 s: peer=1 is no member of communicator 1"},
    {WINDOW "0 0 0 MPI_Bcast comm=1 root=1 bytes=8\n",
     "t.txt:rank 0, event 1 (MPI_Bcast) at 0.000000 s: root=1 is no member of communicator 1"},
    {WINDOW "0 0 0 MPI_Win_fence win=-\n",
     "t.txt:rank 0, event 1 (MPI_Win_fence) at 0.000000 s: no window, expected win"},
    {WINDOW "0 0 0 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=-\n",
     "t.txt:rank 0, event 1 (MPI_Isend) at 0.000000 s: no request, expected req"},
    {WINDOW "1 0 0 MPI_Comm_dup comm=0 newcomm=1\n",
     "t.txt:rank 1, event 1 (MPI_Comm_dup) at 0.000000 s: rank 1 is no member of newcomm=1"},
    {WINDOW "0 0 leave r\n",
     "t.txt:rank 0, event 1 (leave) at 0.000000 s: leave r without enter, expected \"enter r\" before it"},
    {WINDOW "0 0 enter a\n0 0 enter b\n0 0 leave a\n",
     "t.txt:rank 0, event 3 (leave) at 0.000000 s: leave a, expected \"leave b\": the region entered last"},
    {WINDOW "0 0 0 MPI_Barrier comm=0 break=1\n0 0 0 MPI_Barrier comm=0\n",
     "t.txt:rank 0, event 1 (MPI_Barrier) at 0.000000 s: the recording breaks off here, expected no event after it"},
};

static void each_fault_has_its_line_and_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct trace *trace = NULL;
        struct err err = {.text = "no error"};
        enum status status = read_text(faults[i].text, &trace, &err);
        if (status == STATUS_OK) {
            status = trace_check(trace, &err);
            trace_free(trace);
        }
        if (status != STATUS_DATA) print_error("%s\n", faults[i].text);
        assert_string_equal(err.text, faults[i].message);
        assert_int_equal(status, STATUS_DATA);
    }
}

/* The message names the calls that share the longest beginning with the unknown one. */
static void an_unknown_call_is_told_its_neighbours(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    assert_int_equal(read_text(HEAD "0 0 0 MPI_Win_comple win=0\n", &trace, &err), STATUS_DATA);
    assert_string_equal(
        err.text, "t.txt:3: rank 0, event 1 at 0.000000 s: unknown call MPI_Win_comple, expected one as MPI_Win_complete");
}

static void a_zero_byte_is_no_text(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    char directory[] = "/tmp/rmacast-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/t", directory);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fwrite("rmacast-trace 1\nran\0ks 3\n", 1, 25, out);
    fclose(out);
    assert_int_equal(text_read_by(0, path, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "/t:2: a zero byte, expected text"));
    remove(path);
    rmdir(directory);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    assert_int_equal(text_read_by(0, "/nowhere/t.txt", false, &trace, &err), STATUS_DATA);
    assert_string_equal(err.text, "/nowhere/t.txt: cannot be opened: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_has_its_line_and_message),
        cmocka_unit_test(an_unknown_call_is_told_its_neighbours),
        cmocka_unit_test(a_zero_byte_is_no_text),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
