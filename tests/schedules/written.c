/* written [MOST_BYTES]: makes each collective call of MPICH and behind it the schedule that is written for it in
 * schedule.h: both send the same messages, to the same ranks in the same order, of the same bytes. 0 as MOST_BYTES:
 * only calls that are others among many ranks. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/schedules/schedule.h"

enum { BYTES_MAX = 600000, MESSAGES_MAX = 4096, DERIVED = 1 };

extern int sent_on, sent_count;
extern size_t sent_bytes[];
extern void *sent_endpoint[];
extern bool sent_synchronous[];

struct message {
    void *endpoint;
    size_t bytes;
    bool synchronous;
};

static int rank, size, compared, wrong;
static void *own_endpoint;
static char *in, *out;
static struct message made[MESSAGES_MAX];
static int made_count;

static void schedule_send(const struct party *party, int to, long bytes, MPI_Request *request)
{
    MPI_Isend(in, (int)bytes, MPI_BYTE, to, 0, party->comm, request);
}

static void schedule_send_synchronous(const struct party *party, int to, long bytes, MPI_Request *request)
{
    MPI_Issend(in, (int)bytes, MPI_BYTE, to, 0, party->comm, request);
}

static void schedule_receive(const struct party *party, int from, MPI_Request *request)
{
    MPI_Irecv(out, BYTES_MAX * size, MPI_BYTE, from, 0, party->comm, request);
}

static void schedule_take(const struct party *party, int count, MPI_Request *requests, const int *sources)
{
    (void)party, (void)sources;
    finish(count, requests);
}

static void begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    sent_count = 0;
    sent_on = 1;
}

/* What a rank sends to itself meets no network. */
static void keep_sent(void)
{
    sent_on = made_count = 0;
    for (int i = 0; i < sent_count; i++)
        if (sent_endpoint[i] != own_endpoint)
            made[made_count++] = (struct message){sent_endpoint[i], sent_bytes[i], sent_synchronous[i]};
}

/* What was sent since begin() is what MPICH had sent. */
static void compare(const char *name, long bytes, bool later)
{
    sent_on = 0;
    bool good = sent_count == made_count;
    for (int i = 0; good && i < sent_count; i++)
        good = sent_endpoint[i] == made[i].endpoint && sent_synchronous[i] == made[i].synchronous &&
               (sent_bytes[i] == made[i].bytes || made[i].bytes == DERIVED);
    compared += sent_count;
    if (good) return;
    wrong++;
    printf("rank %d of %d, MPI_%s%s of %ld bytes\n  MPICH:   ", rank, size, later ? "I" : "", name, bytes);
    for (int i = 0; i < made_count; i++) printf(" %zu%s", made[i].bytes, made[i].synchronous ? "s" : "");
    printf("\n  written: ");
    for (int i = 0; i < sent_count; i++)
        printf(" %zu%s", sent_bytes[i], i < made_count && made[i].endpoint != sent_endpoint[i] ? "(to another)" : "");
    printf("\n");
}

#define BOTH(NAME, LATER, BYTES, CALL, SCHEDULE)                                                                       \
    do {                                                                                                               \
        struct party party = party_of(MPI_COMM_WORLD, LATER);                                                          \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        begin();                                                                                                       \
        CALL;                                                                                                          \
        if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);                                        \
        keep_sent();                                                                                                   \
        begin();                                                                                                       \
        SCHEDULE;                                                                                                      \
        (void)party;                                                                                                   \
        compare(#NAME, BYTES, LATER);                                                                                  \
    } while (0)

