/* The recorder's spool: layout shared by the recorder (trace/record) and the reader (trace/spool/read.c). Plain C types
 * only; this file is included into foreign programs. Specification with all record kinds: docs/format-spool.md.
 *
 * A rank has two files in the spool directory for each of its threads. The main file is a struct spool_header and, from
 * SPOOL_FIRST_CHUNK on, whole chunks of SPOOL_CHUNK_WORDS words, appended with write(). The tail file is a struct
 * spool_tail, mapped shared, reused: the chunk that follows the last one of the main file. */
#ifndef TRACE_SPOOL_SPOOL_H
#define TRACE_SPOOL_SPOOL_H

#include <stdint.h>

#define SPOOL_RANK_NAME "rank-%06u"
#define SPOOL_THREAD_NAME SPOOL_RANK_NAME "-%05u" /* of a further thread of the rank */
#define SPOOL_WORLD_NAME "world-%u" /* directory of the spool of a further program of the job, from 1 on */
#define SPOOL_REACHED_NAME "reached" /* empty: the recorder was in a process that has MPI */
#define SPOOL_UNRECORDED_NAME "unrecorded" /* a text: why the program could not be recorded */
#define SPOOL_MAIN_SUFFIX ".spool"
#define SPOOL_TAIL_SUFFIX ".tail"
#define SPOOL_MAGIC UINT64_C(0x314c4f4f5053414d)      /* "MASPOOL1" in memory */
#define SPOOL_TAIL_MAGIC UINT64_C(0x314c494154414d52) /* "RMATAIL1" in memory */

enum {
    SPOOL_VERSION = 8,
    SPOOL_WORD_BYTES = 8,
    SPOOL_CHUNK_WORDS = 8192,
    SPOOL_CHUNK_BYTES = SPOOL_CHUNK_WORDS * SPOOL_WORD_BYTES,
    SPOOL_FIRST_CHUNK = SPOOL_CHUNK_BYTES, /* byte of the main file: aligned chunks cost less to write */
    SPOOL_TAIL_HEAD_BYTES = 4096,
    SPOOL_RECORD_WORDS = 4,
    SPOOL_TEMPLATES = 1024,
    SPOOL_CONTENT = SPOOL_TEMPLATES - 1, /* no template: a part of a content follows */
    SPOOL_STAMP_BITS = 49,
    SPOOL_UNRECORDED_BYTES = 768, /* at most, with a null byte */
};
/* Numbers of the objects of parallel regions: a member's begins have this one plus twice the member, the ends of a creator's
 * regions the one behind twice the creator. Those of --threads count up from 0. */
#define SPOOL_TEAM_OBJECTS (UINT32_C(1) << 30)
#define SPOOL_TIME_MASK ((UINT64_C(1) << 56) - 1)
#define SPOOL_NO_ID UINT32_MAX
/* In place of the return address of a call site: that of SPOOL_LINE id. No program has addresses in this half. */
#define SPOOL_LINE_SITE(id) (UINT64_C(1) << 63 | (uint64_t)(id))

/* The first word of chunk k (from 0): "CHNK" and its number. */
#define SPOOL_MARK(chunk) (UINT64_C(0x4b4e484300000000) | (uint32_t)(chunk))

/* The first word of a record is never 0. Bit k of changed: word k follows, since it is not the template's. Of time the
 * lower SPOOL_STAMP_BITS; of a part of a content its bytes. */
#define SPOOL_HEAD(changed, pattern, time)                                                                             \
    (UINT64_C(1) | (uint64_t)(changed) << 1 | (uint64_t)(pattern) << 5 | (uint64_t)(time) << (64 - SPOOL_STAMP_BITS))
#define SPOOL_HEAD_CHANGED(head) ((unsigned)((head) >> 1 & 15))
#define SPOOL_HEAD_TEMPLATE(head) ((unsigned)((head) >> 5 & (SPOOL_TEMPLATES - 1)))
#define SPOOL_HEAD_STAMP(head) ((head) >> (64 - SPOOL_STAMP_BITS))

enum spool_peer {
    SPOOL_PEER_NONE = -1, /* no peer, or MPI_PROC_NULL */
    SPOOL_PEER_ANY = -2,  /* MPI_ANY_SOURCE, not matched */
};

