/* Folds the parallel regions of a rank's threads into computing of its first thread, for another number of threads.
 *
 * A region is a stretch of thread 0 from its first pthread_create or OpenMP fork to the join behind which nobody is left to be
 * joined. Its participants only compute. The one that computes longest takes L; with n participants when recorded, N threads
 * take L x n / N: the work is shared as unequally as it was. Barriers of all participants cut the region into phases, each with
 * an L of its own. Thread 0 is one of them in OpenMP's regions, at their barriers, and beside threads of its own where it
 * computes half as long as they do on the average; what it computes less goes on beside them. Regions with locks and conditions:
 * predictors/transforms/team.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/units.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/team.h"

/* What is computed in each phase of a region. */
struct phases {
    int64_t *items;
    size_t count, capacity;
};

/* A thread's place in its region. */
struct place {
    size_t before;    /* its call before the cursor, SIZE_MAX: none */
    int64_t work_ps;  /* -1: none */
    int64_t phase_ps; /* of it since its last barrier */
    size_t barriers;
};

struct folding {
    const struct trace *trace;
    double threads, at_once; /* as many run at once */
    struct team *team;
    struct trace *made;
    struct transform_report *report;
    struct place *places;       /* of the threads of a rank */
    struct phases longest, own; /* of the threads beside thread 0, of that one */
    int64_t parties;            /* of the region's barriers; 0: it has none, -1: they differ */
    size_t cursor;      /* calls in front of it have been looked at */
    struct map joined, pooled; /* of a rank: threads that are joined; threads of OpenMP's pool, which nobody joins */
    double before_s, after_s;
};

/* Of thread 0, while its calls are made again. */
struct walk {
    size_t last;          /* its call before, SIZE_MAX: none */
    int64_t now_ps;       /* end of that in the new trace */
    bool inside;
    size_t opened;        /* the call that began the region */
    int64_t phase_ps;     /* computing of thread 0 since its last barrier */
    int64_t own_ps;       /* computing of thread 0 since then */
    int64_t primitives_ps; /* what its creates and forks took */
    uint32_t children;    /* that are not joined */
    bool openmp;
};

static bool begins_part(const struct trace_call *call)
{
    return call->call == ID_omp_fork || call_kind(call->call) == CALL_THREAD_CREATE;
}

static bool ends_part(const struct trace_call *call)
{
    return call->call == ID_omp_join || call_kind(call->call) == CALL_THREAD_JOIN;
}

static bool ends_phase(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_THREAD_BARRIER;
}

/* Semaphores, by which threads wait for each other in any way, are no structure of regions. */
static bool is_structure(const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    const bool begins = kind == CALL_THREAD_BEGIN || call->call == ID_omp_begin;
    const bool ends = kind == CALL_THREAD_END || call->call == ID_omp_end;
    return begins || ends || begins_part(call) || ends_part(call) || ends_phase(call) || team_knows(call);
}

static enum status find_ends(struct folding *folding, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &folding->trace->ranks[rank];
    map_empty(&folding->joined);
    map_empty(&folding->pooled);
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (call_kind(call->call) == CALL_THREAD_JOIN) TRY(map_set(&folding->joined, call->primitive.child, 1, err));
        if (call->call == ID_omp_begin) TRY(map_set(&folding->pooled, trace_call_thread(folding->trace, rank, i), 1, err));
    }
    return STATUS_OK;
}

static enum status check_threads(const struct folding *folding, uint32_t rank, struct err *err)
{
    const struct trace *trace = folding->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        const uint32_t thread = trace_call_thread(trace, rank, i), child = call->primitive.child;
        const bool ends = map_find(&folding->joined, child) || map_find(&folding->pooled, child);
        if (call_kind(call->call) == CALL_THREAD_CREATE && !ends)
            return err_set(err, STATUS_DATA, trace->name, NULL,
                           "nobody joins a thread that rank %" PRIu32 " creates (event %zu), expected joins or OpenMP", rank,
                           i + 1);
        if (is_structure(call) || call_is_region(call->call) || (thread == 0 && !call_is_thread(call->call))) continue;
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "thread %" PRIu32 " of rank %" PRIu32 " calls %s (event %zu): what other numbers of threads do does not "
                       "follow from it, expected threads that compute and take locks between creation, or fork, barriers of "
                       "all, and join",
                       thread, rank, call_name(call->call), i + 1);
    }
    return STATUS_OK;
}

