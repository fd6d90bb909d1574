/* From the regions of one location to calls: what opens one, what closes it, and what is taken where records are
 * missing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/faults.h"
#include "trace/limits.h"
#include "trace/otf2/read.h"

/* What is beyond every time stays beyond it, for trace_check() to find. */
int64_t archive_ps(const struct archive_reader *reader, uint64_t time)
{
    uint64_t resolution = reader->definitions.resolution;
    bool before = time < reader->zero;
    unsigned __int128 ps = before ? reader->zero - time : time - reader->zero;
    if (resolution != ARCHIVE_TICKS_PER_S) ps = ps * ARCHIVE_TICKS_PER_S / resolution;
    int64_t bounded_ps = ps > (uint64_t)TRACE_TIME_MAX_PS ? TRACE_TIME_MAX_PS + 1 : (int64_t)ps;
    return before ? -bounded_ps : bounded_ps;
}

static int64_t after(int64_t enter_ps, int64_t ticks)
{
    return (int64_t)((uint64_t)enter_ps + (uint64_t)ticks);
}

static enum status take_string(struct archive_reader *reader, enum archive_attribute id, uint32_t reference,
                               struct trace_call *call)
{
    const struct archive_definitions *definitions = &reader->definitions;
    if (id == ATTRIBUTE_OP) call->tag = trace_op_by_name(archive_string(reader, reference));
    if (id == ATTRIBUTE_SITE && reference >= definitions->first_site &&
        reference - definitions->first_site < definitions->site_count)
        call->site = definitions->sites[reference - definitions->first_site];
    bool counts =
        reference >= definitions->first_counts && reference - definitions->first_counts < definitions->counts_count;
    if (id == ATTRIBUTE_COUNTS && counts) call->disp = definitions->counts[reference - definitions->first_counts];
    if (id == ATTRIBUTE_NEIGHBORS && counts)
        call->tag = (int32_t)definitions->counts[reference - definitions->first_counts];
    return STATUS_OK;
}

static enum status take_one(struct archive_reader *reader, enum archive_attribute id, OTF2_AttributeValue value,
                            struct trace_call *call)
{
    struct archive_stream *stream = &reader->stream;
    switch (id) {
    case ATTRIBUTE_ASSERT: call->flags |= value.uint16 & TRACE_ASSERTIONS; break;
    case ATTRIBUTE_TARGET_DISP: call->disp = (int64_t)value.uint64; break;
    case ATTRIBUTE_OP:
    case ATTRIBUTE_COUNTS:
    case ATTRIBUTE_NEIGHBORS:
    case ATTRIBUTE_SITE: return take_string(reader, id, value.stringRef, call);
    case ATTRIBUTE_WIN_SIZE:
        stream->has_size = true;
        stream->win_bytes = (int64_t)value.uint64;
        break;
    case ATTRIBUTE_DISP_UNIT:
        stream->has_unit = true;
        stream->disp_unit = value.int32;
        break;
    case ATTRIBUTE_FLAVOR: stream->flavor = (char)value.uint8; break;
    case ATTRIBUTE_XFER_START: stream->sim.xfer_start_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_XFER_END: stream->sim.xfer_end_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_BASE_END: stream->sim.base_end_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_EXTENDED_END: stream->sim.extended_end_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_BLOCKED: stream->sim.blocked_ps = value.int64; break;
    case ATTRIBUTE_PROGRESS_FROM: stream->sim.progress_from_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_PROGRESS_UNTIL: stream->sim.progress_until_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_AWAITED_POST: stream->sim.awaited_post_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_RELEASED: stream->sim.released_ps = after(call->enter_ps, value.int64); break;
    case ATTRIBUTE_CPU_TIME:
    case ATTRIBUTE_CORE_WAIT:
    case ATTRIBUTE_PAUSED: stream->before_ps[id - ATTRIBUTE_CPU_TIME] = value.int64; break;
    case ATTRIBUTE_BREAK: call->flags |= TRACE_BREAK; break;
    case ATTRIBUTE_DURATION: call->exit_ps = after(call->enter_ps, (int64_t)value.uint64); break;
    case ATTRIBUTE_WIN: return archive_win_id(reader, value.rmaWinRef, &call->handle);
    case ATTRIBUTE_COMM: return archive_comm_id(reader, value.commRef, &call->handle);
    case ATTRIBUTE_PEER: call->peer = value.int32; break;
    case ATTRIBUTE_TAG: call->tag = value.int32; break;
    case ATTRIBUTE_BYTES: call->bytes = (int64_t)value.uint64; break;
    case ATTRIBUTE_RESULT_BYTES: call->aux = (int64_t)value.uint64; break;
    case ATTRIBUTE_SOURCE: trace_call_set_receive(call, value.int32, trace_call_recv_tag(call)); break;
    case ATTRIBUTE_RECV_TAG: trace_call_set_receive(call, trace_call_source(call), value.int32); break;
    case ATTRIBUTE_REF:
    case ATTRIBUTE_CHILD:
    case ATTRIBUTE_OBJECT: call->ref = value.uint32; break;
    case ATTRIBUTE_MUTEX:
    case ATTRIBUTE_PARTIES: call->aux = (int64_t)value.uint64; break;
    case ATTRIBUTE_VALUE: call->disp = (int64_t)value.uint64; break;
    case ATTRIBUTE_ORIGIN_EXTENT:
    case ATTRIBUTE_TARGET_EXTENT:
    case ATTRIBUTE_RESULT_EXTENT:
        stream->extents.of[id - ATTRIBUTE_ORIGIN_EXTENT] = (int64_t)value.uint64;
        call->flags |= TRACE_GAPS;
        break;
    case ATTRIBUTE_ORDER: stream->order = value.uint32; break;
    case ATTRIBUTE_FLAGS:
        stream->has_flags = true;
        stream->flags = value.uint16;
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
        size_t place = archive_place(&reader->definitions, ARCHIVE_ATTRIBUTES, reference);
        uint8_t known = place < reader->definitions.attribute_count ? reader->definitions.attributes[place] : 0;
        if (known && type == archive_attribute_rows[known - 1].type) TRY(take_one(reader, known - 1, value, call));
    }
    return STATUS_OK;
}

