/* A program as the trace that a recorder would have made of it. Recorded times are computing times and whatever a call
 * may have lasted; replay takes only the former. */
#include <stdio.h>

#include "tests/property/program_parts.h"

enum { COMPUTE_MAX_US = 200, TESTS_MAX = 3, OPERATIONS_MAX = 4 };

static enum status write_phase(struct writer *writer, const struct phase *phase, struct err *err);

uint32_t members_of_comm(const struct program *program, uint32_t comm)
{
    return program->comm_members[comm] & program->alive;
}

uint32_t members_of_window(const struct program *program, uint32_t window)
{
    if (!(program->windows_alive >> window & 1)) return 0;
    return members_of_comm(program, program->window_comm[window]);
}

static uint32_t group_size(uint32_t set)
{
    return (uint32_t)__builtin_popcount(set);
}

uint32_t list_ranks(const struct writer *writer, uint32_t set, int32_t ranks[RANKS_MAX])
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(set, r)) ranks[count++] = (int32_t)writer->rank_of[r];
    return count;
}

struct trace_call new_call(enum mpi_call call, int32_t handle)
{
    return (struct trace_call){
        .call = (uint16_t)call, .handle = handle, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
}

/* Some of the computing up to until_ps in a region, which its rank enters and leaves outside the library. */
static enum status put_region(struct writer *writer, uint32_t rank, int64_t until_ps, struct err *err)
{
    int64_t now_ps = writer->now_ps[rank];
    if (!writer->program->regions || !random_chance(&writer->gaps[rank], 30)) return STATUS_OK;
    struct trace_call region = new_call(ID_region_enter, TRACE_NONE);
    TRY(trace_add_region(writer->trace, "work", &region.ref, err));
    region.enter_ps = region.exit_ps = now_ps + (until_ps - now_ps) / 3;
    TRY(trace_add_call(writer->trace, writer->rank_of[rank], &region, err));
    region.call = ID_region_leave;
    region.enter_ps = region.exit_ps = now_ps + (until_ps - now_ps) / 3 * 2;
    return trace_add_call(writer->trace, writer->rank_of[rank], &region, err);
}

/* Half of what is before the rank's last call, if the gap is odd. */
static enum status put_slept(struct writer *writer, uint32_t rank, int64_t gap_ps, struct err *err)
{
    const struct trace_rank *process = &writer->trace->ranks[rank];
    size_t last = process->count - 1;
    if (!writer->program->sleeps || last == 0 || gap_ps % 2 == 0) return STATUS_OK;
    int64_t slept_ps = (process->calls[last].enter_ps - process->calls[last - 1].exit_ps) / 2;
    return slept_ps > 0 ? trace_set_before(writer->trace, rank, last, BEFORE_SLEPT, slept_ps, err) : STATUS_OK;
}

enum status put(struct writer *writer, uint32_t rank, struct trace_call call, struct err *err)
{
    struct random *gaps = &writer->gaps[rank];
    int64_t gap_ps = random_chance(gaps, 50) ? (int64_t)random_next(gaps) % ((int64_t)COMPUTE_MAX_US * US) : 0;
    int64_t lasts_ps = random_chance(gaps, 50) ? US : 0;
    if (gap_ps < 0) gap_ps = -gap_ps;
    call.enter_ps = writer->now_ps[rank] + (writer->program->computes ? gap_ps : 0);
    TRY(put_region(writer, rank, call.enter_ps, err));
    call.exit_ps = writer->now_ps[rank] = call.enter_ps + lasts_ps;
    TRY(trace_add_call(writer->trace, writer->rank_of[rank], &call, err));
    return put_slept(writer, writer->rank_of[rank], gap_ps, err);
}

static enum status put_plain(struct writer *writer, uint32_t rank, enum mpi_call call, int32_t handle, struct err *err)
{
    return put(writer, rank, new_call(call, handle), err);
}

enum status put_all(struct writer *writer, uint32_t members, struct trace_call call, struct err *err)
{
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(members, r)) TRY(put(writer, r, call, err));
    return STATUS_OK;
}

