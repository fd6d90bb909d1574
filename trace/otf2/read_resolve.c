/* Makes the definitions of the trace from the tables of the archive: ranks, communicators, windows, groups, regions,
 * sites, properties. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/limits.h"
#include "trace/otf2/read.h"

static enum status fail_definitions(struct archive_reader *reader, const char *what)
{
    return err_set(reader->err, STATUS_DATA, reader->anchor, "definitions", "%s", what);
}

/* Finds the group of the master threads' locations, which are in the order of ranks. */
static const struct archive_group *locations_of(const struct archive_reader *reader, OTF2_Paradigm paradigm)
{
    const struct archive_definitions *definitions = &reader->definitions;
    for (size_t i = 0; i < definitions->groups.count; i++) {
        const struct archive_group *group = &definitions->groups.items[i];
        if (group->defined && group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm)
            return group;
    }
    return NULL;
}

/* Further threads of a process are in the location group of its rank, and are numbered in the order of definition. */
static enum status number_threads(struct archive_reader *reader, uint32_t rank_count)
{
    struct archive_definitions *definitions = &reader->definitions;
    uint32_t *threads = calloc(rank_count, sizeof *threads);
    struct map ranks = {0};
    uint64_t *slot;
    enum status status = threads ? STATUS_OK : err_memory(reader->err);
    for (size_t i = 0; status == STATUS_OK && i < definitions->location_count; i++) {
        const struct archive_location *location = &definitions->locations[i];
        if (location->rank != TRACE_NONE)
            status = map_put(&ranks, location->group, (uint64_t)location->rank, &slot, reader->err);
    }
    for (size_t i = 0; status == STATUS_OK && i < definitions->location_count; i++) {
        struct archive_location *location = &definitions->locations[i];
        if (location->rank != TRACE_NONE) continue;
        const uint64_t *rank = map_find(&ranks, location->group);
        if (rank && location->cpu_thread && threads[*rank] + 1 < TRACE_THREADS_MAX) {
            location->rank = (int32_t)*rank;
            location->thread = ++threads[*rank];
        } else {
            reader->assumed.other_locations += location->events > 0;
        }
    }
    map_clear(&ranks);
    free(threads);
    return status;
}

static enum status number_ranks(struct archive_reader *reader)
{
    struct archive_definitions *definitions = &reader->definitions;
    const struct archive_group *world = locations_of(reader, OTF2_PARADIGM_MPI);
    if (!world) world = locations_of(reader, OTF2_PARADIGM_SHMEM);
    if (!world || world->count == 0)
        return fail_definitions(
            reader, "no MPI processes and no PEs, expected a group COMM_LOCATIONS of paradigm MPI or SHMEM");
    if (world->count > TRACE_RANKS_MAX)
        return fail_definitions(reader, "more ranks than an analysis takes, expected at most 1048576");
    for (uint32_t i = 0; i < world->count; i++) {
        const uint64_t *index = map_find(&definitions->location_index, world->members[i]);
        if (!index)
            return fail_definitions(
                reader, "rank's location is not defined, expected every member of COMM_LOCATIONS among the locations");
        definitions->locations[*index].rank = (int32_t)i;
    }
    TRY(number_threads(reader, world->count));
    TRY(trace_new(reader->path, world->count, &reader->trace, reader->err));
    reader->self = malloc(world->count * sizeof *reader->self);
    if (!reader->self) return err_memory(reader->err);
    for (uint32_t i = 0; i < world->count; i++) reader->self[i] = ARCHIVE_NOT_MADE;
    return STATUS_OK;
}

