/* Turns two-sided messages into puts or gets, on a window that is made once, or with a signal: docs/transforms.md, "Messages as
 * one-sided communication". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "predictors/transforms/exchanges.h"
#include "predictors/transforms/neighbours.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"
#include "trace/limits.h"

enum { SIGNAL_BYTES = 8 };

struct turning {
    bool flags;   /* the messages stay, without data, behind the flush */
    bool signals; /* puts of OpenSHMEM, to its symmetric memory, which no call makes */
    int64_t first_place; /* of signals */
    struct exchanges exchanges;
    int64_t *displacements; /* by message; signals: the place of its signal at the receiver */
    int64_t *window_bytes;  /* by rank */
    size_t *first_peer;     /* by part * 2: its targets, then its origins; one per message */
    int32_t *peers;
    struct { /* the group of the last post and start: the next one has often the same members */
        const int32_t *members;
        uint32_t count, id;
    } last_group[2];
    uint32_t *first_get, *next_get; /* gets: by part: the first message that it receives; by message: the next one */
    uint64_t *numbers; /* signals, by message: how many come before it at its place */
    int32_t window;
    bool frees; /* no recording breaks off: all ranks free the window */
    uint64_t epochs, collectives; /* collectives: that became messages first */
    /* of the rank that is rewritten */
    uint32_t rank;
    size_t next;        /* of the actions */
    struct map turned;  /* requests of messages that became operations, once mapped; signals: of receives; flags: of
                           sends to come */
    struct map flushed; /* flags, by target: number << 32 of the last group that was flushed, and the target's first message */
    struct map waited;  /* signals, by place: how many were waited for */
    bool mapped;
    struct exchange_message **unflushed;
    size_t unflushed_count, unflushed_capacity;
    uint32_t *chain; /* chain_targets() */
    size_t chain_capacity;
    bool created, opened;
};

static enum status find_peers(struct turning *turning, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    size_t sides = 2 * exchanges->part_count, *first = calloc(sides + 2, sizeof *first);
    turning->first_peer = first;
    turning->peers = malloc((2 * exchanges->count + 1) * sizeof *turning->peers);
    if (!first || !turning->peers) return err_memory(err);
    for (int fills = 0; fills < 2; fills++) {
        for (size_t i = 0; i < exchanges->count; i++) {
            const struct exchange_message *message = &exchanges->messages[i];
            for (int side = 0; side < 2 && !message->stays; side++) {
                size_t role = (size_t)(side ^ (int)exchanges->gets);
                size_t *of = &first[exchanges->groups[message->groups[side]].part * 2 + role + 1];
                if (fills) turning->peers[*of] = (int32_t)(side ? message->of.sender : message->of.receiver);
                ++*of;
            }
        }
        for (size_t i = 0, sum = 0; i <= sides && !fills; i++) { /* first[i + 1]: where side i is filled next */
            size_t count = first[i + 1];
            first[i + 1] = sum;
            sum += count;
        }
    }
    return STATUS_OK;
}

static enum status find_gets(struct turning *turning, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    turning->first_get = malloc((exchanges->part_count + 1) * sizeof *turning->first_get);
    turning->next_get = malloc((exchanges->count + 1) * sizeof *turning->next_get);
    if (!turning->first_get || !turning->next_get) return err_memory(err);
    memset(turning->first_get, 0xff, (exchanges->part_count + 1) * sizeof *turning->first_get);
    for (size_t i = exchanges->count; i-- > 0;) {
        const struct exchange_message *message = &exchanges->messages[i];
        if (message->stays) continue;
        uint32_t *first = &turning->first_get[exchanges->groups[message->groups[1]].part];
        turning->next_get[i] = *first;
        *first = (uint32_t)i;
    }
    return STATUS_OK;
}