static enum status put_group(struct writer *writer, uint32_t rank, enum mpi_call id, int32_t window, uint32_t set,
                             bool nocheck, struct err *err)
{
    int32_t ranks[RANKS_MAX];
    struct trace_call call = new_call(id, window);
    call.flags = nocheck ? TRACE_NOCHECK : 0;
    TRY(trace_add_group(writer->trace, ranks, list_ranks(writer, set, ranks), &call.ref, err));
    return put(writer, rank, call, err);
}

enum status put_tests(struct writer *writer, uint32_t rank, struct trace_call call, struct err *err)
{
    for (uint32_t n = random_below(&writer->gaps[rank], TESTS_MAX + 1); n > 0; n--) TRY(put(writer, rank, call, err));
    call.flags = TRACE_FLAG;
    return put(writer, rank, call, err);
}

static enum status put_flush(struct writer *writer, uint32_t rank, const struct item *item,
                             const struct trace_call *operation, struct err *err)
{
    if (item->flush == ID_Init) return STATUS_OK;
    struct trace_call flush = new_call(item->flush, operation->handle);
    if (call_row(item->flush)->needed & F_TARGET) flush.peer = (int32_t)writer->rank_of[item->target];
    return put(writer, rank, flush, err);
}

/* What fetches one element has eight bytes; an even size of the accumulate: it only fetches (MPI_NO_OP). */
static void fill_result(const struct item *item, struct trace_call *call)
{
    enum { ELEMENT_BYTES = 8 };
    if (call_kind(item->call) != CALL_GET_ACCUMULATE) return;
    bool one = item->call == ID_Fetch_and_op || item->call == ID_Compare_and_swap;
    if (one) call->bytes = ELEMENT_BYTES;
    call->rma.result_bytes = call->bytes;
    if (one || item->bytes % 2 == 1) return;
    call->rma.op = TRACE_OP_NO_OP;
    call->bytes = 0;
}

struct trace_call operation_call(const struct writer *writer, const struct phase *phase, const struct item *item)
{
    struct trace_call call = new_call(item->call, writer->window_of[phase->window]);
    call.peer = item->nowhere ? TRACE_NONE : (int32_t)writer->rank_of[item->target];
    call.bytes = item->bytes;
    call.rma.disp = 0;
    if (call_row(item->call)->allowed & F_OP) call.rma.op = TRACE_OP_SUM;
    fill_result(item, &call);
    return call;
}

/* Gaps of the buffers of a rank's last call, which the item and not its place decides. */
static enum status put_gaps(struct writer *writer, uint32_t rank, const struct phase *phase, const struct item *item,
                            const struct trace_call *call, struct err *err)
{
    struct random random = {phase->seed ^ (uint64_t)item->bytes << 16 ^ (uint64_t)item->target << 8 ^ item->origin};
    struct trace_extents extents = {{0}};
    bool two_sides = call_kind_rows[call_kind(call->call)].buffers >> TRACE_TARGET & 1;
    for (int i = TRACE_ORIGIN; two_sides && call->bytes > 0 && i <= TRACE_TARGET; i++)
        if (random_chance(&random, 25)) extents.of[i] = 2 * call->bytes;
    uint32_t number = writer->rank_of[rank];
    return trace_set_extents(writer->trace, number, writer->trace->ranks[number].count - 1, &extents, err);
}

/* The operations of one rank in `slot`. targets: who may still be one. */
static enum status put_operations(struct writer *writer, const struct phase *phase, uint32_t rank, uint32_t targets,
                                  uint32_t slot, struct err *err)
{
    uint32_t requests[OPERATIONS_MAX], open = 0;
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        if (item->kind != ITEM_OPERATION || item->origin != rank || item->slot != slot || !in(targets, item->target))
            continue;
        struct trace_call call = operation_call(writer, phase, item);
        if (call_makes_request(item->call)) call.ref = requests[open++] = writer->next_request[rank]++;
        TRY(put(writer, rank, call, err));
        TRY(put_gaps(writer, rank, phase, item, &call, err));
        if (!phase->together || open == OPERATIONS_MAX) {
            TRY(put_waits(writer, rank, requests, open, phase->tests, err));
            open = 0;
        }
        TRY(put_flush(writer, rank, item, &call, err));
    }
    return put_waits(writer, rank, requests, open, phase->tests, err);
}

