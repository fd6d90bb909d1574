/* Results as a table for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/waits/properties.h"
#include "model/waits/rank_sums.h"
#include "model/result/result.h"

enum { PLACE_BYTES = 160, SHARES_SHOWN = 5 };

static double percent_of(double part_s, double whole_s)
{
    return whole_s > 0 ? 100 * part_s / whole_s : 0;
}

static void print_head(const struct result *result, FILE *out)
{
    char run_time[UNITS_TEXT_BYTES], epsilon[UNITS_TEXT_BYTES], section[RESULT_SECTION_BYTES];
    char disturbed[RESULT_DISTURBANCE_BYTES], error[UNCERTAINTY_TEXT_BYTES], library[RESULT_LIBRARY_BYTES];
    text_print(out, "Trace      %s (%s%s, %" PRIu32 " rank%s)\n", result->trace ? result->trace : "?",
               trace_origin_name(result->origin), result->incomplete ? ", incomplete" : "", result->rank_count,
               units_plural(result->rank_count));
    if (result->origin == TRACE_SIMULATED) {
        text_print(out, "Simulated  platform %s, semantics %s, engine %s\n", result->platform ? result->platform : "?",
                   result->semantics ? result->semantics : "?", result->engine ? result->engine : "?");
        if (result->library) text_print(out, "Library    %s\n", result_library_text(result->library, result->transport, library));
    }
    if (result->section.known) text_print(out, "Section    %s\n", result_section_text(&result->section, section));
    text_print(out, "Run time   %s\n", units_format_duration(result->run_time_s, run_time));
    if (result->uncertainty.known) text_print(out, "How sure   +- %s\n", uncertainty_text(&result->uncertainty, error));
    if (result->disturbance.known)
        text_print(out, "Disturbed  %s\n", result_disturbance_text(&result->disturbance, disturbed));
    result_print_share(result, out);
    text_print(out, "Counted    Late Post up to the %s post, waits of at least %s\n",
               *result->late_post ? result->late_post : "latest", units_format_duration(result->epsilon_s, epsilon));
}

struct ranked {
    enum pattern pattern;
    double severity_s;
};

ORDER(compare_findings, struct ranked, DOWN(severity_s) UP(pattern))

/* The rank that loses more than the others, as a number; "-" where none stands out. */
static bool print_worst_rank(const struct result *result, const struct result_pattern *pattern, FILE *out)
{
    struct spread spread = {.count = 0};
    for (uint32_t r = 0; r < result->rank_count; r++) spread_add(&spread, r, pattern->rank_severity_s[r]);
    if (spread_stands_out(&spread)) text_print(out, " %10" PRIu32, spread.most_rank);
    else text_print(out, " %10s", "-");
    return spread_stands_out(&spread);
}

/* " on n0, thread 2"; nothing where neither is known. */
static void print_who(const struct result_who *who, FILE *out)
{
    if (who->node) text_print(out, " on %s", who->node);
    if (who->thread >= 0) text_print(out, "%s thread %" PRId32, who->node ? "," : "", who->thread);
}

enum { TITLE_BYTES = 64 };

static const char *title_of(const struct result *result, enum pattern pattern, char title[TITLE_BYTES])
{
    snprintf(title, TITLE_BYTES, "%s%s", pattern_row(pattern)->title, result->patterns[pattern].at_most ? ", at most" : "");
    return title;
}

