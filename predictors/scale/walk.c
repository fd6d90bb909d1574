#include "predictors/scale/walk.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"

/* Of a rank: calls and computing added up, how long the computing waited for a core, and how much of it was sleep. */
struct progress {
    int64_t ps, waited_ps, slept_ps;
};

enum { PASSED_MAX = 16 };

struct walker {
    const struct program *program;
    const struct keys *keys;
    const struct run *run;
    struct grid grid;
    struct walk_sample *samples; /* of this run */
    struct executions *executions; /* of this run */
    const struct observed_rank *rank;
    int32_t number; /* of the rank */
    size_t at, furthest;
    const struct step *expected; /* the last call that did not agree there */
    uint32_t round;
    struct program_place place;
    bool sampling;
    struct progress now;
    struct {
        const struct step *items[PASSED_MAX];
        size_t count;
    } passed; /* steps STEP_COMPUTE since the last call */
    struct walk *walk; /* of the largest run: gets its intervals; else NULL */
    struct progress *entered; /* owned, per step: the same after a call that enters a region */
    struct err *err;
    enum status failed; /* out of memory */
};

static int32_t partner_of(const struct walker *walker, const struct step *step, const struct partner *partner)
{
    return partner_rank(partner, &walker->grid, step->shared, walker->number, walker->round);
}

static bool are_in_part(const struct walker *walker, const struct step *step, const struct trace_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (!grid_part_has(&walker->grid, walker->number, step->shared, group->members[i])) return false;
    return true;
}

static bool members_agree(const struct walker *walker, const struct step *step, const struct observed *call)
{
    if (call->group == TRACE_NO_REF) return step->members.kind == MEMBERS_NONE;
    const struct trace_group *group = &walker->run->trace->definitions.groups[call->group];
    uint32_t ranks = (uint32_t)grid_part_count(&walker->grid, step->shared);
    switch (step->members.kind) {
    case MEMBERS_ALL: return group->count == ranks && are_in_part(walker, step, group);
    case MEMBERS_OTHERS:
        return group->count + 1 == ranks && trace_group_rank(group, walker->number) < 0 && are_in_part(walker, step, group);
    case MEMBERS_LISTED: break;
    default: return false;
    }
    uint32_t count = 0; /* two neighbours of a small periodic grid can be one rank */
    for (size_t i = 0; i < step->members.count; i++) {
        int32_t member = partner_of(walker, step, &step->members.listed[i]);
        bool again = member < 0;
        for (size_t j = 0; j < i && !again; j++) again = partner_of(walker, step, &step->members.listed[j]) == member;
        if (again) continue;
        if (trace_group_rank(group, member) < 0) return false;
        count++;
    }
    return count == group->count;
}

static bool call_agrees(const struct walker *walker, const struct step *step, const struct observed *call)
{
    const struct trace_call *key = &walker->keys->items[call->key], *own = &step->call;
    if (key->call != own->call || key->flags != own->flags || key->handle != own->handle ||
        key->any.third != own->any.third || key->site != own->site || key->ref != own->ref ||
        key->any.second != own->any.second ||
        !wait_sets_agree(&walker->keys->waits, step->completed, call->completed, call->left))
        return false;
    for (int k = 0; k < STEP_PARTNERS; k++)
        if (step->partners[k].kind != PARTNER_TURN && call->peers[k] != partner_of(walker, step, &step->partners[k]))
            return false;
    return members_agree(walker, step, call);
}

static void note_value(struct walk_value *value, int64_t seen)
{
    value->differs = value->differs || (value->seen && value->value != seen);
    if (!value->seen || seen < value->least) value->least = seen;
    if (!value->seen || seen > value->most) value->most = seen;
    value->value = seen;
    value->sum += (double)seen;
    value->count++;
    value->seen = true;
}

/* Notes disp / by if it is whole. */
static void note_share(struct walk_value *value, int64_t disp, int64_t by)
{
    if (by == 0 && disp == 0) return;
    if (by == 0 || disp % by != 0) value->seen = value->differs = true;
    else
        note_value(value, disp / by);
}

static void add_sample(struct walker *walker, uint32_t number, int place, struct progress of)
{
    double seconds = (double)of.ps / UNITS_PS_PER_S, waited = (double)of.waited_ps / UNITS_PS_PER_S;
    struct time_sample *sample = &walker->samples[number].computing[place];
    time_sample_add(sample, seconds);
    sample->waited += waited;
    sample->slept += (double)of.slept_ps / UNITS_PS_PER_S;
    sample->recorded += walker->run->trace->provenance.without_core_waits ? seconds + waited : seconds;
    if (walker->failed != STATUS_OK) return;
    struct executions *executions = &walker->executions[number * COMPUTING_PLACES + (uint32_t)place];
    walker->failed = executions_add(executions, seconds, walker->err);
}

