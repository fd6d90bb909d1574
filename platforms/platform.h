/* A described cluster: nodes, network, the MPI library's behaviour, the mapping of ranks to nodes. It is read from a
 * platform file (schema rmacast.platform/1, docs/platforms.md). Engines and replay borrow it. Units are SI. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error_sources.h"
#include "common/status.h"
#include "platforms/limits.h"
#include "platforms/steps.h"

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

enum progress_mode { PROGRESS_HARDWARE, PROGRESS_THREAD, PROGRESS_CALL };
/* Kinds of messages that must be served at their destination. mpi.rma.protocol.serves says what serves each kind, by
 * the bytes that the operation moves. */
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
enum { SERVE_RULES_MAX = 4, POLLS_MOST = 100 };
/* Rows by size, ascending; the last one's upto_bytes is INT64_MAX. */
struct serve_rule {
    int64_t upto_bytes;
    enum progress_mode by;
};
/* The time to apply an accumulate at its target, by its bytes. Rows as above. */
enum { APPLY_COSTS_MAX = 4 };
struct apply_cost {
    int64_t upto_bytes;
    double fixed_s, s_per_byte;
};
/* reverse_share of messages up to so many bytes; the last row holds beyond. Within a node it may be negative. */
struct reverse_rule {
    int64_t upto_bytes;
    double share;
};
enum local_mode { LOCAL_LEFT, LOCAL_COPIED, LOCAL_ACKNOWLEDGED };
enum rendezvous_mode { RENDEZVOUS_DIRECT, RENDEZVOUS_NOTIFIED, RENDEZVOUS_READ };
enum window_creation { WINDOW_CREATION_EXCHANGE, WINDOW_CREATION_MPICH };
enum visit_mode { VISIT_ENTER, VISIT_WAIT, VISIT_NEEDED };
enum lock_order { LOCK_ORDER_ARRIVAL, LOCK_ORDER_SERVICE };
enum wait_mode { WAIT_NOTIFIED, WAIT_CONFIRMED };
enum get_data { GET_DATA_DIRECT, GET_DATA_RENDEZVOUS };
enum put_rules { PUT_RULES_OWN, PUT_RULES_ACCUMULATE };

/* mpi.rma.protocol: the messages that a call needs once it may start, and whose progress they need (docs/simulation.md,
 * "Protocols"). */
struct rma_protocol {
    struct call_steps calls[STEPS_CALL_COUNT];
    enum local_mode local[RMA_KIND_COUNT]; /* when a put or accumulate is complete at its origin */
    enum visit_mode visit;
    enum lock_order lock_order;
    enum wait_mode wait;
    enum get_data get_data; /* how the data of a get of more than mpi.rma.eager_bytes come back */
    enum put_rules dynamic_put;       /* of puts to, and gets from, dynamic and shared windows */
    enum put_rules noncontiguous_put; /* of puts with gaps at the target, and gets with gaps on either side */
    struct serve_rule serves[SERVICE_COUNT][SERVE_RULES_MAX];
    bool serves_replaced[SERVICE_COUNT]; /* null: the default of mpi.rma.progress, in place of the profile's server */
    double put_s_per_byte; /* the call of a put copies its data */
    struct reverse_rule reverse[RMA_KIND_COUNT][REVERSE_RULES_MAX]; /* so much of the data comes back while they are received */
    uint32_t polls;        /* of a call, until it has served a one-sided message (not a clear to send: one) */
    double poll_s;         /* in a call that waits, from the arrival of a message to the next poll */
    double linger_s; /* messages that arrive within this time after the return of a call that served are served at
                        once */
};

enum nic_mode { NIC_QUEUE, NIC_PAIRS };        /* one sending queue per NIC, or a connection per pair of nodes */
enum decide_mode { DECIDE_AGAIN, DECIDE_RECORDED }; /* which rank a task of a queue goes to */
enum links_mode { LINKS_FREE, LINKS_QUEUE }; /* links inside the network, in the loggp engine */
enum issue_mode { ISSUE_IMMEDIATE, ISSUE_DEFERRED };
enum { RANKS_BY_CORES = 0 }; /* of ranks_per_node: each node has as many ranks as cores */

