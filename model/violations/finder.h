/* State shared by the rules of model/violations/violations.h; private to this room.
 *
 * Calls come rank by rank, a few of each rank at a time, in the order of each rank. A rule keeps of a call what later calls are
 * compared with, no longer than they may come. So what is kept does not grow with the trace. What is only known when all calls
 * have been read, as who never comes, is decided at the end. */
#ifndef MODEL_VIOLATIONS_FINDER_H
#define MODEL_VIOLATIONS_FINDER_H

#include "common/external_sort.h"
#include "model/match/fifo.h"
#include "model/violations/violations.h"

/* What a report says of a call. */
struct place {
    int64_t enter_ps;
    uint64_t event; /* from 1; 0: there is no such call */
    uint32_t rank, node, site;
    uint16_t call, thread;
};
#define NOWHERE ((struct place){.event = 0})

struct violation {
    enum violation_kind kind;
    struct place at, other;
    char *detail; /* owned; "" if the row's sentence is enough */
};

/* The first VIOLATIONS_PER_KIND of a kind, by place. */
struct kind_list {
    struct violation *items;
    size_t count, capacity;
    uint64_t total;
};

/* Items that begin as zeros, by a pair of numbers. */
struct sparse {
    struct map index;
    char *items;
    size_t count, capacity, bytes; /* of an item */
};

/* A start or post epoch of a rank. */
struct side {
    struct place at;
    int64_t exit_ps;
    int32_t window;
    uint32_t group;
    uint32_t left; /* members without their side of the epoch yet */
    uint16_t flags;
    bool used, closed, post;
    size_t *met;    /* by member; of a start: PLACE_OF_NOPUT, of a post: not 0 if the member has started */
    size_t updates; /* of a start: those whose target has not posted yet; a number plus 1, 0: none */
    size_t unused;  /* the next unused one plus 1 */
};

/* An operation that changes the target's window; or a fence that asserts NOPUT. */
struct update {
    struct place at;
    uint32_t target;
    size_t fence; /* of a fence epoch: number of the opening fence on the window */
    size_t next;  /* number plus 1; 0: none */
};

/* A lock epoch with operations. */
struct holding {
    struct place at;
    int32_t window, target;
    bool exclusive, proven; /* proven: held from from_ps to until_ps; else held at some time between them */
    int64_t from_ps, until_ps;
};

struct turns;
struct rank_walk;

struct violation_finder {
    const struct trace *trace; /* NULL: no call has been taken */
    const struct callpaths *paths;
    struct kind_list kinds[VIOLATION_KIND_COUNT];
    struct rank_walk *ranks;
    uint32_t rank_count;
    struct sparse windows, comms; /* by (window or communicator, rank): of ranks.c */
    struct sparse beyond;         /* by window: operations beyond its end */
    struct reach *reaches;
    size_t reach_count, reach_capacity;
    bool *new;                    /* per communicator: a rank's first call with it creates it */
    struct reuse *reuses;
    size_t reuse_count, reuse_capacity;
    bool aborted, cancels; /* some rank calls MPI_Abort, MPI_Cancel */
    bool *complete;        /* at the end, per rank: its recording is complete, so epochs open at its end are never closed */
    struct place *places;  /* of calls that maps refer to */
    size_t place_count, place_capacity, unused_places; /* unused: number plus 1 */
    struct side *sides;
    size_t side_count, side_capacity, unused_sides;
    struct fifo waiting; /* sides, by origin, target, window, and whether they are posts */
    struct update *updates;
    size_t update_count, update_capacity, unused_updates;
    struct sparse fences; /* by (window, rank): of epochs.c */
    struct map fenced_updates; /* by (item of fences, number of a fence): updates behind a fence that their target has not made */
    struct temp_file temp;
    struct external_sort *holdings; /* NULL: there was none */
    struct turns *sequences;
    size_t sequence_count;
    struct truncated *truncated;
    size_t truncated_count, truncated_capacity;
    struct err *err;
};

/* Adds a violation. The formatted text follows the row's sentence; "" adds nothing. */
enum status finder_add(struct violation_finder *finder, enum violation_kind kind, struct place at, struct place other,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same to another list, for what is not certain yet; kind_list_move() adds the list's to the finder's, and empties it. */
enum status kind_list_add(struct kind_list *list, enum violation_kind kind, struct place at, struct place other,
                          struct err *err, const char *format, ...) __attribute__((format(printf, 6, 7)));
enum status kind_list_move(struct kind_list *list, struct violation_finder *finder);
void kind_list_clear(struct kind_list *list);

struct place finder_place(const struct violation_finder *finder, uint32_t rank, size_t index);
/* Keeps a place under a number from 1 on, until it is dropped. */
enum status finder_keep_place(struct violation_finder *finder, struct place place, uint64_t *number);
void finder_drop_place(struct violation_finder *finder, uint64_t number);

/* The item of a pair, made if there is none; valid until the next one is made. */
enum status sparse_item(struct sparse *sparse, uint32_t a, uint32_t b, void **item, struct err *err);
void sparse_clear(struct sparse *sparse);

/* The rules. Each has a function for the next call, or for what other rules find, and one for the end. */
enum status ranks_begin(struct violation_finder *finder);
enum status ranks_take(struct violation_finder *finder, uint32_t rank);
enum status ranks_took(struct violation_finder *finder); /* new calls of all ranks have been taken */
enum status ranks_end(struct violation_finder *finder);
void ranks_clear(struct violation_finder *finder);
bool ranks_have_open(const struct violation_finder *finder, uint32_t rank, uint32_t request); /* it is not completed so far */
bool ranks_are_cut(const struct violation_finder *finder, uint32_t rank); /* the recording breaks off in a call */

enum status epochs_open(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t *side);
void epochs_close(struct violation_finder *finder, size_t side);
/* An operation changes the window of a member of the start's group; of a target, behind the fence of that number. */
enum status epochs_update(struct violation_finder *finder, struct place at, size_t side, uint32_t member);
enum status epochs_update_fenced(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t fence);
enum status epochs_fence(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t fence);
enum status epochs_end(struct violation_finder *finder);
void epochs_clear_all(struct violation_finder *finder);

enum status locks_held(struct violation_finder *finder, const struct holding *holding);
enum status locks_end(struct violation_finder *finder);

enum status collectives_begin(struct violation_finder *finder);
bool collectives_are_about(const struct violation_finder *finder, const struct trace_call *call);
enum status collectives_take(struct violation_finder *finder, struct place at, const struct trace_call *call);
enum status collectives_end(struct violation_finder *finder);
void collectives_clear(struct violation_finder *finder);

enum status messages_match(struct violation_finder *finder, const struct relations *relations, bool last);
enum status messages_end(struct violation_finder *finder);

#endif
