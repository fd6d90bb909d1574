/* The wait log: intervals of time of threads, sorted externally (common/external_sort.h), since there may be more than
 * memory holds. They are read by their ends, the latest first. If intervals of one location have the same end, the one that
 * begins last comes first. */
#ifndef MODEL_CAUSES_WAIT_LOG_H
#define MODEL_CAUSES_WAIT_LOG_H

#include "common/external_sort.h"

enum wait_log_flag {
    WAIT_LOG_BUSY = 1,    /* a transfer is in progress; without a flag the location waits */
    WAIT_LOG_COUNTED = 2, /* a wait that passes the filter */
    WAIT_LOG_FIRST = 4,   /* no time: the first call of a location that has a creator */
};

struct wait_log_row {
    int64_t from_ps, until_ps;
    uint32_t location, cause; /* threads (model/match/timelines.h); cause: the one that a wait is for */
    uint16_t doubt;       /* of a wait (model/waits/finding.h) */
    uint16_t pattern;     /* of a wait */
    uint16_t flags;
};

/* The log takes and gives rows of struct wait_log_row. Borrows temp until external_sort_free(). */
enum status wait_log_new(struct temp_file *temp, struct external_sort **wait_log, struct err *err);

#endif
