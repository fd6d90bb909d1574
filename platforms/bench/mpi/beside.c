/* Test functions of work on 1 to all cores of a node at once, on one rank that leaves MPI alone meanwhile: run->bytes is on how
 * many. Each has a thread that is bound to it. NAN: there are not so many, or no room. Of run.h. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platforms/bench/mpi/run.h"

/* Two arrays of 64 MiB at least, or twice the last-level cache each. The loops take 10 to 50 ms. */
enum { WORDS_LEAST = 1 << 23, WORDS_MOST = 1 << 25, PASSES = 3, COMPUTE_STEPS = 1 << 25 };

struct worker {
    pthread_t thread;
    sem_t *ready, *go;
    size_t core;
    bool copies, bound;
    double taken_s;
};

static size_t count_words(void)
{
    const long words = 2 * sysconf(_SC_LEVEL3_CACHE_SIZE) / (long)sizeof(double);
    return words < WORDS_LEAST ? WORDS_LEAST : words > WORDS_MOST ? WORDS_MOST : (size_t)words;
}

/* Of the thread's processor time: what other processes take of its core is no matter of memory. */
static double processor_s(void)
{
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Scaled, or the compiler calls memcpy, which passes the cache by. Per array of WORDS_LEAST. */
static double copy_scaled(double *to, const double *from, size_t words)
{
    const double begin = processor_s();
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < words; i++) to[i] = 3 * from[i];
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return (processor_s() - begin) / PASSES * WORDS_LEAST / (double)words;
}

static double compute_steps(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    const double begin = processor_s();
    for (int i = 0; i < COMPUTE_STEPS; i++) {
        a = a * 5 + 1;
        b = b * 5 + 1;
        c = c * 5 + 1;
        d = d * 5 + 1;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    return processor_s() - begin;
}

/* All memory of all workers is touched before they go. */
static void *work_on_core(void *context)
{
    struct worker *worker = context;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(worker->core, &own);
    const size_t words = count_words();
    double *from = worker->copies ? malloc(2 * words * sizeof *from) : NULL;
    worker->bound = pthread_setaffinity_np(pthread_self(), sizeof own, &own) == 0 && (from || !worker->copies);
    for (size_t i = 0; from && i < 2 * words; i++) from[i] = 1;
    sem_post(worker->ready);
    sem_wait(worker->go);
    worker->taken_s = !worker->bound ? NAN : from ? copy_scaled(from + words, from, words) : compute_steps();
    free(from);
    return NULL;
}

/* Those that the system gives the process, not those that a launcher has bound it to. */
static void find_cores(cpu_set_t *cores)
{
    cpu_set_t bound;
    if (sched_getaffinity(0, sizeof bound, &bound) != 0) CPU_ZERO(&bound);
    memset(cores, 0xff, sizeof *cores);
    (void)!sched_setaffinity(0, sizeof *cores, cores);
    if (sched_getaffinity(0, sizeof *cores, cores) != 0) *cores = bound;
    (void)!sched_setaffinity(0, sizeof bound, &bound);
}

/* The mean time of all. */
static double run_workers(struct worker *workers, int count, bool copies, const cpu_set_t *cores)
{
    sem_t ready, go;
    double sum_s = 0;
    int made = 0;
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    for (size_t core = 0; made < count; made++, core++) {
        while (!CPU_ISSET(core, cores)) core++;
        workers[made] = (struct worker){.ready = &ready, .go = &go, .core = core, .copies = copies};
        if (pthread_create(&workers[made].thread, NULL, work_on_core, &workers[made]) != 0) break;
    }
    for (int i = 0; i < made; i++) sem_wait(&ready);
    for (int i = 0; i < made; i++) sem_post(&go);
    for (int i = 0; i < made; i++) {
        pthread_join(workers[i].thread, NULL);
        sum_s += workers[i].taken_s;
    }
    sem_destroy(&ready);
    sem_destroy(&go);
    return made == count ? sum_s / count : NAN;
}

static double time_beside(const struct bench_run *run, bool copies)
{
    cpu_set_t cores;
    find_cores(&cores);
    if (run->bytes < 1 || run->bytes > CPU_COUNT(&cores)) return NAN;
    const int count = (int)run->bytes;
    struct worker *workers = calloc((size_t)count, sizeof *workers);
    const double mean_s = workers ? run_workers(workers, count, copies, &cores) : NAN;
    free(workers);
    return mean_s;
}

double bench_copy_beside(struct bench_run *run)
{
    return time_beside(run, true);
}

double bench_compute_beside(struct bench_run *run)
{
    return time_beside(run, false);
}
