/* What MPI-3.1 asks of a program's one-sided calls and a replay does not mind. A rewritten program must not break it
 * where the given one did not. */
#ifndef TESTS_PROPERTY_LAWFUL_H
#define TESTS_PROPERTY_LAWFUL_H

#include <stdbool.h>

#include "trace/trace.h"

/* Some window is locked by others and exposed by post, so that lawful_locked_while_exposed may say something. */
bool lawful_asks_for_times(const struct trace *trace);
/* 11.5.3: in the times of a predicted trace, a rank's window is locked by another one between its post and the end of its wait.
 * *found: there is such a place, written to text. */
enum status lawful_locked_while_exposed(const struct trace *predicted, bool *found, char *text, size_t room,
                                        struct err *err);

/* 11.3.5, 11.5: operations with a request outside locks, requests of such operations that nothing completes, calls that open an
 * epoch inside one of their own kind: the number of them. */
uint64_t lawful_faults(const struct trace *trace);

/* Operations and bytes of each kind between each pair of ranks, results of fetching ones included, are the same. Merged: fewer
 * puts and gets of the same bytes. Turned: puts and gets, messages and neighbourhood collectives together move the same bytes
 * from each rank to each other one. False with text. */
enum lawful_change { LAWFUL_MOVED, LAWFUL_MERGED, LAWFUL_TURNED };
enum status lawful_same_operations(const struct trace *before, const struct trace *after, enum lawful_change change, bool *same,
                                   char *text, size_t room, struct err *err);

#endif
