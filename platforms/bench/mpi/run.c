#include "platforms/bench/mpi/run.h"

#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"

enum {
    WARM_UPS = 3,
    BATCH_MOST = 1000,
    ALIGNMENT = 64,
    ROOM_LEAST = 4096,
    PASSES_LEAST = 2, /* with all of minRepeats */
    PASS_REPEATS_LEAST = 6,
    REFERENCE_TRAINS = 5,
    REFERENCE_TRIPS = 8,
    WORK_RUNS = 3,
    WORK_STEPS = 1024,
    WORK_WORDS = 256, /* they stay in the first cache */
    WITHOUT_LOSS_MOST = 10,
    HEAP_LIMIT = 1 << 17,
    HEAP_LIMIT_MOST = 1 << 25,
    HEAP_HEAD = 1 << 12 /* a block's own head, and the rest of its last page */
};
/* The first repetitions of a series find cold caches, and those behind a batch find caches that the results' writer has used. So
 * no series of a steady test is shorter, and a batch lasts this long if that is more than the fewest repetitions. */
#define SERIES_LEAST_S 2e-3
#define BATCH_S        1e-3
/* Networks whose round trips take longer have no reference. */
#define REFERENCE_MOST_S 2e-5
/* Batches with references last no longer, since conditions change. One that takes longer all the same, as a single repetition
 * may, has references up to REFERENCE_LOST_S. */
#define REFERENCE_HOLDS_S 2e-2
#define REFERENCE_LOST_S  1e-1
#define ROOM_MOST 0x1p31
/* A put of 8 bytes that leaves together with the target's last steps in a barrier takes a quarter longer within a node. */
#define BEHIND_BARRIER_S 5e-7

const bench_repeat bench_repeats[BENCH_FUNCTION_COUNT] = {
#define BENCH_TEST(NAME, IDENTIFIER, SIZES, RANKS, VALUE, WINDOW, SUMMARY) [BENCH_FUNCTION_##IDENTIFIER] = bench_##IDENTIFIER,
#include "platforms/bench/tests.def"
#undef BENCH_TEST
};

/* Functions without epochs of their own run between MPI_Win_lock_all and MPI_Win_unlock_all. */
static bool holds_lock(const struct bench_job *job)
{
    switch (job->function) {
    case BENCH_FUNCTION_put_issue:
    case BENCH_FUNCTION_get_issue:
    case BENCH_FUNCTION_accumulate_issue:
    case BENCH_FUNCTION_put_remote_completion:
    case BENCH_FUNCTION_put_both_ways:
    case BENCH_FUNCTION_get_both_ways:
    case BENCH_FUNCTION_accumulate_both_ways:
    case BENCH_FUNCTION_put_opposed:
    case BENCH_FUNCTION_get_opposed:
    case BENCH_FUNCTION_accumulate_opposed:
    case BENCH_FUNCTION_progress_delay:
    case BENCH_FUNCTION_put_behind_pause:
    case BENCH_FUNCTION_overlap: return true;
    default:
        return bench_functions[job->function].window == BENCH_EPOCHS &&
               (job->epoch == BENCH_FLUSH || job->epoch == BENCH_FLUSH_LOCAL);
    }
}

static bool has_window(const struct bench_job *job)
{
    return bench_functions[job->function].window != BENCH_PLAIN && job->function != BENCH_FUNCTION_window_create &&
           job->function != BENCH_FUNCTION_window_free;
}

/* --- one batch of repetitions --- */

/* The times of a batch on a rank, and the losses of its core. */
struct batch {
    double times[BATCH_MOST];
    long losses[BATCH_MOST];
};

void bench_stay_behind_barrier(void)
{
    const double begin = bench_now();
    while (bench_now() - begin < BEHIND_BARRIER_S) {}
}

static void repeat_batch(struct bench_run *run, int count, struct batch *batch)
{
    for (int i = 0; i < count; i++) {
        run->losses = 0;
        MPI_Barrier(run->comm);
        if (run->rank == 0 || bench_functions[run->job->function].value == BENCH_LAST) bench_stay_behind_barrier();
        batch->times[i] = bench_repeats[run->job->function](run) - run->own_s;
        batch->losses[i] = run->losses;
    }
    MPI_Barrier(run->comm);
}

/* The time of one repetition over the ranks. False: no rank has one. A time below the bench's own is scatter of that:
 * 0. */