static struct trace_call new_call(int64_t time_ps, uint32_t call)
{
    return (struct trace_call){.enter_ps = time_ps,
                               .exit_ps = time_ps,
                               .disp = -1,
                               .handle = TRACE_NONE,
                               .peer = TRACE_NONE,
                               .tag = call_row(call)->allowed & F_NEIGHBORS ? TRACE_NONE : 0,
                               .ref = TRACE_NO_REF,
                               .call = (uint16_t)call};
}

static enum status check_extents(struct archive_reader *reader, const struct trace_call *call)
{
    const struct archive_stream *stream = &reader->stream;
    if (trace_extents_fit(call_kind(call->call), &stream->extents)) return STATUS_OK;
    const int64_t *of = stream->extents.of;
    return trace_fail(reader->err, reader->trace, stream->rank, stream->calls->count, call,
                      "RMA::OriginExtent, TargetExtent, ResultExtent are %" PRIu64 ", %" PRIu64 ", %" PRIu64
                      ", expected extents of buffers that the call has",
                      (uint64_t)of[TRACE_ORIGIN], (uint64_t)of[TRACE_TARGET], (uint64_t)of[TRACE_RESULT]);
}

/* Slices keep the sums. */
static enum status append_before(struct archive_reader *reader)
{
    const struct archive_stream *stream = &reader->stream;
    for (int b = 0; b < BEFORE_COUNT; b++) {
        int64_t ps = stream->before_ps[b];
        if (ps == TRACE_UNKNOWN_PS) continue;
        if (reader->in_slices)
            trace_sum_before(reader->trace, stream->rank, (enum trace_before)b, ps);
        else
            TRY(trace_set_before(reader->trace, stream->rank, stream->calls->count - 1, (enum trace_before)b, ps,
                                 reader->err));
    }
    return STATUS_OK;
}

static enum status append(struct archive_reader *reader, const struct trace_call *call)
{
    struct archive_stream *stream = &reader->stream;
    if (call->flags & TRACE_GAPS) TRY(check_extents(reader, call));
    TRY(trace_add_thread_call(reader->trace, stream->rank, stream->thread, call, reader->err));
    if (stream->several)
        ARRAY_PUSH(stream->orders, stream->order_count, stream->order_capacity, stream->order, reader->err);
    if (stream->calls->sim) stream->calls->sim[stream->calls->count - 1] = stream->sim;
    stream->last_ps = call->exit_ps;
    TRY(append_before(reader));
    if (reader->in_slices || !(call->flags & TRACE_GAPS)) return STATUS_OK;
    return trace_set_extents(reader->trace, stream->rank, stream->calls->count - 1, &stream->extents, reader->err);
}

