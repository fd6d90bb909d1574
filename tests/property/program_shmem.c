/* OpenSHMEM: operations, locks, waiting for a write of another PE, barriers; on one heap of all ranks. Items are
 * written one after another, as in program_threads.c; each wait has an address of its own. */
#include "tests/property/program_parts.h"

enum { ITEMS_MAX = 14, PLACE_BYTES = 1 << 21, LOCKS = 2 };

enum status make_shmem(struct random *random, uint32_t members, struct phase *phase, struct err *err)
{
    static const enum mpi_call calls[] = {
        ID_shmem_put,        ID_shmem_put_nbi,          ID_shmem_get,        ID_shmem_get_nbi,  ID_shmem_atomic_add,
        ID_shmem_atomic_set, ID_shmem_atomic_fetch_add, ID_shmem_wait_until, ID_shmem_set_lock, ID_shmem_quiet,
        ID_shmem_fence,      ID_shmem_barrier_all,      ID_shmem_sync_all,
    };
    for (uint32_t n = random_below(random, ITEMS_MAX); n > 0; n--) {
        struct item item = {
            .kind = ITEM_SHMEM,
            .call = calls[random_below(random, sizeof calls / sizeof *calls)],
            .origin = random_member(random, members),
            .target = random_member(random, members),
            .bytes = random_bytes(random),
            .slot = random_below(random, LOCKS),
        };
        TRY(add_item(phase, &item, err));
    }
    return STATUS_OK;
}

static struct trace_call operation(struct writer *writer, const struct item *item, enum mpi_call id)
{
    struct trace_call call = new_call(id, writer->heap);
    uint32_t allowed = call_row(id)->allowed | call_row(id)->needed;
    bool one = call_kind(id) == CALL_SHMEM_ATOMIC || call_kind(id) == CALL_SHMEM_FETCH;
    call.peer = (int32_t)writer->rank_of[item->target];
    call.bytes = one ? 8 : item->bytes;
    call.rma.disp = 0;
    if (allowed & F_RESULT_BYTES) call.rma.result_bytes = 8;
    if (allowed & F_OP) call.rma.op = id == ID_shmem_atomic_set ? TRACE_OP_REPLACE : TRACE_OP_SUM;
    return call;
}

/* A put of a word to a new place, and who waits for it; its call returns no earlier than the put began. */
static enum status write_wait(struct writer *writer, const struct item *item, struct err *err)
{
    struct trace_call call = operation(writer, item, ID_shmem_put), wait = new_call(item->call, writer->heap);
    call.bytes = 8;
    wait.shmem.disp = call.rma.disp = ++writer->places * (int64_t)PLACE_BYTES;
    TRY(put(writer, item->origin, call, err));
    int64_t *now_ps = &writer->now_ps[item->target];
    if (*now_ps < writer->now_ps[item->origin]) *now_ps = writer->now_ps[item->origin];
    return put(writer, item->target, wait, err);
}

static enum status write_lock(struct writer *writer, const struct item *item, struct err *err)
{
    struct trace_call call = new_call(ID_shmem_set_lock, writer->heap);
    call.ref = item->slot;
    TRY(put(writer, item->origin, call, err));
    TRY(put(writer, item->origin, operation(writer, item, ID_shmem_put), err));
    call.call = ID_shmem_clear_lock;
    return put(writer, item->origin, call, err);
}

enum status write_shmem(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t alive = writer->program->alive;
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        if (!in(alive, item->origin) || !in(alive, item->target)) continue;
        uint32_t needed = call_row(item->call)->needed;
        if (item->call == ID_shmem_wait_until)
            TRY(write_wait(writer, item, err));
        else if (item->call == ID_shmem_set_lock)
            TRY(write_lock(writer, item, err));
        else if (needed & F_COMM)
            TRY(put_all(writer, alive, new_call(item->call, 0), err));
        else if (needed & F_TARGET)
            TRY(put(writer, item->origin, operation(writer, item, item->call), err));
        else
            TRY(put(writer, item->origin, new_call(item->call, writer->heap), err));
    }
    return put_all(writer, alive, new_call(ID_shmem_quiet, writer->heap),
                   err); /* nothing is open when the program ends */
}
