#include "model/result/result_csv.h"

#include <inttypes.h>

#include "common/csv.h"
#include "common/units.h"
#include "model/waits/properties.h"

void csv_write_patterns(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,rank,severity_s,at_most\n");
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (uint32_t r = 0; r < result->rank_count; r++)
            fprintf(out, "%s,%" PRIu32 ",%.15g,%d\n", pattern_row((enum pattern)p)->name, r,
                    result->patterns[p].rank_severity_s[r], result->patterns[p].at_most);
}

static void write_site(const char *callpath, const char *file, int32_t line, FILE *out)
{
    csv_write_text(out, "", callpath);
    fputc(',', out);
    csv_write_text(out, "", file);
    fputc(',', out);
    if (line > 0) fprintf(out, "%" PRId32, line);
}

static void write_place(enum pattern pattern, const struct result_place *place, FILE *out)
{
    fprintf(out, "%s,", pattern_row(pattern)->name);
    write_site(place->callpath, place->file, place->line, out);
}

static void write_who(const struct result_who *who, FILE *out)
{
    fputc(',', out);
    if (who->rank >= 0) fprintf(out, "%" PRId64, who->rank);
    fputc(',', out);
    if (who->thread >= 0) fprintf(out, "%" PRId32, who->thread);
    fputc(',', out);
    csv_write_text(out, "", who->node);
}

static void write_known(bool known, double value, FILE *out)
{
    fputc(',', out);
    if (known) fprintf(out, "%.15g", value);
}

static void write_moves(const struct result_moves *moves, FILE *out)
{
    write_known(moves->other_earlier_s > 0, moves->other_earlier_s, out);
    write_known(moves->own_later_s > 0, moves->own_later_s, out);
    write_known(moves->advised_s > 0, moves->distance_s, out);
    write_known(moves->advised_s > 0, moves->advised_s, out);
}

void csv_write_calls(const struct result *result, FILE *out)
{
    fprintf(out, "call,callpath,file,line,count,time_s,share,waits_s,transfer_s,unexplained_s,rank,thread,node,"
                 "stands_out,without_core_s\n");
    for (size_t i = 0; i < result->calls.count; i++) {
        const struct result_share *call = &result->calls.items[i];
        const double total_s = result_total_s(result);
        fprintf(out, "%s,", call->activity);
        write_site(call->callpath, call->file, call->line, out);
        fprintf(out, ",%" PRIu64 ",%.15g,%.15g,%.15g", call->count, call->time_s, total_s > 0 ? call->time_s / total_s : 0,
                call->wait_s);
        write_known(call->transfer_known, call->transfer_s, out);
        write_known(call->transfer_known, call->unexplained_s, out);
        write_who(&call->who, out);
        fprintf(out, ",%s", call->stands_out ? "yes" : "no");
        write_known(call->without_core_known, call->without_core_s, out);
        fputc('\n', out);
    }
}

void csv_write_places(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,callpath,file,line,severity_s,count,rank,thread,node,"
                 "other_earlier_s,own_later_s,distance_s,advised_s\n");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            const struct result_place *place = &result->patterns[p].places[i];
            write_place((enum pattern)p, place, out);
            fprintf(out, ",%.15g,%" PRIu64, place->severity_s, place->count);
            write_who(&place->who, out);
            write_moves(&place->moves, out);
            fputc('\n', out);
        }
    }
}

void csv_write_place_ranks(const struct result *result, FILE *out)
{
    fprintf(out, "pattern,callpath,file,line,severity_s,count,rank,thread,node\n");
    for (int p = 0; p < PATTERN_COUNT; p++) {
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            const struct result_place *place = &result->patterns[p].places[i];
            for (size_t r = 0; r < place->rank_count; r++) {
                write_place((enum pattern)p, place, out);
                fprintf(out, ",%.15g,%" PRIu64, place->ranks[r].severity_s, place->ranks[r].count);
                write_who(&place->ranks[r].who, out);
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

static void write_rates(const struct result_rates *rates, FILE *out)
{
    if (rates->count > 0)
        fprintf(out, ",%.15g,%.15g,%.15g,%.15g", rates->min, rates->median, rates->max, rates->overall);
    else
        fputs(",,,,", out);
}

static void write_key(enum transfer_grouping grouping, const struct result_group *group, FILE *out)
{
    static const char *const names[] = {[TRANSFERS_OF_PAIR] = "pair",
                                        [TRANSFERS_OF_WINDOW] = "window",
                                        [TRANSFERS_OF_PLACE] = "callpath",
                                        [TRANSFERS_OF_SIZE] = "size"};
    fprintf(out, "%s,", names[grouping]);
    switch (grouping) {
    case TRANSFERS_OF_PAIR:
        fprintf(out, "%" PRId32 ",%" PRId32 ",%s,,,,,,", group->origin, group->target, group->kind);
        break;
    case TRANSFERS_OF_WINDOW:
        fprintf(out, ",,,%" PRId32 ",", group->window);
        csv_write_text(out, "", group->name);
        fputs(",,,,", out);
        break;
    case TRANSFERS_OF_PLACE:
        fputs(",,,,", out);
        csv_write_text(out, "", group->name);
        fprintf(out, ",%s,", group->function);
        csv_write_text(out, "", group->file);
        fputc(',', out);
        if (group->line > 0) fprintf(out, "%" PRId32, group->line);
        fputc(',', out);
        break;
    default: fprintf(out, ",,,,,,,,%" PRId64, group->from_bytes); break;
    }
}

void csv_write_transfer_groups(const struct result *result, FILE *out)
{
    fprintf(out, "group,origin,target,kind,window,name,operation,file,line,from_bytes,to_bytes,count,bytes,"
                 "lower_min_Bps,lower_median_Bps,lower_max_Bps,lower_overall_Bps,"
                 "upper_min_Bps,upper_median_Bps,upper_max_Bps,upper_overall_Bps\n");
    for (int g = 0; g < TRANSFER_GROUPINGS; g++) {
        for (size_t i = 0; i < result->transfer_groups[g].count; i++) {
            const struct result_group *group = &result->transfer_groups[g].items[i];
            write_key((enum transfer_grouping)g, group, out);
            fputc(',', out);
            if (g == TRANSFERS_OF_SIZE) fprintf(out, "%" PRId64, group->to_bytes);
            fprintf(out, ",%" PRIu64 ",%" PRIu64, group->count, group->bytes);
            write_rates(&group->lower_bound_Bps, out);
            write_rates(&group->upper_bound_Bps, out);
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

static void write_time(int64_t time_ps, int64_t begin_ps, FILE *out)
{
    if (time_ps != TRACE_UNKNOWN_PS) fprintf(out, "%.12f", units_s(time_ps - begin_ps));
}

static void write_transfer(const struct transfer_row *row, int64_t begin_ps, FILE *out)
{
    const int64_t times_ps[] = {row->start_ps, row->lower_end_ps, row->upper_end_ps, row->true_end_ps};
    fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%s,%" PRId64, row->origin, row->target, row->window, row->kind,
            row->bytes);
    for (size_t t = 0; t < sizeof times_ps / sizeof *times_ps; t++) {
        fputc(',', out);
        write_time(times_ps[t], begin_ps, out);
    }
    fputc('\n', out);
}

enum status csv_write_transfers(struct transfer_log *log, int64_t begin_ps, FILE *out, struct err *err)
{
    struct transfer_row row;
    bool any;
    fprintf(out, "origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s\n");
    for (;;) {
        TRY(transfer_log_next(log, &row, &any, err));
        if (!any) return STATUS_OK;
        write_transfer(&row, begin_ps, out);
    }
}