static bool join_ranks(const struct bench_run *run, const double *times, int batch, int repetition,
                       struct bench_repetition *joined)
{
    bool is_signed = bench_function_is_signed(run->job->function);
    int count = 0;
    *joined = (struct bench_repetition){.root = NAN, .least = INFINITY, .most = -INFINITY};
    for (int rank = 0; rank < run->ranks; rank++) {
        double time = times[rank * batch + repetition];
        if (isnan(time)) continue;
        if (is_signed)
            time += run->own_s;
        else if (time < 0)
            time = 0;
        if (rank == 0) joined->root = time;
        joined->least = fmin(joined->least, time);
        joined->most = fmax(joined->most, time);
        joined->mean += time;
        count++;
    }
    joined->mean /= count;
    if (isnan(joined->root)) joined->root = joined->most;
    return count > 0;
}

/* A round trip of 8 bytes between the pair on the control communicator; rank 0's word comes to the target, whose answer comes
 * back. */
static void go_round(const struct bench_run *run, double *word, double *answer)
{
    if (run->rank == 0) {
        MPI_Send(word, 1, MPI_DOUBLE, run->target, 0, run->control);
        MPI_Recv(answer, 1, MPI_DOUBLE, run->target, 0, run->control, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(word, 1, MPI_DOUBLE, 0, 0, run->control, MPI_STATUS_IGNORE);
        MPI_Send(answer, 1, MPI_DOUBLE, 0, 0, run->control);
    }
}

/* Whether round trips are short enough for references. Both ranks of the pair find the same: the last trip tells the target. */
static bool has_reference(const struct bench_run *run)
{
    enum { TRIPS = 3 };
    double least_s = INFINITY;
    if (run->ranks < 2 || !bench_is_pair(run)) return false;
    for (int i = 0; i < TRIPS; i++) {
        const double begin = bench_now();
        double told_s = least_s, answer = 0;
        go_round(run, &told_s, &answer);
        if (run->rank > 0 || i + 1 == TRIPS) least_s = told_s;
        else least_s = fmin(least_s, bench_now() - begin);
    }
    return least_s <= REFERENCE_MOST_S;
}

/* The time of a fixed piece of computing, the least of a few. Four sums side by side keep the units of a core busy, so it takes
 * longer where another thread uses them, too, as when two virtual cores are one core of the host. */
static double measure_work(void)
{
    static uint64_t words[WORK_WORDS];
    double least_s = INFINITY;
    for (int run = 0; run < WORK_RUNS; run++) {
        uint64_t a = 1, b = 2, c = 3, d = 4;
        const double begin = bench_now();
        for (int i = 0; i < WORK_STEPS; i++) {
            const uint64_t *at = words + i * 4 % WORK_WORDS;
            a = a * 5 + at[0];
            b = b * 5 + at[1];
            c = c * 5 + at[2];
            d = d * 5 + at[3];
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); /* every step is done, one after another */
        }
        least_s = fmin(least_s, bench_now() - begin);
    }
    return least_s;
}

/* Under which conditions the machine is just now, on rank 0: half a round trip, the median of trains, and the work of the slower
 * core of the pair. */
struct reference {
    double trip_s, work_s;
};

static struct reference measure_reference(const struct bench_run *run)
{
    double trains[REFERENCE_TRAINS], word = 0, work_s = measure_work(), other_s = work_s;
    for (int i = 0; i < REFERENCE_TRAINS; i++) {
        const double begin = bench_now();
        for (int k = 0; k < REFERENCE_TRIPS; k++) go_round(run, &word, &other_s);
        trains[i] = (bench_now() - begin) / 2 / REFERENCE_TRIPS;
    }
    qsort(trains, REFERENCE_TRAINS, sizeof *trains, compare_doubles);
    return (struct reference){trains[REFERENCE_TRAINS / 2], fmax(work_s, other_s)};
}

/* A batch is as slow as its slower end. */
static struct reference slower_of(const struct reference *before, const struct reference *behind)
{
    return (struct reference){fmax(before->trip_s, behind->trip_s), fmax(before->work_s, behind->work_s)};
}

/* The state of a size on rank 0, to decide when it has enough repetitions. */
struct progress {
    double *values, begin;
    size_t count, capacity, lost; /* lost: repetitions with losses of the core */
};

/* Repetitions in which another process had the core are measured again, but not without end. */
static bool is_enough(const struct bench_job *job, struct progress *progress)
{
    struct bench_statistics statistics;
    const size_t least = (size_t)job->min_repeats;
    if (progress->count < least) return false;
    if (progress->count - progress->lost < least && progress->count < WITHOUT_LOSS_MOST * least) return false;
    const double taken_s = bench_now() - progress->begin;
    if (taken_s >= job->max_duration_s) return true;
    if (taken_s < SERIES_LEAST_S) return false;
    bench_statistics_of(progress->values, progress->count, &statistics);
    return !bench_statistics_refused(&statistics) && statistics.mean_half_width <= job->confidence * fabs(statistics.mean);
}

