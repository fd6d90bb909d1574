#include "tests/slices/same_shards.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/shards/shards.h"
#include "model/slices/slices.h"
#include "tests/slices/late_source.h"

enum { SHARDS_MAX = 16 };

/* Shards exchange their bytes between two barriers. */
struct exchange {
    pthread_barrier_t barrier;
    const struct bytes *to[SHARDS_MAX];
};

struct shard {
    struct exchange *exchange;
    const struct trace *trace;
    struct shards_link link;
    const struct analyze_options *options;
    size_t calls;
    struct trace *read; /* by the shard */
    size_t most;        /* calls, those of others too, that it has held at an exchange */
    enum status status;
    struct result *result;
    struct err err;
};

static enum status swap(void *state, const struct bytes *to, struct bytes *from, struct err *err)
{
    struct shard *shard = state;
    struct exchange *exchange = shard->exchange;
    size_t held = 0;
    for (uint32_t r = 0; r < shard->read->rank_count; r++) held += shard->read->ranks[r].count;
    if (held > shard->most) shard->most = held;
    enum status status = STATUS_OK;
    exchange->to[shard->link.own] = to;
    pthread_barrier_wait(&exchange->barrier);
    for (uint32_t p = 0; status == STATUS_OK && p < shard->link.count; p++) {
        const struct bytes *of = &exchange->to[p][shard->link.own];
        bytes_empty(&from[p]);
        if (p != shard->link.own) status = bytes_put(&from[p], of->data, of->count, err);
    }
    pthread_barrier_wait(&exchange->barrier);
    return status;
}

static void *run(void *argument)
{
    struct shard *shard = argument;
    struct trace_source source;
    shard->status = late_source_of_trace(shard->trace, &source, &shard->err);
    if (shard->status != STATUS_OK) abort(); /* the others wait */
    shard->read = source.trace;
    shard->status =
        model_analyze_shard(&source, shard->options, shard->calls, &shard->link, &shard->result, &shard->err);
    source_close(&source);
    return NULL;
}

static enum status agree(const struct shard *shards, uint32_t count, struct err *err)
{
    for (uint32_t p = 1; p < count; p++) {
        if (shards[p].status != shards[0].status)
            return err_set(err, STATUS_DATA, NULL, NULL, "shard %u ends with status %d, shard 0 with %d", p,
                           shards[p].status, shards[0].status);
        if (shards[p].result) return err_set(err, STATUS_DATA, NULL, NULL, "shard %u has a result, too", p);
        if (shards[p].status != STATUS_OK && strcmp(shards[p].err.text, shards[0].err.text) != 0)
            return err_set(err, STATUS_DATA, NULL, NULL, "shard %u says '%.200s', shard 0 '%.200s'", p,
                           shards[p].err.text, shards[0].err.text);
    }
    return STATUS_OK;
}

/* The result of the trace in so many shards as text; the caller frees it. If the trace is at fault, *result is false
 * and *text is the error, which must be the same in all shards. Each shard reads `calls` at a time. *most: the largest
 * number of calls that one shard holds at an exchange. */
static enum status analyse_in_shards(const struct trace *trace, const struct analyze_options *options, uint32_t count,
                                     size_t calls, char **text, bool *result, size_t *most, struct err *err)
{
    struct exchange exchange;
    struct shard shards[SHARDS_MAX] = {0};
    pthread_t threads[SHARDS_MAX];
    if (count > SHARDS_MAX || pthread_barrier_init(&exchange.barrier, NULL, count) != 0)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no barrier of %u threads", count);
    for (uint32_t p = 0; p < count; p++) {
        shards[p] = (struct shard){.exchange = &exchange, .trace = trace, .options = options, .calls = calls};
        shards[p].link = (struct shards_link){.own = p, .count = count, .state = &shards[p], .swap = swap};
        if (pthread_create(&threads[p], NULL, run, &shards[p]) != 0) abort();
    }
    for (uint32_t p = 0; p < count; p++) pthread_join(threads[p], NULL);
    pthread_barrier_destroy(&exchange.barrier);
    *most = 0;
    for (uint32_t p = 0; p < count; p++)
        if (shards[p].most > *most) *most = shards[p].most;
    *result = shards[0].status == STATUS_OK;
    enum status status = agree(shards, count, err);
    if (status == STATUS_OK) return text_of_result(shards[0].status, shards[0].result, &shards[0].err, text, err);
    for (uint32_t p = 0; p < count; p++) result_free(shards[p].result);
    return status;
}

