#include "model/slices/slices.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/result/checks.h"
#include "model/efficiency/efficiency_slices.h"
#include "common/heap.h"
#include "model/causes/activity_log.h"
#include "model/over_time/main_loop.h"
#include "model/waits/severity.h"
#include "trace/steps.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

struct slices {
    struct trace_source *source; /* NULL: the caller appends calls */
    struct trace *trace;         /* the source's, or the caller's */
    const struct analyze_options *options;
    struct locations locations;
    struct slice_state state;
    struct severity severity;
    struct checks checks;                 /* of options->verify */
    struct section_times times;           /* of options->section.callpath */
    struct activity_log *log;             /* of options->intervals, else NULL */
    struct efficiency_slices *efficiency; /* of options->intervals, else NULL */
    size_t calls, kept;                   /* calls to read per slice; calls kept from the last round */
    /* Per rank. */
    int64_t *read_ps; /* exit of the last call read; INT64_MIN: none was */
    bool *ended;
    struct heap heap;              /* ranks that have not ended, the one with the earliest read_ps first */
    struct trace_checker *checker; /* NULL: the source's calls are checked */
    struct window_uses uses;
    struct steps_finder *steps; /* of source, else NULL */
    int64_t watermark_ps; /* no later call ends earlier */
    size_t *moved;
    size_t moved_capacity;
    struct analyze_found found; /* of options->found */
    bool refused; /* what was read contradicts itself: only options->watcher gets what follows */
    struct err *err;
};

void analyze_found_clear(struct analyze_found *found)
{
    waits_clear(&found->waits);
    transfers_clear(&found->transfers);
    critical_path_clear(&found->path);
    wait_profile_clear(&found->profile);
}

static bool is_behind(const void *of, uint32_t one, uint32_t other)
{
    const struct slices *slices = of;
    if (slices->read_ps[one] != slices->read_ps[other]) return slices->read_ps[one] < slices->read_ps[other];
    return one < other;
}

/* Sets how far has been read. The first slice has a call of each rank, and one of these is the begin of the trace. */
static void set_reached(struct slices *slices)
{
    struct trace *trace = slices->trace;
    slices->watermark_ps = slices->heap.count > 0 ? slices->read_ps[slices->heap.items[0]] : INT64_MAX;
    if (trace->begin_known) return;
    int64_t begin_ps = INT64_MAX;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace->ranks[r].calls[0].enter_ps < begin_ps)
            begin_ps = trace->ranks[r].calls[0].enter_ps;
    trace->begin_known = begin_ps != INT64_MAX;
    if (trace->begin_known) trace->begin_ps = begin_ps;
}

/* Steps need the times before calls, which nothing else does. */
static enum status read_batch(struct slices *slices, uint32_t rank, size_t batch)
{
    struct trace_rank *process = &slices->trace->ranks[rank];
    size_t before = process->count;
    TRY(slices->source->read(slices->source, rank, batch, &slices->ended[rank], slices->err));
    TRY(steps_finder_add(slices->steps, rank, before, slices->err));
    for (int b = 0; b < BEFORE_COUNT; b++) {
        if (b == BEFORE_CORE_WAIT_INSIDE) continue;
        free(process->before_ps[b]);
        process->before_ps[b] = NULL;
        process->before_capacity[b] = 0;
    }
    return STATUS_OK;
}

/* Reads on the rank with the earliest time, so that all ranks advance alike. */
static enum status read_slice(struct slices *slices)
{
    struct trace *trace = slices->trace;
    size_t wanted = slices->calls > slices->kept ? slices->calls : slices->kept, read = 0;
    size_t batch = slice_batch(wanted, trace->rank_count);
    while (slices->heap.count > 0 && (read < wanted || slices->read_ps[slices->heap.items[0]] == INT64_MIN)) {
        uint32_t rank = slices->heap.items[0];
        size_t before = trace->ranks[rank].count;
        TRY(read_batch(slices, rank, batch));
        read += trace->ranks[rank].count - before;
        if (trace->ranks[rank].count > 0) slices->read_ps[rank] = trace_rank_end_ps(trace, rank);
        /* The first rank's time has grown, or it has ended. */
        if (slices->ended[slices->heap.items[0]])
            heap_pop(&slices->heap, is_behind, slices);
        else
            heap_sift_down(&slices->heap, is_behind, slices);
    }
    return STATUS_OK;
}

