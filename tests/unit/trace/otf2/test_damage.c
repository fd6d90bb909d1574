/* Damaged archives give one error line each and the reader ends by itself. Every try runs in a child with a time
 * limit, since OTF2 may loop or abort on what it does not expect; the child prints nothing of its own or of OTF2's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "otf2_test.h"
#include "sample.h"
#include "trace/faults.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

enum { SECONDS = 20, EXIT_READ = 10, EXIT_CHECK = 11, EXIT_ERROR = 12 };

/* What a child that keeps going found; before exit. */
struct partly {
    size_t fault_count, calls[3];
    uint32_t fault_rank;
    char fault[ERR_TEXT_BYTES];
};

static enum status read_partly(const char *directory, int out, struct err *err)
{
    struct trace *trace;
    struct partly found = {.fault_count = 0};
    TRY(otf2_read_by(0, directory, true, &trace, err));
    TRY(trace_check_partly(trace, err));
    found.fault_count = trace->provenance.fault_count;
    for (uint32_t r = 0; r < trace->rank_count && r < 3; r++) found.calls[r] = trace->ranks[r].count;
    if (trace->provenance.fault_count > 0) {
        found.fault_rank = trace->provenance.faults[0].rank;
        snprintf(found.fault, sizeof found.fault, "%s", trace->provenance.faults[0].text);
    }
    return write(out, &found, sizeof found) == (ssize_t)sizeof found ? STATUS_OK : STATUS_SYSTEM;
}

/* Reads in a child that keeps going: EXIT_READ with *found, or EXIT_ERROR. Fails the test if the child is killed. */
static int try_partly(const char *directory, struct partly *found)
{
    int out[2], status;
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct err err = {.text = ""};
        alarm(SECONDS);
        _exit(read_partly(directory, out[1], &err) == STATUS_OK ? EXIT_READ : EXIT_ERROR);
    }
    close(out[1]);
    memset(found, 0, sizeof *found);
    ssize_t got = read(out[0], found, sizeof *found);
    close(out[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) fail_msg("%s: the reader that keeps going ended by signal %d", directory, WTERMSIG(status));
    assert_int_equal(got, WEXITSTATUS(status) == EXIT_READ ? (ssize_t)sizeof *found : 0);
    return WEXITSTATUS(status);
}

/* Reads in a child. Returns EXIT_READ (and trace_check passed), EXIT_CHECK (it did not) or EXIT_ERROR; the child's
 * error text goes to text. Fails the test if the child is killed or prints anything. */
