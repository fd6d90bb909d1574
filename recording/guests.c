#include "recording/guests.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/run.h"
#include "recording/worlds.h"
#include "trace/spool/spool.h"

enum { POLL_MS = 20, END_MS = 3000, WRITERS_MS = 2000 };

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

void record_adopt_guests(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

struct process {
    int pid, parent;
    bool below; /* it is below this process */
};

/* The line has the name, which may hold any characters, then the state and the parent. */
static int parent_of(int pid)
{
    char path[64], text[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    if (!name_end || sscanf(name_end, ") %*c %d", &parent) != 1) return 0;
    return parent;
}

static size_t list_processes(struct process **list)
{
    size_t count = 0, capacity = 0;
    DIR *listing = opendir("/proc");
    *list = NULL;
    for (const struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        int pid = atoi(entry->d_name);
        if (pid <= 0) continue;
        if (count == capacity) {
            size_t more = capacity > 0 ? 2 * capacity : 256;
            struct process *grown = realloc(*list, more * sizeof **list);
            if (!grown) break;
            *list = grown;
            capacity = more;
        }
        (*list)[count++] = (struct process){.pid = pid, .parent = parent_of(pid)};
    }
    if (listing) closedir(listing);
    return count;
}

static bool is_below(const struct process *list, size_t count, const struct process *process)
{
    if (process->parent == getpid()) return true;
    for (size_t i = 0; i < count; i++)
        if (list[i].below && list[i].pid == process->parent) return true;
    return false;
}

/* Returns the number of processes below this one. */
static size_t signal_all_below(int number)
{
    struct process *list;
    size_t count = list_processes(&list), found = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            if (list[i].below || !is_below(list, count, &list[i])) continue;
            list[i].below = more = true;
            found++;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (list[i].below) kill(list[i].pid, number);
    free(list);
    return found;
}

static bool none_left(void)
{
    pid_t ended;
    do ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended < 0;
}

void record_end_guests(void)
{
    if (none_left()) return;
    signal_all_below(SIGTERM);
    for (int ms = 0; ms < END_MS && !none_left(); ms += POLL_MS) pause_ms(POLL_MS);
    for (int ms = 0; ms < END_MS && !none_left(); ms += POLL_MS) {
        signal_all_below(SIGKILL);
        pause_ms(POLL_MS);
    }
}

/* The process id is only a number: the process may have ended long ago, or run on another machine. A writer is a
 * process that has mapped the tail file, which may be a link (recording/join.h). */
static bool has_mapped(int pid, const char *file_name)
{
    char path[64], tail[PATH_MAX], *line = NULL;
    size_t capacity = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *file = realpath(file_name, tail) ? fopen(path, "r") : NULL;
    for (ssize_t length; !found && file && (length = getline(&line, &capacity, file)) > 0;) {
        line[length - 1] = '\0';
        const char *name = strchr(line, '/');
        found = name && strcmp(name, tail) == 0;
    }
    free(line);
    if (file) fclose(file);
    return found;
}

/* name: of a main file. 0: no process writes it. */
static int writer_of(const char *directory, const char *name)
{
    struct spool_header header;
    char path[2 * RECORD_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL; /* a pipe would be waited for */
    if (!file) return 0;
    bool whole = fread(&header, sizeof header, 1, file) == 1 && header.magic == SPOOL_MAGIC;
    fclose(file);
    snprintf(path, sizeof path, "%s/%.*s" SPOOL_TAIL_SUFFIX, directory, (int)(strlen(name) - strlen(SPOOL_MAIN_SUFFIX)),
             name);
    return whole && has_mapped((int)header.pid, path) ? (int)header.pid : 0;
}

static enum status find_writer_in(const char *directory, int *writer, struct err *err)
{
    char real[RECORD_PATH_BYTES];
    DIR *listing = realpath(directory, real) ? opendir(real) : NULL;
    if (!listing) return err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be read: %s", strerror(errno));
    for (const struct dirent *entry; *writer == 0 && (errno = 0, entry = readdir(listing)) != NULL;) {
        size_t length = strlen(entry->d_name), suffix = strlen(SPOOL_MAIN_SUFFIX);
        if (length > suffix && strcmp(entry->d_name + length - suffix, SPOOL_MAIN_SUFFIX) == 0)
            *writer = writer_of(real, entry->d_name);
    }
    int cause = *writer == 0 ? errno : 0;
    closedir(listing);
    return cause == 0 ? STATUS_OK : err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be read: %s", strerror(cause));
}

static enum status find_writer(const char *spool, int *writer, struct err *err)
{
    char path[RECORD_PATH_BYTES + 32];
    unsigned worlds;
    *writer = 0;
    TRY(record_count_worlds(spool, &worlds, err));
    TRY(find_writer_in(spool, writer, err));
    for (unsigned i = 1; *writer == 0 && i <= worlds; i++) {
        record_world_path(spool, i, path, sizeof path);
        TRY(find_writer_in(path, writer, err));
    }
    return STATUS_OK;
}

enum status record_await_writers(const char *spool, int *writer, struct err *err)
{
    TRY(find_writer(spool, writer, err));
    for (int ms = 0; *writer != 0 && ms < WRITERS_MS; ms += POLL_MS) {
        pause_ms(POLL_MS);
        TRY(find_writer(spool, writer, err));
    }
    return STATUS_OK;
}
