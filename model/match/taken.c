#include "model/match/taken.h"

#include <stdlib.h>

#include "common/search.h"
#include "model/match/fifo.h"
#include "model/match/messages.h"

struct pairing {
    const struct trace *trace;
    uint32_t rank;
    struct fifo probes;
    size_t *others;
    struct err *err;
};

static bool takes_part(const struct trace_call *call)
{
    return call->peer != TRACE_NONE && (message_taken_out(call) || message_receives_taken(call));
}

static enum status meet_call(struct pairing *pairing, size_t index, uint32_t thread)
{
    const struct trace_call *call = &pairing->trace->ranks[pairing->rank].calls[index];
    struct fifo_key key = {.a = (uint32_t)call->peer, .b = thread, .c = (uint32_t)call->handle, .d = (uint32_t)call->message.tag};
    if (message_taken_out(call)) return fifo_push(&pairing->probes, key, index, pairing->err);
    size_t probe = fifo_pop(&pairing->probes, key);
    if (probe == FIFO_EMPTY) return STATUS_OK;
    pairing->others[index] = probe;
    pairing->others[probe] = index;
    return STATUS_OK;
}

static enum status pair_own(struct pairing *pairing)
{
    const struct trace_rank *rank = &pairing->trace->ranks[pairing->rank];
    for (size_t i = 0; i < rank->count; i++)
        if (takes_part(&rank->calls[i]))
            TRY(meet_call(pairing, i, trace_call_thread(pairing->trace, pairing->rank, i)));
    return STATUS_OK;
}

struct moment {
    int64_t at_ps;
    size_t call;
};

ORDER(by_time, struct moment, UP(at_ps) UP(call))

enum status taken_order(const struct trace *trace, uint32_t rank, size_t **order, struct err *err)
{
    const struct trace_rank *calls = &trace->ranks[rank];
    struct moment *moments = malloc((calls->count + 1) * sizeof *moments);
    size_t *made = malloc((calls->count + 1) * sizeof *made);
    for (size_t i = 0; moments && i < calls->count; i++) {
        const struct trace_call *call = &calls->calls[i];
        enum call_kind kind = call_kind(call->call);
        bool probes = kind == CALL_PROBE || kind == CALL_IPROBE;
        moments[i] = (struct moment){probes ? call->exit_ps : call->enter_ps, i};
    }
    if (moments) qsort(moments, calls->count, sizeof *moments, by_time);
    for (size_t i = 0; moments && made && i < calls->count; i++) made[i] = moments[i].call;
    bool done = moments && made;
    free(moments);
    if (!done) free(made);
    if (!done) return err_memory(err);
    *order = made;
    return STATUS_OK;
}

/* Pairs the remaining calls as if one thread had made them. */
static enum status pair_handed(struct pairing *pairing)
{
    const struct trace_rank *rank = &pairing->trace->ranks[pairing->rank];
    size_t *order;
    TRY(taken_order(pairing->trace, pairing->rank, &order, pairing->err));
    enum status status = STATUS_OK;
    fifo_clear(&pairing->probes);
    for (size_t i = 0; status == STATUS_OK && i < rank->count; i++)
        if (pairing->others[order[i]] == TAKEN_NONE && takes_part(&rank->calls[order[i]]))
            status = meet_call(pairing, order[i], 0);
    free(order);
    return status;
}

enum status taken_find(const struct trace *trace, uint32_t rank, size_t **others, struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    struct pairing pairing = {.trace = trace, .rank = rank, .err = err};
    size_t first = 0;
    *others = NULL;
    while (first < process->count && !takes_part(&process->calls[first])) first++;
    if (first == process->count) return STATUS_OK;
    pairing.others = malloc(process->count * sizeof *pairing.others);
    if (!pairing.others) return err_memory(err);
    for (size_t i = 0; i < process->count; i++) pairing.others[i] = TAKEN_NONE;
    enum status status = pair_own(&pairing);
    if (status == STATUS_OK && process->thread) status = pair_handed(&pairing);
    fifo_clear(&pairing.probes);
    if (status == STATUS_OK)
        *others = pairing.others;
    else
        free(pairing.others);
    return status;
}
