#include "trace/program_model/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/scramble.h"
#include "common/units.h"
#include "trace/limits.h"
#include "trace/text/fields.h"

/* Limit of statements that a run handles: some minutes. A member of a group, which takes memory, counts as several. */
#define WORK_MAX (UINT64_C(1) << 33)
enum { MEMBER_WORK = 32 };
/* Statements that stand between two calls as a program is written; and the limit of all beyond those: some seconds. */
enum { IDLE_USUAL = 1 << 16, IDLE_MAX = 1 << 27 };
static const double WHOLE_MAX = 9007199254740992; /* 2^53 */
static const double ERROR_MAX = 1e9; /* as the largest one that a model may state */

#define RUN_FAIL(run, at_line, ...)                                                                                    \
    do {                                                                                                               \
        char fail_line_[24];                                                                                           \
        snprintf(fail_line_, sizeof fail_line_, "%zu", (at_line));                                                     \
        return err_set((run)->err, STATUS_DATA, (run)->model->file, fail_line_, __VA_ARGS__);                          \
    } while (0)

/* --- values --- */

static enum status value_of(const struct program_run *run, size_t line, const char *what, const struct expression *expression,
                            double *value)
{
    const char *why = expression_value(expression, run->variables, &run->grid, value);
    if (why)
        RUN_FAIL(run, line, "%s of rank %.0f of %d: %s", what, run->variables[VARIABLE_RANK], run->grid.ranks, why);
    return STATUS_OK;
}

/* A value `none` sets *exists to false if exists is given, and is an error otherwise. */
static enum status whole_of(const struct program_run *run, size_t line, const char *what, const struct expression *expression,
                            double low, double high, bool *exists, int64_t *whole)
{
    double value;
    TRY(value_of(run, line, what, expression, &value));
    if (exists) *exists = !isnan(value);
    if (exists && isnan(value)) return STATUS_OK;
    value = expression_whole(value);
    if (!(value >= low && value <= high))
        RUN_FAIL(run, line, "%s of rank %.0f of %d is %.16g, expected %.16g to %.16g", what, run->variables[VARIABLE_RANK],
                 run->grid.ranks, value, low, high);
    *whole = (int64_t)value;
    return STATUS_OK;
}

static void set_place(const struct program_run *run, int32_t rank)
{
    int32_t at[GRID_DIMENSIONS];
    grid_coordinates(&run->grid, rank, at);
    run->variables[VARIABLE_RANK] = rank;
    for (int d = 0; d < GRID_DIMENSIONS; d++) run->variables[VARIABLE_X + d] = at[d];
}

static enum status spend_work(struct program_run *run, size_t line, uint64_t amount)
{
    if (run->work < amount)
        RUN_FAIL(run, line,
                 "the run is longer than %" PRIu64 " statements, or has more than %" PRIu64
                 " members of groups, expected fewer ranks or repetitions",
                 (uint64_t)WORK_MAX, (uint64_t)WORK_MAX / MEMBER_WORK);
    run->work -= amount;
    return STATUS_OK;
}

static enum status spend_idle(struct program_run *run, struct run_rank *state, size_t line)
{
    if (state->idle < IDLE_USUAL) state->idle++;
    else if (run->idle > 0) run->idle--;
    else
        RUN_FAIL(run, line, "more than %d statements make no call, expected fewer repetitions", IDLE_MAX);
    return STATUS_OK;
}

/* --- definitions --- */

static enum status set_variables(struct program_run *run)
{
    const struct program_model *model = run->model;
    run->variables = calloc(model->variable_count + 1, sizeof *run->variables);
    if (!run->variables) return err_memory(run->err);
    for (int i = VARIABLE_RANK; i <= VARIABLE_Z; i++) run->variables[i] = NAN;
    run->variables[VARIABLE_RANKS] = run->grid.ranks;
    for (int d = 0; d < GRID_DIMENSIONS; d++) run->variables[VARIABLE_NX + d] = run->grid.extents[d];
    for (size_t i = 0; i < model->parameter_count; i++) {
        const struct model_parameter *parameter = &model->parameters[i];
        double *value = &run->variables[parameter->variable];
        const char *why = expression_value(&parameter->value, run->variables, &run->grid, value);
        if (!why && isnan(*value)) why = "it depends on the rank";
        if (why) RUN_FAIL(run, parameter->line, "the parameter has no value: %s", why);
    }
    return STATUS_OK;
}

/* The communicator of a rank among those that a line defines; they are numbered by the coordinates that their members
 * share. */
