/* inject allocations|calls N REPORT PRELOAD SECONDS COMMAND...: runs COMMAND, whose Nth allocation or system call that may
 * fail does, counted over all its processes from main() on; N 0: none fails. Other programs that it runs are left alone. In
 * REPORT lines: "count NUMBER", "failed WHAT" where it was reached, "from MODULE+OFFSET" its callers, "calls WHAT" (N 0)
 * each system call, "place SUM" (N 0) the callers of each allocation; "status NUMBER", "signal NUMBER" or "timeout"; "left
 * PID NAME" a process that was still there, and is ended. System calls are changed at the kernel's boundary (ptrace), so
 * that those of any library count.
 *
 * inject serve FROM,TO REPORT ...: the same for allocations, once for each N that is read from the descriptor FROM, whose
 * end is answered on TO. COMMAND is loaded once, and is forked at main(); standard input and outputs are rewound. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/report.h"

enum { PROCESSES_MAX = 256, PATH_BYTES = 4096 };

/* A call that may fail: which argument is a descriptor or a path, the error, whether it has its effect all the same. */
struct fallible {
    long number;
    const char *name;
    int descriptor, path; /* -1: none */
    int error;
    bool done;
};

#define CALL(NAME, DESCRIPTOR, PATH, ERROR) {SYS_##NAME, #NAME, DESCRIPTOR, PATH, ERROR, false}
static const struct fallible table[] = {
    CALL(read, 0, -1, EIO),
    CALL(readv, 0, -1, EIO),
    CALL(pread64, 0, -1, EIO),
    CALL(write, 0, -1, ENOSPC),
    CALL(writev, 0, -1, ENOSPC),
    CALL(pwrite64, 0, -1, ENOSPC),
    CALL(open, -1, 0, EMFILE),
    CALL(openat, -1, 1, EMFILE),
    CALL(stat, -1, 0, EIO),
    CALL(lstat, -1, 0, EIO),
    CALL(fstat, 0, -1, EIO),
    CALL(newfstatat, 0, 1, EIO),
    CALL(statx, 0, 1, EIO),
    CALL(access, -1, 0, EIO),
    CALL(faccessat, -1, 1, EIO),
    CALL(faccessat2, -1, 1, EIO),
    CALL(readlink, -1, 0, EIO),
    CALL(readlinkat, -1, 1, EIO),
    CALL(getdents64, 0, -1, EIO),
    CALL(rename, -1, 0, EIO),
    CALL(renameat, -1, 1, EIO),
    CALL(renameat2, -1, 1, EIO),
    CALL(link, -1, 0, EIO),
    CALL(linkat, -1, 1, EIO),
    CALL(symlink, -1, 1, EIO),
    CALL(symlinkat, -1, 2, EIO),
    CALL(unlink, -1, 0, EIO),
    CALL(unlinkat, -1, 1, EIO),
    CALL(mkdir, -1, 0, ENOSPC),
    CALL(mkdirat, -1, 1, ENOSPC),
    CALL(rmdir, -1, 0, EIO),
    CALL(ftruncate, 0, -1, EIO),
    CALL(fallocate, 0, -1, ENOSPC),
    CALL(fchmod, 0, -1, EPERM),
    CALL(flock, 0, -1, ENOLCK),
    CALL(fsync, 0, -1, EIO),
    {SYS_close, "close", 0, -1, EIO, true},
    CALL(dup, 0, -1, EMFILE),
    CALL(dup2, 0, -1, EMFILE),
    CALL(dup3, 0, -1, EMFILE),
    CALL(pipe, -1, -1, EMFILE),
    CALL(pipe2, -1, -1, EMFILE),
    CALL(socketpair, -1, -1, EMFILE),
    CALL(memfd_create, -1, -1, EMFILE),
    CALL(getcwd, -1, -1, ENOENT),
    CALL(chdir, -1, 0, EIO),
    CALL(fork, -1, -1, EAGAIN),
    CALL(vfork, -1, -1, EAGAIN),
    CALL(clone, -1, -1, EAGAIN),
    CALL(clone3, -1, -1, EAGAIN),
    CALL(execve, -1, 0, EACCES),
    CALL(mmap, 4, -1, ENOMEM),
    CALL(mremap, -1, -1, ENOMEM),
    CALL(mprotect, -1, -1, ENOMEM),
    CALL(sendfile, 1, -1, EIO),
    CALL(copy_file_range, 2, -1, EIO),
    CALL(getrandom, -1, -1, ENOSYS),
};

/* A process or thread of the command. */
struct tracee {
    pid_t pid; /* 0: free */
    const struct fallible *call; /* the one that fails and is under way */
};

static struct tracee tracees[PROCESSES_MAX];
static struct report *report;
static FILE *out;
static bool counting; /* main() has begun */
static pid_t loaded;  /* the process at main() that forks a command for each request; 0: none */
static volatile sig_atomic_t timed_out;

static void fail(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(3);
}