/* --- post, start, complete, wait --- */

struct pscw {
    const struct phase *phase;
    int32_t window;
    uint32_t members;
};

static uint32_t targets_of(const struct pscw *pscw, uint32_t rank)
{
    return pscw->phase->targets[rank] & pscw->members;
}

static uint32_t origins_of(const struct pscw *pscw, uint32_t rank)
{
    uint32_t origins = 0;
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(pscw->members, r) && in(pscw->phase->targets[r], rank)) origins |= 1u << r;
    return origins;
}

static enum status put_post(struct writer *writer, const struct pscw *pscw, uint32_t rank, struct err *err)
{
    uint32_t origins = origins_of(pscw, rank);
    if (!origins && !pscw->phase->empty_groups) return STATUS_OK;
    return put_group(writer, rank, ID_Win_post, pscw->window, origins, pscw->phase->nocheck, err);
}

static enum status put_start(struct writer *writer, const struct pscw *pscw, uint32_t rank, struct err *err)
{
    uint32_t targets = targets_of(pscw, rank);
    if (!targets && !pscw->phase->empty_groups) return STATUS_OK;
    TRY(put_group(writer, rank, ID_Win_start, pscw->window, targets, pscw->phase->nocheck, err));
    return put_operations(writer, pscw->phase, rank, targets, 0, err);
}

static enum status put_complete(struct writer *writer, const struct pscw *pscw, uint32_t rank, struct err *err)
{
    if (!targets_of(pscw, rank) && !pscw->phase->empty_groups) return STATUS_OK;
    return put_plain(writer, rank, ID_Win_complete, pscw->window, err);
}

static enum status put_wait(struct writer *writer, const struct pscw *pscw, uint32_t rank, struct err *err)
{
    if (!origins_of(pscw, rank) && !pscw->phase->empty_groups) return STATUS_OK;
    if (pscw->phase->tests) return put_tests(writer, rank, new_call(ID_Win_test, pscw->window), err);
    return put_plain(writer, rank, ID_Win_wait, pscw->window, err);
}

typedef enum status pscw_call(struct writer *, const struct pscw *, uint32_t rank, struct err *);
enum { PSCW_CALLS = 4 };
static pscw_call *const pscw_orders[][PSCW_CALLS] = {
    [ORDER_POST_FIRST] = {put_post, put_start, put_complete, put_wait},
    [ORDER_START_FIRST] = {put_start, put_complete, put_post, put_wait},
    [ORDER_WAIT_FIRST] = {put_post, put_start, put_wait, put_complete},
};

enum status write_inner(struct writer *writer, const struct phase *outer, struct err *err)
{
    const struct program *program = writer->program;
    for (size_t i = 0; i < program->phase_count; i++)
        if (program->phases[i].outer == outer->id && &program->phases[i] != outer)
            TRY(write_phase(writer, &program->phases[i], err));
    return STATUS_OK;
}

static enum status write_pscw(struct writer *writer, const struct phase *phase, struct err *err)
{
    struct pscw pscw = {phase, writer->window_of[phase->window], members_of_window(writer->program, phase->window)};
    struct trace_call barrier = new_call(ID_Barrier, writer->comm_of[writer->program->window_comm[phase->window]]);
    for (int k = 0; k < PSCW_CALLS; k++) {
        if (k == 1 && phase->nocheck) TRY(put_all(writer, pscw.members, barrier, err));
        if (k == 2) TRY(write_inner(writer, phase, err));
        for (uint32_t r = 0; r < RANKS_MAX; r++)
            if (in(pscw.members, r)) TRY(pscw_orders[phase->order][k](writer, &pscw, r, err));
    }
    return STATUS_OK;
}

/* --- fence, locks --- */

