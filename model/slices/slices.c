#include "model/slices/slices.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/result/checks.h"
#include "model/efficiency/efficiency_slices.h"
#include "common/heap.h"
#include "model/causes/activity_log.h"
#include "model/waits/severity.h"
#include "model/match/window_uses.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

struct stream {
    struct trace_source *source;
    struct trace *trace; /* the source's */
    const struct analyze_options *options;
    struct slice_state state;
    struct severity severity;
    bool severity_made;
    struct checks checks; /* of options->verify */
    struct activity_log *log;             /* of options->intervals, else NULL */
    struct efficiency_slices *efficiency; /* the same */
    size_t calls, kept;                   /* to read at a time; that stay from the last round */
    uint32_t rank_count;                  /* own ranks, at least 1 */
    /* Per rank. */
    int64_t *read_ps; /* exit of the last call read; INT64_MIN: none was */
    bool *ended;
    struct heap heap;              /* ranks that have not ended, the one that is least far read first */
    struct trace_checker *checker; /* NULL: the source's calls are checked */
    struct window_uses uses;
    const struct shards_link *link; /* NULL: there is no other part */
    struct shards *shards;
    struct shards_news news;
    int64_t until_ps, last_ps; /* how far is read in this round; how far all were before */
    size_t *moved;
    size_t moved_capacity;
    struct err *err;
};

static bool is_behind(const void *of, uint32_t one, uint32_t other)
{
    const struct stream *stream = of;
    if (stream->read_ps[one] != stream->read_ps[other]) return stream->read_ps[one] < stream->read_ps[other];
    return one < other;
}

/* The first rank's time has grown, or it has ended. */
static void sift(struct stream *stream)
{
    if (stream->ended[stream->heap.items[0]])
        heap_pop(&stream->heap, is_behind, stream);
    else
        heap_sift_down(&stream->heap, is_behind, stream);
}

size_t slice_batch(size_t calls, uint32_t rank_count)
{
    size_t batch = calls / 4 / rank_count;
    return batch > 0 ? batch : 1;
}

static bool wants_more(const struct stream *stream, bool room)
{
    int64_t least_ps = stream->read_ps[stream->heap.items[0]];
    return least_ps == INT64_MIN || (room && least_ps < stream->until_ps);
}

/* Of this part: how far it is; nothing that ends earlier comes. */
static void tell_news(struct stream *stream, size_t filled)
{
    const struct trace *trace = stream->trace;
    stream->news = (struct shards_news){.watermark_ps = INT64_MAX,
                                        .begin_ps = INT64_MAX,
                                        .filled = (uint32_t)(filled < 1000 ? filled : 1000),
                                        .ended = stream->heap.count == 0};
    if (!stream->news.ended) stream->news.watermark_ps = stream->read_ps[stream->heap.items[0]];
    for (uint32_t r = 0; !trace->begin_known && r < trace->rank_count; r++) {
        const struct trace_rank *calls = &trace->ranks[r];
        if (calls->count > 0 && calls->calls[0].enter_ps < stream->news.begin_ps)
            stream->news.begin_ps = calls->calls[0].enter_ps;
    }
}

/* The rank that is least far in time is read on, so that all come equally far. The first slice has a call of each rank:
 * the trace begins with one of them. */
static enum status read_slice(struct stream *stream)
{
    struct trace *trace = stream->trace;
    size_t wanted = stream->calls > stream->kept ? stream->calls : stream->kept, read = 0;
    size_t batch = slice_batch(wanted, stream->rank_count);
    while (stream->heap.count > 0 && wants_more(stream, read < wanted)) {
        uint32_t rank = stream->heap.items[0];
        size_t before = trace->ranks[rank].count;
        TRY(stream->source->read(stream->source, rank, batch, &stream->ended[rank], stream->err));
        read += trace->ranks[rank].count - before;
        if (trace->ranks[rank].count > 0) stream->read_ps[rank] = trace_rank_end_ps(trace, rank);
        sift(stream);
    }
    tell_news(stream, 1000 * read / wanted);
    return STATUS_OK;
}

static struct trace_kept kept_of(const struct stream *stream, uint32_t rank, size_t index, unsigned flags)
{
    unsigned lasting = flags & (SLICE_LASTING | SLICE_LATE);
    if (!(flags & SLICE_OPEN)) lasting |= SLICE_COUNTED;
    if (!(flags & (SLICE_OPEN | SLICE_UNDECIDED))) lasting |= SLICE_ORDERED;
    uint32_t interval =
        stream->efficiency ? interval_at(efficiency_slices_intervals(stream->efficiency), rank, index) : INTERVAL_ROOT;
    return (struct trace_kept){.event = trace_event(stream->trace, rank, index) - 1,
                               .node = callpath_at(&stream->severity.profile.paths, rank, index),
                               .interval = interval,
                               .call = (uint16_t)trace_function(stream->trace, rank, index),
                               .flags = (uint16_t)lasting};
}

