#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_text.h"
#include "report/activities.h"
#include "report/views.h"

enum {
    ROWS_MAX = 256,    /* of pieces: more ranks share rows */
    PIECES = 2048,     /* per row */
    WAITS_MAX = 60000, /* the longest are kept */
    TRANSFERS_MAX = 20000,
};

struct writer {
    const struct trace *trace;
    const struct timeline_options *options;
    int64_t begin_ps, end_ps;   /* of the run */
    int64_t from_ps, until_ps;  /* of the window */
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

static int64_t since_begin(const struct writer *writer, int64_t time_ps)
{
    return time_ps == TRACE_UNKNOWN_PS ? -1 : time_ps - writer->begin_ps;
}

/* ------------------------------------------------------------------------------------------------ calls in full */

/* [thread, enter, duration, function, handle, peer, bytes, region or site]: report/web/timeline.js. */
static void write_call(const struct writer *writer, uint32_t rank, size_t index, bool first)
{
    const struct trace_call *call = &writer->trace->ranks[rank].calls[index];
    bool region = call_is_region(call->call);
    fprintf(writer->out, "%s[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%d,%d,%d,%" PRId64 ",%" PRIu32 "]", first ? "" : ",",
            trace_call_thread(writer->trace, rank, index), since_begin(writer, call->enter_ps),
            call->exit_ps - call->enter_ps, call->call, call->handle, call->peer, call->bytes,
            region ? call->ref : call->site);
}

static void write_calls(const struct writer *writer)
{
    fputs(",\"calls\":[", writer->out);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        bool first = true;
        fputs(r ? ",[" : "[", writer->out);
        for (size_t i = 0; i < writer->trace->ranks[r].count; i++) {
            const struct trace_call *call = &writer->trace->ranks[r].calls[i];
            if (!in_window(writer, call->enter_ps, call->exit_ps)) continue;
            write_call(writer, r, i, first);
            first = false;
        }
        fputc(']', writer->out);
    }
    fputc(']', writer->out);
}

static void write_names(const struct writer *writer)
{
    const struct trace *trace = writer->trace;
    fputs(",\"functions\":[", writer->out);
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, call_name((enum mpi_call)i));
    }
    fputs("],\"activities\":[", writer->out);
    for (int i = 0; i < MPI_CALL_COUNT; i++)
        fprintf(writer->out, "%s%d", i ? "," : "", call_is_region((enum mpi_call)i) ? -1 : (int)activity_of((enum mpi_call)i));
    fputs("],\"regions\":[", writer->out);
    for (size_t i = 0; i < trace->region_count; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, trace->regions[i]);
    }
    fputs("],\"sites\":[", writer->out);
    for (size_t i = 0; i < trace->site_count; i++) {
        fprintf(writer->out, "%s[", i ? "," : "");
        json_text_write(writer->out, trace->sites[i].file ? trace->sites[i].file : "");
        fprintf(writer->out, ",%d]", trace->sites[i].line);
    }
    fputs("],\"windows\":[", writer->out);
    for (size_t i = 0; i < trace->window_count; i++) {
        fputs(i ? "," : "", writer->out);
        json_text_write(writer->out, trace->windows[i].name ? trace->windows[i].name : "");
    }
    fputc(']', writer->out);
}

/* ------------------------------------------------------------------------------------------------ pieces of time */

struct pieces {
    uint32_t rows;
    double *time; /* per row, piece and activity */
    int64_t piece_ps;
};

static void add_time(const struct writer *writer, struct pieces *pieces, uint32_t rank, int64_t from_ps,
                     int64_t until_ps, enum activity activity)
{
    uint32_t row = (uint32_t)((uint64_t)rank * pieces->rows / writer->trace->rank_count);
    if (from_ps < writer->from_ps) from_ps = writer->from_ps;
    if (until_ps > writer->until_ps) until_ps = writer->until_ps;
    while (from_ps < until_ps) {
        int64_t piece = (from_ps - writer->from_ps) / pieces->piece_ps;
        int64_t next_ps = writer->from_ps + (piece + 1) * pieces->piece_ps, end_ps = until_ps < next_ps ? until_ps : next_ps;
        if (piece >= PIECES) return;
        pieces->time[((uint64_t)row * PIECES + (uint64_t)piece) * ACTIVITIES + activity] += (double)(end_ps - from_ps);
        from_ps = end_ps;
    }
}

