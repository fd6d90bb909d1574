/* Scales the computing inside a call path, in front of the calls of a line of the program, or of one rank. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "model/waits/rank_sums.h"
#include "predictors/transforms/rows.h"
#include "predictors/transforms/timeline.h"

enum { LATEST_DAYS = 100 };
#define LATEST_PS (LATEST_DAYS * 86400.0 * (double)UNITS_PS_PER_S)

struct scaling {
    const struct trace *trace;
    const struct callpaths *paths;
    double *factors; /* per node of paths; NAN: computing there stays. stride: from one rank to the next, 0: they are the same */
    size_t stride;
    double factor; /* the one that was asked for */
    int64_t only;  /* the rank whose computing changes; -1: of all ranks */
    bool *sites;   /* owned, by site: the computing in front of its calls changes; NULL: the factors say where */
    struct transform_report *report;
    double before_s, after_s; /* over all ranks, which may be more than picoseconds can count */
};

/* "rank=7:1.2" is the computing of one rank. -1: a call path. */
static int64_t rank_of(const char *argument)
{
    int64_t rank;
    int read = 0;
    const bool digit = strncmp(argument, "rank=", 5) == 0 && isdigit((unsigned char)argument[5]);
    return digit && sscanf(argument, "rank=%9" SCNd64 ":%n", &rank, &read) == 1 && read > 0 ? rank : -1;
}

static enum status check_factor(const char *argument, struct err *err)
{
    const char *sign = strrchr(argument, rank_of(argument) < 0 ? '=' : ':');
    char *end = NULL;
    double factor = sign ? strtod(sign + 1, &end) : -1;
    const bool number = sign && end != sign + 1 && !isspace((unsigned char)sign[1]) && *end == '\0';
    if (number && sign > argument && factor >= 0 && factor <= 1e6) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL,
                   "scale %s, expected CALLPATH=FACTOR, FILE:LINE=FACTOR or rank=R:FACTOR with a factor from 0 to 1e6, as "
                   "main/solve=0.5", argument);
}

/* Sets the factor of the nodes at and below path; "/" is everything. *found says whether there is one. */
static enum status mark_inside(const struct trace *trace, const char *path, size_t length, struct scaling *scaling,
                               bool *found, struct err *err)
{
    bool whole = length == 1 && *path == '/';
    *found = whole;
    scaling->factors[CALLPATH_ROOT] = whole ? scaling->factor : NAN;
    for (uint32_t n = 1; n < scaling->paths->node_count; n++) {
        char *text;
        scaling->factors[n] = scaling->factors[scaling->paths->nodes[n].parent]; /* parents come first */
        if (!isnan(scaling->factors[n])) continue;
        TRY(callpath_regions(trace, scaling->paths, n, &text, err));
        bool is_path = strlen(text) == length && strncmp(text, path, length) == 0;
        if (is_path) scaling->factors[n] = scaling->factor;
        *found = *found || is_path;
        free(text);
    }
    return STATUS_OK;
}

/* The call path of the computing before an item: where the call before it has left the thread. */
static uint32_t path_before(const struct scaling *scaling, uint32_t rank, const struct timeline_edit *timeline, size_t item)
{
    return item == 0 ? CALLPATH_ROOT : callpath_at(scaling->paths, rank, timeline->items[item - 1].index);
}

static enum status scale_rank(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                              struct err *err)
{
    struct scaling *scaling = context;
    (void)made;
    double passed_ps = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_item *item = &timeline->items[i];
        double factor = scaling->sites ? scaling->sites[item->call.site] ? scaling->factor : NAN
                                       : scaling->factors[rank * scaling->stride + path_before(scaling, rank, timeline, i)];
        int64_t computing_ps = item->compute_ps - item->slept_ps;
        bool inside = computing_ps > 0 && !isnan(factor) && (scaling->only < 0 || scaling->only == rank);
        double scaled_ps = (double)computing_ps * (inside ? factor : 1) + (double)item->slept_ps;
        passed_ps += scaled_ps + (double)(item->call.exit_ps - item->call.enter_ps);
        if (passed_ps > LATEST_PS)
            return err_set(err, STATUS_DATA, scaling->trace->name, NULL,
                           "scaled by %g rank %" PRIu32 " computes for more than %d days, expected less",
                           scaling->factor, rank, LATEST_DAYS);
        if (!inside) continue;
        scaling->report->considered++;
        scaling->before_s += units_s(computing_ps);
        item->compute_ps = llround(scaled_ps);
        scaling->after_s += units_s(item->compute_ps - item->slept_ps);
        scaling->report->changed += factor != 1;
    }
    return STATUS_OK;
}