static int try_read(const char *directory, char text[ERR_TEXT_BYTES])
{
    int errors[2], prints[2], status;
    assert_int_equal(pipe(errors), 0);
    assert_int_equal(pipe(prints), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct err err = {.text = ""};
        struct trace *trace;
        alarm(SECONDS);
        dup2(prints[1], STDOUT_FILENO);
        dup2(prints[1], STDERR_FILENO);
        int code = EXIT_ERROR;
        if (otf2_read(directory, &trace, &err) == STATUS_OK)
            code = trace_check(trace, &err) == STATUS_OK ? EXIT_READ : EXIT_CHECK;
        if (write(errors[1], err.text, strlen(err.text)) < 0) code = 1;
        _exit(code);
    }
    close(errors[1]);
    close(prints[1]);
    ssize_t length = read(errors[0], text, ERR_TEXT_BYTES - 1);
    text[length > 0 ? length : 0] = '\0';
    char printed[256];
    ssize_t noise = read(prints[0], printed, sizeof printed - 1);
    close(errors[0]);
    close(prints[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) fail_msg("%s: the reader ended by signal %d", directory, WTERMSIG(status));
    if (noise > 0) fail_msg("%s: printed \"%.*s\"", directory, (int)noise, printed);
    return WEXITSTATUS(status);
}

/* One line that begins with the archive's path. */
static void assert_refused(const char *directory, const char *what, const char *part)
{
    char text[ERR_TEXT_BYTES];
    int code = try_read(directory, text);
    if (code != EXIT_ERROR) fail_msg("%s: read, expected an error", what);
    if (strncmp(text, directory, strlen(directory)) != 0 || strchr(text, '\n') || !strstr(text, part))
        fail_msg("%s: \"%s\", expected one line about %s with \"%s\"", what, text, directory, part);
}

static const char *const ours[] = {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt", "traces/2.evt", NULL};
static const char *const scorep[] = {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt", "traces/0.def", NULL};

static void make_ours(const char *directory)
{
    struct trace *trace = sample_make(&(struct sample_options){.simulated = true});
    struct err err = {.text = ""};
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
}

/* Records of OpenSHMEM on ranks 0 and 1, of threads on rank 1: its thread 1 is location 2. */
static void make_threads(const char *directory)
{
    struct err err = {.text = ""};
    struct trace *trace = trace_of("rmacast-trace 1\nranks 2\nwindow 0 comm=0 flavor=heap\n"
                                   "0 1 2 shmem_put_nbi win=0 target=1 bytes=8\n"
                                   "0 2 3 shmem_atomic_fetch_inc win=0 target=1 bytes=8 result_bytes=8\n"
                                   "0 3 4 shmem_barrier_all comm=0\n"
                                   "1 1 2 pthread_create child=1\n"
                                   "1 2 2 thread_begin thread=1\n"
                                   "1 2 3 pthread_mutex_lock object=1 thread=1\n"
                                   "1 3 4 shmem_barrier_all comm=0\n"
                                   "1 4 5 pthread_mutex_unlock object=1 thread=1\n"
                                   "1 5 5 thread_end thread=1\n"
                                   "1 5 6 pthread_join child=1\n");
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
}

static void make_scorep(const char *directory)
{
    copy_tree("tests/data/scorep-ping-pong/.", directory);
}

/* Every file of the archive cut at each sixteenth of its length, two bytes short (the anchor's last byte is
 * padding), and to nothing. */
static void cut(void (*make)(const char *), const char *const *names)
{
    char directory[TEMP_DIR_BYTES], what[128];
    temp_dir_make(directory);
    make(directory);
    for (; *names; names++) {
        const char *path = file_in(directory, *names);
        size_t bytes;
        unsigned char *data = bytes_of(path, &bytes);
        for (size_t i = 0; i <= 16; i++) {
            size_t kept = i < 16 ? bytes * i / 16 : bytes - 2;
            write_bytes(path, data, kept);
            snprintf(what, sizeof what, "%s cut to %zu of %zu bytes", *names, kept, bytes);
            assert_refused(directory, what, *names);
        }
        write_bytes(path, data, bytes);
        free(data);
    }
    char text[ERR_TEXT_BYTES];
    assert_int_equal(try_read(directory, text), EXIT_READ);
    temp_dir_remove(directory);
}

static void files_cut(void **state)
{
    (void)state;
    cut(make_ours, ours);
    cut(make_threads, ours);
    cut(make_scorep, scorep);
}

/* One rank's events cut anywhere: the other ranks are whole, and the fault names the file. */
static void others_go_on(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct partly whole, found;
    temp_dir_make(directory);
    make_ours(directory);
    assert_int_equal(try_partly(directory, &whole), EXIT_READ);
    assert_int_equal(whole.fault_count, 0);
    const char *path = file_in(directory, "traces/1.evt");
    size_t bytes;
    unsigned char *data = bytes_of(path, &bytes);
    for (size_t i = 0; i < 8; i++) {
        write_bytes(path, data, bytes * i / 8);
        assert_int_equal(try_partly(directory, &found), EXIT_READ);
        assert_int_equal(found.fault_count, 1);
        assert_int_equal(found.fault_rank, 1);
        assert_non_null(strstr(found.fault, "traces/1.evt"));
        assert_int_equal(found.calls[0], whole.calls[0]);
        assert_int_equal(found.calls[1], 0); /* one chunk, and that is not whole */
        assert_int_equal(found.calls[2], whole.calls[2]);
    }
    assert_int_equal(unlink(file_in(directory, "traces/1.evt")), 0);
    assert_int_equal(try_partly(directory, &found), EXIT_READ);
    assert_int_equal(found.calls[2], whole.calls[2]);
    write_bytes(file_in(directory, "traces.def"), data, 100);
    assert_int_equal(try_partly(directory, &found), EXIT_ERROR);
    free(data);
    temp_dir_remove(directory);
}

/* A rank of `calls` sends: 3 events each, Enter, MpiSend and Leave. */
static struct trace *make_sends(int64_t calls)
{
    struct err err = {.text = ""};
    struct trace *trace;
    assert_int_equal(trace_new("many", 1, &trace, &err), STATUS_OK);
    for (int64_t i = 0; i < calls; i++) {
        struct trace_call call = {
            .enter_ps = i * 1000, .exit_ps = i * 1000 + 999, .any = TRACE_NO_MEMBERS, .call = ID_Send};
        assert_int_equal(trace_add_call(trace, 0, &call, &err), STATUS_OK);
    }
    return trace;
}

/* No file may grow beyond a limit, as on a full disk: one error line, nothing left behind, and the old archive
 * stays. */
static void full_disk(void **state)
{
    (void)state;
    static const rlim_t limits[] = {0, 10, 200, 100000, 1 << 20, 3 << 20, 4 << 20, (4 << 20) + 1, 9 << 20};
    char directory[TEMP_DIR_BYTES], text[ERR_TEXT_BYTES];
    temp_dir_make(directory);
    make_ours(directory);
    struct trace *trace = make_sends(400000); /* more than 10 MB */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct err err = {.text = ""};
            alarm(SECONDS);
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], limits[i]});
            _exit(otf2_write(trace, directory, &err) == STATUS_SYSTEM && strstr(err.text, "cannot write the archive")
                      ? EXIT_ERROR
                      : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_ERROR)
            fail_msg("limit %llu: the writer ended with status %d", (unsigned long long)limits[i], status);
    }
    trace_free(trace);
    assert_int_equal(try_read(directory, text), EXIT_READ);
    temp_dir_remove(directory);
}