static int32_t comm_of_place(const struct program_run *run, const struct model_comm *comm, int32_t rank)
{
    int32_t at[GRID_DIMENSIONS], number = 0;
    if (comm->all) return 0;
    grid_coordinates(&run->grid, rank, at);
    for (int d = GRID_DIMENSIONS; d-- > 0;)
        if (!comm->along[d]) number = number * run->grid.extents[d] + at[d];
    return number;
}

static int32_t comm_count(const struct program_run *run, const struct model_comm *comm)
{
    int32_t count = 1;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (!comm->all && !comm->along[d]) count *= run->grid.extents[d];
    return count;
}

/* Adds the communicators of a line. Their members are sorted by counting. */
static enum status add_line_of_comms(struct program_run *run, const struct model_comm *comm, int32_t *first)
{
    int32_t count = comm_count(run, comm), ranks = run->grid.ranks, id;
    int32_t *ends = calloc((size_t)count + 1, sizeof *ends);
    if (!ends) return err_memory(run->err);
    *first = (int32_t)run->trace->definitions.comm_count;
    for (int32_t r = 0; r < ranks; r++) ends[comm_of_place(run, comm, r) + 1]++;
    for (int32_t i = 0; i < count; i++) ends[i + 1] += ends[i];
    for (int32_t r = ranks; r-- > 0;) run->members[--ends[comm_of_place(run, comm, r) + 1]] = r;
    enum status status = STATUS_OK; /* ends[i + 1] is where communicator i begins now */
    for (int32_t i = 0; status == STATUS_OK && i < count; i++) {
        int32_t end = i + 1 < count ? ends[i + 2] : ranks;
        status = trace_add_comm(run->trace, run->members + ends[i + 1], (uint32_t)(end - ends[i + 1]), &id, run->err);
    }
    free(ends);
    return status;
}

static enum status window_numbers(struct program_run *run, const struct model_window *window, const struct trace_comm *comm,
                                  int64_t *bytes, int32_t *units)
{
    for (uint32_t i = 0; i < comm->count; i++) {
        int64_t unit = 1;
        set_place(run, comm->members[i]);
        if (window->bytes.operations)
            TRY(whole_of(run, window->line, "bytes=", &window->bytes, 0, WHOLE_MAX, NULL, &bytes[i]));
        if (window->disp_unit.operations)
            TRY(whole_of(run, window->line, "disp_unit=", &window->disp_unit, 1, INT32_MAX, NULL, &unit));
        units[i] = (int32_t)unit;
    }
    return STATUS_OK;
}

static enum status add_window(struct program_run *run, const struct model_window *window, int32_t comm)
{
    const struct trace_comm *members = &run->trace->definitions.comms[comm];
    int64_t *bytes = calloc((size_t)members->count + 1, sizeof *bytes);
    int32_t *units = calloc((size_t)members->count + 1, sizeof *units), id;
    enum status status = bytes && units ? STATUS_OK : err_memory(run->err);
    if (status == STATUS_OK) status = window_numbers(run, window, members, bytes, units);
    if (status == STATUS_OK)
        status = trace_add_window(run->trace, comm, window->bytes.operations ? bytes : NULL,
                                  window->disp_unit.operations ? units : NULL, window->flavor, &id, run->err);
    if (status == STATUS_OK && window->name) status = trace_set_window_name(run->trace, id, window->name, run->err);
    FREE_ALL(bytes, units);
    return status;
}

static enum status add_windows(struct program_run *run)
{
    const struct program_model *model = run->model;
    for (size_t i = 0; i < model->window_count; i++) {
        const struct model_window *window = &model->windows[i];
        run->window_first[i] = (int32_t)run->trace->definitions.window_count;
        for (int32_t k = 0; k < comm_count(run, &model->comms[window->comm]); k++)
            TRY(add_window(run, window, run->comm_first[window->comm] + k));
    }
    return STATUS_OK;
}

static enum status add_names(struct program_run *run)
{
    const struct trace *names = run->model->names;
    uint32_t id;
    for (size_t i = 0; i < names->definitions.region_count; i++)
        TRY(trace_add_region(run->trace, names->definitions.regions[i], &id, run->err));
    for (size_t i = 1; i < names->definitions.site_count; i++) {
        const struct trace_site *site = &names->definitions.sites[i];
        TRY(trace_add_site(run->trace, site->function, site->file, site->line, &id, run->err));
    }
    return STATUS_OK;
}

