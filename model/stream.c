#include "model/stream.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/ledger.h"
#include "model/tally.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

struct stream {
    struct trace_source *source;
    struct trace *trace; /* the source's */
    const struct analyze_options *options;
    struct settlement settlement;
    struct tally tally;
    bool tally_made;
    struct ledger *ledger; /* of options->intervals, else NULL */
    size_t calls, kept; /* to read at a time; that stay from the last round */
    /* Per rank. */
    int64_t *read_ps; /* exit of the last call read; INT64_MIN: none was */
    bool *ended;
    uint32_t *heap; /* ranks that have not ended, the one that is least far read first */
    uint32_t heap_count;
    struct trace_checker *checker; /* NULL: the source's calls are checked */
    size_t *moved;
    size_t moved_capacity;
    struct err *err;
};

static bool is_behind(const struct stream *stream, uint32_t one, uint32_t other)
{
    if (stream->read_ps[one] != stream->read_ps[other]) return stream->read_ps[one] < stream->read_ps[other];
    return one < other;
}

/* The first rank's time has grown, or it has ended. */
static void sift(struct stream *stream)
{
    uint32_t at = 0, *heap = stream->heap;
    if (stream->ended[heap[0]]) heap[0] = heap[--stream->heap_count];
    for (;;) {
        uint32_t least = at, left = 2 * at + 1, right = left + 1;
        if (left < stream->heap_count && is_behind(stream, heap[left], heap[least])) least = left;
        if (right < stream->heap_count && is_behind(stream, heap[right], heap[least])) least = right;
        if (least == at) return;
        uint32_t rank = heap[at];
        heap[at] = heap[least];
        heap[least] = rank;
        at = least;
    }
}

size_t stream_batch(size_t calls, uint32_t rank_count)
{
    size_t batch = calls / 4 / rank_count;
    return batch > 0 ? batch : 1;
}

/* The rank that is least far in time is read on, so that all come equally far. The first slice has a call of each rank:
 * the trace begins with one of them. */
static enum status read_slice(struct stream *stream)
{
    struct trace *trace = stream->trace;
    size_t wanted = stream->calls > stream->kept ? stream->calls : stream->kept, read = 0;
    size_t batch = stream_batch(wanted, trace->rank_count);
    while (stream->heap_count > 0 && (read < wanted || stream->read_ps[stream->heap[0]] == INT64_MIN)) {
        uint32_t rank = stream->heap[0];
        size_t before = trace->ranks[rank].count;
        TRY(stream->source->read(stream->source, rank, batch, &stream->ended[rank], stream->err));
        read += trace->ranks[rank].count - before;
        if (trace->ranks[rank].count > 0) stream->read_ps[rank] = trace_rank_end_ps(trace, rank);
        sift(stream);
    }
    if (!trace->begin_known) {
        trace->begin_ps = trace_begin_ps(trace);
        trace->begin_known = read > 0;
    }
    return STATUS_OK;
}