static int64_t gap_before(const struct trace *trace, uint32_t rank, size_t index, size_t last)
{
    const struct trace_rank *process = &trace->ranks[rank];
    const int64_t left_ps = last == SIZE_MAX ? trace_begin_ps(trace) : process->calls[last].exit_ps;
    const int64_t cost_ps = last == SIZE_MAX ? 0 : trace->provenance.record_cost_ps;
    const int64_t gap_ps = trace_compute_ps(process, index, process->calls[index].enter_ps - left_ps - cost_ps);
    return gap_ps > 0 ? gap_ps : 0;
}

/* The phase of this number takes as long as the thread that computes longest in it. */
static enum status end_phase(struct phases *phases, size_t number, int64_t phase_ps, struct err *err)
{
    if (number == phases->count) ARRAY_PUSH(phases->items, phases->count, phases->capacity, 0, err);
    if (phase_ps > phases->items[number]) phases->items[number] = phase_ps;
    return STATUS_OK;
}

static void count_parties(struct folding *folding, const struct trace_call *barrier)
{
    const int64_t parties = barrier->primitive.parties;
    folding->parties = folding->parties == 0 || folding->parties == parties ? parties : -1;
}

/* What each other thread computes from the begin of the region to the join `last`. Between OpenMP's regions it waits. Regions
 * come in the order of time. */
static enum status sum_work(struct folding *folding, uint32_t rank, size_t opened, size_t last, struct err *err)
{
    const struct trace_rank *process = &folding->trace->ranks[rank];
    const int64_t from_ps = process->calls[opened].enter_ps, upto_ps = process->calls[last].exit_ps;
    const uint32_t threads = trace_thread_count(folding->trace, rank);
    for (uint32_t t = 0; t < threads; t++)
        folding->places[t] = (struct place){.before = folding->places[t].before, .work_ps = -1};
    for (; folding->cursor < process->count && process->calls[folding->cursor].enter_ps <= upto_ps; folding->cursor++) {
        const size_t i = folding->cursor;
        const uint32_t thread = trace_call_thread(folding->trace, rank, i);
        const struct trace_call *call = &process->calls[i];
        struct place *place = &folding->places[thread];
        const bool works = thread > 0 && place->before != SIZE_MAX && call->call != ID_omp_begin && call->enter_ps >= from_ps;
        const int64_t gap_ps = works ? gap_before(folding->trace, rank, i, place->before) : 0;
        if (works) TRY(team_add(folding->team, rank, thread, i, gap_ps, err));
        if (thread == 0 && i > opened && i <= last)
            TRY(team_add(folding->team, rank, 0, i, gap_before(folding->trace, rank, i, place->before), err));
        place->before = i;
        if (!works) continue;
        place->work_ps = (place->work_ps < 0 ? 0 : place->work_ps) + gap_ps;
        place->phase_ps += gap_ps;
        if (!ends_phase(call)) continue;
        count_parties(folding, call);
        TRY(end_phase(&folding->longest, place->barriers++, place->phase_ps, err));
        place->phase_ps = 0;
    }
    for (uint32_t t = 1; t < threads; t++)
        if (folding->places[t].work_ps >= 0)
            TRY(end_phase(&folding->longest, folding->places[t].barriers, folding->places[t].phase_ps, err));
    return STATUS_OK;
}

