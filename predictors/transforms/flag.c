/* Turns exchanges by puts, a flush and a flag, for which the target polls, into puts with a signal. `polls` finds which write of
 * a flag ended which row of polls, and puts a message between the two; this replaces the message, the flag and the flush. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "predictors/transforms/epoch_exchange.h"
#include "predictors/transforms/rows.h"
#include "trace/epoch_cursor.h"

/* A message of `polls`: behind the write of a flag, and before the last poll of the row that it ended. Calls of that trace. */
struct flag {
    uint32_t origin, target;
    size_t write, send, receive, poll;
    uint32_t request; /* of the put that carries the signal */
    int64_t place;
};

/* What becomes of a call. */
struct change {
    enum { CHANGE_NOTHING, CHANGE_GONE, CHANGE_PUT, CHANGE_SIGNAL, CHANGE_AWAIT } what;
    uint32_t flag;
    bool waits; /* before it, or in its place, for the put with the flag's signal */
};

struct flagging {
    const struct trace *trace; /* with the messages */
    struct transform_report *report;
    struct flag *flags; /* by number of the message: by target */
    size_t count;
    struct change **changes; /* per rank and call */
    uint32_t *next_request;  /* per rank */
    int32_t first_tag, heap;
};

static const struct trace_call *call_of(const struct flagging *flagging, uint32_t rank, size_t index)
{
    return &flagging->trace->ranks[rank].calls[index];
}

static bool is_message(const struct flagging *flagging, const struct trace_call *call)
{
    return (call->call == ID_Send || call->call == ID_Recv) && call->message.tag >= flagging->first_tag;
}

static enum status find_flags(struct flagging *flagging, struct err *err)
{
    const struct trace *trace = flagging->trace;
    size_t capacity = 0;
    for (int sends = 0; sends < 2; sends++) /* each receive has a number of its own, then the sends find theirs */
        for (uint32_t r = 0; r < trace->rank_count; r++)
            for (size_t i = 0; i < trace->ranks[r].count; i++) {
                const struct trace_call *call = call_of(flagging, r, i);
                if (!is_message(flagging, call) || (call->call == ID_Send) != (sends == 1)) continue;
                size_t number = (size_t)(call->message.tag - flagging->first_tag), other = i;
                TRY(array_reserve((void **)&flagging->flags, &capacity, number + 1, sizeof *flagging->flags, err));
                struct flag *flag = &flagging->flags[number];
                if (number >= flagging->count) flagging->count = number + 1;
                while (is_message(flagging, call_of(flagging, r, other))) sends ? other-- : other++;
                if (sends)
                    flag->origin = r, flag->send = i, flag->write = other;
                else
                    flag->target = r, flag->receive = i, flag->poll = other;
            }
    return STATUS_OK;
}

static bool is_operation_on(const struct trace_call *call, int32_t window, int32_t target)
{
    return timeline_is_operation(call) && call->handle == window && call->peer == target;
}

static bool completes_all(const struct trace_call *call, int32_t window)
{
    enum call_kind kind = call_kind(call->call);
    if (!timeline_on_window(call) || call->handle != window) return false;
    return (kind == CALL_FLUSH && call->peer == TRACE_NONE) || kind == CALL_LOCK_ALL || kind == CALL_UNLOCK_ALL;
}

/* Whether the call is a flush that completes no operation any more, since all that it completed have changed. `since`: the first
 * call behind the last one that completed what was called on the target. */
static bool completes_nothing(const struct flagging *flagging, uint32_t rank, size_t since, size_t flush, int32_t target)
{
    const struct trace_call *call = call_of(flagging, rank, flush);
    while (call->peer == TRACE_NONE && since > 0 && !completes_all(call_of(flagging, rank, since - 1), call->handle)) since--;
    for (size_t i = since; i < flush; i++) {
        const struct trace_call *before = call_of(flagging, rank, i);
        bool open = timeline_is_operation(before) && before->handle == call->handle && before->peer != TRACE_NONE;
        if (open && flagging->changes[rank][i].what == CHANGE_NOTHING && (call->peer == TRACE_NONE || before->peer == target))
            return false;
    }
    return call_kind(call->call) == CALL_FLUSH;
}

/* The last call before `index` that completes what was put there, or SIZE_MAX. */
static size_t completion_before(const struct flagging *flagging, uint32_t rank, size_t index, int32_t window, int32_t target)
{
    while (index-- > 0)
        if (epoch_completion(call_of(flagging, rank, index), window, target) == COMPLETE_AT_TARGET) return index;
    return SIZE_MAX;
}