/* In the window of a rank the messages of an exchange are one behind the other, in the order of their receives. */
static enum status find_displacements(struct turning *turning, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    const struct trace *trace = exchanges->trace;
    int64_t *used = calloc(exchanges->part_count + 1, sizeof *used);
    turning->displacements = calloc(exchanges->count + 1, sizeof *turning->displacements);
    turning->window_bytes = calloc((size_t)trace->rank_count + 1, sizeof *turning->window_bytes);
    bool ready = used && turning->displacements && turning->window_bytes;
    for (size_t i = 0; ready && !turning->signals && i < exchanges->count; i++) {
        const struct exchange_message *message = &exchanges->messages[i];
        if (message->stays) continue;
        const bool gets = exchanges->gets;
        const uint32_t owner = gets ? message->of.sender : message->of.receiver;
        const size_t call = gets ? message->of.send_call : message->of.receive_call;
        int64_t *part = &used[exchanges->groups[message->groups[!gets]].part];
        int64_t extent = trace_call_extents(trace, owner, call).of[gets ? TRACE_SEND : TRACE_RECEIVE];
        int64_t bytes = exchange_bytes(trace, message, 0), *window = &turning->window_bytes[owner];
        bool fits = *part <= TRACE_DISP_MAX && (extent > bytes ? extent : bytes) <= TRACE_DISP_MAX - *part;
        turning->displacements[i] = fits ? *part : -1; /* unknown */
        if (fits) *part += extent > bytes ? extent : bytes;
        if (*part > *window) *window = *part;
    }
    free(used);
    return ready ? STATUS_OK : err_memory(err);
}

/* Each sender has a place for each communicator and tag, since the n-th wait at a place waits for the n-th signal
 * there. */
static enum status find_place(struct turning *turning, size_t message, struct map *kinds, struct map *places,
                              struct map *counts, struct err *err)
{
    const struct message *of = &turning->exchanges.messages[message].of;
    const struct trace_call *send = &turning->exchanges.trace->ranks[of->sender].calls[of->send_call];
    int32_t tag = call_kind(send->call) == CALL_SENDRECV ? send->exchange.tag : send->message.tag;
    uint64_t *kind, *place, *number;
    TRY(map_put(kinds, map_pair((uint32_t)send->handle, (uint32_t)tag), kinds->count, &kind, err));
    TRY(map_put(places, map_pair(of->sender, (uint32_t)*kind), places->count, &place, err));
    TRY(map_put(counts, map_pair(of->receiver, (uint32_t)*place), 0, &number, err));
    turning->displacements[message] = turning->first_place + (int64_t)*place * SIGNAL_BYTES;
    turning->window_bytes[of->receiver] = (int64_t)places->count * SIGNAL_BYTES;
    turning->numbers[message] = (*number)++;
    return STATUS_OK;
}

static enum status find_places(struct turning *turning, struct err *err)
{
    const struct exchange_message *messages = turning->exchanges.messages;
    struct map kinds = {0}, places = {0}, counts = {0};
    enum status status = STATUS_OK;
    turning->numbers = calloc(turning->exchanges.count + 1, sizeof *turning->numbers);
    if (!turning->numbers) return err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < turning->exchanges.count; i++) {
        if (i > 0 && messages[i - 1].of.receiver != messages[i].of.receiver) map_empty(&places);
        if (!messages[i].stays) status = find_place(turning, i, &kinds, &places, &counts, err);
    }
    map_clear(&kinds);
    map_clear(&places);
    map_clear(&counts);
    return status;
}

/* ---- calls */

static struct trace_call window_call(const struct turning *turning, enum mpi_call call)
{
    return (struct trace_call){.call = (uint16_t)call,
                               .any = TRACE_NO_MEMBERS,
                               .handle = turning->window,
                               .peer = TRACE_NONE,
                               .site = TRACE_NO_SITE};
}

static enum status push_sync(const struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                             enum mpi_call call, unsigned flags, struct err *err)
{
    struct trace_call made = window_call(turning, call);
    made.flags = (uint16_t)flags;
    return timeline_push_in_place(now, item, &made, err);
}

ORDER(compare_ranks, int32_t, UP_ITSELF)

/* Once for each part: its list of ranks is sorted in place. */
static enum status push_group(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                              enum mpi_call id, uint32_t part, struct trace *made, struct err *err)
{
    const bool posts = id == ID_Win_post;
    const size_t *first = &turning->first_peer[part * 2 + posts], count = first[1] - first[0];
    struct trace_call call = window_call(turning, id);
    uint32_t kept = 0;
    size_t ascending = 1;
    int32_t *members = turning->peers + first[0];
    while (ascending < count && members[ascending - 1] <= members[ascending]) ascending++;
    if (ascending < count) qsort(members, count, sizeof *members, compare_ranks);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || members[kept - 1] != members[i]) members[kept++] = members[i];
    const bool same = turning->last_group[posts].count == kept &&
                      memcmp(turning->last_group[posts].members, members, kept * sizeof *members) == 0;
    if (!same) {
        turning->last_group[posts].members = members;
        turning->last_group[posts].count = kept;
        TRY(trace_add_group(made, members, kept, &turning->last_group[posts].id, err));
    }
    call.sync.group = turning->last_group[posts].id;
    return timeline_push_in_place(now, item, &call, err);
}

