/* What the files that make programs and write their traces share; one file per subject, with how it is made (make_)
 * and how it is written (write_). */
#ifndef TESTS_PROPERTY_PROGRAM_PARTS_H
#define TESTS_PROPERTY_PROGRAM_PARTS_H

#include "tests/property/program.h"
#include "tests/property/random.h"

enum { US = 1000000 }; /* picoseconds */

struct writer {
    const struct program *program;
    struct trace *trace;
    uint32_t rank_of[RANKS_MAX];                        /* in the trace */
    int32_t comm_of[COMMS_MAX], window_of[WINDOWS_MAX]; /* TRACE_NONE: without members */
    struct random gaps[RANKS_MAX];
    int64_t now_ps[RANKS_MAX];
    uint32_t next_request[RANKS_MAX];
    uint32_t threads_made[RANKS_MAX], next_object[RANKS_MAX];
    int32_t heap;   /* window of OpenSHMEM */
    int64_t places; /* of it, that are waited for */
    uint32_t guarded; /* bits: the semaphore that guards has its one unit */
};

static inline bool in(uint32_t set, uint32_t rank)
{
    return set >> rank & 1;
}

/* --- making --- */
int64_t random_bytes(struct random *random);
uint32_t random_member(struct random *random, uint32_t members);
enum status add_item(struct phase *phase, const struct item *item, struct err *err);

/* of_window: members of the phase's window. */
enum status make_messages(struct random *random, uint32_t members, uint32_t of_window, struct phase *phase,
                          struct err *err);
void make_collective(struct random *random, uint32_t members, struct phase *phase);
void make_comm(struct random *random, uint32_t members, struct phase *phase);
enum status make_threads(struct random *random, uint32_t members, struct phase *phase, struct err *err);
enum status make_shmem(struct random *random, uint32_t members, struct phase *phase, struct err *err);

/* --- writing --- */
uint32_t members_of_comm(const struct program *program, uint32_t comm);
uint32_t members_of_window(const struct program *program, uint32_t window);

/* The world ranks of a set, ascending. */
uint32_t list_ranks(const struct writer *writer, uint32_t set, int32_t ranks[RANKS_MAX]);

struct trace_call new_call(enum mpi_call call, int32_t handle);

/* Computes for a while, then calls. */
enum status put(struct writer *writer, uint32_t rank, struct trace_call call, struct err *err);

/* The operation of an item, without its request. */
struct trace_call operation_call(const struct writer *writer, const struct phase *phase, const struct item *item);

/* A call of every member. */
enum status put_all(struct writer *writer, uint32_t members, struct trace_call call, struct err *err);

/* Row of tests: none to three that say no, then one that says yes. */
enum status put_tests(struct writer *writer, uint32_t rank, struct trace_call call, struct err *err);

/* Waits for all of these requests in one of the ways there are; tests: only by those that test. Shuffles the list. */
enum status put_waits(struct writer *writer, uint32_t rank, uint32_t *requests, uint32_t count, bool tests,
                      struct err *err);

/* The phases that stand inside `outer`. */
enum status write_inner(struct writer *writer, const struct phase *outer, struct err *err);

enum status write_messages(struct writer *writer, const struct phase *phase, struct err *err);
enum status write_collective(struct writer *writer, const struct phase *phase, struct err *err);
enum status write_comm(struct writer *writer, const struct phase *phase, struct err *err);
enum status write_threads(struct writer *writer, const struct phase *phase, struct err *err);
enum status write_shmem(struct writer *writer, const struct phase *phase, struct err *err);

#endif
