/* The part of the table about transfers: all of them, by group, and by pair of ranks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result.h"

enum { NAME_BYTES = 160, NAME_WIDE = 22, GROUPS_SHOWN = 5, MATRIX_RANKS = 16, MATRIX_COLUMNS = 7 };

static void print_distribution(const char *title, const struct result_distribution *rates, FILE *out)
{
    char low[UNITS_TEXT_BYTES], middle[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (rates->count == 0)
        text_print(out, "  %-22s not known", title);
    else
        text_print(out, "  %-22s median %s (%s to %s)", title, units_format_rate(rates->median, middle),
                   units_format_rate(rates->min, low), units_format_rate(rates->max, high));
    if (rates->unbounded > 0) text_print(out, ", %" PRIu64 " without bound", rates->unbounded);
    text_print(out, "\n");
}

static void name_pair(const struct result_group *group, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%" PRId32 " -> %" PRId32 " %s", group->origin, group->target, group->kind);
}

static void name_window(const struct result_group *group, char name[NAME_BYTES])
{
    if (group->name)
        snprintf(name, NAME_BYTES, "%" PRId32 " (%s)", group->window, group->name);
    else
        snprintf(name, NAME_BYTES, "%" PRId32, group->window);
}

static void name_place(const struct result_group *group, char name[NAME_BYTES])
{
    const char *inner = group->name ? strrchr(group->name, '/') : NULL;
    bool named = group->name && strcmp(inner ? inner + 1 : group->name, group->function) == 0;
    const char *path = group->name ? group->name : "", *function = named ? "" : group->function;
    if (group->file)
        snprintf(name, NAME_BYTES, "%s%s%s %s:%" PRId32, path, named ? "" : " ", function, group->file, group->line);
    else
        snprintf(name, NAME_BYTES, "%s%s%s", path, named ? "" : " ", function);
}

static void name_size(const struct result_group *group, char name[NAME_BYTES])
{
    if (group->from_bytes == group->to_bytes)
        snprintf(name, NAME_BYTES, "%" PRId64 " bytes", group->from_bytes);
    else
        snprintf(name, NAME_BYTES, "%" PRId64 " to %" PRId64 " bytes", group->from_bytes, group->to_bytes);
}

static const struct {
    const char *title;
    void (*name)(const struct result_group *group, char name[NAME_BYTES]);
    bool by_bytes; /* the most bytes first; else in the order of the groups */
} tables[TRANSFER_GROUPINGS] = {
    [TRANSFERS_OF_PAIR] = {"Transfers by pair", name_pair, true},
    [TRANSFERS_OF_WINDOW] = {"Transfers by window", name_window, true},
    [TRANSFERS_OF_PLACE] = {"Transfers by call path", name_place, true},
    [TRANSFERS_OF_SIZE] = {"Transfers by size", name_size, false},
};

/* Whether one has more bytes than another, or as many and stands before it. */
static bool is_larger(const struct result_group *one, const struct result_group *other)
{
    return one->bytes != other->bytes ? one->bytes > other->bytes : one < other;
}

/* The group behind another one, which is NULL for the first: in their order, or by bytes. Without memory, so that each table is
 * whole. */
static const struct result_group *next_group(const struct result_groups *groups, const struct result_group *last, bool by_bytes)
{
    const struct result_group *next = NULL;
    if (!by_bytes) return last ? last + 1 : groups->items;
    for (const struct result_group *group = groups->items; group < groups->items + groups->count; group++)
        if ((!last || is_larger(last, group)) && (!next || is_larger(group, next))) next = group;
    return next;
}

static const char *rate_text(const struct result_rates *rates, char text[UNITS_TEXT_BYTES])
{
    return rates->count > 0 ? units_format_rate(rates->median, text) : "-";
}

static void print_group(const struct result_group *group, const char *name, FILE *out)
{
    char bytes[UNITS_TEXT_BYTES], least[UNITS_TEXT_BYTES], overall[UNITS_TEXT_BYTES], most[UNITS_TEXT_BYTES];
    const struct result_rates *lower = &group->lower_bound_Bps;
    const bool apart = strlen(name) > NAME_WIDE;
    text_print(out, apart ? "  %s\n" : "", name);
    text_print(out, "  %-*s %7" PRIu64 " %10s %11s %11s %11s\n", NAME_WIDE, apart ? "" : name, group->count,
               units_format_bytes((double)group->bytes, bytes), rate_text(lower, least),
               lower->count > 0 ? units_format_rate(lower->overall, overall) : "-",
               rate_text(&group->upper_bound_Bps, most));
}

