/* The recorder: what the wrappers of MPI calls (trace/record/mpi/wrappers.c, made from the rows of
 * trace/calls/mpi_calls.def) need.
 *
 * The library is preloaded into foreign programs. It stays passive without RMACAST_SPOOL, never ends the program,
 * allocates nothing per event, and talks to other ranks in MPI_Init and MPI_Finalize only. Each thread writes to a
 * buffer of its own, made at its first call; nothing is locked but the tables of handles and requests, and these only
 * where the program asked for MPI_THREAD_MULTIPLE: else MPI's calls of a process never run at the same time
 * (MPI-3.1 12.4.3). What a thread calls inside an MPI call (callbacks, the library itself) is not recorded; PMPI
 * functions that the program or a language binding calls are (trace/record/preload/library.h). */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/record/output/buffer.h"
#include "trace/record/threads/table.h"
#include "trace/record/mpi/types.h"
#include "trace/spool/spool.h"

#include "trace/record/threads/primitives.h"

enum rec_call_id {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) REC_ID_##NAME,
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) REC_ID_##NAME,
#include "trace/calls/shmem_calls.def"
#undef SHMEM_CALL
    REC_CALL_COUNT, /* behind them in the spool's names: the thread primitives, by enum rec_primitive */
#if MPI_VERSION >= 4
#define MPI_CALL(...)
#define MPI_CALL_C(NAME, ...) REC_ID_##NAME##_c = REC_ID_##NAME,
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#endif
};

static inline bool rec_initialises(enum rec_call_id id)
{
#define REC_INITIALISES(ROW, FUNCTION) id == REC_ID_##ROW ||
    return
#include "trace/record/initialising.def"
        false;
#undef REC_INITIALISES
}

