/* Wait states of post/start/complete/wait. */
#include "common/units.h"
#include "model/waits/detect.h"

static int64_t enter_of_post(const struct relations *relations, const struct exposure_epoch *exposure)
{
    return relations_call(relations, exposure->rank, exposure->post_call)->enter_ps;
}

/* Whether a call of an origin may have waited for a post that was entered at post_ps: not if the call returned before.
 * A simulated trace states the post that a call waited for. */
static bool may_await(const struct relations *relations, uint32_t rank, size_t call, int64_t post_ps)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    if (process->sim && post_ps > process->sim[call].awaited_post_ps) return false;
    return post_ps <= process->calls[call].exit_ps;
}

/* The post that a call of an access epoch waited for, of the posts paired with the epoch: of those entered before the
 * call's end the latest (or the earliest); NULL if there is none. */
static const struct exposure_epoch *awaited_post(const struct relations *relations, const struct access_epoch *epoch,
                                                 size_t call, bool latest)
{
    const struct epochs *epochs = &relations->epochs;
    const struct exposure_epoch *found = NULL;
    int64_t post_ps = 0;
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++) {
        if (epochs->pairs[p].exposure == EPOCH_NONE) continue;
        const struct exposure_epoch *exposure = &epochs->exposures[epochs->pairs[p].exposure];
        int64_t enter_ps = enter_of_post(relations, exposure);
        if (!may_await(relations, epoch->rank, call, enter_ps)) continue;
        if (found && (latest ? enter_ps <= post_ps : enter_ps >= post_ps)) continue;
        found = exposure;
        post_ps = enter_ps;
    }
    return found;
}

/* The latest post of a target, earlier than the pair's post, that complete may have waited for: under semantics d an
 * origin may run ahead of the posts by a number of epochs. A recorded trace does not state the number; it is taken as
 * 1, the default of platforms. */
static const struct exposure_epoch *post_before(const struct relations *relations, const struct epoch_pair *pair,
                                                uint32_t rank, size_t call)
{
    const struct epochs *epochs = &relations->epochs;
    int64_t enter_ps = relations_call(relations, rank, call)->enter_ps;
    bool simulated = relations->trace->ranks[rank].sim;
    for (size_t p = pair->previous; p != EPOCH_NONE; p = epochs->pairs[p].previous) {
        const struct exposure_epoch *exposure = &epochs->exposures[epochs->pairs[p].exposure];
        int64_t post_ps = enter_of_post(relations, exposure);
        if (post_ps <= enter_ps) break;
        if (may_await(relations, rank, call, post_ps)) return exposure;
        if (!simulated) break;
    }
    return NULL;
}

/* The post that a complete waited for, of the posts paired with the epoch and of earlier ones; found is the one of the
 * former. */
static const struct exposure_epoch *awaited_by_complete(const struct relations *relations,
                                                        const struct access_epoch *epoch, bool latest,
                                                        const struct exposure_epoch *found)
{
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++) {
        const struct epoch_pair *pair = &relations->epochs.pairs[p];
        const struct exposure_epoch *before = post_before(relations, pair, epoch->rank, epoch->close_call);
        if (!before) continue;
        int64_t before_ps = enter_of_post(relations, before), found_ps = found ? enter_of_post(relations, found) : 0;
        if (!found || (latest ? before_ps > found_ps : before_ps < found_ps)) found = before;
    }
    return found;
}

/* How much earlier a post can usefully be: until the call waits for another post. */
static int64_t useful_earlier(const struct relations *relations, const struct access_epoch *epoch, size_t call,
                              const struct exposure_epoch *last, int64_t severity_ps)
{
    const struct epochs *epochs = &relations->epochs;
    int64_t earlier_ps = severity_ps, last_ps = enter_of_post(relations, last);
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++) {
        const struct epoch_pair *pair = &epochs->pairs[p];
        const struct exposure_epoch *others[2] = {
            pair->exposure == EPOCH_NONE ? NULL : &epochs->exposures[pair->exposure],
            call == epoch->close_call ? post_before(relations, pair, epoch->rank, call) : NULL};
        for (int i = 0; i < 2; i++) {
            int64_t between_ps = others[i] && others[i] != last ? last_ps - enter_of_post(relations, others[i]) : -1;
            if (between_ps >= 0 && between_ps < earlier_ps) earlier_ps = between_ps;
        }
    }
    return earlier_ps;
}

