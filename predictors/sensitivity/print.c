/* The tables, sensitivity_fields and the CSV files of predictors/sensitivity/sensitivity.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/csv.h"
#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/waits/totals.h"
#include "predictors/sensitivity/run_time.h"
#include "predictors/sensitivity/sensitivity.h"

enum { PLACES_SHOWN = 5, SHARES_SHOWN = 3 };

char *sensitivity_value_text(enum key_kind kind, double value, char text[UNITS_TEXT_BYTES])
{
    if (isnan(value)) return strcpy(text, "-");
    if (isinf(value)) return strcpy(text, "infinite");
    if (kind == KEY_RATE) return units_format_rate(value, text);
    if (kind == KEY_TIME || kind == KEY_PAUSE) return units_format_duration(value, text);
    snprintf(text, UNITS_TEXT_BYTES, "%.4g", value);
    return text;
}

static char *format_slope(enum key_kind kind, double slope, char text[UNITS_TEXT_BYTES])
{
    if (isnan(slope)) return strcpy(text, "-");
    if (kind == KEY_SPEED) return units_format_duration(slope, text);
    snprintf(text, UNITS_TEXT_BYTES, "%.10g%s", slope, kind == KEY_RATE || kind == KEY_COST ? " bytes" : "");
    return text;
}

static bool is_flat(const struct sensitivity_value *value)
{
    for (size_t i = 1; i < value->corner_count; i++)
        if (value->corners[i].run_time_s != value->corners[0].run_time_s) return false;
    return value->slope == 0;
}

static void print_value(const struct sensitivity_value *value, FILE *out)
{
    char text[5][UNITS_TEXT_BYTES], from[UNITS_TEXT_BYTES], below[UNITS_TEXT_BYTES];
    if (value->refused) {
        text_print(out, "%-32s %10s with another value: %s\n", value->key,
                   sensitivity_value_text(value->kind, value->value, text[0]), value->refused);
        return;
    }
    text_print(out, "%-32s %10s %18s %10s %10s", value->key, sensitivity_value_text(value->kind, value->value, text[0]),
               format_slope(value->kind, value->slope, text[1]), sensitivity_value_text(value->kind, value->from, from),
               sensitivity_value_text(value->kind, value->to, text[2]));
    for (int i = 0; i < SENSITIVITY_SHARES; i++)
        text_print(out, " %10s", sensitivity_value_text(value->kind, value->tolerances[i].value, text[3]));
    text_print(out, "%s\n", value->exact ? "" : "  by replay");
    if (!isnan(value->slope_below))
        text_print(out, "%-32s %10s %18s\n", run_time_falls(value->kind) ? "  above this value" : "  below this value", "",
                   format_slope(value->kind, value->slope_below, below));
}

static void print_share(enum place_split split, const struct place_share *share, FILE *out)
{
    switch (split) {
    case SPLIT_WINDOW: text_print(out, "window %" PRId64, share->a); break;
    case SPLIT_PAIR: text_print(out, "ranks %" PRId64 " to %" PRId64, share->a, share->b); break;
    case SPLIT_LINK: text_print(out, "nodes %" PRId64 " to %" PRId64, share->a, share->b); break;
    default: text_print(out, "behind %s", pattern_row((enum pattern)share->a)->title);
    }
}

/* "3 behind Late Post; 2 behind Early Wait" */
static void print_split(const struct sensitivity_value *value, enum place_split split, FILE *out)
{
    const struct place_shares *shares = &value->places.splits[split];
    char slope[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < shares->count && i < SHARES_SHOWN; i++) {
        text_print(out, i == 0 ? "%18s  " : "; %s ", format_slope(value->kind, shares->items[i].slope, slope));
        print_share(split, &shares->items[i], out);
    }
    if (shares->count > SHARES_SHOWN) text_print(out, "; %zu more", shares->count - SHARES_SHOWN);
    if (shares->count > 0) fputc('\n', out);
}

