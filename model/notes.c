#include "model/notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sort { /* of notes */
    const struct relations *relations;
    struct result *result;
    struct err *err;
    size_t count;
};

/* "rank 3, event 17 (MPI_Win_start): <what>" */
static enum status note_call(struct sort *sort, uint32_t rank, size_t call, const char *what)
{
    char place[TRACE_PLACE_BYTES];
    if (sort->count++ >= NOTES_PER_SORT) return STATUS_OK;
    return result_add_note(sort->result, sort->err, "%s: %s", trace_place(sort->relations->trace, rank, call, place),
                           what);
}

static enum status end_sort(struct sort *sort, const char *what)
{
    size_t more = sort->count > NOTES_PER_SORT ? sort->count - NOTES_PER_SORT : 0;
    sort->count = 0;
    return more == 0 ? STATUS_OK : result_add_note(sort->result, sort->err, "and %zu more: %s", more, what);
}

/* " at halo.c:40", or nothing if the call site is unknown. */
static const char *site_text(const struct trace *trace, const struct trace_call *call, char text[TRACE_PLACE_BYTES])
{
    const struct trace_site *site = &trace->sites[call->site];
    text[0] = '\0';
    if (site->file) snprintf(text, TRACE_PLACE_BYTES, " at %s:%" PRId32, site->file, site->line);
    return text;
}

static enum status note_ranks(struct sort *sort)
{
    const struct trace *trace = sort->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        if (!rank->incomplete || sort->count++ >= NOTES_PER_SORT) continue;
        TRY(result_add_note(sort->result, sort->err, "rank %" PRIu32 ": the recording breaks off%s%s", r,
                            rank->incomplete_why ? ": " : "", rank->incomplete_why ? rank->incomplete_why : ""));
    }
    return end_sort(sort, "ranks whose recording breaks off");
}

static enum status note_open_epochs(struct sort *sort)
{
    const struct epochs *epochs = &sort->relations->epochs;
    const struct trace *trace = sort->relations->trace;
    const char *access = "the access epoch has no end", *exposure = "the exposure epoch has no end";
    for (size_t a = 0; a < epochs->access_count; a++)
        if (!epoch_closed(trace, epochs->accesses[a].rank, epochs->accesses[a].close_call))
            TRY(note_call(sort, epochs->accesses[a].rank, epochs->accesses[a].open_call, access));
    TRY(end_sort(sort, access));
    for (size_t e = 0; e < epochs->exposure_count; e++)
        if (!epoch_closed(trace, epochs->exposures[e].rank, epochs->exposures[e].close_call))
            TRY(note_call(sort, epochs->exposures[e].rank, epochs->exposures[e].post_call, exposure));
    return end_sort(sort, exposure);
}

static enum status note_lonely_epochs(struct sort *sort)
{
    const struct epochs *epochs = &sort->relations->epochs;
    const char *no_post = "a target of the group never posts for this epoch";
    const char *no_start = "an origin of the group never starts an epoch for this post";
    for (size_t p = 0; p < epochs->pair_count; p++) {
        const struct access_epoch *epoch = &epochs->accesses[epochs->pairs[p].access];
        if (epochs->pairs[p].exposure == EPOCH_NONE) TRY(note_call(sort, epoch->rank, epoch->open_call, no_post));
    }
    TRY(end_sort(sort, no_post));
    for (size_t l = 0; l < epochs->link_count; l++) {
        const struct exposure_epoch *epoch = &epochs->exposures[epochs->links[l].exposure];
        if (epochs->links[l].pair == EPOCH_NONE) TRY(note_call(sort, epoch->rank, epoch->post_call, no_start));
    }
    return end_sort(sort, no_start);
}

static enum status note_instances(struct sort *sort)
{
    const struct relations *relations = sort->relations;
    const char *what = "not all members finish this collective call";
    for (size_t i = 0; i < relations->instances.count; i++) {
        const struct instance *instance = &relations->instances.items[i];
        const struct trace_comm *comm = instance_comm(relations->trace, instance);
        if (instance_complete(instance)) continue;
        uint32_t member = 0;
        while (relations->instances.calls[instance->member_first + member] == INSTANCE_NONE) member++;
        TRY(note_call(sort, (uint32_t)comm->members[member],
                      relations->instances.calls[instance->member_first + member], what));
    }
    return end_sort(sort, what);
}

