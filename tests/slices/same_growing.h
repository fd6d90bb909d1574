/* Whether a prediction is the same while its trace is made as when the whole predicted trace is kept. */
#ifndef TESTS_SLICES_SAME_GROWING_H
#define TESTS_SLICES_SAME_GROWING_H

#include "platforms/platform.h"
#include "tests/slices/same_result.h"

/* Also where its recording is in a file (predictors/recording.h); *held, if not NULL: it was held in memory. One call at a time,
 * and more; without and with efficiency and causes. Errors of the replay must be the same, too. */
enum status same_while_made(const struct trace *trace, const struct platform *platform, bool *same, bool *held,
                            char what[SAME_RESULT_BYTES], struct err *err);

#endif
