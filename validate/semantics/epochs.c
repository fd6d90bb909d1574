/* Access epochs (start, operations, complete) and exposure epochs (post, wait, test). */
#include <stdlib.h>

#include "validate/semantics/semantics.h"

/* The ranks of a group in the window's communicator; the caller owns the array. */
static int *group_members(const struct sem_window *window, MPI_Group group, int *count)
{
    sem_mpi.Group_size(group, count);
    int *ranks = calloc((size_t)*count + 1, sizeof *ranks), *own = calloc((size_t)*count + 1, sizeof *own);
    if (!ranks || !own) sem_fail("out of memory");
    for (int i = 0; i < *count; i++) ranks[i] = i;
    sem_mpi.Group_translate_ranks(group, *count, ranks, window->group, own);
    free(ranks);
    return own;
}

static int fail_epoch(MPI_Win win)
{
    sem_mpi.Win_call_errhandler(win, MPI_ERR_RMA_SYNC);
    return MPI_ERR_RMA_SYNC;
}

static struct sem_window *chosen_window(MPI_Win win)
{
    return sem_settings.rules ? sem_window_find(win) : NULL;
}

/* Whether the post that this access epoch waits for has arrived. */
static bool has_posted(const struct sem_peer *peer)
{
    return peer->nocheck || peer->posts >= peer->checked;
}

static void await_post(const struct sem_peer *peer)
{
    while (!has_posted(peer)) sem_progress();
}

int sem_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    struct sem_window *window = chosen_window(win);
    if (!window) return sem_mpi.Win_start(group, assert, win);
    if (window->access) return fail_epoch(win);
    int count, *targets = group_members(window, group, &count);
    bool nocheck = (assert & MPI_MODE_NOCHECK) != 0;
    sem_progress();
    window->access = true;
    for (int i = 0; i < count; i++) {
        struct sem_peer *peer = &window->peers[targets[i]];
        peer->in_epoch = true;
        peer->nocheck = nocheck;
        peer->uncopied = peer->fetches = false;
        peer->accesses++;
        peer->checked += !nocheck;
    }
    for (int i = 0; sem_settings.rules->start_waits && i < count; i++) await_post(&window->peers[targets[i]]);
    free(targets);
    return MPI_SUCCESS;
}

static struct sem_item *new_item(const struct sem_peer *peer, const struct sem_operation *operation)
{
    struct sem_item *item = sem_item_new(operation);
    item->tells = operation == NULL;
    item->post = peer->nocheck ? 0 : peer->checked;
    item->access = peer->accesses;
    return item;
}

static bool fits_buffer(int64_t bytes)
{
    return sem_settings.buffer_bytes < 0 || sem_copied_bytes + bytes <= sem_settings.buffer_bytes;
}

/* A put that is larger than the whole buffer, or cannot be copied, waits for the post as in b. */
static bool copy_item(struct sem_item *item)
{
    int64_t bytes = sem_item_bytes(&item->operation);
    if (bytes < 0 || (sem_settings.buffer_bytes >= 0 && bytes > sem_settings.buffer_bytes)) return false;
    while (!fits_buffer(bytes)) sem_progress();
    return sem_item_copy(item);
}

/* Keeps the order of calls: an operation after one that waits for the post waits, too. The call has looked for notices; each
 * further look at the network costs it as much as the put. */
static void add_operation(struct sem_window *window, const struct sem_operation *operation, enum sem_way way)
{
    struct sem_peer *peer = &window->peers[operation->target];
    struct sem_item *item = new_item(peer, operation);
    if (way == SEM_COPY && !copy_item(item)) {
        way = SEM_WAIT;
        peer->uncopied = true;
    }
    if (way == SEM_WAIT) await_post(peer);
    sem_queue_add(&peer->queue, item);
    sem_queue_send(window, operation->target);
}

static bool fetches_data(const struct sem_operation *operation)
{
    return operation->kind != SEM_PUT && operation->kind != SEM_ACCUMULATE;
}

