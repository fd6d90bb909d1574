/* A source: a trace that is read in slices. It holds the definitions, and of each rank the calls that were read and not
 * removed yet. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/trace.h"

struct trace_source {
    struct trace *trace; /* owned; its calls are appended by read, taken out by the reader of the source */
    void *state;

    bool checked; /* calls have passed trace_check(); else trace_check_slice() is the reader's */

    /* Appends `calls` further calls of a rank, or a few more; *ended: there are none behind them. Receives may be known
     * with their completion only whom they are from: until then they have no communicator. */
    enum status (*read)(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err);

    /* Calls of a rank were taken out: that at i stands at moved[i] now, SOURCE_GONE if it is gone. NULL: the source
     * need not know. */
    enum status (*moved)(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err);

    void (*close)(struct trace_source *source); /* frees state */
};
#define SOURCE_GONE SIZE_MAX

void source_close(struct trace_source *source);

#endif
