/* A trace in memory: the calls of every rank, with arguments and times.
 *
 * Readers (text, spool, OTF2) build it, writers and everything above walk it. Times are integers in picoseconds. Ranks,
 * targets, peers, roots and group members are ranks of MPI_COMM_WORLD. Calls of one rank are ordered by enter_ps (at
 * equal times: cause before effect). Every call belongs to a thread of its rank. Calls of one thread do not overlap:
 * exit_ps >= enter_ps >= the exit_ps of the thread's call before. Calls of different threads may overlap. A trace does
 * not interpret calls: trace/epoch_cursor.h derives epochs, model/ matches calls and finds patterns. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/map.h"
#include "common/status.h"
#include "trace/calls/calls.h"

enum { TRACE_NONE = -1 };       /* no window, communicator, peer, target, root; MPI_PROC_NULL as a peer or target */
enum { TRACE_NO_SITE = 0 };     /* sites[0] is the unknown call site */
#define TRACE_NO_REF UINT32_MAX /* a call that has no group, request, region */
enum { TRACE_THREADS_MAX = UINT16_MAX }; /* threads of a rank */

/* Bits of trace_call.flags. The assertion bits are MPI_MODE_* of MPI-3.1 11.5.5. */
enum trace_flag {
    TRACE_NOCHECK = 1,
    TRACE_NOSTORE = 2,
    TRACE_NOPUT = 4,
    TRACE_NOPRECEDE = 8,
    TRACE_NOSUCCEED = 16,
    TRACE_ASSERTIONS = 31,
    TRACE_EXCLUSIVE = 32, /* lock type; clear = shared */
    TRACE_FLAG = 64,      /* the test succeeded; a thread primitive that may fail succeeded */
    TRACE_BREAK = 128,    /* the recording breaks off inside this call: exit_ps is the last time known */
    TRACE_STARTED = 256,  /* an isend or irecv begun by MPI_Start: the same operation by MPI-3.1 3.9 */
    TRACE_GAPS = 512,     /* a buffer of the call has gaps: trace_call_extents(); set by trace_set_extents() */
};

enum trace_op {
    TRACE_OP_UNKNOWN,
#define TRACE_OP(NAME) TRACE_OP_##NAME,
#include "trace/calls/ops.def"
#undef TRACE_OP
    TRACE_OP_COUNT
};

/* One call. Its kind's arm (trace/calls/call_kinds.def: call_arm()) says which member of the union holds what it is
 * about; trace_check() asserts in a debug build that a call says nothing outside its arm. For every call:
 *   bytes   put/get/accumulate: bytes moved; get_accumulate: bytes sent to the target (compare_and_swap: both values;
 *           MPI_NO_OP: 0); messages: bytes of the message (a receive: bytes received; a probe: of the message found;
 *           sendrecv: bytes sent); bcast, reduce, allreduce, scan, exscan: bytes of one rank's vector; reduce_scatter:
 *           bytes of the whole vector; gather, scatter, allgather, alltoall: bytes of the block that one rank exchanges
 *           with one other; gatherv, allgatherv: bytes of the rank's own contribution; scatterv: bytes that the rank
 *           receives; alltoallv, neighbourhood collectives: bytes that the rank sends to all together. Thread
 *           primitives: 0
 *   handle  window id (one-sided calls, window creation and freeing), else communicator id, else TRACE_NONE
 *   peer    target / destination or matched source / root, else TRACE_NONE. lock_all, flush_all and the like have none:
 *           they mean every target. sendrecv: destination. iprobe that found nothing: the source asked for, if one
 *           Both are outside the union because every arm would have them at the same place with one meaning: on what
 *           the call is made, and its other rank. Checks, filters and matching read them without knowing the arm
 *   ref     the id in the arm's last place, whatever it names; TRACE_NO_REF: none. For what follows requests, which
 *           several arms have (call_makes_request()), and for what gives ids other numbers
 *   any     all of the arm, for what copies, compares or forgets calls of every kind
 *   site    index into definitions.sites
 * A non-blocking collective or a request-based one-sided operation has the kind and the members of the blocking one. A
 * request that MPI_Request_free gave up is never waited for. MPI_Start is kept as the MPI_Isend (Ibsend, Issend,
 * Irsend, Irecv) that it begins, with TRACE_STARTED and a new request; MPI_Startall as one such call per request, which
 * share its time in equal parts.
 * Request ids are unique per rank over the whole trace (readers renumber reused ones). What an arm does not say is
 * as in TRACE_NO_MEMBERS. */
