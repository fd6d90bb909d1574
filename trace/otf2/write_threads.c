/* Records of thread primitives, as Score-P's pthread adapter writes them. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/otf2/write.h"

struct acquisition {
    int64_t exit_ps;
    size_t index; /* of the call */
    uint32_t mutex;
};

/* The mutex that a call has when it returns: also a spin lock, or a read-write lock of which it is the writer. Readers have
 * no records: these are of locks that one thread has. */
static bool acquires_mutex(const struct trace_call *call, uint32_t *mutex)
{
    enum call_kind kind = call_kind(call->call);
    bool waits = kind == CALL_COND_WAIT || kind == CALL_COND_TIMEDWAIT;
    bool takes = call_kind_rows[kind].does == CALL_TAKES && !call_works_on(kind, OBJECT_SEMAPHORE);
    *mutex = waits ? (uint32_t)call->primitive.mutex : call->primitive.object;
    if (call->flags & TRACE_BREAK) return false;
    return waits || (takes && (!(call_row(call->call)->needed & F_FLAG) || (call->flags & TRACE_FLAG)));
}

static bool releases_mutex(const struct trace_call *call, uint32_t *mutex)
{
    enum call_kind kind = call_kind(call->call);
    bool unlocks = kind == CALL_MUTEX_UNLOCK || kind == CALL_RW_UNLOCK;
    *mutex = unlocks ? call->primitive.object : (uint32_t)call->primitive.mutex;
    return unlocks || kind == CALL_COND_WAIT || kind == CALL_COND_TIMEDWAIT;
}

ORDER(by_mutex_and_time, struct acquisition, UP(mutex) UP(exit_ps) UP(index))

enum status archive_order_locks(struct archive_writer *writer)
{
    const struct trace_rank *rank = writer->process;
    struct acquisition *items = NULL;
    size_t count = 0, capacity = 0;
    map_empty(&writer->acquisitions);
    map_empty(&writer->held);
    enum status status = STATUS_OK;
    for (size_t i = 0; rank->thread_count > 0 && i < rank->count && status == STATUS_OK; i++) {
        struct acquisition item = {.exit_ps = rank->calls[i].exit_ps, .index = i};
        if (!acquires_mutex(&rank->calls[i], &item.mutex)) continue;
        status = array_reserve((void **)&items, &capacity, count + 1, sizeof *items, writer->err);
        if (status == STATUS_OK) items[count++] = item;
    }
    if (count > 0) qsort(items, count, sizeof *items, by_mutex_and_time);
    uint64_t order = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        order = i > 0 && items[i - 1].mutex == items[i].mutex ? order + 1 : 1;
        status = map_set(&writer->acquisitions, items[i].index, order, writer->err);
    }
    free(items);
    return status;
}

static uint64_t holding_key(uint32_t mutex, uint32_t thread)
{
    return (uint64_t)mutex << 16 | thread;
}

static enum status write_locks(struct archive_writer *writer, size_t index, uint32_t thread)
{
    const struct trace_call *call = &writer->process->calls[index];
    uint64_t order = 0; /* of a mutex that was locked before recording began */
    uint32_t mutex;
    if (releases_mutex(call, &mutex)) {
        bool known = map_take(&writer->held, holding_key(mutex, thread), &order);
        if (known || call_kind(call->call) != CALL_RW_UNLOCK)
            ARCHIVE_TRY(writer,
                        OTF2_EvtWriter_ThreadReleaseLock(writer->out, NULL, archive_time(writer, call->enter_ps),
                                                         OTF2_PARADIGM_PTHREAD, mutex, (uint32_t)order));
    }
    const uint64_t *acquired = map_find(&writer->acquisitions, index);
    if (!acquires_mutex(call, &mutex) || !acquired) return STATUS_OK;
    ARCHIVE_TRY(writer, OTF2_EvtWriter_ThreadAcquireLock(writer->out, NULL, archive_time(writer, call->exit_ps),
                                                         OTF2_PARADIGM_PTHREAD, mutex, (uint32_t)*acquired));
    return map_set(&writer->held, holding_key(mutex, thread), *acquired, writer->err);
}

enum status archive_write_primitive(struct archive_writer *writer, size_t index)
{
    const struct trace_call *call = &writer->process->calls[index];
    uint64_t enter = archive_time(writer, call->enter_ps), exit = archive_time(writer, call->exit_ps);
    uint32_t team = archive_team_comm(writer, writer->team);
    uint32_t thread = trace_call_thread(writer->trace, writer->rank, index);
    bool made = call->primitive.child != TRACE_NO_REF && call->primitive.child != 0; /* thread 0 has no creator */
    OTF2_EvtWriter *out = writer->out;
    switch (call_kind(call->call)) {
    case CALL_THREAD_CREATE:
        if (made) ARCHIVE_TRY(writer, OTF2_EvtWriter_ThreadCreate(out, NULL, enter, team, call->primitive.child));
        return STATUS_OK;
    case CALL_THREAD_JOIN:
        if (made) ARCHIVE_TRY(writer, OTF2_EvtWriter_ThreadWait(out, NULL, exit, team, call->primitive.child));
        return STATUS_OK;
    case CALL_THREAD_BEGIN:
        if (thread > 0) ARCHIVE_TRY(writer, OTF2_EvtWriter_ThreadBegin(out, NULL, enter, team, thread));
        return STATUS_OK;
    case CALL_THREAD_END:
        if (thread > 0) ARCHIVE_TRY(writer, OTF2_EvtWriter_ThreadEnd(out, NULL, enter, team, thread));
        return STATUS_OK;
    default: return write_locks(writer, index, thread);
    }
}
