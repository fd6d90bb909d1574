#include "predictors/curve/why.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory_text.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result_fields.h"
#include "model/waits/properties.h"
#include "trace/program_model/source.h"

static const double NOTABLE = 0.001; /* of all ranks' time */

struct reasons {
    const struct curve *curve;
    const struct program_model *model;
    const struct curve_point *few, *many;
    FILE *out;
};

/* --- computing --- */

static const struct statement *first_call(const struct statement *statement)
{
    while (statement->kind != STATEMENT_CALL && statement->body_count > 0) statement = statement->body;
    return statement;
}

/* The statement that has a computing; *where says where. NULL: none has. */
static const struct statement *find_place(const struct statement *statements, size_t count, int32_t computing, const char **where)
{
    const struct statement *found = NULL;
    for (size_t i = 0; !found && i < count; i++) {
        const struct statement *at = &statements[i];
        *where = at->after == computing ? "behind" : "before";
        if (at->kind == STATEMENT_COMPUTE && at->computing == computing && i + 1 < count) return first_call(at + 1);
        if (at->before == computing || at->after == computing) return first_call(at);
        found = find_place(at->body, at->body_count, computing, where);
        if (!found) found = find_place(at->other, at->other_count, computing, where);
    }
    return found;
}

static void print_place(const struct reasons *reasons, size_t computing)
{
    const char *where;
    const struct program_model *model = reasons->model;
    if (computing == model->computing_count) {
        text_print(reasons->out, "of `compute` in the model");
        return;
    }
    const struct statement *at = find_place(model->statements, model->statement_count, (int32_t)computing, &where);
    if (!at || at->kind != STATEMENT_CALL) text_print(reasons->out, "%s", model->computings[computing].name);
    else if (call_is_region(at->call.call))
        text_print(reasons->out, "of %s", model->names->definitions.regions[at->call.region.region]);
    else {
        const struct trace_site *site = &model->names->definitions.sites[at->call.site];
        text_print(reasons->out, "%s %s", where, call_name(at->call.call));
        if (site->file) text_print(reasons->out, " at %s:%d", site->file, site->line);
    }
}

/* The time between the starts of processes. */
static bool is_start(const struct reasons *reasons, size_t computing)
{
    const char *where;
    const struct statement *at =
        find_place(reasons->model->statements, reasons->model->statement_count, (int32_t)computing, &where);
    return at && at->kind == STATEMENT_CALL && call_kind(at->call.call) == CALL_INIT;
}

/* Seconds of a rank per computing, and behind them those of `compute`, which have no name. */
static enum status survey_at(const struct reasons *reasons, const struct curve_point *point, double *seconds, struct err *err)
{
    const struct program_model_options run = {.ranks = point->ranks, .compute = 1};
    struct program_survey survey = {.computings_s = seconds};
    size_t count = reasons->model->computing_count;
    TRY(program_source_survey(reasons->model, &run, &survey, err));
    seconds[count] = survey.computing_s;
    for (size_t i = 0; i < count; i++) seconds[count] -= seconds[i];
    return STATUS_OK;
}

static void print_computing(const struct reasons *reasons, const double *few_s, const double *many_s)
{
    const struct curve *curve = reasons->curve;
    char text[2][UNITS_TEXT_BYTES];
    double divided = curve->strong ? (double)reasons->few->ranks / reasons->many->ranks : 1, most_s = 0;
    size_t most = 0;
    for (size_t i = 0; i <= reasons->model->computing_count; i++) {
        double excess_s = many_s[i] - few_s[i] * divided;
        if (excess_s <= most_s || is_start(reasons, i)) continue;
        most_s = excess_s;
        most = i;
    }
    if (most_s <= NOTABLE * reasons->many->result->run_time_s) {
        fputs(curve->strong ? "All computing is divided by the ranks.\n" : "No computing of a rank grows.\n", reasons->out);
        return;
    }
    text_print(reasons->out, "The computing ");
    print_place(reasons, most);
    const char *form = curve->strong ? " is divided least: %s of a rank, and %s if it were.\n"
                                     : " grows most: %s of a rank, after %s.\n";
    text_print(reasons->out, form, units_format_duration(many_s[most], text[0]),
               units_format_duration(few_s[most] * divided, text[1]));
}

/* How many times as long a point's ranks compute as the program says. */
static double find_lengthening(const struct reasons *reasons, const struct curve_point *point, const double *seconds)
{
    double inclusive_s[PROPERTY_COUNT], exclusive_s[PROPERTY_COUNT], sum_s = 0;
    for (size_t i = 0; i <= reasons->model->computing_count; i++) sum_s += seconds[i];
    result_property_times(point->result, inclusive_s, exclusive_s);
    return sum_s > 0 ? inclusive_s[PROPERTY_USER] / point->ranks / sum_s : 1;
}

