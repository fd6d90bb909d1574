/* Writes a validation as tables for spreadsheets and scripts (validate/validate.h). Seconds; a field without value is
 * empty. */
#include <inttypes.h>
#include <math.h>

#include "common/csv.h"
#include "validate/validate.h"

static void write_number(double number, FILE *out)
{
    fputc(',', out);
    if (isfinite(number)) fprintf(out, "%.15g", number);
}

static void write_quantity(const char *quantity, const char *name, int64_t rank, const struct validate_value *value,
                           bool at_most, FILE *out)
{
    fprintf(out, "%s,%s,", quantity, name);
    if (rank >= 0) fprintf(out, "%" PRId64, rank);
    write_number(value->predicted_s, out);
    write_number(value->measured_s, out);
    write_number(value->measured_min_s, out);
    write_number(value->measured_max_s, out);
    write_number(value->error_s, out);
    write_number(value->relative, out);
    fprintf(out, ",%d\n", at_most);
}

void validation_write_quantities(const struct validation *v, FILE *out)
{
    fprintf(out, "quantity,name,rank,predicted_s,measured_s,measured_min_s,measured_max_s,error_s,relative,at_most\n");
    write_quantity("run_time", "", -1, &v->run_time, false, out);
    for (uint32_t r = 0; r < v->rank_count; r++) write_quantity("rank_time", "", r, &v->rank_time[r], false, out);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const char *name = pattern_row((enum pattern)p)->name;
        const struct validate_pattern *pattern = &v->patterns[p];
        write_quantity("pattern", name, -1, &pattern->total, pattern->at_most, out);
        for (uint32_t r = 0; r < v->rank_count; r++)
            write_quantity("pattern", name, r, &pattern->ranks[r], pattern->at_most, out);
    }
    for (size_t i = 0; i < v->property_count; i++)
        write_quantity("property", v->properties[i].name, -1, &v->properties[i].value, false, out);
}

static void write_place(const struct validate_place *place, FILE *out)
{
    fprintf(out, "%s,", place->function);
    csv_write_quoted(out, "", place->callpath);
    fputc(',', out);
    csv_write_quoted(out, "", place->file);
    fputc(',', out);
    if (place->line > 0) fprintf(out, "%" PRId32, place->line);
}

void validation_write_callpaths(const struct validation *v, FILE *out)
{
    fprintf(out, "function,callpath,file,line,count,predicted_s,measured_s,error_s,predicted_median_s,measured_median_s,"
                 "absolute_error_s,spread_s,share\n");
    for (size_t i = 0; v->calls && i < v->calls->place_count; i++) {
        const struct validate_call_group *group = &v->calls->groups[v->calls->order[i]];
        if (group->count == 0) continue;
        write_place(&v->calls->places[v->calls->order[i]], out);
        fprintf(out, ",%" PRIu64, group->count);
        const double numbers[] = {group->predicted_s,        group->measured_s,        group->error_s,
                                  group->predicted_median_s, group->measured_median_s, group->absolute_s,
                                  group->spread_s,           group->share};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) write_number(numbers[n], out);
        fputc('\n', out);
    }
}

void validation_write_calls(const struct validation *v, FILE *out)
{
    fprintf(out, "function,callpath,file,line,rank,thread,occurrence,predicted_s,measured_s,measured_min_s,measured_max_s\n");
    for (size_t i = 0; v->calls && i < v->calls->count; i++) {
        const struct validate_call *call = &v->calls->calls[i];
        write_place(&v->calls->places[call->place], out);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, call->rank, call->thread, call->occurrence);
        write_number(call->predicted_s, out);
        write_number(call->measured_s, out);
        write_number(call->measured_min_s, out);
        write_number(call->measured_max_s, out);
        fputc('\n', out);
    }
}