static struct trace_kept kept_of(const struct slices *slices, uint32_t rank, size_t index, unsigned flags)
{
    unsigned lasting = flags & (SLICE_LASTING | SLICE_LATE);
    if (!(flags & SLICE_OPEN)) lasting |= SLICE_COUNTED;
    if (!(flags & (SLICE_OPEN | SLICE_UNDECIDED))) lasting |= SLICE_ORDERED;
    bool inside = slices->efficiency && !slices->refused;
    uint32_t interval = inside ? interval_at(efficiency_slices_intervals(slices->efficiency), rank, index) : INTERVAL_ROOT;
    return (struct trace_kept){.event = trace_event(slices->trace, rank, index) - 1,
                               .node = callpath_at(&slices->severity.profile.paths, rank, index),
                               .interval = interval,
                               .iteration = slices->refused ? 0 : over_time_iteration(slices->severity.over_time, rank, index),
                               .call = (uint16_t)trace_function(slices->trace, rank, index),
                               .flags = (uint16_t)lasting};
}

/* Copies the request lists of kept calls to a new table. */
static enum status move_list(struct slices *slices, struct trace_call *call, const struct trace_list *lists,
                             const uint32_t *requests)
{
    enum call_kind kind = call_kind(call->call);
    if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) return STATUS_OK;
    struct trace_list list = lists[call->completion.list];
    return trace_add_list(slices->trace, requests + list.first, list.count, &call->completion.list, slices->err);
}

static enum status drop_of_rank(struct slices *slices, uint32_t rank, const struct trace_list *lists,
                                const uint32_t *requests)
{
    struct trace_rank *calls = &slices->trace->ranks[rank];
    const uint16_t *flags = slices->state.flags[rank];
    struct trace_kept *kept = NULL;
    size_t count = 0, capacity = 0;
    TRY(array_reserve((void **)&slices->moved, &slices->moved_capacity, calls->count + 1, sizeof *slices->moved,
                      slices->err));
    uint64_t next_event = calls->first_event + (calls->count - calls->kept_count);
    for (size_t i = 0; i < calls->count; i++) {
        bool stays = flags[i] & (SLICE_KEEP | SLICE_OPEN);
        slices->moved[i] = stays || flags[i] & SLICE_TIMES ? count : SOURCE_GONE;
        if (slices->moved[i] == SOURCE_GONE) continue;
        struct trace_kept made = kept_of(slices, rank, i, flags[i]);
        ARRAY_PUSH(kept, count, capacity, made, slices->err);
        calls->calls[count - 1] = calls->calls[i];
        if (calls->sim) calls->sim[count - 1] = calls->sim[i];
        if (!stays) slice_leave_times(&calls->calls[count - 1]);
        if (stays) TRY(move_list(slices, &calls->calls[count - 1], lists, requests));
    }
    /* Those of new calls are known. */
    if (calls->extents) memset(calls->extents, 0, calls->count * sizeof *calls->extents);
    free(calls->kept);
    calls->kept = kept;
    calls->kept_count = calls->count = count;
    calls->first_event = next_event;
    slices->kept += count;
    if (!slices->source || !slices->source->moved) return STATUS_OK;
    return slices->source->moved(slices->source, rank, slices->moved, slices->err);
}

static enum status drop_final(struct slices *slices)
{
    struct trace *trace = slices->trace;
    struct trace_list *lists = trace->definitions.lists;
    uint32_t *requests = trace->definitions.requests;
    trace->definitions.lists = NULL;
    trace->definitions.requests = NULL;
    trace->definitions.list_count = trace->definitions.list_capacity = trace->definitions.request_count =
        trace->definitions.request_capacity = 0;
    slices->kept = 0;
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = drop_of_rank(slices, r, lists, requests);
    FREE_ALL(lists, requests);
    return status;
}

static bool has_checks(const struct slices *slices)
{
    return slices->options->verify && slices->log;
}

