/* scale_learn() of predictors/scale/scale.h: from runs to a program. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/memory_text.h"
#include "common/search.h"
#include "common/text/text.h"
#include "predictors/scale/block_noise.h"
#include "predictors/scale/ends.h"
#include "predictors/scale/loops.h"
#include "predictors/scale/merge.h"
#include "predictors/scale/places.h"
#include "predictors/scale/scale.h"
#include "predictors/scale/walk.h"

struct learner {
    const struct trace **traces; /* as program->runs */
    struct run *runs;
    size_t count;
    struct keys keys;
    struct nodes *loops; /* of every rank of the largest run */
    struct program *program;
    struct walk walk;
    struct misfit misfit; /* the call that keeps the runs from having a program */
    double computing_s; /* of all ranks of the largest run */
    const struct statistics *statistics;
    struct tags tags;
    bool diagonals;      /* partners may be diagonal neighbours without those between */
    bool lone_diagonals; /* that would have let a grid fit */
    bool checked; /* the runs are such of which a program can be learned */
    struct err *err;
};

static const struct trace *largest_trace(const struct learner *learner)
{
    return learner->traces[learner->count - 1];
}

struct order {
    struct program_run_scale scale;
    const struct trace *trace;
};

ORDER(by_scale, struct order, UP(scale.ranks) UP(scale.n))

static enum status sort_traces(struct learner *learner, const struct scale_runs *runs)
{
    struct order order[runs->count];
    struct program *program = learner->program;
    for (size_t i = 0; i < runs->count; i++) {
        order[i] = (struct order){{(int32_t)runs->traces[i]->rank_count, 0}, runs->traces[i]};
        if (runs->parameter) order[i].scale.n = runs->values[i];
    }
    qsort(order, runs->count, sizeof *order, by_scale);
    learner->traces = calloc(runs->count, sizeof *learner->traces);
    program->runs = calloc(runs->count, sizeof *program->runs);
    if (runs->parameter) program->parameter = strdup(runs->parameter);
    if (!learner->traces || !program->runs || (runs->parameter && !program->parameter)) return err_memory(learner->err);
    for (size_t i = 0; i < runs->count; i++) {
        learner->traces[i] = order[i].trace;
        program->runs[i] = order[i].scale;
    }
    learner->count = program->run_count = runs->count;
    return trace_find_memory(learner->traces[runs->count - 1], &program->memory, learner->err);
}

/* Runs with equal ranks show the influence of the parameter, and runs with equal parameters that of the ranks. */
static enum status check_parameter(const struct learner *learner)
{
    const struct program *program = learner->program;
    bool other_n = false, other_ranks = false;
    for (size_t i = 0; i < learner->count; i++)
        for (size_t k = i + 1; k < learner->count; k++) {
            const struct program_run_scale *a = &program->runs[i], *b = &program->runs[k];
            other_n = other_n || (a->ranks == b->ranks && a->n != b->n);
            other_ranks = other_ranks || (a->ranks != b->ranks && a->n == b->n);
        }
    if (other_n && other_ranks) return STATUS_OK;
    return err_set(
        learner->err, STATUS_DATA, largest_trace(learner)->name, NULL,
        "the runs do not tell the ranks from %s: expected two runs of equal ranks with different %s, and two of "
        "different ranks with equal %s",
        program->parameter, program->parameter, program->parameter);
}

static enum status check_scales(const struct learner *learner)
{
    const struct program_run_scale *runs = learner->program->runs;
    if (learner->count < 2)
        return err_set(learner->err, STATUS_DATA, learner->traces[0]->name, NULL,
                       "one run can be replayed, but says nothing of other scales; expected traces of two or more "
                       "numbers of ranks");
    for (size_t i = 1; i < learner->count; i++)
        if (runs[i].ranks == runs[i - 1].ranks && runs[i].n == runs[i - 1].n)
            return err_set(learner->err, STATUS_DATA, learner->traces[i]->name, NULL,
                           "has %u ranks like %s, expected runs of different numbers of ranks",
                           learner->traces[i]->rank_count, learner->traces[i - 1]->name);
    return learner->program->parameter ? check_parameter(learner) : STATUS_OK;
}

static enum status check_definitions(const struct learner *learner)
{
    const struct run *last = &learner->runs[learner->count - 1];
    size_t last_windows = numbers_count(&last->windows), last_comms = numbers_count(&last->comms);
    for (size_t i = 0; i + 1 < learner->count; i++) {
        size_t windows = numbers_count(&learner->runs[i].windows), comms = numbers_count(&learner->runs[i].comms);
        if (windows != last_windows || comms != last_comms)
            return err_set(learner->err, STATUS_DATA, learner->traces[i]->name, NULL,
                           "a rank has %zu windows and %zu communicators, in %s %zu and %zu: they are runs of different programs",
                           windows, comms, last->trace->name, last_windows, last_comms);
    }
    return STATUS_OK;
}

static enum status observe_runs(struct learner *learner)
{
    learner->runs = calloc(learner->count, sizeof *learner->runs);
    if (!learner->runs) return err_memory(learner->err);
    for (size_t i = 0; i < learner->count; i++)
        TRY(run_observe(learner->traces[i], learner->statistics, &learner->keys, &learner->runs[i], learner->err));
    return STATUS_OK;
}

static enum status find_loops(struct learner *learner)
{
    uint32_t ranks = largest_trace(learner)->rank_count;
    learner->loops = calloc(ranks, sizeof *learner->loops);
    if (!learner->loops) return err_memory(learner->err);
    for (uint32_t r = 0; r < ranks; r++)
        TRY(loops_find(&learner->runs[learner->count - 1], r, &learner->loops[r], learner->err));
    return STATUS_OK;
}

