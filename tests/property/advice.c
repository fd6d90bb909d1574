#include "tests/property/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/waits/advice.h"
#include "model/waits/detect.h"
#include "predictors/transforms/transform.h"
#include "simulate/replay/replay.h"
#include "tests/property/knobs.h"

enum { TRIED = 12, LEAST_PS = 1000 }; /* waits of a program that are looked at; computing that is moved, at least */
#define ROUNDING_S 1e-11
enum { ROUNDING_PS = 10 };

struct waits_found {
    struct finding *items;
    size_t count, capacity;
    enum status status;
};

static void note(void *context, const struct finding *finding)
{
    struct waits_found *found = context;
    if (found->status != STATUS_OK) return;
    found->status =
        array_reserve((void **)&found->items, &found->capacity, found->count + 1, sizeof *found->items, NULL);
    if (found->status == STATUS_OK) found->items[found->count++] = *finding;
}

/* All waits of a predicted trace. */
static enum status find_waits(const struct trace *predicted, const struct platform *platform, struct waits_found *found,
                              struct err *err)
{
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct relations relations;
    struct totals totals;
    options.eager_bytes = platform->eager_bytes;
    options.network_known = true;
    options.latency_s = platform->segments[0].latency_s;
    options.bandwidth_Bps = platform->segments[0].bandwidth_Bps;
    TRY(relations_build(predicted, &relations, err));
    enum status status = totals_init(&totals, predicted->rank_count, err);
    if (status == STATUS_OK) {
        struct detection detection = {.relations = &relations,
                                      .options = &options,
                                      .totals = &totals,
                                      .observer = note,
                                      .observer_context = found,
                                      .err = err};
        status = detect_all(&detection);
        totals_clear(&totals);
    }
    relations_clear(&relations);
    return status == STATUS_OK ? found->status : status;
}

/* A call of a program in whichever trace of it: those of a rank's threads stand in another order there. */
struct place {
    uint32_t rank, thread;
    size_t number; /* of the thread's calls */
};

static struct place place_of(const struct trace *trace, uint32_t rank, size_t call)
{
    struct place place = {rank, trace_call_thread(trace, rank, call), 0};
    for (size_t i = 0; i < call; i++) place.number += trace_call_thread(trace, rank, i) == place.thread;
    return place;
}

/* The number of the rank's calls where there is none. */
static size_t call_at(const struct trace *trace, struct place place)
{
    size_t call = 0, count = trace->ranks[place.rank].count;
    for (size_t left = place.number; call < count; call++) {
        if (trace_call_thread(trace, place.rank, call) != place.thread) continue;
        if (left-- == 0) break;
    }
    return call;
}

/* The computing of the thread between its call before the place and that at the place. Sleep stays where it is. */
static int64_t computed_ps(const struct trace *trace, struct place place)
{
    const struct trace_rank *rank = &trace->ranks[place.rank];
    size_t call = call_at(trace, place);
    if (call == rank->count) return 0;
    int64_t from_ps = trace_begin_ps(trace);
    if (place.number > 0) {
        place.number--;
        from_ps = rank->calls[call_at(trace, place)].exit_ps;
    }
    int64_t gap_ps = rank->calls[call].enter_ps - from_ps;
    return gap_ps - trace_slept_ps(rank, call, gap_ps);
}

static int64_t severity_at(const struct trace *trace, const struct waits_found *found, enum pattern pattern,
                           struct place where)
{
    int64_t sum_ps = 0;
    size_t call = call_at(trace, where);
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *one = &found->items[i];
        if (one->pattern == pattern && one->rank == where.rank && one->call == call) sum_ps += one->severity_ps;
    }
    return sum_ps;
}

enum move {
    CAUSE_EARLIER, /* over the computing in front of it */
    CALL_EARLIER,  /* one more call in that computing, by which the rank serves others */
    CAUSE_SOONER,  /* without that computing, which is the advice to balance it */
    OWN_LATER,     /* over the computing behind it */
};
static const char *const moves_said[] = {"the other side's call earlier", "another call earlier",
                                         "less computing before the other side's call", "the call that waits later"};

/* Calls of the thread from `at` on, the first one or all: up to a join, which lasts longer instead, so that what follows is still
 * recorded behind the calls of the joined thread. */
