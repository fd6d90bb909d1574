#include "model/result/result_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json/field_rows.h"
#include "model/result/result.h"
#include "model/result/result_schema.h"
#include "model/waits/properties.h"

const char *name_function(int call)
{
    return call_name((enum mpi_call)call);
}

const char *name_pattern(int pattern)
{
    return pattern_row((enum pattern)pattern)->name;
}

const char *name_property(int property)
{
    return property_row((enum property)property)->name;
}

static const char *name_origin(int origin)
{
    return trace_origin_name((enum trace_origin)origin);
}

#define S struct result_who
static const struct field who_fields[] = {SAME(rank, IF_NOT_NEGATIVE), SAME(thread, IF_NOT_NEGATIVE, LEFT_OUT),
                                          SAME(node, IF_THERE), {0}};
#undef S

const char *flight_measure_name(int measure)
{
    static const char *const names[FLIGHT_MEASURES] = {"operations", "requests", "bytes"};
    return names[measure];
}

const char *flight_scope_name(int scope)
{
    static const char *const names[FLIGHT_SCOPES] = {"rank", "target", "window"};
    return names[scope];
}

/* --- calls, root causes, critical path --- */

static bool is_positive(const void *number)
{
    return *(const double *)number > 0;
}

static const struct field wait_fields[] = {{.key = "severity_s", .kind = FIELD_DOUBLE}, {0}};

#define S struct result_share
const struct field call_fields[] = {
    FIELD("call", activity),
    SAME(callpath),
    SAME(file, IF_THERE),
    SAME(line, IF_POSITIVE),
    INLINE(NULL, who, who_fields),
    SAME(stands_out, OPTIONAL),
    SAME(init, OPTIONAL),
    SAME(count, OPTIONAL),
    SAME(time_s),
    SAME(share, OPTIONAL),
    FIELD("waits_s", wait_s),
    TABLE("waits", waits_s, name_pattern, wait_fields, .known = is_positive, OPTIONAL),
    SAME(transfer_s, IF_FLAG(transfer_known)),
    SAME(unexplained_s, IF_FLAG(transfer_known)),
    SAME(without_core_s, IF_FLAG(without_core_known)),
    {0}};

static const struct field cause_fields[] = {SAME(callpath), SAME(activity), SAME(file, IF_THERE), SAME(line, IF_POSITIVE),
                                            FIELD("worst_rank", who.rank, UNREAD), INLINE(NULL, who, who_fields), SAME(time_s),
                                            SAME(share), SAME(stands_out), {0}};
#undef S
#define S struct result_shares
static const struct field causes_fields[] = {SAME(total_s), ARRAY("places", items, count, cause_fields), {0}};
#undef S
#define S struct result_user
static const struct field user_fields[] = {SAME(most_s),           SAME(rank), SAME(others_s), SAME(stands_out),
                                           SAME(unbalanced_s, SIGNED), {0}};
#undef S
#define S struct result
const struct field result_calls_fields[] = {
    ARRAY("calls", calls.items, calls.count, call_fields, IF_FLAG(calls_known)),
    FIELD("calls_replay", replay, IF_THERE),
    OBJECT("user_code", user, user_fields, IF_FLAG(calls_known)),
    {0}};
#undef S

/* --- wait states --- */

static bool has_moves(const void *item)
{
    const struct result_moves *moves = item;
    return moves->other_earlier_s != 0 || moves->own_later_s != 0 || moves->advised_s != 0;
}

#define S struct result_moves
static const struct field moves_fields[] = {SAME(other_earlier_s, IF_POSITIVE), SAME(own_later_s, IF_POSITIVE),
                                            SAME(distance_s, IF_FLAG(advised_s), SIGNED), SAME(advised_s, IF_POSITIVE), {0}};
#undef S
#define S struct result_place_rank
const struct field place_rank_fields[] = {INLINE(NULL, who, who_fields), SAME(severity_s), SAME(count), {0}};
#undef S

static bool has_moves_there(const void *place)
{
    return has_moves(&((const struct result_place *)place)->moves);
}