/* --- communicators --- */

/* Numbers communicators and windows, and assigns windows to communicators; this does not need the grid. */
static enum status number_objects(struct learner *learner)
{
    struct program *program = learner->program;
    const struct run *last = &learner->runs[learner->count - 1];
    program->comm_count = numbers_count(&last->comms);
    program->window_count = numbers_count(&last->windows);
    program->comms = calloc(program->comm_count + 1, sizeof *program->comms);
    program->windows = calloc(program->window_count + 1, sizeof *program->windows);
    if (!program->comms || !program->windows) return err_memory(learner->err);
    for (size_t i = 0; i < program->window_count; i++) {
        int32_t first = numbers_first(&last->windows, last->trace->definitions.window_count, (int32_t)i);
        program->windows[i].comm = (size_t)last->comms.number[last->trace->definitions.windows[first].comm];
    }
    return STATUS_OK;
}

static bool is_part(const struct trace_comm *comm, const struct grid *grid, unsigned shared)
{
    if ((int32_t)comm->count != grid_part_count(grid, shared)) return false;
    for (uint32_t i = 0; i < comm->count; i++)
        if (comm->members[i] != grid_part_rank(grid, comm->members[0], shared, (int32_t)i)) return false;
    return true;
}

/* Whether all communicators of that number are such a part of the grid, in all runs. If not, *wrong is one of *run that
 * is not. */
static bool are_parts(const struct learner *learner, const struct grid_shape *shape, size_t number, unsigned shared, size_t *run,
                      size_t *wrong)
{
    for (*run = 0; *run < learner->count; ++*run) {
        const struct trace *trace = learner->traces[*run];
        struct grid grid;
        if (!grid_make(shape, (int32_t)trace->rank_count, &grid)) return false;
        for (*wrong = 0; *wrong < trace->definitions.comm_count; ++*wrong)
            if (learner->runs[*run].comms.number[*wrong] == (int32_t)number &&
                !is_part(&trace->definitions.comms[*wrong], &grid, shared))
                return false;
    }
    return true;
}

/* The call by which a rank gets a communicator, or names it first. */
static size_t first_call(const struct trace *trace, uint32_t rank, size_t comm)
{
    const struct trace_rank *of = &trace->ranks[rank];
    for (size_t i = 0; i < of->count; i++) {
        const struct trace_call *call = &of->calls[i];
        if (call_kind(call->call) == CALL_COMM_CREATE && call->ref == comm) return i;
        if (trace_call_comm(trace, call) == &trace->definitions.comms[comm]) return i;
    }
    return 0;
}

static enum status no_part(const struct learner *learner, size_t run, size_t comm)
{
    const struct trace *trace = learner->traces[run];
    const struct trace_comm *of = &trace->definitions.comms[comm];
    char place[TRACE_PLACE_BYTES], members[64] = "";
    for (uint32_t i = 0; i < of->count && strlen(members) < sizeof members - 16; i++)
        snprintf(members + strlen(members), sizeof members - strlen(members), "%s%d", i ? ", " : "", of->members[i]);
    uint32_t rank = (uint32_t)of->members[0];
    size_t first = first_call(trace, rank, comm);
    if (learner->keys.misfit) misfit_set(learner->keys.misfit, trace, &trace->ranks[rank].calls[first]);
    return err_set(learner->err, STATUS_DATA, trace->name, trace_place(trace, rank, first, place),
                   "the communicator of the %u ranks %s%s is no row, column or plane of a grid of %u ranks, in their order",
                   of->count, members, of->count > 1 && strlen(members) >= sizeof members - 16 ? ", ..." : "", trace->rank_count);
}

static int dimensions_of(enum grid_rule rule)
{
    return rule == GRID_LINE ? 1 : rule == GRID_CUBE || rule == GRID_CUBE_HIGH ? 3 : 2;
}

/* Finds the part of the grid of each communicator: all, a line, a plane, the rank alone. */
static enum status find_parts(struct learner *learner, const struct grid_shape *shape)
{
    enum { ALL = 0, X = 6, Y = 5, Z = 3, XY = 4, XZ = 2, YZ = 1, PARTS = 7 };
    static const unsigned parts[GRID_DIMENSIONS][PARTS] = {{ALL, YZ}, {ALL, X, Y, Z}, {ALL, X, Y, Z, XY, XZ, YZ}};
    static const int counts[GRID_DIMENSIONS] = {2, 4, PARTS};
    int dimension = dimensions_of(shape->rule) - 1;
    struct program *program = learner->program;
    for (size_t number = 0; number < program->comm_count; number++) {
        size_t run = 0, wrong = 0;
        int i = 0;
        while (i < counts[dimension] && !are_parts(learner, shape, number, parts[dimension][i], &run, &wrong)) i++;
        if (i == counts[dimension]) return no_part(learner, run < learner->count ? run : 0, wrong);
        program->comms[number] = parts[dimension][i];
    }
    return STATUS_OK;
}

/* --- functions of the scale --- */

static const struct walk_sample *sample_of(const struct learner *learner, size_t run, const struct step *step)
{
    return &learner->walk.samples[run * learner->program->step_count + step->number];
}

static struct grid grid_of(const struct learner *learner, size_t run)
{
    struct grid grid;
    grid_make(&learner->program->shape, (int32_t)learner->traces[run]->rank_count, &grid);
    return grid;
}

