/* Finds which change of the program or of the semantics gains how much. It replays every semantics and every rewriting
 * that applies, and the best in pairs, and compares each with the platform and the trace as they are.
 *
 * Order of calls: advice_find, advice_print or advice_to_json, advice_free. */
#ifndef PREDICTORS_ADVISE_ADVISE_H
#define PREDICTORS_ADVISE_ADVISE_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "predictors/scenes.h"

/* A change: a row that is compared with the first one, the platform as it is. */
struct proposal {
    struct scene scene;
    bool applies, confirmed;
    const struct proposal *alone[2]; /* of a pair: its changes, each by itself; else NULL */
    char *why;                       /* owned: why it does not apply, or fails */
    char *where; /* owned: the place that loses most of what it shortens, and which call to move; NULL: none */
    double run_time_s;               /* by the fast engine */
    double gain_s;                   /* by the engine that confirmed it, else by the fast one; NAN: not known */
    double error_s;                  /* of the gain */
};

/* Borrowed until advice_free(). */
struct advice_options {
    struct scene_options scenes;
    double error;                                    /* relative, of a gain */
    const struct engine_descriptor *fast, *confirms; /* confirms: replays the best once more; NULL: none does */
};

enum {
    ADVICE_SINGLES_MAX = 32,
    ADVICE_PAIRED = 4,
    ADVICE_ROWS_MAX = ADVICE_SINGLES_MAX + ADVICE_PAIRED * ADVICE_PAIRED
};

struct advice {
    const struct advice_options *options;
    const struct trace *trace;                /* borrowed until advice_free() */
    struct proposal changes[ADVICE_ROWS_MAX]; /* the first one is no change */
    size_t count;
    size_t order[ADVICE_ROWS_MAX]; /* count - 1 changes but the first one, the greatest gain first */
    double reference_s;            /* run time of the first one by the engine that confirms */
};

/* A change that does not apply or whose replay fails stays with its reason. The caller owns *advice. */
enum status advice_find(const struct trace *trace, const struct advice_options *options, struct advice **advice,
                        struct err *err);
void advice_free(struct advice *advice);

/* Whether it gains more than its error, and, as a pair, more than either of its changes alone. */
bool advice_is_advised(const struct proposal *change);

void advice_print(const struct advice *advice, FILE *out);

/* Schema rmacast.advice/1. The caller owns the tree. */
enum status advice_to_json(const struct advice *advice, cJSON **json, struct err *err);

#endif