/* Thread 0 of the rank: the others' calls overlap its. */
static void add_rank(const struct writer *writer, struct pieces *pieces, uint32_t rank)
{
    int64_t at_ps = writer->begin_ps;
    int depth = 0;
    for (size_t i = 0; i < writer->trace->ranks[rank].count; i++) {
        const struct trace_call *call = &writer->trace->ranks[rank].calls[i];
        if (trace_call_thread(writer->trace, rank, i) != 0) continue;
        add_time(writer, pieces, rank, at_ps, call->enter_ps, depth > 0 ? ACTIVITY_REGION : ACTIVITY_COMPUTING);
        if (call->call == ID_region_enter) depth++;
        else if (call->call == ID_region_leave) depth--;
        else add_time(writer, pieces, rank, call->enter_ps, call->exit_ps, activity_of(call->call));
        at_ps = call->exit_ps;
    }
}

/* Two characters per piece: the activity with most time, "A" on, and its share of the piece in 21sts, "A" on; "  ": the
 * rank has ended. */
static void write_row(const struct writer *writer, const struct pieces *pieces, uint32_t row)
{
    fputs(row ? ",\"" : "\"", writer->out);
    for (uint32_t i = 0; i < PIECES; i++) {
        const double *time = &pieces->time[((uint64_t)row * PIECES + i) * ACTIVITIES];
        int most = 0;
        double all = 0;
        for (int a = 0; a < ACTIVITIES; a++) {
            all += time[a];
            if (time[a] > time[most]) most = a;
        }
        if (all <= 0) fputs("  ", writer->out);
        else {
            int share = (int)(time[most] / all * 63);
            fputc('A' + most, writer->out);
            fputc('A' + share / 3, writer->out); /* letters only: nothing to escape */
        }
    }
    fputc('"', writer->out);
}

static enum status write_pieces(const struct writer *writer)
{
    struct pieces pieces = {.rows = writer->trace->rank_count < ROWS_MAX ? writer->trace->rank_count : ROWS_MAX};
    pieces.piece_ps = (writer->until_ps - writer->from_ps) / PIECES + 1;
    pieces.time = calloc((size_t)pieces.rows * PIECES * ACTIVITIES, sizeof *pieces.time);
    if (!pieces.time) return err_memory(writer->err);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) add_rank(writer, &pieces, r);
    fprintf(writer->out, ",\"piece_ps\":%" PRId64 ",\"pieces\":[", pieces.piece_ps);
    for (uint32_t row = 0; row < pieces.rows; row++) write_row(writer, &pieces, row);
    fputc(']', writer->out);
    free(pieces.time);
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------------------ waits, transfers */

static int by_length(const void *a, const void *b)
{
    int64_t left = ((const struct wait *)a)->severity_ps, right = ((const struct wait *)b)->severity_ps;
    return left > right ? -1 : left < right;
}