struct trace_call {
    int64_t enter_ps, exit_ps;
    int64_t bytes;
    union {
        struct {
            int64_t disp;         /* at the target, in bytes (OpenSHMEM: symmetric address); -1 unknown */
            int64_t result_bytes; /* get_accumulate: bytes of the result */
            int32_t op;           /* enum trace_op */
            uint32_t request;
        } rma;
        struct {
            int64_t unused[2];
            int32_t tag;
            uint32_t request;
        } message;
        struct {
            int32_t recv_tag, source; /* of the receive; the source is the matched one */
            int64_t recv_bytes;
            int32_t tag; /* of the send */
            uint32_t unused;
        } exchange;
        struct {
            int64_t counts;     /* index into definitions.counts: trace_call_counts(); -1 none */
            int64_t recv_bytes; /* alltoallv, neighbourhood collectives */
            union {
                int32_t op;        /* reductions and scans: enum trace_op */
                int32_t neighbors; /* index into definitions.counts: trace_call_neighbors(); -1 unknown */
            };
            uint32_t request;
        } collective;
        struct {
            int64_t unused[2];
            int32_t neighbors; /* MPI_Dist_graph_create: as above */
            uint32_t newcomm;  /* TRACE_NO_REF: the rank is no member */
        } comm;
        struct {
            int64_t unused[2];
            int32_t unused_too;
            union {
                uint32_t request;
                uint32_t list; /* waitall, testall and variants: the requests that the call completed */
            };
        } completion;
        struct {
            int64_t unused[2];
            int32_t unused_too;
            uint32_t group; /* post, start */
        } sync;
        struct {
            int64_t unused[2];
            int32_t unused_too;
            uint32_t region;
        } region;
        struct {
            int64_t value; /* first call on a semaphore: its value before the call, -1 unknown */
            union {
                int64_t mutex;   /* waiting on a condition */
                int64_t parties; /* barrier: the number of its threads */
            };
            int32_t unused;
            union {
                uint32_t object; /* mutex, condition, barrier or semaphore, unique per rank */
                uint32_t child;  /* pthread_create, pthread_join; TRACE_NO_REF: unknown, or no thread was created */
            };
        } primitive;
        struct {
            int64_t disp; /* of waiting: the rank's own symmetric address, -1 unknown */
            int64_t unused;
            int32_t unused_too;
            uint32_t lock; /* the same on all ranks */
        } shmem;
        struct trace_members {
            int64_t first, second;
            int32_t third;
            uint32_t ref;
        } any;
        struct {
            int32_t unused[5];
            uint32_t ref;
        };
    };
    int32_t handle;
    int32_t peer;
    uint32_t site;
    uint16_t call; /* enum mpi_call */
    uint16_t flags;
};
#define TRACE_NO_MEMBERS {.first = -1, .ref = TRACE_NO_REF} /* trace_call.any of a call that says nothing */
_Static_assert(sizeof(struct trace_call) == 64, "a cache line");

/* Memory from the first to the last byte that the elements in each of a call's buffers span, (count - 1) * |extent| +
 * true extent of their data type (MPI-3.1 4.1); 0: no gaps, or the call has no such buffer. For a receive it is the
 * extent of the given buffer, which may be larger than the message. */
enum trace_buffer {
    TRACE_ORIGIN,  /* one-sided operations: the origin's memory */
    TRACE_TARGET,  /* the target's */ TRACE_RESULT,  /* get_accumulate: the result's */
    TRACE_BUFFERS,
    TRACE_SEND = TRACE_ORIGIN, /* messages and collectives: the sent data */
    TRACE_RECEIVE = TRACE_RESULT,
};
struct trace_extents {
    int64_t of[TRACE_BUFFERS]; /* bytes, up to TRACE_EXTENT_MAX */
};
#define TRACE_EXTENT_MAX (INT64_MAX / 4)

/* Facts of a simulated call that time stamps do not show. For put/get/accumulate: when the data began to move and when
 * they had arrived (accumulate: when it was applied), and the ends in the base and the extended model. TRACE_UNKNOWN_PS
 * if there is no transfer. */
#define TRACE_UNKNOWN_PS INT64_MIN
struct trace_sim {
    int64_t xfer_start_ps, xfer_end_ps;
    int64_t base_end_ps, extended_end_ps;
    int64_t xfer_least_ps; /* before that the transfer cannot end on its platform */
    int64_t blocked_ps; /* time inside the call that the rank spent waiting for something */
    /* The begin of the time in which the call waited only for progress, and the time at which the target's progress
     * served the last request that the call waited for; TRACE_UNKNOWN_PS if it waited for none. */
    int64_t progress_from_ps, progress_until_ps;
    /* The latest enter(post) of the posts that a start, a complete or an operation waited for; TRACE_UNKNOWN_PS if it
     * waited for none. */
    int64_t awaited_post_ps;
    /* When the release of an unlock left, if the unlock then waited for its acknowledgement; TRACE_UNKNOWN_PS: when the
     * call returned. */
    int64_t released_ps;
};
#define TRACE_SIM_UNKNOWN                                                                                              \
    {                                                                                                                  \
        .xfer_start_ps = TRACE_UNKNOWN_PS, .xfer_end_ps = TRACE_UNKNOWN_PS, .base_end_ps = TRACE_UNKNOWN_PS,           \
        .extended_end_ps = TRACE_UNKNOWN_PS, .xfer_least_ps = TRACE_UNKNOWN_PS,                                        \
        .progress_from_ps = TRACE_UNKNOWN_PS, .progress_until_ps = TRACE_UNKNOWN_PS,                                   \
        .awaited_post_ps = TRACE_UNKNOWN_PS, .released_ps = TRACE_UNKNOWN_PS                                           \
    }