static void print_places(const struct sensitivity_value *value, FILE *out)
{
    char slope[UNITS_TEXT_BYTES];
    if (value->places.calls.count == 0) return;
    text_print(out, "\n%s: where its %s arise\n", value->key, format_slope(value->kind, value->slope, slope));
    for (size_t i = 0; i < value->places.calls.count && i < PLACES_SHOWN; i++) {
        const struct result_share *place = &value->places.calls.items[i];
        text_print(out, "%18s  %-20s %s", format_slope(value->kind, place->time_s, slope), place->activity, place->callpath);
        if (place->file) text_print(out, " (%s:%" PRId32 ")", place->file, place->line);
        fputc('\n', out);
    }
    if (value->places.calls.count > PLACES_SHOWN)
        text_print(out, "%18s  %zu more places\n", "", value->places.calls.count - PLACES_SHOWN);
    for (int split = 0; split < SPLITS; split++) print_split(value, (enum place_split)split, out);
}

static void print_flat(const struct sensitivity_row *row, FILE *out)
{
    const char *before = "no effect in their ranges: ";
    for (size_t i = 0; i < row->value_count; i++) {
        if (!is_flat(&row->values[i])) continue;
        text_print(out, "%s%s", before, row->values[i].key);
        before = ", ";
    }
    if (*before == ',') fputc('\n', out);
}

static void print_unproven(const struct sensitivity_row *row, FILE *out)
{
    bool unproven = false;
    for (size_t i = 0; i < row->value_count; i++)
        unproven = unproven || (row->values[i].exact && !row->values[i].proven && !is_flat(&row->values[i]));
    if (unproven)
        text_print(out, "not proven between the points of a curve: what queues for NICs, locks or software, or is tested for, "
                        "may change its order there\n");
}

static void print_verified(const struct sensitivity_row *row, FILE *out)
{
    if (row->verified > 0)
        text_print(out, "verified: %" PRIu64 " replays at other values are on the curves\n", row->verified);
}

static void print_slack(const struct sensitivity_row *row, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    if (!row->slack_known) return;
    text_print(out, "\nSlack: %zu of %zu calls cannot come later without a longer run", row->slack.zero, row->slack.count);
    if (!isnan(row->slack.smallest_s))
        text_print(out, "; the next one can by %s: a second path is so much shorter",
                   units_format_duration(row->slack.smallest_s, text));
    fputc('\n', out);
    if (row->slack.left_out > 0)
        text_print(out, "%" PRIu32 " rank%s with several threads: no slack is found for their calls\n", row->slack.left_out,
                   units_plural(row->slack.left_out));
}

static void print_gains(const struct sensitivity_row *row, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    if (!row->gains_known) return;
    text_print(out, "\nRun time if the computing of a call path, or in front of a line's calls, took so many times as long\n");
    text_print(out, "%-32s", "");
    for (int i = 0; i < GAIN_POINTS; i++) text_print(out, " %10.3g", gain_factors[i]);
    fputc('\n', out);
    for (size_t g = 0; g < row->gains.count; g++) {
        text_print(out, "%-32s", row->gains.items[g].callpath);
        for (int i = 0; i < GAIN_POINTS; i++)
            text_print(out, " %10s", sensitivity_value_text(KEY_TIME, row->gains.items[g].run_time_s[i], text));
        fputc('\n', out);
    }
}

/* How much of the first latency the program can take. */
static void print_headline(const struct sensitivity_row *row, FILE *out)
{
    char now[UNITS_TEXT_BYTES], then[UNITS_TEXT_BYTES], run_time[UNITS_TEXT_BYTES];
    const struct sensitivity_value *latency = row->values;
    text_print(out, "Semantics %s: run time %s", row->semantics, units_format_duration(row->run_time_s, run_time));
    if (row->value_count > 0 && latency->kind == KEY_TIME && !isnan(latency->tolerances[0].value))
        text_print(out, "; 1 %% more with %s of %s instead of %s", latency->key,
                   units_format_duration(latency->tolerances[0].value, then), units_format_duration(latency->value, now));
    text_print(out, " (%" PRIu64 " replays)\n", row->replays);
}

void sensitivity_print(const struct sensitivity *made, FILE *out)
{
    for (size_t r = 0; r < made->row_count; r++) {
        const struct sensitivity_row *row = &made->rows[r];
        if (r > 0) fputc('\n', out);
        print_headline(row, out);
        text_print(out, "%-32s %10s %18s %10s %10s %10s %10s %10s\n", "", "value", "slope", "holds from", "to", "1 % more",
                   "2 % more", "5 % more");
        for (size_t i = 0; i < row->value_count; i++)
            if (!is_flat(&row->values[i])) print_value(&row->values[i], out);
        print_flat(row, out);
        print_unproven(row, out);
        print_verified(row, out);
        for (size_t i = 0; i < row->value_count; i++) print_places(&row->values[i], out);
        print_slack(row, out);
        print_gains(row, out);
    }
}

