/* Turns rows of polls (trace/polls.h) into waits for the writes that ended them. How often a program polls depends on the
 * machine. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "predictors/transforms/poll_order.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"
#include "trace/epoch_cursor.h"
#include "trace/polls.h"

/* A change of a rank's timeline at one of its calls. */
struct edit {
    uint32_t rank;
    size_t index;
    enum { EDIT_DROP, EDIT_RECEIVE, EDIT_SEND } what; /* the call goes; a receive before it; a send behind it */
    int32_t peer, tag;
};

struct write { /* of a place that some rank polls, perhaps */
    int32_t window, target;
    int64_t enter_ps, complete_ps; /* complete_ps: the exit of the call that completed it */
    uint32_t origin;
    size_t index;
    const struct trace_call *awaited_by; /* the last place for which a poll waits for it */
};

struct place { /* that the walked rank polls */
    const struct trace_call *poll; /* the first one */
    int64_t seen_ps; /* the end of the last row; INT64_MIN: none yet */
    size_t first;    /* earlier writes have been seen */
};

struct row { /* that waits for writes */
    size_t first, last, polls, wait_count;
};

struct polling {
    const struct trace *trace;
    struct transform_report *report;
    struct edit *edits; /* by rank, then index */
    size_t edit_count, edit_capacity;
    struct write *writes; /* by window, target, time */
    size_t write_count, write_capacity;
    struct place *places;
    size_t place_count, place_capacity;
    struct write **found; /* those that a row waits for: one of each other rank */
    size_t found_count, found_capacity;
    struct row *rows; /* by rank and index */
    struct poll_wait *waits; /* of the rows, one behind the other */
    size_t row_count, row_capacity, wait_count, wait_capacity;
    int64_t **shifts_ps; /* per rank and call: how much earlier it is than when it was recorded; NULL: no call is */
    bool *sites;      /* per call site, of windows and of memory (site_of()): some row there has several polls */
    int32_t next_tag;
    uint64_t dropped; /* polls */
};

/* A compare-and-swap writes only if it succeeds, which a trace does not say. */
static bool is_write(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    if (call->peer < 0 || call->call == ID_Compare_and_swap) return false;
    return kind == CALL_PUT || kind == CALL_ACCUMULATE || (kind == CALL_GET_ACCUMULATE && call->rma.op != TRACE_OP_NO_OP);
}

/* Which call was first shows in the recorded times. trace_use_computing() has moved the calls behind what it took from a gap.
 * What it took from spins (trace/spins.h) is not known any more. */
static int64_t recorded_ps(const struct polling *polling, uint32_t rank, size_t index, int64_t time_ps)
{
    return polling->shifts_ps[rank] ? time_ps + polling->shifts_ps[rank][index] : time_ps;
}

static enum status find_shifts(struct polling *polling, struct err *err)
{
    const struct trace *trace = polling->trace;
    if (!trace->provenance.uses_computing) return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        int64_t *shifts_ps = calloc(rank->count + 1, sizeof *shifts_ps), shift_ps = 0;
        if (!shifts_ps) return err_memory(err);
        polling->shifts_ps[r] = shifts_ps;
        for (size_t i = 1; i < rank->count; i++) {
            shift_ps += trace_before_ps(rank, BEFORE_PAUSED, i);
            if (trace->provenance.without_core_waits) shift_ps += trace_before_ps(rank, BEFORE_CORE_WAIT, i);
            shifts_ps[i] = shift_ps;
        }
    }
    return STATUS_OK;
}

/* The last poll of the row that begins at call `first`. */
static size_t end_of_row(const struct trace_rank *rank, size_t first, size_t *polls)
{
    const struct trace_call *poll = &rank->calls[first];
    size_t last = first;
    *polls = 1;
    for (size_t i = first + 1; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (polls_window(call) && polls_same(call, poll)) {
            last = i;
            ++*polls;
        } else if (!polls_between(call, poll)) {
            break;
        }
    }
    return last;
}

/* Unknown call sites are one. */
static bool *site_of(const struct polling *polling, const struct trace_call *poll)
{
    return &polling->sites[2 * (size_t)poll->site + polls_memory(poll)];
}

/* Whether the row shows that its call site polls. MPI_Win_sync may have any reason where something is computed between. */
static bool shows_polling(const struct trace_rank *rank, size_t first, size_t last, size_t polls)
{
    int64_t between_ps = 0;
    if (!polls_memory(&rank->calls[first])) return polls > 1;
    for (size_t i = first; i < last; i++) between_ps += rank->calls[i + 1].enter_ps - rank->calls[i].exit_ps;
    return polls >= POLLS_SYNCS_LEAST && between_ps <= (int64_t)(last - first) * SPIN_MOST_GAP_PS;
}