static enum status push_put(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                            const struct exchange_message *message, struct err *err)
{
    const struct trace *trace = turning->exchanges.trace;
    bool requests = turning->signals && call_makes_request(item->call.call);
    struct trace_call put = window_call(turning, !turning->signals ? ID_Put
                                                 : requests        ? ID_shmem_put_signal_req
                                                                   : ID_shmem_put_signal);
    if (requests) put.rma.request = item->call.message.request;
    put.peer = (int32_t)message->of.receiver;
    put.bytes = turning->exchanges.gets ? 0 : exchange_bytes(trace, message, 0); /* gets: the signal alone */
    put.rma.disp = turning->displacements[message - turning->exchanges.messages];
    struct trace_extents received = trace_call_extents(trace, message->of.receiver, message->of.receive_call);
    const struct trace_extents extents = {
        {[TRACE_ORIGIN] = item->extents.of[TRACE_SEND], [TRACE_TARGET] = received.of[TRACE_RECEIVE]}};
    TRY(timeline_push_in_place(now, item, &put, err));
    if (turning->exchanges.gets) return STATUS_OK;
    now->items[now->count - 1].extents = extents;
    turning->exchanges.report->changed++;
    return STATUS_OK;
}

static enum status push_get(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                            const struct exchange_message *message, struct err *err)
{
    const struct trace *trace = turning->exchanges.trace;
    const struct message *of = &message->of;
    struct trace_call get = window_call(turning, turning->signals ? ID_shmem_get_nbi : ID_Get);
    get.peer = (int32_t)of->sender;
    get.bytes = exchange_bytes(trace, message, 0);
    if (!turning->signals) get.rma.disp = turning->displacements[message - turning->exchanges.messages];
    TRY(timeline_push_in_place(now, item, &get, err));
    now->items[now->count - 1].extents = (struct trace_extents){
        {[TRACE_ORIGIN] = trace_call_extents(trace, of->receiver, of->receive_call).of[TRACE_RECEIVE],
         [TRACE_TARGET] = trace_call_extents(trace, of->sender, of->send_call).of[TRACE_SEND]}};
    turning->exchanges.report->changed++;
    return STATUS_OK;
}

/* Of an exchange: behind the start, or the fence that opens. */
static enum status push_part_gets(struct turning *turning, struct timeline_edit *now, struct timeline_item *item, uint32_t part,
                                  struct err *err)
{
    if (!turning->exchanges.gets) return STATUS_OK;
    for (uint32_t i = turning->first_get[part]; i != EXCHANGE_NONE; i = turning->next_get[i])
        TRY(push_get(turning, now, item, &turning->exchanges.messages[i], err));
    return STATUS_OK;
}

/* Flushes each sender once; signals: one quiet. */
static enum status push_arrivals(struct turning *turning, struct timeline_edit *now, struct timeline_item *item, size_t first,
                                 struct err *err)
{
    const size_t end = now->count;
    if (first == end) return STATUS_OK;
    turning->epochs++;
    if (turning->signals) return push_sync(turning, now, item, ID_shmem_quiet, 0, err);
    for (size_t i = first; i < end; i++) {
        struct trace_call flush = window_call(turning, ID_Win_flush);
        bool again = false;
        flush.peer = now->items[i].call.peer;
        for (size_t k = first; k < i && !again; k++) again = now->items[k].call.peer == flush.peer;
        if (!again) TRY(timeline_push_in_place(now, item, &flush, err));
    }
    return STATUS_OK;
}

