#include "simulate/replay/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/array.h"
#include "common/units.h"
#include "model/match/relations.h"
#include "simulate/predicted/trace_bounds.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/collective_matching.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/envelope.h"
#include "simulate/replay/gap.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/replay/routes.h"
#include "simulate/replay/thread.h"
#include "simulate/replay/walk.h"
#include "simulate/tasks/decide.h"

/* The share of a core that a rank gets where all ranks of its node run all the time. */
static double core_share(const struct platform *platform, const uint32_t *load, uint32_t rank)
{
    const int32_t node = platform_node_of(platform, rank);
    uint32_t threads = load[node], cores = (uint32_t)platform_rank_cores(platform, platform_group_of(platform, node));
    return threads > cores ? (double)cores / threads : 1.0;
}

/* The speed of the core on which the computing times were recorded. */
static double source_speed(const struct trace_rank *rank)
{
    return rank->speed > 0 ? rank->speed : 1.0;
}

/* Whether the computing before each call is the time between the calls. */
static bool has_plain_gaps(const struct replay *replay, uint32_t rank)
{
    const struct trace_rank *process = &replay->trace->ranks[rank];
    const struct replay_source *source = core_of(replay)->options->source;
    if (source && replay_source_sleeps(source, rank)) return false;
    bool waits = process->sim && process->before_ps[BEFORE_CORE_WAIT];
    return !process->compute_ps && !process->before_ps[BEFORE_SLEPT] && !waits && !replay_shares_cores(replay, rank);
}

/* The ranks of a node are dealt to its progress ranks in turn. A progress rank has the number of its first rank. */
static enum status deal_servers(struct replay *replay)
{
    const uint32_t rank_count = replay->trace->rank_count, each = (uint32_t)replay->platform->progress_ranks;
    if (each == 0) return STATUS_OK;
    replay->servers = calloc(rank_count, sizeof *replay->servers);
    uint32_t *first = calloc((size_t)replay->platform->node_count * each, sizeof *first); /* and 1; 0: none */
    uint32_t *dealt = calloc((size_t)replay->platform->node_count, sizeof *dealt);
    for (uint32_t rank = 0; replay->servers && first && dealt && rank < rank_count; rank++) {
        const size_t node = (size_t)replay->nodes[rank];
        uint32_t *server = &first[node * each + dealt[node]++ % each];
        if (*server == 0) *server = rank + 1;
        replay->servers[rank] = *server - 1;
    }
    const bool enough = replay->servers && first && dealt;
    FREE_ALL(first, dealt);
    return enough ? STATUS_OK : err_memory(replay->err);
}

static enum status prepare_ranks(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    const struct platform *platform = replay->platform;
    replay->ranks = lines_new(trace->rank_count, sizeof *replay->ranks);
    replay->rare = calloc(trace->rank_count, sizeof *replay->rare);
    replay->nodes = calloc(trace->rank_count, sizeof *replay->nodes);
    replay->server_free_ps = calloc(trace->rank_count, sizeof *replay->server_free_ps);
    uint32_t *load = calloc((size_t)platform->node_count, sizeof *load);
    if (!replay->ranks || !replay->rare || !replay->nodes || !replay->server_free_ps || !load) {
        free(load);
        return err_memory(replay->err);
    }
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        replay->nodes[rank] = platform_node_of(platform, rank);
        load[replay->nodes[rank]] += trace_thread_count(trace, rank);
    }
    enum status status = replay_prepare_cores(replay, load);
    if (status == STATUS_OK) status = deal_servers(replay);
    for (uint32_t rank = 0; rank < trace->rank_count && status == STATUS_OK; rank++) {
        struct rank_state *state = &replay->ranks[rank];
        state->calls = trace->ranks[rank].calls;
        state->count = trace->ranks[rank].count;
        state->serve_first = state->lock_list = state->last_member = NO_INDEX;
        struct rank_rare *rare = &replay->rare[rank];
        if (!replay->hardware) rare->progress_from_ps = rare->progress_until_ps = rare->poll_at_ps = TRACE_UNKNOWN_PS;
        double source = source_speed(&trace->ranks[rank]);
        double share = replay_shares_cores(replay, rank) ? 1 : core_share(platform, load, rank);
        state->stretch = source / (platform_group_of(platform, replay->nodes[rank])->speed * share) *
                         memory_bound_factor(&core_of(replay)->memory, rank);
        state->plain_gaps = has_plain_gaps(replay, rank);
    }
    free(load);
    return status;
}