/* All participants must pass all barriers. */
static enum status check_barriers(const struct folding *folding, uint32_t rank, double count, bool takes_part, size_t opened,
                                  struct err *err)
{
    const size_t phases = folding->longest.count > 0 ? folding->longest.count : 1;
    bool all = folding->parties == 0 || folding->parties == (int64_t)count;
    for (uint32_t t = 1; t < trace_thread_count(folding->trace, rank); t++)
        all = all && (folding->places[t].work_ps < 0 || folding->places[t].barriers + 1 == phases);
    if (all && folding->own.count == (takes_part ? phases : 1)) return STATUS_OK;
    return err_set(err, STATUS_DATA, folding->trace->name, NULL,
                   "barriers in the region that thread 0 of rank %" PRIu32 " begins (event %zu) are not of all its threads: what "
                   "other numbers of threads do does not follow from them", rank, opened + 1);
}

/* What creates the threads takes as long for each of them. */
static double scale_creation(const struct folding *folding, const struct walk *walk, double count)
{
    return (double)walk->primitives_ps * (count > 0 ? folding->threads / count : 1);
}

/* *region_ps: the time of a region whose threads wait at barriers only, from the end of the call before it. */
static enum status find_free_region(struct folding *folding, uint32_t rank, const struct walk *walk, int64_t *region_ps,
                                    struct err *err)
{
    double most_ps = 0, sum_ps = 0, count = 0;
    TRY(end_phase(&folding->own, folding->own.count, walk->phase_ps, err));
    for (uint32_t t = 1; t < trace_thread_count(folding->trace, rank); t++) {
        if (folding->places[t].work_ps < 0) continue;
        sum_ps += (double)folding->places[t].work_ps;
        count++;
    }
    const bool computes = count > 0 && folding->parties == 0 && (double)walk->own_ps >= 0.5 * sum_ps / count;
    const bool takes_part = walk->openmp || folding->own.count > 1 || computes;
    if (takes_part) count++;
    TRY(check_barriers(folding, rank, count, takes_part, walk->opened, err));
    for (size_t i = 0; i < (takes_part ? folding->own.count : folding->longest.count); i++)
        most_ps += fmax(i < folding->longest.count ? (double)folding->longest.items[i] : 0,
                        takes_part ? (double)folding->own.items[i] : 0);
    const double shared_ps = most_ps * count / folding->at_once, beside_ps = takes_part ? 0 : (double)walk->own_ps;
    folding->before_s += most_ps / 1e12;
    folding->after_s += shared_ps / 1e12;
    folding->report->changed += count != folding->threads;
    *region_ps = llround(fmax(shared_ps, beside_ps) + scale_creation(folding, walk, count));
    return STATUS_OK;
}

static enum status find_region(struct folding *folding, uint32_t rank, const struct walk *walk, size_t last, int64_t *region_ps,
                               struct err *err)
{
    const struct trace_rank *process = &folding->trace->ranks[rank];
    uint32_t members;
    TRY(sum_work(folding, rank, walk->opened, last, err));
    if (team_waits(folding->team)) {
        TRY(team_time(folding->team, rank, walk->opened, walk->openmp, region_ps, &members, err));
        folding->before_s += (double)(process->calls[last].exit_ps - process->calls[walk->opened].enter_ps) / 1e12;
        folding->after_s += (double)*region_ps / 1e12;
        folding->report->changed += members != folding->threads;
        *region_ps += llround(scale_creation(folding, walk, members));
    } else {
        TRY(find_free_region(folding, rank, walk, region_ps, err));
    }
    folding->report->considered++;
    team_empty(folding->team);
    folding->longest.count = folding->own.count = 0;
    folding->parties = 0;
    return STATUS_OK;
}

static enum status write_call(struct folding *folding, uint32_t rank, size_t index, int64_t gap_ps, struct walk *walk,
                              struct err *err)
{
    struct trace_call call = folding->trace->ranks[rank].calls[index];
    const struct trace_extents extents = trace_call_extents(folding->trace, rank, index);
    const int64_t length_ps = call.exit_ps - call.enter_ps;
    call.flags &= (uint16_t)~TRACE_GAPS;
    call.enter_ps = walk->now_ps + gap_ps;
    call.exit_ps = walk->now_ps = call.enter_ps + length_ps;
    TRY(trace_add_call(folding->made, rank, &call, err));
    const int64_t slept_ps = trace_slept_ps(&folding->trace->ranks[rank], index, gap_ps);
    if (slept_ps > 0)
        TRY(trace_set_before(folding->made, rank, folding->made->ranks[rank].count - 1, BEFORE_SLEPT, slept_ps, err));
    return trace_set_extents(folding->made, rank, folding->made->ranks[rank].count - 1, &extents, err);
}

