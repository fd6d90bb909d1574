/* State shared by the files of the spool reader: files (files.c), records one by one (cursor.c), definitions
 * (scan.c, define.c), events (blocks.c, ranks.c, events.c, incomplete.c),
 * messages that nobody saw completed (match.c), clocks (clock.c), call sites (sites.c), causality
 * (trace/causality). */
#ifndef TRACE_SPOOL_READER_H
#define TRACE_SPOOL_READER_H

#include "common/map.h"
#include "trace/spool/spool.h"
#include "trace/trace.h"

struct spool_ids { /* what the recorder numbers per rank, as numbered in the trace */
    uint32_t *items;
    size_t count, capacity;
};

struct spool_loaded { /* a module of the load map */
    struct spool_module addresses;
    char *path;
};

struct spool_anchor { /* ticks since the header's base_ticks, and CLOCK_MONOTONIC then */
    uint64_t ticks, ns;
};

struct spool_bytes { /* a definition's content */
    char *data;
    size_t bytes, capacity;
};

struct spool_item { /* a definition or an anchor */
    struct spool_record record;
    size_t at, content; /* its place, in units of the file; that of its content */
    uint64_t after;     /* the latest time up to here in the files: a rank's files are read in the order of these */
};

struct spool_scan { /* what a first pass over a thread's files finds */
    struct spool_item *items;
    size_t count, capacity;
    bool begun;         /* there is a record */
    bool created;       /* there is a SPOOL_CREATED, `creation` */
    struct spool_record creation;
    size_t calls;       /* records that begin a call, or enter or leave a region */
    enum status status; /* of the files' end; STATUS_DATA: what stands at `at` is no record */
    size_t at;
    uint64_t after;
    char *why; /* owned */
};

struct spool_layout { /* of a version's files */
    uint32_t unit_bytes, chunk_units;
    size_t first_chunk, tail_head, tail_bytes; /* where chunks begin in the main file and the tail; the tail's length */
};

/* A rank: what belongs to all of it, and the files of its thread 0; or the files of a further thread. */
struct spool_rank {
    bool present;
    struct spool_rank *threads; /* further threads, by number; only files, state and damage are theirs */
    size_t thread_count, thread_capacity;
    char *main_name, *tail_name;
    const struct spool_header *header; /* mapped, with the chunks behind it */
    size_t main_bytes;
    const struct spool_layout *layout;
    const struct spool_tail *tail; /* mapped, NULL if there is none */
    const void *chunks, *in_tail;   /* units of the main file, of the tail */
    size_t chunk_units, tail_units; /* whole chunks; of this recording, behind them */
    uint32_t state;                 /* bits of enum spool_state */
    struct spool_ids comms, groups, windows, regions, counts, calls, ops;
    struct spool_loaded *modules;
    size_t module_count, module_capacity;
    struct spool_clock *clocks;
    size_t clock_count, clock_capacity;
    struct spool_anchor *anchors; /* ascending in both; the first is the header's, none: times are nanoseconds */
    size_t anchor_count, anchor_capacity;
    size_t anchor_near; /* where the last time was found */
    size_t rate_anchor;
    double rate_per_tick; /* ns, behind anchor rate_anchor; 0: not known */
    struct spool_scan scan;
    int64_t cost_ps;
    char *missed;                                /* names of calls that are not recorded, may be NULL */
    bool spawned;                                /* by MPI_Comm_spawn */
    /* Of the identity, may be NULL. */
    char *library, *mpich_version, *mpich_device, *rcache, *tls, *cores, *launcher, *launched, *btl, *rdma;
    char *damage; /* where the files are damaged, and there is nothing behind it; NULL: they are not */
};

struct spool_window_seen { /* one window, as its members described it */
    int32_t comm;
    char *name; /* by MPI_Win_set_name, may be NULL */
    char flavor;
    int64_t *bytes;
    int32_t *disp_unit;
    uint64_t *base;
    bool *known;
    uint32_t known_count;
};

struct spool_unread { /* a rank's file that could not be opened */
    uint32_t rank;
    char *why;
};

