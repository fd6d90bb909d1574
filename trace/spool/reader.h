/* State shared by the files of the spool reader: files (files.c), records one by one (cursor.c), definitions (scan.c,
 * define.c), events (blocks.c, ranks.c, events.c, incomplete.c), messages without a recorded completion (match.c),
 * clocks (clock.c), call sites (sites.c), causality (trace/causality). */
#ifndef TRACE_SPOOL_READER_H
#define TRACE_SPOOL_READER_H

#include "common/map.h"
#include "trace/spool/spool.h"
#include "trace/trace.h"

struct spool_ids { /* the trace's ids of objects that the recorder numbers per rank */
    uint32_t *items;
    size_t count, capacity;
};

struct spool_loaded { /* a module of the load map */
    struct spool_module addresses;
    char *path;
};

/* The place of a call in the program, by debug information or by an interpreter. */
struct spool_place {
    char *function, *file; /* either may be NULL */
    int32_t line;
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
    size_t at, content; /* its position, in words; that of its content */
    uint64_t after;     /* the latest time in the files up to here; the files of a rank's threads are read in this
                           order */
};

struct spool_scan { /* the result of the first pass over a thread's files */
    struct spool_item *items;
    size_t count, capacity;
    bool begun;         /* the files have a record */
    bool created;       /* there is a SPOOL_CREATED, `creation` */
    struct spool_record creation;
    size_t calls;       /* number of records that begin a call, or enter or leave a region */
    enum status status; /* at the end of the files; STATUS_DATA: the data at `at` are no record */
    size_t at;
    uint64_t after;
    char *why; /* owned */
};

/* A rank with the files of its thread 0; or a further thread with its files. */
struct spool_rank {
    bool present;
    struct spool_rank *threads; /* further threads, by number; they use only files, state and damage */
    size_t thread_count, thread_capacity;
    char *main_name, *tail_name;
    const struct spool_header *header; /* mapped, with the chunks after it */
    size_t main_bytes;
    const struct spool_tail *tail; /* mapped, NULL if there is none */
    const uint64_t *chunks;          /* words of the main file */
    size_t chunk_words, tail_words; /* whole chunks; of this recording, behind them */
    uint32_t state;                 /* bits of enum spool_state */
    struct spool_ids comms, groups, windows, regions, counts, calls, ops;
    struct spool_loaded *modules;
    size_t module_count, module_capacity;
    struct spool_place *lines; /* by SPOOL_LINE_SITE */
    size_t line_count, line_capacity;
    struct spool_clock *clocks;
    size_t clock_count, clock_capacity;
    struct spool_anchor *anchors; /* ascending in both; the first is the header's. None: times are nanoseconds */
    size_t anchor_count, anchor_capacity;
    size_t anchor_near; /* the anchor used last */
    size_t rate_anchor;
    double rate_per_tick; /* ns per tick after anchor rate_anchor; 0: not known */
    struct spool_scan scan;
    int64_t cost_ps;
    char *unrecorded;                            /* names of calls that are not recorded, may be NULL */
    bool spawned;                                /* by MPI_Comm_spawn */
    /* Of the identity, may be NULL. */
    char *library, *mpich_version, *mpich_device, *rcache, *tls, *cores, *launcher, *launched, *btl, *rdma, *run;
    char *misses, *misses_per_s; /* of the identity in MPI_Finalize, likewise */
    char *damage; /* where the files are damaged; everything after it is lost. NULL: not damaged */
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
    bool keep_going; /* damaged files are read up to the damage */
    unsigned threads; /* number of reading threads; 0: chosen by the size */
    uint32_t world;
    struct spool_rank *ranks;
    struct spool_window_seen *windows;
    size_t window_count, window_capacity;
    struct spool_unread *unread; /* with --keep-going */
    size_t unread_count, unread_capacity;
    uint64_t failed;  /* calls that returned an error and did nothing */
    uint64_t apart;   /* calls with processes of other worlds, on communicators that the trace cannot represent */
    uint64_t unmatched; /* number of calls for which spool_is_unmatched() may still hold */
    struct map locks; /* of OpenSHMEM: symmetric address to number */
    uint64_t base_ns; /* corrected time of the first event: time zero */
};

