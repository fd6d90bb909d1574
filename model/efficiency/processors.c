#include "model/efficiency/processors.h"

#include <stdlib.h>
#include <string.h>

void processors_clear(struct processors *processors)
{
    free(processors->items);
    free(processors->rank_first);
    free(processors->threads);
    free(processors->rank_threads);
    free(processors->of);
    memset(processors, 0, sizeof *processors);
}

struct life {
    int64_t begin_ps, end_ps;
    uint32_t thread;
};

/* Thread 0 comes first: it has the rank's first processor, even if it makes no call. */
static int by_begin(const void *one, const void *other)
{
    const struct life *a = one, *b = other;
    if ((a->thread == 0) != (b->thread == 0)) return a->thread == 0 ? -1 : 1;
    if (a->begin_ps != b->begin_ps) return a->begin_ps < b->begin_ps ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Finds the lives of the rank's threads in the order of their begins. Threads without calls have none, except thread
 * 0. */
static uint32_t find_lives(const struct timelines *timelines, uint32_t rank, struct life *lives)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < trace_thread_count(timelines->trace, rank); t++) {
        struct timeline timeline = timeline_of(timelines, rank, t);
        if (timeline.count == 0 && t > 0) continue;
        struct life life = {.begin_ps = INT64_MIN, .end_ps = INT64_MAX, .thread = t};
        if (t > 0) {
            life.begin_ps = timeline_call(&timeline, 0)->enter_ps;
            life.end_ps = timeline_call(&timeline, timeline.count - 1)->exit_ps;
        }
        lives[count++] = life;
    }
    if (count > 1) qsort(lives, count, sizeof *lives, by_begin);
    return count;
}

/* Gives each life the lowest processor that is free at its begin; free_ps has the end of each processor's last life.
 * Returns the number of processors. */
static uint32_t place_lives(const struct life *lives, uint32_t count, uint32_t *places, int64_t *free_ps)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = 0;
        while (p < used && free_ps[p] > lives[i].begin_ps) p++;
        if (p == used) used++;
        free_ps[p] = lives[i].end_ps;
        places[i] = p;
    }
    return used;
}

struct room { /* of one rank's threads */
    struct life *lives;
    uint32_t *places;
    int64_t *free_ps;
};

static void add_rank(struct processors *processors, uint32_t rank, const struct room *room)
{
    uint32_t count = find_lives(processors->timelines, rank, room->lives);
    uint32_t used = place_lives(room->lives, count, room->places, room->free_ps);
    uint32_t *of = processors->of + processors->rank_threads[rank], next = processors->rank_threads[rank];
    for (uint32_t p = 0; p < used; p++) {
        struct processor *made = &processors->items[processors->count + p];
        *made = (struct processor){.rank = rank, .index = p, .first = next};
        for (uint32_t i = 0; i < count; i++) {
            if (room->places[i] != p) continue;
            of[room->lives[i].thread] = processors->count + p;
            processors->threads[next++] = room->lives[i].thread;
            made->count++;
        }
    }
    processors->count += used;
    processors->rank_first[rank + 1] = processors->count;
    processors->several = processors->several || used > 1;
}

enum status processors_build(const struct timelines *timelines, struct processors *processors, struct err *err)
{
    uint32_t ranks = timelines->trace->rank_count, all = 0, most = 1;
    struct processors made = {.timelines = timelines,
                              .rank_threads = calloc((size_t)ranks + 1, sizeof *made.rank_threads)};
    if (!made.rank_threads) return err_memory(err);
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t threads = trace_thread_count(timelines->trace, r);
        made.rank_threads[r] = all;
        all += threads;
        if (threads > most) most = threads;
    }
    struct room room = {.lives = malloc(most * sizeof *room.lives),
                        .places = malloc(most * sizeof *room.places),
                        .free_ps = malloc(most * sizeof *room.free_ps)};
    made.items = calloc((size_t)all + 1, sizeof *made.items);
    made.rank_first = calloc((size_t)ranks + 1, sizeof *made.rank_first);
    made.threads = calloc((size_t)all + 1, sizeof *made.threads);
    made.of = calloc((size_t)all + 1, sizeof *made.of);
    bool ready = room.lives && room.places && room.free_ps && made.items && made.rank_first && made.threads && made.of;
    for (uint32_t r = 0; ready && r < ranks; r++) add_rank(&made, r, &room);
    free(room.lives);
    free(room.places);
    free(room.free_ps);
    if (ready) {
        *processors = made;
        return STATUS_OK;
    }
    processors_clear(&made);
    return err_memory(err);
}

uint32_t processor_of(const struct processors *processors, uint32_t rank, size_t call)
{
    return processors->of[processors->rank_threads[rank] + trace_call_thread(processors->timelines->trace, rank, call)];
}
