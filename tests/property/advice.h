/* The property of advice (model/waits/advice.h). */
#ifndef TESTS_PROPERTY_ADVICE_H
#define TESTS_PROPERTY_ADVICE_H

#include "tests/property/property.h"

/* Of the predicted run of a program: where the advice for a wait says that a call should come earlier or later, the
 * program with that call so much earlier or later, as far as there is computing of its thread to move it over, waits less
 * by as much in the advised call. Its run does not take longer, if the call that is moved waits for nobody, or is what waits.
 * Where a transform does what the advice says, and moves only such calls, no rank of the rewritten program ends later.
 * With trial->tamper the advice knows nothing of others who are waited for, too. */
enum status check_advice(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err);

#endif
