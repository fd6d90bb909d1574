/* Test functions with windows. Of run.h. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "platforms/bench/mpi/run.h"

enum { TAG = 8, TRAIN = BENCH_TRAIN, OPERATIONS = 64, WINDOW_LEAST = 64 };

/* --- windows --- */

static MPI_Aint window_bytes(const struct bench_run *run)
{
    return run->bytes > WINDOW_LEAST ? (MPI_Aint)run->bytes : WINDOW_LEAST;
}

/* Makes the window of a job. Base addresses are aligned to 64 bytes: MPICH 4.0.2 over UCX writes to wrong addresses
 * with less than 16. */
static void make_window(struct bench_run *run)
{
    switch (run->job->window) {
    case BENCH_ALLOCATE:
        MPI_Win_allocate(window_bytes(run), 1, MPI_INFO_NULL, run->comm, &run->base, &run->window);
        break;
    case BENCH_CREATE:
        run->base = run->receive;
        MPI_Win_create(run->base, window_bytes(run), 1, MPI_INFO_NULL, run->comm, &run->window);
        break;
    default: MPI_Win_create_dynamic(MPI_INFO_NULL, run->comm, &run->window);
    }
}

/* A dynamic window's buffer is at its address there. */
static void attach_buffer(struct bench_run *run)
{
    run->at = 0;
    if (run->job->window != BENCH_DYNAMIC) return;
    MPI_Aint address;
    run->base = run->receive;
    MPI_Win_attach(run->window, run->base, window_bytes(run));
    MPI_Get_address(run->base, &address);
    MPI_Bcast(&address, 1, MPI_AINT, run->target, run->comm);
    run->at = address;
}

void bench_run_open_window(struct bench_run *run)
{
    make_window(run);
    attach_buffer(run);
    memset(run->base, 0, (size_t)window_bytes(run));
    MPI_Barrier(run->comm);
}

void bench_run_close_window(struct bench_run *run)
{
    if (run->job->window == BENCH_DYNAMIC) MPI_Win_detach(run->window, run->base);
    MPI_Win_free(&run->window);
}

double bench_window_create(struct bench_run *run)
{
    double begin = bench_now();
    make_window(run);
    double end = bench_now();
    MPI_Win_free(&run->window);
    return end - begin;
}

double bench_window_free(struct bench_run *run)
{
    make_window(run);
    MPI_Barrier(run->comm);
    double begin = bench_now();
    MPI_Win_free(&run->window);
    return bench_now() - begin;
}

/* --- epochs --- */

