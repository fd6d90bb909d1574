/* Any number of threads reads the same trace of a spool, and says the same of a damaged one. What the ranks say is
 * written with the recorder's own buffer; they meet call sites, regions, lists of requests, extents and locks in
 * different orders, so that where each rank is a block, it numbers them otherwise than one thread does, which reads all
 * ranks as one block. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "tests/unit/trace/same_trace.h"
#include "trace/record/output/buffer.h"
#include "trace/spool/read.h"

enum { RANKS = 9, ROUNDS = 40, HEAP = 1 }; /* HEAP: the window of the symmetric memory */

/* Calls by their line; the order of names[]. */
enum { INIT, FINALIZE, ISEND, IRECV, WAITALL, BARRIER, CREATE, PUT, START, COMPLETE, SET_LOCK, CLEAR_LOCK, NAMED };
static const char names[] = "MPI_Init\nMPI_Finalize\nMPI_Isend\nMPI_Irecv\nMPI_Waitall\nMPI_Barrier\nMPI_Win_create\n"
                            "MPI_Put\nMPI_Win_start\nMPI_Win_complete\nshmem_set_lock\nshmem_clear_lock\n";

/* Places whose names debug information has: functions of this program. */
static int site_a(int x)
{
    return x + 1;
}
static int site_b(int x)
{
    return x + 2;
}
static int site_c(int x)
{
    return x + 3;
}
static int (*const functions[])(int) = {site_a, site_b, site_c};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct writer {
    struct rec_buffer buffer;
    uint32_t rank;
    uint64_t time;
    uint32_t requests;
};

static void put(struct writer *to, struct spool_record record)
{
    record.time = to->time += 100;
    assert_true(rec_buffer_put(&to->buffer, &record));
}

static void define(struct writer *to, enum spool_kind kind, struct spool_record head, const void *content, size_t bytes)
{
    head.kind = (uint8_t)kind;
    head.time = to->time;
    assert_true(rec_buffer_define(&to->buffer, head, content, bytes, NULL, 0));
}

/* A return address: just behind a function's first byte. */
static int64_t place(uint32_t number)
{
    return (int64_t)(uintptr_t)functions[number % FUNCTIONS] + 1;
}

static void call(struct writer *to, uint16_t call, struct spool_record enter, struct spool_record leave)
{
    enter.kind = SPOOL_ENTER;
    leave.kind = SPOOL_EXIT;
    enter.call = leave.call = call;
    if (leave.extra == 0) leave.extra = place(to->rank + call);
    put(to, enter);
    put(to, leave);
}

static const struct spool_record nothing = {.id = SPOOL_NO_ID, .peer = -1};

static int find_program(struct dl_phdr_info *about, size_t bytes, void *module)
{
    (void)bytes;
    struct spool_module *made = module;
    made->bias = about->dlpi_addr; /* the first one is the program itself */
    made->low = UINT64_MAX;
    for (int i = 0; i < about->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &about->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        made->low = about->dlpi_addr + part->p_vaddr;
        made->high = made->low + part->p_memsz;
    }
    return 1;
}

static void define_module(struct writer *to)
{
    char content[sizeof(struct spool_module) + 4096];
    struct spool_module module;
    dl_iterate_phdr(find_program, &module);
    ssize_t bytes = readlink("/proc/self/exe", content + sizeof module, 4096);
    assert_true(bytes > 0 && bytes < 4096);
    memcpy(content, &module, sizeof module);
    define(to, SPOOL_MODULE, (struct spool_record){0}, content, sizeof module + (size_t)bytes);
}

static void define_all(struct writer *to)
{
    const int32_t neighbour = (int32_t)(to->rank + 1) % RANKS;
    const struct spool_window window = {.bytes = 4096, .disp_unit = 1, .flavor = 'c'};
    const struct spool_window heap = {.bytes = 4096, .disp_unit = 1, .flavor = 'h'};
    define(to, SPOOL_NAMES, (struct spool_record){.peer = SPOOL_NAMES_CALLS}, names, sizeof names - 1);
    define_module(to);
    define(to, SPOOL_COMM, (struct spool_record){.extra = RANKS}, NULL, 0);
    define(to, SPOOL_GROUP, (struct spool_record){.extra = 1}, &neighbour, sizeof neighbour);
    define(to, SPOOL_WINDOW, (struct spool_record){0}, &window, sizeof window);
    define(to, SPOOL_WINDOW, (struct spool_record){.id = HEAP}, &heap, sizeof heap);
    define(to, SPOOL_REGION, (struct spool_record){.id = 0}, "solve", 5);
}

