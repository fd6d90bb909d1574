#include "predictors/sensitivity/gains.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "predictors/transforms/transform.h"

const double gain_factors[GAIN_POINTS] = {0, 0.5, 1, 1.5, 2};

static enum status replay_scaled(struct replays *replays, const char *callpath, double factor, double *run_time_s,
                                 struct err *err)
{
    struct rewrite rewrite;
    char *spec;
    int64_t run_time_ps = replays->run_time_ps;
    if (asprintf(&spec, "scale:%s=%g", callpath, factor) < 0) return err_memory(err);
    const char *const specs[] = {spec};
    enum status status = factor == 1 ? STATUS_OK : rewrite_run(replays->trace, specs, 1, &rewrite, err);
    free(spec);
    if (status == STATUS_OK && factor != 1) {
        status = replays_run(replays, rewrite.trace ? rewrite.trace : replays->trace, &run_time_ps, NULL, err);
        rewrite_clear(&rewrite);
    }
    *run_time_s = status == STATUS_OK ? units_s(run_time_ps) : NAN;
    return status == STATUS_DATA ? STATUS_OK : status;
}

ORDER(by_gain, struct gain, UP(run_time_s[0]) BY_TEXT(callpath))

/* Computing in front of each site's calls. Of threads nobody says which call is behind it. */
static int64_t sum_sites(const struct trace *trace, int64_t *sites_ps)
{
    int64_t all_ps = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        for (size_t i = 1; rank->thread_count == 0 && i < rank->count; i++) {
            const int64_t gap_ps = rank->calls[i].enter_ps - rank->calls[i - 1].exit_ps - trace->provenance.record_cost_ps;
            const int64_t ps = trace_compute_ps(rank, i, gap_ps) - trace_before_ps(rank, BEFORE_SLEPT, i);
            if (ps <= 0) continue;
            sites_ps[rank->calls[i].site] = units_add_ps(sites_ps[rank->calls[i].site], ps);
            all_ps = units_add_ps(all_ps, ps);
        }
    }
    return all_ps;
}

static bool has_line(const struct gains *gains, const char *line)
{
    for (size_t i = 0; i < gains->count; i++)
        if (strcmp(gains->items[i].callpath, line) == 0) return true;
    return false;
}

static enum status add_lines(const struct trace *trace, const int64_t *sites_ps, int64_t all_ps, struct gains *gains,
                             struct err *err)
{
    enum { LEAST_SHARE = 100 };
    for (size_t i = 1; i < trace->definitions.site_count; i++) {
        const struct trace_site *site = &trace->definitions.sites[i];
        const char *name = site->file ? strrchr(site->file, '/') : NULL;
        char *line;
        if (!site->file || sites_ps[i] == 0 || sites_ps[i] < all_ps / LEAST_SHARE) continue;
        if (asprintf(&line, "%s:%" PRId32, name ? name + 1 : site->file, site->line) < 0) return err_memory(err);
        if (has_line(gains, line)) free(line);
        else gains->items[gains->count++].callpath = line;
    }
    return STATUS_OK;
}

static enum status add_paths(const struct trace *trace, const struct callpaths *paths, struct gains *gains, struct err *err)
{
    gains->items = calloc(paths->node_count + trace->definitions.site_count + 1, sizeof *gains->items);
    if (!gains->items || !(gains->items[0].callpath = strdup("/"))) return err_memory(err);
    for (gains->count = 1; gains->count < paths->node_count; gains->count++)
        TRY(callpath_regions(trace, paths, (uint32_t)gains->count, &gains->items[gains->count].callpath, err));
    return STATUS_OK;
}

enum status gains_choose(const struct trace *trace, struct gains *gains, struct err *err)
{
    struct callpaths paths;
    *gains = (struct gains){.count = 0};
    TRY(callpaths_build(trace, &paths, err));
    int64_t *sites_ps = calloc(trace->definitions.site_count + 1, sizeof *sites_ps);
    enum status status = sites_ps ? add_paths(trace, &paths, gains, err) : err_memory(err);
    if (status == STATUS_OK) {
        const int64_t all_ps = sum_sites(trace, sites_ps);
        status = add_lines(trace, sites_ps, all_ps, gains, err);
    }
    free(sites_ps);
    callpaths_clear(&paths);
    return status;
}

void gains_clear(struct gains *gains)
{
    for (size_t g = 0; g < gains->count; g++) free(gains->items[g].callpath);
    free(gains->items);
    *gains = (struct gains){.count = 0};
}

enum status gains_find(struct replays *replays, struct gains *gains, struct err *err)
{
    for (size_t g = 0; g < gains->count; g++)
        for (int i = 0; i < GAIN_POINTS; i++)
            TRY(replay_scaled(replays, gains->items[g].callpath, gain_factors[i], &gains->items[g].run_time_s[i], err));
    qsort(gains->items, gains->count, sizeof *gains->items, by_gain);
    return STATUS_OK;
}