/* A group of one rank of the run. */
static MPI_Group group_of(const struct bench_run *run, int rank)
{
    MPI_Group all, one;
    MPI_Comm_group(run->comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

static void open_epoch(const struct bench_run *run, MPI_Group target)
{
    switch (run->job->epoch) {
    case BENCH_LOCK: MPI_Win_lock(MPI_LOCK_SHARED, run->target, 0, run->window); break;
    case BENCH_LOCK_ALL: MPI_Win_lock_all(0, run->window); break;
    case BENCH_PSCW: MPI_Win_start(target, 0, run->window); break;
    case BENCH_FENCE: MPI_Win_fence(0, run->window); break;
    default: break; /* lock_all and unlock_all are around all repetitions */
    }
}

static void close_epoch(const struct bench_run *run)
{
    switch (run->job->epoch) {
    case BENCH_LOCK: MPI_Win_unlock(run->target, run->window); break;
    case BENCH_LOCK_ALL: MPI_Win_unlock_all(run->window); break;
    case BENCH_PSCW: MPI_Win_complete(run->window); break;
    case BENCH_FENCE: MPI_Win_fence(0, run->window); break;
    case BENCH_FLUSH_LOCAL: MPI_Win_flush_local(run->target, run->window); break;
    default: MPI_Win_flush(run->target, run->window);
    }
}

/* The calls of other ranks in the origin's epoch. Exposure epochs begin before the origin's clock starts. */
static void take_part(const struct bench_run *run, MPI_Group origin)
{
    if (run->job->epoch == BENCH_FENCE) {
        MPI_Win_fence(0, run->window);
        MPI_Win_fence(0, run->window);
    }
    if (run->job->epoch != BENCH_PSCW) return;
    if (run->rank == run->target) MPI_Win_post(origin, 0, run->window);
    MPI_Barrier(run->comm);
    if (run->rank == run->target) MPI_Win_wait(run->window);
}

typedef void (*operation)(const struct bench_run *run);

/* The origin's time of an epoch of so many operations, per operation. */
static double time_epoch(struct bench_run *run, operation operate, int count)
{
    MPI_Group partner = group_of(run, run->rank == 0 ? run->target : 0);
    double begin = 0, end = NAN;
    if (run->rank == 0) {
        if (run->job->epoch == BENCH_PSCW) {
            MPI_Barrier(run->comm);
            bench_stay_behind_barrier();
        }
        begin = bench_now();
        open_epoch(run, partner);
        for (int i = 0; i < count; i++) operate(run);
        close_epoch(run);
        end = bench_now();
    } else {
        take_part(run, partner);
    }
    MPI_Group_free(&partner);
    return (end - begin) / count;
}

/* --- operations --- */

static void issue_put(const struct bench_run *run)
{
    MPI_Put(run->send, (int)run->bytes, MPI_BYTE, run->target, run->at, (int)run->bytes, MPI_BYTE, run->window);
}

static void issue_get(const struct bench_run *run)
{
    MPI_Get(run->receive, (int)run->bytes, MPI_BYTE, run->target, run->at, (int)run->bytes, MPI_BYTE, run->window);
}

static void accumulate_data(const struct bench_run *run)
{
    MPI_Accumulate(run->send, run->count, run->type, run->target, run->at, run->count, run->type, MPI_SUM, run->window);
}

static void fetch_and_op(const struct bench_run *run)
{
    MPI_Fetch_and_op(run->send, run->receive, MPI_INT64_T, run->target, run->at, MPI_SUM, run->window);
}

static void compare_and_swap(const struct bench_run *run)
{
    MPI_Compare_and_swap(run->send, run->send + 8, run->receive, MPI_INT64_T, run->target, run->at, run->window);
}

double bench_put_latency(struct bench_run *run)
{
    return time_epoch(run, issue_put, 1);
}

double bench_get_latency(struct bench_run *run)
{
    return time_epoch(run, issue_get, 1);
}

double bench_accumulate_latency(struct bench_run *run)
{
    return time_epoch(run, accumulate_data, 1);
}

double bench_fetch_and_op_latency(struct bench_run *run)
{
    return time_epoch(run, fetch_and_op, 1);
}

double bench_compare_and_swap_latency(struct bench_run *run)
{
    return time_epoch(run, compare_and_swap, 1);
}

double bench_put_bandwidth(struct bench_run *run)
{
    return time_epoch(run, issue_put, OPERATIONS);
}

double bench_get_bandwidth(struct bench_run *run)
{
    return time_epoch(run, issue_get, OPERATIONS);
}

double bench_accumulate_bandwidth(struct bench_run *run)
{
    return time_epoch(run, accumulate_data, OPERATIONS);
}

double bench_fetch_and_op_bandwidth(struct bench_run *run)
{
    return time_epoch(run, fetch_and_op, OPERATIONS);
}

double bench_compare_and_swap_bandwidth(struct bench_run *run)
{
    return time_epoch(run, compare_and_swap, OPERATIONS);
}

/* The time of the call alone, without what completes it. */
static double time_call(struct bench_run *run, operation operate)
{
    if (run->rank > 0) return NAN;
    const long losses = bench_core_losses(run);
    double begin = bench_now();
    operate(run);
    double end = bench_now();
    run->losses = bench_core_losses(run) - losses;
    MPI_Win_flush(run->target, run->window);
    return end - begin;
}

double bench_put_issue(struct bench_run *run)
{
    return time_call(run, issue_put);
}

double bench_get_issue(struct bench_run *run)
{
    return time_call(run, issue_get);
}

double bench_accumulate_issue(struct bench_run *run)
{
    return time_call(run, accumulate_data);
}

/* Waits until the last byte of the own window is `turn`. The library makes progress meanwhile. */
static void await_turn(const struct bench_run *run)
{
    volatile unsigned char *last = (volatile unsigned char *)run->base + run->bytes - 1;
    int flag;
    for (;;) {
        MPI_Win_sync(run->window);
        if (*last == run->turn) return;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, run->comm, &flag, MPI_STATUS_IGNORE);
    }
}

static void put_turn(const struct bench_run *run, int rank)
{
    run->send[run->bytes - 1] = (char)run->turn;
    MPI_Put(run->send, (int)run->bytes, MPI_BYTE, rank, 0, (int)run->bytes, MPI_BYTE, run->window);
    MPI_Win_flush(rank, run->window);
}

/* Each side recognises the other's data by their last byte. Of a dynamic window only the target's address is known, so
 * it is measured together with one of MPI_Win_allocate. */
double bench_put_remote_completion(struct bench_run *run)
{
    run->turn = (unsigned char)(run->turn % 250 + 1);
    if (!bench_is_pair(run) || run->bytes == 0 || run->job->window == BENCH_DYNAMIC) return NAN;
    double begin = bench_now();
    if (run->rank == 0) put_turn(run, run->target);
    await_turn(run);
    if (run->rank == 0) return (bench_now() - begin) / 2;
    put_turn(run, 0);
    return NAN;
}

static double time_flushed(const struct bench_run *run, operation operate)
{
    double begin = bench_now();
    operate(run);
    MPI_Win_flush(run->target, run->window);
    return bench_now() - begin;
}

static double time_both_ways(const struct bench_run *run, operation operate)
{
    if (!bench_is_pair(run) || run->job->window == BENCH_DYNAMIC) return NAN;
    struct bench_run mine = *run;
    mine.target = run->rank == 0 ? run->target : 0;
    return time_flushed(&mine, operate);
}

double bench_put_both_ways(struct bench_run *run)
{
    return time_both_ways(run, issue_put);
}

double bench_get_both_ways(struct bench_run *run)
{
    return time_both_ways(run, issue_get);
}

double bench_accumulate_both_ways(struct bench_run *run)
{
    return time_both_ways(run, accumulate_data);
}

/* One right after the other, so that what changes from second to second is in both. */
static double time_opposed(const struct bench_run *run, operation operate)
{
    double alone = run->rank == 0 && run->job->window != BENCH_DYNAMIC ? time_flushed(run, operate) : NAN;
    MPI_Barrier(run->comm);
    return time_both_ways(run, operate) - alone;
}

double bench_put_opposed(struct bench_run *run)
{
    return time_opposed(run, issue_put);
}

double bench_get_opposed(struct bench_run *run)
{
    return time_opposed(run, issue_get);
}

double bench_accumulate_opposed(struct bench_run *run)
{
    return time_opposed(run, accumulate_data);
}

/* --- synchronisation without data --- */

static double time_lock(const struct bench_run *run)
{
    double begin = bench_now();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->target, 0, run->window);
    MPI_Win_unlock(run->target, run->window);
    return bench_now() - begin;
}