struct way {
    uint32_t shards;
    size_t calls; /* at a time */
};

static enum status compare(const struct trace *trace, const struct analyze_options *options, const struct way *way,
                           const char *whole, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    char *text;
    bool result;
    size_t at = 0, most;
    TRY(analyse_in_shards(trace, options, way->shards, way->calls, &text, &result, &most, err));
    *same = result == (*whole == '{') && (!result || strcmp(text, whole) == 0);
    while (text[at] && text[at] == whole[at]) at++;
    at = at > 60 ? at - 60 : 0;
    if (!*same)
        snprintf(what, SAME_RESULT_BYTES, "%u shards, %zu calls at a time: ...%.160s... instead of ...%.160s...",
                 way->shards, way->calls, text + at, whole + at);
    free(text);
    return STATUS_OK;
}

static enum status compare_all(const struct trace *trace, const struct analyze_options *options, const struct way *ways,
                               size_t count, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    char *whole;
    struct analyze_options of_shards = *options;
    of_shards.verify = false;
    *same = true;
    TRY(whole_result(trace, &of_shards, &whole, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && *same && i < count; i++)
        status = compare(trace, &of_shards, &ways[i], whole, same, what, err);
    free(whole);
    return status;
}

static int64_t middle_ps(const struct trace *trace)
{
    int64_t end_ps = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace_rank_end_ps(trace, r) > end_ps) end_ps = trace_rank_end_ps(trace, r);
    return (end_ps - trace_begin_ps(trace)) / 2;
}

/* Some waits count, chains of causes lead through the others. */
static enum status compare_filtered(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES],
                                    struct err *err)
{
    static const struct way way = {3, 5};
    const struct filter filters[] = {{.by_rank = true, .first_rank = 1, .last_rank = 2},
                                     {.by_window = true, .window = 0},
                                     {.by_time = true, .from_ps = 0, .to_ps = middle_ps(trace)},
                                     {.callpath = "*_[flw]*"}};
    for (size_t i = 0; *same && i < sizeof filters / sizeof *filters; i++) {
        struct analyze_options options = same_options;
        options.filter = filters[i];
        TRY(compare_all(trace, &options, &way, 1, same, what, err));
    }
    return STATUS_OK;
}

enum status same_in_shards(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    static const struct way ways[] = {{2, 1}, {2, 7}, {2, 300}, {3, 4}, {3, 40}, {4, 2}, {4, 100}, {7, 20}};
    static const struct way by_callpath[] = {{2, 9}, {3, 1}, {5, 30}};
    *same = true;
    TRY(compare_all(trace, &same_options, ways, sizeof ways / sizeof *ways, same, what, err));
    if (!*same) return STATUS_OK;
    TRY(compare_all(trace, &same_by_callpath, by_callpath, sizeof by_callpath / sizeof *by_callpath, same, what, err));
    return *same ? compare_filtered(trace, same, what, err) : STATUS_OK;
}

enum status shards_hold_little(const struct trace *trace, bool *little, char what[SAME_RESULT_BYTES], struct err *err)
{
    enum { SHARDS = 3, CALLS = 100 };
    size_t all = 0, most;
    bool result;
    char *text;
    for (uint32_t r = 0; r < trace->rank_count; r++) all += trace->ranks[r].count;
    TRY(analyse_in_shards(trace, &same_options, SHARDS, CALLS, &text, &result, &most, err));
    free(text);
    *little = result && 8 * most < all;
    if (!*little) snprintf(what, SAME_RESULT_BYTES, "a shard holds %zu of %zu calls", most, all);
    return STATUS_OK;
}
