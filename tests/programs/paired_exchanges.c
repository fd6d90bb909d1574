/* Ten exchanges, each written with messages and with one-sided communication, to see what a rewriting of the one predicts of the
 * other. An iteration has steps; in a step each rank computes, sends to some ranks, and receives from some.
 * Usage: mpiexec -n N paired_exchanges EXCHANGE p2p|pscw|fence|flush BYTES ITERATIONS */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS_MAX = 16, PART_MAX = 1 << 20 };

struct step {
    double before_ms, inside_ms; /* computing in front of the sends, and between sends and waits */
    int sends[RANKS_MAX], receives[RANKS_MAX]; /* bytes to, and from, each rank; 0: none */
};

static int rank, ranks, bytes;

static void compute(double ms)
{
    const long ns = (long)(ms * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (ns > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) continue;
}

/* The step has a message between these ranks, if both are there. */
static void connect_ranks(struct step *step, int from, int to, int count)
{
    if (from < 0 || to < 0 || from >= ranks || to >= ranks || from == to) return;
    if (from == rank) step->sends[to] = count;
    if (to == rank) step->receives[from] = count;
}

/* --- the exchanges: each fills step number `number` of an iteration; 0: there is none --- */

static int halo(int iteration, int number, struct step *step)
{
    step->before_ms = 2 + (rank == iteration % ranks);
    for (int r = 0; r < ranks; r++) {
        connect_ranks(step, r, r + 1, bytes);
        connect_ranks(step, r + 1, r, bytes);
    }
    return number == 0;
}

static int overlap(int iteration, int number, struct step *step)
{
    halo(iteration, number, step);
    step->before_ms = 1;
    step->inside_ms = 2 + (rank == 0);
    return number == 0;
}

static int unbalanced(int iteration, int number, struct step *step)
{
    halo(iteration, number, step);
    step->before_ms = rank == 0 ? 6 : 2;
    return number == 0;
}

static int transpose(int iteration, int number, struct step *step)
{
    step->before_ms = 3 + (rank + iteration) % 2;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++) connect_ranks(step, from, to, bytes);
    return number == 0;
}

static int shift(int iteration, int number, struct step *step)
{
    step->before_ms = 2.5;
    for (int r = 0; r < ranks; r++) connect_ranks(step, r, (r + 1 + iteration % (ranks - 1)) % ranks, bytes);
    return number == 0;
}

static int butterfly(int iteration, int number, struct step *step)
{
    (void)iteration;
    step->before_ms = 1.5;
    for (int r = 0; r < ranks; r++) connect_ranks(step, r, r ^ (1 << number), bytes);
    return 1 << number < ranks;
}

/* Up a binary tree to rank 0, and down again. */
static int tree(int iteration, int number, struct step *step)
{
    int levels = 0;
    (void)iteration;
    while (1 << levels < ranks) levels++;
    const int up = number < levels, level = up ? number : 2 * levels - 1 - number;
    step->before_ms = number == 0 ? 2 : 0.5;
    for (int r = 0; level >= 0 && r < ranks; r += 2 << level) {
        const int other = r + (1 << level);
        connect_ranks(step, up ? other : r, up ? r : other, bytes);
    }
    return number < 2 * levels;
}

static int wavefront(int iteration, int number, struct step *step)
{
    (void)iteration;
    step->before_ms = rank == number || number == 0 ? 1.5 : 0;
    connect_ranks(step, number, number + 1, bytes);
    return number + 1 < ranks;
}

static int gather(int iteration, int number, struct step *step)
{
    step->before_ms = number == 0 ? 2 + (rank + iteration) % ranks * 0.5 : rank == 0 ? 1 : 0;
    for (int r = 1; r < ranks; r++) connect_ranks(step, number == 0 ? r : 0, number == 0 ? 0 : r, bytes);
    return number < 2;
}

/* Partners and sizes change from iteration to iteration. */
static int particles(int iteration, int number, struct step *step)
{
    step->before_ms = 2 + (iteration * 7 + rank * 3) % 4 * 0.5;
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++)
            if ((iteration * 5 + from * 3 + to) % 3 != 0)
                connect_ranks(step, from, to, bytes / 2 + (iteration + from) % 3 * bytes / 4);
    return number == 0;
}

static const struct {
    const char *name;
    int (*fill)(int iteration, int number, struct step *step);
} exchanges[] = {{"halo", halo},           {"overlap", overlap},     {"unbalanced", unbalanced}, {"transpose", transpose},
                 {"shift", shift},         {"butterfly", butterfly}, {"tree", tree},             {"wavefront", wavefront},
                 {"gather", gather},       {"particles", particles}};