/* Nodes of another speed, or with more ranks than cores, lengthen what the program says. */
static void print_nodes(const struct reasons *reasons, const double *few_s, const double *many_s)
{
    const double few = find_lengthening(reasons, reasons->few, few_s),
                 many = find_lengthening(reasons, reasons->many, many_s);
    if (!(few > 0) || many <= 1.01 * few) return;
    text_print(reasons->out,
               "The nodes make it %.3g times as long at %u ranks, %.3g times at %u (nodes.speed, nodes.cores, mapping).\n", many,
               reasons->many->ranks, few, reasons->few->ranks);
}

static enum status explain_computing(const struct reasons *reasons, struct err *err)
{
    size_t count = reasons->model->computing_count + 1;
    double *seconds = calloc(2 * count, sizeof *seconds);
    if (!seconds) return err_memory(err);
    enum status status = survey_at(reasons, reasons->few, seconds, err);
    if (status == STATUS_OK) status = survey_at(reasons, reasons->many, seconds + count, err);
    if (status == STATUS_OK) {
        print_computing(reasons, seconds, seconds + count);
        print_nodes(reasons, seconds, seconds + count);
    }
    free(seconds);
    return status;
}

/* --- waits and calls --- */

static void print_growth(const struct reasons *reasons, double before, double after)
{
    text_print(reasons->out, " grows most, from %.1f to %.1f %% of all ranks' time.\n", 100 * before, 100 * after);
}

static void explain_waits(const struct reasons *reasons)
{
    const struct curve *curve = reasons->curve;
    size_t few = (size_t)(reasons->few - curve->points), many = (size_t)(reasons->many - curve->points);
    double growth = NOTABLE;
    int most = -1;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        double grown = curve_wait_share(curve, many, (enum pattern)p) - curve_wait_share(curve, few, (enum pattern)p);
        if (grown <= growth) continue;
        growth = grown;
        most = p;
    }
    if (most < 0) {
        fputs("No wait state grows.\n", reasons->out);
        return;
    }
    text_print(reasons->out, "Of the wait states, %s", pattern_row((enum pattern)most)->title);
    print_growth(reasons, curve_wait_share(curve, few, (enum pattern)most), curve_wait_share(curve, many, (enum pattern)most));
}

static bool are_same(const struct result_share *a, const struct result_share *b)
{
    bool same_file = a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
    return same_file && a->line == b->line && strcmp(a->callpath, b->callpath) == 0 && strcmp(a->activity, b->activity) == 0;
}

static double call_share(const struct curve_point *point, const struct result_share *call)
{
    const struct result_shares *calls = &point->result->calls;
    double all_s = point->result->run_time_s * point->ranks;
    for (size_t i = 0; all_s > 0 && i < calls->count; i++)
        if (are_same(&calls->items[i], call)) return calls->items[i].time_s / all_s;
    return 0;
}

static void explain_calls(const struct reasons *reasons)
{
    const struct result_shares *calls = &reasons->many->result->calls;
    const struct result_share *most = NULL;
    double growth = NOTABLE;
    for (size_t i = 0; i < calls->count; i++) {
        double grown = call_share(reasons->many, &calls->items[i]) - call_share(reasons->few, &calls->items[i]);
        if (calls->items[i].init || grown <= growth) continue;
        growth = grown;
        most = &calls->items[i];
    }
    if (!most) {
        fputs(calls->count > 0 ? "No call grows.\n" : "", reasons->out); /* a run that is replayed while it is made has none */
        return;
    }
    text_print(reasons->out, "Of the calls, %s", *most->callpath ? most->callpath : most->activity);
    if (most->file) text_print(reasons->out, " at %s:%d", most->file, most->line);
    print_growth(reasons, call_share(reasons->few, most), call_share(reasons->many, most));
}

enum status curve_why(const struct curve *curve, const struct program_model *model, char **text, struct err *err)
{
    struct memory_text made;
    enum status status = STATUS_OK;
    TRY(memory_text_open(&made, err));
    const struct reasons reasons = {curve, model, curve->points, &curve->points[curve->count - curve->rows], made.out};
    if (reasons.many > reasons.few) {
        text_print(made.out, "Why, under %s from %u to %u ranks:\n", curve->semantics[0], reasons.few->ranks,
                   reasons.many->ranks);
        if (model) status = explain_computing(&reasons, err);
        if (status == STATUS_OK) explain_waits(&reasons);
        if (status == STATUS_OK) explain_calls(&reasons);
    }
    TRY(memory_text_close(&made, status, err));
    *text = made.text;
    return STATUS_OK;
}