/* Gets what the call has received, once it is known to be there. */
static enum status push_received(struct turning *turning, struct timeline_edit *now, struct timeline_item *item, size_t call,
                                 struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    const struct exchange_message *receives = exchanges_end(exchanges, turning->rank, call, 1);
    const struct trace_call *of = &exchanges->trace->ranks[turning->rank].calls[call];
    uint32_t end = exchanges->done[exchanges->first[turning->rank] + call];
    const size_t first = now->count;
    if (receives && !call_makes_request(of->call)) TRY(push_get(turning, now, item, receives, err));
    for (; end != EXCHANGE_NONE; end = exchanges->messages[end / 2].next_done[end % 2])
        if (end % 2 == 1 && !exchanges->messages[end / 2].stays)
            TRY(push_get(turning, now, item, &exchanges->messages[end / 2], err));
    return push_arrivals(turning, now, item, first, err);
}

/* Waits for the message's signal, and for those before it at its place that were not waited for. */
static enum status push_signal_wait(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                                    const struct exchange_message *message, struct err *err)
{
    size_t number = (size_t)(message - turning->exchanges.messages);
    struct trace_call wait = window_call(turning, ID_shmem_signal_wait_until);
    uint64_t *waited;
    wait.shmem.disp = turning->displacements[number];
    TRY(map_put(&turning->waited, (uint64_t)wait.shmem.disp, 0, &waited, err));
    for (; *waited <= turning->numbers[number]; ++*waited) TRY(timeline_push_in_place(now, item, &wait, err));
    return STATUS_OK;
}

/* Those of the receives that the call completes. */
static enum status push_signal_waits(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                                     size_t call, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    uint32_t end = exchanges->done[exchanges->first[turning->rank] + call];
    for (; end != EXCHANGE_NONE; end = exchanges->messages[end / 2].next_done[end % 2])
        if (end % 2 == 1 && !exchanges->messages[end / 2].stays)
            TRY(push_signal_wait(turning, now, item, &exchanges->messages[end / 2], err));
    return STATUS_OK;
}

/* turning->chain: behind each message the next one to the same target, and 1; 0: none. turning->flushed has the first one of each
 * target of this group. */
static enum status chain_targets(struct turning *turning, struct err *err)
{
    const size_t count = turning->unflushed_count;
    TRY(array_reserve((void **)&turning->chain, &turning->chain_capacity, count, sizeof *turning->chain, err));
    for (size_t i = count; i-- > 0;) {
        uint64_t *first;
        TRY(map_put(&turning->flushed, turning->unflushed[i]->of.receiver, 0, &first, err));
        turning->chain[i] = *first >> 32 == turning->epochs ? (uint32_t)*first : 0;
        *first = turning->epochs << 32 | (uint32_t)(i + 1);
    }
    return STATUS_OK;
}

/* Flushes each target once, and sends it what stays of the messages to it before the next target is flushed. Their own calls
 * behind are not flushed again. */
static enum status push_flags(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                              struct err *err)
{
    const struct trace_rank *process = &turning->exchanges.trace->ranks[turning->rank];
    turning->epochs += turning->unflushed_count > 0;
    TRY(chain_targets(turning, err));
    for (size_t i = 0; i < turning->unflushed_count; i++) {
        struct trace_call flush = window_call(turning, ID_Win_flush);
        flush.peer = (int32_t)turning->unflushed[i]->of.receiver;
        if ((uint32_t)*map_find(&turning->flushed, (uint64_t)flush.peer) != i + 1) continue;
        TRY(timeline_push_in_place(now, item, &flush, err));
        for (size_t next = i + 1; next > 0; next = turning->chain[next - 1]) {
            struct trace_call flag = process->calls[turning->unflushed[next - 1]->of.send_call];
            flag.bytes = 0;
            if (!call_makes_request(flag.call)) continue;
            map_remove(&turning->turned, flag.message.request);
            TRY(timeline_push_in_place(now, item, &flag, err));
        }
    }
    turning->unflushed_count = 0;
    return STATUS_OK;
}

