#include "common/huge_pages.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MMAP_FROM = 32 << 20, PAD_USUAL = 128 << 10, TRIM_FROM = INT_MAX, PAD_MOST = TRIM_FROM - 2 * MMAP_FROM };

void huge_pages_wish(void *from, size_t bytes)
{
    uintptr_t begin = (uintptr_t)from, end = begin + bytes;
    size_t skip = (HUGE_PAGE_BYTES - begin % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    end -= end % HUGE_PAGE_BYTES;
    if (begin + skip < end) madvise((char *)from + skip, end - begin - skip, MADV_HUGEPAGE);
}

/* glibc extends the heap by what is asked for and the top pad (mallopt(3)), and keeps what is free at its end below the
 * trim threshold: both together must stay below it. */
void huge_pages_heap(size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, MMAP_FROM);
    mallopt(M_TRIM_THRESHOLD, TRIM_FROM);
    mallopt(M_ARENA_MAX, 1); /* threads allocate there, too */
    mallopt(M_TOP_PAD, bytes < PAD_MOST ? (int)bytes : PAD_MOST);
    char *block = malloc(MMAP_FROM / 2); /* more than the heap has free, as yet */
    mallopt(M_TOP_PAD, PAD_USUAL);
    char *end = sbrk(0);
    if (block && block < end) huge_pages_wish(block, (size_t)(end - block));
    free(block);
}
