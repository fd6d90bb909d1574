/* The state of writing one archive. Internal to trace/otf2/write*.c. */
#ifndef TRACE_OTF2_WRITE_H
#define TRACE_OTF2_WRITE_H

#include "trace/epoch_cursor.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/profile.h"
#include "trace/otf2/view.h"

/* Operations of one rank on one window that no call has completed yet. */
struct archive_operation {
    uint64_t id;
    int32_t target;
    uint8_t open; /* ARCHIVE_OPEN_HERE, ARCHIVE_OPEN_THERE */
};
enum { ARCHIVE_OPEN_HERE = 1, ARCHIVE_OPEN_THERE = 2 }; /* not yet complete at the origin, at the target */
struct archive_window {
    struct archive_operation *operations;
    size_t count, capacity;
    uint32_t last_creator, creators;       /* rank that wrote the last creation, plus 1; ranks that did */
    bool allocated;                        /* by MPI_Win_allocate */
};

struct archive_writer {
    const struct trace *trace;
    struct err *err;
    OTF2_Archive *archive;
    const char *directory; /* as the user names it */
    const char *stage;     /* the directory that it is written into */
    OTF2_AttributeList *list;
    const struct otf2_view *view;  /* NULL: none */
    OTF2_AttributeList *mark_list; /* of the view's marks, since list fills up before the record that takes it */
    int64_t begin_ps, last_ps; /* of the trace: first enter; last exit of the ranks so far */
    otf2_rank_maker *make;     /* of a rank's calls; NULL: the trace has all */
    void *context;
    uint64_t zero;        /* time stamp of time 0 */
    bool failed;          /* an OTF2 call failed: archive_message() says why */
    uint64_t *events;     /* records written, per location */
    uint64_t *first_thread; /* per rank and one more: location of its thread 1 */
    bool *comm_made;        /* CommCreate or CommDestroy stands in some process */
    struct archive_window *windows;
    /* The rank at work. */
    uint32_t thread;       /* whose call is written */
    OTF2_EvtWriter *out;   /* of that thread */
    OTF2_EvtWriter **outs; /* of its threads */
    int64_t *end_ps;       /* of its threads: exit of the call written last */
    uint32_t rank;
    uint32_t order; /* of the call among those of the rank at the same time */
    bool ordered;   /* their order is not that of their threads */
    const struct trace_rank *process;
    struct epoch_cursor cursor;       /* takes group synchronisation only */
    struct map requests; /* id to index of the call that made it */
    struct map acquisitions; /* call that got a mutex to the how manieth, from 1, it was of that mutex */
    struct map held;         /* mutex and thread to the same */
    uint32_t team;         /* the rank is the how manieth, from 0, of those with thread primitives or several threads */
    uint64_t operation_id;
    size_t mark_slot;  /* of the view: where the rank's records are */
    size_t *mark_next; /* of the rank's threads: the first mark that is not yet written */
};

/* Every OTF2 call stands in this: its failure shows when the rank, the definitions or the archive are done. After
 * the first failure nothing more is called, since OTF2 3.0 writes to a file that it has given up (full disk:
 * SIGSEGV). */
#define ARCHIVE_TRY(writer, call)                                                                                      \
    do {                                                                                                               \
        if (!(writer)->failed && (call) != OTF2_SUCCESS) (writer)->failed = true;                                      \
    } while (0)

/* References of definitions. Strings: "" and the names of operations first, since events refer to them. */
enum { ARCHIVE_STRING_EMPTY = 0, ARCHIVE_STRING_SITES = TRACE_OP_COUNT };

static inline uint64_t archive_time(const struct archive_writer *writer, int64_t time_ps)
{
    return (uint64_t)time_ps + writer->zero;
}
static inline uint32_t archive_op_string(int32_t op)
{
    return (uint32_t)op;
}
static inline uint32_t archive_site_string(uint32_t site)
{
    return ARCHIVE_STRING_SITES + site;
}
static inline uint32_t archive_counts_string(const struct trace *trace, int64_t counts)
{
    return (uint32_t)(ARCHIVE_STRING_SITES + (int64_t)trace->definitions.site_count + counts);
}
static inline uint32_t archive_user_region(uint32_t region)
{
    return ID_region_enter + region; /* behind all functions */
}
static inline uint32_t archive_comm_group(size_t comm)
{
    return (uint32_t)(1 + comm); /* 0 is the group of all locations */
}
static inline uint32_t archive_arrow_comm(const struct trace *trace, unsigned arrow)
{
    return (uint32_t)trace->definitions.comm_count + arrow;
}
static inline uint32_t archive_rma_group(const struct trace *trace, uint32_t group)
{
    return (uint32_t)(1 + trace->definitions.comm_count + group);
}

/* The threads of one rank; behind the arrows. */
static inline uint32_t archive_team_comm(const struct archive_writer *writer, uint32_t team)
{
    return archive_arrow_comm(writer->trace, writer->view ? OTF2_ARROW_COUNT : 0) + team;
}

/* Thread 0 of rank r is location r, further threads follow behind all ranks, by rank and thread. */
static inline uint64_t archive_location(const struct archive_writer *writer, uint32_t rank, uint32_t thread)
{
    return thread == 0 ? rank : writer->first_thread[rank] + thread - 1;
}

/* Attributes of the record that is written next. */
void archive_add(struct archive_writer *writer, enum archive_attribute id, OTF2_AttributeValue value);
#define ARCHIVE_ADD(writer, ID, MEMBER, VALUE)                                                                         \
    archive_add(writer, ATTRIBUTE_##ID, (OTF2_AttributeValue){.MEMBER = (VALUE)})
/* A non-blocking collective: what it was about stands in the record of its completion; attributes say it at once. */
bool archive_is_pending_collective(const struct trace_call *call, const struct archive_kind *kind);
/* Members (CARRIES_...) that the call's records carry, and the attributes for all others: of Enter, of Leave. */
unsigned archive_carried(const struct trace_call *call, const struct archive_kind *kind);
void archive_add_enter(struct archive_writer *writer, size_t index, const struct archive_kind *kind, unsigned carries);
void archive_add_leave(struct archive_writer *writer, size_t index);

/* Writes the records of writer->rank; writer->outs are open. */
enum status archive_write_rank(struct archive_writer *writer);

/* Writes the view's marks of writer->thread that stand in slots before this one, or in it at an earlier time stamp. */
void archive_write_marks(struct archive_writer *writer, size_t slot, uint64_t time);
/* Of the call at work: those that a synchronisation at that time implies, too (trace/otf2/view.h). */
void archive_write_implied(struct archive_writer *writer, int64_t time_ps);

/* Numbers the rank's acquisitions of each mutex in the order in which they succeeded. */
enum status archive_order_locks(struct archive_writer *writer);
/* What stands between Enter and Leave of a thread primitive. */
enum status archive_write_primitive(struct archive_writer *writer, size_t index);

/* Writes global definitions and archive properties; the events have been written. */
enum status archive_write_definitions(struct archive_writer *writer);

#endif
