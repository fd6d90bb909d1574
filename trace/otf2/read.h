/* The state of reading one archive. Internal to trace/otf2/read*.c. */
#ifndef TRACE_OTF2_READ_H
#define TRACE_OTF2_READ_H

#include "trace/otf2/profile.h"

struct archive_text {
    char *text; /* owned, NULL undefined */
};
struct archive_region {
    bool defined, named; /* named: its name is in the list of unknown MPI functions */
    uint32_t name, canonical;
    OTF2_Paradigm paradigm;
    int32_t call;  /* enum mpi_call, TRACE_NONE for a user region */
    uint32_t user; /* region id in the trace, TRACE_NO_REF not made yet */
};
struct archive_group {
    bool defined;
    uint32_t name;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    OTF2_GroupFlag flags;
    uint32_t count;
    uint64_t *members;
    uint32_t id; /* group id in the trace, TRACE_NO_REF not made yet */
};
enum { ARCHIVE_NOT_MADE = -2 }; /* beside ids and TRACE_NONE; the latter is an object that a trace cannot represent */
struct archive_comm {
    bool defined, inter;
    uint32_t group, name;
    int32_t id;
};
struct archive_win {
    bool defined;
    uint32_t self, comm, name;
    int32_t id;
};
struct archive_tree_node { /* of the system tree */
    bool defined, is_node; /* is_node: a machine of shared memory */
    uint32_t name, parent;
};
struct archive_location_group {
    bool defined;
    uint32_t tree_node;
};
struct archive_location {
    OTF2_LocationRef id;
    uint64_t events;
    OTF2_LocationGroupRef group;
    bool cpu_thread;
    int32_t rank;    /* TRACE_NONE: of no MPI process */
    uint32_t thread; /* of the rank; 0 is the location that stands for the rank in COMM_LOCATIONS */
    bool incomplete;
    uint32_t why; /* string, OTF2_UNDEFINED_STRING none */
    double speed;
    uint32_t cores;
    double memory_bound;
    bool memory_known;
};

/* All definitions of one kind. A definition's index is its reference. References at or above definitions.limit, which
 * have wide gaps, get indices from the limit on in the order of their definitions. Undefined elements are all zero. */
#define ARCHIVE_TABLE(TYPE)                                                                                            \
    struct {                                                                                                           \
        TYPE *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
        struct map far; /* references at or above the limit to places */                                               \
    }

struct archive_definitions {
    ARCHIVE_TABLE(struct archive_text) strings;
    ARCHIVE_TABLE(uint8_t) attributes; /* enum archive_attribute plus 1, 0 not ours */
    ARCHIVE_TABLE(struct archive_region) regions;
    ARCHIVE_TABLE(struct archive_group) groups;
    ARCHIVE_TABLE(struct archive_comm) comms;
    ARCHIVE_TABLE(struct archive_win) wins;
    ARCHIVE_TABLE(struct archive_tree_node) tree_nodes;
    ARCHIVE_TABLE(struct archive_location_group) location_groups;
    struct archive_location *locations;
    size_t location_count, location_capacity;
    struct map location_index; /* location id to index */
    uint32_t *sites;           /* by string reference, offset first_site: site id */
    uint32_t *counts;          /* by string reference, offset first_counts: id of counts */
    size_t first_site, site_count, first_counts, counts_count;
    uint64_t resolution, offset;
    uint64_t limit; /* of references that are places */
};

/* The index of a reference; SIZE_MAX for an undefined one above the limit. */
static inline size_t archive_place(const struct archive_definitions *definitions, const struct map *far,
                                   uint64_t reference)
{
    if (reference < definitions->limit) return (size_t)reference;
    const uint64_t *place = map_find(far, reference);
    return place ? (size_t)*place : SIZE_MAX;
}

/* The definition of a reference; NULL if it is undefined. The first member of each definition says whether it is
 * defined. */
static inline void *archive_definition(const struct archive_definitions *definitions, const struct map *far,
                                       void *items, size_t count, size_t item_bytes, uint64_t reference)
{
    size_t place = archive_place(definitions, far, reference);
    void *item = place < count ? (char *)items + place * item_bytes : NULL;
    return item && *(const bool *)item ? item : NULL;
}
#define ARCHIVE_FIND(definitions, TABLE, reference)                                                                    \
    ((__typeof__((definitions)->TABLE.items))archive_definition(                                                       \
        definitions, &(definitions)->TABLE.far, (definitions)->TABLE.items, (definitions)->TABLE.count,                \
        sizeof *(definitions)->TABLE.items, reference))

