#include "cli/trace_memory.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/huge_pages.h"
#include "common/units.h"

/* Growing arrays take twice their room. Addresses cost nothing, so the guess for large pages is a high one. From BYTES_MOST on
 * the heap cannot take more (common/huge_pages.h). */
enum { MEMORY_PER_BYTE = 16, BYTES_LEAST = 1 << 20, BYTES_MOST = 128 << 20, OPEN_MOST = 16 };

/* Bytes of a call in memory; of the predicted call with its times and what the analysis makes of it (docs/performance.md,
 * Predictions: 1.05 GB of 4.1 million calls are both). */
enum { HELD_BYTES = 64, KEPT_BYTES = 192 };

/* Bytes of a call on disk: few, so that the estimate is rather too high. */
static const struct {
    const char *ending;
    unsigned bytes;
} per_call[] = {{".evt", 24}, {".spool", 16}, {".tail", 16}, {".txt", 60}};

static uint64_t bytes_found, calls_found; /* nftw() has no context */
static bool finds_all;

/* A trace has its files at most one directory below its own; a path that is none may have a whole disk beneath. */
static int add_file(const char *path, const struct stat *about, int type, struct FTW *place)
{
    const size_t length = strlen(path);
    if (type == FTW_F) bytes_found += (uint64_t)about->st_size;
    for (size_t i = 0; type == FTW_F && i < sizeof per_call / sizeof *per_call; i++)
        if (length > strlen(per_call[i].ending) && strcmp(path + length - strlen(per_call[i].ending), per_call[i].ending) == 0)
            calls_found += (uint64_t)about->st_size / per_call[i].bytes;
    if (bytes_found >= BYTES_MOST && !finds_all) return FTW_STOP;
    return type == FTW_D && place->level > 1 ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

enum status trace_memory_prepare(const char *path, int64_t most, bool keeps, struct err *err)
{
    char *above = strdup(path), needed[UNITS_TEXT_BYTES], granted[UNITS_TEXT_BYTES];
    char *slash = above ? strrchr(above, '/') : NULL, *dot = above ? strrchr(above, '.') : NULL;
    bool anchor = dot && strcmp(dot, ".otf2") == 0; /* of an archive, which is the directory around it */
    if (anchor && slash) *slash = '\0';
    bytes_found = calls_found = 0;
    finds_all = most > 0;
    if (above) nftw(anchor && !slash ? "." : above, add_file, OPEN_MOST, FTW_PHYS | FTW_ACTIONRETVAL);
    free(above);
    if (bytes_found >= BYTES_LEAST) huge_pages_heap(bytes_found * MEMORY_PER_BYTE);
    const double held = (double)calls_found * HELD_BYTES, all = held + (keeps ? (double)calls_found * KEPT_BYTES : 0);
    if (most == 0 || all <= (double)most) return STATUS_OK;
    units_format_bytes(all, needed);
    units_format_bytes((double)most, granted);
    if (held > (double)most)
        return err_set(err, STATUS_DATA, path, NULL, "needs about %s of memory, more than --memory %s", needed, granted);
    char less[UNITS_TEXT_BYTES];
    return err_set(err, STATUS_DATA, path, NULL,
                   "needs about %s of memory, more than --memory %s; %s by engine loggp without -o, --verify and a section",
                   needed, granted, units_format_bytes(held, less));
}
