#include "model/waits/wait_profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"

enum status places_init(const struct trace *trace, struct places *places, struct err *err)
{
    memset(places, 0, sizeof *places);
    return callpaths_build(trace, &places->paths, err);
}

void places_clear(struct places *places)
{
    callpaths_clear(&places->paths);
    map_clear(&places->locations);
    map_clear(&places->index);
    free(places->items);
    rank_sums_clear(&places->ranks);
    memset(places, 0, sizeof *places);
}

enum status places_go_on(struct places *places, struct err *err)
{
    return callpaths_go_on(&places->paths, err);
}

static bool is_worse(int64_t severity_ps, int64_t enter_ps, uint32_t rank, const struct advice_facts *worst)
{
    if (severity_ps != worst->severity_ps) return severity_ps > worst->severity_ps;
    if (enter_ps != worst->enter_ps) return enter_ps < worst->enter_ps;
    return rank < worst->rank;
}

/* The item of its pattern and place, made without a wait if there is none. Valid until the next one is made. */
static enum status item_of(struct places *places, struct place made, struct place **found, struct err *err)
{
    uint64_t *location, *item;
    TRY(map_put(&places->locations, (uint64_t)made.node << 32 | made.site, places->locations.count, &location, err));
    uint64_t key = (*location << 16 | made.pattern) << 16 | made.call;
    TRY(map_put(&places->index, key, places->count, &item, err));
    size_t index = *item;
    made.severity_ps = 0;
    made.count = 0;
    made.worst.severity_ps = -1;
    if (index == places->count) ARRAY_PUSH(places->items, places->count, places->capacity, made, err);
    *found = &places->items[index];
    return STATUS_OK;
}

static struct place place_of(const struct places *places, const struct trace *trace, const struct finding *finding)
{
    const struct trace_call *at = &trace->ranks[finding->rank].calls[finding->call];
    return (struct place){.node = callpath_at(&places->paths, finding->rank, finding->call),
                          .site = at->site,
                          .call = (uint16_t)trace_function(trace, finding->rank, finding->call),
                          .pattern = (uint16_t)finding->pattern,
                          .thread = trace_call_thread(trace, finding->rank, finding->call),
                          .severity_ps = finding->severity_ps,
                          .count = 1,
                          .worst = {.enter_ps = at->enter_ps}};
}

static enum status add_rank(struct places *places, const struct place *item, const struct place *wait, uint32_t rank,
                            struct err *err)
{
    struct rank_sum more = {(uint32_t)(item - places->items), rank, wait->thread, .count = 1, .ps = wait->severity_ps};
    return rank_sums_add(&places->ranks, &more, err);
}

enum status places_add(struct places *places, const struct trace *trace, const struct finding *finding, struct err *err)
{
    struct place made = place_of(places, trace, finding), *item;
    TRY(item_of(places, made, &item, err));
    item->severity_ps += finding->severity_ps;
    if (is_worse(finding->severity_ps, made.worst.enter_ps, finding->rank, &item->worst))
        item->worst = advice_facts(trace, &places->paths, finding);
    item->count++;
    return add_rank(places, item, &made, finding->rank, err);
}

struct place places_one(const struct places *places, const struct trace *trace, const struct finding *finding)
{
    struct place made = place_of(places, trace, finding);
    made.worst = advice_facts(trace, &places->paths, finding);
    return made;
}

static enum status merge(struct places *places, const struct place *from, struct place **found, struct err *err)
{
    struct place *item;
    TRY(item_of(places, *from, &item, err));
    item->severity_ps += from->severity_ps;
    if (is_worse(from->worst.severity_ps, from->worst.enter_ps, from->worst.rank, &item->worst))
        item->worst = from->worst;
    item->count += from->count;
    *found = item;
    return STATUS_OK;
}

enum status places_merge(struct places *places, const struct place *from, uint32_t *item, struct err *err)
{
    struct place *found;
    TRY(merge(places, from, &found, err));
    *item = (uint32_t)(found - places->items);
    return STATUS_OK;
}

