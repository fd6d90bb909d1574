/* Cube4 reports (M. Geimer et al., The Cube v4 performance report explorer, 2015; the layout of .cubex files:
 * docs/export.md): a tar archive of an XML description, and per metric the call paths that have values, and these
 * values by call path and location. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_text.h"
#include "common/text/text.h"
#include "common/units.h"
#include "export/cube.h"
#include "export/export.h"
#include "export/tar.h"

struct metric { /* in the order of the description: parents before children */
    enum cube_metric of;
    const char *name, *title, *unit, *meaning;
    int depth;
    bool whole_numbers;
};

static size_t list_metrics(struct metric metrics[CUBE_METRICS])
{
    size_t count = 0;
    metrics[count++] = (struct metric){CUBE_VISITS, "visits", "Visits", "occ", "calls, and entries of user regions", 0, true};
    metrics[count++] =
        (struct metric){CUBE_BYTES, "rma_bytes", "One-sided bytes", "bytes", "bytes of one-sided operations", 0, true};
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const struct property_row *row = property_row(p);
        metrics[count++] = (struct metric){CUBE_TIMES + p, row->name, row->title, "sec", "", property_depth(p), false};
    }
    metrics[count++] = (struct metric){CUBE_WAITS, "wait_states_s", "Wait states", "sec", "all wait states below", 0, false};
    for (int w = 0; w < PATTERN_COUNT; w++) {
        if (pattern_whole(w) != (enum pattern)w) continue;
        for (int p = w; p < PATTERN_COUNT; p++) {
            const struct pattern_row *row = pattern_row(p);
            if (pattern_whole(p) == (enum pattern)w)
                metrics[count++] = (struct metric){CUBE_PATTERNS + p, row->name,      row->title, "sec",
                                                   row->meaning,      p == w ? 1 : 2, false};
        }
    }
    return count;
}

/* --- description --- */

static void write_element(FILE *out, const char *element, const char *text)
{
    fprintf(out, "<%s>", element);
    text_write_xml(out, text);
    fprintf(out, "</%s>\n", element);
}

static void write_metrics(FILE *out, const struct metric *metrics, size_t count)
{
    fputs("<metrics>\n", out);
    for (size_t m = 0; m < count; m++) {
        fprintf(out, "<metric id=\"%zu\" type=\"EXCLUSIVE\">\n", m);
        write_element(out, "disp_name", metrics[m].title);
        write_element(out, "uniq_name", metrics[m].name);
        write_element(out, "dtype", metrics[m].whole_numbers ? "UINT64" : "DOUBLE");
        write_element(out, "uom", metrics[m].unit);
        write_element(out, "url", "");
        write_element(out, "descr", metrics[m].meaning);
        for (int below = m + 1 < count ? metrics[m + 1].depth : 0; below <= metrics[m].depth; below++) fputs("</metric>\n", out);
    }
    fputs("</metrics>\n", out);
}

static void write_region(FILE *out, const struct cube *cube, uint32_t id)
{
    const struct cube_regions *regions = &cube->regions;
    const char *name = "program", *paradigm = "user";
    if (id >= regions->calls) {
        enum mpi_call call = (enum mpi_call)(id - regions->calls);
        name = call_name(call);
        paradigm = call_is_thread(call) ? "pthread" : call_is_shmem(call) ? "shmem" : "mpi";
    } else if (id >= regions->functions) {
        name = regions->function_names[id - regions->functions];
    } else if (id > 0) {
        name = cube->trace->definitions.regions[id - 1];
    }
    fprintf(out, "<region id=\"%" PRIu32 "\" mod=\"\" begin=\"-1\" end=\"-1\">\n", id);
    write_element(out, "name", name);
    write_element(out, "mangled_name", name);
    write_element(out, "paradigm", paradigm);
    write_element(out, "role", "function");
    write_element(out, "url", "");
    write_element(out, "descr", "");
    fputs("</region>\n", out);
}