/* Why the flag stays; NULL: it can go. Finds the flush before it, SIZE_MAX: there is none; and from where on that completes. */
static const char *refuse_flag(const struct flagging *flagging, const struct flag *flag, size_t *flush, size_t *since)
{
    const struct trace_call *write = call_of(flagging, flag->origin, flag->write);
    const struct trace_call *poll = call_of(flagging, flag->target, flag->poll);
    if (call_kind(write->call) == CALL_GET_ACCUMULATE) return "the flag's call returns what was there";
    if (call_makes_request(write->call)) return "a call waits for the flag's request";
    if (poll->peer != (int32_t)flag->target) return "the flag is polled from another rank";
    if (flagging->trace->ranks[flag->origin].thread_count > 1) return "the rank has threads";
    *flush = completion_before(flagging, flag->origin, flag->write, write->handle, write->peer);
    if (*flush == SIZE_MAX || call_kind(call_of(flagging, flag->origin, *flush)->call) != CALL_FLUSH) *flush = SIZE_MAX;
    if (*flush == SIZE_MAX) return NULL;
    size_t last = completion_before(flagging, flag->origin, *flush, write->handle, write->peer);
    *since = last == SIZE_MAX ? 0 : last + 1;
    for (size_t i = *since; i < flag->write; i++) {
        const struct trace_call *call = call_of(flagging, flag->origin, i);
        if (!is_operation_on(call, write->handle, write->peer) || flagging->changes[flag->origin][i].what != CHANGE_NOTHING)
            continue;
        if (i > *flush) return "another operation is between the flush and the flag";
        if (call->call != ID_Put) return "the flush completes other operations than puts";
    }
    return NULL;
}

/* The first call behind the flag that completes it: it only waits for the put, or goes if that is waited for already. */
static void release_flag(struct flagging *flagging, const struct flag *flag, uint32_t number, bool waited)
{
    const struct trace_call *write = call_of(flagging, flag->origin, flag->write);
    struct change *changes = flagging->changes[flag->origin];
    size_t end = flag->write + 1, count = flagging->trace->ranks[flag->origin].count;
    for (; end < count; end++)
        if (epoch_completion(call_of(flagging, flag->origin, end), write->handle, write->peer) == COMPLETE_AT_TARGET) break;
    bool goes = end < count && completes_nothing(flagging, flag->origin, flag->write, end, write->peer);
    if (goes) changes[end].what = CHANGE_GONE;
    if (waited) return;
    if (end == count) end = flag->send;
    changes[end].waits = true;
    changes[end].flag = number;
}

static enum status change_flag(struct flagging *flagging, uint32_t number, struct err *err)
{
    struct flag *flag = &flagging->flags[number];
    struct change *changes = flagging->changes[flag->origin];
    const struct trace_call *write = call_of(flagging, flag->origin, flag->write);
    size_t flush = SIZE_MAX, since = 0, carrier = flag->write;
    const char *why = refuse_flag(flagging, flag, &flush, &since);
    if (why) return transform_refuse(flagging->report, flagging->trace, flag->origin, flag->write, 1, err, "%s", why);
    flagging->report->changed++;
    flag->request = flagging->next_request[flag->origin]++;
    flag->place = ((int64_t)write->handle * flagging->trace->rank_count + flag->origin + 1) << 40 |
                  (write->rma.disp < 0 ? 0 : write->rma.disp);
    changes[flag->send].what = changes[flag->write].what = CHANGE_GONE;
    for (size_t i = since; flush != SIZE_MAX && i < flush; i++) {
        const struct trace_call *call = call_of(flagging, flag->origin, i);
        if (!is_operation_on(call, write->handle, write->peer) || changes[i].what != CHANGE_NOTHING) continue;
        changes[i].what = CHANGE_PUT;
        carrier = i;
    }
    changes[carrier] = (struct change){CHANGE_SIGNAL, number, changes[carrier].waits};
    flagging->changes[flag->target][flag->receive] = (struct change){CHANGE_AWAIT, number, false};
    flagging->changes[flag->target][flag->poll].what = CHANGE_GONE;
    if (carrier != flag->write) {
        if (completes_nothing(flagging, flag->origin, since, flush, write->peer)) changes[flush].what = CHANGE_GONE;
        changes[flush].waits = true;
        changes[flush].flag = number;
    }
    release_flag(flagging, flag, number, carrier != flag->write);
    return STATUS_OK;
}

ORDER(by_write, struct flag, UP(origin) UP(write))

