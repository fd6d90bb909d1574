#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct run {
    parallel_work *work;
    void *context;
    size_t count;
    atomic_size_t next, failed; /* failed: the first block that did, SIZE_MAX none */
    pthread_mutex_t lock;       /* of what follows, and for writing failed */
    enum status status;
    struct err err;
};

static void note_failure(struct run *run, size_t block, enum status status, const struct err *err)
{
    pthread_mutex_lock(&run->lock);
    if (block < atomic_load(&run->failed)) {
        run->status = status;
        run->err = *err;
        atomic_store(&run->failed, block);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Blocks are begun in their order: all before one that fails have been, and end. */
static void *work_off(void *argument)
{
    struct run *run = argument;
    for (;;) {
        size_t block = atomic_fetch_add(&run->next, 1);
        if (block >= run->count || block > atomic_load(&run->failed)) return NULL;
        struct err err = {.list = ERR_NOWHERE, .item = ERR_NOWHERE};
        enum status status = run->work(run->context, block, &err);
        if (status != STATUS_OK) note_failure(run, block, status, &err);
    }
}

enum status parallel_run(size_t count, unsigned threads, parallel_work *work, void *context, struct err *err)
{
    struct run run = {.work = work, .context = context, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&run.next, 0);
    atomic_init(&run.failed, SIZE_MAX);
    size_t others = threads < count ? threads : count, begun = 0;
    others -= others > 0;
    pthread_t *made = others > 0 ? malloc(others * sizeof *made) : NULL;
    /* With fewer than wished it only takes longer. */
    while (made && begun < others && pthread_create(&made[begun], NULL, work_off, &run) == 0) begun++;
    work_off(&run);
    for (size_t i = 0; i < begun; i++) pthread_join(made[i], NULL);
    free(made);
    pthread_mutex_destroy(&run.lock);
    if (run.status != STATUS_OK && err) *err = run.err;
    return run.status;
}

unsigned parallel_processors(void)
{
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) != 0) return 1; /* more processors than the set holds */
    int count = CPU_COUNT(&own);
    return count > 0 ? (unsigned)count : 1;
}

unsigned parallel_threads(uint64_t units, uint64_t per_thread)
{
    unsigned processors = parallel_processors();
    return units / per_thread < processors ? 1 + (unsigned)(units / per_thread) : processors;
}