/* Sets the distance that a call needs after the awaited post: D = dT + T. T is the latency of the described network.
 * Without one T is the time from the post to the call's end, an upper bound for a call that moves data. */
static void set_distance(const struct detection *detection, const struct exposure_epoch *exposure,
                         struct finding *finding)
{
    const struct analyze_options *options = detection->options;
    const struct trace_call *call = relations_call(detection->relations, finding->rank, finding->call);
    const struct trace_call *post = relations_call(detection->relations, exposure->rank, exposure->post_call);
    int64_t posting_ps = post->exit_ps - post->enter_ps, transfer_ps = call->exit_ps - post->exit_ps;
    if (options->network_known) transfer_ps = units_ps(options->latency_s);
    finding->distance_ps = call->enter_ps - post->enter_ps;
    finding->advised_ps = units_add_ps(posting_ps, transfer_ps > 0 ? transfer_ps : 0);
}

static enum status find_late_post(struct detection *detection, const struct access_epoch *epoch, size_t call)
{
    bool latest = detection->options->late_post == LATE_POST_LATEST;
    const struct exposure_epoch *exposure = awaited_post(detection->relations, epoch, call, latest);
    if (call == epoch->close_call) exposure = awaited_by_complete(detection->relations, epoch, latest, exposure);
    if (!exposure) return STATUS_OK;
    struct finding finding = finding_of_enter(detection->relations, PATTERN_LATE_POST, epoch->rank, call,
                                              exposure->rank, exposure->post_call);
    finding.earlier_ps = latest ? useful_earlier(detection->relations, epoch, call, exposure, finding.severity_ps)
                                : finding.severity_ps;
    set_distance(detection, exposure, &finding);
    return detect_found(detection, &finding);
}

enum status detect_late_post(struct detection *detection)
{
    const struct epochs *epochs = &detection->relations->epochs;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START) continue;
        TRY(find_late_post(detection, epoch, epoch->open_call));
        if (epoch->close_call != EPOCH_NONE) TRY(find_late_post(detection, epoch, epoch->close_call));
    }
    return STATUS_OK;
}

/* The first and the last post of an access epoch, by enter. */
struct posts {
    size_t epoch; /* EPOCH_NONE: not determined yet */
    int64_t first_ps, last_ps;
};

static void find_posts(const struct relations *relations, size_t index, struct posts *posts)
{
    const struct epochs *epochs = &relations->epochs;
    const struct access_epoch *epoch = &epochs->accesses[index];
    if (posts->epoch == index) return;
    *posts = (struct posts){index, INT64_MAX, INT64_MIN};
    for (size_t p = epoch->pair_first; p < epoch->pair_first + epoch->pair_count; p++) {
        if (epochs->pairs[p].exposure == EPOCH_NONE) continue;
        int64_t enter_ps = enter_of_post(relations, &epochs->exposures[epochs->pairs[p].exposure]);
        if (enter_ps < posts->first_ps) posts->first_ps = enter_ps;
        if (enter_ps > posts->last_ps) posts->last_ps = enter_ps;
    }
}

/* The post of the operation's target if it lies in the operation's call, else NULL. */
static const struct exposure_epoch *own_post_inside(const struct relations *relations,
                                                    const struct epoch_operation *operation)
{
    size_t own = relations->epochs.pairs[operation->pair].exposure;
    if (own == EPOCH_NONE) return NULL;
    const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
    int64_t post_ps = enter_of_post(relations, &relations->epochs.exposures[own]);
    return post_ps > call->enter_ps && post_ps <= call->exit_ps ? &relations->epochs.exposures[own] : NULL;
}

static enum status find_transfer(struct detection *detection, const struct epoch_operation *operation,
                                 const struct exposure_epoch *exposure, int doubt)
{
    struct finding finding = finding_of_enter(detection->relations, PATTERN_EARLY_TRANSFER, operation->origin,
                                              operation->call, exposure->rank, exposure->post_call);
    const struct access_epoch *epoch = &detection->relations->epochs.accesses[operation->epoch];
    finding.doubt = (uint16_t)doubt;
    /* the call may have waited for another post in it, too */
    finding.earlier_ps = useful_earlier(detection->relations, epoch, operation->call, exposure, finding.severity_ps);
    set_distance(detection, exposure, &finding);
    return detect_found(detection, &finding);
}