static enum status append_region(struct archive_reader *reader, int64_t time_ps, uint32_t region, bool enter,
                                 OTF2_AttributeList *list)
{
    struct archive_stream *stream = &reader->stream;
    struct trace_call call = new_call(time_ps, enter ? ID_region_enter : ID_region_leave);
    stream->sim = trace_sim_unknown;
    for (int b = 0; b < BEFORE_COUNT; b++) stream->before_ps[b] = TRACE_UNKNOWN_PS;
    stream->extents = (struct trace_extents){{0}};
    stream->order = 0;
    TRY(archive_region_id(reader, region, &call.ref));
    if (list) TRY(archive_take_attributes(reader, list, &call));
    if (enter) {
        ARRAY_PUSH(stream->open, stream->open_count, stream->open_capacity, call.ref, reader->err);
    } else if (stream->open_count == 0 && !reader->ours) {
        return STATUS_OK; /* recording began inside it */
    } else if (stream->open_count > 0) {
        stream->open_count--;
    }
    return append(reader, &call);
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
    struct archive_stream *stream = &reader->stream;
    stream->last_ps = archive_ps(reader, time);
    struct archive_region *region = archive_region(&reader->definitions, reference);
    if (!region)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL, "region %" PRIu32 " is not defined", reference);
    int64_t time_ps = stream->last_ps;
    if (stream->in_call) {
        stream->depth++;
        reader->assumed.nested_count++;
        return STATUS_OK;
    }
    if (region->call == TRACE_NONE) {
        bool library = region->paradigm == OTF2_PARADIGM_MPI || region->paradigm == OTF2_PARADIGM_SHMEM;
        if (library) TRY(name_function(reader, region));
        return append_region(reader, time_ps, reference, true, list);
    }
    stream->in_call = true;
    stream->region = reference;
    stream->depth = 0;
    stream->call = new_call(time_ps, (uint32_t)region->call);
    stream->sim = trace_sim_unknown;
    for (int b = 0; b < BEFORE_COUNT; b++) stream->before_ps[b] = TRACE_UNKNOWN_PS;
    stream->extents = (struct trace_extents){{0}};
    stream->order = 0;
    stream->completed_one = stream->has_flags = stream->has_size = stream->has_unit = false;
    stream->flavor = 0;
    stream->completed_count = 0;
    return archive_take_attributes(reader, list, &stream->call);
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

/* Sizes of all members, -1 where they are not known yet. */
static int64_t *new_sizes(uint32_t count)
{
    int64_t *sizes = malloc(((size_t)count + 1) * sizeof *sizes);
    for (uint32_t i = 0; sizes && i < count; i++) sizes[i] = -1;
    return sizes;
}

enum status archive_put_window_part(struct archive_reader *reader, const struct archive_window_part *part)
{
    struct trace_window *window = &reader->trace->windows[part->window];
    const struct trace_comm *comm = &reader->trace->comms[window->comm];
    int32_t member = trace_comm_rank(comm, (int32_t)part->rank);
    if (!reader->ours) window->flavor = flavor_of(part->call);
    if (part->flavor) window->flavor = part->flavor;
    if (member == TRACE_NONE) return STATUS_OK;
    if (part->has_size && !window->bytes) window->bytes = new_sizes(comm->count);
    if (part->has_unit && !window->disp_unit) window->disp_unit = calloc(comm->count, sizeof *window->disp_unit);
    if ((part->has_size && !window->bytes) || (part->has_unit && !window->disp_unit)) return err_memory(reader->err);
    if (part->has_size) window->bytes[member] = part->bytes;
    if (part->has_unit) window->disp_unit[member] = part->disp_unit;
    return STATUS_OK;
}