static void print_findings(const struct result *result, size_t top, FILE *out)
{
    struct ranked findings[PATTERN_COUNT];
    size_t count = 0;
    char seconds[UNITS_TEXT_BYTES];
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (result->patterns[p].count > 0)
            findings[count++] = (struct ranked){(enum pattern)p, result->patterns[p].severity_s};
    text_print(out, "\n%-28s %9s %7s %7s %10s  %s\n", "Wait state", "lost", "share", "count", "worst rank",
               "worst place");
    if (count == 0) text_print(out, "none\n");
    if (count > 1) qsort(findings, count, sizeof *findings, compare_findings);
    for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
        const struct result_pattern *pattern = &result->patterns[findings[i].pattern];
        char title[TITLE_BYTES];
        text_print(out, "%-28s %9s %5.1f %% %7" PRIu64, title_of(result, findings[i].pattern, title),
                   units_format_duration(pattern->severity_s, seconds),
                   percent_of(pattern->severity_s, result_total_s(result)), pattern->count);
        const bool stands_out = print_worst_rank(result, pattern, out);
        if (pattern->place_count > 0) {
            const struct result_place *place = &pattern->places[0];
            text_print(out, "  %s", place->callpath);
            if (place->file) text_print(out, " (%s:%" PRId32 ")", place->file, place->line);
            if (stands_out) print_who(&place->who, out);
        }
        fputc('\n', out);
        if (pattern->place_count == 0 || pattern->places[0].severity_s < RESULT_WORTH_ADVICE * result_total_s(result)) continue;
        if (pattern->places[0].advice)
            text_print(out, "    advice: %s\n", pattern->places[0].advice);
        if (pattern->places[0].rows)
            text_print(out, "    try: rmacast compare %s --platform FILE --rows %s\n", result->trace ? result->trace : "TRACE",
                       pattern->places[0].rows);
    }
}

static void print_property_wait(const struct result *result, enum pattern pattern, int depth, FILE *out)
{
    const struct result_pattern *found = &result->patterns[pattern];
    char seconds[UNITS_TEXT_BYTES], title[TITLE_BYTES];
    if (found->count == 0) return;
    text_print(out, "%*s[W] %-*s %10s %5.1f %%\n", 2 * depth, "", 32 - 2 * depth, title_of(result, pattern, title),
               units_format_duration(found->severity_s, seconds),
               percent_of(found->severity_s, result->properties[PROPERTY_TIME].inclusive_s));
}

/* Prints a pattern that is part of another one below that one. */
static void print_property_waits(const struct result *result, const struct result_property *property, FILE *out)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        enum pattern whole = (enum pattern)p;
        if (strcmp(pattern_row(whole)->parent, property->name) != 0 || pattern_whole(whole) != whole) continue;
        print_property_wait(result, whole, property->depth + 1, out);
        for (int part = 0; part < PATTERN_COUNT; part++)
            if (part != p && pattern_whole((enum pattern)part) == whole)
                print_property_wait(result, (enum pattern)part, property->depth + 2, out);
    }
}

static void print_properties(const struct result *result, FILE *out)
{
    char inclusive[UNITS_TEXT_BYTES], exclusive[UNITS_TEXT_BYTES];
    /* Its root is all of the time; other shares are without MPI_Init. */
    const char *title = result->init_s > 0 ? "Time by property, MPI_Init included" : "Time by property, all ranks";
    text_print(out, "\n%-36s %10s %7s %10s\n", title, "inclusive", "share", "exclusive");
    for (size_t i = 0; i < result->property_count; i++) {
        const struct result_property *property = &result->properties[i];
        const struct property_row *row = property_by_name(property->name);
        int indent = 2 * property->depth;
        text_print(out, "%*s%-*s %10s %5.1f %% %10s\n", indent, "", 36 - indent, row ? row->title : property->name,
                   units_format_duration(property->inclusive_s, inclusive),
                   percent_of(property->inclusive_s, result->properties[PROPERTY_TIME].inclusive_s),
                   units_format_duration(property->exclusive_s, exclusive));
        print_property_waits(result, property, out);
    }
}