static void move_calls(struct trace *trace, struct place at, bool all, int64_t ps)
{
    struct trace_rank *rank = &trace->ranks[at.rank];
    for (size_t i = call_at(trace, at); i < rank->count; i++) {
        if (trace_call_thread(trace, at.rank, i) != at.thread) continue;
        bool joins = all && call_kind(rank->calls[i].call) == CALL_THREAD_JOIN;
        rank->calls[i].enter_ps += ps;
        if (!joins) rank->calls[i].exit_ps += ps;
        if (!all || joins) break;
    }
}

/* One more call of the thread, `ps` in front of a call. The thread sleeps in front of both. */
static enum status add_call(struct trace *trace, struct place at, int64_t ps, struct err *err)
{
    struct trace_rank *rank = &trace->ranks[at.rank];
    size_t call = call_at(trace, at);
    struct trace_call more = {
        .call = ID_Comm_group, .any = TRACE_NO_MEMBERS, .enter_ps = rank->calls[call].enter_ps - ps};
    struct trace_call last = more;
    more.exit_ps = more.enter_ps;
    last.enter_ps = last.exit_ps = trace_rank_end_ps(trace, at.rank);
    TRY(trace_add_thread_call(trace, at.rank, at.thread, &last, err));
    memmove(&rank->calls[call + 1], &rank->calls[call], (rank->count - 1 - call) * sizeof last);
    if (rank->thread)
        memmove(&rank->thread[call + 1], &rank->thread[call], (rank->count - 1 - call) * sizeof *rank->thread);
    for (int b = 0; b < BEFORE_COUNT; b++) {
        int64_t *before_ps = rank->before_ps[b];
        if (!before_ps) continue;
        memmove(&before_ps[call + 1], &before_ps[call], (rank->count - 1 - call) * sizeof *before_ps);
        before_ps[call + 1] = TRACE_UNKNOWN_PS;
    }
    rank->calls[call] = more;
    return STATUS_OK;
}

/* By up to `ps`; returns by how much. */
static enum status apply_move(struct trace *trace, struct place at, enum move move, int64_t ps, int64_t *moved_ps,
                              struct err *err)
{
    const struct place behind = {at.rank, at.thread, at.number + 1};
    int64_t room_ps = computed_ps(trace, move == OWN_LATER ? behind : at);
    if (ps > room_ps) ps = room_ps;
    *moved_ps = ps >= LEAST_PS ? ps : 0;
    if (*moved_ps == 0) return STATUS_OK;
    if (move == CALL_EARLIER) return add_call(trace, at, ps / 2, err);
    move_calls(trace, at, move == CAUSE_SOONER, move == OWN_LATER ? ps : -ps);
    trace->ranks[at.rank].unsorted = true;
    return trace_sort_threads(trace, err);
}

static enum status replay(const struct trial *trial, const struct trace *trace, const struct platform *platform,
                          struct replay_outcome *outcome, struct waits_found *found, struct err *err)
{
    const struct replay_options options = {.engine = trial->engine, .keep_trace = true};
    TRY(replay_run(trace, platform, &options, outcome, err));
    enum status status = find_waits(outcome->trace, platform, found, err);
    if (status != STATUS_OK) replay_outcome_clear(outcome);
    return status;
}

struct advised {
    const struct trial *trial;
    const struct program *program;
    const struct platform *platform;
    const struct trace *predicted;
    double run_time_s;
    const double *rank_time_s;
    bool plain;    /* the network has one latency, and calls cost nothing */
    bool monotone; /* whoever comes earlier makes nobody come later */
};

/* The root of a large reduce sends, too (MPICH: reduce-scatter, then gather): if it comes later it waits less, but those who wait
 * for its data may end later. */
static bool is_awaited(enum move move, enum pattern pattern)
{
    return move == OWN_LATER && pattern == PATTERN_EARLY_REDUCE;
}

/* A call that waits for nobody: what moves behind it is not computed while it waits. */
static bool is_free(const struct trace *trace, const struct finding *finding)
{
    enum call_kind kind = call_kind(trace->ranks[finding->cause_rank].calls[finding->cause_call].call);
    return kind == CALL_POST || kind == CALL_ISEND || kind == CALL_IRECV;
}

/* By how much earlier a call of the predicted run is entered now. */
static int64_t earlier_ps(const struct advised *advised, const struct trace *now, uint32_t rank, size_t call)
{
    size_t there = call_at(now, place_of(advised->predicted, rank, call));
    return advised->predicted->ranks[rank].calls[call].enter_ps - now->ranks[rank].calls[there].enter_ps;
}