static enum status note_window(struct archive_reader *reader)
{
    const struct archive_stream *stream = &reader->stream;
    struct archive_share *share = reader->share;
    if (stream->call.handle == TRACE_NONE) return STATUS_OK;
    struct archive_window_part part = {.window = stream->call.handle,
                                       .rank = stream->rank,
                                       .call = stream->call.call,
                                       .flavor = stream->flavor,
                                       .has_size = stream->has_size,
                                       .has_unit = stream->has_unit,
                                       .bytes = stream->win_bytes,
                                       .disp_unit = stream->disp_unit};
    if (!share) return archive_put_window_part(reader, &part);
    ARRAY_PUSH(share->windows, share->window_count, share->window_capacity, part, reader->err);
    return STATUS_OK;
}

static enum status finish_completion(struct archive_reader *reader, enum call_kind kind)
{
    struct archive_stream *stream = &reader->stream;
    if (kind == CALL_REQUEST_TESTALL && stream->completed_one) stream->call.flags |= TRACE_FLAG;
    if (kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL)
        return trace_add_list(reader->trace, stream->completed, (uint32_t)stream->completed_count, &stream->call.ref,
                              reader->err);
    if (stream->completed_count) stream->call.ref = stream->completed[0];
    if (kind == CALL_REQUEST_TEST && stream->completed_one) stream->call.flags |= TRACE_FLAG;
    return STATUS_OK;
}

/* Score-P writes no record for a message to or from MPI_PROC_NULL; replay needs a communicator and a request for it. */
static void assume_proc_null(struct archive_reader *reader, enum call_kind kind)
{
    struct archive_stream *stream = &reader->stream;
    bool message = kind == CALL_SEND || kind == CALL_RECV || kind == CALL_ISEND || kind == CALL_IRECV;
    if (!message || stream->call.handle != TRACE_NONE) return;
    if (kind == CALL_IRECV && stream->call.ref != TRACE_NO_REF) return; /* its completion says the rest */
    stream->call.handle = 0;
    if (kind == CALL_ISEND || kind == CALL_IRECV) stream->call.ref = stream->next_request++;
    reader->assumed.proc_null_count++;
}

/* A collective whose completion says what it is about. */
static bool is_pending_collective(const struct trace_call *call)
{
    return archive_kind(call_kind(call->call))->shape == SHAPE_COLLECTIVE && call_makes_request(call->call);
}

/* Whether the records said what the kind needs. */
static bool is_bare(const struct archive_stream *stream, enum call_kind kind)
{
    uint32_t needed = call_row(stream->call.call)->needed;
    if (is_pending_collective(&stream->call)) return stream->call.ref == TRACE_NO_REF;
    if ((needed & (F_WIN | F_COMM)) && stream->call.handle == TRACE_NONE) return kind != CALL_IRECV;
    if ((needed & F_GROUP) && stream->call.ref == TRACE_NO_REF) return true;
    if ((needed & F_OBJECT) && stream->call.ref == TRACE_NO_REF) return true;
    if (call_makes_request(stream->call.call) && stream->call.ref == TRACE_NO_REF) return true;
    return (needed & (F_ROOT | F_TARGET)) && stream->call.peer == TRACE_NONE;
}

/* What a call works on, where the archive ends inside it before the records say so. */
static bool is_cut_short(const struct archive_stream *stream)
{
    bool works_on = call_row(stream->call.call)->needed & (F_WIN | F_COMM);
    return (stream->call.flags & TRACE_BREAK) && works_on && stream->call.handle == TRACE_NONE;
}

static enum status append_bare(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    reader->assumed.bare_count++;
    TRY(name_function(reader, archive_region(&reader->definitions, stream->region)));
    TRY(append_region(reader, stream->call.enter_ps, stream->region, true, NULL));
    return append_region(reader, stream->call.exit_ps, stream->region, false, NULL);
}

static enum status finish_call(struct archive_reader *reader, int64_t exit_ps)
{
    struct archive_stream *stream = &reader->stream;
    enum call_kind kind = call_kind(stream->call.call);
    stream->in_call = false;
    stream->call.exit_ps = exit_ps;
    if (archive_kind(kind)->shape == SHAPE_COMPLETION) TRY(finish_completion(reader, kind));
    if (kind == CALL_WIN_CREATE) TRY(note_window(reader));
    if (stream->has_flags) stream->call.flags = stream->flags;
    if (!reader->ours) {
        bool shmem = call_is_shmem(stream->call.call);
        assume_proc_null(reader, kind);
        if (shmem) TRY(archive_shmem_finish(reader, &stream->call));
        if (is_bare(stream, kind)) return append_bare(reader);
        bool one_sided = !shmem && (call_row(stream->call.call)->needed & F_WIN);
        reader->assumed.one_sided = reader->assumed.one_sided || one_sided;
    }
    if (is_cut_short(stream)) return append_bare(reader);
    return append(reader, &stream->call);
}

