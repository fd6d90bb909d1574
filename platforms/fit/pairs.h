/* Checks whether a network is uniform, by one test between many pairs of nodes in both directions. */
#ifndef PLATFORMS_FIT_PAIRS_H
#define PLATFORMS_FIT_PAIRS_H

#include <cjson/cJSON.h>

#include "platforms/bench/results.h"

enum { PAIR_NOTES_MOST = 16, PAIR_NOTE_BYTES = 224 };
/* Smaller differences are ignored, and so are those below three standard errors. */
#define PAIR_DIFFERENCE_LEAST 0.1

struct pair_notes {
    char text[PAIR_NOTES_MOST][PAIR_NOTE_BYTES];
    int count; /* the last note says how many more there are */
};

/* Compares the series of spec that ran between two nodes on several pairs. A pair's time is the mean over its sizes of
 * its time relative to the middle of all pairs. Notes name nodes all of whose pairs are slow, other slow pairs, and
 * pairs whose two directions differ. nodes: those of run.json, for their names. */
enum status pairs_compare(const struct bench_results *results, const char *spec, const cJSON *nodes, struct pair_notes *notes,
                          struct err *err);

#endif