/* To the next rank and from the one before; some of odd ranks fail before. */
static void exchange(struct writer *to, int round)
{
    int32_t next = (int32_t)(to->rank + 1) % RANKS, before = (int32_t)(to->rank + RANKS - 1) % RANKS;
    struct spool_record made = {.id = to->requests, .peer = -1};
    uint32_t both[] = {to->requests, to->requests + 1};
    if (to->rank % 2 == 1 && round % 8 == 3)
        call(to, to->rank % 4 == 1 ? ISEND : BARRIER, (struct spool_record){.peer = next},
             (struct spool_record){.id = SPOOL_NO_ID, .peer = -1, .flags = SPOOL_FAILED});
    if (round % 3 == (int)to->rank % 3)
        put(to, (struct spool_record){.kind = SPOOL_EXTENTS, .bytes = 100 + ((int)to->rank + round) % 5});
    call(to, ISEND, (struct spool_record){.peer = next, .bytes = 64, .tag = 7}, made);
    made.id++;
    call(to, IRECV, (struct spool_record){.peer = SPOOL_PEER_ANY, .bytes = 64, .tag = -1}, made);
    define(to, SPOOL_LIST, (struct spool_record){0}, both, sizeof both);
    put(to, (struct spool_record){.kind = SPOOL_ENTER, .call = WAITALL, .id = SPOOL_NO_ID, .peer = -1});
    put(to, (struct spool_record){.kind = SPOOL_MATCH, .id = both[1], .peer = before, .bytes = 64, .tag = 7});
    put(to, (struct spool_record){
                .kind = SPOOL_EXIT, .call = WAITALL, .id = SPOOL_NO_ID, .peer = -1, .extra = place((uint32_t)round)});
    to->requests += 2;
}

/* An access epoch, at times with the group that Open MPI takes for none. */
static void put_epoch(struct writer *to, int round)
{
    int32_t group = round % 5 == 4 ? -1 : 0;
    call(to, START, (struct spool_record){.peer = -1, .tag = group}, nothing);
    if (group == 0)
        call(to, PUT, (struct spool_record){.peer = (int32_t)(to->rank + 1) % RANKS, .bytes = 8, .extra = 16}, nothing);
    call(to, COMPLETE, (struct spool_record){.peer = -1}, nothing);
}

/* Marks, functions of the program, and a communicator that a trace cannot hold. */
static void regions(struct writer *to, int round)
{
    struct spool_record function = {.kind = SPOOL_FUNCTION_ENTER,
                                    .extra = (int64_t)(uintptr_t)functions[(to->rank + (uint32_t)round) % FUNCTIONS]};
    put(to, function);
    if (round % 4 == 1) put(to, (struct spool_record){.kind = SPOOL_REGION_ENTER});
    if (round % 4 == 1) put(to, (struct spool_record){.kind = SPOOL_REGION_LEAVE});
    if (to->rank == 6) call(to, BARRIER, nothing, nothing);
    function.kind = SPOOL_FUNCTION_LEAVE;
    put(to, function);
}

/* Symmetric addresses: ranks 1 to 3 take other locks first, and rank 3 takes them in another order. */
static void locks(struct writer *to, int round)
{
    int64_t address = 0x1000 + 8 * ((int)to->rank * 2 + round * (to->rank == 3 ? 2 : 1)) % 24;
    call(to, SET_LOCK, (struct spool_record){.id = HEAP, .peer = -1, .extra = address}, nothing);
    call(to, CLEAR_LOCK, (struct spool_record){.id = HEAP, .peer = -1, .extra = address}, nothing);
}

/* Up to its MPI_Init. */
static void begin_rank(struct writer *to, const char *directory, uint32_t rank)
{
    const struct spool_header header = {.magic = SPOOL_MAGIC,
                                        .version = SPOOL_VERSION,
                                        .unit_bytes = SPOOL_WORD_BYTES,
                                        .chunk_units = SPOOL_CHUNK_WORDS,
                                        .rank = rank,
                                        .world = RANKS,
                                        .base_ns = 1000};
    *to = (struct writer){.rank = rank, .time = 1000};
    assert_null(rec_buffer_open(&to->buffer, directory, &header));
    define_all(to);
    call(to, INIT, nothing, nothing);
}