static void print_shares(const char *title, const struct result_shares *shares, size_t top, FILE *out)
{
    size_t shown = top > 0 ? top : SHARES_SHOWN;
    char seconds[UNITS_TEXT_BYTES];
    if (shares->count == 0) return;
    text_print(out, "\n%-46s %10s %7s %11s\n", title, "time", "share", "worst rank");
    for (size_t i = 0; i < shares->count && i < shown; i++) {
        const struct result_share *share = &shares->items[i];
        char text[PLACE_BYTES];
        snprintf(text, sizeof text, "%s%s%s", share->callpath, *share->callpath ? "/" : "", share->activity);
        text_print(out, "  %-44s %10s %5.1f %%", text, units_format_duration(share->time_s, seconds), 100 * share->share);
        if (share->stands_out) text_print(out, " %11" PRId64, share->who.rank);
        else text_print(out, " %11s", "-");
        if (share->file) text_print(out, "  %s:%" PRId32, share->file, share->line);
        if (share->stands_out && (share->who.node || share->who.thread >= 0)) fputc(' ', out);
        if (share->stands_out) print_who(&share->who, out);
        fputc('\n', out);
    }
    if (shares->count > shown) text_print(out, "  and %zu more\n", shares->count - shown);
}

static void print_fence_pairs(const struct result *result, FILE *out)
{
    char seconds[UNITS_TEXT_BYTES];
    if (!result->fences_known || result->fence_pairs == 0) return;
    text_print(out,
               "\nFences synchronised %" PRIu64 " pair%s of ranks, %" PRIu64 " of them without need; "
               "waiting only for the ranks that exchange data would save %s\n",
               result->fence_pairs, units_plural(result->fence_pairs), result->unneeded_fence_pairs,
               units_format_duration(result->fence_saved_s, seconds));
    if (result->empty_fences == 0) return;
    text_print(out,
               "%" PRIu64 " fence%s no operation of any rank before %s (waiting in %s: %s): no more than a barrier; "
               "MPI_MODE_NOPRECEDE on all ranks spares the synchronisation\n",
               result->empty_fences, result->empty_fences == 1 ? " has" : "s have",
               result->empty_fences == 1 ? "it" : "them", result->empty_fences == 1 ? "it" : "them",
               units_format_duration(result->empty_fence_s, seconds));
}

static void print_creations(const struct result *result, FILE *out)
{
    char seconds[UNITS_TEXT_BYTES];
    if (result->creation_count > 0)
        fputs("\nWindows created in a loop: one that is created once, outside, and used again saves their time\n", out);
    for (size_t i = 0; i < result->creation_count; i++) {
        const struct result_creation *creation = &result->creations[i];
        text_print(out, "  %s (%s:%" PRId32 "): %" PRIu64 " call%s, up to %" PRIu64 " of a rank, %s on all ranks\n",
                   call_name(creation->call), creation->file, creation->line, creation->count, units_plural(creation->count),
                   creation->most,
                   units_format_duration(creation->time_s, seconds));
    }
}

char *result_buffer_text(const struct result_buffer *buffer, char text[RESULT_BUFFER_TEXT_BYTES])
{
    char seconds[UNITS_TEXT_BYTES], limit[UNITS_TEXT_BYTES], peak[UNITS_TEXT_BYTES];
    snprintf(text, RESULT_BUFFER_TEXT_BYTES,
             "%" PRIu64 " put%s waited %s for room in the %s buffer of their rank, of which at most %s were taken",
             buffer->waits, units_plural(buffer->waits), units_format_duration(buffer->wait_s, seconds),
             units_format_bytes((double)buffer->limit_bytes, limit),
             units_format_bytes((double)buffer->peak_bytes, peak));
    return text;
}

static void print_buffer(const struct result *result, FILE *out)
{
    char text[RESULT_BUFFER_TEXT_BYTES];
    if (result->buffer.known) text_print(out, "\nBuffered: %s\n", result_buffer_text(&result->buffer, text));
}

static void print_left_out(const struct result *result, FILE *out)
{
    if (result->left_out_count > 0) text_print(out, "\nLeft out of all figures\n");
    for (size_t i = 0; i < result->left_out_count; i++) {
        const struct result_left_out *part = &result->left_out[i];
        if (part->rank < 0)
            text_print(out, "  one line or part that belongs to no rank\n");
        else if (part->calls >= 0)
            text_print(out, "  rank %" PRId64 " from event %" PRIu64 " on, %" PRId64 " call%s\n", part->rank, part->event,
                       part->calls, units_plural((uint64_t)part->calls));
        else
            text_print(out, "  rank %" PRId64 " from event %" PRIu64 " on\n", part->rank, part->event);
        text_print(out, "    %s\n", part->reason);
    }
}

