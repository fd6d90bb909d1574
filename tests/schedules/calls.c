/* calls DIRECTORY: makes collective calls of all kinds, and writes for each rank R what it called as lines of a text trace
 * (DIRECTORY/calls.R) and, line for line, the bytes of the messages that it sent for it (DIRECTORY/sent.R). Sizes stand on
 * both sides of each limit of MPICH 4.0.2's tuning table. */
#include <ctype.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MAX = 16, BYTES_MAX = 600000 };

extern int sent_on, sent_count;
extern size_t sent_bytes[];

static int rank, size;
static char *in, *out;
static int counts[RANKS_MAX], places[RANKS_MAX];
static FILE *calls, *sent;
static int comms = 1;

static void begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    sent_count = 0;
    sent_on = 1;
}

static void end(MPI_Request *request)
{
    if (request && *request != MPI_REQUEST_NULL) MPI_Wait(request, MPI_STATUS_IGNORE);
    sent_on = 0;
    for (int i = 0; i < sent_count; i++) fprintf(sent, " %zu", sent_bytes[i]);
    fputc('\n', sent);
}

static void say(const char *name, bool later, const char *keys, long bytes)
{
    static long requests;
    if (later)
        fprintf(calls, "%d 0 0 MPI_I%c%s comm=0 %s bytes=%ld req=%ld", rank, tolower(name[0]), name + 1, keys, bytes,
                ++requests);
    else
        fprintf(calls, "%d 0 0 MPI_%s comm=0 %s bytes=%ld", rank, name, keys, bytes);
}

static void say_counts(void)
{
    fputs(" counts=", calls);
    for (int i = 0; i < size; i++) fprintf(calls, "%s%d", i ? "," : "", counts[i]);
}

