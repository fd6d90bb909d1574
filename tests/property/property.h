/* What must hold of every correct program: the rows that run_property tests. */
#ifndef TESTS_PROPERTY_PROPERTY_H
#define TESTS_PROPERTY_PROPERTY_H

#include "simulate/verify/verify.h"
#include "tests/property/program.h"

enum { VERDICT_WHAT_BYTES = 64, VERDICT_DETAIL_BYTES = ERR_TEXT_BYTES };

struct verdict {
    bool failed;
    char what[VERDICT_WHAT_BYTES]; /* the law, or the step that failed: shrinking keeps it */
    char detail[VERDICT_DETAIL_BYTES];
};

struct program_counts { /* over all programs, by row of the laws */
    uint64_t holds[VERIFY_ROWS_MAX], not_applicable[VERIFY_ROWS_MAX];
    struct verify_report last;
    uint64_t programs, calls, transfers;
};

struct trial {
    const struct engine_descriptor *engine;
    bool tamper; /* falsify the outcome, so that a law must break */
    struct program_counts *counts; /* may be NULL */
};

struct property {
    const char *name, *summary;
    /* STATUS_OK whether it holds or not. */
    enum status (*check)(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err);
};
/* The first failure stays. */
void verdict_fail(struct verdict *verdict, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replays, and checks the laws. */
enum status property_verify(const struct trial *trial, const struct trace *trace, const struct platform *platform,
                            struct verdict *verdict, struct err *err);

/* Ends with a row without name. */
extern const struct property properties[];

/* Makes the program's trace and checks it. */
enum status property_check(const struct property *property, const struct trial *trial, const struct program *program,
                           struct verdict *verdict, struct err *err);

#endif
