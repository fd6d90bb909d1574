/* Times of calls, in repetitions, while both ranks poll: rank 1 takes its part or waits for the next step, both inside
 * MPI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/probe/program/probe.h"

enum { WARM_UPS = 5, REPETITIONS = 40, REPETITIONS_LEAST = 8, REPETITIONS_LONG = 4, ATTEMPTS = 3 };
enum { TRAIN_MOST = 100, TRAIN_LEAST = 20 };
#define TRAIN_S 0.02 /* a train is shorter where it takes longer */
/* A series that takes less, with what is not timed, has all repetitions. A longer one ends as soon as it is steady and the
 * standard error of its median is within PRECISE; it takes at most SERIES_S, except for its fewest repetitions, and no further
 * attempt begins after that. One whose repetitions take SLOW_S is left out. If others use the cores, only what is timed counts:
 * the rest is their time. */
#define SHORT_S  0.02
#define WARM_S   1e-3 /* a series that takes less is made again until this time has passed, and the last one counts */
#define SERIES_S 0.05
#define SLOW_S   0.03
#define SLOW_PATIENT_S 0.5 /* of a train, and where others use the cores */
#define PRECISE  0.01
#define LONG_S   0.04 /* of a repetition: the fewest are REPETITIONS_LONG */
#define SLEEPS_S 1e-4 /* after its last send the partner has left MPI */

/* time: of one repetition on rank 0. partner: rank 1's part; NULL: it only polls. before and after:
 * on both sides, around the series. */
struct series {
    const char *name;
    double (*time)(int64_t bytes);
    void (*partner)(int64_t bytes);
    void (*before)(void), (*after)(void);
};

#define TIME(NAME, PREPARE, TIMED, AFTER)                                                                              \
    static double time_##NAME(int64_t bytes)                                                                           \
    {                                                                                                                  \
        (void)bytes;                                                                                                   \
        PREPARE;                                                                                                       \
        double begin_s = now_s();                                                                                      \
        TIMED;                                                                                                         \
        double took_s = now_s() - begin_s;                                                                             \
        AFTER;                                                                                                         \
        return took_s;                                                                                                 \
    }
#define PART(NAME, ...)                                                                                                \
    static void part_##NAME(int64_t bytes)                                                                             \
    {                                                                                                                  \
        (void)bytes;                                                                                                   \
        __VA_ARGS__;                                                                                                   \
    }
#define OPERATION(VARIANT) issue_operation(PROBE_VARIANT_##VARIANT, bytes)
#define FLUSH              MPI_Win_flush(PARTNER, window)
#define LOCK               MPI_Win_lock(MPI_LOCK_EXCLUSIVE, PARTNER, 0, window)
#define UNLOCK             MPI_Win_unlock(PARTNER, window)
#define SEND(TO, BYTES)    MPI_Send(source, (int)(BYTES), MPI_BYTE, TO, TAG_DATA, pair)
#define RECEIVE(FROM, BYTES)                                                                                           \
    MPI_Recv(result, (int)(BYTES), MPI_BYTE, FROM, TAG_DATA, pair, MPI_STATUS_IGNORE)
#define REPEAT(CALL)                                                                                                   \
    for (int i = 0; i < train; i++) CALL
static int train; /* calls of one, on both sides */

/* --- one-sided --- */

static void hold_lock(void)
{
    if (my_rank == ORIGIN) hold_window();
}

static void release_memory(void)
{
    if (my_rank == ORIGIN) UNLOCK;
}

TIME(put_flush, , OPERATION(PUT); FLUSH, )
TIME(put_call, , OPERATION(PUT), FLUSH)

/* The partner sleeps outside MPI, and its helper thread serves. */
static void send_to_sleep(void)
{
    MPI_Send(&settings.delay_s, 1, MPI_DOUBLE, PARTNER, TAG_READY, pair);
    RECEIVE(PARTNER, 0);
    spin(SLEEPS_S);
}

PART(sleep, double delay_s; MPI_Recv(&delay_s, 1, MPI_DOUBLE, ORIGIN, TAG_READY, pair, MPI_STATUS_IGNORE); SEND(ORIGIN, 0);
     sleep_until(now_s() + delay_s))
TIME(put_flush_asleep, send_to_sleep(), OPERATION(PUT); FLUSH, )
TIME(put_flush_local, OPERATION(PUT), MPI_Win_flush_local(PARTNER, window), FLUSH)
TIME(get_flush, , OPERATION(GET); FLUSH, )
TIME(accumulate_flush, , OPERATION(ACCUMULATE); FLUSH, )
TIME(fetch_and_op_flush, , OPERATION(FETCH_AND_OP); FLUSH, )
TIME(compare_and_swap_flush, , OPERATION(COMPARE_AND_SWAP); FLUSH, )
TIME(lock, , LOCK, UNLOCK)
TIME(unlock, LOCK, UNLOCK, )
TIME(lock_unlock, , LOCK; UNLOCK, )
TIME(put_unlock, LOCK; FLUSH, OPERATION(PUT); UNLOCK, )
TIME(lock_all, , MPI_Win_lock_all(0, window), MPI_Win_unlock_all(window))
TIME(unlock_all, MPI_Win_lock_all(0, window), MPI_Win_unlock_all(window), )

