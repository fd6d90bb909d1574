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

/* Which calls of a trace semantics concern. All-zero is empty; its memory is freed by synchronisation_clear(). */
struct synchronisation {
    bool starts, locks; /* some start has a post to wait for; some call locks */
    enum semantics_choice choice;
    struct window_epochs *windows; /* owned, of the rank whose calls are added */
};
/* Adds calls of a rank from index `first` on; all calls of one rank, then those of the next. begins: they are its first. */
enum status synchronisation_add(struct synchronisation *found, const struct trace *trace, uint32_t rank, size_t first,
                                bool begins, struct err *err);
void synchronisation_clear(struct synchronisation *found);

/* Inits *warnings. platform has the semantics of its file, and the trace its recorded times. There are no
 * contradictions if the platform has semantics by window, if the trace is simulated (it shows another platform's
 * semantics) or generated (its calls take no time), or if it cannot be analysed. */
enum status warnings_find(const struct trace *trace, const struct platform *platform, struct warnings *warnings,
                          struct err *err);
/* The same for a trace whose calls have been added to *found. *wanted: contradictions are to be added by
 * warnings_add_contradictions(), with the result of an analysis of the trace. */
void warnings_begin(const struct trace *trace, const struct synchronisation *found, const struct platform *platform,
                    struct warnings *warnings, bool *wanted);
enum status warnings_add_contradictions(const struct result *result, const struct platform *platform,
                                        struct warnings *warnings, struct err *err);
void warnings_clear(struct warnings *warnings);

/* Each prints one line per warning, or nothing. */
void warnings_print_contradictions(const struct warnings *warnings, FILE *out);
void warnings_print_choice(const struct warnings *warnings, FILE *out);
/* The member "contradictions" of JSON. */
extern const struct field warnings_fields[];

#endif