static enum status make_grids(struct program_run *run)
{
    const struct program_model *model = run->model;
    if (run->options.ranks == 0) run->options.ranks = model->ranks;
    uint32_t ranks = run->options.ranks;
    if (ranks == 0)
        return err_set(run->err, STATUS_USAGE, model->file, NULL,
                       "the model does not say how many ranks, expected --ranks N or a line \"ranks N\"");
    if (ranks > TRACE_RANKS_MAX)
        return err_set(run->err, STATUS_USAGE, model->file, NULL, "%u ranks, expected 1 to %d", ranks, TRACE_RANKS_MAX);
    if (!grid_make(&model->shape, (int32_t)ranks, &run->grid))
        return err_set(run->err, STATUS_DATA, model->file, NULL, "%u ranks are no multiple of the grid's side of %d",
                       ranks, model->shape.fixed);
    uint32_t observed = model->observed.ranks;
    if (observed > 0 && !grid_make(&model->shape, (int32_t)observed, &run->observed))
        return err_set(run->err, STATUS_DATA, model->file, NULL, "%u observed ranks are no multiple of the grid's side of %d",
                       observed, model->shape.fixed);
    return STATUS_OK;
}

/* The distance of this scale from a recorded one, in doublings of the ranks and the parameter together. */
static double doublings_from(const struct program_run *run, const struct model_scale *scale)
{
    double of_ranks = fabs(log2((double)run->options.ranks / scale->ranks));
    return scale->variable ? of_ranks + fabs(log2(run->variables[scale->variable] / scale->value)) : of_ranks;
}

static double doublings_to_nearest(const struct program_run *run)
{
    const struct program_model *model = run->model;
    double nearest = model->observed.ranks > 0 ? doublings_from(run, &model->observed) : 0;
    for (size_t i = 0; i < model->recorded_count; i++) nearest = fmin(nearest, doublings_from(run, &model->recorded[i]));
    return isfinite(nearest) ? nearest : 0;
}

/* The rank of the observed run with the same place. */
static uint32_t find_like(const struct program_run *run, uint32_t rank)
{
    return run->model->observed.ranks > 0 ? (uint32_t)grid_similar(&run->grid, (int32_t)rank, &run->observed) : 0;
}

static enum status open_run(struct program_run *run)
{
    const struct program_model *model = run->model;
    TRY(make_grids(run));
    TRY(trace_new(model->file, run->options.ranks, &run->trace, run->err));
    run->trace->provenance.generator = strdup(TRACE_GENERATOR_MODEL);
    if (!run->trace->provenance.generator) return err_memory(run->err);
    run->members = calloc((size_t)run->options.ranks + 1, sizeof *run->members);
    run->comm_first = calloc(model->comm_count + 1, sizeof *run->comm_first);
    run->window_first = calloc(model->window_count + 1, sizeof *run->window_first);
    if (!run->members || !run->comm_first || !run->window_first) return err_memory(run->err);
    for (uint32_t r = 0; r < run->options.ranks; r++)
        TRY(trace_set_memory(run->trace, r, &model->memory, find_like(run, r), run->err));
    TRY(set_variables(run));
    run->doublings = doublings_to_nearest(run);
    for (size_t i = 1; i < model->comm_count; i++) TRY(add_line_of_comms(run, &model->comms[i], &run->comm_first[i]));
    TRY(add_windows(run));
    return add_names(run);
}

enum status program_run_open(const struct program_model *model, const struct program_model_options *options,
                             struct program_run *run, struct err *err)
{
    *run = (struct program_run){
        .model = model, .options = *options, .work = WORK_MAX, .idle = IDLE_MAX, .room = UINT64_MAX, .err = err};
    enum status status = open_run(run);
    if (status != STATUS_OK) program_run_clear(run);
    return status;
}

enum status run_variable(const struct program_model *model, uint32_t ranks, uint32_t variable, double *value, struct err *err)
{
    struct program_run run = {.model = model, .options = {.ranks = ranks}, .err = err};
    enum status status = make_grids(&run);
    if (status == STATUS_OK) status = set_variables(&run);
    if (status == STATUS_OK) *value = run.variables[variable];
    program_run_clear(&run);
    return status;
}

void program_run_clear(struct program_run *run)
{
    trace_free(run->trace);
    FREE_ALL(run->variables, run->members, run->comm_first, run->window_first);
    *run = (struct program_run){.model = NULL};
}

/* --- a rank --- */