static int run_operation(MPI_Win win, const struct sem_operation *operation)
{
    struct sem_window *window = sem_window_find(win);
    if (!window) return sem_operation_issue(operation, win, operation->disp);
    sem_poll();
    int target = operation->target;
    if (sem_lock_queues(window, operation)) return MPI_SUCCESS;
    if (!window->access || target < 0 || target >= window->size || !window->peers[target].in_epoch)
        /* an operation of another epoch, or an error that the library reports */
        return sem_operation_issue(operation, win, operation->disp);
    struct sem_peer *peer = &window->peers[target];
    enum sem_way way = fetches_data(operation) ? sem_settings.rules->gets : sem_settings.rules->puts;
    peer->fetches = peer->fetches || fetches_data(operation);
    if (way == SEM_WAIT) await_post(peer);
    if (way == SEM_QUEUE || way == SEM_COPY) {
        add_operation(window, operation, way);
        return MPI_SUCCESS;
    }
    peer->issued = peer->unflushed = true;
    return sem_operation_issue(operation, window->own, operation->disp * peer->unit + peer->shift);
}

/* All targets confirm at the same time, as in MPICH's own complete, which flushes all. The flush of one target would ask it
 * even if it has confirmed everything (docs/protocols.md, rule 6). */
static void flush_issued(struct sem_window *window)
{
    bool flushes = false;
    for (int i = 0; i < window->size; i++) {
        struct sem_peer *peer = &window->peers[i];
        if (!peer->in_epoch) continue;
        flushes |= peer->issued;
        peer->issued = peer->unflushed = false;
    }
    if (flushes) sem_mpi.Win_flush_all(window->own);
}

/* Complete under a, b and c: the operations reach their targets, then the targets are notified. */
static void complete_now(struct sem_window *window)
{
    for (int i = 0; i < window->size; i++) {
        struct sem_peer *peer = &window->peers[i];
        if (!peer->in_epoch) continue;
        if (sem_settings.rules->complete_waits) await_post(peer);
        while (peer->queue.first) sem_progress();
    }
    flush_issued(window);
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].in_epoch) sem_notice_send(window, i, SEM_COMPLETED);
}

/* Complete under d: targets are notified later. Complete waits for results, for what was not copied, and for the post
 * of an earlier epoch. */
static void complete_later(struct sem_window *window)
{
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].in_epoch) sem_queue_add(&window->peers[i].queue, new_item(&window->peers[i], NULL));
    sem_progress();
    for (int i = 0; i < window->size; i++) {
        struct sem_peer *peer = &window->peers[i];
        if (!peer->in_epoch) continue;
        int64_t ahead = sem_settings.epochs_ahead;
        while (!peer->nocheck && ahead >= 0 && peer->posts < peer->checked - ahead) sem_progress();
        if (!peer->fetches && !peer->uncopied) continue;
        while (peer->queue.operations) sem_progress();
        if (peer->fetches) {
            sem_mpi.Win_flush(i, window->own);
            peer->issued = peer->unflushed = false;
        } else {
            sem_mpi.Win_flush_local(i, window->own);
        }
    }
    sem_progress();
}

int sem_Win_complete(MPI_Win win)
{
    struct sem_window *window = chosen_window(win);
    if (!window || !window->access) return sem_mpi.Win_complete(win);
    if (sem_settings.rules->complete_returns)
        complete_later(window);
    else
        complete_now(window);
    for (int i = 0; i < window->size; i++) window->peers[i].in_epoch = false;
    window->access = false;
    return MPI_SUCCESS;
}

int sem_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    struct sem_window *window = chosen_window(win);
    if (!window) return sem_mpi.Win_post(group, assert, win);
    if (window->exposure) return fail_epoch(win);
    int count, *origins = group_members(window, group, &count);
    sem_mpi.Win_sync(window->own);
    window->exposure = true;
    window->said_waits = false;
    for (int i = 0; i < count; i++) {
        struct sem_peer *peer = &window->peers[origins[i]];
        peer->exposed = true;
        peer->exposures++;
        if (!(assert & MPI_MODE_NOCHECK)) sem_notice_send(window, origins[i], SEM_POSTED);
    }
    free(origins);
    sem_progress();
    return MPI_SUCCESS;
}