double bench_lock_round_trip(struct bench_run *run)
{
    return run->rank == 0 ? time_lock(run) : NAN;
}

/* The time of the last rank is that of all locks, one after another. */
double bench_lock_contended(struct bench_run *run)
{
    return run->rank == run->target ? NAN : time_lock(run) / (run->ranks - 1);
}

double bench_pscw_skeleton(struct bench_run *run)
{
    MPI_Group partner = group_of(run, run->rank == 0 ? run->target : 0);
    double begin = 0, end = NAN;
    if (run->rank == run->target) MPI_Win_post(partner, 0, run->window);
    MPI_Barrier(run->comm);
    if (run->rank == 0) {
        bench_stay_behind_barrier();
        const long losses = bench_core_losses(run);
        begin = bench_now();
        MPI_Win_start(partner, 0, run->window);
        MPI_Win_complete(run->window);
        end = bench_now();
        run->losses = bench_core_losses(run) - losses;
    }
    if (run->rank == run->target) MPI_Win_wait(run->window);
    MPI_Group_free(&partner);
    return end - begin;
}

double bench_fence_skeleton(struct bench_run *run)
{
    double begin = bench_now();
    for (int i = 0; i < TRAIN; i++) MPI_Win_fence(0, run->window);
    return (bench_now() - begin) / TRAIN;
}

/* --- posts that come late --- */

static void pause_for(int64_t microseconds)
{
    const struct timespec pause = {microseconds / 1000000, microseconds % 1000000 * 1000};
    if (microseconds > 0) nanosleep(&pause, NULL);
}

/* No other test puts so few bytes, so a recording tells it apart. */
static void put_few(const struct bench_run *run, int target)
{
    enum { BYTES = 24 };
    MPI_Put(run->send, BYTES, MPI_BYTE, target, run->at, BYTES, MPI_BYTE, run->window);
}