/* When the result of the row's last poll was there: the call that completed it has returned. */
static int64_t end_of_poll(const struct polling *polling, uint32_t number, size_t last)
{
    const struct trace_rank *rank = &polling->trace->ranks[number];
    size_t end = last;
    const struct trace_call *poll = &rank->calls[last]; /* of memory: it completes itself */
    for (size_t i = last + 1; end == last && !polls_memory(poll) && i < rank->count && polls_between(&rank->calls[i], poll); i++)
        if (call_kind(rank->calls[i].call) != CALL_LOCAL) end = i;
    return recorded_ps(polling, number, end, rank->calls[end].exit_ps);
}

ORDER(by_place_and_time, struct write, UP(window) UP(target) UP(enter_ps) UP(origin) UP(index))

ORDER(by_rank_and_index, struct edit, UP(rank) UP(index) UP(tag))

/* Ranks with threads stay as they are: their calls have no one order. */
static bool has_threads(const struct trace *trace, uint32_t rank)
{
    return trace->ranks[rank].thread_count > 1;
}

static enum status look_at_call(struct polling *polling, uint32_t rank, size_t index, struct err *err)
{
    const struct trace_call *call = &polling->trace->ranks[rank].calls[index];
    if (!is_write(call)) return STATUS_OK;
    struct write write = {.window = call->handle,
                          .target = call->peer,
                          .enter_ps = recorded_ps(polling, rank, index, call->enter_ps),
                          .complete_ps = INT64_MAX,
                          .origin = rank,
                          .index = index};
    const struct trace_rank *process = &polling->trace->ranks[rank];
    for (size_t i = index + 1; i < process->count && write.complete_ps == INT64_MAX; i++)
        if (epoch_completion(&process->calls[i], call->handle, call->peer) != COMPLETE_NOWHERE)
            write.complete_ps = recorded_ps(polling, rank, i, process->calls[i].exit_ps);
    ARRAY_PUSH(polling->writes, polling->write_count, polling->write_capacity, write, err);
    return STATUS_OK;
}

static enum status look_at_calls(struct polling *polling, struct err *err)
{
    for (uint32_t r = 0; r < polling->trace->rank_count; r++) {
        const struct trace_rank *rank = &polling->trace->ranks[r];
        if (has_threads(polling->trace, r)) continue;
        for (size_t i = 0; i < rank->count; i++) TRY(look_at_call(polling, r, i, err));
        for (size_t i = 0, polls; i < rank->count; i++) {
            if (!polls_window(&rank->calls[i])) continue;
            const size_t first = i;
            i = end_of_row(rank, first, &polls);
            if (shows_polling(rank, first, i, polls)) *site_of(polling, &rank->calls[i]) = true;
        }
    }
    if (polling->write_count > 0)
        qsort(polling->writes, polling->write_count, sizeof *polling->writes, by_place_and_time);
    return STATUS_OK;
}

static enum status find_place(struct polling *polling, const struct trace_call *poll, struct place **place, struct err *err)
{
    for (size_t i = 0; i < polling->place_count; i++) {
        *place = &polling->places[i];
        if (polls_same((*place)->poll, poll)) return STATUS_OK;
    }
    struct place made = {poll, INT64_MIN, 0};
    ARRAY_PUSH(polling->places, polling->place_count, polling->place_capacity, made, err);
    *place = &polling->places[polling->place_count - 1];
    return STATUS_OK;
}

/* A poll of memory may read any place of the rank's part. */
static bool ranges_overlap(const struct trace_call *write, const struct trace_call *poll)
{
    return polls_memory(poll) || (write->rma.disp < poll->rma.disp + poll->rma.result_bytes &&
                                  poll->rma.disp < write->rma.disp + write->bytes);
}

static enum status add_edit(struct polling *polling, struct edit edit, struct err *err)
{
    ARRAY_PUSH(polling->edits, polling->edit_count, polling->edit_capacity, edit, err);
    return STATUS_OK;
}

/* The poll has seen the last write of each rank that was complete by then. Where none was since the row before, it has seen the
 * first one that was under way, whose completion its origin learned later. */
static enum status find_write(struct polling *polling, struct write *write, int64_t end_ps, struct err *err)
{
    for (size_t i = 0; i < polling->found_count; i++) {
        struct write **found = &polling->found[i];
        if ((*found)->origin != write->origin) continue;
        if ((*found)->complete_ps > end_ps) *found = write;
        return STATUS_OK;
    }
    ARRAY_PUSH(polling->found, polling->found_count, polling->found_capacity, write, err);
    return STATUS_OK;
}

