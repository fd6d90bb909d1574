/* The calls of all ranks of one run as one program, on a line of ranks. Texts of steps: function, partner, group,
 * request, who takes it; worked out from the rules of predictors/scale/program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/scale/merge.h"
#include "transform_test.h"

static void write_partner(const struct partner *partner, FILE *out)
{
    static const char *const kinds[] = {"", "first", "last", "rank ", "", "series"};
    fputs(kinds[partner->kind], out);
    if (partner->kind == PARTNER_RANK) fprintf(out, "%d", partner->rank);
    if (partner->kind == PARTNER_OFFSET) fprintf(out, "%+d", partner->offset.of[0]);
    if (partner->kind == PARTNER_OFFSET && partner->offset.of[1] != 0) fprintf(out, ",%+d", partner->offset.of[1]);
}

static void write_step(const struct step *step, FILE *out)
{
    static const char *const takers[] = {
        "", " @first", " @not first", " @last", " @not last", " @inner", " @ends", " @even", " @odd"};
    if (step->kind != STEP_CALL)
        fprintf(out, "body of %zu", step->count);
    else
        fputs(call_name(step->call.call) + strlen("MPI_"), out);
    for (int k = 0; k < STEP_PARTNERS; k++) {
        if (step->partners[k].kind != PARTNER_NONE) fputc(' ', out);
        write_partner(&step->partners[k], out);
    }
    if (step->members.kind == MEMBERS_ALL) fputs(" all", out);
    if (step->members.kind == MEMBERS_OTHERS) fputs(" others", out);
    for (size_t i = 0; i < step->members.count; i++) {
        fputc(i ? ',' : ' ', out);
        write_partner(&step->members.listed[i], out);
    }
    if (step->waits == WAIT_ALL) fputs(" every", out);
    if (step->waits == WAIT_SOME) fputs(" some", out);
    if (step->kind == STEP_CALL && step->waits >= 0) fprintf(out, " #%d", step->waits);
    if (step->null_outside) fputs(" or null", out);
    fputs(takers[step->takers], out);
}

/* The steps of the run, or why there is no program. The caller frees it. */
static char *program_on(enum grid_rule rule, const char *text)
{
    struct trace *trace = test_read(text);
    struct keys keys;
    const struct tags tags = {.site_count = 0};
    struct run run;
    struct err err;
    char *made;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    struct nodes *nodes = calloc(trace->rank_count, sizeof *nodes);
    struct program program = {.comms = calloc(8, sizeof *program.comms), .windows = calloc(8, sizeof *program.windows)};
    const struct grid_shape shape = {.rule = rule};
    static const struct statistics none;
    assert_true(out && nodes && program.comms && program.windows);
    if (keys_open(&keys, &err) != STATUS_OK) fail_msg("%s", err.text);
    keys.tags = &tags;
    if (run_observe(trace, &none, &keys, &run, &err) != STATUS_OK) fail_msg("%s", err.text);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (loops_find(&run, r, &nodes[r], &err) != STATUS_OK) fail_msg("%s", err.text);
    if (merge_ranks(&run, &keys, nodes, &shape, &program, &err) != STATUS_OK) fputs(err.text, out);
    for (size_t i = 0; i < program.count; i++) {
        fputs(i ? "; " : "", out);
        write_step(&program.steps[i], out);
    }
    fclose(out);
    steps_free(program.steps, program.count);
    free(program.comms);
    free(program.windows);
    for (uint32_t r = 0; r < trace->rank_count; r++) nodes_free(nodes[r].items, nodes[r].count);
    free(nodes);
    run_clear(&run);
    keys_clear(&keys);
    trace_free(trace);
    return made;
}

#define BCAST(rank, root)  #rank " 0 0 MPI_Bcast comm=0 root=" #root " bytes=8\n"
#define POST(rank, group)  #rank " 0 0 MPI_Win_post win=0 group=" group "\n" #rank " 0 0 MPI_Win_wait win=0\n"
#define START(rank, group) #rank " 0 0 MPI_Win_start win=0 group=" group "\n" #rank " 0 0 MPI_Win_complete win=0\n"
#define ISENDS(rank)                                                                                                   \
#rank " 0 0 MPI_Isend comm=0 peer=- tag=1 bytes=0 req=1\n" #rank                                                   \
          " 0 0 MPI_Isend comm=0 peer=- tag=2 bytes=0 req=2\n"
