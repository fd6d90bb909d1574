/* Finds how much each change of the program, of the semantics or of the platform's settings gains. It replays every semantics,
 * every rewriting and every setting that applies, and the best ones in pairs. It compares each with the unchanged trace on the
 * unchanged platform.
 *
 * Order of calls: advice_find, advice_print or advice_fields, advice_free. */
#ifndef PREDICTORS_ADVISE_ADVISE_H
#define PREDICTORS_ADVISE_ADVISE_H

#include <stdio.h>

#include "common/json/fields.h"
#include "model/result/result.h"
#include "predictors/scenes.h"

/* A change: a row that is compared with the first one, which has no change. */
struct proposal {
    struct scene scene;
    bool applies, confirmed;
    const struct proposal *alone[2]; /* for a pair: its two single changes; else NULL */
    char *why;                       /* owned: why it does not apply, or why it failed */
    char *where; /* owned: the place with the largest reduced wait, and the call to move; NULL: none */
    double run_time_s;               /* by the fast engine */
    double gain_s;                   /* of the draws; else by the confirming engine if it replayed the change, else by
                                        the fast one; NAN: not known */
    double apart_s;                  /* by how much the engines' gains differ */
    struct uncertainty sure, error;  /* of the run time; of the gain */
    bool drawn;                      /* its gain is that of the medians of the draws */
    double races_s;                  /* if drawn: half of the range of the gains, draw by draw */
};

/* Borrowed until advice_free(). */
struct advice_options {
    struct scene_options scenes;
    double error;                                    /* of a run time, relative; NAN: as its parts say (docs/trust.md) */
    struct result *recorded; /* of the trace as it was recorded: the replay of the first row explains its calls; NULL: none */
    size_t draws;            /* of the best changes, where the platform says how latencies vary; 0: none */
    const struct engine_descriptor *fast, *confirms; /* confirms: replays the best changes again; NULL: none */
};

enum {
    ADVICE_SINGLES_MAX = 32,
    ADVICE_PAIRED = 4,
    ADVICE_ROWS_MAX = ADVICE_SINGLES_MAX + ADVICE_PAIRED * ADVICE_PAIRED
};

struct advice {
    const struct advice_options *options;
    const struct trace *trace;                /* borrowed until advice_free() */
    struct proposal changes[ADVICE_ROWS_MAX]; /* the first one has no change */
    size_t count;
    size_t order[ADVICE_ROWS_MAX]; /* indices of the count - 1 real changes, the largest gain first */
    double reference_s;            /* run time of the first one by the engine that confirms */
    char **notes;                  /* owned: of the run as it is, by the fast engine */
    size_t note_count;
};

/* Finds and replays the changes. A change that does not apply, or whose replay fails, is kept with its reason. The
 * caller owns *advice. */
enum status advice_find(const struct trace *trace, const struct advice_options *options, struct advice **advice,
                        struct err *err);
void advice_free(struct advice *advice);

/* The error of its gain; NAN: nothing is known of it. */
double advice_error_s(const struct proposal *change);
/* Whether the change gains more than its error and, if it is a pair, more than its error beyond the better of its changes. */
bool advice_is_advised(const struct proposal *change);

/* What to know first, in one line: the largest gain beyond its error; else what takes the time. Gives text. */
enum { ADVICE_HEADLINE_BYTES = 400 };
char *advice_headline(const struct advice *advice, char text[ADVICE_HEADLINE_BYTES]);
/* Whether the row turns messages into one-sided communication. */
bool advice_replaces_messages(const struct scene *scene);
/* "post-early" of the row "platform+post-early". */
const char *advice_name(const struct proposal *change);

void advice_print(const struct advice *advice, FILE *out);

/* Schema rmacast.advice/1. */
extern const struct field advice_fields[];

#endif
