#include "model/result/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The sentence of each sort of notes; for more than NOTES_PER_SORT, "and N more: ..." is used. */
static const char *const sorts[NOTE_SORT_COUNT] = {
    [NOTE_BROKEN_OFF] = "ranks whose recording breaks off",
    [NOTE_OPEN_ACCESS] = "the access epoch has no end",
    [NOTE_OPEN_EXPOSURE] = "the exposure epoch has no end",
    [NOTE_NO_POST] = "a target of the group never posts for this epoch",
    [NOTE_NO_START] = "an origin of the group never starts an epoch for this post",
    [NOTE_UNFINISHED] = "not all members finish this collective call",
    [NOTE_FENCE] = "fences whose assertions differ between members",
    [NOTE_READY_SEND] = "ready sends that begin before their receive",
    [NOTE_UNRECEIVED] = "sends are not received in the trace",
    [NOTE_UNSENT] = "receives have no send in the trace",
};

void notes_clear(struct notes *notes)
{
    for (int s = 0; s < NOTE_SORT_COUNT; s++)
        for (size_t i = 0; i < notes->lists[s].kept; i++) free(notes->lists[s].items[i].text);
    memset(notes, 0, sizeof *notes);
}

static bool is_before(const struct note *one, const struct note *other)
{
    return one->rank != other->rank ? one->rank < other->rank : one->event < other->event;
}

/* Counts a note, and keeps the first ones by rank and event. Sorts that are found while slices are read come in another order;
 * all others come in this one. */
__attribute__((format(printf, 5, 6))) static enum status add_note(struct notes *notes, enum note_sort sort, struct note made,
                                                                  struct err *err, const char *format, ...)
{
    struct note_list *list = &notes->lists[sort];
    const bool sorted = sort == NOTE_FENCE || sort == NOTE_READY_SEND;
    if (list->count++ >= NOTES_PER_SORT && !sorted) return STATUS_OK;
    va_list arguments;
    va_start(arguments, format);
    const int printed = vasprintf(&made.text, format, arguments);
    va_end(arguments);
    if (printed < 0) return err_memory(err);
    size_t at = list->kept++;
    for (; sorted && at > 0 && is_before(&made, &list->items[at - 1]); at--) list->items[at] = list->items[at - 1];
    list->items[at] = made;
    if (list->kept > NOTES_PER_SORT) free(list->items[--list->kept].text);
    return STATUS_OK;
}

/* "rank 3, event 17 (MPI_Win_start): <what>" */
static enum status note_call(struct notes *notes, enum note_sort sort, const struct trace *trace, uint32_t rank,
                             size_t call, struct err *err)
{
    char place[TRACE_PLACE_BYTES];
    return add_note(notes, sort, (struct note){.rank = rank, .event = trace_event(trace, rank, call)}, err, "%s: %s",
                    trace_place(trace, rank, call, place), sorts[sort]);
}

/* " at halo.c:40", or nothing if the call site is unknown. */
static const char *site_text(const struct trace *trace, const struct trace_call *call, char text[TRACE_PLACE_BYTES])
{
    const struct trace_site *site = &trace->definitions.sites[call->site];
    text[0] = '\0';
    if (site->file) snprintf(text, TRACE_PLACE_BYTES, " at %s:%" PRId32, site->file, site->line);
    return text;
}

static enum status note_ranks(struct notes *notes, const struct trace *trace, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        if (rank->incomplete)
            TRY(add_note(notes, NOTE_BROKEN_OFF, (struct note){.rank = r}, err, "rank %" PRIu32 ": the recording breaks off%s%s",
                         r, rank->incomplete_why ? ": " : "", rank->incomplete_why ? rank->incomplete_why : ""));
    }
    return STATUS_OK;
}

