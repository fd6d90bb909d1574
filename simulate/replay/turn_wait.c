/* What several threads of a rank do with one communicator or window in turns. MPI wants them in order (MPI-3.1 12.4.3:
 * no two collective calls on a communicator at once; 6.4: a communicator is made before it is used), but what ordered
 * the threads may be unrecorded (an atomic, a spin). The order of the trace is taken: a collective call waits, outside
 * MPI, until the collective call before it by another thread has returned, any other call until its communicator or
 * window is made. */
#include <stdlib.h>

#include "simulate/replay/thread.h"

/* Of one communicator or window. */
struct object {
    uint32_t made, turn; /* the last call that made it, the last collective one; NO_INDEX: none */
};

struct objects {
    const struct replay *replay;
    uint32_t rank;
    struct object *comms, *windows;
};

static struct object *object_of(const struct objects *objects, const struct trace_call *call)
{
    uint32_t allowed = call_row(call->call)->allowed;
    if (call->handle < 0) return NULL;
    if (allowed & F_WIN) return &objects->windows[call->handle];
    return allowed & F_COMM ? &objects->comms[call->handle] : NULL;
}

/* Calls that make a communicator of their own may be made by several threads at once: tags tell them apart. */
static bool takes_turns(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool collective = kind >= CALL_BARRIER && kind <= CALL_COMM_FREE;
    bool of_window = kind == CALL_FENCE || kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE;
    return (collective || of_window) && !call_makes_own_comm(call->call);
}

static bool by_another(const struct objects *objects, uint32_t one, uint32_t other)
{
    const struct trace *trace = objects->replay->trace;
    return other != NO_INDEX &&
           trace_call_thread(trace, objects->rank, one) != trace_call_thread(trace, objects->rank, other);
}

/* Which call of another thread this one waits for; NO_INDEX: none. Notes what it is for later ones. */
static uint32_t find_awaited(struct objects *objects, uint32_t index)
{
    const struct trace_call *call = &objects->replay->trace->ranks[objects->rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    struct object *object = object_of(objects, call);
    bool makes = kind == CALL_COMM_CREATE && call->ref != TRACE_NO_REF, turns = takes_turns(call);
    uint32_t awaited = NO_INDEX;
    if (object && !call_makes_own_comm(call->call)) {
        uint32_t before = turns && object->turn != NO_INDEX ? object->turn : object->made;
        if (by_another(objects, index, before)) awaited = before;
    }
    if (object && turns) object->turn = index;
    if (object && kind == CALL_WIN_CREATE) object->made = index;
    if (makes) objects->comms[call->ref] = (struct object){.made = index, .turn = index};
    return awaited;
}

enum status replay_prepare_turns(struct replay *replay, uint32_t rank)
{
    const struct trace *trace = replay->trace;
    struct threads *threads = replay->ranks[rank].threads;
    uint32_t count = (uint32_t)trace->ranks[rank].count;
    size_t object_count = trace->comm_count + trace->window_count;
    if (threads->count < 2) return STATUS_OK;
    struct object *items = malloc((object_count + 1) * sizeof *items);
    threads->awaits = malloc(((size_t)count + 1) * sizeof *threads->awaits);
    threads->returned = calloc((size_t)count + 1, sizeof *threads->returned);
    if (!items || !threads->awaits || !threads->returned) {
        free(items);
        return err_memory(replay->err);
    }
    for (size_t i = 0; i < object_count; i++) items[i] = (struct object){NO_INDEX, NO_INDEX};
    struct objects objects = {replay, rank, items, items + trace->comm_count};
    for (uint32_t i = 0; i < count; i++) threads->awaits[i] = find_awaited(&objects, i);
    free(items);
    return STATUS_OK;
}

uint32_t replay_turn_awaited(const struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct threads *threads = state->threads;
    uint32_t awaited = threads && threads->awaits ? threads->awaits[state->next] : NO_INDEX;
    return awaited != NO_INDEX && !threads->returned[awaited] ? awaited : NO_INDEX;
}

bool replay_turn_returns(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (!state->threads->returned) return false;
    state->threads->returned[state->next] = true;
    return call_kind(call->call) == CALL_COMM_CREATE || takes_turns(call);
}
