#include "model/result/result_csv.h"

#include <inttypes.h>

#include "common/units.h"
#include "model/result/result_fields.h"
#include "model/waits/properties.h"

void csv_write_patterns(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,rank,severity_s,at_most\n");
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (uint32_t r = 0; r < result->rank_count; r++)
            fprintf(out, "%s,%" PRIu32 ",%.15g,%d\n", pattern_row((enum pattern)p)->name, r,
                    result->patterns[p].rank_severity_s[r], result->patterns[p].at_most);
}

#define WAIT_COLUMNS "callpath,file,line,severity_s,count,rank,thread,node"
#define MOVES_COLUMNS "other_earlier_s,own_later_s,distance_s,advised_s"

void csv_write_calls(const struct result *result, FILE *out)
{
    static const char columns[] = "call,callpath,file,line,count,time_s,share,waits_s,transfer_s,unexplained_s,rank,thread,node,"
                                  "stands_out,without_core_s";
    fprintf(out, "%s\n", columns);
    for (size_t i = 0; i < result->calls.count; i++) {
        fields_write_csv(call_fields, columns, &result->calls.items[i], out);
        fputc('\n', out);
    }
}

void csv_write_places(const struct result *result, FILE *out)
{
    fprintf(out, "pattern," WAIT_COLUMNS "," MOVES_COLUMNS "\n");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            fprintf(out, "%s,", pattern_row((enum pattern)p)->name);
            fields_write_csv(place_fields, WAIT_COLUMNS "," MOVES_COLUMNS, &result->patterns[p].places[i], out);
            fputc('\n', out);
        }
    }
}

void csv_write_place_ranks(const struct result *result, FILE *out)
{
    fprintf(out, "pattern," WAIT_COLUMNS "\n");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            const struct result_place *place = &result->patterns[p].places[i];
            for (size_t r = 0; r < place->rank_count; r++) {
                fprintf(out, "%s,", pattern_row((enum pattern)p)->name);
                fields_write_csv(place_fields, "callpath,file,line,", place, out);
                fields_write_csv(place_rank_fields, "severity_s,count,rank,thread,node", &place->ranks[r], out);
                fputc('\n', out);
            }
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

void csv_write_over_time(const struct result *result, FILE *out)
{
    static const char columns[] =
        "from_s,to_s,iteration,iterations,longest_s,time_s,init_s,calls_s,waits_s,efficiency,load_balance,calls,"
        "transfers,bytes,stands_out";
    fprintf(out, "%s", columns);
    for (int p = 0; p < PATTERN_COUNT; p++) fprintf(out, ",%s_s", pattern_row((enum pattern)p)->name);
    for (size_t s = 0; s < result->over_time.count; s++) {
        const struct result_slice *slice = &result->over_time.items[s];
        fputc('\n', out);
        fields_write_csv(slice_fields, columns, slice, out);
        for (int p = 0; p < PATTERN_COUNT; p++) fprintf(out, ",%.15g", slice->waits[p].severity_s);
    }
    fputc('\n', out);
}

void csv_write_transfer_groups(const struct result *result, FILE *out)
{
    static const struct {
        const char *name, *columns; /* up to "bytes" */
        const struct field *rows;
    } groupings[TRANSFER_GROUPINGS] = {
        [TRANSFERS_OF_PAIR] = {"pair", "origin,target,kind,,,,,,,,count,bytes,", pair_fields},
        [TRANSFERS_OF_WINDOW] = {"window", ",,,window,name,,,,,,count,bytes,", window_fields},
        [TRANSFERS_OF_PLACE] = {"callpath", ",,,,callpath,operation,file,line,,,count,bytes,", callpath_fields},
        [TRANSFERS_OF_SIZE] = {"size", ",,,,,,,,from_bytes,to_bytes,count,bytes,", size_fields}};
    fprintf(out, "group,origin,target,kind,window,name,operation,file,line,from_bytes,to_bytes,count,bytes,"
                 "lower_min_Bps,lower_median_Bps,lower_max_Bps,lower_overall_Bps,"
                 "upper_min_Bps,upper_median_Bps,upper_max_Bps,upper_overall_Bps\n");
    for (int g = 0; g < TRANSFER_GROUPINGS; g++) {
        for (size_t i = 0; i < result->transfer_groups[g].count; i++) {
            const struct result_group *group = &result->transfer_groups[g].items[i];
            fprintf(out, "%s,", groupings[g].name);
            fields_write_csv(groupings[g].rows, groupings[g].columns, group, out);
            fields_write_csv(rate_fields, "min,median,max,overall,", &group->lower_bound_Bps, out);
            fields_write_csv(rate_fields, "min,median,max,overall", &group->upper_bound_Bps, out);
            fputc('\n', out);
        }
    }
}

void csv_write_matrix(const struct result *result, FILE *out)
{
    fprintf(out, "origin,target,count,bytes\n");
    const struct result_groups *pairs = &result->transfer_groups[TRANSFERS_OF_PAIR];
    for (size_t i = 0; i < pairs->count; i++) {
        const struct result_group *pair = &pairs->items[i];
        uint64_t count;
        if (i > 0 && pair[-1].origin == pair->origin && pair[-1].target == pair->target) continue;
        uint64_t bytes = result_matrix_bytes(result, (uint32_t)pair->origin, (uint32_t)pair->target, &count);
        fprintf(out, "%" PRId32 ",%" PRId32 ",%" PRIu64 ",%" PRIu64 "\n", pair->origin, pair->target, count, bytes);
    }
}

enum status csv_write_transfers(struct transfer_log *log, int64_t begin_ps, FILE *out, struct err *err)
{
    struct transfer_row row;
    bool any;
    fprintf(out, "origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s\n");
    for (;;) {
        TRY(transfer_log_next(log, &row, &any, err));
        if (!any) return STATUS_OK;
        const int64_t times_ps[] = {row.start_ps, row.lower_end_ps, row.upper_end_ps, row.true_end_ps};
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%s,%" PRId64, row.origin, row.target, row.window, row.kind, row.bytes);
        for (size_t t = 0; t < sizeof times_ps / sizeof *times_ps; t++) {
            fputc(',', out);
            int64_t time_ps = times_ps[t];
            if (time_ps != TRACE_UNKNOWN_PS) fprintf(out, "%.12f", units_s(time_ps - begin_ps));
        }
        fputc('\n', out);
    }
}