static enum status change_flags(struct flagging *flagging, struct err *err)
{
    flagging->report->considered = flagging->count;
    if (flagging->count > 0) qsort(flagging->flags, flagging->count, sizeof *flagging->flags, by_write);
    for (size_t f = 0; f < flagging->count; f++) TRY(change_flag(flagging, (uint32_t)f, err));
    return STATUS_OK;
}

static enum status push_changed(struct flagging *flagging, const struct change *change, struct epoch_exchange_site *site,
                                struct err *err)
{
    static const enum mpi_call calls[] = {[CHANGE_PUT] = ID_shmem_put_nbi,
                                          [CHANGE_SIGNAL] = ID_shmem_put_signal_req,
                                          [CHANGE_AWAIT] = ID_shmem_signal_wait_until};
    const struct flag *flag = &flagging->flags[change->flag];
    struct trace_call call = {
        .call = (uint16_t)calls[change->what], .handle = flagging->heap, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
    if (change->what == CHANGE_AWAIT) {
        call.shmem.disp = flag->place;
        return epoch_exchange_push(site, &call, err);
    }
    call.peer = site->item.call.peer;
    call.bytes = site->item.call.bytes;
    if (change->what == CHANGE_SIGNAL) {
        call.rma.disp = flag->place;
        call.rma.request = flag->request;
    }
    return epoch_exchange_push(site, &call, err);
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct flagging *flagging = context;
    struct timeline_edit now = {.tail_ps = 0};
    enum status status = STATUS_OK;
    if (flagging->trace->ranks[rank].thread_count > 1) return STATUS_OK;
    TRY(timeline_use_heap(made, &flagging->heap, err));
    for (size_t i = 0; status == STATUS_OK && i < timeline->count; i++) {
        struct epoch_exchange_site site = {&now, timeline->items[i]};
        const struct change *change = &flagging->changes[rank][site.item.index];
        if (change->waits) status = epoch_exchange_push_waitall(&site, made, &flagging->flags[change->flag].request, 1, err);
        if (status == STATUS_OK && change->what > CHANGE_GONE) status = push_changed(flagging, change, &site, err);
        struct timeline_item kept = timeline->items[i];
        kept.compute_ps = site.item.compute_ps;
        kept.slept_ps = site.item.slept_ps;
        if (change->what != CHANGE_NOTHING)
            timeline_defer(&now, &kept);
        else if (status == STATUS_OK)
            status = timeline_push(&now, kept, err);
    }
    return timeline_replace(timeline, &now, status);
}

static enum status run_flagging(struct flagging *flagging, struct trace **made, struct err *err)
{
    const struct trace *trace = flagging->trace;
    flagging->changes = calloc(trace->rank_count, sizeof *flagging->changes);
    flagging->next_request = calloc(trace->rank_count, sizeof *flagging->next_request);
    if (!flagging->changes || !flagging->next_request) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        flagging->changes[r] = calloc(trace->ranks[r].count + 1, sizeof **flagging->changes);
        if (!flagging->changes[r]) return err_memory(err);
        flagging->next_request[r] = timeline_free_request(&trace->ranks[r]);
    }
    TRY(find_flags(flagging, err));
    TRY(change_flags(flagging, err));
    if (flagging->report->changed > 0) TRY(timeline_each(trace, change_timeline, flagging, made, err));
    return transform_say(flagging->report, err, "%" PRIu64 " of %" PRIu64 " flags that are polled became signals",
                         flagging->report->changed, flagging->report->considered);
}

static enum status apply_flag_notify(const struct trace *trace, const char *argument, struct trace **made,
                                     struct transform_report *report, struct err *err)
{
    struct trace *polled = NULL;
    struct flagging flagging = {.report = report, .first_tag = timeline_free_tag(trace), .heap = timeline_heap(trace)};
    TRY(transform_polls.apply(trace, argument, &polled, report, err));
    free(report->summary);
    report->summary = NULL;
    report->changed = 0;
    enum status status = trace_check(polled, err);
    flagging.trace = polled;
    if (status == STATUS_OK) status = run_flagging(&flagging, made, err);
    for (uint32_t r = 0; flagging.changes && r < polled->rank_count; r++) free(flagging.changes[r]);
    FREE_ALL(flagging.changes, flagging.next_request, flagging.flags);
    trace_free(polled);
    return status;
}

const struct transform transform_flag_notify = {
    .name = "flag=notify",
    .summary = "puts, a flush and a flag that the target polls become puts whose signal it waits for",
    .apply = apply_flag_notify,
};