/* A completion whose request is made in a later location. */
struct archive_late {
    uint64_t request;
    size_t call, slot; /* the rank's call that completes it, its index in the list of requests */
    bool receives;     /* the message is known by now */
    bool cancelled;
    uint32_t peer, comm, tag;
    uint64_t bytes;
};

/* The state of the current rank, then of its current location. */
struct archive_cursor {
    uint32_t rank, thread;
    bool several; /* the rank has several locations */
    struct archive_late *late;
    size_t late_count, late_capacity;
    uint32_t *orders; /* of calls by RMACAST::Order, parallel to the rank's calls */
    size_t order_count, order_capacity;
    uint32_t order;   /* of the open call */
    struct trace_rank *calls;
    bool in_call;
    uint32_t region;  /* of the open call */
    unsigned depth;   /* regions entered inside it */
    struct trace_call call;
    struct trace_sim sim;
    int64_t before_ps[BEFORE_COUNT]; /* of the time before the open call */
    struct trace_extents extents; /* of the open call */
    bool completed_one; /* the open call has a completion */
    bool has_flags;
    uint16_t flags;
    bool has_size, has_unit;
    int64_t win_bytes;
    int32_t disp_unit;
    char flavor;
    uint32_t *completed;
    size_t completed_count, completed_capacity;
    uint32_t *open; /* user regions, the innermost last */
    size_t open_count, open_capacity;
    struct map requests; /* open ones of the rank: id to index of the call that made it */
    uint32_t next_request;
    int64_t last_ps, left_ps; /* when the last record was; the exit of the location's call before */
};

/* Assumptions about another tool's archive; each becomes a note at the end. */
struct archive_assumptions {
    char *functions; /* names of MPI functions kept as regions, owned */
    uint64_t function_count, bare_count, proc_null_count, open_receive_count, lost_message_count, nested_count,
        off_count, alone_count, other_locations, shmem_root_count, shmem_wait_count;
    uint64_t one_sided, shmem; /* calls of these */
};

/* Bytes behind the end marks of files, which are left out. */
struct archive_behind {
    uint64_t files, bytes;
    char *first; /* path of the first file, owned */
};

/* This rank's part of a window, as recorded at its creation. */
struct archive_window_part {
    int32_t window;
    uint32_t rank;
    uint16_t call;
    char flavor; /* 0: not recorded */
    bool has_size, has_unit;
    int64_t bytes;
    int32_t disp_unit;
};

/* The state of a reader of some ranks while other threads read the rest. It stores changes of shared data until all
 * have ended. */
struct archive_share {
    struct archive_window_part *windows;
    size_t window_count, window_capacity;
    bool gave_up; /* a definition is missing that only a reader of all ranks makes, at its first use */
};

struct archive_reader {
    const char *path; /* as the user gave it */
    char *anchor, *base; /* base is anchor without ".otf2" */
    struct err *err;
    bool keep_going;
    enum status status; /* of a callback that stopped reading */
    OTF2_Reader *otf2;
    struct trace *trace;
    bool ours;
    uint32_t arrows; /* communicators from this one on are a merged archive's arrows */
    uint64_t zero; /* time stamp of time 0 */
    struct archive_definitions definitions;
    struct archive_cursor cursor;
    struct archive_assumptions assumed;
    struct archive_behind behind;
    int32_t *self; /* by rank: communicator of itself alone, ARCHIVE_NOT_MADE */
    struct map locks; /* of OpenSHMEM in a foreign archive: address to number */
    uint64_t chunk_bytes;
    bool in_slices; /* times before calls are not kept */
    bool adds_before; /* but told of new calls */
    struct archive_share *share; /* NULL: it reads all ranks, in their order */
};

/* An archive's anchor, definitions and the trace without calls. archive_close frees all but the trace. */
enum status archive_open(struct archive_reader *reader);
void archive_close(struct archive_reader *reader);
void archive_cursor_clear(struct archive_cursor *cursor);

/* The anchor alone, once more for a reader of some ranks. */
enum status archive_open_handle(struct archive_reader *reader);

/* Before the events of any location are read. */
enum status archive_open_events(struct archive_reader *reader);

/* Reads the events of all ranks with a number of threads; 0: chosen by the processors. *in_order: the events must be
 * read again, from archive_open() on, by one reader in the order of ranks. */