#define S struct result_place
const struct field place_fields[] = {SAME(callpath),
                                     SAME(file, IF_THERE),
                                     SAME(line, IF_POSITIVE),
                                     INLINE(NULL, who, who_fields),
                                     SAME(severity_s),
                                     SAME(count),
                                     SAME(advice, IF_THERE),
                                     OBJECT("moves", moves, moves_fields, IF(has_moves_there)),
                                     SAME(rows, IF_THERE),
                                     ARRAY("ranks", ranks, rank_count, place_rank_fields, IF_FLAG(rank_count), LEFT_OUT),
                                     {0}};
#undef S

struct advised { /* the advice of a pattern: that of its first place */
    const char *advice, *rows;
};

static void make_advised(const void *item, void *made)
{
    const struct result_pattern *pattern = item;
    if (pattern->place_count > 0) *(struct advised *)made = (struct advised){pattern->places->advice, pattern->places->rows};
}

#define S struct advised
static const struct field advised_fields[] = {SAME(advice, IF_THERE), SAME(rows, IF_THERE), {0}};
#undef S
#define S struct result_pattern
static const struct field pattern_fields[] = {SAME(severity_s), SAME(count), SAME(at_most), SAME(rank_severity_s),
                                              MADE(NULL, struct advised, make_advised, advised_fields),
                                              ARRAY("places", places, place_count, place_fields), {0}};
#undef S

/* --- over time --- */

static bool is_in_slice(const void *item)
{
    const struct result_slice_wait *wait = item;
    return wait->count > 0 || wait->severity_s > 0;
}

static const char *name_excess(int index)
{
    if (index < PATTERN_COUNT) return name_pattern(index);
    return index == PATTERN_COUNT ? RESULT_SLICE_OF_CALLS : RESULT_SLICE_OF_COMPUTING;
}

#define S struct result_slice_wait
static const struct field slice_wait_fields[] = {SAME(severity_s), SAME(count), {0}};
#undef S
#define S struct result_slice
const struct field slice_fields[] = {
    SAME(from_s),
    SAME(to_s),
    SAME(iteration, IF_FLAG(iterations)),
    SAME(iterations, IF_POSITIVE),
    SAME(longest_s),
    SAME(time_s),
    SAME(init_s),
    SAME(calls_s),
    SAME(waits_s),
    SAME(efficiency, IF_NOT_NEGATIVE),
    SAME(load_balance, IF_NOT_NEGATIVE),
    SAME(calls),
    SAME(transfers),
    SAME(bytes),
    SAME(stands_out, IF_THERE, .name = name_excess, .count = PATTERN_COUNT + 2),
    TABLE("waits", waits, name_pattern, slice_wait_fields, .known = is_in_slice),
    {0}};
#undef S
#define S struct result_over_time
static const struct field over_time_fields[] = {SAME(iterations, IF_THERE), SAME(loop_sought), SAME(width_s, IF_POSITIVE),
                                                ARRAY("slices", items, count, slice_fields), {0}};
#undef S

/* --- properties --- */

void result_property_times(const struct result *result, double *inclusive_s, double *exclusive_s)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) inclusive_s[p] = exclusive_s[p] = NAN;
    for (size_t i = 0; i < result->property_count; i++) {
        const struct property_row *row = property_by_name(result->properties[i].name);
        if (!row) continue;
        inclusive_s[row - property_row(0)] = result->properties[i].inclusive_s;
        exclusive_s[row - property_row(0)] = result->properties[i].exclusive_s;
    }
}

struct property_times { /* NAN: there is none */
    double mpi_share, inclusive_s[PROPERTY_COUNT], exclusive_s[PROPERTY_COUNT];
};

static void make_properties(const void *item, void *made)
{
    const struct result *result = item;
    struct property_times *times = made;
    times->mpi_share = result->property_count > 0 ? result_mpi_share(result) : -1;
    result_property_times(result, times->inclusive_s, times->exclusive_s);
}

#define S struct property_times
static const struct field inclusive_fields[] = {
    SAME(mpi_share, IF_NOT_NEGATIVE, LEFT_OUT), NAMED(NULL, inclusive_s, name_property, LEFT_OUT), {0}};
static const struct field properties_fields[] = {
    PART("properties", inclusive_fields), NAMED("properties_exclusive", exclusive_s, name_property, LEFT_OUT), {0}};
#undef S

