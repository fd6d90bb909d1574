/* Asks the kernel for huge pages. Each access to memory that is read in random order costs a walk through the page
 * tables, unless its pages are huge. Without them everything works, but slower. */
#ifndef COMMON_HUGE_PAGES_H
#define COMMON_HUGE_PAGES_H

#include <stddef.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

/* Asks for huge pages inside a range of memory that has not been accessed yet. */
void huge_pages_wish(void *from, size_t bytes);

/* Asks for huge pages for the next bytes, at most 2 GiB, that malloc() returns in blocks below 32 MiB, to any thread.
 * From then on the process keeps freed memory, so only a program may call it, no library. Addresses are reserved at
 * once; memory is used when it is accessed. */
void huge_pages_heap(size_t bytes);

#endif
