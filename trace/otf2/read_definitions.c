/* Reads the global definitions of an archive into tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/otf2/read.h"

OTF2_CallbackCode archive_stop(struct archive_reader *reader, enum status status)
{
    if (status == STATUS_OK) return OTF2_CALLBACK_SUCCESS;
    reader->status = status;
    return OTF2_CALLBACK_INTERRUPT;
}

/* Returns the place of a definition, which may hold an earlier one of the same reference; NULL: reader->status says why. */
static void *new_item(struct archive_reader *reader, struct map *far, void **items, size_t *count, size_t *capacity,
                      uint64_t reference, size_t item_bytes)
{
    uint64_t slot = reference, *place = &slot;
    enum status status = STATUS_OK;
    if (reference >= reader->definitions.limit)
        status = map_put(far, reference, reader->definitions.limit + far->count, &place, reader->err);
    size_t at = status == STATUS_OK ? (size_t)*place : 0;
    if (status == STATUS_OK) status = array_reserve(items, capacity, at + 1, item_bytes, reader->err);
    (void)archive_stop(reader, status);
    if (status != STATUS_OK) return NULL;
    if (at >= *count) {
        memset((char *)*items + *count * item_bytes, 0, (at + 1 - *count) * item_bytes);
        *count = at + 1;
    }
    return (char *)*items + at * item_bytes;
}

