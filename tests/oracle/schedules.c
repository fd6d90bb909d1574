/* Every collective call of MPI-3.1, blocking and not, as the point-to-point messages that MPICH 4.0.2 sends for it
 * (tests/schedules/schedule.h), on SMPI. The trace says that the collective was called. ORACLE_TRACE.rows says which
 * lines of each rank belong to which call and size. */
#include <ctype.h>

#include "rows.h"

enum { KEYS = 1024 };

static struct party half; /* the even or the odd ranks */

static void schedule_send(const struct party *party, int to, long bytes, MPI_Request *request)
{
    send_bytes(party->comm, to, bytes, DATA, request);
}

/* Ends when the receiver's acknowledgement is back. */
static void schedule_send_synchronous(const struct party *party, int to, long bytes, MPI_Request *request)
{
    send_bytes(party->comm, to, bytes, DATA, request);
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    PMPI_Irecv(own.in, BUFFER_BYTES, MPI_BYTE, to, ACKNOWLEDGEMENT, party->comm, request);
}

static void schedule_receive(const struct party *party, int from, MPI_Request *request)
{
    PMPI_Irecv(own.in, BUFFER_BYTES, MPI_BYTE, from, DATA, party->comm, request);
}

static void schedule_take(const struct party *party, int count, MPI_Request *requests, const int *sources)
{
    for (int i = 0; i < count; i++) {
        int which;
        MPI_Request answer;
        PMPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
        if (party->size < 32) continue;
        send_bytes(party->comm, sources[which], 0, ACKNOWLEDGEMENT, &answer);
        PMPI_Wait(&answer, MPI_STATUS_IGNORE);
    }
}

struct call {
    const struct party *party;
    const char *name;
    long bytes;
    int root;
    bool later;
    double enter_s;
};

