/* Each key that recurs is a candidate. Between two of its calls lie others; in a loop they have mostly the same keys each time,
 * or each second time where a key is called twice per iteration, and so on. Of the keys that span about the same time, those with
 * the fewest iterations are the outermost loop's.
 *
 * A key that has a line is in a loop by itself, so what lies between may differ, if no other key recurs more regularly. */
#include "model/over_time/main_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"

enum {
    CALLS_MAX = 1 << 18,  /* looked at */
    ITERATIONS_MIN = 3,
    EVERY_MAX = 8,        /* calls of one key per iteration */
    CANDIDATES_MAX = 64,
    RANKS_TRIED = 2,
    SPAN_PART = 20,       /* a loop takes this part of the rank's time at least */
};

struct key {
    uint64_t key;
    uint64_t count, interval; /* the interval in which it was seen last */
    uint32_t seen;            /* and in which before, by bits */
    size_t first, last;   /* calls */
    int64_t first_ps, last_ps;
};

struct search {
    const struct trace *trace;
    uint32_t *calls; /* keys of the rank's calls */
    size_t count, capacity;
    struct key *keys;
    size_t key_count, key_capacity;
    struct map index;
    uint64_t interval; /* the last one */
    int64_t begin_ps, end_ps; /* of the program between MPI_Init and MPI_Finalize */
};

void main_loop_clear(struct main_loop *loop)
{
    free(loop->place);
    map_clear(&loop->outside);
    *loop = (struct main_loop){0};
}

uint64_t main_loop_key(const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    if (kind == CALL_INIT || kind == CALL_FINALIZE || call->call == ID_region_leave) return 0;
    return map_pair((uint32_t)call->call, call->call == ID_region_enter ? call->region.region : call->site) + 1;
}

static enum status add_call(struct search *search, const struct trace_call *call, struct err *err)
{
    const uint64_t key = main_loop_key(call);
    uint64_t *number;
    if (call_kind(call->call) == CALL_INIT) search->begin_ps = call->exit_ps;
    if (call_kind(call->call) != CALL_FINALIZE) search->end_ps = call->exit_ps;
    if (key == 0) return STATUS_OK;
    TRY(map_put(&search->index, key, search->key_count, &number, err));
    if (*number == search->key_count) {
        const struct key added = {.key = key, .first = search->count, .first_ps = call->enter_ps};
        ARRAY_PUSH(search->keys, search->key_count, search->key_capacity, added, err);
    }
    struct key *of = &search->keys[*number];
    of->count++;
    of->last = search->count;
    of->last_ps = call->enter_ps;
    ARRAY_PUSH(search->calls, search->count, search->capacity, (uint32_t)*number, err);
    return STATUS_OK;
}

static enum status add_calls(struct search *search, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &search->trace->ranks[rank];
    if (process->count > 0) search->begin_ps = search->end_ps = process->calls[0].enter_ps;
    for (size_t i = 0; i < process->count && i < CALLS_MAX; i++)
        if (trace_call_thread(search->trace, rank, i) == 0) TRY(add_call(search, &process->calls[i], err));
    return STATUS_OK;
}

/* The time of a key's intervals, and of one more. */
static int64_t span_ps(const struct key *key)
{
    const int64_t between_ps = key->last_ps - key->first_ps;
    return between_ps + between_ps / (int64_t)(key->count - 1);
}

/* How much alike intervals are that lie 1, 2, ... apart: keys that both have, and keys of each. */
struct likeness {
    uint64_t both[EVERY_MAX + 1], each[EVERY_MAX + 1];
};

static void compare_intervals(struct search *search, uint32_t candidate, struct likeness *likeness)
{
    const struct key *of = &search->keys[candidate];
    const uint64_t first = search->interval + EVERY_MAX + 1; /* none of an earlier candidate's intervals is near */
    const uint64_t last = first + of->count - 2;
    *likeness = (struct likeness){0};
    search->interval = first - 1;
    for (size_t i = of->first; i < of->last; i++) {
        struct key *key = &search->keys[search->calls[i]];
        search->interval += search->calls[i] == candidate;
        const uint64_t since = search->interval - key->interval;
        if (since == 0) continue;
        key->seen = since <= EVERY_MAX ? key->seen << since | 1 : 1;
        key->interval = search->interval;
        for (uint64_t apart = 1; apart <= EVERY_MAX; apart++) {
            likeness->both[apart] += key->seen >> apart & 1;
            if (search->interval >= first + apart) likeness->each[apart]++;
            if (search->interval + apart <= last) likeness->each[apart]++;
        }
    }
}

