/* What an analysis must keep, checked on its own figures (rmacast analyze --verify). */
#ifndef MODEL_CHECKS_H
#define MODEL_CHECKS_H

#include "model/relations.h"
#include "model/result.h"
#include "model/waits.h"

/* Appends a row per check to result->checks. result holds everything else, account is that of its patterns; waits are
 * sorted and complete, those that a filter keeps out of the account among them. */
void checks_run(const struct relations *relations, const struct account *account, const struct waits *waits,
                struct result *result);

bool checks_hold(const struct result *result);

#endif
