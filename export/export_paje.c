/* Paje traces (L. M. Schnorr, The Paje Trace File Format, 2016), for ViTE and pajeng's tools: a container per rank and
 * thread, a stack of states (user regions and calls), a link per transfer. Events are in the order of time. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/search.h"
#include "common/text/text.h"
#include "common/units.h"
#include "export/export.h"

enum { DEFINE_CONTAINER, DEFINE_STATE, DEFINE_LINK, DEFINE_VALUE, CREATE, DESTROY, PUSH, POP, START_LINK, END_LINK };

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 2\n%  Alias string\n%  Type string\n%  StartContainerType string\n"
    "%  EndContainerType string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n%  Alias string\n%  Type string\n%  Name string\n%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n%  Container string\n"
    "%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajePushState 6\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n%EndEventDef\n"
    "%EventDef PajePopState 7\n%  Time date\n%  Type string\n%  Container string\n%EndEventDef\n"
    "%EventDef PajeStartLink 8\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n"
    "%  StartContainer string\n%  Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 9\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n"
    "%  EndContainer string\n%  Key string\n%EndEventDef\n";

/* One line after the definitions. At one time ends come before begins, in the order of creation. */
struct event {
    int64_t time_ps;
    uint64_t order;
    uint32_t rank, thread;
    uint8_t what;
    uint32_t value; /* of PUSH: function, or MPI_CALL_COUNT and region; of links: transfer */
};

struct writer {
    const struct trace *trace;
    int64_t begin_ps, end_ps;
    struct transfers transfers;
    struct event *events;
    size_t count;
    FILE *out;
    struct err *err;
};

ORDER(by_time, struct event, UP(time_ps) UP(order))

static void add_event(struct writer *writer, int64_t time_ps, uint32_t rank, uint32_t thread, int what, uint32_t value)
{
    writer->events[writer->count] =
        (struct event){time_ps - writer->begin_ps, writer->count, rank, thread, (uint8_t)what, value};
    writer->count++;
    if (time_ps > writer->end_ps) writer->end_ps = time_ps;
}

static void add_calls(struct writer *writer, uint32_t rank)
{
    for (size_t i = 0; i < writer->trace->ranks[rank].count; i++) {
        const struct trace_call *call = &writer->trace->ranks[rank].calls[i];
        uint32_t thread = trace_call_thread(writer->trace, rank, i);
        bool leave = call->call == ID_region_leave;
        uint32_t value = call_is_region(call->call) ? MPI_CALL_COUNT + call->region.region : call->call;
        if (!leave) add_event(writer, call->enter_ps, rank, thread, PUSH, value);
        if (leave || !call_is_region(call->call)) add_event(writer, call->exit_ps, rank, thread, POP, 0);
    }
}

static void add_transfers(struct writer *writer)
{
    for (size_t i = 0; i < writer->transfers.count; i++) {
        const struct transfer *transfer = &writer->transfers.items[i];
        int64_t end_ps = export_transfer_end_ps(writer->trace, transfer);
        if (end_ps == TRACE_UNKNOWN_PS) continue;
        add_event(writer, transfer->start_ps, transfer->origin,
            trace_call_thread(writer->trace, transfer->origin, transfer->call), START_LINK, (uint32_t)i);
        add_event(writer, end_ps, transfer->target, 0, END_LINK, (uint32_t)i);
    }
}

static void write_value(FILE *out, const char *prefix, size_t number, const char *name, const char *color)
{
    fprintf(out, "%d %s%zu S ", DEFINE_VALUE, prefix, number);
    /* A quoted string: the format has no escapes. */
    static const struct text_escape quote[] = {{'"', "_"}, {0}};
    fputc('"', out);
    text_write_escaped(out, name, quote, "_");
    fputc('"', out);
    fprintf(out, " \"%s\"\n", color);
}

