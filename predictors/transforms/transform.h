/* What-if transforms rewrite a trace before it is replayed, to answer questions like "what if each post came as early
 * as possible?".
 *
 * A transform is a row of transforms(): a name, a sentence, and a function that makes another trace and a report of
 * changed, unchanged and refused calls. It keeps every rank's computing time and moves no call across another call that
 * orders it; docs/transforms.md says which calls these are, and what each transform assumes. A spec is NAME, or
 * NAME:ARGUMENT for the transforms that take one: "post-early", "merge-puts:64K", "scale:main/solve=0.5". A spec may also be
 * a setting of the platform, "network.latency_s=5us": rewrite_run() passes it over.
 *
 * Order of calls: transform_check of every spec, transform_override for the platform, rewrite_run, rewrite_clear. */
#ifndef PREDICTORS_TRANSFORMS_TRANSFORM_H
#define PREDICTORS_TRANSFORMS_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json/fields.h"
#include "trace/trace.h"

struct transform_refusal { /* calls that are refused for one reason */
    char place[TRACE_PLACE_BYTES]; /* of the first one: "rank 3, event 17 (MPI_Win_fence)" */
    char *reason;
    uint64_t count;
};

enum { TRANSFORM_REFUSALS_MAX = 8 }; /* reasons kept in a report; all calls are counted */

struct transform_report {
    char *spec;                   /* as given */
    char *summary;                /* "12 of 16 posts moved up, over 1.2 ms of computing" */
    uint64_t considered, changed; /* calls; the rest, considered - changed - refused, needed no change */
    uint64_t refused;
    struct transform_refusal *refusals; /* the first reasons */
    size_t refusal_count, refusal_capacity;
};

struct transform {
    const char *name, *summary;
    const char *argument; /* the name of the text after the colon, such as "BYTES"; NULL: no argument */
    const char *fallback; /* the default argument; NULL: the argument is required */
    const char *override; /* platform setting that belongs to it, such as "mpi.rma.fence=notify"; NULL: none */
    /* Fills the zeroed report except its spec. Borrows trace; the caller owns *made. NULL: the trace is not
     * rewritten. */
    enum status (*apply)(const struct trace *trace, const char *argument, struct trace **made,
                         struct transform_report *report, struct err *err);
    /* Returns STATUS_USAGE for an invalid argument. NULL: every argument is valid. */
    enum status (*check)(const char *argument, struct err *err);
};

/* NULL-terminated, in the order of help. */
const struct transform *const *transforms(void);

/* STATUS_USAGE for an unknown name, a missing or surplus argument; says what was expected. */
enum status transform_check(const char *spec, struct err *err);
/* The platform setting "KEY=VALUE" that belongs to a checked spec; NULL: none. */
const char *transform_override(const char *spec);

struct rewrite {
    struct trace *trace; /* owned; NULL if no spec rewrites the trace, so the given one is used */
    struct transform_report *reports;
    size_t count;
};

/* Applies checked specs one after another. Returns STATUS_DATA with the first refusal if a transform refuses and
 * changes nothing. trace has passed trace_check(), and so has the rewritten trace. Inits *rewrite. */
enum status rewrite_run(const struct trace *trace, const char *const *specs, size_t count, struct rewrite *rewrite,
                        struct err *err);
void rewrite_clear(struct rewrite *rewrite);

/* The member "rewrites" of JSON; rows of its elements. */
extern const struct field rewrite_fields[], transform_report_fields[];
/* A line per spec, with label in front. */
void rewrite_print(const struct rewrite *rewrite, const char *label, FILE *out);

/* For transforms: sets the summary; adds a refusal of so many calls, the first of them at a call. */
enum status transform_say(struct transform_report *report, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status transform_refuse(struct transform_report *report, const struct trace *trace, uint32_t rank, size_t call,
                             uint64_t count, struct err *err, const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