/* The call's line, now that its messages are through: of a non-blocking one also that of its wait. */
static void called(const struct call *call, const char *format, ...)
{
    char keys[KEYS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(keys, sizeof keys, format, arguments);
    va_end(arguments);
    if (!call->later) {
        say(call->enter_s, MPI_Wtime(), "MPI_%s comm=0 %s", call->name, keys);
        return;
    }
    int request = traced.requests++;
    say(call->enter_s, call->enter_s, "MPI_I%c%s comm=0 %s req=%d", tolower(call->name[0]), call->name + 1, keys,
        request);
    say(call->enter_s, MPI_Wtime(), "MPI_Wait req=%d", request);
}

/* --- the calls --- */

static void call_barrier(const struct call *call)
{
    schedule_barrier(call->party);
    called(call, "");
}

static void call_bcast(const struct call *call)
{
    schedule_bcast(call->party, call->root, call->bytes);
    called(call, "root=%d bytes=%ld", call->root, call->bytes);
}

static void call_gather(const struct call *call)
{
    schedule_gather(call->party, call->root, call->bytes);
    called(call, "root=%d bytes=%ld", call->root, call->bytes);
}

static void call_scatter(const struct call *call)
{
    schedule_scatter(call->party, call->root, call->bytes);
    called(call, "root=%d bytes=%ld", call->root, call->bytes);
}

static void call_reduce(const struct call *call)
{
    schedule_reduce(call->party, call->root, call->bytes, 8);
    called(call, "root=%d bytes=%ld", call->root, call->bytes);
}

static void call_allreduce(const struct call *call)
{
    schedule_allreduce(call->party, call->bytes, 8, call->later ? 2048 : 8);
    called(call, "bytes=%ld", call->bytes);
}

static void call_scan(const struct call *call)
{
    schedule_scan(call->party, call->bytes);
    called(call, "bytes=%ld", call->bytes);
}

static void call_allgather(const struct call *call)
{
    schedule_allgather(call->party, call->bytes);
    called(call, "bytes=%ld", call->bytes);
}

static void call_alltoall(const struct call *call)
{
    schedule_alltoall(call->party, call->bytes);
    called(call, "bytes=%ld", call->bytes);
}

static void say_counts(const long counts[PARTY_MAX], char text[KEYS])
{
    size_t length = 0;
    for (int i = 0; i < own.size; i++)
        length += (size_t)snprintf(text + length, KEYS - length, "%s%ld", i ? "," : "", counts[i]);
}

/* Blocks of the calls with counts: every second one is only half as large. */
static long fill_counts(const struct call *call, long counts[PARTY_MAX], char text[KEYS])
{
    long all = 0;
    for (int i = 0; i < own.size; i++) {
        counts[i] = i % 2 ? call->bytes / 2 : call->bytes;
        all += counts[i];
    }
    say_counts(counts, text);
    return all;
}

static void call_allgatherv(const struct call *call)
{
    long counts[PARTY_MAX];
    char text[KEYS];
    fill_counts(call, counts, text);
    schedule_allgatherv(call->party, counts);
    called(call, "bytes=%ld counts=%s", counts[own.rank], text);
}

static void called_of_root(const struct call *call, const long *counts, const char *text)
{
    if (own.rank == call->root)
        called(call, "root=%d bytes=%ld counts=%s", call->root, counts[own.rank], text);
    else
        called(call, "root=%d bytes=%ld", call->root, counts[own.rank]);
}

static void call_gatherv(const struct call *call)
{
    long counts[PARTY_MAX];
    char text[KEYS];
    fill_counts(call, counts, text);
    schedule_gatherv(call->party, call->root, counts);
    called_of_root(call, counts, text);
}

static void call_scatterv(const struct call *call)
{
    long counts[PARTY_MAX];
    char text[KEYS];
    fill_counts(call, counts, text);
    schedule_scatterv(call->party, call->root, counts);
    called_of_root(call, counts, text);
}

/* Half as much to every second rank after the own one: all send, and receive, as much at a time. */
static void call_alltoallv(const struct call *call)
{
    long counts[PARTY_MAX], all = 0;
    char text[KEYS];
    for (int i = 0; i < own.size; i++) {
        counts[i] = turned(call->party, i, -own.rank) % 2 ? call->bytes / 2 : call->bytes;
        all += counts[i];
    }
    say_counts(counts, text);
    all_at_once(call->party, counts, NULL);
    called(call, "bytes=%ld counts=%s", all, text);
}

static void call_reduce_scatter(const struct call *call)
{
    long counts[PARTY_MAX];
    char text[KEYS];
    long all = fill_counts(call, counts, text);
    schedule_reduce_scatter(call->party, counts, all < 524288);
    called(call, "bytes=%ld counts=%s", all, text);
}

static void call_reduce_scatter_block(const struct call *call)
{
    long counts[PARTY_MAX], all = call->bytes * own.size;
    for (int i = 0; i < own.size; i++) counts[i] = call->bytes;
    schedule_reduce_scatter(call->party, counts, (call->later ? all / 8 : all) < 524288);
    called(call, "bytes=%ld", all);
}

/* A ring whose ranks also send to the one after the next, v and w half as much. */
static void call_neighbours(const struct call *call)
{
    int n = own.size, sources[] = {(own.rank + n - 1) % n, (own.rank + n - 2) % n};
    int targets[] = {(own.rank + 1) % n, (own.rank + 2) % n};
    bool unequal = strcmp(call->name, "Neighbor_alltoallv") == 0 || strcmp(call->name, "Neighbor_alltoallw") == 0;
    long counts[] = {call->bytes, unequal ? call->bytes / 2 : call->bytes};
    schedule_neighbours(call->party, 2, sources, 2, targets, counts);
    called(call, "bytes=%ld neighbours=%d,%d:%d,%d counts=%ld,%ld", counts[0] + counts[1], sources[0], sources[1],
           targets[0], targets[1], counts[0], counts[1]);
}

/* 1: of all ranks; 2, 3: of the even and the odd ones. */
static void call_comm(const struct call *call)
{
    static const struct {
        const char *name;
        bool gathers, doubles, parts;
    } made[] = {{"Comm_dup", false, false, false},
                {"Comm_dup_with_info", false, false, false},
                {"Comm_create", false, false, false},
                {"Comm_create_group", false, true, false},
                {"Comm_split", true, false, true},
                {"Cart_create", false, false, false},
                {"Cart_sub", true, false, true},
                {"Graph_create", false, false, false},
                {"Dist_graph_create_adjacent", false, false, false}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (strcmp(call->name, made[i].name) != 0) continue;
        schedule_comm_create(call->party, made[i].parts ? &half : call->party, made[i].gathers, made[i].doubles);
        called(call, "newcomm=%d", made[i].parts ? 2 + own.rank % 2 : 1);
    }
}

static void call_comm_idup(const struct call *call)
{
    schedule_comm_create(call->party, call->party, false, true);
    int request = traced.requests++;
    say(call->enter_s, call->enter_s, "MPI_Comm_idup comm=0 req=%d", request);
    say(call->enter_s, MPI_Wtime(), "MPI_Wait req=%d", request);
}

/* Sizes on both sides of each limit of MPICH's tuning table; 0 ends them. of_all: bytes of all ranks together. */
enum { SIZES_MAX = 8, BLOCKING_ONLY = 1, OF_ALL = 2, APART_MAX = 64 };

static const struct {
    const char *name;
    void (*call)(const struct call *call);
    int flags;
    long bytes[SIZES_MAX];
} rows[] = {
    {"Barrier", call_barrier, 0, {1}},
    {"Bcast", call_bcast, 0, {16, 12280, 12288, 12296, 524288, 524296}},
    {"Gather", call_gather, 0, {16, 4096}},
    {"Scatter", call_scatter, 0, {16, 4096}},
    {"Gatherv", call_gatherv, 0, {160, 4096}},
    {"Scatterv", call_scatterv, 0, {160, 4096}},
    {"Reduce", call_reduce, 0, {64, 2048, 2056, 65536}},
    {"Allreduce", call_allreduce, 0, {8, 512, 2048, 2056, 65536}},
    {"Scan", call_scan, 0, {16, 65536}},
    {"Exscan", call_scan, 0, {16, 65536}},
    {"Allgather", call_allgather, OF_ALL, {1024, 81856, 98304, 524224, 524288}},
    {"Allgatherv", call_allgatherv, OF_ALL, {4096, 81856, 106496, 524288, 720896}},
    {"Alltoall", call_alltoall, 0, {16, 256, 264, 2048, 2056, 32768, 32776}},
    {"Alltoallv", call_alltoallv, 0, {160, 8192}},
    {"Alltoallw", call_alltoallv, 0, {160, 8192}},
    {"Reduce_scatter", call_reduce_scatter, OF_ALL, {4096, 524288 * 4 / 3 - 8192, 524288}},
    {"Reduce_scatter_block", call_reduce_scatter_block, OF_ALL, {4096, 524224, 524288}},
    {"Neighbor_allgather", call_neighbours, 0, {16, 65536}},
    {"Neighbor_allgatherv", call_neighbours, 0, {16, 65536}},
    {"Neighbor_alltoall", call_neighbours, 0, {16, 65536}},
    {"Neighbor_alltoallv", call_neighbours, 0, {32, 65536}},
    {"Neighbor_alltoallw", call_neighbours, 0, {32, 65536}},
    {"Comm_dup", call_comm, BLOCKING_ONLY, {1}},
    {"Comm_dup_with_info", call_comm, BLOCKING_ONLY, {1}},
    {"Comm_idup", call_comm_idup, BLOCKING_ONLY, {1}},
    {"Comm_create", call_comm, BLOCKING_ONLY, {1}},
    {"Comm_create_group", call_comm, BLOCKING_ONLY, {1}},
    {"Comm_split", call_comm, BLOCKING_ONLY, {1}},
    {"Cart_create", call_comm, BLOCKING_ONLY, {1}},
    {"Cart_sub", call_comm, BLOCKING_ONLY, {1}},
    {"Graph_create", call_comm, BLOCKING_ONLY, {1}},
    {"Dist_graph_create_adjacent", call_comm, BLOCKING_ONLY, {1}},
};

/* Ranks begin together, or up to 4 apart_us later. */
static void make_row(size_t row, long bytes, bool later, int apart_us)
{
    struct party party = party_of(MPI_COMM_WORLD, later), all = party_of(MPI_COMM_WORLD, false);
    double together_s = begin_together(&all);
    sleep_until(together_s + 1e-6 * apart_us * (own.rank * 7 % 5));
    int before = own.lines;
    rows[row].call(&(struct call){.party = &party,
                                  .name = rows[row].name,
                                  .bytes = bytes,
                                  .root = apart_us > 0 ? own.size / 2 : 0,
                                  .later = later,
                                  .enter_s = MPI_Wtime()});
    char name[KEYS];
    snprintf(name, sizeof name, "MPI_%s%s%s", later ? "I" : "", rows[row].name, apart_us > 0 ? "(apart)" : "");
    if (later) name[5] = (char)tolower(name[5]);
    add_row(name, bytes, before);
}

int main(int argc, char **argv)
{
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    long least_bytes = argc > 1 ? atol(argv[1]) : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &own.size);
    open_rows();
    PMPI_Comm_split(MPI_COMM_WORLD, own.rank % 2, own.rank, &part);
    half = party_of(part, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int later = 0; later <= (rows[i].flags & BLOCKING_ONLY ? 0 : 1); later++)
            for (int k = 0; k < SIZES_MAX && rows[i].bytes[k] > 0; k++) {
                if (rows[i].bytes[k] < least_bytes) continue;
                for (int apart_us = 0; apart_us < (rows[i].bytes[k] > APART_MAX ? 1 : 2); apart_us++)
                    make_row(i, rows[i].flags & OF_ALL ? rows[i].bytes[k] / own.size : rows[i].bytes[k], later,
                             apart_us);
            }
    }
    close_rows();
    MPI_Finalize();
    return 0;
}
