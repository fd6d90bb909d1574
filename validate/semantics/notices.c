/* Messages without content between the ranks of a window, and the operations that they let leave. */
#include <stdlib.h>

#include "validate/semantics/semantics.h"

void sem_notice_send(const struct sem_window *window, int peer, enum sem_notice notice)
{
    MPI_Request request;
    sem_mpi.Isend(NULL, 0, MPI_BYTE, peer, notice, window->comm, &request);
    sem_mpi.Request_free(&request);
}

static void take_notices(struct sem_window *window)
{
    MPI_Status status;
    int came;
    for (;;) {
        sem_mpi.Test(&window->notice, &came, &status);
        if (!came) return;
        struct sem_peer *peer = &window->peers[status.MPI_SOURCE];
        switch ((enum sem_notice)status.MPI_TAG) {
        case SEM_POSTED: peer->posts++; break;
        case SEM_COMPLETED: peer->completes++; break;
        case SEM_WAITS: peer->blocked = ++peer->waits; break;
        case SEM_TESTS: peer->waits++; break;
        }
        sem_mpi.Start(&window->notice);
    }
}

/* A target is notified when the data are known to have arrived. A flush waits for a target that is outside MPI, while
 * complete has returned and the origin could compute. So data that only a flush can confirm are left until the target
 * waits. */
static bool notify_rank(struct sem_window *window, int rank, int64_t access)
{
    struct sem_peer *peer = &window->peers[rank];
    if (peer->leaving > 0 || (peer->unflushed && peer->waits < access)) return false;
    if (peer->issued) sem_mpi.Win_flush(rank, window->own);
    peer->issued = peer->unflushed = false;
    sem_notice_send(window, rank, SEM_COMPLETED);
    return true;
}

void sem_queue_send(struct sem_window *window, int rank)
{
    struct sem_peer *peer = &window->peers[rank];
    while (peer->queue.first && peer->queue.first->post <= peer->posts) {
        if (peer->queue.first->tells) {
            if (!notify_rank(window, rank, peer->queue.first->access)) return;
            sem_item_free(sem_queue_take(&peer->queue));
        } else {
            sem_item_issue(sem_queue_take(&peer->queue), window);
        }
    }
}

void sem_progress(void)
{
    if (!sem_settings.rules) return;
    sem_copies_poll();
    for (struct sem_window *window = sem_windows; window; window = window->next) {
        take_notices(window);
        for (int i = 0; i < window->size; i++)
            if (window->peers[i].queue.first) sem_queue_send(window, i);
    }
}

void sem_poll(void)
{
    const struct sem_rules *rules = sem_settings.rules;
    if (rules && rules->puts != SEM_ISSUE && rules->puts != SEM_WAIT) sem_progress();
}

static bool window_later(const struct sem_window *window)
{
    for (int i = 0; i < window->size; i++)
        if (window->peers[i].queue.first) return true;
    return false;
}

bool sem_later(void)
{
    for (const struct sem_window *window = sem_windows; window; window = window->next)
        if (window_later(window)) return true;
    return false;
}

bool sem_always_later(void)
{
    return sem_settings.rules && sem_settings.rules->complete_returns;
}

void sem_drain(struct sem_window *window)
{
    while (window_later(window) && sem_settings.rules) sem_progress();
}
