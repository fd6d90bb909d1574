/* The state of turning the records of one rank into calls. Internal to trace/spool/.
 *
 * Several threads read blocks of ranks, each into a shard (trace/builder.h). Numbers of locks are local to a block,
 * too, until they are merged. */
#ifndef TRACE_SPOOL_EVENTS_H
#define TRACE_SPOOL_EVENTS_H

#include "trace/builder.h"
#include "trace/spool/cursor.h"

struct spool_block { /* of a block of ranks */
    struct builder_shard shard; /* with sites and regions of its own */
    const struct trace *whole;
    uint32_t first, end; /* ranks */
    uint32_t empty_group; /* its number in the whole trace, already or after the merge */
    bool uses_empty_group;
    struct map locks; /* of OpenSHMEM: symmetric address to number in `addresses` */
    uint64_t *addresses;
    size_t address_count, address_capacity;
    uint32_t *lock_numbers; /* in the whole */
    bool locks_differ;
    uint64_t failed, apart; /* as in struct spool */
    int64_t unmatched;
};

/* The id of a region name; regions of the whole trace have the same ids here. */
enum status spool_block_region(struct spool_block *block, const char *name, uint32_t *id, struct err *err);
enum status spool_block_lock(struct spool_block *block, uint64_t address, uint32_t *number, struct err *err);

struct spool_shared {   /* by the threads of a rank */
    struct map made;    /* request to index of the call that made it */
    struct map sites;   /* return address to site */
    uint32_t next_request;
    bool paused;           /* recording is stopped, */
    int64_t paused_from_ps; /* since then; */
    int64_t paused_ps;     /* in all, before */
};

struct spool_known { /* the meaning of a template's record while it repeats itself */
    struct trace_call call; /* of an entry, without times */
    uint32_t site;          /* of an exit */
};

struct events { /* of one thread */
    const struct spool *spool;
    struct spool_rank *rank, *files; /* files: the thread's */
    struct spool_shared *shared;
    struct spool_block *block;
    struct trace *trace;     /* the block's */
    uint32_t number, thread; /* of the rank, of the thread on it */
    struct spool_sites *sites;
    struct spool_cursor cursor;
    size_t index;                     /* of the current record */
    const struct spool_record *enter; /* of the open call; NULL: none */
    struct spool_record opened;       /* the record that enter points to */
    struct trace_call call;
    int64_t last_ps;
    bool before_known[BEFORE_COUNT];
    int64_t before_ps[BEFORE_COUNT]; /* of the gap before the next call */
    int64_t paused_ps; /* the sum up to the exit of the thread's last call */
    bool gaps_next;
    struct trace_extents next_extents, extents; /* of the next call, of the open one */
    struct spool_bytes list; /* content of the SPOOL_LIST since the last call, or of its own */
    uint32_t *regions;       /* open, innermost last */
    size_t region_count, region_capacity;
    bool done;             /* all records are read */
    bool uncreated;        /* its creation has not been added yet */
    struct events *failed; /* in the rank's first thread: the thread whose record was read last */
    bool is_known[SPOOL_TEMPLATES];
    struct spool_known *known; /* by template */
    struct err *err;
};

/* Handles the current record, of any kind. */
enum status spool_events_take(struct events *events);

/* Adds a thread's creation (SPOOL_CREATED), or the fork of a region that it is in (SPOOL_FORKED), which its own files record, as
 * a call of its creator. The call takes no time, since its duration is not known. */
enum status spool_events_add_creation(struct events *creator, const struct spool_record *creation, uint32_t child);

/* Ends the thread's calls where its files end inside a call. The objects that the call would have made do not exist. */
enum status spool_events_break_off(struct events *events);

/* Reads all records of a rank. */
enum status spool_read_rank(const struct spool *spool, uint32_t rank, struct spool_sites *sites,
                            struct spool_block *block, struct err *err);

#endif