static bool keep_value(struct progress *progress, double value)
{
    if (progress->count == progress->capacity) {
        size_t more = progress->capacity ? 2 * progress->capacity : BATCH_MOST;
        double *values = realloc(progress->values, sizeof *values * more);
        if (!values) return false;
        progress->values = values;
        progress->capacity = more;
    }
    progress->values[progress->count++] = value;
    return true;
}

/* On rank 0: writes a batch. False: it cannot be written or stored, or no rank has a time (then there is nothing to
 * measure). */
static bool take_batch(const struct bench_run *run, const double *times, const long *losses, int batch,
                       const struct reference *reference, const char *place, struct progress *progress, FILE *out)
{
    bool root = bench_functions[run->job->function].value == BENCH_ROOT;
    for (int i = 0; i < batch; i++) {
        struct bench_repetition joined;
        if (!join_ranks(run, times, batch, i, &joined)) return false;
        joined.reference_s = reference->trip_s;
        joined.work_s = reference->work_s;
        joined.losses = (int)losses[i];
        progress->lost += losses[i] > 0;
        if (!bench_results_write(out, run->job, place, run->bytes, (int)progress->count, &joined)) return false;
        if (!keep_value(progress, root ? joined.root : joined.most)) return false;
    }
    return fflush(out) == 0;
}

/* The size of the next batch: what lasts BATCH_S, by the time that the last one took, but at least the fewest repetitions. With
 * references it lasts REFERENCE_HOLDS_S at most. */
static int next_batch(const struct bench_job *job, int batch, double taken_s, bool refers)
{
    const double rate = taken_s > 0 ? batch / taken_s : INFINITY;
    const double wanted = fmin(fmax(floor(rate * BATCH_S), job->min_repeats), BATCH_MOST);
    return (int)(refers ? fmin(wanted, fmax(floor(rate * REFERENCE_HOLDS_S), 1)) : wanted);
}

/* The fewest repetitions, by the time of the warm-ups. */
static int first_batch(const struct bench_job *job, int warm_ups, double taken_s, bool refers)
{
    const int next = next_batch(job, warm_ups, taken_s, refers);
    return next < job->min_repeats ? next : job->min_repeats < BATCH_MOST ? job->min_repeats : BATCH_MOST;
}

/* All ranks do the same number of repetitions: rank 0 broadcasts the size of the next batch, 0 at the end. */
static void repeat_size(struct bench_run *run, const char *place, FILE *out)
{
    int batch = 1;
    struct batch *own = malloc(sizeof *own);
    double *all = run->rank == 0 ? malloc(sizeof *all * BATCH_MOST * (size_t)run->ranks) : NULL;
    struct progress progress = {.begin = bench_now()};
    int memory = own && (all || run->rank > 0), possible;
    MPI_Allreduce(&memory, &possible, 1, MPI_INT, MPI_MIN, run->control);
    const bool refers = possible && has_reference(run);
    run->counts_losses = !refers; /* the call that counts takes as long as short calls do */
    if (possible) {
        const int warm_ups = run->job->min_repeats < WARM_UPS ? run->job->min_repeats : WARM_UPS;
        const double begin = bench_now();
        repeat_batch(run, warm_ups, own);
        batch = first_batch(run->job, warm_ups, bench_now() - begin, refers);
        MPI_Bcast(&batch, 1, MPI_INT, 0, run->control);
    }
    while (possible && batch > 0) {
        struct reference reference = {0, 0};
        if (refers) reference = measure_reference(run);
        const double begin = bench_now();
        repeat_batch(run, batch, own);
        const double taken_s = bench_now() - begin;
        if (refers) {
            const struct reference behind = measure_reference(run);
            reference = taken_s <= REFERENCE_LOST_S ? slower_of(&reference, &behind) : (struct reference){0, 0};
        }
        const int next = next_batch(run->job, batch, taken_s, refers);
        MPI_Gather(own->times, batch, MPI_DOUBLE, all, batch, MPI_DOUBLE, 0, run->control);
        if (run->rank == 0)
            batch = take_batch(run, all, own->losses, batch, &reference, place, &progress, out) &&
                            !is_enough(run->job, &progress)
                        ? next
                        : 0;
        MPI_Bcast(&batch, 1, MPI_INT, 0, run->control);
    }
    free(progress.values);
    free(own);
    free(all);
}

/* --- a job --- */

static int count_passes(const struct bench_job *job)
{
    return job->min_repeats < PASSES_LEAST * PASS_REPEATS_LEAST ? 1 : BENCH_PASSES;
}

