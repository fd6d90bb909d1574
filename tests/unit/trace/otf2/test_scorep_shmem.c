/* An archive of OpenSHMEM alone in the shape of Score-P's (its sources, src/adapters/shmem), written here with OTF2's
 * own writer: a region per function, all transfers on the window of all PEs with one matching id until the next
 * barrier, active sets as windows, locks by address, a lock that a test got as a request, quiet and fence without
 * records. The trace expected from it is written by hand. */
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

enum { PES = 3 };
enum { G_LOCATIONS, G_ALL, G_SELF, G_SET };
enum { W_ALL, W_SELF, W_SET }; /* and their communicators */
static const char *const regions[] = {
    "start_pes",
    "shmalloc",
    "shmem_long_put",
    "shmem_putmem",
    "shmem_quiet",
    "shmem_long_p",
    "shmem_int_finc",
    "shmem_int_add",
    "shmem_set_lock",
    "shmem_clear_lock",
    "shmem_barrier",
    "shmem_broadcast64",
    "my_pe",
    "shmem_long_sum_to_all",
    "shmem_fcollect32",
    "shmem_barrier_all",
    "shmem_int_g",
    "shmem_int_wait_until",
    "shmem_finalize",
    "shmem_test_lock",
    "shmem_fence",
    "shmem_long_cswap",
};
enum { REGIONS = sizeof regions / sizeof *regions };

#define OTF2(call)        assert_int_equal(call, OTF2_SUCCESS)
#define RECORD(NAME, ...) OTF2(OTF2_EvtWriter_##NAME(out, NULL, now, __VA_ARGS__))
#define LEVEL             (OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY)
#define NO_PE             OTF2_UNDEFINED_UINT32
#define NO_ROOT           OTF2_COLLECTIVE_ROOT_NONE
#define LOCK              UINT64_C(0xff0001234560)

static OTF2_EvtWriter *out;
static OTF2_TimeStamp now;

static uint32_t region(const char *name)
{
    for (uint32_t i = 0; i < REGIONS; i++)
        if (strcmp(regions[i], name) == 0) return i;
    fail_msg("%s", name);
    return 0;
}

static void enter(const char *name, uint64_t time)
{
    now = time;
    OTF2(OTF2_EvtWriter_Enter(out, NULL, now, region(name)));
}

static void leave(const char *name, uint64_t time)
{
    now = time;
    OTF2(OTF2_EvtWriter_Leave(out, NULL, now, region(name)));
}

static void bare(const char *name, uint64_t from, uint64_t to)
{
    enter(name, from);
    leave(name, to);
}

static void transfer(const char *name, uint64_t from, uint32_t pe, uint64_t bytes, bool put)
{
    enter(name, from);
    if (put)
        RECORD(RmaPut, W_ALL, pe, bytes, 0);
    else
        RECORD(RmaGet, W_ALL, pe, bytes, 0);
    now = from + 1;
    RECORD(RmaOpCompleteBlocking, W_ALL, 0);
    leave(name, from + 1);
}

static void atomic(const char *name, uint64_t from, uint32_t pe, OTF2_RmaAtomicType type, uint64_t sent,
                   uint64_t received)
{
    enter(name, from);
    RECORD(RmaAtomic, W_ALL, pe, type, sent, received, 0);
    now = from + 1;
    RECORD(RmaOpCompleteBlocking, W_ALL, 0);
    leave(name, from + 1);
}

static void collective(const char *name, uint64_t from, uint64_t to, OTF2_CollectiveOp op, uint32_t win, uint64_t sent,
                       uint64_t received)
{
    enter(name, from);
    OTF2(OTF2_EvtWriter_RmaCollectiveBegin(out, NULL, now));
    now = to;
    RECORD(RmaCollectiveEnd, op, LEVEL, win, NO_ROOT, sent, received);
    leave(name, to);
}

/* Of 3 PEs: 4 elements of 8 bytes to 2 others; 5 of 4 bytes from each of 2 others. Of 2: 3 of 8 bytes. */
static void collectives(uint32_t pe)
{
    collective("shmem_barrier_all", 90 + pe, 100, OTF2_COLLECTIVE_OP_BARRIER, W_ALL, 0, 0);
    collective("shmem_broadcast64", 101, 110, OTF2_COLLECTIVE_OP_BCAST, W_ALL, 64, 32);
    collective("shmem_fcollect32", 111, 120, OTF2_COLLECTIVE_OP_ALLGATHER, W_ALL, 40, 40);
    if (pe != 1) collective("shmem_long_sum_to_all", 121, 130, OTF2_COLLECTIVE_OP_REDUCE, W_SET, 24, 24);
    if (pe == 0) collective("shmem_barrier", 131, 132, OTF2_COLLECTIVE_OP_BARRIER, W_SELF, 0, 0);
    bare("shmem_finalize", 140, 150);
}