static enum status keep_threads(const struct trace_rank *from, struct trace_rank *to, struct err *err)
{
    to->thread_count = from->thread_count;
    if (!from->thread || from->count == 0) return STATUS_OK;
    TRY(array_reserve((void **)&to->thread, &to->thread_capacity, from->count, sizeof *to->thread, err));
    memcpy(to->thread, from->thread, from->count * sizeof *to->thread);
    return STATUS_OK;
}

/* A recording that breaks off is as incomplete when predicted. */
static enum status keep_incomplete(const struct trace_rank *from, struct trace_rank *to, struct err *err)
{
    to->incomplete = from->incomplete;
    if (!from->incomplete_why) return STATUS_OK;
    to->incomplete_why = strdup(from->incomplete_why);
    return to->incomplete_why ? STATUS_OK : err_memory(err);
}

/* Of the predicted computing memory has the share that the longer part is. */
static void describe_pace(const struct replay *replay, uint32_t rank, struct trace_rank *to)
{
    const struct trace_rank *from = &replay->trace->ranks[rank];
    const double factor = memory_bound_factor(&core_of(replay)->memory, rank);
    const double stretch = replay->ranks[rank].stretch / factor;
    trace_copy_pace(to, from);
    if (stretch != 1.0) to->speed = source_speed(from) / stretch;
    if (factor != 1.0) to->memory_bound = 1 - (1 - from->memory_bound) / factor;
}

static enum status describe_predicted(const struct replay *replay, struct trace *made)
{
    const struct trace *trace = replay->trace;
    made->provenance.simulated = true;
    made->provenance.record_cost_ps = 0;
    /* The predicted trace names the platform's nodes. */
    char name[32];
    trace_clear_nodes(made);
    for (uint32_t rank = 0; rank < made->rank_count; rank++) {
        snprintf(name, sizeof name, "node%" PRId32, replay->nodes[rank]);
        TRY(trace_set_node(made, rank, name, replay->err));
    }
    char semantics[PLATFORM_SEMANTICS_BYTES];
    platform_semantics_name(replay->platform, semantics);
    /* Its library is the platform's, not that of the recording. */
    const char *const texts[] = {replay->platform->name,    core_of(replay)->engine_kind->name,
                                 semantics,                 platform_lock_name(replay->platform),
                                 replay->platform->library, replay->platform->transport};
    char **const places[] = {&made->provenance.platform, &made->provenance.engine,  &made->provenance.semantics,
                             &made->provenance.lock,     &made->provenance.library, &made->provenance.transport};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        free(*places[i]);
        *places[i] = texts[i] ? strdup(texts[i]) : NULL;
        if (texts[i] && !*places[i]) return err_memory(replay->err);
    }
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        struct trace_rank *to = &made->ranks[rank];
        to->thread_count = trace->ranks[rank].thread_count;
        TRY(keep_incomplete(&trace->ranks[rank], to, replay->err));
        describe_pace(replay, rank, to);
    }
    return STATUS_OK;
}

static enum status prepare_trace(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    struct core *core = core_of(replay);
    const struct predicted_sink *sink = core->options->sink;
    struct trace *made;
    TRY(trace_new_like(trace, &made, replay->err));
    enum status status = describe_predicted(replay, made);
    if (status != STATUS_OK) {
        trace_free(made);
        return status;
    }
    TRY(predicted_open(&core->predicted, made, trace, replay->platform, sink, replay->err));
    replay->made = &core->predicted;
    for (uint32_t rank = 0; rank < trace->rank_count && !sink; rank++) {
        TRY(keep_threads(&trace->ranks[rank], &made->ranks[rank], replay->err));
        TRY(trace_copy_extents(made, trace, rank, replay->err));
    }
    return STATUS_OK;
}

/* What is prepared before reads all calls that were recorded. Ranks then walk the trace that grows. */
static enum status prepare_decisions(struct replay *replay)
{
    const struct replay_options *options = core_of(replay)->options;
    if (options->source || options->stopped || replay->platform->decide != DECIDE_AGAIN) return STATUS_OK;
    TRY(decisions_new(replay->recorded, &replay->decisions, replay->err));
    if (!replay->decisions) return STATUS_OK;
    replay->trace = *decisions_trace(replay->decisions);
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        replay->ranks[rank].calls = replay->trace->ranks[rank].calls;
        replay->ranks[rank].count = replay->trace->ranks[rank].count;
        replay->ranks[rank].plain_gaps = false;
    }
    return STATUS_OK;
}