extern const struct trace_sim trace_sim_unknown; /* of a call without such facts */

/* A call that an analysis in slices has kept after the calls around it were released (model/slices/slices.h). */
struct trace_kept {
    uint64_t event; /* its number among the rank's calls, from 0 */
    uint32_t node;  /* its call path, as model/callpaths/callpath.h numbers them */
    uint32_t interval; /* its interval, as model/efficiency/intervals.h numbers them */
    uint32_t iteration; /* of model/over_time/iterations.h, where they are counted */
    uint16_t call;  /* its function; if calls[].call differs, only the call's times still count */
    uint16_t flags; /* enum slice_flag of model/slices/final.h */
};

/* Recorded times about the gap before a call, since its thread left the call before, and one about the call itself:
 * CPU time of the thread; how long it was ready to run and waited for a core; how long recording was stopped; how long it
 * slept (neither ran nor could run); how long it waited for a core inside the call. */
enum trace_before {
#define BEFORE(ID, KEY, ATTRIBUTE, DESCRIPTION) BEFORE_##ID,
#include "trace/before.def"
#undef BEFORE
    BEFORE_COUNT
};

struct trace_rank {
    struct trace_call *calls;
    struct trace_sim *sim; /* parallel to calls in a simulated trace, else NULL; trace_add_call adds unknown ones */
    int64_t *before_ps[BEFORE_COUNT]; /* each parallel to calls if some call has it, else NULL. TRACE_UNKNOWN_PS:
                                         unknown; for the others but CPU time: none. Slices have
                                         BEFORE_CORE_WAIT_INSIDE only, of new calls. trace_set_before() */
    int64_t before_sum_ps[BEFORE_COUNT]; /* sums over all calls, also those that slices have released */
    int64_t *compute_ps; /* parallel to calls, or NULL: computing and sleep of the thread before a call. TRACE_UNKNOWN_PS: it is
                            the time since the exit of the thread's call before, without the recorder's cost.
                            trace_set_compute(). In memory only */
    uint16_t *thread; /* parallel to calls: the calling thread; NULL while only thread 0 calls. trace_call_thread() */
    uint32_t thread_count; /* 1 + the largest thread that calls, is created or joined; 0 while only thread 0 calls, and
                              no thread primitive */
    int64_t *thread_exit_ps; /* if thread != NULL, per thread: exit of the call added last; for
                                trace_add_thread_call() */
    uint32_t *extents; /* parallel to calls: index into definitions.extents, 0 none. NULL if no call has gaps, or
                          extents are not kept. trace_call_extents() */
    bool unsorted; /* calls were added out of order: trace_sort_threads() */
    size_t count, capacity, before_capacity[BEFORE_COUNT], compute_capacity, thread_capacity, thread_exit_capacity,
        extent_capacity;
    struct trace_kept *kept; /* of calls[0..kept_count), NULL in a whole trace */
    size_t kept_count;
    uint64_t first_event; /* number of calls[kept_count] among the rank's calls, from 0 */
    uint32_t node;   /* index into definitions.nodes plus 1; 0: not known. trace_node_name() */
    uint32_t cores;  /* cores of its node that the program could use when it was recorded; 0: not known */
    double speed;    /* speed of the core relative to the recording machine, at which computing times were recorded; 0
                        means 1.0 */
    double memory_bound; /* share of its computing that is bound by memory, as recorded, from 0 to 1 */
    bool memory_known;   /* memory_bound is known */
    bool incomplete; /* the recording breaks off: killed, or a limit was reached */
    char *incomplete_why; /* owned, may be NULL */
};

/* A sorted (groups) or ordered (communicators) list of world ranks. Equal groups are stored once. */
struct trace_group {
    uint32_t count;
    int32_t *members;
    bool repeats; /* the program named a rank twice, which MPI-3.1 6.3.2 forbids; members have it once */
};

/* Communicator 0 is the world; member i is its rank i. */
struct trace_comm {
    uint32_t count;
    int32_t *members;
    uint32_t *order; /* its ranks sorted by member, for trace_comm_rank; NULL if members ascend */
    uint32_t first_group; /* of an intercommunicator (MPI-3.1 6.6): how many members its first group has; else 0 */
};