struct spool {
    const char *directory; /* borrowed */
    bool keep_going; /* of damaged files what stands before the damage is taken */
    unsigned threads; /* that read; 0: as many as are worth it */
    uint32_t world;
    struct spool_rank *ranks;
    struct spool_window_seen *windows;
    size_t window_count, window_capacity;
    struct spool_unread *unread; /* by those who keep going */
    size_t unread_count, unread_capacity;
    uint64_t failed;  /* calls that returned an error and did nothing */
    uint64_t apart;   /* calls with processes of other worlds, on communicators that the trace cannot hold */
    uint64_t unmatched; /* spool_is_unmatched(): calls that may still be */
    struct map locks; /* of OpenSHMEM: symmetric address to number */
    uint64_t base_ns; /* corrected time of the first event: time zero */
};

/* Maps the files of all ranks and checks that they belong together. threads: 0: as many as are worth it. */
enum status spool_open(const char *directory, unsigned threads, bool keep_going, struct spool *spool, struct err *err);
void spool_close(struct spool *spool);

/* The rank has the units before this place only, and says why. */
enum status spool_end_at(struct spool_rank *rank, size_t at, const char *why, struct err *err);

/* Times are ticks of the time stamp counter. */
static inline bool spool_ticks(const struct spool_header *header)
{
    return header->version > 1 && header->clock == SPOOL_TICKS;
}

/* Versions 1 and 2. */
static inline bool spool_is_old(const struct spool_rank *rank)
{
    return rank->header->version < SPOOL_WORDS_VERSION;
}

/* Number of units of a rank. */
static inline size_t spool_units(const struct spool_rank *rank)
{
    return rank->chunk_units + rank->tail_units;
}

/* STATUS_DATA "FILE:BYTE: <message>" for what stands at this place. */
enum status spool_fault(const struct spool_rank *rank, size_t at, struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails with it, for what knows its files and the place of the record in hand. */
#define SPOOL_FAIL(reader, ...) return spool_fault((reader)->files, (reader)->index, (reader)->err, __VA_ARGS__)

/* How many threads read: those that are asked for, else as many as there are processors and work for. */
unsigned spool_threads(const struct spool *spool);

/* Looks through a thread's files. Only what fails for other reasons than the file's content fails. */
enum status spool_scan(struct spool_rank *files, struct err *err);
void spool_scan_clear(struct spool_scan *scan);

/* Definitions of all ranks into the trace: the same members and sequence are the same communicator, the same
 * communicator and sequence the same window. */
enum status spool_define(struct spool *spool, struct trace *trace, struct err *err);

/* One more anchor of the rank, as they come: what is not behind the last one in both clocks is no anchor. */
enum status spool_anchor_add(struct spool_rank *rank, uint64_t ticks, uint64_t ns, struct err *err);

/* Picoseconds since time zero of a record's time word, on rank 0's clock. */
int64_t spool_time_ps(const struct spool *spool, struct spool_rank *rank, uint64_t time);
/* Finds time zero and the clock's quality once the definitions are known. */
void spool_clock_begin(struct spool *spool, struct trace *trace);

/* Where an address stands, as debug information has it. */
struct spool_place {
    char *function, *file; /* either may be NULL */
    int32_t line;
};

/* Of the call behind which the address of a rank is; *place is NULL if nothing is known, else it stays until
 * spool_sites_free(). Any thread may ask. */
struct spool_sites;
enum status spool_sites_new(struct spool_sites **sites, struct err *err);
enum status spool_site(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address,
                       const struct spool_place **place, struct err *err);
void spool_sites_free(struct spool_sites *sites);

/* Events of all ranks into the trace, and why they are incomplete. */
enum status spool_events(struct spool *spool, struct trace *trace, struct err *err);

/* A receive of which neither sender nor tag is known for the moment; its peer may be SPOOL_PEER_ANY. spool_match()
 * finds both of all of them once the events of all ranks are there. */
bool spool_is_unmatched(const struct trace_call *call);
enum status spool_match(const struct spool *spool, struct trace *trace, struct err *err);

/* Why a rank's recording does not tell all, if it does not. in: name of the call that it breaks off in, NULL: none;
 * inside: the threads that are in a call at its end. */
enum status spool_mark_incomplete(const struct spool_rank *from, const char *in, const uint32_t *inside,
                                  uint32_t inside_count, struct trace_rank *rank, struct err *err);

/* Counts effects that stand before their causes in trace->clock.violations and moves them forward. threads: that look
 * for some; 0: as many as are worth it. */
enum status clock_check(struct trace *trace, unsigned threads, struct err *err);

#endif
