/* Turns of several threads of a rank on one communicator or window. MPI requires an order (MPI-3.1 12.4.3: no two
 * collective calls on a communicator at once; 6.4: a communicator is made before it is used; 11.5: an operation is
 * inside its epoch), but what ordered the threads may not be recorded (an atomic, a spin). So the order of the trace is
 * used: a call waits, outside MPI, until these calls of other threads have returned:
 *   a collective call: the collective call before it
 *   any other call: the one that made its communicator or window
 *   an operation, a flush, a test and the end of an epoch: the call that opened the epoch
 *   the end of an epoch: the calls in it
 *   MPI_Win_free: all calls on the window
 * The order of lock epochs is not taken from the trace (simulate/rma/epoch_wait.c). */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "simulate/replay/thread.h"
#include "trace/epoch_cursor.h"

enum { UNSEEN = NO_INDEX - 1 };

/* An epoch, or the life of a window, with the last call of each thread in it. */
struct span {
    uint32_t opened;      /* NO_INDEX: it is not open; UNSEEN: what opened it is not recorded, and nobody waits for that */
    struct turn *members; /* owned */
    size_t count, capacity;
};
struct turn {
    uint32_t call, thread;
};

/* Of one communicator or window. */
struct object {
    uint32_t made, turn; /* the last call that made it, the last collective call; NO_INDEX: none */
};

struct objects {
    struct replay *replay;
    uint32_t rank;
    struct object *comms, *windows;
    struct span *lives; /* of windows */
    struct epoch_cursor cursor;
    struct span *epochs; /* by slot of the epoch */
    size_t epoch_capacity;
};

static struct object *object_of(const struct objects *objects, const struct trace_call *call)
{
    uint32_t allowed = call_row(call->call)->allowed;
    if (call->handle < 0) return NULL;
    if (allowed & F_WIN) return &objects->windows[call->handle];
    return allowed & F_COMM ? &objects->comms[call->handle] : NULL;
}

/* Several threads may at once make calls that create a communicator: tags distinguish them. */
static bool takes_turns(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool collective = call_arm(kind) == ARM_COLLECTIVE || call_arm(kind) == ARM_COMM;
    bool of_window = kind == CALL_FENCE || kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE;
    return (collective || of_window) && !call_makes_own_comm(call->call);
}

static uint32_t thread_of(const struct objects *objects, uint32_t call)
{
    return trace_call_thread(objects->replay->trace, objects->rank, call);
}

/* The call at index waits for the other one, if that is another thread's. */
static enum status await_turn(struct objects *objects, uint32_t index, uint32_t other)
{
    struct threads *threads = objects->replay->ranks[objects->rank].threads;
    if (other >= UNSEEN || thread_of(objects, index) == thread_of(objects, other)) return STATUS_OK;
    struct turn_await made = {other, threads->awaits[index]};
    threads->awaits[index] = (uint32_t)threads->await_count;
    threads->turns[other] |= TURN_AWAITED;
    ARRAY_PUSH(threads->await_items, threads->await_count, threads->await_capacity, made, objects->replay->err);
    return STATUS_OK;
}

/* --- spans --- */

static void open_span(struct span *span, uint32_t index)
{
    span->opened = index;
    span->count = 0;
}

static enum status use_span(struct objects *objects, struct span *span, uint32_t index)
{
    struct turn made = {index, thread_of(objects, index)};
    if (span->opened == NO_INDEX) return STATUS_OK;
    TRY(await_turn(objects, index, span->opened));
    for (size_t i = 0; i < span->count; i++)
        if (span->members[i].thread == made.thread) {
            span->members[i].call = index;
            return STATUS_OK;
        }
    ARRAY_PUSH(span->members, span->count, span->capacity, made, objects->replay->err);
    return STATUS_OK;
}

static enum status close_span(struct objects *objects, struct span *span, uint32_t index)
{
    if (span->opened == NO_INDEX) return STATUS_OK;
    TRY(await_turn(objects, index, span->opened));
    for (size_t i = 0; i < span->count; i++) TRY(await_turn(objects, index, span->members[i].call));
    span->opened = NO_INDEX;
    return STATUS_OK;
}

