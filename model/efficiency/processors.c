#include "model/efficiency/processors.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void processors_clear(struct processors *processors)
{
    FREE_ALL(processors->items, processors->of);
    memset(processors, 0, sizeof *processors);
}

struct life {
    int64_t begin_ps, end_ps;
    uint32_t thread;
};

/* Thread 0 comes first: it has the rank's first processor, even if it makes no call. */
ORDER(by_begin, struct life, UP(thread > 0) UP(begin_ps) UP(thread))

/* Finds the lives of the rank's threads in the order of their begins. Threads without calls have none, except thread
 * 0. */
static uint32_t find_lives(const struct thread_life *of, uint32_t threads, struct life *lives)
{
    uint32_t count = 0;
    lives[count++] = (struct life){.begin_ps = INT64_MIN, .end_ps = INT64_MAX};
    for (uint32_t t = 1; t < threads; t++)
        if (of[t].any) lives[count++] = (struct life){of[t].begin_ps, of[t].end_ps, t};
    if (count > 1) qsort(lives, count, sizeof *lives, by_begin);
    return count;
}

struct room { /* of one rank's threads */
    struct life *lives;
    int64_t *free_ps; /* the end of each processor's last life */
};

/* Gives each life the lowest processor that is free at its begin. */
static void add_rank(struct processors *processors, uint32_t rank, const struct locations *locations,
                     const struct thread_life *lives, const struct room *room)
{
    uint32_t location = locations->first[rank], threads = locations->first[rank + 1] - location, used = 0;
    uint32_t count = find_lives(&lives[location], threads, room->lives);
    for (uint32_t t = 0; t < threads; t++) processors->of[location + t] = processors->count; /* also of those without calls */
    for (uint32_t i = 0; i < count; i++) {
        const struct life *life = &room->lives[i];
        uint32_t p = 0;
        while (p < used && room->free_ps[p] > life->begin_ps) p++;
        if (p == used) processors->items[processors->count + used++] = (struct processor){.rank = rank, .index = p};
        room->free_ps[p] = life->end_ps;
        processors->of[location + life->thread] = processors->count + p;
    }
    processors->count += used;
    processors->several = processors->several || used > 1;
}

enum status processors_build(uint32_t rank_count, const struct locations *locations, const struct thread_life *lives,
                             struct processors *processors, struct err *err)
{
    struct processors made = {.items = calloc((size_t)locations->count + 1, sizeof *made.items),
                              .of = calloc((size_t)locations->count + 1, sizeof *made.of)};
    struct room room = {.lives = malloc(((size_t)locations->count + 1) * sizeof *room.lives),
                        .free_ps = malloc(((size_t)locations->count + 1) * sizeof *room.free_ps)};
    bool ready = made.items && made.of && room.lives && room.free_ps;
    for (uint32_t r = 0; ready && r < rank_count; r++) add_rank(&made, r, locations, lives, &room);
    FREE_ALL(room.lives, room.free_ps);
    if (ready) {
        *processors = made;
        return STATUS_OK;
    }
    processors_clear(&made);
    return err_memory(err);
}
