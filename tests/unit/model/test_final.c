/* What an analysis in slices keeps for later rounds, call by call: the marks of a round, worked out from
 * model/slices/final_*.c's rules. */
#include <stdio.h>
#include <string.h>

#include "model/match/relations.h"
#include "model/slices/final.h"
#include "model_test.h"

/* Letters of a call's flags: K kept, O open, U undecided, S sent, R received, H both sides are kept, T times, D done, L late; -
 * none. */
static void write_flags(unsigned flags, char *text)
{
    static const struct {
        unsigned flag;
        char letter;
    } letters[] = {{SLICE_OPEN, 'O'}, {SLICE_KEEP, 'K'},     {SLICE_HOLD, 'H'}, {SLICE_UNDECIDED, 'U'},
                   {SLICE_SENT, 'S'}, {SLICE_RECEIVED, 'R'}, {SLICE_DONE, 'D'}, {SLICE_TIMES, 'T'},
                   {SLICE_LATE, 'L'}};
    size_t length = 0;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (flags & letters[i].flag) text[length++] = letters[i].letter;
    if (length == 0) text[length++] = '-';
    text[length] = '\0';
}

/* Marks of rank 0's calls, then "|" and those of rank 1, ... The watermark is in us. */
struct row {
    const char *what, *text;
    int watermark_us;
    const char *marks;
};

#define WINDOW          "window 0 comm=0\n"
#define AT(r, a, b)     #r " 0.0000" #a " 0.0000" #b " "
#define LOCK(r, a, b)   AT(r, a, b) "MPI_Win_lock win=0 target=2 lock=shared\n"
#define UNLOCK(r, a, b) AT(r, a, b) "MPI_Win_unlock win=0 target=2\n"
#define BARRIER         AT(0, 80, 81) "MPI_Barrier comm=0\n" AT(1, 80, 81) "MPI_Barrier comm=0\n"
#define BARRIER_3       BARRIER AT(2, 80, 81) "MPI_Barrier comm=0\n"

/* The last event of each rank keeps its times, those behind the watermark, or behind the first lock or complete that is
 * not final, do where there are windows, and the last call before those. */
static const struct row locks[] = {
    /* a release at the watermark is not final; the last holder is kept, and the last call before the watermark has
       times */
    {"released at the watermark", WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) BARRIER_3, 4, "OT OT T|T|T"},
    {"released before it", WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) BARRIER_3, 5, "K KT T|T|T"},
    /* an open lock of another rank is no reason; one of the same rank that overlaps is, one behind is none */
    {"another rank's lock is open", WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) LOCK(1, 01, 02) "incomplete 1 killed\n",
     20, "KT KT|OT|"},
    {"a lock inside is open",
     WINDOW AT(0, 01, 02) "MPI_Win_lock win=0 target=1 lock=shared\n" LOCK(0, 03, 04)
         UNLOCK(0, 05, 06) "incomplete 0 killed\n",
     20, "OT OT OT||"},
    {"a lock behind is open", WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) LOCK(0, 05, 06) "incomplete 0 killed\n", 20,
     "K KT OT||"},
    /* a window that is freed needs no holders, unless some lock of it is not final */
    {"freed",
     WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04)
         AT(0, 10, 11) "MPI_Win_free win=0\n" AT(1, 10, 11) "MPI_Win_free win=0\n" AT(2, 10, 11) "MPI_Win_free win=0\n",
     12, "- - T|T|T"},
    {"freed, but not final",
     WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) AT(0, 10, 11) "MPI_Win_free win=0\n" LOCK(1, 05, 06) UNLOCK(1, 07, 09)
         AT(1, 10, 11) "MPI_Win_free win=0\n" AT(2, 10, 11) "MPI_Win_free win=0\n",
     8, "K KT KT|OT OT KT|KT"},
    {"freed by some", WINDOW LOCK(0, 01, 02) UNLOCK(0, 03, 04) AT(0, 10, 11) "MPI_Win_free win=0\n", 12, "K K OT||"},
};

