/* Why more ranks stop paying, in three sentences about the first row from its first to its last number of ranks: the computing
 * that is divided least, with its line; the wait state and the call whose shares of all ranks' time grow most. */
#ifndef PREDICTORS_CURVE_WHY_H
#define PREDICTORS_CURVE_WHY_H

#include "predictors/curve/curve.h"
#include "trace/program_model/program_model.h"

/* model: of the curve; NULL: one run was replicated. The caller frees *text. */
enum status curve_why(const struct curve *curve, const struct program_model *model, char **text, struct err *err);

#endif