/* World ranks of a group's members, in memory that the caller frees; NULL where they are no ranks. */
static enum status world_ranks(struct archive_reader *reader, const struct archive_group *group, int32_t **ranks)
{
    const struct archive_definitions *definitions = &reader->definitions;
    int32_t *made = malloc(((size_t)group->count + 1) * sizeof *made);
    if (!made) return err_memory(reader->err);
    bool valid = (group->type == OTF2_GROUP_TYPE_COMM_GROUP || group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) &&
                 group->paradigm != OTF2_PARADIGM_PTHREAD;
    for (uint32_t i = 0; valid && i < group->count; i++) {
        uint64_t member = group->members[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS || (group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS)) {
            const uint64_t *index = map_find(&definitions->location_index, member);
            member = index ? (uint64_t)definitions->locations[*index].rank : UINT64_MAX;
        }
        valid = member < reader->trace->rank_count;
        if (valid) made[i] = (int32_t)member;
    }
    *ranks = valid ? made : NULL;
    if (!valid) free(made);
    return STATUS_OK;
}

/* The first communicator of all ranks in order is the world. */
static bool is_world(const struct archive_reader *reader, const int32_t *ranks, uint32_t count)
{
    const struct archive_definitions *definitions = &reader->definitions;
    if (count != reader->trace->rank_count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] != (int32_t)i) return false;
    for (size_t i = 0; i < definitions->comms.count; i++)
        if (definitions->comms.items[i].defined && definitions->comms.items[i].id == 0) return false;
    return true;
}

/* Our writer marks intercommunicators by their names. */
static void name_groups(const struct archive_reader *reader, const struct archive_comm *from)
{
    struct trace_comm *comm = &reader->trace->definitions.comms[from->id];
    unsigned id, first, second;
    if (sscanf(archive_string(reader, from->name), ARCHIVE_COMM_BETWEEN, &id, &first, &second) != 3) return;
    if (first > 0 && second > 0 && first < comm->count && comm->count - first == second) comm->first_group = first;
}

static enum status make_comm(struct archive_reader *reader, struct archive_comm *comm)
{
    const struct archive_group *group = comm->inter ? NULL : ARCHIVE_FIND(&reader->definitions, groups, comm->group);
    int32_t *ranks = NULL;
    TRY(archive_may_define(reader));
    comm->id = TRACE_NONE;
    if (!group) return STATUS_OK;
    TRY(world_ranks(reader, group, &ranks));
    if (!ranks) return STATUS_OK;
    enum status status = STATUS_OK;
    if (is_world(reader, ranks, group->count))
        comm->id = 0;
    else
        status = trace_add_comm(reader->trace, ranks, group->count, &comm->id, reader->err);
    free(ranks);
    if (status == STATUS_OK && comm->id > 0 && reader->ours) name_groups(reader, comm);
    return status;
}

enum status archive_may_define(struct archive_reader *reader)
{
    if (!reader->share) return STATUS_OK;
    reader->share->gave_up = true;
    return err_set(reader->err, STATUS_SYSTEM, reader->anchor, NULL, "its ranks have to be read in their order");
}

enum status archive_self_id(struct archive_reader *reader, int32_t *id)
{
    int32_t *self = &reader->self[reader->cursor.rank], rank = (int32_t)reader->cursor.rank;
    if (*self == ARCHIVE_NOT_MADE) {
        TRY(archive_may_define(reader));
        TRY(trace_add_comm(reader->trace, &rank, 1, self, reader->err));
    }
    *id = *self;
    return STATUS_OK;
}

enum status archive_comm_id(struct archive_reader *reader, uint32_t reference, int32_t *id)
{
    struct archive_comm *comm = ARCHIVE_FIND(&reader->definitions, comms, reference);
    *id = TRACE_NONE;
    if (!comm) return STATUS_OK;
    const struct archive_group *group = ARCHIVE_FIND(&reader->definitions, groups, comm->group);
    if (!comm->inter && group && group->type == OTF2_GROUP_TYPE_COMM_SELF) return archive_self_id(reader, id);
    if (comm->id == ARCHIVE_NOT_MADE) TRY(make_comm(reader, comm));
    *id = comm->id;
    return STATUS_OK;
}

