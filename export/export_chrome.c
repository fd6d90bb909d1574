/* The JSON that Chrome's tracing and Perfetto read: Trace Event Format (Google, 2016), "JSON Object Format". A rank is a
 * process, a thread a thread; calls and user regions are complete events ("X"), a transfer is a flow ("s" to "f"). Times
 * are microseconds since the first event. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/text/json_text.h"
#include "export/export.h"

struct writer {
    const struct trace *trace;
    int64_t begin_ps;
    FILE *out;
    bool any; /* an event is written */
};

static void begin_event(struct writer *writer, const char *phase, uint32_t rank, uint32_t thread, int64_t time_ps)
{
    int64_t at_ps = time_ps - writer->begin_ps;
    fprintf(writer->out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRId64 ".%06" PRId64,
            writer->any ? "," : "", phase, rank, thread, at_ps / 1000000, at_ps % 1000000);
    writer->any = true;
}

static void write_text(struct writer *writer, const char *key, const char *text)
{
    fprintf(writer->out, ",\"%s\":", key);
    json_text_write(writer->out, text);
}

static void write_arguments(struct writer *writer, const struct trace_call *call)
{
    const struct trace_site *site = &writer->trace->definitions.sites[call->site];
    uint32_t fields = call_row(call->call)->allowed;
    const char *between = "";
    fputs(",\"args\":{", writer->out);
    if (call->handle >= 0 && fields & (F_WIN | F_COMM)) {
        fprintf(writer->out, "\"%s\":%" PRId32, fields & F_WIN ? "window" : "communicator", call->handle);
        between = ",";
    }
    if (call->peer >= 0) {
        fprintf(writer->out, "%s\"peer\":%" PRId32, between, call->peer);
        between = ",";
    }
    if (call->bytes > 0) {
        fprintf(writer->out, "%s\"bytes\":%" PRId64, between, call->bytes);
        between = ",";
    }
    if (site->file) {
        fprintf(writer->out, "%s\"line\":%" PRId32 ",\"file\":", between, site->line);
        json_text_write(writer->out, site->file);
    }
    fputs("}}", writer->out);
}

static void write_call(struct writer *writer, uint32_t rank, size_t index)
{
    const struct trace_call *call = &writer->trace->ranks[rank].calls[index];
    uint32_t thread = trace_call_thread(writer->trace, rank, index);
    if (call_is_region(call->call)) {
        begin_event(writer, call->call == ID_region_enter ? "B" : "E", rank, thread, call->enter_ps);
        write_text(writer, "name", writer->trace->definitions.regions[call->region.region]);
        fputc('}', writer->out);
        return;
    }
    begin_event(writer, "X", rank, thread, call->enter_ps);
    int64_t duration_ps = call->exit_ps - call->enter_ps;
    fprintf(writer->out, ",\"dur\":%" PRId64 ".%06" PRId64, duration_ps / 1000000, duration_ps % 1000000);
    write_text(writer, "name", call_name(call->call));
    write_text(writer, "cat", call_is_thread(call->call) ? "threads" : "mpi");
    write_arguments(writer, call);
}

/* From the operation at the origin to the transfer's end at the target. */
static void write_transfer(struct writer *writer, const struct transfer *transfer, size_t number)
{
    int64_t end_ps = export_transfer_end_ps(writer->trace, transfer);
    if (end_ps == TRACE_UNKNOWN_PS) return;
    const char *kind = transfer_kind_name(writer->trace, transfer);
    begin_event(writer, "s", transfer->origin, trace_call_thread(writer->trace, transfer->origin, transfer->call),
                transfer->start_ps);
    fprintf(writer->out, ",\"id\":%zu,\"cat\":\"transfer\",\"name\":\"%s\",\"args\":{\"bytes\":%" PRId64 "}}", number, kind,
            transfer->bytes);
    begin_event(writer, "f", transfer->target, 0, end_ps);
    fprintf(writer->out, ",\"id\":%zu,\"cat\":\"transfer\",\"name\":\"%s\"}", number, kind);
}

enum status export_chrome(const struct trace *trace, const struct export_options *options, FILE *out,
                          struct export_report *report, struct err *err)
{
    struct writer writer = {.trace = trace, .begin_ps = trace_begin_ps(trace), .out = out};
    struct transfers transfers;
    (void)options;
    TRY(bounds_find(trace, &transfers, err));
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const char *node = trace_node_name(writer.trace, r);
        char name[256];
        begin_event(&writer, "M", r, 0, writer.begin_ps);
        snprintf(name, sizeof name, node ? "rank %" PRIu32 " on %s" : "rank %" PRIu32, r, node ? node : "");
        fputs(",\"name\":\"process_name\",\"args\":{\"name\":", writer.out);
        json_text_write(writer.out, name);
        fputs("}}", writer.out);
        for (size_t i = 0; i < trace->ranks[r].count; i++) write_call(&writer, r, i);
    }
    for (size_t i = 0; i < transfers.count; i++) write_transfer(&writer, &transfers.items[i], i);
    export_report_transfers(&transfers, report);
    fputs("\n]}\n", out);
    transfers_clear(&transfers);
    return STATUS_OK;
}
