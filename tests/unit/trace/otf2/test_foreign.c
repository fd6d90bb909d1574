/* An archive in the shape of Score-P's, written here with OTF2's own writer: no attributes, one matching id for all
 * puts of an epoch to one target, receives known at their completion, thread locations, functions that rmacast has
 * no row for. The trace expected from it is written by hand in the text form. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

/* References of definitions. The clock ticks in nanoseconds from 1000 on. */
enum { MEMBERS = 3, THREAD = 7, GLOBAL_OFFSET = 1000 };
enum { G_LOCATIONS, G_WORLD, G_SELF, G_PAIR = 400000000, G_TARGETS = 7, G_ORIGIN };
enum { C_WORLD = 1, C_SELF, C_PAIR = 536870911, C_INTER = 5 }; /* EZTrace 2.0 leaves such gaps */
enum { W_WORLD, W_PAIR = 300000000 };
enum {
    R_MAIN,
    R_EXCHANGE,
    R_CXX,
    R_INIT,
    R_WIN_CREATE,
    R_START,
    R_PUT,
    R_COMPLETE,
    R_POST,
    R_WAIT_WIN,
    R_LOCK,
    R_UNLOCK,
    R_ISEND,
    R_IRECV,
    R_WAITALL,
    R_WAIT,
    R_TEST,
    R_SEND,
    R_RECV,
    R_SENDRECV,
    R_RANK,
    R_ALLREDUCE,
    R_BCAST,
    R_DUP,
    R_BARRIER,
    R_IALLREDUCE,
    R_FENCE,
    R_ALLGATHERV,
    R_ALLTOALLV,
    R_GATHERV,
    R_SCATTERV,
    REGION_COUNT
};
static const char *const regions[REGION_COUNT][2] = {
    {"int main(int, char**)", "main"},
    {"exchange", "exchange"},
    {"void f<int>(int)", "_Z1fIiEvT_"},
    {"MPI_Init", NULL},
    {"MPI_Win_create", NULL},
    {"MPI_Win_start", NULL},
    {"MPI_Put", NULL},
    {"MPI_Win_complete", NULL},
    {"MPI_Win_post", NULL},
    {"MPI_Win_wait", NULL},
    {"MPI_Win_lock", NULL},
    {"MPI_Win_unlock", NULL},
    {"MPI_Isend", NULL},
    {"MPI_Irecv", NULL},
    {"MPI_Waitall", NULL},
    {"MPI_Wait", NULL},
    {"MPI_Test", NULL},
    {"MPI_Send", NULL},
    {"MPI_Recv", NULL},
    {"MPI_Sendrecv", NULL},
    {"MPI_Comm_rank", NULL},
    {"MPI_Allreduce", NULL},
    {"MPI_Bcast", NULL},
    {"MPI_Comm_dup", NULL},
    {"MPI_Barrier", NULL},
    {"MPI_Iallreduce", NULL},
    {"MPI_Win_fence", NULL},
    {"MPI_Allgatherv", NULL},
    {"MPI_Alltoallv", NULL},
    {"MPI_Gatherv", NULL},
    {"MPI_Scatterv", NULL},
};

#define OTF2(call) assert_int_equal(call, OTF2_SUCCESS)
#define NO_ROOT    OTF2_COLLECTIVE_ROOT_NONE

static OTF2_EvtWriter *out;
static OTF2_TimeStamp now;

static void enter(uint32_t region, uint64_t time)
{
    now = GLOBAL_OFFSET + time;
    OTF2(OTF2_EvtWriter_Enter(out, NULL, now, region));
}

static void leave(uint32_t region, uint64_t time)
{
    now = GLOBAL_OFFSET + time;
    OTF2(OTF2_EvtWriter_Leave(out, NULL, now, region));
}

#define RECORD(NAME, ...) OTF2(OTF2_EvtWriter_##NAME(out, NULL, now, __VA_ARGS__))

