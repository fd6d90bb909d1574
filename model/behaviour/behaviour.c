#include "model/behaviour/behaviour.h"

#include <stdlib.h>

#include "model/behaviour/group_votes.h"
#include "model/match/locks.h"

static void take_latest(int64_t *latest_ps, int64_t post_ps)
{
    if (post_ps > *latest_ps) *latest_ps = post_ps;
}

static bool lies_in(const struct trace_call *call, int64_t post_ps)
{
    return post_ps > call->enter_ps && post_ps <= call->exit_ps;
}

struct adder {
    struct behaviour *behaviour;
    const struct relations *relations;
    uint8_t *contents; /* per pair: enum behaviour_content of the target's operations; a get counts before a put */
};

static int64_t post_of(const struct adder *adder, size_t pair)
{
    const struct epochs *epochs = &adder->relations->epochs;
    const struct exposure_epoch *exposure = &epochs->exposures[epochs->pairs[pair].exposure];
    return relations_call(adder->relations, exposure->rank, exposure->post_call)->enter_ps;
}

/* Whether the epoch is counted in this round, and every target of its group posted for it. With
 * MPI_MODE_NOCHECK the program promises that they have. */
static bool counts_epoch(const struct adder *adder, const struct access_epoch *epoch)
{
    const struct relations *relations = adder->relations;
    if (epoch->kind != EPOCH_START || epoch->pair_count == 0) return false;
    if (!slice_state_counts(relations->state, epoch->rank, epoch->open_call)) return false;
    if (relations_call(relations, epoch->rank, epoch->open_call)->flags & TRACE_NOCHECK) return false;
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++)
        if (relations->epochs.pairs[p].exposure == EPOCH_NONE) return false;
    return true;
}

static int64_t latest_post(const struct adder *adder, const struct access_epoch *epoch)
{
    int64_t latest_ps = INT64_MIN;
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++)
        take_latest(&latest_ps, post_of(adder, p));
    return latest_ps;
}

static void count_call(struct behaviour_count *count, const struct trace_call *call, int64_t post_ps)
{
    if (call->flags & TRACE_BREAK) return;
    count->calls++;
    if (post_ps <= call->enter_ps) return;
    count->of++;
    if (post_ps <= call->exit_ps) count->waited++;
}

/* Counts a complete by the latest post of the targets of each content. The complete waited for the latest of all posts
 * inside it. */
static void count_contents(const struct adder *adder, const struct access_epoch *epoch, const struct trace_call *call)
{
    int64_t latest_ps[CONTENT_COUNT] = {INT64_MIN, INT64_MIN, INT64_MIN}, last_inside_ps = INT64_MIN;
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++) {
        int64_t post_ps = post_of(adder, p);
        take_latest(&latest_ps[adder->contents[p]], post_ps);
        if (lies_in(call, post_ps)) take_latest(&last_inside_ps, post_ps);
    }
    for (int c = 0; c < CONTENT_COUNT; c++) {
        if (latest_ps[c] == INT64_MIN) continue;
        bool unclear = lies_in(call, latest_ps[c]) && latest_ps[c] < last_inside_ps;
        count_call(&adder->behaviour->content[c], call, unclear ? INT64_MIN : latest_ps[c]);
    }
}

static void count_epoch(const struct adder *adder, const struct access_epoch *epoch)
{
    int64_t latest_ps = latest_post(adder, epoch);
    count_call(&adder->behaviour->start, relations_call(adder->relations, epoch->rank, epoch->open_call), latest_ps);
    if (epoch->close_call == EPOCH_NONE) return;
    const struct trace_call *complete = relations_call(adder->relations, epoch->rank, epoch->close_call);
    count_call(&adder->behaviour->complete, complete, latest_ps);
    if (!(complete->flags & TRACE_BREAK)) count_contents(adder, epoch, complete);
}

static void count_operation(const struct adder *adder, const struct epoch_operation *operation)
{
    const struct epochs *epochs = &adder->relations->epochs;
    const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
    const struct trace_call *call = relations_call(adder->relations, operation->origin, operation->call);
    int of = group_votes_class(call);
    if (of < 0 || call->flags & TRACE_BREAK) return;
    struct behaviour_count *count = &adder->behaviour->operations[of / BEHAVIOUR_SIZES][of % BEHAVIOUR_SIZES];
    int64_t own_ps = post_of(adder, operation->pair), group_ps = latest_post(adder, epoch), others_ps = INT64_MIN;
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++)
        if (p != operation->pair) take_latest(&others_ps, post_of(adder, p));
    if (count->calls == 0 || call->bytes < count->least_bytes) count->least_bytes = call->bytes;
    if (count->calls == 0 || call->bytes > count->most_bytes) count->most_bytes = call->bytes;
    count_call(count, call, own_ps);
    if (group_ps > call->enter_ps) count->group_of++;
    if (lies_in(call, group_ps)) count->group_waited++;
    if (own_ps <= call->enter_ps && lies_in(call, others_ps)) count->group_only++;
    if (own_ps <= call->exit_ps && others_ps > call->exit_ps) count->group_not++;
}

/* Counts a lock whose previous holder certainly holds it when this one requests it. The lock is free at the latest when
 * the holder's unlock returns. */