enum status archive_read_ranks(struct archive_reader *reader, unsigned threads, bool *in_order);
/* The same with one reader in the order of ranks. */
enum status archive_read_ranks_in_order(struct archive_reader *reader);

/* "BASE/7.evt", owned by the caller; NULL without memory. */
char *archive_location_path(const struct archive_reader *reader, OTF2_LocationRef location, const char *suffix);
/* The error of a file that OTF2 refuses. */
enum status archive_broken(struct archive_reader *reader, const char *path, const char *what);
/* Counts bytes behind the end mark of a file, if there are any. */
enum status archive_note_behind(struct archive_reader *reader, const char *path, uint64_t bytes);
/* Warns of them in one line. */
void archive_tell_behind(const struct archive_reader *reader);
/* archive_file_check_events(), whose error also names the rank. */
enum status archive_check_events(struct archive_reader *reader, const struct archive_location *location,
                                 const char *path, uint64_t *whole);
/* With --keep-going: adds the fault that reader->err tells and ends the location there. The call that was open is left out with
 * the rest; what it would have completed stays open. */
enum status archive_leave_out_rest(struct archive_reader *reader);
/* Adds to reader->err the event of reader->cursor, and when it was. */
void archive_place_fault(struct archive_reader *reader);

/* Fills reader->definitions from the global definitions. */
enum status archive_read_definitions(struct archive_reader *reader);
void archive_definitions_clear(struct archive_definitions *definitions);
const char *archive_string(const struct archive_reader *reader, uint32_t reference); /* "" if undefined */

/* Makes reader->trace with ranks and, in our profile, all definitions and properties. */
enum status archive_make_trace(struct archive_reader *reader);

/* Ids in the trace, made at the first use; TRACE_NONE or TRACE_NO_REF if a trace cannot represent the object. */
enum status archive_comm_id(struct archive_reader *reader, uint32_t reference, int32_t *id);
enum status archive_self_id(struct archive_reader *reader, int32_t *id); /* of the rank alone */
enum status archive_win_id(struct archive_reader *reader, uint32_t reference, int32_t *id);
enum status archive_group_id(struct archive_reader *reader, uint32_t reference, uint32_t *id);
enum status archive_region_id(struct archive_reader *reader, uint32_t reference, uint32_t *id);
/* To be called before shared data are changed; fails if other threads read at the same time. */
enum status archive_may_define(struct archive_reader *reader);
/* Adds to the trace what a window's creation said. */
enum status archive_put_window_part(struct archive_reader *reader, const struct archive_window_part *part);

/* Callbacks for the events of one location; the user data is the reader. */
void archive_set_event_callbacks(OTF2_EvtReaderCallbacks *callbacks);

/* Of OpenSHMEM. The family that a function of this name belongs to. */
bool archive_shmem_function(const char *name, enum mpi_call *call);
/* Communicator, root and bytes of a foreign archive's collective. */
enum status archive_shmem_collective(struct archive_reader *reader, struct trace_call *call, uint32_t win, uint64_t sent,
                                     uint64_t received);
enum status archive_shmem_lock(struct archive_reader *reader, struct trace_call *call, uint32_t win, uint64_t lock);
/* Adds what the function implies and another tool's records do not state. */
enum status archive_shmem_finish(struct archive_reader *reader, struct trace_call *call);

/* Stops the reading: the status for a callback whose work failed. */
OTF2_CallbackCode archive_stop(struct archive_reader *reader, enum status status);

/* Calls of reader->cursor: Enter, Leave, and open calls when the events end. time is a time stamp. */
enum status archive_begin_call(struct archive_reader *reader, uint64_t time, uint32_t region, OTF2_AttributeList *list);
enum status archive_end_call(struct archive_reader *reader, uint64_t time, uint32_t region, OTF2_AttributeList *list);
enum status archive_end_location(struct archive_reader *reader);
/* When all locations of reader->cursor.rank are read: requests made by one and completed by another, order of calls. */
enum status archive_end_rank(struct archive_reader *reader);
enum status archive_take_message(struct archive_reader *reader, struct trace_call *call, uint32_t peer, uint32_t comm,
                                 uint32_t tag, uint64_t bytes);
enum status archive_take_attributes(struct archive_reader *reader, OTF2_AttributeList *list, struct trace_call *call);

/* States in the trace's notes what was assumed. */
enum status archive_tell_assumptions(struct archive_reader *reader);

#endif