static void events_one_sided(void)
{
    enter(R_WIN_CREATE, 10);
    OTF2(OTF2_EvtWriter_RmaCollectiveBegin(out, NULL, now));
    RECORD(RmaWinCreate, W_WORLD);
    RECORD(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, W_WORLD, NO_ROOT, 0, 0);
    leave(R_WIN_CREATE, 20);
    enter(R_START, 30);
    RECORD(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, W_WORLD, G_TARGETS);
    leave(R_START, 40);
    for (uint64_t i = 0; i < 2; i++) {
        enter(R_PUT, 50 + 10 * i);
        RECORD(RmaPut, W_WORLD, 1, 8 + i, 1);
        leave(R_PUT, 55 + 10 * i);
    }
    enter(R_COMPLETE, 70);
    RECORD(RmaOpCompleteNonBlocking, W_WORLD, 1);
    RECORD(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, W_WORLD, G_TARGETS);
    leave(R_COMPLETE, 80);
    enter(R_LOCK, 90); /* window over ranks 2, 0: rank 0 of it is world rank 2 */
    RECORD(RmaRequestLock, W_PAIR, 0, 0, OTF2_LOCK_SHARED);
    leave(R_LOCK, 91);
    enter(R_UNLOCK, 92);
    RECORD(RmaReleaseLock, W_PAIR, 0, 0);
    leave(R_UNLOCK, 93);
}

/* Requests have large ids. The second receive never completes. Another thread receives with the fourth request, which
 * waits here, and waits for the fifth one. */
static const uint64_t first = UINT64_C(5000000000);

static void events_messages(void)
{
    enter(R_EXCHANGE, 100);
    enter(R_IRECV, 101);
    RECORD(MpiIrecvRequest, first);
    leave(R_IRECV, 102);
    enter(R_IRECV, 103);
    RECORD(MpiIrecvRequest, first + 1);
    leave(R_IRECV, 104);
    enter(R_ISEND, 105);
    RECORD(MpiIsend, 0, C_PAIR, 5, 64, first + 2);
    leave(R_ISEND, 106);
    enter(R_TEST, 107);
    RECORD(MpiRequestTest, first);
    leave(R_TEST, 108);
    enter(R_ISEND, 109);
    RECORD(MpiIsend, 1, C_WORLD, 6, 96, first + 4);
    leave(R_ISEND, 109);
    enter(R_WAITALL, 110);
    RECORD(MpiIrecv, 1, C_WORLD, 9, 128, first);
    RECORD(MpiIsendComplete, first + 77); /* nobody made it */
    RECORD(MpiIsendComplete, first + 2);
    RECORD(MpiIrecv, 2, C_WORLD, 7, 32, first + 3);
    leave(R_WAITALL, 120);
    enter(R_SEND, 121); /* to MPI_PROC_NULL */
    leave(R_SEND, 122);
    enter(R_SENDRECV, 123);
    RECORD(MpiSend, 1, C_WORLD, 1, 8);
    RECORD(MpiRecv, 2, C_WORLD, 2, 16);
    leave(R_SENDRECV, 124);
    leave(R_EXCHANGE, 130);
}

static void events_collectives(void)
{
    enter(R_ALLREDUCE, 200);
    OTF2(OTF2_EvtWriter_MpiCollectiveBegin(out, NULL, now));
    enter(R_CXX, 201); /* the program's own operation, called by MPI */
    leave(R_CXX, 202);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, C_WORLD, NO_ROOT, 24, 24);
    leave(R_ALLREDUCE, 210);
    enter(R_BCAST, 211);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BCAST, C_SELF, 0, 4, 4);
    leave(R_BCAST, 212);
    enter(R_DUP, 213); /* Score-P 7 says nothing about it */
    leave(R_DUP, 214);
    enter(R_BARRIER, 215);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, C_INTER, NO_ROOT, 0, 0);
    leave(R_BARRIER, 216);
    enter(R_CXX, 217);
    leave(R_CXX, 218);
    for (uint64_t i = 0; i < 2; i++) { /* the second one never completes */
        enter(R_IALLREDUCE, 219 + 2 * i);
        RECORD(NonBlockingCollectiveRequest, first + 5 + i);
        leave(R_IALLREDUCE, 220 + 2 * i);
    }
    enter(R_WAIT, 223);
    RECORD(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_ALLREDUCE, C_WORLD, NO_ROOT, 24, 24, first + 5);
    leave(R_WAIT, 224);
}