struct trace_window {
    int32_t comm;
    char *name;         /* given by MPI_Win_set_name, NULL: none */
    int64_t *bytes;     /* per member of comm, NULL unknown */
    int32_t *disp_unit; /* per member of comm, NULL unknown */
    char flavor;        /* 'c'reate, 'a'llocate, 's'hared, 'd'ynamic (has no bytes of its own), 'h'eap: the
                           symmetric memory of OpenSHMEM, '?' */
};

/* The place of a call in the program; the unknown site has NULLs and line 0. */
struct trace_site {
    char *function, *file;
    int32_t line;
};

struct trace_list {        /* of request ids */
    uint32_t first, count; /* in definitions.requests */
};

/* Lists of numbers that calls refer to; equal lists are stored once. They are bytes per member of the communicator
 * (gatherv, scatterv, ...), bytes per destination of a neighbourhood collective, or its neighbours. */
struct trace_counts {
    uint32_t count;
    int64_t *bytes;
};

/* A fault of the input, and the calls that the trace lacks because of it (trace/faults.h). */
#define TRACE_FAULT_NO_RANK UINT32_MAX
enum { TRACE_FAULT_UNCOUNTED = -1 };
struct trace_fault {
    uint32_t rank;     /* TRACE_FAULT_NO_RANK: a part of the input that belongs to no rank */
    size_t event;      /* of the rank, from 0; this event and all later ones are left out */
    int64_t time_ps;   /* TRACE_UNKNOWN_PS: not known */
    int64_t left_out;  /* calls, or TRACE_FAULT_UNCOUNTED */
    char *text;        /* owned: the error's line */
};

/* The source of the recorder's time stamps: CLOCK_MONOTONIC, the time stamp counter, or different ones per rank. */
enum trace_clock_source { TRACE_CLOCK_UNKNOWN, TRACE_CLOCK_MONOTONIC, TRACE_CLOCK_TSC, TRACE_CLOCK_MIXED };

struct trace_clock_quality {
    bool known;
    double worst_offset_s, worst_error_s; /* largest offset corrected, largest half round trip */
    uint64_t violations;                  /* effects before their causes, found and repaired */
    enum trace_clock_source source;
};

/* Objects that calls and ranks name by number. A trace owns its definitions. Readers, transforms and slices add items;
 * an item does not change after it was added. trace_new_like() copies the definitions, since the new trace may outlive
 * the old one; ids remain valid in the copy. Three kinds of traces borrow the definitions of another one: a shard of a
 * reader, except for its own tables (trace/builder.h), trace_computing_view(), and the trace of
 * predictors/replayable_prefix.h. */
struct trace_definitions {
    struct trace_comm *comms;
    size_t comm_count, comm_capacity;
    struct trace_group *groups;
    size_t group_count, group_capacity;
    struct map group_index; /* hash of members to group id, chained by probing */
    struct trace_window *windows;
    size_t window_count, window_capacity;
    struct trace_list *lists;
    size_t list_count, list_capacity;
    uint32_t *requests;
    size_t request_count, request_capacity;
    struct trace_counts *counts;
    size_t counts_count, counts_capacity;
    struct map counts_index; /* hash of the bytes to the id, chained by probing */
    struct trace_extents *extents; /* each once; extents[0] is none */
    size_t extents_count, extents_capacity;
    struct map extents_index; /* hash of the extents to the id, chained by probing */
    char **regions;           /* names of user regions */
    size_t region_count, region_capacity;
    struct trace_site *sites;
    size_t site_count, site_capacity;
    struct map name_index; /* hash of a region or site to its id, chained by probing */
    char **nodes;          /* names of the nodes on which ranks ran, each once */
    size_t node_count, node_capacity;
    struct map node_index; /* hash of the name to the id, chained by probing */
};

/* The provenance of a trace: what recorded or predicted it, and the quality of its clock. */
#define TRACE_GENERATOR_MODEL "program model" /* provenance.generator of a trace that a program model describes */
enum trace_origin { TRACE_RECORDED, TRACE_SIMULATED, TRACE_GENERATED, TRACE_DESCRIBED, TRACE_ORIGIN_COUNT };

struct trace_provenance {
    bool simulated;
#define PROVENANCE_TEXT(MEMBER, PROPERTY) char *MEMBER;
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    struct trace_clock_quality clock;
    int64_t record_cost_ps;     /* the recorder's own cost per call, 0 unknown */
    bool core_waits;            /* core waits were recorded: a call without one had none */
    bool without_core_waits; /* trace_use_computing() has removed the core waits from the computing */
    bool uses_computing;     /* trace_use_computing() has reduced gaps to computing and sleep */
    uint32_t recordings; /* trace_use_recordings(): how many; 0: one alone */
    double recordings_s; /* standard deviation of a rank's computing over them */
    struct trace_fault *faults; /* of an input that was read with --keep-going, at most one per rank, by rank */
    size_t fault_count, fault_capacity;
    char **notes; /* assumptions of a reader where its input says nothing, one sentence each */
    size_t note_count, note_capacity;
};

