#include "model/result/checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "model/match/shmem_writes.h"

/* Relative tolerance for sums of doubles that were picoseconds. */
static const double rounding = 1e-9;

/* The inputs of the checks. */
struct figures {
    const struct totals *totals;
    const struct result *result;
    wide_ps waited_ps;
};

typedef void check(const struct figures *figures, struct result_check *row);

__attribute__((format(printf, 2, 3))) static void breach(struct result_check *row, const char *format, ...)
{
    va_list arguments;
    if (!row->holds) return;
    row->holds = false;
    va_start(arguments, format);
    vsnprintf(row->detail, sizeof row->detail, format, arguments);
    va_end(arguments);
}

static void expect_near(struct result_check *row, const char *what, double one_s, double other_s)
{
    row->checked++;
    if (fabs(one_s - other_s) > rounding * (fabs(one_s) + fabs(other_s)))
        breach(row, "%s: %.12g s and %.12g s", what, one_s, other_s);
}

/* The time of a test for a write with the failed ones of the same address before it. */
static int64_t time_of_shmem_tests(const struct relations *relations, uint32_t rank, size_t index)
{
    const struct trace_call *call = relations_call(relations, rank, index);
    int64_t time_ps = call->exit_ps - call->enter_ps;
    while (index-- > 0) {
        const struct trace_call *before = relations_call(relations, rank, index);
        if (!shmem_is_wait(call_kind(before->call)) || before->shmem.disp != call->shmem.disp) continue;
        if (shmem_wait_ended(before)) break;
        time_ps += before->exit_ps - before->enter_ps;
    }
    return time_ps;
}

/* The time of a call; for a successful test, the time of all tests since the post of the same window. */
static int64_t time_of_call(const struct relations *relations, uint32_t rank, size_t index)
{
    const struct trace_call *call = relations_call(relations, rank, index);
    int64_t time_ps = call->exit_ps - call->enter_ps;
    if (call_kind(call->call) == CALL_SHMEM_TEST) return time_of_shmem_tests(relations, rank, index);
    if (call_kind(call->call) != CALL_WIN_TEST) return time_ps;
    while (index-- > 0) {
        const struct trace_call *before = relations_call(relations, rank, index);
        if (before->handle != call->handle) continue;
        if (call_kind(before->call) == CALL_POST) break;
        if (call_kind(before->call) == CALL_WIN_TEST) time_ps += before->exit_ps - before->enter_ps;
    }
    return time_ps;
}

/* A call with waits: the sum, and whether one of them is certain (model/waits/provisional.h), in one word. */
static uint64_t waited_word(int64_t waited_ps, bool certain)
{
    return (uint64_t)waited_ps << 1 | certain;
}

/* Counts a call that waits; calls whose waits are all in doubt are counted per doubt. */
static void count_call(struct checks *checks, const struct wait *wait, enum mpi_call function, bool known,
                       bool was_certain, bool certain)
{
    if (certain && !was_certain) checks->calls++;
    if (certain && known && !was_certain) checks->uncertain_calls[DOUBT_PROGRESS + function]--;
    if (!certain && !known) checks->uncertain_calls[wait->doubt]++;
}

/* A call that returned before another call began did not wait for that one. Patterns that take the enter of a call for the
 * end of a wait break this where the ranks' clocks contradict each other; the others conclude what ended a wait. */
static void expect_cause(struct checks *checks, const struct trace *trace, const struct wait *wait)
{
    char place[TRACE_PLACE_BYTES], cause[TRACE_PLACE_BYTES];
    bool concluded = wait->pattern == PATTERN_LOCK_CONTENTION || wait->pattern == PATTERN_WAIT_FOR_PROGRESS ||
                     wait->pattern == PATTERN_WAIT_FOR_WRITE || wait->pattern == PATTERN_LATE_SIGNAL;
    if (!concluded || wait->cause_call == FINDING_NO_CALL) return;
    int64_t begin_ps = trace->ranks[wait->cause_rank].calls[wait->cause_call].enter_ps;
    int64_t end_ps = trace->ranks[wait->rank].calls[wait->call].exit_ps;
    if (begin_ps > end_ps)
        breach(&checks->cause, "%s: %s, whose cause begins %" PRId64 " ps after the call returned, %s",
               trace_place(trace, wait->rank, wait->call, place), pattern_row((enum pattern)wait->pattern)->title,
               begin_ps - end_ps, trace_place(trace, wait->cause_rank, wait->cause_call, cause));
}