/* The first call of the steps that is not collective; NULL: all are. */
static const struct step *find_misfit(const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *inside = find_misfit(steps[i].body, steps[i].count);
        if (inside) return inside;
        if (steps[i].kind == STEP_CALL && call_arm(call_kind(steps[i].call.call)) != ARM_COLLECTIVE) return &steps[i];
    }
    return NULL;
}

static void set_misfit(const struct learner *learner, const struct step *step)
{
    const struct step *inside = find_misfit(step, 1);
    if (inside) step = inside;
    while (step->kind != STEP_CALL) step = step->body;
    if (learner->keys.misfit) misfit_set(learner->keys.misfit, learner->keys.names, &learner->keys.items[step->key]);
}

static enum status no_function(const struct learner *learner, const struct step *step, const char *what,
                               const struct count_sample *samples, size_t count)
{
    const struct trace_site *site = &learner->keys.names->definitions.sites[step->call.site];
    const char *parameter = learner->program->parameter;
    char text[256];
    set_misfit(learner, step);
    /* "2000 at 4 ranks, 1000 at 8" */
    size_t size = sizeof text;
    size_t length = 0;
    for (size_t i = 0; i < count && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64 " at %d%s", i ? ", " : "",
                                   samples[i].value, samples[i].grid.ranks, i ? "" : " ranks");
        if (parameter && length < size)
            length += (size_t)snprintf(text + length, size - length, " and %s=%" PRId64, parameter, samples[i].n);
    }
    return err_set(learner->err, STATUS_DATA, largest_trace(learner)->name, NULL,
                   "%s%s%s: %s follow no function of the ranks%s%s: %s",
                   step->kind == STEP_CALL ? call_name(step->call.call) : "a repetition", site->file ? " in " : "",
                   site->file ? (site->function ? site->function : site->file) : "", what, parameter ? " and " : "",
                   parameter ? parameter : "", text);
}

static struct count_sample sample_at(const struct learner *learner, size_t run, int64_t value)
{
    return (struct count_sample){grid_of(learner, run), learner->program->runs[run].n, value};
}

/* Uses the first function that holds, and keeps the others as doubts. site may be TRACE_NO_SITE, and call
 * ID_none. Returns false if there is no function, or *failed. */
static bool fit_count(const struct learner *learner, const struct program_doubt *about, const struct count_sample *samples,
                      size_t count, struct count_model *model, enum status *failed)
{
    struct program *program = learner->program;
    struct program_doubt doubt = *about;
    doubt.count = count > 0 ? count_model_fit(samples, count, doubt.models) : 0;
    *failed = STATUS_OK;
    if (doubt.count == 0) return false;
    *model = doubt.models[0];
    bool fixed = model->form == COUNT_FIXED && model->power == COUNT_WITHOUT; /* other forms give a number that is equal
                                                                                 in all runs, too */
    if (doubt.count == 1 || fixed) return true;
    *failed = array_reserve((void **)&program->doubts, &program->doubt_capacity, program->doubt_count + 1, sizeof doubt,
                            learner->err);
    if (*failed == STATUS_OK) program->doubts[program->doubt_count++] = doubt;
    return *failed == STATUS_OK;
}

static const struct walk_value *value_of(const struct learner *learner, size_t run, const struct step *step, size_t offset)
{
    return (const struct walk_value *)((const char *)sample_of(learner, run, step) + offset);
}

/* The mean of a size as a function of the ranks, like a computing time. Returns false if it misses a run's by a tenth of it. */
static bool fit_mean(const struct learner *learner, const struct step *step, size_t offset, struct size_model *model)
{
    struct time_sample samples[learner->count];
    size_t count = 0;
    for (size_t i = 0; i < learner->count; i++) {
        const struct walk_value *value = value_of(learner, i, step, offset);
        if (!value->seen) continue;
        model->least = count == 0 || value->least < model->least ? value->least : model->least;
        model->most = count == 0 || value->most > model->most ? value->most : model->most;
        samples[count++] = (struct time_sample){.ranks = learner->program->runs[i].ranks, .n = learner->program->runs[i].n,
                                                .count = value->count, .mean = value->sum / (double)value->count};
    }
    model->is_mean = true;
    time_model_fit(samples, count, false, &model->mean);
    for (size_t i = 0; i < count; i++) {
        const double mean = time_model_mean(&model->mean, samples[i].ranks, samples[i].n);
        if (fabs(mean - samples[i].mean) > 0.1 * samples[i].mean) return false;
    }
    return true;
}

static enum status fit_size(const struct learner *learner, const struct step *step, size_t offset, const char *what,
                            struct size_model *model)
{
    struct count_sample samples[learner->count];
    const struct program_doubt about = {what, step->call.call, step->call.site, {{0}}, 0};
    enum status failed = STATUS_OK;
    size_t count = 0, differs = learner->count;
    for (size_t i = 0; i < learner->count; i++) {
        const struct walk_value *value = value_of(learner, i, step, offset);
        if (value->seen) samples[count++] = sample_at(learner, i, value->value);
        if (value->differs) differs = i;
    }
    bool same = differs == learner->count;
    if (count == 0 || (same && fit_count(learner, &about, samples, count, &model->exact, &failed))) return failed;
    if (failed != STATUS_OK || (learner->program->lenient && fit_mean(learner, step, offset, model))) return failed;
    if (same) return no_function(learner, step, what, samples, count);
    set_misfit(learner, step);
    return err_set(learner->err, STATUS_DATA, learner->traces[differs]->name, NULL, "%s: %s differ between ranks or executions",
                   call_name(step->call.call), what);
}