static enum status count_lock(void *context, const struct holding *holding, const struct holding *holder)
{
    struct adder *adder = context;
    struct behaviour_count *count = &adder->behaviour->lock;
    if (holding->epoch->kind != EPOCH_LOCK) return STATUS_OK;
    const struct trace_call *lock = relations_call(adder->relations, holding->origin, holding->epoch->open_call);
    count->calls++;
    if (!holder) return STATUS_OK;
    const struct trace_call *taken = relations_call(adder->relations, holder->origin, holder->epoch->open_call);
    const struct trace_call *unlock = relations_call(adder->relations, holder->origin, holder->epoch->close_call);
    if (taken->exit_ps > lock->enter_ps || unlock->enter_ps <= lock->enter_ps) return STATUS_OK;
    count->of++;
    if (lock->exit_ps >= unlock->enter_ps) count->waited++;
    return STATUS_OK;
}

static void note_contents(const struct adder *adder)
{
    const struct epochs *epochs = &adder->relations->epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (operation->pair == EPOCH_NONE) continue;
        enum call_kind kind = call_kind(relations_call(adder->relations, operation->origin, operation->call)->call);
        bool brings = kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
        if (brings || adder->contents[operation->pair] == CONTENT_NOTHING)
            adder->contents[operation->pair] = brings ? CONTENT_GET : CONTENT_PUT;
    }
}

enum status behaviour_add(struct behaviour *behaviour, const struct relations *relations, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    struct adder adder = {behaviour, relations, calloc(epochs->pair_count + 1, 1)};
    if (!adder.contents) return err_memory(err);
    note_contents(&adder);
    for (size_t a = 0; a < epochs->access_count; a++)
        if (counts_epoch(&adder, &epochs->accesses[a])) count_epoch(&adder, &epochs->accesses[a]);
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (operation->pair != EPOCH_NONE && counts_epoch(&adder, &epochs->accesses[operation->epoch]))
            count_operation(&adder, operation);
    }
    free(adder.contents);
    return locks_visit(relations, count_lock, &adder, err);
}

/* A call that returned before a post proves that it did not wait; a post inside a call may be a coincidence. */
static void decide_waits(const struct behaviour_count *count, enum result_waits waits, struct result_behaviour *row)
{
    row->calls = count->calls;
    row->of = count->of;
    row->for_group = count->group_only;
    row->not_for_group = count->group_not;
    if (count->of == 0 && count->group_only == 0) return;
    row->waits = waits;
    row->seen = count->waited;
    if (count->of > 0 && 2 * count->waited + count->group_only <= count->of) {
        row->waits = BEHAVES_NONE;
        row->seen = count->of - count->waited;
    } else if (count->group_only > count->group_not) {
        row->waits = BEHAVES_GROUP;
        row->seen = count->group_waited;
        row->of = count->group_of;
    }
}

static enum status report_row(const struct behaviour_count *count, struct result_behaviour row, enum result_waits waits,
                              struct result *result, struct err *err)
{
    if (count->calls == 0) return STATUS_OK;
    decide_waits(count, waits, &row);
    return result_add_behaviour(result, &row, err);
}

static enum status report_sizes(const struct behaviour *behaviour, int operation, enum mpi_call call,
                                struct result *result, struct err *err)
{
    for (int s = 0; s < BEHAVIOUR_SIZES; s++) {
        const struct behaviour_count *count = &behaviour->operations[operation][s];
        struct result_behaviour row = {
            .call = call,
            .sized = true,
            .from_bytes = s > 0 ? (int64_t)(UINT64_C(1) << (s - 1)) : 0,
            .to_bytes = s > 0 ? (int64_t)((UINT64_C(1) << (s - 1)) - 1 + (UINT64_C(1) << (s - 1))) : 0,
            .least_bytes = count->least_bytes,
            .most_bytes = count->most_bytes};
        TRY(report_row(count, row, BEHAVES_POST, result, err));
    }
    return STATUS_OK;
}

enum status behaviour_report(const struct behaviour *behaviour, struct result *result, struct err *err)
{
    static const enum result_content contents[CONTENT_COUNT] = {OF_NOTHING, OF_PUTS, OF_GETS};
    result->behaviour_known = true;
    TRY(report_row(&behaviour->start, (struct result_behaviour){.call = ID_Win_start}, BEHAVES_POST, result, err));
#define BEHAVIOUR(ID, CALL) TRY(report_sizes(behaviour, BEHAVIOUR_##ID, ID_##CALL, result, err));
#include "model/behaviour/behaviour.def"
#undef BEHAVIOUR
    TRY(report_row(&behaviour->complete, (struct result_behaviour){.call = ID_Win_complete}, BEHAVES_POST, result,
                   err));
    for (int c = 0; c < CONTENT_COUNT; c++)
        TRY(report_row(&behaviour->content[c],
                       (struct result_behaviour){.call = ID_Win_complete, .content = contents[c]}, BEHAVES_POST, result,
                       err));
    return report_row(&behaviour->lock, (struct result_behaviour){.call = ID_Win_lock}, BEHAVES_HOLDER, result, err);
}