static enum status write_fence(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t members = members_of_window(writer->program, phase->window);
    struct trace_call fence = new_call(ID_Win_fence, writer->window_of[phase->window]);
    for (uint32_t k = 0; k <= phase->epochs; k++) {
        fence.flags = (uint16_t)((k == 0 ? phase->first_flags : 0) | (k == phase->epochs ? phase->last_flags : 0));
        TRY(put_all(writer, members, fence, err));
        for (uint32_t r = 0; k < phase->epochs && r < RANKS_MAX; r++)
            if (in(members, r)) TRY(put_operations(writer, phase, r, members, k, err));
    }
    return STATUS_OK;
}

static enum status put_lock(struct writer *writer, const struct phase *phase, const struct item *item, bool unlock,
                            struct err *err)
{
    bool all = item->call == ID_Win_lock_all;
    struct trace_call call = new_call(item->call, writer->window_of[phase->window]);
    if (!all) call.peer = (int32_t)writer->rank_of[item->target];
    call.flags = item->flags;
    if (unlock) {
        call.call = all ? ID_Win_unlock_all : ID_Win_unlock;
        call.flags = 0;
    }
    return put(writer, item->origin, call, err);
}

static bool is_lock(const struct item *item, uint32_t members)
{
    return item->kind == ITEM_LOCK && in(members, item->origin) && in(members, item->target);
}

/* The first lock item of the rank for the target; NULL: none. */
static const struct item *find_lock(const struct phase *phase, uint32_t members, uint32_t rank, uint32_t target)
{
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        if (is_lock(item, members) && item->origin == rank && item->target == target) return item;
    }
    return NULL;
}

/* Every rank takes its locks by ascending target and gives them back in this order, with nothing between that would
 * make a lazy lock ask earlier: nobody waits in a circle. Barriers keep lock_alls of other phases away, which ask for
 * all at once. */
static enum status write_nested(struct writer *writer, const struct phase *phase, uint32_t members, struct err *err)
{
    struct trace_call barrier = new_call(ID_Barrier, writer->comm_of[writer->program->window_comm[phase->window]]);
    TRY(put_all(writer, members, barrier, err));
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        for (int step = 0; step < 3; step++)
            for (uint32_t k = 0; k < RANKS_MAX; k++) {
                const struct item *item = find_lock(phase, members, r, k);
                if (!item) continue;
                TRY(step == 1 ? put_operations(writer, phase, r, 1u << k, item->slot, err)
                              : put_lock(writer, phase, item, step == 2, err));
            }
    return put_all(writer, members, barrier, err);
}

static enum status write_locks(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t members = members_of_window(writer->program, phase->window);
    if (phase->nested) return write_nested(writer, phase, members, err);
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        if (!is_lock(item, members)) continue;
        uint32_t targets = item->call == ID_Win_lock_all ? members : 1u << item->target;
        TRY(put_lock(writer, phase, item, false, err));
        TRY(put_operations(writer, phase, item->origin, targets, item->slot, err));
        TRY(put_lock(writer, phase, item, true, err));
    }
    return STATUS_OK;
}

/* --- the whole program --- */

static enum status write_phase(struct writer *writer, const struct phase *phase, struct err *err)
{
    bool one_sided = phase->kind == PHASE_PSCW || phase->kind == PHASE_FENCE || phase->kind == PHASE_LOCK;
    if ((one_sided ? writer->window_of[phase->window] : writer->comm_of[phase->comm]) == TRACE_NONE) return STATUS_OK;
    for (uint32_t r = 0; r < RANKS_MAX; r++) writer->gaps[r].state = phase->seed + r;
    switch (phase->kind) {
    case PHASE_PSCW: return write_pscw(writer, phase, err);
    case PHASE_FENCE: return write_fence(writer, phase, err);
    case PHASE_LOCK: return write_locks(writer, phase, err);
    case PHASE_MESSAGES: return write_messages(writer, phase, err);
    case PHASE_THREADS: return write_threads(writer, phase, err);
    case PHASE_SHMEM: return write_shmem(writer, phase, err);
    case PHASE_COMM: return write_comm(writer, phase, err);
    default: return write_collective(writer, phase, err);
    }
}

