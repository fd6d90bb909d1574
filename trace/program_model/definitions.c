/* The lines of a program model that define something. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/limits.h"
#include "trace/program_model/reader.h"

enum { SIDE_MAX = TRACE_RANKS_MAX };
static const double FACTOR_MAX = 1e9;

static enum status read_whole(struct model_reader *reader, const char *what, int64_t low, int64_t high, int64_t *value)
{
    char *word;
    TRY(model_take_word(reader, &word));
    bool good = text_integer(word, low, high, value);
    free(word);
    if (!good) SCANNER_FAIL(&reader->scanner, "%s is no whole number from %lld to %lld", what, (long long)low, (long long)high);
    return STATUS_OK;
}

static enum status read_number(struct model_reader *reader, const char *what, double *value)
{
    char *end;
    scanner_skip_blanks(&reader->scanner);
    *value = strtod(reader->scanner.at, &end);
    bool good = end > reader->scanner.at && strchr(" \t\r\n", *end) && *value >= 0 && *value <= FACTOR_MAX;
    if (good) reader->scanner.at = end;
    else SCANNER_FAIL(&reader->scanner, "%s is no number from 0 to %g", what, FACTOR_MAX);
    return STATUS_OK;
}

static enum status read_ranks(struct model_reader *reader)
{
    int64_t ranks;
    TRY(read_whole(reader, "ranks", 1, TRACE_RANKS_MAX, &ranks));
    reader->model->ranks = (uint32_t)ranks;
    return model_line_ends(reader);
}

/* "16 n=2000" */
static enum status read_scale(struct model_reader *reader, const char *what, struct model_scale *scale)
{
    int64_t ranks;
    const struct program_model *model = reader->model;
    TRY(read_whole(reader, what, 1, TRACE_RANKS_MAX, &ranks));
    *scale = (struct model_scale){.ranks = (uint32_t)ranks};
    for (size_t i = 0; i < model->parameter_count && !scale->variable; i++)
        if (model_take_key(reader, model->parameters[i].name))
            scale->variable = model->parameters[i].variable;
    return scale->variable ? read_number(reader, "the parameter", &scale->value) : STATUS_OK;
}

/* Factors of computings are counted by its ranks. */
static enum status read_observed(struct model_reader *reader)
{
    if (reader->model->observed.ranks > 0 || reader->model->computing_count > 0)
        SCANNER_FAIL(&reader->scanner, "a second line \"observed\", or one behind a computing, expected one before it");
    TRY(read_scale(reader, "observed", &reader->model->observed));
    return model_line_ends(reader);
}

static enum status read_ranks_per_node(struct model_reader *reader)
{
    int64_t ranks;
    TRY(read_whole(reader, "ranks_per_node", 1, TRACE_RANKS_MAX, &ranks));
    reader->model->memory.ranks_per_node = (uint32_t)ranks;
    return model_line_ends(reader);
}

static enum status read_memory_bound(struct model_reader *reader)
{
    struct trace_memory *memory = &reader->model->memory;
    const uint32_t ranks = reader->model->observed.ranks;
    memory->count = 0;
    do {
        double share;
        TRY(read_number(reader, "memory_bound", &share));
        if (share > 1) SCANNER_FAIL(&reader->scanner, "memory_bound %g, expected a share from 0 to 1", share);
        ARRAY_PUSH(memory->shares, memory->count, memory->capacity, share, reader->scanner.err);
        scanner_skip_blanks(&reader->scanner);
    } while (*reader->scanner.at != '\0');
    if (memory->count == 1 || memory->count == ranks) return STATUS_OK;
    SCANNER_FAIL(&reader->scanner,
                 "%zu shares in memory_bound, expected one, or one for each of the %u ranks of a line \"observed N\" before it",
                 memory->count, ranks);
}

static enum status read_recorded(struct model_reader *reader)
{
    struct program_model *model = reader->model;
    struct model_scale scale;
    TRY(read_scale(reader, "recorded", &scale));
    ARRAY_PUSH(model->recorded, model->recorded_count, model->recorded_capacity, scale, reader->scanner.err);
    return model_line_ends(reader);
}