enum status run_rank_open(const struct program_run *run, uint32_t rank, struct run_rank *state, struct err *err)
{
    const struct program_model *model = run->model;
    *state = (struct run_rank){.rank = rank, .next_request = 1};
    state->like = find_like(run, rank);
    state->frames = calloc(model->depth + 1, sizeof *state->frames);
    state->executions = calloc(model->computing_count + 1, sizeof *state->executions);
    if (!state->frames || !state->executions) {
        run_rank_clear(state);
        return err_memory(err);
    }
    state->frames[0] = (struct run_frame){
        .body = model->statements, .place = model->statements, .count = model->statement_count, .rounds = 1};
    state->depth = 1;
    return STATUS_OK;
}

void run_rank_clear(struct run_rank *state)
{
    FREE_ALL(state->frames, state->executions, state->open);
    *state = (struct run_rank){.depth = 0};
}

/* --- computing --- */

static bool is_scale(const struct program_run *run, const struct model_scale *scale)
{
    return scale->ranks == run->options.ranks && (!scale->variable || run->variables[scale->variable] == scale->value);
}

/* The recorded times of a computing at this scale; NULL: none. */
static const struct model_recorded *recorded_of(const struct program_run *run, const struct model_computing *computing)
{
    for (size_t i = 0; i < computing->recorded_count; i++)
        if (is_scale(run, &computing->recorded[i].scale)) return &computing->recorded[i];
    return NULL;
}

/* The error at another scale: that of the run predicted worst, relative or in seconds, whichever is larger. It grows
 * with the distance from the recorded scales. */
static double error_of(const struct program_run *run, const struct model_computing *computing, double mean)
{
    if (run->doublings == 0 || computing->missed == 0 || !(mean > 0)) return computing->error;
    double farther = computing->doublings > 0 ? fmax(1, run->doublings / computing->doublings) : 1;
    return fmin(computing->error + fmax(computing->missed, computing->missed_s / mean) * farther, ERROR_MAX);
}

static enum status mean_of(const struct program_run *run, size_t line, const struct model_computing *computing, double *mean)
{
    const struct model_recorded *recorded = recorded_of(run, computing);
    if (!recorded) return value_of(run, line, computing->name, &computing->mean, mean);
    *mean = recorded->mean;
    return STATUS_OK;
}

/* *slept_ps: of *ps. */
static enum status computing_ps(const struct program_run *run, struct run_rank *state, size_t line, int32_t number, int64_t *ps,
                                int64_t *slept_ps)
{
    *ps = *slept_ps = 0;
    if (number < 0) return STATUS_OK;
    const struct model_computing *computing = &run->model->computings[number];
    uint32_t execution = state->executions[number]++;
    double mean, factor;
    TRY(mean_of(run, line, computing, &mean));
    if (!(mean > 0)) return STATUS_OK;
    uint64_t random = scramble_bits(run->options.seed ^ scramble_bits((uint64_t)state->rank << 32 | (uint32_t)number));
    const struct model_recorded *recorded = recorded_of(run, computing);
    if (recorded && recorded->executions.first) factor = executions_observed(&recorded->executions, state->rank, execution);
    else if (is_scale(run, &run->model->observed)) factor = executions_observed(&computing->executions, state->rank, execution);
    else
        factor = executions_drawn(&computing->executions, state->like, execution, scramble_bits(random ^ execution));
    double error = run->options.error != 0 ? 1 + fabs(run->options.error) * error_of(run, computing, mean) : 1;
    factor *= run->options.error < 0 ? 1 / error : error;
    *ps = units_ps(mean * factor * run->options.compute);
    *slept_ps = (int64_t)((double)*ps * computing->slept);
    return STATUS_OK;
}

enum status run_computing_mean(struct program_run *run, uint32_t rank, size_t computing, double *seconds, double *error,
                               struct err *err)
{
    double value;
    run->err = err;
    set_place(run, (int32_t)rank);
    TRY(mean_of(run, 0, &run->model->computings[computing], &value));
    *seconds = value > 0 ? value : 0;
    *error = error_of(run, &run->model->computings[computing], *seconds);
    return STATUS_OK;
}

/* The place to which the computing before a call belongs; it is the same on all ranks. It is a loop that has begun
 * since the last call; else the call, if all ranks make it; else the call before, if all ranks make that; else the
 * call. Places without a time are skipped. */
static int32_t place_of(const struct run_place *at, const struct statement *body, const struct statement *next)
{
    if (at->entered) return at->entered->before;
    if (!next->when.operations && next->before != COMPUTING_ABSENT) return next->before;
    bool follows = at->previous && at->body == body && !at->previous->when.operations;
    if (follows && at->previous->after != COMPUTING_ABSENT) return at->previous->after;
    return next->before;
}

