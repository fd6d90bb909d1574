#include "validate/difference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/efficiency/efficiency.h"
#include "model/result/result_fields.h"

/* Smaller shares of all ranks' time are not printed. */
static const double least_shown = 0.0005;

static enum status find_row(struct difference *difference, const char *callpath, const char *activity,
                            struct difference_row **found, struct err *err)
{
    for (size_t i = 0; i < difference->count; i++) {
        *found = &difference->rows[i];
        if (strcmp((*found)->callpath, callpath) == 0 && strcmp((*found)->activity, activity) == 0) return STATUS_OK;
    }
    struct difference_row made = {.callpath = strdup(callpath), .activity = strdup(activity)};
    enum status status =
        made.callpath && made.activity
            ? array_reserve((void **)&difference->rows, &difference->capacity, difference->count + 1, sizeof made, err)
            : err_memory(err);
    if (status != STATUS_OK) {
        FREE_ALL(made.callpath, made.activity);
        return status;
    }
    *found = &difference->rows[difference->count];
    difference->rows[difference->count++] = made;
    return STATUS_OK;
}

/* Calls are sorted by time: the first one at a call path has its line. */
static enum status set_place(struct difference_row *row, const char *file, int32_t line, struct err *err)
{
    if (!file) return STATUS_OK;
    free(row->file);
    row->line = line;
    return (row->file = strdup(file)) ? STATUS_OK : err_memory(err);
}

static enum status add_calls(struct difference *difference, const struct result *result, bool after, struct err *err)
{
    for (size_t i = 0; i < result->calls.count; i++) {
        const struct result_share *call = &result->calls.items[i];
        struct difference_row *row;
        TRY(find_row(difference, call->callpath, call->activity, &row, err));
        const uint64_t seen = after ? row->after_count : row->before_count;
        if (seen == 0) TRY(set_place(row, call->file, call->line, err));
        row->lines = seen == 0 ? 1 : row->lines + 1;
        *(after ? &row->after_count : &row->before_count) += call->count;
        *(after ? &row->time.after_s : &row->time.before_s) += call->time_s;
        *(after ? &row->waits.after_s : &row->waits.before_s) += call->wait_s;
    }
    return STATUS_OK;
}

/* The computing of each interval outside those in it. */
static enum status add_computing(struct difference *difference, const struct efficiency *efficiency, bool after, struct err *err)
{
    for (size_t i = 0; i < efficiency->count; i++) {
        const struct efficiency_interval *interval = &efficiency->intervals[i];
        wide_ps own_ps = interval->sum_ps[EFFICIENCY_CPU];
        struct difference_row *row;
        for (size_t k = i + 1; k < efficiency->count; k++)
            if (efficiency->parents[k] == i) own_ps -= efficiency->intervals[k].sum_ps[EFFICIENCY_CPU];
        TRY(find_row(difference, interval->path, "computing", &row, err));
        TRY(set_place(row, interval->file, interval->line, err));
        *(after ? &row->after_count : &row->before_count) += interval->executions;
        *(after ? &row->time.after_s : &row->time.before_s) += wide_s(own_ps);
    }
    return STATUS_OK;
}

static int compare_rows(const void *one, const void *other)
{
    const struct difference_row *a = one, *b = other;
    const double by = fabs(b->change_s) - fabs(a->change_s);
    if (by != 0) return by > 0 ? 1 : -1;
    const int order = strcmp(a->callpath, b->callpath);
    return order != 0 ? order : strcmp(a->activity, b->activity);
}

static enum status check_results(const struct difference *difference, struct err *err)
{
    const char *names[] = {difference->before, difference->after};
    for (int i = 0; i < 2; i++)
        if (!difference->results[i]->calls_known)
            return err_set(err, STATUS_DATA, names[i], NULL, "has no times of its calls, expected a trace or its whole result");
    const struct result *before = difference->results[0], *after = difference->results[1];
    if ((before->origin == TRACE_SIMULATED) != (after->origin == TRACE_SIMULATED))
        return err_set(err, STATUS_DATA, names[after->origin == TRACE_SIMULATED], NULL,
                       "is simulated and %s is not: rmacast validate compares a prediction with real runs",
                       names[before->origin == TRACE_SIMULATED]);
    char sections[2][RESULT_SECTION_BYTES];
    for (int i = 0; i < 2; i++) result_section_text(&difference->results[i]->section, sections[i]);
    if (strcmp(sections[0], sections[1]) != 0)
        return err_set(err, STATUS_DATA, names[1], NULL, "its section is '%s', expected '%s' as in %s", sections[1], sections[0],
                       names[0]);
    for (int i = 0; i < 2; i++)
        if (difference->results[i]->section.known && difference->results[i]->section.empty)
            return err_set(err, STATUS_DATA, names[i], NULL, "has nothing in the section, expected calls or computing there");
    if (difference->limit >= 0 && difference->run_time.before_s <= 0)
        return err_set(err, STATUS_DATA, names[0], NULL, "takes no time here: there is nothing to compare with");
    return STATUS_OK;
}