/* Adds the slice to the activity log. */
static enum status write_down(struct slices *slices, const struct relations *relations)
{
    struct waits waits = {0};
    struct transfers transfers = {0};
    const struct intervals *intervals = efficiency_slices_intervals(slices->efficiency);
    enum status status = activity_log_add_calls(slices->log, &slices->severity.profile.paths, intervals, slices->err);
    if (status == STATUS_OK) status = severity_add(&slices->severity, relations, &waits, &transfers, slices->err);
    if (status == STATUS_OK) status = efficiency_slices_add(slices->efficiency, relations, &waits, slices->err);
    if (status == STATUS_OK && has_checks(slices)) status = checks_add(&slices->checks, relations, &waits, slices->err);
    const struct analyze_watcher *watcher = slices->options->watcher;
    if (status == STATUS_OK && watcher && watcher->found)
        status = watcher->found(watcher->context, slices->trace, &waits, slices->err);
    if (status == STATUS_OK) status = activity_log_add_waits(slices->log, &waits, slices->err);
    if (status == STATUS_OK) status = activity_log_add_transfers(slices->log, &transfers, slices->err);
    slices->found.waits = waits;
    slices->found.transfers = transfers;
    if (!slices->options->found) analyze_found_clear(&slices->found);
    return status;
}

static enum status watch_matched(struct slices *slices, const struct relations *relations, bool last)
{
    const struct analyze_watcher *watcher = slices->options->watcher;
    return watcher && watcher->matched ? watcher->matched(watcher->context, relations, last, slices->err) : STATUS_OK;
}

static enum status detect_waits(struct slices *slices, struct relations *relations, bool last)
{
    const struct slice_limits limits = {slices->watermark_ps, slices->options->eager_bytes};
    TRY(mark_final(&slices->state, relations, limits, last, slices->err));
    const struct analyze_options *options = slices->options;
    if (options->filter.section && options->section.callpath)
        TRY(section_times_add(&slices->times, &slices->severity.profile.paths, options->section.callpath,
                              options->filter.section, slices->err));
    if (slices->log) return write_down(slices, relations);
    return severity_add(&slices->severity, relations, NULL, NULL, slices->err);
}

static enum status look_at_slice(struct slices *slices, struct relations *relations, bool last)
{
    relations->state = &slices->state;
    TRY(detect_waits(slices, relations, last));
    return watch_matched(slices, relations, last);
}

/* Checks and numbers the new calls of a slice. */
static enum status prepare_calls(struct slices *slices)
{
    const struct callpaths *paths = &slices->severity.profile.paths;
    const struct analyze_watcher *watcher = slices->options->watcher;
    if (slices->checker) TRY(trace_check_slice(slices->checker, slices->trace, slices->heap.count == 0, slices->err));
    TRY(callpaths_go_on(&slices->severity.profile.paths, slices->err));
    if (watcher && watcher->read) TRY(watcher->read(watcher->context, slices->trace, paths, slices->err));
    return slices->efficiency && !slices->refused ? efficiency_slices_go_on(slices->efficiency, slices->err) : STATUS_OK;
}

static enum status detect_slice(struct slices *slices, bool last)
{
    const struct relations *given = slices->options->relations;
    struct relations relations;
    if (given)
        relations = *given;
    else {
        enum status built = relations_build_slice(slices->trace, &slices->uses, &relations, slices->err);
        slices->refused = built == STATUS_DATA;
        TRY(built);
    }
    enum status status = look_at_slice(slices, &relations, last);
    if (status == STATUS_OK && last) status = severity_end(&slices->severity, &relations, slices->err);
    if (!given) relations_clear(&relations);
    TRY(status);
    return last ? STATUS_OK : drop_final(slices);
}

/* Counts what is final of the calls that have been read; after the last ones that is everything. */
static enum status take_slice(struct slices *slices)
{
    TRY(prepare_calls(slices));
    set_reached(slices);
    return detect_slice(slices, slices->heap.count == 0);
}

/* Runs the backward replay. */
static enum status look_back(struct slices *slices, struct time_profile *causes, struct time_profile *path)
{
    if (!slices->log) return STATUS_OK;
    struct critical_path *on_path = slices->options->found ? &slices->found.path : NULL;
    TRY(activity_log_sum(slices->log, &slices->severity.provisional, on_path, slices->err));
    TRY(activity_log_report_causes(slices->log, causes, path, slices->err));
    return efficiency_slices_sum(slices->efficiency, slices->log, &slices->severity.provisional, slices->err);
}

