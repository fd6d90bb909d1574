#include "predictors/steering.h"

#include <inttypes.h>
#include <stdlib.h>

#include "simulate/tasks/queues.h"

/* Fetching operations at one call site. */
struct fetches {
    enum mpi_call call;
    uint64_t own, least, most; /* own: of the rank that is being counted; the others: of a rank that calls one there */
};

static void add_calls(const struct trace_rank *rank, struct fetches *sites)
{
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (call_kind(call->call) != CALL_GET_ACCUMULATE) continue;
        sites[call->site].call = (enum mpi_call)call->call;
        sites[call->site].own++;
    }
}

static void end_rank(struct fetches *sites, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        struct fetches *site = &sites[s];
        if (site->own == 0) continue;
        if (site->most == 0 || site->own < site->least) site->least = site->own;
        if (site->own > site->most) site->most = site->own;
        site->own = 0;
    }
}

static enum status note_site(const struct trace *trace, const struct fetches *sites, struct result *result, struct err *err)
{
    size_t found = TRACE_NO_SITE;
    uint64_t apart = 0;
    for (size_t s = TRACE_NO_SITE + 1; s < trace->definitions.site_count; s++) {
        if (sites[s].most - sites[s].least <= apart) continue;
        apart = sites[s].most - sites[s].least;
        found = s;
    }
    if (found == TRACE_NO_SITE) return STATUS_OK;
    const struct trace_site *site = &trace->definitions.sites[found];
    result->uncertainty.class = CLASS_STEERED;
    return result_add_note(result, err,
                           "%s at %s:%" PRId32 " is called %" PRIu64 " to %" PRIu64
                           " times by a rank: if its results decide what the program does next, a run on the platform makes "
                           "other calls than this prediction",
                           call_name(sites[found].call), site->file ? site->file : "an unknown file", site->line,
                           sites[found].least, sites[found].most);
}

static enum status note_queue(const struct task_queues *queues, const struct task_queue *queue, struct result *result,
                              struct err *err)
{
    const struct task_claim *claim = &queues->claims[queue->first];
    const char *what = claim->locked ? "queue under a lock" : "counter";
    result->uncertainty.class = CLASS_STEERED;
    if (*queue->why)
        return result_add_note(result, err,
                               "the %s at rank %" PRId32 ", window %" PRId32 ", byte %" PRId64
                               " gave each rank its tasks: they stay with these ranks: %s",
                               what, claim->target, claim->window, claim->disp, queue->why);
    return result_add_note(result, err,
                           "the %zu tasks of the %s at rank %" PRId32 ", window %" PRId32 ", byte %" PRId64
                           " go to its %" PRIu32
                           " ranks in the order in which they come for them here; --decide recorded keeps "
                           "each task with its rank",
                           queue->tasks, what, claim->target, claim->window, claim->disp, queue->ranks);
}

/* Fetching operations that are claims at such a queue, or in its tasks, are explained. */
static void forget_sites(const struct trace *trace, const struct task_queues *queues, const struct task_queue *queue,
                         struct fetches *sites)
{
    for (size_t v = queue->first; v < queue->first + queue->count; v++) {
        const struct task_claim *claim = &queues->claims[v];
        const struct trace_call *calls = trace->ranks[claim->rank].calls;
        const bool first = v == queue->first || claim[-1].rank != claim->rank;
        for (size_t i = first ? claim->take : claim[-1].end; i <= claim->take; i++)
            sites[calls[i].site].least = sites[calls[i].site].most = 0;
    }
}

static enum status note_queues(const struct trace *trace, struct fetches *sites, struct result *result, struct err *err)
{
    enum { QUEUES_NAMED = 3 };
    struct task_queues queues;
    TRY(task_queues_find(trace, &queues, err));
    enum status status = STATUS_OK;
    for (size_t q = 0; status == STATUS_OK && q < queues.item_count; q++) {
        const struct task_queue *queue = &queues.items[q];
        if (!*queue->why) forget_sites(trace, &queues, queue, sites);
        if (q < QUEUES_NAMED) status = note_queue(&queues, queue, result, err);
    }
    if (status == STATUS_OK && queues.item_count > QUEUES_NAMED)
        status = result_add_note(result, err, "%zu more queues of tasks", queues.item_count - QUEUES_NAMED);
    task_queues_clear(&queues);
    return status;
}

enum status steering_note(const struct trace *trace, const struct platform *platform, struct result *result,
                          struct err *err)
{
    const size_t count = trace->definitions.site_count;
    if (trace->provenance.simulated || count == 0) return STATUS_OK;
    struct fetches *sites = calloc(count, sizeof *sites);
    if (!sites) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        add_calls(&trace->ranks[r], sites);
        end_rank(sites, count);
    }
    enum status status = platform->decide == DECIDE_AGAIN ? note_queues(trace, sites, result, err) : STATUS_OK;
    if (status == STATUS_OK) status = note_site(trace, sites, result, err);
    free(sites);
    return status;
}