static enum status add_wait(struct checks *checks, const struct relations *relations, const struct wait *wait,
                            struct err *err)
{
    const struct trace *trace = relations->trace;
    uint64_t *word, key = (uint64_t)wait->rank << 40 | trace_event(trace, wait->rank, wait->call);
    bool known = map_find(&checks->waited, key) != NULL;
    bool of_target =
        doubt_is_of_target(wait->doubt); /* the group's wait follows; only one of both counts, and the group's is
                                            longer */
    bool certain = wait->doubt == FINDING_CERTAIN || of_target;
    TRY(map_put(&checks->waited, key, 0, &word, err));
    count_call(checks, wait, trace_function(trace, wait->rank, wait->call), known, *word & 1, certain);
    int64_t waited_ps = (int64_t)(*word >> 1) + (of_target ? 0 : wait->severity_ps);
    int64_t time_ps = time_of_call(relations, wait->rank, wait->call);
    *word = waited_word(waited_ps, certain || *word & 1);
    if (waited_ps <= time_ps) return STATUS_OK;
    char place[TRACE_PLACE_BYTES];
    breach(&checks->fit, "%s: %" PRId64 " ps of waiting in a call of %" PRId64 " ps",
           trace_place(trace, wait->rank, wait->call, place), waited_ps, time_ps);
    return STATUS_OK;
}

/* In a slice only calls that are kept, or whose wait for progress is still to be found, may get further waits. */
static enum status forget_final(struct checks *checks, const struct relations *relations, struct err *err)
{
    const struct trace *trace = relations->trace;
    struct map stay = {0};
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++) {
            uint64_t *slot, key = (uint64_t)r << 40 | trace_event(trace, r, i);
            if (!(relations->state->flags[r][i] & (SLICE_KEEP | SLICE_OPEN | SLICE_LATE))) continue;
            const uint64_t *word = map_find(&checks->waited, key);
            if (word) status = map_put(&stay, key, *word, &slot, err);
        }
    map_clear(&checks->waited);
    checks->waited = stay;
    return status;
}

enum status checks_add(struct checks *checks, const struct relations *relations, const struct waits *waits,
                       struct err *err)
{
    if (!checks->fit.name) checks->fit = (struct result_check){.name = "waits fit their calls", .holds = true};
    if (!checks->cause.name) checks->cause = (struct result_check){.name = "causes begin before waits end", .holds = true};
    for (size_t w = 0; w < waits->count; w++) {
        expect_cause(checks, relations->trace, &waits->items[w]);
        TRY(add_wait(checks, relations, &waits->items[w], err));
    }
    return relations->state ? forget_final(checks, relations, err) : STATUS_OK;
}

void checks_clear(struct checks *checks)
{
    map_clear(&checks->waited);
}

static void parts_fit_their_whole(const struct figures *figures, struct result_check *row)
{
    const struct totals *totals = figures->totals;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        enum pattern whole = pattern_whole((enum pattern)p);
        for (uint32_t r = 0; r < totals->rank_count && whole != (enum pattern)p; r++) {
            row->checked++;
            if (totals->severity_ps[p][r] > totals->severity_ps[whole][r])
                breach(row, "%s of rank %" PRIu32 " exceeds %s", pattern_row((enum pattern)p)->name, r,
                       pattern_row(whole)->name);
        }
    }
}

static void properties_add_up(const struct figures *figures, struct result_check *row)
{
    const struct result *result = figures->result;
    double sum_s = 0;
    for (size_t i = 0; i < result->property_count; i++) {
        const struct result_property *property = &result->properties[i];
        row->checked++;
        sum_s += property->exclusive_s;
        if (property->exclusive_s < -rounding * property->inclusive_s)
            breach(row, "%s: the parts exceed the whole by %.12g s", property->name, -property->exclusive_s);
    }
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (pattern_whole((enum pattern)p) == (enum pattern)p) sum_s += result->patterns[p].severity_s;
    if (result->property_count > 0)
        expect_near(row, "exclusive figures and waits, time", sum_s, result->properties[0].inclusive_s);
}

