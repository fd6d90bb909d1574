/* Writes as attributes of Enter and Leave what no OTF2 record of a call holds. */
#include "trace/otf2/write.h"

void archive_add(struct archive_writer *writer, enum archive_attribute id, OTF2_AttributeValue value)
{
    ARCHIVE_TRY(writer, OTF2_AttributeList_AddAttribute(writer->list, id, archive_attribute_rows[id].type, value));
}

bool archive_is_pending_collective(const struct trace_call *call, const struct archive_kind *kind)
{
    return kind->shape == SHAPE_COLLECTIVE && call_makes_request(call->call);
}

/* To MPI_PROC_NULL nothing is sent, and a call that broke off may have done nothing yet: both have no records of their
 * own. */
unsigned archive_carried(const struct trace_call *call, const struct archive_kind *kind)
{
    if (kind->shape == SHAPE_REGION) return kind->carries;
    if ((kind->carries & CARRIES_PEER) && call->peer == TRACE_NONE) return 0;
    if ((call->flags & TRACE_BREAK) && kind->shape != SHAPE_COMPLETION) return 0;
    if (archive_is_pending_collective(call, kind)) return call->handle == TRACE_NONE ? 0 : CARRIES_REF;
    return kind->carries;
}

/* Writes displacement, lists of counts and the receiving half of an exchange where no record carries them. */
static void add_disp(struct archive_writer *writer, const struct trace_call *call, unsigned carries)
{
    uint32_t fields = call_row(call->call)->allowed;
    if (!(fields & (F_COUNTS | F_SOURCE)) && call->rma.disp != -1)
        ARCHIVE_ADD(writer, TARGET_DISP, uint64, (uint64_t)call->rma.disp);
    if ((fields & F_COUNTS) && call->collective.counts >= 0)
        ARCHIVE_ADD(writer, COUNTS, stringRef, archive_counts_string(writer->trace, call->collective.counts));
    if (!(fields & F_SOURCE) || (carries && call->exchange.source != TRACE_NONE)) return;
    ARCHIVE_ADD(writer, SOURCE, int32, call->exchange.source);
    ARCHIVE_ADD(writer, RECV_TAG, int32, call->exchange.recv_tag);
}

static void add_primitive(struct archive_writer *writer, const struct trace_call *call)
{
    uint32_t fields = call_row(call->call)->allowed;
    if ((fields & F_CHILD) && call->primitive.child != TRACE_NO_REF)
        ARCHIVE_ADD(writer, CHILD, uint32, call->primitive.child);
    if (fields & F_OBJECT) ARCHIVE_ADD(writer, OBJECT, uint32, call->primitive.object);
    if (fields & F_MUTEX) ARCHIVE_ADD(writer, MUTEX, uint64, (uint64_t)call->primitive.mutex);
    if (fields & F_PARTIES) ARCHIVE_ADD(writer, PARTIES, uint64, (uint64_t)call->primitive.parties);
    if ((fields & F_VALUE) && call->primitive.value != -1)
        ARCHIVE_ADD(writer, VALUE, uint64, (uint64_t)call->primitive.value);
    if (call->site != TRACE_NO_SITE) ARCHIVE_ADD(writer, SITE, stringRef, archive_site_string(call->site));
}

/* Threads' calls at the same time are in different locations: their order is said where it is not that of the
 * locations. */
static void add_order(struct archive_writer *writer, size_t index)
{
    const struct trace_rank *rank = writer->process;
    int64_t enter_ps = rank->calls[index].enter_ps;
    if (!rank->thread) return;
    if (index == 0 || rank->calls[index - 1].enter_ps != enter_ps) {
        writer->order = 0;
        writer->ordered = false;
        for (size_t i = index + 1; i < rank->count && rank->calls[i].enter_ps == enter_ps; i++)
            writer->ordered = writer->ordered || rank->thread[i] < rank->thread[i - 1];
    } else {
        writer->order++;
    }
    if (writer->ordered && writer->order > 0) ARCHIVE_ADD(writer, ORDER, uint32, writer->order);
}

static void add_members(struct archive_writer *writer, const struct trace_call *call, unsigned carries)
{
    bool op = (call_row(call->call)->allowed & F_OP) && call->rma.op > 0 && call->rma.op < TRACE_OP_COUNT;
    bool neighbors = call_row(call->call)->allowed & F_NEIGHBORS;
    if (!(carries & CARRIES_HANDLE) && call->handle != TRACE_NONE) {
        if (call_row(call->call)->allowed & F_WIN)
            ARCHIVE_ADD(writer, WIN, rmaWinRef, (uint32_t)call->handle);
        else
            ARCHIVE_ADD(writer, COMM, commRef, (uint32_t)call->handle);
    }
    if (!(carries & CARRIES_PEER) && call->peer != TRACE_NONE) ARCHIVE_ADD(writer, PEER, int32, call->peer);
    if (op) ARCHIVE_ADD(writer, OP, stringRef, archive_op_string(call->rma.op));
    if (neighbors && call->collective.neighbors >= 0)
        ARCHIVE_ADD(writer, NEIGHBORS, stringRef, archive_counts_string(writer->trace, call->collective.neighbors));
    if (!op && !neighbors && !(carries & CARRIES_TAG) && call->message.tag != 0)
        ARCHIVE_ADD(writer, TAG, int32, call->message.tag);
    if (!(carries & CARRIES_BYTES) && call->bytes != 0) ARCHIVE_ADD(writer, BYTES, uint64, (uint64_t)call->bytes);
    if (!(carries & CARRIES_AUX) && call->any.second != 0)
        ARCHIVE_ADD(writer, RESULT_BYTES, uint64, (uint64_t)call->any.second);
    if (!(carries & CARRIES_REF) && call->ref != TRACE_NO_REF) ARCHIVE_ADD(writer, REF, uint32, call->ref);
    add_disp(writer, call, carries);
    if (call->flags & TRACE_ASSERTIONS) ARCHIVE_ADD(writer, ASSERT, uint16, (uint16_t)(call->flags & TRACE_ASSERTIONS));
    if (call->site != TRACE_NO_SITE) ARCHIVE_ADD(writer, SITE, stringRef, archive_site_string(call->site));
}

