/* What an analysis could not relate, in sentences: epochs without partner or end, incomplete instances, unmatched
 * messages. */
#ifndef MODEL_NOTES_H
#define MODEL_NOTES_H

#include "model/relations.h"
#include "model/result.h"

/* Appends to result's notes; of each sort the first few and the number of the others. */
enum status notes_report(const struct relations *relations, struct result *result, struct err *err);

#endif