static enum status read_properties(const struct json_node *root, void *item, struct err *err)
{
    struct result *result = item;
    struct json_node inclusive = json_member(root, "properties"), exclusive = json_member(root, "properties_exclusive");
    TRY(json_object(&inclusive, err));
    for (enum property p = 0; p < PROPERTY_COUNT; p++) {
        const char *name = property_row(p)->name;
        struct json_node value = json_member(&inclusive, name), own = json_member(&exclusive, name);
        struct result_property made = {.depth = property_depth(p)};
        if (!value.item) continue;
        TRY(json_number(&value, -1e300, 1e300, &made.inclusive_s, err));
        TRY(json_number(&own, -1e300, 1e300, &made.exclusive_s, err));
        ARRAY_PUSH(result->properties, result->property_count, result->property_capacity, made, err);
        if (!(result->properties[result->property_count - 1].name = strdup(name))) return err_memory(err);
    }
    return STATUS_OK;
}

/* --- transfers --- */

#define S struct result_distribution
static const struct field distribution_fields[] = {SAME(count), SAME(unbounded), SAME(min, IF_FLAG(count)),
                                                   SAME(median, IF_FLAG(count)), SAME(mean, IF_FLAG(count)),
                                                   SAME(max, IF_FLAG(count)), {0}};
#undef S
#define S struct result_rates
const struct field rate_fields[] = {SAME(count),
                                    SAME(unbounded),
                                    SAME(min, IF_FLAG(count)),
                                    SAME(median, IF_FLAG(count)),
                                    SAME(max, IF_FLAG(count)),
                                    SAME(overall, IF_FLAG(count)),
                                    {0}};
#undef S
#define S struct result_group
static const struct field group_fields[] = {SAME(count), SAME(bytes), OBJECT("lower_bound_Bps", lower_bound_Bps, rate_fields),
                                            OBJECT("upper_bound_Bps", upper_bound_Bps, rate_fields), {0}};
#define GROUP {.kind = FIELD_INLINE, .rows = group_fields}, {0}
const struct field pair_fields[] = {SAME(origin, BELOW), SAME(target, BELOW), SAME(kind), GROUP};
const struct field window_fields[] = {SAME(window), SAME(name, IF_THERE), GROUP};
const struct field callpath_fields[] = {FIELD("callpath", name, IF_THERE),
                                        FIELD("operation", function, IF_THERE, .name = name_function, .count = MPI_CALL_COUNT),
                                        SAME(file, IF_THERE), SAME(line, IF_POSITIVE), GROUP};
const struct field size_fields[] = {SAME(from_bytes), SAME(to_bytes), GROUP};
#undef S
#define S struct result
#define GROUPS(KEY, GROUPING, ROWS) ARRAY(KEY, transfer_groups[GROUPING].items, transfer_groups[GROUPING].count, ROWS)
static const struct field groups_fields[] = {GROUPS("windows", TRANSFERS_OF_WINDOW, window_fields),
                                             GROUPS("callpaths", TRANSFERS_OF_PLACE, callpath_fields),
                                             GROUPS("size_classes", TRANSFERS_OF_SIZE, size_fields), {0}};

static bool is_platform_bound(const void *item)
{
    const struct result *result = item;
    return result->platform_bound_Bps.count + result->platform_bound_Bps.unbounded > 0;
}

static const struct field gaps_fields[] = {FIELD("count", gap_count), FIELD("bytes", gap_bytes), {0}};

static const struct field transfers_fields[] = {
    FIELD("count", transfer_count), FIELD("bytes", transfer_bytes), PART("non_contiguous", gaps_fields),
    OBJECT("lower_bound_Bps", lower_bound_Bps, distribution_fields),
    OBJECT("upper_bound_Bps", upper_bound_Bps, distribution_fields),
    OBJECT("platform_bound_Bps", platform_bound_Bps, distribution_fields, IF(is_platform_bound), LEFT_OUT),
    SAME(within_bounds, IF_FLAG(within_known)), GROUPS("pairs", TRANSFERS_OF_PAIR, pair_fields), {0}};

static const struct field fences_fields[] = {FIELD("count", fence_pairs), FIELD("unneeded", unneeded_fence_pairs),
                                             FIELD("saved_s", fence_saved_s), FIELD("empty", empty_fences),
                                             FIELD("empty_s", empty_fence_s), {0}};
