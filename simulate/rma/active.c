/* General active target synchronisation: post, start, complete, wait (MPI-3.1 11.5.2) under the blocking semantics a to
 * d. The calls' waits: docs/simulation.md, "Blocking semantics". */
#include "simulate/replay/connections.h"
#include "simulate/rma/rma.h"
#include "simulate/rma/steps.h"
#include "simulate/windows/pair.h"
#include "simulate/windows/transfer.h"

enum { PHASE_ACT = 1, PHASE_WAIT };

/* Several threads of a rank may wait for the same posts. A value left from an earlier call is of a post that came
 * before this call began to wait. */
void replay_await_group(struct replay *replay, struct member *member)
{
    bool waits = false;
    for (uint32_t i = 0; i < member->access.pair_count; i++)
        waits |= replay->pairs[role_pairs(&member->access)[i]].awaited;
    if (!waits) member->awaited_post_ps = TRACE_UNKNOWN_PS;
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        pair->awaited |= !replay_pair_ready(member, pair);
    }
}

void replay_account_post(struct replay *replay, uint32_t rank, enum pattern pattern, int64_t post_ps)
{
    struct rank_state *state = &replay->ranks[rank];
    if (post_ps == TRACE_UNKNOWN_PS) return;
    if (state->lacked_until_ps < post_ps) state->lacked_until_ps = post_ps;
    totals_add(&replay->outcome->totals, pattern, rank, post_ps - state->enter_ps);
    if (replay->made) predicted_sim(replay->made, rank, replay_call_number(replay, rank))->awaited_post_ps = post_ps;
}

/* --- target --- */

static enum step open_exposure(struct replay *replay, uint32_t rank, struct member *member, uint32_t group)
{
    struct rank_state *state = &replay->ranks[rank];
    if (member->exposed)
        return replay_fail(replay, rank, "post while the exposure epoch on window %d is still open", member->window),
               STEP_FAIL;
    STEP_TRY(replay_pairs_of(replay, member, &member->exposure, false, group));
    state->last_member = (uint32_t)(member - replay->members);
    member->exposed = true;
    member->pending_origins = member->missing_completes = 0;
    for (uint32_t i = 0; i < member->exposure.pair_count; i++) {
        struct pair *pair = &replay->pairs[role_pairs(&member->exposure)[i]];
        pair->post_enter_ps[++pair->exposures & 1] = state->enter_ps;
        if (pair->epochs_done < pair->exposures) member->pending_origins++;
        if (pair->completes_arrived < pair->exposures) member->missing_completes++;
    }
    return replay_spend(replay, state, member->exposure.pair_count > 0 ? replay_overhead_ps(replay, state) : 0, PHASE_ACT);
}

enum step replay_step_post(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct member *member = replay_member(replay, call, rank);
    if (state->phase == PHASE_ENTER) return open_exposure(replay, rank, member, call->sync.group);
    for (uint32_t i = 0; i < member->exposure.pair_count; i++) {
        uint32_t pair = role_pairs(&member->exposure)[i];
        STEP_TRY(replay_send_control(replay, MESSAGE_POST, rank, replay->pairs[pair].origin, pair, 0));
    }
    return replay_exit(state, replay->now_ps);
}

/* The notification of the pair's current exposure epoch has arrived while the target was in its wait. Among origins
 * that entered complete last at the same time, the one whose last operation ended last counts. */
static void note_awaited_complete(struct replay *replay, struct member *target, uint32_t index)
{
    const struct pair *pair = &replay->pairs[index];
    uint32_t slot = pair->exposures & 1;
    if (target->last_completer != NO_INDEX) {
        const struct pair *last = &replay->pairs[target->last_completer];
        int64_t last_ps = last->complete_enter_ps[last->exposures & 1];
        if (pair->complete_enter_ps[slot] < last_ps) return;
        if (pair->complete_enter_ps[slot] == last_ps &&
            pair->complete_last_op_ps[slot] <= last->complete_last_op_ps[last->exposures & 1])
            return;
    }
    target->last_completer = index;
}