void sensitivity_print_rows(const struct sensitivity *made, FILE *out)
{
    if (made->row_count == 0 || made->rows[0].value_count == 0) return;
    text_print(out, "\n%-24s %12s %18s %12s   %s, by the %s engine\n", "", "run time", "slope", "1 % more",
               made->rows[0].values[0].key, made->engine->name);
    for (size_t r = 0; r < made->row_count; r++) {
        const struct sensitivity_row *row = &made->rows[r];
        const struct sensitivity_value *value = row->values;
        char run_time[UNITS_TEXT_BYTES], slope[UNITS_TEXT_BYTES], more[UNITS_TEXT_BYTES];
        text_print(out, "%-24s %12s %18s %12s%s\n", row->name, units_format_duration(row->run_time_s, run_time),
                   format_slope(value->kind, value->slope, slope),
                   sensitivity_value_text(value->kind, value->tolerances[0].value, more), value->exact ? "" : "   by replay");
    }
}

void sensitivity_write_csv(const struct sensitivity *made, FILE *out)
{
    text_print(out, "semantics,key,value,run_time_s\n");
    for (size_t r = 0; r < made->row_count; r++)
        for (size_t i = 0; i < made->rows[r].value_count; i++) {
            const struct sensitivity_value *value = &made->rows[r].values[i];
            for (size_t c = 0; c < value->corner_count; c++)
                text_print(out, "%s,%s,%.12g,%.15g\n", made->rows[r].semantics, value->key, value->corners[c].value,
                           value->corners[c].run_time_s);
        }
    for (size_t r = 0; r < made->row_count; r++)
        for (size_t g = 0; g < made->rows[r].gains.count; g++)
            for (int i = 0; i < GAIN_POINTS; i++) {
                if (isnan(made->rows[r].gains.items[g].run_time_s[i])) continue;
                text_print(out, "%s,", made->rows[r].semantics);
                csv_write_text(out, "scale:", made->rows[r].gains.items[g].callpath);
                text_print(out, ",%g,%.15g\n", gain_factors[i], made->rows[r].gains.items[g].run_time_s[i]);
            }
}

void sensitivity_write_slack(const struct sensitivity *made, FILE *out)
{
    const bool several = made->row_count > 1;
    text_print(out, "rank,event,call,slack_s%s\n", several ? ",semantics" : "");
    for (size_t r = 0; r < made->row_count; r++)
        for (size_t i = 0; i < made->rows[r].slack.count; i++) {
            const struct slack_call *call = &made->rows[r].slack.calls[i];
            text_print(out, "%" PRIu32 ",%" PRIu64 ",%s,%.12f%s%s\n", call->rank, call->event, call->call, call->slack_s,
                       several ? "," : "", several ? made->rows[r].semantics : "");
        }
}

/* --- the JSON --- */

/* Adds [value, run_time_s]; a rate without limit is null. *list becomes NULL where memory is missing. */
static void append_point(cJSON **list, double value, double run_time_s)
{
    cJSON *pair = cJSON_CreateArray(), *first = isinf(value) ? cJSON_CreateNull() : cJSON_CreateNumber(value),
          *second = cJSON_CreateNumber(run_time_s);
    if (*list && pair && first && second && cJSON_AddItemToArray(pair, first) && cJSON_AddItemToArray(pair, second) &&
        cJSON_AddItemToArray(*list, pair))
        return;
    if (!pair || !pair->child) cJSON_Delete(first);
    if (!pair || cJSON_GetArraySize(pair) < 2) cJSON_Delete(second);
    cJSON_Delete(pair);
    cJSON_Delete(*list);
    *list = NULL;
}

static cJSON *make_curve(const void *item)
{
    const struct sensitivity_value *value = item;
    cJSON *curve = cJSON_CreateArray();
    for (size_t i = 0; i < value->corner_count; i++)
        append_point(&curve, value->corners[i].value, value->corners[i].run_time_s);
    return curve;
}

