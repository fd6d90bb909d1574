/* Epochs of post, start, complete, wait. Epochs that are joined by pairs become final together: when all of them have
 * ended, no partner is missing, and the watermark is past their ends. */
#include <stdlib.h>

#include "common/array.h"
#include "model/match/relations.h"
#include "model/slices/final.h"

/* Sets of epochs, accesses first, then exposures: parents[i] leads to the set's root. */
struct sets {
    const struct relations *relations;
    size_t *parents;
    bool *open; /* of roots, once find_open() has run */
    bool *kept; /* of roots, once find_kept() has run: later calls refer to them */
    int64_t *complete_ps; /* per rank: no complete that is still to be counted enters earlier */
    int64_t watermark_ps;
};

static size_t root_of(struct sets *sets, size_t epoch)
{
    while (sets->parents[epoch] != epoch) epoch = sets->parents[epoch] = sets->parents[sets->parents[epoch]];
    return epoch;
}

static size_t exposure_node(const struct sets *sets, size_t exposure)
{
    return sets->relations->epochs.access_count + exposure;
}

static void join_sets(struct sets *sets)
{
    const struct epochs *epochs = &sets->relations->epochs;
    for (size_t p = 0; p < epochs->pair_count; p++) {
        if (epochs->pairs[p].exposure == EPOCH_NONE) continue;
        size_t one = root_of(sets, epochs->pairs[p].access);
        size_t other = root_of(sets, exposure_node(sets, epochs->pairs[p].exposure));
        sets->parents[one > other ? one : other] = one > other ? other : one;
    }
}

/* A recorded complete may have waited for its targets' progress, so it needs their calls up to its end. */
static bool ends_later(const struct sets *sets, const struct access_epoch *epoch)
{
    const struct relations *relations = sets->relations;
    return !relations->trace->provenance.simulated &&
           relations_call(relations, epoch->rank, epoch->close_call)->exit_ps >= sets->watermark_ps;
}

static void find_open(struct sets *sets)
{
    const struct epochs *epochs = &sets->relations->epochs;
    const struct trace *trace = sets->relations->trace;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START) continue;
        bool open = !epoch_closed(trace, epoch->rank, epoch->close_call) || ends_later(sets, epoch);
        for (size_t p = epoch->pair_first; !open && p < epoch->pair_first + epoch->pair_count; p++)
            open = epochs->pairs[p].exposure == EPOCH_NONE;
        if (open) sets->open[root_of(sets, a)] = true;
    }
    for (size_t e = 0; e < epochs->exposure_count; e++) {
        const struct exposure_epoch *epoch = &epochs->exposures[e];
        bool open = !epoch_closed(trace, epoch->rank, epoch->close_call);
        for (size_t l = epoch->link_first; !open && l < epoch->link_first + epoch->link_count; l++)
            open = epochs->links[l].pair == EPOCH_NONE;
        if (open) sets->open[root_of(sets, exposure_node(sets, e))] = true;
    }
}

static void find_completes(struct sets *sets)
{
    const struct epochs *epochs = &sets->relations->epochs;
    const struct trace *trace = sets->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_call *last =
            trace->ranks[r].count > 0 ? &trace->ranks[r].calls[trace->ranks[r].count - 1] : NULL;
        bool ended = last && call_kind(last->call) == CALL_FINALIZE;
        sets->complete_ps[r] = ended ? INT64_MAX : last ? last->enter_ps : INT64_MIN;
    }
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START || epoch->close_call == EPOCH_NONE || !sets->open[root_of(sets, a)]) continue;
        int64_t enter_ps = trace->ranks[epoch->rank].calls[epoch->close_call].enter_ps;
        if (enter_ps < sets->complete_ps[epoch->rank]) sets->complete_ps[epoch->rank] = enter_ps;
    }
}

/* A complete may have waited for the post of an earlier epoch (semantics d). That post is kept until the complete is
 * counted. */
static void find_kept(struct sets *sets)
{
    const struct relations *relations = sets->relations;
    const struct epochs *epochs = &relations->epochs;
    find_completes(sets);
    for (size_t p = 0; p < epochs->pair_count; p++) {
        const struct epoch_pair *pair = &epochs->pairs[p];
        if (pair->exposure == EPOCH_NONE) continue;
        const struct exposure_epoch *exposure = &epochs->exposures[pair->exposure];
        int64_t post_ps = relations_call(relations, exposure->rank, exposure->post_call)->enter_ps;
        if (post_ps > sets->complete_ps[epochs->accesses[pair->access].rank])
            sets->kept[root_of(sets, pair->access)] = true;
    }
}

static void mark_tests(struct slice_state *state, const struct trace *trace, const struct exposure_epoch *epoch)
{
    const struct trace_rank *rank = &trace->ranks[epoch->rank];
    size_t end = epoch->close_call != EPOCH_NONE ? epoch->close_call : rank->count;
    for (size_t i = epoch->first_test; i < end; i++)
        if (call_kind(rank->calls[i].call) == CALL_WIN_TEST && rank->calls[i].handle == epoch->window)
            slice_state_mark(state, epoch->rank, i, SLICE_OPEN);
}

/* The flags of an epoch's calls; 0: they are released. */
static unsigned flag_of(struct sets *sets, size_t epoch)
{
    size_t root = root_of(sets, epoch);
    return sets->open[root] ? SLICE_OPEN : sets->kept[root] ? SLICE_KEEP : 0;
}

static void mark_sets(struct slice_state *state, struct sets *sets)
{
    const struct epochs *epochs = &sets->relations->epochs;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        unsigned flag = epoch->kind == EPOCH_START ? flag_of(sets, a) : 0;
        if (!flag) continue;
        slice_state_mark(state, epoch->rank, epoch->open_call, flag);
        if (epoch->close_call != EPOCH_NONE) slice_state_mark(state, epoch->rank, epoch->close_call, flag);
    }
    for (size_t e = 0; e < epochs->exposure_count; e++) {
        const struct exposure_epoch *epoch = &epochs->exposures[e];
        unsigned flag = flag_of(sets, exposure_node(sets, e));
        if (!flag) continue;
        slice_state_mark(state, epoch->rank, epoch->post_call, flag);
        if (flag == SLICE_OPEN && epoch->first_test != EPOCH_NONE) mark_tests(state, sets->relations->trace, epoch);
        if (epoch->close_call != EPOCH_NONE) slice_state_mark(state, epoch->rank, epoch->close_call, flag);
    }
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (epochs->accesses[operation->epoch].kind == EPOCH_START && sets->open[root_of(sets, operation->epoch)])
            slice_state_mark(state, operation->origin, operation->call, SLICE_OPEN);
    }
}

enum status mark_final_epochs(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                              struct err *err)
{
    struct sets sets = {.relations = relations, .watermark_ps = watermark_ps};
    size_t count = relations->epochs.access_count + relations->epochs.exposure_count;
    sets.parents = malloc((count + 1) * sizeof *sets.parents);
    sets.open = calloc(count + 1, sizeof *sets.open);
    sets.kept = calloc(count + 1, sizeof *sets.kept);
    sets.complete_ps = calloc((size_t)relations->trace->rank_count + 1, sizeof *sets.complete_ps);
    bool room = sets.parents && sets.open && sets.kept && sets.complete_ps;
    enum status status = room ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < count; i++) sets.parents[i] = i;
        join_sets(&sets);
        find_open(&sets);
        find_kept(&sets);
        mark_sets(state, &sets);
    }
    FREE_ALL(sets.parents, sets.open, sets.kept, sets.complete_ps);
    return status;
}