static enum status name_window(struct archive_reader *reader, const struct archive_win *win)
{
    const char *name = archive_string(reader, win->name);
    char unnamed[ARCHIVE_WIN_NAME_BYTES];
    bool spaced = archive_win_name_spaced(name, win->id, unnamed) && reader->ours;
    if (!*name || (spaced && strcmp(name, unnamed) == 0)) return STATUS_OK;
    char *made = strndup(name, strlen(name) - spaced);
    if (!made) return err_memory(reader->err);
    enum status status = trace_set_window_name(reader->trace, win->id, made, reader->err);
    free(made);
    return status;
}

enum status archive_win_id(struct archive_reader *reader, uint32_t reference, int32_t *id)
{
    struct archive_definitions *definitions = &reader->definitions;
    *id = TRACE_NONE;
    struct archive_win *win = ARCHIVE_FIND(definitions, wins, reference);
    if (!win) return STATUS_OK;
    if (win->id == ARCHIVE_NOT_MADE) {
        TRY(archive_may_define(reader));
        const struct archive_comm *comm = ARCHIVE_FIND(definitions, comms, win->comm);
        const struct archive_group *group = comm ? ARCHIVE_FIND(definitions, groups, comm->group) : NULL;
        /* One definition of a window over MPI_COMM_SELF is a window per rank. */
        bool self = group && group->type == OTF2_GROUP_TYPE_COMM_SELF;
        int32_t comm_id = TRACE_NONE;
        if (!self) TRY(archive_comm_id(reader, win->comm, &comm_id));
        win->id = TRACE_NONE;
        if (comm_id != TRACE_NONE)
            TRY(trace_add_window(reader->trace, comm_id, NULL, NULL, '?', &win->id, reader->err));
        if (win->id != TRACE_NONE) TRY(name_window(reader, win));
    }
    *id = win->id;
    return STATUS_OK;
}

enum status archive_group_id(struct archive_reader *reader, uint32_t reference, uint32_t *id)
{
    struct archive_group *group = ARCHIVE_FIND(&reader->definitions, groups, reference);
    *id = TRACE_NO_REF;
    if (!group) return STATUS_OK;
    if (group->id == TRACE_NO_REF) {
        int32_t *ranks;
        TRY(archive_may_define(reader));
        TRY(world_ranks(reader, group, &ranks));
        if (!ranks) return STATUS_OK;
        enum status status = trace_add_group(reader->trace, ranks, group->count, &group->id, reader->err);
        free(ranks);
        TRY(status);
    }
    *id = group->id;
    return STATUS_OK;
}

/* Compilers' instrumentation puts "int main(int, char**)" as name and the linker's name as canonical; of C++ the latter
 * is mangled. */
static const char *region_name(const struct archive_reader *reader, const struct archive_region *region)
{
    const char *canonical = archive_string(reader, region->canonical), *name = archive_string(reader, region->name);
    return canonical[0] && strncmp(canonical, "_Z", 2) != 0 ? canonical : name;
}

enum status archive_region_id(struct archive_reader *reader, uint32_t reference, uint32_t *id)
{
    struct archive_region *region = ARCHIVE_FIND(&reader->definitions, regions, reference);
    if (region->user == TRACE_NO_REF) {
        TRY(archive_may_define(reader));
        TRY(trace_add_region(reader->trace, region_name(reader, region), &region->user, reader->err));
    }
    *id = region->user;
    return STATUS_OK;
}

/* Returns the value of a property, which the caller owns (OTF2 allocates it with malloc); NULL if it is not set, or there was no
 * memory: archive_check_memory(). */
static char *find_property(struct archive_reader *reader, const char *name)
{
    char *value = NULL;
    if (OTF2_Reader_GetProperty(reader->otf2, name, &value) != OTF2_SUCCESS) value = NULL;
    return value;
}

static char *numbered_property(struct archive_reader *reader, const char *name, size_t number)
{
    char full[64];
    snprintf(full, sizeof full, "%s%zu", name, number);
    return find_property(reader, full);
}

