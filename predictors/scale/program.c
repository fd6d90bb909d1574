#include "predictors/scale/program.h"

#include <stdlib.h>

#include "common/array.h"

static bool is_power_of_two(int32_t count)
{
    return (count & (count - 1)) == 0;
}

static uint32_t count_doublings(int32_t ranks)
{
    uint32_t count = 0;
    while ((INT64_C(1) << count) < ranks) count++;
    return count;
}

uint32_t series_rounds(enum series series, int32_t ranks)
{
    switch (series) {
    case SERIES_UP:
    case SERIES_DOWN:
    case SERIES_ASCENDING: return (uint32_t)ranks - 1;
    case SERIES_FROM_SELF:
    case SERIES_ALL: return (uint32_t)ranks;
    case SERIES_EXCLUSIVE: return is_power_of_two(ranks) ? (uint32_t)ranks - 1 : 0;
    case SERIES_CUBE: return is_power_of_two(ranks) ? count_doublings(ranks) : 0;
    case SERIES_DOUBLE_UP:
    case SERIES_DOUBLE_DOWN: return count_doublings(ranks);
    default: return 0;
    }
}

int32_t series_partner(enum series series, int32_t ranks, int32_t rank, uint32_t round)
{
    int64_t r = rank, k = round, n = ranks;
    switch (series) {
    case SERIES_UP: return (int32_t)((r + 1 + k) % n);
    case SERIES_DOWN: return (int32_t)((r - 1 - k + 2 * n) % n);
    case SERIES_ASCENDING: return (int32_t)(k < r ? k : k + 1);
    case SERIES_FROM_SELF: return (int32_t)((r + k) % n);
    case SERIES_EXCLUSIVE: return (int32_t)(r ^ (1 + k));
    case SERIES_CUBE: return (int32_t)(r ^ (INT64_C(1) << k));
    case SERIES_DOUBLE_UP: return (int32_t)((r + (INT64_C(1) << k)) % n);
    case SERIES_DOUBLE_DOWN: return (int32_t)((r - (INT64_C(1) << k) + n) % n);
    default: return (int32_t)k;
    }
}

static bool is_taker(enum takers takers, int32_t ranks, int32_t rank)
{
    switch (takers) {
    case TAKERS_FIRST: return rank == 0;
    case TAKERS_NOT_FIRST: return rank != 0;
    case TAKERS_LAST: return rank == ranks - 1;
    case TAKERS_NOT_LAST: return rank != ranks - 1;
    case TAKERS_INNER: return rank != 0 && rank != ranks - 1;
    case TAKERS_ENDS: return rank == 0 || rank == ranks - 1;
    case TAKERS_EVEN: return rank % 2 == 0;
    case TAKERS_ODD: return rank % 2 == 1;
    default: return true;
    }
}

static int32_t series_rank(enum series series, const struct grid *grid, unsigned shared, int32_t rank, uint32_t round)
{
    int32_t place = grid_part_place(grid, rank, shared);
    return grid_part_rank(grid, rank, shared, series_partner(series, grid_part_count(grid, shared), place, round));
}

int32_t partner_rank(const struct partner *partner, const struct grid *grid, unsigned shared, int32_t rank, uint32_t round)
{
    switch (partner->kind) {
    case PARTNER_FIRST: return grid_part_rank(grid, rank, shared, 0);
    case PARTNER_LAST: return grid_part_rank(grid, rank, shared, grid_part_count(grid, shared) - 1);
    case PARTNER_RANK: return grid_part_rank(grid, rank, shared, partner->rank);
    case PARTNER_OFFSET: return grid_neighbor(grid, rank, &partner->offset);
    case PARTNER_SERIES: return series_rank(partner->series, grid, shared, rank, round);
    default: return TRACE_NONE;
    }
}

