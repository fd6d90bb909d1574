#include "export/cube.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/analyze.h"

/* --- regions --- */

struct named_site {
    const char *name;
    uint32_t site;
};

ORDER(by_name, struct named_site, BY_TEXT(name) UP(site))

static enum status find_regions(struct cube *cube, struct err *err)
{
    const struct trace *trace = cube->trace;
    struct cube_regions *regions = &cube->regions;
    struct named_site *sites = calloc(trace->definitions.site_count + 1, sizeof *sites);
    size_t count = 0;
    regions->functions = regions->calls = 1 + (uint32_t)trace->definitions.region_count;
    regions->function_names = calloc(trace->definitions.site_count + 1, sizeof *regions->function_names);
    regions->function_of_site = calloc(trace->definitions.site_count + 1, sizeof *regions->function_of_site);
    if (sites && regions->function_names && regions->function_of_site) {
        for (uint32_t s = 0; s < trace->definitions.site_count; s++)
            if (trace->definitions.sites[s].function)
                sites[count++] = (struct named_site){trace->definitions.sites[s].function, s};
        if (count > 1) qsort(sites, count, sizeof *sites, by_name);
        for (size_t i = 0; i < count; i++) {
            if (i == 0 || strcmp(sites[i].name, sites[i - 1].name) != 0)
                regions->function_names[regions->calls++ - regions->functions] = sites[i].name;
            regions->function_of_site[sites[i].site] = regions->calls - 1;
        }
        regions->count = regions->calls + MPI_CALL_COUNT;
        regions->used = calloc(regions->count, sizeof *regions->used);
    }
    free(sites);
    return regions->used ? STATUS_OK : err_memory(err);
}

/* --- call paths --- */

static enum status child_of(struct cube *cube, uint32_t parent, uint32_t region, uint32_t site, uint32_t *node, struct err *err)
{
    uint64_t *pair, *index;
    TRY(map_put(&cube->pairs, map_pair(parent, region), cube->pairs.count, &pair, err));
    TRY(map_put(&cube->node_index, *pair << 32 | site, cube->node_count, &index, err));
    *node = (uint32_t)*index;
    if (*index != cube->node_count) return STATUS_OK;
    struct cube_node made = {.parent = parent, .region = region, .site = site, .depth = cube->nodes[parent].depth + 1};
    ARRAY_PUSH(cube->nodes, cube->node_count, cube->node_capacity, made, err);
    struct cube_node *above = &cube->nodes[parent];
    if (above->last_child != CUBE_NO_NODE)
        cube->nodes[above->last_child].next = *node;
    else
        above->first_child = *node;
    above->last_child = *node;
    cube->regions.used[region] = true;
    return STATUS_OK;
}

/* The call path that ends with the call; the rule of callpath_text() says where the site's function comes in. */
static enum status call_node(struct cube *cube, uint32_t around, uint32_t site, enum mpi_call call, uint32_t *node,
                             struct err *err)
{
    uint32_t function = cube->regions.function_of_site[site], region = cube->nodes[around].region;
    bool is_region = region > 0 && region < cube->regions.functions;
    const char *last = is_region ? cube->trace->definitions.regions[region - 1] : "";
    if (function != 0 && strcmp(cube->regions.function_names[function - cube->regions.functions], last) != 0)
        TRY(child_of(cube, around, function, TRACE_NO_SITE, &around, err));
    return child_of(cube, around, cube->regions.calls + (uint32_t)call, site, node, err);
}

/* The regions of a call path of the analysis, from the outermost one. */
static enum status region_node(struct cube *cube, const struct callpaths *paths, uint32_t path, uint32_t *node, struct err *err)
{
    size_t count = 0;
    for (uint32_t n = path; n != CALLPATH_ROOT; n = paths->nodes[n].parent) count++;
    uint32_t *regions = calloc(count + 1, sizeof *regions);
    if (!regions) return err_memory(err);
    size_t at = count;
    for (uint32_t n = path; n != CALLPATH_ROOT; n = paths->nodes[n].parent) regions[--at] = paths->nodes[n].region;
    enum status status = STATUS_OK;
    *node = CUBE_ROOT;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = child_of(cube, *node, 1 + regions[i], TRACE_NO_SITE, node, err);
    free(regions);
    return status;
}