static enum status report_causes(const struct slices *slices, struct time_profile *causes, struct time_profile *path,
                                 struct result *result)
{
    TRY(time_profile_report(causes, NULL, &result->causes, slices->err));
    TRY(time_profile_report(path, NULL, &result->critical_path, slices->err));
    for (uint32_t r = 0; r < result->rank_count; r++) result->rank_path_s[r] = activity_log_path_s(slices->log, r);
    result->causes_known = true;
    return STATUS_OK;
}

static enum status report_efficiency(struct slices *slices, struct result *result)
{
    const struct analyze_options *options = slices->options;
    TRY(efficiency_slices_end(slices->efficiency, slices->log, &result->efficiency, slices->err));
    result->per_rank = options->per_rank;
    result->efficiency->ideal_run_time_s = options->ideal_run_time_s;
    result->efficiency->reference_user_s = options->reference_user_s;
    return STATUS_OK;
}

static enum status report_slices(struct slices *slices, struct time_profile *causes, struct time_profile *path,
                                 struct result **result)
{
    struct timelines timelines;
    struct result *made;
    *result = NULL;
    TRY(result_new(slices->trace->rank_count, &made, slices->err));
    enum status status = slices->log ? report_causes(slices, causes, path, made) : STATUS_OK;
    if (status == STATUS_OK && slices->log) status = report_efficiency(slices, made);
    if (status == STATUS_OK) status = timelines_build(slices->trace, &timelines, slices->err);
    if (status == STATUS_OK) {
        status = severity_report(&slices->severity, &timelines, made, slices->err);
        timelines_clear(&timelines);
    }
    if (status == STATUS_OK && has_checks(slices))
        checks_report(&slices->checks, &slices->severity.totals, slices->severity.provisional.refuted,
                      activity_log_waited_ps(slices->log), made);
    const struct analyze_options *options = slices->options;
    if (status == STATUS_OK && options->filter.section)
        status = section_report(&slices->times, &options->section, options->filter.section, made, slices->err);
    GIVE(status, *result = made, result_free(made));
}

/* All slices have been looked at. */
static enum status conclude_slices(struct slices *slices, struct result **result)
{
    struct time_profile causes = {.trace = slices->trace, .paths = &slices->severity.profile.paths}, path = causes;
    severity_vote(&slices->severity);
    provisional_decide(&slices->severity.provisional);
    enum status status = look_back(slices, &causes, &path);
    if (status == STATUS_OK) status = report_slices(slices, &causes, &path, result);
    time_profile_clear(&causes);
    time_profile_clear(&path);
    return status;
}

static enum status start_slices(struct slices *slices)
{
    size_t ranks = (size_t)slices->trace->rank_count + 1;
    slices->read_ps = malloc(ranks * sizeof *slices->read_ps);
    slices->ended = calloc(ranks, sizeof *slices->ended);
    slices->heap.items = malloc(ranks * sizeof *slices->heap.items);
    if (!slices->read_ps || !slices->ended || !slices->heap.items) return err_memory(slices->err);
    for (uint32_t r = 0; r < slices->trace->rank_count; r++) {
        slices->read_ps[r] = INT64_MIN;
        slices->heap.items[slices->heap.count++] = r;
    }
    if (slices->source && !slices->source->checked) TRY(trace_checker_new(slices->trace, &slices->checker, slices->err));
    if (slices->source) TRY(steps_finder_new(slices->trace, &slices->steps, slices->err));
    if (slices->source) slices->source->adds_before = trace_steps_are_known(slices->trace);
    TRY(severity_init(&slices->severity, slices->trace, slices->options, slices->err));
    if (!slices->options->intervals) return STATUS_OK;
    TRY(locations_build(slices->trace, &slices->locations, slices->err));
    TRY(activity_log_new(slices->trace, &slices->locations, &slices->log, slices->err));
    TRY(efficiency_slices_new(slices->trace, &slices->locations, slices->options->interval_source, slices->options->lost_all,
                              &slices->efficiency, slices->err));
    return STATUS_OK;
}

void slices_free(struct slices *slices)
{
    if (!slices) return;
    slice_state_clear(&slices->state);
    checks_clear(&slices->checks);
    section_times_clear(&slices->times);
    trace_checker_free(slices->checker);
    window_uses_clear(&slices->uses);
    steps_finder_free(slices->steps);
    activity_log_free(slices->log);
    efficiency_slices_free(slices->efficiency);
    locations_clear(&slices->locations);
    analyze_found_clear(&slices->found);
    severity_clear(&slices->severity);
    FREE_ALL(slices->read_ps, slices->ended, slices->heap.items, slices->moved, slices);
}

