/* From the regions of one location to calls: what opens one, what closes it, and what is taken where records are
 * missing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "trace/faults.h"
#include "trace/limits.h"
#include "trace/otf2/read.h"

/* A time beyond the range stays beyond it; trace_check() finds it. */
static int64_t ps_of_stamp(const struct archive_reader *reader, uint64_t time)
{
    uint64_t resolution = reader->definitions.resolution;
    bool before = time < reader->zero;
    unsigned __int128 ps = before ? reader->zero - time : time - reader->zero;
    if (resolution != ARCHIVE_TICKS_PER_S) ps = ps * ARCHIVE_TICKS_PER_S / resolution;
    int64_t bounded_ps = ps > (uint64_t)TRACE_TIME_MAX_PS ? TRACE_TIME_MAX_PS + 1 : (int64_t)ps;
    return before ? -bounded_ps : bounded_ps;
}

static int64_t time_after(int64_t enter_ps, int64_t ticks)
{
    return (int64_t)((uint64_t)enter_ps + (uint64_t)ticks);
}

static enum status take_string(struct archive_reader *reader, enum archive_attribute id, uint32_t reference,
                               struct trace_call *call)
{
    const struct archive_definitions *definitions = &reader->definitions;
    if (id == ATTRIBUTE_OP) call->rma.op = trace_op_by_name(archive_string(reader, reference));
    if (id == ATTRIBUTE_SITE && reference >= definitions->first_site &&
        reference - definitions->first_site < definitions->site_count)
        call->site = definitions->sites[reference - definitions->first_site];
    bool counts =
        reference >= definitions->first_counts && reference - definitions->first_counts < definitions->counts_count;
    if (id == ATTRIBUTE_COUNTS && counts)
        call->collective.counts = definitions->counts[reference - definitions->first_counts];
    if (id == ATTRIBUTE_NEIGHBORS && counts)
        call->collective.neighbors = (int32_t)definitions->counts[reference - definitions->first_counts];
    return STATUS_OK;
}

static enum status take_one(struct archive_reader *reader, enum archive_attribute id, OTF2_AttributeValue value,
                            struct trace_call *call)
{
    struct archive_cursor *cursor = &reader->cursor;
    switch (id) {
    case ATTRIBUTE_ASSERT: call->flags |= value.uint16 & TRACE_ASSERTIONS; break;
    case ATTRIBUTE_TARGET_DISP: call->rma.disp = (int64_t)value.uint64; break;
    case ATTRIBUTE_OP:
    case ATTRIBUTE_COUNTS:
    case ATTRIBUTE_NEIGHBORS:
    case ATTRIBUTE_SITE: return take_string(reader, id, value.stringRef, call);
    case ATTRIBUTE_WIN_SIZE:
        cursor->has_size = true;
        cursor->win_bytes = (int64_t)value.uint64;
        break;
    case ATTRIBUTE_DISP_UNIT:
        cursor->has_unit = true;
        cursor->disp_unit = value.int32;
        break;
    case ATTRIBUTE_FLAVOR: cursor->flavor = (char)value.uint8; break;
    case ATTRIBUTE_XFER_START: cursor->sim.xfer_start_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_XFER_END: cursor->sim.xfer_end_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_BASE_END: cursor->sim.base_end_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_EXTENDED_END: cursor->sim.extended_end_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_XFER_LEAST: cursor->sim.xfer_least_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_BLOCKED: cursor->sim.blocked_ps = value.int64; break;
    case ATTRIBUTE_PROGRESS_FROM: cursor->sim.progress_from_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_PROGRESS_UNTIL: cursor->sim.progress_until_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_AWAITED_POST: cursor->sim.awaited_post_ps = time_after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_RELEASED: cursor->sim.released_ps = time_after(call->enter_ps, value.int64); break;
#define BEFORE(ID, KEY, ATTRIBUTE, DESCRIPTION) case ATTRIBUTE_##ID:
#include "trace/before.def"
#undef BEFORE
        cursor->before_ps[id - ATTRIBUTE_CPU] = value.int64;
        break;
    case ATTRIBUTE_BREAK: call->flags |= TRACE_BREAK; break;
    case ATTRIBUTE_DURATION: call->exit_ps = time_after(call->enter_ps, (int64_t)value.uint64); break;
    case ATTRIBUTE_WIN: return archive_win_id(reader, value.rmaWinRef, &call->handle);
    case ATTRIBUTE_COMM: return archive_comm_id(reader, value.commRef, &call->handle);
    case ATTRIBUTE_PEER: call->peer = value.int32; break;
    case ATTRIBUTE_TAG: call->message.tag = value.int32; break;
    case ATTRIBUTE_BYTES: call->bytes = (int64_t)value.uint64; break;
    case ATTRIBUTE_RESULT_BYTES: call->any.second = (int64_t)value.uint64; break;
    case ATTRIBUTE_SOURCE: call->exchange.source = value.int32; break;
    case ATTRIBUTE_RECV_TAG: call->exchange.recv_tag = value.int32; break;
    case ATTRIBUTE_REF:
    case ATTRIBUTE_CHILD:
    case ATTRIBUTE_OBJECT: call->ref = value.uint32; break;
    case ATTRIBUTE_MUTEX:
    case ATTRIBUTE_PARTIES: call->primitive.parties = (int64_t)value.uint64; break;
    case ATTRIBUTE_VALUE: call->primitive.value = (int64_t)value.uint64; break;
    case ATTRIBUTE_ORIGIN_EXTENT:
    case ATTRIBUTE_TARGET_EXTENT:
    case ATTRIBUTE_RESULT_EXTENT:
        cursor->extents.of[id - ATTRIBUTE_ORIGIN_EXTENT] = (int64_t)value.uint64;
        call->flags |= TRACE_GAPS;
        break;
    case ATTRIBUTE_ORDER: cursor->order = value.uint32; break;
    case ATTRIBUTE_FLAGS:
        cursor->has_flags = true;
        cursor->flags = value.uint16;
        break;
    case ATTRIBUTE_RMA_ID: /* of records that are not calls */
    case ATTRIBUTE_COUNT: break;
    }
    return STATUS_OK;
}