static enum status push_action(struct turning *turning, const struct exchange_action *action, struct timeline_edit *now,
                               struct timeline_item *item, struct trace *made, struct err *err)
{
    if (turning->flags) return push_flags(turning, now, item, err);
    turning->epochs += action->act == ACT_START || action->act == ACT_OPEN;
    switch (action->act) {
    case ACT_POST: return push_group(turning, now, item, ID_Win_post, action->part, made, err);
    case ACT_START:
        TRY(push_group(turning, now, item, ID_Win_start, action->part, made, err));
        return push_part_gets(turning, now, item, action->part, err);
    case ACT_COMPLETE: return push_sync(turning, now, item, ID_Win_complete, 0, err);
    case ACT_WAIT: return push_sync(turning, now, item, ID_Win_wait, 0, err);
    case ACT_OPEN:
        TRY(push_sync(turning, now, item, ID_Win_fence, TRACE_NOPRECEDE, err));
        return push_part_gets(turning, now, item, action->part, err);
    case ACT_CLOSE: break;
    }
    return push_sync(turning, now, item, ID_Win_fence, TRACE_NOSUCCEED, err);
}

/* Actions before the place. */
static enum status push_actions(struct turning *turning, uint64_t end, struct timeline_edit *now,
                                struct timeline_item *item, struct trace *made, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    for (; turning->next < exchanges->action_count; turning->next++) {
        const struct exchange_action *action = &exchanges->actions[turning->next];
        if (action->rank != turning->rank || action->place >= end) break;
        TRY(push_action(turning, action, now, item, made, err));
    }
    return STATUS_OK;
}

/* ---- what stays of a call */

static enum status find_turned(struct turning *turning, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    const struct trace_rank *process = &exchanges->trace->ranks[turning->rank];
    if (turning->mapped) return STATUS_OK;
    turning->mapped = true;
    for (size_t i = 0; i < process->count; i++) {
        bool ends = (!turning->signals && exchanges_end(exchanges, turning->rank, i, 0)) ||
                    exchanges_end(exchanges, turning->rank, i, 1);
        if (ends && call_makes_request(process->calls[i].call))
            TRY(map_set(&turning->turned, process->calls[i].ref, 1, err));
    }
    return STATUS_OK;
}

/* Without the requests of messages that became operations. Drops the call if nothing is left. */
static enum status push_completion(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                                   size_t index, struct trace *made, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    uint32_t count, kept = 0;
    const uint32_t *ids = trace_call_completed(exchanges->trace, &item->call, &count);
    bool failed = call_kind(item->call.call) == CALL_REQUEST_TEST && !(item->call.flags & TRACE_FLAG);
    bool all = count > 0 && !turning->signals && !exchanges_call_stays(exchanges, turning->rank, index);
    if (!all) TRY(find_turned(turning, err));
    uint32_t *left = malloc(((size_t)count + 1) * sizeof *left);
    if (!left) return err_memory(err);
    for (uint32_t i = 0; i < count && !all; i++)
        if (!map_find(&turning->turned, ids[i])) left[kept++] = ids[i];
    bool lists = kept > 0 && kept < count && call_row(item->call.call)->needed & F_REQS;
    enum status status = lists ? trace_add_list(made, left, kept, &item->call.completion.list, err) : STATUS_OK;
    free(left);
    TRY(status);
    if ((count > 0 && kept == 0) || (failed && map_find(&turning->turned, item->call.completion.request)))
        timeline_defer(now, item);
    else
        TRY(timeline_push(now, *item, err));
    if (!turning->signals) return STATUS_OK;
    item->compute_ps = item->slept_ps = 0;
    item->call.exit_ps = item->call.enter_ps;
    item->index = TIMELINE_NEW;
    TRY(push_signal_waits(turning, now, item, index, err));
    return turning->exchanges.gets ? push_received(turning, now, item, index, err) : STATUS_OK;
}

/* The calls of a message whose data a put has: the receive, and a send that is not moved. */
static enum status push_empty(struct timeline_edit *now, struct timeline_item *item, bool sends, bool receives,
                              struct err *err)
{
    bool both = call_kind(item->call.call) == CALL_SENDRECV;
    if (sends && call_makes_request(item->call.call)) {
        timeline_defer(now, item);
        return STATUS_OK;
    }
    if (sends) item->extents.of[TRACE_SEND] = 0;
    if (receives) item->extents.of[TRACE_RECEIVE] = 0;
    if (sends || !both) item->call.bytes = 0;
    if (receives && both) item->call.exchange.recv_bytes = 0;
    return timeline_push(now, *item, err);
}