/* How many of a candidate's calls make an iteration, so that three of four keys are also in the next one; 0: none. */
static uint32_t find_every(struct search *search, uint32_t candidate)
{
    struct likeness likeness;
    compare_intervals(search, candidate, &likeness);
    for (uint32_t every = 1; every <= EVERY_MAX && search->keys[candidate].count / every >= ITERATIONS_MIN; every++)
        if (8 * likeness.both[every] >= 3 * likeness.each[every]) return every;
    return 0;
}

struct candidate {
    uint64_t count, iterations;
    size_t first;
    uint32_t key, every; /* every 0: irregular */
};
ORDER(by_count, struct candidate, UP(count) UP(first))
ORDER(by_place, struct candidate, UP(every) UP(iterations) UP(first))

/* Keys that recur over half of the longest span, not before or behind it, the fewest calls first. *candidates: owned by the
 * caller. */
static enum status list_candidates(struct search *search, struct candidate **candidates, size_t *count, struct err *err)
{
    const int64_t least_ps = (search->end_ps - search->begin_ps) / SPAN_PART;
    const struct key *longest = NULL;
    *count = 0;
    *candidates = malloc((search->key_count + 1) * sizeof **candidates);
    if (!*candidates) return err_memory(err);
    for (size_t k = 0; k < search->key_count; k++) {
        const struct key *key = &search->keys[k];
        if (key->count >= ITERATIONS_MIN && (!longest || span_ps(key) > span_ps(longest))) longest = key;
    }
    for (size_t k = 0; longest && k < search->key_count; k++) {
        const struct key *key = &search->keys[k];
        if (key->count < ITERATIONS_MIN || key->last <= longest->first || key->first >= longest->last) continue;
        if (span_ps(key) < units_max_ps(least_ps, span_ps(longest) / 2)) continue;
        const struct candidate added = {.count = key->count, .first = key->first, .key = (uint32_t)k};
        (*candidates)[(*count)++] = added;
    }
    if (*count > 1) qsort(*candidates, *count, sizeof **candidates, by_count);
    if (*count > CANDIDATES_MAX) *count = CANDIDATES_MAX;
    return STATUS_OK;
}

static bool has_line(uint64_t key)
{
    return (uint32_t)(key - 1) != 0 || (enum mpi_call)((key - 1) >> 32) == ID_region_enter;
}

/* Candidates with as many iterations as one, or one more or less: calls of the same loop. */
static size_t count_alike(const struct candidate *candidates, size_t count, const struct candidate *one)
{
    size_t alike = 0;
    for (size_t c = 0; c < count; c++)
        alike += candidates[c].every > 0 && candidates[c].iterations <= one->iterations + 1 &&
                 candidates[c].iterations + 1 >= one->iterations;
    return alike;
}

/* The outermost loop with more than half as many calls as the one with most: what is done each hundredth time is no loop of its
 * own. Its iterations begin with the first call that each has once. */
static const struct candidate *choose_regular(struct candidate *candidates, size_t count)
{
    const struct candidate *chosen = NULL, *first = NULL;
    size_t most = 0;
    for (size_t c = 0; c < count; c++)
        if (candidates[c].every > 0) {
            const size_t alike = count_alike(candidates, count, &candidates[c]);
            if (alike > most) most = alike;
        }
    for (size_t c = 0; c < count; c++) {
        const struct candidate *one = &candidates[c];
        if (one->every == 0 || 2 * count_alike(candidates, count, one) <= most) continue;
        if (!chosen || one->iterations < chosen->iterations) chosen = one;
    }
    for (size_t c = 0; c < count; c++) {
        const struct candidate *one = &candidates[c];
        if (one->every == 0 || one->iterations < chosen->iterations || one->iterations > chosen->iterations + 1) continue;
        if (!first || by_place(one, first) < 0) first = one;
    }
    return first;
}