enum status archive_take_attributes(struct archive_reader *reader, OTF2_AttributeList *list, struct trace_call *call)
{
    if (!reader->ours) return STATUS_OK;
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef reference;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &reference, &type, &value) != OTF2_SUCCESS) continue;
        size_t place = archive_place(&reader->definitions, &reader->definitions.attributes.far, reference);
        uint8_t known = place < reader->definitions.attributes.count ? reader->definitions.attributes.items[place] : 0;
        if (known && type == archive_attribute_rows[known - 1].type) TRY(take_one(reader, known - 1, value, call));
    }
    if (count > 0) trace_call_clear_others(call);
    return STATUS_OK;
}

static struct trace_call new_call(int64_t time_ps, uint32_t call)
{
    return (struct trace_call){.enter_ps = time_ps,
                               .exit_ps = time_ps,
                               .any = {.first = -1,
                                       .third = call_row(call)->allowed & F_NEIGHBORS ? TRACE_NONE : 0,
                                       .ref = TRACE_NO_REF},
                               .handle = TRACE_NONE,
                               .peer = TRACE_NONE,
                               .call = (uint16_t)call};
}

static enum status check_extents(struct archive_reader *reader, const struct trace_call *call)
{
    const struct archive_cursor *cursor = &reader->cursor;
    if (trace_extents_fit(call_kind(call->call), &cursor->extents)) return STATUS_OK;
    const int64_t *of = cursor->extents.of;
    return trace_fail(reader->err, reader->trace, cursor->rank, cursor->calls->count, call,
                      "RMA::OriginExtent, TargetExtent, ResultExtent are %" PRIu64 ", %" PRIu64 ", %" PRIu64
                      ", expected extents of buffers that the call has",
                      (uint64_t)of[TRACE_ORIGIN], (uint64_t)of[TRACE_TARGET], (uint64_t)of[TRACE_RESULT]);
}

/* Slices keep the sums, and the times inside calls, so the times are checked here. Before a rank's first call any sleep may be:
 * the trace's begin is not known yet. */