enum status places_add_one(struct places *places, const struct place *wait, struct err *err)
{
    struct place *item;
    TRY(merge(places, wait, &item, err));
    return add_rank(places, item, wait, wait->worst.rank, err);
}

void places_withdraw(struct places *places, enum pattern pattern, uint16_t call)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->items[i].pattern == pattern && places->items[i].call == call) places->items[i].count = 0;
}

static int compare_text(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "");
}

static int compare_places(const void *one, const void *other)
{
    const struct result_place *a = one, *b = other;
    if (a->severity_s != b->severity_s) return a->severity_s > b->severity_s ? -1 : 1;
    int order = compare_text(a->callpath, b->callpath);
    if (order == 0) order = compare_text(a->file, b->file);
    if (order == 0) order = (a->line > b->line) - (a->line < b->line);
    if (order == 0) order = compare_text(a->advice, b->advice);
    if (order == 0) order = (a->count < b->count) - (a->count > b->count);
    return order != 0 ? order : (a->who.rank > b->who.rank) - (a->who.rank < b->who.rank);
}

static enum status report_ranks(const struct trace *trace, const struct rank_sum *sums, size_t count, bool per_rank,
                                struct result_place *made, struct err *err)
{
    const struct rank_sum worst = rank_sums_worst(sums, count);
    TRY(result_who_set(trace, worst.rank, worst.thread, &made->who, err));
    if (!per_rank) return STATUS_OK;
    made->ranks = calloc(count, sizeof *made->ranks);
    if (!made->ranks) return err_memory(err);
    for (; made->rank_count < count; made->rank_count++) {
        const struct rank_sum *sum = &sums[made->rank_count];
        struct result_place_rank *rank = &made->ranks[made->rank_count];
        *rank = (struct result_place_rank){.severity_s = wide_s(sum->ps), .count = sum->count};
        TRY(result_who_set(trace, sum->rank, sum->thread, &rank->who, err));
    }
    return STATUS_OK;
}

static enum status report_place(const struct places *places, const struct trace *trace, const struct place *place,
                                bool per_rank, struct result_pattern *pattern, struct err *err)
{
    const struct trace_site *site = &trace->sites[place->site];
    struct result_place made = {.line = site->line, .severity_s = wide_s(place->severity_ps), .count = place->count};
    size_t sum_count;
    const struct rank_sum *sums = rank_sums_of(&places->ranks, (uint32_t)(place - places->items), &sum_count);
    TRY(array_reserve((void **)&pattern->places, &pattern->place_capacity, pattern->place_count + 1,
                      sizeof *pattern->places, err));
    if (site->file && !(made.file = strdup(site->file))) return err_memory(err);
    enum status status =
        callpath_text(trace, &places->paths, place->node, place->site, place->call, &made.callpath, err);
    if (status == STATUS_OK) status = report_ranks(trace, sums, sum_count, per_rank, &made, err);
    if (status == STATUS_OK) status = advice_text(trace, &places->paths, &place->worst, &made.advice, err);
    const char *rows = made.advice ? advice_rows(&place->worst) : NULL;
    if (status == STATUS_OK && rows && !(made.rows = strdup(rows))) status = err_memory(err);
    if (status == STATUS_OK)
        pattern->places[pattern->place_count++] = made;
    else
        result_place_clear(&made);
    return status;
}

enum status places_report(struct places *places, const struct trace *trace, bool per_rank, struct result *result,
                          struct err *err)
{
    rank_sums_sort(&places->ranks);
    for (size_t i = 0; i < places->count; i++)
        if (places->items[i].count > 0)
            TRY(report_place(places, trace, &places->items[i], per_rank, &result->patterns[places->items[i].pattern],
                             err));
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (result->patterns[p].place_count > 1)
            qsort(result->patterns[p].places, result->patterns[p].place_count, sizeof *result->patterns[p].places,
                  compare_places);
    return STATUS_OK;
}
