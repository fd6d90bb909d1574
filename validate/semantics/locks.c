/* Lazy window locks: the first call that needs the lock requests it. Earlier operations are queued without a copy,
 * since the program does not change their memory until flush_local or unlock. A lazy lock_all is a lazy shared lock of
 * each target. */
#include <stdlib.h>

#include "validate/semantics/semantics.h"

static struct sem_window *lazy_window(MPI_Win win)
{
    return sem_settings.lazy ? sem_window_find(win) : NULL;
}

static bool is_rank(const struct sem_window *window, int rank)
{
    return rank >= 0 && rank < window->size;
}

static void ask_for(struct sem_window *window, int rank)
{
    struct sem_peer *peer = &window->peers[rank];
    if (peer->lock != SEM_ASKED) return;
    peer->lock = SEM_HELD;
    sem_mpi.Win_lock(peer->lock_type, rank, peer->lock_assert, window->program);
    while (peer->locked.first) {
        struct sem_item *item = sem_queue_take(&peer->locked);
        sem_operation_issue(&item->operation, window->program, item->operation.disp);
        sem_item_free(item);
    }
}

/* Requests the target's lock, or with lock_all the locks of all targets that have operations. */
static void ask_where_needed(struct sem_window *window)
{
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].locked.first) ask_for(window, i);
}

static void keep_lock(struct sem_peer *peer, int type, int assert)
{
    peer->lock = SEM_ASKED;
    peer->lock_type = type;
    peer->lock_assert = assert;
}

bool sem_lock_queues(struct sem_window *window, const struct sem_operation *operation)
{
    if (!is_rank(window, operation->target) || window->peers[operation->target].lock != SEM_ASKED) return false;
    sem_queue_add(&window->peers[operation->target].locked, sem_item_new(operation));
    return true;
}

int sem_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    struct sem_window *window = lazy_window(win);
    if (!window || !is_rank(window, rank) || window->peers[rank].lock != SEM_UNLOCKED || (assert & MPI_MODE_NOCHECK))
        return sem_mpi.Win_lock(lock_type, rank, assert, win);
    keep_lock(&window->peers[rank], lock_type, assert);
    return MPI_SUCCESS;
}

static int unlock_rank(struct sem_window *window, int rank)
{
    struct sem_peer *peer = &window->peers[rank];
    bool held = peer->lock == SEM_HELD;
    peer->lock = SEM_UNLOCKED;
    return held ? sem_mpi.Win_unlock(rank, window->program) : MPI_SUCCESS;
}

int sem_Win_unlock(int rank, MPI_Win win)
{
    struct sem_window *window = lazy_window(win);
    if (!window || !is_rank(window, rank) || window->peers[rank].lock == SEM_UNLOCKED)
        return sem_mpi.Win_unlock(rank, win);
    ask_for(window, rank); /* an epoch without operations excludes others, too */
    return unlock_rank(window, rank);
}

int sem_Win_lock_all(int assert, MPI_Win win)
{
    struct sem_window *window = lazy_window(win);
    if (!window || window->lock_all || (assert & MPI_MODE_NOCHECK)) return sem_mpi.Win_lock_all(assert, win);
    window->lock_all = true;
    for (int i = 0; i < window->size; i++) keep_lock(&window->peers[i], MPI_LOCK_SHARED, assert);
    return MPI_SUCCESS;
}

int sem_Win_unlock_all(MPI_Win win)
{
    struct sem_window *window = lazy_window(win);
    if (!window || !window->lock_all) return sem_mpi.Win_unlock_all(win);
    ask_where_needed(window);
    window->lock_all = false;
    int code = MPI_SUCCESS;
    for (int i = 0; i < window->size; i++) {
        int one = unlock_rank(window, i);
        if (one != MPI_SUCCESS) code = one;
    }
    return code;
}

/* Without the lock there is nothing to flush, and the MPI library would refuse the flush. */
#define FLUSH_ONE(NAME)                                                                                                \
    int sem_##NAME(int rank, MPI_Win win)                                                                              \
    {                                                                                                                  \
        struct sem_window *window = lazy_window(win);                                                                  \
        if (window && is_rank(window, rank)) {                                                                         \
            if (window->peers[rank].locked.first) ask_for(window, rank);                                               \
            if (window->peers[rank].lock == SEM_ASKED) return MPI_SUCCESS;                                             \
        }                                                                                                              \
        return sem_mpi.NAME(rank, win);                                                                                \
    }
FLUSH_ONE(Win_flush)
FLUSH_ONE(Win_flush_local)

#define FLUSH_ALL(NAME, ONE)                                                                                           \
    int sem_##NAME(MPI_Win win)                                                                                        \
    {                                                                                                                  \
        struct sem_window *window = lazy_window(win);                                                                  \
        if (!window || !window->lock_all) {                                                                            \
            if (window) ask_where_needed(window);                                                                      \
            return sem_mpi.NAME(win);                                                                                  \
        }                                                                                                              \
        ask_where_needed(window);                                                                                      \
        for (int i = 0; i < window->size; i++)                                                                         \
            if (window->peers[i].lock == SEM_HELD) sem_mpi.ONE(i, win);                                                \
        return MPI_SUCCESS;                                                                                            \
    }
FLUSH_ALL(Win_flush_all, Win_flush)
FLUSH_ALL(Win_flush_local_all, Win_flush_local)

int sem_Win_sync(MPI_Win win)
{
    const struct sem_window *window = lazy_window(win);
    return sem_mpi.Win_sync(window && window->lock_all ? window->own : win);
}

/* The program may wait for the request before it unlocks, so the lock is requested now. */
static void ask_now(MPI_Win win, int rank)
{
    struct sem_window *window = lazy_window(win);
    if (window && is_rank(window, rank)) ask_for(window, rank);
}

int sem_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    ask_now(win, target);
    return sem_mpi.Rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win, request);
}

int sem_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    ask_now(win, target);
    return sem_mpi.Rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win, request);
}

int sem_Raccumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
                    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    ask_now(win, target);
    return sem_mpi.Raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op, win,
                               request);
}

int sem_Rget_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                        MPI_Datatype result_type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type,
                        MPI_Op op, MPI_Win win, MPI_Request *request)
{
    ask_now(win, target);
    return sem_mpi.Rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target, disp,
                                   target_count, target_type, op, win, request);
}
