/* Analysis by several processes. The analysis of a trace in slices (model/slices/slices.h) is divided into shards; each
 * process has one.
 *
 * Shard p has the ranks shards_first(p) to shards_first(p + 1) - 1. It alone reads and checks their calls, and it
 * counts their waits, transfers and times. Matching and detection also need calls of other ranks. The shard gets copies
 * of them and adds the copies to those ranks (trace_rank.foreign) as calls that were kept (trace_kept). So the same
 * code finds epochs, messages, instances and final calls as in a whole slice. A copy of a call goes to
 *
 *   the shards of its members              fences, creations and freeings of windows, collectives, lock_all
 *   the shards of its group                post, start, and what ends their epochs
 *   the shard of its target                operations under fences and start; of a lock: it, its operations, the
 *                                         flushes that may complete them, unlock
 *   the shard of the other rank            messages; a successful probe
 *   the shard that has the lock's number    of OpenSHMEM's locks: what takes it, what clears it
 *   the shard of its target                OpenSHMEM's puts and atomics
 *
 * In a simulated trace only the first operation under a lock and the first flush after it go to the shard of their
 * target. Of a lazy lock all operations up to that flush go there, and of a lock_all that is not lazy none. The times
 * of a call that waited for progress go there, too; if the call may have several targets, they go to all shards.
 *
 * A copy of a post, a start or a sendrecv holds only those ranks that concern the shard that gets it. The shard of the
 * target finds Lock Contention and Wait for Progress, since it knows all locks and all calls of that target.
 *
 * Shards work in rounds. In a round every shard reads its ranks up to about the same time, sends the copies, learns how
 * far the others have read, and analyses its slice. At the end shard 0 merges all sums. Sums do not depend on the order
 * of adding, and lists are in the order of ranks. So the result has the same bytes as that of one shard.
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
    uint32_t own, count; /* the number of this shard, and how many there are */
    void *state;
    /* All shards call it equally often. to[p] goes to shard p, from[p] comes from shard p; from[own] stays empty. If it
     * fails, the other shards cannot notice: the caller has to end them. */
    enum status (*swap)(void *state, const struct bytes *to, struct bytes *from, struct err *err);
};

/* The first rank of a shard; that of shard `count` is rank_count. */
static inline uint32_t shards_first(uint32_t rank_count, uint32_t shard, uint32_t count)
{
    return (uint32_t)((uint64_t)rank_count * shard / count);
}

/* The rest is for model/slices/slices.c. */
struct shards_state {     /* how far a shard has read; after an exchange, how far all have */
    int64_t watermark_ps; /* no later call ends earlier; the earliest of all shards */
    int64_t begin_ps;     /* enter of the first call, INT64_MAX: no call; the earliest of all shards */
    uint32_t filled;      /* how full the slice is, in thousandths; the largest of all shards */
    bool ended;           /* all its ranks have ended; after an exchange: those of all shards */
};

/* Tables that grow in each shard. Each round sends their new entries to all other shards. */
struct shards_update {
    struct callpaths *paths;
    struct activity_log *log;             /* waits; NULL: not needed, then `efficiency` is NULL, too */
    struct efficiency_slices *efficiency; /* its intervals */
};

/* Translates another shard's numbers: items[its number] is the number in this shard. */
struct shards_numbers {
    uint32_t *items;
    size_t count, capacity;
};
struct shards_sender {
    struct shards_numbers nodes, intervals; /* of call paths */
};

struct shards;

/* Borrows trace and link until shards_free; marks the ranks of other shards. */
enum status shards_new(struct trace *trace, const struct shards_link *link, struct shards **shards, struct err *err);
void shards_free(struct shards *shards);

/* Sends the own ranks' new calls with the update, and adds those of other shards to the trace. *own: the status of this
 * shard. If any shard has failed, all fail with the error of the lowest failed shard; an error of a shard about its own
 * ranks precedes others. A failure after the exchange is stored in *own and is reported in the next round. ended: per
 * rank, whether all its calls have been read. */
enum status shards_exchange(struct shards *shards, const struct shards_update *update, enum status *own,
                            const bool *ended, struct shards_state *state, struct err *err);

/* Per own rank: its messages from this event on have not been sent yet, so the slice keeps them. NULL: there is no
 * other shard. */
const uint64_t *shards_unsent(const struct shards *shards);

/* After the last round and severity_end(): sends to all shards what the backward replay needs: the waits still to be
 * sent, the refuted doubts, and the ends of the ranks. Stores the ends of other shards' ranks in end_ps. *own and
 * failures as in shards_exchange(). */
enum status shards_end(struct shards *shards, const struct shards_update *update, struct severity *severity,
                       int64_t *end_ps, enum status *own, struct err *err);
/* To be called after shards_end(): adds the sums of all shards to those of shard 0. */
enum status shards_gather(struct shards *shards, const struct shards_update *update, struct severity *severity,
                          struct time_profile *causes, struct time_profile *path, enum status own, struct err *err);

/* To be called after shards_gather(): adds the rows of all logs to that of shard 0. */
enum status shards_gather_transfers(struct shards *shards, const struct shards_update *update, struct transfer_log *log,
                                    struct err *err);

/* For shards.c: which shards need the new calls of a rank (route.c). */
struct call_copy { /* as it is sent */
    struct trace_call call;
    uint64_t event; /* from 0 */
    uint32_t rank, node, interval;
    uint16_t function; /* enum mpi_call: the function, where `call` has only times */
    uint16_t flags;    /* enum slice_flag */
};
struct shards_route;
typedef enum status call_copy_taker(void *context, uint32_t shard, const struct call_copy *copy,
                                    const struct trace_sim *sim, struct err *err);
enum status shards_route_new(const struct trace *trace, const struct shards_link *link, struct shards_route **route,
                             struct err *err);
void shards_route_free(struct shards_route *route);
const uint64_t *shards_route_unsent(const struct shards_route *route);
/* Calls take with each copy of the rank's new calls. Messages after a receive whose sender is not known yet are held
 * back until it is known, since their match may change. */
enum status shards_route_rank(struct shards_route *route, const struct shards_update *update, uint32_t rank, bool ended,
                              call_copy_taker *take, void *context, struct err *err);

enum status shards_put_severity(const struct severity *severity, struct bytes *bytes, struct err *err);
enum status shards_put_time_profile(const struct time_profile *profile, struct bytes *bytes, struct err *err);
/* Writes what only the end of the trace shows; all shards need it. */
enum status shards_put_end(const struct severity *severity, const struct trace *trace, struct bytes *bytes,
                           struct err *err);
/* The receiving side of these. */
enum status shards_take_severity(struct severity *severity, uint32_t ranks, struct bytes *bytes,
                                 const struct shards_sender *sender, struct err *err);
enum status shards_take_time_profile(struct time_profile *profile, struct bytes *bytes,
                                     const struct shards_sender *sender, struct err *err);
enum status shards_take_end(struct severity *severity, struct trace *trace, int64_t *end_ps, struct bytes *bytes,
                            const struct shards_sender *sender, struct several *several, struct err *err);

#endif