/* Weak, since the library is not linked with MPI and is preloaded into programs without it, too (mpiexec, shells). */
#define REC_ROW(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                     \
    extern __typeof__(PMPI_##NAME) PMPI_##NAME __attribute__((weak));
#include "trace/record/mpi/rows.def"
#undef REC_ROW
#define REC_WEAK(NAME) extern __typeof__(NAME) NAME __attribute__((weak))
REC_WEAK(PMPI_Cart_shift);
REC_WEAK(PMPI_Cartdim_get);
REC_WEAK(PMPI_Comm_create_keyval);
REC_WEAK(PMPI_Comm_get_parent);
REC_WEAK(PMPI_Comm_rank);
REC_WEAK(PMPI_Comm_set_attr);
REC_WEAK(PMPI_Comm_size);
REC_WEAK(PMPI_Comm_test_inter);
REC_WEAK(PMPI_Dist_graph_neighbors);
REC_WEAK(PMPI_Dist_graph_neighbors_count);
REC_WEAK(PMPI_Error_class);
REC_WEAK(PMPI_Finalized);
REC_WEAK(PMPI_Get_elements_x);
REC_WEAK(PMPI_Get_library_version);
REC_WEAK(PMPI_Graph_neighbors);
REC_WEAK(PMPI_Graph_neighbors_count);
REC_WEAK(PMPI_Group_size);
REC_WEAK(PMPI_Group_translate_ranks);
REC_WEAK(PMPI_Query_thread);
#if MPI_VERSION >= 4
REC_WEAK(PMPI_Group_from_session_pset);
#endif
REC_WEAK(PMPI_Test_cancelled);
REC_WEAK(PMPI_Topo_test);
REC_WEAK(PMPI_Type_get_extent_x);
REC_WEAK(PMPI_Type_get_true_extent_x);
REC_WEAK(PMPI_Type_size_x);

#pragma GCC visibility push(hidden) /* else each use would ask the loader where it is */

struct rec_comm;

/* One call on its way. */
struct rec_call {
    struct spool_record enter, exit;
    uint64_t key;          /* a handle that the call overwrites */
    struct rec_comm *comm; /* whose ranks the status has */
    uint32_t request;      /* id, SPOOL_NO_ID none */
    uint32_t pattern;      /* what its templates are chosen by: call site, then window or communicator too */
    bool found;            /* the request, maybe one without an id */
    bool entered;          /* the entry record is written */
    bool quiet;            /* no records */
    bool gaps;             /* extents are said */
    int error;             /* class of the error that the call returned; with SPOOL_FAILED in exit.flags */
    const MPI_Request *at; /* of wait and test: where the program keeps it */
    MPI_Status status;     /* for MPI_STATUS_IGNORE */
    int64_t extents[SPOOL_BUFFERS]; /* of those of its buffers that have gaps, else 0 */
};

enum rec_off { REC_ON, REC_QUIET, REC_SKIPPED }; /* recorded, followed only, neither */
extern uint8_t rec_off[REC_CALL_COUNT]; /* enum rec_off */

enum rec_state { REC_OFF, REC_READY, REC_OPEN };
extern enum rec_state rec_state;
extern struct rec_buffer rec_out; /* of the thread that initialised MPI; its state is that of the rank */
extern __thread struct rec_buffer *rec_own
    __attribute__((tls_model("initial-exec"))); /* this thread's, NULL none yet */
extern int rec_rank, rec_world; /* known in REC_OPEN */
extern MPI_Comm rec_everyone; /* MPI_COMM_WORLD; in a program that has sessions only a communicator that is freed in REC_OPEN */
extern MPI_Group rec_world_group;
extern struct rec_anchor rec_loaded_at; /* before MPI_Init */
enum { REC_LAST = 2 }; /* as rec_inside: of MPI_Finalize, whose exit is the last record */
/* Where the stack ended when the recorded call that the thread is in was made (its CFA), 0: it is in none. */
extern __thread uintptr_t rec_inside __attribute__((tls_model("initial-exec")));

#define REC_LIKELY(condition) __builtin_expect((condition), 1)
/* Used too often for the compiler to see that it pays. */
#define REC_INLINE static inline __attribute__((always_inline))

bool rec_thread_begin(void); /* false: the thread is not recorded */
void rec_mark(uint32_t state); /* bits of enum spool_state, of the rank */

/* Around what uses the tables. */
extern bool rec_shared; /* threads may call MPI at the same time */
void rec_lock_wait(void);
extern int rec_locked;
REC_INLINE void rec_lock(void)
{
    if (!REC_LIKELY(!rec_shared) && __atomic_exchange_n(&rec_locked, 1, __ATOMIC_ACQUIRE)) rec_lock_wait();
}
REC_INLINE void rec_unlock(void)
{
    if (!REC_LIKELY(!rec_shared)) __atomic_store_n(&rec_locked, 0, __ATOMIC_RELEASE);
}

/* Whether the call that the thread was in has been left without a return, by an error handler that throws or jumps. */
bool rec_abandoned(uintptr_t frame);
bool rec_on_own_stack(uintptr_t at); /* of this thread; not of a handler, of a coroutine */

/* True if this call is to be recorded; then rec_exit() must follow. frame: its CFA. opens: it may open the recording; the
 * others are not recorded before (sessions of MPI-4.0 need no MPI_Init). */
static inline bool rec_begin(const void *frame, bool opens)
{
    if (!REC_LIKELY(rec_state != REC_OFF)) return false;
    if (!REC_LIKELY(rec_inside == 0) && !rec_abandoned((uintptr_t)frame)) return false;
    if (!REC_LIKELY(rec_own != NULL) && !(rec_state == REC_READY ? opens : rec_thread_begin())) return false;
    rec_inside = (uintptr_t)frame;
    return true;
}

/* A record that says nothing else. */
#define REC_RECORD(KIND, ...)                                                                                          \
    (struct spool_record){.kind = (uint8_t)(KIND), .id = SPOOL_NO_ID, .peer = SPOOL_PEER_NONE, __VA_ARGS__}

/* Stored, not copied: a copy would wait for what it copies to arrive in the cache. */
static inline void rec_blank(struct spool_record *record, enum spool_kind kind, enum rec_call_id call,
                             const void *site)
{
    record->kind = (uint8_t)kind;
    record->flags = 0;
    record->call = (uint16_t)call;
    record->id = SPOOL_NO_ID;
    record->peer = SPOOL_PEER_NONE;
    record->tag = 0;
    record->bytes = 0;
    record->extra = (int64_t)(uintptr_t)site;
}

static inline void rec_prepare(struct rec_call *rec, enum rec_call_id call, const void *site)
{
    rec_blank(&rec->enter, SPOOL_ENTER, call, site);
    rec_blank(&rec->exit, SPOOL_EXIT, call, site);
    rec->comm = NULL;
    rec->pattern = (uint32_t)(uintptr_t)site;
    rec->entered = false;
    rec->quiet = rec_off[call] != REC_ON;
    rec->gaps = false;
}

enum { REC_APART = 97 }; /* between ids of windows or communicators: another step than between call sites */
/* Of the entry; the exit has the next one. Calls of one place that differ by window repeat themselves each. */
static inline unsigned rec_call_template(const struct rec_call *rec)
{
    return rec->pattern % (REC_CALL_TEMPLATES / 2) * 2;
}

void rec_enter(struct rec_call *rec);            /* stamps, writes the entry record */
void rec_exit(struct rec_call *rec);             /* writes the exit record */
void rec_stop(const char *why);                  /* says so once and records no more; errno may be set */
void rec_put(const struct spool_record *record); /* record->time is absolute */
/* Into the thread's own buffer, while rec_state is REC_OPEN. */
void rec_put_slowly(struct rec_buffer *own, const struct spool_record *record, unsigned pattern);
REC_INLINE void rec_put_into(struct rec_buffer *own, const struct spool_record *record, unsigned pattern)
{
    bool near = REC_LIKELY(!rec_buffer_unanchored(own, record->time));
    if (!REC_LIKELY(near && rec_buffer_put_same(own, record, pattern))) rec_put_slowly(own, record, pattern);
}
/* What ends an interval of computing or of a call. Core waits are read at the end of a long one. */
void rec_put_event_slowly(struct rec_buffer *own, struct spool_record *event, unsigned pattern, uint64_t passed);
REC_INLINE void rec_put_event(struct rec_buffer *own, struct spool_record *event, unsigned pattern)
{
    uint64_t passed = event->time - own->event;
    own->event = event->time;
    bool near = REC_LIKELY(!rec_buffer_unanchored(own, event->time) && passed < own->long_ticks);
    if (!REC_LIKELY(near && rec_buffer_put_same(own, event, pattern)))
        rec_put_event_slowly(own, event, pattern, passed);
}
void rec_put_extents(const struct rec_call *rec, uint64_t time); /* before its entry, if there are gaps */
void rec_put_anchor(void); /* where the buffer ends: what stands before it has an anchor on both sides */
void rec_define(enum spool_kind kind, uint32_t id, const void *content, size_t bytes);
void rec_define_with(struct spool_record head, const void *first, size_t first_bytes, const void *second,
                     size_t second_bytes);
void rec_note_later(const char *calls); /* that are not recorded: after the end of the recording; else nothing */

/* Statements of the BEFORE and AFTER columns. */
#define rec_nothing() ((void)0)
#define rec_init_begin() rec_initialising(&rec, false)
#define rec_init_done() rec_opened(&rec)
#define rec_finalize_begin() rec_finalizing(&rec, false)
#define rec_finalize_done() rec_close_after(&rec)
#define rec_session_begin() rec_initialising(&rec, true)
#define rec_session_end() rec_finalizing(&rec, true)
#define rec_pcontrol(level)                                                                                            \
    do {                                                                                                               \
        va_list list_;                                                                                                 \
        va_start(list_, level);                                                                                        \
        bool c_ = (uintptr_t)rec.enter.extra == (uintptr_t)site; /* bindings pass no name on */                        \
        const void *name_ = c_ && ((level) == 1 || (level) == -1) ? va_arg(list_, const void *) : NULL;                \
        va_end(list_);                                                                                                 \
        rec_region(&rec, (level), name_);                                                                              \
    } while (0)
#define rec_comm(comm) rec_set_comm(&rec, (comm))
#define rec_abort(comm, code) rec_set_abort(&rec, (comm), (code))
#define rec_edges(comm, count, sources, degrees, destinations)                                                         \
    rec_set_edges(&rec, (comm), (count), (sources), (degrees), (destinations))
#define rec_comm_made(made) rec_set_made_comm(&rec, (made))
/* A freed handle may come again in another thread before this one goes on: then it is forgotten before the call. */
#define rec_comm_freeing(comm)                                                                                         \
    (rec.key = REC_KEY(comm), rec_set_comm(&rec, (comm)), rec_shared ? rec_drop_comm(rec.key) : (void)0)
#define rec_comm_freed() (rec_shared ? (void)0 : rec_drop_comm(rec.key))
#define rec_comm_coming(comm, made) rec_set_coming_comm((comm), (made))
#define rec_group_freed(group) rec_drop_group(group)
#define rec_win(win) rec_set_win(&rec, (win))
#define rec_win_assert(win, assertion) rec_set_win_assert(&rec, (win), (assertion))
#define rec_win_group(win, group, assertion) rec_set_win_group(&rec, (win), (group), (assertion))
#define rec_win_lock(win, target, type, assertion) rec_set_win_lock(&rec, (win), (target), (type), (assertion))
#define rec_win_target(win, target) rec_set_win_target(&rec, (win), (target))
#define rec_win_created(win, comm, base, bytes, unit, flavor)                                                          \
    rec_set_made_win(&rec, (win), (comm), (base), (bytes), (unit), (flavor))
#define rec_win_named(win, name) rec_name_win((win), (name))
#define rec_win_freeing(win)                                                                                           \
    (rec.key = REC_KEY(win), rec_set_win(&rec, (win)), rec_shared ? rec_drop_win(rec.key) : (void)0)
#define rec_win_freed() (rec_shared ? (void)0 : rec_drop_win(rec.key))
#define rec_rma(win, origin_count, origin_type, target, count, type, disp)                                             \
    (rec_set_rma(&rec, (win), (target), (count), (type), (disp)), rec_displaced(&rec, (type)),                         \
     rec_buffer(&rec, SPOOL_ORIGIN, (target), (origin_count), (origin_type)),                                          \
     rec_buffer(&rec, SPOOL_TARGET, (target), (count), (type)))
#define rec_rma_op(win, origin_count, origin_type, target, count, type, disp, op)                                      \
    (rec_rma(win, origin_count, origin_type, target, count, type, disp), rec_set_op(&rec, (op)))
#define rec_rma_swap(win, target, type, disp) rec_set_rma(&rec, (win), (target), 2, (type), (disp))
#define rec_flag(flag) rec_set_flag(&rec, (flag))
#define rec_message(comm, peer, tag, count, type)                                                                      \
    (rec_set_message(&rec, (comm), (peer), (tag), (count), (type)),                                                    \
     rec_buffer(&rec, SPOOL_SEND, (peer), (count), (type)))
#define rec_ireceive(comm, peer, tag, count, type)                                                                     \
    (rec_set_message(&rec, (comm), (peer), (tag), (count), (type)),                                                    \
     rec_buffer(&rec, SPOOL_RECEIVE, (peer), (count), (type)))
#define rec_receive(comm, peer, tag, count, type, status)                                                              \
    (rec_ireceive(comm, peer, tag, count, type), rec_own_status(&rec, (status)))
#define rec_sendrecv(comm, peer, tag, count, type, source, receive_count, receive_type, status)                        \
    (rec_message(comm, peer, tag, count, type),                                                                        \
     rec_buffer(&rec, SPOOL_RECEIVE, (source), (receive_count), (receive_type)), rec_own_status(&rec, (status)))
#define rec_received(comm, peer, status)                                                                               \
    (REC_LIKELY(!(rec.exit.flags & SPOOL_FAILED)) ? rec_set_received(&rec, (peer), (status))                           \
                                                  : rec_set_truncated(&rec, (peer), rec.enter.bytes, (status)))
#define rec_exchanged(peer, count, type, status)                                                                 \
    (REC_LIKELY(!(rec.exit.flags & SPOOL_FAILED))                                                                      \
         ? rec_set_received(&rec, (peer), (status))                                                                    \
         : rec_set_truncated(&rec, (peer), rec_true_bytes((count), (type)), (status)))
#define rec_receive_made(request) rec_set_made_request(&rec, &(request), true)
#define rec_request(request, status) (rec_set_request(&rec, (request)), rec_own_status(&rec, (status)))
#define rec_request_done(status) rec_set_request_done(&rec, true, (status))
#define rec_request_tested(flag, status) rec_set_request_done(&rec, (flag), (status))
#define rec_request_asked(request)              rec_set_asked_request(&rec, (request))
#define rec_request_freed(request) rec_drop_request(&(request))
#define rec_requests(count, requests, statuses) rec_set_requests(&rec, (count), (requests), (statuses))
#define rec_requests_done(count, statuses) rec_set_requests_done(&rec, (count), (statuses))
#define REC_NO_ROOT INT_MIN
/* Of buffers with a block for each member, blocks follow each other as elements do. */
#define rec_own_block(slot, count, type) rec_buffer(&rec, (slot), 0, (count), (type))
#define rec_all_blocks(slot, count, type) rec_buffer(&rec, (slot), 0, rec_in_all(&rec, (count)), (type))
#define rec_at_root(root) rec_is_root(&rec, (root))
#define rec_meets(root) ((root) != MPI_ROOT && (root) != MPI_PROC_NULL) /* a root among those whom the rank meets, or none */
#define rec_bcast(comm, root, count, type)                                                                             \
    (rec_set_collective(&rec, (comm), (root), (count), (type)),                                                        \
     rec_at_root(root) ? rec_own_block(SPOOL_SEND, (count), (type))                                                    \
     : rec_meets(root) ? rec_own_block(SPOOL_RECEIVE, (count), (type))                                                 \
                       : rec_nothing())
#define rec_collective_op(comm, root, count, type, op)                                                                 \
    (rec_set_collective(&rec, (comm), (root), (count), (type)), rec_set_op(&rec, (op)),                                \
     rec_meets(root) ? rec_own_block(SPOOL_SEND, (count), (type)) : rec_nothing(),                                     \
     (root) == REC_NO_ROOT || rec_at_root(root) ? rec_own_block(SPOOL_RECEIVE, (count), (type)) : rec_nothing())
#define rec_gather(comm, root, in, in_count, in_type, out_count, out_type)                                             \
    ((in) == MPI_IN_PLACE || (root) == MPI_ROOT                                                                        \
         ? rec_set_collective(&rec, (comm), (root), (out_count), (out_type))                                           \
         : rec_set_collective(&rec, (comm), (root), (in_count), (in_type)),                                            \
     (in) != MPI_IN_PLACE && rec_meets(root) ? rec_own_block(SPOOL_SEND, (in_count), (in_type)) : rec_nothing(),       \
     rec_at_root(root) ? rec_all_blocks(SPOOL_RECEIVE, (out_count), (out_type)) : rec_nothing())
#define rec_scatter(comm, root, in_count, in_type, out, out_count, out_type)                                           \
    ((out) == MPI_IN_PLACE || (root) == MPI_ROOT                                                                       \
         ? rec_set_collective(&rec, (comm), (root), (in_count), (in_type))                                             \
         : rec_set_collective(&rec, (comm), (root), (out_count), (out_type)),                                          \
     (out) != MPI_IN_PLACE && rec_meets(root) ? rec_own_block(SPOOL_RECEIVE, (out_count), (out_type)) : rec_nothing(), \
     rec_at_root(root) ? rec_all_blocks(SPOOL_SEND, (in_count), (in_type)) : rec_nothing())
#define rec_allgather(comm, in, in_count, in_type, out_count, out_type)                                                \
    (rec_set_exchange(&rec, (comm), (in_count), (in_type), (out_count), (out_type)),                                   \
     (in) == MPI_IN_PLACE ? rec_nothing() : rec_own_block(SPOOL_SEND, (in_count), (in_type)),                          \
     rec_all_blocks(SPOOL_RECEIVE, (out_count), (out_type)))
#define rec_alltoall(comm, in, in_count, in_type, out_count, out_type)                                                 \
    (rec_set_exchange(&rec, (comm), (in_count), (in_type), (out_count), (out_type)),                                   \
     (in) == MPI_IN_PLACE ? rec_nothing() : rec_all_blocks(SPOOL_SEND, (in_count), (in_type)),                         \
     rec_all_blocks(SPOOL_RECEIVE, (out_count), (out_type)))

#define rec_made(request) rec_set_made_request(&rec, &(request), false)
#define rec_made_apart(request) rec_set_apart_request(&rec, &(request))
#define rec_rma_fetch(win, target, disp, count, type, result_count, result_type, target_count, target_type, op)        \
    (rec_set_fetch(&rec, (win), (target), (disp), (count), (type), (op)), rec_displaced(&rec, (target_type)),          \
     (op) == MPI_NO_OP ? rec_nothing() : rec_buffer(&rec, SPOOL_ORIGIN, (target), (count), (type)),                    \
     rec_buffer(&rec, SPOOL_RESULT, (target), (result_count), (result_type)),                                          \
     rec_buffer(&rec, SPOOL_TARGET, (target), (target_count), (target_type)))
#define rec_rma_fetch_one(win, target, disp, type, op) rec_set_fetch(&rec, (win), (target), (disp), 1, (type), (op))
#define rec_fetched(target, count, type) rec_set_fetched(&rec, (target), (count), (type))
#define rec_probed(flag, comm, peer, status) rec_set_probed(&rec, (flag), (peer), (status))
#define rec_persistent(request, call, comm, peer, tag, count, type)                                                    \
    rec_set_persistent((request), (call), (comm), (peer), (tag), (count), (type))
#define rec_start(request) rec_set_start(&rec, (request))
#define rec_started(request) rec_set_started(&rec, &(request))
#define rec_startall() (rec.quiet = true, rec.enter.time = rec_stamp())
#define rec_all_started(count, requests) rec_set_all_started(&rec, (count), (requests))
#define rec_message_found(message, status) rec_set_message_found(&rec, (message), (status))
#define rec_message_receive(message, count, type, status)                                                              \
    (rec_set_message_receive(&rec, (message)), rec_own_block(SPOOL_RECEIVE, (count), (type)),                          \
     rec_own_status(&rec, (status)))
#define rec_message_received(count, type, status)                                                                      \
    (rec_exchanged(MPI_ANY_SOURCE, (count), (type), (status)), rec_drop_message(rec.key))
#define rec_message_ireceive(message, count, type)                                                                     \
    (rec_set_message_receive(&rec, (message)), rec_set_room(&rec, (count), (type)),                                    \
     rec_own_block(SPOOL_RECEIVE, (count), (type)))
#define rec_message_receive_made(request) (rec_set_made_request(&rec, &(request), true), rec_drop_message(rec.key))
#define rec_any_request(count, requests, status)                                                                       \
    (rec_set_some((count), (requests), NULL), rec_own_status(&rec, (status)))
#define rec_any_done(flag, index, status) rec_set_one_done(&rec, (flag), (index), (status))
#define rec_any_tested(flag, index, status)                                                                            \
    (rec_set_flag(&rec, (flag)), rec_set_one_done(&rec, (flag), (index), (status)))
#define rec_some_requests(count, requests, statuses) rec_set_some((count), (requests), (statuses))
#define rec_some_done(count, indices, statuses) rec_set_some_done(&rec, (count), (indices), (statuses))
#define rec_some_tested(count, indices, statuses)                                                                      \
    (rec_set_flag(&rec, (count) != 0), rec_set_some_done(&rec, (count), (indices), (statuses)))
#define rec_all_tested(flag, count, statuses)                                                                          \
    (rec_set_flag(&rec, (flag)), rec_set_some_done(&rec, (flag) ? (count) : 0, NULL, (statuses)))
/* Elements per member; the width of a count tells the large variants' MPI_Count. */
struct rec_lengths {
    const void *counts;
    size_t width;
    const MPI_Datatype *types;
    bool one_type, one_count;
};
#define REC_LENGTH(count, type) ((struct rec_lengths){&(count), sizeof(count), &(type), true, true})
#define REC_LENGTHS(counts, type) ((struct rec_lengths){(counts), sizeof *(counts), &(type), true, false})
#define REC_LENGTHS_OF_TYPES(counts, types) ((struct rec_lengths){(counts), sizeof *(counts), (types), false, false})
#define rec_gatherv(comm, root, in, count, type, counts, out_type)                                                     \
    rec_set_gatherv(&rec, (comm), (root), (in), (count), (type), REC_LENGTHS(counts, out_type))
#define rec_scatterv(comm, root, counts, in_type, out, count, type)                                                    \
    rec_set_scatterv(&rec, (comm), (root), REC_LENGTHS(counts, in_type), (out), (count), (type))
#define rec_allgatherv(comm, in, count, in_type, counts, type)                                                         \
    (rec_set_allgatherv(&rec, (comm), (count), (in_type), REC_LENGTHS(counts, type)),                                  \
     (in) == MPI_IN_PLACE ? rec_nothing() : rec_own_block(SPOOL_SEND, (count), (in_type)))
#define rec_alltoallv(comm, in, in_counts, in_type, out_counts, out_type)                                              \
    rec_set_alltoallv(&rec, (comm), (in), REC_LENGTHS(in_counts, in_type), REC_LENGTHS(out_counts, out_type))
#define rec_alltoallw(comm, in, in_counts, in_types, out_counts, out_types)                                            \
    rec_set_alltoallv(&rec, (comm), (in), REC_LENGTHS_OF_TYPES(in_counts, in_types),                                   \
                      REC_LENGTHS_OF_TYPES(out_counts, out_types))
#define rec_reduce_scatter(comm, counts, type, op)                                                                     \
    rec_set_reduce_scatter(&rec, (comm), REC_LENGTHS(counts, type), (op))
#define rec_reduce_scatter_block(comm, count, type, op)                                                                \
    rec_set_reduce_scatter_block(&rec, (comm), (count), (type), (op))

/* What MPI_Start begins: the non-blocking collective that the statement describes. */
#define rec_keep(request, call, ...)                                                                                   \
    do {                                                                                                               \
        struct rec_call made_ = rec;                                                                                   \
        rec_keep_begin(&rec);                                                                                          \
        __VA_ARGS__;                                                                                                   \
        rec_set_kept(&rec, (request), (call));                                                                         \
        rec = made_;                                                                                                   \
    } while (0)
#define rec_partitioned(request, call, comm, peer, tag, partitions, count, type)                                       \
    rec_set_partitioned((request), (call), (comm), (peer), (tag), (partitions), (count), (type))
#define rec_ready(request, count) rec_set_ready(&rec, (request), (count))
#define rec_readied(request) rec_set_readied(&rec, (request))
#define rec_two_calls() rec_startall()
#define rec_sendrecv_made(request, comm, ...) rec_set_sendrecv(&rec, (request), (comm), __VA_ARGS__)
#define rec_neighbor(comm, ...) rec_set_neighbor(&rec, (comm), __VA_ARGS__)

/* record.c, session.c, region.c */
void rec_opened(struct rec_call *rec);
/* Around an initialisation of MPI that this rank does not record. begin: true for the outermost one, behind which end
 * must follow; initialised: whether it succeeded. */
bool rec_decline_begin(void);
void rec_decline_end(bool initialised, enum rec_call_id call);
/* A program initialises MPI by MPI_Init, by sessions (session: such a call), or both: the first call opens the recording. The
 * last finalization closes it, or MPI_Finalize where MPI_Init opened it. The calls between these leave no records. */
void rec_initialising(struct rec_call *rec, bool session);
void rec_finalizing(struct rec_call *rec, bool session);
void rec_close_after(const struct rec_call *rec);
/* agreement.c: whether all ranks record; collective over the world, once. this_one: this rank is to. */
bool rec_agree(bool this_one);
void rec_region(struct rec_call *rec, int level, const void *name);
/* wrappers.c */
int rec_own_send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
/* trace/record/mpi/call_arguments.c */
void rec_set_comm(struct rec_call *rec, MPI_Comm comm);
void rec_set_abort(struct rec_call *rec, MPI_Comm comm, int code);
void rec_set_edges(struct rec_call *rec, MPI_Comm comm, int count, const int *sources, const int *degrees,
                   const int *destinations);
void rec_set_win(struct rec_call *rec, MPI_Win win);
void rec_set_win_assert(struct rec_call *rec, MPI_Win win, int assertion);
void rec_set_win_group(struct rec_call *rec, MPI_Win win, MPI_Group group, int assertion);
void rec_set_win_lock(struct rec_call *rec, MPI_Win win, int target, int type, int assertion);
void rec_set_win_target(struct rec_call *rec, MPI_Win win, int target);
void rec_set_rma(struct rec_call *rec, MPI_Win win, int target, int64_t count, MPI_Datatype type, MPI_Aint disp);
void rec_set_op(struct rec_call *rec, MPI_Op op);
void rec_set_flag(struct rec_call *rec, int flag);
void rec_set_message(struct rec_call *rec, MPI_Comm comm, int peer, int tag, int64_t count, MPI_Datatype type);
void rec_set_collective(struct rec_call *rec, MPI_Comm comm, int root, int64_t count, MPI_Datatype type);
/* What all members send each other: one block. */
void rec_set_exchange(struct rec_call *rec, MPI_Comm comm, int64_t sent, MPI_Datatype sent_type, int64_t received,
                      MPI_Datatype received_type);
/* The communicator of a collective and its root's rank of the world. False: nothing is known of what moves, or this rank
 * has no part in it. */
bool rec_set_rooted(struct rec_call *rec, MPI_Comm comm, int root);
void rec_own_status(struct rec_call *rec, MPI_Status **status);
void rec_set_received(struct rec_call *rec, int peer, const MPI_Status *status);
int64_t rec_true_bytes(int64_t count, MPI_Datatype type); /* that move: without gaps */
void rec_set_extent(struct rec_call *rec, enum spool_buffer buffer, int64_t span);
/* peer: MPI_PROC_NULL moves nothing. */
REC_INLINE void rec_buffer(struct rec_call *rec, enum spool_buffer buffer, int peer, int64_t count, MPI_Datatype type)
{
    if (peer == MPI_PROC_NULL || REC_LIKELY(count < 1 || !rec_type(type)->gaps)) return;
    rec_set_extent(rec, buffer, rec_type_span(count, type));
}
/* Where the target's type has bytes before the displacement, that does not say where the operation begins: unknown. */
REC_INLINE void rec_displaced(struct rec_call *rec, MPI_Datatype type)
{
    if (!REC_LIKELY(!rec_type(type)->back)) rec->enter.extra = -1;
}
bool rec_is_root(const struct rec_call *rec, int root);
int64_t rec_in_all(const struct rec_call *rec, int64_t count); /* elements for all members of the communicator */
void rec_set_fetch(struct rec_call *rec, MPI_Win win, int target, MPI_Aint disp, int64_t count, MPI_Datatype type,
                   MPI_Op op);
void rec_set_fetched(struct rec_call *rec, int target, int64_t count, MPI_Datatype type);
void rec_set_probed(struct rec_call *rec, int flag, int peer, const MPI_Status *status);
/* errors.c */
bool rec_failed(struct rec_call *rec, int error); /* marks it; true: it may have done something, go on to AFTER */
/* What a call that failed with this class did with a request. status may be NULL. */
bool rec_request_ended(MPI_Request before, MPI_Request now, int error, const MPI_Status *status);
/* The class of a request's own error. */
int rec_error_of(int error, const MPI_Status *status);
bool rec_status_tells(const struct rec_comm *comm, const MPI_Status *status); /* whose message it was */
void rec_set_truncated(struct rec_call *rec, int peer, int64_t room, const MPI_Status *status);
/* counts.c */
void rec_set_gatherv(struct rec_call *rec, MPI_Comm comm, int root, const void *in, int64_t count, MPI_Datatype type,
                     struct rec_lengths received);
void rec_set_scatterv(struct rec_call *rec, MPI_Comm comm, int root, struct rec_lengths sent, const void *out,
                      int64_t count, MPI_Datatype type);
void rec_set_allgatherv(struct rec_call *rec, MPI_Comm comm, int64_t count, MPI_Datatype type,
                        struct rec_lengths received);
void rec_set_alltoallv(struct rec_call *rec, MPI_Comm comm, const void *in, struct rec_lengths sent,
                       struct rec_lengths received);
void rec_set_reduce_scatter(struct rec_call *rec, MPI_Comm comm, struct rec_lengths blocks, MPI_Op op);
void rec_set_reduce_scatter_block(struct rec_call *rec, MPI_Comm comm, int64_t count, MPI_Datatype type, MPI_Op op);
/* A list of that many numbers, to be filled in; NULL: out of memory, recording has stopped. Then its id plus 1. */
int64_t *rec_numbers(int count);
int64_t rec_numbers_id(int count);
int64_t rec_length(const struct rec_lengths *lengths, int member); /* in bytes */
int64_t rec_length_span(const struct rec_lengths *lengths, int member); /* bytes in memory, with gaps */
/* neighbors.c */
void rec_set_neighbor(struct rec_call *rec, MPI_Comm comm, struct rec_lengths sent, struct rec_lengths received);
/* persistent.c */
void rec_set_persistent(MPI_Request request, enum rec_call_id call, MPI_Comm comm, int peer, int tag, int64_t count,
                        MPI_Datatype type);
void rec_keep_begin(struct rec_call *rec);
void rec_set_kept(const struct rec_call *rec, MPI_Request request, enum rec_call_id call);
void rec_set_partitioned(MPI_Request request, enum rec_call_id call, MPI_Comm comm, int peer, int tag, int partitions,
                         int64_t count, MPI_Datatype type);
void rec_set_ready(struct rec_call *rec, MPI_Request request, int count);
void rec_set_readied(struct rec_call *rec, MPI_Request request);
void rec_set_sendrecv(const struct rec_call *rec, MPI_Request request, MPI_Comm comm, int destination, int send_tag,
                      int64_t count, MPI_Datatype type, int source, int receive_tag, int64_t most,
                      MPI_Datatype receive_type);
bool rec_is_persistent(MPI_Request request);
void rec_drop_persistent(MPI_Request request);
void rec_set_start(struct rec_call *rec, MPI_Request request);
void rec_set_started(struct rec_call *rec, const MPI_Request *request);
void rec_set_all_started(struct rec_call *rec, int count, const MPI_Request *requests);
void rec_set_message_found(const struct rec_call *rec, MPI_Message message, const MPI_Status *status);
void rec_set_message_receive(struct rec_call *rec, MPI_Message message);
void rec_set_room(struct rec_call *rec, int64_t count, MPI_Datatype type); /* of such a receive */
void rec_drop_message(uint64_t key);
/* handles.c */
void rec_set_made_comm(struct rec_call *rec, MPI_Comm made);
/* A duplicate that may be used, or asked anything, once its request is complete. */
void rec_set_coming_comm(MPI_Comm comm, MPI_Comm made);
void rec_set_made_win(struct rec_call *rec, MPI_Win win, MPI_Comm comm, const void *base, MPI_Aint bytes, int64_t unit,
                      char flavor);
void rec_drop_comm(uint64_t key);
void rec_name_win(MPI_Win win, const char *name);
void rec_drop_win(uint64_t key);
void rec_drop_group(MPI_Group group);
/* requests.c */
/* A request is known by its handle and, where several complete ones share that, by where the program keeps it. */
void rec_set_made_request(struct rec_call *rec, const MPI_Request *request, bool receive);
/* One request for two. */
void rec_set_made_both(struct rec_call *send, struct rec_call *receive, const MPI_Request *request);
void rec_set_apart_request(struct rec_call *rec, const MPI_Request *request);
void rec_set_request(struct rec_call *rec, const MPI_Request *request);
void rec_set_asked_request(struct rec_call *rec, MPI_Request request); /* which stays */
void rec_set_request_done(struct rec_call *rec, int flag, const MPI_Status *status);
void rec_drop_request(const MPI_Request *request);
void rec_set_requests(struct rec_call *rec, int count, const MPI_Request *requests, MPI_Status **statuses);
void rec_set_some(int count, const MPI_Request *list, MPI_Status **statuses);
void rec_set_some_done(struct rec_call *rec, int count, const int *indices, const MPI_Status *statuses);
void rec_set_one_done(struct rec_call *rec, int flag, int index, const MPI_Status *status);
void rec_set_requests_done(struct rec_call *rec, int count, const MPI_Status *statuses);
/* place.c */
/* Opens the buffer of this rank where its program may write; collective over the world. NULL, or what went wrong (and
 * errno). */
const char *rec_spool_open(const struct spool_header *header);
const char *rec_directory(void); /* that directory */
uint64_t rec_run(void);          /* the same for all ranks of this run */
/* threads.c */
void rec_threads_begin(const struct spool_header *header); /* the calling thread is thread 0 */
/* clock.c */
void rec_clock_begin(bool in_session); /* in_session: no second comparison when MPI is finalized */
/* control.c */
void rec_control_begin(void);
void rec_pause(void);
bool rec_resume(void); /* false: recording was not stopped */
bool rec_paused(void);
extern bool rec_pausing; /* that */
/* functions.c */
void rec_functions_begin(void);
extern bool rec_functions; /* they are wanted */
void rec_functions_opened(uint64_t time); /* those that the thread is in are entered then */
void rec_functions_resolve(const void *frame); /* before a call whose frame (CFA) this is */
/* cpu.c */
extern bool rec_cpu; /* CPU times are wanted */
void rec_cpu_begin(void);
void rec_cpu_enter(void); /* writes the CPU time since rec_cpu_leave() */
void rec_cpu_leave(void);
void rec_cpu_measured(void); /* there were calls without computing between them */
/* core_wait.c */
enum { REC_CORES_BYTES = 260 };
void rec_core_wait_begin(void); /* measures what a reading costs */
void rec_core_wait_thread(struct rec_buffer *own); /* of the calling thread: from now on */
void rec_core_wait_end(struct rec_buffer *own);
bool rec_core_wait_known(void);
/* How long the thread waited for a core and slept since this was called last, together no longer than the interval that
 * has passed. */
struct rec_core_lost rec_core_lost(struct rec_buffer *own, uint64_t passed);
void rec_cores_text(char text[REC_CORES_BYTES]); /* those that the process may use: a hexadecimal number, core 0 its bit 0 */
/* misses.c */
void rec_misses_begin(void);
void rec_misses_define(void); /* and ends counting */
/* preload/unrecorded.c */
extern bool rec_unrecorded_any; /* a call that is not recorded has been made since the last rec_unrecorded_define() */
void rec_unrecorded_find(void); /* the functions themselves, once they are loaded */
void rec_unrecorded_define(void);
/* modules.c */
void rec_modules_define(void);

#pragma GCC visibility pop

#endif