static enum status order_nodes(struct cube *cube, struct err *err)
{
    uint32_t node = CUBE_ROOT, id = 0;
    cube->order = calloc(cube->node_count, sizeof *cube->order);
    if (!cube->order) return err_memory(err);
    for (;;) {
        cube->nodes[node].id = id;
        cube->order[id++] = node;
        if (cube->nodes[node].first_child != CUBE_NO_NODE) {
            node = cube->nodes[node].first_child;
            continue;
        }
        while (node != CUBE_ROOT && cube->nodes[node].next == CUBE_NO_NODE) node = cube->nodes[node].parent;
        if (node == CUBE_ROOT) return STATUS_OK;
        node = cube->nodes[node].next;
    }
}

/* --- values --- */

static enum status add_value(struct cube *cube, enum cube_metric metric, uint32_t node, uint32_t location, int64_t value,
                       struct err *err)
{
    uint64_t *row;
    TRY(map_put(&cube->rows, map_pair(metric, node), cube->row_count, &row, err));
    if (*row == cube->row_count) {
        size_t first = cube->row_count * cube->location_count;
        TRY(array_reserve((void **)&cube->cells, &cube->cell_capacity, first + cube->location_count, sizeof *cube->cells, err));
        memset(&cube->cells[first], 0, cube->location_count * sizeof *cube->cells);
        cube->row_count++;
    }
    cube->cells[*row * cube->location_count + location] += value;
    return STATUS_OK;
}

const int64_t *cube_row(const struct cube *cube, enum cube_metric metric, uint32_t node)
{
    const uint64_t *row = map_find(&cube->rows, map_pair(metric, node));
    return row ? &cube->cells[*row * cube->location_count] : NULL;
}

static enum status add_time(struct cube *cube, enum property property, uint32_t node, uint32_t location, int64_t ps,
                            struct err *err)
{
    if (ps == 0) return STATUS_OK;
    while (property != PROPERTY_TIME) {
        TRY(add_value(cube, CUBE_TIMES + property, node, location, ps, err));
        property = property_row(property)->parent;
    }
    return add_value(cube, CUBE_TIMES + PROPERTY_TIME, node, location, ps, err);
}

/* The position of a thread: the node around its next call, and the exit of its call before. */
struct place {
    uint32_t node;
    bool begun;
    int64_t at_ps;
};

static enum status add_call(struct cube *cube, struct map *request_makers, uint32_t rank, size_t index, struct place *places,
                            struct err *err)
{
    const struct trace_call *call = &cube->trace->ranks[rank].calls[index];
    const uint32_t thread = trace_call_thread(cube->trace, rank, index), location = cube->first_location[rank] + thread;
    struct place *place = &places[thread];
    if (place->begun) TRY(add_time(cube, PROPERTY_USER, place->node, location, call->enter_ps - place->at_ps, err));
    place->begun = true;
    place->at_ps = call->exit_ps;
    if (call->call == ID_region_enter) {
        TRY(child_of(cube, place->node, 1 + call->region.region, TRACE_NO_SITE, &place->node, err));
        return add_value(cube, CUBE_VISITS, place->node, location, 1, err);
    }
    if (call->call == ID_region_leave) {
        place->node = cube->nodes[place->node].parent; /* trace_check: regions nest */
        return STATUS_OK;
    }
    uint32_t node;
    TRY(call_node(cube, place->node, call->site, call->call, &node, err));
    TRY(add_value(cube, CUBE_VISITS, node, location, 1, err));
    if (call_moves(call->call)) TRY(add_value(cube, CUBE_BYTES, node, location, call->bytes, err));
    struct property_part parts[PROPERTY_PARTS];
    TRY(properties_of_call(request_makers, cube->trace, rank, index, parts, err));
    for (int p = 0; p < PROPERTY_PARTS; p++) TRY(add_time(cube, parts[p].property, node, location, parts[p].ps, err));
    return STATUS_OK;
}