static enum status append_before(struct archive_reader *reader, const struct trace_call *call)
{
    const struct archive_cursor *cursor = &reader->cursor;
    int64_t since_ps = cursor->left_ps == TRACE_UNKNOWN_PS ? TRACE_TIME_MAX_PS
                                                            : (int64_t)((uint64_t)call->enter_ps - (uint64_t)cursor->left_ps);
    if (reader->in_slices)
        TRY(trace_check_before(reader->trace, cursor->rank, cursor->calls->count - 1, call, cursor->before_ps, since_ps,
                               reader->err));
    for (int b = 0; b < BEFORE_COUNT; b++) {
        int64_t ps = cursor->before_ps[b];
        if (ps == TRACE_UNKNOWN_PS) continue;
        if (reader->in_slices && !reader->adds_before && b != BEFORE_CORE_WAIT_INSIDE)
            trace_sum_before(reader->trace, cursor->rank, (enum trace_before)b, ps);
        else
            TRY(trace_set_before(reader->trace, cursor->rank, cursor->calls->count - 1, (enum trace_before)b, ps,
                                 reader->err));
    }
    return STATUS_OK;
}

/* A broken archive may have attributes that calls of this kind lack. */
static enum status append_call(struct archive_reader *reader, struct trace_call *call)
{
    struct archive_cursor *cursor = &reader->cursor;
    trace_call_clear_others(call);
    if (call->flags & TRACE_GAPS) TRY(check_extents(reader, call));
    TRY(trace_add_thread_call(reader->trace, cursor->rank, cursor->thread, call, reader->err));
    if (cursor->several)
        ARRAY_PUSH(cursor->orders, cursor->order_count, cursor->order_capacity, cursor->order, reader->err);
    if (cursor->calls->sim) cursor->calls->sim[cursor->calls->count - 1] = cursor->sim;
    cursor->last_ps = call->exit_ps;
    TRY(append_before(reader, call));
    cursor->left_ps = call->exit_ps;
    if (!(call->flags & TRACE_GAPS)) return STATUS_OK;
    return trace_set_extents(reader->trace, cursor->rank, cursor->calls->count - 1, &cursor->extents, reader->err);
}

/* Forgets what was said of the call before. */
static void reset_call(struct archive_cursor *cursor)
{
    cursor->sim = trace_sim_unknown;
    for (int b = 0; b < BEFORE_COUNT; b++) cursor->before_ps[b] = TRACE_UNKNOWN_PS;
    cursor->extents = (struct trace_extents){{0}};
    cursor->order = 0;
}

static enum status append_region(struct archive_reader *reader, int64_t time_ps, uint32_t region, bool enter,
                                 OTF2_AttributeList *list)
{
    struct archive_cursor *cursor = &reader->cursor;
    struct trace_call call = new_call(time_ps, enter ? ID_region_enter : ID_region_leave);
    reset_call(cursor);
    TRY(archive_region_id(reader, region, &call.region.region));
    if (list) TRY(archive_take_attributes(reader, list, &call));
    if (enter) {
        ARRAY_PUSH(cursor->open, cursor->open_count, cursor->open_capacity, call.region.region, reader->err);
    } else if (cursor->open_count == 0 && !reader->ours) {
        return STATUS_OK; /* recording began inside it */
    } else if (cursor->open_count > 0) {
        cursor->open_count--;
    }
    return append_call(reader, &call);
}

/* Functions of MPI and OpenSHMEM that rmacast has no row for, or that lack their records, keep their time as a user
 * region. */
static enum status name_function(struct archive_reader *reader, struct archive_region *region)
{
    if (region->named) return STATUS_OK;
    TRY(archive_may_define(reader));
    const char *name = archive_string(reader, region->name);
    char *longer;
    char *before = reader->assumed.functions;
    if (asprintf(&longer, "%s%s%s", before ? before : "", before ? ", " : "", *name ? name : "one without a name") < 0)
        return err_memory(reader->err);
    free(before);
    reader->assumed.functions = longer;
    reader->assumed.function_count++;
    region->named = true;
    return STATUS_OK;
}