static void write_definitions(const struct writer *writer)
{
    FILE *out = writer->out;
    fputs(header, out);
    fprintf(out, "%d P 0 Program\n%d R P Rank\n%d T R Thread\n%d S T Call\n", DEFINE_CONTAINER, DEFINE_CONTAINER,
            DEFINE_CONTAINER, DEFINE_STATE);
    fprintf(out, "%d L P T T Transfer\n", DEFINE_LINK);
    for (size_t i = 0; i < MPI_CALL_COUNT; i++)
        if (!call_is_region((enum mpi_call)i)) write_value(out, "f", i, call_name((enum mpi_call)i), "0.4 0.5 0.8");
    for (size_t i = 0; i < writer->trace->definitions.region_count; i++)
        write_value(out, "r", i, writer->trace->definitions.regions[i], "0.95 0.8 0.85");
    fprintf(out, "%d 0 p P 0 program\n", CREATE);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        fprintf(out, "%d 0 p%" PRIu32 " R p \"rank %" PRIu32 "\"\n", CREATE, r, r);
        for (uint32_t t = 0; t < trace_thread_count(writer->trace, r); t++)
            fprintf(out, "%d 0 p%" PRIu32 "_%" PRIu32 " T p%" PRIu32 " \"rank %" PRIu32 " thread %" PRIu32 "\"\n", CREATE, r, t,
                    r, r, t);
    }
}

static void write_event(const struct writer *writer, const struct event *event)
{
    FILE *out = writer->out;
    char time[UNITS_TEXT_BYTES];
    const char *at = units_format_ps(event->time_ps, time);
    const struct transfer *transfer = NULL;
    if (event->what == START_LINK || event->what == END_LINK) transfer = &writer->transfers.items[event->value];
    if (transfer) {
        fprintf(out, "%d %s L p \"%s %" PRId64 "\" p%" PRIu32 "_%" PRIu32 " t%" PRIu32 "\n", event->what, at,
                transfer_kind_name(writer->trace, transfer), transfer->bytes, event->rank, event->thread, event->value);
        return;
    }
    fprintf(out, "%d %s S p%" PRIu32 "_%" PRIu32, event->what, at, event->rank, event->thread);
    if (event->what == PUSH)
        fprintf(out, " %c%" PRIu32, event->value < MPI_CALL_COUNT ? 'f' : 'r',
                event->value < MPI_CALL_COUNT ? event->value : event->value - MPI_CALL_COUNT);
    fputc('\n', out);
}

static void write_end(const struct writer *writer)
{
    char time[UNITS_TEXT_BYTES];
    units_format_ps(writer->end_ps - writer->begin_ps, time);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) {
        for (uint32_t t = 0; t < trace_thread_count(writer->trace, r); t++)
            fprintf(writer->out, "%d %s T p%" PRIu32 "_%" PRIu32 "\n", DESTROY, time, r, t);
        fprintf(writer->out, "%d %s R p%" PRIu32 "\n", DESTROY, time, r);
    }
    fprintf(writer->out, "%d %s P p\n", DESTROY, time);
}

static enum status write_all(struct writer *writer)
{
    size_t calls = trace_all_calls(writer->trace);
    writer->events = malloc((2 * (calls + writer->transfers.count) + 1) * sizeof *writer->events);
    if (!writer->events) return err_memory(writer->err);
    for (uint32_t r = 0; r < writer->trace->rank_count; r++) add_calls(writer, r);
    add_transfers(writer);
    qsort(writer->events, writer->count, sizeof *writer->events, by_time);
    write_definitions(writer);
    for (size_t i = 0; i < writer->count; i++) write_event(writer, &writer->events[i]);
    write_end(writer);
    return STATUS_OK;
}

enum status export_paje(const struct trace *trace, const struct export_options *options, FILE *out,
                        struct export_report *report, struct err *err)
{
    struct writer writer = {.trace = trace, .begin_ps = trace_begin_ps(trace), .out = out, .err = err};
    (void)options;
    writer.end_ps = writer.begin_ps;
    TRY(bounds_find(trace, &writer.transfers, err));
    enum status status = write_all(&writer);
    export_report_transfers(&writer.transfers, report);
    free(writer.events);
    transfers_clear(&writer.transfers);
    return status;
}