enum status archive_end_call(struct archive_reader *reader, uint64_t time, uint32_t region, OTF2_AttributeList *list)
{
    struct archive_stream *stream = &reader->stream;
    int64_t time_ps = archive_ps(reader, time);
    stream->last_ps = time_ps;
    if (stream->in_call && stream->depth > 0) {
        stream->depth--;
        return STATUS_OK;
    }
    const struct archive_region *left = archive_region(&reader->definitions, region);
    if (!left)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL, "region %" PRIu32 " is not defined", region);
    if (!stream->in_call) {
        /* Recording may begin inside a call: its Leave has no Enter. */
        if (left->call != TRACE_NONE) return STATUS_OK;
        return append_region(reader, time_ps, region, false, list);
    }
    if (region != stream->region)
        return err_set(reader->err, STATUS_DATA, reader->anchor, NULL,
                       "rank %" PRIu32 " leaves %s inside %s, expected regions to nest", stream->rank,
                       archive_string(reader, left->name), call_name(stream->call.call));
    TRY(archive_take_attributes(reader, list, &stream->call));
    return finish_call(reader, time_ps);
}

static enum status break_off(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    struct trace_rank *calls = stream->calls;
    stream->call.flags |= TRACE_BREAK;
    if (!calls->incomplete &&
        asprintf(&calls->incomplete_why, "the archive ends inside %s", call_name(stream->call.call)) < 0) {
        calls->incomplete_why = NULL;
        return err_memory(reader->err);
    }
    calls->incomplete = true;
    return finish_call(reader, stream->last_ps);
}

enum status archive_end_stream(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    return stream->in_call ? break_off(reader) : STATUS_OK;
}

/* A completion whose request was made by another thread; one that nobody made is left out. */
static enum status complete_late(struct archive_reader *reader, const struct archive_late *late)
{
    struct archive_stream *stream = &reader->stream;
    struct trace_call *call = &stream->calls->calls[late->call];
    uint64_t index;
    struct trace_call *made =
        archive_requests_take(&stream->requests, late->request, &index) ? &stream->calls->calls[index] : NULL;
    if (made && late->receives) TRY(archive_take_message(reader, made, late->peer, late->comm, late->tag, late->bytes));
    if (made && late->cancelled && made->handle == TRACE_NONE) made->handle = 0;
    if (reader->ours) return STATUS_OK; /* requests keep their ids */
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_REQUEST_WAIT || kind == CALL_REQUEST_TEST) call->ref = made ? made->ref : TRACE_NO_REF;
    if (kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL)
        reader->trace->requests[reader->trace->lists[call->ref].first + late->slot] = made ? made->ref : TRACE_NO_REF;
    return STATUS_OK;
}

/* Lists hold what was found only. */
static void leave_out_unknown(struct archive_reader *reader)
{
    const struct archive_stream *stream = &reader->stream;
    for (size_t i = 0; i < stream->late_count; i++) {
        const struct trace_call *call = &stream->calls->calls[stream->late[i].call];
        enum call_kind kind = call_kind(call->call);
        if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) continue;
        struct trace_list *list = &reader->trace->lists[call->ref];
        uint32_t *requests = &reader->trace->requests[list->first], kept = 0;
        for (uint32_t k = 0; k < list->count; k++)
            if (requests[k] != TRACE_NO_REF) requests[kept++] = requests[k];
        list->count = kept;
    }
}

/* Of which communicator it is was not said, or is none that a trace has. Alone, the rank waits for nobody. */
static enum status assume_alone(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    for (size_t i = 0; i < stream->calls->count; i++) {
        struct trace_call *call = &stream->calls->calls[i];
        if (call->handle != TRACE_NONE || !is_pending_collective(call)) continue;
        TRY(archive_self_id(reader, &call->handle));
        if (call_row(call->call)->needed & F_ROOT) call->peer = (int32_t)stream->rank;
        reader->assumed.alone_count++;
    }
    return STATUS_OK;
}