/* CALL is the blocking call without its last parenthesis; the non-blocking one has a request more. */
#define MAKE(NAME, KEYS, BYTES, COUNTED, ...)                                                                          \
    do {                                                                                                               \
        say(#NAME, false, KEYS, BYTES);                                                                                \
        if (COUNTED) say_counts();                                                                                     \
        fputc('\n', calls);                                                                                            \
        begin();                                                                                                       \
        MPI_##NAME(__VA_ARGS__);                                                                                       \
        end(NULL);                                                                                                     \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        say(#NAME, true, KEYS, BYTES);                                                                                 \
        if (COUNTED) say_counts();                                                                                     \
        fputc('\n', calls);                                                                                            \
        begin();                                                                                                       \
        MAKE_LATER_##NAME(__VA_ARGS__, &request);                                                                      \
        end(&request);                                                                                                 \
    } while (0)
#define MAKE_LATER_Barrier MPI_Ibarrier
#define MAKE_LATER_Bcast MPI_Ibcast
#define MAKE_LATER_Reduce MPI_Ireduce
#define MAKE_LATER_Allreduce MPI_Iallreduce
#define MAKE_LATER_Gather MPI_Igather
#define MAKE_LATER_Scatter MPI_Iscatter
#define MAKE_LATER_Allgather MPI_Iallgather
#define MAKE_LATER_Alltoall MPI_Ialltoall
#define MAKE_LATER_Scan MPI_Iscan
#define MAKE_LATER_Exscan MPI_Iexscan
#define MAKE_LATER_Gatherv MPI_Igatherv
#define MAKE_LATER_Scatterv MPI_Iscatterv
#define MAKE_LATER_Allgatherv MPI_Iallgatherv
#define MAKE_LATER_Alltoallv MPI_Ialltoallv
#define MAKE_LATER_Reduce_scatter MPI_Ireduce_scatter
#define MAKE_LATER_Neighbor_allgather MPI_Ineighbor_allgather
#define MAKE_LATER_Neighbor_alltoall MPI_Ineighbor_alltoall
#define MAKE_LATER_Reduce_scatter_block MPI_Ireduce_scatter_block

#define WORLD MPI_COMM_WORLD

static void call_equal(int n)
{
    int doubles = n / 8, root = size / 2;
    char root_key[24];
    snprintf(root_key, sizeof root_key, "root=%d", root);
    MAKE(Bcast, root_key, n, 0, in, n, MPI_BYTE, root, WORLD);
    MAKE(Gather, root_key, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, root, WORLD);
    MAKE(Scatter, root_key, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, root, WORLD);
    MAKE(Allgather, "", n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, WORLD);
    MAKE(Alltoall, "", n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, WORLD);
    MAKE(Reduce, root_key, n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, root, WORLD);
    MAKE(Allreduce, "", n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, WORLD);
    MAKE(Scan, "", n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, WORLD);
    MAKE(Exscan, "", n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, WORLD);
    MAKE(Reduce_scatter_block, "", (long)n * size, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, WORLD);
}

/* Rank i has n bytes, every third one none. */
static void call_unequal(int n)
{
    int root = size - 1, mine = rank % 3 == 2 ? 0 : n, all = 0;
    char root_key[24];
    snprintf(root_key, sizeof root_key, "root=%d", root);
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3 == 2 ? 0 : n;
        places[i] = all;
        all += counts[i];
    }
    MAKE(Gatherv, root_key, mine, rank == root, in, mine, MPI_BYTE, out, counts, places, MPI_BYTE, root, WORLD);
    MAKE(Scatterv, root_key, mine, rank == root, in, counts, places, MPI_BYTE, out, mine, MPI_BYTE, root, WORLD);
    MAKE(Allgatherv, "", mine, 1, in, mine, MPI_BYTE, out, counts, places, MPI_BYTE, WORLD);
    int elements[RANKS_MAX];
    for (int i = 0; i < size; i++) elements[i] = counts[i] / 8;
    MAKE(Reduce_scatter, "", all, 1, in, out, elements, MPI_DOUBLE, MPI_SUM, WORLD);
}

/* Rank i gives rank j a block, or nothing: to itself it always does (its own block meets no network). */
static void call_sparse(int n)
{
    long sent = 0;
    int got[RANKS_MAX];
    for (int i = 0; i < size; i++) {
        counts[i] = i == rank || (rank + 2 * i) % 3 == 0 ? n : 0;
        got[i] = i == rank || (i + 2 * rank) % 3 == 0 ? n : 0;
        places[i] = i * n;
        sent += counts[i];
    }
    MAKE(Alltoallv, "", sent, 1, in, counts, places, MPI_BYTE, out, got, places, MPI_BYTE, WORLD);
}

static void call_equal_counts(int n)
{
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        places[i] = i * n;
    }
    MAKE(Allgatherv, "", n, 1, in, n, MPI_BYTE, out, counts, places, MPI_BYTE, WORLD);
    MAKE(Alltoallv, "", (long)n * size, 1, in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, WORLD);
    say("Reduce_scatter", false, "", (long)n * size);
    say_counts();
    fputc('\n', calls);
    int elements[RANKS_MAX];
    for (int i = 0; i < size; i++) elements[i] = n / 8;
    begin();
    MPI_Reduce_scatter(in, out, elements, MPI_DOUBLE, MPI_SUM, WORLD);
    end(NULL);
}