static bool all_ranks_call(const struct trace *trace, enum call_kind kind, bool first)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const struct trace_rank *of = &trace->ranks[rank];
        bool found = false;
        for (size_t i = 0; i < of->count && !found; i++)
            found = call_kind(of->calls[first ? i : of->count - 1 - i].call) == kind;
        if (!found) return false;
    }
    return true;
}

/* Threads without a recorded creation begin with their rank, unless a call of thread 0 returned before their first
 * call. */
static enum status start_threads(struct replay *replay, uint32_t rank, int64_t begin_ps)
{
    const struct rank_state *state = &replay->ranks[rank];
    for (uint32_t t = 0; t < state->threads->count; t++) {
        const struct thread *item = &state->threads->items[t];
        if (item->first == NO_INDEX || item->created_by != NO_INDEX || item->begins_after != NO_INDEX) continue;
        int64_t gap_ps = state->calls[item->first].enter_ps - begin_ps;
        TRY(replay_thread_start(replay, rank, t, 0, gap_ps));
    }
    return STATUS_OK;
}

static enum status start_ranks(struct replay *replay)
{
    int64_t begin_ps = trace_begin_ps(replay->trace);
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        struct rank_state *state = &replay->ranks[rank];
        if (state->count == 0) {
            state->status = RANK_DONE;
            core_of(replay)->done_count++;
            continue;
        }
        if (state->threads) {
            TRY(start_threads(replay, rank, begin_ps));
            continue;
        }
        int64_t gap_ps = state->calls[0].enter_ps - begin_ps, at_ps;
        TRY(replay_begin_gap(replay, rank, 0, 0, 0, gap_ps, &at_ps));
        if (at_ps != GAP_LATER) TRY(replay_timer(replay, at_ps, rank, TIMER_RANK, rank));
    }
    return STATUS_OK;
}

/* Whether nodes learn of each other by messages only. */
static bool nodes_are_apart(const struct replay *replay)
{
    const struct core *core = core_of(replay);
    bool apart = !core->options->in_step && !core->options->eager && replay->hardware && !replay->trace->skips_checks;
    if (core->gaps || replay->platform->draw || replay->platform->rendezvous == RENDEZVOUS_READ) apart = false;
    for (const struct call_driver *const *driver = core->drivers; *driver && apart; driver++)
        apart = !(*driver)->nodes_are_apart || (*driver)->nodes_are_apart(replay);
    return apart;
}

/* Leaves out the nodes after the last one that has a rank: they would cost memory. Where ranks are dealt to more nodes
 * than there are ranks, rank r stays on node r. A SimGrid platform file keeps all its hosts. */
static void take_part(struct replay *replay, const struct platform *platform)
{
    struct core *core = core_of(replay);
    int32_t last = 0;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        int32_t node = platform_node_of(platform, rank);
        if (node > last) last = node;
    }
    core->part = *platform;
    if (!platform->simgrid_xml) core->part.node_count = last + 1;
    replay->platform = &core->part;
}

static enum status open_engine(struct replay *replay, const struct engine_callbacks *callbacks)
{
    struct core *core = core_of(replay);
    int32_t(*pairs)[2];
    size_t pair_count;
    struct engine_callbacks completed = *callbacks;
    completed.lazy.apart = nodes_are_apart(replay);
    completed.ranks = replay->trace->rank_count;
    completed.lazy.counters = core->barrier_counts;
    TRY(replay_used_pairs(replay, &pairs, &pair_count));
    enum status status = core->engine_kind->open(replay->platform, (const int32_t(*)[2])pairs, pair_count, &completed,
                                                   &core->engine, replay->err);
    free(pairs);
    if (status != STATUS_OK) return status;
    bool eager = core->options->eager || core->gaps || replay->platform->draw; /* lazy delivery knows stated latencies only */
    core->mailbox = mailbox_of(core->engine_kind, core->engine, eager, replay->err);
    if (!core->mailbox.lazy) return STATUS_OK;
    const bool one_poll = core->polls == 1 && !protocol_uses(&replay->platform->protocol, PROGRESS_THREAD);
    core->queries = core->mailbox.lazy->queries(core->engine, replay->platform->control_bytes) && one_poll &&
                    replay->answers_late;
    return STATUS_OK;
}