void notes_clear(struct notes *notes)
{
    for (size_t i = 0; i < notes->kept; i++) free(notes->items[i].text);
    memset(notes, 0, sizeof *notes);
}

static bool is_before(const struct early_ready_send *one, const struct early_ready_send *other)
{
    return one->receiver != other->receiver ? one->receiver < other->receiver : one->event < other->event;
}

/* Keeps the first ones. */
static void keep_first(struct notes *notes, struct early_ready_send made)
{
    size_t at = notes->kept++;
    for (; at > 0 && is_before(&made, &notes->items[at - 1]); at--) notes->items[at] = notes->items[at - 1];
    notes->items[at] = made;
    notes->count++;
    if (notes->kept > NOTES_PER_SORT) free(notes->items[--notes->kept].text);
}

static enum status note_ready_send(struct notes *notes, const struct relations *relations,
                                   const struct message *message, struct err *err)
{
    const struct trace *trace = relations->trace;
    const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
    const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
    char begin[TRACE_PLACE_BYTES], end[TRACE_PLACE_BYTES], own[TRACE_PLACE_BYTES], other[TRACE_PLACE_BYTES];
    struct early_ready_send made = {.receiver = message->receiver,
                                    .event = trace_event(trace, message->receiver, message->receive_call)};
    if (asprintf(&made.text, "%s: error in the program: this ready send%s begins before its receive %s%s",
                 trace_place(trace, message->sender, message->send_call, begin), site_text(trace, send, own),
                 trace_place(trace, message->receiver, message->receive_call, end),
                 site_text(trace, receive, other)) < 0)
        return err_memory(err);
    keep_first(notes, made);
    return STATUS_OK;
}

/* MPI-3.1 3.4: a ready send may be started only if the matching receive is already posted. */
enum status notes_add(struct notes *notes, const struct relations *relations, struct err *err)
{
    const struct messages *messages = &relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        if ((send->call != ID_Rsend && send->call != ID_Irsend) || receive->enter_ps <= send->enter_ps) continue;
        if (settlement_counts(relations->settlement, message->receiver, message->receive_call))
            TRY(note_ready_send(notes, relations, message, err));
    }
    return STATUS_OK;
}

static enum status note_ready_sends(struct sort *sort, const struct notes *notes)
{
    for (size_t i = 0; i < notes->kept; i++) TRY(result_add_note(sort->result, sort->err, "%s", notes->items[i].text));
    sort->count = notes->count;
    return end_sort(sort, "ready sends that begin before their receive");
}

static enum status note_unmatched(struct sort *sort, const struct unmatched *unmatched, const char *what,
                                  const char *direction)
{
    if (unmatched->count == 0) return STATUS_OK;
    const struct trace_call *call = relations_call(sort->relations, unmatched->rank, unmatched->call);
    bool source = *direction == 'f' && call_kind(call->call) == CALL_SENDRECV;
    char place[TRACE_PLACE_BYTES];
    return result_add_note(sort->result, sort->err, "%" PRIu64 " %s, first %s %s rank %d (tag %d)", unmatched->count,
                           what, trace_place(sort->relations->trace, unmatched->rank, unmatched->call, place),
                           direction, source ? trace_call_source(call) : call->peer,
                           source ? trace_call_recv_tag(call) : call->tag);
}

enum status notes_report(const struct notes *notes, const struct relations *relations, struct result *result,
                         struct err *err)
{
    struct sort sort = {.relations = relations, .result = result, .err = err};
    const struct messages *messages = &relations->messages;
    for (size_t i = 0; i < relations->trace->note_count; i++)
        TRY(result_add_note(result, err, "%s", relations->trace->notes[i]));
    TRY(note_ranks(&sort));
    TRY(note_open_epochs(&sort));
    TRY(note_lonely_epochs(&sort));
    TRY(note_instances(&sort));
    TRY(note_ready_sends(&sort, notes));
    TRY(note_unmatched(&sort, &messages->unmatched_sends, "sends are not received in the trace", "to"));
    return note_unmatched(&sort, &messages->unmatched_receives, "receives have no send in the trace", "from");
}