/* The part of one pass: the first two have all of minRepeats, and each its part of the time. */
static struct bench_job share_of_pass(const struct bench_job *job)
{
    struct bench_job shared = *job;
    if (count_passes(job) == 1) return shared;
    shared.min_repeats = (job->min_repeats + PASSES_LEAST - 1) / PASSES_LEAST;
    shared.max_duration_s /= BENCH_PASSES;
    return shared;
}

bool bench_job_has_time(const struct bench_job *job, int pass, double spent_s)
{
    if (pass >= count_passes(job) || isinf(spent_s)) return false;
    return pass < PASSES_LEAST || spent_s <= job->max_duration_s * job->size_count * pass / BENCH_PASSES;
}

static bool make_buffers(struct bench_run *run)
{
    int64_t most = ROOM_LEAST;
    for (int i = 0; i < run->job->size_count; i++)
        if (run->job->sizes[i] > most) most = run->job->sizes[i];
    size_t room = (size_t)(most + ALIGNMENT) / ALIGNMENT * ALIGNMENT * (size_t)run->ranks;
    if (run->job->function == BENCH_FUNCTION_memory_copy && run->rank == 0 && room < BENCH_COLD_BYTES) room = BENCH_COLD_BYTES;
    run->send = aligned_alloc(ALIGNMENT, room);
    run->receive = aligned_alloc(ALIGNMENT, room);
    if (!run->send || !run->receive) return false;
    memset(run->send, 0, room);
    memset(run->receive, 0, room);
    return true;
}

/* An accumulate's target allocates. Above two limits the C library gives freed memory back to the system, and the next message
 * takes page faults. The limits grow with the largest block that the process has given back. So an accumulate takes longer in a
 * program that frees no larger blocks than its messages than behind tests of larger sizes. The limits are set to what they are in
 * that program (mallopt(3)). */
static void set_heap(int64_t bytes)
{
    int64_t limit = HEAP_LIMIT;
    if (bytes >= HEAP_LIMIT) limit = bytes < HEAP_LIMIT_MOST - HEAP_HEAD ? bytes + HEAP_HEAD : HEAP_LIMIT_MOST;
    mallopt(M_MMAP_THRESHOLD, (int)limit);
    mallopt(M_TRIM_THRESHOLD, (int)(limit > HEAP_LIMIT ? 2 * limit : limit));
}

static void run_size(struct bench_run *run, int64_t bytes, const char *place, FILE *out)
{
    bool window = has_window(run->job), holds = holds_lock(run->job);
    char region[BENCH_SERIES_NAME_BYTES];
    bench_series_name(run->job->spec, run->job->demand.nodes, bytes, region);
    MPI_Pcontrol(1, region); /* a recording shows what the calls belong to */
    set_heap(bytes);
    run->bytes = bytes;
    run->type = bytes % 8 == 0 ? MPI_DOUBLE : MPI_SIGNED_CHAR;
    run->count = (int)(bytes % 8 == 0 ? bytes / 8 : bytes);
    if (window) bench_run_open_window(run);
    if (holds) MPI_Win_lock_all(0, run->window);
    repeat_size(run, place, out);
    if (holds) MPI_Win_unlock_all(run->window);
    if (window) bench_run_close_window(run);
    MPI_Pcontrol(-1, region);
}

enum status bench_job_run(const struct bench_job *job, MPI_Comm comm, const char *place, double own_s, FILE *out, struct err *err)
{
    struct bench_job shared = share_of_pass(job);
    struct bench_run run = {.job = &shared, .comm = comm, .own_s = job->function == BENCH_FUNCTION_empty ? 0 : own_s};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.ranks);
    run.target = run.ranks - 1;
    for (int i = 0; i < job->size_count; i++)
        if ((double)job->sizes[i] * run.ranks > ROOM_MOST || job->sizes[i] > INT_MAX)
            return err_set(err, STATUS_DATA, job->test, job->spec,
                           "%lld bytes on each of %d ranks, expected 2 GiB in all at most", (long long)job->sizes[i],
                           run.ranks);
    MPI_Comm_dup(comm, &run.control);
    set_heap(0);
    int memory = make_buffers(&run), possible;
    MPI_Allreduce(&memory, &possible, 1, MPI_INT, MPI_MIN, run.control);
    for (int i = 0; possible && i < job->size_count; i++) run_size(&run, job->sizes[i], place, out);
    free(run.send);
    free(run.receive);
    MPI_Comm_free(&run.control);
    return possible ? STATUS_OK : err_memory(err);
}