static enum status fill_difference(struct difference *difference, struct err *err)
{
    TRY(check_results(difference, err));
    const struct result *const *results = difference->results;
    difference->computing = results[0]->efficiency && results[1]->efficiency && !results[0]->section.known;
    for (int i = 0; i < 2; i++) {
        const struct result *result = difference->results[i];
        TRY(add_calls(difference, result, i == 1, err));
        if (difference->computing) TRY(add_computing(difference, result->efficiency, i == 1, err));
        for (int p = 0; p < PATTERN_COUNT; p++)
            *(i ? &difference->waits[p].after_s : &difference->waits[p].before_s) = result->patterns[p].severity_s;
    }
    for (size_t i = 0; i < difference->count; i++) {
        struct difference_row *row = &difference->rows[i];
        row->change_s = row->time.after_s - row->time.before_s;
        row->change_waits_s = row->waits.after_s - row->waits.before_s;
    }
    if (difference->count > 1) qsort(difference->rows, difference->count, sizeof *difference->rows, compare_rows);
    return STATUS_OK;
}

enum status difference_new(const struct result *before, const char *before_name, const struct result *after,
                           const char *after_name, double limit, struct difference **difference, struct err *err)
{
    struct difference *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct difference){
        .before = before_name,
        .after = after_name,
        .results = {before, after},
        .run_time = {before->run_time_s, after->run_time_s},
        .error = uncertainty_of_difference(&before->uncertainty, &after->uncertainty),
        .limit = limit,
        .slower = before->run_time_s > 0 ? after->run_time_s / before->run_time_s - 1 : after->run_time_s > 0 ? INFINITY : 0,
    };
    made->holds = made->slower <= limit;
    enum status status = fill_difference(made, err);
    GIVE(status, *difference = made, difference_free(made));
}

void difference_free(struct difference *difference)
{
    if (!difference) return;
    for (size_t i = 0; i < difference->count; i++) {
        FREE_ALL(difference->rows[i].callpath, difference->rows[i].activity, difference->rows[i].file);
    }
    FREE_ALL(difference->rows, difference);
}

/* --- JSON --- */

struct pattern_difference {
    const char *name;
    struct difference_value value;
};

static enum field_each fill_pattern(const void *item, size_t index, void *made)
{
    if (index == PATTERN_COUNT) return FIELD_END;
    const struct difference_value *value = &((const struct difference *)item)->waits[index];
    *(struct pattern_difference *)made = (struct pattern_difference){pattern_row((enum pattern)index)->name, *value};
    return value->before_s == 0 && value->after_s == 0 ? FIELD_SKIP : FIELD_ELEMENT;
}

static bool is_limited(const void *item)
{
    return ((const struct difference *)item)->limit >= 0;
}

#define S struct difference_value
static const struct field value_fields[] = {SAME(before_s), SAME(after_s), {0}};
#undef S
#define S struct pattern_difference
static const struct field pattern_fields[] = {SAME(name), INLINE(NULL, value, value_fields), {0}};
#undef S
#define S struct difference_row
static const struct field row_fields[] = {
    SAME(callpath), FIELD("call", activity), SAME(file, IF_THERE), SAME(line, IF_POSITIVE),
    SAME(before_count), SAME(after_count),
    INLINE(NULL, time, value_fields), SAME(change_s, SIGNED), OBJECT("waits", waits, value_fields),
    SAME(change_waits_s, SIGNED), {0}};
#undef S
#define S struct difference
static const struct field limit_fields[] = {SAME(limit), SAME(slower, SIGNED, IF_FINITE), SAME(holds), {0}};
const struct field difference_fields[] = {
    SCHEMA("rmacast.difference/1"), FIELD("before", before), FIELD("after", after),
    OBJECT("run_time", run_time, value_fields), INLINE(NULL, error, uncertainty_fields),
    PART("gate", limit_fields, IF(is_limited), LEFT_OUT),
    EACH("patterns", struct pattern_difference, fill_pattern, pattern_fields),
    SAME(computing), ARRAY("rows", rows, count, row_fields, UNREAD), {0}};
#undef S

/* --- table --- */

enum { SIGNED_BYTES = UNITS_TEXT_BYTES + 2 };

static const char *format_change(double seconds, char text[SIGNED_BYTES])
{
    char duration[UNITS_TEXT_BYTES];
    snprintf(text, SIGNED_BYTES, "%s%s", seconds > 0 ? "+" : "", units_format_duration(seconds, duration));
    return text;
}

static void print_value(const char *name, const struct difference_value *value, FILE *out)
{
    char text[2][UNITS_TEXT_BYTES], change[SIGNED_BYTES];
    text_print(out, "%-24s %10s %10s %11s", name, units_format_duration(value->before_s, text[0]),
               units_format_duration(value->after_s, text[1]), format_change(value->after_s - value->before_s, change));
    if (value->before_s > 0)
        text_print(out, " %+8.2f%%\n", (value->after_s / value->before_s - 1) * 100);
    else
        text_print(out, " %9s\n", "-");
}

