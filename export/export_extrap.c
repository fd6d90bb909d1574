/* Measurements for Extra-P (its documentation, "Text file format"): a point per number of ranks, several traces of one number
 * are its repetitions. Values are means over the ranks; of a call path its own, without those of the paths below it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "common/units.h"
#include "common/text/utf8.h"
#include "export/cube.h"
#include "export/export.h"

enum { PATH_BYTES = 4000 }; /* of a longer path the end is kept */

struct path {
    char *text; /* owned */
    uint32_t node;
};

struct run {
    const struct trace *trace;
    struct cube cube;
    struct path *paths; /* by text, then node */
};

static const struct {
    enum cube_metric metric;
    const char *name;
    bool is_time;
} metrics[] = {{CUBE_TIMES + PROPERTY_TIME, "time_s", true},
               {CUBE_WAITS, "wait_states_s", true},
               {CUBE_VISITS, "visits", false},
               {CUBE_BYTES, "rma_bytes", false}};

static const char *name_of(const struct cube *cube, uint32_t region)
{
    const struct cube_regions *regions = &cube->regions;
    if (region >= regions->calls) return call_name((enum mpi_call)(region - regions->calls));
    if (region >= regions->functions) return regions->function_names[region - regions->functions];
    return region > 0 ? cube->trace->definitions.regions[region - 1] : "program";
}

static char *path_text(const struct cube *cube, const struct cube_node *node, const char *above)
{
    const struct trace_site *site = &cube->trace->definitions.sites[node->site];
    char *text, *cut;
    int length = site->file ? asprintf(&text, "%s->%s %s:%" PRId32, above, name_of(cube, node->region), site->file, site->line)
                            : asprintf(&text, "%s->%s", above, name_of(cube, node->region));
    if (length < 0) return NULL;
    cut = length > PATH_BYTES ? strdup(text + length - PATH_BYTES) : text;
    if (cut) utf8_make_plain(cut);
    if (cut != text) free(text);
    return cut;
}

ORDER(compare_paths, struct path, BY_TEXT(text) UP(node))

static enum status name_paths(struct run *run, struct err *err)
{
    const struct cube *cube = &run->cube;
    run->paths = calloc(cube->node_count, sizeof *run->paths);
    if (!run->paths) return err_memory(err);
    for (size_t id = 0; id < cube->node_count; id++) { /* by node until they are sorted; parents come first */
        uint32_t node = cube->order[id], parent = cube->nodes[node].parent;
        run->paths[node].node = node;
        run->paths[node].text =
            node == CUBE_ROOT ? strdup("program") : path_text(cube, &cube->nodes[node], run->paths[parent].text);
        if (!run->paths[node].text) return err_memory(err);
    }
    qsort(run->paths, cube->node_count, sizeof *run->paths, compare_paths);
    return STATUS_OK;
}

static void run_clear(struct run *run)
{
    for (size_t i = 0; run->paths && i < run->cube.node_count; i++) free(run->paths[i].text);
    free(run->paths);
    if (run->cube.trace) cube_clear(&run->cube);
}

/* The first path of that text, or where it would be. */
static size_t find_path(const struct run *run, const char *text)
{
    size_t place = 0;
    SEARCH_FIRST(place, run->cube.node_count, at, strcmp(run->paths[at].text, text) < 0);
    return place;
}

static bool has_path(const struct run *run, const char *text)
{
    size_t at = find_path(run, text);
    return at < run->cube.node_count && strcmp(run->paths[at].text, text) == 0;
}

static double mean_of(const struct run *run, size_t m, const char *text)
{
    double sum = 0;
    for (size_t i = find_path(run, text); i < run->cube.node_count && strcmp(run->paths[i].text, text) == 0; i++) {
        const int64_t *row = cube_row(&run->cube, metrics[m].metric, run->paths[i].node);
        for (uint32_t l = 0; row && l < run->cube.location_count; l++)
            sum += metrics[m].is_time ? units_s(row[l]) : (double)row[l];
    }
    return sum / run->trace->rank_count;
}

static double run_time_s(const struct run *run)
{
    int64_t begin_ps = trace_begin_ps(run->trace), end_ps = begin_ps;
    for (uint32_t r = 0; r < run->trace->rank_count; r++)
        if (run->trace->ranks[r].count > 0) end_ps = units_max_ps(end_ps, trace_rank_end_ps(run->trace, r));
    return units_s(end_ps - begin_ps);
}

/* A line per point: a value per run, of the whole run or of a metric at a call path. */
static void write_data(const struct run *runs, size_t count, bool whole, size_t m, const char *text, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || runs[i].trace->rank_count != runs[i - 1].trace->rank_count;
        if (first) fprintf(out, "%sDATA", i ? "\n" : "");
        fprintf(out, " %.12g", whole ? run_time_s(&runs[i]) : mean_of(&runs[i], m, text));
    }
    fputc('\n', out);
}

/* Paths that all runs have. */
static void write_metric(const struct run *runs, size_t count, size_t m, FILE *out)
{
    fprintf(out, "METRIC %s\n", metrics[m].name);
    for (size_t p = 0; p < runs[0].cube.node_count; p++) {
        const char *text = runs[0].paths[p].text;
        bool all = p == 0 || strcmp(text, runs[0].paths[p - 1].text) != 0, any = false;
        for (size_t i = 0; all && i < count; i++) {
            all = has_path(&runs[i], text);
            any = any || mean_of(&runs[i], m, text) != 0;
        }
        if (!all || !any) continue;
        fprintf(out, "REGION %s\n", text);
        write_data(runs, count, false, m, text, out);
    }
}

ORDER(by_ranks, struct run, UP(trace->rank_count) BY_TEXT(trace->name))

enum status export_extrap(const struct trace *const *traces, size_t count, FILE *out, struct err *err)
{
    struct run *runs = calloc(count, sizeof *runs);
    if (!runs) return err_memory(err);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) runs[i].trace = traces[i];
    qsort(runs, count, sizeof *runs, by_ranks);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = cube_build(runs[i].trace, &runs[i].cube, err);
        if (status == STATUS_OK) status = name_paths(&runs[i], err);
    }
    if (status == STATUS_OK) {
        fputs("PARAMETER p\nPOINTS", out);
        for (size_t i = 0; i < count; i++)
            if (i == 0 || runs[i].trace->rank_count != runs[i - 1].trace->rank_count)
                fprintf(out, " (%" PRIu32 ")", runs[i].trace->rank_count);
        fputs("\nMETRIC run_time_s\nREGION program\n", out);
        write_data(runs, count, true, 0, NULL, out);
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) write_metric(runs, count, m, out);
    }
    for (size_t i = 0; i < count; i++) run_clear(&runs[i]);
    free(runs);
    return status;
}
