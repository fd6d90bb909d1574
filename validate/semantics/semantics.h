/* librmacast-semantics.so: runs a program's post/start/complete/wait under a chosen blocking semantics, and its window locks
 * lazily, on a real MPI library.
 *
 * The library is preloaded. It is compiled against mpi.h and linked with no MPI: it calls the PMPI functions of the program's
 * library, so that a recorder that is loaded before it sees the program's calls only. RMACAST_SEMANTICS=a|b|c|d and
 * RMACAST_LOCK=lazy choose; without both every call is passed on.
 *
 * Each window of the program has a second window over the same memory, on a communicator of its own, which this library keeps
 * locked with lock_all. Operations between start and complete go to the second window; fences, locks and the operations under
 * them go to the program's. Messages without content on that communicator say that a target has posted, that an origin has
 * completed, and (d) that a target waits. One thread calls MPI at a time: windows made under MPI_THREAD_MULTIPLE keep the MPI
 * library's own semantics.
 *
 * The modules: mpi_functions (the MPI library), settings, windows, notices (messages and progress), operations (an operation as
 * data), epochs (start, complete, post, wait), locks (lazy ones), blocking (calls that wait while something is to be sent later),
 * wrappers. A function sem_X is what the wrapper MPI_X does; where there is none, the wrapper makes progress and passes on. */
#ifndef VALIDATE_SEMANTICS_SEMANTICS_H
#define VALIDATE_SEMANTICS_SEMANTICS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef OPEN_MPI /* its handles are addresses of variables, and launchers that this library is preloaded into have no MPI */
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_op_replace
#pragma weak ompi_mpi_packed
#endif

#pragma GCC visibility push(hidden)

/* How an operation is handled in an access epoch whose target has not posted yet. */
enum sem_way { SEM_ISSUE, SEM_WAIT, SEM_QUEUE, SEM_COPY };

/* One of a to d (docs/simulation.md, Blocking semantics). */
struct sem_rules {
    char letter;
    bool start_waits;      /* for the posts of its group */
    enum sem_way puts;     /* and accumulates */
    enum sem_way gets;     /* and fetching operations */
    bool complete_waits;   /* for the posts of its group */
    bool complete_returns; /* before puts have left and targets are notified */
};

struct sem_settings {
    const struct sem_rules *rules; /* NULL: the MPI library's own */
    bool lazy;                     /* window locks */
    int64_t buffer_bytes;          /* of d, -1: unlimited */
    int64_t epochs_ahead;          /* of d, -1: unlimited */
    bool helper;                   /* a thread makes progress, too */
};
extern struct sem_settings sem_settings;

/* One operation. What is not copied is the program's, which leaves it alone until the epoch is closed. */
struct sem_operation {
    enum { SEM_PUT, SEM_GET, SEM_ACCUMULATE, SEM_GET_ACCUMULATE, SEM_FETCH_AND_OP, SEM_COMPARE_AND_SWAP } kind;
    const void *origin, *compare;
    void *result; /* of a get: where its data go */
    int origin_count, result_count, target_count, target;
    MPI_Datatype origin_type, result_type, target_type;
    MPI_Aint disp;
    MPI_Op op;
};

/* An item that waits for a post: an operation, or the notification of the target that the epoch is complete. */
struct sem_item {
    struct sem_item *next;
    bool tells;
    int64_t post;   /* the target's post that it waits for, counted from 1; 0: for none */
    int64_t access; /* number of the access epoch towards this target, from 1 */
    struct sem_operation operation;
    bool held_origin, held_result, held_target; /* types that are duplicates of the program's */
    void *copy;                                 /* of the data, owned */
    int64_t copy_bytes;
    size_t copy_room; /* of copy; 0: not known */
    bool acknowledged;      /* requests complete when the data are at the target */
    bool in_parts;          /* it leaves as several accumulates */
    MPI_Request *requests;  /* of a copied operation that has been issued; owned */
    int request_count;
    struct sem_peer *to;    /* of that one: its target */
};

struct sem_queue {
    struct sem_item *first, **end;
    size_t operations; /* items that are operations */
};

