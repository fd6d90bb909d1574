/* Whether a network is the same everywhere: one test between many pairs of nodes, in both directions. */
#ifndef PLATFORMS_FIT_PAIRS_H
#define PLATFORMS_FIT_PAIRS_H

#include <cjson/cJSON.h>

#include "platforms/bench/results.h"

enum { PAIR_NOTES_MOST = 16, PAIR_NOTE_BYTES = 224 };
/* What is less apart is taken as the same, and so is what is less than three standard errors apart. */
#define PAIR_DIFFERENCE_LEAST 0.1

struct pair_notes {
    char text[PAIR_NOTES_MOST][PAIR_NOTE_BYTES];
    int count; /* the last one says how many more there are */
};

/* Of the series of spec between two nodes each that were run on several pairs. A pair's time is the mean over its sizes of the time
 * relative to the middle of all pairs. Noted are nodes all of whose pairs are slow, other slow pairs, and pairs whose two directions
 * differ. nodes: those of run.json, for their names. */
enum status pairs_compare(const struct bench_results *results, const char *spec, const cJSON *nodes, struct pair_notes *notes,
                          struct err *err);

#endif
