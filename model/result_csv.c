#include "model/result_csv.h"

#include <inttypes.h>
#include <string.h>

#include "common/units.h"
#include "model/properties.h"

static void write_text(const char *text, FILE *out)
{
    if (!text) return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_write_patterns(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,rank,severity_s\n");
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (uint32_t r = 0; r < result->rank_count; r++)
            fprintf(out, "%s,%" PRIu32 ",%.15g\n", pattern_row((enum pattern)p)->name, r,
                    result->patterns[p].rank_severity_s[r]);
}

void csv_write_places(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,callpath,file,line,severity_s,count\n");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            const struct result_place *place = &result->patterns[p].places[i];
            fprintf(out, "%s,", pattern_row((enum pattern)p)->name);
            write_text(place->callpath, out);
            fputc(',', out);
            write_text(place->file, out);
            fputc(',', out);
            if (place->line > 0) fprintf(out, "%" PRId32, place->line);
            fprintf(out, ",%.15g,%" PRIu64 "\n", place->severity_s, place->count);
        }
    }
}

void csv_write_properties(const struct result *result, FILE *out)
{
    fprintf(out, "property,parent,inclusive_s,exclusive_s\n");
    for (size_t i = 0; i < result->property_count; i++) {
        const struct result_property *property = &result->properties[i];
        const struct property_row *row = property_by_name(property->name);
        bool inner = row && property_row(row->parent) != row;
        fprintf(out, "%s,%s,%.15g,%.15g\n", property->name, inner ? property_row(row->parent)->name : "",
                property->inclusive_s, property->exclusive_s);
    }
}

static void write_time(int64_t time_ps, int64_t begin_ps, FILE *out)
{
    if (time_ps != TRACE_UNKNOWN_PS) fprintf(out, "%.12f", units_s(time_ps - begin_ps));
}

void csv_write_transfers(const struct trace *trace, const struct transfers *transfers, FILE *out)
{
    int64_t begin_ps = trace_begin_ps(trace);
    fprintf(out, "origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s\n");
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        const int64_t times_ps[] = {transfer->start_ps, transfer->lower_end_ps, transfer->upper_end_ps,
                                    transfer_true_end_ps(trace, transfer)};
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%s,%" PRId64, transfer->origin, transfer->target,
                trace->ranks[transfer->origin].calls[transfer->call].handle, transfer_kind_name(trace, transfer),
                transfer->bytes);
        for (size_t t = 0; t < sizeof times_ps / sizeof *times_ps; t++) {
            fputc(',', out);
            write_time(times_ps[t], begin_ps, out);
        }
        fputc('\n', out);
    }
}