/* The message stays without data, and says that the receiver can get them. */
static enum status push_ready(struct turning *turning, struct timeline_edit *now, struct timeline_item *item, bool sends,
                              bool receives, struct err *err)
{
    const bool both = call_kind(item->call.call) == CALL_SENDRECV;
    const size_t index = item->index;
    if (sends) item->extents.of[TRACE_SEND] = 0;
    if (receives) item->extents.of[TRACE_RECEIVE] = 0;
    if (sends || (receives && !both)) item->call.bytes = 0;
    if (receives && both) item->call.exchange.recv_bytes = 0;
    TRY(timeline_push(now, *item, err));
    struct timeline_item behind = {.index = TIMELINE_NEW, .call = item->call};
    behind.call.enter_ps = item->call.exit_ps;
    return push_received(turning, now, &behind, index, err);
}

static enum status turn_call(struct turning *turning, struct timeline_edit *now, struct timeline_item *item,
                             struct trace *made, struct err *err)
{
    size_t index = item->index;
    const uint64_t place = (uint64_t)index * EXCHANGE_SLOTS;
    struct exchange_message *sends = exchanges_end(&turning->exchanges, turning->rank, index, 0),
                            *receives = exchanges_end(&turning->exchanges, turning->rank, index, 1);
    if (turning->flags && turning->exchanges.gets) return push_ready(turning, now, item, sends, receives, err);
    TRY(push_actions(turning, place + SLOT_CALL, now, item, made, err));
    if (sends && (turning->signals || !turning->exchanges.gets)) {
        struct trace_call call = item->call;
        TRY(push_put(turning, now, item, sends, err));
        if (turning->flags)
            ARRAY_PUSH(turning->unflushed, turning->unflushed_count, turning->unflushed_capacity, sends, err);
        if (turning->flags && call_makes_request(call.call))
            TRY(map_set(&turning->turned, call.message.request, 1, err));
        call.enter_ps = item->call.enter_ps;
        call.exit_ps = item->call.exit_ps;
        item->call = call;
    }
    TRY(push_actions(turning, place + SLOT_STAYS, now, item, made, err));
    if (turning->flags) {
        if (sends || receives) return push_empty(now, item, sends, receives, err);
        bool early = call_kind(item->call.call) == CALL_REQUEST_TEST && !(item->call.flags & TRACE_FLAG) &&
                     map_find(&turning->turned, item->call.completion.request);
        if (!early) return timeline_push(now, *item, err); /* a failed test of a send that comes later goes */
    } else if (!sends && !receives) {
        bool completes = call_arm(call_kind(item->call.call)) == ARM_COMPLETION;
        return completes ? push_completion(turning, now, item, index, made, err) : timeline_push(now, *item, err);
    } else if (turning->signals && receives && !call_makes_request(item->call.call)) {
        TRY(push_signal_wait(turning, now, item, receives, err));
        return turning->exchanges.gets ? push_received(turning, now, item, index, err) : STATUS_OK;
    }
    timeline_defer(now, item);
    return STATUS_OK;
}

/* ---- the window */

static enum status push_window(struct turning *turning, struct timeline_edit *now, bool create, uint32_t site,
                               struct err *err)
{
    struct timeline_item item = {.index = TIMELINE_NEW, .call = {.site = site}};
    const enum mpi_call calls[2] = {create           ? ID_Win_create
                                    : turning->flags ? ID_Win_unlock_all
                                                     : ID_none,
                                    !create          ? ID_Win_free
                                    : turning->flags ? ID_Win_lock_all
                                                     : ID_none};
    turning->created = create;
    for (int i = 0; i < 2; i++)
        if (calls[i] != ID_none) TRY(push_sync(turning, now, &item, calls[i], 0, err));
    return STATUS_OK;
}

static bool is_member(const struct turning *turning)
{
    const struct exchanges *exchanges = &turning->exchanges;
    return trace_comm_rank(&exchanges->trace->definitions.comms[exchanges->comm], (int32_t)turning->rank) != TRACE_NONE;
}

/* Behind MPI_Init, or the call that made the communicator. */
static bool creates_behind(const struct turning *turning, const struct trace_call *call)
{
    if (turning->exchanges.comm == 0) return call_kind(call->call) == CALL_INIT;
    return call_kind(call->call) == CALL_COMM_CREATE && call->comm.newcomm == (uint32_t)turning->exchanges.comm;
}