bool step_taken(const struct step *step, const struct grid *grid, int32_t rank)
{
    unsigned shared = step->takers_shared;
    if (!is_taker(step->takers, grid_part_count(grid, shared), grid_part_place(grid, rank, shared))) return false;
    for (int k = 0; k < STEP_PARTNERS; k++)
        if (step->partners[k].kind == PARTNER_OFFSET && !step->null_outside &&
            grid_neighbor(grid, rank, &step->partners[k].offset) < 0)
            return false;
    return true;
}

static bool all_take(const struct step *step)
{
    for (int k = 0; k < STEP_PARTNERS; k++)
        if (step->partners[k].kind == PARTNER_OFFSET && !step->null_outside) return false;
    return step->takers == TAKERS_ALL;
}

const struct step *program_computing(const struct program_place *at, const struct step *body, const struct step *next,
                                     int *place)
{
    *place = COMPUTING_BEFORE;
    if (at->entered) return at->entered;
    if (all_take(next) || !at->previous || at->body != body || !all_take(at->previous)) return next;
    *place = COMPUTING_AFTER;
    return at->previous;
}

/* A body leaves the regions that it enters, and no others. */
static bool is_balanced(const struct step *steps, size_t count)
{
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind != STEP_CALL && !is_balanced(steps[i].body, steps[i].count)) return false;
        if (steps[i].kind != STEP_CALL || !call_is_region(steps[i].call.call)) continue;
        if (call_kind(steps[i].call.call) == CALL_REGION_ENTER) depth++;
        else if (depth-- == 0) return false;
    }
    return depth == 0;
}

/* The step of the body that leaves the region which a step enters; NULL: none does. */
static struct step *find_leave(struct step *enter, struct step *end)
{
    size_t depth = 0;
    for (struct step *step = enter; step < end; step++) {
        if (step->kind != STEP_CALL && !is_balanced(step->body, step->count)) return NULL;
        if (step->kind != STEP_CALL || !call_is_region(step->call.call)) continue;
        if (call_kind(step->call.call) == CALL_REGION_ENTER) depth++;
        else if (--depth == 0) return step->call.region.region == enter->call.region.region ? step : NULL;
    }
    return NULL;
}

uint32_t program_number_steps(struct step *steps, size_t count, uint32_t next)
{
    for (size_t i = 0; i < count; i++) {
        steps[i].number = next++;
        next = program_number_steps(steps[i].body, steps[i].count, next);
    }
    return next;
}

void program_pair_regions(struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        program_pair_regions(steps[i].body, steps[i].count);
        if (steps[i].kind != STEP_CALL || call_kind(steps[i].call.call) != CALL_REGION_ENTER) continue;
        struct step *leave = find_leave(&steps[i], steps + count);
        if (!leave || !all_take(&steps[i]) || !all_take(leave)) continue;
        steps[i].pair = leave->number + 1;
        leave->pair = steps[i].number + 1;
    }
}

const struct program_run_scale *program_largest(const struct program *program)
{
    return &program->runs[program->run_count - 1];
}

const struct executions *computing_of_largest(const struct computing *computing)
{
    return &computing->executions[computing->run_count - 1];
}

static void clear_step(struct step *step)
{
    free(step->members.listed);
    for (int place = 0; place < COMPUTING_PLACES; place++) {
        struct computing *computing = &step->computing[place];
        for (size_t i = 0; computing->executions && i < computing->run_count; i++) executions_clear(&computing->executions[i]);
        free(computing->executions);
    }
    steps_free(step->body, step->count);
}

void steps_free(struct step *steps, size_t count)
{
    for (size_t i = 0; steps && i < count; i++) clear_step(&steps[i]);
    free(steps);
}

void program_free(struct program *program)
{
    if (!program) return;
    steps_free(program->steps, program->count);
    trace_free(program->names);
    trace_memory_clear(&program->memory);
    wait_sets_clear(&program->waits);
    FREE_ALL(program->parameter, program->statistics, program->runs, program->doubts, program->windows, program->comms,
             program);
}
