/* Warnings about a prediction. Either the recording shows that the library behaves differently from the platform, or no
 * call of the trace can differ under semantics a to d. */
#ifndef PREDICTORS_WARNINGS_H
#define PREDICTORS_WARNINGS_H

#include <stdio.h>

#include "common/json/fields.h"
#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

struct contradiction {
    struct result_behaviour row; /* what the recording shows */
    enum result_waits expected;  /* what the platform says */
};

/* What the choice of semantics a to d can change. */
enum semantics_choice {
    CHOICE_NONE,
    CHOICE_COPIES, /* d copies puts, but nothing has a post to wait for */
    CHOICE_WAITS   /* some MPI_Win_start has a post to wait for */
};

/* All-zero is empty. */
struct warnings {
    enum semantics_choice choice;
    struct contradiction *items; /* owned */
    size_t count, capacity;
};

/* Inits *warnings. platform has the semantics of its file, and the trace its recorded times. There are no
 * contradictions if the platform has semantics by window, if the trace is simulated (it shows another platform's
 * semantics) or generated (its calls take no time), or if it cannot be analysed. */
enum status warnings_find(const struct trace *trace, const struct platform *platform, struct warnings *warnings,
                          struct err *err);
void warnings_clear(struct warnings *warnings);

/* Each prints one line per warning, or nothing. */
void warnings_print_contradictions(const struct warnings *warnings, FILE *out);
void warnings_print_choice(const struct warnings *warnings, FILE *out);
/* The member "contradictions" of JSON. */
extern const struct field warnings_fields[];

#endif
