/* What is written reads back equal: every row of the table of calls, every field, every property. The trace that
 * comes back is compared in memory and as text with the one that went in; nothing is taken from the archive's own
 * bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "otf2_test.h"
#include "sample.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

/* Beyond what assert_traces_equal asks: the ids of definitions are the same too. */
static void assert_same_ids(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->definitions.group_count, two->definitions.group_count);
    for (size_t i = 0; i < one->definitions.group_count; i++) {
        assert_int_equal(one->definitions.groups[i].count, two->definitions.groups[i].count);
        if (one->definitions.groups[i].count)
            assert_memory_equal(one->definitions.groups[i].members, two->definitions.groups[i].members,
                                one->definitions.groups[i].count * sizeof(int32_t));
    }
    assert_int_equal(one->definitions.region_count, two->definitions.region_count);
    for (size_t i = 0; i < one->definitions.region_count; i++)
        assert_string_equal(one->definitions.regions[i], two->definitions.regions[i]);
    assert_int_equal(one->definitions.site_count, two->definitions.site_count);
    for (uint32_t rank = 0; rank < one->rank_count; rank++) {
        assert_true(one->ranks[rank].speed == two->ranks[rank].speed);
        assert_true(one->ranks[rank].memory_known == two->ranks[rank].memory_known);
        assert_true(one->ranks[rank].memory_bound == two->ranks[rank].memory_bound);
        for (size_t i = 0; i < one->ranks[rank].count; i++)
            assert_int_equal(one->ranks[rank].calls[i].site, two->ranks[rank].calls[i].site);
    }
}

