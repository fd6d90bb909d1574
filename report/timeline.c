#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/text/json_text.h"
#include "common/units.h"
#include "report/activities.h"
#include "report/inputs.h"
#include "report/placed_waits.h"
#include "report/views.h"

enum {
    WAITS_MAX = 60000,     /* beside calls; the longest are kept */
    WAITS_OF_LEVELS = 2000,
    TRANSFERS_MAX = 5000,
};

struct writer {
    const struct trace *trace;
    const struct timeline_options *options;
    int64_t begin_ps, end_ps;  /* of the run */
    int64_t from_ps, until_ps; /* of the window */
    FILE *out;
    struct err *err;
};

static bool in_window(const struct writer *writer, int64_t from_ps, int64_t until_ps)
{
    return until_ps >= writer->from_ps && from_ps <= writer->until_ps;
}

static uint64_t count_calls(const struct writer *writer)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < writer->trace->rank_count; r++)
        for (size_t i = 0; i < writer->trace->ranks[r].count; i++) {
            const struct trace_call *call = &writer->trace->ranks[r].calls[i];
            count += in_window(writer, call->enter_ps, call->exit_ps);
        }
    return count;
}

/* --- calls --- */

/* [thread, enter since the exit of the call before, duration, function, handle, peer, bytes, region or site]:
 * report/web/timeline_data.js. */
static void write_call(const struct writer *writer, uint32_t rank, size_t index, int64_t before_ps, bool first)
{
    const struct trace_call *call = &writer->trace->ranks[rank].calls[index];
    bool region = call_is_region(call->call);
    fprintf(writer->out, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%d,%d,%d,%" PRId64 ",%" PRIu32 "]", first ? "" : ",",
            trace_call_thread(writer->trace, rank, index), call->enter_ps - before_ps,
            call->exit_ps - call->enter_ps, call->call, call->handle, call->peer, call->bytes,
            region ? call->region.region : call->site);
}

static void write_calls(const struct writer *writer)
{
    fputs(",\"calls\":[", writer->out);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        bool first = true;
        int64_t before_ps = writer->begin_ps;
        fputs(r ? ",[" : "[", writer->out);
        for (size_t i = 0; i < writer->trace->ranks[r].count; i++) {
            const struct trace_call *call = &writer->trace->ranks[r].calls[i];
            if (!in_window(writer, call->enter_ps, call->exit_ps)) continue;
            write_call(writer, r, i, before_ps, first);
            before_ps = call->exit_ps;
            first = false;
        }
        fputc(']', writer->out);
    }
    fputc(']', writer->out);
}

static enum status write_views(const struct writer *writer)
{
    const struct views_window window = {writer->begin_ps, writer->from_ps, writer->until_ps};
    struct relations relations;
    TRY(relations_build(writer->trace, &relations, writer->err));
    enum status status = views_write(&relations, &window, writer->out, writer->err);
    relations_clear(&relations);
    return status;
}

/* Whose true end is known: [origin, target, start, lower end, upper end or null, true end, bytes, kind], ends since the start. */
static void write_transfers(const struct writer *writer, const struct transfers *transfers)
{
    size_t written = 0;
    fputs(",\"transfers\":[", writer->out);
    for (size_t i = 0; i < transfers->count && written < TRANSFERS_MAX; i++) {
        const struct transfer *transfer = &transfers->items[i];
        const int64_t start_ps = transfer->start_ps, lower_ps = transfer->lower_end_ps, upper_ps = transfer->upper_end_ps;
        const int64_t true_end_ps = transfer_true_end_ps(writer->trace, transfer);
        if (true_end_ps == TRACE_UNKNOWN_PS || !in_window(writer, start_ps, units_max_ps(lower_ps, upper_ps))) continue;
        fprintf(writer->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",", written++ ? "," : "", transfer->origin,
                transfer->target, start_ps - writer->begin_ps, lower_ps - start_ps);
        if (upper_ps == TRACE_UNKNOWN_PS) fputs("null", writer->out);
        else fprintf(writer->out, "%" PRId64, upper_ps - start_ps);
        fprintf(writer->out, ",%" PRId64 ",%" PRId64 ",\"%s\"]", true_end_ps - start_ps, transfer->bytes,
                transfer_kind_name(writer->trace, transfer));
    }
    fputc(']', writer->out);
}

/* --- definitions --- */

static void write_head(const struct writer *writer)
{
    fprintf(writer->out, "\"ranks\":%" PRIu32 ",\"nodes\":[", writer->trace->rank_count);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        const char *node = trace_node_name(writer->trace, r);
        fputs(r ? "," : "", writer->out);
        json_text_write(writer->out, node ? node : "");
    }
    fprintf(writer->out, "],\"end_ps\":%" PRId64 ",\"from_ps\":%" PRId64 ",\"until_ps\":%" PRId64,
            writer->end_ps - writer->begin_ps, writer->from_ps - writer->begin_ps, writer->until_ps - writer->begin_ps);
}

static void write_functions(const struct writer *writer)
{
    fputs(",\"functions\":[", writer->out);
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, call_name((enum mpi_call)i));
    }
    fputs("],\"activities\":[", writer->out);
    for (int i = 0; i < MPI_CALL_COUNT; i++)
        fprintf(writer->out, "%s%d", i ? "," : "", call_is_region((enum mpi_call)i) ? -1 : (int)activity_of((enum mpi_call)i));
    fputc(']', writer->out);
}