/* A call of make_sends takes 3 records of 9 bytes and more each, and no more than 60 in all: so many stand at least and
 * at most in whole chunks of 1 MiB. */
static void check_whole_chunks(const char *directory, size_t chunks)
{
    struct partly found;
    assert_int_equal(try_partly(directory, &found), EXIT_READ);
    assert_int_equal(found.fault_count, 1);
    assert_in_range(found.calls[0], chunks * (1 << 20) / 60, chunks * (1 << 20) / 27);
}

/* At a chunk's end the frame of the rest is whole: the numbers of its events tell. */
static void cut_between_chunks(void **state)
{
    (void)state;
    enum { CHUNK_BYTES = 1 << 20 };
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = make_sends(200000);
    temp_dir_make(directory);
    assert_int_equal(otf2_write(trace, directory, &err), STATUS_OK);
    trace_free(trace);
    size_t bytes;
    unsigned char *data = bytes_of(file_in(directory, "traces/0.evt"), &bytes);
    assert_true(bytes > 2 * CHUNK_BYTES);
    for (size_t at = CHUNK_BYTES; at < bytes; at += CHUNK_BYTES) {
        write_bytes(file_in(directory, "traces/0.evt"), data, at);
        assert_refused(directory, "cut at a chunk's end", "traces/0.evt");
        check_whole_chunks(directory, at / CHUNK_BYTES);
        write_bytes(file_in(directory, "traces/0.evt"), data, at + 1000);
        check_whole_chunks(directory, at / CHUNK_BYTES);
        /* The same ended by the mark as a repair might do it: behind the chunk's last event come zeros only. */
        size_t end = at;
        while (data[end - 1] == 0) end--;
        unsigned char after[2] = {data[end], data[end + 1]};
        memcpy(data + end, "\2\1", 2);
        write_bytes(file_in(directory, "traces/0.evt"), data, end + 2);
        assert_refused(directory, "cut at a chunk's end, marked as ended", "traces/0.evt");
        memcpy(data + end, after, 2);
    }
    free(data);
    temp_dir_remove(directory);
}

static void missing(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    for (int i = 1; i < 4; i++) {
        temp_dir_make(directory);
        make_ours(directory);
        assert_int_equal(unlink(file_in(directory, ours[i])), 0);
        assert_refused(directory, "a missing file", "No such file or directory");
        temp_dir_remove(directory);
    }
    temp_dir_make(directory);
    assert_refused(directory, "an empty directory", "0 OTF2 anchor files (*.otf2), expected one");
    temp_dir_remove(directory);
    assert_refused(directory, "no directory", "No such file or directory");
}

static void garbage(void **state)
{
    (void)state;
    unsigned char noise[4096], framed[sizeof noise]; /* framed: the first and last bytes are those of an OTF2 file */
    uint64_t random = 7;
    for (size_t i = 0; i < sizeof noise; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        noise[i] = (unsigned char)(random >> 56);
    }
    memcpy(framed, noise, sizeof noise);
    memcpy(framed, "\3B", 2);
    memcpy(framed + sizeof framed - 2, "\2\1", 2);
    char directory[TEMP_DIR_BYTES];
    for (int i = 0; i < 4; i++) {
        temp_dir_make(directory);
        make_ours(directory);
        write_bytes(file_in(directory, ours[i]), noise, sizeof noise);
        assert_refused(directory, "noise", "expected");
        write_bytes(file_in(directory, ours[i]), framed, sizeof framed);
        assert_refused(directory, "noise in a frame", "");
        temp_dir_remove(directory);
    }
}