static enum status turn_rank(struct turning *turning, const struct timeline_edit *timeline, struct timeline_edit *now,
                             struct trace *made, struct err *err)
{
    const bool member = is_member(turning);
    struct timeline_item last = {.index = TIMELINE_NEW};
    bool init = turning->exchanges.comm != 0 || turning->signals;
    for (size_t i = 0; i < timeline->count && !init; i++) init = call_kind(timeline->items[i].call.call) == CALL_INIT;
    if (!init) TRY(push_window(turning, now, true, TRACE_NO_SITE, err));
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item item = timeline->items[i];
        uint32_t site = item.call.site;
        bool creates = member && !turning->signals && !turning->created && creates_behind(turning, &item.call);
        if (call_kind(item.call.call) == CALL_FINALIZE && turning->created) {
            TRY(push_actions(turning, (uint64_t)item.index * EXCHANGE_SLOTS + SLOT_STAYS, now, &item, made, err));
            timeline_defer(now, &item);
            if (turning->frees) TRY(push_window(turning, now, false, site, err));
        }
        TRY(turn_call(turning, now, &item, made, err));
        if (creates) TRY(push_window(turning, now, true, site, err));
    }
    TRY(push_actions(turning, EXCHANGE_NOWHERE, now, &last, made, err));
    return turning->created && turning->frees ? push_window(turning, now, false, TRACE_NO_SITE, err) : STATUS_OK;
}

static enum status add_window(struct turning *turning, struct trace *made, struct err *err)
{
    const struct trace_comm *comm = &made->definitions.comms[turning->exchanges.comm];
    if (turning->signals) return timeline_use_heap(made, &turning->window, err);
    int64_t *bytes = malloc(((size_t)comm->count + 1) * sizeof *bytes);
    int32_t *units = malloc(((size_t)comm->count + 1) * sizeof *units);
    enum status status = bytes && units ? STATUS_OK : err_memory(err);
    for (uint32_t m = 0; status == STATUS_OK && m < comm->count; m++) {
        bytes[m] = turning->window_bytes[comm->members[m]];
        units[m] = 1;
    }
    if (status == STATUS_OK)
        status = trace_add_window(made, turning->exchanges.comm, bytes, units, 'c', &turning->window, err);
    FREE_ALL(bytes, units);
    return status;
}

static enum status change_timeline(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                   struct err *err)
{
    struct turning *turning = context;
    struct timeline_edit now = {.tail_ps = 0};
    if (timeline->thread > 0) return STATUS_OK;
    TRY(array_reserve((void **)&now.items, &now.capacity, timeline->count + timeline->count / 2 + 16, sizeof *now.items, err));
    if (turning->window == TRACE_NONE) TRY(add_window(turning, made, err));
    turning->rank = rank;
    turning->created = false;
    turning->unflushed_count = 0;
    turning->mapped = false;
    map_empty(&turning->turned);
    map_empty(&turning->waited);
    map_empty(&turning->flushed);
    return timeline_replace(timeline, &now, turn_rank(turning, timeline, &now, made, err));
}

/* ---- the forms */

static enum status say_turned(const struct turning *turning, struct err *err)
{
    const struct exchanges *exchanges = &turning->exchanges;
    const struct transform_report *report = exchanges->report;
    int64_t most = 0;
    char how[160];
    for (uint32_t r = 0; r < exchanges->trace->rank_count; r++)
        if (turning->window_bytes[r] > most) most = turning->window_bytes[r];
    if (turning->signals)
        snprintf(how, sizeof how, "%s a signal, at up to %" PRId64 " place%s of a rank",
                 exchanges->gets ? "behind" : "with", most / SIGNAL_BYTES, units_plural((uint64_t)(most / SIGNAL_BYTES)));
    else
        snprintf(how, sizeof how, "on a window of up to %" PRId64 " bytes; %zu exchange%s, %" PRIu64 " %s%s", most,
                 exchanges->exchange_count, units_plural(exchanges->exchange_count), turning->epochs,
                 turning->flags ? "flushed group" : "access epoch", units_plural(turning->epochs));
    char first[80] = "";
    if (turning->collectives > 0)
        snprintf(first, sizeof first, "%" PRIu64 " neighbourhood collective%s became messages; ", turning->collectives,
                 units_plural(turning->collectives));
    return transform_say(turning->exchanges.report, err, "%s%" PRIu64 " of %" PRIu64 " messages became %s %s%s", first,
                         report->changed, report->considered, exchanges->gets ? "gets" : "puts", how,
                         report->changed > 0 ? "; a wildcard receive is for the message that it got" : "");
}

