/* scale_make() of predictors/scale/scale.h: a program's run at some number of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/scramble.h"
#include "common/units.h"
#include "predictors/scale/scale.h"
#include "trace/limits.h"

struct maker {
    const struct program *program;
    const struct scale_options *options;
    struct trace *trace;
    struct grid grid, observed;
    int32_t rank;
    uint32_t like; /* the rank of the largest run that has this one's place */
    uint32_t round;
    int64_t now_ps;
    size_t *executions; /* per step and place: how often the rank has computed there */
    struct program_place place;
    uint32_t *open;     /* requests that no call has completed */
    size_t open_count, open_capacity;
    uint32_t next_request;
    int32_t *members;
    struct err *err;
};

static enum status refuse(const struct maker *maker, const char *what)
{
    return err_set(maker->err, STATUS_DATA, NULL, NULL, "%u ranks: %s", maker->options->ranks, what);
}

static int32_t partner_of(const struct maker *maker, const struct partner *partner)
{
    return partner_rank(partner, &maker->grid, maker->rank, maker->round);
}

static int64_t compute_ps(struct maker *maker, const struct step *body, const struct step *next)
{
    int place;
    const struct step *step = program_computing(&maker->place, body, next, &place);
    const struct computing *computing = &step->computing[place];
    uint32_t number = step->number * COMPUTING_PLACES + (uint32_t)place;
    size_t execution = maker->executions[number]++;
    double mean = time_model_mean(&computing->model, maker->grid.ranks), factor;
    maker->place.entered = NULL;
    if (mean <= 0) return 0;
    uint64_t random = scramble(maker->options->seed ^ scramble((uint64_t)maker->rank << 32 | number));
    if (maker->grid.ranks == maker->program->observed)
        factor = executions_observed(&computing->executions, maker->like, execution);
    else factor = executions_drawn(&computing->executions, maker->like, execution, scramble(random ^ execution));
    return llround(mean * factor * maker->options->compute * UNITS_PS_PER_S);
}

static enum status add_members(struct maker *maker, const struct step *step, uint32_t *group)
{
    uint32_t count = 0;
    if (step->members.kind == MEMBERS_LISTED) {
        for (size_t i = 0; i < step->members.count; i++) {
            int32_t member = partner_of(maker, &step->members.listed[i]);
            bool again = member < 0;
            for (uint32_t j = 0; j < count && !again; j++) again = maker->members[j] == member;
            if (!again) maker->members[count++] = member;
        }
    } else
        for (int32_t r = 0; r < maker->grid.ranks; r++)
            if (step->members.kind == MEMBERS_ALL || r != maker->rank) maker->members[count++] = r;
    return trace_add_group(maker->trace, maker->members, count, group, maker->err);
}

static enum status add_wait(struct maker *maker, const struct step *step, uint32_t *ref)
{
    bool list = call_kind(step->call.call) == CALL_REQUEST_WAITALL;
    size_t first = step->waits == WAIT_ALL ? 0 : (size_t)step->waits;
    size_t count = step->waits == WAIT_ALL ? maker->open_count : 1;
    if (first + count > maker->open_count) return refuse(maker, "a wait has no request left to wait for");
    if (list) TRY(trace_add_list(maker->trace, maker->open + first, (uint32_t)count, ref, maker->err));
    else if (count > 0) *ref = maker->open[first];
    maker->open_count -= count;
    memmove(maker->open + first, maker->open + first + count, (maker->open_count - first) * sizeof *maker->open);
    return STATUS_OK;
}

static enum status add_reference(struct maker *maker, const struct step *step, struct trace_call *call)
{
    if (step->members.kind != MEMBERS_NONE) return add_members(maker, step, &call->ref);
    if (step->waits != WAIT_NONE) return add_wait(maker, step, &call->ref);
    if (!call_makes_request(step->call.call)) return STATUS_OK;
    call->ref = maker->next_request++;
    ARRAY_PUSH(maker->open, maker->open_count, maker->open_capacity, call->ref, maker->err);
    return STATUS_OK;
}

static enum status set_counts(const struct maker *maker, const struct step *step, struct trace_call *call)
{
    int64_t disp;
    call->disp = -1;
    if (step->null_outside && call->peer == TRACE_NONE) return STATUS_OK; /* MPI_PROC_NULL: nothing moves */
    if (!count_model_value(&step->bytes, &maker->grid, &call->bytes) ||
        !count_model_value(&step->aux, &maker->grid, &call->aux))
        return refuse(maker, "a size has no value there");
    if (call_kind(call->call) == CALL_SENDRECV) {
        trace_call_set_receive(call, partner_of(maker, &step->partners[1]), (int32_t)step->call.aux);
        return STATUS_OK;
    }
    if (step->displacement == DISPLACEMENT_UNKNOWN || !count_model_value(&step->disp, &maker->grid, &disp))
        return STATUS_OK;
    int64_t by = step->displacement == DISPLACEMENT_BY_RANK     ? maker->rank
                 : step->displacement == DISPLACEMENT_BY_TARGET ? call->peer
                                                                : 1;
    if (__builtin_mul_overflow(disp, by, &call->disp) || call->disp > TRACE_DISP_MAX)
        return refuse(maker, "a displacement is too large");
    return STATUS_OK;
}

static enum status make_call(struct maker *maker, const struct step *body, const struct step *step)
{
    struct trace_call call = step->call;
    call.peer = partner_of(maker, &step->partners[0]);
    call.aux = 0;
    TRY(set_counts(maker, step, &call));
    TRY(add_reference(maker, step, &call));
    maker->now_ps += compute_ps(maker, body, step);
    call.enter_ps = maker->now_ps;
    maker->now_ps += llround(time_model_mean(&step->duration, maker->grid.ranks) * UNITS_PS_PER_S);
    call.exit_ps = maker->now_ps;
    if (maker->now_ps > TRACE_TIME_MAX_PS || maker->now_ps < 0) return refuse(maker, "the run takes too long");
    return trace_add_call(maker->trace, (uint32_t)maker->rank, &call, maker->err);
}