struct trace {
    char *name; /* as given by the user, for messages */
    uint32_t rank_count;
    struct trace_rank *ranks;
    struct trace_definitions definitions;
    struct trace_provenance provenance;
    bool skips_checks; /* some call may have MPI_MODE_NOCHECK */
    bool begin_known;  /* begin_ps is the begin of the first call, which may have been removed */
    int64_t begin_ps;
};

/* Where the times come from: a run, a replay, or nowhere: calls of a generated trace and of a described one take no time. What is
 * written by hand counts as recorded. */
enum trace_origin trace_origin(const struct trace *trace);
/* "recorded", "simulated", "generated", "described". */
const char *trace_origin_name(enum trace_origin origin);

/* A trace of rank_count ranks with the world communicator and no calls. trace_free(NULL) is legal. */
enum status trace_new(const char *name, uint32_t rank_count, struct trace **trace, struct err *err);
void trace_free(struct trace *trace);
/* Frees the tables that a reader's shard may own: all except communicators, windows and nodes. Pointers into them are
 * invalid afterwards. */
void trace_clear_tables(struct trace_definitions *definitions);

/* Appends a call to a rank, with an unknown trace_sim if the trace is simulated. Returns STATUS_DATA with rank and
 * event if time runs backwards on the rank. */
enum status trace_add_call(struct trace *trace, uint32_t rank, const struct trace_call *call, struct err *err);

/* The same for a thread of the rank (thread < TRACE_THREADS_MAX): time must not run backwards on the thread. Calls of
 * different threads may be added in any order; trace_sort_threads() then brings each rank's calls into the order of
 * their times. Equal times keep the order of adding. */
enum status trace_add_thread_call(struct trace *trace, uint32_t rank, uint32_t thread, const struct trace_call *call,
                                  struct err *err);
enum status trace_sort_threads(struct trace *trace, struct err *err);

/* Reserves room for so many more calls of a rank; frees the room beyond its calls. */
enum status trace_reserve_calls(struct trace *trace, uint32_t rank, size_t more, struct err *err);
void trace_trim_calls(struct trace *trace, uint32_t rank);

/* The same for one rank; calls of equal times stand by order (parallel to the calls), then in the order of adding. */
enum status trace_sort_calls(struct trace *trace, uint32_t rank, const uint32_t *order, struct err *err);

/* Threads of a rank, at least 1; the thread that made a call. */
uint32_t trace_thread_count(const struct trace *trace, uint32_t rank);
uint32_t trace_call_thread(const struct trace *trace, uint32_t rank, size_t index);

/* Returns STATUS_DATA with the first rank that has several threads or thread primitives; what names the caller in the
 * message: "replay". */
enum status trace_check_one_thread(const struct trace *trace, const char *what, struct err *err);

/* Returns STATUS_DATA with the first OpenSHMEM routine; for code that supports MPI only. */
enum status trace_check_no_shmem(const struct trace *trace, const char *what, struct err *err);

/* Sets a recorded time about the gap before a call that has been added, once. */
enum status trace_set_before(struct trace *trace, uint32_t rank, size_t index, enum trace_before what, int64_t ps,
                             struct err *err);

/* Adds the time to before_sum_ps only, for calls that are not kept. */
void trace_sum_before(struct trace *trace, uint32_t rank, enum trace_before what, int64_t ps);

/* The key of the text form. */
const char *trace_before_key(enum trace_before what);

/* Sets the extents of the buffers of a call that has been added, if one has gaps; all 0 changes nothing. */
enum status trace_set_extents(struct trace *trace, uint32_t rank, size_t index, const struct trace_extents *extents,
                              struct err *err);

/* The extents of a call's buffers; all 0 for a call without gaps, or if extents are not kept. */
struct trace_extents trace_call_extents(const struct trace *trace, uint32_t rank, size_t index);

/* Whether calls of this kind have these buffers, and the extents are addressable. */
bool trace_extents_fit(enum call_kind kind, const struct trace_extents *extents);

/* The text key of a buffer's extent: "origin_extent", "recv_extent"; NULL if calls of this kind have no such buffer. */
const char *trace_extent_key(enum call_kind kind, enum trace_buffer buffer);

/* Copies all extents of a rank to the same calls of another trace, which have TRACE_GAPS already or get it later. If
 * both traces share their ranks, only the ids are translated to those of `to`. */
enum status trace_copy_extents(struct trace *to, const struct trace *from, uint32_t rank, struct err *err);

/* Reserves room for extents of all calls for which there is room; for trace_add_call(). */
enum status trace_reserve_extents(struct trace_rank *process, struct err *err);

