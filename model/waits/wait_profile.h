/* Waits summed by pattern and place in the program. */
#ifndef MODEL_WAITS_WAIT_PROFILE_H
#define MODEL_WAITS_WAIT_PROFILE_H

#include "common/wide.h"
#include "model/waits/totals.h"
#include "model/waits/advice.h"
#include "model/callpaths/callpath.h"
#include "model/waits/finding.h"
#include "model/waits/rank_sums.h"
#include "model/result/result.h"

struct place {
    uint32_t node; /* call path */
    uint32_t site;
    uint16_t call; /* enum mpi_call */
    uint16_t pattern;
    uint32_t thread; /* of a single wait */
    wide_ps severity_ps;
    uint64_t count;
    struct advice_facts worst; /* the longest single wait; of equal ones the first, of the lowest rank */
};

struct places {
    struct callpaths paths;
    struct map locations, index; /* (node, site) to location; (location, pattern, call) to item */
    struct place *items;
    size_t count, capacity;
    struct rank_sums ranks; /* of the items */
};

/* Inits *places; places_go_on() tells of the trace's next calls (callpaths_go_on()). */
enum status places_init(const struct trace *trace, struct places *places, struct err *err);
enum status places_go_on(struct places *places, struct err *err);
void places_clear(struct places *places);

enum status places_add(struct places *places, const struct trace *trace, const struct finding *finding,
                       struct err *err);

/* One wait as it is going to be added; adding it. */
struct place places_one(const struct places *places, const struct trace *trace, const struct finding *finding);
enum status places_add_one(struct places *places, const struct place *wait, struct err *err);

/* Adds the sums of another part, whose nodes are this one's by now. *item: what `ranks` of that part are about here. */
enum status places_merge(struct places *places, const struct place *from, uint32_t *item, struct err *err);

/* Takes out the waits of a pattern in one MPI function. */
void places_withdraw(struct places *places, enum pattern pattern, uint16_t call);

/* Appends each place, with its advice and its worst rank, to its pattern in result, the largest severity first;
 * per_rank: with the figures of every rank. Nothing is added afterwards. */
enum status places_report(struct places *places, const struct trace *trace, bool per_rank, struct result *result,
                          struct err *err);

#endif