/* Counts Early Wait, and the share of it that is Late Complete, for a wait that returns. */
static void account_early_wait(struct replay *replay, const struct member *member)
{
    if (member->last_completer == NO_INDEX) return;
    const struct pair *last = &replay->pairs[member->last_completer];
    int64_t enter_ps = replay->ranks[member->rank].enter_ps, until_ps = last->complete_enter_ps[last->exposures & 1];
    int64_t last_op_ps = last->complete_last_op_ps[last->exposures & 1];
    totals_add(&replay->outcome->totals, PATTERN_EARLY_WAIT, member->rank, until_ps - enter_ps);
    int64_t from_ps = last_op_ps > enter_ps ? last_op_ps : enter_ps;
    totals_add(&replay->outcome->totals, PATTERN_LATE_COMPLETE, member->rank, until_ps - from_ps);
}

/* --- protocol.wait = confirmed --- */

static enum status say_waits(struct replay *replay, const struct member *member)
{
    for (uint32_t i = 0; i < member->exposure.pair_count; i++) {
        uint32_t index = role_pairs(&member->exposure)[i];
        const struct pair *pair = &replay->pairs[index];
        TRY(replay_send_control(replay, MESSAGE_WAITS, member->rank, pair->origin, index, pair->exposures));
    }
    return STATUS_OK;
}

/* Whether the notification of the pair's access epoch is still to be sent. */
static bool owes_notification(const struct replay *replay, const struct pair *pair, uint32_t epoch)
{
    if (pair->accesses < epoch || (pair->accesses == epoch && pair->open && !pair->notified)) return true;
    for (uint32_t op = pair->queue.first; op != NO_INDEX; op = replay->ops[op].next)
        if (replay->ops[op].kind == CALL_COMPLETE && replay->ops[op].epoch == epoch) return true;
    return false;
}

/* A target waits in exposure n when notification n - 1 has arrived: what it waits for is the pair's next one. */
enum status replay_on_waits(struct replay *replay, const struct engine_note *message)
{
    struct pair *pair = &replay->pairs[message->ref];
    pair->target_waits = owes_notification(replay, pair, message->extra);
    return STATUS_OK;
}

/* Whether a target of the rank's last access epoch waits for a notification that only acknowledgements keep back. */
static bool awaits_confirmation(const struct replay *replay, const struct member *member)
{
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (pair->target_waits && pair->uncleared > 0 && pair->queue.first != NO_INDEX) return true;
    }
    return false;
}

/* mpi.rma.protocol.visit: a notification has arrived since the rank last served. Only a poll finds it. */
static bool has_unread(const struct replay *replay, const struct member *member)
{
    const struct rank_state *state = &replay->ranks[member->rank];
    if (!replay->unread_completes || state->inside || state->served || state->threads) return false;
    return replay->unread_completes[member - replay->members] == replay_unread_mark(replay, member->rank);
}

enum step replay_step_win_wait(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct member *member = replay_member(replay, call, rank);
    bool confirms = replay->modes[member->window].wait_confirms && call_kind(call->call) == CALL_WIN_WAIT;
    if (!member->exposed)
        return replay_fail(replay, rank, "no exposure epoch is open on window %d", member->window), STEP_FAIL;
    if (state->phase == PHASE_ENTER) {
        member->in_wait = true;
        member->last_completer = NO_INDEX;
        enum step step = replay_spend(replay, state, replay_own_ps(replay, state), PHASE_ACT);
        if (step != STEP_AGAIN) return step;
    }
    if (state->phase == PHASE_ACT) {
        if (confirms) STEP_TRY(say_waits(replay, member));
        state->phase = PHASE_WAIT;
    }
    if (has_unread(replay, member)) return STEP_POLL;
    if (member->pending_origins > 0) {
        state->need = member->missing_completes;
        return STEP_BLOCK;
    }
    if (confirms && awaits_confirmation(replay, member)) return STEP_BLOCK;
    /* MPI-3.1 11.5.2: when wait returns, all accesses are complete at the target, also those that read. */
    if (member->last_effect_ps > replay->now_ps) return replay_wait_until(state, member->last_effect_ps, PHASE_WAIT);
    account_early_wait(replay, member);
    member->exposed = member->in_wait = false;
    return replay_exit(state, replay->now_ps);
}