static bool fit_displacement(const struct learner *learner, const struct step *step, enum displacement how,
                             struct count_model *model, enum status *failed)
{
    const struct program_doubt about = {"disp", step->call.call, step->call.site, {{0}}, 0};
    struct count_sample samples[learner->count];
    size_t count = 0;
    if (how == DISPLACEMENT_BY_TARGET && step->shared && step->partners[0].kind == PARTNER_OFFSET) return false;
    for (size_t i = 0; i < learner->count; i++) {
        const struct walk_value *value = &sample_of(learner, i, step)->disp[how];
        if (value->differs) return false;
        if (value->seen) samples[count++] = sample_at(learner, i, value->value);
    }
    return fit_count(learner, &about, samples, count, model, failed);
}

static enum status fit_displacements(const struct learner *learner, struct step *step)
{
    enum status failed = STATUS_OK;
    step->displacement = DISPLACEMENT_UNKNOWN;
    for (int how = DISPLACEMENT_FIXED; failed == STATUS_OK && how <= DISPLACEMENT_BY_TARGET; how++) {
        if (!fit_displacement(learner, step, how, &step->disp, &failed)) continue;
        step->displacement = how;
        break;
    }
    return failed;
}

/* Whether the place has little computing. Its times are mostly disturbance, and an accidental growth would dominate at
 * a thousand ranks. */
static bool is_small(const struct learner *learner, const struct time_sample *largest_run)
{
    const double small = 0.01;
    return largest_run->mean * (double)largest_run->count < small * learner->computing_s;
}

/* Collects the runs' samples at an offset of struct walk_sample. Returns how many there are. */
static size_t collect_times(const struct learner *learner, const struct step *step, size_t offset, struct time_sample *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < learner->count; i++) {
        const struct time_sample *time =
            (const struct time_sample *)((const char *)sample_of(learner, i, step) + offset);
        if (time->count == 0) continue;
        samples[count] = *time;
        samples[count].ranks = learner->program->runs[i].ranks;
        samples[count++].n = learner->program->runs[i].n;
    }
    return count;
}

static struct executions *executions_of(const struct learner *learner, size_t run, const struct step *step, size_t place)
{
    size_t places = (size_t)learner->program->step_count * COMPUTING_PLACES;
    return &learner->walk.executions[run * places + step->number * COMPUTING_PLACES + place];
}

/* Whether the step is an end of a statistical one. */
static bool is_statistical(const struct learner *learner, const struct step *step)
{
    if (step->kind != STEP_CALL || !call_is_region(step->call.call)) return false;
    const char *name = learner->keys.names->definitions.regions[step->call.region.region];
    for (size_t i = 0; i < learner->statistics->count; i++)
        if (strcmp(learner->statistics->of[i].name, name) == 0) return true;
    return false;
}

/* The ranks end a statistical step together, so they do not show its noise: the executions of one rank do. Sigma is such that
 * they count as those of all ranks do. */
static enum status step_noise(const struct executions *all, uint32_t ranks, double *sigma_s, struct err *err)
{
    uint32_t rank = 0;
    while (rank + 1 < ranks && all->first[rank + 1] == all->first[rank]) rank++;
    size_t first[2] = {0, all->first[rank + 1] - all->first[rank]};
    const struct executions own = {.values = all->values + all->first[rank], .count = first[1], .first = first, .most = first[1]};
    TRY(block_noise(&own, 1, sigma_s, err));
    *sigma_s *= sqrt((double)all->count / (double)own.count);
    return STATUS_OK;
}

/* Fits the computing of a place. *seen is false if no run has any. */
static enum status fit_place(const struct learner *learner, const struct step *step, size_t place, struct time_model *model,
                             bool *seen)
{
    struct time_sample samples[learner->count];
    size_t offset = offsetof(struct walk_sample, computing) + place * sizeof(struct time_sample);
    size_t count = collect_times(learner, step, offset, samples), at = 0;
    const bool statistical = is_statistical(learner, step);
    *seen = count > 0;
    if (count == 0) return STATUS_OK;
    for (size_t i = 0; i < learner->count; i++) {
        const struct executions *executions = executions_of(learner, i, step, place);
        double sigma_s;
        if (executions->count == 0) continue;
        const uint32_t ranks = learner->traces[i]->rank_count;
        if (statistical) TRY(step_noise(executions, ranks, &sigma_s, learner->err));
        else TRY(block_noise(executions, ranks, &sigma_s, learner->err));
        samples[at++].deviations = sigma_s * sigma_s * (double)(executions->count - 1);
    }
    bool is_start = step == learner->program->steps && place == COMPUTING_BEFORE;
    if (is_start) time_model_fit_last(samples, count, model); /* the time between the starts of processes */
    else time_model_fit(samples, count, is_small(learner, &samples[count - 1]), model);
    if (count < 3 && statistical) time_model_add_change(samples, count, model);
    if (count == 1 && !is_start) time_model_add_unknown(model);
    return STATUS_OK;
}

static enum status fit_computing(const struct learner *learner, struct step *step, size_t place)
{
    struct computing *made = &step->computing[place];
    bool seen;
    TRY(fit_place(learner, step, place, &made->model, &seen));
    if (!seen) return STATUS_OK;
    made->executions = calloc(learner->count, sizeof *made->executions);
    if (!made->executions) return err_memory(learner->err);
    made->run_count = learner->count;
    for (size_t i = 0; i < learner->count; i++) {
        struct executions *walked = executions_of(learner, i, step, place);
        made->executions[i] = *walked;
        *walked = (struct executions){.count = 0};
        TRY(executions_split(&made->executions[i], learner->traces[i]->rank_count, made->model.balanced, learner->err));
    }
    return STATUS_OK;
}

