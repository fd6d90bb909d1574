#include "predictors/steering.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/tasks/queues.h"

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

/* Names the first queue of `count`. */
static enum status note_queues(const struct task_queues *queues, const struct task_queue *queue, size_t count,
                               struct result *result, struct err *err)
{
    const struct task_claim *claim = &queues->claims[queue->first];
    const enum uncertainty_class class = *queue->why ? CLASS_STEERED : CLASS_DECIDED;
    char others[64] = "";
    if (class > result->uncertainty.class) result->uncertainty.class = class;
    if (count > 1) snprintf(others, sizeof others, ", and those of %zu more queue%s,", count - 1, units_plural(count - 1));
    return result_add_note(result, err,
                           "the %zu tasks of the %s at rank %" PRId32 ", window %" PRId32 ", byte %" PRId64 "%s %s%s",
                           queue->tasks, claim->locked ? "queue under a lock" : "counter", claim->target, claim->window,
                           claim->disp, others,
                           *queue->why ? "stay with the ranks that had them: "
                                       : "go to the ranks that come for them first; --decide recorded keeps each with its rank",
                           queue->why);
}

/* Fetching operations that are claims at such a queue, or in its tasks, are explained. */
static void forget_sites(const struct trace *trace, const struct task_queues *queues, const struct task_queue *queue,
                         struct fetches *sites)
{
    for (size_t c = queue->first; c < queue->first + queue->count; c++) {
        const struct task_claim *claim = &queues->claims[c];
        const bool last = task_claim_is_last(queues, queue, c);
        for (size_t i = claim->take; i <= (last ? claim->end : claim[1].end); i++)
            sites[trace->ranks[claim->rank].calls[i].site] = (struct fetches){0};
    }
}

/* One note says what is decided again, one what is not. */
static enum status note_tasks(const struct trace *trace, struct fetches *sites, struct result *result, struct err *err)
{
    struct task_queues queues;
    const struct task_queue *first[2] = {NULL, NULL};
    size_t count[2] = {0, 0};
    TRY(task_queues_find(trace, &queues, err));
    for (size_t q = 0; q < queues.item_count; q++) {
        const struct task_queue *queue = &queues.items[q];
        const bool stays = *queue->why;
        if (!stays) forget_sites(trace, &queues, queue, sites);
        if (count[stays]++ == 0) first[stays] = queue;
    }
    enum status status = STATUS_OK;
    for (int stays = 0; stays < 2 && status == STATUS_OK; stays++)
        if (count[stays] > 0) status = note_queues(&queues, first[stays], count[stays], result, err);
    task_queues_clear(&queues);
    return status;
}

enum status steering_count(struct steering *steering, const struct trace *trace, uint32_t number, size_t first, bool last,
                           struct err *err)
{
    const struct trace_rank *rank = &trace->ranks[number];
    if (!steering->sites) {
        steering->site_count = trace->definitions.site_count;
        steering->sites = calloc(steering->site_count + 1, sizeof *steering->sites);
        if (!steering->sites) return err_memory(err);
    }
    for (size_t i = first; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (call_kind(call->call) != CALL_GET_ACCUMULATE) continue;
        steering->sites[call->site].call = (enum mpi_call)call->call;
        steering->sites[call->site].own++;
    }
    if (last) end_rank(steering->sites, steering->site_count);
    return STATUS_OK;
}

void steering_clear(struct steering *steering)
{
    free(steering->sites);
    steering->sites = NULL;
}

enum status steering_note(const struct trace *trace, const struct steering *steering, const struct platform *platform,
                          struct result *result, struct err *err)
{
    const size_t count = steering->site_count;
    if (trace->provenance.simulated || count == 0) return STATUS_OK;
    struct fetches *sites = malloc(count * sizeof *sites);
    if (!sites) return err_memory(err);
    memcpy(sites, steering->sites, count * sizeof *sites);
    enum status status = platform->decide == DECIDE_AGAIN ? note_tasks(trace, sites, result, err) : STATUS_OK;
    if (status == STATUS_OK) status = note_site(trace, sites, result, err);
    free(sites);
    return status;
}
