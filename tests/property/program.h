/* Random MPI programs that are correct whatever is left out of them.
 *
 * A program is a list of phases. Every rank goes through them in this order, and each phase ends if all its ranks come
 * to it, so no program deadlocks; neither does one that lacks phases, items or ranks, which is what shrinking needs.
 * Ranks are named by their number in the whole program; `alive` says which of them exist.
 *
 * Order of calls: program_make, then program_trace as often as wanted, program_clear. */
#ifndef TESTS_PROPERTY_PROGRAM_H
#define TESTS_PROPERTY_PROGRAM_H

#include "trace/trace.h"

enum { RANKS_MAX = 12, COMMS_MAX = 3, WINDOWS_MAX = 3, KNOBS_MAX = 64 };

enum phase_kind {
    PHASE_PSCW,
    PHASE_FENCE,
    PHASE_LOCK,
    PHASE_MESSAGES,
    PHASE_COLLECTIVE,
    PHASE_THREADS,
    PHASE_SHMEM,
    PHASE_COMM
};

/* What a program has beside MPI calls; SUBJECT_LIBRARY: nothing, and its platform has a library's profile. */
enum subject { SUBJECT_MPI, SUBJECT_THREADS, SUBJECT_SHMEM, SUBJECT_LIBRARY };

enum pscw_order {
    ORDER_POST_FIRST,  /* post, start, complete, wait */
    ORDER_START_FIRST, /* start, complete, post, wait: targets are lower ranks */
    ORDER_WAIT_FIRST,  /* post, start, wait, complete: targets are lower ranks */
};

enum item_kind {
    ITEM_OPERATION, /* call: put, get, accumulate, get_accumulate, under locks with requests too, which are waited for;
                       among messages all have one */
    ITEM_LOCK,      /* call: lock or lock_all; the operations with its slot lie within it */
    ITEM_MESSAGE,   /* call: the send; receive */
    ITEM_RING,      /* call: each member's with the one that many (target) places on */
    ITEM_THREADS,   /* call: what threads of a rank do, tests/property/program_threads.c */
    ITEM_SHMEM,     /* call: tests/property/program_shmem.c */
};

struct item {
    enum item_kind kind;
    enum mpi_call call;
    uint32_t origin, target;
    int64_t bytes;
    uint32_t slot;         /* fence: the epoch; lock: its name */
    bool nowhere;          /* its peer is MPI_PROC_NULL */
    bool freed;            /* messages: MPI_Request_free gives the send's request up */
    uint16_t flags;        /* of the call */
    enum mpi_call flush;   /* under locks: follows the operation; ID_Init: nothing does */
    enum mpi_call receive; /* one message after another: how it is found, or received */
    uint32_t thread[2];     /* of the origin, of the target or the origin */
};

struct phase {
    enum phase_kind kind;
    uint32_t id;
    uint32_t outer;  /* id of the phase inside which this one stands: between start and complete, a collective's
                        begin and wait; the phase itself: none */
    uint64_t seed;   /* of the computing times between its calls */
    uint32_t window; /* one-sided phases, mixed ones */
    uint32_t comm;   /* the others, mixed ones, too */
    enum pscw_order order;
    uint32_t targets[RANKS_MAX]; /* bits of the targets that each rank names: PSCW, neighbours; threads: how many */
    bool empty_groups;           /* PSCW: ranks without targets or origins start or post all the same */
    bool nocheck;                /* PSCW: a barrier between post and start, which then needs no check */
    bool tests;                  /* PSCW: rows of MPI_Win_test for MPI_Win_wait; requests: the same for MPI_Wait */
    bool nested;                 /* locks: each rank has all of its own at once, taken by ascending target */
    bool together;               /* messages: receives first, then all sends; else one message after another;
                                    locks: requests are waited for behind the operations; neighbours: twice;
                                    threads: lock_all around; counts: they differ */
    bool mixed;                  /* messages together: operations with requests beside them, under lock_all of the window */
    uint32_t epochs;             /* fence */
    uint16_t first_flags, last_flags; /* fence */
    enum mpi_call call;               /* collective */
    uint32_t root;
    int64_t bytes;
    struct item *items;
    size_t item_count, item_capacity;
};

struct program {
    uint64_t seed;
    enum subject subject;
    uint32_t ranks, alive; /* bits */
    uint32_t comms, windows;
    uint32_t comm_members[COMMS_MAX];                 /* bits; 0 is the world */
    uint32_t window_comm[WINDOWS_MAX], windows_alive; /* bits */
    char window_flavor[WINDOWS_MAX];
    bool computes, init;                              /* init: MPI_Init and MPI_Finalize are called */
    bool sleeps;                                      /* ranks sleep for a part of some gaps */
    bool regions;                                     /* computing is in a region of the program now and then */
    struct phase *phases;
    size_t phase_count, phase_capacity;
    uint32_t knobs[KNOBS_MAX]; /* the platform: the value of each knob, tests/property/knobs.h */
};

/* The program of a seed. */
enum status program_make(uint64_t seed, enum subject subject, struct program *program, struct err *err);
enum status program_copy(const struct program *program, struct program *copy, struct err *err);
/* A copy with a barrier of all ranks behind each phase, inside the same outer phase. */
enum status program_separate(const struct program *program, struct program *copy, struct err *err);
void program_clear(struct program *program);

void program_remove_phase(struct program *program, size_t phase);
void program_remove_item(struct phase *phase, size_t item);

/* As recorded; ranks are numbered anew without those that are not alive. The caller owns *trace. */
enum status program_trace(const struct program *program, struct trace **trace, struct err *err);

#endif
