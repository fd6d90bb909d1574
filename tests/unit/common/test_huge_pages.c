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
#include <sys/wait.h>
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

/* In a process of its own, whose heap nobody has extended: all blocks but for an incomplete page at each end. */
static bool do_blocks_follow(size_t bytes)
{
    pid_t child = fork();
    int code = 1;
    if (child == 0) {
        int found = 0;
        bool before = on_huge_pages(malloc(BLOCK));
        huge_pages_heap(bytes);
        for (int i = 0; i < BLOCKS; i++) found += on_huge_pages(malloc(BLOCK));
        _exit(!before && found >= BLOCKS - 2 * HUGE_PAGE_BYTES / BLOCK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    return code == 0;
}

/* Also where more is wished for than the heap can take. */
static void the_heap_that_follows_is_on_huge_pages(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* malloc() is another */
#endif
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0) skip();
    assert_true(do_blocks_follow((size_t)2 * BLOCKS * BLOCK));
    assert_true(do_blocks_follow((size_t)1 << 31));
    assert_true(do_blocks_follow((size_t)1 << 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_heap_that_follows_is_on_huge_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