/* A few bytes changed anywhere: whatever comes of it, an archive that reads or one error line. The seed is printed. */
static void bytes_changed(void **state)
{
    (void)state;
    enum { TRIES = 40 };
    uint64_t random = 20240607;
    print_message("seed %llu\n", (unsigned long long)random);
    for (int kind = 0; kind < 2; kind++) {
        char directory[TEMP_DIR_BYTES], text[ERR_TEXT_BYTES];
        temp_dir_make(directory);
        (kind ? make_scorep : make_ours)(directory);
        for (const char *const *name = kind ? scorep : ours; *name; name++) {
            const char *path = file_in(directory, *name);
            size_t bytes;
            unsigned char *data = bytes_of(path, &bytes), *changed = malloc(bytes);
            assert_non_null(changed);
            for (int i = 0; i < TRIES; i++) {
                memcpy(changed, data, bytes);
                for (int k = 0; k < 1 + i % 3; k++) {
                    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                    changed[(random >> 32) % bytes] = (unsigned char)(random >> 24);
                }
                write_bytes(path, changed, bytes);
                struct partly found;
                int code = try_read(directory, text);
                if (i % 4 == 0) (void)try_partly(directory, &found);
                if (code == EXIT_ERROR && (text[0] == '\0' || strchr(text, '\n')))
                    fail_msg("\"%s\", expected one line", text);
            }
            write_bytes(path, data, bytes);
            free(data);
            free(changed);
        }
        temp_dir_remove(directory);
    }
}

/* Where the text of its time zero is changed, an archive of a rank that begins at -10^6 s has it begin at -9 * 10^6 s:
 * a picosecond beyond the first time there is stands for that. */
static void time_beyond_the_limit(void **state)
{
    (void)state;
    static const char zero[] = "1000000000000000000";
    char directory[TEMP_DIR_BYTES], text[ERR_TEXT_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = trace_of("rmacast-trace 1\nranks 2\n1 -1000000 0 MPI_Init\n1 1 1 MPI_Finalize\n");
    temp_dir_make(directory);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    const char *path = file_in(directory, "traces.otf2");
    size_t bytes;
    unsigned char *data = bytes_of(path, &bytes), *found = memmem(data, bytes, zero, sizeof zero - 1);
    assert_non_null(found);
    *found = '9';
    write_bytes(path, data, bytes);
    int code = try_read(directory, text);
    if (code != EXIT_CHECK ||
        !strstr(text, "rank 1, event 1 (MPI_Init) at -6000000.000000000001 s: time is beyond 6000000 s"))
        fail_msg("%s", text);
    free(data);
    trace_free(trace);
    temp_dir_remove(directory);
}

/* MPI-3.1 11.2.1: a displacement unit is positive. 0 was taken for "not recorded". 2^32 + 4 is 4 in 32 bits. */
static void displacement_units(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        bool good;
    } rows[] = {{"0000000004", true}, {"2147483647", true}, {"2147483648", false}, {"4294967300", false}, {"0000000000", false},
                {"-000000004", false}};
    static const char before[] = "disp_unit=8,";
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = trace_of("rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=8 disp_unit=8,1000000000 flavor=create\n");
    temp_dir_make(directory);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
        const char *path = file_in(directory, "traces.otf2");
        size_t bytes;
        unsigned char *data = bytes_of(path, &bytes), *found = memmem(data, bytes, before, sizeof before - 1);
        assert_non_null(found);
        memcpy(found + sizeof before - 1, rows[i].unit, 10);
        write_bytes(path, data, bytes);
        free(data);
        if (!rows[i].good) {
            assert_refused(directory, rows[i].unit, "displacement units from 1");
            continue;
        }
        struct trace *back;
        if (otf2_read(directory, &back, &err) != STATUS_OK) fail_msg("%s: %s", rows[i].unit, err.text);
        assert_int_equal(back->definitions.windows[0].disp_unit[1], atol(rows[i].unit));
        trace_free(back);
    }
    trace_free(trace);
    temp_dir_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_cut),     cmocka_unit_test(cut_between_chunks), cmocka_unit_test(missing),
        cmocka_unit_test(garbage),       cmocka_unit_test(bytes_changed),      cmocka_unit_test(full_disk),
        cmocka_unit_test(others_go_on),  cmocka_unit_test(time_beyond_the_limit),
        cmocka_unit_test(displacement_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