enum spool_kind {
    SPOOL_ENTER = 1,    /* call, flags, id = handle, peer, tag, bytes, extra = displacement (put, ...), counts plus 1
                           (gatherv, ...; 0 none) or call site */
    SPOOL_EXIT,         /* call, flags, id = what was made, peer and tag matched, bytes received, extra = call site */
    SPOOL_MATCH,        /* a receive request has been completed: id, peer, tag, bytes */
    SPOOL_REGION_ENTER, /* id = region */
    SPOOL_REGION_LEAVE,
    /* Definitions: bytes = length of the content, which follows. */
    SPOOL_NAMES,    /* peer = enum spool_names; text, one name per line, numbered from 0 */
    SPOOL_IDENTITY, /* text, "key=value" lines; extra = the recorder's cost of one call outside its interval, in ps */
    SPOOL_CLOCK,    /* struct spool_clock */
    SPOOL_MODULE,   /* struct spool_module and the path */
    SPOOL_COMM,     /* id, flags, extra = members, peer = first, tag = that it was made of, plus 1, 0: not said; int32_t world
                       ranks, none: first, first + 1, ... */
    SPOOL_GROUP,    /* the same, sorted */
    SPOOL_WINDOW,   /* id; struct spool_window */
    SPOOL_REGION,   /* id; the name */
    SPOOL_LIST,     /* uint32_t request ids that the wait which runs or comes next completes */
    SPOOL_MISSED,   /* name of a call that communicates, was made before and is not recorded */
    SPOOL_COUNTS,   /* id; int64_t numbers: bytes per member of a communicator, or per destination among neighbours; or
                       neighbours: how many sources, world ranks of sources, of destinations */
    SPOOL_CPU = 17, /* extra = ns of CPU time that the thread took since the last call, for the entry that comes next */
    SPOOL_FUNCTION_ENTER, /* extra = address of a function of the program (-finstrument-functions) */
    SPOOL_FUNCTION_LEAVE,
    SPOOL_WINDOW_NAME, /* extra = window; the name */
    SPOOL_ANCHOR, /* extra = ns of CLOCK_MONOTONIC, read tag ticks or less before or after time; bytes = time, all of it;
                     no content */
    SPOOL_ABANDONED, /* the call that is open was left without a return, some time before; flags 1: it is not recorded */
    SPOOL_EXTENTS, /* of the entry that comes next: bytes, extra, peer and tag (its lower and upper half) = extents of its
                      buffers by enum spool_buffer, 0: without gaps; no content */
    SPOOL_CREATED, /* this thread, before its first call: id = thread that called pthread_create, bytes = when, as time,
                      extra = call site; no content */
    SPOOL_CORE_WAIT, /* extra = ns that the thread waited for a core: between entry and exit inside that call, else since it
                        left the last call, for the event that comes next */
    SPOOL_PAUSE,     /* flags 1: recording stops, 0: it goes on */
    SPOOL_SLEPT,     /* extra = ns for which the thread slept since it left the last call, for the event that comes next */
    SPOOL_LINE,      /* id; tag = line; names of function and file, with a null byte between them */
    SPOOL_FORKED,    /* this thread is in a region that thread id forked, bytes = when, as time, extra = call site; no content */
    SPOOL_KIND_COUNT
};

/* Names for RMACAST_CALLS. */
#define SPOOL_CALL_GROUPS "rma", "p2p", "collective", "local"

enum spool_names { SPOOL_NAMES_CALLS, SPOOL_NAMES_OPS };

/* A call's buffers: of one-sided operations those of origin, target and result; else that which it sends and that which
 * it receives. */
enum spool_buffer {
    SPOOL_ORIGIN,
    SPOOL_TARGET,
    SPOOL_RESULT,
    SPOOL_BUFFERS,
    SPOOL_SEND = SPOOL_ORIGIN,
    SPOOL_RECEIVE = SPOOL_RESULT,
};

