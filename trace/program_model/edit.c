#include "trace/program_model/edit.h"

#include <stdlib.h>
#include <string.h>

#include "common/files/input_file.h"
#include "common/memory_text.h"
#include "trace/program_model/run.h"

/* --- parameters --- */

static struct model_parameter *find_parameter(const struct program_model *model, const char *name)
{
    for (size_t i = 0; i < model->parameter_count; i++)
        if (strcmp(model->parameters[i].name, name) == 0) return &model->parameters[i];
    return NULL;
}

static enum status no_parameter(const struct program_model *model, const char *name, struct err *err)
{
    return err_set(err, STATUS_USAGE, model->file, NULL,
                   "has no parameter %s, expected one of its lines \"parameter NAME = VALUE\"", name);
}

/* The line "parameter NAME = ..." of the text. */
static struct model_line *find_line(const struct program_model *model, const char *name)
{
    size_t length = strlen(name), word = strlen("parameter ");
    for (size_t i = 0; i < model->line_count; i++) {
        const char *text = model->lines[i].text;
        if (strncmp(text, "parameter ", word) == 0 && strncmp(text + word, name, length) == 0 &&
            strchr(" =", text[word + length]))
            return &model->lines[i];
    }
    return NULL;
}

enum status program_model_set_parameter(struct program_model *model, const char *name, const char *expression, struct err *err)
{
    struct model_parameter *parameter = find_parameter(model, name);
    struct err own; /* a scanner needs one */
    struct scanner scanner = {.file = name, .line = 1, .at = expression, .err = &own};
    struct variables *variables = calloc(1, sizeof *variables);
    struct expression made = {.operations = NULL};
    if (!parameter || !variables) {
        free(variables);
        return parameter ? err_memory(err) : no_parameter(model, name, err);
    }
    variables_open(variables);
    enum status status = expression_read(&scanner, variables, &made);
    free(variables);
    if (status != STATUS_OK || *scanner.at != '\0') {
        expression_clear(&made);
        return err_set(err, STATUS_USAGE, NULL, NULL,
                       "'%s' is no value of the parameter %s, expected a number or an expression of nranks", expression, name);
    }
    struct model_line *line = find_line(model, name);
    char *text;
    if (asprintf(&text, "parameter %s = %s", name, expression) < 0) {
        expression_clear(&made);
        return err_memory(err);
    }
    expression_clear(&parameter->value);
    parameter->value = made;
    free(line->text);
    line->text = text;
    return STATUS_OK;
}

enum status program_model_parameter(const struct program_model *model, const char *name, uint32_t ranks, double *value,
                                    struct err *err)
{
    const struct model_parameter *parameter = find_parameter(model, name);
    return parameter ? run_variable(model, ranks, parameter->variable, value, err) : no_parameter(model, name, err);
}

/* --- blocks --- */

/* "block NAME ...": NAME begins there; NULL: another line. */
static char *block_name(char *text)
{
    const char word[] = "block ";
    return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : NULL;
}

/* The blocks around a line, from the outermost one on, by their lines. */
struct blocks_around {
    const struct model_line *of[64]; /* per depth; NULL: no block */
};

/* Path "b/c" is that of a block c in a block b, whatever b is in. */
static bool is_path(const struct blocks_around *around, uint32_t depth, const char *path)
{
    const char *end = path + strlen(path);
    for (uint32_t d = depth + 1; d-- > 0;) {
        if (!around->of[d]) continue;
        const char *name = block_name(around->of[d]->text);
        size_t length = strcspn(name, " ");
        if ((size_t)(end - path) < length || strncmp(end - length, name, length) != 0) return false;
        end -= length;
        if (end == path) return true;
        if (*--end != '/') return false;
    }
    return false;
}

static enum status change_line(const struct program_model *model, struct model_line *line, bool reduced, struct err *err)
{
    char *text;
    if ((line->reduced_end > 0) == reduced) return STATUS_OK;
    if (line->time_end == 0)
        return err_set(err, STATUS_USAGE, model->file, NULL, "'%s' has no time=, so it cannot be reduced", line->text);
    const char *rest = line->text + (reduced ? line->time_end : line->reduced_end);
    if (asprintf(&text, "%.*s%s%s", (int)line->time_end, line->text, reduced ? " reduced" : "", rest) < 0) return err_memory(err);
    free(line->text);
    line->text = text;
    line->reduced_end = reduced ? line->time_end + strlen(" reduced") : 0;
    return STATUS_OK;
}

static enum status change_lines(const struct program_model *model, const char *path, bool reduced, struct err *err)
{
    struct blocks_around around = {{NULL}};
    size_t found = 0;
    for (size_t i = 0; i < model->line_count; i++) {
        struct model_line *line = &model->lines[i];
        around.of[line->depth] = block_name(line->text) ? line : NULL;
        if (!around.of[line->depth] || !is_path(&around, line->depth, path)) continue;
        TRY(change_line(model, line, reduced, err));
        found++;
    }
    if (found == 0) return err_set(err, STATUS_USAGE, model->file, NULL, "has no block %s", path);
    return STATUS_OK;
}

enum status program_model_reduce(struct program_model *model, const char *path, bool reduced, struct program_model **made,
                                 struct err *err)
{
    struct memory_text text;
    struct input_file in;
    TRY(change_lines(model, path, reduced, err));
    TRY(memory_text_open(&text, err));
    program_model_write(model, text.out);
    TRY(memory_text_close(&text, STATUS_OK, err));
    enum status status = input_file_of_text(text.text, text.bytes, model->file, &in, err);
    if (status == STATUS_OK) status = program_model_read(&in, made, err);
    free(text.text);
    return status;
}
