/* scale_make() of predictors/scale/scale.h: a program's run at some number of ranks, which its text makes. */
#include <stdlib.h>

#include "predictors/scale/scale.h"

enum status program_to_model(const struct program *program, struct program_model **model, struct err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return err_memory(err);
    program_write(program, out);
    if (fclose(out) != 0) {
        free(text);
        return err_memory(err);
    }
    FILE *in = fmemopen(text, bytes, "r");
    enum status status = in ? program_model_read(in, "program", model, err) : err_memory(err);
    if (in) fclose(in);
    free(text);
    return status;
}

enum status scale_make(const struct program *program, const struct scale_options *options, struct trace **trace,
                       struct err *err)
{
    const struct program_model_options run = {options->ranks, options->compute, options->seed};
    struct program_model *model;
    TRY(program_to_model(program, &model, err));
    enum status status = program_model_make(model, &run, trace, err);
    program_model_free(model);
    return status;
}

/* Seconds of computing of one rank, with their error's share. */
static void add_computing(const struct program *program, const struct step *steps, size_t count, uint32_t ranks,
                          double *error, double *all)
{
    for (size_t i = 0; i < count; i++) {
        add_computing(program, steps[i].body, steps[i].count, ranks, error, all);
        for (int place = 0; place < COMPUTING_PLACES; place++) {
            const struct computing *computing = &steps[i].computing[place];
            double executions = (double)computing->executions.count / program->observed;
            double seconds = time_model_mean(&computing->model, (int32_t)ranks) * executions;
            *error += seconds * computing->model.error;
            *all += seconds;
        }
    }
}

double scale_error(const struct program *program, uint32_t ranks)
{
    double error = 0, all = 0;
    add_computing(program, program->steps, program->count, ranks, &error, &all);
    return all > 0 ? error / all : 0;
}

double scale_computing(const struct program *program, uint32_t ranks)
{
    double error = 0, all = 0;
    add_computing(program, program->steps, program->count, ranks, &error, &all);
    return all;
}
