/* docs/simulation.md, OpenSHMEM: the heap is a window that every PE has locked for all from the beginning. */
#include "tests/reference/operation.h"

static bool is_heap(const struct model *model, size_t window)
{
    return model->trace->definitions.windows[window].flavor == 'h';
}

void shmem_open_heaps(struct model *model)
{
    for (size_t w = 0; w < model->trace->definitions.window_count; w++) {
        const struct trace_comm *comm = &model->trace->definitions.comms[model->trace->definitions.windows[w].comm];
        for (uint32_t i = 0; is_heap(model, w) && i < comm->count; i++) {
            uint32_t origin = (uint32_t)comm->members[i];
            struct epoch *epoch = epoch_new(model, EPOCH_LOCK, (int32_t)w, origin, comm->members, comm->count);
            for (uint32_t k = 0; k < epoch->access_count; k++) {
                epoch->accesses[k].open = true;
                pair_of(model, (int32_t)w, origin, epoch->accesses[k].target)->lock = &epoch->accesses[k];
            }
        }
    }
}

/* --- operations --- */

static void operation(struct model *model, struct rank *rank, const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool waits = kind != CALL_SHMEM_PUT_NBI && kind != CALL_SHMEM_GET_NBI;
    struct access *access = pair_of(model, call->handle, rank->number, (uint32_t)call->peer)->lock;
    struct op *op = model_new(model, sizeof *op);
    *op = (struct op){.kind = call_operation(kind), .access = access, .bytes = call->bytes, .acknowledged = true};
    op->result_bytes = op->kind == CALL_GET ? call->bytes : call->rma.result_bytes;
    op->signals = call_puts_signal(call->call);
    op->has_request = waits || call_makes_request(call->call); /* the moment at which it has left is an event */
    if (call_makes_request(call->call)) rank->requests[call->ref].op = op;
    rank_pay_overhead(model, rank);
    rank->heap_ops[call - rank->recorded->calls] = op;
    access_append(op);
    access_pump(model, access);
    if (waits) rank_await(model, rank, op_is_local_now, op);
}

static bool all_is_known(const struct model *model, const void *what)
{
    const struct rank *rank = what;
    for (size_t w = 0; w < model->trace->definitions.window_count; w++)
        for (uint32_t target = 0; is_heap(model, w) && target < model->rank_count; target++) {
            const struct access *access = pair_of(model, (int32_t)w, rank->number, target)->lock;
            if (access && !access_is_known(model, access)) return false;
        }
    return true;
}

/* --- waiting for a write --- */

struct awaited {
    struct op **op;
};

static bool is_written(const struct model *model, const void *what)
{
    const struct op *op = *((const struct awaited *)what)->op;
    (void)model;
    return op && op->written;
}

static bool writes_to(const struct trace_call *call, const struct rank *rank, const struct trace_call *wait)
{
    enum call_kind kind = call_kind(call->call);
    bool writes =
        kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_PUT_NBI || kind == CALL_SHMEM_ATOMIC || kind == CALL_SHMEM_FETCH;
    int64_t bytes = call_puts_signal(call->call) ? 1 : call->bytes; /* its displacement is the signal's */
    return writes && call->handle == wait->handle && call->peer == (int32_t)rank->number &&
           call->rma.disp <= wait->shmem.disp && wait->shmem.disp < call->rma.disp + bytes && call->enter_ps <= wait->exit_ps;
}

static bool signals(const struct trace_call *call, uint32_t target, int64_t disp)
{
    return call_puts_signal(call->call) && call->peer == (int32_t)target && call->rma.disp == disp;
}

/* The put whose signal the wait waits for: where one rank puts to the place as often as its owner waits there, the n-th. */
static struct op **find_signal(const struct model *model, const struct rank *rank, const struct trace_call *wait)
{
    size_t waits = 0, puts = 0, number = 0;
    uint32_t origins = 0;
    struct op **found = NULL;
    for (const struct trace_call *own = rank->recorded->calls; own < rank->recorded->calls + rank->recorded->count; own++) {
        if (own == wait) number = waits;
        waits += own->call == wait->call && own->shmem.disp == wait->shmem.disp;
    }
    for (uint32_t r = 0; wait->call == ID_shmem_signal_wait_until && r < model->rank_count; r++) {
        size_t before = puts;
        for (size_t i = 0; i < model->ranks[r].recorded->count; i++) {
            if (!signals(&model->ranks[r].recorded->calls[i], rank->number, wait->shmem.disp)) continue;
            if (puts++ == number) found = &model->ranks[r].heap_ops[i];
        }
        origins += puts > before;
    }
    return origins == 1 && puts == waits ? found : NULL;
}