#define START      AT(0, 01, 02) "MPI_Win_start win=0 group=1\n"
#define COMPLETE   AT(0, 03, 05) "MPI_Win_complete win=0\n"
#define POST(a, b) AT(1, a, b) "MPI_Win_post win=0 group=0\n"
#define WAIT       AT(1, 05, 06) "MPI_Win_wait win=0\n"

static const struct row epochs[] = {
    {"complete ends at the watermark", WINDOW START COMPLETE POST(01, 02) WAIT, 5, "OT OT|OT OT|"},
    {"complete ends before it", WINDOW START COMPLETE POST(01, 02) WAIT, 6, "- T|T T|"},
    {"the wait is missing", WINDOW START COMPLETE POST(01, 02) "incomplete 1 killed\n", 7, "OT OT|OT|"},
    {"the post is missing", WINDOW START COMPLETE, 7, "OT OT||"},
    {"complete is missing", WINDOW START POST(01, 02) WAIT "incomplete 0 killed\n", 7, "OT|O OT|"},
    /* rank 0's next complete enters at 3 us or later; it may have waited for a post behind that, and needs none after
       all */
    {"posted as complete began", WINDOW START COMPLETE POST(03, 04) WAIT, 7, "- T|- T|"},
    {"posted behind complete", WINDOW START COMPLETE POST(04, 04) WAIT, 7, "K KT|K KT|"},
    {"posted behind the last complete", WINDOW START COMPLETE AT(0, 08, 09) "MPI_Finalize\n" POST(04, 04) WAIT, 7,
     "- T T|- T|"},
    {"posted behind the end of rank 0",
     WINDOW START COMPLETE AT(0, 08, 09) "MPI_Finalize\n" POST(10, 10) AT(1, 10, 11) "MPI_Win_wait win=0\n", 20,
     "- - T|- T|"},
};

#define FENCE(a, b)                                                                                                    \
    AT(0, a, b) "MPI_Win_fence win=0\n" AT(1, a, b) "MPI_Win_fence win=0\n" AT(2, a, b) "MPI_Win_fence win=0\n"
#define FREE                                                                                                           \
    AT(0, 70, 71) "MPI_Win_free win=0\n" AT(1, 70, 71) "MPI_Win_free win=0\n" AT(2, 70, 71) "MPI_Win_free win=0\n"
#define PUT(a, b) AT(0, a, b) "MPI_Put win=0 target=1 bytes=8\n"

static const struct row fences[] = {
    {"the last fence stays", WINDOW FENCE(01, 02) FENCE(03, 04), 90, "- KT|- KT|- KT"},
    {"a put keeps its fences", WINDOW FENCE(01, 02) PUT(02, 02) FENCE(03, 04), 90, "K K KT|K KT|K KT"},
    {"a third fence makes it final", WINDOW FENCE(01, 02) PUT(02, 02) FENCE(03, 04) FENCE(05, 06), 90,
     "- - - KT|- - KT|- - KT"},
    {"a third fence of one rank does not",
     WINDOW FENCE(01, 02) PUT(02, 02) FENCE(03, 04) AT(0, 05, 06) "MPI_Win_fence win=0\n", 90, "K K K OKT|K KT|K KT"},
    {"freed", WINDOW FENCE(01, 02) PUT(02, 02) FENCE(03, 04) FREE, 90, "- - - T|- - T|- - T"},
    {"freed by one rank", WINDOW FENCE(01, 02) FENCE(03, 04) AT(0, 70, 71) "MPI_Win_free win=0\n", 90,
     "- K OT|- KT|- KT"},
    {"a put that no fence follows", WINDOW FENCE(01, 02) FENCE(03, 04) PUT(05, 05), 90, "- K OT|- KT|- KT"},
};

#define SEND(a, peer, tag) AT(0, a, a) "MPI_Send comm=0 peer=" peer " tag=" #tag " bytes=8\n"
#define RECV(a, peer, tag) AT(1, a, a) "MPI_Recv comm=0 peer=" peer " tag=" #tag " bytes=8\n"

#define PROBE(name, a, rest) AT(1, a, a) "MPI_" name " comm=0 peer=0 tag=7" rest "\n"
#define MATCHED(a)           PROBE("Mrecv", a, " bytes=8")