/* The call contains its own target's post and a later one. Which one it waited for depends on the library; in slices
 * that is known at the end. */
static enum status find_unclear(struct detection *detection, const struct epoch_operation *operation,
                                const struct exposure_epoch *own, const struct exposure_epoch *last)
{
    int of = group_votes_class(relations_call(detection->relations, operation->origin, operation->call));
    if (of < 0 || !detection->provisional) return find_transfer(detection, operation, own, FINDING_CERTAIN);
    TRY(find_transfer(detection, operation, own, DOUBT_TARGET + of));
    return find_transfer(detection, operation, last, DOUBT_GROUP + of);
}

/* An operation waited for its own target's post if the post lies in the call and no later one does. Otherwise it waited
 * for the latest post of the epoch's other targets. A simulated trace states the awaited post. */
static enum status find_early_transfer(struct detection *detection, const struct epoch_operation *operation)
{
    const struct relations *relations = detection->relations;
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    const struct exposure_epoch *last = awaited_post(relations, epoch, operation->call, true);
    const struct exposure_epoch *own =
        relations->trace->ranks[operation->origin].sim ? NULL : own_post_inside(relations, operation);
    if (!last) return STATUS_OK;
    if (own && enter_of_post(relations, own) < enter_of_post(relations, last))
        return find_unclear(detection, operation, own, last);
    return find_transfer(detection, operation, own ? own : last, FINDING_CERTAIN);
}

enum status detect_early_transfer(struct detection *detection)
{
    const struct relations *relations = detection->relations;
    const struct epochs *epochs = &relations->epochs;
    struct posts posts = {.epoch = EPOCH_NONE};
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (operation->pair == EPOCH_NONE) continue;
        const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
        find_posts(relations, operation->epoch, &posts);
        if (posts.last_ps <= call->enter_ps || posts.first_ps > call->exit_ps) continue;
        TRY(find_early_transfer(detection, operation));
    }
    return STATUS_OK;
}

/* The origin with the latest complete of an exposure epoch; false if no origin completed. */
struct last_complete {
    int64_t enter_ps;
    int64_t worked_from_ps; /* exit of its last operation on this target, or of its start if there was none */
    int64_t next_ps;        /* the latest enter of the other origins' completes; INT64_MIN: there is none */
    int64_t bytes;          /* of its operations on this target */
    uint32_t rank;
    size_t call;
};

static bool last_complete(const struct relations *relations, const struct exposure_epoch *exposure,
                          struct last_complete *last)
{
    const struct epochs *epochs = &relations->epochs;
    int64_t next_ps = INT64_MIN;
    bool found = false;
    for (size_t l = exposure->link_first; l < exposure->link_first + exposure->link_count; l++) {
        if (epochs->links[l].pair == EPOCH_NONE) continue;
        const struct epoch_pair *pair = &epochs->pairs[epochs->links[l].pair];
        const struct access_epoch *access = &epochs->accesses[pair->access];
        if (access->close_call == EPOCH_NONE) continue;
        int64_t enter_ps = relations_call(relations, access->rank, access->close_call)->enter_ps;
        size_t before = pair->last_operation != EPOCH_NONE ? pair->last_operation : access->open_call;
        int64_t worked_from_ps = relations_call(relations, access->rank, before)->exit_ps;
        /* of origins that complete at the same moment, the one with the least time after its last operation */
        bool earlier =
            enter_ps < last->enter_ps || (enter_ps == last->enter_ps && worked_from_ps <= last->worked_from_ps);
        int64_t before_ps = !found ? INT64_MIN : earlier ? enter_ps : last->enter_ps;
        if (before_ps > next_ps) next_ps = before_ps;
        if (found && earlier) continue;
        *last = (struct last_complete){.enter_ps = enter_ps,
                                       .worked_from_ps = worked_from_ps,
                                       .bytes = pair->bytes,
                                       .rank = access->rank,
                                       .call = access->close_call};
        found = true;
    }
    last->next_ps = next_ps;
    return found;
}

struct exposure_wait {
    int64_t early_wait_ps, late_complete_ps;
};