/* A place among all open requests is kept where it is the same in all runs. */
static void fit_waits(const struct learner *learner, struct step *step)
{
    for (size_t i = 0; i < learner->count; i++) {
        const struct walk_value *waits = &sample_of(learner, i, step)->waits;
        if (waits->differs || (waits->seen && waits->value != step->waits)) step->waits = WAIT_SOME;
    }
}

static enum status fit_call(const struct learner *learner, struct step *step)
{
    fit_waits(learner, step);
    TRY(fit_size(learner, step, offsetof(struct walk_sample, bytes), "bytes", &step->bytes));
    TRY(fit_size(learner, step, offsetof(struct walk_sample, aux), "bytes received", &step->aux));
    TRY(fit_displacements(learner, step));
    struct time_sample samples[learner->count];
    size_t count = collect_times(learner, step, offsetof(struct walk_sample, duration), samples);
    if (count > 0) time_model_fit(samples, count, is_small(learner, &samples[count - 1]), &step->duration);
    return STATUS_OK;
}

static enum status fit_rounds(const struct learner *learner, struct step *step)
{
    struct count_sample samples[learner->count];
    size_t count = 0;
    for (size_t i = 0; i < learner->count; i++) {
        uint64_t rounds = sample_of(learner, i, step)->rounds;
        if (rounds > 0) samples[count++] = sample_at(learner, i, (int64_t)rounds);
    }
    const struct program_doubt about = {"rounds", ID_none, TRACE_NO_SITE, {{0}}, 0};
    enum status failed = STATUS_OK;
    if (count == 0 || fit_count(learner, &about, samples, count, &step->rounds, &failed)) return STATUS_OK;
    return failed != STATUS_OK ? failed : no_function(learner, step, "rounds", samples, count);
}

static double computing_of(const struct learner *learner)
{
    double sum_s = 0;
    const struct walk_sample *samples = learner->walk.samples + (learner->count - 1) * learner->program->step_count;
    for (uint32_t i = 0; i < learner->program->step_count; i++)
        for (int place = 0; place < COMPUTING_REGION; place++)
            sum_s += samples[i].computing[place].mean * (double)samples[i].computing[place].count;
    return sum_s;
}

static enum status fit_steps(const struct learner *learner, struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind == STEP_CALL) TRY(fit_call(learner, &steps[i]));
        if (steps[i].kind == STEP_REPEAT) TRY(fit_rounds(learner, &steps[i]));
        for (size_t place = 0; place < COMPUTING_PLACES; place++) TRY(fit_computing(learner, &steps[i], place));
        TRY(fit_steps(learner, steps[i].body, steps[i].count));
    }
    return STATUS_OK;
}

/* Walks the runs again where computing gets places of its own. */
static enum status place_computing(struct learner *learner)
{
    bool changed;
    uint64_t matched;
    const double least = 0.01;
    enum status status =
        program_place_computing(learner->program, &learner->walk, least * computing_of(learner), &changed, learner->err);
    if (status == STATUS_OK && !changed) return STATUS_OK;
    walk_clear(&learner->walk, learner->program);
    TRY(status);
    learner->program->step_count = program_number_steps(learner->program->steps, learner->program->count, 0);
    program_pair_regions(learner->program->steps, learner->program->count);
    return walk_runs(learner->program, &learner->keys, learner->runs, learner->count, &learner->walk, &matched, learner->err);
}

/* --- the grid --- */

/* The k-th partner or member of a call; NULL: it has no so many. */
static const struct partner *partner_at(const struct step *step, size_t k)
{
    if (k < STEP_PARTNERS) return &step->partners[k];
    return k - STEP_PARTNERS < step->members.count ? &step->members.listed[k - STEP_PARTNERS] : NULL;
}

static bool has_neighbour(const struct step *steps, size_t count, const struct grid_offset *offset)
{
    const struct partner *partner;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; (partner = partner_at(&steps[i], k)); k++)
            if (partner->kind == PARTNER_OFFSET && grid_offset_equal(&partner->offset, offset)) return true;
        if (has_neighbour(steps[i].body, steps[i].count, offset)) return true;
    }
    return false;
}

/* A call with a diagonal neighbour where no call has those between, as (+1,-1) without (+1,0); NULL: there is none. Such
 * ranks are rather those of a line, or of another grid. */
static const struct step *find_lone_diagonal(const struct program *program, const struct step *steps, size_t count)
{
    const struct partner *partner;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; (partner = partner_at(&steps[i], k)); k++)
            for (int d = 0; partner->kind == PARTNER_OFFSET && d < GRID_DIMENSIONS; d++) {
                struct grid_offset side = {{0}};
                side.of[d] = partner->offset.of[d];
                if (side.of[d] != 0 && !has_neighbour(program->steps, program->count, &side)) return &steps[i];
            }
        const struct step *inside = find_lone_diagonal(program, steps[i].body, steps[i].count);
        if (inside) return inside;
    }
    return NULL;
}

static enum status check_diagonals(struct learner *learner)
{
    const struct program *program = learner->program;
    const struct step *lone = learner->diagonals ? NULL : find_lone_diagonal(program, program->steps, program->count);
    if (!lone) return STATUS_OK;
    learner->lone_diagonals = true;
    set_misfit(learner, lone);
    return err_set(learner->err, STATUS_DATA, largest_trace(learner)->name, NULL,
                   "%s has a diagonal neighbour, and none between", call_name(lone->call.call));
}

