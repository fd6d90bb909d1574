#include "platforms/platform_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/place.h"
#include "platforms/profile.h"

enum { NAMES_BYTES = 400 };
static const char suffix[] = ".json";

/* The descriptor that a path names; -1: none. */
static int descriptor_of(const char *name)
{
    int descriptor, end = 0;
    if (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0) return STDIN_FILENO;
    bool named = sscanf(name, "/dev/fd/%d%n", &descriptor, &end) == 1 ||
                 sscanf(name, "/proc/self/fd/%d%n", &descriptor, &end) == 1;
    return named && descriptor >= 0 && name[end] == '\0' ? descriptor : -1;
}

static bool copy_all(int from, int to)
{
    char buffer[65536];
    for (;;) {
        ssize_t got = read(from, buffer, sizeof buffer), put = 0;
        if (got <= 0) return got == 0;
        for (ssize_t n; put < got; put += n)
            if ((n = write(to, buffer + put, (size_t)(got - put))) < 0) return false;
    }
}

/* A pipe gives its bytes once, but a comparison opens its platform for each row, in a process of its own: memory with these
 * bytes takes the descriptor's place. */
static enum status keep_input(int descriptor, const char *name, struct err *err)
{
    struct stat about;
    bool known = fstat(descriptor, &about) == 0;
    if (known && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) return STATUS_OK;
    int kept = known ? memfd_create("platform", MFD_CLOEXEC) : -1;
    bool done = kept >= 0 && copy_all(descriptor, kept) && dup2(kept, descriptor) == descriptor;
    int cause = errno;
    if (kept >= 0) close(kept);
    return done ? STATUS_OK : err_set(err, STATUS_DATA, name, NULL, "cannot be read: %s", strerror(cause));
}

static enum status check_readable_again(const char *path, struct err *err)
{
    struct stat about;
    int cause = stat(path, &about) == 0 ? 0 : errno;
    if (err_refused(cause)) return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be looked up: %s", strerror(cause));
    if (cause != 0 || !S_ISFIFO(about.st_mode)) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL,
                   "a named pipe, which can be read once only, expected a file, or - for standard input");
}

enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err)
{
    char directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES], names[NAMES_BYTES] = "";
    if (strlen(name) >= PLATFORM_PATH_BYTES)
        return err_set(err, STATUS_USAGE, "--platform", NULL, "%zu characters, expected less than %d", strlen(name),
                       PLATFORM_PATH_BYTES);
    int descriptor = descriptor_of(name);
    snprintf(path, PLATFORM_PATH_BYTES, "%s", strcmp(name, "-") == 0 ? "/dev/stdin" : name);
    if (descriptor >= 0) return keep_input(descriptor, name, err);
    if (strcmp(name, "ideal") == 0) return STATUS_OK;
    bool there = strchr(name, '/') != NULL;
    if (!there) TRY(place_look(name, &there, err));
    if (there) return check_readable_again(path, err);
    TRY(data_directories(directories, err));
    for (int d = 0; d < DATA_DIRECTORIES; d++)
        for (int with = strstr(name, suffix) == NULL; with < 2; with++) {
            snprintf(path, PLATFORM_PATH_BYTES, "%.3800s/%.200s%s", directories[d], name, with ? suffix : "");
            TRY(place_look(path, &there, err));
            if (there) return STATUS_OK;
        }
    enum status profile = profile_find(name, NULL, path, err);
    if (profile == STATUS_OK)
        return err_set(err, STATUS_DATA, name, NULL, "an MPI profile, expected a platform whose mpi.profile names it");
    if (profile != STATUS_DATA) return profile;
    for (int d = 0; d < DATA_DIRECTORIES && !*names; d++) TRY(data_names(directories[d], names, sizeof names, err));
    return err_set(err, STATUS_DATA, name, NULL, "no such file or installed platform, expected a file, ideal%s%s",
                   *names ? " or one of " : "", names);
}