/* Linear cost by size: rows ascending, the last one's upto_bytes is INT64_MAX. bandwidth may be INFINITY. */
struct net_segment {
    int64_t upto_bytes;
    double latency_s, bandwidth_Bps;
    double latency_error_s, bandwidth_error_Bps; /* as the file states them; 0: none */
};

/* How much longer the first call behind a pause takes: call_s if the pause lasts full_s or more, nothing if it lasts less than
 * after_s, a share in proportion between. */
struct pause_cost {
    double after_s, full_s, call_s; /* full_s below after_s: as after_s */
};

/* Settings of one window. They replace the platform's, and those of an earlier rule for the same window. */
struct window_rule {
    char *window; /* owned: its name, or its number in the trace */
    bool has_semantics, has_lock, has_fence; /* which settings the rule has */
    struct rma_semantics semantics;
    struct call_steps lock, fence;
};

/* How many times as long computing that is bound by memory takes with so many ranks on its node as alone. */
enum { MEMORY_ROWS_MAX = 32 };
struct memory_row {
    int32_t ranks; /* ascending */
    double slowdown; /* from 1 on, not falling */
};

/* Nodes that are alike. The nodes of a platform are numbered through its groups. */
struct node_group {
    char *name; /* owned; NULL: none */
    int32_t count, cores;
    double speed; /* of a node, relative to the recording machine (1.0) */
    double memory_bandwidth_Bps;
    struct memory_row memory_curve[MEMORY_ROWS_MAX];
    int32_t memory_rows; /* 0: not known */
};

struct topology; /* platforms/topology/topology.h */

struct platform {
    char *name, *file;
    char *profile;   /* mpi.profile; NULL: none */
    char *library;   /* the profile's, "MPICH 4.0.2, ch4:ucx", else that of the calibration; NULL: not known */
    char *transport; /* the profile's, "TCP", "shared memory of one node"; NULL: no profile */
    char *profile_replaced;          /* keys of the file's own mpi that an override of mpi.profile replaced; NULL: none */
    int32_t node_count; /* of all groups */
    struct node_group *groups;
    size_t group_count;
    struct node_group group; /* what a group has where the file says nothing; of one that is read */
    bool free_copies;        /* copies inside a process take no time, whatever memory_bandwidth_Bps */
    struct topology *topology;
    char *simgrid_xml; /* path of the user's SimGrid platform, else NULL */
    struct net_segment *segments;
    size_t segment_count;
    double overhead_s, gap_s, loopback_overhead_s;
    double jitter_s; /* standard deviation of one message's latency; only draws have it */
    uint64_t draw;   /* latencies of the loggp engine are drawn, differently for each number; 0: they are as stated */
    bool control_bypass; /* requests and their answers do not wait for the data that their NIC sends */
    struct net_segment *loopback;
    size_t loopback_count;
    /* Of the messages of sends and collectives, as segments and loopback of all others; owned; NULL: the same. */
    struct net_segment *two_sided, *loopback_two_sided;
    size_t two_sided_count, loopback_two_sided_count;
    int64_t eager_bytes; /* two-sided messages: larger ones have a rendezvous */
    enum rendezvous_mode rendezvous;
    double init_s, finalize_s; /* of each rank's own time in MPI_Init and MPI_Finalize */
    double *call_s; /* owned: the caller's own time in each call, MPI_FUNCTION_COUNT elements by enum mpi_call; NULL:
                       all 0 */
    struct reverse_rule loopback_reverse[RMA_KIND_COUNT][REVERSE_RULES_MAX]; /* of transfers between two ranks of a node */
    double *loopback_call_s; /* the same of calls within a node; NULL: as call_s */
    struct pause_cost pause, loopback_pause; /* between nodes and within one */
    struct {
        bool overhead, pause; /* the loopback has that of the network, since the file says nothing */
    } loopback_follows;
    bool unexpected_copy; /* a receive copies an eager message that arrived before it out of the library's buffer */
    struct rma_semantics semantics;
    struct window_rule *window_rules;
    size_t window_rule_count;
    enum progress_mode progress;
    int32_t progress_ranks; /* of each node, which serve in place of its ranks' calls (progress "ranks:K"); 0: none */
    struct rma_protocol protocol;
    double thread_delay_s;
    double thread_create_s, thread_start_s, thread_join_s, thread_lock_s, thread_unlock_s, thread_barrier_s;
    enum issue_mode issue;
    bool aggregate;
    int64_t control_bytes, rma_eager_bytes, window_info_bytes;
    enum window_creation window_creation;
    int64_t epochs_ahead; /* of d: completed access epochs whose exposure has not begun; INT64_MAX: unlimited */
    struct apply_cost atomics[APPLY_COSTS_MAX];
    int32_t ranks_per_node; /* mapping if rank_nodes is NULL: so many ranks per node, in blocks or round robin; RANKS_BY_CORES */
    bool round_robin;
    int32_t *rank_nodes;
    size_t rank_node_count;
    enum links_mode links;
    enum nic_mode nic; /* of the loggp engine */
    bool contention; /* engine.contention: false = every message travels as if alone (for laws and closed forms) */
    enum decide_mode decide;
    int64_t grain_ps; /* costs of bytes and computing times are whole numbers of it (predictors/sensitivity); 0: as 1 */
    struct platform *erring[ERROR_SOURCES]; /* owned: the platform where the values of a source are slower by their stated errors;
                                               NULL: none states one */
};

