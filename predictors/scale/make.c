/* scale_make() of predictors/scale/scale.h: a program's run at some number of ranks, which its text makes. */
#include <stdlib.h>

#include "common/files/input_file.h"
#include "common/memory_text.h"
#include "predictors/scale/scale.h"

enum status program_to_model(const struct program *program, struct program_model **model, struct err *err)
{
    struct memory_text made;
    struct input_file in;
    TRY(memory_text_open(&made, err));
    program_write(program, made.out);
    TRY(memory_text_close(&made, STATUS_OK, err));
    enum status status = input_file_of_text(made.text, made.bytes, "program", &in, err);
    if (status == STATUS_OK) status = program_model_read(&in, model, err);
    free(made.text);
    return status;
}

enum status scale_make(const struct program *program, const struct scale_options *options, struct trace **trace,
                       struct err *err)
{
    const struct program_model_options run = {.ranks = options->ranks, .compute = options->compute, .seed = options->seed};
    struct program_model *model;
    TRY(program_to_model(program, &model, err));
    enum status status = program_model_make(model, &run, trace, err);
    program_model_free(model);
    return status;
}