static enum status note_epochs(struct notes *notes, const struct relations *relations, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    const struct trace *trace = relations->trace;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!epoch_closed(trace, epoch->rank, epoch->close_call))
            TRY(note_call(notes, NOTE_OPEN_ACCESS, trace, epoch->rank, epoch->open_call, err));
    }
    for (size_t e = 0; e < epochs->exposure_count; e++) {
        const struct exposure_epoch *epoch = &epochs->exposures[e];
        if (!epoch_closed(trace, epoch->rank, epoch->close_call))
            TRY(note_call(notes, NOTE_OPEN_EXPOSURE, trace, epoch->rank, epoch->post_call, err));
    }
    for (size_t p = 0; p < epochs->pair_count; p++) {
        const struct access_epoch *epoch = &epochs->accesses[epochs->pairs[p].access];
        if (epochs->pairs[p].exposure == EPOCH_NONE)
            TRY(note_call(notes, NOTE_NO_POST, trace, epoch->rank, epoch->open_call, err));
    }
    for (size_t l = 0; l < epochs->link_count; l++) {
        const struct exposure_epoch *epoch = &epochs->exposures[epochs->links[l].exposure];
        if (epochs->links[l].pair == EPOCH_NONE)
            TRY(note_call(notes, NOTE_NO_START, trace, epoch->rank, epoch->post_call, err));
    }
    return STATUS_OK;
}

/* Notes unfinished instances, with the first member that calls them. */
static enum status note_instances(struct notes *notes, const struct relations *relations, struct err *err)
{
    const struct trace *trace = relations->trace;
    for (size_t i = 0; i < relations->instances.count; i++) {
        const struct instance *instance = &relations->instances.items[i];
        const struct trace_comm *comm = instance_comm(trace, instance);
        const size_t *calls = &relations->instances.calls[instance->member_first];
        uint32_t first = UINT32_MAX;
        uint32_t absent = UINT32_MAX; /* the first member that does not call, or does not return */
        if (instance_complete(instance)) continue;
        for (uint32_t m = 0; m < instance->size; m++) {
            const struct trace_call *call = instance_call(trace, &relations->instances, instance, m);
            if (absent == UINT32_MAX && (!call || call->flags & TRACE_BREAK)) absent = m;
            if (!call) continue;
            if (first == UINT32_MAX) first = m;
        }
        char place[TRACE_PLACE_BYTES];
        const struct note made = {.rank = (uint32_t)comm->members[first]};
        TRY(add_note(notes, NOTE_UNFINISHED, made, err, "%s: %s, rank %" PRId32 " does not",
                     trace_place(trace, made.rank, calls[first], place), sorts[NOTE_UNFINISHED], comm->members[absent]));
    }
    return STATUS_OK;
}

static enum status note_ready_send(struct notes *notes, const struct relations *relations,
                                   const struct message *message, struct err *err)
{
    const struct trace *trace = relations->trace;
    const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
    const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
    char begin[TRACE_PLACE_BYTES], end[TRACE_PLACE_BYTES], own[TRACE_PLACE_BYTES], other[TRACE_PLACE_BYTES];
    const struct note made = {.rank = message->receiver,
                              .event = trace_event(trace, message->receiver, message->receive_call)};
    return add_note(notes, NOTE_READY_SEND, made, err,
                    "%s: error in the program: this ready send%s begins before its receive %s%s",
                    trace_place(trace, message->sender, message->send_call, begin), site_text(trace, send, own),
                    trace_place(trace, message->receiver, message->receive_call, end), site_text(trace, receive, other));
}

/* The first member that asserts something else than member 0; 0: none does. */
static uint32_t find_differing(const struct relations *relations, const struct instance *instance)
{
    const struct instances *instances = &relations->instances;
    const char *first = trace_fence_ends(instance_call(relations->trace, instances, instance, 0)->flags);
    for (uint32_t m = 1; m < instance->size; m++)
        if (trace_fence_ends(instance_call(relations->trace, instances, instance, m)->flags) != first) return m;
    return 0;
}