/* Reads and validates the file ("ideal" is the built-in platform of zero latency and infinite bandwidth), with
 * overrides "mpi.rma.control_bytes=64" (key path = JSON value or bare string) applied before validation. Errors name
 * file and key path. */
enum status platform_open(const char *file, const char *const *overrides, size_t override_count,
                          struct platform **platform, struct err *err);
void platform_free(struct platform *platform);
/* The platform whose values of a source err, with what a caller may change of an opened one: semantics, contention, draw and
 * decide. It borrows all else from platform->erring[source], which is there. */
struct platform platform_erring(const struct platform *platform, enum error_source source);

/* A platform with the same nodes, ranks and MPI library, on which neither the network nor copies take time (POP's ideal
 * network). It borrows from the original platform, and must not be copied. */
struct platform_ideal {
    struct platform platform;
    struct net_segment segment;
};
void platform_ideal_init(struct platform_ideal *ideal, const struct platform *platform);

/* The group that has the node. */
static inline const struct node_group *platform_group_of(const struct platform *platform, int32_t node)
{
    const struct node_group *group = platform->groups;
    for (; node >= group->count; group++) node -= group->count;
    return group;
}
/* The slowdown of memory_curve: linear between its rows and from 1 of one rank to the first, that of the last row behind it. 1
 * without a curve. */
double platform_memory_slowdown(const struct node_group *group, uint32_t ranks);
/* The cores that a node of the group has for ranks; the others are those of its progress ranks. */
int32_t platform_rank_cores(const struct platform *platform, const struct node_group *group);
/* Of the nodes with the fewest cores. */
int32_t platform_least_cores(const struct platform *platform);
int64_t platform_all_cores(const struct platform *platform); /* the same of all nodes */
/* What a second of computing takes on the ranks' nodes, their mean. */
double platform_slowness(const struct platform *platform, uint32_t rank_count);
/* The time in seconds to copy so many bytes inside a process on the node. */
double platform_copy_s(const struct platform *platform, int32_t node, int64_t bytes);

/* Checks that every rank has an existing node. Returns STATUS_DATA with the platform, its nodes and the number that the
 * trace needs. To be called before platform_node_of(). */
enum status platform_check_ranks(const struct platform *platform, uint32_t rank_count, struct err *err);
int32_t platform_node_of(const struct platform *platform, uint32_t rank);

