/* One analysis in several parts, each in a process of its own: how the analysis of a trace in slices
 * (model/slices/slices.h) is shared out.
 *
 * Part p has the ranks shards_first(p) to shards_first(p + 1) - 1: it alone reads and checks their calls, and it counts
 * their waits, transfers and times. What matching and detection need of others' ranks it gets as copies of their calls,
 * which are among the calls of these (trace_rank.foreign) as calls that were kept (trace_kept): so epochs, messages,
 * instances and what is final are found by the same code as of a whole slice. A call goes to
 *
 *   the parts of its members              fences, creations and freeings of windows, collectives, lock_all
 *   the parts of its group                post, start, and what ends their epochs
 *   the part of its target                operations under fences and start; of a lock: it, its first operation, the
 *                                         first flush behind that, unlock
 *   the part of the other rank            messages; a successful probe
 *   the part that has the lock's number    of OpenSHMEM's locks: what takes it, what clears it
 *   the part of its target                OpenSHMEM's puts and atomics
 *
 * Of simulated traces all operations under a lazy lock up to the first flush go to the part of their target, and of a
 * call that waited for progress the times to that part; where it may mean several targets, to all parts.
 *
 * Copies hold of groups and of sendrecv what concerns the part that gets them. Lock Contention and Wait for Progress
 * are found by the part that has the target: all locks of it are known there, and all its calls.
 *
 * Parts go in rounds. In each every part reads its ranks on to about the same time, sends the copies, hears how far the
 * others are, and looks at its slice. At the end part 0 merges all sums. Sums are integers or depend on values alone,
 * and what stands in order stands in that of ranks: the result is that of one part to the byte.
 *
 * This module knows no MPI: a shards_link moves the bytes. */
#ifndef MODEL_SHARDS_SHARDS_H
#define MODEL_SHARDS_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "model/callpaths/callpath.h"
#include "model/efficiency/efficiency_slices.h"
#include "model/causes/activity_log.h"
#include "model/match/relations.h"
#include "model/shards/several.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/severity.h"
#include "model/transfers/transfer_log.h"

struct shards_link {
    uint32_t own, count; /* this part, of how many */
    void *state;
    /* Every part calls it as often as all others: to[p] goes to part p, from[p] is what part p has for this one;
     * from[own] stays empty. A failure cannot be told to the others any more: the caller has to end them. */
    enum status (*swap)(void *state, const struct bytes *to, struct bytes *from, struct err *err);
};

/* The first rank of a part; that of part `count` is rank_count. */
static inline uint32_t shards_first(uint32_t rank_count, uint32_t part, uint32_t count)
{
    return (uint32_t)((uint64_t)rank_count * part / count);
}

/* The rest is for model/slices/slices.c. */
struct shards_news {      /* of a part, then of all of them */
    int64_t watermark_ps; /* no call that comes ends earlier: the earliest */
    int64_t begin_ps;   /* the first call's enter, INT64_MAX: there is none: the earliest */
    uint32_t filled;    /* of its slice, in thousandths: the largest */
    bool ended;         /* all of its ranks have: all */
};

/* What grows in each part and all hear of. */
struct shards_told {
    struct callpaths *paths;
    struct activity_log *log;             /* its new waits; NULL: not wanted, as the next */
    struct efficiency_slices *efficiency; /* its intervals */
};

/* What a part's numbers are here. */
struct shards_numbers {
    uint32_t *items;
    size_t count, capacity;
};
struct shards_sender {
    struct shards_numbers nodes, intervals; /* of call paths */
};

struct shards;

/* Borrows trace and link until shards_free; marks the ranks of other parts. */
enum status shards_new(struct trace *trace, const struct shards_link *link, struct shards **shards, struct err *err);
void shards_free(struct shards *shards);

/* Sends the own ranks' new calls, with what is told of them, and takes those of others into the trace. *own: whether
 * this part has failed; if any has, all fail with the error of the first part that did, one of its own ranks before
 * others. What fails here afterwards is put into *own and belongs to the next round. ended: per rank, whether its calls
 * has been read to the end. */
enum status shards_exchange(struct shards *shards, const struct shards_told *update, enum status *own,
                            const bool *ended, struct shards_news *news, struct err *err);

/* Per own rank: the event from which on its messages have not been sent yet (those of a slice stay); NULL: there
 * is nobody to send them to. */
const uint64_t *shards_unsent(const struct shards *shards);

/* Behind the last round, severity_end() done: tells all parts what looking backwards needs, the rest of the waits, what
 * was refuted and the ranks' ends. Inserts others' into end_ps. *own and failures as of shards_exchange(). */
enum status shards_end(struct shards *shards, const struct shards_told *update, struct severity *severity,
                       int64_t *end_ps, enum status *own, struct err *err);
/* Then: moves all sums into those of part 0. */
enum status shards_gather(struct shards *shards, const struct shards_told *update, struct severity *severity,
                          struct time_profile *causes, struct time_profile *path, enum status own, struct err *err);

/* Then: adds the rows of all logs to that of part 0. */
enum status shards_gather_transfers(struct shards *shards, const struct shards_told *update, struct transfer_log *log,
                                    struct err *err);

/* For parts_*.c: which parts need a rank's new calls. */
struct call_copy { /* a copy underway */
    struct trace_call call;
    uint64_t event; /* from 0 */
    uint32_t rank, node, interval;
    uint16_t function; /* enum mpi_call: what it was where call has but the times */
    uint16_t flags;    /* enum slice_flag */
};
struct shards_route;
typedef enum status call_copy_taker(void *context, uint32_t part, const struct call_copy *copy,
                                    const struct trace_sim *sim, struct err *err);
enum status shards_route_new(const struct trace *trace, const struct shards_link *link, struct shards_route **route,
                             struct err *err);
void shards_route_free(struct shards_route *route);
const uint64_t *shards_route_unsent(const struct shards_route *route);
/* Hands the copies of the rank's new calls to take. Messages behind a receive whose sender is not known yet wait for
 * it: they may be matched otherwise. */
enum status shards_route_rank(struct shards_route *route, const struct shards_told *update, uint32_t rank, bool ended,
                              call_copy_taker *take, void *context, struct err *err);

enum status shards_put_severity(const struct severity *severity, struct bytes *bytes, struct err *err);
enum status shards_put_time_profile(const struct time_profile *shares, struct bytes *bytes, struct err *err);
/* What the end of the trace shows, for all parts. */
enum status shards_put_end(const struct severity *severity, const struct trace *trace, struct bytes *bytes,
                           struct err *err);
/* The way back. */
enum status shards_take_severity(struct severity *severity, uint32_t ranks, struct bytes *bytes,
                                 const struct shards_sender *sender, struct err *err);
enum status shards_take_time_profile(struct time_profile *shares, struct bytes *bytes,
                                     const struct shards_sender *sender, struct err *err);
enum status shards_take_end(struct severity *severity, struct trace *trace, int64_t *end_ps, struct bytes *bytes,
                            const struct shards_sender *sender, struct several *several, struct err *err);

#endif
