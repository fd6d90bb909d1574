/* Global definitions and archive properties of an archive in our profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory_text.h"
#include "trace/otf2/write.h"

/* Strings get their reference as they are written. */
struct definitions {
    struct archive_writer *writer;
    const struct trace *trace;
    OTF2_GlobalDefWriter *out;
    uint32_t strings;
    uint64_t *members; /* room for the largest group */
};

#define DEFINE(NAME, definitions, ...)                                                                                 \
    ARCHIVE_TRY((definitions)->writer, OTF2_GlobalDefWriter_Write##NAME((definitions)->out, __VA_ARGS__))

static uint32_t add_string(struct definitions *definitions, const char *text)
{
    DEFINE(String, definitions, definitions->strings, text);
    return definitions->strings++;
}

static uint32_t add_numbered_string(struct definitions *definitions, const char *text, size_t number)
{
    char name[64];
    snprintf(name, sizeof name, "%s %zu", text, number);
    return add_string(definitions, name);
}

static enum status define_counts(struct definitions *definitions, const struct trace_counts *counts)
{
    struct memory_text made;
    TRY(memory_text_open(&made, definitions->writer->err));
    for (uint32_t i = 0; i < counts->count; i++) fprintf(made.out, "%s%" PRId64, i ? "," : "", counts->bytes[i]);
    TRY(memory_text_close(&made, STATUS_OK, definitions->writer->err));
    add_string(definitions, made.text);
    free(made.text);
    return STATUS_OK;
}

static enum status define_event_strings(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    for (int32_t op = ARCHIVE_STRING_EMPTY; op < TRACE_OP_COUNT; op++)
        add_string(definitions, op ? trace_op_name(op) : "");
    for (size_t i = 0; i < trace->definitions.site_count; i++) {
        char *text = archive_site_text(&trace->definitions.sites[i]);
        if (!text) return err_memory(definitions->writer->err);
        add_string(definitions, text);
        free(text);
    }
    for (size_t i = 0; i < trace->definitions.counts_count; i++)
        TRY(define_counts(definitions, &trace->definitions.counts[i]));
    return STATUS_OK;
}

static void define_paradigm(struct definitions *definitions)
{
    OTF2_AttributeValue comm = {.stringRef = add_string(definitions, "Comm ${id}")};
    OTF2_AttributeValue window = {.stringRef = add_string(definitions, "Win ${id}")};
    DEFINE(Paradigm, definitions, OTF2_PARADIGM_MPI, add_string(definitions, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(Paradigm, definitions, OTF2_PARADIGM_SHMEM, add_string(definitions, "SHMEM"), OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(ParadigmProperty, definitions, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
           OTF2_TYPE_STRING, comm);
    DEFINE(ParadigmProperty, definitions, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
           OTF2_TYPE_STRING, window);
}

static void define_attributes(struct definitions *definitions)
{
    for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        uint32_t name = add_string(definitions, archive_attribute_rows[i].name);
        uint32_t description = add_string(definitions, archive_attribute_rows[i].description);
        DEFINE(Attribute, definitions, i, name, description, archive_attribute_rows[i].type);
    }
}

static void define_locations(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    /* The root is all of the machine; node i of the trace is node i + 1 below it. */
    uint32_t machine = add_string(definitions, "machine"), node = add_string(definitions, ARCHIVE_NODE_CLASS);
    DEFINE(SystemTreeNode, definitions, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(SystemTreeNodeDomain, definitions, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t i = 0; i < trace->definitions.node_count; i++) {
        DEFINE(SystemTreeNode, definitions, i + 1, add_string(definitions, trace->definitions.nodes[i]), node, 0);
        DEFINE(SystemTreeNodeDomain, definitions, i + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
    for (uint32_t i = 0; i < trace->rank_count; i++)
        DEFINE(LocationGroup, definitions, i, add_numbered_string(definitions, "Rank", i),
               OTF2_LOCATION_GROUP_TYPE_PROCESS, trace->ranks[i].node, OTF2_UNDEFINED_LOCATION_GROUP);
    /* ViTE refuses a location that has its group's name. */
    for (uint32_t i = 0; i < trace->rank_count; i++)
        DEFINE(Location, definitions, i, add_numbered_string(definitions, "Master thread", i),
               OTF2_LOCATION_TYPE_CPU_THREAD, definitions->writer->events[i], i);
    for (uint32_t i = 0; i < trace->rank_count; i++)
        for (uint32_t t = 1; t < trace_thread_count(trace, i); t++) {
            uint64_t location = archive_location(definitions->writer, i, t);
            char name[64];
            snprintf(name, sizeof name, "Thread %" PRIu32 ":%" PRIu32, i, t);
            DEFINE(Location, definitions, location, add_string(definitions, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                   definitions->writer->events[location], i);
        }
}

static void define_location_properties(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    uint32_t reason = add_string(definitions, ARCHIVE_PROPERTY_INCOMPLETE),
             speed = add_string(definitions, ARCHIVE_PROPERTY_SPEED),
             cores = add_string(definitions, ARCHIVE_PROPERTY_CORES),
             memory = add_string(definitions, ARCHIVE_PROPERTY_MEMORY);
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        OTF2_AttributeValue value = {.float64 = rank->speed};
        if (rank->speed != 0) DEFINE(LocationProperty, definitions, i, speed, OTF2_TYPE_DOUBLE, value);
        value.float64 = rank->memory_bound;
        if (rank->memory_known) DEFINE(LocationProperty, definitions, i, memory, OTF2_TYPE_DOUBLE, value);
        value = (OTF2_AttributeValue){.uint32 = rank->cores};
        if (rank->cores != 0) DEFINE(LocationProperty, definitions, i, cores, OTF2_TYPE_UINT32, value);
        if (!rank->incomplete) continue;
        value = (OTF2_AttributeValue){.uint8 = 1};
        if (rank->incomplete_why) value.stringRef = add_string(definitions, rank->incomplete_why);
        DEFINE(LocationProperty, definitions, i, reason, rank->incomplete_why ? OTF2_TYPE_STRING : OTF2_TYPE_UINT8,
               value);
    }
}

static void define_regions(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    uint32_t file = add_string(definitions, "MPI");
    for (uint32_t i = 0; i < ID_region_enter; i++) {
        uint32_t name = add_string(definitions, call_name(i));
        DEFINE(Region, definitions, i, name, name, ARCHIVE_STRING_EMPTY, archive_kind(call_kind(i))->role,
               archive_paradigm(i), OTF2_REGION_FLAG_NONE, i < MPI_FUNCTION_COUNT ? file : OTF2_UNDEFINED_STRING, 0, 0);
    }
    for (uint32_t i = 0; i < trace->definitions.region_count; i++) {
        uint32_t name = add_string(definitions, trace->definitions.regions[i]);
        DEFINE(Region, definitions, archive_user_region(i), name, name, ARCHIVE_STRING_EMPTY, OTF2_REGION_ROLE_CODE,
               OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
    }
}

static void define_group(struct definitions *definitions, uint32_t reference, uint32_t name, OTF2_GroupType type,
                         const int32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) definitions->members[i] = (uint64_t)members[i];
    DEFINE(Group, definitions, reference, name, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
           definitions->members);
}

/* The name says which communicators are intercommunicators. */
static uint32_t comm_name(struct definitions *definitions, uint32_t id)
{
    const struct trace_comm *comm = &definitions->trace->definitions.comms[id];
    char text[96];
    if (id == 0) return add_string(definitions, "MPI_COMM_WORLD");
    if (comm->first_group == 0) return add_numbered_string(definitions, "Comm", id);
    snprintf(text, sizeof text, ARCHIVE_COMM_BETWEEN, id, comm->first_group, comm->count - comm->first_group);
    return add_string(definitions, text);
}

static uint32_t win_name(struct definitions *definitions, uint32_t id)
{
    const char *name = definitions->trace->definitions.windows[id].name;
    char unnamed[ARCHIVE_WIN_NAME_BYTES], *spaced = NULL;
    bool spaces = archive_win_name_spaced(name ? name : "", id, unnamed);
    if (spaces && asprintf(&spaced, "%s ", name) < 0) {
        spaced = NULL;
        definitions->writer->failed = true;
    }
    uint32_t made = add_string(definitions, !name ? unnamed : spaced ? spaced : name);
    free(spaced);
    return made;
}

static void define_communication(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    const struct archive_writer *writer = definitions->writer;
    uint32_t rma_group = add_string(definitions, ARCHIVE_RMA_GROUP);
    /* Location i is rank i's thread 0: the world's members are these locations. */
    define_group(definitions, 0, ARCHIVE_STRING_EMPTY, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                 trace->definitions.comms[0].members, trace->rank_count);
    for (size_t i = 0; i < trace->definitions.comm_count; i++)
        define_group(definitions, archive_comm_group(i), ARCHIVE_STRING_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP,
                     trace->definitions.comms[i].members, trace->definitions.comms[i].count);
    for (uint32_t i = 0; i < trace->definitions.group_count; i++)
        define_group(definitions, archive_rma_group(trace, i), rma_group, OTF2_GROUP_TYPE_COMM_GROUP,
                     trace->definitions.groups[i].members, trace->definitions.groups[i].count);
    for (uint32_t i = 0; i < trace->definitions.comm_count; i++)
        DEFINE(Comm, definitions, i, comm_name(definitions, i), archive_comm_group(i), OTF2_UNDEFINED_COMM,
               writer->comm_made[i] ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE);
    for (uint32_t i = 0; i < trace->definitions.window_count; i++)
        DEFINE(RmaWin, definitions, i, win_name(definitions, i), (uint32_t)trace->definitions.windows[i].comm,
               writer->windows[i].creators ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS : OTF2_RMA_WIN_FLAG_NONE);
}

/* A team per rank: its group's members are places in the group of all threads' locations. */
static void define_teams(struct definitions *definitions)
{
    const struct trace *trace = definitions->trace;
    uint32_t group = archive_rma_group(trace, (uint32_t)trace->definitions.group_count), team = 0, first = 0, count = 0;
    bool threads = false;
    for (uint32_t i = 0; i < trace->rank_count; i++) threads = threads || trace->ranks[i].thread_count > 0;
    if (!threads) return;
    DEFINE(Paradigm, definitions, OTF2_PARADIGM_PTHREAD, add_string(definitions, "Pthread"),
           OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
    for (uint32_t i = 0; i < trace->rank_count; i++)
        for (uint32_t t = 0; trace->ranks[i].thread_count > 0 && t < trace_thread_count(trace, i); t++)
            definitions->members[count++] = archive_location(definitions->writer, i, t);
    DEFINE(Group, definitions, group, ARCHIVE_STRING_EMPTY, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_PTHREAD,
           OTF2_GROUP_FLAG_NONE, count, definitions->members);
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        if (trace->ranks[i].thread_count == 0) continue;
        uint32_t own = trace_thread_count(trace, i);
        for (uint32_t t = 0; t < own; t++) definitions->members[t] = first + t;
        first += own;
        DEFINE(Group, definitions, group + 1 + team, ARCHIVE_STRING_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP,
               OTF2_PARADIGM_PTHREAD, OTF2_GROUP_FLAG_NONE, own, definitions->members);
        DEFINE(Comm, definitions, archive_team_comm(definitions->writer, team),
               add_numbered_string(definitions, "Threads of rank", i), group + 1 + team, OTF2_UNDEFINED_COMM,
               OTF2_COMM_FLAG_NONE);
        team++;
    }
}

/* Arrows are messages of communicators that the program does not have. */
static void define_arrows(struct definitions *definitions)
{
    static const char *const names[] = {
#define OTF2_ARROW(ID, NAME) NAME,
#include "trace/otf2/arrows.def"
#undef OTF2_ARROW
    };
    if (!definitions->writer->view) return;
    for (uint32_t i = 0; i < OTF2_ARROW_COUNT; i++)
        DEFINE(Comm, definitions, archive_arrow_comm(definitions->trace, i), add_string(definitions, names[i]),
               archive_comm_group(0), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void set_property(struct archive_writer *writer, const char *name, const char *value)
{
    ARCHIVE_TRY(writer, OTF2_Archive_SetProperty(writer->archive, name, value, true));
}

static void set_numbered(struct archive_writer *writer, const char *name, size_t number, const char *value)
{
    char full[64];
    snprintf(full, sizeof full, "%s%zu", name, number);
    set_property(writer, full, value);
}

/* Stores flavor, bytes and units of a window as properties, if some member's creation call is missing. */
static enum status set_window(struct archive_writer *writer, size_t id)
{
    const struct trace_window *window = &writer->trace->definitions.windows[id];
    uint32_t members = writer->trace->definitions.comms[window->comm].count;
    if (writer->windows[id].creators == members) return STATUS_OK;
    struct memory_text made;
    TRY(memory_text_open(&made, writer->err));
    fprintf(made.out, "flavor=%c", window->flavor);
    for (uint32_t i = 0; window->bytes && i < members; i++)
        fprintf(made.out, "%s%" PRId64, i ? "," : " bytes=", window->bytes[i]);
    for (uint32_t i = 0; window->disp_unit && i < members; i++)
        fprintf(made.out, "%s%" PRId32, i ? "," : " disp_unit=", window->disp_unit[i]);
    TRY(memory_text_close(&made, STATUS_OK, writer->err));
    set_numbered(writer, ARCHIVE_PROPERTY_WINDOW, id, made.text);
    free(made.text);
    return STATUS_OK;
}

static void set_clock(struct archive_writer *writer)
{
    const struct trace *trace = writer->trace;
    char text[128];
    if (trace->provenance.clock.known) {
        snprintf(text, sizeof text, "%.17g %.17g %" PRIu64, trace->provenance.clock.worst_offset_s,
                 trace->provenance.clock.worst_error_s, trace->provenance.clock.violations);
        set_property(writer, ARCHIVE_PROPERTY_CLOCK, text);
    }
    if (trace->provenance.clock.source)
        set_property(writer, ARCHIVE_PROPERTY_CLOCK_SOURCE, trace_clock_source_name(trace->provenance.clock.source));
    snprintf(text, sizeof text, "%" PRIu64, writer->zero);
    set_property(writer, ARCHIVE_PROPERTY_TIME_ZERO, text);
    snprintf(text, sizeof text, "%" PRId64, trace->provenance.record_cost_ps);
    if (trace->provenance.record_cost_ps) set_property(writer, ARCHIVE_PROPERTY_RECORD_COST, text);
    if (trace->provenance.core_waits) set_property(writer, ARCHIVE_PROPERTY_CORE_WAITS, "1");
}

static enum status set_properties(struct archive_writer *writer)
{
    const struct trace *trace = writer->trace;
    char text[64];
    uint32_t incomplete = 0;
    snprintf(text, sizeof text, "%d", ARCHIVE_PROFILE_VERSION);
    set_property(writer, ARCHIVE_PROPERTY_PROFILE, text);
    set_property(writer, ARCHIVE_PROPERTY_ORIGIN, trace->provenance.simulated ? "simulated" : "recorded");
#define PROVENANCE_TEXT(MEMBER, PROPERTY)                                                                              \
    if (trace->provenance.MEMBER) set_property(writer, "RMACAST::" #PROPERTY, trace->provenance.MEMBER);
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    if (writer->view) {
        snprintf(text, sizeof text, "%" PRIu32, archive_arrow_comm(trace, 0));
        set_property(writer, ARCHIVE_PROPERTY_ARROWS, text);
        set_property(writer, ARCHIVE_PROPERTY_MODEL, writer->view->model);
    }
    set_clock(writer);
    snprintf(text, sizeof text, "%d %zu", ARCHIVE_STRING_SITES, trace->definitions.site_count);
    set_property(writer, ARCHIVE_PROPERTY_SITES, text);
    snprintf(text, sizeof text, "%" PRIu32 " %zu", archive_counts_string(trace, 0), trace->definitions.counts_count);
    if (trace->definitions.counts_count) set_property(writer, ARCHIVE_PROPERTY_COUNTS, text);
    for (uint32_t i = 0; i < trace->rank_count; i++) incomplete += trace->ranks[i].incomplete;
    snprintf(text, sizeof text, "%" PRIu32, incomplete);
    if (incomplete) set_property(writer, ARCHIVE_PROPERTY_INCOMPLETE, text);
    for (size_t i = 0; i < trace->provenance.note_count; i++)
        set_numbered(writer, ARCHIVE_PROPERTY_NOTE, i, trace->provenance.notes[i]);
    for (size_t i = 0; i < trace->definitions.window_count; i++) TRY(set_window(writer, i));
    return STATUS_OK;
}

enum status archive_write_definitions(struct archive_writer *writer)
{
    const struct trace *trace = writer->trace;
    struct definitions definitions = {.writer = writer, .trace = trace};
    size_t largest = writer->first_thread[trace->rank_count]; /* locations */
    for (size_t i = 0; i < trace->definitions.comm_count; i++)
        if (trace->definitions.comms[i].count > largest) largest = trace->definitions.comms[i].count;
    for (size_t i = 0; i < trace->definitions.group_count; i++)
        if (trace->definitions.groups[i].count > largest) largest = trace->definitions.groups[i].count;
    definitions.out = OTF2_Archive_GetGlobalDefWriter(writer->archive);
    definitions.members = malloc((largest + 1) * sizeof *definitions.members);
    if (!definitions.members) return err_memory(writer->err);
    enum status status = STATUS_OK;
    writer->failed = writer->failed || !definitions.out;
    if (definitions.out) {
        int64_t begin_ps = trace_begin_ps(definitions.trace);
        DEFINE(ClockProperties, &definitions, ARCHIVE_TICKS_PER_S, archive_time(definitions.writer, begin_ps),
               (uint64_t)definitions.writer->last_ps - (uint64_t)begin_ps, OTF2_UNDEFINED_TIMESTAMP);
        status = define_event_strings(&definitions);
        define_paradigm(&definitions);
        define_attributes(&definitions);
        define_locations(&definitions);
        define_location_properties(&definitions);
        define_regions(&definitions);
        define_communication(&definitions);
        define_arrows(&definitions);
        define_teams(&definitions);
        ARCHIVE_TRY(writer, OTF2_Archive_CloseGlobalDefWriter(writer->archive, definitions.out));
    }
    free(definitions.members);
    TRY(status);
    return set_properties(writer);
}