static enum status write_names(const struct writer *writer)
{
    const struct trace *trace = writer->trace;
    fputs(",\"regions\":[", writer->out);
    for (size_t i = 0; i < trace->definitions.region_count; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, trace->definitions.regions[i]);
    }
    fputs("],\"sites\":[", writer->out);
    for (size_t i = 0; i < trace->definitions.site_count; i++) {
        fprintf(writer->out, "%s[", i ? "," : "");
        const char *file = trace->definitions.sites[i].file;
        TRY(input_write_path(writer->out, file ? file : "", writer->err));
        fprintf(writer->out, ",%d]", trace->definitions.sites[i].line);
    }
    fputs("],\"windows\":[", writer->out);
    for (size_t i = 0; i < trace->definitions.window_count; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, trace->definitions.windows[i].name ? trace->definitions.windows[i].name : "");
    }
    fputc(']', writer->out);
    return STATUS_OK;
}

/* --- whole traces --- */

static enum status write_full(const struct writer *writer, const struct transfers *transfers)
{
    write_functions(writer);
    TRY(write_names(writer));
    write_calls(writer);
    write_transfers(writer, transfers);
    return write_views(writer);
}

static enum status write_levels(const struct writer *writer, const struct placed_waits *waits)
{
    struct levels *levels;
    TRY(levels_new(writer->trace->rank_count, writer->from_ps, writer->until_ps, &levels, writer->err));
    for (uint32_t r = 0; r < writer->trace->rank_count; r++)
        for (size_t i = 0; i < writer->trace->ranks[r].count; i++)
            if (trace_call_thread(writer->trace, r, i) == 0) levels_add_call(levels, r, &writer->trace->ranks[r].calls[i]);
    for (size_t i = 0; i < waits->count; i++)
        if (waits->items[i].thread == 0)
            levels_add_wait(levels, waits->items[i].rank, waits->items[i].from_ps, waits->items[i].until_ps);
    levels_write(levels, writer->begin_ps, writer->out);
    levels_free(levels);
    return STATUS_OK;
}

/* Numbers a rank's calls as write_calls() writes them. */
static enum status number_calls(const struct writer *writer, uint32_t rank, int64_t **numbers, size_t *capacity)
{
    const struct trace_rank *process = &writer->trace->ranks[rank];
    int64_t next = 0;
    TRY(array_reserve((void **)numbers, capacity, process->count, sizeof **numbers, writer->err));
    for (size_t i = 0; i < process->count; i++) {
        (*numbers)[i] = next;
        next += in_window(writer, process->calls[i].enter_ps, process->calls[i].exit_ps);
    }
    return STATUS_OK;
}

/* full: their calls are in the page. */
static enum status place_waits(const struct writer *writer, const struct waits *waits, bool full, struct placed_waits *placed)
{
    int64_t *numbers = NULL;
    size_t capacity = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < waits->count; i++) {
        const struct wait *found = &waits->items[i];
        struct placed_wait wait = placed_wait_of(writer->trace, found);
        const bool next_rank = i == 0 || found->rank != waits->items[i - 1].rank;
        if (full && next_rank) status = number_calls(writer, found->rank, &numbers, &capacity);
        if (full && status == STATUS_OK) wait.call = numbers[found->call];
        if (status == STATUS_OK && wait.severity_ps > 0 && in_window(writer, wait.from_ps, wait.until_ps))
            status = placed_waits_add(placed, wait, writer->err);
    }
    free(numbers);
    return status;
}

static enum status write_whole(const struct writer *writer, const struct analyze_found *found)
{
    struct placed_waits waits = {0};
    bool full = count_calls(writer) <= writer->options->calls_max;
    write_head(writer);
    enum status status = place_waits(writer, &found->waits, full, &waits);
    if (status == STATUS_OK) status = full ? write_full(writer, &found->transfers) : write_levels(writer, &waits);
    placed_waits_keep_longest(&waits, full ? WAITS_MAX : WAITS_OF_LEVELS);
    if (status == STATUS_OK) placed_waits_write(&waits, writer->begin_ps, writer->out);
    placed_waits_clear(&waits);
    return status;
}

enum status timeline_write(const struct trace *trace, const struct analyze_found *found,
                           const struct timeline_options *options, FILE *out, struct err *err)
{
    struct writer writer = {.trace = trace, .options = options, .begin_ps = trace_begin_ps(trace), .out = out, .err = err};
    writer.end_ps = writer.begin_ps;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace_rank_end_ps(trace, r) > writer.end_ps)
            writer.end_ps = trace_rank_end_ps(trace, r);
    writer.from_ps = writer.begin_ps + options->from_ps;
    writer.until_ps = options->until_ps ? writer.begin_ps + options->until_ps : writer.end_ps;
    if (writer.from_ps >= writer.end_ps && writer.end_ps > writer.begin_ps)
        return err_set(err, STATUS_DATA, trace->name, NULL, "ends before --from");
    fputc('{', out);
    TRY(write_whole(&writer, found));
    fputc('}', out);
    return STATUS_OK;
}

/* --- slices --- */

void timeline_write_slices(const struct trace *trace, const struct report_slices *slices, FILE *out)
{
    struct writer writer = {.trace = trace,
                            .begin_ps = levels_begin_ps(slices->levels),
                            .end_ps = levels_end_ps(slices->levels),
                            .out = out};
    writer.from_ps = writer.begin_ps;
    writer.until_ps = writer.end_ps;
    fputc('{', out);
    write_head(&writer);
    levels_write(slices->levels, writer.begin_ps, out);
    placed_waits_write(&slices->waits, writer.begin_ps, out);
    fputc('}', out);
}