/* Thread 0 lives from the first event of all ranks, others from their own (properties_life_ps()). */
static enum status add_rank(struct cube *cube, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &cube->trace->ranks[rank];
    uint32_t threads = trace_thread_count(cube->trace, rank);
    struct place *places = calloc(threads, sizeof *places);
    struct map request_makers = {0};
    if (!places) return err_memory(err);
    places[0] = (struct place){CUBE_ROOT, true, trace_begin_ps(cube->trace)};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < process->count && status == STATUS_OK; i++)
        status = add_call(cube, &request_makers, rank, i, places, err);
    map_clear(&request_makers);
    free(places);
    return status;
}

static enum status add_waits(struct cube *cube, const struct wait_profile *profile, struct err *err)
{
    for (size_t i = 0; i < profile->count; i++) {
        const struct wait_place *place = &profile->items[i];
        uint32_t node;
        size_t count;
        const struct rank_sum *sums = rank_sums_of(&profile->ranks, (uint32_t)i, &count);
        TRY(region_node(cube, &profile->paths, place->node, &node, err));
        TRY(call_node(cube, node, place->site, place->call, &node, err));
        for (size_t s = 0; s < count; s++) {
            uint32_t location = cube->first_location[sums[s].rank] + sums[s].thread;
            TRY(add_value(cube, CUBE_PATTERNS + place->pattern, node, location, (int64_t)sums[s].ps, err));
            if (pattern_whole(place->pattern) == (enum pattern)place->pattern)
                TRY(add_value(cube, CUBE_WAITS, node, location, (int64_t)sums[s].ps, err));
        }
    }
    return STATUS_OK;
}

static enum status find_waits(struct cube *cube, struct err *err)
{
    struct analyze_found found = {.waits = {.count = 0}};
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct result *result;
    options.found = &found;
    TRY(model_analyze(cube->trace, &options, &result, err));
    result_free(result);
    enum status status = add_waits(cube, &found.profile, err);
    analyze_found_clear(&found);
    return status;
}

/* --- the whole --- */

static enum status find_locations(struct cube *cube, struct err *err)
{
    const struct trace *trace = cube->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) cube->location_count += trace_thread_count(trace, r);
    cube->locations = calloc(cube->location_count, sizeof *cube->locations);
    cube->first_location = calloc(trace->rank_count, sizeof *cube->first_location);
    if (!cube->locations || !cube->first_location) return err_memory(err);
    uint32_t count = 0;
    for (uint32_t n = 0; n <= trace->definitions.node_count; n++)
        for (uint32_t r = 0; r < trace->rank_count; r++) {
            if (trace->ranks[r].node != n) continue;
            cube->first_location[r] = count;
            for (uint32_t t = 0; t < trace_thread_count(trace, r); t++) cube->locations[count++] = (struct cube_location){r, t};
        }
    return STATUS_OK;
}

static enum status build_cube(struct cube *cube, struct err *err)
{
    struct cube_node root = {.parent = CUBE_ROOT};
    TRY(find_regions(cube, err));
    TRY(find_locations(cube, err));
    ARRAY_PUSH(cube->nodes, cube->node_count, cube->node_capacity, root, err);
    cube->regions.used[0] = true;
    for (uint32_t l = 0; l < cube->location_count; l++)
        if (cube->locations[l].thread == 0) TRY(add_value(cube, CUBE_VISITS, CUBE_ROOT, l, 1, err));
    for (uint32_t r = 0; r < cube->trace->rank_count; r++) TRY(add_rank(cube, r, err));
    TRY(find_waits(cube, err));
    return order_nodes(cube, err);
}

enum status cube_build(const struct trace *trace, struct cube *cube, struct err *err)
{
    *cube = (struct cube){.trace = trace};
    enum status status = build_cube(cube, err);
    if (status != STATUS_OK) cube_clear(cube);
    return status;
}

void cube_clear(struct cube *cube)
{
    FREE_ALL(cube->regions.function_names, cube->regions.function_of_site, cube->regions.used, cube->nodes, cube->order);
    map_clear(&cube->pairs);
    map_clear(&cube->node_index);
    FREE_ALL(cube->locations, cube->first_location);
    map_clear(&cube->rows);
    free(cube->cells);
    *cube = (struct cube){.trace = NULL};
}