/* Up to 64 bytes a send may be overtaken by others. */
static const struct row messages[] = {
    {"to MPI_PROC_NULL", SEND(01, "-", 1) BARRIER_3, 90, "- T|T|T"},
    {"from MPI_PROC_NULL", RECV(01, "-", 1) BARRIER_3, 90, "T|- T|T"},
    {"sent, not received", SEND(01, "1", 1) BARRIER_3, 90, "O T|T|T"},
    {"received, not sent", RECV(01, "0", 1) BARRIER_3, 90, "T|O T|T"},
    {"both sides", SEND(01, "1", 1) RECV(02, "0", 1) BARRIER_3, 90, "S T|R T|T"},
    {"the last call is a send", SEND(01, "1", 1) RECV(02, "0", 1), 90, "KHST|KRT|"},
    {"a send that another one overtook", SEND(01, "1", 1) SEND(02, "1", 2) RECV(03, "0", 2) BARRIER_3, 90,
     "O KS T|KUR T|T"},
    {"the first of two that were overtaken counts",
     SEND(01, "1", 1) SEND(02, "1", 2) SEND(03, "1", 1) RECV(04, "0", 2) BARRIER_3, 90, "O KS O T|KUR T|T"},
    {"a send to another rank overtakes none", SEND(01, "2", 1) SEND(02, "1", 2) RECV(03, "0", 2) BARRIER_3, 90, "O S T|R T|T"},
    {"of equal begins none overtook", SEND(01, "1", 1) SEND(01, "1", 2) RECV(03, "0", 2) BARRIER_3, 90, "O S T|R T|T"},
    {"a long send", AT(0, 01, 01) "MPI_Send comm=0 peer=1 tag=1 bytes=65\n" SEND(02, "1", 2) RECV(03, "0", 2) BARRIER_3,
     90, "O S T|R T|T"},
    {"a request without an end", AT(0, 01, 01) "MPI_Isend comm=0 peer=- tag=1 bytes=8 req=1\n" BARRIER_3, 90,
     "KH T|T|T"},
    {"a request with its end",
     AT(0, 01, 01) "MPI_Isend comm=0 peer=- tag=1 bytes=8 req=1\n" AT(0, 02, 02) "MPI_Wait req=1\n" BARRIER_3, 90,
     "D - T|T|T"},
    {"a request whose message is missing",
     AT(0, 01, 01) "MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1\n" AT(0, 02, 02) "MPI_Wait req=1\n" BARRIER_3, 90,
     "OH O T|T|T"},
    {"two requests, one message missing",
     AT(0, 01, 01) "MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1\n" AT(
         0, 01, 01) "MPI_Isend comm=0 peer=- tag=1 bytes=8 req=2\n" AT(0, 02, 02) "MPI_Waitall reqs=1,2\n" BARRIER_3,
     90, "OH KH O T|T|T"},
    /* a waitall that ends at the watermark completes an operation of a lock_all that lasts on: the operation is not final, and
       so the message beside it is not either; a lock_all itself keeps no times */
    {"a request beside an operation that is not final",
     WINDOW AT(0, 00, 00) "MPI_Win_lock_all win=0\n" AT(0, 01, 01) "MPI_Rget win=0 target=1 bytes=8 req=1\n" AT(
         0, 01, 01) "MPI_Isend comm=0 peer=- tag=1 bytes=8 req=2\n" AT(0, 02, 02) "MPI_Waitall reqs=1,2\n" BARRIER_3,
     2, "O O KHT OKT T|T|T"},
    {"a request beside an operation that is",
     WINDOW AT(0, 00, 00) "MPI_Win_lock_all win=0\n" AT(0, 01, 01) "MPI_Rget win=0 target=1 bytes=8 req=1\n" AT(
         0, 01, 01) "MPI_Isend comm=0 peer=- tag=1 bytes=8 req=2\n" AT(0, 02, 02) "MPI_Waitall reqs=1,2\n" BARRIER_3,
     3, "O - D T T|T|T"},
    /* a sendrecv waits for what it receives; what it sends is kept */
    {"without source", AT(0, 01, 01) "MPI_Sendrecv comm=0 peer=1 tag=1 source=- recvtag=2 bytes=8 received=0\n" BARRIER_3,
     90, "K T|T|T"},
    {"without destination",
     AT(0, 01, 01) "MPI_Sendrecv comm=0 peer=- tag=1 source=1 recvtag=2 bytes=0 received=8\n" BARRIER_3, 90, "O T|T|T"},
    /* a matched probe goes and stays with the message that it took out */
    {"a matched probe", SEND(01, "1", 7) PROBE("Mprobe", 02, "") MATCHED(03) BARRIER_3, 90, "S T|R R T|T"},
    {"a matched probe of a message that is kept", SEND(01, "1", 7) PROBE("Mprobe", 02, "") MATCHED(03), 90, "KHST|KR KRT|"},
    {"a matched probe whose message is missing", PROBE("Mprobe", 02, "") BARRIER_3, 90, "T|O T|T"},
    {"an improbe that found one", SEND(01, "1", 7) PROBE("Improbe", 02, " flag=1") MATCHED(03) BARRIER_3, 90, "S T|R R T|T"},
    {"an improbe that lacks its message", PROBE("Improbe", 02, " flag=1") BARRIER_3, 90, "T|O T|T"},
    {"an improbe that found none", PROBE("Improbe", 02, " flag=0") BARRIER_3, 90, "T|- T|T"},
    {"an iprobe takes none out", PROBE("Iprobe", 02, " flag=1") BARRIER_3, 90, "T|- T|T"},
    {"a barrier of two", AT(0, 01, 02) "MPI_Barrier comm=0\n" AT(1, 01, 02) "MPI_Barrier comm=0\n", 90, "OT|OT|"},
};