/* A primitive of thread 0. *gap_ps: computing since its call before, of which the region keeps its own part. */
static void take_primitive(const struct folding *folding, uint32_t rank, size_t index, int64_t *gap_ps, struct walk *walk)
{
    const struct trace_rank *process = &folding->trace->ranks[rank];
    const struct trace_call *call = &process->calls[index];
    const bool pool = call_kind(call->call) == CALL_THREAD_CREATE && !map_find(&folding->joined, call->primitive.child);
    if (!walk->inside && begins_part(call) && !pool) {
        const struct walk outside = *walk; /* the time up to it is emitted with the call behind it */
        *walk = (struct walk){.last = outside.last, .now_ps = outside.now_ps + *gap_ps, .inside = true, .opened = index};
        *gap_ps = 0;
    }
    walk->own_ps += *gap_ps;
    walk->phase_ps += *gap_ps;
    if (!walk->inside) walk->now_ps += *gap_ps;
    *gap_ps = 0;
    walk->openmp = walk->openmp || call->call == ID_omp_fork;
    if (begins_part(call)) walk->primitives_ps += call->exit_ps - call->enter_ps;
    if (call_kind(call->call) == CALL_THREAD_CREATE && !pool) walk->children++;
    if (call_kind(call->call) == CALL_THREAD_JOIN && walk->children > 0) walk->children--;
}

static enum status pass_barrier(struct folding *folding, uint32_t rank, size_t index, struct walk *walk, struct err *err)
{
    if (!walk->inside)
        return err_set(err, STATUS_DATA, folding->trace->name, NULL,
                       "thread 0 of rank %" PRIu32 " is at a barrier outside its regions (event %zu), expected it between "
                       "creation, or fork, and join", rank, index + 1);
    count_parties(folding, &folding->trace->ranks[rank].calls[index]);
    TRY(end_phase(&folding->own, folding->own.count, walk->phase_ps, err));
    walk->phase_ps = 0;
    return STATUS_OK;
}

static size_t next_of_first(const struct trace *trace, uint32_t rank, size_t index)
{
    for (index++; index < trace->ranks[rank].count; index++)
        if (trace_call_thread(trace, rank, index) == 0) break;
    return index;
}

static enum status fold_rank(struct folding *folding, uint32_t rank, struct err *err)
{
    const struct trace *trace = folding->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    struct walk walk = {.last = SIZE_MAX, .now_ps = trace_begin_ps(trace)};
    TRY(find_ends(folding, rank, err));
    TRY(check_threads(folding, rank, err));
    folding->cursor = 0;
    for (uint32_t t = 0; t < trace_thread_count(trace, rank); t++) folding->places[t].before = SIZE_MAX;
    for (size_t i = next_of_first(trace, rank, SIZE_MAX); i < process->count; i = next_of_first(trace, rank, i)) {
        const struct trace_call *call = &process->calls[i];
        int64_t gap_ps = gap_before(trace, rank, i, walk.last);
        if (call_is_thread(call->call) && folding->made->ranks[rank].count == 0)
            return err_set(err, STATUS_DATA, trace->name, NULL, "rank %" PRIu32 " has no call before its threads", rank);
        if (call_is_thread(call->call)) {
            take_primitive(folding, rank, i, &gap_ps, &walk);
            if (ends_phase(call)) TRY(pass_barrier(folding, rank, i, &walk, err));
        } else if (walk.inside && call_is_region(call->call)) {
            walk.own_ps += gap_ps;
            walk.phase_ps += gap_ps;
            TRY(write_call(folding, rank, i, 0, &walk, err));
        } else if (walk.inside) {
            return err_set(err, STATUS_DATA, trace->name, NULL,
                           "thread 0 of rank %" PRIu32 " calls %s (event %zu) beside its threads, expected their join before it",
                           rank, call_name(call->call), i + 1);
        } else {
            TRY(write_call(folding, rank, i, gap_ps, &walk, err));
        }
        walk.last = i;
        const size_t next = next_of_first(trace, rank, i);
        if (!walk.inside || !ends_part(call) || walk.children > 0) continue;
        if (next < process->count && ends_part(&process->calls[next])) continue;
        if (next == process->count)
            return err_set(err, STATUS_DATA, trace->name, NULL, "rank %" PRIu32 " has no call behind its last join", rank);
        int64_t region_ps;
        TRY(find_region(folding, rank, &walk, i, &region_ps, err));
        walk.now_ps += region_ps;
        walk.inside = false;
    }
    if (!walk.inside) return STATUS_OK;
    return err_set(err, STATUS_DATA, trace->name, NULL, "rank %" PRIu32 " does not join its last threads", rank);
}

