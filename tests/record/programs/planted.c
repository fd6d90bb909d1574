/* Two ranks lose known time: in each phase one of them sleeps while the other one waits. Rank 0 prints for every phase
 * "pattern rank line seconds": who waits in the call of which line, and how long by the program's own clock. */
#include <string.h>

#include "program.h"

enum { PHASES_MAX = 32, SLEEP_MS = 40, TAG = 7, BLOCK = 64 };

/* What a pattern counts: up to the end of the sleep, of the sleep alone, or the whole call that waits. Progress is missing only
 * while the target is outside MPI, which is from its sleep on. */
enum counts { UNTIL_SLEPT, THE_SLEEP, THE_CALL };

struct stamps { /* of one rank in one phase, seconds; 0: does not do that */
    double waits_from, waits_until, sleeps_from, sleeps_until;
    int line;
};

static struct stamps stamps[2][PHASES_MAX];
static struct {
    const char *pattern;
    enum counts counts;
} phases[PHASES_MAX];
static int rank, phase = -1;
static char data[BLOCK];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Both ranks begin a phase together. */
static void begin(const char *pattern, enum counts counts)
{
    MPI_Barrier(MPI_COMM_WORLD);
    phase++;
    phases[phase].pattern = pattern;
    phases[phase].counts = counts;
}

/* A second pattern that counts in the phase's call. */
static void also(const char *pattern, enum counts counts)
{
    stamps[rank][phase + 1] = stamps[rank][phase];
    phase++;
    phases[phase].pattern = pattern;
    phases[phase].counts = counts;
}

static struct stamps *own(void)
{
    return &stamps[rank][phase];
}

#define WAITS(call) (own()->line = __LINE__, own()->waits_from = now(), (call), own()->waits_until = now())

static void sleeps(void)
{
    own()->sleeps_from = now();
    compute_ms(SLEEP_MS);
    own()->sleeps_until = now();
}

static void windows(MPI_Win *win, void **memory)
{
    begin("wait_at_create", UNTIL_SLEPT);
    if (rank == 0) {
        WAITS(MPI_Win_allocate(BLOCK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win));
    } else {
        sleeps();
        MPI_Win_allocate(BLOCK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win);
    }
}

static void put(int target, MPI_Win win)
{
    MPI_Put(data, BLOCK, MPI_CHAR, target, 0, BLOCK, MPI_CHAR, win);
}

static void active_target(MPI_Win win, MPI_Group other)
{
    begin("late_post", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    } else {
        WAITS(MPI_Win_start(other, 0, win));
        put(0, win);
        MPI_Win_complete(win);
    }
    begin("early_wait", UNTIL_SLEPT);
    if (rank == 0) {
        MPI_Win_post(other, 0, win);
        WAITS(MPI_Win_wait(win));
    } else {
        MPI_Win_start(other, 0, win);
        put(0, win);
        sleeps();
        MPI_Win_complete(win);
    }
    also("late_complete", THE_SLEEP);
}