enum { LATE_US = 5000 };

/* The time of the origin's calls in access epochs that the target exposes one after another, the first one late. Each has so many
 * puts, of 24 bytes where none are given. */
static double time_late_epochs(struct bench_run *run, int epochs, int puts, bool sized)
{
    if (!bench_is_pair(run)) return NAN;
    MPI_Group partner = group_of(run, run->rank == 0 ? run->target : 0);
    double begin = bench_now(), end;
    if (run->rank > 0) pause_for(LATE_US);
    for (int epoch = 0; epoch < epochs; epoch++) {
        if (run->rank > 0) {
            MPI_Win_post(partner, 0, run->window);
            MPI_Win_wait(run->window);
            continue;
        }
        MPI_Win_start(partner, 0, run->window);
        for (int i = 0; i < puts; i++) {
            if (sized) issue_put(run);
            else put_few(run, run->target);
        }
        MPI_Win_complete(run->window);
    }
    end = bench_now();
    MPI_Group_free(&partner);
    return run->rank == 0 ? end - begin : NAN;
}

double bench_epochs_ahead(struct bench_run *run)
{
    return time_late_epochs(run, (int)run->bytes, 1, false);
}

double bench_puts_ahead(struct bench_run *run)
{
    enum { PUTS = 16 };
    return time_late_epochs(run, 1, PUTS, true);
}

/* All ranks but the first one are targets. The last one posts late, and rank 1 gets the put. Behind the put the origin sleeps
 * until all have posted. */
double bench_late_group(struct bench_run *run)
{
    if (run->job->window == BENCH_DYNAMIC) return NAN; /* of rank 1 the address is not known */
    MPI_Group all, others;
    int origin = 0;
    double begin, put_end, complete_begin = 0;
    MPI_Comm_group(run->comm, &all);
    if (run->rank == 0) MPI_Group_excl(all, 1, &origin, &others);
    else MPI_Group_incl(all, 1, &origin, &others);
    MPI_Group_free(&all);
    if (run->rank == run->target) pause_for(LATE_US);
    begin = put_end = bench_now();
    if (run->rank == 0) {
        MPI_Win_start(others, 0, run->window);
        put_few(run, 1);
        put_end = bench_now();
        pause_for(2 * LATE_US);
        complete_begin = bench_now();
        MPI_Win_complete(run->window);
    } else {
        MPI_Win_post(others, 0, run->window);
        MPI_Win_wait(run->window);
    }
    double end = bench_now();
    MPI_Group_free(&others);
    return run->rank == 0 ? put_end - begin + (end - complete_begin) : NAN;
}

/* --- progress --- */

double bench_progress_delay(struct bench_run *run)
{
    const struct timespec pause = {.tv_nsec = 5000000}, entered = {.tv_nsec = 500000};
    if (run->rank == run->target) nanosleep(&pause, NULL);
    if (run->rank > 0) return NAN;
    nanosleep(&entered, NULL); /* the target has left the barrier */
    return time_flushed(run, issue_put);
}

/* The size is the length of the pause. No other test puts 16 bytes, so a recording tells it apart. The target returns
 * to MPI before the put arrives: it leaves the barrier up to a latency later than the origin, and pauses for three
 * quarters of the time. */
double bench_put_behind_pause(struct bench_run *run)
{
    enum { BYTES = 16 };
    if (run->rank == run->target) pause_for(run->bytes * 3 / 4);
    if (run->rank > 0) return NAN;
    pause_for(run->bytes);
    double begin = bench_now();
    MPI_Put(run->send, BYTES, MPI_BYTE, run->target, run->at, BYTES, MPI_BYTE, run->window);
    MPI_Win_flush(run->target, run->window);
    return bench_now() - begin;
}

static void compute_for(double seconds)
{
    double begin = bench_now();
    while (bench_now() - begin < seconds) {}
}

/* Computes for as long as a put alone took in the first half of the repetition. */
double bench_overlap(struct bench_run *run)
{
    if (run->rank > 0) return NAN;
    double alone = time_flushed(run, issue_put);
    double begin = bench_now();
    issue_put(run);
    compute_for(alone);
    MPI_Win_flush(run->target, run->window);
    return bench_now() - begin - alone;
}