#define NEW(reader, TABLE, reference)                                                                                  \
    new_item(reader, &(reader)->definitions.TABLE.far, (void **)&(reader)->definitions.TABLE.items,                    \
             &(reader)->definitions.TABLE.count, &(reader)->definitions.TABLE.capacity, reference,                     \
             sizeof *(reader)->definitions.TABLE.items)

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
    struct archive_reader *reader = user;
    (void)length, (void)realtime;
    reader->definitions.resolution = resolution;
    reader->definitions.offset = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
    struct archive_reader *reader = user;
    struct archive_text *made = NEW(reader, strings, self);
    if (!made) return OTF2_CALLBACK_INTERRUPT;
    free(made->text);
    made->text = strdup(string);
    return archive_stop(reader, made->text ? STATUS_OK : err_memory(reader->err));
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    struct archive_reader *reader = user;
    (void)description;
    uint8_t *attribute = NEW(reader, attributes, self);
    if (!attribute) return OTF2_CALLBACK_INTERRUPT;
    for (uint8_t i = 0; i < ATTRIBUTE_COUNT; i++)
        if (type == archive_attribute_rows[i].type &&
            strcmp(archive_string(reader, name), archive_attribute_rows[i].name) == 0)
            *attribute = (uint8_t)(i + 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_tree_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                      OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent)
{
    struct archive_reader *reader = user;
    struct archive_tree_node *node = NEW(reader, tree_nodes, self);
    if (!node) return OTF2_CALLBACK_INTERRUPT;
    bool is_node = strcmp(archive_string(reader, kind), ARCHIVE_NODE_CLASS) == 0;
    *node = (struct archive_tree_node){.defined = true, .is_node = is_node, .name = name, .parent = parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_tree_domain(void *user, OTF2_SystemTreeNodeRef self, OTF2_SystemTreeDomain domain)
{
    struct archive_reader *reader = user;
    struct archive_tree_node *node = ARCHIVE_FIND(&reader->definitions, tree_nodes, self);
    if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY && node) node->is_node = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                           OTF2_LocationGroupRef creator)
{
    struct archive_reader *reader = user;
    (void)name, (void)type, (void)creator;
    struct archive_location_group *group = NEW(reader, location_groups, self);
    if (!group) return OTF2_CALLBACK_INTERRUPT;
    *group = (struct archive_location_group){.defined = true, .tree_node = parent};
    return OTF2_CALLBACK_SUCCESS;
}

static enum status add_location(struct archive_reader *reader, const struct archive_location *location)
{
    struct archive_definitions *definitions = &reader->definitions;
    uint64_t *slot;
    TRY(map_put(&definitions->location_index, location->id, definitions->location_count, &slot, reader->err));
    if (*slot != definitions->location_count)
        return err_set(reader->err, STATUS_DATA, reader->anchor, "definitions", "location %" PRIu64 " is defined twice",
                       location->id);
    ARRAY_PUSH(definitions->locations, definitions->location_count, definitions->location_capacity, *location,
               reader->err);
    return STATUS_OK;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    (void)name;
    struct archive_location location = {.id = self,
                                        .events = events,
                                        .group = group,
                                        .cpu_thread = type == OTF2_LOCATION_TYPE_CPU_THREAD,
                                        .rank = TRACE_NONE,
                                        .why = OTF2_UNDEFINED_STRING};
    return archive_stop(user, add_location(user, &location));
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    struct archive_reader *reader = user;
    const uint64_t *index = map_find(&reader->definitions.location_index, self);
    if (!index) return OTF2_CALLBACK_SUCCESS;
    struct archive_location *location = &reader->definitions.locations[*index];
    const char *text = archive_string(reader, name);
    if (strcmp(text, ARCHIVE_PROPERTY_SPEED) == 0 && type == OTF2_TYPE_DOUBLE) location->speed = value.float64;
    if (strcmp(text, ARCHIVE_PROPERTY_MEMORY) == 0 && type == OTF2_TYPE_DOUBLE && value.float64 >= 0 && value.float64 <= 1) {
        location->memory_bound = value.float64;
        location->memory_known = true;
    }
    if (strcmp(text, ARCHIVE_PROPERTY_CORES) == 0 && type == OTF2_TYPE_UINT32) location->cores = value.uint32;
    if (strcmp(text, ARCHIVE_PROPERTY_INCOMPLETE) != 0) return OTF2_CALLBACK_SUCCESS;
    location->incomplete = true;
    if (type == OTF2_TYPE_STRING) location->why = value.stringRef;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    struct archive_reader *reader = user;
    (void)description, (void)role, (void)flags, (void)file, (void)begin, (void)end;
    struct archive_region *region = NEW(reader, regions, self);
    if (!region) return OTF2_CALLBACK_INTERRUPT;
    enum mpi_call call;
    const char *text = archive_string(reader, name);
    bool known = call_by_name(text, &call) && archive_paradigm(call) == paradigm;
    if (!known && paradigm == OTF2_PARADIGM_SHMEM) known = archive_shmem_function(text, &call);
    *region = (struct archive_region){.defined = true,
                                      .name = name,
                                      .canonical = canonical,
                                      .paradigm = paradigm,
                                      .call = known ? (int32_t)call : TRACE_NONE,
                                      .user = TRACE_NO_REF};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    struct archive_reader *reader = user;
    struct archive_group *group = NEW(reader, groups, self);
    if (!group) return OTF2_CALLBACK_INTERRUPT;
    free(group->members);
    *group = (struct archive_group){.defined = true,
                                    .name = name,
                                    .type = type,
                                    .paradigm = paradigm,
                                    .flags = flags,
                                    .count = count,
                                    .id = TRACE_NO_REF};
    group->members = malloc((count + 1) * sizeof *group->members);
    if (!group->members) return archive_stop(reader, err_memory(reader->err));
    if (count) memcpy(group->members, members, count * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode add_comm(struct archive_reader *reader, OTF2_CommRef self, uint32_t name, uint32_t group,
                                  bool inter)
{
    struct archive_comm *comm = NEW(reader, comms, self);
    if (!comm) return OTF2_CALLBACK_INTERRUPT;
    *comm = (struct archive_comm){
        .defined = true, .inter = inter, .group = group, .name = name, .id = ARCHIVE_NOT_MADE};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    return add_comm(user, self, name, group, false);
}

static OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef one,
                                       OTF2_GroupRef two, OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)two, (void)common, (void)flags;
    return add_comm(user, self, name, one, true);
}

static OTF2_CallbackCode on_win(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                OTF2_RmaWinFlag flags)
{
    struct archive_reader *reader = user;
    (void)flags;
    struct archive_win *win = NEW(reader, wins, self);
    if (!win) return OTF2_CALLBACK_INTERRUPT;
    *win = (struct archive_win){.defined = true, .self = self, .comm = comm, .name = name, .id = ARCHIVE_NOT_MADE};
    return OTF2_CALLBACK_SUCCESS;
}

const char *archive_string(const struct archive_reader *reader, uint32_t reference)
{
    const struct archive_definitions *definitions = &reader->definitions;
    size_t place = archive_place(definitions, &definitions->strings.far, reference);
    const char *text = place < definitions->strings.count ? definitions->strings.items[place].text : NULL;
    return text ? text : "";
}

static enum status fail_definitions(struct archive_reader *reader, const char *what)
{
    int refusal = archive_refusal();
    if (refusal != 0) return archive_refused(refusal, reader->anchor, what, reader->err);
    return err_set(reader->err, STATUS_DATA, reader->anchor, "definitions", "%s: %s, expected a whole OTF2 archive",
                   what, archive_message());
}

/* References are dense in most archives; gaps up to this size need no look-up. */
enum { REFERENCE_SLACK = 1 << 16 };

enum status archive_read_definitions(struct archive_reader *reader)
{
    uint64_t count = 0, read = 0;
    if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader->otf2, &count) != OTF2_SUCCESS)
        return fail_definitions(reader, "cannot count the definitions");
    reader->definitions.limit = (count < UINT32_MAX / 2 ? count : UINT32_MAX / 2) + REFERENCE_SLACK;
    OTF2_GlobalDefReader *in = OTF2_Reader_GetGlobalDefReader(reader->otf2);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!in || !callbacks) {
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
        return fail_definitions(reader, "cannot open the definitions");
    }
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_tree_node);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(callbacks, on_tree_domain);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_win);
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(reader->otf2, in, callbacks, reader);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalDefinitions(reader->otf2, in, &read);
    if (reader->status != STATUS_OK) return reader->status;
    if (code != OTF2_SUCCESS) return fail_definitions(reader, "cannot read the definitions");
    if (read != count)
        return err_set(reader->err, STATUS_DATA, reader->anchor, "definitions",
                       "%" PRIu64 " definitions, expected the %" PRIu64 " that the anchor file names", read, count);
    if (reader->definitions.resolution == 0)
        return err_set(reader->err, STATUS_DATA, reader->anchor, "definitions",
                       "no clock properties, expected ticks per second");
    return STATUS_OK;
}

void archive_definitions_clear(struct archive_definitions *definitions)
{
    for (size_t i = 0; i < definitions->strings.count; i++) free(definitions->strings.items[i].text);
    for (size_t i = 0; i < definitions->groups.count; i++) free(definitions->groups.items[i].members);
#define CLEAR(TABLE) (free(definitions->TABLE.items), map_clear(&definitions->TABLE.far))
    CLEAR(strings);
    CLEAR(attributes);
    CLEAR(regions);
    CLEAR(groups);
    CLEAR(comms);
    CLEAR(wins);
    CLEAR(tree_nodes);
    CLEAR(location_groups);
#undef CLEAR
    FREE_ALL(definitions->locations, definitions->sites, definitions->counts);
    map_clear(&definitions->location_index);
}
