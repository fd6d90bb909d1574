/* The temporary file of an analysis: a process that is killed leaves nothing, at whatever system call; and it works
 * where the file system cannot make files without a name. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files/temp_file.h"

enum { WRITTEN = 10, FAILED = 11, NAMED = 12, NOT_ALLOWED = 77 };

static char place[] = "/tmp/rmacast-test.XXXXXX"; /* a directory */

static int set_up(void **state)
{
    (void)state;
    strcpy(place + strlen(place) - strlen("XXXXXX"), "XXXXXX");
    return mkdtemp(place) ? setenv("TMPDIR", place, 1) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    return rmdir(place); /* which only an empty directory lets happen */
}

/* In a child: exit status WRITTEN if what was written came back. */
static int use_temp_file(void)
{
    struct temp_file temp;
    struct err err;
    char back[4] = "";
    int64_t at = -1;
    if (temp_file_open(&temp, &err) != STATUS_OK) return FAILED;
    if (rmdir(place) != 0 || mkdir(place, 0700) != 0) return NAMED;
    bool good = temp_file_append(&temp, "abc", 3, &at, &err) == STATUS_OK && at == 0 &&
                temp_file_append(&temp, "def", 3, &at, &err) == STATUS_OK && at == 3 &&
                temp_file_read(&temp, 2, back, 3, &err) == STATUS_OK && memcmp(back, "cde", 3) == 0;
    temp_file_close(&temp);
    return good ? WRITTEN : FAILED;
}

static bool can_be_nameless(void)
{
    int file = open(place, O_TMPFILE | O_RDWR, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

/* Kills a child at its k-th entry or return of a system call. True if it came that far; *ended: how it ended. */
static bool kill_at(int k, int *ended)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct temp_file temp;
        struct err err;
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(NOT_ALLOWED);
        raise(SIGSTOP);
        _exit(temp_file_open(&temp, &err) == STATUS_OK ? 0 : FAILED);
    }
    assert_int_equal(waitpid(child, ended, 0), child);
    for (int i = 0; i < k && WIFSTOPPED(*ended); i++) {
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        assert_int_equal(waitpid(child, ended, 0), child);
    }
    if (!WIFSTOPPED(*ended)) return false;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, ended, 0), child);
    return true;
}

static void killed_anywhere_it_leaves_nothing(void **state)
{
    (void)state;
    int ended = 0, calls = 0;
    if (!can_be_nameless()) skip();
    while (kill_at(calls, &ended)) {
        if (rmdir(place) != 0) fail_msg("a file is left after %d stops", calls);
        assert_int_equal(mkdir(place, 0700), 0);
        assert_true(++calls < 1000);
    }
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_ALLOWED) skip();
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    assert_true(calls > 2); /* the making of the file is seen */
}

/* From now on the process cannot make files without a name, as in a file system that does not know them. */
static bool forbid_nameless(void)
{
    const uint32_t flags = offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t); /* lower half, as on x86-64 */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int status_of_use(bool forbid)
{
    int ended = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (forbid && !forbid_nameless()) _exit(NOT_ALLOWED);
        if (forbid && can_be_nameless()) _exit(FAILED);
        _exit(use_temp_file());
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    assert_int_equal(status_of_use(false), WRITTEN);
}

static void file_systems_without_nameless_files(void **state)
{
    (void)state;
    int status = status_of_use(true);
    if (status == NOT_ALLOWED) skip();
    assert_int_equal(status, WRITTEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(file_systems_without_nameless_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_anywhere_it_leaves_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