/* To the two ranks before, from the two behind. */
static void call_neighbours(int n)
{
    int before[] = {(rank + size - 1) % size, (rank + 2 * size - 2) % size}, behind[] = {(rank + 1) % size, (rank + 2) % size};
    MPI_Comm graph;
    char key[64];
    MPI_Dist_graph_create_adjacent(WORLD, 2, behind, MPI_UNWEIGHTED, 2, before, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    snprintf(key, sizeof key, "neighbours=%d,%d:%d,%d", behind[0], behind[1], before[0], before[1]);
    MAKE(Neighbor_allgather, key, 2L * n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, graph);
    MAKE(Neighbor_alltoall, key, 2L * n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, graph);
    MPI_Comm_free(&graph);
}

static void say_made(const char *name, int of_mine)
{
    fprintf(calls, "%d 0 0 MPI_%s comm=0 newcomm=%d\n", rank, name, comms + of_mine);
}

#define MAKE_COMM(NAME, OF_MINE, ...)                                                                                  \
    do {                                                                                                               \
        MPI_Comm made = MPI_COMM_NULL;                                                                                 \
        say_made(#NAME, OF_MINE);                                                                                      \
        begin();                                                                                                       \
        MPI_##NAME(__VA_ARGS__, &made);                                                                                \
        end(NULL);                                                                                                     \
        MPI_Comm_free(&made);                                                                                          \
    } while (0)

/* Of rank from[i] edges to the next degrees[i] ranks of `to`. */
static void make_graph(int count, const int *from, const int *degrees, const int *to)
{
    MPI_Comm made;
    int edges = 0;
    for (int i = 0; i < count; i++) edges += degrees[i];
    fprintf(calls, "%d 0 0 MPI_Dist_graph_create comm=0 newcomm=1 neighbours=", rank);
    for (int i = 0, k = 0; i < count; i++)
        for (int d = 0; d < degrees[i]; d++, k++) fprintf(calls, "%s%d", k ? "," : "", from[i]);
    fputc(':', calls);
    for (int k = 0; k < edges; k++) fprintf(calls, "%s%d", k ? "," : "", to[k]);
    fputc('\n', calls);
    begin();
    MPI_Dist_graph_create(WORLD, count, from, degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    end(NULL);
    MPI_Comm_free(&made);
}

/* Each rank names its own edges, those to itself, those of others, one rank all of a ring. */
static void make_graphs(void)
{
    int next = (rank + 1) % size, own[] = {rank, rank}, two[] = {2, 0}, others[] = {next, (rank + 2) % size};
    int one[RANKS_MAX], all[RANKS_MAX], after[RANKS_MAX];
    for (int i = 0; i < size; i++) {
        one[i] = 1;
        all[i] = i;
        after[i] = (i + 1) % size;
    }
    make_graph(1, own, two, others);
    make_graph(2, others, one, own);
    make_graph(rank % 2, &next, two, others);
    make_graph(rank == 0 ? size : 0, all, one, after);
}

/* Who gets no communicator takes part all the same; the types of a split by memory are the ranks, each as on a node of
 * its own. */
static void make_some(MPI_Group all)
{
    MPI_Comm made;
    MPI_Group even;
    int ranges[1][3] = {{0, size - 1, 2}};
    MPI_Group_range_incl(all, 1, ranges, &even);
    fprintf(calls, rank % 2 ? "%d 0 0 MPI_Comm_create comm=0\n" : "%d 0 0 MPI_Comm_create comm=0 newcomm=2\n", rank);
    begin();
    MPI_Comm_create(WORLD, even, &made);
    end(NULL);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    fprintf(calls, "%d 0 0 MPI_Comm_split_type comm=0\n", rank);
    begin();
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    end(NULL);
    MPI_Comm_free(&made);
    MPI_Group_free(&even);
}

/* The communicators made are defined by the test: 1 is of all ranks, 2 of the even ones, 3 of the odd ones. */
static void make_communicators(void)
{
    MPI_Group group;
    int neighbour = (rank + 1) % size, whole = 1;
    int index[RANKS_MAX], edges[RANKS_MAX];
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    MPI_Comm_group(WORLD, &group);
    MAKE_COMM(Comm_dup, 0, WORLD);
    MAKE_COMM(Comm_dup_with_info, 0, WORLD, MPI_INFO_NULL);
    MAKE_COMM(Comm_create, 0, WORLD, group);
    MAKE_COMM(Comm_create_group, 0, WORLD, group, 7);
    MAKE_COMM(Comm_split, 1 + rank % 2, WORLD, rank % 2, rank);
    MAKE_COMM(Cart_create, 0, WORLD, 1, &size, &whole, 0);
    MAKE_COMM(Graph_create, 0, WORLD, size, index, edges, 0);
    MAKE_COMM(Dist_graph_create_adjacent, 0, WORLD, 1, &neighbour, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED,
              MPI_INFO_NULL, 0);
    MPI_Comm made, line, part;
    MPI_Request request;
    fprintf(calls, "%d 0 0 MPI_Comm_idup comm=0 req=1000000\n", rank);
    begin();
    MPI_Comm_idup(WORLD, &made, &request);
    end(&request);
    MPI_Comm_free(&made);
    MPI_Cart_create(WORLD, 1, &size, &whole, 0, &line);
    fprintf(calls, "%d 0 0 MPI_Cart_sub comm=0 newcomm=1\n", rank);
    begin();
    MPI_Cart_sub(line, &whole, &part);
    end(NULL);
    MPI_Comm_free(&line);
    MPI_Comm_free(&part);
    make_some(group);
    MPI_Group_free(&group);
    make_graphs();
}

/* Between two groups, the first half of the ranks and the others: communicator 4 is that of all, 5 that of rank 0 as the root and
 * the second half; the other ranks of the first half have no part in what has a root. */
enum { BETWEEN = 4, ROOTED = 5 };

/* The counts of the current line, among all members of the communicator. */
static int listed[RANKS_MAX];

static void say_between(const char *name, bool later, int comm, long bytes, int counted)
{
    static long requests = 2000000;
    fprintf(calls, "%d 0 0 MPI_%s%c%s comm=%d", rank, later ? "I" : "", later ? tolower(name[0]) : name[0], name + 1, comm);
    if (comm == ROOTED) fputs(" root=0", calls);
    if (bytes >= 0) fprintf(calls, " bytes=%ld", bytes);
    if (later) fprintf(calls, " req=%ld", ++requests);
    for (int i = 0; i < counted; i++) fprintf(calls, "%s%d", i ? "," : " counts=", listed[i]);
    fputc('\n', calls);
}

static void end_of(bool takes_part, MPI_Request *request)
{
    if (takes_part) {
        end(request);
        return;
    }
    if (request) MPI_Wait(request, MPI_STATUS_IGNORE);
    sent_on = 0;
}

/* Rank i of the world has n bytes in what has counts, every third one none. */
static int block_of(int i, int n)
{
    return i % 3 == 2 ? 0 : n;
}

#define MEET(NAME, COMM, BYTES, COUNTED, ...)                                                                                   \
    do {                                                                                                               \
        bool takes_part = (COMM) == BETWEEN || rank == 0 || rank >= size / 2;                                          \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        if (takes_part) say_between(#NAME, false, COMM, BYTES, COUNTED);                                               \
        begin();                                                                                                       \
        MPI_##NAME(__VA_ARGS__);                                                                                       \
        end_of(takes_part, NULL);                                                                                      \
        if (takes_part) say_between(#NAME, true, COMM, BYTES, COUNTED);                                                \
        begin();                                                                                                       \
        MAKE_LATER_##NAME(__VA_ARGS__, &request);                                                                      \
        end_of(takes_part, &request);                                                                                  \
    } while (0)

/* Their members have blocks of their own sizes: the other group's blocks stand in `got` as this rank's call has them,
 * in `listed` as the trace lists those of all members. */
static void call_between_counted(MPI_Comm groups, int n)
{
    bool high = rank >= size / 2;
    int low = size / 2, first = high ? 0 : low, others = high ? low : size - low, own = size - others;
    int root = high ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, mine = block_of(rank, n);
    int got[RANKS_MAX], elements[RANKS_MAX], listing = rank == 0 ? 1 + others : 0;
    long sum = 0;
    for (int i = 0; i < others; i++) places[i] = i * n;
    for (int i = 0; i < others; i++) got[i] = block_of(first + i, n);
    MEET(Allgatherv, BETWEEN, mine, 0, in, mine, MPI_BYTE, out, got, places, MPI_BYTE, groups);
    for (int i = 0; i < others; i++) listed[i + 1] = got[i];
    listed[0] = 0;
    MEET(Gatherv, ROOTED, rank == 0 ? 0 : mine, listing, in, mine, MPI_BYTE, out, got, places, MPI_BYTE, root, groups);
    MEET(Scatterv, ROOTED, rank == 0 ? 0 : mine, listing, in, got, places, MPI_BYTE, out, mine, MPI_BYTE, root, groups);
    for (int i = 0; i < size; i++) listed[i] = 0;
    for (int i = 0; i < others; i++) sum += listed[first + i] = got[i] = (rank + first + i) % 3 == 0 ? 0 : n;
    MEET(Alltoallv, BETWEEN, sum, size, in, got, places, MPI_BYTE, out, got, places, MPI_BYTE, groups);
    for (int i = 0; i < own; i++) elements[i] = i > 0 && i == own - 1 ? 0 : n / 8;
    for (int i = 1; i < own; i++) elements[0] -= elements[i];
    elements[0] += n / 8 * (RANKS_MAX - 1); /* in both groups as many together, and to be halved evenly */
    for (int i = 0; i < size; i++) listed[i] = 0;
    for (int i = 0; i < own; i++) listed[(high ? low : 0) + i] = 8 * elements[i];
    MEET(Reduce_scatter, BETWEEN, (long)n * RANKS_MAX, size, in, out, elements, MPI_DOUBLE, MPI_SUM, groups);
}

static void call_between(MPI_Comm groups, int n)
{
    int root = rank >= size / 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, doubles = n / 8;
    int others = rank < size / 2 ? size - size / 2 : size / 2;
    MEET(Barrier, BETWEEN, -1, 0, groups);
    MEET(Allreduce, BETWEEN, n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, groups);
    MEET(Allgather, BETWEEN, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, groups);
    MEET(Alltoall, BETWEEN, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, groups);
    MEET(Reduce_scatter_block, BETWEEN, (long)n * (size / 2) * (size - size / 2), 0, in, out, doubles * others, MPI_DOUBLE,
         MPI_SUM, groups);
    MEET(Bcast, ROOTED, n, 0, in, n, MPI_BYTE, root, groups);
    MEET(Reduce, ROOTED, n, 0, in, out, doubles, MPI_DOUBLE, MPI_SUM, root, groups);
    MEET(Gather, ROOTED, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, root, groups);
    MEET(Scatter, ROOTED, n, 0, in, n, MPI_BYTE, out, n, MPI_BYTE, root, groups);
    call_between_counted(groups, n);
}

/* Of two groups, and one group of two: communicators 4 and 1. */
#define MEET_MAKE(NAME, MADE, ...)                                                                                     \
    do {                                                                                                               \
        MPI_Comm made = MPI_COMM_NULL;                                                                                 \
        fprintf(calls, "%d 0 0 MPI_%s comm=%d newcomm=%d\n", rank, #NAME, BETWEEN, (MADE));                            \
        begin();                                                                                                       \
        MPI_##NAME(__VA_ARGS__, &made);                                                                                \
        end(NULL);                                                                                                     \
        MPI_Comm_free(&made);                                                                                          \
    } while (0)

static void make_between(MPI_Comm groups)
{
    MPI_Group own;
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_group(groups, &own);
    MEET_MAKE(Comm_dup, BETWEEN, groups);
    MEET_MAKE(Comm_dup_with_info, BETWEEN, groups, MPI_INFO_NULL);
    MEET_MAKE(Comm_create, BETWEEN, groups, own);
    MEET_MAKE(Comm_split, BETWEEN, groups, 0, rank);
    MEET_MAKE(Intercomm_merge, 1, groups, rank >= size / 2);
    MEET_MAKE(Intercomm_merge, 1, groups, false);
    fprintf(calls, "%d 0 0 MPI_Comm_idup comm=%d req=1000001\n", rank, BETWEEN);
    begin();
    MPI_Comm_idup(groups, &made, &request);
    end(&request);
    MPI_Comm_free(&made);
    MPI_Group_free(&own);
}

static void meet_between(void)
{
    static const int bytes[] = {0, 8, 2040, 2048, 16384};
    MPI_Comm half, groups;
    bool high = rank >= size / 2;
    MPI_Comm_split(WORLD, high, rank, &half);
    fprintf(calls, "%d 0 0 MPI_Intercomm_create comm=%d newcomm=%d\n", rank, BETWEEN, BETWEEN);
    begin();
    MPI_Intercomm_create(half, 0, WORLD, high ? 0 : size / 2, 9, &groups);
    end(NULL);
    make_between(groups);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_between(groups, bytes[i]);
    MPI_Comm_free(&groups);
    MPI_Comm_free(&half);
}

static FILE *open_own(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", directory, name, rank);
    return fopen(path, "w");
}

int main(int argc, char **argv)
{
    static const int bytes[] = {0, 8, 256, 264, 2048, 2056, 12288, 12296, 32776, 65536, 524288};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (argc < 2 || size > RANKS_MAX) return 2;
    in = calloc((size_t)size, BYTES_MAX);
    out = calloc((size_t)size, BYTES_MAX);
    calls = open_own(argv[1], "calls");
    sent = open_own(argv[1], "sent");
    if (!in || !out || !calls || !sent) return 1;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_equal(bytes[i]);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_equal_counts(bytes[i]);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_unequal(bytes[i]);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_sparse(bytes[i]);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) call_neighbours(bytes[i]);
    make_communicators();
    meet_between();
    fclose(calls);
    fclose(sent);
    MPI_Finalize();
    return 0;
}