static bool is_of_lock(enum pattern pattern)
{
    return pattern == PATTERN_LOCK_CONTENTION || pattern == PATTERN_THREAD_LOCK_CONTENTION;
}

/* What the wait may be at most. All that a call is moved is of use. An unlock also waits for its data, and may return
 * no earlier. Whom the cause's rank kept waiting before comes sooner, too. One more call ends the wait there and then.
 */
static int64_t allowed_ps(const struct advised *advised, const struct finding *finding, enum move move,
                          const struct trace *now)
{
    int64_t less_ps = 1;
    if (is_of_lock(finding->pattern) || move == CAUSE_SOONER)
        less_ps = 0;
    else if (move == CAUSE_EARLIER)
        less_ps = earlier_ps(advised, now, finding->cause_rank, finding->cause_call) - ROUNDING_PS;
    else if (move == OWN_LATER)
        less_ps = -earlier_ps(advised, now, finding->rank, finding->call) - ROUNDING_PS;
    return finding->severity_ps > less_ps ? finding->severity_ps - less_ps : 0;
}

static void compare(const struct advised *advised, const struct finding *finding, enum move move, int64_t moved_ps,
                    const struct replay_outcome *outcome, const struct waits_found *found, struct verdict *verdict)
{
    char place[TRACE_PLACE_BYTES];
    struct place where = place_of(advised->predicted, finding->rank, finding->call);
    int64_t now_ps = severity_at(outcome->trace, found, finding->pattern, where),
            most_ps = allowed_ps(advised, finding, move, outcome->trace);
    const char *name = pattern_row(finding->pattern)->name;
    bool run_too = advised->monotone && (move != CAUSE_EARLIER || is_free(outcome->trace, finding)) &&
                   !is_awaited(move, finding->pattern);
    trace_place(advised->predicted, finding->rank, finding->call, place);
    if (now_ps > most_ps)
        verdict_fail(verdict, name,
                     "%s: %" PRId64 " ps, with %s by %" PRId64 " ps %" PRId64 " ps, expected at most %" PRId64, place,
                     finding->severity_ps, moves_said[move], moved_ps, now_ps, most_ps);
    else if (run_too && outcome->run_time_s > advised->run_time_s + ROUNDING_S)
        verdict_fail(verdict, name, "%s: the run takes %.15g s, with %s by %" PRId64 " ps %.15g s", place,
                     advised->run_time_s, moves_said[move], moved_ps, outcome->run_time_s);
}

/* Computing as recorded that takes no more than so much here. */
static int64_t recorded_ps(const struct platform *platform, int64_t ps)
{
    const double speed = platform->groups[0].speed;
    return speed < 1 ? (int64_t)((double)ps * speed) : ps;
}

/* The program with a call moved, replayed. */
static enum status check_move(const struct advised *advised, const struct finding *finding, enum move move, int64_t ps,
                              struct verdict *verdict, struct err *err)
{
    struct trace *trace;
    struct replay_outcome outcome;
    struct waits_found found = {0};
    TRY(program_trace(advised->program, &trace, err));
    int64_t moved_ps = 0;
    bool own = move == OWN_LATER;
    struct place at = place_of(advised->predicted, own ? finding->rank : finding->cause_rank,
                               own ? finding->call : finding->cause_call);
    enum status status = apply_move(trace, at, move, recorded_ps(advised->platform, ps), &moved_ps, err);
    if (moved_ps > 0 && status == STATUS_OK)
        status = replay(advised->trial, trace, advised->platform, &outcome, &found, err);
    if (moved_ps > 0 && status == STATUS_OK) {
        compare(advised, finding, move, moved_ps, &outcome, &found, verdict);
        if (advised->trial->counts) advised->trial->counts->transfers += outcome.transfers;
        replay_outcome_clear(&outcome);
    }
    free(found.items);
    trace_free(trace);
    return status;
}

/* Whether the advice can be followed to the letter here. What a wait costs where everything has come, and a network of
 * several latencies, a recorded trace does not tell; a library that moves data only inside calls may need the call that
 * is moved; of several targets that let a call wait for them the one that is served last counts. */
static bool is_exact(const struct advised *advised, const struct trace *predicted, const struct finding *finding)
{
    bool completion = finding->pattern == PATTERN_WAIT_IN_SENDER_COMPLETION ||
                      finding->pattern == PATTERN_WAIT_IN_RECEIVER_COMPLETION;
    enum mpi_call call = (enum mpi_call)trace_function(predicted, finding->rank, finding->call);
    if (finding->pattern == PATTERN_WAIT_FOR_PROGRESS) return call_row(call)->needed & F_TARGET;
    return advised->platform->progress != PROGRESS_CALL && (advised->plain || !completion);
}