static enum status add_compute(const struct program_run *run, struct run_rank *state, const struct statement *statement)
{
    int64_t ps, slept_ps = 0;
    double seconds;
    if (statement->computing >= 0) TRY(computing_ps(run, state, statement->line, statement->computing, &ps, &slept_ps));
    else {
        TRY(value_of(run, statement->line, "the computing", &statement->amount, &seconds));
        ps = seconds > 0 ? units_ps(seconds * run->options.compute) : 0;
        state->plain_ps = units_add_ps(state->plain_ps, ps);
    }
    state->computed_ps = units_add_ps(state->computed_ps, ps);
    state->computed_slept_ps = units_add_ps(state->computed_slept_ps, slept_ps);
    return STATUS_OK;
}

/* --- calls --- */

static enum status set_number(const struct program_run *run, const struct statement *statement, const struct statement_value *of,
                              struct text_values *values)
{
    const struct text_field *field = text_field(of->field);
    void *member = (char *)values + field->offset;
    bool exists = true, may_miss = field->type == TEXT_DISP || (field->type == TEXT_RANK && of->field != F_ROOT_INDEX);
    double low = field->type == TEXT_TAG ? INT32_MIN : 0, high = WHOLE_MAX;
    int64_t whole = 0;
    if (field->type == TEXT_TAG) high = INT32_MAX;
    if (field->type == TEXT_RANK) high = run->grid.ranks - 1;
    TRY(whole_of(run, statement->line, field->key, &of->value, low, high, may_miss ? &exists : NULL, &whole));
    if (field->type == TEXT_RANK) *(int32_t *)member = exists ? (int32_t)whole : TRACE_NONE;
    else if (field->type == TEXT_TAG) *(int32_t *)member = (int32_t)whole;
    else *(int64_t *)member = exists ? whole : -1;
    return STATUS_OK;
}

static bool has_field(const struct statement *statement, int field)
{
    for (size_t i = 0; i < statement->value_count; i++)
        if (statement->values[i].field == field) return true;
    return false;
}

static enum status scale_disp(const struct program_run *run, const struct statement *statement, struct trace_call *call)
{
    if (call->rma.disp < 0 || call->peer == TRACE_NONE || !(call_row(call->call)->allowed & F_WIN)) return STATUS_OK;
    const struct trace_window *window = &run->trace->definitions.windows[call->handle];
    int32_t member = trace_comm_rank(&run->trace->definitions.comms[window->comm], call->peer);
    int64_t unit = window->disp_unit && member >= 0 ? window->disp_unit[member] : 1;
    if (__builtin_mul_overflow(call->rma.disp, unit, &call->rma.disp) || call->rma.disp > TRACE_DISP_MAX)
        RUN_FAIL(run, statement->line, "disp= of rank %.0f is beyond every address", run->variables[VARIABLE_RANK]);
    return STATUS_OK;
}

/* Sets the bytes of messages from or to MPI_PROC_NULL to 0. */
static void clear_missing(const struct statement *statement, struct text_values *values)
{
    struct trace_call *call = &values->call;
    bool to_partner = has_field(statement, F_TARGET_INDEX) || has_field(statement, F_PEER_INDEX);
    if (to_partner && call->peer == TRACE_NONE) call->bytes = 0;
    if (has_field(statement, F_TARGET_INDEX) && call->peer == TRACE_NONE) {
        call->any.second = 0;
        call->any.first = -1;
    }
    if (has_field(statement, F_SOURCE_INDEX) && values->source == TRACE_NONE) values->received = 0;
}

static enum status set_handles(const struct program_run *run, struct trace_call *call)
{
    const struct program_model *model = run->model;
    int32_t rank = (int32_t)run->variables[VARIABLE_RANK];
    uint32_t allowed = call_row(call->call)->allowed;
    if (call->handle >= 0 && (allowed & F_WIN))
        call->handle = run->window_first[call->handle] +
                       comm_of_place(run, &model->comms[model->windows[call->handle].comm], rank);
    else if (call->handle >= 0)
        call->handle = run->comm_first[call->handle] + comm_of_place(run, &model->comms[call->handle], rank);
    if ((allowed & F_NEWCOMM) && call->comm.newcomm != TRACE_NO_REF)
        call->comm.newcomm = (uint32_t)(run->comm_first[call->comm.newcomm] +
                                        comm_of_place(run, &model->comms[call->comm.newcomm], rank));
    return STATUS_OK;
}