TIME(complete, MPI_Win_start(partner_group, 0, window); OPERATION(PUT), MPI_Win_complete(window), RECEIVE(PARTNER, 0))
TIME(complete_empty, MPI_Win_start(partner_group, 0, window), MPI_Win_complete(window), RECEIVE(PARTNER, 0))
TIME(start_to_wait_and_back, MPI_Win_start(partner_group, 0, window), OPERATION(PUT); MPI_Win_complete(window);
     RECEIVE(PARTNER, 0), )
PART(exposure, MPI_Win_post(origin_group, 0, window); MPI_Win_wait(window); SEND(ORIGIN, 0))

TIME(fence_train, MPI_Barrier(pair), REPEAT(MPI_Win_fence(0, fence_window)), )
PART(fence_train, MPI_Barrier(pair); REPEAT(MPI_Win_fence(0, fence_window)))
TIME(barrier_train, MPI_Barrier(pair), REPEAT(MPI_Barrier(pair)), )
PART(barrier_train, MPI_Barrier(pair); REPEAT(MPI_Barrier(pair)))

/* --- two-sided --- */

TIME(round_trip, , SEND(PARTNER, bytes); RECEIVE(PARTNER, 8), )
PART(round_trip, RECEIVE(ORIGIN, bytes); SEND(ORIGIN, 8))
TIME(send, , SEND(PARTNER, bytes), RECEIVE(PARTNER, 8))

/* --- both directions at once: rank 1 does the same --- */