enum status archive_begin_call(struct archive_reader *reader, uint64_t time, uint32_t reference,
                               OTF2_AttributeList *list)
{
    struct archive_cursor *cursor = &reader->cursor;
    cursor->last_ps = ps_of_stamp(reader, time);
    struct archive_region *region = ARCHIVE_FIND(&reader->definitions, regions, reference);
    if (!region)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL, "region %" PRIu32 " is not defined", reference);
    int64_t time_ps = cursor->last_ps;
    if (cursor->in_call) {
        cursor->depth++;
        reader->assumed.nested_count++;
        return STATUS_OK;
    }
    if (region->call == TRACE_NONE) {
        bool library = region->paradigm == OTF2_PARADIGM_MPI || region->paradigm == OTF2_PARADIGM_SHMEM;
        if (library) TRY(name_function(reader, region));
        return append_region(reader, time_ps, reference, true, list);
    }
    cursor->in_call = true;
    cursor->region = reference;
    cursor->depth = 0;
    cursor->call = new_call(time_ps, (uint32_t)region->call);
    reset_call(cursor);
    cursor->completed_one = cursor->has_flags = cursor->has_size = cursor->has_unit = false;
    cursor->flavor = 0;
    cursor->completed_count = 0;
    return archive_take_attributes(reader, list, &cursor->call);
}

static char flavor_of(uint16_t call)
{
    switch (call) {
    case ID_Win_allocate: return 'a';
    case ID_Win_allocate_shared: return 's';
    case ID_Win_create_dynamic: return 'd';
    default: return 'c';
    }
}

/* Makes room for the sizes of all members: -1 where they are not known yet. */
static int64_t *new_sizes(uint32_t count)
{
    int64_t *sizes = malloc(((size_t)count + 1) * sizeof *sizes);
    for (uint32_t i = 0; sizes && i < count; i++) sizes[i] = -1;
    return sizes;
}

enum status archive_put_window_part(struct archive_reader *reader, const struct archive_window_part *part)
{
    struct trace_window *window = &reader->trace->definitions.windows[part->window];
    const struct trace_comm *comm = &reader->trace->definitions.comms[window->comm];
    int32_t member = trace_comm_rank(comm, (int32_t)part->rank);
    if (!reader->ours) window->flavor = flavor_of(part->call);
    if (part->flavor) window->flavor = part->flavor;
    if (member == TRACE_NONE) return STATUS_OK;
    if (part->has_unit && part->disp_unit < 1)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL,
                       "window %" PRId32 ": displacement unit %" PRId32 " of rank %" PRIu32 ", expected 1 or more", part->window,
                       part->disp_unit, part->rank);
    if (part->has_size && !window->bytes) window->bytes = new_sizes(comm->count);
    if (part->has_unit && !window->disp_unit) window->disp_unit = calloc(comm->count, sizeof *window->disp_unit);
    if ((part->has_size && !window->bytes) || (part->has_unit && !window->disp_unit)) return err_memory(reader->err);
    if (part->has_size) window->bytes[member] = part->bytes;
    if (part->has_unit) window->disp_unit[member] = part->disp_unit;
    return STATUS_OK;
}

static enum status note_window(struct archive_reader *reader)
{
    const struct archive_cursor *cursor = &reader->cursor;
    struct archive_share *share = reader->share;
    if (cursor->call.handle == TRACE_NONE) return STATUS_OK;
    struct archive_window_part part = {.window = cursor->call.handle,
                                       .rank = cursor->rank,
                                       .call = cursor->call.call,
                                       .flavor = cursor->flavor,
                                       .has_size = cursor->has_size,
                                       .has_unit = cursor->has_unit,
                                       .bytes = cursor->win_bytes,
                                       .disp_unit = cursor->disp_unit};
    if (!share) return archive_put_window_part(reader, &part);
    ARRAY_PUSH(share->windows, share->window_count, share->window_capacity, part, reader->err);
    return STATUS_OK;
}

static enum status finish_completion(struct archive_reader *reader, enum call_kind kind)
{
    struct archive_cursor *cursor = &reader->cursor;
    if (kind == CALL_REQUEST_TESTALL && cursor->completed_one) cursor->call.flags |= TRACE_FLAG;
    if (kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL)
        return trace_add_list(reader->trace, cursor->completed, (uint32_t)cursor->completed_count,
                              &cursor->call.completion.list, reader->err);
    if (cursor->completed_count) cursor->call.completion.list = cursor->completed[0];
    if (kind == CALL_REQUEST_TEST && cursor->completed_one) cursor->call.flags |= TRACE_FLAG;
    return STATUS_OK;
}