/* "halo.c:65": the file's name or its whole path. Whether a call is there. */
static enum status mark_sites(struct scaling *scaling, const char *line, size_t length, bool *found, struct err *err)
{
    const struct trace_definitions *definitions = &scaling->trace->definitions;
    const char *colon = memrchr(line, ':', length);
    const size_t of_file = colon ? (size_t)(colon - line) : 0;
    *found = false;
    scaling->sites = calloc(definitions->site_count + 1, sizeof *scaling->sites);
    if (!scaling->sites) return err_memory(err);
    for (size_t i = 0; i < definitions->site_count; i++) {
        const struct trace_site *site = &definitions->sites[i];
        const size_t whole = site->file ? strlen(site->file) : 0;
        if (of_file == 0 || whole < of_file || strtol(colon + 1, NULL, 10) != site->line) continue;
        const char *end = site->file + whole - of_file;
        scaling->sites[i] = strncmp(end, line, of_file) == 0 && (end == site->file || end[-1] == '/');
        *found = *found || scaling->sites[i];
    }
    return STATUS_OK;
}

static enum status unknown_path(const struct trace *trace, const struct callpaths *paths, const char *path,
                                size_t length, struct err *err)
{
    char known[300] = "";
    size_t used = 0;
    for (uint32_t n = 1; n < paths->node_count && used < sizeof known; n++) {
        char *text;
        TRY(callpath_regions(trace, paths, n, &text, err));
        used += (size_t)snprintf(known + used, sizeof known - used, ", %s", text);
        free(text);
    }
    return err_set(err, STATUS_DATA, trace->name, NULL,
                   "no user region has the call path '%.*s' that is to be scaled, and no call the line, expected one of / "
                   "(everything)%s",
                   (int)length, path, known);
}

static enum status scale_computing(const struct trace *trace, const char *argument, const struct callpaths *paths,
                                   struct scaling *scaling, struct trace **made, struct err *err)
{
    size_t length = (size_t)(strrchr(argument, '=') - argument);
    bool found;
    scaling->factor = strtod(argument + length + 1, NULL);
    TRY(mark_inside(trace, argument, length, scaling, &found, err));
    if (!found) TRY(mark_sites(scaling, argument, length, &found, err));
    if (!found) return unknown_path(trace, paths, argument, length, err);
    TRY(timeline_each(trace, scale_rank, scaling, made, err));
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    return transform_say(scaling->report, err, "computing %s %.*s over all ranks is %s, was %s",
                         scaling->sites ? "in front of the calls of" : "in", (int)length, argument,
                         units_format_duration(scaling->after_s, after),
                         units_format_duration(scaling->before_s, before));
}

/* The computing of one rank, on all its call paths. */
static enum status scale_one(const struct trace *trace, const char *argument, struct scaling *scaling, struct trace **made,
                             struct err *err)
{
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    scaling->factor = strtod(strchr(argument, ':') + 1, NULL);
    if (scaling->only >= trace->rank_count)
        return err_set(err, STATUS_DATA, trace->name, NULL,
                       "no rank %" PRId64 " that is to be scaled, expected one from 0 to %" PRIu32, scaling->only,
                       trace->rank_count - 1);
    for (uint32_t n = 0; n < scaling->paths->node_count; n++) scaling->factors[n] = scaling->factor;
    TRY(timeline_each(trace, scale_rank, scaling, made, err));
    return transform_say(scaling->report, err, "rank %" PRId64 " computes %s, before %s", scaling->only,
                         units_format_duration(scaling->after_s, after), units_format_duration(scaling->before_s, before));
}