/* Fills polling->found for the row that ends with the poll `last`. alone: it has no other poll. */
static enum status find_writes(struct polling *polling, uint32_t rank, size_t last, bool alone, struct place *place,
                               int64_t end_ps, struct err *err)
{
    const struct trace_call *poll = &polling->trace->ranks[rank].calls[last];
    const int32_t target = polls_memory(poll) ? (int32_t)rank : poll->peer;
    int64_t enter_ps = recorded_ps(polling, rank, last, poll->enter_ps);
    const struct write key = {
        .window = poll->handle, .target = target, .enter_ps = end_ps, .origin = UINT32_MAX, .index = SIZE_MAX};
    size_t behind = place->first;
    polling->found_count = 0;
    SEARCH_FIRST(behind, polling->write_count, i, by_place_and_time(&polling->writes[i], &key) <= 0);
    for (size_t i = behind; i-- > place->first;) {
        struct write *write = &polling->writes[i];
        if (write->window != poll->handle || write->target != target) break;
        const struct trace_call *call = &polling->trace->ranks[write->origin].calls[write->index];
        bool seen = write->complete_ps <= place->seen_ps || write->awaited_by == place->poll;
        bool late = alone && write->complete_ps > end_ps &&
                    recorded_ps(polling, write->origin, write->index, call->exit_ps) > enter_ps;
        if (write->origin == rank || seen || late || !ranges_overlap(call, poll)) continue;
        TRY(find_write(polling, write, end_ps, err));
    }
    while (place->first < behind && polling->writes[place->first].complete_ps <= end_ps) place->first++;
    return STATUS_OK;
}

static enum status find_row(struct polling *polling, uint32_t rank, size_t first, size_t last, size_t polls, struct err *err)
{
    const struct row row = {first, last, polls, 0};
    struct place *place;
    TRY(find_place(polling, &polling->trace->ranks[rank].calls[first], &place, err));
    int64_t end_ps = end_of_poll(polling, rank, last);
    TRY(find_writes(polling, rank, last, polls == 1, place, end_ps, err));
    place->seen_ps = end_ps;
    polling->report->considered += polls;
    if (polling->found_count == 0) return STATUS_OK;
    ARRAY_PUSH(polling->rows, polling->row_count, polling->row_capacity, row, err);
    polling->rows[polling->row_count - 1].wait_count = polling->found_count;
    for (size_t i = 0; i < polling->found_count; i++) {
        struct write *write = polling->found[i];
        const struct poll_wait wait = {
            .rank = rank, .origin = write->origin, .call = last, .write = write->index, .at_ps = end_ps};
        write->awaited_by = place->poll;
        ARRAY_PUSH(polling->waits, polling->wait_count, polling->wait_capacity, wait, err);
    }
    return STATUS_OK;
}

static enum status change_row(struct polling *polling, const struct row *row, const struct poll_wait *waits, struct err *err)
{
    for (size_t i = 0; i < row->wait_count; i++)
        if (waits[i].refused)
            return transform_refuse(polling->report, polling->trace, waits->rank, row->last, row->polls, err, "%s",
                                    waits[i].refused);
    for (size_t i = 0; i < row->wait_count; i++) {
        const int32_t tag = polling->next_tag++;
        TRY(add_edit(polling, (struct edit){waits->rank, row->last, EDIT_RECEIVE, (int32_t)waits[i].origin, tag}, err));
        TRY(add_edit(polling, (struct edit){waits[i].origin, waits[i].write, EDIT_SEND, (int32_t)waits->rank, tag}, err));
    }
    for (size_t i = row->first; i < row->last; i++)
        TRY(add_edit(polling, (struct edit){.rank = waits->rank, .index = i, .what = EDIT_DROP}, err));
    polling->report->changed++;
    polling->dropped += row->polls - 1;
    return STATUS_OK;
}

static enum status change_rows(struct polling *polling, struct err *err)
{
    const struct poll_wait *waits = polling->waits;
    TRY(poll_order_check(polling->trace, polling->waits, polling->wait_count, err));
    for (size_t i = 0; i < polling->row_count; waits += polling->rows[i++].wait_count)
        TRY(change_row(polling, &polling->rows[i], waits, err));
    if (polling->edit_count > 0) qsort(polling->edits, polling->edit_count, sizeof *polling->edits, by_rank_and_index);
    return STATUS_OK;
}