/* Score-P writes no record for a message to or from MPI_PROC_NULL; replay needs a communicator and a request for it. */
static void assume_proc_null(struct archive_reader *reader, enum call_kind kind)
{
    struct archive_cursor *cursor = &reader->cursor;
    bool message = kind == CALL_SEND || kind == CALL_RECV || kind == CALL_ISEND || kind == CALL_IRECV;
    if (!message || cursor->call.handle != TRACE_NONE) return;
    if (kind == CALL_IRECV && cursor->call.ref != TRACE_NO_REF) return; /* its completion says the rest */
    cursor->call.handle = 0;
    if (kind == CALL_ISEND || kind == CALL_IRECV) cursor->call.ref = cursor->next_request++;
    reader->assumed.proc_null_count++;
}

/* The completion of the collective says what it is about. */
static bool is_pending_collective(const struct trace_call *call)
{
    return archive_kind(call_kind(call->call))->shape == SHAPE_COLLECTIVE && call_makes_request(call->call);
}

/* Tells whether the records said what the kind needs. */
static bool is_bare(const struct archive_cursor *cursor, enum call_kind kind)
{
    uint32_t needed = call_row(cursor->call.call)->needed;
    if (is_pending_collective(&cursor->call)) return cursor->call.ref == TRACE_NO_REF;
    if ((needed & (F_WIN | F_COMM)) && cursor->call.handle == TRACE_NONE) return kind != CALL_IRECV;
    if ((needed & F_GROUP) && cursor->call.ref == TRACE_NO_REF) return true;
    if ((needed & F_OBJECT) && cursor->call.ref == TRACE_NO_REF) return true;
    if (call_makes_request(cursor->call.call) && cursor->call.ref == TRACE_NO_REF) return true;
    return (needed & (F_ROOT | F_TARGET)) && cursor->call.peer == TRACE_NONE;
}

static enum status append_bare(struct archive_reader *reader)
{
    struct archive_cursor *cursor = &reader->cursor;
    reader->assumed.bare_count++;
    TRY(name_function(reader, ARCHIVE_FIND(&reader->definitions, regions, cursor->region)));
    TRY(append_region(reader, cursor->call.enter_ps, cursor->region, true, NULL));
    return append_region(reader, cursor->call.exit_ps, cursor->region, false, NULL);
}

static enum status finish_call(struct archive_reader *reader, int64_t exit_ps)
{
    struct archive_cursor *cursor = &reader->cursor;
    enum call_kind kind = call_kind(cursor->call.call);
    cursor->in_call = false;
    cursor->call.exit_ps = exit_ps;
    if (archive_kind(kind)->shape == SHAPE_COMPLETION) TRY(finish_completion(reader, kind));
    if (kind == CALL_WIN_CREATE) TRY(note_window(reader));
    if (cursor->has_flags) cursor->call.flags = cursor->flags;
    if (!reader->ours) {
        bool shmem = call_is_shmem(cursor->call.call);
        assume_proc_null(reader, kind);
        if (shmem) TRY(archive_shmem_finish(reader, &cursor->call));
        if (is_bare(cursor, kind)) return append_bare(reader);
        reader->assumed.one_sided += !shmem && (call_row(cursor->call.call)->needed & F_WIN);
    }
    /* The archive ends inside the call, before the record with its window or communicator. */
    bool works_on = call_row(cursor->call.call)->needed & (F_WIN | F_COMM);
    if ((cursor->call.flags & TRACE_BREAK) && works_on && cursor->call.handle == TRACE_NONE) return append_bare(reader);
    return append_call(reader, &cursor->call);
}

enum status archive_end_call(struct archive_reader *reader, uint64_t time, uint32_t region, OTF2_AttributeList *list)
{
    struct archive_cursor *cursor = &reader->cursor;
    int64_t time_ps = ps_of_stamp(reader, time);
    cursor->last_ps = time_ps;
    if (cursor->in_call && cursor->depth > 0) {
        cursor->depth--;
        return STATUS_OK;
    }
    const struct archive_region *left = ARCHIVE_FIND(&reader->definitions, regions, region);
    if (!left)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL, "region %" PRIu32 " is not defined", region);
    if (!cursor->in_call) {
        /* Recording may begin inside a call: its Leave has no Enter. */
        if (left->call != TRACE_NONE) return STATUS_OK;
        return append_region(reader, time_ps, region, false, list);
    }
    if (region != cursor->region)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL,
                       "rank %" PRIu32 " leaves %s inside %s, expected regions to nest", cursor->rank,
                       archive_string(reader, left->name), call_name(cursor->call.call));
    TRY(archive_take_attributes(reader, list, &cursor->call));
    return finish_call(reader, time_ps);
}