static bool all_complete(const struct sem_window *window)
{
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].exposed && window->peers[i].completes < window->peers[i].exposures) return false;
    return true;
}

/* Under d, an origin that has left complete flushes when its target can serve the flush. */
static void say_waits(struct sem_window *window, enum sem_notice how)
{
    if (window->said_waits || !sem_settings.rules->complete_returns) return;
    window->said_waits = true;
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].exposed) sem_notice_send(window, i, how);
}

static void end_exposure(struct sem_window *window)
{
    for (int i = 0; i < window->size; i++) window->peers[i].exposed = false;
    window->exposure = false;
    sem_mpi.Win_sync(window->own);
}

/* Whether a target is in its MPI_Win_wait until this rank's notification that the copies have arrived; the target
 * confirms them at once. */
static bool is_confirmed_soon(const struct sem_window *window)
{
    for (int i = 0; i < window->size; i++) {
        const struct sem_peer *peer = &window->peers[i];
        if (peer->leaving > 0 && peer->queue.first && peer->blocked >= peer->queue.first->access) return true;
    }
    return false;
}

int sem_Win_wait(MPI_Win win)
{
    struct sem_window *window = chosen_window(win);
    if (!window || !window->exposure) return sem_mpi.Win_wait(win);
    say_waits(window, SEM_WAITS);
    do sem_progress();
    while (!all_complete(window) || is_confirmed_soon(window));
    end_exposure(window);
    return MPI_SUCCESS;
}

int sem_Win_test(MPI_Win win, int *flag)
{
    struct sem_window *window = chosen_window(win);
    if (!window || !window->exposure) return sem_mpi.Win_test(win, flag);
    say_waits(window, SEM_TESTS);
    sem_progress();
    *flag = all_complete(window);
    if (*flag) end_exposure(window);
    return MPI_SUCCESS;
}

int sem_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
            MPI_Datatype target_type, MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_PUT,
                                                      .origin = origin,
                                                      .origin_count = origin_count,
                                                      .origin_type = origin_type,
                                                      .target = target,
                                                      .disp = disp,
                                                      .target_count = target_count,
                                                      .target_type = target_type});
}

int sem_Get(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
            MPI_Datatype target_type, MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_GET,
                                                      .result = origin,
                                                      .result_count = origin_count,
                                                      .result_type = origin_type,
                                                      .target = target,
                                                      .disp = disp,
                                                      .target_count = target_count,
                                                      .target_type = target_type});
}

int sem_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
                   int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_ACCUMULATE,
                                                      .origin = origin,
                                                      .origin_count = origin_count,
                                                      .origin_type = origin_type,
                                                      .target = target,
                                                      .disp = disp,
                                                      .target_count = target_count,
                                                      .target_type = target_type,
                                                      .op = op});
}

int sem_Get_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                       MPI_Datatype result_type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type,
                       MPI_Op op, MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_GET_ACCUMULATE,
                                                      .origin = origin,
                                                      .origin_count = origin_count,
                                                      .origin_type = origin_type,
                                                      .result = result,
                                                      .result_count = result_count,
                                                      .result_type = result_type,
                                                      .target = target,
                                                      .disp = disp,
                                                      .target_count = target_count,
                                                      .target_type = target_type,
                                                      .op = op});
}

int sem_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op,
                     MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_FETCH_AND_OP,
                                                      .origin = origin,
                                                      .result = result,
                                                      .target_type = type,
                                                      .target = target,
                                                      .disp = disp,
                                                      .op = op});
}

int sem_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
                         MPI_Aint disp, MPI_Win win)
{
    return run_operation(win, &(struct sem_operation){.kind = SEM_COMPARE_AND_SWAP,
                                                      .origin = origin,
                                                      .compare = compare,
                                                      .result = result,
                                                      .target_type = type,
                                                      .target = target,
                                                      .disp = disp});
}