static void write_rank(const char *directory, uint32_t rank)
{
    static struct writer to;
    begin_rank(&to, directory, rank);
    call(&to, CREATE, nothing, (struct spool_record){.id = 0, .peer = -1});
    for (int round = 0; round < ROUNDS; round++) {
        exchange(&to, round);
        if (rank != 2) put_epoch(&to, round);
        regions(&to, round);
        if (rank > 0) locks(&to, round);
    }
    call(&to, FINALIZE, nothing, nothing);
    rec_buffer_close(&to.buffer);
}

static char *write_all(void)
{
    char *directory = craft_directory();
    for (uint32_t rank = 0; rank < RANKS; rank++) write_rank(directory, rank);
    return directory;
}

/* --- reading --- */

/* What one thread reads, or why it cannot; the caller frees *alone. */
static enum status check_threads(const char *directory, bool keep_going, struct trace **alone, struct err *err)
{
    static const unsigned counts[] = {0, 2, 3, 7};
    enum status status = spool_read_by(1, directory, keep_going, alone, err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct trace *several;
        struct err own = {.text = ""};
        assert_int_equal(spool_read_by(counts[i], directory, keep_going, &several, &own), status);
        if (status != STATUS_OK) assert_string_equal(own.text, err->text);
        if (status != STATUS_OK) continue;
        assert_same_traces(*alone, several);
        trace_free(several);
    }
    return status;
}

static struct trace *read_whole(const char *directory)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (check_threads(directory, false, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static const struct trace_call *first_of(const struct trace *trace, uint32_t rank, enum mpi_call function)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++)
        if (process->calls[i].call == function) return &process->calls[i];
    fail_msg("rank %u never calls %s", rank, call_name(function));
    return NULL;
}

/* --- tests --- */

/* Numbers in the order of ranks and of their calls, by hand. Sites: rank 0 calls MPI_Init (line 0) at place 0, site_a,
 * MPI_Win_create (line 6, 6 % 3 = 0) there, too, MPI_Isend (line 2) at site_c, MPI_Put (line 7, 7 % 3 = 1) at site_b;
 * rank 1's MPI_Init is at site_b, rank 2's at site_c. Regions: the defined one, rank 0's functions of rounds 0, 1, 2,
 * rank 1's failed call of round 3, rank 3's, and what rank 6 calls on a communicator that the trace cannot hold. Locks:
 * rank 1 takes 0x1010 (8 * 2 behind 0x1000), 0x1000 (8 * 3 % 24), 0x1008: numbers 0, 1, 2; rank 2 begins with 0x1008 (8
 * * 4 % 24), rank 3 with 0x1000, 0x1010, 0x1008: only the last of these is numbered as it comes. Lists: 40 waitalls per
 * rank, so rank 3's first is 120. Extents: rank 0's of rounds 0, 3, 6 are 100, 103, 101. */