static enum status check_finding(const struct advised *advised, const struct trace *predicted,
                                 const struct callpaths *paths, const struct finding *finding, struct verdict *verdict,
                                 struct err *err)
{
    const struct advice_facts facts = advice_facts(predicted, paths, finding);
    struct advice_moves moves = advice_moves(&facts);
    if (advised->trial->tamper) moves.earlier_ps = finding->severity_ps; /* as if nobody else were waited for */
    bool progress = finding->pattern == PATTERN_WAIT_FOR_PROGRESS;
    if (!is_exact(advised, predicted, finding)) return STATUS_OK;
    if (finding->cause_call == FINDING_NO_CALL) moves.earlier_ps = 0;
    /* A reader that comes together with the release is behind the writers that wait. */
    if (finding->pattern == PATTERN_THREAD_LOCK_CONTENTION && moves.earlier_ps > 0) moves.earlier_ps--;
    if (moves.earlier_ps > 0 && progress)
        TRY(check_move(advised, finding, CALL_EARLIER, moves.earlier_ps, verdict, err));
    if (moves.earlier_ps > 0 && !progress) {
        TRY(check_move(advised, finding, CAUSE_EARLIER, moves.earlier_ps, verdict, err));
        /* A holder that is sooner done with everything may ask for the lock again before others. */
        if (!is_of_lock(finding->pattern))
            TRY(check_move(advised, finding, CAUSE_SOONER, moves.earlier_ps, verdict, err));
    }
    return moves.later_ps > 0 ? check_move(advised, finding, OWN_LATER, moves.later_ps, verdict, err) : STATUS_OK;
}

static enum status check_findings(const struct advised *advised, const struct trace *predicted,
                                  const struct waits_found *found, struct verdict *verdict, struct err *err)
{
    struct callpaths paths;
    TRY(callpaths_build(predicted, &paths, err));
    enum status status = STATUS_OK;
    size_t step = found->count / TRIED + 1;
    for (size_t i = 0; i < found->count && status == STATUS_OK && !verdict->failed; i += step)
        status = check_finding(advised, predicted, &paths, &found->items[i], verdict, err);
    callpaths_clear(&paths);
    return status;
}

/* Mutexes, conditions, semaphores and read-write locks of threads. */
static bool is_taken_in_turns(enum call_kind kind)
{
    return kind >= CALL_MUTEX_LOCK && kind <= CALL_SEM_POST && kind != CALL_THREAD_BARRIER;
}

/* Locks are taken in the order of asking; a rank that must serve others in its calls serves them when it comes; what
 * messages cost a rank they cost in the order in which they come. OpenSHMEM has locks, too. */
static bool is_monotone(const struct program *program, const struct trace *trace, const struct platform *platform)
{
    bool costs = platform->overhead_s > 0 || platform->loopback_overhead_s > 0;
    if (platform->progress == PROGRESS_CALL || costs || program->subject == SUBJECT_SHMEM) return false;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            enum call_kind kind = call_kind(trace->ranks[r].calls[i].call);
            if (kind == CALL_LOCK || kind == CALL_LOCK_ALL || is_taken_in_turns(kind)) return false;
        }
    return true;
}

/* What the transform moves costs no time and waits for nobody who would come later. With mpi.call_s a wait takes some.
 * A complete that is moved up waits itself for data that were under way while its origin computed: only the target is
 * sure to wait less. */
static bool is_free_transform(const struct advised *advised, const char *name)
{
    if (!advised->monotone || !advised->plain || advised->platform->call_s) return false;
    return strcmp(name, "post-early") == 0 || strcmp(name, "wait-late") == 0;
}

/* The program rewritten by the transform of a row "platform+NAME", replayed: no rank ends later. */
static enum status check_transform(const struct advised *advised, const struct trace *trace, const char *name,
                                   struct verdict *verdict, struct err *err)
{
    struct rewrite rewrite;
    struct replay_outcome outcome;
    struct waits_found found = {0};
    struct err refused;
    if (!is_free_transform(advised, name) || rewrite_run(trace, &name, 1, &rewrite, &refused) != STATUS_OK)
        return STATUS_OK;
    const struct trace *after = rewrite.trace ? rewrite.trace : trace;
    enum status status = replay(advised->trial, after, advised->platform, &outcome, &found, err);
    if (status == STATUS_OK) {
        for (uint32_t r = 0; r < after->rank_count; r++)
            if (outcome.rank_time_s[r] > advised->rank_time_s[r] + ROUNDING_S)
                verdict_fail(verdict, name, "rank %" PRIu32 " ends at %.15g s, rewritten at %.15g s", r,
                             advised->rank_time_s[r], outcome.rank_time_s[r]);
        replay_outcome_clear(&outcome);
    }
    free(found.items);
    rewrite_clear(&rewrite);
    return status;
}

