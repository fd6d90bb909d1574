/* The windows of the program, and the second window of each. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "validate/semantics/semantics.h"

enum { ALIGNMENT = 64 }; /* MPICH 4.0.2 handles only windows that begin at multiples of 16 correctly */

struct sem_window *sem_windows;

struct sem_window *sem_window_find(MPI_Win program)
{
    for (struct sem_window *window = sem_windows; window; window = window->next)
        if (window->program == program) return window;
    return NULL;
}

/* The data that ranks exchange about their part of a window. */
struct part {
    MPI_Aint shift;
    int unit, asked;
};

static int asked_for(void)
{
    return (sem_settings.rules ? sem_settings.rules->letter : 0) + 256 * sem_settings.lazy;
}

static void exchange_parts(struct sem_window *window, struct part mine)
{
    struct part *parts = calloc((size_t)window->size, sizeof *parts);
    window->peers = calloc((size_t)window->size, sizeof *window->peers);
    if (!parts || !window->peers) sem_fail("out of memory");
    sem_mpi.Allgather(&mine, sizeof mine, MPI_BYTE, parts, sizeof mine, MPI_BYTE, window->comm);
    for (int i = 0; i < window->size; i++) {
        struct sem_peer *peer = &window->peers[i];
        if (parts[i].asked != mine.asked)
            sem_fail("ranks differ in RMACAST_SEMANTICS or RMACAST_LOCK, expected the same on all");
        peer->shift = parts[i].shift;
        peer->unit = parts[i].unit;
        peer->queue.end = &peer->queue.first;
        peer->locked.end = &peer->locked.first;
    }
    free(parts);
}

static bool threads_may_meet(void)
{
    static bool told;
    int rank = 0;
    if (sem_program_level() != MPI_THREAD_MULTIPLE) return false;
    sem_mpi.Comm_rank(MPI_COMM_WORLD, &rank);
    if (!told && rank == 0)
        dprintf(STDERR_FILENO, "rmacast: semantics: the program runs with MPI_THREAD_MULTIPLE, expected less: "
                               "the MPI library's own semantics hold\n");
    told = true;
    return true;
}

/* base NULL and bytes -1: a dynamic window. */
static void add_window(MPI_Win program, MPI_Comm comm, void *base, MPI_Aint bytes, int unit)
{
    if (!sem_on() || threads_may_meet()) return;
    struct sem_window *window = calloc(1, sizeof *window);
    if (!window) sem_fail("out of memory");
    window->program = program;
    sem_mpi.Comm_dup(comm, &window->comm);
    sem_mpi.Comm_size(window->comm, &window->size);
    sem_mpi.Comm_group(window->comm, &window->group);
    MPI_Aint shift = bytes > 0 ? (MPI_Aint)((uintptr_t)base % ALIGNMENT) : 0;
    if (bytes < 0)
        sem_mpi.Win_create_dynamic(MPI_INFO_NULL, window->comm, &window->own);
    else
        sem_mpi.Win_create((char *)base - shift, bytes + shift, 1, MPI_INFO_NULL, window->comm, &window->own);
    exchange_parts(window, (struct part){.shift = shift, .unit = unit, .asked = asked_for()});
    sem_mpi.Win_lock_all(MPI_MODE_NOCHECK, window->own);
    sem_mpi.Recv_init(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm, &window->notice);
    sem_mpi.Start(&window->notice);
    window->next = sem_windows;
    sem_windows = window;
    sem_helper_begin();
}

/* Under d a rank may have to send while it waits for others. It waits here, where it can send. */
static void gather_at(MPI_Comm comm)
{
    MPI_Request request;
    if (!sem_always_later() || sem_mpi.Ibarrier(comm, &request) != MPI_SUCCESS) return;
    for (int done = 0; !done;) {
        sem_progress();
        sem_mpi.Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

int sem_Win_create(void *base, MPI_Aint bytes, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    gather_at(comm);
    int code = sem_mpi.Win_create(base, bytes, disp_unit, info, comm, win);
    if (code == MPI_SUCCESS) add_window(*win, comm, base, bytes, disp_unit);
    return code;
}

int sem_Win_allocate(MPI_Aint bytes, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    gather_at(comm);
    int code = sem_mpi.Win_allocate(bytes, disp_unit, info, comm, base, win);
    if (code == MPI_SUCCESS) add_window(*win, comm, *(void **)base, bytes, disp_unit);
    return code;
}

int sem_Win_allocate_shared(MPI_Aint bytes, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    gather_at(comm);
    int code = sem_mpi.Win_allocate_shared(bytes, disp_unit, info, comm, base, win);
    if (code == MPI_SUCCESS) add_window(*win, comm, *(void **)base, bytes, disp_unit);
    return code;
}

int sem_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    gather_at(comm);
    int code = sem_mpi.Win_create_dynamic(info, comm, win);
    if (code == MPI_SUCCESS) add_window(*win, comm, NULL, -1, 1);
    return code;
}

int sem_Win_attach(MPI_Win win, void *base, MPI_Aint bytes)
{
    struct sem_window *window = sem_window_find(win);
    int code = sem_mpi.Win_attach(win, base, bytes);
    if (code == MPI_SUCCESS && window) sem_mpi.Win_attach(window->own, base, bytes);
    return code;
}

int sem_Win_detach(MPI_Win win, const void *base)
{
    struct sem_window *window = sem_window_find(win);
    if (window) sem_mpi.Win_detach(window->own, base);
    return sem_mpi.Win_detach(win, base);
}

static void remove_window(struct sem_window *window)
{
    struct sem_window **at = &sem_windows;
    while (*at != window) at = &(*at)->next;
    *at = window->next;
    sem_copies_poll(); /* all have been flushed */
    sem_mpi.Cancel(&window->notice);
    sem_mpi.Wait(&window->notice, MPI_STATUS_IGNORE);
    sem_mpi.Request_free(&window->notice);
    sem_mpi.Win_unlock_all(window->own);
    sem_mpi.Win_free(&window->own);
    sem_mpi.Group_free(&window->group);
    sem_mpi.Comm_free(&window->comm);
    free(window->peers);
    free(window);
}

int sem_Win_free(MPI_Win *win)
{
    struct sem_window *window = sem_window_find(*win);
    if (window) {
        sem_drain(window);
        gather_at(window->comm);
        remove_window(window);
    }
    return sem_mpi.Win_free(win);
}

int sem_Win_fence(int assert, MPI_Win win)
{
    struct sem_window *window = sem_window_find(win);
    if (window) {
        sem_drain(window);
        gather_at(window->comm);
    }
    return sem_mpi.Win_fence(assert, win);
}

/* Collective calls without a non-blocking form. */
#define GATHERS(NAME, COMM, PARAMETERS, ARGUMENTS)                                                                     \
    int sem_##NAME PARAMETERS                                                                                          \
    {                                                                                                                  \
        gather_at(COMM);                                                                                               \
        return sem_mpi.NAME ARGUMENTS;                                                                                 \
    }
GATHERS(Comm_dup, comm, (MPI_Comm comm, MPI_Comm *made), (comm, made))
GATHERS(Comm_split, comm, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
GATHERS(Comm_create, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))

int sem_Finalize(void)
{
    for (struct sem_window *window = sem_windows; window; window = window->next) sem_drain(window);
    gather_at(MPI_COMM_WORLD);
    sem_helper_end();
    return sem_mpi.Finalize();
}