enum status archive_end_location(struct archive_reader *reader)
{
    struct archive_cursor *cursor = &reader->cursor;
    if (!cursor->in_call) return STATUS_OK;
    struct trace_rank *calls = cursor->calls;
    cursor->call.flags |= TRACE_BREAK;
    if (!calls->incomplete &&
        asprintf(&calls->incomplete_why, "the archive ends inside %s", call_name(cursor->call.call)) < 0) {
        calls->incomplete_why = NULL;
        return err_memory(reader->err);
    }
    calls->incomplete = true;
    return finish_call(reader, cursor->last_ps);
}

/* Completes a request that another thread made; a request that no call made is left out. */
static enum status complete_late(struct archive_reader *reader, const struct archive_late *late)
{
    struct archive_cursor *cursor = &reader->cursor;
    struct trace_call *call = &cursor->calls->calls[late->call];
    uint64_t index;
    struct trace_call *made =
        map_take(&cursor->requests, late->request, &index) ? &cursor->calls->calls[index] : NULL;
    if (made && late->receives) TRY(archive_take_message(reader, made, late->peer, late->comm, late->tag, late->bytes));
    if (made && late->cancelled && made->handle == TRACE_NONE) made->handle = 0;
    if (reader->ours) return STATUS_OK; /* requests keep their ids */
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_REQUEST_WAIT || kind == CALL_REQUEST_TEST) call->ref = made ? made->ref : TRACE_NO_REF;
    if (kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL)
        reader->trace->definitions
            .requests[reader->trace->definitions.lists[call->completion.list].first + late->slot] =
            made ? made->ref : TRACE_NO_REF;
    return STATUS_OK;
}

/* Removes requests that were not found from the lists. */
static void leave_out_unknown(struct archive_reader *reader)
{
    const struct archive_cursor *cursor = &reader->cursor;
    for (size_t i = 0; i < cursor->late_count; i++) {
        const struct trace_call *call = &cursor->calls->calls[cursor->late[i].call];
        enum call_kind kind = call_kind(call->call);
        if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) continue;
        struct trace_list *list = &reader->trace->definitions.lists[call->completion.list];
        uint32_t *requests = &reader->trace->definitions.requests[list->first], kept = 0;
        for (uint32_t k = 0; k < list->count; k++)
            if (requests[k] != TRACE_NO_REF) requests[kept++] = requests[k];
        list->count = kept;
    }
}

/* The collective's communicator is not recorded, or a trace cannot represent it. Assumes a communicator of the rank
 * alone, so the rank does not wait. */
static enum status assume_alone(struct archive_reader *reader)
{
    struct archive_cursor *cursor = &reader->cursor;
    for (size_t i = 0; i < cursor->calls->count; i++) {
        struct trace_call *call = &cursor->calls->calls[i];
        if (call->handle != TRACE_NONE || !is_pending_collective(call)) continue;
        TRY(archive_self_id(reader, &call->handle));
        if (call_row(call->call)->needed & F_ROOT) call->peer = (int32_t)cursor->rank;
        reader->assumed.alone_count++;
    }
    return STATUS_OK;
}

enum status archive_end_rank(struct archive_reader *reader)
{
    struct archive_cursor *cursor = &reader->cursor;
    for (size_t i = 0; i < cursor->late_count; i++) TRY(complete_late(reader, &cursor->late[i]));
    if (!reader->ours) leave_out_unknown(reader);
    if (!reader->ours) TRY(assume_alone(reader));
    uint64_t *indexes = NULL;
    bool open = !reader->ours && cursor->requests.count > 0;
    if (open) TRY(map_values(&cursor->requests, &indexes, reader->err));
    for (size_t i = 0; open && i < cursor->requests.count; i++) {
        struct trace_call *call = &cursor->calls->calls[indexes[i]];
        if (call_kind(call->call) != CALL_IRECV) continue;
        call->handle = 0;
        reader->assumed.open_receive_count++;
    }
    free(indexes);
    return cursor->several ? trace_sort_calls(reader->trace, cursor->rank, cursor->orders, reader->err) : STATUS_OK;
}