/* Partners that only happen to be those of the recorded ranks leave a send without a receive at another number of ranks. */
static enum status check_ends(const struct learner *learner)
{
    const struct program *program = learner->program;
    const int32_t largest = program_largest(program)->ranks;
    const struct step *odd;
    char grid[GRID_TEXT_BYTES];
    TRY(program_find_odd(program, largest, &odd, learner->err));
    if (odd) return STATUS_OK; /* in the run, too */
    for (int32_t times = 2; times <= 4 && largest <= INT32_MAX / 4; times += 2) {
        TRY(program_find_odd(program, times * largest, &odd, learner->err));
        if (!odd) continue;
        struct grid of = grid_of(learner, learner->count - 1);
        set_misfit(learner, odd);
        return err_set(learner->err, STATUS_DATA, largest_trace(learner)->name, NULL,
                       "%s: read as neighbours on %s, its partners have no other end at %d ranks; a run of more ranks may tell",
                       call_name(odd->call.call), grid_text(&of, grid), times * largest);
    }
    return STATUS_OK;
}

static enum status try_shape(struct learner *learner, const struct grid_shape *shape, uint64_t *matched)
{
    *matched = 0;
    learner->program->doubt_count = 0;
    TRY(find_parts(learner, shape));
    TRY(merge_ranks(&learner->runs[learner->count - 1], &learner->keys, learner->loops, shape, learner->program,
                    learner->err));
    program_pair_regions(learner->program->steps, learner->program->count);
    enum status status = check_diagonals(learner);
    if (status == STATUS_OK)
        status = walk_runs(learner->program, &learner->keys, learner->runs, learner->count, &learner->walk, matched,
                           learner->err);
    if (status == STATUS_OK) status = place_computing(learner);
    if (status == STATUS_OK) {
        learner->computing_s = computing_of(learner);
        status = fit_steps(learner, learner->program->steps, learner->program->count);
        walk_clear(&learner->walk, learner->program);
    }
    if (status == STATUS_OK) status = check_ends(learner);
    if (status == STATUS_OK) return status;
    steps_free(learner->program->steps, learner->program->count);
    learner->program->steps = NULL;
    learner->program->count = 0;
    return status;
}

struct search {
    struct learner *learner;
    struct err best; /* the error of the shape with which most calls agreed */
    struct misfit misfit; /* its call */
    uint64_t most;
    bool found;
};

static enum status search_shape(struct search *search, const struct grid_shape *shape)
{
    struct err err, *told = search->learner->err;
    uint64_t matched;
    search->learner->err = &err; /* the error of this shape; another one may fit */
    search->learner->keys.misfit->known = false;
    enum status status = try_shape(search->learner, shape, &matched);
    search->learner->err = told;
    search->found = status == STATUS_OK;
    if (status == STATUS_DATA && (search->best.status == STATUS_OK || matched > search->most)) {
        search->best = err;
        search->misfit = *search->learner->keys.misfit;
        search->most = matched;
    }
    if (status == STATUS_DATA) return STATUS_OK;
    if (status != STATUS_OK && told) *told = err;
    return status;
}

/* A periodic side of two ranks, each of which is the other's neighbour upwards and downwards. */
static bool has_pair(const struct learner *learner, const struct grid_shape *shape)
{
    struct grid grid;
    bool made = grid_make(shape, (int32_t)largest_trace(learner)->rank_count, &grid), pair = false;
    for (int d = 0; made && d < GRID_DIMENSIONS; d++) pair = pair || (grid.periodic[d] && grid.extents[d] == 2);
    return pair;
}

static enum status search_rule(struct search *search, enum grid_rule rule, int32_t fixed)
{
    const unsigned all = (1U << dimensions_of(rule)) - 1;
    for (unsigned at = 0; !search->found && at <= all; at++) { /* open, a torus, and then what is both */
        unsigned periodic = at > 1 ? at - 1 : at * all;
        struct grid_shape shape = {.rule = rule, .fixed = fixed};
        for (int d = 0; d < GRID_DIMENSIONS; d++) shape.periodic[d] = periodic >> d & 1;
        TRY(search_shape(search, &shape));
        search->learner->program->shifts = !search->found && has_pair(search->learner, &shape);
        if (search->learner->program->shifts) TRY(search_shape(search, &shape));
        if (!search->found) search->learner->program->shifts = false;
    }
    return STATUS_OK;
}

static enum status search_rules(struct search *search, enum grid_rule first, enum grid_rule end)
{
    for (enum grid_rule rule = first; !search->found && rule < end; rule++) TRY(search_rule(search, rule, 0));
    return STATUS_OK;
}

static enum status search_fixed(struct search *search)
{
    int32_t ranks = (int32_t)largest_trace(search->learner)->rank_count;
    for (int32_t fixed = 2; !search->found && fixed <= ranks / 2; fixed++) {
        if (ranks % fixed != 0) continue;
        TRY(search_rule(search, GRID_FIXED, fixed));
        if (!search->found) TRY(search_rule(search, GRID_FIXED_HIGH, fixed));
    }
    return STATUS_OK;
}

/* The simplest grid on which one program describes all runs, and its numbers are functions of the ranks. A side that is as long
 * in all runs is fixed rather than that of a cube. */
static enum status find_shape(struct learner *learner)
{
    struct search search = {.learner = learner};
    TRY(search_rules(&search, GRID_LINE, GRID_CUBE));
    TRY(search_fixed(&search));
    TRY(search_rules(&search, GRID_CUBE, GRID_FIXED));
    if (search.found) return STATUS_OK;
    *learner->err = search.best;
    *learner->keys.misfit = search.misfit;
    return STATUS_DATA;
}

/* --- partners of two rounds --- */