enum status replay_on_complete(struct replay *replay, const struct engine_note *message)
{
    struct pair *pair = &replay->pairs[message->ref];
    struct member *target = &replay->members[pair->target_member];
    if (++pair->completes_arrived <= pair->exposures) {
        target->missing_completes--;
        if (target->in_wait) note_awaited_complete(replay, target, message->ref);
    }
    if (replay->unread_completes && message->source != message->destination && !replay_serves(replay, message->destination))
        replay->unread_completes[pair->target_member] = replay_unread_mark(replay, message->destination);
    replay_end_epochs(replay, pair);
    return STATUS_OK;
}

/* --- origin --- */

enum step replay_step_start(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct member *member = replay_member(replay, call, rank);
    if (state->phase == PHASE_ENTER) {
        if (member->access_open)
            return replay_fail(replay, rank, "start while the access epoch on window %d is still open", member->window),
                   STEP_FAIL;
        STEP_TRY(replay_pairs_of(replay, member, &member->access, true, call->sync.group));
        member->access_open = true;
        member->nocheck = call->flags & TRACE_NOCHECK;
        member->missing_posts = 0;
        member->awaited_post_ps = TRACE_UNKNOWN_PS;
        bool waits = replay->modes[member->window].semantics->start_waits;
        for (uint32_t i = 0; i < member->access.pair_count; i++) {
            struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
            pair->accesses++;
            pair->open = true;
            pair->closing = pair->notified = false;
            pair->unflushed = false;
            pair->last_op_exit_ps = TRACE_UNKNOWN_PS;
            pair->awaited = false;
            if (replay_pair_ready(member, pair)) continue;
            member->missing_posts++;
            pair->awaited = waits;
        }
        member->posted = member->missing_posts == 0;
        state->phase = PHASE_WAIT;
        return STEP_AGAIN;
    }
    if (replay->modes[member->window].semantics->start_waits && member->missing_posts > 0) {
        state->need = member->missing_posts;
        return STEP_BLOCK;
    }
    replay_account_post(replay, rank, PATTERN_LATE_POST, member->awaited_post_ps);
    member->awaited_post_ps = TRACE_UNKNOWN_PS;
    member->start_exit_ps = replay->now_ps;
    return replay_exit(state, replay->now_ps);
}

/* Whether the origin has opened more epochs towards the target than complete may leave without a post. */
static bool is_ahead(const struct replay *replay, const struct member *member, const struct pair *pair)
{
    int64_t ahead = (int64_t)pair->accesses - (int64_t)pair->posts_arrived;
    return !member->nocheck && ahead > replay->modes[member->window].epochs_ahead;
}

static void note_awaited_post(struct member *origin, int64_t post_ps)
{
    if (post_ps > origin->awaited_post_ps) origin->awaited_post_ps = post_ps;
}

/* The post of an earlier epoch, for which the origin's complete waited, has arrived. */
static void end_wait_before(struct replay *replay, struct pair *pair)
{
    struct member *origin = &replay->members[pair->origin_member];
    if (!pair->awaited_before || is_ahead(replay, origin, pair)) return;
    note_awaited_post(origin, pair->post_enter_ps[pair->posts_arrived & 1]);
    pair->awaited_before = false;
    if (--origin->missing_before == 0) replay_wake(replay, origin->rank);
}

/* Issues the operations that are queued for the group, before the rank continues. One of them may wake the rank. */
static enum status issue_before_rank(struct replay *replay, struct member *origin)
{
    struct rank_state *state = &replay->ranks[origin->rank];
    bool held = state->status == RANK_BLOCKED && !state->threads;
    if (held) state->status = RANK_PAUSED;
    /* All posts of the access epoch have arrived: issues the operations that wait for them, target by target. */
    for (uint32_t i = 0; i < origin->access.pair_count; i++)
        TRY(replay_pair_issue_queued(replay, role_pairs(&origin->access)[i]));
    if (!held) return STATUS_OK;
    state->status = RANK_BLOCKED;
    replay_wake(replay, origin->rank);
    return STATUS_OK;
}