/* [rank, thread, from, until, pattern, rank that is waited for, severity, enter of the call], the longest first. */
static void write_waits(const struct writer *writer, struct waits *waits)
{
    size_t written = 0;
    if (waits->count > 0) qsort(waits->items, waits->count, sizeof *waits->items, by_length);
    fputs(",\"waits\":[", writer->out);
    for (size_t i = 0; i < waits->count && written < WAITS_MAX; i++) {
        const struct wait *wait = &waits->items[i];
        const struct trace_call *call = &writer->trace->ranks[wait->rank].calls[wait->call];
        int64_t from_ps = wait->until_ps > wait->from_ps ? wait->from_ps : call->enter_ps;
        int64_t until_ps = wait->until_ps > wait->from_ps ? wait->until_ps : call->enter_ps + wait->severity_ps;
        if (wait->severity_ps == 0 || !in_window(writer, from_ps, until_ps)) continue;
        fprintf(writer->out, "%s[%" PRIu32 ",%u,%" PRId64 ",%" PRId64 ",%u,%" PRId64 ",%" PRId64 ",%" PRId64 "]",
                written++ ? "," : "", wait->rank, wait->thread, since_begin(writer, from_ps), since_begin(writer, until_ps), wait->pattern,
                wait->until_ps > wait->from_ps ? (int64_t)wait->cause_rank : -1, wait->severity_ps,
                since_begin(writer, call->enter_ps));
    }
    fprintf(writer->out, "],\"wait_count\":%zu,\"patterns\":[", waits->count);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        fputs(p ? "," : "", writer->out);
        json_text_write(writer->out, pattern_row((enum pattern)p)->title);
    }
    fputc(']', writer->out);
}

/* Whose true end is known: [origin, target, start, lower end, upper end or -1, true end, bytes, kind]. */
static void write_transfers(const struct writer *writer, const struct transfers *transfers)
{
    size_t written = 0;
    fputs(",\"transfers\":[", writer->out);
    for (size_t i = 0; i < transfers->count && written < TRANSFERS_MAX; i++) {
        const struct transfer *transfer = &transfers->items[i];
        int64_t last_ps = transfer->upper_end_ps > transfer->lower_end_ps ? transfer->upper_end_ps : transfer->lower_end_ps;
        int64_t true_end_ps = transfer_true_end_ps(writer->trace, transfer);
        if (true_end_ps == TRACE_UNKNOWN_PS || !in_window(writer, transfer->start_ps, last_ps)) continue;
        fprintf(writer->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",\"%s\"]",
                written++ ? "," : "", transfer->origin, transfer->target, since_begin(writer, transfer->start_ps),
                since_begin(writer, transfer->lower_end_ps), since_begin(writer, transfer->upper_end_ps),
                since_begin(writer, true_end_ps), transfer->bytes,
                transfer_kind_name(writer->trace, transfer));
    }
    fprintf(writer->out, "],\"transfer_count\":%zu", transfers->count);
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

static void write_ranks(const struct writer *writer)
{
    fprintf(writer->out, "\"ranks\":%" PRIu32 ",\"nodes\":[", writer->trace->rank_count);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        const char *node = trace_node_name(writer->trace, r);
        fputs(r ? "," : "", writer->out);
        json_text_write(writer->out, node ? node : "");
    }
    fputc(']', writer->out);
}

enum status timeline_write(const struct trace *trace, struct analyze_found *found, const struct timeline_options *options,
                           FILE *out, struct err *err)
{
    struct writer writer = {.trace = trace, .options = options, .begin_ps = trace_begin_ps(trace), .out = out, .err = err};
    writer.end_ps = writer.begin_ps;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace_rank_end_ps(trace, r) > writer.end_ps)
            writer.end_ps = trace_rank_end_ps(trace, r);
    writer.from_ps = writer.begin_ps + options->from_ps;
    writer.until_ps = options->until_ps ? writer.begin_ps + options->until_ps : writer.end_ps;
    bool full = count_calls(&writer) <= options->calls_max;
    fputc('{', out);
    write_ranks(&writer);
    fprintf(out, ",\"end_ps\":%" PRId64 ",\"from_ps\":%" PRId64 ",\"until_ps\":%" PRId64, writer.end_ps - writer.begin_ps,
            writer.from_ps - writer.begin_ps, writer.until_ps - writer.begin_ps);
    write_names(&writer);
    if (full) {
        write_calls(&writer);
        TRY(write_views(&writer));
    } else {
        TRY(write_pieces(&writer));
    }
    write_waits(&writer, &found->waits);
    write_transfers(&writer, &found->transfers);
    fputc('}', out);
    return STATUS_OK;
}
