#include "predictors/scale/ends.h"

#include "common/map.h"

enum { VISITS_MAX = 1 << 22 };

/* Each pair of ranks has a sum: of what goes from the one, less what the other expects. */
struct ends {
    struct grid grid;
    int64_t n; /* of the largest run */
    struct map sums;
    const struct step *odd; /* looking: the first one whose sum is not 0 */
    bool looking, unknown;
    int32_t rank;
    uint32_t round, visits;
    struct err *err;
};

enum end { END_MESSAGE, END_ACCESS };

static enum status count_end(struct ends *ends, const struct step *step, enum end end, int32_t from, int32_t to, int64_t tag,
                             int64_t count)
{
    uint64_t *sum;
    if (from < 0 || to < 0) return STATUS_OK;
    uint64_t of = map_mix(map_pair((uint32_t)end, (uint32_t)tag), map_pair((uint32_t)step->call.handle, step->shared));
    TRY(map_put(&ends->sums, map_mix(of, map_pair((uint32_t)from, (uint32_t)to)), 0, &sum, ends->err));
    if (ends->looking && *sum != 0 && !ends->odd) ends->odd = step;
    if (!ends->looking) *sum += (uint64_t)count;
    return STATUS_OK;
}

static int32_t partner_of(const struct ends *ends, const struct step *step, const struct partner *partner)
{
    return partner_rank(partner, &ends->grid, step->shared, ends->rank, ends->round);
}

static enum status count_members(struct ends *ends, const struct step *step, int64_t times)
{
    bool posts = call_kind(step->call.call) == CALL_POST;
    for (size_t i = 0; i < step->members.count; i++) { /* all, or all others, have both ends if all ranks call so */
        int32_t member = partner_of(ends, step, &step->members.listed[i]);
        for (size_t k = 0; k < i; k++)
            if (partner_of(ends, step, &step->members.listed[k]) == member) member = TRACE_NONE;
        if (posts) TRY(count_end(ends, step, END_ACCESS, member, ends->rank, 0, -times));
        else TRY(count_end(ends, step, END_ACCESS, ends->rank, member, 0, times));
    }
    return STATUS_OK;
}

static enum status count_call(struct ends *ends, const struct step *step, int64_t times)
{
    int32_t peer = partner_of(ends, step, &step->partners[0]), source = partner_of(ends, step, &step->partners[1]);
    const struct trace_call *call = &step->call;
    switch (call_kind(call->call)) {
    case CALL_SEND:
    case CALL_ISEND: return count_end(ends, step, END_MESSAGE, ends->rank, peer, call->message.tag, times);
    case CALL_RECV:
    case CALL_IRECV: return count_end(ends, step, END_MESSAGE, peer, ends->rank, call->message.tag, -times);
    case CALL_SENDRECV:
        TRY(count_end(ends, step, END_MESSAGE, ends->rank, peer, call->message.tag, times));
        return count_end(ends, step, END_MESSAGE, source, ends->rank, (int64_t)call->any.second, -times);
    case CALL_POST:
    case CALL_START: return count_members(ends, step, times);
    default: return STATUS_OK;
    }
}

static enum status count_steps(struct ends *ends, const struct step *steps, size_t count, int64_t times)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        uint32_t outer = ends->round, rounds = 1;
        int64_t repeated = 1;
        if (++ends->visits > VISITS_MAX) ends->unknown = true;
        if (ends->unknown || !step_taken(step, &ends->grid, ends->rank)) continue;
        if (step->kind == STEP_CALL) TRY(count_call(ends, step, times));
        if (step->kind == STEP_REPEAT)
            ends->unknown = !count_model_value(&step->rounds, &ends->grid, ends->n, &repeated);
        if (step->kind == STEP_SERIES) rounds = series_rounds(step->series, grid_part_count(&ends->grid, step->shared));
        for (uint32_t round = 0; step->kind != STEP_CALL && round < rounds; round++) {
            if (step->kind == STEP_SERIES) ends->round = round;
            TRY(count_steps(ends, step->body, step->count, times * repeated));
        }
        ends->round = outer;
    }
    return STATUS_OK;
}

enum status program_find_odd(const struct program *program, int32_t ranks, const struct step **odd, struct err *err)
{
    struct ends ends = {.n = program_largest(program)->n, .err = err};
    enum status status = STATUS_OK;
    *odd = NULL;
    if (!grid_make(&program->shape, ranks, &ends.grid)) return STATUS_OK;
    for (int looking = 0; looking <= 1; looking++) {
        ends.looking = looking;
        ends.visits = 0;
        for (ends.rank = 0; status == STATUS_OK && ends.rank < ranks && !ends.unknown; ends.rank++)
            status = count_steps(&ends, program->steps, program->count, 1);
    }
    map_clear(&ends.sums);
    if (status == STATUS_OK && !ends.unknown) *odd = ends.odd;
    return status;
}