static enum status read_parameter(struct model_reader *reader)
{
    struct program_model *model = reader->model;
    char name[SCANNER_NAME_BYTES];
    struct model_parameter made = {.line = reader->scanner.line};
    TRY(scanner_name(&reader->scanner, "the name of a parameter", name));
    if (reader->depth > 0 || reader->statement_count > 0)
        SCANNER_FAIL(&reader->scanner, "a parameter behind a statement, expected it before");
    scanner_skip_blanks(&reader->scanner);
    if (*reader->scanner.at != '=') SCANNER_FAIL(&reader->scanner, "expected \"parameter %s = VALUE\"", name);
    reader->scanner.at++;
    TRY(array_reserve((void **)&model->parameters, &model->parameter_capacity, model->parameter_count + 1, sizeof made,
                      reader->scanner.err));
    TRY(expression_read(&reader->scanner, &reader->variables, &made.value));
    model->parameters[model->parameter_count++] = made;
    struct model_parameter *kept = &model->parameters[model->parameter_count - 1];
    memcpy(kept->name, name, sizeof name);
    TRY(variables_add(&reader->variables, &reader->scanner, name, &kept->variable));
    if (reader->variables.count > model->variable_count) model->variable_count = reader->variables.count;
    return model_line_ends(reader);
}

/* "xz" */
static enum status read_dimensions(struct model_reader *reader, bool dimensions[GRID_DIMENSIONS])
{
    const char *at = reader->scanner.at;
    for (; *at >= 'x' && *at <= 'z'; at++) dimensions[*at - 'x'] = true;
    if (at == reader->scanner.at) SCANNER_FAIL(&reader->scanner, "'%.20s', expected x, y and z joined, as xy", at);
    reader->scanner.at = at;
    return STATUS_OK;
}

static enum status read_grid(struct model_reader *reader)
{
    char name[SCANNER_NAME_BYTES];
    struct grid_shape shape = {.rule = GRID_RULES};
    TRY(scanner_name(&reader->scanner, "line, square, square_high, cube, cube_high, fixed or fixed_high", name));
    for (enum grid_rule rule = 0; rule < GRID_RULES; rule++)
        if (strcmp(grid_rule_name(rule), name) == 0) shape.rule = rule;
    if (shape.rule == GRID_RULES)
        SCANNER_FAIL(&reader->scanner, "grid %s, expected line, square, square_high, cube, cube_high, fixed or fixed_high", name);
    bool fixed = shape.rule == GRID_FIXED || shape.rule == GRID_FIXED_HIGH;
    if (fixed) {
        int64_t side;
        if (!model_take_key(reader, "side"))
            SCANNER_FAIL(&reader->scanner, "grid %s lacks side=, expected \"grid %s side=4\"", name, name);
        TRY(read_whole(reader, "side", 1, SIDE_MAX, &side));
        shape.fixed = (int32_t)side;
    }
    if (model_take_key(reader, "periodic")) TRY(read_dimensions(reader, shape.periodic));
    reader->model->shape = shape;
    return model_line_ends(reader);
}

static enum status new_id(struct model_reader *reader, struct map *map, const char *what, size_t number)
{
    int64_t id;
    uint64_t *slot;
    TRY(read_whole(reader, what, 0, INT32_MAX, &id));
    if (map_find(map, (uint64_t)id))
        SCANNER_FAIL(&reader->scanner, "%s %lld is defined already, expected another number", what, (long long)id);
    return map_put(map, (uint64_t)id, number, &slot, reader->scanner.err);
}

static enum status read_comm(struct model_reader *reader)
{
    struct program_model *model = reader->model;
    struct model_comm made = {.all = true};
    int32_t member = 0, id;
    TRY(new_id(reader, &reader->text.comms, "comm", model->comm_count));
    if (model_take_key(reader, "along")) {
        made.all = false;
        TRY(read_dimensions(reader, made.along));
    }
    TRY(trace_add_comm(model->names, &member, 1, &id, reader->scanner.err));
    ARRAY_PUSH(model->comms, model->comm_count, model->comm_capacity, made, reader->scanner.err);
    return model_line_ends(reader);
}

static enum status read_window_comm(struct model_reader *reader, int32_t *comm)
{
    int64_t id;
    TRY(read_whole(reader, "comm", 0, INT32_MAX, &id));
    const uint64_t *known = map_find(&reader->text.comms, (uint64_t)id);
    if (!known)
        SCANNER_FAIL(&reader->scanner, "comm=%lld is not defined, expected a line \"comm %lld\" before", (long long)id,
                     (long long)id);
    *comm = (int32_t)*known;
    return STATUS_OK;
}

static enum status read_flavor(struct model_reader *reader, char *flavor)
{
    char *word;
    TRY(model_take_word(reader, &word));
    *flavor = trace_flavor_by_name(word);
    free(word);
    if (*flavor == '?') SCANNER_FAIL(&reader->scanner, "wrong flavor=, expected create, allocate, shared, dynamic or heap");
    return STATUS_OK;
}

static enum status read_window_name(struct model_reader *reader, struct model_window *window)
{
    free(window->name);
    TRY(model_take_word(reader, &window->name));
    if (!text_decode(window->name)) SCANNER_FAIL(&reader->scanner, "broken %%XX in name=, expected two hexadecimal digits");
    return STATUS_OK;
}