static struct trace_kept kept_of(const struct stream *stream, uint32_t rank, size_t index, unsigned flags)
{
    unsigned lasting = flags & (SETTLE_LASTING | SETTLE_LATE);
    if (!(flags & SETTLE_OPEN)) lasting |= SETTLE_COUNTED;
    if (!(flags & (SETTLE_OPEN | SETTLE_UNDECIDED))) lasting |= SETTLE_ORDERED;
    return (struct trace_kept){.event = trace_event(stream->trace, rank, index) - 1,
                               .node = callpath_at(&stream->tally.places.paths, rank, index),
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

/* A call of which the times alone matter is none that anything is matched with. */
static void leave_times(struct trace_call *call)
{
    if (call_kind(call->call) == CALL_REGION_ENTER || call_kind(call->call) == CALL_REGION_LEAVE) return;
    *call = (struct trace_call){.enter_ps = call->enter_ps,
                                .exit_ps = call->exit_ps,
                                .disp = -1,
                                .handle = call->handle,
                                .peer = call->peer,
                                .ref = TRACE_NO_REF,
                                .site = call->site,
                                .call = ID_Pcontrol};
}

static enum status drop_of_rank(struct stream *stream, uint32_t rank, const struct trace_list *lists,
                                const uint32_t *requests)
{
    struct trace_rank *calls = &stream->trace->ranks[rank];
    const uint16_t *flags = stream->settlement.flags[rank];
    struct trace_kept *kept = NULL;
    size_t count = 0, capacity = 0;
    TRY(array_reserve((void **)&stream->moved, &stream->moved_capacity, calls->count + 1, sizeof *stream->moved,
                      stream->err));
    uint64_t next_event = calls->first_event + (calls->count - calls->kept_count);
    for (size_t i = 0; i < calls->count; i++) {
        bool stays = flags[i] & (SETTLE_KEEP | SETTLE_OPEN);
        stream->moved[i] = stays || flags[i] & SETTLE_TIMES ? count : SOURCE_GONE;
        if (stream->moved[i] == SOURCE_GONE) continue;
        struct trace_kept made = kept_of(stream, rank, i, flags[i]);
        ARRAY_PUSH(kept, count, capacity, made, stream->err);
        calls->calls[count - 1] = calls->calls[i];
        if (calls->sim) calls->sim[count - 1] = calls->sim[i];
        if (!stays) leave_times(&calls->calls[count - 1]);
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

static enum status drop_settled(struct stream *stream)
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

/* No call that comes ends earlier. */
static int64_t horizon_ps(const struct stream *stream)
{
    return stream->heap_count > 0 ? stream->read_ps[stream->heap[0]] : INT64_MAX;
}

/* What the ledger remembers of a slice. */
static enum status write_down(struct stream *stream, const struct relations *relations)
{
    struct waits waits = {0};
    struct transfers transfers = {0};
    enum status status = ledger_add_calls(stream->ledger, &stream->tally.places.paths, stream->err);
    if (status == STATUS_OK) status = tally_add(&stream->tally, relations, &waits, &transfers, stream->err);
    if (status == STATUS_OK) status = ledger_add_waits(stream->ledger, &waits, stream->err);
    if (status == STATUS_OK) status = ledger_add_transfers(stream->ledger, &transfers, stream->err);
    waits_clear(&waits);
    transfers_clear(&transfers);
    return status;
}

static enum status look_at_slice(struct stream *stream, struct relations *relations, bool last)
{
    struct settle_horizon horizon = {.time_ps = horizon_ps(stream), .eager_bytes = stream->options->eager_bytes};
    relations->settlement = &stream->settlement;
    TRY(settle(&stream->settlement, relations, horizon, last, stream->err));
    TRY(places_go_on(&stream->tally.places, stream->err));
    if (stream->ledger) return write_down(stream, relations);
    return tally_add(&stream->tally, relations, NULL, NULL, stream->err);
}

static enum status report_causes(struct stream *stream, struct result *result)
{
    struct shares causes = {.trace = stream->trace, .paths = &stream->tally.places.paths}, path = causes;
    enum status status = ledger_report_causes(stream->ledger, &causes, &path, stream->err);
    if (status == STATUS_OK) status = shares_report(&causes, &result->causes, stream->err);
    if (status == STATUS_OK) status = shares_report(&path, &result->critical_path, stream->err);
    result->causes_known = status == STATUS_OK;
    shares_clear(&causes);
    shares_clear(&path);
    return status;
}

static enum status report(struct stream *stream, const struct relations *relations, struct result *result)
{
    if (stream->ledger) {
        TRY(ledger_sum(stream->ledger, &stream->tally.provisional, stream->read_ps, stream->err));
        TRY(report_causes(stream, result));
    }
    return tally_report(&stream->tally, relations, result, stream->err);
}

static enum status walk(struct stream *stream, struct result *result)
{
    for (bool last = false; !last;) {
        struct relations relations;
        TRY(read_slice(stream));
        last = stream->heap_count == 0;
        if (stream->checker) TRY(trace_check_slice(stream->checker, stream->trace, last, stream->err));
        TRY(relations_build(stream->trace, &relations, stream->err));
        enum status status = look_at_slice(stream, &relations, last);
        if (status == STATUS_OK && last) status = report(stream, &relations, result);
        relations_clear(&relations);
        TRY(status);
        if (!last) TRY(drop_settled(stream));
    }
    return STATUS_OK;
}

static enum status start(struct stream *stream)
{
    size_t ranks = (size_t)stream->trace->rank_count + 1;
    stream->read_ps = malloc(ranks * sizeof *stream->read_ps);
    stream->ended = calloc(ranks, sizeof *stream->ended);
    stream->heap = malloc(ranks * sizeof *stream->heap);
    if (!stream->read_ps || !stream->ended || !stream->heap) return err_memory(stream->err);
    for (uint32_t r = 0; r < stream->trace->rank_count; r++) {
        stream->read_ps[r] = INT64_MIN;
        stream->heap[stream->heap_count++] = r;
    }
    if (!stream->source->checked) TRY(trace_checker_new(stream->trace, &stream->checker, stream->err));
    TRY(tally_init(&stream->tally, stream->trace, stream->options, stream->err));
    stream->tally_made = true;
    if (stream->options->intervals) TRY(ledger_new(stream->trace, &stream->ledger, stream->err));
    return STATUS_OK;
}

static void clear(struct stream *stream)
{
    settlement_clear(&stream->settlement);
    trace_checker_free(stream->checker);
    ledger_free(stream->ledger);
    if (stream->tally_made) tally_clear(&stream->tally);
    free(stream->read_ps);
    free(stream->ended);
    free(stream->heap);
    free(stream->moved);
}

enum status model_stream(struct trace_source *source, const struct analyze_options *options, size_t calls,
                         struct result **result, struct err *err)
{
    struct stream stream = {.source = source,
                            .trace = source->trace,
                            .options = options ? options : &defaults,
                            .calls = calls > 0 ? calls : 1,
                            .err = err};
    struct result *made;
    TRY(result_new(source->trace->rank_count, &made, err));
    enum status status = start(&stream);
    if (status == STATUS_OK) status = walk(&stream, made);
    clear(&stream);
    if (status == STATUS_OK)
        *result = made;
    else
        result_free(made);
    return status;
}
