/* What contradicts MPI in a trace, and where (docs/checks.md). The rules and the sections of the standard that they
 * come from are in model/violations/violations.def.
 *
 * A trace that the analysis refuses can be looked at as well. What a recording that breaks off cannot show is not
 * reported: what is open at the end of an incomplete rank, what its partners lack, and all of that if a rank
 * calls MPI_Abort. */
#ifndef MODEL_VIOLATIONS_VIOLATIONS_H
#define MODEL_VIOLATIONS_VIOLATIONS_H

#include "model/result/result.h"
#include "trace/trace.h"

enum violation_kind {
#define VIOLATION(NAME, SECTION, GATE, SENTENCE) VIOLATION_##NAME,
#include "model/violations/violations.def"
#undef VIOLATION
    VIOLATION_KIND_COUNT
};

enum violation_gate { VIOLATION_TAKEN, VIOLATION_REFUSED };

struct violation_row {
    enum violation_gate gate;
    const char *name, *section, *sentence;
};

const struct violation_row *violation_row(enum violation_kind kind);

enum { VIOLATIONS_PER_KIND = 100 }; /* that are listed; all are counted */

/* trace has passed trace_check(). Sets result->violations, by rank, then event, then kind. */
enum status violations_find(const struct trace *trace, struct result_violations *violations, struct err *err);

/* Moves *from into result, with a note if there are any. */
enum status violations_report(struct result_violations *from, struct result *result, struct err *err);

/* The one gate of info and analyze, behind what they write: STATUS_DATA with the first violation that is REFUSED. A
 * replay refuses the same when it meets it. file: for the message. */
enum status violations_expect(const struct result_violations *violations, const char *file, struct err *err);

#endif