/* NULL: there is no loop. */
static const struct candidate *choose_loop(struct search *search, struct candidate *candidates, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        candidates[c].every = find_every(search, candidates[c].key);
        candidates[c].iterations = candidates[c].every ? candidates[c].count / candidates[c].every : 0;
    }
    const struct candidate *chosen = choose_regular(candidates, count);
    for (size_t c = 0; c < count && !chosen; c++) {
        if (!has_line(search->keys[candidates[c].key].key)) continue;
        candidates[c].every = 1;
        candidates[c].iterations = candidates[c].count;
        chosen = &candidates[c];
    }
    return chosen;
}

static char *place_text(const struct trace *trace, uint64_t key)
{
    const uint32_t place = (uint32_t)(key - 1);
    const enum mpi_call call = (enum mpi_call)((key - 1) >> 32);
    char line[16];
    if (call == ID_region_enter) return strdup(trace->definitions.regions[place]);
    const struct trace_site *site = place > 0 ? &trace->definitions.sites[place] : NULL;
    if (!site || !site->file) return strdup(call_name(call));
    const char *slash = strrchr(site->file, '/'), *file = slash ? slash + 1 : site->file;
    snprintf(line, sizeof line, ":%d", site->line);
    char *text = malloc(strlen(file) + sizeof line);
    if (text) strcat(strcpy(text, file), line);
    return text;
}

static bool keeps_in_step(uint64_t key)
{
    const enum call_kind kind = call_kind((enum mpi_call)((key - 1) >> 32));
    return (kind >= CALL_FENCE && kind <= CALL_WIN_WAIT) || (kind >= CALL_SEND && kind <= CALL_SENDRECV) ||
           (kind >= CALL_BARRIER && kind <= CALL_NEIGHBOR);
}

static enum status describe_loop(struct search *search, const struct candidate *chosen, struct main_loop *loop, struct err *err)
{
    const struct key *of = &search->keys[chosen->key];
    loop->begins = of->key;
    loop->every = chosen->every;
    search->interval++;
    for (size_t i = of->first; i <= of->last; i++) search->keys[search->calls[i]].interval = search->interval;
    for (size_t k = 0; k < search->key_count; k++) {
        const struct key *key = &search->keys[k];
        const bool inside = key->interval == search->interval;
        if (inside && key->count + 1 >= chosen->iterations && keeps_in_step(key->key)) loop->in_step = true;
        if (!inside) TRY(map_set(&loop->outside, key->key, 1, err));
    }
    loop->place = place_text(search->trace, of->key);
    return loop->place ? STATUS_OK : err_memory(err);
}

static enum status find_loop(struct search *search, uint32_t rank, struct main_loop *loop, struct err *err)
{
    struct candidate *candidates = NULL;
    const struct candidate *chosen = NULL;
    size_t count = 0;
    TRY(add_calls(search, rank, err));
    enum status status = list_candidates(search, &candidates, &count, err);
    if (status == STATUS_OK) chosen = choose_loop(search, candidates, count);
    if (status == STATUS_OK && chosen) status = describe_loop(search, chosen, loop, err);
    free(candidates);
    return status;
}

static enum status find_in_rank(const struct trace *trace, uint32_t rank, struct main_loop *loop, struct err *err)
{
    struct search search = {.trace = trace};
    enum status status = find_loop(&search, rank, loop, err);
    FREE_ALL(search.calls, search.keys);
    map_clear(&search.index);
    return status;
}

static enum status find_in_ranks(const struct trace *trace, struct trace_source *source, struct main_loop *loop, struct err *err)
{
    enum status status = STATUS_OK;
    *loop = (struct main_loop){0};
    for (uint32_t r = 0; status == STATUS_OK && !loop->place && r < RANKS_TRIED && r < trace->rank_count; r++) {
        bool ended = !source;
        while (status == STATUS_OK && !ended && trace->ranks[r].count < CALLS_MAX)
            status = source->read(source, r, CALLS_MAX - trace->ranks[r].count, &ended, err);
        if (status == STATUS_OK) status = find_in_rank(trace, r, loop, err);
    }
    if (status != STATUS_OK) main_loop_clear(loop);
    return status;
}

enum status main_loop_find(const struct trace *trace, struct main_loop *loop, struct err *err)
{
    return find_in_ranks(trace, NULL, loop, err);
}

enum status main_loop_find_in(struct trace_source *source, struct main_loop *loop, struct err *err)
{
    return find_in_ranks(source->trace, source, loop, err);
}