/* Lists of requests that stay, in a new table. */
static enum status move_list(struct stream *stream, struct trace_call *call, const struct trace_list *lists,
                             const uint32_t *requests)
{
    enum call_kind kind = call_kind(call->call);
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) return STATUS_OK;
    struct trace_list list = lists[call->ref];
    return trace_add_list(stream->trace, requests + list.first, list.count, &call->ref, stream->err);
}

static enum status drop_of_rank(struct stream *stream, uint32_t rank, const struct trace_list *lists,
                                const uint32_t *requests)
{
    struct trace_rank *calls = &stream->trace->ranks[rank];
    const uint16_t *flags = stream->state.flags[rank];
    struct trace_kept *kept = NULL;
    size_t count = 0, capacity = 0;
    TRY(array_reserve((void **)&stream->moved, &stream->moved_capacity, calls->count + 1, sizeof *stream->moved,
                      stream->err));
    uint64_t next_event = calls->first_event + (calls->count - calls->kept_count);
    for (size_t i = 0; i < calls->count; i++) {
        bool stays = flags[i] & (SLICE_KEEP | SLICE_OPEN);
        stream->moved[i] = stays || flags[i] & SLICE_TIMES ? count : SOURCE_GONE;
        if (stream->moved[i] == SOURCE_GONE) continue;
        struct trace_kept made = kept_of(stream, rank, i, flags[i]);
        ARRAY_PUSH(kept, count, capacity, made, stream->err);
        calls->calls[count - 1] = calls->calls[i];
        if (calls->sim) calls->sim[count - 1] = calls->sim[i];
        if (!stays) slice_leave_times(&calls->calls[count - 1]);
        if (stays) TRY(move_list(stream, &calls->calls[count - 1], lists, requests));
    }
    free(calls->kept);
    calls->kept = kept;
    calls->kept_count = calls->count = count;
    calls->first_event = next_event;
    stream->kept += count;
    if (!stream->source->moved) return STATUS_OK;
    return stream->source->moved(stream->source, rank, stream->moved, stream->err);
}

static enum status drop_final(struct stream *stream)
{
    struct trace *trace = stream->trace;
    struct trace_list *lists = trace->lists;
    uint32_t *requests = trace->requests;
    trace->lists = NULL;
    trace->requests = NULL;
    trace->list_count = trace->list_capacity = trace->request_count = trace->request_capacity = 0;
    stream->kept = 0;
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = drop_of_rank(stream, r, lists, requests);
    free(lists);
    free(requests);
    return status;
}

/* The others hear of it. */
static struct shards_told update(struct stream *stream)
{
    return (struct shards_told){&stream->severity.profile.paths, stream->log, stream->efficiency};
}

static int64_t plus(int64_t time_ps, int64_t more_ps)
{
    return time_ps > INT64_MAX - more_ps ? INT64_MAX : time_ps + more_ps;
}

/* All parts read on by the same time, so much that the fullest slice of the next round is about full. */
static void choose_next(struct stream *stream)
{
    const struct shards_news *news = &stream->news;
    int64_t went_ps = news->watermark_ps - stream->last_ps, filled = news->filled > 60 ? news->filled : 60;
    int64_t next_ps = went_ps > INT64_MAX / 1000 ? INT64_MAX / 2 : went_ps * 1000 / filled;
    stream->last_ps = news->watermark_ps;
    stream->until_ps = plus(news->watermark_ps, next_ps > 0 ? next_ps : 1);
}

/* Hears of the other parts. Returns the failure of any. */
static enum status meet(struct stream *stream, enum status *own)
{
    struct trace *trace = stream->trace;
    if (!stream->shards) {
        TRY(*own);
    } else {
        struct shards_told mine = update(stream);
        TRY(shards_exchange(stream->shards, &mine, own, stream->ended, &stream->news, stream->err));
    }
    if (!trace->begin_known && stream->news.begin_ps != INT64_MAX) {
        trace->begin_ps = stream->last_ps = stream->news.begin_ps;
        trace->begin_known = true;
    }
    if (stream->shards && !stream->news.ended) choose_next(stream);
    return STATUS_OK;
}