enum status replay_on_post(struct replay *replay, const struct engine_note *message)
{
    struct pair *pair = &replay->pairs[message->ref];
    uint32_t posts = ++pair->posts_arrived;
    struct member *origin = &replay->members[pair->origin_member];
    bool last = pair->open && posts == pair->accesses && origin->missing_posts == 1;
    if (last) origin->posted = true;
    if (last && replay->modes[origin->window].queues_for_group)
        TRY(issue_before_rank(replay, origin));
    else if (pair->queue.first != NO_INDEX)
        TRY(replay_pair_issue_until(replay, message->ref, posts));
    end_wait_before(replay, &replay->pairs[message->ref]);
    pair = &replay->pairs[message->ref];
    if (!pair->open || posts != pair->accesses) return STATUS_OK;
    if (pair->awaited) note_awaited_post(origin, replay_pair_post_enter(pair));
    pair->awaited = false;
    if (origin->nocheck || --origin->missing_posts == 0 || !replay->modes[origin->window].semantics->start_waits)
        replay_wake(replay, origin->rank);
    return STATUS_OK;
}

/* Whether complete waits for the pair's post, which has not come. It does where a row of the semantics waits in
 * complete; else for the data of the epoch's gets, and until queued data of puts have left. */
static bool complete_awaits(const struct replay *replay, const struct member *member, const struct pair *pair)
{
    if (replay->modes[member->window].complete_waits_all) return true;
    for (uint32_t op = pair->queue.first; op != NO_INDEX; op = replay->ops[op].next)
        if (replay->ops[op].epoch == pair->accesses && replay_complete_awaits_op(&replay->ops[op])) return true;
    return false;
}

static enum status queue_notification(struct replay *replay, uint32_t index, const struct notification *notification)
{
    uint32_t op;
    TRY(replay_take_op(replay, &op));
    struct pair *pair = &replay->pairs[index];
    replay->ops[op] = (struct op){.origin = pair->origin,
                                  .target = pair->target,
                                  .pair = index,
                                  .call = replay_call_number(replay, pair->origin),
                                  .epoch = notification->epoch,
                                  .kind = CALL_COMPLETE,
                                  .complete_enter_ps = notification->complete_enter_ps,
                                  .last_op_ps = notification->last_op_ps,
                                  .data_expected = notification->data_expected};
    replay_queue_append(replay, &pair->queue, op);
    replay_await(replay, pair->origin);
    return STATUS_OK;
}

/* Issues what is held towards the target. */
static enum status issue_to_target(struct replay *replay, struct member *member, uint32_t index)
{
    struct pair *pair = &replay->pairs[index];
    bool ready = replay_pair_ready(member, pair);
    pair->closing = true;
    pair->awaited = !ready && complete_awaits(replay, member, pair);
    pair->awaited_before = is_ahead(replay, member, pair);
    member->missing_before += pair->awaited_before;
    bool issues = ready && pair->queue.first != NO_INDEX;
    return issues ? replay_pair_issue_until(replay, index, pair->accesses) : STATUS_OK;
}

/* Sends the notification after what is issued or queued for the target. A queued notification leaves when the post has
 * come and the data before it have been sent or, where complete waits for that, acknowledged. */
static enum status notify_target(struct replay *replay, const struct member *member, uint32_t index)
{
    const struct pair *pair = &replay->pairs[index];
    bool acted = pair->last_op_exit_ps != TRACE_UNKNOWN_PS;
    const struct notification end = {pair->accesses, pair->data_issued, replay->ranks[member->rank].enter_ps,
                                     acted ? pair->last_op_exit_ps : member->start_exit_ps};
    if (replay_pair_ready(member, pair) && pair->uncleared == 0 && !replay_pair_awaits_group(replay, pair))
        return replay_send_notification(replay, index, &end);
    return queue_notification(replay, index, &end);
}

/* Without acknowledgements between both steps, each target is notified behind its own operations. */
static enum step issue_to_targets(const struct steps_run *run)
{
    run->member->missing_before = 0;
    run->member->awaited_post_ps = TRACE_UNKNOWN_PS;
    for (uint32_t i = 0; i < run->member->access.pair_count; i++) {
        const uint32_t pair = role_pairs(&run->member->access)[i];
        STEP_TRY(issue_to_target(run->replay, run->member, pair));
        if (!run->replay->complete_remote) STEP_TRY(notify_target(run->replay, run->member, pair));
    }
    return STEP_AGAIN;
}

/* Complete that queries asks the targets for which it waits. What is still queued for the post has not left: its
 * acknowledgement is the answer. */