static void write_program(FILE *out, const struct cube *cube)
{
    fputs("<program>\n", out);
    for (uint32_t id = 0; id < cube->regions.count; id++)
        if (cube->regions.used[id]) write_region(out, cube, id);
    for (uint32_t id = 0; id < cube->node_count; id++) {
        const struct cube_node *node = &cube->nodes[cube->order[id]];
        const struct trace_site *site = &cube->trace->definitions.sites[node->site];
        fprintf(out, "<cnode id=\"%" PRIu32 "\" ", id);
        if (site->line > 0) fprintf(out, "line=\"%" PRId32 "\" ", site->line);
        if (site->file) {
            fputs("mod=\"", out);
            text_write_xml(out, site->file);
            fputs("\" ", out);
        }
        fprintf(out, "calleeId=\"%" PRIu32 "\">\n", node->region);
        uint32_t below = id + 1 < cube->node_count ? cube->nodes[cube->order[id + 1]].depth : 0;
        for (; below <= node->depth; below++) fputs("</cnode>\n", out);
    }
    fputs("</program>\n", out);
}

static void write_rank(FILE *out, const struct cube *cube, uint32_t rank)
{
    fprintf(out,
            "<locationgroup Id=\"%" PRIu32 "\">\n<name>rank %" PRIu32 "</name>\n<rank>%" PRIu32
            "</rank>\n<type>process</type>\n",
            rank, rank, rank);
    for (uint32_t t = 0; t < trace_thread_count(cube->trace, rank); t++)
        fprintf(out,
                "<location Id=\"%" PRIu32 "\">\n<name>thread %" PRIu32 "</name>\n<rank>%" PRIu32
                "</rank>\n<type>thread</type>\n</location>\n",
                cube->first_location[rank] + t, t, t);
    fputs("</locationgroup>\n", out);
}

/* The machine is system tree node 0; a node that no rank names is left out. */
static void write_system(FILE *out, const struct cube *cube)
{
    const struct trace *trace = cube->trace;
    fputs("<system>\n<systemtreenode Id=\"0\">\n", out);
    write_element(out, "name", trace->provenance.platform ? trace->provenance.platform : "machine");
    fputs("<class>machine</class>\n", out);
    for (uint32_t l = 0; l < cube->location_count; l++) {
        uint32_t rank = cube->locations[l].rank, node = trace->ranks[rank].node;
        if (cube->locations[l].thread > 0) continue;
        if (l == 0 || trace->ranks[cube->locations[l - 1].rank].node != node) {
            if (l > 0) fputs("</systemtreenode>\n", out);
            fprintf(out, "<systemtreenode Id=\"%" PRIu32 "\">\n", node + 1);
            write_element(out, "name", node > 0 ? trace->definitions.nodes[node - 1] : "node");
            fputs("<class>node</class>\n", out);
        }
        write_rank(out, cube, rank);
    }
    fputs("</systemtreenode>\n</systemtreenode>\n<topologies>\n</topologies>\n</system>\n", out);
}

static void write_description(FILE *out, const struct cube *cube, const struct metric *metrics, size_t count)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n<attr key=\"CubePL Version\" value=\"1.1\"/>\n"
          "<attr key=\"Cube Version\" value=\"4.4\"/>\n<attr key=\"Creator\" value=\"rmacast " RMACAST_VERSION "\"/>\n"
          "<doc>\n<mirrors>\n</mirrors>\n</doc>\n",
          out);
    write_metrics(out, metrics, count);
    write_program(out, cube);
    write_system(out, cube);
    fputs("</cube>\n", out);
}

static enum status write_anchor(FILE *out, const struct cube *cube, const struct metric *metrics, size_t count, struct err *err)
{
    struct memory_text made;
    TRY(memory_text_open(&made, err));
    write_description(made.out, cube, metrics, count);
    TRY(memory_text_close(&made, STATUS_OK, err));
    tar_file_begin(out, "anchor.xml", made.bytes);
    fwrite(made.text, 1, made.bytes, out);
    tar_file_end(out, made.bytes);
    free(made.text);
    return STATUS_OK;
}

