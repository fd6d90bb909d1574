#include "recording/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/guests.h"
#include "common/files/directory.h"
#include "common/files/file_claims.h"
#include "common/files/installed.h"
#include "common/files/place.h"
#include "trace/otf2/otf2.h"
#include "trace/spool/spool.h"

#define LIBRARY           "librmacast-record.so"
#define THREADS_LIBRARY   "librmacast-threads.so"
#define SEMANTICS_LIBRARY "librmacast-semantics.so"

enum status record_find_library(char path[RECORD_PATH_BYTES], struct err *err)
{
    const char *named = getenv("RMACAST_RECORDER");
    char program[INSTALLED_PATH_BYTES];
    if (named && *named) {
        if (!realpath(named, path))
            return err_set(err, STATUS_USAGE, named, NULL, "%s, expected the recorder library (RMACAST_RECORDER)",
                           strerror(errno));
        return STATUS_OK;
    }
    TRY(installed_library_find(LIBRARY, path, err));
    if (*path) return STATUS_OK;
    TRY(installed_program_directory(program, err));
    return err_set(err, STATUS_SYSTEM, LIBRARY, NULL,
                   "not found beside %s nor where this build is installed, expected it there or in RMACAST_RECORDER",
                   program);
}

static bool executable_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() would find it. */
static bool is_command(const char *word)
{
    char path[RECORD_PATH_BYTES];
    const char *list = getenv("PATH");
    if (strchr(word, '/')) return executable_file(word);
    while (list && *list) {
        size_t length = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, list, word);
        if (executable_file(path)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* After a launcher, the first word that can be run is the program. So no options of launchers need be known. */
const char *record_program_name(char *const *command)
{
    static const char *const launchers[] = {"mpiexec", "mpirun",  "orterun", "oshrun", "srun",
                                            "env",     "timeout", "nice",    "taskset"};
    const char *name = last_part(command[0]);
    bool launcher = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        launcher = launcher || strncmp(name, launchers[i], strlen(launchers[i])) == 0;
    for (char *const *word = command + 1; launcher && *word; word++)
        if (**word != '-' && !strstr(last_part(*word), ".so") && is_command(*word)) return record_program_name(word);
    return command[0];
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool wants_semantics(void)
{
    return is_set("RMACAST_SEMANTICS") || is_set("RMACAST_LOCK");
}

enum status record_check_semantics(const char *library, struct err *err)
{
    char path[RECORD_PATH_BYTES];
    if (!wants_semantics()) return STATUS_OK;
    snprintf(path, sizeof path, "%.*s" SEMANTICS_LIBRARY, (int)(last_part(library) - library), library);
    if (access(path, R_OK) == 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "%s, expected the library that --semantics and --lock preload",
                   strerror(errno));
}

bool record_knows_groups(const char *list)
{
    static const char *const names[] = {SPOOL_CALL_GROUPS, NULL};
    for (size_t length = 0; list; list = list[length] ? list + length + 1 : NULL) {
        size_t i = 0;
        length = strcspn(list, ",");
        while (names[i] && (strncmp(names[i], list, length) != 0 || names[i][length])) i++;
        if (!names[i]) return false;
    }
    return true;
}

enum status record_directory(const char *output, char *const *command, char path[RECORD_PATH_BYTES], struct err *err)
{
    int n = output ? snprintf(path, RECORD_PATH_BYTES, "%s", output)
                   : snprintf(path, RECORD_PATH_BYTES, "%s.rma", last_part(record_program_name(command)));
    if (n <= 0 || n >= RECORD_PATH_BYTES - 64)
        return err_set(err, STATUS_USAGE, NULL, NULL, "-o: a name of 1 to 4000 bytes is expected");
    while (n > 1 && path[n - 1] == '/') path[--n] = '\0';
    return STATUS_OK;
}

static enum status check_empty(const char *path, struct err *err)
{
    DIR *listing = opendir(path);
    bool empty = listing != NULL;
    int cause = errno;
    for (const struct dirent *entry; empty && (errno = 0, entry = readdir(listing)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (listing) cause = empty ? errno : 0;
    if (listing) closedir(listing);
    if (cause != 0) return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be read: %s", strerror(cause));
    if (empty) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "holds a recording that was not packed, expected none: analyze or remove it");
}

/* Another recording that ends may remove the directory between the two calls. */
static enum status make_locked(const char *spool, int *lock, struct err *err)
{
    do {
        TRY(directory_make(spool, err));
        *lock = directory_lock(spool, LOCK_EX | LOCK_NB);
    } while (*lock < 0 && errno == ENOENT);
    if (*lock >= 0 || errno != EWOULDBLOCK) return STATUS_OK;
    return err_set(err, STATUS_DATA, spool, NULL, "another recording is being made there, expected another directory");
}

enum status record_make_spool(const char *directory, const char *spool, int *lock, struct err *err)
{
    bool there;
    TRY(otf2_check_place(directory, err));
    TRY(place_look(directory, &there, err));
    TRY(directory_make(directory, err));
    *lock = -1;
    enum status status = make_locked(spool, lock, err);
    if (status == STATUS_OK) status = check_empty(spool, err);
    if (status == STATUS_OK) return STATUS_OK;
    if (*lock >= 0) close(*lock);
    if (!there) rmdir(spool);
    if (!there) rmdir(directory);
    return status;
}

bool record_is_rank_file(const char *name)
{
    const char *end = strrchr(name, '.');
    return strncmp(name, "rank-", 5) == 0 && end && (strcmp(end, SPOOL_MAIN_SUFFIX) == 0 || strcmp(end, SPOOL_TAIL_SUFFIX) == 0);
}

void record_remove_spool(const char *directory, const char *spool)
{
    DIR *listing = opendir(spool);
    if (!listing) return;
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (record_is_rank_file(entry->d_name)) file_claims_remove(dirfd(listing), entry->d_name, 0);
    }
    file_claims_remove(dirfd(listing), SPOOL_UNRECORDED_NAME, 0);
    file_claims_remove(dirfd(listing), SPOOL_REACHED_NAME, 0);
    closedir(listing);
    file_claims_remove(AT_FDCWD, spool, AT_REMOVEDIR);
    rmdir(directory);
}

static volatile sig_atomic_t running, asked; /* asked: the signal that requested the end, 0: none */

/* The terminal sends its signals to the command as well, since that is in the same process group. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGINT && info->si_code > 0) return;
    asked = number;
    if (running > 0) kill((pid_t)running, number);
}

struct dispositions {
    struct sigaction interrupt, quit, terminate, hangup;
};

/* An ignored signal (nohup) stays ignored. */
static void take_over(int number, struct sigaction *before)
{
    struct sigaction forward = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigaction(number, NULL, before);
    if (before->sa_handler != SIG_IGN) sigaction(number, &forward, NULL);
}

static void signals_begin(struct dispositions *before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    take_over(SIGINT, &before->interrupt);
    sigaction(SIGQUIT, &ignore, &before->quit);
    take_over(SIGTERM, &before->terminate);
    take_over(SIGHUP, &before->hangup);
}

static void signals_end(const struct dispositions *before)
{
    sigaction(SIGINT, &before->interrupt, NULL);
    sigaction(SIGQUIT, &before->quit, NULL);
    sigaction(SIGTERM, &before->terminate, NULL);
    sigaction(SIGHUP, &before->hangup, NULL);
}

/* Children other than the command are processes that outlived their parents. */
static void wait_for(pid_t child, int *state)
{
    pid_t ended;
    int other;
    do {
        ended = waitpid(-1, &other, 0);
        if (ended == child) *state = other;
    } while (ended != child && (ended > 0 || errno == EINTR));
}

/* A program that AddressSanitizer's shared library is linked to refuses to begin behind another preloaded library. What the user
 * has set counts more: the last value of an option does. */
static bool allow_sanitizer(void)
{
    char options[RECORD_PATH_BYTES];
    const char *old = getenv("ASAN_OPTIONS");
    int bytes = snprintf(options, sizeof options, "verify_asan_link_order=0%s%s", old ? ":" : "", old ? old : "");
    return (size_t)bytes >= sizeof options || setenv("ASAN_OPTIONS", options, 1) == 0;
}

/* Runs in the child; does not return. An error goes through the pipe, which a successful exec closes. spool: absolute. */
static void become_command(char *const *command, const char *library, const char *spool,
                           const struct dispositions *before, int report)
{
    char preload[4 * RECORD_PATH_BYTES];
    const char *old = getenv("LD_PRELOAD"), *threads = getenv("RMACAST_THREADS");
    signals_end(before);
    int used = 0;
    /* it is beside the recorder; loaded first, since it finds out who calls */
    if (threads && *threads && *threads != '0')
        used = snprintf(preload, sizeof preload, "%.*s" THREADS_LIBRARY ":", (int)(last_part(library) - library), library);
    used += snprintf(preload + used, sizeof preload - (size_t)used, "%s", library);
    if (wants_semantics()) /* loaded after the recorder, which sees the program's calls */
        used += snprintf(preload + used, sizeof preload - (size_t)used, ":%.*s" SEMANTICS_LIBRARY,
                         (int)(last_part(library) - library), library);
    if (old && *old) snprintf(preload + used, sizeof preload - (size_t)used, ":%s", old);
    if (allow_sanitizer() && setenv("RMACAST_SPOOL", spool, 1) == 0 && setenv("LD_PRELOAD", preload, 1) == 0)
        execvp(command[0], command);
    int failure = errno;
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

enum status record_run(char *const *command, const char *library, const char *spool, int *exit_status, struct err *err)
{
    int report[2], failure = 0, state = 0;
    struct dispositions before;
    char path[RECORD_PATH_BYTES];
    if (!realpath(spool, path)) return err_set(err, STATUS_SYSTEM, spool, NULL, "cannot be looked up: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) return err_set(err, STATUS_SYSTEM, NULL, NULL, "pipe: %s", strerror(errno));
    asked = 0;
    signals_begin(&before);
    record_adopt_guests();
    pid_t child = fork();
    if (child == 0) become_command(command, library, path, &before, report[1]);
    running = child;
    close(report[1]);
    bool failed = child < 0 || read(report[0], &failure, sizeof failure) == (ssize_t)sizeof failure;
    if (child < 0) failure = errno;
    close(report[0]);
    if (child > 0) wait_for(child, &state);
    running = 0;
    if (asked) record_end_guests();
    signals_end(&before);
    if (failed)
        return err_set(err, failure == ENOENT ? STATUS_USAGE : STATUS_SYSTEM, command[0], NULL,
                       "%s, expected a command that can be run", strerror(failure));
    *exit_status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return STATUS_OK;
}