/* --- the ways to make a step --- */

static char *out, *window_memory;
static MPI_Win window;
static MPI_Group world;
static MPI_Status statuses[2 * RANKS_MAX];

static MPI_Group partners(const int counts[RANKS_MAX])
{
    int members[RANKS_MAX], count = 0;
    MPI_Group made;
    for (int r = 0; r < ranks; r++)
        if (counts[r] > 0) members[count++] = r;
    MPI_Group_incl(world, count, members, &made);
    return made;
}

static int is_empty(const int counts[RANKS_MAX])
{
    int sum = 0;
    for (int r = 0; r < ranks; r++) sum += counts[r];
    return sum == 0;
}

static void put_all(const struct step *step)
{
    for (int r = 0; r < ranks; r++)
        if (step->sends[r] > 0)
            MPI_Put(out, step->sends[r], MPI_BYTE, r, (MPI_Aint)rank * PART_MAX, step->sends[r], MPI_BYTE, window);
}

static void step_p2p(const struct step *step)
{
    MPI_Request requests[2 * RANKS_MAX];
    int count = 0;
    for (int r = 0; r < ranks; r++)
        if (step->receives[r] > 0)
            MPI_Irecv(window_memory + (size_t)r * PART_MAX, step->receives[r], MPI_BYTE, r, 0, MPI_COMM_WORLD,
                      &requests[count++]);
    compute(step->before_ms);
    for (int r = 0; r < ranks; r++)
        if (step->sends[r] > 0) MPI_Isend(out, step->sends[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests[count++]);
    compute(step->inside_ms);
    if (count > 0) MPI_Waitall(count, requests, statuses);
}

static void step_pscw(const struct step *step)
{
    MPI_Group targets = partners(step->sends), origins = partners(step->receives);
    const int exposes = !is_empty(step->receives), accesses = !is_empty(step->sends);
    if (exposes) MPI_Win_post(origins, 0, window);
    compute(step->before_ms);
    if (accesses) MPI_Win_start(targets, 0, window);
    put_all(step);
    compute(step->inside_ms);
    if (accesses) MPI_Win_complete(window);
    if (exposes) MPI_Win_wait(window);
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
}

static void step_fence(const struct step *step)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    compute(step->before_ms);
    put_all(step);
    compute(step->inside_ms);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

/* The flag is a message without data. */
static void step_flush(const struct step *step)
{
    MPI_Request requests[2 * RANKS_MAX];
    int count = 0;
    for (int r = 0; r < ranks; r++)
        if (step->receives[r] > 0) MPI_Irecv(NULL, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests[count++]);
    compute(step->before_ms);
    put_all(step);
    compute(step->inside_ms);
    for (int r = 0; r < ranks; r++) {
        if (step->sends[r] == 0) continue;
        MPI_Win_flush(r, window);
        MPI_Isend(NULL, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    if (count > 0) MPI_Waitall(count, requests, statuses);
}

static const struct {
    const char *name;
    void (*make)(const struct step *step);
} ways[] = {{"p2p", step_p2p}, {"pscw", step_pscw}, {"fence", step_fence}, {"flush", step_flush}};

int main(int argc, char **argv)
{
    int exchange = -1, way = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; argc == 5 && i < (int)(sizeof exchanges / sizeof *exchanges); i++)
        if (strcmp(exchanges[i].name, argv[1]) == 0) exchange = i;
    for (int i = 0; argc == 5 && i < (int)(sizeof ways / sizeof *ways); i++)
        if (strcmp(ways[i].name, argv[2]) == 0) way = i;
    bytes = argc == 5 ? atoi(argv[3]) : 0;
    if (exchange < 0 || way < 0 || ranks > RANKS_MAX || ranks < 2 || bytes < 4 || bytes > PART_MAX) MPI_Abort(MPI_COMM_WORLD, 2);
    out = calloc(1, PART_MAX);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (way == 0)
        window_memory = calloc((size_t)ranks, PART_MAX);
    else
        MPI_Win_allocate((MPI_Aint)ranks * PART_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory, &window);
    if (way == 3) MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int iteration = 0; iteration < atoi(argv[4]); iteration++)
        for (int number = 0;; number++) {
            struct step step = {.before_ms = 0};
            if (!exchanges[exchange].fill(iteration, number, &step)) break;
            ways[way].make(&step);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s %s %d %.6f\n", argv[1], argv[2], bytes, MPI_Wtime() - begin);
    fflush(stdout);
    if (way == 3) MPI_Win_unlock_all(window);
    if (way != 0) MPI_Win_free(&window);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