static void both_put(int64_t bytes)
{
    MPI_Put(source, (int)bytes, MPI_BYTE, 1 - my_rank, place[1 - my_rank], (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(1 - my_rank, window);
}

static void both_get(int64_t bytes)
{
    MPI_Get(result, (int)bytes, MPI_BYTE, 1 - my_rank, place[1 - my_rank], (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(1 - my_rank, window);
}

static void hold_both(void)
{
    MPI_Win_lock_all(0, window);
}

static void release_both(void)
{
    MPI_Win_unlock_all(window);
}

TIME(opposed_puts, MPI_Barrier(pair), both_put(bytes), )
PART(opposed_puts, MPI_Barrier(pair); both_put(bytes))
TIME(opposed_gets, MPI_Barrier(pair), both_get(bytes), )
PART(opposed_gets, MPI_Barrier(pair); both_get(bytes))

/* --- windows --- */

static MPI_Win made;
static char *memory;
#define CREATE MPI_Win_create(source, BYTES_MAX, 1, MPI_INFO_NULL, pair, &made)

TIME(win_create, MPI_Barrier(pair), CREATE, MPI_Win_free(&made))
PART(win_create, MPI_Barrier(pair); CREATE; MPI_Win_free(&made))
TIME(win_allocate, MPI_Barrier(pair), MPI_Win_allocate(4096, 1, MPI_INFO_NULL, pair, &memory, &made), MPI_Win_free(&made))
PART(win_allocate, MPI_Barrier(pair); MPI_Win_allocate(4096, 1, MPI_INFO_NULL, pair, &memory, &made); MPI_Win_free(&made))
TIME(win_create_dynamic, MPI_Barrier(pair), MPI_Win_create_dynamic(MPI_INFO_NULL, pair, &made), MPI_Win_free(&made))
PART(win_create_dynamic, MPI_Barrier(pair); MPI_Win_create_dynamic(MPI_INFO_NULL, pair, &made); MPI_Win_free(&made))
TIME(win_free, CREATE, MPI_Win_free(&made), )
PART(win_free, CREATE; MPI_Win_free(&made))

static const struct series rows[] = {
    {"ping_pong", time_round_trip, part_round_trip, NULL, NULL},
    {"put_flush", time_put_flush, NULL, hold_lock, release_memory},
    {"put_call", time_put_call, NULL, hold_lock, release_memory},
    {"put_flush_asleep", time_put_flush_asleep, part_sleep, hold_lock, release_memory},
    {"put_flush_local", time_put_flush_local, NULL, hold_lock, release_memory},
    {"get_flush", time_get_flush, NULL, hold_lock, release_memory},
    {"accumulate_flush", time_accumulate_flush, NULL, hold_lock, release_memory},
    {"fetch_and_op_flush", time_fetch_and_op_flush, NULL, hold_lock, release_memory},
    {"compare_and_swap_flush", time_compare_and_swap_flush, NULL, hold_lock, release_memory},
    {"lock", time_lock, NULL, NULL, NULL},
    {"unlock", time_unlock, NULL, NULL, NULL},
    {"lock_unlock", time_lock_unlock, NULL, NULL, NULL},
    {"put_unlock", time_put_unlock, NULL, NULL, NULL},
    {"lock_all", time_lock_all, NULL, NULL, NULL},
    {"unlock_all", time_unlock_all, NULL, NULL, NULL},
    {"complete", time_complete, part_exposure, NULL, NULL},
    {"complete_empty", time_complete_empty, part_exposure, NULL, NULL},
    {"start_to_wait_and_back", time_start_to_wait_and_back, part_exposure, NULL, NULL},
    {"fence_train", time_fence_train, part_fence_train, NULL, NULL},
    {"barrier_train", time_barrier_train, part_barrier_train, NULL, NULL},
    {"round_trip", time_round_trip, part_round_trip, NULL, NULL},
    {"send", time_send, part_round_trip, NULL, NULL},
    {"opposed_puts", time_opposed_puts, part_opposed_puts, hold_both, release_both},
    {"opposed_gets", time_opposed_gets, part_opposed_gets, hold_both, release_both},
    {"win_create", time_win_create, part_win_create, NULL, NULL},
    {"win_allocate", time_win_allocate, part_win_allocate, NULL, NULL},
    {"win_create_dynamic", time_win_create_dynamic, part_win_create_dynamic, NULL, NULL},
    {"win_free", time_win_free, part_win_free, NULL, NULL},
};

void series_partner(const struct step *step)
{
    const struct series *row = &rows[step->id];
    train = step->variant;
    if (row->before) row->before();
    for (int i = 0; row->partner && i < step->count; i++) row->partner(step->bytes);
    if (row->after) row->after();
}

/* Returns the time of a repetition with all that is not timed. */
static double run_series(int id, int64_t bytes, int count, double *values)
{
    const struct series *row = &rows[id];
    double begin_s = now_s();
    ask(PARTNER, &(struct step){.kind = STEP_SERIES, .id = id, .variant = train, .bytes = bytes, .count = count});
    if (row->before) row->before();
    for (int i = 0; i < count; i++) values[i] = row->time(bytes);
    if (row->after) row->after();
    return (now_s() - begin_s) / count;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int copy_sorted(const double *values, int count, double *sorted)
{
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    return count - 1;
}

/* The same bound as in the evaluation. Another attempt may find a quieter machine. */
static bool is_steady(const double *values, int count)
{
    double sorted[REPETITIONS];
    int last = copy_sorted(values, count, sorted);
    return sorted[last * 9 / 10] <= 1.2 * sorted[count / 2];
}

/* The standard error of a median of normal values, from their quartiles. */
static bool is_precise(const double *values, int count)
{
    double sorted[REPETITIONS];
    int last = copy_sorted(values, count, sorted);
    double quartiles = sorted[(last * 3 + 3) / 4] - sorted[last / 4];
    return 1.253 * quartiles / 1.349 / sqrt(count) <= PRECISE * sorted[count / 2];
}

/* MPICH sends the first 60 puts of a window another way, at ten times the usual time within a node. */
static void measure_short(int id, int64_t bytes, double *values)
{
    double found[REPETITIONS + WARM_UPS], warm_s = now_s() + WARM_S;
    do run_series(id, bytes, WARM_UPS + REPETITIONS, found);
    while (now_s() < warm_s);
    memcpy(values, found + WARM_UPS, REPETITIONS * sizeof *values);
}

/* The repetitions come in groups: rank 1 must know how many follow. Load makes some of a short series long. */
static int measure_long(int id, int64_t bytes, double takes_s, double *values)
{
    int group = takes_s > LONG_S ? REPETITIONS_LONG : REPETITIONS_LEAST, count = 0;
    double least_s = takes_s, sum_s = 0;
    do {
        sum_s += group * run_series(id, bytes, group, values + count);
        for (int i = count; i < count + group; i++) least_s = fmin(least_s, values[i]);
        count += group;
        if (settings.loaded && least_s * REPETITIONS <= SHORT_S) {
            measure_short(id, bytes, values);
            return REPETITIONS;
        }
    } while (count + group <= REPETITIONS && sum_s < SERIES_S && !(is_steady(values, count) && is_precise(values, count)));
    return count;
}

void series_run(const char *name, int64_t bytes)
{
    double values[REPETITIONS];
    int id = 0, count = REPETITIONS;
    while (strcmp(rows[id].name, name) != 0) id++;
    if (now_s() > settings.ends_s) return;
    train = TRAIN_LEAST;
    double whole_s = run_series(id, bytes, 1, values), takes_s = settings.loaded ? values[0] : whole_s;
    double ends_s = fmin(settings.ends_s, now_s() + SERIES_S);
    bool patient = settings.loaded || strstr(name, "_train");
    if (values[0] > (patient ? SLOW_PATIENT_S : SLOW_S)) return;
    if (values[0] < TRAIN_S) train = (int)fmin(TRAIN_MOST, TRAIN_LEAST * TRAIN_S / values[0]);
    for (int attempt = 0; attempt < (settings.loaded ? 1 : ATTEMPTS) && now_s() < ends_s; attempt++) {
        if (takes_s * REPETITIONS <= SHORT_S)
            measure_short(id, bytes, values);
        else
            count = measure_long(id, bytes, takes_s, values);
        if (is_steady(values, count)) break;
    }
    double calls = strstr(name, "_train") ? train : 1;
    printf("rmacast-probe time %s %ld", name, (long)bytes);
    for (int i = 0; i < count; i++) printf(" %.6g", values[i] / calls);
    printf("\n");
    fflush(stdout);
}