/* Of all ranks' time. */
static double least_shown_s(const struct difference *difference)
{
    return least_shown * fmax(result_total_s(difference->results[0]), result_total_s(difference->results[1]));
}

/* " (halo.c:28)", " (halo.c:28 and 2 more lines)". */
static void print_place(const struct difference_row *row, FILE *out)
{
    if (!row->file) return;
    text_print(out, " (%s:%" PRId32, row->file, row->line);
    if (row->lines > 1) text_print(out, " and %zu more line%s", row->lines - 1, units_plural(row->lines - 1));
    fputc(')', out);
}

void difference_print_line(const struct difference *difference, size_t top, FILE *out)
{
    const double least_s = least_shown_s(difference);
    size_t shown = 0;
    for (; shown < difference->count && shown < top; shown++) {
        const struct difference_row *row = &difference->rows[shown];
        char text[UNITS_TEXT_BYTES];
        if (row->change_s == 0 || fabs(row->change_s) < least_s) break; /* the greatest change is first */
        text_print(out, "%s%s %s %s", shown > 0 ? ", " : "", row->activity, units_format_duration(fabs(row->change_s), text),
                   row->change_s > 0 ? "more" : "less");
        print_place(row, out);
    }
    if (shown == 0) fputs("no call", out);
}

static void print_rows(const struct difference *difference, size_t top, bool slower, FILE *out)
{
    const double least_s = least_shown_s(difference);
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct difference_row *row = &difference->rows[i];
        char text[2][UNITS_TEXT_BYTES], change[2][SIGNED_BYTES];
        if (row->change_s == 0 || fabs(row->change_s) < least_s || (slower && row->change_s < 0)) continue;
        if (shown == top) {
            left++;
            continue;
        }
        if (shown++ == 0)
            text_print(out, "\n%10s %10s %11s %11s  %s\n", "before", "after", "change", "in waits",
                       slower ? "where it got slower, all ranks" : "where, all ranks");
        text_print(out, "%10s %10s %11s %11s  %s", units_format_duration(row->time.before_s, text[0]),
                   units_format_duration(row->time.after_s, text[1]), format_change(row->change_s, change[0]),
                   format_change(row->change_waits_s, change[1]), row->activity);
        if (strcmp(row->callpath, row->activity) != 0) text_print(out, " in %s", row->callpath);
        print_place(row, out);
        if (row->before_count != row->after_count)
            text_print(out, ", %" PRIu64 " times, before %" PRIu64, row->after_count, row->before_count);
        fputc('\n', out);
    }
    if (shown == 0)
        text_print(out, "\nNo call path %s by %g %% of the time.\n", slower ? "got slower" : "differs", least_shown * 100);
    if (left > 0) text_print(out, "... and %zu more (--json has all)\n", left);
}

static void print_sureness(const struct difference *difference, FILE *out)
{
    char text[UNCERTAINTY_TEXT_BYTES];
    const struct result *before = difference->results[0], *after = difference->results[1];
    if (before->rank_count != after->rank_count)
        text_print(out,
                   "note: %s has %" PRIu32 " rank%s and %s %" PRIu32 ": times of all ranks are sums over other numbers of them\n",
                   difference->before, before->rank_count, units_plural(before->rank_count), difference->after,
                   after->rank_count);
    if (!difference->computing) fputs("note: computing by call path is known of whole runs in traces only\n", out);
    if (before->origin != after->origin)
        text_print(out, "How sure: %s is %s and %s is %s: they are not of one kind\n", difference->before,
                   trace_origin_name(before->origin), difference->after, trace_origin_name(after->origin));
    else if (after->origin == TRACE_GENERATED || after->origin == TRACE_DESCRIBED)
        text_print(out, "How sure: both are %s: nobody measured these times\n", trace_origin_name(after->origin));
    else if (after->origin == TRACE_RECORDED)
        fputs("How sure: one run each: how far such runs differ by themselves is not known\n", out);
    else
        text_print(out, "How sure: the difference of the run times has an error of %s\n",
                   uncertainty_text(&difference->error, text));
}

void difference_print(const struct difference *difference, size_t top, bool slower, FILE *out)
{
    text_print(out, "Before     %s\nAfter      %s\n\n%-24s %10s %10s %11s %9s\n", difference->before, difference->after, "",
               "before", "after", "change", "relative");
    print_value("run time", &difference->run_time, out);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (difference->waits[p].before_s > 0 || difference->waits[p].after_s > 0)
            print_value(pattern_row((enum pattern)p)->name, &difference->waits[p], out);
    print_rows(difference, top, slower, out);
    fputc('\n', out);
    print_sureness(difference, out);
}