/* In the order in which they are told. */
static const struct {
    size_t at;               /* how often, in struct archive_assumptions */
    const char *one, *times; /* what is told of one, and of several; one NULL: told without the number, as times says */
} assumption_notes[] = {
#define ASSUMED(MEMBER, ONE, TIMES) {offsetof(struct archive_assumptions, MEMBER), ONE, TIMES}
    ASSUMED(other_locations, "location that is no thread of an MPI process is left out",
            "locations that are no threads of MPI processes are left out"),
    ASSUMED(function_count, NULL, NULL),
    ASSUMED(bare_count, "of these regions is a call whose records are missing",
            "of these regions are calls whose records are missing"),
    ASSUMED(lost_message_count, "message of such a region is left out", "messages of such regions are left out"),
    ASSUMED(proc_null_count, "message without a record is taken as MPI_PROC_NULL's",
            "messages without a record are taken as MPI_PROC_NULL's"),
    ASSUMED(open_receive_count, "receive never completed: its sender is unknown, taken as MPI_PROC_NULL",
            "receives never completed: their sender is unknown, taken as MPI_PROC_NULL"),
    ASSUMED(alone_count, "non-blocking collective never completed, or is of two groups: taken as of the rank alone",
            "non-blocking collectives never completed, or are of two groups: taken as of the rank alone"),
    ASSUMED(nested_count, "region inside an MPI call is left out", "regions inside MPI calls are left out"),
    ASSUMED(off_count, "time recording was switched off or flushed its buffer",
            "times recording was switched off or flushed its buffer"),
    ASSUMED(shmem, NULL,
            "OpenSHMEM routines come without symmetric addresses: taken as unknown; locks are told by their addresses, taken as "
            "the same on all PEs"),
    ASSUMED(shmem_wait_count, "wait of OpenSHMEM does not say where: taken as for the last write to its PE",
            "waits of OpenSHMEM do not say where: taken as for the last write to their PE"),
    ASSUMED(shmem_root_count, "broadcast of OpenSHMEM comes without root: taken as the first PE of the active set",
            "broadcasts of OpenSHMEM come without root: taken as the first PE of the active set"),
    ASSUMED(one_sided, NULL,
            "one-sided calls come without assertions, displacements, operations and window sizes: taken as none, unknown, "
            "unknown and unknown"),
#undef ASSUMED
};

static enum status tell_assumption(const struct archive_reader *reader, size_t row, uint64_t count)
{
    const char *one = assumption_notes[row].one, *times = assumption_notes[row].times;
    if (one) return trace_add_note(reader->trace, reader->err, "%" PRIu64 " %s", count, count == 1 ? one : times);
    if (times) return trace_add_note(reader->trace, reader->err, "%s", times);
    return trace_add_note(reader->trace, reader->err,
                          "%" PRIu64 " %s function%s kept as regions, rmacast does not replay them: %s", count,
                          reader->assumed.shmem ? "MPI or OpenSHMEM" : "MPI", count == 1 ? " is" : "s are",
                          reader->assumed.functions);
}

enum status archive_tell_assumptions(struct archive_reader *reader)
{
    const struct archive_assumptions *assumed = &reader->assumed;
    /* Drops sizes and displacement units of windows for which some member's are not recorded. */
    for (size_t i = 0; i < reader->trace->definitions.window_count; i++) {
        struct trace_window *window = &reader->trace->definitions.windows[i];
        bool sizes = true, units = true;
        for (uint32_t k = 0; k < reader->trace->definitions.comms[window->comm].count; k++) {
            sizes = sizes && (!window->bytes || window->bytes[k] != -1);
            units = units && (!window->disp_unit || window->disp_unit[k] != 0);
        }
        if (!sizes) free(window->bytes);
        if (!units) free(window->disp_unit);
        if (!sizes) window->bytes = NULL;
        if (!units) window->disp_unit = NULL;
    }
    for (size_t i = 0; i < sizeof assumption_notes / sizeof *assumption_notes; i++) {
        uint64_t count = *(const uint64_t *)((const char *)assumed + assumption_notes[i].at);
        if (count > 0) TRY(tell_assumption(reader, i, count));
    }
    return STATUS_OK;
}