enum status archive_end_rank(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    for (size_t i = 0; i < stream->late_count; i++) TRY(complete_late(reader, &stream->late[i]));
    if (!reader->ours) leave_out_unknown(reader);
    if (!reader->ours) TRY(assume_alone(reader));
    if (reader->ours || stream->requests.count == 0)
        return stream->several ? trace_sort_calls(reader->trace, stream->rank, stream->orders, reader->err) : STATUS_OK;
    uint64_t *indexes;
    TRY(archive_requests_values(&stream->requests, &indexes, reader->err));
    for (size_t i = 0; i < stream->requests.count; i++) {
        struct trace_call *call = &stream->calls->calls[indexes[i]];
        if (call_kind(call->call) != CALL_IRECV) continue;
        call->handle = 0;
        reader->assumed.open_receive_count++;
    }
    free(indexes);
    return stream->several ? trace_sort_calls(reader->trace, stream->rank, stream->orders, reader->err) : STATUS_OK;
}

/* Where the archive ends before all members have told them, sizes or displacement units are not known. */
static void forget_partly_known(struct trace *trace)
{
    for (size_t i = 0; i < trace->window_count; i++) {
        struct trace_window *window = &trace->windows[i];
        bool sizes = true, units = true;
        for (uint32_t k = 0; k < trace->comms[window->comm].count; k++) {
            sizes = sizes && (!window->bytes || window->bytes[k] != -1);
            units = units && (!window->disp_unit || window->disp_unit[k] != 0);
        }
        if (!sizes) free(window->bytes);
        if (!units) free(window->disp_unit);
        if (!sizes) window->bytes = NULL;
        if (!units) window->disp_unit = NULL;
    }
}

enum status archive_tell_assumptions(struct archive_reader *reader)
{
    const struct archive_assumptions *assumed = &reader->assumed;
    struct trace *trace = reader->trace;
    struct err *err = reader->err;
    forget_partly_known(trace);
    if (assumed->other_locations)
        TRY(trace_add_note(trace, err, "%" PRIu64 " locations that are no threads of MPI processes are left out",
                           assumed->other_locations));
    if (assumed->function_count)
        TRY(trace_add_note(trace, err, "%" PRIu64 " %s functions are kept as regions, rmacast does not replay them: %s",
                           assumed->function_count, assumed->shmem ? "MPI or OpenSHMEM" : "MPI", assumed->functions));
    if (assumed->bare_count)
        TRY(trace_add_note(trace, err, "%" PRIu64 " of these regions are calls whose records are missing",
                           assumed->bare_count));
    if (assumed->lost_message_count)
        TRY(trace_add_note(trace, err, "%" PRIu64 " messages of such regions are left out",
                           assumed->lost_message_count));
    if (assumed->proc_null_count)
        TRY(trace_add_note(trace, err, "%" PRIu64 " messages without a record are taken as MPI_PROC_NULL's",
                           assumed->proc_null_count));
    if (assumed->open_receive_count)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64 " receives never completed: their sender is unknown, taken as MPI_PROC_NULL",
                           assumed->open_receive_count));
    if (assumed->alone_count)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64
                           " non-blocking collectives never completed, or are of two groups: taken as of the "
                           "rank alone",
                           assumed->alone_count));
    if (assumed->nested_count)
        TRY(trace_add_note(trace, err, "%" PRIu64 " regions inside MPI calls are left out", assumed->nested_count));
    if (assumed->off_count)
        TRY(trace_add_note(trace, err, "recording was switched off or flushed its buffer %" PRIu64 " times",
                           assumed->off_count));
    if (assumed->shmem)
        TRY(trace_add_note(trace, err,
                           "OpenSHMEM routines come without symmetric addresses: taken as unknown; locks are told by "
                           "their addresses, taken as the same on all PEs"));
    if (assumed->shmem_wait_count)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64 " waits of OpenSHMEM do not say where: taken as for the last write to their PE",
                           assumed->shmem_wait_count));
    if (assumed->shmem_root_count)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64
                           " broadcasts of OpenSHMEM come without root: taken as the first PE of the active set",
                           assumed->shmem_root_count));
    if (assumed->one_sided)
        TRY(trace_add_note(trace, err,
                           "one-sided calls come without assertions, displacements, operations and window sizes: "
                           "taken as none, unknown, unknown and unknown"));
    return STATUS_OK;
}
