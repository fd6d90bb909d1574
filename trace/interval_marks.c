#include "trace/interval_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 0xAA, MARK_BEGIN = 0xAA, MARK_END = 0xBB, NUMBER_MAX = 0xFFFF };

static const char begin[] = "(begin)", end[] = "(end)";

bool interval_mark_of_tag(int32_t tag, struct interval_mark *mark)
{
    uint32_t bits = (uint32_t)tag, last = bits & 0xFF;
    if (bits >> 24 != MARK || (last != MARK_BEGIN && last != MARK_END)) return false;
    *mark = (struct interval_mark){bits >> 8 & NUMBER_MAX, last == MARK_BEGIN};
    return true;
}

bool interval_mark_of_region(const char *name, struct interval_mark *mark)
{
    char *behind;
    if (name[0] != '#' || name[1] < '0' || name[1] > '9') return false;
    unsigned long number = strtoul(name + 1, &behind, 10);
    bool begins = strcmp(behind, begin) == 0;
    if (number > NUMBER_MAX || (!begins && strcmp(behind, end) != 0)) return false;
    *mark = (struct interval_mark){(uint32_t)number, begins};
    return true;
}

void interval_mark_region(const struct interval_mark *mark, char name[INTERVAL_MARK_BYTES])
{
    snprintf(name, INTERVAL_MARK_BYTES, "#%" PRIu32 "%s", mark->number, mark->begins ? begin : end);
}