static enum status new_slices(struct trace_source *source, struct trace *trace, const struct analyze_options *options,
                              size_t calls, struct slices **slices, struct err *err)
{
    struct slices *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct slices){.source = source,
                            .trace = trace,
                            .options = options ? options : &defaults,
                            .calls = calls > 0 ? calls : 1,
                            .err = err};
    enum status status = start_slices(made);
    GIVE(status, *slices = made, slices_free(made));
}

enum status slices_open(struct trace *trace, const struct analyze_options *options, size_t calls, struct slices **slices,
                        struct err *err)
{
    return new_slices(NULL, trace, options, calls, slices, err);
}

enum status slices_add(struct slices *slices, const bool *ended, size_t *more, struct err *err)
{
    slices->err = err;
    /* The heap has only the rank that was read the least far. */
    struct heap *heap = &slices->heap;
    heap->count = 0;
    for (uint32_t r = 0; r < slices->trace->rank_count; r++) {
        const struct trace_rank *rank = &slices->trace->ranks[r];
        if (rank->count > rank->kept_count) slices->read_ps[r] = trace_rank_end_ps(slices->trace, r);
        slices->ended[r] = !ended || ended[r];
        if (slices->ended[r] || (heap->count > 0 && !is_behind(slices, r, heap->items[0]))) continue;
        heap->items[0] = r;
        heap->count = 1;
    }
    *more = slices->calls;
    if (ended && slices->heap.count > 0 && slices->read_ps[slices->heap.items[0]] == INT64_MIN) return STATUS_OK;
    TRY(take_slice(slices));
    if (slices->kept > *more) *more = slices->kept;
    return STATUS_OK;
}

enum status slices_end(struct slices *slices, struct result **result, struct err *err)
{
    size_t more;
    TRY(slices_add(slices, NULL, &more, err));
    return conclude_slices(slices, result);
}

static enum status match_alone(struct slices *slices, bool last)
{
    struct relations relations = {.trace = slices->trace, .state = &slices->state};
    TRY(messages_build(slices->trace, &relations.messages, slices->err));
    enum status status =
        mark_final_alone(&slices->state, &relations, slices->options->eager_bytes, last, slices->err);
    if (status == STATUS_OK) status = watch_matched(slices, &relations, last);
    messages_clear(&relations.messages);
    return status == STATUS_OK && !last ? drop_final(slices) : status;
}

static enum status watch_rest(struct slices *slices, bool last)
{
    TRY(match_alone(slices, last));
    while (!last) {
        TRY(read_slice(slices));
        TRY(prepare_calls(slices));
        set_reached(slices);
        last = slices->heap.count == 0;
        TRY(match_alone(slices, last));
    }
    return STATUS_OK;
}

/* What has failed stays what is said. */
static enum status read_on(struct slices *slices, enum status failed, bool last)
{
    struct err ignored, *err = slices->err;
    if (!slices->refused || !slices->options->watcher || !slices->options->watcher->reads_on) return failed;
    slices->err = &ignored;
    enum status status = watch_rest(slices, last);
    if (status != STATUS_OK && err) *err = ignored;
    return status == STATUS_OK ? failed : status;
}

static enum status read_slices(struct slices *slices)
{
    do {
        TRY(read_slice(slices));
        enum status status = take_slice(slices);
        if (status != STATUS_OK) return read_on(slices, status, slices->heap.count == 0);
    } while (slices->heap.count > 0);
    return STATUS_OK;
}

static enum status note_steps(const struct trace *trace, const struct trace_steps *steps, struct result *result,
                              struct err *err)
{
    char text[TRACE_STEPS_BYTES];
    if (!steps->notable) return STATUS_OK;
    return result_add_note(result, err, "%s: " TRACE_STEPS_ADVICE, trace_steps_text(trace, steps, text));
}

enum status model_analyze_slices(struct trace_source *source, const struct analyze_options *options, size_t calls,
                                 struct result **result, struct err *err)
{
    struct slices *slices;
    struct result *made = NULL;
    struct trace_steps steps;
    TRY(new_slices(source, source->trace, options, calls, &slices, err));
    enum status status = read_slices(slices);
    if (status == STATUS_OK) status = conclude_slices(slices, &made);
    if (status == STATUS_OK) status = steps_finder_end(slices->steps, &steps, err);
    if (status == STATUS_OK) status = note_steps(source->trace, &steps, made, err);
    slices_free(slices);
    GIVE(status, *result = made, result_free(made));
}

