#include "simulate/predicted/calls.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/calls/calls.h"

enum { HELD_AT_FIRST = 16 };

/* Makes room for one more call behind those that the rank holds. Its facts are unknown. */
static enum status make_room(struct predicted_rank *rank, struct err *err)
{
    size_t held = rank->end - rank->first, gone = rank->at - rank->first;
    if (held < rank->capacity) return STATUS_OK;
    if (gone >= rank->capacity / 2 && gone > 0) {
        memmove(rank->calls, rank->calls + gone, (held - gone) * sizeof *rank->calls);
        memmove(rank->sim, rank->sim + gone, (held - gone) * sizeof *rank->sim);
        memmove(rank->moves, rank->moves + gone, (held - gone) * sizeof *rank->moves);
        memmove(rank->lists, rank->lists + gone, (held - gone) * sizeof *rank->lists);
        rank->first = rank->at;
        held -= gone;
    } else {
        size_t capacity = rank->capacity > 0 ? 2 * rank->capacity : HELD_AT_FIRST;
        struct trace_call *calls = realloc(rank->calls, capacity * sizeof *calls);
        if (calls) rank->calls = calls;
        struct trace_sim *sim = realloc(rank->sim, capacity * sizeof *sim);
        if (sim) rank->sim = sim;
        bool *moves = realloc(rank->moves, capacity * sizeof *moves);
        if (moves) rank->moves = moves;
        uint32_t **lists = realloc(rank->lists, capacity * sizeof *lists);
        if (lists) rank->lists = lists;
        if (!calls || !sim || !moves || !lists) return err_memory(err);
        rank->capacity = capacity;
    }
    for (size_t i = held; i < rank->capacity; i++) {
        rank->sim[i] = trace_sim_unknown;
        rank->moves[i] = false;
        rank->lists[i] = NULL;
    }
    return STATUS_OK;
}

enum status predicted_grow(struct predicted *predicted, uint32_t rank, size_t count, struct err *err)
{
    struct trace *trace = predicted->trace;
    struct trace_rank *to = &trace->ranks[rank];
    if (predicted->sink) return STATUS_OK;
    TRY(trace_reserve_calls(trace, rank, count + 1 - to->count, err));
    for (; to->count < count; to->count++) {
        to->sim[to->count] = trace_sim_unknown;
        for (int b = 0; b < BEFORE_COUNT; b++)
            if (to->before_ps[b]) TRY(trace_set_before(trace, rank, to->count, (enum trace_before)b, TRACE_UNKNOWN_PS, err));
    }
    predicted->ranks[rank] = (struct predicted_rank){.calls = to->calls, .sim = to->sim};
    return STATUS_OK;
}

enum status predicted_open(struct predicted *predicted, struct trace *trace, const struct trace *of,
                           const struct platform *platform, const struct predicted_sink *sink, struct err *err)
{
    *predicted = (struct predicted){.trace = trace, .of = of, .sink = sink, .more = 1};
    predicted->ranks = calloc((size_t)trace->rank_count + 1, sizeof *predicted->ranks);
    predicted->ended = calloc((size_t)trace->rank_count + 1, sizeof *predicted->ended);
    enum status status = predicted->ranks && predicted->ended ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) status = least_ends_open(&predicted->least, platform, err);
    for (uint32_t r = 0; r < trace->rank_count && status == STATUS_OK; r++)
        status = sink ? make_room(&predicted->ranks[r], err) : predicted_grow(predicted, r, of->ranks[r].count, err);
    for (uint32_t r = 0; r < trace->rank_count && status == STATUS_OK; r++) predicted->ended[r] = of->ranks[r].count == 0;
    if (status == STATUS_OK && sink) {
        trace->definitions.list_count = trace->definitions.request_count = 0;
        predicted->given = true;
        status = sink->begin(sink->context, trace, err);
    }
    if (status != STATUS_OK) predicted_clear(predicted);
    return status;
}

