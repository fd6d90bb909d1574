/* Transfers summed: counts, bytes, pairs, and how the bounds of their bandwidth are distributed. */
#ifndef MODEL_RATES_H
#define MODEL_RATES_H

#include "model/bounds.h"
#include "model/result.h"

/* Fills result's transfer members. */
enum status rates_report(const struct trace *trace, const struct transfers *transfers, struct result *result,
                         struct err *err);

#endif