static void note_interval(struct walker *walker, const struct step *previous, const struct step *next, const struct step *place,
                          int at, const struct observed *call)
{
    struct walk *walk = walker->walk;
    uint64_t *slot;
    if (walker->failed != STATUS_OK) return;
    walker->failed = map_put(&walk->by_steps, map_pair(previous->number, next->number), walk->interval_count, &slot,
                             walker->err);
    if (walker->failed == STATUS_OK && *slot == walk->interval_count) {
        walker->failed = array_reserve((void **)&walk->intervals, &walk->interval_capacity, walk->interval_count + 1,
                                       sizeof *walk->intervals, walker->err);
        if (walker->failed != STATUS_OK) return;
        walk->intervals[walk->interval_count++] =
            (struct walk_interval){previous, next, place, at, .enters = previous == walker->place.entered};
    }
    if (walker->failed != STATUS_OK) return;
    walk->intervals[*slot].sum_s += (double)call->compute_ps / UNITS_PS_PER_S;
    walk->intervals[*slot].count++;
}

/* Divides the computing among the places that the rank came by since its last call. */
static void sample_passed(struct walker *walker, const struct observed *call)
{
    double weights = 0;
    for (size_t i = 0; i < walker->passed.count; i++) weights += walker->passed.items[i]->weight;
    for (size_t i = 0; i < walker->passed.count; i++) {
        double share = walker->passed.items[i]->weight / weights;
        add_sample(walker, walker->passed.items[i]->number, COMPUTING_BEFORE,
                   (struct progress){(int64_t)((double)call->compute_ps * share), (int64_t)((double)call->waited_ps * share),
                                     (int64_t)((double)call->slept_ps * share)});
    }
    walker->passed.count = 0;
}

static void sample_computing(struct walker *walker, const struct step *body, const struct step *next,
                             const struct observed *call)
{
    int place;
    const struct step *step = program_computing(&walker->place, body, next, &place);
    const struct step *entered = walker->place.entered;
    if (walker->walk && entered) note_interval(walker, entered, next, step, place, call);
    else if (walker->walk && walker->place.previous && walker->place.body == body)
        note_interval(walker, walker->place.previous, next, step, place, call);
    walker->place.entered = NULL;
    if (walker->passed.count > 0) sample_passed(walker, call);
    else add_sample(walker, step->number, place, (struct progress){call->compute_ps, call->waited_ps, call->slept_ps});
}

/* Samples the time of a region, up to the computing before the call that leaves it. */
static void sample_region(struct walker *walker, const struct step *step, const struct observed *call)
{
    if (step->pair && call_kind(step->call.call) != CALL_REGION_ENTER) {
        const struct progress *entered = &walker->entered[step->pair - 1];
        const struct progress *now = &walker->now;
        add_sample(walker, step->pair - 1, COMPUTING_REGION,
                   (struct progress){now->ps - entered->ps, now->waited_ps - entered->waited_ps,
                                     now->slept_ps - entered->slept_ps});
    }
    walker->now.ps += call->compute_ps + call->duration_ps;
    walker->now.waited_ps += call->waited_ps;
    walker->now.slept_ps += call->slept_ps;
    if (step->pair && call_kind(step->call.call) == CALL_REGION_ENTER) walker->entered[step->number] = walker->now;
}

/* The size that the call had in the first round of its series; -1: its size there would be no whole number. */
static int64_t size_in_round_0(const struct walker *walker, const struct size_model *size, int64_t bytes)
{
    const int64_t times = INT64_C(1) << walker->round;
    switch (size->growth) {
    case SIZE_DOUBLES: return bytes % times == 0 ? bytes / times : -1;
    case SIZE_HALVES: return bytes * times;
    default: return bytes;
    }
}

static void sample_call(struct walker *walker, const struct step *step, const struct observed *call)
{
    struct walk_sample *sample = &walker->samples[step->number];
    note_value(&sample->waits, call->waits);
    time_sample_add(&sample->duration, (double)call->duration_ps / UNITS_PS_PER_S);
    if (step->null_outside && call->peers[0] == TRACE_NONE) return; /* MPI_PROC_NULL: no data move */
    note_value(&sample->bytes, size_in_round_0(walker, &step->bytes, call->bytes));
    note_value(&sample->aux, size_in_round_0(walker, &step->aux, call->aux));
    note_value(&sample->disp[DISPLACEMENT_FIXED], call->disp);
    note_share(&sample->disp[DISPLACEMENT_BY_RANK], call->disp, grid_part_place(&walker->grid, walker->number, step->shared));
    int32_t target = call->peers[0] == TRACE_NONE ? TRACE_NONE : grid_part_place(&walker->grid, call->peers[0], step->shared);
    note_share(&sample->disp[DISPLACEMENT_BY_TARGET], call->disp, target);
}