static enum field_each fill_tolerance(const void *item, size_t index, void *made)
{
    if (index == SENSITIVITY_SHARES) return FIELD_END;
    *(struct sensitivity_tolerance *)made = ((const struct sensitivity_value *)item)->tolerances[index];
    return FIELD_ELEMENT;
}

static void make_engine(const void *item, void *made)
{
    *(const char **)made = ((const struct sensitivity *)item)->engine->name;
}

#define S struct sensitivity_tolerance
static const struct field tolerance_fields[] = {SAME(share), SAME(value, IF_FINITE), {0}};
#undef S
#define S struct result_share
static const struct field place_rows[] = {SAME(callpath), FIELD("call", activity), SAME(file, IF_THERE), SAME(line, IF_POSITIVE),
                                          FIELD("slope", time_s, SIGNED), FIELD("rank", who.rank, UNREAD),
                                          FIELD("node", who.node, IF_THERE), {0}};
#undef S
#define S struct sensitivity_node
static const struct field node_fields[] = {SAME(node), SAME(slope), {0}};
#undef S
static void make_pattern(const void *item, void *made)
{
    *(const char **)made = pattern_row((enum pattern)((const struct place_share *)item)->a)->name;
}

static cJSON *make_points(const void *item)
{
    const struct gain *gain = item;
    cJSON *points = cJSON_CreateArray();
    for (int i = 0; i < GAIN_POINTS; i++) append_point(&points, gain_factors[i], gain->run_time_s[i]);
    return points;
}

#define S struct place_share
static const struct field window_rows[] = {FIELD("window", a), SAME(slope, SIGNED), {0}};
static const struct field pair_rows[] = {FIELD("from", a), FIELD("to", b), SAME(slope, SIGNED), {0}};
static const struct field wait_rows[] = {COMPUTED("name", FIELD_WORD, make_pattern), SAME(slope, SIGNED), {0}};
#undef S
#define S struct gain
static const struct field gain_rows[] = {SAME(callpath), SAME(points, .tree = make_points, .array = true, UNREAD), {0}};
#undef S
#define SPLIT(KEY, WHICH, ROWS) ARRAY(KEY, places.splits[WHICH].items, places.splits[WHICH].count, ROWS)
#define S struct sensitivity_value
const struct field sensitivity_value_fields[] = {SAME(key),
                                            SAME(value, IF_FINITE),
                                            SAME(refused, IF_THERE, LEFT_OUT),
                                            SAME(slope, IF_FINITE, SIGNED),
                                            SAME(slope_below, IF_FINITE, SIGNED, LEFT_OUT),
                                            SAME(exact),
                                            SAME(proven),
                                            SAME(from, IF_FINITE),
                                            SAME(to, IF_FINITE),
                                            EACH("tolerance", struct sensitivity_tolerance, fill_tolerance, tolerance_fields),
                                            SAME(curve, .tree = make_curve, .array = true, UNREAD),
                                            ARRAY("places", places.calls.items, places.calls.count, place_rows),
                                            SPLIT("windows", SPLIT_WINDOW, window_rows),
                                            SPLIT("pairs", SPLIT_PAIR, pair_rows),
                                            SPLIT("links", SPLIT_LINK, pair_rows),
                                            SPLIT("waits", SPLIT_WAIT, wait_rows),
                                            ARRAY("nodes", nodes, node_count, node_fields, IF_THERE, LEFT_OUT),
                                            {0}};
#undef S
#define S struct slack
static const struct field slack_fields[] = {FIELD("calls", count), SAME(zero), SAME(smallest_s, IF_FINITE),
                                            FIELD("ranks_left_out", left_out), {0}};
#undef S
#define S struct sensitivity_row
static const struct field row_fields[] = {FIELD("row", name), SAME(semantics), SAME(run_time_s), SAME(replays),
                                          ARRAY("values", values, value_count, sensitivity_value_fields),
                                          OBJECT("slack", slack, slack_fields, IF_FLAG(slack_known)),
                                          ARRAY("gains", gains.items, gains.count, gain_rows), {0}};
#undef S
#define S struct sensitivity
const struct field sensitivity_fields[] = {SCHEMA("rmacast.sensitivity/1"), FIELD("trace", trace), FIELD("platform", platform),
                                           COMPUTED("engine", FIELD_WORD, make_engine),
                                           LIST("results", rows, row_count, row_fields), TEXTS("notes", notes, note_count),
                                           {0}};
#undef S