/* Adds a group; "all" and "others" are those of the window's communicator. */
static enum status add_members(struct program_run *run, const struct statement *statement, int32_t window, uint32_t *group)
{
    uint32_t count = 0;
    int32_t ranks = run->grid.ranks, own = (int32_t)run->variables[VARIABLE_RANK];
    const struct trace_comm *comm = &run->trace->definitions.comms[run->trace->definitions.windows[window].comm];
    uint64_t members = statement->group == GROUP_LISTED ? statement->member_count : (uint64_t)comm->count;
    TRY(spend_work(run, statement->line, MEMBER_WORK * members));
    for (uint32_t i = 0; statement->group != GROUP_LISTED && i < comm->count; i++)
        if (statement->group == GROUP_ALL || comm->members[i] != own) run->members[count++] = comm->members[i];
    for (size_t i = 0; i < statement->member_count; i++) {
        bool exists;
        int64_t member;
        TRY(whole_of(run, statement->line, "group=", &statement->members[i], 0, ranks - 1, &exists, &member));
        bool again = !exists;
        for (uint32_t j = 0; j < count && !again; j++) again = run->members[j] == member;
        if (!again) run->members[count++] = (int32_t)member;
    }
    return trace_add_group(run->trace, run->members, count, group, run->err);
}

/* Whether a wait for requests by their names completes one that `before` others of its name are open before. */
static bool is_waited_for(const struct statement *statement, uint32_t name, int32_t before)
{
    for (size_t i = 0; i < statement->waited_count; i++)
        if (statement->waited[i].name == name && (statement->waited[i].place < 0 || statement->waited[i].place == before))
            return true;
    return false;
}

/* Moves the requests that the statement waits for behind the others, which keep their order. Returns how many others there
 * are. */
static size_t part_requests(struct run_rank *state, const struct statement *statement, struct run_request *taken)
{
    size_t kept = 0, count = 0, whole = state->open_count;
    for (size_t i = 0; i < whole; i++) {
        bool named = false;
        if (statement->requests == REQUESTS_NAMED) {
            int32_t before = 0;
            for (size_t k = 0; k < kept; k++) before += state->open[k].name == state->open[i].name;
            for (size_t k = 0; k < count; k++) before += taken[k].name == state->open[i].name;
            named = is_waited_for(statement, state->open[i].name, before);
        }
        if (named || statement->requests == REQUESTS_ALL || statement->requests == (int64_t)i) taken[count++] = state->open[i];
        else state->open[kept++] = state->open[i];
    }
    if (count > 0) memcpy(state->open + kept, taken, count * sizeof *taken);
    return kept;
}

static enum status add_wait(struct program_run *run, struct run_rank *state, const struct statement *statement, uint32_t *ref)
{
    if (statement->requests >= 0 && (size_t)statement->requests >= state->open_count)
        RUN_FAIL(run, statement->line, "rank %u has %zu requests that are not completed, expected %zu", state->rank,
                 state->open_count, (size_t)statement->requests + 1);
    struct run_request *taken = malloc((state->open_count + 1) * sizeof *taken);
    uint32_t *numbers = malloc((state->open_count + 1) * sizeof *numbers);
    enum status status = taken && numbers ? STATUS_OK : err_memory(run->err);
    if (status == STATUS_OK) {
        size_t kept = part_requests(state, statement, taken), count = state->open_count - kept;
        for (size_t i = 0; i < count; i++) numbers[i] = taken[i].number;
        state->open_count = kept;
        if (call_row(statement->call.call)->needed & F_REQS)
            status = trace_add_list(run->trace, numbers, (uint32_t)count, ref, run->err);
        else *ref = count > 0 ? numbers[0] : TRACE_NO_REF;
    }
    FREE_ALL(taken, numbers);
    return status;
}

static enum status add_reference(struct program_run *run, struct run_rank *state, const struct statement *statement,
                                 struct trace_call *call)
{
    if (statement->group != GROUP_NONE) return add_members(run, statement, call->handle, &call->sync.group);
    if (statement->requests != REQUESTS_NONE) return add_wait(run, state, statement, &call->ref);
    if (!call_makes_request(call->call)) return STATUS_OK;
    call->ref = state->next_request++;
    const struct run_request made = {call->ref, statement->request_name};
    ARRAY_PUSH(state->open, state->open_count, state->open_capacity, made, run->err);
    return STATUS_OK;
}