static bool is_side(const struct partner *partner)
{
    int32_t distance = 0;
    for (int d = 0; d < GRID_DIMENSIONS; d++) distance += abs(partner->offset.of[d]);
    return partner->kind != PARTNER_OFFSET || distance <= 1;
}

static bool have_sides_only(const struct step *steps, size_t count)
{
    const struct partner *partner;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; (partner = partner_at(&steps[i], k)); k++)
            if (!is_side(partner)) return false;
        if (!have_sides_only(steps[i].body, steps[i].count)) return false;
    }
    return true;
}

/* Of four ranks, two rounds with a partner each may be exchanges with neighbours, in a hypercube, or over doubled distances.
 * Neighbours along the sides of a grid are the most usual of these, and are taken; what else fits is refused. */
static enum status find_partners(struct learner *learner)
{
    struct program *program = learner->program;
    enum status status = STATUS_DATA;
    for (int pass = 0; status == STATUS_DATA && pass < (learner->lone_diagonals ? 4 : 2); pass++) {
        program->lenient = pass % 2 == 1;
        learner->diagonals = pass >= 2;
        status = find_shape(learner);
    }
    if (status != STATUS_OK && status != STATUS_DATA) return status;
    uint32_t key;
    TRY(loops_two_rounds(&learner->runs[learner->count - 1], &program->two_rounds, &key, learner->err));
    if (program->two_rounds) program->of_call = learner->keys.items[key].call;
    if (!program->two_rounds || (status == STATUS_OK && have_sides_only(program->steps, program->count))) return status;
    misfit_set(&learner->misfit, learner->keys.names, &learner->keys.items[key]);
    return err_set(learner->err, STATUS_DATA, largest_trace(learner)->name, NULL,
                   "%s has two rounds of partners, which may be those of a hypercube, of doubled distances, or neighbours on a "
                   "grid: four ranks do not tell; expected a run of 8 ranks or more, whose third round does",
                   call_name(program->of_call));
}

/* --- windows --- */

/* The bytes of all windows of a number in one run; false if they differ. */
static bool window_bytes(const struct run *run, size_t number, int64_t *bytes)
{
    bool seen = false;
    for (size_t w = 0; w < run->trace->definitions.window_count; w++) {
        const struct trace_window *window = &run->trace->definitions.windows[w];
        if (run->windows.number[w] != (int32_t)number) continue;
        if (!window->bytes) return false;
        for (uint32_t i = 0; i < run->trace->definitions.comms[window->comm].count; i++) {
            if (seen && window->bytes[i] != *bytes) return false;
            *bytes = window->bytes[i];
            seen = true;
        }
    }
    return seen;
}

static enum status fit_window(const struct learner *learner, size_t number, struct program_window *made)
{
    const struct run *last = &learner->runs[learner->count - 1];
    const struct trace_window *window =
        &last->trace->definitions.windows[numbers_first(&last->windows, last->trace->definitions.window_count, (int32_t)number)];
    struct count_sample samples[learner->count];
    made->flavor = window->flavor;
    made->sized = true;
    if (window->disp_unit) made->disp_unit = window->disp_unit[0];
    for (size_t i = 0; i < learner->count; i++) {
        samples[i] = sample_at(learner, i, 0);
        made->sized = made->sized && window_bytes(&learner->runs[i], number, &samples[i].value);
    }
    const struct program_doubt about = {"bytes of a window", ID_none, TRACE_NO_SITE, {{0}}, 0};
    enum status failed = STATUS_OK;
    made->sized = made->sized && fit_count(learner, &about, samples, learner->count, &made->bytes, &failed);
    return failed;
}

/* --- parts without a program --- */

static const char *percent_text(double share, char text[16])
{
    snprintf(text, 16, share > 0 && share < 0.001 ? "less than 0.1" : share < 0.1 ? "%.1f" : "%.0f", 100 * share);
    return text;
}

/* "MPI_Alltoallv in main, main.c:40: bytes are 96 to 2048, their mean is taken: 65536 p^-1", once. */
static void tell_mean(const struct program *program, const struct step *step, const char *what, const struct size_model *size,
                      struct memory_text *told)
{
    char text[TIME_TEXT_BYTES], line[TIME_TEXT_BYTES + STATISTICS_NAME_BYTES + 128];
    struct misfit call;
    if (!size->is_mean) return;
    misfit_set(&call, program->names, &step->call);
    snprintf(line, sizeof line, "%s: %s are %" PRId64 " to %" PRId64 ", their mean is taken: %s", call.name, what, size->least,
             size->most, time_model_text(&size->mean, program->parameter, "", text));
    fflush(told->out);
    if (!told->text || !strstr(told->text, line)) text_print(told->out, "%s\n", line);
}

static void tell_means(const struct program *program, const struct step *steps, size_t count, struct memory_text *told)
{
    for (size_t i = 0; i < count; i++) {
        tell_mean(program, &steps[i], "bytes", &steps[i].bytes, told);
        tell_mean(program, &steps[i], "bytes received", &steps[i].aux, told);
        tell_means(program, steps[i].body, steps[i].count, told);
    }
}

/* "87 % of the run is modelled call by call, 13 % by its statistics: MPI_Send in redistribute, main.c:212". */
static void tell_steps(const struct learner *learner, FILE *out)
{
    const struct statistics *statistics = learner->statistics;
    const struct run *largest = &learner->runs[learner->count - 1];
    double all = 0;
    char share[16];
    if (statistics->count == 0) return;
    for (size_t i = 0; i < statistics->count; i++) all += (double)largest->step_ps[i];
    all /= largest->all_ps > 0 ? (double)largest->all_ps : 1;
    text_print(out, "%s %% of the run is modelled call by call, ", percent_text(1 - all, share));
    text_print(out, "%s %% by its statistics, with the times of the %s:\n", percent_text(all, share),
               largest_trace(learner)->provenance.simulated ? "replayed runs" : "recordings");
    for (size_t i = 0; i < statistics->count; i++) {
        double own = largest->all_ps > 0 ? (double)largest->step_ps[i] / (double)largest->all_ps : 0;
        text_print(out, "  %s %%: %s (%s)\n", percent_text(own, share), statistics->of[i].name, statistics->why[i]);
    }
}

