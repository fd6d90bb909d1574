/* The marks of a view among the records of a rank. */
#include "trace/otf2/write.h"

static void write_sync(struct archive_writer *writer, const struct otf2_mark *mark, OTF2_RmaSyncType type)
{
    const struct trace *trace = writer->trace;
    const struct trace_comm *comm = &trace->definitions.comms[trace->definitions.windows[mark->window].comm];
    OTF2_AttributeValue id = {.uint64 = mark->number};
    ARCHIVE_TRY(writer, OTF2_AttributeList_AddAttribute(writer->mark_list, ATTRIBUTE_RMA_ID, OTF2_TYPE_UINT64, id));
    ARCHIVE_TRY(writer,
                OTF2_EvtWriter_RmaSync(writer->out, writer->mark_list, archive_time(writer, mark->time_ps),
                                       (uint32_t)mark->window, (uint32_t)trace_comm_rank(comm, mark->peer), type));
}

static void write_acquire(struct archive_writer *writer, const struct otf2_mark *mark)
{
    const struct trace_comm *comm =
        &writer->trace->definitions.comms[writer->trace->definitions.windows[mark->window].comm];
    bool all = mark->peer == TRACE_NONE;
    uint32_t target = all ? OTF2_UNDEFINED_UINT32 : (uint32_t)trace_comm_rank(comm, mark->peer);
    ARCHIVE_TRY(writer, OTF2_EvtWriter_RmaAcquireLock(writer->out, NULL, archive_time(writer, mark->time_ps),
                                                      (uint32_t)mark->window, target, 0,
                                                      mark->number ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
}

static void write_mark(struct archive_writer *writer, const struct otf2_mark *mark)
{
    uint64_t time = archive_time(writer, mark->time_ps);
    uint32_t window = (uint32_t)mark->window, peer = (uint32_t)mark->peer, tag = (uint32_t)mark->number;
    uint32_t comm = archive_arrow_comm(writer->trace, mark->arrow);
    OTF2_EvtWriter *out = writer->out;
    switch ((enum otf2_mark_kind)mark->kind) {
    case OTF2_MARK_IN: write_sync(writer, mark, OTF2_RMA_SYNC_TYPE_NOTIFY_IN); return;
    case OTF2_MARK_OUT: write_sync(writer, mark, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT); return;
    case OTF2_MARK_DONE:
        ARCHIVE_TRY(writer, OTF2_EvtWriter_RmaOpCompleteNonBlocking(out, NULL, time, window, mark->number));
        return;
    case OTF2_MARK_DONE_AT_ONCE:
        ARCHIVE_TRY(writer, OTF2_EvtWriter_RmaOpCompleteBlocking(out, NULL, time, window, mark->number));
        return;
    case OTF2_MARK_DONE_REMOTELY:
        ARCHIVE_TRY(writer, OTF2_EvtWriter_RmaOpCompleteRemote(out, NULL, time, window, mark->number));
        return;
    case OTF2_MARK_ACQUIRE: write_acquire(writer, mark); return;
    case OTF2_MARK_SEND:
        ARCHIVE_TRY(writer, OTF2_EvtWriter_MpiSend(out, NULL, time, peer, comm, tag, (uint64_t)mark->bytes));
        return;
    case OTF2_MARK_RECEIVE:
        ARCHIVE_TRY(writer, OTF2_EvtWriter_MpiRecv(out, NULL, time, peer, comm, tag, (uint64_t)mark->bytes));
        return;
    }
}

static void write_marks(struct archive_writer *writer, size_t slot, uint64_t time, bool implied)
{
    size_t line = writer->view->first_line[writer->rank] + writer->thread, *next = &writer->mark_next[writer->thread];
    const struct otf2_marks *marks = &writer->view->lines[line];
    for (; *next < marks->count; ++*next) {
        const struct otf2_mark *mark = &marks->items[*next];
        uint64_t at = archive_time(writer, mark->time_ps);
        bool taken = at < time || (implied && at == time && !otf2_mark_is_effect(mark, writer->rank));
        if (mark->slot > slot || (mark->slot == slot && !taken)) return;
        write_mark(writer, mark);
    }
}

void archive_write_marks(struct archive_writer *writer, size_t slot, uint64_t time)
{
    write_marks(writer, slot, time, false);
}

void archive_write_implied(struct archive_writer *writer, int64_t time_ps)
{
    if (writer->view) write_marks(writer, writer->mark_slot, archive_time(writer, time_ps), true);
}