/* Adds the waiting of one wait or test call. */
static void add_call(const struct trace_call *call, const struct last_complete *last, struct exposure_wait *wait)
{
    int64_t early_wait_ps = wait_until(call, last->enter_ps);
    int64_t from_ps = last->worked_from_ps > call->enter_ps ? last->worked_from_ps : call->enter_ps;
    int64_t late_ps = last->enter_ps - from_ps;
    if (late_ps > early_wait_ps) late_ps = early_wait_ps;
    wait->early_wait_ps += early_wait_ps;
    if (late_ps > 0) wait->late_complete_ps += late_ps;
}

/* A row of tests waits while the rank is inside its calls; between them the rank computes. In a simulated trace the
 * failed tests are computing, too, and the successful one waits for the whole row (docs/simulation.md, "Computing"). */
static void add_tests(const struct relations *relations, const struct exposure_epoch *exposure,
                      const struct last_complete *last, struct exposure_wait *wait)
{
    for (size_t i = exposure->first_test; i < exposure->close_call; i++) {
        const struct trace_call *call = relations_call(relations, exposure->rank, i);
        if (call_kind(call->call) != CALL_WIN_TEST || call->handle != exposure->window) continue;
        struct last_complete seen = *last;
        if (seen.enter_ps > call->exit_ps) seen.enter_ps = call->exit_ps;
        add_call(call, &seen, wait);
    }
}

/* Sets the distance that wait needs after its post: D = dT + T. If the last complete was later than the post, dT is the
 * time between them. T is the time of the pair's data and the notification on the described network. Without one T is
 * the time from the last complete to the end of wait. */
static void set_distance_of_wait(const struct detection *detection, const struct exposure_epoch *exposure,
                                 const struct last_complete *last, struct finding *finding)
{
    const struct analyze_options *options = detection->options;
    const struct trace_call *post = relations_call(detection->relations, exposure->rank, exposure->post_call);
    const struct trace_call *wait = relations_call(detection->relations, exposure->rank, exposure->close_call);
    int64_t posting_ps = post->exit_ps - post->enter_ps;
    int64_t began_ps = last->enter_ps > post->enter_ps ? last->enter_ps : post->enter_ps;
    int64_t transfer_ps = wait->exit_ps - began_ps - posting_ps;
    if (options->network_known)
        transfer_ps = units_ps(options->latency_s + (double)last->bytes / options->bandwidth_Bps);
    finding->distance_ps = wait->enter_ps - post->enter_ps;
    finding->advised_ps = units_add_ps(began_ps - post->enter_ps + posting_ps, transfer_ps > 0 ? transfer_ps : 0);
}

static enum status for_exposures(struct detection *detection, enum pattern pattern)
{
    const struct relations *relations = detection->relations;
    for (size_t e = 0; e < relations->epochs.exposure_count; e++) {
        const struct exposure_epoch *exposure = &relations->epochs.exposures[e];
        struct last_complete last = {0};
        struct exposure_wait wait = {0, 0};
        if (exposure->close_call == EPOCH_NONE || !last_complete(relations, exposure, &last)) continue;
        const struct trace_call *close = relations_call(relations, exposure->rank, exposure->close_call);
        if (call_kind(close->call) == CALL_WIN_TEST && !relations->trace->provenance.simulated)
            add_tests(relations, exposure, &last, &wait);
        add_call(close, &last, &wait);
        /* Late Complete is part of Early Wait: an Early Wait below the threshold has no Late Complete. */
        struct finding finding =
            finding_of_enter(relations, pattern, exposure->rank, exposure->close_call, last.rank, last.call);
        finding.severity_ps = pattern == PATTERN_EARLY_WAIT ? wait.early_wait_ps : wait.late_complete_ps;
        finding.earlier_ps = finding.severity_ps;
        if (last.next_ps != INT64_MIN && last.enter_ps - last.next_ps < finding.earlier_ps)
            finding.earlier_ps = last.enter_ps - last.next_ps;
        if (call_kind(close->call) != CALL_WIN_TEST) /* a row of tests belongs to the program's logic */
            set_distance_of_wait(detection, exposure, &last, &finding);
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

enum status detect_early_wait(struct detection *detection)
{
    return for_exposures(detection, PATTERN_EARLY_WAIT);
}

enum status detect_late_complete(struct detection *detection)
{
    return for_exposures(detection, PATTERN_LATE_COMPLETE);
}