static enum status find_rows(struct polling *polling, struct err *err)
{
    for (uint32_t r = 0; r < polling->trace->rank_count; r++) {
        const struct trace_rank *rank = &polling->trace->ranks[r];
        polling->place_count = 0;
        if (has_threads(polling->trace, r)) continue;
        for (size_t i = 0, polls; i < rank->count; i++) {
            if (!polls_window(&rank->calls[i]) || !*site_of(polling, &rank->calls[i])) continue;
            size_t last = end_of_row(rank, i, &polls);
            TRY(find_row(polling, r, i, last, polls, err));
            i = last;
        }
    }
    return polling->row_count > 0 ? change_rows(polling, err) : STATUS_OK;
}

static struct timeline_item message_item(enum mpi_call call, const struct edit *edit, uint32_t site)
{
    struct timeline_item item = {.index = TIMELINE_NEW};
    item.call = (struct trace_call){.call = (uint16_t)call, .peer = edit->peer, .any = TRACE_NO_MEMBERS, .site = site};
    item.call.message.tag = edit->tag;
    return item;
}

/* in_row: polls before this one have gone, with the time between them. */
static enum status edit_item(struct timeline_item *item, const struct edit *edits, size_t count, bool in_row,
                             struct timeline_edit *now, struct err *err)
{
    for (size_t i = 0; i < count && edits[i].what == EDIT_RECEIVE; i++) {
        struct timeline_item receive = message_item(ID_Recv, &edits[i], item->call.site);
        if (!in_row) timeline_defer(now, item);
        item->compute_ps = item->slept_ps = 0;
        TRY(timeline_push(now, receive, err));
    }
    TRY(timeline_push(now, *item, err));
    for (size_t i = 0; i < count && edits[i].what == EDIT_SEND; i++)
        TRY(timeline_push(now, message_item(ID_Send, &edits[i], item->call.site), err));
    return STATUS_OK;
}

static enum status edit_rank(const struct polling *polling, uint32_t rank, const struct timeline_edit *timeline,
                             struct timeline_edit *now, struct err *err)
{
    const struct edit key = {.rank = rank, .index = 0, .tag = INT32_MIN}, *edits = polling->edits;
    size_t next = 0;
    bool in_row = false;
    SEARCH_FIRST(next, polling->edit_count, i, by_rank_and_index(&edits[i], &key) < 0);
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item item = timeline->items[i];
        size_t first = next;
        while (next < polling->edit_count && edits[next].rank == rank && edits[next].index == item.index) next++;
        bool drops = next > first && edits[first].what == EDIT_DROP;
        if (drops && !in_row) timeline_defer(now, &item); /* the computing before the row */
        if (!drops) TRY(edit_item(&item, edits + first, next - first, in_row, now, err));
        in_row = drops;
    }
    return STATUS_OK;
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    const struct polling *polling = context;
    struct timeline_edit now = {.tail_ps = 0};
    (void)made;
    if (has_threads(polling->trace, rank)) return STATUS_OK;
    return timeline_replace(timeline, &now, edit_rank(polling, rank, timeline, &now, err));
}

static enum status run_polling(struct polling *polling, struct trace **made, struct err *err)
{
    TRY(find_shifts(polling, err));
    TRY(look_at_calls(polling, err));
    polling->next_tag = timeline_free_tag(polling->trace);
    TRY(find_rows(polling, err));
    TRY(timeline_each(polling->trace, change_timeline, polling, made, err));
    return transform_say(polling->report, err,
                         "%" PRIu64 " %s for the writes that ended them; %" PRIu64 " of %" PRIu64 " polls went",
                         polling->report->changed, polling->report->changed == 1 ? "row of polls waits" : "rows of polls wait",
                         polling->dropped, polling->report->considered);
}

static enum status apply_polls(const struct trace *trace, const char *argument, struct trace **made,
                               struct transform_report *report, struct err *err)
{
    struct polling polling = {.trace = trace, .report = report};
    (void)argument;
    polling.sites = calloc(2 * (trace->definitions.site_count + 1), sizeof *polling.sites);
    polling.shifts_ps = calloc(trace->rank_count, sizeof *polling.shifts_ps);
    enum status status = polling.sites && polling.shifts_ps ? run_polling(&polling, made, err) : err_memory(err);
    for (uint32_t r = 0; polling.shifts_ps && r < trace->rank_count; r++) free(polling.shifts_ps[r]);
    FREE_ALL(polling.shifts_ps, polling.sites, polling.edits, polling.writes, polling.places, polling.found, polling.rows,
             polling.waits);
    return status;
}

const struct transform transform_polls = {
    .name = "polls",
    .summary = "rows of polls of a window wait for the writes that ended them, by messages",
    .apply = apply_polls,
};