static enum status pass_epochs(struct objects *objects, const struct trace_call *call, uint32_t index)
{
    struct epoch_step step;
    TRY(epoch_cursor_take(&objects->cursor, call, index, &step, objects->replay->err));
    if (step.in) TRY(use_span(objects, &objects->epochs[step.in->slot], index));
    if (step.closes) TRY(close_span(objects, &objects->epochs[step.closes->slot], index));
    if (!step.opens) return STATUS_OK;
    size_t known = objects->epoch_capacity;
    TRY(array_reserve((void **)&objects->epochs, &objects->epoch_capacity, (size_t)step.opens->slot + 1,
                      sizeof *objects->epochs, objects->replay->err));
    memset(objects->epochs + known, 0, (objects->epoch_capacity - known) * sizeof *objects->epochs);
    open_span(&objects->epochs[step.opens->slot], index);
    return STATUS_OK;
}

/* Finds the calls of other threads that this one waits for, and records this call for later ones. */
static enum status find_awaited(struct objects *objects, uint32_t index)
{
    const struct trace_call *call = &objects->replay->trace->ranks[objects->rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    struct object *object = object_of(objects, call);
    bool makes = kind == CALL_COMM_CREATE && call->comm.newcomm != TRACE_NO_REF, turns = takes_turns(call);
    bool of_window = object && call_row(call->call)->allowed & F_WIN && !call_is_shmem(call->call);
    if (object && !call_makes_own_comm(call->call))
        TRY(await_turn(objects, index, turns && object->turn != NO_INDEX ? object->turn : object->made));
    if (of_window) {
        struct span *life = &objects->lives[call->handle];
        if (kind == CALL_WIN_CREATE || life->opened == NO_INDEX) open_span(life, kind == CALL_WIN_CREATE ? index : UNSEEN);
        TRY(kind == CALL_WIN_FREE ? close_span(objects, life, index) : use_span(objects, life, index));
    }
    if (of_window) TRY(pass_epochs(objects, call, index));
    if (object && turns) object->turn = index;
    if (object && kind == CALL_WIN_CREATE) object->made = index;
    if (makes) objects->comms[call->comm.newcomm] = (struct object){.made = index, .turn = index};
    return STATUS_OK;
}

static enum status init_objects(struct objects *objects)
{
    const struct trace *trace = objects->replay->trace;
    size_t object_count = trace->definitions.comm_count + trace->definitions.window_count;
    TRY(epoch_cursor_init(&objects->cursor, trace, objects->replay->err));
    objects->comms = malloc((object_count + 1) * sizeof *objects->comms);
    objects->lives = calloc(trace->definitions.window_count + 1, sizeof *objects->lives);
    if (!objects->comms || !objects->lives) return err_memory(objects->replay->err);
    objects->windows = objects->comms + trace->definitions.comm_count;
    for (size_t i = 0; i < object_count; i++) objects->comms[i] = (struct object){NO_INDEX, NO_INDEX};
    for (size_t i = 0; i < trace->definitions.window_count; i++) objects->lives[i].opened = NO_INDEX;
    return STATUS_OK;
}

enum status replay_prepare_turns(struct replay *replay, uint32_t rank)
{
    struct threads *threads = replay->ranks[rank].threads;
    uint32_t count = (uint32_t)replay->trace->ranks[rank].count;
    if (threads->count < 2) return STATUS_OK;
    threads->awaits = malloc(((size_t)count + 1) * sizeof *threads->awaits);
    threads->turns = calloc((size_t)count + 1, sizeof *threads->turns);
    if (!threads->awaits || !threads->turns) return err_memory(replay->err);
    for (uint32_t i = 0; i < count; i++) threads->awaits[i] = NO_INDEX;
    struct objects objects = {.replay = replay, .rank = rank};
    enum status status = init_objects(&objects);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) status = find_awaited(&objects, i);
    for (size_t i = 0; objects.lives && i < objects.replay->trace->definitions.window_count; i++)
        free(objects.lives[i].members);
    for (size_t i = 0; i < objects.epoch_capacity; i++) free(objects.epochs[i].members);
    epoch_cursor_clear(&objects.cursor);
    FREE_ALL(objects.epochs, objects.lives, objects.comms);
    return status;
}

uint32_t replay_turn_awaited(const struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct threads *threads = state->threads;
    if (!threads || !threads->awaits) return NO_INDEX;
    for (uint32_t i = threads->awaits[state->next]; i != NO_INDEX; i = threads->await_items[i].next)
        if (!(threads->turns[threads->await_items[i].call] & TURN_RETURNED)) return threads->await_items[i].call;
    return NO_INDEX;
}

bool replay_turn_returns(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    uint8_t *turns = state->threads->turns;
    if (!turns) return false;
    turns[state->next] |= TURN_RETURNED;
    return turns[state->next] & TURN_AWAITED;
}
