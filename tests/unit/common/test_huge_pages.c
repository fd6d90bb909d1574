/* Where the heap lies, as the kernel tells it: the mapping of an address has the flag "hg" (proc_pid_smaps(5)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/huge_pages.h"

enum { BLOCK = 100 << 10, BLOCKS = 200 }; /* as arrays of 1600 calls: 20 MB */

static bool on_huge_pages(const void *at)
{
    char line[512];
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    bool inside = false, huge = false;
    while (fgets(line, sizeof line, maps)) {
        uint64_t begin, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2)
            inside = begin <= (uintptr_t)at && (uintptr_t)at < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            huge = strstr(line, " hg") != NULL;
    }
    fclose(maps);
    return huge;
}

static void the_heap_that_follows_is_on_huge_pages(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* malloc() is another */
#endif
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0) skip();
    static void *blocks[BLOCKS];
    void *before = malloc(BLOCK);
    assert_false(on_huge_pages(before));
    huge_pages_heap((size_t)2 * BLOCKS * BLOCK);
    int found = 0;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK);
        found += on_huge_pages(blocks[i]);
    }
    assert_in_range(found, BLOCKS - 2 * HUGE_PAGE_BYTES / BLOCK, BLOCKS); /* but for an incomplete page at each end */
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_heap_that_follows_is_on_huge_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