/* Head-to-head latency and rate of a message between two nodes, or inside one node (loopback); src == dst is the
 * loopback. two_sided: of a send or a collective. Topologies add their hop latency. For a simgrid_xml platform the engine
 * knows the latencies; these functions return the values of the platform file. */
double platform_latency_s(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes,
                          bool two_sided);
/* Whether the latency between two different nodes depends on the message's bytes and kind only. */
bool platform_same_latency(const struct platform *platform);
double platform_bandwidth_Bps(const struct platform *platform, int32_t src_node, int32_t dst_node, int64_t bytes,
                              bool two_sided);
/* The highest finite rate of the network segments, which is the rate of a link of the topology; 0 if all are
 * infinite. */
double platform_peak_Bps(const struct platform *platform);

/* Writes the name of the semantics: "a", or with rules for windows "a@3=c@halo=d". */
enum { PLATFORM_SEMANTICS_BYTES = 256 };
void platform_semantics_name(const struct platform *platform, char name[PLATFORM_SEMANTICS_BYTES]);

/* Fills *semantics for "a".."d". Returns false for another text. */
bool semantics_by_letter(const char *letter, struct rma_semantics *semantics);
/* What an operation waits for. A put or accumulate of d that is larger than the whole buffer waits in its call, as in
 * b. */
enum rma_waits semantics_waits(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes);
/* Whether the operation leaves only when the posts of its whole group have arrived. It is false for operations that
 * wait in start or never, and for those of d that do not fit into the limited buffer. */
bool semantics_waits_for_group(const struct rma_semantics *semantics, enum rma_kind kind, int64_t bytes);
/* Whether some operation never waits for a post (d), so that complete returns before the post and the origin runs
 * ahead. */
bool semantics_run_ahead(const struct rma_semantics *semantics);
/* Whether the call of some operation returns before the target's post (c, d). */
bool semantics_defer(const struct rma_semantics *semantics);
/* Whether some put or accumulate is copied into a limited buffer (d). */
bool semantics_limited(const struct rma_semantics *semantics);

/* Whether the topology has links between the NICs that messages share (engine.links). */
bool platform_has_inner_links(const struct platform *platform);

/* The time in seconds to apply an accumulate or a fetching operation of so many bytes. */
double platform_apply_s(const struct platform *platform, int64_t bytes);

/* What serves a message of this kind, of an operation that moves so many bytes. */
enum progress_mode protocol_serves(const struct rma_protocol *protocol, enum service service, int64_t bytes);
/* Whether some kind of message is served in this way; whether NICs serve all kinds. */
bool protocol_uses(const struct rma_protocol *protocol, enum progress_mode by);

/* "ranks:K" of mpi.rma.progress, K from 1 to CORES_MAX without leading zeros. */
enum { CORES_MAX = 1 << 20 }; /* of a node */
bool progress_ranks_parse(const char *text, int32_t *ranks);
/* Whether some call asks in this way. */
bool protocol_queries(const struct rma_protocol *protocol, enum steps_query query);
/* Whether MPI_Win_complete notifies its targets behind acknowledgements: it waits for those of puts or accumulates. */
bool protocol_completes_behind(const struct rma_protocol *protocol);
bool protocol_is_hardware(const struct rma_protocol *protocol);
/* Whether some operation has a reverse_share between nodes, or within one. */
bool protocol_reverses(const struct rma_protocol *protocol);
bool platform_reverses_within(const struct platform *platform);
/* Which part of its time at the full rate a message between two ranks of a node takes at least: 1 without negative shares. */
double platform_least_within(const struct platform *platform);
double reverse_share_of(const struct reverse_rule rules[REVERSE_RULES_MAX], int64_t bytes);

/* The platform's lock in the provenance of a trace: "blocking", or "lazy" where MPI_Win_lock does not wait for its grant. */
const char *platform_lock_name(const struct platform *platform);

#endif
