#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Noreturn void fuzz_finding(const char *format, ...)
{
    va_list arguments;
    fputs("finding: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(stderr);
    abort();
}

void fuzz_check_error(const char *what, enum status status, const struct err *err)
{
    static int tell = -1;
    if (tell < 0) tell = getenv("FUZZ_TELL") != NULL;
    if (tell) fprintf(stderr, "%s: %s\n", what, status == STATUS_OK ? "good" : err->text);
    if (status == STATUS_OK) return;
    if (status == STATUS_SYSTEM) fuzz_finding("%s: the system is blamed for an input: %s", what, err->text);
    if (err->text[0] == '\0') fuzz_finding("%s: an error without a line", what);
    if (strchr(err->text, '\n')) fuzz_finding("%s: an error of several lines: %s", what, err->text);
    if (!strchr(err->text, ':')) fuzz_finding("%s: an error without a place: %s", what, err->text);
}

static uint64_t chosen;

void fuzz_choose(const uint8_t *data, size_t size)
{
    chosen = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) chosen = (chosen ^ data[i]) * UINT64_C(0x100000001b3);
}

bool fuzz_once_in(unsigned count)
{
    static int always = -1;
    struct random random = {chosen};
    if (always < 0) always = getenv("FUZZ_EVERY") != NULL;
    chosen = random_next(&random);
    return always || random_below(&random, count) == 0;
}

struct random fuzz_random(void)
{
    struct random random = {chosen};
    chosen = random_next(&random);
    return random;
}

const char *fuzz_file(const void *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd >= 0) close(fd);
    fd = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        perror("fuzz: no file in memory");
        exit(2);
    }
    return path;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void fuzz_remove(const char *directory)
{
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static long owner;

void fuzz_begin(void)
{
    owner = (long)getpid();
}

void fuzz_directory(const char *name, char *path, size_t room)
{
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, room, "%s/rmacast-fuzz.%ld.%s", place, owner, name);
    fuzz_remove(path); /* what an input left that broke something */
    if (mkdir(path, 0700) == 0) return;
    perror(path);
    exit(2);
}