/* Bits of flags. Of an entry: assertions as MPI_MODE_* in MPI-3.1 11.5.5's order. */
enum spool_flag {
    SPOOL_NOCHECK = 1,
    SPOOL_NOSTORE = 2,
    SPOOL_NOPUT = 4,
    SPOOL_NOPRECEDE = 8,
    SPOOL_NOSUCCEED = 16,
    SPOOL_EXCLUSIVE = 32,
    SPOOL_FLAG = 64,     /* exit: the test call said yes */
    SPOOL_FAILED = 128,  /* exit: the call returned an error */
    SPOOL_STARTED = 1,   /* entry of a message: by MPI_Start */
    SPOOL_TRUNCATED = 1, /* match: the message was longer than the receive's room; bytes are not said */
    SPOOL_STOPS = 1,     /* pause: recording stops */
    SPOOL_LEFT_OUT = 1,  /* abandoned: the call belongs to what is not recorded, its time to the gap around it */
    SPOOL_SEEN = 1,      /* communicator: found in use, its making was not seen */
    SPOOL_BETWEEN = 2,   /* intercommunicator: the content ends with the number of members in the first one */
};

/* What a record says. From kind on it is four words. */
struct spool_record {
    uint64_t time; /* ns or ticks since the header's base */
    uint8_t kind;  /* enum spool_kind */
    uint8_t flags;
    uint16_t call; /* line of the SPOOL_NAMES_CALLS definition */
    uint32_t id;
    int32_t peer;
    int32_t tag; /* message tag; operation, by SPOOL_NAMES_OPS from 1, 0 none; post and start: group id; neighbourhood
                    collectives, MPI_Dist_graph_create: counts that hold the neighbours or edges, plus 1 */
    int64_t bytes;
    int64_t extra;
};

enum spool_clock_source {
    SPOOL_NANOSECONDS, /* of CLOCK_MONOTONIC */
    SPOOL_TICKS,       /* of the time stamp counter */
};

struct spool_header { /* of the main file */
    uint64_t magic;
    uint32_t version;
    uint32_t unit_bytes;  /* of a word */
    uint32_t chunk_units; /* in a chunk */
    uint32_t rank;
    uint32_t world; /* number of ranks */
    uint32_t pid;
    uint64_t base_ns; /* CLOCK_MONOTONIC */
    uint32_t thread; /* 0: the one that initialised MPI */
    uint32_t clock;       /* enum spool_clock_source */
    uint64_t base_ticks;  /* of the counter, when the clock was at base_ns */
    uint64_t ticks_per_s; /* about; 0: no ticks */
};

enum spool_state {                             /* bits of spool_tail.state */
                   SPOOL_CLOSED = 1,           /* MPI_Finalize was recorded; of a further thread: it has ended */
                   SPOOL_STOPPED = 2,          /* recording stopped on an error; the errno is in the upper 16 bits */
                   SPOOL_OTHER_THREADS = 4,    /* there were more threads than are recorded */
                   SPOOL_FILTERED = 512,       /* only some groups of calls were asked for */
                   SPOOL_LIMIT = 1024,         /* recording stopped at the limit of its size */
                   SPOOL_UNKNOWN_REQUESTS = 8, /* requests of calls that are not recorded were completed */
};

struct spool_tail {
    uint64_t magic;
    uint32_t rank;
    uint32_t state; /* thread 0: of the whole rank */
    uint64_t base_ns; /* as in the main file it belongs to */
    uint32_t signal;  /* that came last to the thread and may have ended the program, 0: none */
    uint32_t aborts;  /* 1: the thread called MPI_Abort, with this code; */
    int32_t abort_code;
    char unused[SPOOL_TAIL_HEAD_BYTES - 36];
    uint64_t words[SPOOL_CHUNK_WORDS];
};

struct spool_clock { /* rank 0's CLOCK_MONOTONIC minus this rank's at local_ns */
    uint64_t local_ns;
    int64_t offset_ns;
    int64_t error_ns; /* half the round trip; 0: the clock is rank 0's own */
};

struct spool_module { /* addresses of a loaded file; the file's own are smaller by bias */
    uint64_t bias, low, high;
};

struct spool_window {
    int64_t bytes;
    uint64_t base;
    int32_t disp_unit;
    uint32_t comm;
    int32_t flavor; /* 'c'reate, 'a'llocate, 's'hared, 'd'ynamic, 'h'eap of OpenSHMEM */
    int32_t reserved;
};

_Static_assert(sizeof(struct spool_record) == 8 + SPOOL_RECORD_WORDS * SPOOL_WORD_BYTES, "records have no padding");
_Static_assert(sizeof(struct spool_tail) == SPOOL_TAIL_HEAD_BYTES + SPOOL_CHUNK_BYTES, "the tail has no padding");
_Static_assert(sizeof(struct spool_header) == 64, "the header has no padding");

#endif
