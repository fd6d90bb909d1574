/* A predicted trace as a recording would show it: the calls and their times, without what the simulation knows of them. */
#ifndef VALIDATE_AS_RECORDED_H
#define VALIDATE_AS_RECORDED_H

#include "common/status.h"
#include "trace/trace.h"

/* Inits *view, which borrows trace until as_recorded_clear(). It has the same ranks and calls. */
enum status as_recorded_init(struct trace *view, const struct trace *trace, struct err *err);
void as_recorded_clear(struct trace *view);

#endif
