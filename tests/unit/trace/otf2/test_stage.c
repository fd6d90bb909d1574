/* A writer that is killed (SIGKILL) at any moment leaves the old archive or the new one, and what it leaves beside goes
 * with the next writer. The moments are those before each system call that changes a directory: between two of them
 * nothing changes that a reader could see. The old archive has one rank, the new one two, the spool beside them is the
 * user's. */
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/stage.h"
#include "trace_test.h"

enum { CANNOT_TRACE = 77, CALLS_MOST = 2000 };

static char temp[TEMP_DIR_BYTES];
static const char *directory;
static struct trace *old, *new;

static bool changes_directories(uint64_t call)
{
    static const long calls[] = {
        SYS_mkdirat, SYS_unlinkat, SYS_renameat2,
#ifdef SYS_rename
        SYS_mkdir,   SYS_rmdir,    SYS_unlink,    SYS_rename, SYS_renameat,
#endif
    };
    bool found = false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) found = found || (uint64_t)calls[i] == call;
    return found;
}

static int run_writer(void)
{
    struct err err = {.text = ""};
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(CANNOT_TRACE);
    raise(SIGSTOP);
    _exit(otf2_write(new, directory, &err) == STATUS_OK ? 0 : 1);
}

/* Kills the writer before its call number `calls` of those that count. False: it ended by itself, in order. */
static bool is_killed(int calls)
{
    int status;
    bool entry = false;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_writer();
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_TRACE) skip();
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
    for (;;) {
        struct ptrace_syscall_info info = {.op = 0};
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            return false;
        }
        assert_true(WIFSTOPPED(status));
        assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0);
        entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
        if (!entry || !changes_directories(info.entry.nr) || calls-- > 0) continue;
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        return true;
    }
}

/* 0: no archive. */
static uint32_t ranks_there(void)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (access(file_in(directory, "traces.otf2"), F_OK) != 0) return 0;
    if (otf2_read(directory, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    uint32_t ranks = trace->rank_count;
    trace_free(trace);
    assert_true(ranks == 1 || ranks == 2);
    return ranks;
}

static int entries;

static int count_entry(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)path, (void)about, (void)type, (void)walk;
    entries++;
    return 0;
}

/* The archive and the spool, and nothing else: itself, a.rma, spool and its file, traces.otf2, traces.def, traces, and
 * of each rank two files. */
static void assert_entries(uint32_t ranks)
{
    entries = 0;
    assert_int_equal(nftw(temp, count_entry, 8, FTW_PHYS), 0);
    assert_int_equal(entries, 7 + 2 * (int)ranks);
    assert_int_equal(access(file_in(directory, "spool/rank-000000.spool"), F_OK), 0);
}

/* A writer that opens its stage and then gives up: the archive that was there is there. */
static void run_next(void)
{
    struct archive_stage stage;
    struct err err = {.text = ""};
    if (archive_stage_open(directory, &stage, &err) != STATUS_OK) fail_msg("%s", err.text);
    archive_stage_close(&stage);
}

