#include "trace/program_model/program_model.h"

#include <stdlib.h>

#include "common/array.h"
#include "trace/program_model/reader.h"

void statement_init(struct statement *statement, enum statement_kind kind, size_t line)
{
    *statement = (struct statement){.kind = kind,
                                    .line = line,
                                    .before = COMPUTING_ABSENT,
                                    .after = COMPUTING_ABSENT,
                                    .computing = COMPUTING_ABSENT,
                                    .requests = REQUESTS_NONE};
}

static void free_statements(struct statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) statement_clear(&statements[i]);
    free(statements);
}

void statement_clear(struct statement *statement)
{
    expression_clear(&statement->when);
    expression_clear(&statement->takes);
    expression_clear(&statement->amount);
    for (size_t i = 0; i < statement->value_count; i++) expression_clear(&statement->values[i].value);
    for (size_t i = 0; i < statement->member_count; i++) expression_clear(&statement->members[i]);
    FREE_ALL(statement->values, statement->members, statement->waited);
    free_statements(statement->body, statement->body_count);
    free_statements(statement->other, statement->other_count);
}

void program_model_free(struct program_model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->parameter_count; i++) expression_clear(&model->parameters[i].value);
    for (size_t i = 0; i < model->window_count; i++) {
        expression_clear(&model->windows[i].bytes);
        expression_clear(&model->windows[i].disp_unit);
        free(model->windows[i].name);
    }
    for (size_t i = 0; i < model->computing_count; i++) {
        expression_clear(&model->computings[i].mean);
        executions_clear(&model->computings[i].executions);
        for (size_t k = 0; k < model->computings[i].recorded_count; k++)
            executions_clear(&model->computings[i].recorded[k].executions);
        free(model->computings[i].recorded);
    }
    for (size_t i = 0; i < model->line_count; i++) free(model->lines[i].text);
    free_statements(model->statements, model->statement_count);
    for (size_t i = 0; i < model->request_name_count; i++) free(model->request_names[i]);
    FREE_ALL(model->request_names, model->recorded, model->parameters, model->comms, model->windows, model->computings,
             model->lines);
    trace_free(model->names);
    trace_memory_clear(&model->memory);
    FREE_ALL(model->file, model);
}

void program_model_write(const struct program_model *model, FILE *out)
{
    for (size_t i = 0; i < model->line_count; i++)
        fprintf(out, "%*s%s\n", (int)(2 * model->lines[i].depth), "", model->lines[i].text);
}