static enum status take_call_times(struct replay *replay, const struct platform *platform)
{
    struct core *core = core_of(replay);
    for (int within = 0; within < 2; within++) {
        const double *call_s = within && platform->loopback_call_s ? platform->loopback_call_s : platform->call_s;
        if (!call_s) continue;
        int64_t *call_ps = core->call_ps[within] = malloc(MPI_FUNCTION_COUNT * sizeof *call_ps);
        if (!call_ps) return err_memory(replay->err);
        for (int call = 0; call < MPI_FUNCTION_COUNT; call++) call_ps[call] = units_ps(call_s[call]);
    }
    return STATUS_OK;
}

/* What the library's protocol means for the replay. */
static void take_protocol(struct replay *replay, const struct platform *platform)
{
    struct core *core = core_of(replay);
    const struct rma_protocol *protocol = &platform->protocol;
    replay->deferred = platform->issue == ISSUE_DEFERRED;
    replay->hardware = protocol_is_hardware(protocol);
    replay->needs_call = protocol_uses(protocol, PROGRESS_CALL) || platform->progress_ranks > 0;
    core->linger_ps = units_ps(protocol->linger_s);
    core->linger_sd_ps = platform->draw > 0 ? (double)units_ps(platform->jitter_s) : 0;
    core->lingers = replay->needs_call && (core->linger_ps > 0 || core->linger_sd_ps > 0);
    core->polls = replay->needs_call ? protocol->polls : 1;
    core->poll_ps = units_ps(protocol->poll_s);
    const bool behind = protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND;
    replay->acknowledges_puts = behind || protocol->local[RMA_PUT] == LOCAL_ACKNOWLEDGED;
    replay->acknowledges_all = replay->acknowledges_puts && (behind || protocol->local[RMA_ACCUMULATE] == LOCAL_ACKNOWLEDGED);
    replay->complete_remote = protocol_completes_behind(protocol);
    core->answers_apart = !platform->aggregate && !protocol_uses(protocol, PROGRESS_THREAD) && core->polls == 1;
    replay->copies_puts = protocol->put_s_per_byte > 0;
    replay->reverses = protocol_reverses(protocol) || platform_reverses_within(platform);
}

static void take_costs(struct replay *replay, const struct platform *platform)
{
    struct core *core = core_of(replay);
    replay->overhead_ps = units_ps(platform->overhead_s);
    replay->loopback_overhead_ps = units_ps(platform->loopback_overhead_s);
    core->thread_delay_ps = units_ps(platform->thread_delay_s);
    replay->same_costs = platform_same_latency(platform);
    replay->thread_costs = (struct thread_costs){
        units_ps(platform->thread_create_s), units_ps(platform->thread_start_s),  units_ps(platform->thread_join_s),
        units_ps(platform->thread_lock_s),   units_ps(platform->thread_unlock_s), units_ps(platform->thread_barrier_s)};
    core->has_pauses = platform->pause.call_s > 0 || platform->loopback_pause.call_s > 0;
    core->times_by_node = core->has_pauses || platform->loopback_call_s;
    core->has_own_times = platform->call_s || platform->loopback_call_s || core->has_pauses;
}

enum status replay_open(struct replay *replay, const struct trace *trace, const struct platform *platform,
                        const struct replay_options *options, struct replay_outcome *outcome,
                        const struct engine_callbacks *callbacks, struct err *err)
{
    struct core *core = core_of(replay);
    memset(core, 0, sizeof *core);
    replay->trace = replay->recorded = trace;
    replay->platform = platform;
    core->engine_kind = options->engine;
    core->options = options;
    core->report_at = options->progress ? 1 : 0;
    replay->outcome = outcome;
    replay->err = err;
    core->counter = ENGINE_NO_COUNTER;
    core->free_request = core->free_envelope = core->free_message = replay->free_task = NO_INDEX;
    take_protocol(replay, platform);
    take_costs(replay, platform);
    TRY(take_call_times(replay, platform));
    TRY(platform_check_ranks(platform, trace->rank_count, err));
    take_part(replay, platform);
    TRY(totals_init(&outcome->totals, trace->rank_count, err));
    replay_use_drivers(replay);
    replay_find_servers(replay);
    TRY(memory_bound_find(trace, replay->platform, &core->memory, err));
    TRY(prepare_ranks(replay));
    TRY(replay_prepare_threads(replay));
    TRY(replay_prepare_gaps(replay));
    core->notes_inside = !replay->hardware || platform->progress != PROGRESS_HARDWARE || core->thread_names ||
                         core->has_pauses;
    TRY(replay_prepare_barriers(replay));
    TRY(replay_prepare_connections(replay));
    for (const struct call_driver *const *driver = core->drivers; *driver; driver++)
        if ((*driver)->prepare) TRY((*driver)->prepare(replay));
    /* With progress call: where no message overtakes another one of its sender, which matters at equal times. */
    bool in_order = !protocol_uses(&platform->protocol, PROGRESS_THREAD) && !platform->control_bypass && core->polls == 1;
    replay->answers_late = !replay->shmem && (replay->hardware || in_order);
    replay->init_is_barrier =
        (options->source && options->source->initializes) || all_ranks_call(trace, CALL_INIT, true);
    replay->finalize_is_barrier =
        options->source ? options->source->finalizes : all_ranks_call(trace, CALL_FINALIZE, false);
    TRY(prepare_decisions(replay));
    if (options->keep_trace || options->sink) TRY(prepare_trace(replay));
    core->notes_exits = replay->made || !replay->hardware;
    TRY(open_engine(replay, callbacks));
    TRY(replay_prepare_queries(replay));
    return start_ranks(replay);
}