/* A part knows its own waits only. */
static bool verifies(const struct stream *stream)
{
    return stream->options->verify && stream->log && !stream->link;
}

/* What the activity log remembers of a slice. */
static enum status write_down(struct stream *stream, const struct relations *relations)
{
    struct waits waits = {0};
    struct transfers transfers = {0};
    const struct intervals *intervals = NULL;
    if (stream->efficiency) intervals = efficiency_slices_intervals(stream->efficiency);
    enum status status = activity_log_add_calls(stream->log, &stream->severity.profile.paths, intervals, stream->err);
    if (status == STATUS_OK) status = severity_add(&stream->severity, relations, &waits, &transfers, stream->err);
    if (status == STATUS_OK && stream->efficiency)
        status = efficiency_slices_add(stream->efficiency, relations, &waits, stream->err);
    if (status == STATUS_OK && verifies(stream)) status = checks_add(&stream->checks, relations, &waits, stream->err);
    if (status == STATUS_OK) status = activity_log_add_waits(stream->log, &waits, stream->err);
    if (status == STATUS_OK) status = activity_log_add_transfers(stream->log, &transfers, stream->err);
    waits_clear(&waits);
    transfers_clear(&transfers);
    return status;
}

static enum status look_at_slice(struct stream *stream, struct relations *relations, bool last)
{
    struct slice_limits limits = {.time_ps = stream->news.watermark_ps,
                                  .eager_bytes = stream->options->eager_bytes,
                                  .unsent = stream->shards ? shards_unsent(stream->shards) : NULL};
    relations->state = &stream->state;
    TRY(mark_final(&stream->state, relations, limits, last, stream->err));
    if (stream->log) return write_down(stream, relations);
    return severity_add(&stream->severity, relations, NULL, NULL, stream->err);
}

static enum status read_on(struct stream *stream)
{
    TRY(read_slice(stream));
    if (stream->checker) TRY(trace_check_slice(stream->checker, stream->trace, stream->heap.count == 0, stream->err));
    TRY(window_uses_check(&stream->uses, stream->trace, stream->err));
    TRY(wait_profile_go_on(&stream->severity.profile, stream->err));
    return stream->efficiency ? efficiency_slices_go_on(stream->efficiency, stream->err) : STATUS_OK;
}

static enum status look(struct stream *stream, bool last)
{
    struct relations relations;
    TRY(relations_build(stream->trace, &relations, stream->err));
    enum status status = look_at_slice(stream, &relations, last);
    if (status == STATUS_OK && last) status = severity_end(&stream->severity, &relations, stream->err);
    relations_clear(&relations);
    TRY(status);
    return last ? STATUS_OK : drop_final(stream);
}
/* What looks backwards. */
static enum status look_back(struct stream *stream, struct time_profile *causes, struct time_profile *path)
{
    if (!stream->log) return STATUS_OK;
    TRY(activity_log_sum(stream->log, &stream->severity.provisional, stream->read_ps, stream->err));
    TRY(activity_log_report_causes(stream->log, causes, path, stream->err));
    if (!stream->efficiency) return STATUS_OK;
    return efficiency_slices_sum(stream->efficiency, stream->log, &stream->severity.provisional, stream->err);
}

/* own: of this part; what failed in it is told to the others when they meet. */
static enum status walk(struct stream *stream, enum status own, struct time_profile *causes, struct time_profile *path)
{
    for (bool last = false; !last;) {
        if (own == STATUS_OK) own = read_on(stream);
        TRY(meet(stream, &own));
        last = stream->news.ended;
        if (own == STATUS_OK) own = look(stream, last);
    }
    struct shards_told mine = update(stream);
    severity_vote(&stream->severity);
    if (stream->shards) TRY(shards_end(stream->shards, &mine, &stream->severity, stream->read_ps, &own, stream->err));
    provisional_decide(&stream->severity.provisional);
    if (own == STATUS_OK) own = look_back(stream, causes, path);
    if (!stream->shards) return own;
    TRY(shards_gather(stream->shards, &mine, &stream->severity, causes, path, own, stream->err));
    if (!stream->options->transfers) return STATUS_OK;
    return shards_gather_transfers(stream->shards, &mine, stream->options->transfers, stream->err);
}

static enum status report_causes(struct time_profile *causes, struct time_profile *path, struct result *result,
                                 struct err *err)
{
    TRY(time_profile_report(causes, &result->causes, err));
    TRY(time_profile_report(path, &result->critical_path, err));
    result->causes_known = true;
    return STATUS_OK;
}

