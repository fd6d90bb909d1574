/* Stretches of time on ranks, of which more may be added than memory holds (common/temp_file.h), given again by their
 * ends, the latest first; of one rank's with the same end the one that begins last. */
#ifndef MODEL_CAUSES_WAIT_LOG_H
#define MODEL_CAUSES_WAIT_LOG_H

#include <stdbool.h>

#include "common/temp_file.h"

enum mark_flag {
    MARK_BUSY = 1,    /* a transfer is under way; else the rank waits */
    MARK_COUNTED = 2, /* a wait that the filter lets through */
};

struct mark {
    int64_t from_ps, until_ps;
    uint32_t rank, cause; /* cause: of a wait, the rank that it waits for */
    uint16_t function;    /* 0, or of a wait that may prove to be none: enum mpi_call + 1 */
    uint16_t pattern;     /* of a wait */
    uint16_t flags;
};

struct marks;

/* Borrows scratch until marks_free. NULL is legal there. */
enum status marks_new(struct scratch *scratch, struct marks **marks, struct err *err);
void marks_free(struct marks *marks);

enum status marks_add(struct marks *marks, const struct mark *mark, struct err *err);

/* No mark is added any more. */
enum status marks_turn(struct marks *marks, struct err *err);
/* *any false: there is none left. */
enum status marks_next(struct marks *marks, struct mark *mark, bool *any, struct err *err);

#endif
