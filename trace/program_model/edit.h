/* Changes of a program model after it was read; its text has them, too. */
#ifndef TRACE_PROGRAM_MODEL_EDIT_H
#define TRACE_PROGRAM_MODEL_EDIT_H

#include "trace/program_model/program_model.h"

/* Gives a parameter the value of an expression of nranks, nx, ny and nz: "4K", "1000*nranks". STATUS_USAGE: there is no such
 * parameter, or no value. */
enum status program_model_set_parameter(struct program_model *model, const char *name, const char *expression, struct err *err);

/* What a parameter is at so many ranks. STATUS_DATA: it has no value there, or there is none. */
enum status program_model_parameter(const struct program_model *model, const char *name, uint32_t ranks, double *value,
                                    struct err *err);

/* Reduces the blocks of that path, "inner" or "outer/inner", to their time; or expands them again. STATUS_USAGE: there is no
 * such block, or no time to be reduced to. *model is another one then. */
enum status program_model_reduce(struct program_model **model, const char *path, bool reduced, struct err *err);

#endif