/* Maps the files of all ranks and checks that they belong together. threads 0: chosen by the size. */
enum status spool_open(const char *directory, unsigned threads, bool keep_going, struct spool *spool, struct err *err);
void spool_close(struct spool *spool);

/* Truncates the rank's files at this position; why is its damage. */
enum status spool_end_at(struct spool_rank *rank, size_t at, const char *why, struct err *err);

/* Times are ticks of the time stamp counter. */
static inline bool spool_ticks(const struct spool_header *header)
{
    return header->clock == SPOOL_TICKS;
}

/* Number of words of a rank. */
static inline size_t spool_words(const struct spool_rank *rank)
{
    return rank->chunk_words + rank->tail_words;
}

/* Returns STATUS_DATA "FILE:BYTE: <message>" for the data at this position. */
enum status spool_fault(const struct spool_rank *rank, size_t at, struct err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails with spool_fault() at the current record. */
#define SPOOL_FAIL(reader, ...) return spool_fault((reader)->files, (reader)->index, (reader)->err, __VA_ARGS__)

/* The number of reading threads: the requested one, else by processors and size. */
unsigned spool_threads(const struct spool *spool);

/* Scans a thread's files. It fails only for reasons other than the files' content. */
enum status spool_scan(struct spool_rank *files, struct err *err);
void spool_scan_clear(struct spool_scan *scan);

/* Adds the definitions of all ranks to the trace. Communicators with the same members and sequence number are one, and
 * so are windows with the same communicator and sequence number. */
enum status spool_define(struct spool *spool, struct trace *trace, struct err *err);

/* Adds an anchor of the rank, which is at this word of a thread's files. It is ignored if it is not later than the last one in
 * both clocks. STATUS_DATA if the two clocks contradict each other. */
enum status spool_anchor_add(struct spool_rank *rank, const struct spool_rank *files, size_t at, uint64_t ticks, uint64_t ns,
                             struct err *err);

/* Picoseconds since time zero of a record's time word, on rank 0's clock. Beyond what a trace takes it is only known to be. */
int64_t spool_time_ps(const struct spool *spool, struct spool_rank *rank, uint64_t time);
/* Finds time zero and the clock's quality once the definitions are known. */
void spool_clock_begin(struct spool *spool, struct trace *trace);

/* Finds the call site that returns to the address, or the line that has this number (SPOOL_LINE_SITE). *place is NULL if it is
 * not known; else it is valid until spool_sites_free(), as long as the rank is. Safe from several threads. */
struct spool_sites;
enum status spool_sites_new(struct spool_sites **sites, struct err *err);
enum status spool_site(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address,
                       const struct spool_place **place, struct err *err);
void spool_sites_free(struct spool_sites *sites);

/* Adds the events of all ranks to the trace, and the reasons why ranks are incomplete. */
enum status spool_events(struct spool *spool, struct trace *trace, struct err *err);

/* Whether a receive's sender and tag are not known yet; its peer may be SPOOL_PEER_ANY. spool_match() finds them for
 * all such receives after the events of all ranks have been read. */
bool spool_is_unmatched(const struct trace_call *call);
enum status spool_match(const struct spool *spool, struct trace *trace, struct err *err);

/* Marks a rank as incomplete, with the reason, if its recording is. in is the name of the call in which it breaks off,
 * NULL: none; inside lists the threads that are in a call at its end. */
enum status spool_mark_incomplete(const struct spool_rank *from, const char *in, const uint32_t *inside,
                                  uint32_t inside_count, struct trace_rank *rank, struct err *err);

/* Counts effects before their causes in trace->provenance.clock.violations, and moves them forward in time. threads is
 * the number of counting threads; 0: chosen by the size. */
enum status clock_check(struct trace *trace, unsigned threads, struct err *err);

#endif
