#include "cli/trace_memory.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/huge_pages.h"

/* A call takes 64 bytes in memory and from about 16 (a spool) to 100 bytes (text) on disk; growing arrays take twice
 * their room. Addresses cost nothing, so the guess is a high one. From BYTES_MOST on the heap cannot take
 * more (common/huge_pages.h). */
enum { MEMORY_PER_BYTE = 16, BYTES_LEAST = 1 << 20, BYTES_MOST = 128 << 20, OPEN_MOST = 16 };

static uint64_t bytes_found; /* nftw() has no context */

/* A trace has its files at most one directory below its own; a path that is none may have a whole disk beneath. */
static int add_file(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)path;
    if (type == FTW_F) bytes_found += (uint64_t)about->st_size;
    if (bytes_found >= BYTES_MOST) return FTW_STOP;
    return type == FTW_D && place->level > 1 ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

void trace_memory_prepare(const char *path)
{
    char *above = strdup(path);
    char *slash = above ? strrchr(above, '/') : NULL, *dot = above ? strrchr(above, '.') : NULL;
    bool anchor = dot && strcmp(dot, ".otf2") == 0; /* of an archive, which is the directory around it */
    if (anchor && slash) *slash = '\0';
    bytes_found = 0;
    if (above) nftw(anchor && !slash ? "." : above, add_file, OPEN_MOST, FTW_PHYS | FTW_ACTIONRETVAL);
    free(above);
    if (bytes_found >= BYTES_LEAST) huge_pages_heap(bytes_found * MEMORY_PER_BYTE);
}