static enum status wrong_property(struct archive_reader *reader, const char *name, const char *value,
                                  const char *expected)
{
    TRY(archive_check_memory(reader->err));
    return err_set(reader->err, STATUS_DATA, reader->anchor, name, "\"%s\", expected %s", value, expected);
}

static enum status read_profile(struct archive_reader *reader)
{
    char *profile = find_property(reader, ARCHIVE_PROPERTY_PROFILE),
         *zero = find_property(reader, ARCHIVE_PROPERTY_TIME_ZERO);
    enum status status = STATUS_OK;
    char *arrows = find_property(reader, ARCHIVE_PROPERTY_ARROWS);
    reader->ours = profile != NULL;
    reader->arrows = reader->ours && arrows ? (uint32_t)strtoul(arrows, NULL, 10) : UINT32_MAX;
    free(arrows);
    reader->zero = reader->definitions.offset;
    if (profile && strtol(profile, NULL, 10) != ARCHIVE_PROFILE_VERSION)
        status = wrong_property(reader, ARCHIVE_PROPERTY_PROFILE, profile, "1");
    else if (profile && !zero)
        status = wrong_property(reader, ARCHIVE_PROPERTY_TIME_ZERO, "", "ticks");
    else if (profile && reader->definitions.resolution != ARCHIVE_TICKS_PER_S)
        status = fail_definitions(reader, "clock of another resolution, expected 1000000000000 ticks per second");
    else if (profile)
        reader->zero = strtoull(zero, NULL, 10);
    FREE_ALL(profile, zero);
    return status;
}

static enum status read_clock(struct archive_reader *reader)
{
    struct trace *trace = reader->trace;
    char *clock = find_property(reader, ARCHIVE_PROPERTY_CLOCK),
         *cost = find_property(reader, ARCHIVE_PROPERTY_RECORD_COST);
    char *source = find_property(reader, ARCHIVE_PROPERTY_CLOCK_SOURCE),
         *waits = find_property(reader, ARCHIVE_PROPERTY_CORE_WAITS);
    struct trace_clock_quality *quality = &trace->provenance.clock;
    enum status status = STATUS_OK;
    if (clock) {
        quality->known = true;
        if (sscanf(clock, "%lf %lf %" SCNu64, &quality->worst_offset_s, &quality->worst_error_s,
                   &quality->violations) != 3)
            status = wrong_property(reader, ARCHIVE_PROPERTY_CLOCK, clock, "offset and error in seconds, and a count");
    }
    if (source && !trace_clock_source_by_name(source, &quality->source))
        status = wrong_property(reader, ARCHIVE_PROPERTY_CLOCK_SOURCE, source, "monotonic, tsc or mixed");
    if (cost) trace->provenance.record_cost_ps = strtoll(cost, NULL, 10);
    trace->provenance.core_waits = waits != NULL;
    FREE_ALL(waits, clock, cost, source);
    return status;
}

static enum status read_properties(struct archive_reader *reader)
{
    struct trace *trace = reader->trace;
    char *origin = find_property(reader, ARCHIVE_PROPERTY_ORIGIN);
    trace->provenance.simulated = origin && strcmp(origin, "simulated") == 0;
    free(origin);
#define PROVENANCE_TEXT(MEMBER, PROPERTY) trace->provenance.MEMBER = find_property(reader, "RMACAST::" #PROPERTY);
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    char *note;
    for (size_t i = 0; (note = numbered_property(reader, ARCHIVE_PROPERTY_NOTE, i)); i++) {
        enum status status = trace_add_note(trace, reader->err, "%s", note);
        free(note);
        TRY(status);
    }
    return read_clock(reader);
}