static void numbered_as_by_one(void **state)
{
    (void)state;
    char *directory = write_all();
    struct trace *trace = read_whole(directory);
    assert_int_equal(trace->definitions.site_count, 1 + FUNCTIONS);
    assert_string_equal(trace->definitions.sites[1].function, "site_a");
    assert_string_equal(trace->definitions.sites[2].function, "site_c");
    assert_string_equal(trace->definitions.sites[3].function, "site_b");
    assert_int_equal(first_of(trace, 0, ID_Init)->site, 1);
    assert_int_equal(first_of(trace, 1, ID_Init)->site, 3);
    assert_int_equal(first_of(trace, 2, ID_Init)->site, 2);
    static const char *const expected[] = {
        "solve", "site_a", "site_b", "site_c", "MPI_Isend(failed)", "MPI_Barrier(failed)", "MPI_Barrier"};
    assert_int_equal(trace->definitions.region_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        assert_string_equal(trace->definitions.regions[i], expected[i]);
    assert_int_equal(first_of(trace, 1, ID_shmem_set_lock)->ref, 0);
    assert_int_equal(first_of(trace, 2, ID_shmem_set_lock)->ref, 2);
    assert_int_equal(first_of(trace, 3, ID_shmem_set_lock)->ref, 1);
    assert_int_equal(first_of(trace, 3, ID_Waitall)->ref, 3 * ROUNDS);
    assert_int_equal(trace->definitions.extents_count, 1 + 5);
    assert_int_equal(trace->definitions.extents[1].of[TRACE_SEND], 100);
    assert_int_equal(trace->definitions.extents[2].of[TRACE_SEND], 103);
    assert_int_equal(trace->definitions.extents[3].of[TRACE_SEND], 101);
    assert_int_equal(trace->definitions.group_count, RANKS + 1); /* and the empty one */
    assert_int_equal(trace->definitions.groups[RANKS].count, 0);
    assert_int_equal(trace->provenance.note_count, 2); /* failed calls, and those that a trace cannot hold */
    trace_free(trace);
    craft_remove(directory);
}

/* Words in the middle of a rank's records that begin none. Where records begin depends on the length of the program's path; in so
 * many words one begins. */
static void damage(const char *directory, uint32_t rank, size_t word)
{
    char name[64];
    uint64_t wrong[16];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) wrong[i] = 2;
    snprintf(name, sizeof name, SPOOL_RANK_NAME SPOOL_TAIL_SUFFIX, rank);
    craft_patch(directory, name, SPOOL_TAIL_HEAD_BYTES + word * SPOOL_WORD_BYTES, wrong, sizeof wrong);
}

/* The first error is that of the lowest rank, whoever comes to it first; each of the ranks that are kept has its own.
 */
