/* A network engine: moves messages between nodes and fires timers in simulated time. It knows no MPI; the replay core
 * knows no engine. Times are picoseconds since time zero. One of engine_descriptors() is chosen by name.
 *
 * Order of calls: open, (send | timer)* from inside the callbacks or before run, run until nothing is left, close.
 * Callbacks may call send and timer. Events at equal times come in the order (time, key, sequence of their making). */
#ifndef SIMULATE_ENGINE_ENGINE_H
#define SIMULATE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"
#include "platforms/platform.h"
#include "simulate/engine/lazy.h"
#include "simulate/engine/lines.h"

struct engine;

/* The sender's description of a message. Callbacks get it back; no engine reads it. */
struct engine_note {
    uint32_t source, destination; /* ranks */
    uint32_t ref;                 /* the replay core: op, pair, lock epoch, barrier, envelope, by type */
    uint32_t extra;               /* barrier: round; plain put: index in the origin's calls */
    uint32_t type;                /* enum message_type */
};

/* When a message began to leave the sending NIC and when its last byte has left. */
#define ENGINE_LATER INT64_MIN
struct engine_departure {
    int64_t began_ps, left_ps; /* both ENGINE_LATER: not known yet; the callback left() reports them */
};

/* How far ahead an event is. Each step of a chain of pointers is prefetched at another distance, since the step before
 * must be in the cache by then. */
enum engine_distance { ENGINE_HERE, ENGINE_NEXT, ENGINE_SOON, ENGINE_NEAR, ENGINE_FAR };

/* All callbacks run at the simulated time now_ps. It never decreases, except for messages that are delivered lazily. */
struct engine_callbacks {
    void *context;
    uint32_t ranks; /* only nodes of the first so many ranks send and receive; 0: any node */
    /* The message's last byte has left the origin's NIC; never later than arrived(). Called only for messages sent with
     * want_left whose departure send() did not know. */
    void (*left)(void *context, const struct engine_note *note, int64_t began_ps, int64_t now_ps);
    /* The message has arrived. */
    void (*arrived)(void *context, const struct engine_note *note, int64_t now_ps);
    void (*timer)(void *context, uint32_t id, int64_t now_ps);
    /* Called after every callback. True stops run(): the replay core has failed. */
    bool (*stop)(void *context);
    /* A hint that changes nothing: timer(id), or arrived() with this note, will probably be called soon. A waiting rank
     * is named by its timer. Adds the memory that the call will read, and the nodes that it will send to. May be
     * NULL. */
    void (*prefetch)(void *context, uint32_t id, const struct engine_note *note, enum engine_distance distance,
                     struct prefetch_lines *lines);
    /* Says who needs the route between two nodes, for an error message; empty text: not known. May be NULL. */
    void (*explain_route)(void *context, int32_t src_node, int32_t dst_node, char *text, size_t room);
    struct engine_lazy_callbacks lazy; /* for an engine with lazy delivery */
};

struct engine_message {
    struct engine_note note;
    uint32_t key; /* breaks ties: the sending rank */
    uint32_t to;  /* the receiving rank, for receptions within a node */
    int32_t src_node, dst_node;
    int64_t bytes;
    bool to_self; /* source and destination are the same rank: bytes/memory bandwidth, no latency */
    bool two_sided; /* of a send or a collective: the platform may have a network of its own for them */
    bool want_left;
    int32_t reverse_e9; /* so much of it comes back while it is received, in parts of 10^9 (reverse_share) */
    bool passes; /* leaves at once beside what its NIC sends and is received at once: no queue delays it */
    enum message_effect effect; /* for an engine with lazy delivery; others call arrived() at the arrival */
};

struct engine_stats {
    uint64_t events, messages;
};

struct engine_descriptor {
    const char *name, *summary;
    /* Loads once what open needs; open also does so. Useful before fork(), so that children share it. NULL: nothing to
     * load. */
    enum status (*load)(struct err *err);
    /* Borrows platform until close. pairs (may be NULL): the node pairs that will be used, so that a missing route is
     * an error here and no abort later. */
    enum status (*open)(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                        const struct engine_callbacks *callbacks, struct engine **engine, struct err *err);
    /* Puts the message into the queue of the sending NIC at the current time (time zero before run). Always sets
     * *departure; an engine that knows the times at once saves the callback left(). */
    enum status (*send)(struct engine *engine, const struct engine_message *message, struct engine_departure *departure,
                        struct err *err);
    enum status (*timer)(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id, struct err *err);
    enum status (*run)(struct engine *engine, struct engine_stats *stats, struct err *err);
    void (*close)(struct engine *engine);
    /* Why the library ends the process while it runs a platform of the user's: "what is wrong, what was expected". said: its own
     * line, or "". Called by a signal's handler. NULL: no library does. */
    void (*explain_end)(const char *said, char *text, size_t room);
    bool once_per_process; /* SimGrid: a second open in one process is an error */
    const struct engine_lazy *lazy; /* NULL: no lazy delivery */
};

/* NULL-terminated. The first is the default. */
const struct engine_descriptor *const *engine_descriptors(void);
const struct engine_descriptor *engine_by_name(const char *name);

/* The engine's load, if it has one. */
enum status engine_load(const struct engine_descriptor *engine, struct err *err);

#endif
