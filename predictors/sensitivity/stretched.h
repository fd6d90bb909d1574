/* A trace in which everything takes a number of times as long, for replays whose clock is finer than a picosecond. */
#ifndef PREDICTORS_SENSITIVITY_STRETCHED_H
#define PREDICTORS_SENSITIVITY_STRETCHED_H

#include "trace/trace.h"

/* *made has times of its own and borrows everything else until stretched_free(). No time exceeds 64 bits. */
enum status stretched_new(const struct trace *trace, int64_t factor, struct trace **made, struct err *err);
void stretched_free(struct trace *made);

#endif