static enum status set_times(const struct program_run *run, struct run_rank *state, const struct statement *body,
                             const struct statement *statement, struct trace_call *call)
{
    int64_t before_ps, slept_ps;
    double takes = 0;
    int32_t place = state->placed ? COMPUTING_ABSENT : place_of(&state->place, body, statement);
    TRY(computing_ps(run, state, statement->line, place, &before_ps, &slept_ps));
    if (statement->takes.operations) TRY(value_of(run, statement->line, "takes=", &statement->takes, &takes));
    call->enter_ps = units_add_ps(state->now_ps, units_add_ps(before_ps, state->computed_ps));
    call->exit_ps = units_add_ps(call->enter_ps, takes > 0 ? units_ps(takes) : 0);
    if (call->exit_ps > TRACE_TIME_MAX_PS) RUN_FAIL(run, statement->line, "the run takes too long, expected up to 69 days");
    state->now_ps = call->exit_ps;
    state->slept_ps = units_add_ps(slept_ps, state->computed_slept_ps);
    state->computed_ps = state->computed_slept_ps = 0;
    state->placed = false;
    return STATUS_OK;
}

static enum status make_call(struct program_run *run, struct run_rank *state, const struct statement *body,
                             const struct statement *statement, struct trace_call *call)
{
    struct text_values values = {.call = statement->call, .source = TRACE_NONE};
    uint32_t allowed = call_row(statement->call.call)->allowed;
    for (size_t i = 0; i < statement->value_count; i++) TRY(set_number(run, statement, &statement->values[i], &values));
    TRY(set_handles(run, &values.call));
    clear_missing(statement, &values);
    if ((allowed & F_RECEIVED) && !(allowed & F_SENT)) values.call.collective.recv_bytes = values.received;
    if (allowed & F_SOURCE) {
        values.call.exchange.source = values.source;
        values.call.exchange.recv_tag = values.recv_tag;
    } else if (has_field(statement, F_DISP_INDEX)) TRY(scale_disp(run, statement, &values.call));
    TRY(add_reference(run, state, statement, &values.call));
    TRY(set_times(run, state, body, statement, &values.call));
    *call = values.call;
    return STATUS_OK;
}

/* --- statements --- */

static void enter_body(struct run_rank *state, const struct statement *loop, const struct statement *body, size_t count,
                       int64_t rounds)
{
    const struct run_frame *outer = &state->frames[state->depth - 1];
    state->frames[state->depth++] = (struct run_frame){
        .body = body,
        .place = loop->kind == STATEMENT_BLOCK ? outer->place : body,
        .loop = loop,
        .count = count,
        .rounds = rounds,
        .calls = state->calls,
        .computed_ps = state->computed_ps,
        .plain_ps = state->plain_ps,
        .entered = state->place.entered};
    bool counts = loop->kind == STATEMENT_REPEAT && loop->before != COMPUTING_ABSENT;
    if (counts && !state->place.entered) state->place.entered = loop;
}

enum status run_too_long(const struct program_run *run, struct err *err)
{
    return err_set(err, STATUS_DATA, run->model->file, NULL, "more than %d calls, expected fewer ranks or repetitions",
                   PROGRAM_CALLS_MAX);
}

static int64_t again_ps(int64_t from_ps, int64_t to_ps, int64_t times)
{
    int64_t more_ps;
    return units_add_ps(to_ps, __builtin_mul_overflow(to_ps - from_ps, times, &more_ps) ? INT64_MAX : more_ps);
}

/* The rounds behind the first one of a loop. Where each does what that one did and that made no call, their computing is
 * counted. Where they are certainly too many, they do not begin. */
static enum status meet_other_rounds(struct program_run *run, struct run_rank *state, struct run_frame *frame)
{
    uint64_t left = (uint64_t)frame->rounds - 1, calls = state->calls - frame->calls, steps;
    if (!frame->loop->varies && calls == 0) {
        state->computed_ps = again_ps(frame->computed_ps, state->computed_ps, (int64_t)left);
        state->plain_ps = again_ps(frame->plain_ps, state->plain_ps, (int64_t)left);
        frame->round = frame->rounds - 1;
        return STATUS_OK;
    }
    if (__builtin_mul_overflow(left, frame->count, &steps) || steps > run->work)
        TRY(spend_work(run, frame->loop->line, UINT64_MAX));
    return frame->loop->varies || calls <= run->room / left ? STATUS_OK : run_too_long(run, run->err);
}

/* Leaves a body after its last round; the frame below continues. */
static void leave_body(struct run_rank *state)
{
    const struct run_frame *frame = &state->frames[--state->depth];
    if (frame->loop && frame->loop->kind == STATEMENT_BLOCK) return; /* as if its statements were outside the block */
    if (frame->calls == state->calls) state->place.entered = frame->entered; /* the rank took none of its statements */
    else if (frame->loop)
        state->place = (struct run_place){.previous = frame->loop, .body = state->frames[state->depth - 1].place};
}