/* A single group repeats the lines above. */
static void print_groups(const struct result *result, enum transfer_grouping grouping, size_t top, FILE *out)
{
    const struct result_groups *groups = &result->transfer_groups[grouping];
    const bool by_bytes = tables[grouping].by_bytes;
    const size_t most = !by_bytes ? groups->count : top > 0 ? top : GROUPS_SHOWN;
    const struct result_group *group = NULL;
    char name[NAME_BYTES];
    if (groups->count < 2) return;
    text_print(out, "\n%-24s %7s %10s %11s %11s %11s\n", tables[grouping].title, "count", "bytes", "at least", "overall",
               "at most");
    for (size_t i = 0; i < groups->count && i < most; i++) {
        group = next_group(groups, group, by_bytes);
        tables[grouping].name(group, name);
        print_group(group, name, out);
    }
    if (groups->count > most) text_print(out, "  and %zu more\n", groups->count - most);
}

static bool is_before(const struct result_group *pair, uint32_t origin, uint32_t target)
{
    uint32_t at = (uint32_t)pair->origin;
    return at < origin || (at == origin && (uint32_t)pair->target < target);
}

uint64_t result_matrix_bytes(const struct result *result, uint32_t origin, uint32_t target, uint64_t *count)
{
    const struct result_groups *pairs = &result->transfer_groups[TRANSFERS_OF_PAIR];
    size_t low = 0;
    uint64_t bytes = 0;
    *count = 0;
    SEARCH_FIRST(low, pairs->count, i, is_before(&pairs->items[i], origin, target));
    for (; low < pairs->count && (uint32_t)pairs->items[low].origin == origin &&
           (uint32_t)pairs->items[low].target == target;
         low++) {
        bytes += pairs->items[low].bytes;
        *count += pairs->items[low].count;
    }
    return bytes;
}

static void print_columns(const struct result *result, uint32_t first, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    uint32_t rest = result->rank_count - first, behind = first + (rest < MATRIX_COLUMNS ? rest : MATRIX_COLUMNS);
    text_print(out, "%8s", "");
    for (uint32_t target = first; target < behind; target++) text_print(out, " %9" PRIu32, target);
    fputc('\n', out);
    for (uint32_t origin = 0; origin < result->rank_count; origin++) {
        text_print(out, "  %6" PRIu32, origin);
        for (uint32_t target = first; target < behind; target++) {
            uint64_t count, bytes = result_matrix_bytes(result, origin, target, &count);
            text_print(out, " %9s", count > 0 ? units_format_bytes((double)bytes, text) : "-");
        }
        fputc('\n', out);
    }
}

/* Prints as many targets side by side as fit into 80 columns. */
static void print_matrix(const struct result *result, FILE *out)
{
    if (result->rank_count > MATRIX_RANKS || result->transfer_groups[TRANSFERS_OF_PAIR].count < 2) return;
    text_print(out, "\nBytes from (down) to\n");
    for (uint32_t first = 0; first < result->rank_count; first += MATRIX_COLUMNS) print_columns(result, first, out);
}

void result_print_transfers(const struct result *result, size_t top, FILE *out)
{
    char bytes[UNITS_TEXT_BYTES];
    if (result->transfer_count == 0) return;
    text_print(out, "\nOne-sided transfers: %" PRIu64 ", %s, %zu pair%s\n", result->transfer_count,
               units_format_bytes((double)result->transfer_bytes, bytes), result->transfer_groups[TRANSFERS_OF_PAIR].count,
               units_plural(result->transfer_groups[TRANSFERS_OF_PAIR].count));
    if (result->gap_count > 0)
        text_print(out, "  %-22s %" PRIu64 ", %s\n", "with gaps in buffers", result->gap_count,
                   units_format_bytes((double)result->gap_bytes, bytes));
    print_distribution("bandwidth, at least", &result->lower_bound_Bps, out);
    print_distribution("bandwidth, at most", &result->upper_bound_Bps, out);
    if (result->within_known)
        text_print(out, "  %-22s %" PRIu64 " of %" PRIu64 "\n", "true end within bounds", result->within_bounds,
                   result->transfer_count);
    for (int g = TRANSFER_GROUPINGS; g-- > 0;) print_groups(result, (enum transfer_grouping)g, top, out);
    print_matrix(result, out);
}