void result_print_violations(const struct result_violations *violations, FILE *out)
{
    text_print(out, "\nContradictions of MPI\n");
    if (violations->total == 0) text_print(out, "none found\n");
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *violation = &violations->items[i];
        bool posix = *violation->section > '9';
        text_print(out, "  %s: %s (%s%s)\n    at   ", violation->kind, violation->sentence, posix ? "" : "MPI-3.1 ",
                   violation->section);
        result_print_call(&violation->call, out);
        if (!violation->other_known) continue;
        text_print(out, "    with ");
        result_print_call(&violation->other, out);
    }
    if (violations->total > violations->count)
        text_print(out, "  and %" PRIu64 " more of these kinds\n", violations->total - violations->count);
}

void result_print_nodes_head(FILE *out)
{
    text_print(out, "%6s %6s %10s %22s %14s  %s\n", "Node", "ranks", "speed", "computing of a rank", "critical path",
               "run at the others' speed");
}

void result_print_node(const struct result *result, const struct result_node *node, FILE *out)
{
    char computing[UNITS_TEXT_BYTES], gain[UNITS_TEXT_BYTES];
    const double run_s = result->run_time_s > 0 ? result->run_time_s : 1;
    text_print(out, "%6" PRId32 " %6" PRIu32 " %10.4g %22s %12.1f %%", node->node, node->ranks, node->speed,
               units_format_duration(node->computing_s, computing), 100 * node->path_s / run_s);
    if (node->gain_known)
        text_print(out, "  %s shorter, %.1f %%, at %.4g", units_format_duration(node->gain_s, gain), 100 * node->gain_s / run_s,
                   node->others_speed);
    fputc('\n', out);
}

/* One node holds nothing back. */
static void print_nodes(const struct result *result, size_t top, FILE *out)
{
    enum { NODES_SHOWN = 8 };
    const size_t most = top > 0 ? top : NODES_SHOWN, shown = result->node_count < most ? result->node_count : most;
    if (result->node_count < 2) return;
    text_print(out, "\nWhich node holds the run back\n");
    result_print_nodes_head(out);
    for (size_t i = 0; i < shown; i++) result_print_node(result, &result->nodes[i], out);
    if (shown < result->node_count)
        text_print(out, "  and %zu more node%s\n", result->node_count - shown, units_plural(result->node_count - shown));
}

void result_print_notes(char *const *notes, size_t count, FILE *out)
{
    if (count > 0) text_print(out, "\nNotes\n");
    for (size_t i = 0; i < count; i++) text_print(out, "  %s\n", notes[i]);
}

void result_print(const struct result *result, FILE *out)
{
    result_print_top(result, 0, out);
}

static void print_sums(const struct result *result, size_t top, FILE *out)
{
    result_print_calls(result, top, out);
    print_findings(result, top, out);
    print_shares("Root causes: what others did while ranks waited", &result->causes, top, out);
    print_shares("Critical path", &result->critical_path, top, out);
    print_nodes(result, top, out);
    print_properties(result, out);
    result_print_transfers(result, top, out);
    result_print_flights(result, out);
    print_fence_pairs(result, out);
    print_creations(result, out);
    result_print_behaviour(result, out);
    print_buffer(result, out);
}

void result_print_top(const struct result *result, size_t top, FILE *out)
{
    print_head(result, out);
    print_left_out(result, out);
    if (result->over_time.known) result_print_over_time(&result->over_time, out);
    else print_sums(result, top, out);
    if (result->check_count > 0) text_print(out, "\nVerified\n");
    for (size_t i = 0; i < result->check_count; i++)
        text_print(out, "  %-24s %-6s %s\n", result->checks[i].name, result->checks[i].holds ? "holds" : "broken",
                   result->checks[i].detail);
    result_print_notes(result->notes, result->note_count, out);
}