/* Sets the computing and sleep of the thread before a call that has been added, independent of the times around it. */
enum status trace_set_compute(struct trace *trace, uint32_t rank, size_t index, int64_t compute_ps, struct err *err);

/* The recorded time about the gap before a call; 0 if it is unknown or, in a damaged trace, negative. */
static inline int64_t trace_before_ps(const struct trace_rank *process, enum trace_before what, size_t index)
{
    const int64_t *before_ps = process->before_ps[what];
    return before_ps && before_ps[index] > 0 ? before_ps[index] : 0;
}

/* Makes the computing of a rank that of another one: recorded on such a core, bound by memory as much. */
static inline void trace_copy_pace(struct trace_rank *to, const struct trace_rank *from)
{
    to->speed = from->speed;
    to->memory_bound = from->memory_bound;
    to->memory_known = from->memory_known;
}

/* The computing and sleep set for the call, else recorded_ps, the time since the thread's call before without the
 * recorder's cost. Core waits of a predicted trace are no part of it: the replay that made it found them. */
static inline int64_t trace_compute_ps(const struct trace_rank *process, size_t index, int64_t recorded_ps)
{
    if (process->compute_ps && process->compute_ps[index] != TRACE_UNKNOWN_PS) return process->compute_ps[index];
    return process->sim ? recorded_ps - trace_before_ps(process, BEFORE_CORE_WAIT, index) : recorded_ps;
}

/* The sleep in all_ps, the computing and sleep of the thread before a call. */
static inline int64_t trace_slept_ps(const struct trace_rank *process, size_t index, int64_t all_ps)
{
    int64_t slept_ps = trace_before_ps(process, BEFORE_SLEPT, index);
    if (all_ps <= 0) return 0;
    return slept_ps < all_ps ? slept_ps : all_ps;
}

/* Reduces sleep that is longer than its gap without core waits and pauses, which times of limited accuracy may cause. */
enum status trace_fit_slept(struct trace *trace, struct err *err);

/* What counts as computing between two calls. */
enum trace_computing {
    COMPUTING_DEFAULT,     /* undisturbed if a node had more ranks than cores and core waits are known, else wall */
    COMPUTING_WALL,        /* the time between them */
    COMPUTING_CPU,         /* the thread's CPU time, if it is known */
    COMPUTING_UNDISTURBED, /* the time between them without core waits */
    COMPUTING_COUNT
};
const char *trace_computing_name(enum trace_computing computing); /* "default", "wall", "cpu", "undisturbed" */

/* How the ranks of a run share the memory of their nodes. */
struct trace_memory {
    uint32_t ranks_per_node; /* of the fullest node; 0: not known */
    double *shares;          /* owned: of each rank's computing, which is bound by memory; */
    size_t count, capacity;  /* 1: all have the same; 0: not known of all */
};
/* *memory is empty, or was found before. */
enum status trace_find_memory(const struct trace *trace, struct trace_memory *memory, struct err *err);
void trace_memory_clear(struct trace_memory *memory);
/* Places the rank on its node, with as many others as there may be, and gives it the share of the rank `like`. */
enum status trace_set_memory(struct trace *trace, uint32_t rank, const struct trace_memory *memory, uint32_t like,
                             struct err *err);

/* Whether some node had more ranks than cores (trace_rank.cores). */
bool trace_is_crowded(const struct trace *trace);

/* How long the ranks' threads waited for a core while they were recorded, computing and in MPI. */
struct trace_core_waits {
    double waited_s, share; /* computing; share: of all ranks' time */
    bool notable;           /* more than 5 %: a prediction whose computing includes them says so */
    double mpi_s, mpi_waited_s; /* in calls of trace_core_wait_is_known() */
    bool mpi_notable;           /* more than 5 % of all ranks' time */
};
struct trace_core_waits trace_core_waits(const struct trace *trace);

/* Whether the recorder measures the call's own wait for a core: in thread primitives threads wait for each other, and it
 * begins in MPI_Init. */
static inline bool trace_core_wait_is_known(const struct trace_call *call)
{
    return !call_is_region(call->call) && !call_is_thread(call->call) && call_kind(call->call) != CALL_INIT;
}

/* States which share of the computing is bound by memory on the ranks where the trace does not know it. A note says that this is
 * assumed. */
enum status trace_assume_memory_bound(struct trace *trace, double share, struct err *err);

/* Uses the given measure for computing between calls. It is never more than the wall time without the recorder's own
 * cost and without pauses of recording. Sleep remains part of the gap, except where CPU time is the measure. Calls move
 * in time accordingly and keep their durations, but for the failed tests of spins (trace/spins.h). In a rank with threads
 * calls do not move, since the order of its threads' calls is the program's; there compute_ps has the computing and sleep.
 * A note states the measure unless it is wall time. Returns STATUS_DATA if the trace lacks the measure. */
enum status trace_use_computing(struct trace *trace, enum trace_computing computing, struct err *err);