/* The last one that had begun before the wait returned. */
static void await_write(struct model *model, struct rank *rank, const struct trace_call *wait)
{
    int64_t last_ps = -1;
    struct awaited awaited = {find_signal(model, rank, wait)};
    if (awaited.op) {
        rank_await(model, rank, is_written, &awaited);
        return;
    }
    for (uint32_t r = 0; r < model->rank_count; r++)
        for (size_t i = 0; i < model->ranks[r].recorded->count; i++) {
            const struct trace_call *call = &model->ranks[r].recorded->calls[i];
            if (!writes_to(call, rank, wait) || call->enter_ps < last_ps) continue;
            last_ps = call->enter_ps;
            awaited.op = &model->ranks[r].heap_ops[i];
        }
    if (awaited.op) rank_await(model, rank, is_written, &awaited);
}

/* --- locks: all are kept by the first PE --- */

struct keeper {
    int32_t window;
    uint32_t number, rank; /* of the lock, who keeps it */
    struct asker *holder, *first, *last;
    struct keeper *next;
};

struct asker {
    struct keeper *keeper;
    uint32_t rank;
    bool granted;
    struct asker *next;
};

static struct keeper *keeper_of(struct model *model, const struct trace_call *call)
{
    struct keeper *keeper = model->keepers;
    while (keeper && (keeper->window != call->handle || keeper->number != call->ref)) keeper = keeper->next;
    if (keeper) return keeper;
    keeper = model_new(model, sizeof *keeper);
    *keeper = (struct keeper){.window = call->handle, .number = call->ref, .next = model->keepers};
    keeper->rank = (uint32_t)trace_call_comm(model->trace, call)->members[0];
    return model->keepers = keeper;
}

static void granted(struct model *model, void *what)
{
    (void)model;
    ((struct asker *)what)->granted = true;
}

static void grant_arrives(struct model *model, void *what)
{
    const struct asker *asker = what;
    rank_serve(model, (struct arrival){asker->keeper->rank, asker->rank, SERVICE_NOTIFICATION, 0}, granted, what);
}

static void grant_next(struct model *model, struct keeper *keeper)
{
    struct asker *asker = keeper->first;
    if (keeper->holder || !asker) return;
    keeper->holder = asker;
    keeper->first = asker->next;
    network_send_control(model, keeper->rank, asker->rank, true, grant_arrives, asker);
}

static void asked(struct model *model, void *what)
{
    struct asker *asker = what;
    struct keeper *keeper = asker->keeper;
    *(keeper->first ? &keeper->last->next : &keeper->first) = asker;
    keeper->last = asker;
    grant_next(model, keeper);
}

static void request_arrives(struct model *model, void *what)
{
    const struct asker *asker = what;
    rank_serve(model, (struct arrival){asker->rank, asker->keeper->rank, SERVICE_LOCK, 0}, asked, what);
}

static void released(struct model *model, void *what)
{
    struct keeper *keeper = what;
    keeper->holder = NULL;
    grant_next(model, keeper);
}

static void release_arrives(struct model *model, void *what)
{
    struct keeper *keeper = what;
    rank_serve(model, (struct arrival){keeper->holder->rank, keeper->rank, SERVICE_RELEASE, 0}, released, what);
}

static bool is_granted(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct asker *)what)->granted;
}

static void set_lock(struct model *model, struct rank *rank, struct keeper *keeper)
{
    struct asker *asker = model_new(model, sizeof *asker);
    *asker = (struct asker){.keeper = keeper, .rank = rank->number};
    if (rank->number != keeper->rank) rank_pay_overhead(model, rank);
    network_send_control(model, rank->number, keeper->rank, true, request_arrives, asker);
    rank_await(model, rank, is_granted, asker);
}

static void clear_lock(struct model *model, struct rank *rank, struct keeper *keeper)
{
    rank_await(model, rank, all_is_known, rank);
    if (rank->number != keeper->rank) rank_pay_overhead(model, rank);
    network_send_control(model, rank->number, keeper->rank, false, release_arrives, keeper);
}

void do_shmem(struct model *model, struct rank *rank, const struct trace_call *call)
{
    switch (call_kind(call->call)) {
    case CALL_SHMEM_FENCE: break;
    case CALL_SHMEM_QUIET: rank_await(model, rank, all_is_known, rank); break;
    case CALL_SHMEM_WAIT: await_write(model, rank, call); break;
    case CALL_SHMEM_SET_LOCK: set_lock(model, rank, keeper_of(model, call)); break;
    case CALL_SHMEM_CLEAR_LOCK: clear_lock(model, rank, keeper_of(model, call)); break;
    case CALL_SHMEM_BARRIER:
        rank_await(model, rank, all_is_known, rank);
        do_collective(model, rank, call);
        break;
    default: operation(model, rank, call);
    }
}