static void events_of_pe_0(void)
{
    bare("start_pes", 1, 9);
    bare("shmalloc", 10, 12);
    bare("my_pe", 13, 14);
    transfer("shmem_long_put", 20, 1, 80, true);
    transfer("shmem_putmem", 22, 1, 16, true);
    bare("shmem_quiet", 24, 28);
    transfer("shmem_long_p", 40, 1, 8, true);
    atomic("shmem_int_finc", 42, 2, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, 0, 4);
    atomic("shmem_int_add", 44, 2, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 4, 0);
    enter("shmem_set_lock", 50);
    now = 60;
    RECORD(RmaAcquireLock, W_ALL, NO_PE, LOCK, OTF2_LOCK_EXCLUSIVE);
    leave("shmem_set_lock", 60);
    enter("shmem_clear_lock", 70);
    now = 71;
    RECORD(RmaReleaseLock, W_ALL, NO_PE, LOCK);
    leave("shmem_clear_lock", 71);
    collectives(0);
}

static void events_of_pe_1(void)
{
    bare("start_pes", 1, 9);
    enter("shmem_int_wait_until", 25);
    RECORD(RmaWaitChange, W_ALL);
    leave("shmem_int_wait_until", 45);
    enter("shmem_test_lock", 62); /* had by PE 0 */
    RECORD(RmaTryLock, W_ALL, NO_PE, LOCK, OTF2_LOCK_EXCLUSIVE);
    leave("shmem_test_lock", 63);
    enter("shmem_test_lock", 72); /* got it */
    RECORD(RmaRequestLock, W_ALL, NO_PE, LOCK, OTF2_LOCK_EXCLUSIVE);
    leave("shmem_test_lock", 73);
    enter("shmem_clear_lock", 74);
    RECORD(RmaReleaseLock, W_ALL, NO_PE, LOCK);
    leave("shmem_clear_lock", 75);
    collectives(1);
}

static void events_of_pe_2(void)
{
    bare("start_pes", 1, 9);
    transfer("shmem_int_g", 30, 0, 4, false);
    bare("shmem_fence", 31, 32);
    atomic("shmem_long_cswap", 33, 1, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, 16, 8);
    collectives(2);
}

static uint32_t string_count;

static uint32_t string(OTF2_GlobalDefWriter *defs, const char *text)
{
    OTF2(OTF2_GlobalDefWriter_WriteString(defs, string_count, text));
    return string_count++;
}

static void define_group(OTF2_GlobalDefWriter *defs, uint32_t group, OTF2_GroupType type, uint32_t count,
                         const uint64_t *members)
{
    OTF2(OTF2_GlobalDefWriter_WriteGroup(defs, group, 0, type, OTF2_PARADIGM_SHMEM, OTF2_GROUP_FLAG_NONE, count,
                                         members));
}

