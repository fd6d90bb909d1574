/* Comma-separated values (RFC 4180): a line per call, ranks one after another, in the order of their calls. */
#include <inttypes.h>

#include "common/csv.h"
#include "common/units.h"
#include "export/export.h"

static void write_number(FILE *out, bool known, int64_t number)
{
    fputc(',', out);
    if (known) fprintf(out, "%" PRId64, number);
}

static void write_call(const struct trace *trace, uint32_t rank, size_t index, FILE *out)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    const struct trace_site *site = &trace->definitions.sites[call->site];
    uint32_t fields = call_row(call->call)->allowed;
    int64_t begin_ps = trace_begin_ps(trace);
    char enter[UNITS_TEXT_BYTES], exits[UNITS_TEXT_BYTES];
    fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",", rank, trace_call_thread(trace, rank, index),
            trace_event(trace, rank, index));
    if (call_is_region(call->call))
        csv_write_text(out, call->call == ID_region_enter ? "enter " : "leave ",
                       trace->definitions.regions[call->region.region]);
    else
        fputs(call_name(call->call), out);
    fprintf(out, ",%s,%s", units_format_ps(call->enter_ps - begin_ps, enter), units_format_ps(call->exit_ps - begin_ps, exits));
    write_number(out, fields & F_WIN && call->handle >= 0, call->handle);
    write_number(out, fields & F_COMM && call->handle >= 0, call->handle);
    write_number(out, call->peer >= 0, call->peer);
    write_number(out, fields & F_BYTES, call->bytes);
    write_number(out, fields & F_TAG, call->message.tag);
    fputc(',', out);
    if (site->file) csv_write_text(out, "", site->file);
    write_number(out, site->line > 0, site->line);
    fputs("\r\n", out);
}

enum status export_csv(const struct trace *trace, const struct export_options *options, FILE *out,
                       struct export_report *report, struct err *err)
{
    (void)options;
    (void)report;
    (void)err;
    fputs("rank,thread,event,function,enter_s,exit_s,window,communicator,peer_rank,bytes,tag,file,line\r\n", out);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) write_call(trace, r, i, out);
    return STATUS_OK;
}