static struct tracee *tracee_of(pid_t pid)
{
    struct tracee *free_slot = NULL;
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        if (tracees[i].pid == pid) return &tracees[i];
        if (tracees[i].pid == 0 && !free_slot) free_slot = &tracees[i];
    }
    if (!free_slot) fail("too many processes");
    *free_slot = (struct tracee){.pid = pid};
    return free_slot;
}

static const struct fallible *find_call(long number)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number) return &table[i];
    return NULL;
}

static void read_path(pid_t pid, unsigned long long address, char path[PATH_BYTES])
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/mem", pid);
    int memory = open(name, O_RDONLY | O_CLOEXEC);
    path[0] = '\0';
    /* byte by byte: the page behind the end may be missing */
    for (size_t i = 0; memory >= 0 && i < PATH_BYTES - 1; i++) {
        path[i + 1] = '\0';
        if (pread(memory, path + i, 1, (off_t)address + (off_t)i) != 1) path[i] = '\0';
        if (path[i] == '\0') break;
    }
    if (memory >= 0) close(memory);
}

/* Whether the descriptor is open for writing. */
static bool is_written(pid_t pid, int descriptor)
{
    char name[64], line[64];
    unsigned flags = 0;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", pid, descriptor);
    FILE *file = fopen(name, "re");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "flags: %o", &flags);
    if (file) fclose(file);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static void tell_call(const char *word, pid_t pid, const struct fallible *call, const struct user_regs_struct *registers)
{
    const unsigned long long argument[] = {registers->rdi, registers->rsi, registers->rdx,
                                           registers->r10, registers->r8,  registers->r9};
    char path[PATH_BYTES] = "", link[64];
    if (call->path >= 0) read_path(pid, argument[call->path], path);
    if (call->path >= 0 && !*path && call->descriptor < 0) strcpy(path, "''");
    if (!*path && call->descriptor >= 0 && (int)argument[call->descriptor] >= 0) {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, (int)argument[call->descriptor]);
        ssize_t bytes = readlink(link, path, sizeof path - 1);
        path[bytes > 0 ? bytes : 0] = '\0';
    }
    path[strcspn(path, "\n")] = '\0';
    bool read_only = call->done && !is_written(pid, (int)argument[call->descriptor]);
    fprintf(out, "%s %s%s %d %s\n", word, call->name, read_only ? "_read" : "", call->error, path);
}

static void enter_call(struct tracee *tracee)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers) != 0) return;
    long number = (long)registers.orig_rax;
    if (number == MARK_SYSCALL) {
        counting = true;
        return;
    }
    const struct fallible *call = counting ? find_call(number) : NULL;
    if (!call) return;
    unsigned long reached = atomic_fetch_add(&report->count, 1) + 1;
    if (report->fail == 0) tell_call("calls", tracee->pid, call, &registers);
    if (reached != report->fail) return;
    tell_call("failed", tracee->pid, call, &registers);
    atomic_store(&report->reached, 1);
    tracee->call = call;
    if (call->done) return;
    registers.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, &registers);
}

static void leave_call(struct tracee *tracee)
{
    struct user_regs_struct registers;
    if (!tracee->call || ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers) != 0) return;
    registers.rax = (unsigned long long)-tracee->call->error;
    ptrace(PTRACE_SETREGS, tracee->pid, NULL, &registers);
    tracee->call = NULL;
}

/* Whether the process has become another program. */
static bool is_foreign(pid_t pid)
{
    char name[64] = "", path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    if (!fgets(name, sizeof name, file)) name[0] = '\0';
    fclose(file);
    return strcmp(name, "rmacast\n") != 0;
}

static void handle_stop(pid_t pid, int how)
{
    struct tracee *tracee = tracee_of(pid);
    int stopped = WSTOPSIG(how), event = how >> 16, deliver = 0;
    if (stopped == (SIGTRAP | 0x80)) {
        struct __ptrace_syscall_info about = {.op = PTRACE_SYSCALL_INFO_NONE};
        ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof about, &about);
        if (about.op == PTRACE_SYSCALL_INFO_ENTRY)
            enter_call(tracee);
        else if (about.op == PTRACE_SYSCALL_INFO_EXIT)
            leave_call(tracee);
    } else if (event == PTRACE_EVENT_EXEC) {
        if (counting && is_foreign(pid)) {
            ptrace(PTRACE_DETACH, pid, NULL, NULL);
            tracee->pid = 0;
            return;
        }
    } else if (event == 0 && !(stopped == SIGSTOP)) {
        deliver = stopped;
    }
    ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)deliver);
}

static void note_timeout(int signal)
{
    (void)signal;
    timed_out = 1;
}

static void start(char **command, const char *preload, const char *shared)
{
    setpgid(0, 0);
    setenv("LD_PRELOAD", preload, 1);
    setenv("RMACAST_FAULTS", shared, 1);
    if (!report->counts_allocations) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
    }
    execv(command[0], command);
    fail(command[0]);
}

/* A child that is not the one that forks commands; 0: none. */
static pid_t find_child(void)
{
    char path[64];
    int pid, found = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *children = fopen(path, "re");
    while (children && found == 0 && fscanf(children, "%d", &pid) == 1)
        if (pid != loaded) found = pid;
    if (children) fclose(children);
    return found;
}