static void places_add_up(const struct figures *figures, struct result_check *row)
{
    const struct result *result = figures->result;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const struct result_pattern *pattern = &result->patterns[p];
        double places_s = 0, ranks_s = 0;
        uint64_t count = 0;
        for (size_t i = 0; i < pattern->place_count; i++) {
            places_s += pattern->places[i].severity_s;
            count += pattern->places[i].count;
        }
        for (uint32_t r = 0; r < result->rank_count; r++) ranks_s += pattern->rank_severity_s[r];
        expect_near(row, pattern_row((enum pattern)p)->name, pattern->severity_s, places_s);
        expect_near(row, pattern_row((enum pattern)p)->name, pattern->severity_s, ranks_s);
        if (count != pattern->count) breach(row, "%s: counts of places", pattern_row((enum pattern)p)->name);
    }
}

static void intervals_hold(const struct figures *figures, struct result_check *row)
{
    const struct result *result = figures->result;
    if (!result->efficiency) return; /* a note says why */
    row->checked = result->efficiency->count;
    if (!result->efficiency->holds) breach(row, "%s", result->efficiency->broken);
}

static void causes_add_up(const struct figures *figures, struct result_check *row)
{
    const struct result *result = figures->result;
    expect_near(row, "causes, waits with a cause", result->causes.total_s, wide_s(figures->waited_ps));
    expect_near(row, "critical path, run time", result->critical_path.total_s, result->run_time_s);
}

static void slices_add_up(const struct figures *figures, struct result_check *row)
{
    const struct result *result = figures->result;
    const struct result_over_time *over_time = &result->over_time;
    struct result_slice sum = {.calls = 0};
    for (size_t s = 0; s < over_time->count; s++) {
        const struct result_slice *slice = &over_time->items[s];
        sum.time_s += slice->time_s;
        sum.calls_s += slice->calls_s;
        sum.transfers += slice->transfers;
        sum.bytes += slice->bytes;
        for (int p = 0; p < PATTERN_COUNT; p++) {
            sum.waits[p].severity_s += slice->waits[p].severity_s;
            sum.waits[p].count += slice->waits[p].count;
        }
    }
    if (!over_time->known) return;
    expect_near(row, "slices, time in calls", sum.calls_s, result->calls.total_s);
    if (!over_time->partial) expect_near(row, "slices, time", sum.time_s, result->properties[0].inclusive_s);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        expect_near(row, pattern_row((enum pattern)p)->name, sum.waits[p].severity_s, result->patterns[p].severity_s);
        if (sum.waits[p].count != result->patterns[p].count)
            breach(row, "%s: counts of slices", pattern_row((enum pattern)p)->name);
    }
    if (sum.transfers != result->transfer_count || sum.bytes != result->transfer_bytes) breach(row, "transfers of slices");
}

static const struct {
    const char *name;
    check *look;
} rows[] = {
    {"parts fit their whole", parts_fit_their_whole},
    {"properties add up", properties_add_up},
    {"places add up", places_add_up},
    {"intervals add up", intervals_hold},
    {"causes add up", causes_add_up},
    {"slices add up", slices_add_up},
};

static void append_check(struct result *result, struct result_check row)
{
    if (row.holds) snprintf(row.detail, sizeof row.detail, "%" PRIu64 " looked at", row.checked);
    result->checks[result->check_count++] = row;
}

void checks_report(struct checks *checks, const struct totals *totals, const bool *refuted, wide_ps waited_ps,
                   struct result *result)
{
    _Static_assert(sizeof rows / sizeof *rows + 2 <= RESULT_CHECKS_MAX, "a row of result->checks for each check");
    const struct figures figures = {.totals = totals, .result = result, .waited_ps = waited_ps};
    checks->fit.checked = checks->calls;
    for (int d = 0; d < DOUBT_COUNT; d++)
        if (!refuted || !refuted[d]) checks->fit.checked += checks->uncertain_calls[d];
    append_check(result, checks->fit);
    checks->cause.checked = checks->fit.checked;
    append_check(result, checks->cause);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].look == slices_add_up && !result->over_time.known) continue;
        struct result_check row = {.name = rows[i].name, .holds = true};
        rows[i].look(&figures, &row);
        append_check(result, row);
    }
}

enum status checks_expect(const struct result *result, struct err *err)
{
    const struct result_check *first = NULL;
    size_t broken = 0;
    for (size_t i = 0; i < result->check_count; i++) {
        if (result->checks[i].holds) continue;
        if (broken++ == 0) first = &result->checks[i];
    }
    if (!first) return STATUS_OK;
    return err_set(err, STATUS_DATA, result->trace, NULL,
                   "%zu of %zu checks of the figures do not hold, first '%s': %s", broken, result->check_count, first->name,
                   first->detail);
}