/* Its parts, for a trace of which only some calls at a time are in memory; of one thread per rank, recorded, not COMPUTING_CPU.
 * What COMPUTING_DEFAULT stands for; the calls of a rank from index `first` on, *moved all zero before its first call; what
 * notes say, once all calls have been read. Spins are left to the caller. */
struct trace_moved {
    int64_t moved_ps, left_ps; /* left_ps: the exit of the call before as recorded */
    bool begun;
};
enum trace_computing trace_choose_computing(const struct trace *trace, enum trace_computing computing);
void trace_move_calls(struct trace *trace, uint32_t rank, size_t first, enum trace_computing computing,
                      struct trace_moved *moved);
enum status trace_note_computing(struct trace *trace, enum trace_computing computing, struct err *err);

/* The same without changing the trace: *view has its own times and notes, and borrows everything else until
 * trace_computing_view_free(). */
enum status trace_computing_view(const struct trace *trace, enum trace_computing computing, struct trace **view,
                                 struct err *err);
void trace_computing_view_free(struct trace *view);

/* Finds a measure by its name; false for an unknown name, and for "default". */
bool trace_computing_by_name(const char *name, enum trace_computing *computing);

/* Definitions. Members are copied. Adding an equal group, region name, site or extents again returns the same id.
 * Groups are sorted and duplicates removed. Communicator and window ids count up; bytes and disp_unit may be NULL. */
enum status trace_add_group(struct trace *trace, const int32_t *members, uint32_t count, uint32_t *id, struct err *err);
/* Copies a group of another trace without sorting. */
enum status trace_copy_group(struct trace *trace, const struct trace_group *group, uint32_t *id, struct err *err);
enum status trace_add_comm(struct trace *trace, const int32_t *members, uint32_t count, int32_t *id, struct err *err);
enum status trace_add_window(struct trace *trace, int32_t comm, const int64_t *bytes, const int32_t *disp_unit,
                             char flavor, int32_t *id, struct err *err);
/* The window's name is copied; it replaces an earlier one. */
enum status trace_set_window_name(struct trace *trace, int32_t window, const char *name, struct err *err);
enum status trace_add_list(struct trace *trace, const uint32_t *requests, uint32_t count, uint32_t *id,
                           struct err *err);
enum status trace_add_counts(struct trace *trace, const int64_t *bytes, uint32_t count, uint32_t *id, struct err *err);
enum status trace_add_extents(struct trace *trace, const struct trace_extents *extents, uint32_t *id, struct err *err);
enum status trace_add_region(struct trace *trace, const char *name, uint32_t *id, struct err *err);
enum status trace_add_site(struct trace *trace, const char *function, const char *file, int32_t line, uint32_t *id,
                           struct err *err);

/* Whether the trace was predicted with blocking locks: a lock is held when its call returns. */
static inline bool trace_is_blocking(const struct trace *trace)
{
    const struct trace_provenance *provenance = &trace->provenance;
    return provenance->simulated && provenance->lock && strcmp(provenance->lock, "blocking") == 0;
}

/* Whether the trace was predicted with lazy locks: requests for locks leave at unlock. */
static inline bool trace_is_lazy(const struct trace *trace)
{
    return trace->provenance.lock && strcmp(trace->provenance.lock, "lazy") == 0;
}

/* Sets the node on which a rank ran; the name is not empty. The node of a simulated rank is the platform's: "node3". */
enum status trace_set_node(struct trace *trace, uint32_t rank, const char *name, struct err *err);
const char *trace_node_name(const struct trace *trace, uint32_t rank); /* NULL: not known */
void trace_clear_nodes(struct trace *trace);