static void end_process(pid_t pid)
{
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, sizeof name, file)) strcpy(name, "?\n");
    if (file) fclose(file);
    fprintf(out, "left %d %s", pid, name);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, __WALL);
}

/* Ends what the command has left: it is a child of ours now. */
static void end_left(pid_t group)
{
    pid_t pid;
    for (int tries = 0; tries < 200 && (pid = find_child()) != 0; tries++)
        if (waitpid(pid, NULL, WNOHANG | __WALL) <= 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (find_child() == 0) return;
    kill(-group, SIGSTOP); /* what is left makes no more */
    while ((pid = find_child()) != 0) end_process(pid);
}

static void wait_for(pid_t command)
{
    int how;
    for (bool told = false;;) {
        pid_t pid = waitpid(-1, &how, __WALL);
        if (timed_out && !told) {
            fprintf(out, "timeout\n");
            told = true;
            kill(-command, SIGKILL);
        }
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) return;
        if (WIFSTOPPED(how)) {
            handle_stop(pid, how);
            continue;
        }
        tracee_of(pid)->pid = 0;
        if (pid != command) continue;
        if (!told && WIFSIGNALED(how)) fprintf(out, "signal %d\n", WTERMSIG(how));
        if (!told && WIFEXITED(how)) fprintf(out, "status %d\n", WEXITSTATUS(how));
        return;
    }
}

static void tell(void)
{
    unsigned long count = atomic_load(&report->count);
    fprintf(out, "count %lu\n", count);
    if (report->counts_allocations && atomic_load(&report->reached)) fprintf(out, "failed allocation %d\n", ENOMEM);
    for (size_t i = 0; i < report->frames; i++) fprintf(out, "from %s\n", report->frame[i]);
    for (unsigned long i = 0; report->counts_allocations && report->fail == 0 && i < count && i < PLACES_MAX; i++)
        fprintf(out, "place %s%lx\n", report->places[i] & 1 ? "begins" : "", (unsigned long)report->places[i]);
}

/* The report's file is opened and closed for each request, so that it is whole when the answer comes. */
static void serve(char **argv, const char *shared)
{
    int from = -1, to = -1, go[2], done[2];
    if (sscanf(argv[2], "%d,%d", &from, &to) != 2 || pipe2(go, O_CLOEXEC) != 0 || pipe2(done, O_CLOEXEC) != 0) fail(argv[2]);
    fcntl(from, F_SETFD, FD_CLOEXEC);
    fcntl(to, F_SETFD, FD_CLOEXEC);
    FILE *requests = fdopen(from, "re");
    loaded = fork();
    if (loaded == 0) {
        dup2(go[0], SERVE_FROM);
        dup2(done[1], SERVE_TO);
        start(argv + 6, argv[4], shared);
    }
    close(done[1]);
    for (unsigned long number; requests && fscanf(requests, "%lu", &number) == 1;) {
        char byte = 0;
        report->fail = number;
        report->frames = 0;
        report->count = report->reached = 0;
        for (int i = 0; i < 3; i++) lseek(i, 0, SEEK_SET);
        if (ftruncate(1, 0) != 0 || ftruncate(2, 0) != 0 || !(out = fopen(argv[3], "we"))) fail(argv[3]);
        if (write(go[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1) fail("the command does not begin");
        timed_out = 0;
        alarm((unsigned)atoi(argv[5]));
        wait_for(report->process);
        alarm(0);
        end_left(report->process);
        tell();
        if (fclose(out) != 0 || write(to, &byte, 1) != 1) fail(argv[3]);
    }
    kill(loaded, SIGKILL);
}

static void run_once(char **argv, const char *shared)
{
    report->fail = strtoul(argv[2], NULL, 10);
    out = fopen(argv[3], "we");
    if (!out) fail(argv[3]);
    alarm((unsigned)atoi(argv[5]));
    pid_t command = fork();
    if (command == 0) start(argv + 6, argv[4], shared);
    if (!report->counts_allocations) {
        int how;
        waitpid(command, &how, __WALL);
        ptrace(PTRACE_SETOPTIONS, command, NULL,
               (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                              PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
        ptrace(PTRACE_SYSCALL, command, NULL, NULL);
    }
    wait_for(command);
    end_left(command);
    tell();
    if (fclose(out) != 0) fail(argv[3]);
}

int main(int argc, char **argv)
{
    if (argc < 7) return 2;
    char shared[64];
    int file = memfd_create("faults", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof *report) != 0) fail("memfd_create");
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (report == MAP_FAILED) fail("mmap");
    snprintf(shared, sizeof shared, "/proc/%d/fd/%d", getpid(), file);
    report->serves = strcmp(argv[1], "serve") == 0;
    report->counts_allocations = report->serves || strcmp(argv[1], "allocations") == 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = note_timeout}, NULL);
    (report->serves ? serve : run_once)(argv, shared);
    return 0;
}
