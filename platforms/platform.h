/* A described cluster: nodes, network, the MPI library's behaviour, where the ranks sit. Read from the platform file
 * (schema rmacast.platform/1, docs/platforms.md), borrowed by engines and replay. Units SI. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/status.h"

/* When an operation, or start, waits for the target's post: the letters a, b, c, d. */
enum rma_waits { WAITS_START, WAITS_CALL, WAITS_COMPLETE, WAITS_NEVER };
enum rma_kind { RMA_PUT, RMA_GET, RMA_ACCUMULATE, RMA_KIND_COUNT };

/* Rows by size, ascending; the last one's upto_bytes is INT64_MAX. */
struct rma_rule {
    int64_t upto_bytes;
    enum rma_waits waits;
};
enum { RMA_RULES_MAX = 8 };
struct rma_semantics {
    char name[16]; /* "a".."d", or "table" */
    bool start_waits;
    int64_t buffer_bytes; /* mpi.rma.buffer_bytes: of d, per origin; INT64_MAX: unlimited */
    struct rma_rule rules[RMA_KIND_COUNT][RMA_RULES_MAX];
};

enum lock_mode { LOCK_BLOCKING, LOCK_LAZY };
enum fence_mode { FENCE_BARRIER, FENCE_NOTIFY };
enum progress_mode { PROGRESS_HARDWARE, PROGRESS_THREAD, PROGRESS_CALL };
enum links_mode { LINKS_FREE, LINKS_QUEUE }; /* inside the network, of the loggp engine */
enum issue_mode { ISSUE_IMMEDIATE, ISSUE_DEFERRED };

/* Linear cost by size: rows ascending, the last one's upto_bytes is INT64_MAX. bandwidth may be INFINITY. */
struct net_segment {
    int64_t upto_bytes;
    double latency_s, bandwidth_Bps;
};

/* What holds on one window instead of the platform's own, or of what a rule before it says of the same window. */
struct window_rule {
    char *window; /* owned: its name, or its number in the trace */
    bool has_semantics, has_lock, has_fence; /* else it says nothing of them */
    struct rma_semantics semantics;
    enum lock_mode lock;
    enum fence_mode fence;
};

struct topology; /* platforms/topology/topology.h */

struct platform {
    char *name, *file;
    int32_t node_count, cores;
    double speed; /* of a node, relative to the machine of the recording (1.0) */
    double memory_bandwidth_Bps;
    struct topology *topology;
    char *simgrid_xml; /* path of the user's SimGrid platform, else NULL */
    struct net_segment *segments;
    size_t segment_count;
    double overhead_s, gap_s;
    bool control_bypass; /* requests and their answers do not wait for the data that their NIC sends */
    struct net_segment *loopback;
    size_t loopback_count;
    int64_t eager_bytes; /* two-sided: above it, rendezvous */
    bool unexpected_copy; /* an eager message that its receive did not wait for is copied out of the library's buffer */
    struct rma_semantics semantics;
    enum lock_mode lock;
    enum fence_mode fence;
    struct window_rule *window_rules;
    size_t window_rule_count;
    enum progress_mode progress;
    double thread_delay_s;
    double thread_create_s, thread_start_s, thread_join_s, thread_lock_s, thread_unlock_s, thread_barrier_s;
    enum issue_mode issue;
    bool aggregate;
    int64_t control_bytes, rma_eager_bytes, window_info_bytes;
    int64_t epochs_ahead; /* of d: completed access epochs whose exposure has not begun; INT64_MAX: unlimited */
    double atomic_s_per_byte;
    int32_t ranks_per_node; /* mapping, if rank_nodes is NULL: room for so many, in blocks or dealt in turn */
    bool round_robin;
    int32_t *rank_nodes;
    size_t rank_node_count;
    enum links_mode links;
    bool contention; /* engine.contention: false = every message travels as if alone (for laws and closed forms) */
};

/* Reads and validates the file ("ideal" is the built-in platform of zero latency and infinite bandwidth), with
 * overrides "mpi.rma.control_bytes=64" (key path = JSON value or bare string) applied before validation. Errors name
 * file and key path. */
enum status platform_open(const char *file, const char *const *overrides, size_t override_count,
                          struct platform **platform, struct err *err);
void platform_free(struct platform *platform);

/* The same nodes, ranks and MPI library, where neither the network nor copies take time, as POP's ideal network; borrows all of
 * platform. Use it in place. */
struct platform_ideal {
    struct platform platform;
    struct net_segment segment;
};
void platform_ideal_init(struct platform_ideal *ideal, const struct platform *platform);

/* All ranks have a node that exists: STATUS_DATA naming the platform, its nodes and what the trace needs. Call before
 * platform_node_of. */
enum status platform_check_ranks(const struct platform *platform, uint32_t rank_count, struct err *err);
int32_t platform_node_of(const struct platform *platform, uint32_t rank);

/* Head-to-head latency and rate of a message between two nodes, or inside one node (loopback); src == dst is the
 * loopback. Topologies add their hop latency. For a simgrid_xml platform latencies come from the engine, these give the
 * file's. */
double platform_latency_s(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes);
/* A message's latency between two different nodes depends on its bytes only. */
bool platform_same_latency(const struct platform *platform);
double platform_bandwidth_Bps(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes);
/* The highest finite rate of the network segments, which is what a link of the topology carries; 0 if all are infinite.
 */
double platform_peak_Bps(const struct platform *platform);

/* "a"; with rules for windows "a@3=c@halo=d". */
enum { PLATFORM_SEMANTICS_BYTES = 256 };
void platform_semantics_name(const struct platform *platform, char name[PLATFORM_SEMANTICS_BYTES]);

/* "a".."d" or, after reading a table, what the file says. False for an unknown letter. */
bool semantics_by_letter(const char *letter, struct rma_semantics *semantics);
/* A put or accumulate that would never wait but is larger than the whole buffer waits in its call (b). */
enum rma_waits semantics_waits(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes);
/* Some operation never waits for a post (d): complete returns before it, and the origin runs ahead. */
bool semantics_run_ahead(const struct rma_semantics *semantics);
/* Some put or accumulate is copied into a buffer (d), and the buffer is limited. */
bool semantics_limited(const struct rma_semantics *semantics);

/* Names as in the files and options; the parse functions return false for unknown names. */
const char *lock_mode_name(enum lock_mode mode);
bool lock_mode_by_name(const char *name, enum lock_mode *mode);
const char *fence_mode_name(enum fence_mode mode);
const char *progress_mode_name(enum progress_mode mode);
bool progress_mode_by_name(const char *name, enum progress_mode *mode);

#endif