/* Adds a sentence to the notes if it is new. */
enum status trace_add_note(struct trace *trace, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes a trace with the definitions and properties of `other`, without calls; for simulated traces and transforms. */
enum status trace_new_like(const struct trace *other, struct trace **trace, struct err *err);

/* Index of world rank in the communicator or sorted group, TRACE_NONE if it is no member. */
int32_t trace_comm_rank(const struct trace_comm *comm, int32_t world_rank);
int32_t trace_group_rank(const struct trace_group *group, int32_t world_rank);

/* The communicator of a call: its own, or its window's. NULL for calls without. */
const struct trace_comm *trace_call_comm(const struct trace *trace, const struct trace_call *call);

/* Resets the members that no field of the call's row names to TRACE_NO_MEMBERS. */
void trace_call_clear_others(struct trace_call *call);

/* The requests that a call completes: a wait, a successful test, a list. The recording may break off in the call.
 * Borrowed from the trace or the call. */
const uint32_t *trace_call_completed(const struct trace *trace, const struct trace_call *call, uint32_t *count);

/* Bytes per member of the call's communicator: gatherv: sent by each; scatterv: received by each; allgatherv:
 * contributed by each; alltoallv: sent by this rank to each; reduce_scatter: the block received by each. NULL if the
 * call has none: in gatherv and scatterv only the root has counts, reduce_scatter_block has equal blocks, and other
 * tools' archives have no counts. */
const int64_t *trace_call_counts(const struct trace *trace, const struct trace_call *call);

/* A fence's NOPRECEDE and NOSUCCEED (MPI-3.1 11.5.5) as text; equal pointers for equal assertions. */
const char *trace_fence_ends(uint32_t flags);

/* Neighbours of the calling rank as world ranks, in the order of its topology; a rank may occur several times. The k-th
 * message from one rank to another belongs to the k-th occurrence of that source (MPI-3.1 7.6). MPI_PROC_NULL is left
 * out, since no data move. For MPI_Dist_graph_create these are the edges that the rank names, from sources[i] to
 * destinations[i]. Borrowed from the trace. */
struct trace_neighbors {
    uint32_t source_count, destination_count;
    const int64_t *sources, *destinations;
};

/* Returns false for calls without neighbours, and if they are not known. trace_call_counts() gives bytes per
 * destination; NULL: equal parts of trace_call.bytes. */
bool trace_call_neighbors(const struct trace *trace, const struct trace_call *call, struct trace_neighbors *neighbors);

/* Adds the list of neighbours of a call. */
enum status trace_add_neighbors(struct trace *trace, const struct trace_neighbors *neighbors, uint32_t *id,
                                struct err *err);

/* Checks that handles, peers, groups and requests exist and that ranks are members. A trace needs this check before
 * model or replay walks it. Returns STATUS_DATA with rank, event number (from 1) and call. */
enum status trace_check(const struct trace *trace, struct err *err);

/* Its parts, for a trace of which only one rank at a time has calls: the definitions, and all calls of a rank. The trace says
 * when it begins (begin_known). */
enum status trace_check_definitions(const struct trace *trace, struct err *err);
enum status trace_check_whole_rank(const struct trace *trace, uint32_t rank, struct err *err);
/* For such a trace: the next rank's calls take the memory of the last one's (NULL: none was). Nothing but a rank's own calls
 * names its lists of requests. */
void trace_pass_memory(struct trace *trace, struct trace_rank *from, struct trace_rank *to);

/* Checks the times recorded about the gap before a call, which trace_check() does too, for readers that keep sums only. since_ps:
 * from the exit of the thread's call before to this enter. */
enum status trace_check_before(const struct trace *trace, uint32_t rank, size_t index, const struct trace_call *call,
                               const int64_t before_ps[BEFORE_COUNT], int64_t since_ps, struct err *err);

/* trace_check() for the new calls of slices (struct trace_kept), one thread per rank; last: no calls follow. */
struct trace_checker;
enum status trace_checker_new(const struct trace *trace, struct trace_checker **checker, struct err *err);
void trace_checker_free(struct trace_checker *checker);
enum status trace_check_slice(struct trace_checker *checker, const struct trace *trace, bool last, struct err *err);
/* The same for one rank. Without begin_known the rank's limits are those of a trace that begins with its first call. */
enum status trace_check_rank(struct trace_checker *checker, const struct trace *trace, uint32_t rank, bool last, struct err *err);

/* Calls of all ranks. */
uint64_t trace_all_calls(const struct trace *trace);
/* First event over all ranks and last exit of one rank; 0 if there are no calls. */
int64_t trace_begin_ps(const struct trace *trace);
int64_t trace_rank_end_ps(const struct trace *trace, uint32_t rank);

/* MPI_Op by number (enum trace_op). */
const char *trace_op_name(int32_t op);      /* "MPI_SUM"; "?" for 0 */
int32_t trace_op_by_name(const char *name); /* "MPI_SUM" or "SUM"; 0 unknown */

/* How a window was created: "create", "allocate", ...; NULL for '?'. trace_flavor_by_name() returns '?' for an unknown
 * name. */
const char *trace_flavor_name(char flavor);
char trace_flavor_by_name(const char *name);

/* "monotonic", "tsc", "mixed"; NULL for TRACE_CLOCK_UNKNOWN. trace_clock_source_by_name() returns false for an unknown
 * name. */
const char *trace_clock_source_name(enum trace_clock_source source);
bool trace_clock_source_by_name(const char *name, enum trace_clock_source *source);

/* The number of a call among its rank's calls, from 1; its function, also of a kept call. */
uint64_t trace_event(const struct trace *trace, uint32_t rank, size_t index);
enum mpi_call trace_function(const struct trace *trace, uint32_t rank, size_t index);

/* Places in messages: "rank 3, event 17 (MPI_Put)". Returns buffer. */
enum { TRACE_PLACE_BYTES = 96 };
char *trace_place(const struct trace *trace, uint32_t rank, size_t index, char buffer[TRACE_PLACE_BYTES]);

#endif