static void add_window(struct archive_writer *writer, const struct trace_call *call)
{
    const struct trace_window *window = &writer->trace->definitions.windows[call->handle];
    struct archive_window *state = &writer->windows[call->handle];
    int32_t member = trace_comm_rank(&writer->trace->definitions.comms[window->comm], (int32_t)writer->rank);
    if (window->bytes) ARCHIVE_ADD(writer, WIN_SIZE, uint64, (uint64_t)window->bytes[member]);
    if (window->disp_unit) ARCHIVE_ADD(writer, DISP_UNIT, int32, window->disp_unit[member]);
    ARCHIVE_ADD(writer, FLAVOR, uint8, (uint8_t)window->flavor);
    state->creators += state->last_creator != writer->rank + 1;
    state->last_creator = writer->rank + 1;
}

/* Differences wrap, and wrap back when read: every pair of times survives. */
static void add_time(struct archive_writer *writer, enum archive_attribute id, int64_t enter_ps, int64_t time_ps)
{
    if (time_ps == TRACE_UNKNOWN_PS) return;
    archive_add(writer, id, (OTF2_AttributeValue){.int64 = (int64_t)((uint64_t)time_ps - (uint64_t)enter_ps)});
}

static void add_extents(struct archive_writer *writer, size_t index)
{
    if (!(writer->process->calls[index].flags & TRACE_GAPS)) return;
    struct trace_extents extents = trace_call_extents(writer->trace, writer->rank, index);
    for (unsigned i = 0; i < TRACE_BUFFERS; i++)
        if (extents.of[i] != 0)
            archive_add(writer, ATTRIBUTE_ORIGIN_EXTENT + i, (OTF2_AttributeValue){.uint64 = (uint64_t)extents.of[i]});
}

void archive_add_enter(struct archive_writer *writer, size_t index, const struct archive_kind *kind, unsigned carries)
{
    const struct trace_call *call = &writer->process->calls[index];
    add_order(writer, index);
    if (call_is_thread(call->call))
        add_primitive(writer, call);
    else
        add_members(writer, call, carries);
    if (kind->shape == SHAPE_WIN_CREATE) add_window(writer, call);
    add_extents(writer, index);
    /* Attributes have the order of enum trace_before. */
    for (unsigned b = 0; b < BEFORE_COUNT; b++) {
        const int64_t *ps = writer->process->before_ps[b];
        if (ps && ps[index] != TRACE_UNKNOWN_PS)
            archive_add(writer, ATTRIBUTE_CPU + b, (OTF2_AttributeValue){.int64 = ps[index]});
    }
    if (!writer->process->sim) return;
    const struct trace_sim *sim = &writer->process->sim[index];
    add_time(writer, ATTRIBUTE_XFER_START, call->enter_ps, sim->xfer_start_ps);
    add_time(writer, ATTRIBUTE_XFER_END, call->enter_ps, sim->xfer_end_ps);
    add_time(writer, ATTRIBUTE_BASE_END, call->enter_ps, sim->base_end_ps);
    add_time(writer, ATTRIBUTE_EXTENDED_END, call->enter_ps, sim->extended_end_ps);
    add_time(writer, ATTRIBUTE_XFER_LEAST, call->enter_ps, sim->xfer_least_ps);
}

void archive_add_leave(struct archive_writer *writer, size_t index)
{
    const struct trace_sim *sim = writer->process->sim;
    if (!sim) return;
    int64_t enter_ps = writer->process->calls[index].enter_ps;
    if (sim[index].blocked_ps != 0) ARCHIVE_ADD(writer, BLOCKED, int64, sim[index].blocked_ps);
    add_time(writer, ATTRIBUTE_PROGRESS_FROM, enter_ps, sim[index].progress_from_ps);
    add_time(writer, ATTRIBUTE_PROGRESS_UNTIL, enter_ps, sim[index].progress_until_ps);
    add_time(writer, ATTRIBUTE_AWAITED_POST, enter_ps, sim[index].awaited_post_ps);
    add_time(writer, ATTRIBUTE_RELEASED, enter_ps, sim[index].released_ps);
}
