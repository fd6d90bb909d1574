/* Changes a program model after it was read; its text changes, too. */
#ifndef TRACE_PROGRAM_MODEL_EDIT_H
#define TRACE_PROGRAM_MODEL_EDIT_H

#include "trace/program_model/program_model.h"

/* Gives a parameter the value of an expression of nranks, nx, ny and nz: "4K", "1000*nranks". Returns STATUS_USAGE if
 * there is no such parameter, or the expression has no value. */
enum status program_model_set_parameter(struct program_model *model, const char *name, const char *expression, struct err *err);

/* The value of a parameter at a number of ranks. Returns STATUS_DATA if there is no such parameter, or it has no value
 * there. */
enum status program_model_parameter(const struct program_model *model, const char *name, uint32_t ranks, double *value,
                                    struct err *err);

/* Reduces the blocks of that path, "inner" or "outer/inner", to their time; or expands them again. Returns STATUS_USAGE
 * if there is no such block, or no time to reduce it to. The caller owns *made. The model keeps its statements, but has the
 * text of *made. */
enum status program_model_reduce(struct program_model *model, const char *path, bool reduced, struct program_model **made,
                                 struct err *err);

#endif
