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

struct wait_place {
    uint32_t node; /* call path */
    uint32_t site;
    uint16_t call; /* enum mpi_call */
    uint16_t pattern;
    uint16_t doubt;  /* of its findings */
    uint32_t thread; /* meaningful for a single wait only */
    wide_ps severity_ps;
    uint64_t count;
    struct advice_facts worst; /* the longest single wait; of equal ones the first, of the lowest rank */
};

struct wait_profile {
    struct callpaths paths;
    struct map locations, index; /* (node, site) to location; (location, pattern and doubt, call) to item */
    struct wait_place *items;
    size_t count, capacity;
    struct rank_sums ranks; /* of the items */
};

/* All-zero is empty; callpaths_open() inits its paths, and callpaths_go_on() adds those of the trace's next calls. */
void wait_profile_clear(struct wait_profile *profile);

enum status wait_profile_add(struct wait_profile *profile, const struct trace *trace, const struct finding *finding,
                             struct err *err);

/* Removes the waits whose doubt is refuted, and makes the other doubtful waits certain. */
enum status wait_profile_end_doubts(struct wait_profile *profile, const bool *refuted, struct err *err);

/* Appends each place, with its advice and its worst rank, to its pattern in result, the largest severity first. With per_rank a
 * place has the figures of every rank. result already has the pairs of fences and its user code. without_core has each rank's
 * disturbance_shares(): where it is above DISTURBANCE_MOSTLY, a wait for the rank has no advice, and a note says so. Nothing may
 * be added afterwards. */
enum status wait_profile_report(struct wait_profile *profile, const struct trace *trace, const double *without_core,
                                bool per_rank, struct result *result, struct err *err);

#endif
