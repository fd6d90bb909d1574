/* Marks of intervals in older programs: a message to oneself with the tag 0xAA, a number of 16 bits, 0xAA (begin) or
 * 0xBB (end). As an int the tag is negative, so MPI libraries refuse the message. In a trace a refused message is the
 * region "#7(begin)" or "#7(end)" (trace/spool). */
#ifndef TRACE_INTERVAL_MARKS_H
#define TRACE_INTERVAL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct interval_mark {
    uint32_t number;
    bool begins; /* else it ends */
};

enum { INTERVAL_MARK_BYTES = 16 };

/* Returns false if the tag is no mark. */
bool interval_mark_of_tag(int32_t tag, struct interval_mark *mark);
/* Returns false if the region is no mark. */
bool interval_mark_of_region(const char *name, struct interval_mark *mark);
void interval_mark_region(const struct interval_mark *mark, char name[INTERVAL_MARK_BYTES]);

#endif