static void write_old(void)
{
    struct err err = {.text = ""};
    if (otf2_write(old, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
}

/* `gaps`: there may be no archive between a kill and the next writer. */
static void kill_everywhere(bool gaps)
{
    bool new_seen = false, old_seen = false;
    int calls = 0;
    do {
        write_old();
        if (!is_killed(calls)) break;
        if (!gaps) assert_true(ranks_there() > 0);
        run_next();
        uint32_t ranks = ranks_there();
        assert_true(ranks > 0);
        assert_entries(ranks);
        old_seen = old_seen || ranks == 1;
        new_seen = new_seen || ranks == 2;
    } while (++calls < CALLS_MOST);
    assert_true(old_seen && new_seen && calls < CALLS_MOST);
}

static int enter(void **state)
{
    (void)state;
    temp_dir_make(temp);
    old = trace_of("rmacast-trace 1\nranks 1\n0 0.5 0.75 MPI_Init\n");
    new = trace_of("rmacast-trace 1\nranks 2\n0 0.5 0.75 MPI_Init\n");
    if (chdir(temp) != 0 || mkdir("a.rma", 0777) != 0 || mkdir("a.rma/spool", 0777) != 0) return -1;
    write_bytes("a.rma/spool/rank-000000.spool", "mine", 4);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    trace_free(old);
    trace_free(new);
    temp_dir_remove(temp);
    return chdir("/");
}

static void killed_beside(void **state)
{
    (void)state;
    directory = "a.rma";
    kill_everywhere(false);
}

/* The working directory cannot be exchanged: the shell would be left in the old one. */
static void killed_inside(void **state)
{
    (void)state;
    assert_int_equal(chdir("a.rma"), 0);
    directory = ".";
    kill_everywhere(true);
}

/* The stage of a living writer is left alone, and so is a directory of the same name that is the user's. */
static void others_live(void **state)
{
    struct archive_stage stage;
    struct err err = {.text = ""};
    (void)state;
    directory = "a.rma";
    write_old();
    assert_int_equal(archive_stage_open(directory, &stage, &err), STATUS_OK);
    write_old();
    run_next();
    assert_int_equal(access(stage.path, W_OK), 0);
    archive_stage_close(&stage);
    assert_int_equal(access(stage.directory, W_OK), 0);
    assert_int_equal(mkdir(".a.rma.rmacast-abcdef", 0777), 0);
    write_bytes(".a.rma.rmacast-abcdef/notes.txt", "mine", 4);
    run_next();
    assert_int_equal(access("a.rma/notes.txt", F_OK) == 0 || access(".a.rma.rmacast-abcdef/notes.txt", F_OK) == 0, 1);
}

/* The user removes the directory, or the stage with it, while an archive is written. */
static void removed_meanwhile(void **state)
{
    struct archive_stage stage;
    struct err err = {.text = ""};
    (void)state;
    directory = "a.rma";
    write_old();
    assert_int_equal(archive_stage_open(directory, &stage, &err), STATUS_OK);
    copy_tree("a.rma/traces.otf2", stage.path);
    copy_tree("a.rma/traces.def", stage.path);
    copy_tree("a.rma/traces", stage.path);
    temp_dir_remove("a.rma");
    assert_int_equal(archive_stage_commit(&stage, &err), STATUS_OK);
    archive_stage_close(&stage);
    assert_int_equal(ranks_there(), 1);
    assert_int_equal(archive_stage_open(directory, &stage, &err), STATUS_OK);
    temp_dir_remove(stage.path);
    assert_int_equal(archive_stage_check(&stage, STATUS_OK, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "a.rma: was removed while the archive was written");
    assert_int_equal(archive_stage_commit(&stage, &err), STATUS_SYSTEM);
    archive_stage_close(&stage);
    assert_int_equal(ranks_there(), 1);
}

/* The reason is the true one, and nothing is left at the new place. */
static void moved_meanwhile(void **state)
{
    struct archive_stage stage;
    struct err err = {.text = ""};
    char here[PATH_MAX], expected[PATH_MAX + 128], aside[PATH_MAX + 64];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir("d", 0777), 0);
    for (int beside = 0; beside < 2; beside++) {
        directory = "d/a.rma";
        if (beside) write_old();
        assert_int_equal(archive_stage_open(directory, &stage, &err), STATUS_OK);
        assert_int_equal(stage.beside, beside);
        if (beside) copy_tree("d/a.rma/traces.otf2", stage.path);
        assert_int_equal(archive_stage_check(&stage, STATUS_DATA, &err), STATUS_DATA);
        assert_int_equal(rename("d", "e"), 0);
        assert_int_equal(archive_stage_check(&stage, STATUS_OK, &err), STATUS_SYSTEM);
        snprintf(expected, sizeof expected, "d/a.rma: %s moved to %s/%s while the archive was written",
                 beside ? "its directory was" : "was", here, beside ? "e" : "e/a.rma");
        assert_string_equal(err.text, expected);
        snprintf(aside, sizeof aside, "e%s", strrchr(stage.path, '/'));
        archive_stage_close(&stage);
        assert_int_equal(access(aside, F_OK), -1);
        assert_int_equal(rename("e", "d"), 0);
        assert_int_equal(rmdir("d/a.rma"), beside ? -1 : 0);
    }
    assert_int_equal(ranks_there(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(killed_beside, enter, leave),
        cmocka_unit_test_setup_teardown(killed_inside, enter, leave),
        cmocka_unit_test_setup_teardown(others_live, enter, leave),
        cmocka_unit_test_setup_teardown(removed_meanwhile, enter, leave),
        cmocka_unit_test_setup_teardown(moved_meanwhile, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
