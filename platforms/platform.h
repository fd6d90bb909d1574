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
    bool group; /* "posts": "group": waits (in the call, or in complete) for the posts of all targets of the epoch */
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
/* What arrives at a rank and must be acted on: mpi.rma.protocol.serves says by whom, by the bytes that the operation moves. */
enum service {
    SERVICE_PUT,
    SERVICE_GET,
    SERVICE_ACCUMULATE,
    SERVICE_FETCH,
    SERVICE_LOCK,
    SERVICE_RELEASE,
    SERVICE_ACKNOWLEDGEMENT,
    SERVICE_NOTIFICATION, /* posts, grants */
    SERVICE_RENDEZVOUS,   /* requests to send, and the clear to send of a two-sided message */
    SERVICE_CLEAR,        /* the clear to send of a one-sided operation, at its origin */
    SERVICE_COUNT
};
enum { SERVE_RULES_MAX = 4 };
/* Rows by size, ascending; the last one's upto_bytes is INT64_MAX. */
struct serve_rule {
    int64_t upto_bytes;
    enum progress_mode by;
};
/* What applying an accumulate of so many bytes takes at its target. Rows as above. */
enum { APPLY_COSTS_MAX = 4 };
struct apply_cost {
    int64_t upto_bytes;
    double fixed_s, s_per_byte;
};
enum complete_mode { COMPLETE_LOCAL, COMPLETE_REMOTE };
enum unlock_mode { UNLOCK_RELEASED, UNLOCK_ACKNOWLEDGED };
enum flush_mode { FLUSH_COUNTED, FLUSH_REQUESTED, FLUSH_CONNECTIONS };
enum local_mode { LOCAL_LEFT, LOCAL_COPIED, LOCAL_ACKNOWLEDGED };
enum rendezvous_mode { RENDEZVOUS_DIRECT, RENDEZVOUS_NOTIFIED };
enum window_creation { WINDOW_CREATION_EXCHANGE, WINDOW_CREATION_MPICH };
enum visit_mode { VISIT_ENTER, VISIT_WAIT };
enum lock_order { LOCK_ORDER_ARRIVAL, LOCK_ORDER_SERVICE };
enum assertions_mode { ASSERTIONS_HONOURED, ASSERTIONS_IGNORED };

/* mpi.rma.protocol: what a call takes once it may start, and who must help (docs/simulation.md, "Protocols"). */
struct rma_protocol {
    enum complete_mode complete[RMA_KIND_COUNT]; /* of puts and accumulates; gets are complete when they are there */
    enum unlock_mode unlock;
    enum flush_mode flush;
    enum local_mode local[RMA_KIND_COUNT]; /* when a put or accumulate is complete at its origin */
    enum visit_mode visit;
    enum lock_order lock_order;
    enum assertions_mode fence_assertions;
    struct serve_rule serves[SERVICE_COUNT][SERVE_RULES_MAX];
    double put_s_per_byte; /* its call copies */
    double linger_s; /* what arrives so soon after the return of a call that served is served */
};

enum nic_mode { NIC_QUEUE, NIC_PAIRS };        /* sends one message after another, or those of each pair of nodes do */
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
    char *profile, *profile_library; /* mpi.profile, and whose it is: "MPICH 4.0.2, ch4:ucx"; NULL: none */
    char *profile_transport;         /* "TCP", "shared memory of one node"; NULL: no profile */
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
    enum rendezvous_mode rendezvous;
    double init_s, finalize_s; /* of each rank's own time in MPI_Init and MPI_Finalize */
    double *call_s; /* of the caller's own time in each call, by enum mpi_call, MPI_FUNCTION_COUNT of them; owned; NULL: 0 */
    bool unexpected_copy; /* an eager message that its receive did not wait for is copied out of the library's buffer */
    struct rma_semantics semantics;
    enum lock_mode lock;
    enum fence_mode fence;
    struct window_rule *window_rules;
    size_t window_rule_count;
    enum progress_mode progress;
    struct rma_protocol protocol;
    double thread_delay_s;
    double thread_create_s, thread_start_s, thread_join_s, thread_lock_s, thread_unlock_s, thread_barrier_s;
    enum issue_mode issue;
    bool aggregate;
    int64_t control_bytes, rma_eager_bytes, window_info_bytes;
    enum window_creation window_creation;
    int64_t epochs_ahead; /* of d: completed access epochs whose exposure has not begun; INT64_MAX: unlimited */
    struct apply_cost atomics[APPLY_COSTS_MAX];
    int32_t ranks_per_node; /* mapping, if rank_nodes is NULL: room for so many, in blocks or dealt in turn */
    bool round_robin;
    int32_t *rank_nodes;
    size_t rank_node_count;
    enum links_mode links;
    enum nic_mode nic; /* of the loggp engine */
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
/* Whether such an operation leaves only when the posts of its whole group have come; never of one that waits in start
 * or never, or of one of d that the limited buffer does not hold. */
bool semantics_waits_for_group(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes);
/* Some operation never waits for a post (d): complete returns before it, and the origin runs ahead. */
bool semantics_run_ahead(const struct rma_semantics *semantics);
/* Some put or accumulate is copied into a buffer (d), and the buffer is limited. */
bool semantics_limited(const struct rma_semantics *semantics);

/* Messages of the platform's own shape share links between the NICs, which engine.links is about. */
bool platform_has_inner_links(const struct platform *platform);

/* How long applying an accumulate or a fetching operation of so many bytes takes. */
double platform_apply_s(const struct platform *platform, int64_t bytes);

/* Who serves such a message of an operation that moves so many bytes. */
enum progress_mode protocol_serves(const struct rma_protocol *protocol, enum service service, int64_t bytes);
/* Some message is served in this way; protocol_is_hardware: all are served by NICs. */
bool protocol_uses(const struct rma_protocol *protocol, enum progress_mode by);
bool protocol_is_hardware(const struct rma_protocol *protocol);

/* The name of a lock mode, as platform files and options have it. */
const char *lock_mode_name(enum lock_mode mode);

#endif