static enum status copy_incomplete(const struct trace_rank *from, struct trace_rank *to, struct err *err)
{
    trace_copy_pace(to, from);
    to->incomplete = from->incomplete;
    if (from->incomplete_why && !(to->incomplete_why = strdup(from->incomplete_why))) return err_memory(err);
    return STATUS_OK;
}

static enum status apply_threads(const struct trace *trace, const char *argument, struct trace **made,
                                 struct transform_report *report, struct err *err)
{
    char *end;
    const uint32_t threads = (uint32_t)strtoul(argument, &end, 10);
    const uint32_t cores = *end ? (uint32_t)strtoul(end + 1, NULL, 10) : threads;
    struct folding folding = {.trace = trace, .threads = threads, .at_once = cores < threads ? cores : threads, .report = report};
    uint32_t most = 1;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace_thread_count(trace, r) > most) most = trace_thread_count(trace, r);
    TRY(trace_new_like(trace, &folding.made, err));
    folding.made->provenance.record_cost_ps = 0; /* the gaps are without it */
    folding.places = calloc(most, sizeof *folding.places);
    enum status status = folding.places ? team_open(trace, threads, cores, &folding.team, err) : err_memory(err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        status = copy_incomplete(&trace->ranks[r], &folding.made->ranks[r], err);
        if (status == STATUS_OK) status = fold_rank(&folding, r, err);
    }
    FREE_ALL(folding.places, folding.longest.items, folding.own.items);
    team_close(folding.team);
    map_clear(&folding.joined);
    map_clear(&folding.pooled);
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    if (status == STATUS_OK)
        status = transform_say(report, err, "%" PRIu64 " parallel region%s of all ranks take%s %s on %s threads, %s as recorded",
                               report->considered, units_plural(report->considered), report->considered == 1 ? "s" : "",
                               units_format_duration(folding.after_s, after), argument,
                               units_format_duration(folding.before_s, before));
    if (status == STATUS_OK)
        *made = folding.made;
    else
        trace_free(folding.made);
    return status;
}

static bool is_count(const char *text, char **end)
{
    const long count = strtol(text, end, 10);
    return *text >= '1' && *text <= '9' && count <= TRACE_THREADS_MAX;
}

static enum status check_count(const char *argument, struct err *err)
{
    char *end;
    bool valid = is_count(argument, &end);
    if (valid && *end == '@') valid = is_count(end + 1, &end);
    if (valid && !*end) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "threads %s, expected a number of threads from 1 to %d, or THREADS@CORES",
                   argument, TRACE_THREADS_MAX);
}

const struct transform transform_threads = {
    .name = "threads",
    .summary = "parallel regions of threads that compute and take locks run on N threads of each rank (N@C: on C cores), and are "
               "its computing",
    .argument = "N",
    .apply = apply_threads,
    .check = check_count,
};