static void define(OTF2_GlobalDefWriter *defs, const uint64_t counts[PES])
{
    static const uint64_t all[] = {0, 1, 2}, set[] = {0, 2};
    OTF2(OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, 0, 1000, OTF2_UNDEFINED_TIMESTAMP));
    string_count = 0;
    string(defs, "");
    uint32_t master = string(defs, "Master thread"),
             names[] = {string(defs, "All PEs"), string(defs, "Self PE"), string(defs, "Active set 0:1:2")};
    OTF2(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, master, master, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < PES; i++) {
        OTF2(OTF2_GlobalDefWriter_WriteLocationGroup(defs, i, string(defs, "PE"), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                     OTF2_UNDEFINED_LOCATION_GROUP));
        OTF2(OTF2_GlobalDefWriter_WriteLocation(defs, i, master, OTF2_LOCATION_TYPE_CPU_THREAD, counts[i], i));
    }
    for (uint32_t i = 0; i < REGIONS; i++) {
        uint32_t name = string(defs, regions[i]);
        OTF2(OTF2_GlobalDefWriter_WriteRegion(defs, i, name, name, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SHMEM,
                                              OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
    define_group(defs, G_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, PES, all);
    define_group(defs, G_ALL, OTF2_GROUP_TYPE_COMM_GROUP, PES, all);
    define_group(defs, G_SELF, OTF2_GROUP_TYPE_COMM_SELF, 0, all);
    define_group(defs, G_SET, OTF2_GROUP_TYPE_COMM_GROUP, 2, set);
    for (uint32_t i = 0; i < 3; i++) {
        OTF2(OTF2_GlobalDefWriter_WriteComm(defs, i, names[i], G_ALL + i, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        OTF2(OTF2_GlobalDefWriter_WriteRmaWin(defs, i, names[i], i, OTF2_RMA_WIN_FLAG_NONE));
    }
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void write_archive(const char *directory)
{
    static void (*const events[])(void) = {events_of_pe_0, events_of_pe_1, events_of_pe_2};
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    uint64_t counts[PES];
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
    OTF2(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    OTF2(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t i = 0; i < PES; i++) {
        out = OTF2_Archive_GetEvtWriter(archive, i);
        assert_non_null(out);
        events[i]();
        OTF2(OTF2_EvtWriter_GetNumberOfEvents(out, &counts[i]));
        OTF2(OTF2_Archive_CloseEvtWriter(archive, out));
    }
    OTF2(OTF2_Archive_CloseEvtFiles(archive));
    OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(archive);
    define(defs, counts);
    OTF2(OTF2_Archive_CloseGlobalDefWriter(archive, defs));
    OTF2(OTF2_Archive_Close(archive));
}

#define COLLECTIVES(pe, begin)                                                                                         \
    pe " 0.0000000" begin " 0.000000100 shmem_barrier_all comm=0\n" pe                                                 \
       " 0.000000101 0.000000110 shmem_broadcast comm=0 root=0 bytes=32\n" pe                                          \
       " 0.000000111 0.000000120 shmem_fcollect comm=0 bytes=20\n"
#define SET(pe) pe " 0.000000121 0.000000130 shmem_sum_to_all comm=1 bytes=24 op=SUM\n"
#define END(pe) pe " 0.000000140 0.000000150 shmem_finalize\n"

/* One nanosecond is 0.000000001 s. */
static const char expected_text[] =
    "rmacast-trace 1\nranks 3\ncomm 1 ranks=0,2\ncomm 2 ranks=0\nwindow 0 comm=0 flavor=heap name=All%20PEs\n"
    "note 1 MPI or OpenSHMEM function is kept as regions, rmacast does not replay them: my_pe\n"
    "note OpenSHMEM routines come without symmetric addresses: taken as unknown; locks are told by their addresses, "
    "taken as the same on all PEs\n"
    "note 1 wait of OpenSHMEM does not say where: taken as for the last write to its PE\n"
    "note 3 broadcasts of OpenSHMEM come without root: taken as the first PE of the active set\n"
    "0 0.000000001 0.000000009 shmem_init\n"
    "0 0.000000010 0.000000012 shmem_malloc\n"
    "0 0.000000013 enter my_pe\n0 0.000000014 leave my_pe\n"
    "0 0.000000020 0.000000021 shmem_put win=0 target=1 bytes=80\n"
    "0 0.000000022 0.000000023 shmem_put win=0 target=1 bytes=16\n"
    "0 0.000000024 0.000000028 shmem_quiet win=0\n"
    "0 0.000000040 0.000000041 shmem_p win=0 target=1 bytes=8\n"
    "0 0.000000042 0.000000043 shmem_atomic_fetch_inc win=0 target=2 bytes=0 result_bytes=4 op=SUM\n"
    "0 0.000000044 0.000000045 shmem_atomic_add win=0 target=2 bytes=4 op=SUM\n"
    "0 0.000000050 0.000000060 shmem_set_lock win=0 object=0\n"
    "0 0.000000070 0.000000071 shmem_clear_lock win=0 object=0\n" COLLECTIVES("0", "90")
        SET("0") "0 0.000000131 0.000000132 shmem_barrier comm=2\n" END(
            "0") "1 0.000000001 0.000000009 shmem_init\n"
                 "1 0.000000025 0.000000045 shmem_wait_until win=0\n"
                 "1 0.000000062 0.000000063 shmem_test_lock win=0 object=0 flag=0\n"
                 "1 0.000000072 0.000000073 shmem_test_lock win=0 object=0 flag=1\n"
                 "1 0.000000074 0.000000075 shmem_clear_lock win=0 object=0\n" COLLECTIVES("1", "91")
                     END("1") "2 0.000000001 0.000000009 shmem_init\n"
                              "2 0.000000030 0.000000031 shmem_g win=0 target=0 bytes=4\n"
                              "2 0.000000031 0.000000032 shmem_fence win=0\n"
                              "2 0.000000033 0.000000034 shmem_atomic_compare_swap win=0 target=1 bytes=16 "
                              "result_bytes=8\n" COLLECTIVES("2", "92") SET("2") END("2");

static struct trace *read_back(const char *directory)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (otf2_read(directory, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (trace_check(trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static void shape_of_scorep(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES], ours[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    temp_dir_make(directory);
    temp_dir_make(ours);
    write_archive(directory);
    struct trace *trace = read_back(directory), *expected = trace_of(expected_text);
    char *text = text_of(trace), *expected_again = text_of(expected);
    assert_string_equal(text, expected_again);
    assert_int_equal(otf2_write(trace, ours, &err), STATUS_OK);
    struct trace *back = read_back(ours);
    assert_traces_equal(back, trace);
    free(text);
    free(expected_again);
    trace_free(trace);
    trace_free(expected);
    trace_free(back);
    temp_dir_remove(directory);
    temp_dir_remove(ours);
}

/* RMACAST_KEEP=DIR writes the archive there, for scripts. */
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shape_of_scorep)};
    const char *keep = getenv("RMACAST_KEEP");
    if (keep) {
        write_archive(keep);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