#define WAIT(rank, request) #rank " 0 0 MPI_Wait req=" #request "\n"
#define IRECV(rank, peer, request) #rank " 0 0 MPI_Irecv comm=0 peer=" peer " tag=0 bytes=0 req=" #request "\n"
#define ISEND(rank, peer, request) #rank " 0 0 MPI_Isend comm=0 peer=" peer " tag=0 bytes=0 req=" #request "\n"
#define WAITALL(rank, requests)    #rank " 0 0 MPI_Waitall reqs=" requests "\n"
#define BARRIER(rank)       #rank " 0 0 MPI_Barrier comm=0\n"
#define SEND(rank, peer)    #rank " 0 0 MPI_Send comm=0 peer=" peer " tag=0 bytes=0\n"
#define RECV(rank, peer)    #rank " 0 0 MPI_Recv comm=0 peer=" peer " tag=0 bytes=0\n"

static const struct {
    const char *text, *program;
} rows[] = {
    /* the first place before the last one, and both before any other */
    {"ranks 1\n" BCAST(0, 0), "Bcast first"},
    {"ranks 3\n" BCAST(0, 0) BCAST(1, 0) BCAST(2, 0), "Bcast first"},
    {"ranks 3\n" BCAST(0, 1) BCAST(1, 1) BCAST(2, 1), "Bcast rank 1"},
    {"ranks 3\n" BCAST(0, 2) BCAST(1, 2) BCAST(2, 2), "Bcast last"},
    /* of two ranks the other one is a neighbour, of three both others are all others */
    {"ranks 2\nwindow 0 comm=0\n" POST(0, "1") POST(1, "0") START(0, "1") START(1, "0"),
     "Win_post +1,-1; Win_wait; Win_start +1,-1; Win_complete"},
    {"ranks 3\nwindow 0 comm=0\n" POST(0, "1,2") POST(1, "0,2") POST(2, "0,1") START(0, "1,2") START(1, "0,2")
         START(2, "0,1"),
     "Win_post others; Win_wait; Win_start others; Win_complete"},
    {"ranks 2\nwindow 0 comm=0\n" POST(0, "0,1") POST(1, "0,1") START(0, "0,1") START(1, "0,1"),
     "Win_post all; Win_wait; Win_start all; Win_complete"},
    /* each neighbour once */
    {"ranks 4\nwindow 0 comm=0\n" POST(0, "1") POST(1, "0,2") POST(2, "1,3") POST(3, "2") START(0, "1") START(1, "0,2")
         START(2, "1,3") START(3, "2"),
     "Win_post +1,-1; Win_wait; Win_start +1,-1; Win_complete"},
    /* local calls, those of a communicator of the rank alone, and tests without success are left out */
    {"ranks 2\ncomm 1 ranks=0\n0 0 0 MPI_Comm_group comm=0\n0 0 0 MPI_Bcast comm=1 root=0 bytes=8\n" BARRIER(0)
         "1 0 0 MPI_Iprobe comm=0 peer=0 tag=0 flag=0\n" BARRIER(1),
     "Barrier"},
    /* sends first, then receives: who lacks a neighbour waits for fewer of a kind, at other places */
    {"ranks 3\n" IRECV(0, "1", 1) ISEND(0, "1", 2) WAITALL(0, "2") WAITALL(0, "1") IRECV(1, "0", 1) IRECV(1, "2", 2)
         ISEND(1, "0", 3) ISEND(1, "2", 4) WAITALL(1, "3,4") WAITALL(1, "1,2") IRECV(2, "1", 1) ISEND(2, "1", 2) WAITALL(2, "2")
             WAITALL(2, "1"),
     "Irecv -1; Irecv +1; Isend -1; Isend +1; Waitall some; Waitall every"},
    /* a wait for any of two is one for the first; the other one is what the next wait finds. A test with success is a wait */
    {"ranks 2\n" ISENDS(0) "0 0 0 MPI_Waitany reqs=2\n0 0 0 MPI_Waitany reqs=1\n" ISENDS(1) "1 0 0 MPI_Waitsome reqs=2,1\n",
     "Isend; Isend; Wait #0; Wait #0"},
    {"ranks 1\n" ISENDS(0) "0 0 0 MPI_Test req=2 flag=0\n0 0 0 MPI_Test req=2 flag=1\n0 0 0 MPI_Testall reqs=1 flag=1\n",
     "Isend; Isend; Wait #1; Waitall every"},
    /* who has no neighbour has no call, or one with MPI_PROC_NULL */
    {"ranks 3\n" SEND(0, "1") RECV(1, "0") SEND(1, "2") RECV(2, "1"), "Recv -1; Send +1"},
    {"ranks 3\n" RECV(0, "-") SEND(0, "1") RECV(1, "0") SEND(1, "2") RECV(2, "1") SEND(2, "-"),
     "Recv -1 or null; Send +1 or null"},
    /* waits for requests of different calls are different steps; where either may come first, that of the lower rank does */
    {"ranks 2\n" ISENDS(0) WAIT(0, 1) BARRIER(0) WAIT(0, 2) ISENDS(1) WAIT(1, 1) BARRIER(1) WAIT(1, 2),
     "Isend; Isend; Wait #0; Barrier; Wait #0"},
    {"ranks 2\n" ISENDS(0) WAIT(0, 1) BARRIER(0) WAIT(0, 2) ISENDS(1) WAIT(1, 2) BARRIER(1) WAIT(1, 1),
     "Isend; Isend; Wait #0 @first; Wait #1 @not first; Barrier; Wait #0 @first; Wait #0 @not first"},
    {"ranks 2\n" ISENDS(0) WAIT(0, 2) BARRIER(0) WAIT(0, 1) ISENDS(1) WAIT(1, 1) BARRIER(1) WAIT(1, 2),
     "Isend; Isend; Wait #1 @first; Wait #0 @not first; Barrier; Wait #0 @first; Wait #0 @not first"},
};