static enum status finish_decided(struct replay *replay)
{
    if (!replay->decisions) return STATUS_OK;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++)
        TRY(trace_copy_extents(replay->made->trace, replay->trace, rank, replay->err));
    replay->outcome->decided = *decisions_trace(replay->decisions);
    *decisions_trace(replay->decisions) = NULL;
    return STATUS_OK;
}

static enum status keep_bounds(struct replay *replay)
{
    struct replay_outcome *outcome = replay->outcome;
    struct trace *made = replay->made->trace;
    struct relations *relations = malloc(sizeof *relations);
    if (!relations) return err_memory(replay->err);
    enum status status = relations_build(made, relations, replay->err);
    if (status == STATUS_OK) {
        status = trace_bounds_keep(made, relations, &replay->made->least, &outcome->bounds, replay->err);
        if (status != STATUS_OK) relations_clear(relations); /* before their trace goes */
    }
    if (status == STATUS_OK)
        outcome->relations = relations;
    else
        free(relations);
    return status;
}

enum status replay_finish(struct replay *replay)
{
    struct replay_outcome *outcome = replay->outcome;
    uint32_t rank_count = replay->trace->rank_count;
    outcome->rank_time_s = calloc(rank_count, sizeof *outcome->rank_time_s);
    if (!outcome->rank_time_s) return err_memory(replay->err);
    for (uint32_t rank = 0; rank < rank_count; rank++) {
        outcome->rank_time_s[rank] = units_s(replay->ranks[rank].end_ps);
        outcome->run_time_ps = units_max_ps(outcome->run_time_ps, replay->ranks[rank].end_ps);
    }
    outcome->run_time_s = units_s(outcome->run_time_ps);
    for (uint32_t rank = 0; replay->made && rank < rank_count; rank++)
        if (replay->ranks[rank].threads) TRY(replay_thread_sort(replay, rank));
    for (const struct call_driver *const *driver = core_of(replay)->drivers; *driver; driver++)
        if ((*driver)->finish) TRY((*driver)->finish(replay));
    if (core_of(replay)->options->sink) {
        TRY(predicted_finish(replay->made, replay->err));
        outcome->bounds.endless = replay->made->endless;
    } else if (replay->made) {
        TRY(finish_decided(replay));
        TRY(keep_bounds(replay));
        outcome->trace = replay->made->trace;
        replay->made->given = true;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    outcome->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return STATUS_OK;
}

void replay_close(struct replay *replay)
{
    struct core *core = core_of(replay);
    if (core->engine) core->engine_kind->close(core->engine);
    for (const struct call_driver *const *driver = core->drivers; driver && *driver; driver++)
        if ((*driver)->clear) (*driver)->clear(replay);
    replay_clear_threads(replay);
    replay_clear_agreements(replay);
    replay_clear_barriers(replay);
    replay_clear_messages(replay);
    replay_clear_connections(replay);
    replay_clear_requests(replay);
    replay_clear_envelopes(replay);
    FREE_ALL(replay->rare, replay->ranks, replay->nodes, replay->server_free_ps, replay->servers, core->call_ps[0],
             core->call_ps[1]);
    memory_bound_clear(&core->memory);
    replay_clear_gaps(replay);
    predicted_clear(&core->predicted);
    decisions_free(replay->decisions);
}

void replay_outcome_clear(struct replay_outcome *outcome)
{
    if (outcome->relations) relations_clear(outcome->relations);
    free(outcome->relations);
    trace_free(outcome->trace);
    trace_free(outcome->decided);
    totals_clear(&outcome->totals);
    free(outcome->rank_time_s);
    memset(outcome, 0, sizeof *outcome);
}
