#include "tests/reference/narrow.h"

static bool is_known(const struct phase *phase)
{
    return phase->kind == PHASE_COLLECTIVE || phase->kind == PHASE_PSCW || phase->kind == PHASE_FENCE ||
           phase->kind == PHASE_LOCK || phase->kind == PHASE_MESSAGES || phase->kind == PHASE_SHMEM;
}

/* Of a kind that the model knows: the phase's own, or in its place another one. */
static void narrow_collective(struct phase *phase)
{
    static const enum mpi_call known[] = {
        ID_Barrier, ID_Bcast,    ID_Reduce,     ID_Allreduce, ID_Gather,   ID_Scatter,   ID_Allgather, ID_Alltoall,
        ID_Gatherv, ID_Scatterv, ID_Scan,       ID_Exscan,    ID_Ibarrier, ID_Ibcast,    ID_Ireduce,   ID_Iallreduce,
        ID_Igather, ID_Iscatter, ID_Iallgather, ID_Ialltoall, ID_Igatherv, ID_Iscatterv, ID_Iscan,     ID_Iexscan};
    size_t count = sizeof known / sizeof *known, half = count / 2;
    for (size_t i = 0; i < count; i++)
        if (phase->call == known[i]) return;
    phase->call = known[phase->seed % half + (call_makes_request(phase->call) ? half : 0)];
}

/* Only receives find messages. */
static void narrow_phase(struct phase *phase)
{
    if (phase->kind == PHASE_COLLECTIVE) narrow_collective(phase);
    for (size_t i = 0; i < phase->item_count; i++)
        if (phase->items[i].kind == ITEM_MESSAGE && call_kind(phase->items[i].receive) != CALL_IRECV)
            phase->items[i].receive = ID_Recv;
}

void narrow_program(struct program *program)
{
    for (size_t i = program->phase_count; i > 0; i--)
        if (is_known(&program->phases[i - 1]))
            narrow_phase(&program->phases[i - 1]);
        else
            program_remove_phase(program, i - 1);
}

enum status narrow_trace(const struct trace *trace, struct trace **narrowed, struct err *err)
{
    struct trace *made;
    enum status status = STATUS_OK;
    TRY(trace_new_like(trace, &made, err));
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++) {
            if (call_kind(trace->ranks[r].calls[i].call) == CALL_COMM_CREATE) continue;
            status = trace_add_call(made, r, &trace->ranks[r].calls[i], err);
            const struct trace_extents extents = trace_call_extents(trace, r, i);
            if (status == STATUS_OK) status = trace_set_extents(made, r, made->ranks[r].count - 1, &extents, err);
            const int64_t *slept_ps = trace->ranks[r].before_ps[BEFORE_SLEPT];
            if (status == STATUS_OK && slept_ps && slept_ps[i] > 0)
                status = trace_set_before(made, r, made->ranks[r].count - 1, BEFORE_SLEPT, slept_ps[i], err);
        }
    if (status == STATUS_OK) status = trace_fit_slept(made, err); /* without the first call, time begins later */
    if (status == STATUS_OK) status = trace_check(made, err);
    if (status != STATUS_OK) {
        trace_free(made);
        return status;
    }
    *narrowed = made;
    return STATUS_OK;
}