static enum status begin_statement(struct program_run *run, struct run_rank *state, const struct statement *statement)
{
    int64_t rounds = 1;
    double value;
    switch (statement->kind) {
    case STATEMENT_COMPUTE:
        state->placed = state->placed || statement->computing >= 0;
        return add_compute(run, state, statement);
    case STATEMENT_REPEAT:
        TRY(whole_of(run, statement->line, "the number of repetitions", &statement->amount, 0, WHOLE_MAX, NULL, &rounds));
        if (rounds > 0 && statement->body_count > 0) enter_body(state, statement, statement->body, statement->body_count, rounds);
        return STATUS_OK;
    case STATEMENT_IF:
        TRY(value_of(run, statement->line, "the condition", &statement->amount, &value));
        if (isnan(value)) RUN_FAIL(run, statement->line, "the condition is none, expected exists()");
        if (value != 0 && statement->body_count > 0) enter_body(state, statement, statement->body, statement->body_count, 1);
        if (value == 0 && statement->other_count > 0) enter_body(state, statement, statement->other, statement->other_count, 1);
        return STATUS_OK;
    default: break;
    }
    if (statement->reduced) return add_compute(run, state, statement);
    if (statement->body_count > 0) enter_body(state, statement, statement->body, statement->body_count, 1);
    return STATUS_OK;
}

static enum status is_taken(const struct program_run *run, const struct statement *statement, bool *taken)
{
    double value = 1;
    if (statement->when.operations) TRY(value_of(run, statement->line, "when=", &statement->when, &value));
    if (isnan(value)) RUN_FAIL(run, statement->line, "when= is none, expected exists()");
    *taken = value != 0;
    return STATUS_OK;
}

static void set_variables_of(const struct program_run *run, const struct run_rank *state)
{
    set_place(run, (int32_t)state->rank);
    for (uint32_t i = 0; i < state->depth; i++)
        if (state->frames[i].loop && state->frames[i].loop->variable)
            run->variables[state->frames[i].loop->variable] = (double)state->frames[i].round;
}

/* Makes the end of a rank whose program ends with computing: a call that does nothing, since a trace has no time behind a
 * rank's last call. */
static enum status make_end(struct program_run *run, struct run_rank *state, struct trace_call *call)
{
    static const struct statement end = {.before = COMPUTING_ZERO};
    *call = (struct trace_call){.any = TRACE_NO_MEMBERS, .handle = TRACE_NONE, .peer = TRACE_NONE, .call = ID_Pcontrol};
    state->place = (struct run_place){.body = NULL};
    state->calls++;
    return set_times(run, state, NULL, &end, call);
}

enum status run_rank_add(struct program_run *run, struct run_rank *state, const struct trace_call *call, struct err *err)
{
    struct trace *trace = run->trace;
    TRY(trace_add_call(trace, state->rank, call, err));
    if (state->slept_ps == 0 || state->calls == 1) return STATUS_OK; /* time may begin with its first call */
    return trace_set_before(trace, state->rank, trace->ranks[state->rank].count - 1, BEFORE_SLEPT, state->slept_ps, err);
}

enum status run_rank_next(struct program_run *run, struct run_rank *state, struct trace_call *call, bool *ended, struct err *err)
{
    run->err = err;
    *ended = false;
    set_variables_of(run, state);
    while (state->depth > 0) {
        struct run_frame *frame = &state->frames[state->depth - 1];
        if (frame->next == frame->count && frame->round == 0 && frame->rounds > 1) TRY(meet_other_rounds(run, state, frame));
        if (frame->next == frame->count && ++frame->round < frame->rounds) {
            frame->next = 0;
            if (frame->loop && frame->loop->variable) run->variables[frame->loop->variable] = (double)frame->round;
        }
        if (frame->next == frame->count) {
            leave_body(state);
            continue;
        }
        const struct statement *body = frame->body, *statement = &body[frame->next++];
        bool taken;
        TRY(spend_work(run, statement->line, 1));
        TRY(spend_idle(run, state, statement->line));
        TRY(is_taken(run, statement, &taken));
        if (!taken) continue;
        if (statement->kind == STATEMENT_CALL) {
            TRY(make_call(run, state, frame->place, statement, call));
            state->calls++;
            state->idle = 0;
            state->place = (struct run_place){.previous = statement, .body = frame->place};
            return STATUS_OK;
        }
        TRY(begin_statement(run, state, statement));
        if (statement->kind == STATEMENT_REPEAT && statement->variable) run->variables[statement->variable] = 0;
    }
    if (state->computed_ps > 0) return make_end(run, state, call);
    *ended = true;
    return STATUS_OK;
}