/* Another rank of a window, or this one. */
struct sem_peer {
    MPI_Aint shift; /* from where its second window begins to where the program's does */
    int unit;       /* the program's displacement unit there */
    /* As a target of this rank. */
    int64_t posts, checked;  /* post messages that have arrived; access epochs that need one */
    int64_t waits, accesses; /* notices that it waits or tests (d); access epochs */
    int64_t blocked;         /* `waits` when it last said that it waits */
    bool in_epoch, nocheck;
    bool issued;    /* operations have been issued since the last flush */
    bool unflushed; /* some of them may not have arrived, which only a flush shows */
    size_t leaving; /* copied ones whose request says when they are there */
    bool uncopied;  /* (d) some of them are in the program's memory */
    bool fetches;   /* (d) a result is expected before complete returns */
    struct sem_queue queue;
    /* As an origin. */
    int64_t completes, exposures;
    bool exposed; /* in the open exposure epoch */
    /* A lazy lock of it. */
    enum { SEM_UNLOCKED, SEM_ASKED, SEM_HELD } lock; /* asked: by the program, not of the target */
    int lock_type, lock_assert;
    struct sem_queue locked;
};

struct sem_window {
    struct sem_window *next;
    MPI_Win program, own;
    MPI_Comm comm;
    MPI_Group group;
    int size;
    struct sem_peer *peers;
    MPI_Request notice; /* a receive that any notice completes */
    bool access, exposure, said_waits;
    bool lock_all; /* a lazy one */
};

/* settings */
bool sem_on(void); /* some semantics or lock was requested */

/* mpi_functions: struct sem_mpi has a member for each function that is used, by its name without MPI_. */
struct sem_mpi {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) __typeof__(PMPI_##NAME) *NAME;
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define SEM_USES(NAME) __typeof__(PMPI_##NAME) *NAME;
#include "validate/semantics/uses.def"
#undef SEM_USES
};
extern struct sem_mpi sem_mpi;
void sem_mpi_find(void);
_Noreturn void sem_fail(const char *why); /* says so and ends the program: its results would be wrong */

/* windows */
struct sem_window *sem_window_find(MPI_Win program); /* NULL: unknown, the MPI library's own semantics hold */
extern struct sem_window *sem_windows;

/* notices */
enum sem_notice { SEM_POSTED, SEM_COMPLETED, SEM_WAITS, SEM_TESTS };
void sem_notice_send(const struct sem_window *window, int peer, enum sem_notice notice);
void sem_progress(void);      /* receives arrived messages and sends those that may leave; does not wait */
/* Of a call that need not poll for this library: sem_progress() under c and d. Under a and b no operation is kept, and MPICH's
 * own calls do not poll. A poll would serve other ranks, and in an operation the acknowledgements of earlier data would leave
 * before the data of this operation instead of behind them. */
void sem_poll(void);
void sem_queue_send(struct sem_window *window, int rank); /* sends what may leave to that rank */
bool sem_later(void);         /* something waits to be sent */
bool sem_always_later(void);  /* it may at any time, on any rank (d) */
void sem_drain(struct sem_window *window); /* waits until nothing of it is left to be sent */

/* operations */
int sem_operation_issue(const struct sem_operation *operation, MPI_Win window, MPI_Aint disp);
struct sem_item *sem_item_new(const struct sem_operation *operation); /* holds its types */
bool sem_item_copy(struct sem_item *item);  /* false: it cannot be copied, and nothing is changed */
int64_t sem_item_bytes(const struct sem_operation *operation); /* of a copy; -1: it cannot be copied */
void sem_item_issue(struct sem_item *item, struct sem_window *window); /* owns item from then on */
void sem_item_free(struct sem_item *item);
void sem_queue_add(struct sem_queue *queue, struct sem_item *item);
struct sem_item *sem_queue_take(struct sem_queue *queue);
void sem_copies_poll(void); /* frees copies that have left */
extern int64_t sem_copied_bytes; /* copied and not left */

/* helper: progress by a thread, where sem_settings.helper asks for it. */
bool sem_enter(void); /* of each wrapped call: whether it has taken the lock */
void sem_leave(bool entered);
void sem_helper_begin(void); /* once a window is whole; its call changes nothing behind it */
void sem_helper_end(void);
int sem_program_level(void); /* of threads, as the program asked for it */

/* locks: whether the operation is of a lazy lock; then it is queued. */
bool sem_lock_queues(struct sem_window *window, const struct sem_operation *operation);

/* What the wrappers do. */
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    extern __typeof__(PMPI_##NAME) sem_##NAME __attribute__((weak));
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL

#pragma GCC visibility pop

#endif