static enum step request_flush(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    const struct member *member = run->member;
    const bool connected = replay->platform->protocol.calls[STEPS_COMPLETE].query == QUERY_CONNECTED;
    bool queries = connected && replay_flush_asks_others(replay, run->index) && member->access.pair_count > 0;
    for (uint32_t i = 0; i < member->access.pair_count; i++) {
        struct pair *pair = &replay->pairs[role_pairs(&member->access)[i]];
        if (!pair->unflushed || pair->answers == 0 || pair->queue.first != NO_INDEX || pair->origin == pair->target) continue;
        pair->unflushed = false;
        STEP_TRY(replay_query_target(replay, run->index, pair->origin, pair->target));
        queries = true;
    }
    if (queries && connected) STEP_TRY(replay_query_others(replay, run->rank, run->index));
    return STEP_AGAIN;
}

static enum step await_completion(const struct steps_run *run)
{
    const struct member *member = run->member;
    const bool posts = run->replay->modes[member->window].complete_waits_all && !member->nocheck && member->missing_posts > 0;
    if (!posts && member->missing_before == 0 && member->open.lefts == 0 && member->open.outstanding == 0) return STEP_AGAIN;
    if (run->replay->acknowledges_all) run->state->need = replay_least_messages(run->replay, member->open.outstanding);
    return STEP_BLOCK;
}

static enum step close_access(struct replay *replay, struct member *member)
{
    struct rank_state *state = &replay->ranks[member->rank];
    int64_t now_ps = replay->now_ps;
    int64_t exit_ps = member->open.last_left_ps > now_ps ? member->open.last_left_ps : now_ps;
    replay_account_post(replay, member->rank, PATTERN_LATE_POST, member->awaited_post_ps);
    for (uint32_t i = 0; i < member->access.pair_count; i++) replay->pairs[role_pairs(&member->access)[i]].open = false;
    member->access_open = false;
    return replay_exit(state, exit_ps);
}

static bool has_operations(const struct replay *replay, const struct member *member)
{
    for (uint32_t i = 0; i < member->access.pair_count; i++)
        if (replay->pairs[role_pairs(&member->access)[i]].last_op_exit_ps != TRACE_UNKNOWN_PS) return true;
    return false;
}

/* Complete that notifies behind acknowledgements has its overhead there, too, unless it issues operations before. */
static int64_t notify_ps(const struct replay *replay, const struct rank_state *state, const struct member *member, bool behind)
{
    const bool notifies_behind = replay->complete_remote && !replay->deferred;
    return member->access.pair_count > 0 && behind == notifies_behind ? replay_overhead_ps(replay, state) : 0;
}

/* Without operations nothing is to be completed, and complete has no time of its own. */
static enum step pay_notify(const struct steps_run *run)
{
    if (!run->replay->complete_remote) return STEP_AGAIN;
    const int64_t own_ps = has_operations(run->replay, run->member) ? replay_call_ps(run->replay, run->state) : 0;
    return steps_pay(run, own_ps + notify_ps(run->replay, run->state, run->member, true));
}

static enum step notify_targets(const struct steps_run *run)
{
    for (uint32_t i = 0; run->replay->complete_remote && i < run->member->access.pair_count; i++)
        STEP_TRY(notify_target(run->replay, run->member, role_pairs(&run->member->access)[i]));
    return STEP_AGAIN;
}

static const struct step_row complete_steps[DO_COUNT] = {[DO_ISSUE] = {{issue_to_targets}},
                                                         [DO_QUERY] = {{request_flush}},
                                                         [DO_ANSWER] = {{await_completion}},
                                                         [DO_ACKNOWLEDGED] = {{await_completion}},
                                                         [DO_LEFT] = {{await_completion}},
                                                         [DO_NOTIFY] = {{pay_notify, notify_targets}}};

enum step replay_step_complete(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    if (run.state->phase == PHASE_ENTER) {
        if (!run.member->access_open)
            return replay_fail(replay, rank, "no access epoch is open on window %d", run.member->window), STEP_FAIL;
        return replay_spend(replay, run.state, notify_ps(replay, run.state, run.member, false), PHASE_STEPS);
    }
    enum step step = steps_walk(&run, &replay->modes[run.member->window].steps[STEPS_COMPLETE], complete_steps);
    return step == STEP_EXIT ? close_access(replay, run.member) : step;
}