/* Amounts that differ between members are what the rank moved: its own part, which allgatherv sends to each of three. */
static void events_of_vectors(void)
{
    static const struct {
        uint32_t region, root;
        OTF2_CollectiveOp op;
        uint64_t sent, received;
    } rows[] = {{R_ALLGATHERV, NO_ROOT, OTF2_COLLECTIVE_OP_ALLGATHERV, 24, 60},
                {R_ALLTOALLV, NO_ROOT, OTF2_COLLECTIVE_OP_ALLTOALLV, 20, 28},
                {R_GATHERV, 1, OTF2_COLLECTIVE_OP_GATHERV, 16, 0},
                {R_SCATTERV, 1, OTF2_COLLECTIVE_OP_SCATTERV, 0, 12}};
    for (uint64_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enter(rows[i].region, 230 + 2 * i);
        RECORD(MpiCollectiveEnd, rows[i].op, C_WORLD, rows[i].root, rows[i].sent, rows[i].received);
        leave(rows[i].region, 231 + 2 * i);
    }
}

static void events_of_rank_0(void)
{
    enter(R_MAIN, 0);
    enter(R_INIT, 1);
    leave(R_INIT, 9);
    events_one_sided();
    events_messages();
    enter(R_RANK, 140);
    RECORD(MpiSend, 1, C_WORLD, 1, 8); /* as of a function that rmacast does not know */
    RECORD(MpiRecv, 2, C_WORLD, 1, 8);
    leave(R_RANK, 141);
    events_collectives();
    events_of_vectors();
    leave(R_MAIN, 300);
}

static void events_of_rank_1(void)
{
    enter(R_POST, 30);
    RECORD(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, W_WORLD, G_ORIGIN);
    leave(R_POST, 31);
    enter(R_WAIT_WIN, 40);
    RECORD(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, W_WORLD, G_ORIGIN);
    leave(R_WAIT_WIN, 90);
    enter(R_BCAST, 211);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BCAST, C_SELF, 0, 4, 4);
    leave(R_BCAST, 212);
}

/* Its recording began inside a call and stops inside another one. */
static void events_of_rank_2(void)
{
    leave(R_FENCE, 5);
    enter(R_RECV, 10);
    RECORD(MpiRecv, 0, C_WORLD, 3, 77);
}

static void events_of_thread(void)
{
    enter(R_EXCHANGE, 12);
    leave(R_EXCHANGE, 13);
    enter(R_IRECV, 25);
    RECORD(MpiIrecvRequest, first + 3);
    leave(R_IRECV, 26);
    enter(R_WAIT, 111);
    RECORD(MpiIsendComplete, first + 4);
    leave(R_WAIT, 130);
}

static uint64_t write_location(OTF2_Archive *archive, uint64_t location, void (*events)(void))
{
    uint64_t count;
    out = OTF2_Archive_GetEvtWriter(archive, location);
    assert_non_null(out);
    events();
    OTF2(OTF2_EvtWriter_GetNumberOfEvents(out, &count));
    OTF2(OTF2_Archive_CloseEvtWriter(archive, out));
    return count;
}

static uint32_t string_count;

static uint32_t string(OTF2_GlobalDefWriter *defs, const char *text)
{
    OTF2(OTF2_GlobalDefWriter_WriteString(defs, string_count, text));
    return string_count++;
}