static enum status apply_scale(const struct trace *trace, const char *argument, struct trace **made,
                               struct transform_report *report, struct err *err)
{
    struct callpaths paths;
    TRY(callpaths_build(trace, &paths, err));
    struct scaling scaling = {.trace = trace, .paths = &paths, .report = report, .only = rank_of(argument)};
    scaling.factors = calloc(paths.node_count + 1, sizeof *scaling.factors);
    enum status status = !scaling.factors   ? err_memory(err)
                         : scaling.only < 0 ? scale_computing(trace, argument, &paths, &scaling, made, err)
                                            : scale_one(trace, argument, &scaling, made, err);
    FREE_ALL(scaling.factors, scaling.sites);
    callpaths_clear(&paths);
    return status;
}

/* Sums computing where the factors will be. */
static enum status sum_rank(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made, struct err *err)
{
    struct scaling *scaling = context;
    (void)made, (void)err;
    for (size_t i = 0; i < timeline->count; i++)
        scaling->factors[rank * scaling->stride + path_before(scaling, rank, timeline, i)] +=
            (double)(timeline->items[i].compute_ps - timeline->items[i].slept_ps);
    return STATUS_OK;
}

/* From the sums, which become the factors, the ranks' computing. Ranks that compute nothing in a call path take no part there:
 * their program has nothing that could. */
static void share_equally(struct scaling *scaling, struct spread *ranks)
{
    for (uint32_t r = 0; r < scaling->trace->rank_count; r++) {
        double rank_ps = 0;
        for (size_t n = 0; n < scaling->stride; n++) rank_ps += scaling->factors[r * scaling->stride + n];
        spread_add(ranks, r, rank_ps / 1e12);
    }
    for (size_t n = 0; n < scaling->stride; n++) {
        double sum_ps = 0;
        size_t computing = 0;
        for (uint32_t r = 0; r < scaling->trace->rank_count; r++) {
            sum_ps += scaling->factors[r * scaling->stride + n];
            computing += scaling->factors[r * scaling->stride + n] > 0;
        }
        for (uint32_t r = 0; r < scaling->trace->rank_count; r++) {
            double *of = &scaling->factors[r * scaling->stride + n];
            *of = *of > 0 ? sum_ps / (double)computing / *of : NAN;
        }
    }
}

static enum status balance_computing(const struct trace *trace, struct scaling *scaling, struct trace **made, struct err *err)
{
    struct spread ranks = {.count = 0};
    struct trace *same;
    char most[UNITS_TEXT_BYTES], others[UNITS_TEXT_BYTES];
    TRY(timeline_each(trace, sum_rank, scaling, &same, err));
    trace_free(same);
    share_equally(scaling, &ranks);
    TRY(timeline_each(trace, scale_rank, scaling, made, err));
    return transform_say(scaling->report, err, "each call path computes equally long on its ranks; before, rank %" PRIu32
                         " had most, %s, the others %s each", ranks.most_rank, units_format_duration(ranks.most_s, most),
                         units_format_duration(spread_others_s(&ranks), others));
}

static enum status apply_balance(const struct trace *trace, const char *argument, struct trace **made,
                                 struct transform_report *report, struct err *err)
{
    struct callpaths paths;
    (void)argument;
    TRY(callpaths_build(trace, &paths, err));
    struct scaling scaling = {
        .trace = trace, .paths = &paths, .stride = paths.node_count, .factor = 1, .only = -1, .report = report};
    scaling.factors = calloc(trace->rank_count * scaling.stride + 1, sizeof *scaling.factors);
    enum status status = scaling.factors ? balance_computing(trace, &scaling, made, err) : err_memory(err);
    free(scaling.factors);
    callpaths_clear(&paths);
    return status;
}

const struct transform transform_balance = {
    .name = "balance",
    .summary = "computing of each call path of user regions is the mean of the ranks that compute there",
    .apply = apply_balance,
};

const struct transform transform_scale = {
    .name = "scale",
    .summary = "computing in a call path of user regions, before a line's calls, or of one rank, times FACTOR; / is everything",
    .argument = "CALLPATH=FACTOR, FILE:LINE=FACTOR or rank=R:FACTOR",
    .apply = apply_scale,
    .check = check_factor,
};