static struct trace *write_and_read(const struct trace *trace, const char *directory)
{
    struct trace *back;
    struct err err = {.text = ""};
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (otf2_read(directory, &back, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (trace_check(back, &err) != STATUS_OK) fail_msg("%s", err.text);
    return back;
}

static void check_sample(const struct sample_options *options)
{
    char directory[TEMP_DIR_BYTES];
    temp_dir_make(directory);
    struct trace *trace = sample_make(options), *back = write_and_read(trace, directory);
    assert_traces_equal(trace, back);
    assert_same_ids(trace, back);
    char *text = text_of(trace), *same = text_of(back);
    assert_string_equal(text, same);
    free(text);
    free(same);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

static void recorded(void **state)
{
    (void)state;
    check_sample(&(struct sample_options){.first_ps = 0});
}

static void simulated(void **state)
{
    (void)state;
    check_sample(&(struct sample_options){.simulated = true, .first_ps = 17});
}

static void broken_off(void **state)
{
    (void)state;
    check_sample(&(struct sample_options){.broken = true, .first_ps = 5000000});
    check_sample(&(struct sample_options){.broken = true, .simulated = true, .first_ps = 0});
}

/* Threads whose calls overlap and begin at the same time in another order than that of the threads; requests that one
 * thread makes and another completes, before and after it in the archive, and one that nobody completes; flushes of
 * another thread; every thread primitive; a thread without calls; threads that break off. */
static const char threads_text[] =
    "rmacast-trace 1\nranks 3\nwindow 0 comm=0 bytes=64 disp_unit=1 flavor=create\n"
    "node 0 name=first%20host ranks=0,2\nnode 1 name=second ranks=1\nincomplete 1 killed\n"
    "0 0 1 MPI_Init_thread\n"
    "0 1 enter main\n"
    "0 1 2 pthread_create child=1 site=main@pool.c:7\n"
    "0 2 2 pthread_create child=3\n"
    "0 2 2 pthread_create child=-\n"
    "0 3 3 thread_begin thread=1\n"
    "0 3 enter work thread=1\n"
    "0 4 5 MPI_Irecv comm=0 peer=1 tag=3 bytes=100 req=1 thread=1\n"
    "0 4 5 MPI_Isend comm=0 peer=1 tag=4 bytes=50 req=2\n"
    "0 4 4 MPI_Irecv comm=0 peer=2 tag=5 bytes=7 req=3 thread=2\n"
    "0 4 4 MPI_Irecv comm=0 peer=2 tag=6 bytes=8 req=4 thread=2\n"
    "0 6 9 MPI_Waitall reqs=1 \n"
    "0 6 7 MPI_Wait req=2 thread=1\n"
    "0 7 8 MPI_Test req=3 flag=1 thread=1\n"
    "0 10 11 MPI_Win_lock_all win=0\n"
    "0 12 13 MPI_Put win=0 target=1 bytes=8 disp=0 thread=2\n"
    "0 14 15 MPI_Win_flush_all win=0 thread=1\n"
    "0 16 17 MPI_Win_unlock_all win=0\n"
    "0 18 19 pthread_mutex_lock object=0 thread=1\n"
    "0 18 18 pthread_mutex_trylock object=0 flag=0\n"
    "0 18 20 pthread_mutex_timedlock object=0 flag=1 thread=2\n"
    "0 19 20 pthread_cond_wait object=1 mutex=0 thread=1\n"
    "0 19 19 pthread_cond_signal object=1\n"
    "0 19 19 pthread_cond_broadcast object=4294967294\n"
    "0 20 21 pthread_cond_timedwait object=1 mutex=0 flag=1 thread=1\n"
    "0 22 22 pthread_mutex_unlock object=0 thread=1\n"
    "0 22 23 pthread_barrier_wait object=2 parties=2 thread=1\n"
    "0 22 23 pthread_barrier_wait object=2 parties=2\n"
    "0 23 23 pthread_rwlock_rdlock object=6\n"
    "0 23 24 pthread_rwlock_timedrdlock object=6 flag=1 thread=1\n"
    "0 23 24 pthread_rwlock_trywrlock object=6 flag=0 thread=2\n"
    "0 24 24 pthread_rwlock_unlock object=6\n"
    "0 24 25 sem_wait object=3 value=0\n"
    "0 24 24 sem_post object=3 thread=1\n"
    "0 25 25 sem_trywait object=3 flag=1\n"
    "0 25 26 sem_timedwait object=5 flag=1 value=12 thread=2\n"
    "0 26 leave work thread=1\n"
    "0 26 26 thread_end thread=1\n"
    "0 26 27 pthread_join child=1\n"
    "0 28 28 pthread_join child=-\n"
    "0 28 leave main\n"
    "1 5 6 MPI_Init_thread cpu=1\n"
    "1 7 9 MPI_Recv comm=0 peer=0 tag=4 bytes=50 thread=1 break=1 cpu=0.5\n"
    "1 7 8 MPI_Win_free win=0\n"
    "1 8 9 MPI_Barrier comm=0 break=1 cpu=0.25\n"
    "2 0 0 sem_post object=9 value=1\n";

static void check_text(const char *input, uint32_t threads)
{
    char directory[TEMP_DIR_BYTES];
    temp_dir_make(directory);
    struct trace *trace = trace_of(input), *back = write_and_read(trace, directory);
    assert_int_equal(trace_thread_count(back, 0), threads);
    char *text = text_of(trace), *same = text_of(back);
    assert_string_equal(text, same);
    assert_traces_equal(trace, back);
    free(text);
    free(same);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

static void threads(void **state)
{
    (void)state;
    check_text(threads_text, 4);
}

/* OpenSHMEM, with and without a window of the barrier's ranks, breaking off in each kind of call that has records. */
static void symmetric_memory(void **state)
{
    (void)state;
    check_text("rmacast-trace 1\nranks 4\ncomm 1 ranks=3,2\ncomm 2 ranks=0,1,2,3\nwindow 0 comm=2 flavor=heap\n"
               "incomplete 1 killed\nincomplete 2 killed\nincomplete 3 killed\n"
               "0 0 1 shmem_init\n"
               "0 1 2 shmem_put win=0 target=3 bytes=8 disp=0\n"
               "0 2 3 shmem_atomic_fetch_add win=0 target=2 bytes=8 result_bytes=8 op=SUM\n"
               "0 3 4 shmem_set_lock win=0 object=9\n"
               "0 4 5 shmem_clear_lock win=0 object=9\n"
               "0 5 6 shmem_barrier_all comm=0\n"
               "0 6 7 shmem_barrier comm=2\n"
               "0 7 8 shmem_sync comm=2\n"
               "0 8 9 shmem_finalize\n"
               "1 1 2 shmem_put win=0 target=1 bytes=8 disp=0 break=1\n"
               "2 1 2 shmem_barrier comm=2 break=1\n"
               "3 1 2 shmem_atomic_inc win=0 target=1 bytes=8\n"
               "3 2 3 shmem_quiet win=0 break=1\n",
               1);
}

/* Windows whose names are what the writer calls one without a name, with and without spaces; the last one has none. */
static void names_of_windows(void **state)
{
    (void)state;
    check_text("rmacast-trace 1\nranks 1\nwindow 0 comm=0 name=Win%200\nwindow 1 comm=0 name=Win%201%20%20\n"
               "window 2 comm=0 name=Win%203\nwindow 3 comm=0\n"
               "0 0 1 MPI_Win_create win=0\n0 1 2 MPI_Win_create win=1\n0 2 3 MPI_Win_create win=2\n0 3 4 MPI_Win_create win=3\n",
               1);
}

static void before_time_zero(void **state)
{
    (void)state;
    check_sample(&(struct sample_options){.first_ps = -1});
    check_sample(&(struct sample_options){.simulated = true, .first_ps = INT64_C(-5000000000000000000)});
}

static void late_start(void **state)
{
    (void)state;
    check_sample(&(struct sample_options){.first_ps = INT64_C(5000000000000000000)}); /* 58 days */
}

/* An archive that stands there is replaced, what recordings leave beside it stays, and so does its directory's mode;
 * nothing is left. What is no part of an archive is a reason to write nothing. */
static void replaces(void **state)
{
    (void)state;
    struct stat about;
    struct err err;
    char directory[TEMP_DIR_BYTES], listing[256] = "", command[TEMP_DIR_BYTES + 64];
    temp_dir_make(directory);
    struct trace *first = sample_make(&(struct sample_options){.broken = true});
    struct trace *second = trace_of("rmacast-trace 1\nranks 1\n0 0.5 0.75 MPI_Init\n");
    assert_int_equal(mkdir(file_in(directory, "spool"), 0777), 0);
    write_bytes(file_in(directory, "spool/rank-000000.spool"), "mine", 4);
    trace_free(write_and_read(first, directory));
    assert_int_equal(chmod(directory, 0750), 0);
    struct trace *back = write_and_read(second, directory);
    assert_traces_equal(second, back);
    snprintf(command, sizeof command, "cd %s && find . | sort | tr '\\n' ' '", directory);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    assert_non_null(fgets(listing, sizeof listing, in));
    pclose(in);
    assert_string_equal(
        listing,
        ". ./spool ./spool/rank-000000.spool ./traces ./traces.def ./traces.otf2 ./traces/0.def ./traces/0.evt ");
    assert_int_equal(stat(directory, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0750);
    write_bytes(file_in(directory, "mine"), "mine", 4);
    assert_int_equal(otf2_write(first, directory, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, ": holds mine, which is no part of an OTF2 archive"));
    trace_free(first);
    trace_free(second);
    trace_free(back);
    temp_dir_remove(directory);
}

static void without_events(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    temp_dir_make(directory);
    struct trace *trace = trace_of("rmacast-trace 1\nranks 3\n"), *back = write_and_read(trace, directory);
    assert_traces_equal(trace, back);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

/* More than the 4 MB that the writer keeps in memory: it flushes on the way. */
static void many_events(void **state)
{
    (void)state;
    enum { CALLS = 300000 };
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace;
    temp_dir_make(directory);
    assert_int_equal(trace_new("many", 1, &trace, &err), STATUS_OK);
    for (int64_t i = 0; i < CALLS; i++) {
        struct trace_call call = {.enter_ps = i * 1000,
                                  .exit_ps = i * 1000 + 999,
                                  .any = {.first = -1, .third = (int32_t)(i % 100), .ref = TRACE_NO_REF},
                                  .call = ID_Send,
                                  .bytes = i};
        assert_int_equal(trace_add_call(trace, 0, &call, &err), STATUS_OK);
    }
    struct trace *back = write_and_read(trace, directory);
    assert_int_equal(back->ranks[0].count, CALLS);
    assert_memory_equal(trace->ranks[0].calls, back->ranks[0].calls, CALLS * sizeof(struct trace_call));
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

static void reads_by_any_name(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct trace *trace = trace_of("rmacast-trace 1\nranks 1\n0 0.5 0.75 MPI_Init\n"), *back;
    struct err err = {.text = ""};
    temp_dir_make(directory);
    assert_int_equal(otf2_write(trace, directory, &err), STATUS_OK);
    assert_int_equal(otf2_read(file_in(directory, "traces.otf2"), &back, &err), STATUS_OK);
    trace_free(back);
    assert_int_equal(rename(file_in(directory, "traces.otf2"), file_in(directory, "other.otf2")), 0);
    assert_int_equal(rename(file_in(directory, "traces.def"), file_in(directory, "other.def")), 0);
    assert_int_equal(rename(file_in(directory, "traces"), file_in(directory, "other")), 0);
    assert_int_equal(otf2_read(directory, &back, &err), STATUS_OK);
    trace_free(back);
    write_bytes(file_in(directory, "third.otf2"), "x", 1);
    assert_int_equal(otf2_read(directory, &back, &err), STATUS_DATA); /* which one? */
    trace_free(trace);
    temp_dir_remove(directory);
}

static void unwritable(void **state)
{
    (void)state;
    struct trace *trace = trace_of("rmacast-trace 1\nranks 1\n0 0.5 0.75 MPI_Init\n");
    struct err err = {.text = ""};
    assert_int_equal(otf2_write(trace, "/nonexistent/archive", &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "/nonexistent/archive: cannot make this directory: No such file or directory");
    assert_int_equal(otf2_write(trace, "/dev/null", &err), STATUS_SYSTEM);
    trace_free(trace);
}

/* Intercommunicators keep the sizes of their groups, from the smallest to the largest first one; what is none has 0. */
static void groups_of_intercommunicators(void **state)
{
    static const uint32_t first[] = {0, 1, 0, 3};
    char directory[TEMP_DIR_BYTES];
    (void)state;
    temp_dir_make(directory);
    struct trace *trace = trace_of("rmacast-trace 1\nranks 4\ncomm 1 ranks=3,0,1,2 between=1\ncomm 2 ranks=1,0,2,3\n"
                                   "comm 3 ranks=0,2,1,3 between=3\n0 0 0 MPI_Barrier comm=1\n"
                                   "0 0 0 MPI_Barrier comm=2\n0 0 0 MPI_Barrier comm=3\n");
    struct trace *back = write_and_read(trace, directory);
    assert_traces_equal(trace, back);
    assert_int_equal(back->definitions.comm_count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(back->definitions.comms[i].first_group, first[i]);
    trace_free(trace);
    trace_free(back);
    temp_dir_remove(directory);
}

/* The name of a communicator says how many members each group has; one that does not add up to them says nothing. */
static void groups_that_do_not_add_up(void **state)
{
    static const struct {
        const char *groups;
        uint32_t first;
    } rows[] = {{"1 and 3", 1}, {"2 and 2", 2}, {"3 and 1", 3}, {"2 and 3", 0}, {"1 and 2", 0},
                {"0 and 4", 0}, {"4 and 0", 0}, {"5 and 9", 0}, {"and 1 3", 0}};
    static const char name[] = "Comm 1 between ";
    char directory[TEMP_DIR_BYTES];
    (void)state;
    temp_dir_make(directory);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace *trace = trace_of("rmacast-trace 1\nranks 4\ncomm 1 ranks=3,0,1,2 between=1\n0 0 0 MPI_Barrier comm=1\n");
        char archive[TEMP_DIR_BYTES + 10], file[200];
        struct err err = {.text = ""};
        size_t bytes;
        snprintf(archive, sizeof archive, "%s/%zu", directory, i);
        struct trace *back = write_and_read(trace, archive);
        trace_free(back);
        snprintf(file, sizeof file, "%s", file_in(archive, "traces.def"));
        unsigned char *content = bytes_of(file, &bytes), *at = memmem(content, bytes, name, sizeof name - 1);
        assert_non_null(at);
        memcpy(at + sizeof name - 1, rows[i].groups, strlen(rows[i].groups));
        write_bytes(file, content, bytes);
        free(content);
        if (otf2_read(archive, &back, &err) != STATUS_OK) fail_msg("%s: %s", rows[i].groups, err.text);
        if (back->definitions.comms[1].first_group != rows[i].first)
            fail_msg("%s: %u", rows[i].groups, back->definitions.comms[1].first_group);
        trace_free(trace);
        trace_free(back);
    }
    temp_dir_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded),    cmocka_unit_test(simulated),         cmocka_unit_test(broken_off),
        cmocka_unit_test(threads),     cmocka_unit_test(symmetric_memory),  cmocka_unit_test(before_time_zero),
        cmocka_unit_test(late_start),  cmocka_unit_test(replaces),          cmocka_unit_test(without_events),
        cmocka_unit_test(many_events), cmocka_unit_test(reads_by_any_name), cmocka_unit_test(unwritable),
        cmocka_unit_test(groups_of_intercommunicators), cmocka_unit_test(groups_that_do_not_add_up),
        cmocka_unit_test(names_of_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