/* MPI-3.1 11.5.5: all members of the window's group must assert NOPRECEDE and NOSUCCEED alike. */
static enum status note_fence(struct notes *notes, const struct relations *relations, const struct instance *instance,
                              struct err *err)
{
    const struct trace *trace = relations->trace;
    uint32_t differs = find_differing(relations, instance);
    if (differs == 0) return STATUS_OK;
    const struct trace_comm *comm = instance_comm(trace, instance);
    const size_t *calls = &relations->instances.calls[instance->member_first];
    uint32_t rank = (uint32_t)comm->members[differs], first = (uint32_t)comm->members[0];
    if (!slice_state_counts(relations->state, rank, calls[differs])) return STATUS_OK;
    char place[TRACE_PLACE_BYTES], its[TRACE_PLACE_BYTES];
    const struct note made = {.rank = rank, .event = trace_event(trace, rank, calls[differs])};
    return add_note(notes, NOTE_FENCE, made, err,
                    "%s asserts %s where %s asserts %s, expected the same on all ranks (MPI-3.1 11.5.5)",
                    trace_place(trace, rank, calls[differs], place),
                    trace_fence_ends(trace->ranks[rank].calls[calls[differs]].flags), trace_place(trace, first, calls[0], its),
                    trace_fence_ends(trace->ranks[first].calls[calls[0]].flags));
}

/* MPI-3.1 3.4: a ready send may be started only if the matching receive is already posted. */
enum status notes_add(struct notes *notes, const struct relations *relations, struct err *err)
{
    for (size_t i = 0; i < relations->instances.count; i++) {
        const struct instance *instance = &relations->instances.items[i];
        if (instance->kind == CALL_FENCE && instance_complete(instance)) TRY(note_fence(notes, relations, instance, err));
    }
    const struct messages *messages = &relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        if ((send->call != ID_Rsend && send->call != ID_Irsend) || receive->enter_ps <= send->enter_ps) continue;
        if (slice_state_counts(relations->state, message->receiver, message->receive_call))
            TRY(note_ready_send(notes, relations, message, err));
    }
    return STATUS_OK;
}

static enum status note_unmatched(struct notes *notes, enum note_sort sort, const struct trace *trace,
                                  const struct unmatched *unmatched, struct err *err)
{
    if (unmatched->count == 0) return STATUS_OK;
    const struct trace_call *call = &trace->ranks[unmatched->rank].calls[unmatched->call];
    bool source = sort == NOTE_UNSENT && call_kind(call->call) == CALL_SENDRECV;
    char place[TRACE_PLACE_BYTES];
    TRY(add_note(notes, sort, (struct note){.rank = unmatched->rank}, err, "%s %s rank %d (tag %d)",
                 trace_place(trace, unmatched->rank, unmatched->call, place), sort == NOTE_UNSENT ? "from" : "to",
                 source ? call->exchange.source : call->peer, source ? call->exchange.recv_tag : call->message.tag));
    notes->lists[sort].count += unmatched->count - 1;
    return STATUS_OK;
}

enum status notes_end(struct notes *notes, const struct relations *relations, struct err *err)
{
    const struct messages *messages = &relations->messages;
    TRY(note_ranks(notes, relations->trace, err));
    TRY(note_epochs(notes, relations, err));
    TRY(note_instances(notes, relations, err));
    TRY(note_unmatched(notes, NOTE_UNRECEIVED, relations->trace, &messages->unmatched_sends, err));
    return note_unmatched(notes, NOTE_UNSENT, relations->trace, &messages->unmatched_receives, err);
}

static enum status report_list(const struct note_list *list, const char *what, struct result *result, struct err *err)
{
    for (size_t i = 0; i < list->kept; i++) TRY(result_add_note(result, err, "%s", list->items[i].text));
    if (list->count <= NOTES_PER_SORT) return STATUS_OK;
    return result_add_note(result, err, "and %" PRIu64 " more: %s", list->count - NOTES_PER_SORT, what);
}

enum status notes_report(const struct notes *notes, const struct trace *trace, struct result *result, struct err *err)
{
    for (size_t i = 0; i < trace->provenance.note_count; i++)
        TRY(result_add_note(result, err, "%s", trace->provenance.notes[i]));
    for (int s = 0; s <= NOTE_READY_SEND; s++) TRY(report_list(&notes->lists[s], sorts[s], result, err));
    for (int s = NOTE_UNRECEIVED; s < NOTE_SORT_COUNT; s++) {
        const struct note_list *list = &notes->lists[s];
        if (list->count > 0)
            TRY(result_add_note(result, err, "%" PRIu64 " %s, first %s", list->count, sorts[s], list->items[0].text));
    }
    return STATUS_OK;
}