/* The blocking and the non-blocking collective; ARGUMENTS in parentheses, the non-blocking one's with the request. */
#define ALL MPI_COMM_WORLD
#define ALIKE(NAME, I_NAME, BYTES, SCHEDULE, ...)                                                                      \
    BOTH(NAME, false, BYTES, MPI_##NAME(__VA_ARGS__), SCHEDULE);                                                       \
    BOTH(NAME, true, BYTES, MPI_##I_NAME(__VA_ARGS__, &request), SCHEDULE)

static void call_equal(int n, int root)
{
    int d = n / 8;
    long counts[PARTY_MAX];
    for (int i = 0; i < size; i++) counts[i] = n;
    ALIKE(Barrier, Ibarrier, 0, schedule_barrier(&party), ALL);
    ALIKE(Bcast, Ibcast, n, schedule_bcast(&party, root, n), in, n, MPI_BYTE, root, ALL);
    ALIKE(Gather, Igather, n, schedule_gather(&party, root, n), in, n, MPI_BYTE, out, n, MPI_BYTE, root, ALL);
    ALIKE(Scatter, Iscatter, n, schedule_scatter(&party, root, n), in, n, MPI_BYTE, out, n, MPI_BYTE, root, ALL);
    ALIKE(Allgather, Iallgather, n, schedule_allgather(&party, n), in, n, MPI_BYTE, out, n, MPI_BYTE, ALL);
    ALIKE(Alltoall, Ialltoall, n, schedule_alltoall(&party, n), in, n, MPI_BYTE, out, n, MPI_BYTE, ALL);
    ALIKE(Reduce, Ireduce, n, schedule_reduce(&party, root, n, 8), in, out, d, MPI_DOUBLE, MPI_SUM, root, ALL);
    ALIKE(Allreduce, Iallreduce, n, schedule_allreduce(&party, n, 8, party.later ? 2048 : 8), in, out, d, MPI_DOUBLE,
          MPI_SUM, ALL);
    ALIKE(Scan, Iscan, n, schedule_scan(&party, n), in, out, d, MPI_DOUBLE, MPI_SUM, ALL);
    ALIKE(Exscan, Iexscan, n, schedule_scan(&party, n), in, out, d, MPI_DOUBLE, MPI_SUM, ALL);
    ALIKE(Reduce_scatter_block, Ireduce_scatter_block, n,
          schedule_reduce_scatter(&party, counts, (party.later ? n / 8 : n) * (long)size < 524288), in, out, d,
          MPI_DOUBLE, MPI_SUM, ALL);
}

/* every: of this many ranks one has nothing to send; 0: all have n bytes. */
static void call_counted(int n, int root, int every)
{
    int counts[PARTY_MAX] = {0}, places[PARTY_MAX], elements[PARTY_MAX], all = 0;
    long bytes[PARTY_MAX], to[PARTY_MAX], from[PARTY_MAX];
    MPI_Datatype types[PARTY_MAX];
    for (int i = 0; i < size; i++) {
        bytes[i] = counts[i] = every && i % every == every - 1 ? 0 : n;
        elements[i] = counts[i] / 8;
        places[i] = all;
        all += counts[i];
        to[i] = counts[i];
        types[i] = MPI_BYTE;
    }
    int mine = counts[rank], from_all[PARTY_MAX];
    for (int i = 0; i < size; i++) from[i] = from_all[i] = mine;
    ALIKE(Gatherv, Igatherv, n, schedule_gatherv(&party, root, bytes), in, mine, MPI_BYTE, out, counts, places,
          MPI_BYTE, root, ALL);
    ALIKE(Scatterv, Iscatterv, n, schedule_scatterv(&party, root, bytes), in, counts, places, MPI_BYTE, out, mine,
          MPI_BYTE, root, ALL);
    ALIKE(Allgatherv, Iallgatherv, n, schedule_allgatherv(&party, bytes), in, mine, MPI_BYTE, out, counts, places,
          MPI_BYTE, ALL);
    ALIKE(Alltoallv, Ialltoallv, n, all_at_once(&party, to, from), in, counts, places, MPI_BYTE, out, from_all, places,
          MPI_BYTE, ALL);
    ALIKE(Alltoallw, Ialltoallw, n, all_at_once(&party, to, from), in, counts, places, types, out, from_all, places,
          types, ALL);
    ALIKE(Reduce_scatter, Ireduce_scatter, n, schedule_reduce_scatter(&party, bytes, all < 524288), in, out, elements,
          MPI_DOUBLE, MPI_SUM, ALL);
}

/* A ring whose ranks also send to the one after the next. */
static void call_neighbours(int n)
{
    int sources[] = {(rank + size - 1) % size, (rank + size - 2) % size};
    int targets[] = {(rank + 1) % size, (rank + 2) % size};
    int counts[] = {n, n / 2}, places[] = {0, n};
    MPI_Aint shifts[] = {0, n};
    MPI_Datatype types[] = {MPI_BYTE, MPI_BYTE};
    long equal[] = {n, n}, unequal[] = {n, n / 2};
    MPI_Comm graph;
    if (size < 3) return;
    MPI_Dist_graph_create_adjacent(ALL, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
#define NEIGHBOURS(BYTES) (party.comm = graph, schedule_neighbours(&party, 2, sources, 2, targets, BYTES))
    ALIKE(Neighbor_allgather, Ineighbor_allgather, n, NEIGHBOURS(equal), in, n, MPI_BYTE, out, n, MPI_BYTE, graph);
    ALIKE(Neighbor_allgatherv, Ineighbor_allgatherv, n, NEIGHBOURS(equal), in, n, MPI_BYTE, out, (int[]){n, n}, places,
          MPI_BYTE, graph);
    ALIKE(Neighbor_alltoall, Ineighbor_alltoall, n, NEIGHBOURS(equal), in, n, MPI_BYTE, out, n, MPI_BYTE, graph);
    ALIKE(Neighbor_alltoallv, Ineighbor_alltoallv, n, NEIGHBOURS(unequal), in, counts, places, MPI_BYTE, out, counts,
          places, MPI_BYTE, graph);
    ALIKE(Neighbor_alltoallw, Ineighbor_alltoallw, n, NEIGHBOURS(unequal), in, counts, shifts, types, out, counts,
          shifts, types, graph);
    MPI_Comm_free(&graph);
}

static void make_communicators(void)
{
    MPI_Comm other, half;
    MPI_Group group;
    MPI_Comm_group(ALL, &group);
    MPI_Comm_split(ALL, rank % 2, rank, &half);
    struct party of_half = party_of(half, false);
#define MAKE(NAME, MADE, GATHERS, DOUBLING, ...)                                                                       \
    BOTH(NAME, false, 0, MPI_##NAME(__VA_ARGS__, &other), schedule_comm_create(&party, MADE, GATHERS, DOUBLING));      \
    MPI_Comm_free(&other)
    MAKE(Comm_dup, &party, false, false, ALL);
    MAKE(Comm_create, &party, false, false, ALL, group);
    MAKE(Comm_create_group, &party, false, true, ALL, group, 7);
    MAKE(Comm_split, &of_half, true, false, ALL, rank % 2, rank);
    MAKE(Cart_create, &party, false, false, ALL, 1, &size, &(int){1}, 0);
    BOTH(Comm_idup, false, 0, MPI_Comm_idup(ALL, &other, &request), schedule_comm_create(&party, &party, false, true));
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    MPI_Group_free(&group);
}

static void learn_own_endpoint(void)
{
    MPI_Request request;
    MPI_Irecv(out, 1, MPI_BYTE, rank, 1, ALL, &request);
    begin();
    MPI_Send(in, 1, MPI_BYTE, rank, 1, ALL);
    sent_on = 0;
    own_endpoint = sent_count > 0 ? sent_endpoint[0] : NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const int bytes[] = {8, 256, 264, 2048, 2056, 12288, 12296, 32776, 65536, 524288};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ALL, &rank);
    MPI_Comm_size(ALL, &size);
    in = calloc((size_t)size, BYTES_MAX);
    out = calloc((size_t)size, BYTES_MAX);
    if (!in || !out || size > PARTY_MAX) return 1;
    learn_own_endpoint();
    int most = argc > 1 ? atoi(argv[1]) : INT_MAX;
    bool few = most == 0; /* only what is another one among many ranks */
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes && bytes[i] <= most; i++) {
        int root = i % 2 ? size / 2 : size - 1;
        call_equal(bytes[i], root);
        call_counted(bytes[i], root, i / 2 % 2 ? 3 : 0);
        call_neighbours(bytes[i]);
    }
    if (few) call_counted(8, 0, 3);
    if (!few) make_communicators();
    int all[2] = {compared, wrong}, sum[2];
    MPI_Reduce(all, sum, 2, MPI_INT, MPI_SUM, 0, ALL);
    if (rank == 0) printf("%d messages, %d calls differ\n", sum[0], sum[1]);
    MPI_Finalize();
    return wrong > 0;
}