static bool is_inner(const struct program *program, const struct phase *phase)
{
    for (size_t i = 0; i < program->phase_count; i++)
        if (program->phases[i].id == phase->outer) return phase->outer != phase->id;
    return false;
}

static enum status open_comms(struct writer *writer, struct err *err)
{
    const struct program *program = writer->program;
    for (uint32_t c = 0; c < program->comms; c++) {
        int32_t ranks[RANKS_MAX];
        uint32_t members = members_of_comm(program, c), count = list_ranks(writer, members, ranks);
        writer->comm_of[c] = count ? 0 : TRACE_NONE;
        if (c == 0 || count == 0) continue;
        TRY(trace_add_comm(writer->trace, ranks, count, &writer->comm_of[c], err));
        struct trace_call call = new_call(ID_Comm_split, 0);
        for (uint32_t r = 0; r < RANKS_MAX; r++) {
            if (!in(program->alive, r)) continue;
            call.ref = in(members, r) ? (uint32_t)writer->comm_of[c] : TRACE_NO_REF;
            TRY(put(writer, r, call, err));
        }
    }
    return STATUS_OK;
}

static enum status open_windows(struct writer *writer, struct err *err)
{
    const struct program *program = writer->program;
    for (uint32_t w = 0; w < program->windows; w++) {
        writer->window_of[w] = TRACE_NONE;
        if (!members_of_window(program, w)) continue;
        int32_t comm = writer->comm_of[program->window_comm[w]];
        char flavor = program->window_flavor[w];
        TRY(trace_add_window(writer->trace, comm, NULL, NULL, flavor, &writer->window_of[w], err));
        struct trace_call call = new_call(flavor == 'a'   ? ID_Win_allocate
                                          : flavor == 's' ? ID_Win_allocate_shared
                                          : flavor == 'd' ? ID_Win_create_dynamic
                                                          : ID_Win_create,
                                          writer->window_of[w]);
        TRY(put_all(writer, members_of_window(program, w), call, err));
        call.call = flavor == 'd' ? ID_Win_attach : flavor == 's' ? ID_Win_shared_query : ID_Win_get_group;
        TRY(put_all(writer, members_of_window(program, w), call, err));
    }
    return STATUS_OK;
}

static enum status write_program(struct writer *writer, struct err *err)
{
    const struct program *program = writer->program;
    if (program->init) TRY(put_all(writer, program->alive, new_call(ID_Init, TRACE_NONE), err));
    TRY(open_comms(writer, err));
    TRY(open_windows(writer, err));
    if (program->subject == SUBJECT_SHMEM) TRY(trace_add_window(writer->trace, 0, NULL, NULL, 'h', &writer->heap, err));
    for (size_t i = 0; i < program->phase_count; i++)
        if (!is_inner(program, &program->phases[i])) TRY(write_phase(writer, &program->phases[i], err));
    for (uint32_t w = 0; w < program->windows; w++) {
        struct trace_call call = new_call(ID_Win_free, writer->window_of[w]);
        if (call.handle != TRACE_NONE) TRY(put_all(writer, members_of_window(program, w), call, err));
    }
    return program->init ? put_all(writer, program->alive, new_call(ID_Finalize, TRACE_NONE), err) : STATUS_OK;
}

enum status program_trace(const struct program *program, struct trace **trace, struct err *err)
{
    char name[64];
    struct writer writer = {.program = program};
    for (uint32_t r = 0, next = 0; r < RANKS_MAX; r++) {
        writer.rank_of[r] = next;
        next += in(program->alive, r);
        writer.gaps[r].state = program->seed + r;
    }
    snprintf(name, sizeof name, "seed %llu", (unsigned long long)program->seed);
    TRY(trace_new(name, group_size(program->alive), &writer.trace, err));
    enum status status = write_program(&writer, err);
    if (status == STATUS_OK) status = trace_sort_threads(writer.trace, err);
    if (status == STATUS_OK) status = trace_check(writer.trace, err);
    if (status != STATUS_OK) {
        trace_free(writer.trace);
        return status;
    }
    *trace = writer.trace;
    return STATUS_OK;
}