static bool walk_call(struct walker *walker, const struct step *body, const struct step *step)
{
    const struct observed *call = &walker->rank->calls[walker->at];
    bool agrees = walker->at < walker->rank->count && call_agrees(walker, step, call);
    if (!agrees && walker->at == walker->furthest) walker->expected = step;
    if (!agrees) return false;
    if (walker->sampling) {
        sample_computing(walker, body, step, call);
        sample_call(walker, step, call);
        sample_region(walker, step, call);
    }
    walker->at++;
    if (walker->at > walker->furthest) walker->furthest = walker->at;
    return true;
}

static bool walk_steps(struct walker *walker, const struct step *steps, size_t count);

/* Where the number of rounds is not known, the first rank that takes a repetition says how many it has in this run. */
static bool walk_repeat(struct walker *walker, const struct step *step)
{
    struct walk_sample *sample = &walker->samples[step->number];
    uint64_t done = 0;
    while (sample->rounds == 0 || done < sample->rounds) {
        size_t before = walker->at;
        bool agreed = walk_steps(walker, step->body, step->count);
        if (agreed && walker->at == before) return true; /* the rank takes none of its steps */
        if (!agreed && sample->rounds != 0) return false;
        if (!agreed) {
            walker->at = before;
            sample->rounds = done;
            return done > 0;
        }
        done++;
    }
    return true;
}

static bool walk_series(struct walker *walker, const struct step *step)
{
    int32_t ranks = grid_part_count(&walker->grid, step->shared);
    uint32_t rounds = series_rounds(step->series, ranks), before = walker->round;
    bool agreed = rounds > 0 || ranks == 1;
    for (walker->round = 0; agreed && walker->round < rounds; walker->round++)
        agreed = walk_steps(walker, step->body, step->count);
    walker->round = before;
    return agreed;
}

static bool walk_steps(struct walker *walker, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!step_taken(&steps[i], &walker->grid, walker->number)) continue;
        if (steps[i].kind == STEP_COMPUTE) {
            if (walker->sampling && walker->passed.count < PASSED_MAX) walker->passed.items[walker->passed.count++] = &steps[i];
            continue;
        }
        size_t before = walker->at;
        const struct step *entered = walker->place.entered;
        if (steps[i].kind != STEP_CALL && !entered) walker->place.entered = &steps[i];
        bool agreed = steps[i].kind == STEP_CALL     ? walk_call(walker, steps, &steps[i])
                      : steps[i].kind == STEP_REPEAT ? walk_repeat(walker, &steps[i])
                                                     : walk_series(walker, &steps[i]);
        if (!agreed) return false;
        if (walker->at == before) walker->place.entered = entered; /* the rank takes none of its steps */
        else walker->place = (struct program_place){.previous = &steps[i], .body = steps};
    }
    return true;
}

/* All ranks make collective calls. So where one of them takes the place of another call, that call does not fit. */
static void set_misfit(const struct walker *walker, uint32_t key)
{
    const struct keys *keys = walker->keys;
    bool collective = call_arm(call_kind(keys->items[key].call)) == ARM_COLLECTIVE;
    if (collective && walker->expected && walker->expected->kind == STEP_CALL &&
        call_arm(call_kind(walker->expected->call.call)) != ARM_COLLECTIVE)
        key = walker->expected->key;
    if (keys->misfit) misfit_set(keys->misfit, keys->names, &keys->items[key]);
}

static enum status fail_difference(const struct walker *walker)
{
    char place[TRACE_PLACE_BYTES], grid[GRID_TEXT_BYTES];
    const struct trace *trace = walker->run->trace;
    size_t index = walker->furthest < walker->rank->count ? walker->furthest : walker->rank->count - 1;
    if (walker->rank->count > 0) {
        set_misfit(walker, walker->rank->calls[index].key);
        index = walker->rank->calls[index].at;
    }
    if (index >= trace->ranks[walker->number].count) index = trace->ranks[walker->number].count - 1;
    return err_set(walker->err, STATUS_DATA, trace->name,
                   trace_place(trace, (uint32_t)walker->number, index, place),
                   "the largest run's program, on %s, calls something else here", grid_text(&walker->grid, grid));
}

