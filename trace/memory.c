#include "trace/memory.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files/input_file.h"
#include "common/huge_pages.h"
#include "common/units.h"

/* Growing arrays take twice their room. Addresses cost nothing, so the guess for large pages is a high one. */
enum { MEMORY_PER_BYTE = 16, BYTES_LEAST = 1 << 20, OPEN_MOST = 16 };

/* Bytes of a call in memory; of the predicted call with its times and what the analysis makes of it (docs/performance.md,
 * Predictions: 1.05 GB of 4.1 million calls are both). */
enum { HELD_BYTES = 64, KEPT_BYTES = 192 };

/* Bytes of a call on disk: few, so that the estimate is rather too high. A spool has 16 of a poll, which take 95 to read. */
enum { ARCHIVE, FORMS = 4 };
static const struct {
    const char *ending;
    unsigned bytes;
} per_call[FORMS] = {{".evt", 24}, {".spool", 10}, {".tail", 16}, {".txt", 60}};

/* What the machine surely has for a trace: who needs less asks nobody. */
static const double asked_from_bytes = 256e6;

static __thread uint64_t bytes_found, calls_found[FORMS]; /* nftw() has no context */
static int64_t granted;

/* A trace has its files at most one directory below its own; a path that is none may have a whole disk beneath. */
static int add_file(const char *path, const struct stat *about, int type, struct FTW *place)
{
    const size_t length = strlen(path);
    if (type == FTW_F) bytes_found += (uint64_t)about->st_size;
    for (size_t i = 0; type == FTW_F && i < FORMS; i++)
        if (length > strlen(per_call[i].ending) && strcmp(path + length - strlen(per_call[i].ending), per_call[i].ending) == 0)
            calls_found[i] += (uint64_t)about->st_size / per_call[i].bytes;
    return type == FTW_D && place->level > 1 ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

static void find_files(const char *path)
{
    char *above = strdup(path);
    char *slash = above ? strrchr(above, '/') : NULL, *dot = above ? strrchr(above, '.') : NULL;
    bool anchor = dot && strcmp(dot, ".otf2") == 0; /* of an archive, which is the directory around it */
    if (anchor && slash) *slash = '\0';
    bytes_found = 0;
    memset(calls_found, 0, sizeof calls_found);
    if (above) nftw(anchor && !slash ? "." : above, add_file, OPEN_MOST, FTW_ACTIONRETVAL);
    free(above);
}

/* 0: the system does not say. */
static double available_bytes(void)
{
    struct input_file in;
    double kilobytes = 0;
    if (input_file_open_own("/proc/meminfo", &in, NULL) != STATUS_OK) return 0;
    for (char *line; kilobytes == 0 && (line = input_file_line(&in)) != NULL;)
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) != 1) kilobytes = 0;
    return input_file_close(&in, STATUS_OK, NULL) == STATUS_OK ? 1024 * kilobytes : 0;
}

static enum status refuse_trace(const char *path, double all, double held, double most, struct err *err)
{
    char needed[UNITS_TEXT_BYTES], there[UNITS_TEXT_BYTES], less[UNITS_TEXT_BYTES], fits[128] = "";
    const char *limit = granted > 0 ? "--memory " : "the available ";
    units_format_bytes(most, there);
    if (held < all && held <= most)
        snprintf(fits, sizeof fits, "; %s by engine loggp without -o, --verify, a section and rewrites",
                 units_format_bytes(held, less));
    else if (granted == 0)
        snprintf(fits, sizeof fits, "; read an archive in slices (docs/analysis.md), or record less (--limit)");
    return err_set(err, STATUS_DATA, path, NULL, "needs about %s of memory, more than %s%s%s", units_format_bytes(all, needed),
                   limit, there, fits);
}

static enum status check_found(const char *path, bool keeps, struct err *err)
{
    uint64_t calls = calls_found[ARCHIVE]; /* a spool may be kept below it */
    for (int i = 0; calls_found[ARCHIVE] == 0 && i < FORMS; i++) calls += calls_found[i];
    const double held = (double)calls * HELD_BYTES, all = held + (keeps ? (double)calls * KEPT_BYTES : 0);
    if (granted == 0 && all < asked_from_bytes) return STATUS_OK;
    const double most = granted > 0 ? (double)granted : available_bytes();
    return most == 0 || all <= most ? STATUS_OK : refuse_trace(path, all, held, most, err);
}

enum status trace_memory_check(const char *path, struct err *err)
{
    find_files(path);
    return check_found(path, false, err);
}

enum status trace_memory_prepare(const char *path, int64_t most, bool keeps, struct err *err)
{
    if (most > 0) granted = most;
    find_files(path);
    if (bytes_found >= BYTES_LEAST) huge_pages_heap(bytes_found * MEMORY_PER_BYTE);
    return check_found(path, keeps, err);
}