static void ranks_become_one_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *program = program_on(GRID_LINE, rows[i].text);
        if (strcmp(program, rows[i].program) != 0) fail_msg("row %zu: %s, expected %s", i, program, rows[i].program);
        free(program);
    }
}

/* A front that runs over a grid of 2 x 2. Rank 3 receives from the left before it does from below, rank 2 from below before it
 * sends, rank 1 from the left before it sends, rank 0 sends to the right first. So the order is that of the program, receive
 * from the left, from below, send to the right, upwards; though no rank both receives from the left and sends to the right. */
static void order_goes_through_ranks(void **state)
{
    (void)state;
    char *program = program_on(GRID_SQUARE, "ranks 4\n" SEND(0, "1") SEND(0, "2") RECV(1, "0") SEND(1, "3") RECV(2, "0")
                                                SEND(2, "3") RECV(3, "2") RECV(3, "1"));
    assert_string_equal(program, "Recv -1; Recv +0,-1; Send +1; Send +0,+1");
    free(program);
}

/* A call of ranks 0 and 2 of four follows from no place. */
static void takers_follow_from_places(void **state)
{
    static const struct {
        int takers;
        const char *program;
    } sets[] = {{0xf, "Send; Barrier"},
                {0x1, "Send @first; Barrier"},
                {0xe, "Send @not first; Barrier"},
                {0x8, "Send @last; Barrier"},
                {0x7, "Send @not last; Barrier"},
                {0, "Barrier"},
                {0x6, "Send @inner; Barrier"},
                {0x9, "Send @ends; Barrier"},
                {0x5, "rank 0 and some others, but not all, call MPI_Send"},
                {0xd, "rank 0 and some others, but not all"}};
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char text[1000];
        int length = snprintf(text, sizeof text, "ranks 4\n");
        for (int r = 0; r < 4; r++)
            length +=
                snprintf(text + length, sizeof text - (size_t)length,
                         "%.*s"
                         "%d 0 0 MPI_Barrier comm=0\n",
                         sets[i].takers >> r & 1 ? 100 : 0,
                         (const char *const[]){SEND(0, "-"), SEND(1, "-"), SEND(2, "-"), SEND(3, "-")}[r],
                         r);
        char *program = program_on(GRID_LINE, text);
        if (!strstr(program, sets[i].program) || (program[0] != 'S' && i < 5)) fail_msg("set %zu: %s", i, program);
        free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_become_one_program),
        cmocka_unit_test(order_goes_through_ranks),
        cmocka_unit_test(takers_follow_from_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