static void presume_rounds(struct walker *walker, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind == STEP_REPEAT) walker->samples[steps[i].number].rounds = (uint64_t)steps[i].rounds.a;
        presume_rounds(walker, steps[i].body, steps[i].count);
    }
}

static enum status walk_rank(struct walker *walker, uint32_t rank)
{
    walker->rank = &walker->run->ranks[rank];
    walker->number = (int32_t)rank;
    walker->at = walker->furthest = 0;
    walker->expected = NULL;
    walker->now = (struct progress){.ps = 0};
    walker->place = (struct program_place){.previous = NULL};
    walker->passed.count = 0;
    if (walker->sampling)
        for (uint32_t i = 0; i < walker->program->step_count * COMPUTING_PLACES; i++)
            walker->executions[i].first[rank] = walker->executions[i].count;
    bool agreed = walk_steps(walker, walker->program->steps, walker->program->count);
    if (walker->failed != STATUS_OK) return walker->failed;
    return agreed && walker->at == walker->rank->count ? STATUS_OK : fail_difference(walker);
}

/* All ranks, without sampling. presumed: repetitions have as many rounds as in the largest run, if they are not known. */
static enum status find_rounds(struct walker *walker, bool presumed, uint64_t *matched)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < walker->program->step_count; i++) walker->samples[i].rounds = 0;
    if (presumed) presume_rounds(walker, walker->program->steps, walker->program->count);
    *matched = 0;
    for (uint32_t r = 0; status == STATUS_OK && r < walker->run->trace->rank_count; r++) {
        status = walk_rank(walker, r);
        *matched += walker->furthest;
    }
    return status;
}

static enum status walk_run(struct walker *walker, uint64_t *matched)
{
    uint32_t ranks = walker->run->trace->rank_count;
    if (!grid_make(&walker->program->shape, (int32_t)ranks, &walker->grid))
        return err_set(walker->err, STATUS_DATA, walker->run->trace->name, NULL,
                       "%u ranks do not divide into a grid like that of the largest run", ranks);
    uint64_t agreed = 0;
    walker->sampling = false;
    enum status status = find_rounds(walker, true, &agreed);
    if (status == STATUS_DATA) status = find_rounds(walker, false, &agreed);
    *matched += agreed;
    TRY(status);
    walker->sampling = true;
    for (uint32_t r = 0; r < ranks; r++) TRY(walk_rank(walker, r));
    for (uint32_t i = 0; i < walker->program->step_count * COMPUTING_PLACES; i++)
        walker->executions[i].first[ranks] = walker->executions[i].count;
    return STATUS_OK;
}

static size_t places_of(const struct program *program)
{
    return (size_t)program->step_count * COMPUTING_PLACES;
}

static enum status open_walk(const struct program *program, const struct run *runs, size_t run_count,
                             struct walk *walk, struct err *err)
{
    size_t places = places_of(program);
    walk->samples = calloc(run_count * program->step_count + 1, sizeof *walk->samples);
    walk->executions = calloc(run_count * places + 1, sizeof *walk->executions);
    walk->run_count = run_count;
    if (!walk->samples || !walk->executions) return err_memory(err);
    for (size_t i = 0; i < run_count * places; i++)
        TRY(executions_open(&walk->executions[i], runs[i / places].trace->rank_count, err));
    return STATUS_OK;
}

enum status walk_runs(const struct program *program, const struct keys *keys, const struct run *runs, size_t run_count,
                      struct walk *walk, uint64_t *matched, struct err *err)
{
    *walk = (struct walk){.samples = NULL};
    *matched = 0;
    enum status status = open_walk(program, runs, run_count, walk, err);
    for (size_t i = run_count; status == STATUS_OK && i-- > 0;) {
        struct walker walker = {.program = program,
                                .keys = keys,
                                .run = &runs[i],
                                .samples = walk->samples + i * program->step_count,
                                .executions = walk->executions + i * places_of(program),
                                .walk = i + 1 == run_count ? walk : NULL,
                                .err = err};
        walker.entered = calloc((size_t)program->step_count + 1, sizeof *walker.entered);
        status = walker.entered ? walk_run(&walker, matched) : err_memory(err);
        free(walker.entered);
    }
    if (status != STATUS_OK) walk_clear(walk, program);
    return status;
}

void walk_clear(struct walk *walk, const struct program *program)
{
    for (size_t i = 0; walk->executions && i < walk->run_count * places_of(program); i++)
        executions_clear(&walk->executions[i]);
    FREE_ALL(walk->executions, walk->samples, walk->intervals);
    map_clear(&walk->by_steps);
    *walk = (struct walk){.samples = NULL};
}
