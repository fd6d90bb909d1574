#include "model/checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "common/units.h"

/* Sums of doubles that were picoseconds: relative. */
static const double rounding = 1e-9;

typedef void check(const struct relations *relations, const struct account *account, const struct waits *waits,
                   const struct result *result, struct result_check *row);

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

/* The time of a call; of a successful test, of its row: all tests since the post of the same window. */
static int64_t time_of_call(const struct relations *relations, uint32_t rank, size_t index)
{
    const struct trace_call *call = relations_call(relations, rank, index);
    int64_t time_ps = call->exit_ps - call->enter_ps;
    if (call_kind(call->call) != CALL_WIN_TEST) return time_ps;
    while (index-- > 0) {
        const struct trace_call *before = relations_call(relations, rank, index);
        if (before->handle != call->handle) continue;
        if (call_kind(before->call) == CALL_POST) break;
        if (call_kind(before->call) == CALL_WIN_TEST) time_ps += before->exit_ps - before->enter_ps;
    }
    return time_ps;
}

static void waits_fit_their_calls(const struct relations *relations, const struct account *account,
                                  const struct waits *waits, const struct result *result, struct result_check *row)
{
    (void)account;
    (void)result;
    for (size_t w = 0; w < waits->count;) {
        const struct wait *first = &waits->items[w];
        int64_t waited_ps = 0, time_ps = time_of_call(relations, first->rank, first->call);
        for (; w < waits->count && waits->items[w].rank == first->rank && waits->items[w].call == first->call; w++)
            waited_ps += waits->items[w].severity_ps;
        row->checked++;
        if (waited_ps <= time_ps) continue;
        char place[TRACE_PLACE_BYTES];
        breach(row, "%s: %" PRId64 " ps of waiting in a call of %" PRId64 " ps",
               trace_place(relations->trace, first->rank, first->call, place), waited_ps, time_ps);
    }
}

static void parts_fit_their_whole(const struct relations *relations, const struct account *account,
                                  const struct waits *waits, const struct result *result, struct result_check *row)
{
    (void)relations;
    (void)waits;
    (void)result;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        enum pattern whole = pattern_whole((enum pattern)p);
        for (uint32_t r = 0; r < account->rank_count && whole != (enum pattern)p; r++) {
            row->checked++;
            if (account->severity_ps[p][r] > account->severity_ps[whole][r])
                breach(row, "%s of rank %" PRIu32 " exceeds %s", pattern_row((enum pattern)p)->name, r,
                       pattern_row(whole)->name);
        }
    }
}

static void properties_add_up(const struct relations *relations, const struct account *account,
                              const struct waits *waits, const struct result *result, struct result_check *row)
{
    (void)relations;
    (void)account;
    (void)waits;
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

static void places_add_up(const struct relations *relations, const struct account *account, const struct waits *waits,
                          const struct result *result, struct result_check *row)
{
    (void)relations;
    (void)account;
    (void)waits;
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

static void intervals_hold(const struct relations *relations, const struct account *account, const struct waits *waits,
                           const struct result *result, struct result_check *row)
{
    (void)relations;
    (void)account;
    (void)waits;
    if (!result->efficiency) return; /* a note says why */
    row->checked = result->efficiency->count;
    if (!result->efficiency->holds) breach(row, "%s", result->efficiency->broken);
}

static void causes_add_up(const struct relations *relations, const struct account *account, const struct waits *waits,
                          const struct result *result, struct result_check *row)
{
    (void)relations;
    (void)account;
    int64_t waited_ps = 0;
    for (size_t w = 0; w < waits->count; w++)
        if (waits->items[w].counted) waited_ps += waits->items[w].until_ps - waits->items[w].from_ps;
    expect_near(row, "causes, waits with a cause", result->causes.total_s, units_s(waited_ps));
    expect_near(row, "critical path, run time", result->critical_path.total_s, result->run_time_s);
}

static const struct {
    const char *name;
    check *look;
} rows[] = {
    {"waits fit their calls", waits_fit_their_calls},
    {"parts fit their whole", parts_fit_their_whole},
    {"properties add up", properties_add_up},
    {"places add up", places_add_up},
    {"intervals add up", intervals_hold},
    {"causes add up", causes_add_up},
};

void checks_run(const struct relations *relations, const struct account *account, const struct waits *waits,
                struct result *result)
{
    _Static_assert(sizeof rows / sizeof *rows <= RESULT_CHECKS_MAX, "a row of result->checks for each check");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result_check *row = &result->checks[result->check_count++];
        *row = (struct result_check){.name = rows[i].name, .holds = true};
        rows[i].look(relations, account, waits, result, row);
        if (row->holds) snprintf(row->detail, sizeof row->detail, "%" PRIu64 " looked at", row->checked);
    }
}

bool checks_hold(const struct result *result)
{
    for (size_t i = 0; i < result->check_count; i++)
        if (!result->checks[i].holds) return false;
    return true;
}
