/* SIGKILL at random moments: of a process that writes a buffer, and of real programs. Every call that had returned
 * before is in the trace, in order, and the trace says that it is incomplete. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "trace/record/output/buffer.h"
#include "trace/spool/read.h"

static uint64_t seed = 20261120;

static uint64_t random_below(uint64_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % limit;
}

static void sleep_us(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000 * 1000)};
    nanosleep(&time, NULL);
}

static uint64_t *progress_map(int file)
{
    void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    assert_true(mapped != MAP_FAILED);
    return mapped;
}

static void kill_and_reap(pid_t child)
{
    int state;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFSIGNALED(state));
}

static void begin_ticks(struct spool_header *header)
{
    struct rec_anchor first = rec_anchor_read(), second;
    do second = rec_anchor_read();
    while (second.ns < first.ns + 100000);
    header->clock = SPOOL_TICKS;
    header->base_ns = second.ns;
    header->base_ticks = second.ticks;
    header->ticks_per_s = rec_anchor_rate(&first, &second);
}

/* In a child: barriers without end, stamped by the counter if ticks. The first word counts those that have ended. */
static void write_buffer(const char *directory, uint64_t *progress, bool ticks)
{
    static const char calls[] = "MPI_Init\nMPI_Barrier\nMPI_Finalize\n";
    struct spool_header header = {.magic = SPOOL_MAGIC,
                                  .version = SPOOL_VERSION,
                                  .unit_bytes = SPOOL_WORD_BYTES,
                                  .chunk_units = SPOOL_CHUNK_WORDS,
                                  .world = 1,
                                  .base_ns = rec_now()};
    rec_ticks_choose(ticks ? "tsc" : "monotonic", "");
    if (rec_ticks) begin_ticks(&header);
    struct spool_record names = {.time = rec_stamp(), .kind = SPOOL_NAMES, .peer = SPOOL_NAMES_CALLS};
    struct spool_record world = {.time = rec_stamp(), .kind = SPOOL_COMM, .extra = 1};
    struct rec_buffer buffer;
    if (rec_buffer_open(&buffer, directory, &header)) _exit(1);
    if (!rec_buffer_define(&buffer, names, calls, sizeof calls - 1, NULL, 0)) _exit(1);
    if (!rec_buffer_define(&buffer, world, NULL, 0, NULL, 0)) _exit(1);
    for (;;) {
        struct spool_record enter = {
            .kind = SPOOL_ENTER, .call = CRAFT_BARRIER, .time = rec_stamp_before(), .peer = -1};
        struct spool_record leave = {.kind = SPOOL_EXIT, .call = CRAFT_BARRIER, .time = rec_stamp(), .peer = -1};
        if (rec_buffer_unanchored(&buffer, leave.time) && !rec_buffer_anchor(&buffer)) _exit(1);
        if (!rec_buffer_put(&buffer, &enter) || !rec_buffer_put(&buffer, &leave)) _exit(1);
        __atomic_fetch_add(progress, 1, __ATOMIC_RELEASE);
    }
}

/* Killed before the header was there: nothing to read, and nothing was lost. */
static struct trace *read_left(const char *directory, bool any)
{
    struct trace *trace;
    struct err err = {0};
    bool found;
    assert_int_equal(spool_find(directory, &found, &err), STATUS_OK);
    if (!any && !found) return NULL;
    enum status status = spool_read(directory, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    return trace;
}

/* Times begin when the buffer did, after begin_ns, and end before the kill: whatever rate the counter has. Reading both
 * clocks together errs by less than the 100 us. */
static void expect_barriers(const struct trace *trace, uint64_t returned, uint64_t begin_ns, uint64_t killed_ns)
{
    const struct trace_rank *rank = &trace->ranks[0];
    assert_true(rank->incomplete);
    bool inside = rank->count > 0 && (rank->calls[rank->count - 1].flags & TRACE_BREAK);
    assert_string_equal(rank->incomplete_why, inside ? "killed or ended without MPI_Finalize, inside MPI_Barrier"
                                                     : "killed or ended without MPI_Finalize");
    assert_true(rank->count >= returned && rank->count <= returned + 2);
    for (size_t i = 0; i < rank->count; i++) assert_int_equal(rank->calls[i].call, ID_Barrier);
    assert_true(rank->count == 0 || rank->calls[0].enter_ps >= 0);
    assert_true(trace_rank_end_ps(trace, 0) <= (int64_t)(killed_ns - begin_ns + 100000) * 1000);
}

static void buffers(void **state)
{
    (void)state;
    enum { KILLS = 250 };
    for (int i = 0; i < KILLS; i++) {
        char *directory = craft_directory();
        uint64_t *progress = progress_map(-1);
        uint64_t begin_ns = rec_now(); /* before the fork: the child may run first */
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_buffer(directory, progress, i % 2);
        sleep_us(random_below(1500));
        kill_and_reap(child);
        struct trace *trace = read_left(directory, *progress > 0);
        if (trace) expect_barriers(trace, *progress, begin_ns, rec_now());
        trace_free(trace);
        munmap(progress, 4096);
        craft_remove(directory);
    }
}

/* storm.c: Init, Win_allocate, then rounds of lock, put, put, unlock. */
static void expect_rounds(const struct trace_rank *rank, uint64_t returned)
{
    static const uint16_t round[] = {ID_Win_lock, ID_Put, ID_Put, ID_Win_unlock};
    assert_true(rank->incomplete);
    assert_true(rank->count >= (returned > 0 ? 2 + 4 * returned : 0));
    assert_true(rank->count <= 2 + 4 * (returned + 1));
    for (size_t i = 0; i < rank->count; i++) {
        uint16_t expected = i == 0 ? ID_Init : i == 1 ? ID_Win_allocate : round[(i - 2) % 4];
        assert_int_equal(rank->calls[i].call, expected);
        if (i + 1 < rank->count) assert_false(rank->calls[i].flags & TRACE_BREAK);
    }
}

static uint64_t *progress_file(const char *directory, char path[4096])
{
    snprintf(path, 4096, "%s/progress", directory);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(file >= 0 && ftruncate(file, 4096) == 0);
    uint64_t *progress = progress_map(file);
    close(file);
    return progress;
}

static pid_t start_program(const char *directory, const char *program, const char *progress)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    setenv("RMACAST_SPOOL", directory, 1);
    setenv("UCX_POSIX_DIR", directory, 1); /* a killed process leaves its shared memory behind */
    setenv("LD_PRELOAD", RECORDER, 1);
    execl(program, program, progress, "0", (char *)NULL);
    _exit(127);
}