static enum status tell_statistics(struct learner *learner)
{
    struct memory_text made;
    TRY(memory_text_open(&made, learner->err));
    tell_steps(learner, made.out);
    tell_means(learner->program, learner->program->steps, learner->program->count, &made);
    TRY(memory_text_close(&made, STATUS_OK, learner->err));
    learner->program->has_statistical_steps = learner->statistics->count > 0;
    if (made.bytes > 0) learner->program->statistics = made.text;
    else free(made.text);
    return STATUS_OK;
}

static enum status learn_program(struct learner *learner, const struct scale_runs *runs)
{
    TRY(sort_traces(learner, runs));
    TRY(check_scales(learner));
    TRY(keys_open(&learner->keys, learner->err));
    learner->keys.misfit = &learner->misfit;
    learner->checked = true;
    TRY(tags_learn(learner->traces, learner->count, &learner->tags, learner->err));
    learner->keys.tags = &learner->tags;
    TRY(observe_runs(learner));
    TRY(check_definitions(learner));
    TRY(number_objects(learner));
    TRY(find_loops(learner));
    TRY(find_partners(learner));
    for (size_t i = 0; i < learner->program->window_count; i++)
        TRY(fit_window(learner, i, &learner->program->windows[i]));
    learner->program->names = learner->keys.names;
    learner->keys.names = NULL;
    TRY(tell_statistics(learner));
    learner->program->waits = learner->keys.waits;
    learner->keys.waits = (struct wait_sets){.count = 0};
    return STATUS_OK;
}

/* Learns the program in which such steps are statistical. If there is none, *misfit is the call that does not fit, and *again
 * says whether one more step may help. */
static enum status learn_with(const struct scale_runs *runs, const struct statistics *statistics, struct program **program,
                              struct misfit *misfit, bool *again, struct err *err)
{
    struct learner learner = {.statistics = statistics, .err = err};
    learner.program = calloc(1, sizeof *learner.program);
    if (!learner.program) return err_memory(err);
    enum status status = learn_program(&learner, runs);
    for (uint32_t r = 0; learner.loops && r < largest_trace(&learner)->rank_count; r++)
        nodes_free(learner.loops[r].items, learner.loops[r].count);
    for (size_t i = 0; learner.runs && i < learner.count; i++)
        if (learner.runs[i].trace) run_clear(&learner.runs[i]);
    FREE_ALL(learner.loops, learner.runs, learner.traces);
    keys_clear(&learner.keys);
    tags_clear(&learner.tags);
    *misfit = learner.misfit;
    *again = status == STATUS_DATA && learner.checked;
    if (status == STATUS_OK) *program = learner.program;
    else program_free(learner.program);
    return status;
}

static void note_functions(const struct trace *trace, bool called[MPI_CALL_COUNT])
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) called[trace->ranks[rank].calls[i].call] = true;
}

/* Whether the runs may be runs of one program: of two, one calls all functions that the other one calls, and maybe more, since
 * fewer ranks have fewer neighbours. */
static bool call_the_same(const struct scale_runs *runs)
{
    for (size_t t = 1; t < runs->count; t++) {
        bool before[MPI_CALL_COUNT] = {false}, called[MPI_CALL_COUNT] = {false}, more = false, less = false;
        note_functions(runs->traces[t - 1], before);
        note_functions(runs->traces[t], called);
        for (size_t i = 0; i < MPI_CALL_COUNT; i++) {
            more = more || (called[i] && !before[i]);
            less = less || (before[i] && !called[i]);
        }
        if (more && less) return false;
    }
    return true;
}

/* Makes a call's surroundings a step. If it is one already, or nobody knows which call it is, the whole run becomes one. Returns
 * false if it is one. */
static bool add_step(struct statistics *statistics, const struct misfit *misfit, const char *why)
{
    struct misfit made = *misfit;
    bool known = made.known && statistics->count + 1 < STATISTICS_MAX;
    for (size_t i = 0; i < statistics->count; i++) known = known && statistics->of[i].hash != made.hash;
    if (statistics->whole) return false;
    if (!known) {
        made = (struct misfit){.known = true};
        snprintf(made.name, sizeof made.name, "the whole run");
        statistics->whole = true;
    }
    statistics->of[statistics->count] = made;
    snprintf(statistics->why[statistics->count++], ERR_TEXT_BYTES, "%s", why);
    return true;
}

enum status scale_learn(const struct scale_runs *runs, struct program **program, struct err *err)
{
    struct statistics *statistics = calloc(1, sizeof *statistics);
    struct err first = {.status = STATUS_OK}, last;
    struct misfit misfit;
    bool again = statistics != NULL;
    enum status status = statistics ? STATUS_OK : err_memory(&last);
    while (again) {
        status = learn_with(runs, statistics, program, &misfit, &again, &last);
        if (first.status == STATUS_OK && status != STATUS_OK) first = last;
        again = again && call_the_same(runs) && add_step(statistics, &misfit, last.text);
    }
    free(statistics);
    if (status != STATUS_OK && err) *err = status == STATUS_DATA ? first : last;
    return status;
}
