/* Warnings about a prediction: the recording shows that the library behaves otherwise than the platform says, or no
 * call of the trace can differ under semantics a to d. */
#ifndef PREDICTORS_WARNINGS_H
#define PREDICTORS_WARNINGS_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

struct contradiction {
    struct result_behaviour row; /* what the recording shows */
    enum result_waits expected;  /* what the platform says */
};

/* What semantics a to d can change. */
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

/* platform has the semantics of its file. The trace has its recorded times. Nothing contradicts a platform with semantics
 * by window; a simulated trace, which shows what another platform says, and a trace that cannot be analysed contradict
 * nothing. Inits *warnings. */
enum status warnings_find(const struct trace *trace, const struct platform *platform, struct warnings *warnings,
                          struct err *err);
void warnings_clear(struct warnings *warnings);

/* Each in one line, if there is something to warn of. */
void warnings_print_contradictions(const struct warnings *warnings, FILE *out);
void warnings_print_choice(const struct warnings *warnings, FILE *out);
/* Adds contradictions[] to an object. */
enum status warnings_to_json(const struct warnings *warnings, cJSON *object, struct err *err);

#endif
