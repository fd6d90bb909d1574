#include "tests/slices/same_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/slices/slices.h"
#include "tests/slices/late_source.h"

enum { PARTS_MAX = 16 };

/* Parts hand each other their bytes between two meetings of all. */
struct meeting {
    pthread_barrier_t barrier;
    const struct bytes *to[PARTS_MAX];
};

struct part {
    struct meeting *meeting;
    const struct trace *trace;
    struct shards_link link;
    const struct analyze_options *options;
    size_t calls;
    struct trace *read; /* of the part */
    size_t most;        /* calls, those of others too, that it has held when parts meet */
    enum status status;
    struct result *result;
    struct err err;
};

static enum status swap(void *state, const struct bytes *to, struct bytes *from, struct err *err)
{
    struct part *part = state;
    struct meeting *meeting = part->meeting;
    size_t held = 0;
    for (uint32_t r = 0; r < part->read->rank_count; r++) held += part->read->ranks[r].count;
    if (held > part->most) part->most = held;
    enum status status = STATUS_OK;
    meeting->to[part->link.own] = to;
    pthread_barrier_wait(&meeting->barrier);
    for (uint32_t p = 0; status == STATUS_OK && p < part->link.count; p++) {
        const struct bytes *of = &meeting->to[p][part->link.own];
        bytes_empty(&from[p]);
        if (p != part->link.own) status = bytes_put(&from[p], of->data, of->count, err);
    }
    pthread_barrier_wait(&meeting->barrier);
    return status;
}

static void *run(void *argument)
{
    struct part *part = argument;
    struct trace_source source;
    part->status = late_source_of_trace(part->trace, &source, &part->err);
    if (part->status != STATUS_OK) abort(); /* the others wait */
    part->read = source.trace;
    part->status = model_analyze_shard(&source, part->options, part->calls, &part->link, &part->result, &part->err);
    source_close(&source);
    return NULL;
}

static enum status agree(const struct part *parts, uint32_t count, struct err *err)
{
    for (uint32_t p = 1; p < count; p++) {
        if (parts[p].status != parts[0].status)
            return err_set(err, STATUS_DATA, NULL, NULL, "part %u ends with status %d, part 0 with %d", p,
                           parts[p].status, parts[0].status);
        if (parts[p].result) return err_set(err, STATUS_DATA, NULL, NULL, "part %u has a result, too", p);
        if (parts[p].status != STATUS_OK && strcmp(parts[p].err.text, parts[0].err.text) != 0)
            return err_set(err, STATUS_DATA, NULL, NULL, "part %u tells '%.200s', part 0 '%.200s'", p,
                           parts[p].err.text, parts[0].err.text);
    }
    return STATUS_OK;
}

enum status parts_result(const struct trace *trace, const struct analyze_options *options, uint32_t count, size_t calls,
                         char **text, bool *result, size_t *most, struct err *err)
{
    struct meeting meeting;
    struct part parts[PARTS_MAX] = {0};
    pthread_t threads[PARTS_MAX];
    if (count > PARTS_MAX || pthread_barrier_init(&meeting.barrier, NULL, count) != 0)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no barrier of %u threads", count);
    for (uint32_t p = 0; p < count; p++) {
        parts[p] = (struct part){.meeting = &meeting, .trace = trace, .options = options, .calls = calls};
        parts[p].link = (struct shards_link){.own = p, .count = count, .state = &parts[p], .swap = swap};
        if (pthread_create(&threads[p], NULL, run, &parts[p]) != 0) abort();
    }
    for (uint32_t p = 0; p < count; p++) pthread_join(threads[p], NULL);
    pthread_barrier_destroy(&meeting.barrier);
    *most = 0;
    for (uint32_t p = 0; p < count; p++)
        if (parts[p].most > *most) *most = parts[p].most;
    *result = parts[0].status == STATUS_OK;
    enum status status = agree(parts, count, err);
    if (status == STATUS_OK) return text_of_result(parts[0].status, parts[0].result, &parts[0].err, text, err);
    for (uint32_t p = 0; p < count; p++) result_free(parts[p].result);
    return status;
}

struct way {
    uint32_t parts;
    size_t calls; /* at a time */
};

static enum status compare(const struct trace *trace, const struct analyze_options *options, const struct way *way,
                           const char *whole, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    char *text;
    bool result;
    size_t at = 0, most;
    TRY(parts_result(trace, options, way->parts, way->calls, &text, &result, &most, err));
    *same = result == (*whole == '{') && (!result || strcmp(text, whole) == 0);
    while (text[at] && text[at] == whole[at]) at++;
    at = at > 60 ? at - 60 : 0;
    if (!*same)
        snprintf(what, SAME_RESULT_BYTES, "%u parts, %zu calls at a time: ...%.160s... instead of ...%.160s...",
                 way->parts, way->calls, text + at, whole + at);
    free(text);
    return STATUS_OK;
}

static enum status compare_all(const struct trace *trace, const struct analyze_options *options, const struct way *ways,
                               size_t count, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    char *whole;
    struct analyze_options of_parts = *options;
    of_parts.verify = false;
    *same = true;
    TRY(whole_result(trace, &of_parts, &whole, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && *same && i < count; i++)
        status = compare(trace, &of_parts, &ways[i], whole, same, what, err);
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

enum status same_in_parts(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err)
{
    static const struct way ways[] = {{2, 1}, {2, 7}, {2, 300}, {3, 4}, {3, 40}, {4, 2}, {4, 100}, {7, 20}};
    static const struct way by_callpath[] = {{2, 9}, {3, 1}, {5, 30}};
    *same = true;
    TRY(compare_all(trace, &same_options, ways, sizeof ways / sizeof *ways, same, what, err));
    if (!*same) return STATUS_OK;
    TRY(compare_all(trace, &same_by_callpath, by_callpath, sizeof by_callpath / sizeof *by_callpath, same, what, err));
    return *same ? compare_filtered(trace, same, what, err) : STATUS_OK;
}

enum status parts_hold_little(const struct trace *trace, bool *little, char what[SAME_RESULT_BYTES], struct err *err)
{
    enum { PARTS = 3, CALLS = 100 };
    size_t all = 0, most;
    bool result;
    char *text;
    for (uint32_t r = 0; r < trace->rank_count; r++) all += trace->ranks[r].count;
    TRY(parts_result(trace, &same_options, PARTS, CALLS, &text, &result, &most, err));
    free(text);
    *little = result && 8 * most < all;
    if (!*little) snprintf(what, SAME_RESULT_BYTES, "a part holds %zu of %zu calls", most, all);
    return STATUS_OK;
}