static enum status read_window_key(struct model_reader *reader, struct model_window *window)
{
    if (model_take_key(reader, "comm")) return read_window_comm(reader, &window->comm);
    if (!window->bytes.operations && model_take_key(reader, "bytes"))
        return expression_read(&reader->scanner, &reader->variables, &window->bytes);
    if (!window->disp_unit.operations && model_take_key(reader, "disp_unit"))
        return expression_read(&reader->scanner, &reader->variables, &window->disp_unit);
    if (model_take_key(reader, "flavor")) return read_flavor(reader, &window->flavor);
    if (model_take_key(reader, "name")) return read_window_name(reader, window);
    SCANNER_FAIL(&reader->scanner, "'%.40s' in a window line, expected each once of comm=, bytes=, disp_unit=, flavor=, name=",
                 reader->scanner.at);
}

static enum status read_window(struct model_reader *reader)
{
    struct program_model *model = reader->model;
    struct model_window made = {.flavor = '?', .line = reader->scanner.line};
    int32_t id;
    TRY(new_id(reader, &reader->text.windows, "window", model->window_count));
    TRY(trace_add_window(model->names, 0, NULL, NULL, '?', &id, reader->scanner.err));
    ARRAY_PUSH(model->windows, model->window_count, model->window_capacity, made, reader->scanner.err);
    scanner_skip_blanks(&reader->scanner);
    while (*reader->scanner.at != '\0') {
        TRY(read_window_key(reader, &model->windows[model->window_count - 1]));
        scanner_skip_blanks(&reader->scanner);
    }
    return STATUS_OK;
}

/* --- computings --- */

static enum status read_computing(struct model_reader *reader)
{
    struct program_model *model = reader->model;
    struct model_computing made = {.error = 0};
    TRY(scanner_name(&reader->scanner, "the name of a computing", made.name));
    for (size_t i = 0; i < model->computing_count; i++)
        if (strcmp(model->computings[i].name, made.name) == 0)
            SCANNER_FAIL(&reader->scanner, "computing %s is defined already, expected another name", made.name);
    size_t count = model->computing_count;
    TRY(model_end_rows(reader));
    TRY(array_reserve((void **)&model->computings, &model->computing_capacity, count + 1, sizeof made, reader->scanner.err));
    model->computings[count] = made;
    struct model_computing *kept = &model->computings[model->computing_count++];
    reader->rows_of = &kept->executions;
    reader->rows_ranks = model->observed.ranks;
    TRY(expression_read(&reader->scanner, &reader->variables, &kept->mean));
    if (model_take_key(reader, "error")) TRY(read_number(reader, "error", &kept->error));
    if (model_take_key(reader, "missed")) TRY(read_number(reader, "missed", &kept->missed));
    if (model_take_key(reader, "missed_s")) TRY(read_number(reader, "missed_s", &kept->missed_s));
    if (model_take_key(reader, "doublings")) TRY(read_number(reader, "doublings", &kept->doublings));
    if (model_take_key(reader, "slept")) TRY(read_number(reader, "slept", &kept->slept));
    if (kept->slept > 1) SCANNER_FAIL(&reader->scanner, "slept=%g, expected a share from 0 to 1", kept->slept);
    scanner_skip_blanks(&reader->scanner);
    kept->balanced = strcmp(reader->scanner.at, "balanced") == 0;
    return kept->balanced ? STATUS_OK : model_line_ends(reader);
}

/* The numbers of a row, behind those that it has. */
static enum status add_numbers(struct model_reader *reader, float **values, size_t *count, size_t *capacity)
{
    scanner_skip_blanks(&reader->scanner);
    while (*reader->scanner.at != '\0') {
        double value;
        TRY(read_number(reader, "a factor", &value));
        ARRAY_PUSH(*values, *count, *capacity, (float)value, reader->scanner.err);
        scanner_skip_blanks(&reader->scanner);
    }
    return STATUS_OK;
}

static struct model_computing *last_computing(struct model_reader *reader)
{
    return reader->model->computing_count ? &reader->model->computings[reader->model->computing_count - 1] : NULL;
}

/* A row is one line. */
static enum status read_row(struct model_reader *reader, float **values, size_t *count)
{
    size_t capacity = 0;
    *count = 0;
    if (*values) SCANNER_FAIL(&reader->scanner, "a second row of the same factors");
    return add_numbers(reader, values, count, &capacity);
}

