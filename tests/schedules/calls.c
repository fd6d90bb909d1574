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
    MPI_Group_free(&group);
}

/* Between two groups, the first half of the ranks and the others: communicator 4 is that of all, 5 that of rank 0 as the root and
 * the second half; the other ranks of the first half have no part in what has a root. */
enum { BETWEEN = 4, ROOTED = 5 };

static void say_between(const char *name, int comm, long bytes)
{
    if (comm == ROOTED)
        fprintf(calls, "%d 0 0 MPI_%s comm=%d root=0 bytes=%ld\n", rank, name, comm, bytes);
    else if (bytes < 0)
        fprintf(calls, "%d 0 0 MPI_%s comm=%d\n", rank, name, comm);
    else
        fprintf(calls, "%d 0 0 MPI_%s comm=%d bytes=%ld\n", rank, name, comm, bytes);
}

#define MEET(NAME, COMM, BYTES, ...)                                                                                   \
    do {                                                                                                               \
        bool takes_part = (COMM) == BETWEEN || rank == 0 || rank >= size / 2;                                          \
        if (takes_part) say_between(#NAME, COMM, BYTES);                                                               \
        begin();                                                                                                       \
        MPI_##NAME(__VA_ARGS__);                                                                                       \
        if (takes_part)                                                                                                \
            end(NULL);                                                                                                 \
        else                                                                                                           \
            sent_on = 0;                                                                                               \
    } while (0)

static void call_between(MPI_Comm groups, int n)
{
    int root = rank >= size / 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, doubles = n / 8;
    int others = rank < size / 2 ? size - size / 2 : size / 2;
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        places[i] = i * n;
    }
    MEET(Barrier, BETWEEN, -1, groups);
    MEET(Allreduce, BETWEEN, n, in, out, doubles, MPI_DOUBLE, MPI_SUM, groups);
    MEET(Allgather, BETWEEN, n, in, n, MPI_BYTE, out, n, MPI_BYTE, groups);
    MEET(Alltoall, BETWEEN, n, in, n, MPI_BYTE, out, n, MPI_BYTE, groups);
    MEET(Alltoallv, BETWEEN, (long)n * others, in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, groups);
    MEET(Allgatherv, BETWEEN, n, in, n, MPI_BYTE, out, counts, places, MPI_BYTE, groups);
    MEET(Reduce_scatter_block, BETWEEN, (long)n * (size / 2) * (size - size / 2), in, out, doubles * others, MPI_DOUBLE,
         MPI_SUM, groups);
    MEET(Bcast, ROOTED, n, in, n, MPI_BYTE, root, groups);
    MEET(Reduce, ROOTED, n, in, out, doubles, MPI_DOUBLE, MPI_SUM, root, groups);
    MEET(Gather, ROOTED, n, in, n, MPI_BYTE, out, n, MPI_BYTE, root, groups);
    MEET(Scatter, ROOTED, n, in, n, MPI_BYTE, out, n, MPI_BYTE, root, groups);
}

static void meet_between(void)
{
    static const int bytes[] = {8, 2040, 2048, 16384};
    MPI_Comm half, groups;
    bool high = rank >= size / 2;
    MPI_Comm_split(WORLD, high, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, high ? 0 : size / 2, 9, &groups);
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
    make_communicators();
    meet_between();
    fclose(calls);
    fclose(sent);
    MPI_Finalize();
    return 0;
}