/* --- values --- */

static const char data_mark[] = "CUBEX.DATA", index_mark[] = "CUBEX.INDEX";
enum { MARK_ENDIAN_BYTES = 4, VERSION_BYTES = 2, KIND_BYTES = 1, SPARSE = 1 };

static void write_data(FILE *out, const struct cube *cube, const struct metric *metric)
{
    fwrite(data_mark, 1, strlen(data_mark), out);
    for (uint32_t id = 0; id < cube->node_count; id++) {
        const int64_t *row = cube_row(cube, metric->of, cube->order[id]);
        for (uint32_t l = 0; row && l < cube->location_count; l++) {
            int64_t value = row[l];
            double seconds = units_s(value);
            if (metric->whole_numbers)
                fwrite(&value, sizeof value, 1, out);
            else
                fwrite(&seconds, sizeof seconds, 1, out);
        }
    }
}

static void write_index(FILE *out, const struct cube *cube, const struct metric *metric, uint32_t rows)
{
    static const uint32_t endian = 1;
    static const uint16_t version = 0;
    static const uint8_t kind = SPARSE;
    fwrite(index_mark, 1, strlen(index_mark), out);
    fwrite(&endian, sizeof endian, 1, out);
    fwrite(&version, sizeof version, 1, out);
    fwrite(&kind, sizeof kind, 1, out);
    fwrite(&rows, sizeof rows, 1, out);
    for (uint32_t id = 0; id < cube->node_count; id++)
        if (cube_row(cube, metric->of, cube->order[id])) fwrite(&id, sizeof id, 1, out);
}

/* A metric without values has no files. */
static enum status write_metric(FILE *out, const struct cube *cube, const struct metric *metric, size_t id, struct err *err)
{
    char name[32];
    uint32_t rows = 0;
    for (uint32_t n = 0; n < cube->node_count; n++) rows += cube_row(cube, metric->of, n) != NULL;
    if (rows == 0) return STATUS_OK;
    uint64_t bytes = strlen(data_mark) + (uint64_t)rows * cube->location_count * sizeof(double);
    if (bytes > TAR_FILE_MAX)
        return err_set(err, STATUS_DATA, cube->trace->name, NULL, "metric %s has %" PRIu64 " bytes, expected at most %" PRIu64,
                       metric->name, bytes, (uint64_t)TAR_FILE_MAX);
    snprintf(name, sizeof name, "%zu.data", id);
    tar_file_begin(out, name, bytes);
    write_data(out, cube, metric);
    tar_file_end(out, bytes);
    bytes = strlen(index_mark) + MARK_ENDIAN_BYTES + VERSION_BYTES + KIND_BYTES + sizeof(uint32_t) * (1 + (uint64_t)rows);
    snprintf(name, sizeof name, "%zu.index", id);
    tar_file_begin(out, name, bytes);
    write_index(out, cube, metric, rows);
    tar_file_end(out, bytes);
    return STATUS_OK;
}

enum status export_cube(const struct trace *trace, const struct export_options *options, FILE *out, struct export_report *report,
                        struct err *err)
{
    struct metric metrics[CUBE_METRICS];
    size_t count = list_metrics(metrics);
    struct cube cube;
    (void)options;
    (void)report;
    TRY(cube_build(trace, &cube, err));
    enum status status = STATUS_OK;
    for (size_t m = 0; m < count && status == STATUS_OK; m++) status = write_metric(out, &cube, &metrics[m], m, err);
    if (status == STATUS_OK) status = write_anchor(out, &cube, metrics, count, err);
    if (status == STATUS_OK) tar_end(out);
    cube_clear(&cube);
    return status;
}