void predicted_clear(struct predicted *predicted)
{
    for (uint32_t r = 0; predicted->sink && predicted->ranks && r < predicted->of->rank_count; r++) {
        struct predicted_rank *rank = &predicted->ranks[r];
        for (size_t i = rank->at; i < rank->end; i++) free(rank->lists[i - rank->first]);
        FREE_ALL(rank->calls, rank->sim, rank->moves, rank->lists);
    }
    FREE_ALL(predicted->ranks, predicted->ended);
    least_ends_clear(&predicted->least);
    if (!predicted->given) trace_free(predicted->trace);
    *predicted = (struct predicted){0};
}

/* The replayed trace may not have the list any more when the call is appended. */
static enum status keep_list(const struct predicted *predicted, struct predicted_rank *rank, struct err *err)
{
    const size_t last = rank->end - 1 - rank->first;
    const struct trace_call *call = &rank->calls[last];
    if (!(call_row(call->call)->needed & F_REQS)) return STATUS_OK;
    const struct trace_definitions *from = &predicted->of->definitions;
    const struct trace_list *list = &from->lists[call->completion.list];
    uint32_t *kept = rank->lists[last] = malloc(((size_t)list->count + 1) * sizeof *kept);
    if (!kept) return err_memory(err);
    kept[0] = list->count;
    for (uint32_t i = 0; i < list->count; i++) kept[1 + i] = from->requests[list->first + i];
    return STATUS_OK;
}

/* Lists of requests are those of the appended calls. */
static enum status give_list(struct predicted *predicted, uint32_t **list, struct trace_call *call, struct err *err)
{
    if (!*list) return STATUS_OK;
    TRY(trace_add_list(predicted->trace, *list + 1, **list, &call->completion.list, err));
    free(*list);
    *list = NULL;
    return STATUS_OK;
}

static enum status append_one(struct predicted *predicted, uint32_t rank, struct err *err)
{
    struct predicted_rank *from = &predicted->ranks[rank];
    struct trace_rank *to = &predicted->trace->ranks[rank];
    struct trace_call call = from->calls[from->at - from->first];
    struct trace_sim *sim = &from->sim[from->at - from->first];
    TRY(trace_reserve_calls(predicted->trace, rank, 1, err));
    TRY(give_list(predicted, &from->lists[from->at - from->first], &call, err));
    if (from->moves[from->at - from->first]) {
        sim->xfer_least_ps = least_ends_of(&predicted->least, rank, &call);
        predicted->endless += sim->xfer_end_ps == TRACE_UNKNOWN_PS;
    }
    to->calls[to->count] = call;
    to->sim[to->count++] = *sim;
    from->at++;
    predicted->appended++;
    return STATUS_OK;
}

static bool may_change(const struct predicted_rank *rank)
{
    const struct trace_sim *sim = &rank->sim[rank->at - rank->first];
    bool arrived = sim->xfer_start_ps != TRACE_UNKNOWN_PS && sim->xfer_end_ps != TRACE_UNKNOWN_PS;
    return rank->moves[rank->at - rank->first] && !arrived;
}

enum status predicted_append(struct predicted *predicted, uint32_t rank, struct err *err)
{
    struct predicted_rank *from = &predicted->ranks[rank];
    TRY(keep_list(predicted, from, err));
    TRY(make_room(from, err));
    while (from->at < from->end && !may_change(from)) TRY(append_one(predicted, rank, err));
    if (predicted->appended < predicted->more) return STATUS_OK;
    predicted->appended = 0;
    return predicted->sink->filled(predicted->sink->context, predicted->ended, &predicted->more, err);
}

void predicted_end(struct predicted *predicted, uint32_t rank)
{
    const struct predicted_rank *of = &predicted->ranks[rank];
    predicted->ended[rank] = of->at == of->end;
}

enum status predicted_finish(struct predicted *predicted, struct err *err)
{
    for (uint32_t r = 0; predicted->sink && r < predicted->of->rank_count; r++) {
        struct predicted_rank *from = &predicted->ranks[r];
        while (from->at < from->end) TRY(append_one(predicted, r, err));
        predicted->ended[r] = true;
    }
    return STATUS_OK;
}
