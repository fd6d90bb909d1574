/* Which locations of an archive are threads of which rank: archives that OTF2's own writer makes of definitions alone, and of one
 * region of each location that has events. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

#define OTF2(call) assert_int_equal(call, OTF2_SUCCESS)

struct place {
    uint32_t group;
    OTF2_LocationType type;
    bool events;
};

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* The region `main` of a location lasts a nanosecond, from its own number on. */
static void write_events(OTF2_Archive *archive, uint64_t location)
{
    OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter(archive, location);
    assert_non_null(out);
    OTF2(OTF2_EvtWriter_Enter(out, NULL, location, 0));
    OTF2(OTF2_EvtWriter_Leave(out, NULL, location + 1, 0));
    OTF2(OTF2_Archive_CloseEvtWriter(archive, out));
}

/* Ranks are locations 0 and 1, in location groups 0 and 1. */
static void write_archive(const char *directory, const struct place *places, uint32_t count)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    static const uint64_t ranks[] = {0, 1};
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
    OTF2(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    OTF2(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t i = 0; i < count; i++)
        if (places[i].events) write_events(archive, i);
    OTF2(OTF2_Archive_CloseEvtFiles(archive));
    OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2(OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, 0, 1 << 20, OTF2_UNDEFINED_TIMESTAMP));
    OTF2(OTF2_GlobalDefWriter_WriteString(defs, 0, ""));
    OTF2(OTF2_GlobalDefWriter_WriteString(defs, 1, "main"));
    OTF2(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < 3; i++)
        OTF2(OTF2_GlobalDefWriter_WriteLocationGroup(defs, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                     OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t i = 0; i < count; i++)
        OTF2(OTF2_GlobalDefWriter_WriteLocation(defs, i, 0, places[i].type, places[i].events ? 2 : 0, places[i].group));
    OTF2(OTF2_GlobalDefWriter_WriteRegion(defs, 0, 1, 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                          OTF2_REGION_FLAG_NONE, 0, 0, 0));
    OTF2(OTF2_GlobalDefWriter_WriteGroup(defs, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         2, ranks));
    OTF2(OTF2_Archive_CloseGlobalDefWriter(archive, defs));
    OTF2(OTF2_Archive_Close(archive));
}

static struct trace *read_archive(const struct place *places, uint32_t count)
{
    char directory[TEMP_DIR_BYTES];
    struct trace *trace;
    struct err err;
    temp_dir_make(directory);
    write_archive(file_in(directory, "archive"), places, count);
    if (otf2_read(file_in(directory, "archive"), &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    temp_dir_remove(directory);
    return trace;
}

/* Threads are numbered within their rank, in the order of definition. The third group has no rank, and a metric is no thread; of
 * these the two with events are counted. */
static void threads_are_numbered_within_their_rank(void **state)
{
    static const struct place places[] = {
        {0, OTF2_LOCATION_TYPE_CPU_THREAD, true},  {1, OTF2_LOCATION_TYPE_CPU_THREAD, true},
        {1, OTF2_LOCATION_TYPE_CPU_THREAD, true},  {0, OTF2_LOCATION_TYPE_CPU_THREAD, true},
        {0, OTF2_LOCATION_TYPE_METRIC, false},     {1, OTF2_LOCATION_TYPE_CPU_THREAD, true},
        {2, OTF2_LOCATION_TYPE_CPU_THREAD, true},  {0, OTF2_LOCATION_TYPE_METRIC, true},
    };
    (void)state;
    struct trace *trace = read_archive(places, sizeof places / sizeof *places);
    char *text = text_of(trace);
    assert_string_equal(text, "rmacast-trace 1\nranks 2\nnote 2 locations that are no threads of MPI processes are left out\n"
                              "0 0.000000 enter main\n0 0.000000001 leave main\n0 0.000000003 enter main thread=1\n"
                              "0 0.000000004 leave main thread=1\n1 0.000000001 enter main\n1 0.000000002 leave main\n"
                              "1 0.000000002 enter main thread=1\n1 0.000000003 leave main thread=1\n"
                              "1 0.000000005 enter main thread=2\n1 0.000000006 leave main thread=2\n");
    free(text);
    trace_free(trace);
}

/* A rank has at most TRACE_THREADS_MAX, 65535 threads, its first included: 65533 without events, the last one with; the next is
 * left out. The other rank's first further thread is its thread 1. */
static void the_threads_of_a_rank_have_a_limit(void **state)
{
    enum { SILENT = TRACE_THREADS_MAX - 2, COUNT = 2 + SILENT + 3 };
    struct place *places = calloc(COUNT, sizeof *places);
    (void)state;
    assert_non_null(places);
    for (uint32_t i = 0; i < COUNT; i++) places[i].type = OTF2_LOCATION_TYPE_CPU_THREAD;
    places[1].group = places[COUNT - 1].group = 1;
    for (uint32_t i = 1; i <= 3; i++) places[COUNT - i].events = true;
    struct trace *trace = read_archive(places, COUNT);
    assert_int_equal(trace->ranks[0].count, 2);
    assert_int_equal(trace_call_thread(trace, 0, 0), TRACE_THREADS_MAX - 1);
    assert_int_equal(trace->ranks[1].count, 2);
    assert_int_equal(trace_call_thread(trace, 1, 0), 1);
    assert_int_equal(trace->provenance.note_count, 1);
    assert_string_equal(trace->provenance.notes[0], "1 location that is no thread of an MPI process is left out");
    trace_free(trace);
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_numbered_within_their_rank),
        cmocka_unit_test(the_threads_of_a_rank_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