/* The transforms of the rows that stand beside the advice for the waits. */
static enum status check_rows(const struct advised *advised, const struct trace *trace, const struct trace *predicted,
                              const struct waits_found *found, struct verdict *verdict, struct err *err)
{
    struct callpaths paths;
    bool done[PATTERN_COUNT] = {false};
    TRY(callpaths_build(predicted, &paths, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < found->count && status == STATUS_OK; i++) {
        const struct finding *finding = &found->items[i];
        const struct advice_facts facts = advice_facts(predicted, &paths, finding);
        char *rows = NULL, *next = NULL;
        if (done[finding->pattern]) continue;
        status = advice_rows(&facts, &rows, err);
        for (char *row = rows ? strtok_r(rows, ",", &next) : NULL; row && status == STATUS_OK;
             row = strtok_r(NULL, ",", &next)) {
            const char *name = strchr(row, '+');
            if (name) status = check_transform(advised, trace, name + 1, verdict, err);
            done[finding->pattern] = true;
        }
        free(rows);
    }
    callpaths_clear(&paths);
    return status;
}

static const char *const costs[] = {"network.overhead_s",         "network.gap_s",         "network.segments",
                                    "nodes.memory_bandwidth_Bps", "network.topology",      "mapping.ranks_per_node",
                                    "mpi.rma.control_bytes",      "mpi.rma.thread_delay_s", "network.two_sided"};

/* Of a library that answers in some calls only, moves data in several steps, or is slow behind a pause, more than a call's
 * place decides. */
static bool is_protocol(const char *key)
{
    return strncmp(key, "mpi.rma.protocol.", 17) == 0 || strcmp(key, "mpi.rendezvous") == 0 || strcmp(key, "mpi.pause") == 0;
}

static bool is_cost(const char *key)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(key, costs[i]) == 0) return true;
    return false;
}

enum { CORES = 4096 }; /* more than ranks and threads: how many share one is no matter of when who computes or sleeps */

/* A platform without contention and with plain protocols; of every other program without what is not plain. */
static enum status open_platform(const struct program *program, struct platform **platform, bool *plain,
                                 struct err *err)
{
    struct program copy = *program; /* its phases are borrowed */
    *plain = program->seed % 2 == 0;
    size_t count;
    const struct knob *knobs = knobs_all(&count);
    for (size_t i = 0; i < count; i++)
        if (is_protocol(knobs[i].key) || (*plain && is_cost(knobs[i].key))) copy.knobs[i] = 0;
    TRY(knobs_platform(&copy, "engine.contention=false", platform, err));
    if (*plain) (*platform)->groups[0].memory_bandwidth_Bps = HUGE_VAL;
    (*platform)->groups[0].cores = CORES;
    return STATUS_OK;
}

enum status check_advice(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    struct replay_outcome outcome;
    struct waits_found found = {0};
    bool plain;
    TRY(open_platform(program, &platform, &plain, err));
    enum status status = replay(trial, trace, platform, &outcome, &found, err);
    if (status == STATUS_OK) {
        struct advised advised = {.trial = trial,
                                  .program = program,
                                  .platform = platform,
                                  .predicted = outcome.trace,
                                  .run_time_s = outcome.run_time_s,
                                  .rank_time_s = outcome.rank_time_s,
                                  .plain = plain,
                                  .monotone = is_monotone(program, trace, platform)};
        status = check_findings(&advised, outcome.trace, &found, verdict, err);
        if (status == STATUS_OK) status = check_rows(&advised, trace, outcome.trace, &found, verdict, err);
        if (trial->counts) {
            trial->counts->programs++;
            trial->counts->transfers += outcome.transfers;
            for (uint32_t r = 0; r < trace->rank_count; r++) trial->counts->calls += trace->ranks[r].count;
        }
        replay_outcome_clear(&outcome);
    }
    free(found.items);
    platform_free(platform);
    return status;
}