/* Everything is final in the only round of a trace in memory, so no call of it is changed. */
static enum status open_whole(const struct trace *trace, const struct analyze_options *options, struct slices **slices,
                              struct err *err)
{
    TRY(new_slices(NULL, (struct trace *)trace, options, 1, slices, err));
    enum status status = prepare_calls(*slices);
    if (status == STATUS_OK) status = detect_slice(*slices, true);
    if (status != STATUS_OK) status = read_on(*slices, status, true);
    if (status != STATUS_OK) slices_free(*slices);
    return status;
}

/* Without the waits that did not come true. */
static void hand_over(struct slices *slices, struct analyze_found *found)
{
    struct waits *waits = &slices->found.waits;
    size_t count = 0;
    for (size_t i = 0; i < waits->count; i++)
        if (!slices->severity.provisional.refuted[waits->items[i].doubt]) waits->items[count++] = waits->items[i];
    waits->count = count;
    waits_sort(waits);
    *found = slices->found;
    found->profile = slices->severity.profile;
    slices->found = (struct analyze_found){.waits = {.count = 0}};
    slices->severity.profile = (struct wait_profile){.count = 0};
}

static enum status analyze_whole(const struct trace *trace, const struct analyze_options *options, struct result **result,
                                 struct err *err)
{
    struct slices *slices = NULL;
    struct result *made = NULL;
    struct trace_steps steps;
    TRY(open_whole(trace, options, &slices, err));
    enum status status = conclude_slices(slices, &made);
    if (status == STATUS_OK) status = trace_steps_find(trace, &steps, err);
    if (status == STATUS_OK) status = note_steps(trace, &steps, made, err);
    if (status == STATUS_OK && options->found) hand_over(slices, options->found);
    slices_free(slices);
    GIVE(status, *result = made, result_free(made));
}

enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err)
{
    struct analyze_options narrowed = options ? *options : defaults;
    struct section section = {NULL, NULL};
    struct main_loop loop = {0};
    if (narrowed.find_loop && !narrowed.loop) {
        TRY(main_loop_find(trace, &loop, err));
        narrowed.loop = &loop;
    }
    if (section_is_set(&narrowed.section)) {
        narrowed.filter.section = &section;
        narrowed.filter.callpath = narrowed.section.callpath;
    }
    enum status status = narrowed.filter.section == &section ? section_find(trace, &narrowed.section, &section, err) : STATUS_OK;
    if (status == STATUS_OK) status = analyze_whole(trace, &narrowed, result, err);
    section_clear(&section);
    main_loop_clear(&loop);
    return status;
}

enum status model_totals(const struct trace *trace, const struct analyze_options *options, struct totals *totals,
                         struct err *err)
{
    struct slices *slices;
    TRY(open_whole(trace, options, &slices, err));
    struct severity *severity = &slices->severity;
    severity_vote(severity);
    provisional_decide(&severity->provisional);
    enum status status = provisional_end(&severity->provisional, &severity->totals, &severity->profile, err);
    if (status == STATUS_OK) {
        *totals = severity->totals;
        severity->totals = (struct totals){.rank_count = 0};
    }
    slices_free(slices);
    return status;
}

/* Ranks are read one after the other, so memory holds the calls of one. */
enum status section_find_in(struct trace_source *source, const struct section_marks *marks, struct section *section,
                            struct err *err)
{
    struct trace *trace = source->trace;
    struct section_search *search;
    enum status status = STATUS_OK;
    TRY(section_search_new(trace, marks, &search, err));
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        bool ended = false;
        while (status == STATUS_OK && !ended) status = source->read(source, r, SLICE_CALLS, &ended, err);
        for (size_t i = 0; i < trace->ranks[r].count; i++) section_search_add(search, r, &trace->ranks[r].calls[i]);
        if (trace->ranks[r].count > 1) trace->ranks[r].count = 1;
        trace_trim_calls(trace, r);
        trace->definitions.list_count = trace->definitions.request_count = 0;
    }
    if (status == STATUS_OK) status = section_search_end(search, section, err);
    section_search_free(search);
    return status;
}
