/* Finds the calls of a trace that contradict MPI (docs/checks.md). model/violations/violations.def has the rules and
 * the sections of the standard that they come from.
 *
 * It also accepts traces that the analysis refuses. It does not report what may be due to a recording that breaks off:
 * epochs and requests open at the end of an incomplete rank, and calls that its partners lack. If a rank calls
 * MPI_Abort, it reports neither for any rank. */
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

enum { VIOLATIONS_PER_KIND = 100 }; /* that many are listed; all are counted */

/* Finds the violations of a trace that has passed trace_check(), ordered by rank, event and kind. The caller clears
 * *violations. */
enum status violations_find(const struct trace *trace, struct result_violations *violations, struct err *err);

/* The same for an analysis in slices (model/slices/slices.h): of each slice violations_take() gets the new calls and their call
 * paths, violations_match() its messages and which are final; then violations_end(). Trace and call paths are borrowed until
 * violations_free(), which takes NULL. */
struct violation_finder;
struct callpaths;
struct relations;
enum status violations_new(struct violation_finder **finder, struct err *err);
enum status violations_take(struct violation_finder *finder, const struct trace *trace, const struct callpaths *paths,
                            struct err *err);
enum status violations_match(struct violation_finder *finder, const struct relations *relations, bool last, struct err *err);
enum status violations_end(struct violation_finder *finder, struct result_violations *violations, struct err *err);
void violations_free(struct violation_finder *finder);

/* Moves *from into result, and adds a note if there are any. */
enum status violations_report(struct result_violations *from, struct result *result, struct err *err);

/* Returns STATUS_DATA with the first violation that is REFUSED. `info` and `analyze` call it after they have written
 * their output. A replay refuses the same violations when it reaches them. The message names file. */
enum status violations_expect(const struct result_violations *violations, const char *file, struct err *err);

#endif
