/* The draws of each row of a comparison (predictors/draws.h): by how much a row's run times vary, and which row is faster.
 * All rows have the same seed. So in one draw the messages between two nodes take the same times in each row, one by one,
 * and a draw of one row is compared with the same draw of another one.
 *
 * Order of calls: comparison_run, draws_check, comparison_draws_run, comparison_print or comparison_to_json, draws_clear for each
 * row. */
#ifndef PREDICTORS_COMPARISON_DRAWS_H
#define PREDICTORS_COMPARISON_DRAWS_H

#include "predictors/comparison.h"
#include "predictors/draws.h"

/* How two rows' run times compare, draw by draw. */
struct draws_pair {
    size_t faster, same; /* number of draws in which the first one takes less than the other one; in which both take the same */
    bool overlap;        /* of their ranges; else each draw of one is faster than each draw of the other */
};

/* draws: of comparison_count rows; those of rows that have a result. A row of which a draw cannot be replayed has no result from
 * then on; the error is that of the first one, and the other rows have theirs. comparison borrows draws. The
 * request's progress_contexts are those of all rows' draws, row by row. */
enum status comparison_draws_run(const struct trace *trace, const struct comparison_row *rows,
                                 const struct draws_request *request, struct comparison *comparison, struct draws *draws,
                                 struct err *err);

/* The rows that have draws, the shortest median first, of equal ones in the order of the rows. order: room for all rows. Returns
 * their number. */
size_t comparison_draws_order(const struct comparison *comparison, size_t *order);
struct draws_pair draws_pair_of(const struct draws *one, const struct draws *other);

#endif