/* Reads a property that says which strings are of one kind, and makes room for their ids. */
static enum status find_strings(struct archive_reader *reader, const char *property, bool needed, const char *expected,
                                size_t *first, size_t *count, uint32_t **ids)
{
    char *text = find_property(reader, property);
    size_t strings = reader->definitions.strings.count;
    enum status status = STATUS_OK;
    *first = *count = 0;
    bool good =
        text ? sscanf(text, "%zu %zu", first, count) == 2 && *first <= strings && *count <= strings - *first : !needed;
    if (!good) status = wrong_property(reader, property, text ? text : "", expected);
    free(text);
    TRY(status);
    *ids = calloc(*count + 1, sizeof **ids);
    return *ids ? STATUS_OK : err_memory(reader->err);
}

static enum status make_sites(struct archive_reader *reader)
{
    struct archive_definitions *definitions = &reader->definitions;
    TRY(find_strings(reader, ARCHIVE_PROPERTY_SITES, true, "the first string that is a call site and their count",
                     &definitions->first_site, &definitions->site_count, &definitions->sites));
    for (size_t i = 0; i < definitions->site_count; i++) {
        char *copy = strdup(archive_string(reader, (uint32_t)(definitions->first_site + i))), *function, *file;
        int32_t line;
        enum status status;
        if (!copy) return err_memory(reader->err);
        if (archive_site_parse(copy, &function, &file, &line))
            status = trace_add_site(reader->trace, function, file, line, &definitions->sites[i], reader->err);
        else
            status = fail_definitions(reader, "a call site has not the form function@file:line");
        free(copy);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status make_one_counts(struct archive_reader *reader, const char *text, uint32_t *id)
{
    size_t count = 0, capacity = 0;
    int64_t *bytes = NULL;
    char *end;
    enum status status = array_reserve((void **)&bytes, &capacity, 1, sizeof *bytes, reader->err);
    for (const char *at = text; status == STATUS_OK && *at; at = *end == ',' ? end + 1 : end) {
        status = array_reserve((void **)&bytes, &capacity, count + 1, sizeof *bytes, reader->err);
        if (status != STATUS_OK) break;
        bytes[count++] = strtoll(at, &end, 10);
        if (end == at) status = fail_definitions(reader, "counts have not the form of numbers joined by commas");
    }
    if (status == STATUS_OK) status = trace_add_counts(reader->trace, bytes, (uint32_t)count, id, reader->err);
    free(bytes);
    return status;
}

static enum status make_counts(struct archive_reader *reader)
{
    struct archive_definitions *definitions = &reader->definitions;
    TRY(find_strings(reader, ARCHIVE_PROPERTY_COUNTS, false, "the first string that holds counts and their number",
                     &definitions->first_counts, &definitions->counts_count, &definitions->counts));
    for (size_t i = 0; i < definitions->counts_count; i++)
        TRY(make_one_counts(reader, archive_string(reader, (uint32_t)(definitions->first_counts + i)),
                            &definitions->counts[i]));
    return STATUS_OK;
}

/* "4096,4096" into values of the window's members; false if there are fewer. */
static bool parse_list(const char *text, const char *key, uint32_t count, int64_t *values)
{
    const char *at = strstr(text, key);
    if (!at) return false;
    at += strlen(key);
    for (uint32_t i = 0; i < count; i++) {
        char *end;
        values[i] = strtoll(at, &end, 10);
        if (end == at) return false;
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

static enum status read_window(struct archive_reader *reader, int32_t id)
{
    char *text = numbered_property(reader, ARCHIVE_PROPERTY_WINDOW, (size_t)id);
    if (!text) return STATUS_OK;
    struct trace_window *window = &reader->trace->definitions.windows[id];
    uint32_t count = reader->trace->definitions.comms[window->comm].count;
    if (strncmp(text, "flavor=", 7) == 0 && text[7]) window->flavor = text[7];
    int64_t *bytes = malloc((count + 1) * sizeof *bytes), *units = malloc((count + 1) * sizeof *units);
    window->disp_unit = malloc((count + 1) * sizeof *window->disp_unit);
    enum status status = bytes && units && window->disp_unit ? STATUS_OK : err_memory(reader->err);
    if (status == STATUS_OK && parse_list(text, " bytes=", count, bytes)) {
        window->bytes = bytes;
        bytes = NULL;
    }
    if (status == STATUS_OK && parse_list(text, " disp_unit=", count, units)) {
        for (uint32_t i = 0; i < count; i++) {
            window->disp_unit[i] = (int32_t)units[i];
            if (window->disp_unit[i] != units[i] || units[i] < 1)
                status = wrong_property(reader, ARCHIVE_PROPERTY_WINDOW, text, "displacement units from 1 to 2147483647");
        }
    } else {
        free(window->disp_unit);
        window->disp_unit = NULL;
    }
    FREE_ALL(bytes, units, text);
    return status;
}

/* Our writer's order of definitions is the order of the trace's ids. */
static enum status make_ours(struct archive_reader *reader)
{
    struct archive_definitions *definitions = &reader->definitions;
    int32_t id;
    uint32_t number;
    TRY(read_properties(reader));
    for (uint32_t i = 0; i < definitions->comms.count && i < reader->arrows; i++) TRY(archive_comm_id(reader, i, &id));
    for (uint32_t i = 0; i < definitions->groups.count; i++)
        if (definitions->groups.items[i].defined &&
            strcmp(archive_string(reader, definitions->groups.items[i].name), ARCHIVE_RMA_GROUP) == 0)
            TRY(archive_group_id(reader, i, &number));
    for (uint32_t i = 0; i < definitions->wins.count; i++) {
        TRY(archive_win_id(reader, i, &id));
        if (id != TRACE_NONE) TRY(read_window(reader, id));
    }
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        if (definitions->regions.items[i].defined && definitions->regions.items[i].paradigm == OTF2_PARADIGM_USER)
            TRY(archive_region_id(reader, i, &number));
    TRY(make_sites(reader));
    return make_counts(reader);
}

/* The nearest part of the system tree, from the group's place upwards, that is a machine of shared memory. A tree
 * without any has the groups' own places for nodes, but not its root: that holds all. */
static const char *node_name(const struct archive_reader *reader, OTF2_LocationGroupRef group)
{
    const struct archive_definitions *definitions = &reader->definitions;
    const struct archive_location_group *of = ARCHIVE_FIND(definitions, location_groups, group);
    const struct archive_tree_node *node = of ? ARCHIVE_FIND(definitions, tree_nodes, of->tree_node) : NULL;
    uint32_t own = OTF2_UNDEFINED_STRING;
    /* A damaged tree may have a circle. */
    for (size_t steps = 0; node && steps < definitions->tree_nodes.count; steps++) {
        if (node->is_node) return archive_string(reader, node->name);
        if (steps == 0 && node->parent != OTF2_UNDEFINED_SYSTEM_TREE_NODE) own = node->name;
        node = ARCHIVE_FIND(definitions, tree_nodes, node->parent);
    }
    return archive_string(reader, own);
}

enum status archive_make_trace(struct archive_reader *reader)
{
    TRY(read_profile(reader));
    TRY(number_ranks(reader));
    if (reader->ours) TRY(make_ours(reader));
    for (size_t i = 0; i < reader->definitions.location_count; i++) {
        const struct archive_location *location = &reader->definitions.locations[i];
        if (location->rank == TRACE_NONE || location->thread > 0) continue;
        struct trace_rank *rank = &reader->trace->ranks[location->rank];
        rank->speed = location->speed;
        rank->cores = location->cores;
        rank->memory_bound = location->memory_bound;
        rank->memory_known = location->memory_known;
        const char *node = node_name(reader, location->group);
        if (*node) TRY(trace_set_node(reader->trace, (uint32_t)location->rank, node, reader->err));
        if (!location->incomplete) continue;
        rank->incomplete = true;
        if (location->why == OTF2_UNDEFINED_STRING) continue;
        rank->incomplete_why = strdup(archive_string(reader, location->why));
        if (!rank->incomplete_why) return err_memory(reader->err);
    }
    return STATUS_OK;
}
