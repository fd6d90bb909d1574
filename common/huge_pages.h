/* Asks the kernel for huge pages. Each access to memory that is read in random order costs a walk through the page
 * tables, unless its pages are huge. Without them everything works, but slower. */
#ifndef COMMON_HUGE_PAGES_H
#define COMMON_HUGE_PAGES_H

#include <stddef.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

/* The whole huge pages inside a range that has not been touched. */
void huge_pages_wish(void *from, size_t bytes);

/* The next bytes, but at most 2 GiB, that malloc() hands out in blocks below 32 MiB, to any thread. What is freed
 * stays with the process from then on: for programs, not for libraries. Addresses are taken at once, memory as it is
 * used. */
void huge_pages_heap(size_t bytes);

#endif