static void define_places(OTF2_GlobalDefWriter *defs, const uint64_t counts[MEMBERS + 1])
{
    uint32_t master = string(defs, "Master thread");
    OTF2(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, master, master, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        OTF2(OTF2_GlobalDefWriter_WriteLocationGroup(
            defs, i, string(defs, "MPI Rank"), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
        OTF2(OTF2_GlobalDefWriter_WriteLocation(defs, i, master, OTF2_LOCATION_TYPE_CPU_THREAD, counts[i], i));
    }
    OTF2(OTF2_GlobalDefWriter_WriteLocation(defs, THREAD, master, OTF2_LOCATION_TYPE_CPU_THREAD, counts[MEMBERS], 0));
}

static void define_regions(OTF2_GlobalDefWriter *defs)
{
    for (uint32_t i = 0; i < REGION_COUNT; i++) {
        uint32_t name = string(defs, regions[i][0]), canonical = regions[i][1] ? string(defs, regions[i][1]) : name;
        OTF2(OTF2_GlobalDefWriter_WriteRegion(defs, i, name, canonical, 0, OTF2_REGION_ROLE_FUNCTION,
                                              regions[i][1] ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_MPI,
                                              OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

static void define_group(OTF2_GlobalDefWriter *defs, uint32_t group, OTF2_GroupType type, uint32_t count,
                         const uint64_t *members)
{
    OTF2(
        OTF2_GlobalDefWriter_WriteGroup(defs, group, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members));
}

static void define_communication(OTF2_GlobalDefWriter *defs)
{
    static const uint64_t all[] = {0, 1, 2}, pair[] = {2, 0};
    define_group(defs, G_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, 3, all);
    define_group(defs, G_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, 3, all);
    define_group(defs, G_SELF, OTF2_GROUP_TYPE_COMM_SELF, 0, all);
    define_group(defs, G_PAIR, OTF2_GROUP_TYPE_COMM_GROUP, 2, pair);
    define_group(defs, G_TARGETS, OTF2_GROUP_TYPE_COMM_GROUP, 2, all + 1);
    define_group(defs, G_ORIGIN, OTF2_GROUP_TYPE_COMM_GROUP, 1, all);
    OTF2(OTF2_GlobalDefWriter_WriteComm(defs, C_WORLD, 0, G_WORLD, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    OTF2(OTF2_GlobalDefWriter_WriteComm(defs, C_SELF, 0, G_SELF, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    OTF2(OTF2_GlobalDefWriter_WriteComm(defs, C_PAIR, 0, G_PAIR, C_WORLD, OTF2_COMM_FLAG_NONE));
    OTF2(OTF2_GlobalDefWriter_WriteInterComm(defs, C_INTER, 0, G_ORIGIN, G_TARGETS, C_WORLD, OTF2_COMM_FLAG_NONE));
    OTF2(OTF2_GlobalDefWriter_WriteRmaWin(defs, W_WORLD, 0, C_WORLD, OTF2_RMA_WIN_FLAG_NONE));
    OTF2(OTF2_GlobalDefWriter_WriteRmaWin(defs, W_PAIR, 0, C_PAIR, OTF2_RMA_WIN_FLAG_NONE));
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void write_archive(const char *directory)
{
    static void (*const events[])(void) = {events_of_rank_0, events_of_rank_1, events_of_rank_2, events_of_thread};
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    uint64_t counts[MEMBERS + 1];
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
    OTF2(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    OTF2(OTF2_Archive_OpenEvtFiles(archive));
    for (int i = 0; i <= MEMBERS; i++)
        counts[i] = write_location(archive, i < MEMBERS ? (uint64_t)i : THREAD, events[i]);
    OTF2(OTF2_Archive_CloseEvtFiles(archive));
    OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(archive);
    string_count = 0;
    OTF2(OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, GLOBAL_OFFSET, 1000, OTF2_UNDEFINED_TIMESTAMP));
    string(defs, "");
    define_places(defs, counts);
    define_regions(defs);
    define_communication(defs);
    OTF2(OTF2_Archive_CloseGlobalDefWriter(archive, defs));
    OTF2(OTF2_Archive_Close(archive));
}

/* One nanosecond is 0.000000001 s. Windows and communicators are numbered by their first use. */
static const char expected_text[] =
    "rmacast-trace 1\nranks 3\n"
    "comm 1 ranks=2,0\ncomm 2 ranks=0\ncomm 3 ranks=1\n"
    "window 0 comm=0 flavor=create\nwindow 1 comm=1\n"
    "incomplete 2 the archive ends inside MPI_Recv\n"
    "note 3 MPI functions are kept as regions, rmacast does not replay them: MPI_Comm_rank, MPI_Comm_dup, MPI_Barrier\n"
    "note 2 of these regions are calls whose records are missing\n"
    "note 2 messages of such regions are left out\n"
    "note 1 message without a record is taken as MPI_PROC_NULL's\n"
    "note 1 receive never completed: its sender is unknown, taken as MPI_PROC_NULL\n"
    "note 1 non-blocking collective never completed, or is of two groups: taken as of the rank alone\n"
    "note 1 region inside an MPI call is left out\n"
    "note one-sided calls come without assertions, displacements, operations and window sizes: taken as none, "
    "unknown, unknown and unknown\n"
    "0 0 enter main\n"
    "0 0.000000001 0.000000009 MPI_Init\n"
    "0 0.000000010 0.000000020 MPI_Win_create win=0\n"
    "0 0.000000012 enter exchange thread=1\n"
    "0 0.000000013 leave exchange thread=1\n"
    "0 0.000000025 0.000000026 MPI_Irecv comm=0 peer=2 tag=7 bytes=32 req=6 thread=1\n"
    "0 0.000000030 0.000000040 MPI_Win_start win=0 group=1,2\n"
    "0 0.000000050 0.000000055 MPI_Put win=0 target=1 bytes=8\n"
    "0 0.000000060 0.000000065 MPI_Put win=0 target=1 bytes=9\n"
    "0 0.000000070 0.000000080 MPI_Win_complete win=0\n"
    "0 0.000000090 0.000000091 MPI_Win_lock win=1 target=2 lock=shared\n"
    "0 0.000000092 0.000000093 MPI_Win_unlock win=1 target=2\n"
    "0 0.000000100 enter exchange\n"
    "0 0.000000101 0.000000102 MPI_Irecv comm=0 peer=1 tag=9 bytes=128 req=0\n"
    "0 0.000000103 0.000000104 MPI_Irecv comm=0 peer=- tag=0 bytes=0 req=1\n"
    "0 0.000000105 0.000000106 MPI_Isend comm=1 peer=2 tag=5 bytes=64 req=2\n"
    "0 0.000000107 0.000000108 MPI_Test req=0 flag=0\n"
    "0 0.000000109 0.000000109 MPI_Isend comm=0 peer=1 tag=6 bytes=96 req=3\n"
    "0 0.000000110 0.000000120 MPI_Waitall reqs=0,2,6\n"
    "0 0.000000111 0.000000130 MPI_Wait req=3 thread=1\n"
    "0 0.000000121 0.000000122 MPI_Send comm=0 peer=- tag=0 bytes=0\n"
    "0 0.000000123 0.000000124 MPI_Sendrecv comm=0 peer=1 tag=1 source=2 recvtag=2 bytes=8 received=16\n"
    "0 0.000000130 leave exchange\n"
    "0 0.000000140 enter MPI_Comm_rank\n"
    "0 0.000000141 leave MPI_Comm_rank\n"
    "0 0.000000200 0.000000210 MPI_Allreduce comm=0 bytes=8\n"
    "0 0.000000211 0.000000212 MPI_Bcast comm=2 root=0 bytes=4\n"
    "0 0.000000213 enter MPI_Comm_dup\n"
    "0 0.000000214 leave MPI_Comm_dup\n"
    "0 0.000000215 enter MPI_Barrier\n"
    "0 0.000000216 leave MPI_Barrier\n"
    "0 0.000000217 enter void%20f<int>(int)\n"
    "0 0.000000218 leave void%20f<int>(int)\n"
    "0 0.000000219 0.000000220 MPI_Iallreduce comm=0 bytes=8 req=4\n"
    "0 0.000000221 0.000000222 MPI_Iallreduce comm=2 bytes=0 req=5\n"
    "0 0.000000223 0.000000224 MPI_Wait req=4\n"
    "0 0.000000230 0.000000231 MPI_Allgatherv comm=0 bytes=8\n"
    "0 0.000000232 0.000000233 MPI_Alltoallv comm=0 bytes=20 received=28\n"
    "0 0.000000234 0.000000235 MPI_Gatherv comm=0 root=1 bytes=16\n"
    "0 0.000000236 0.000000237 MPI_Scatterv comm=0 root=1 bytes=12\n"
    "0 0.000000300 leave main\n"
    "1 0.000000030 0.000000031 MPI_Win_post win=0 group=0\n"
    "1 0.000000040 0.000000090 MPI_Win_wait win=0\n"
    "1 0.000000211 0.000000212 MPI_Bcast comm=3 root=1 bytes=4\n"
    "2 0.000000010 0.000000010 MPI_Recv comm=0 peer=0 tag=3 bytes=77 break=1\n";

static void shape_of_scorep(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct trace *trace, *expected = trace_of(expected_text);
    struct err err = {.text = ""};
    temp_dir_make(directory);
    write_archive(directory);
    if (otf2_read(directory, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (trace_check(trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    char *text = text_of(trace), *expected_again = text_of(expected);
    assert_string_equal(text, expected_again);
    assert_traces_equal(trace, expected);
    free(text);
    free(expected_again);
    trace_free(trace);
    trace_free(expected);
    temp_dir_remove(directory);
}

/* An anchor of format 1, as OTF2 1.0 wrote it: the mark, "OTF2", the format, 38 bytes of numbers, three strings, and the end
 * mark behind them. Later formats have more behind the strings (OTF2's source, OTF2_AnchorFile.c). */
enum { FORMAT_AT = 7, STRINGS_AT = 46, STRING_COUNT = 3 };

static void write_anchor_of_format_1(const char *directory)
{
    char path[TEMP_DIR_BYTES + 32];
    unsigned char anchor[4096];
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    size_t bytes = fread(anchor, 1, sizeof anchor, file), end = STRINGS_AT;
    assert_true(bytes > STRINGS_AT && bytes < sizeof anchor);
    anchor[FORMAT_AT] = 1;
    for (int i = 0; i < STRING_COUNT; i++) end += strlen((char *)anchor + end) + 1;
    anchor[end] = 2;     /* OTF2_BUFFER_END_OF_CHUNK */
    anchor[end + 1] = 1; /* OTF2_BUFFER_END_OF_FILE */
    rewind(file);
    assert_int_equal(fwrite(anchor, 1, end + 2, file), end + 2);
    assert_int_equal(ftruncate(fileno(file), (off_t)(end + 2)), 0);
    fclose(file);
}

static void reads_anchor_of_format_1(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct trace *trace, *expected = trace_of(expected_text);
    struct err err = {.text = ""};
    temp_dir_make(directory);
    write_archive(directory);
    write_anchor_of_format_1(directory);
    if (otf2_read(directory, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_traces_equal(trace, expected);
    trace_free(trace);
    trace_free(expected);
    temp_dir_remove(directory);
}

/* What was read, written in our profile, reads back equal: notes included. */
static void becomes_ours(void **state)
{
    (void)state;
    char foreign[TEMP_DIR_BYTES], ours[TEMP_DIR_BYTES];
    struct trace *trace, *back;
    struct err err = {.text = ""};
    temp_dir_make(foreign);
    temp_dir_make(ours);
    write_archive(foreign);
    assert_int_equal(otf2_read(foreign, &trace, &err), STATUS_OK);
    if (otf2_write(trace, ours, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (otf2_read(ours, &back, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_traces_equal(trace, back);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(foreign);
    temp_dir_remove(ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shape_of_scorep), cmocka_unit_test(reads_anchor_of_format_1),
                                       cmocka_unit_test(becomes_ours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
