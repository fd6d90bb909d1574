#include "cli/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/guests.h"
#include "common/files/installed.h"

enum { POLL_MS = 100, END_MS = 3000, LINE_BYTES = 8192 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum status launcher_find_program(const char *name, const char *variable, char *path, size_t room, struct err *err)
{
    char directory[INSTALLED_PATH_BYTES];
    const char *named = getenv(variable);
    TRY(installed_program_directory(directory, err));
    if (named && *named)
        snprintf(path, room, "%s", named);
    else
        snprintf(path, room, "%.4000s/%s", directory, name);
    if (access(path, X_OK) == 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "%s, expected the program there, or %s to name it", strerror(errno), variable);
}

/* --- signals --- */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDS = sizeof ends / sizeof *ends };
static volatile sig_atomic_t asked; /* the signal that is to end all, 0: none */
static bool holds;                  /* between launcher_hold_signals() and launcher_release_signals() */
static struct sigaction before_hold[ENDS];

static void note_signal(int number)
{
    asked = number;
}

/* Ignored signals (nohup) stay ignored. */
static void signals_begin(struct sigaction before[ENDS])
{
    struct sigaction note = {.sa_handler = note_signal};
    if (!holds) asked = 0;
    for (int i = 0; i < ENDS; i++) {
        sigaction(ends[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(ends[i], &note, NULL);
    }
}

static void signals_end(const struct sigaction before[ENDS])
{
    for (int i = 0; i < ENDS; i++) sigaction(ends[i], &before[i], NULL);
}

void launcher_hold_signals(void)
{
    signals_begin(before_hold);
    holds = true;
}

void launcher_release_signals(void)
{
    if (holds) signals_end(before_hold);
    holds = false;
}

bool launcher_is_interrupted(void)
{
    return asked != 0;
}

/* --- the launcher's process --- */

struct launched {
    pid_t child; /* and its group */
    int output;
    bool ended;
    int state;
};

static size_t length_of(const void *list)
{
    const char *const *item = list;
    size_t length = 0;
    while (item[length]) length++;
    return length;
}

/* In the child; does not return. What went wrong goes through the pipe, which a successful exec closes. */
static void become_command(char *const *command, const char *program, const char *const *arguments, int output,
                           int report)
{
    size_t words = length_of(command), more = length_of(arguments);
    const char **all = calloc(words + more + 2, sizeof *all);
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (all && nothing >= 0) {
        memcpy(all, command, words * sizeof *all);
        all[words] = program;
        memcpy(all + words + 1, arguments, more * sizeof *all);
        if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0) execvp(all[0], (char *const *)all);
    }
    int failure = errno;
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static enum status launch_command(char *const *command, const char *program, const char *const *arguments,
                                  const struct sigaction *before, struct launched *launched, struct err *err)
{
    int output[2], report[2], failure = 0;
    if (pipe2(output, O_CLOEXEC) != 0) return err_set(err, STATUS_SYSTEM, NULL, NULL, "pipe: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "pipe: %s", strerror(errno));
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signals_end(before);
        become_command(command, program, arguments, output[1], report[1]);
    }
    failure = child < 0 ? errno : 0;
    if (child > 0) setpgid(child, child);
    close(output[1]);
    close(report[1]);
    bool failed = child < 0 || read(report[0], &failure, sizeof failure) == (ssize_t)sizeof failure;
    close(report[0]);
    *launched = (struct launched){.child = child, .output = output[0]};
    if (!failed) return STATUS_OK;
    close(output[0]);
    if (child > 0) waitpid(child, NULL, 0);
    bool unfit = child > 0 && (failure == ENOENT || failure == EACCES || failure == ENOEXEC || failure == ENOTDIR);
    return err_set(err, unfit ? STATUS_USAGE : STATUS_SYSTEM, command[0], NULL,
                   "%s, expected a launcher that can be run, as mpiexec -n 2", strerror(failure));
}

static void look_after(struct launched *launched)
{
    if (!launched->ended && waitpid(launched->child, &launched->state, WNOHANG) == launched->child) launched->ended = true;
}

/* The launcher passes SIGTERM on to its ranks, on other nodes, too. */
static void end_all(struct launched *launched)
{
    if (!launched->ended) kill(-launched->child, SIGTERM);
    for (int ms = 0; ms < END_MS && !launched->ended; ms += 20) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        look_after(launched);
    }
    if (!launched->ended) {
        kill(-launched->child, SIGKILL);
        waitpid(launched->child, &launched->state, 0);
        launched->ended = true;
    }
    record_end_guests();
}

/* --- its output --- */

struct lines {
    launcher_line line;
    void *context;
    char text[LINE_BYTES];
    size_t used;
    bool last;
};

/* A line that is too long is cut. */
static void take_bytes(struct lines *lines, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (lines->used + 1 < sizeof lines->text) lines->text[lines->used++] = bytes[i];
            continue;
        }
        lines->text[lines->used] = '\0';
        lines->used = 0;
        if (lines->line(lines->context, lines->text)) lines->last = true;
    }
}

/* *open false: the pipe has no writer any more. */
static enum status read_output(struct launched *launched, struct lines *lines, bool *open, struct err *err)
{
    char bytes[4096];
    struct pollfd ready = {.fd = launched->output, .events = POLLIN};
    if (poll(&ready, 1, POLL_MS) <= 0) return STATUS_OK;
    ssize_t count = read(launched->output, bytes, sizeof bytes);
    if (count > 0) take_bytes(lines, bytes, (size_t)count);
    *open = count != 0;
    if (count >= 0 || errno == EINTR) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, NULL, NULL, "the launcher's output cannot be read: %s", strerror(errno));
}

enum status launcher_run(char *const *command, const char *program, const char *const *arguments, double limit_s,
                         launcher_line line, void *context, struct launcher_outcome *outcome, struct err *err)
{
    struct sigaction before[ENDS];
    struct launched launched;
    struct lines lines = {.line = line, .context = context};
    bool open = true, last = false;
    double deadline_s = now_s() + limit_s;
    record_adopt_guests();
    signals_begin(before);
    if (asked) { /* before it began, while signals are held */
        signals_end(before);
        *outcome = (struct launcher_outcome){.end = LAUNCHER_INTERRUPTED, .exit_status = 128 + asked};
        return STATUS_OK;
    }
    enum status status = launch_command(command, program, arguments, before, &launched, err);
    if (status != STATUS_OK) {
        signals_end(before);
        return status;
    }
    while (status == STATUS_OK && (open || !launched.ended) && !asked && now_s() < deadline_s) {
        if (open)
            status = read_output(&launched, &lines, &open, err);
        else
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        look_after(&launched);
        /* A launcher that has ended leaves what its ranks have said in the pipe, but ranks that hang may hold it open. */
        if ((lines.last || launched.ended) && !last) {
            deadline_s = fmin(deadline_s, now_s() + LAUNCHER_END_S);
            last = true;
        }
    }
    *outcome = (struct launcher_outcome){.end = asked            ? LAUNCHER_INTERRUPTED
                                                : launched.ended ? LAUNCHER_EXITED
                                                                 : LAUNCHER_TIME_OUT};
    if (open || outcome->end != LAUNCHER_EXITED) end_all(&launched); /* its ranks may outlive it */
    outcome->exit_status = asked                          ? 128 + asked
                           : WIFSIGNALED(launched.state) ? 128 + WTERMSIG(launched.state)
                                                         : WEXITSTATUS(launched.state);
    close(launched.output);
    signals_end(before);
    return status;
}