/* Half of the kills hit the start, MPI_Init most of all; the others the rounds. */
static void programs(void **state)
{
    (void)state;
    enum { KILLS = 16 };
    for (int i = 0; i < KILLS; i++) {
        char *directory = craft_directory(), path[4096];
        uint64_t *progress = progress_file(directory, path);
        pid_t child = start_program(directory, PROGRAMS "/storm", path);
        if (i % 2 == 0)
            for (int wait = 0; wait < 5000 && __atomic_load_n(progress, __ATOMIC_ACQUIRE) == 0; wait++) sleep_us(1000);
        sleep_us(random_below(i % 2 == 0 ? 5000 : 120000));
        kill_and_reap(child);
        struct trace *trace = read_left(directory, *progress > 0);
        if (trace) expect_rounds(&trace->ranks[0], *progress);
        trace_free(trace);
        munmap(progress, 4096);
        craft_remove(directory);
    }
}

/* storm_threads.c: each thread's rounds are isend, recv, wait, of which the last may break off; communicators between
 * them, and the threads that thread 0 makes, are passed over. */
static void expect_thread(const struct trace *trace, uint32_t thread, const uint64_t *progress)
{
    static const uint16_t round[] = {ID_Isend, ID_Recv, ID_Wait};
    const struct trace_rank *rank = &trace->ranks[0];
    uint64_t seen = 0;
    int32_t tag = -1;
    bool broken = false;
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (trace_call_thread(trace, 0, i) != thread || call->call == ID_Init_thread || call_is_thread(call->call)) continue;
        assert_false(broken);
        broken = call->flags & TRACE_BREAK;
        if (call->call == ID_Comm_dup || call->call == ID_Comm_free) continue;
        assert_int_equal(call->call, round[seen++ % 3]);
        if (call->call == ID_Isend && tag < 0) tag = call->message.tag;
        if (call->call == ID_Isend) assert_int_equal(call->message.tag, tag);
    }
    if (tag >= 0) assert_true(seen >= 3 * progress[tag] && seen <= 3 * progress[tag] + 3 + 3);
}

static void threads(void **state)
{
    (void)state;
    enum { KILLS = 10 };
    for (int i = 0; i < KILLS; i++) {
        char *directory = craft_directory(), path[4096];
        uint64_t *progress = progress_file(directory, path);
        pid_t child = start_program(directory, PROGRAMS "/storm_threads", path);
        for (int wait = 0; wait < 5000 && __atomic_load_n(progress, __ATOMIC_ACQUIRE) == 0; wait++) sleep_us(1000);
        sleep_us(random_below(20000));
        kill_and_reap(child);
        struct trace *trace = read_left(directory, true);
        uint64_t sum = progress[0] + progress[1] + progress[2] + progress[3];
        assert_true(trace->ranks[0].incomplete);
        assert_true(trace->ranks[0].count >= 1 + 3 * sum);
        for (uint32_t thread = 0; thread < trace_thread_count(trace, 0); thread++)
            expect_thread(trace, thread, progress);
        trace_free(trace);
        munmap(progress, 4096);
        craft_remove(directory);
    }
}

/* Rank 1 of two dies, and mpiexec ends the other. */
static void two_ranks(void **state)
{
    (void)state;
    enum { KILLS = 4 };
    for (int i = 0; i < KILLS; i++) {
        char *directory = craft_directory(), path[4096], command[16384];
        uint64_t *progress = progress_file(directory, path);
        snprintf(command, sizeof command,
                 "RMACAST_SPOOL=%s LD_PRELOAD=%s timeout 60 %s -n 2 %s/storm %s %d >/dev/null 2>&1", directory,
                 RECORDER, MPIEXEC, PROGRAMS, path, 1 + (int)random_below(20000));
        assert_int_equal(WEXITSTATUS(system(command)), SIGKILL);
        struct trace *trace = read_left(directory, true);
        assert_int_equal(trace->rank_count, 2);
        for (int rank = 0; rank < 2; rank++) expect_rounds(&trace->ranks[rank], progress[rank]);
        trace_free(trace);
        munmap(progress, 4096);
        craft_remove(directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers), cmocka_unit_test(programs), cmocka_unit_test(threads),
                                       cmocka_unit_test(two_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
