/* Test functions of POSIX threads, on one rank that leaves MPI alone meanwhile. Of run.h. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "platforms/bench/mpi/run.h"

enum { TRAIN = BENCH_TRAIN };
/* Longer than a thread takes to fall asleep in what it waits for, shorter than a core's deep sleep. */
enum { ASLEEP_US = 50 };

struct helper {
    pthread_t thread;
    pthread_barrier_t barrier;
    double begin, end; /* of the helper */
};

static void *note_begin(void *context)
{
    struct helper *helper = context;
    helper->begin = bench_now();
    return NULL;
}

static void *sleep_and_end(void *context)
{
    struct helper *helper = context;
    usleep(ASLEEP_US);
    helper->end = bench_now();
    return NULL;
}

static void *leave_barrier(void *context)
{
    struct helper *helper = context;
    pthread_barrier_wait(&helper->barrier);
    helper->end = bench_now();
    return NULL;
}

/* Times of one thread, from before its creation to behind its join; NAN: the system makes none. */
struct life {
    double before, created, begun, joined, end;
};

static struct life run_helper(void *(*work)(void *))
{
    struct helper helper = {.begin = NAN, .end = NAN};
    struct life life = {.before = bench_now()};
    const bool made = pthread_create(&helper.thread, NULL, work, &helper) == 0;
    life.created = bench_now();
    if (made) pthread_join(helper.thread, NULL);
    life.joined = bench_now();
    life.begun = helper.begin;
    life.end = helper.end;
    if (!made) life.before = NAN;
    return life;
}

double bench_thread_create(struct bench_run *run)
{
    (void)run;
    const struct life life = run_helper(note_begin);
    return life.created - life.before;
}

/* A thread may begin before its creator's call returns. */
double bench_thread_start(struct bench_run *run)
{
    const struct life life = run_helper(note_begin);
    return isnan(life.before) ? NAN : fmax(life.begun - life.created, 0) + run->own_s;
}

double bench_thread_join(struct bench_run *run)
{
    (void)run;
    const struct life life = run_helper(sleep_and_end);
    return life.joined - life.end;
}

/* locks false: the time of the unlocks. The bench's own time is in a train, not in each of its calls. */
static double time_mutexes(const struct bench_run *run, bool locks)
{
    static pthread_mutex_t mutexes[TRAIN];
    for (int i = 0; i < TRAIN; i++) pthread_mutex_init(&mutexes[i], NULL);
    const double begin = bench_now();
    for (int i = 0; i < TRAIN; i++) pthread_mutex_lock(&mutexes[i]);
    const double locked = bench_now();
    for (int i = 0; i < TRAIN; i++) pthread_mutex_unlock(&mutexes[i]);
    const double end = bench_now();
    for (int i = 0; i < TRAIN; i++) pthread_mutex_destroy(&mutexes[i]);
    return ((locks ? locked - begin : end - locked) - run->own_s) / TRAIN + run->own_s;
}

double bench_thread_lock(struct bench_run *run)
{
    return time_mutexes(run, true);
}

double bench_thread_unlock(struct bench_run *run)
{
    return time_mutexes(run, false);
}

double bench_thread_barrier(struct bench_run *run)
{
    struct helper helper = {.end = NAN};
    (void)run;
    if (pthread_barrier_init(&helper.barrier, NULL, 2) != 0) return NAN;
    if (pthread_create(&helper.thread, NULL, leave_barrier, &helper) != 0) return NAN;
    usleep(ASLEEP_US);
    const double arrives = bench_now();
    pthread_barrier_wait(&helper.barrier);
    pthread_join(helper.thread, NULL);
    pthread_barrier_destroy(&helper.barrier);
    return helper.end - arrives;
}