#undef S

/* --- the recorded library --- */

#define S struct result_creation
static const struct field creation_fields[] = {NAME_OF("call", call, name_function, MPI_CALL_COUNT), SAME(file, IF_THERE),
                                               SAME(line), SAME(count), FIELD("most_on_a_rank", most), SAME(time_s), {0}};
#undef S

static bool is_behaviour_known(const void *item)
{
    const struct result *result = item;
    return result->behaviour_known || result->behaviour_read;
}

static cJSON *make_behaviour(const void *result)
{
    return result_behaviour_json(result);
}

static bool is_efficiency_known(const void *item)
{
    const struct result *result = item;
    return result->efficiency || result->efficiency_read;
}

static cJSON *make_efficiency(const void *item)
{
    const struct result *result = item;
    return efficiency_json(result->efficiency, result->per_rank);
}

/* --- the run, and what was checked --- */

static void make_waited_share(const void *item, void *made)
{
    const struct result_disturbance *disturbance = item;
    *(double *)made = disturbance->computing_s > 0 ? disturbance->waited_s / disturbance->computing_s : 0;
}

#define S struct result_disturbance
const struct field disturbance_fields[] = {SAME(computing_s),
                                           SAME(waited_s),
                                           COMPUTED("share", FIELD_DOUBLE, make_waited_share),
                                           SAME(worst_rank, BELOW),
                                           SAME(worst_share),
                                           SAME(mpi_s),
                                           SAME(mpi_waited_s),
                                           FIELD("more_ranks_than_cores", crowded),
                                           {0}};
#undef S
#define S struct result_section
const struct field result_section_fields[] = {
    SAME(from, IF_THERE), SAME(to, IF_THERE), SAME(callpath, IF_THERE), SAME(without_init), {0}};
#undef S

static const char *name_state(int holds)
{
    return holds ? "holds" : "broken";
}

#define S struct result_check
static const struct field check_fields[] = {SAME(name), FIELD("state", holds, .name = name_state), SAME(detail), {0}};
#undef S
#define S struct result_buffer
static const struct field buffer_fields[] = {SAME(limit_bytes), SAME(waits), SAME(wait_s), SAME(peak_bytes), {0}};
#undef S
#define S struct result_call
static const struct field trace_call_fields[] = {
    SAME(rank), SAME(thread), SAME(event), FIELD("call", function, .name = name_function, .count = MPI_CALL_COUNT), SAME(time_s),
    SAME(callpath, IF_THERE), SAME(file, IF_THERE), SAME(line, IF_POSITIVE), {0}};
#undef S
#define S struct result_violation
static const struct field violation_fields[] = {SAME(kind), SAME(section), SAME(sentence), INLINE(NULL, call, trace_call_fields),
                                                OBJECT("other", other, trace_call_fields, IF_FLAG(other_known)), {0}};
#undef S
#define S struct result_violations
const struct field violations_fields[] = {FIELD("violation_count", total), ARRAY("violations", items, count, violation_fields),
                                          {0}};
#undef S

static bool is_exceeded(const void *item)
{
    return ((const struct result_limit *)item)->calls > 0;
}

#define S struct result_flight
static const struct field flight_fields[] = {NAME_OF("of", of, flight_measure_name, FLIGHT_MEASURES),
                                             NAME_OF("per", per, flight_scope_name, FLIGHT_SCOPES),
                                             SAME(target, IF_NOT_NEGATIVE),
                                             SAME(window, IF_NOT_NEGATIVE),
                                             SAME(at_least),
                                             SAME(at_most),
                                             INLINE(NULL, first, trace_call_fields),
                                             {0}};
#undef S
#define S struct result_limit
static const struct field limit_fields[] = {NAME_OF("of", of, flight_measure_name, FLIGHT_MEASURES),
                                            NAME_OF("per", per, flight_scope_name, FLIGHT_SCOPES),
                                            SAME(most),
                                            SAME(calls),
                                            SAME(certain),
                                            SAME(target, IF_NOT_NEGATIVE),
                                            SAME(window, IF_NOT_NEGATIVE),
                                            OBJECT("first", first, trace_call_fields, IF(is_exceeded)),
                                            {0}};