static enum status turn_messages(struct turning *turning, struct trace **made, struct err *err)
{
    const struct trace *trace = turning->exchanges.trace;
    size_t turned = 0;
    for (size_t i = 0; i < turning->exchanges.count; i++) turned += !turning->exchanges.messages[i].stays;
    turning->frees = true;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        size_t count = trace->ranks[r].count;
        bool breaks = trace->ranks[r].incomplete || (count > 0 && trace->ranks[r].calls[count - 1].flags & TRACE_BREAK);
        turning->frees = turning->frees && !breaks;
    }
    TRY(find_displacements(turning, err));
    if (turning->signals) TRY(find_places(turning, err));
    TRY(find_peers(turning, err));
    if (turning->exchanges.gets) TRY(find_gets(turning, err));
    if (turned > 0) TRY(timeline_each(trace, change_timeline, turning, made, err));
    return say_turned(turning, err);
}

static enum status apply_to_messages(enum exchange_order order, bool gets, const struct trace *trace, uint64_t collectives,
                                     struct trace **made, struct transform_report *report, struct err *err)
{
    struct turning turning = {.window = TRACE_NONE, .collectives = collectives};
    turning.flags = order == EXCHANGE_FLUSHED;
    turning.signals = order == EXCHANGE_NOTIFIED;
    if (turning.signals) turning.window = timeline_heap(trace);
    turning.first_place = timeline_free_place(trace);
    TRY(exchanges_find(trace, order, gets, report, &turning.exchanges, err));
    enum status status = turn_messages(&turning, made, err);
    exchanges_clear(&turning.exchanges);
    FREE_ALL(turning.displacements, turning.window_bytes, turning.numbers, turning.first_peer, turning.peers);
    FREE_ALL(turning.unflushed, turning.chain, turning.first_get, turning.next_get);
    map_clear(&turning.turned);
    map_clear(&turning.waited);
    map_clear(&turning.flushed);
    return status;
}

static enum status apply_form(enum exchange_order order, bool gets, const struct trace *trace, struct trace **made,
                              struct transform_report *report, struct err *err)
{
    struct trace *messages;
    uint64_t collectives;
    TRY(neighbours_as_messages(trace, report, &messages, &collectives, err));
    enum status status =
        apply_to_messages(order, gets, messages ? messages : trace, collectives, made, report, err);
    trace_free(messages);
    return status;
}

#define P2P_FORM(NAME, FORM, ORDER, GETS, SUMMARY)                                                                     \
    static enum status apply_##NAME(const struct trace *trace, const char *argument, struct trace **made,              \
                                    struct transform_report *report, struct err *err)                                  \
    {                                                                                                                  \
        (void)argument;                                                                                                \
        return apply_form(ORDER, GETS, trace, made, report, err);                                                      \
    }                                                                                                                  \
    const struct transform transform_p2p_##NAME = {.name = "p2p=" FORM, .summary = SUMMARY, .apply = apply_##NAME}

P2P_FORM(pscw, "pscw", EXCHANGE_BY_GROUPS, false, "messages become puts between post, start, complete and wait");
P2P_FORM(fence, "fence", EXCHANGE_BY_FENCES, false, "messages become puts between two fences of all ranks");
P2P_FORM(flush, "flush", EXCHANGE_FLUSHED, false,
         "messages become puts under one MPI_Win_lock_all, a flush, and a message without data");
P2P_FORM(notify, "notify", EXCHANGE_NOTIFIED, false, "messages become puts with a signal, for which the receiver waits");
P2P_FORM(get_pscw, "get-pscw", EXCHANGE_BY_GROUPS, true, "messages become gets of the receiver, for which the sender posts");
P2P_FORM(get_fence, "get-fence", EXCHANGE_BY_FENCES, true, "messages become gets between two fences of all ranks");
P2P_FORM(get_flush, "get-flush", EXCHANGE_FLUSHED, true,
         "messages lose their data, which the receiver then gets under one MPI_Win_lock_all, and flushes");
P2P_FORM(get_notify, "get-notify", EXCHANGE_NOTIFIED, true, "messages become signals, behind which the receiver gets the data");