static enum status make_steps(struct maker *maker, const struct step *steps, size_t count);

static enum status make_rounds(struct maker *maker, const struct step *step)
{
    int64_t rounds = series_rounds(step->series, maker->grid.ranks);
    uint32_t before = maker->round;
    if (step->kind == STEP_REPEAT && !count_model_value(&step->rounds, &maker->grid, &rounds))
        return refuse(maker, "a number of repetitions has no value there");
    if (step->kind == STEP_SERIES && rounds == 0 && maker->grid.ranks > 1)
        return refuse(maker, "partners are found by exclusive or, expected a power of two");
    for (int64_t i = 0; i < rounds; i++) {
        if (step->kind == STEP_SERIES) maker->round = (uint32_t)i;
        TRY(make_steps(maker, step->body, step->count));
    }
    maker->round = before;
    return STATUS_OK;
}

static enum status make_steps(struct maker *maker, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!step_taken(&steps[i], &maker->grid, maker->rank)) continue;
        const struct step *entered = maker->place.entered;
        size_t before = maker->trace->ranks[maker->rank].count;
        if (steps[i].kind != STEP_CALL && !entered) maker->place.entered = &steps[i];
        if (steps[i].kind == STEP_CALL) TRY(make_call(maker, steps, &steps[i]));
        else TRY(make_rounds(maker, &steps[i]));
        if (maker->trace->ranks[maker->rank].count == before) maker->place.entered = entered;
        else maker->place = (struct program_place){.previous = &steps[i], .body = steps};
    }
    return STATUS_OK;
}

static enum status add_window(struct maker *maker, const struct program_window *window)
{
    uint32_t ranks = maker->options->ranks;
    int64_t *bytes = malloc(ranks * sizeof *bytes), size = 0;
    int32_t *units = malloc(ranks * sizeof *units), id;
    enum status status = bytes && units ? STATUS_OK : err_memory(maker->err);
    bool sized = window->sized && count_model_value(&window->bytes, &maker->grid, &size);
    for (uint32_t r = 0; status == STATUS_OK && r < ranks; r++) {
        bytes[r] = size;
        units[r] = window->disp_unit;
    }
    if (status == STATUS_OK)
        status = trace_add_window(maker->trace, 0, sized ? bytes : NULL, window->disp_unit ? units : NULL,
                                  window->flavor, &id, maker->err);
    free(bytes);
    free(units);
    return status;
}

static enum status add_definitions(struct maker *maker)
{
    const struct program *program = maker->program;
    uint32_t id;
    int32_t comm;
    for (int32_t r = 0; r < maker->grid.ranks; r++) maker->members[r] = r;
    for (size_t i = 1; i < program->comm_count; i++)
        TRY(trace_add_comm(maker->trace, maker->members, maker->options->ranks, &comm, maker->err));
    for (size_t i = 0; i < program->window_count; i++) TRY(add_window(maker, &program->windows[i]));
    for (size_t i = 0; i < program->names->region_count; i++)
        TRY(trace_add_region(maker->trace, program->names->regions[i], &id, maker->err));
    for (size_t i = 1; i < program->names->site_count; i++) {
        const struct trace_site *site = &program->names->sites[i];
        TRY(trace_add_site(maker->trace, site->function, site->file, site->line, &id, maker->err));
    }
    return STATUS_OK;
}

static enum status make_rank(struct maker *maker, int32_t rank)
{
    maker->rank = rank;
    maker->like = (uint32_t)grid_similar(&maker->grid, rank, &maker->observed);
    maker->now_ps = 0;
    maker->place = (struct program_place){.previous = NULL};
    maker->open_count = 0;
    maker->next_request = 1;
    memset(maker->executions, 0, maker->program->step_count * COMPUTING_PLACES * sizeof *maker->executions);
    return make_steps(maker, maker->program->steps, maker->program->count);
}

static enum status make(struct maker *maker)
{
    const struct scale_options *options = maker->options;
    grid_make(&maker->program->shape, maker->program->observed, &maker->observed);
    if (!grid_make(&maker->program->shape, (int32_t)options->ranks, &maker->grid))
        return err_set(maker->err, STATUS_DATA, NULL, NULL, "%u ranks are no multiple of the grid's side of %d",
                       options->ranks, maker->program->shape.fixed);
    TRY(trace_new("scaled", options->ranks, &maker->trace, maker->err));
    maker->executions = calloc(maker->program->step_count * COMPUTING_PLACES + 1, sizeof *maker->executions);
    maker->members = calloc((size_t)options->ranks + 1, sizeof *maker->members);
    if (!maker->executions || !maker->members) return err_memory(maker->err);
    TRY(add_definitions(maker));
    for (int32_t r = 0; r < maker->grid.ranks; r++) TRY(make_rank(maker, r));
    return trace_check(maker->trace, maker->err);
}

enum status scale_make(const struct program *program, const struct scale_options *options, struct trace **trace,
                       struct err *err)
{
    struct maker maker = {.program = program, .options = options, .err = err};
    if (options->ranks == 0 || options->ranks > TRACE_RANKS_MAX)
        return err_set(err, STATUS_USAGE, NULL, NULL, "%u ranks, expected 1 to %d", options->ranks, TRACE_RANKS_MAX);
    enum status status = make(&maker);
    free(maker.executions);
    free(maker.members);
    free(maker.open);
    if (status == STATUS_OK) *trace = maker.trace;
    else trace_free(maker.trace);
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