#undef S

static bool is_of_rank(const void *item)
{
    return ((const struct result_left_out *)item)->rank >= 0;
}

#define S struct result_left_out
static const struct field left_out_fields[] = {SAME(rank, IF_NOT_NEGATIVE, BELOW),
                                               SAME(event, IF(is_of_rank)),
                                               SAME(time_s, IF_FLAG(time_known), SIGNED), /* as the trace counts it */
                                               SAME(calls, IF_NOT_NEGATIVE),
                                               SAME(reason),
                                               {0}};
#undef S

#define S struct result_node
static const struct field node_fields[] = {SAME(node),   SAME(ranks),  SAME(speed),
                                           SAME(others_speed), SAME(computing_s), SAME(path_s),
                                           SAME(gain_s, IF_FLAG(gain_known), SIGNED), {0}};
#undef S

static bool has_stats(const void *item)
{
    const struct result *result = item;
    return result->events > 0 || result->wall_s > 0 || result->peak_bytes > 0;
}

#define S struct result
static const struct field stats_fields[] = {SAME(events), SAME(wall_s, .most = 1e9), SAME(peak_bytes), {0}};

const struct field result_fields[] = {
    SCHEMA(RESULT_SCHEMA),
    SAME(trace, IF_THERE),
    NAME_OF("origin", origin, name_origin, TRACE_ORIGIN_COUNT),
    SAME(platform, IF_THERE),
    SAME(semantics, IF_THERE),
    SAME(engine, IF_THERE),
    SAME(library, IF_THERE),
    SAME(transport, IF_THERE),
    SAME(incomplete, OPTIONAL),
    SAME(epsilon_s, OPTIONAL),
    SAME(late_post, IF_THERE),
    FIELD("ranks", rank_count),
    SAME(run_time_s),
    INLINE(NULL, uncertainty, uncertainty_fields),
    SAME(rank_time_s),
    OBJECT("section", section, result_section_fields, IF_FLAG(section.known)),
    OBJECT("disturbance", disturbance, disturbance_fields, IF_FLAG(disturbance.known)),
    {.kind = FIELD_INLINE, .rows = result_calls_fields},
    TABLE("patterns", patterns, name_pattern, pattern_fields),
    MADE(NULL, struct property_times, make_properties, properties_fields),
    {.kind = FIELD_OWN, .read = read_properties},
    OBJECT("over_time", over_time, over_time_fields, IF_FLAG(over_time.known), LEFT_OUT),
    PART("transfers", transfers_fields),
    PART("transfer_groups", groups_fields, OPTIONAL),
    ARRAY("in_flight", flights, flight_count, flight_fields, IF_FLAG(flights_known), LEFT_OUT),
    LIST("limits", limits, limit_count, limit_fields, IF_FLAG(limit_count), LEFT_OUT),
    PART("fence_pairs", fences_fields, IF_FLAG(fences_known)),
    FIELD("behaviour", behaviour_read, IF(is_behaviour_known), .tree = make_behaviour,
          .rows = result_behaviour_fields, .array = true),
    ARRAY("window_creations", creations, creation_count, creation_fields, IF_FLAG(behaviour_known)),
    FIELD("efficiency", efficiency_read, IF(is_efficiency_known), .tree = make_efficiency, .rows = efficiency_fields),
    OBJECT("causes", causes, causes_fields, IF_FLAG(causes_known)),
    OBJECT("critical_path", critical_path, causes_fields, IF_FLAG(causes_known)),
    ARRAY("nodes", nodes, node_count, node_fields, IF_FLAG(node_count), LEFT_OUT),
    LIST("verify", checks, check_count, check_fields, IF_FLAG(check_count), LEFT_OUT),
    OBJECT("buffer", buffer, buffer_fields, IF_FLAG(buffer.known), LEFT_OUT),
    PART("engine_stats", stats_fields, IF(has_stats)),
    INLINE(NULL, violations, violations_fields, IF_FLAG(violations.known), LEFT_OUT, UNREAD),
    ARRAY("left_out", left_out, left_out_count, left_out_fields, OPTIONAL),
    TEXTS("notes", notes, note_count, OPTIONAL),
    {0}};
#undef S
