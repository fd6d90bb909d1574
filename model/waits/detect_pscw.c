/* Wait states of post/start/complete/wait. */
#include "model/waits/detect.h"

static int64_t enter_of_post(const struct relations *relations, const struct exposure_epoch *exposure)
{
    return relations_call(relations, exposure->rank, exposure->post_call)->enter_ps;
}

/* Whether a call of an origin may have waited for a post that was entered at post_ps: one that returned before the post
 * did not. A simulated trace says what a call waited for. */
static bool may_await(const struct relations *relations, uint32_t rank, size_t call, int64_t post_ps)
{
    const struct trace_rank *stream = &relations->trace->ranks[rank];
    if (stream->sim && post_ps > stream->sim[call].awaited_post_ps) return false;
    return post_ps <= stream->calls[call].exit_ps;
}

/* The post of those paired with an access epoch that a call of it waited for: of those that lie before the call's end the
 * latest, or the earliest; NULL: there is none. */
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

/* The latest post towards a target before that of the pair which complete may have waited for: semantics d lets an
 * origin run ahead of the posts by a number of epochs. A recorded trace does not know the number: it is one, as the
 * platforms'. */
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

/* The post that a complete waited for, of those paired with the epoch and of those before; found: of the former. */
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

/* How much earlier a post is of use: until another post is the latest that the call waits for. */
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

/* The posts of an access epoch: the first and the last enter. */
struct posts {
    size_t epoch; /* EPOCH_NONE: not looked at yet */
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

/* The post that an operation waited for: its own target's if that lies in the call, else the latest one of the epoch's other
 * targets: some libraries wait for the posts of the whole group (docs/patterns.md). A simulated trace says which. */
static const struct exposure_epoch *post_of_operation(const struct relations *relations,
                                                      const struct epoch_operation *operation)
{
    const struct epochs *epochs = &relations->epochs;
    const struct trace_rank *stream = &relations->trace->ranks[operation->origin];
    size_t own = epochs->pairs[operation->pair].exposure;
    if (!stream->sim && own != EPOCH_NONE) {
        int64_t post_ps = enter_of_post(relations, &epochs->exposures[own]);
        bool inside =
            post_ps > stream->calls[operation->call].enter_ps && post_ps <= stream->calls[operation->call].exit_ps;
        if (inside) return &epochs->exposures[own];
    }
    return awaited_post(relations, &epochs->accesses[operation->epoch], operation->call, true);
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
        const struct exposure_epoch *exposure = post_of_operation(relations, operation);
        if (!exposure) continue;
        struct finding finding = finding_of_enter(relations, PATTERN_EARLY_TRANSFER, operation->origin, operation->call,
                                                  exposure->rank, exposure->post_call);
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

/* The origin with the latest complete of an exposure epoch; false if no origin completed. */
struct last_complete {
    int64_t enter_ps;
    int64_t worked_from_ps; /* exit of its last operation to this target, of its start if there was none */
    uint32_t rank;
    size_t call;
};

static bool last_complete(const struct relations *relations, const struct exposure_epoch *exposure,
                          struct last_complete *last)
{
    const struct epochs *epochs = &relations->epochs;
    bool found = false;
    for (size_t l = exposure->link_first; l < exposure->link_first + exposure->link_count; l++) {
        if (epochs->links[l].pair == EPOCH_NONE) continue;
        const struct epoch_pair *pair = &epochs->pairs[epochs->links[l].pair];
        const struct access_epoch *access = &epochs->accesses[pair->access];
        if (access->close_call == EPOCH_NONE) continue;
        int64_t enter_ps = relations_call(relations, access->rank, access->close_call)->enter_ps;
        size_t before = pair->last_operation != EPOCH_NONE ? pair->last_operation : access->open_call;
        int64_t worked_from_ps = relations_call(relations, access->rank, before)->exit_ps;
        /* Of origins that complete at the same moment the one that had least to do after its last operation. */
        bool earlier =
            enter_ps < last->enter_ps || (enter_ps == last->enter_ps && worked_from_ps <= last->worked_from_ps);
        if (found && earlier) continue;
        *last = (struct last_complete){enter_ps, worked_from_ps, access->rank, access->close_call};
        found = true;
    }
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

/* A row of tests waits as long as the rank is inside its calls: what it does between them is computing. In a simulated
 * trace the failed tests are computing, too, and the successful one waits for the whole row (docs/simulation.md,
 * "Compute time"). */
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

static enum status for_exposures(struct detection *detection, enum pattern pattern)
{
    const struct relations *relations = detection->relations;
    for (size_t e = 0; e < relations->epochs.exposure_count; e++) {
        const struct exposure_epoch *exposure = &relations->epochs.exposures[e];
        struct last_complete last = {0};
        struct exposure_wait wait = {0, 0};
        if (exposure->close_call == EPOCH_NONE || !last_complete(relations, exposure, &last)) continue;
        const struct trace_call *close = relations_call(relations, exposure->rank, exposure->close_call);
        if (call_kind(close->call) == CALL_WIN_TEST && !relations->trace->simulated)
            add_tests(relations, exposure, &last, &wait);
        add_call(close, &last, &wait);
        /* A part of nothing is nothing: an Early Wait below the threshold has no Late Complete, the smaller one. */
        struct finding finding =
            finding_of_enter(relations, pattern, exposure->rank, exposure->close_call, last.rank, last.call);
        finding.severity_ps = pattern == PATTERN_EARLY_WAIT ? wait.early_wait_ps : wait.late_complete_ps;
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