/* The rows that follow are of that run. */
static enum status read_at(struct model_reader *reader, struct model_computing *computing)
{
    struct model_recorded made = {.mean = 0};
    TRY(read_scale(reader, "at", &made.scale));
    if (!model_take_key(reader, "mean"))
        SCANNER_FAIL(&reader->scanner, "at lacks mean=, expected \"at RANKS [PARAMETER=VALUE] mean=SECONDS\"");
    TRY(read_number(reader, "mean", &made.mean));
    TRY(model_end_rows(reader));
    ARRAY_PUSH(computing->recorded, computing->recorded_count, computing->recorded_capacity, made, reader->scanner.err);
    reader->rows_of = &computing->recorded[computing->recorded_count - 1].executions;
    reader->rows_ranks = made.scale.ranks;
    return model_line_ends(reader);
}

static enum status read_factors(struct model_reader *reader, const char *name)
{
    struct model_computing *computing = last_computing(reader);
    size_t count;
    if (!computing)
        SCANNER_FAIL(&reader->scanner, "%s without computing, expected a line \"computing NAME SECONDS\" before", name);
    if (strcmp(name, "at") == 0) return read_at(reader, computing);
    struct executions *executions = reader->rows_of;
    struct model_row *counts = &reader->counts;
    if (strcmp(name, "chance") == 0) return add_numbers(reader, &executions->values, &executions->count, &executions->capacity);
    if (strcmp(name, "counts") == 0) return add_numbers(reader, &counts->values, &counts->count, &counts->capacity);
    if (strcmp(name, "by_execution") == 0) return read_row(reader, &executions->by_execution, &executions->most);
    TRY(read_row(reader, &executions->by_rank, &count));
    if (count != reader->rows_ranks)
        SCANNER_FAIL(&reader->scanner,
                     "%zu factors, expected one for each of the %u ranks of the run (line \"observed N\" or \"at N\")", count,
                     reader->rows_ranks);
    return STATUS_OK;
}

static enum status fill_values(float **values, size_t count, struct err *err)
{
    if (*values) return STATUS_OK;
    *values = malloc((count + 1) * sizeof **values);
    if (!*values) return err_memory(err);
    for (size_t i = 0; i < count; i++) (*values)[i] = 1;
    return STATUS_OK;
}

static enum status finish_counts(struct model_reader *reader, const struct model_row *counts, struct executions *executions)
{
    size_t ranks = reader->rows_ranks, most = 0;
    const char *name = last_computing(reader)->name;
    if (ranks == 0 || (counts->count != 1 && counts->count != ranks))
        SCANNER_FAIL(&reader->scanner, "computing %s has %zu counts, expected one, or one for each of the run's %zu ranks", name,
                     counts->count, ranks);
    executions->first = calloc(ranks + 1, sizeof *executions->first);
    if (!executions->first) return err_memory(reader->scanner.err);
    for (size_t i = 0; i < ranks; i++) {
        size_t count = (size_t)counts->values[counts->count == 1 ? 0 : i];
        executions->first[i + 1] = executions->first[i] + count;
        if (count > most) most = count;
    }
    if (executions->first[ranks] != executions->count || (executions->by_execution && executions->most != most))
        SCANNER_FAIL(
            &reader->scanner,
            "computing %s counts %zu executions, %zu of a rank; expected as many as in chance (%zu) and by_execution", name,
            executions->first[ranks], most, executions->count);
    TRY(fill_values(&executions->by_rank, ranks, reader->scanner.err));
    TRY(fill_values(&executions->by_execution, most, reader->scanner.err));
    executions->most = most;
    return STATUS_OK;
}

enum status model_end_rows(struct model_reader *reader)
{
    struct executions *executions = reader->rows_of;
    if (executions && reader->counts.count > 0) TRY(finish_counts(reader, &reader->counts, executions));
    reader->counts.count = 0;
    reader->rows_of = NULL;
    return STATUS_OK;
}

/* --- all of them --- */

static const struct definition {
    const char *name;
    enum status (*read)(struct model_reader *reader);
} keywords[] = {
    {"ranks", read_ranks}, {"observed", read_observed}, {"recorded", read_recorded}, {"parameter", read_parameter},
    {"ranks_per_node", read_ranks_per_node}, {"memory_bound", read_memory_bound}, {"grid", read_grid},
    {"comm", read_comm},   {"window", read_window},     {"computing", read_computing},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

bool model_is_row(const char *name)
{
    return strcmp(name, "by_rank") == 0 || strcmp(name, "by_execution") == 0 || strcmp(name, "counts") == 0 ||
           strcmp(name, "chance") == 0 || strcmp(name, "at") == 0;
}

bool model_is_definition(const char *name)
{
    for (int i = 0; i < KEYWORDS; i++)
        if (strcmp(keywords[i].name, name) == 0) return true;
    return model_is_row(name);
}

enum status model_read_definition(struct model_reader *reader, const char *name)
{
    if (model_is_row(name)) return read_factors(reader, name);
    int i = 0;
    while (strcmp(keywords[i].name, name) != 0) i++;
    return keywords[i].read(reader);
}