static void damaged(void **state)
{
    (void)state;
    enum { MIDDLE = 500 };
    struct trace *trace;
    struct err err = {.text = ""};
    char *directory = write_all();
    damage(directory, 7, MIDDLE);
    damage(directory, 4, MIDDLE);
    assert_int_equal(check_threads(directory, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "rank-000004.tail"));
    assert_int_equal(check_threads(directory, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->provenance.fault_count, 2);
    assert_int_equal(trace->provenance.faults[0].rank, 4);
    assert_int_equal(trace->provenance.faults[1].rank, 7);
    trace_free(trace);
    craft_remove(directory);
}

/* Files come in the directory's order: of several that cannot be opened the first one is told; those who keep going
 * leave out both ranks. */
static void wrong_files(void **state)
{
    (void)state;
    static const char nothing_of_ours[8] = "nothing";
    struct trace *trace;
    struct err err = {.text = ""};
    char *directory = write_all();
    craft_patch(directory, "rank-000002.spool", 0, nothing_of_ours, sizeof nothing_of_ours);
    craft_patch(directory, "rank-000006.spool", 0, nothing_of_ours, sizeof nothing_of_ours);
    assert_int_equal(check_threads(directory, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "not a spool file of rmacast's recorder"));
    assert_int_equal(check_threads(directory, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->provenance.fault_count, 2);
    assert_int_equal(trace->ranks[2].count + trace->ranks[6].count, 0);
    assert_true(trace->ranks[3].count > 0);
    trace_free(trace);
    craft_remove(directory);
}

/* Records that are whole, but say what cannot be: found when the events are taken, after all definitions. */
static void wrong_events(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err = {.text = ""};
    char *directory = craft_directory();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        static struct writer to;
        begin_rank(&to, directory, rank);
        if (rank % 3 == 2) call(&to, NAMED + (uint16_t)rank, nothing, nothing); /* ranks 2, 5, 8 */
        call(&to, FINALIZE, nothing, nothing);
        rec_buffer_close(&to.buffer);
    }
    assert_int_equal(check_threads(directory, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "rank-000002.tail"));
    assert_non_null(strstr(err.text, "call 14 is not defined"));
    assert_int_equal(check_threads(directory, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->provenance.fault_count, 3);
    assert_int_equal(trace->provenance.faults[2].rank, 8);
    trace_free(trace);
    craft_remove(directory);
}

/* A further thread of rank 0, of which its buffer says who made it and when (ns behind the base); then it meets nobody.
 */
static void write_thread(const char *directory, uint32_t thread, uint32_t creator, int64_t created, uint64_t first)
{
    static struct writer to;
    const struct spool_header header = {.magic = SPOOL_MAGIC,
                                        .version = SPOOL_VERSION,
                                        .unit_bytes = SPOOL_WORD_BYTES,
                                        .chunk_units = SPOOL_CHUNK_WORDS,
                                        .world = 1,
                                        .base_ns = 1000,
                                        .thread = thread};
    const struct spool_record nobody = {.id = 0, .peer = SPOOL_PEER_NONE};
    to = (struct writer){.time = first};
    assert_null(rec_buffer_open(&to.buffer, directory, &header));
    if (thread > 0) {
        to.time -= 200;
        put(&to, (struct spool_record){.kind = SPOOL_CREATED, .id = creator, .peer = -1, .bytes = created});
    } else {
        define(&to, SPOOL_NAMES, (struct spool_record){.peer = SPOOL_NAMES_CALLS}, names, sizeof names - 1);
        define(&to, SPOOL_COMM, (struct spool_record){.extra = 1}, NULL, 0);
        to.time -= 100; /* its first record is at the base */
        call(&to, INIT, nothing, nothing);
    }
    call(&to, BARRIER, nobody, nothing);
    if (thread == 0) call(&to, FINALIZE, nothing, nothing);
    rec_buffer_close(&to.buffer);
}

static void expect_call(const struct trace *trace, size_t index, uint32_t thread, enum mpi_call function, int64_t enter_ns)
{
    const struct trace_call *is = &trace->ranks[0].calls[index];
    assert_string_equal(call_name(is->call), call_name(function));
    assert_int_equal(trace_call_thread(trace, 0, index), thread);
    assert_int_equal(is->enter_ps, enter_ns * 1000);
}

/* Creations are known from buffers whose first records are later: of thread 0 at 350, between its calls at 0 to 100,
 * 200 to 300 and 400 to 500, and of thread 1 at 700, between its call at 500 to 600 and its end. Thread 3's creator has
 * no buffer. Thread 2's creation is later than thread 1's last call: it is seen in time's order all the same. */
static void creations(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct err err = {.text = ""};
    write_thread(directory, 0, 0, 0, 1000);
    write_thread(directory, 1, 0, 350, 1500);
    write_thread(directory, 2, 1, 700, 1900);
    write_thread(directory, 3, 9, 700, 2100);
    struct trace *trace = read_whole(directory);
    if (trace_check(trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    static const struct {
        uint32_t thread;
        enum mpi_call function;
        int64_t enter_ns;
    } expected[] = {{0, ID_Init, 0},      {0, ID_Barrier, 200},        {0, ID_pthread_create, 350}, {0, ID_Finalize, 400},
                    {1, ID_Barrier, 500}, {1, ID_pthread_create, 700}, {2, ID_Barrier, 900},        {3, ID_Barrier, 1100}};
    assert_int_equal(trace->ranks[0].count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_call(trace, i, expected[i].thread, expected[i].function, expected[i].enter_ns);
    assert_int_equal(trace->ranks[0].calls[2].ref, 1);
    assert_int_equal(trace->ranks[0].calls[5].ref, 2);
    trace_free(trace);
    craft_remove(directory);
}

/* Who is said to have made itself, or to have been made inside a call of the creator, or behind its own first call: no
 * trace. */
static void wrong_creations(void **state)
{
    (void)state;
    static const struct {
        uint32_t creator;
        int64_t created;
        const char *says;
    } wrong[] = {{1, 350, "expected another thread"},
                 {0, 250, "time runs backwards"},
                 {0, 5000, "time runs backwards"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *directory = craft_directory();
        struct trace *trace;
        struct err err = {.text = ""};
        write_thread(directory, 0, 0, 0, 1000);
        write_thread(directory, 1, wrong[i].creator, wrong[i].created, 1500);
        enum status status = check_threads(directory, false, &trace, &err);
        if (status == STATUS_OK) {
            status = trace_check(trace, &err);
            trace_free(trace);
        }
        assert_int_equal(status, STATUS_DATA);
        if (!strstr(err.text, wrong[i].says)) fail_msg("%s, expected %s", err.text, wrong[i].says);
        craft_remove(directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbered_as_by_one),
        cmocka_unit_test(damaged),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(wrong_events),
        cmocka_unit_test(creations),
        cmocka_unit_test(wrong_creations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