/* A wait for progress that ended before the watermark is examined now; one that ends there or later is late, and the times behind
 * the earliest of these stay, with the last call before them. */
#define SIMULATED "property simulated=1 platform=p engine=loggp semantics=a lock=blocking\n" WINDOW
#define WAITS(a, b, until)                                                                                             \
    AT(0, a, b) "MPI_Send comm=0 peer=- tag=1 bytes=8 progress_from=0.000001 progress_until=0.0000" #until "\n"

static const struct row progress[] = {
    {"before the watermark", SIMULATED WAITS(01, 05, 04) BARRIER_3, 5, "T T|T|T"},
    {"at the watermark", SIMULATED WAITS(01, 04, 04) BARRIER_3, 4, "TL T|T|T"},
};

static void expect_marks(const struct row *row)
{
    char text[2000], found[200] = "", *end = found;
    struct slice_state state = {.flags = NULL};
    struct relations relations;
    struct err err;
    snprintf(text, sizeof text, "ranks 3\n%s", row->text);
    struct trace *trace = trace_of(text);
    if (relations_build(trace, &relations, &err) != STATUS_OK) fail_msg("%s: %s", row->what, err.text);
    relations.state = &state;
    const struct slice_limits limits = {.time_ps = row->watermark_us * US, .eager_bytes = 64};
    assert_int_equal(mark_final(&state, &relations, limits, false, &err), STATUS_OK);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (r > 0) *end++ = '|';
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            if (i > 0) *end++ = ' ';
            write_flags(state.flags[r][i], end);
            end += strlen(end);
        }
    }
    *end = '\0';
    if (strcmp(found, row->marks) != 0) fail_msg("%s: %s, expected %s", row->what, found, row->marks);
    slice_state_clear(&state);
    relations_clear(&relations);
    trace_free(trace);
}

static void marks_of_locks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) expect_marks(&locks[i]);
}

static void marks_of_epochs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++) expect_marks(&epochs[i]);
}

static void marks_of_fences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) expect_marks(&fences[i]);
}

static void marks_of_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) expect_marks(&messages[i]);
}

static void marks_of_progress(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof progress / sizeof *progress; i++) expect_marks(&progress[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_of_locks),
        cmocka_unit_test(marks_of_epochs),
        cmocka_unit_test(marks_of_fences),
        cmocka_unit_test(marks_of_messages),
        cmocka_unit_test(marks_of_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