static void fences(MPI_Win win)
{
    MPI_Win_fence(0, win);
    begin("wait_at_fence", UNTIL_SLEPT);
    if (rank == 0) {
        WAITS(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    } else {
        put(0, win);
        sleeps();
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
}

/* Rank 0 holds its own lock across the barrier and sleeps before unlock. */
static void passive_target(MPI_Win win)
{
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    begin("lock_contention", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        MPI_Win_unlock(0, win);
        own()->sleeps_until = now(); /* the lock is held until unlock returns */
    } else {
        WAITS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        put(0, win);
        MPI_Win_unlock(0, win);
    }
    begin("wait_for_progress", THE_SLEEP);
    if (rank == 0) {
        sleeps();
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        WAITS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        put(0, win);
        MPI_Win_unlock(0, win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void receive(int tag)
{
    MPI_Recv(data, BLOCK, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int tag)
{
    MPI_Send(data, BLOCK, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD);
}

/* Rank 0 says that it leaves MPI, and sleeps; then rank 1 needs it. */
static void progress(MPI_Win win, MPI_Group other)
{
    if (rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    begin("wait_for_progress", THE_SLEEP);
    if (rank == 0) {
        send(TAG);
        sleeps();
    } else {
        receive(TAG);
        put(0, win);
        WAITS(MPI_Win_flush(0, win));
    }
    begin("wait_for_progress", THE_SLEEP);
    if (rank == 0) {
        send(TAG);
        sleeps();
    } else {
        receive(TAG);
        MPI_Get(data, BLOCK, MPI_CHAR, 0, 0, BLOCK, MPI_CHAR, win);
        WAITS(MPI_Win_flush_local(0, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Win_unlock(0, win);
    begin("wait_for_progress", THE_SLEEP);
    if (rank == 0) {
        MPI_Win_post(other, 0, win);
        send(TAG);
        sleeps();
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(other, 0, win);
        receive(TAG);
        put(0, win);
        WAITS(MPI_Win_complete(win));
    }
}

static void messages(void)
{
    begin("late_sender", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        send(TAG);
    } else {
        WAITS(MPI_Recv(data, BLOCK, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    begin("late_receiver", UNTIL_SLEPT);
    if (rank == 0) {
        WAITS(MPI_Ssend(data, BLOCK, MPI_CHAR, 1, TAG, MPI_COMM_WORLD));
    } else {
        sleeps();
        receive(TAG);
    }
    begin("late_sender", UNTIL_SLEPT); /* of the second message, which is received first */
    if (rank == 0) {
        send(TAG);
        sleeps();
        send(TAG + 1);
    } else {
        WAITS(MPI_Recv(data, BLOCK, MPI_CHAR, 0, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        receive(TAG);
    }
    also("wrong_order", UNTIL_SLEPT);
}

static void requests(void)
{
    MPI_Request request;
    begin("wait_in_receiver_completion", THE_CALL);
    if (rank == 0) {
        sleeps();
        send(TAG);
    } else {
        MPI_Irecv(data, BLOCK, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &request);
        WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    begin("wait_in_sender_completion", THE_CALL);
    if (rank == 0) {
        MPI_Issend(data, BLOCK, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request);
        WAITS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        sleeps();
        receive(TAG);
    }
}

static void collectives(void)
{
    int one = 1, sum;
    begin("wait_at_barrier", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        WAITS(MPI_Barrier(MPI_COMM_WORLD));
    }
    begin("wait_at_nxn", UNTIL_SLEPT);
    if (rank == 0) {
        WAITS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    } else {
        sleeps();
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    begin("late_broadcast", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
        WAITS(MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    begin("early_reduce", UNTIL_SLEPT);
    if (rank == 0) {
        WAITS(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    } else {
        sleeps();
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

static void freeing(MPI_Win *win)
{
    begin("wait_at_free", UNTIL_SLEPT);
    if (rank == 0) {
        sleeps();
        MPI_Win_free(win);
    } else {
        WAITS(MPI_Win_free(win));
    }
}

static void print(void)
{
    for (int i = 0; i <= phase; i++) {
        int waiting = stamps[0][i].line ? 0 : 1;
        const struct stamps *waits = &stamps[waiting][i], *sleeping = &stamps[1 - waiting][i];
        double from = waits->waits_from, until = sleeping->sleeps_until;
        if (phases[i].counts == THE_CALL) until = waits->waits_until;
        if (phases[i].counts == THE_SLEEP && sleeping->sleeps_from > from) from = sleeping->sleeps_from;
        printf("%s %d %d %.9f\n", phases[i].pattern, waiting, waits->line, until - from);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Group world, other;
    void *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int partner = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &partner, &other);
    windows(&win, &memory);
    active_target(win, other);
    fences(win);
    passive_target(win);
    progress(win, other);
    messages();
    requests();
    collectives();
    freeing(&win);
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : stamps[1], sizeof stamps[0], MPI_BYTE, stamps, sizeof stamps[0], MPI_BYTE, 0,
               MPI_COMM_WORLD);
    if (rank == 0) print();
    MPI_Group_free(&world);
    MPI_Group_free(&other);
    MPI_Finalize();
    return 0;
}