static enum status report_efficiency(struct stream *stream, struct result *result)
{
    const struct analyze_options *options = stream->options;
    TRY(efficiency_slices_end(stream->efficiency, &result->efficiency, stream->err));
    result->per_rank = options->per_rank;
    result->efficiency->ideal_run_time_s = options->ideal_run_time_s;
    result->efficiency->reference_user_s = options->reference_user_s;
    return STATUS_OK;
}

static enum status report(struct stream *stream, struct time_profile *causes, struct time_profile *path,
                          struct result **result)
{
    struct lanes lanes;
    struct result *made;
    *result = NULL;
    if (stream->link && stream->link->own > 0) return STATUS_OK;
    TRY(result_new(stream->trace->rank_count, &made, stream->err));
    enum status status = stream->log ? report_causes(causes, path, made, stream->err) : STATUS_OK;
    if (status == STATUS_OK && stream->efficiency) status = report_efficiency(stream, made);
    if (status == STATUS_OK) status = lanes_build(stream->trace, &lanes, stream->err);
    if (status == STATUS_OK) {
        status = severity_report(&stream->severity, &lanes, made, stream->err);
        lanes_clear(&lanes);
    }
    if (status == STATUS_OK && verifies(stream))
        checks_report(&stream->checks, &stream->severity.totals, stream->severity.provisional.refuted,
                      activity_log_waited_ps(stream->log), made);
    if (status == STATUS_OK)
        *result = made;
    else
        result_free(made);
    return status;
}

static enum status start(struct stream *stream)
{
    size_t ranks = (size_t)stream->trace->rank_count + 1;
    stream->read_ps = malloc(ranks * sizeof *stream->read_ps);
    stream->ended = calloc(ranks, sizeof *stream->ended);
    stream->heap.items = malloc(ranks * sizeof *stream->heap.items);
    if (!stream->read_ps || !stream->ended || !stream->heap.items) return err_memory(stream->err);
    for (uint32_t r = 0; r < stream->trace->rank_count; r++) {
        stream->read_ps[r] = INT64_MIN;
        if (!stream->trace->ranks[r].foreign) stream->heap.items[stream->heap.count++] = r;
    }
    stream->rank_count = stream->heap.count > 0 ? stream->heap.count : 1;
    stream->until_ps = INT64_MAX;
    if (!stream->source->checked) TRY(trace_checker_new(stream->trace, &stream->checker, stream->err));
    TRY(severity_init(&stream->severity, stream->trace, stream->options, stream->err));
    stream->severity_made = true;
    stream->severity.parted = stream->link != NULL;
    if (!stream->options->intervals) return STATUS_OK;
    TRY(activity_log_new(stream->trace, &stream->log, stream->err));
    if (stream->shards) activity_log_tell(stream->log);
    TRY(efficiency_slices_new(stream->trace, stream->options->interval_source, stream->options->lost_all,
                              &stream->efficiency, stream->err));
    stream->severity.several.intervals = efficiency_slices_intervals(stream->efficiency);
    return STATUS_OK;
}

static void clear(struct stream *stream)
{
    slice_state_clear(&stream->state);
    checks_clear(&stream->checks);
    trace_checker_free(stream->checker);
    window_uses_clear(&stream->uses);
    activity_log_free(stream->log);
    shards_free(stream->shards);
    efficiency_slices_free(stream->efficiency);
    if (stream->severity_made) severity_clear(&stream->severity);
    free(stream->read_ps);
    free(stream->ended);
    free(stream->heap.items);
    free(stream->moved);
}

static enum status run(struct stream *stream, struct result **result)
{
    struct time_profile causes = {.trace = stream->trace, .paths = &stream->severity.profile.paths}, path = causes;
    enum status status = STATUS_OK;
    if (stream->link) status = shards_new(stream->trace, stream->link, &stream->shards, stream->err);
    if (status == STATUS_OK) status = walk(stream, start(stream), &causes, &path);
    if (status == STATUS_OK) status = report(stream, &causes, &path, result);
    time_profile_clear(&causes);
    time_profile_clear(&path);
    clear(stream);
    return status;
}

enum status model_analyze_shard(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                const struct shards_link *link, struct result **result, struct err *err)
{
    struct stream stream = {.source = source,
                            .trace = source->trace,
                            .options = options ? options : &defaults,
                            .calls = calls > 0 ? calls : 1,
                            .link = link,
                            .err = err};
    return run(&stream, result);
}

enum status model_analyze_slices(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                 struct result **result, struct err *err)
{
    return model_analyze_shard(source, options, calls, NULL, result, err);
}
