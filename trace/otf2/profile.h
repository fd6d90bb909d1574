/* Shared by the writer and the reader of OTF2 archives: names of attributes and properties, and the records of each
 * kind of call. Specification: docs/format-otf2.md. Internal to trace/otf2/. */
#ifndef TRACE_OTF2_PROFILE_H
#define TRACE_OTF2_PROFILE_H

#include <otf2/otf2.h>

#include "trace/otf2/archive_entries.h"
#include "trace/trace.h"

enum { ARCHIVE_PROFILE_VERSION = 1 };
#define ARCHIVE_TICKS_PER_S UINT64_C(1000000000000) /* one tick is one picosecond */

enum archive_attribute {
#define ARCHIVE_ATTRIBUTE(ID, NAME, TYPE, DESCRIPTION) ATTRIBUTE_##ID,
#include "trace/otf2/attributes.def"
#undef ARCHIVE_ATTRIBUTE
    ATTRIBUTE_COUNT
};

struct archive_attribute_row {
    const char *name, *description;
    OTF2_Type type;
};
extern const struct archive_attribute_row archive_attribute_rows[ATTRIBUTE_COUNT];

/* Archive properties beside those of trace/provenance.def; numbered ones are made with "%s%zu". */
#define ARCHIVE_COMM_BETWEEN          "Comm %u between %u and %u" /* name of an intercommunicator: members of each group */
#define ARCHIVE_PROPERTY_PROFILE "RMACAST::PROFILE"
#define ARCHIVE_PROPERTY_ORIGIN "RMACAST::ORIGIN"
#define ARCHIVE_PROPERTY_TIME_ZERO "RMACAST::TIME_ZERO"
#define ARCHIVE_PROPERTY_CLOCK "RMACAST::CLOCK"
#define ARCHIVE_PROPERTY_CLOCK_SOURCE "RMACAST::CLOCK_SOURCE"
#define ARCHIVE_PROPERTY_RECORD_COST "RMACAST::RECORD_COST"
#define ARCHIVE_PROPERTY_INCOMPLETE "RMACAST::INCOMPLETE" /* of the archive: ranks; of a location: the reason */
#define ARCHIVE_PROPERTY_SPEED "RMACAST::SPEED"           /* of a location */
#define ARCHIVE_PROPERTY_MEMORY "RMACAST::MEMORY_BOUND"    /* of a location */
#define ARCHIVE_PROPERTY_CORES "RMACAST::CORES"           /* of a location: of its node */
#define ARCHIVE_PROPERTY_CORE_WAITS "RMACAST::CORE_WAITS"
#define ARCHIVE_PROPERTY_WINDOW "RMACAST::WINDOW_"
#define ARCHIVE_PROPERTY_NOTE "RMACAST::NOTE_"
#define ARCHIVE_PROPERTY_SITES "RMACAST::SITES"
#define ARCHIVE_PROPERTY_COUNTS "RMACAST::COUNTS"
#define ARCHIVE_PROPERTY_MODEL "RMACAST::MODEL"   /* of merged archives */
#define ARCHIVE_PROPERTY_ARROWS "RMACAST::ARROWS" /* communicators from this one on are the view's */

/* This name distinguishes groups of post and start from communicators' groups. */
#define ARCHIVE_RMA_GROUP "RMA group"
#define ARCHIVE_NODE_CLASS "node" /* of the system tree: where ranks share memory; as Score-P names it */

/* A window without a name is called "Win 3". One whose name is this text and any number of spaces gets one more, which the reader
 * takes away. */
enum { ARCHIVE_WIN_NAME_BYTES = 32 };
bool archive_win_name_spaced(const char *name, int64_t id, char unnamed[ARCHIVE_WIN_NAME_BYTES]);

/* The shape of a kind's records between Enter and Leave. */
enum archive_shape {
    SHAPE_PLAIN,
    SHAPE_REGION,      /* user regions: Enter or Leave alone */
    SHAPE_WIN_CREATE,  /* RmaCollectiveBegin, RmaWinCreate, RmaCollectiveEnd */
    SHAPE_WIN_FREE,
    SHAPE_FENCE,
    SHAPE_TRANSFER,    /* RmaPut, RmaGet, RmaAtomic */
    SHAPE_GROUP_SYNC,
    SHAPE_LOCK,
    SHAPE_UNLOCK,
    SHAPE_SHMEM_LOCK,  /* RmaRequestLock, RmaAcquireLock, RmaTryLock, RmaReleaseLock with the lock's number */
    SHAPE_FLUSH,       /* RmaOpCompleteNonBlocking, RmaOpCompleteRemote */
    SHAPE_QUIET,       /* as SHAPE_FLUSH, on all symmetric memory */
    SHAPE_SEND,
    SHAPE_ISEND,
    SHAPE_RECV,
    SHAPE_IRECV,
    SHAPE_SENDRECV,    /* MpiSend, MpiRecv */
    SHAPE_COMPLETION,  /* MpiIsendComplete, MpiIrecv, MpiRequestTest */
    SHAPE_COLLECTIVE,  /* MpiCollectiveBegin, MpiCollectiveEnd */
    SHAPE_COMM_CREATE,
    SHAPE_COMM_FREE,
};

/* Members of struct trace_call that the records of a kind carry. */
enum {
    CARRIES_HANDLE = 1,
    CARRIES_PEER = 2,
    CARRIES_TAG = 4,
    CARRIES_BYTES = 8,
    CARRIES_AUX = 16,
    CARRIES_REF = 32,
};

struct archive_kind {
    enum archive_shape shape;
    OTF2_RegionRole role;
    OTF2_CollectiveOp collective;
    unsigned carries;
};
const struct archive_kind *archive_kind(enum call_kind kind);

/* The paradigm of a call's regions. */
OTF2_Paradigm archive_paradigm(enum mpi_call call);

/* Bytes sent and received by one rank of a collective of `size` ranks, counted as Score-P does (its sources,
 * adapters/mpi, scorep_mpi_coll.inc.c), from the block in trace_call.bytes; the block from these bytes. The latter
 * detects MPI_IN_PLACE unless size divides the remaining bytes. */
void archive_collective_bytes(enum call_kind kind, bool root, uint32_t size, int64_t block, uint64_t *sent,
                           uint64_t *received);
int64_t archive_collective_block(enum call_kind kind, uint32_t size, uint64_t sent, uint64_t received);

/* "function@file:line" and back; NULL is written as "?", '%', '@' and a leading '?' inside names as %XX. The caller
 * frees. */
char *archive_site_text(const struct trace_site *site);
/* Splits text in place; false if it has another form. */
bool archive_site_parse(char *text, char **function, char **file, int32_t *line);

/* Catches OTF2's own messages of this thread: the first one since the last clear is kept, none is printed. */
void archive_messages_catch(void);
void archive_messages_clear(void);
bool archive_has_message(void);
const char *archive_message(void);
/* What the machine refused OTF2, or us, in this thread since then: memory, a descriptor, a device (errno); 0: nothing. OTF2 does
 * not tell each of these as an error. */
int archive_refusal(void);
/* Whether OTF2 has had a message that memory was missing: it goes on without some of what it cannot allocate, properties for
 * example, and returns no error. errno alone does not say so, since glibc may find memory in a second place. */
enum status archive_check_memory(struct err *err);
/* "out of memory", or `what` and the refusal. */
enum status archive_refused(int refusal, const char *path, const char *what, struct err *err);

#endif
