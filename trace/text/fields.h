/* The keys of a text line as data, for reader and writer: the member of a call that each key holds, and its notation.
 * Internal to trace/text/. */
#ifndef TRACE_TEXT_FIELDS_H
#define TRACE_TEXT_FIELDS_H

#include "trace/trace.h"

/* The values of one call's line. */
struct text_values {
    struct trace_call call;
    struct trace_sim sim;
    int64_t before_ps[BEFORE_COUNT];
    struct trace_extents extents;
    int64_t sent, received; /* of a collective */
    int32_t source, recv_tag; /* of a sendrecv */
    uint16_t thread;
};

enum text_type {
    TEXT_WINDOW,
    TEXT_COMM,
    TEXT_RANK, /* a world rank, "-" or "-1" for MPI_PROC_NULL */
    TEXT_TAG,
    TEXT_COUNTS, /* bytes per member, one number if all are equal */
    TEXT_NEIGHBORS, /* world ranks: sources:destinations */
    TEXT_BYTES,
    TEXT_SHARE, /* bytes from which a collective's block is derived, never written; for a sendrecv the bytes received */
    TEXT_DISP,  /* in units of the target's disp_unit */
    TEXT_GROUP,
    TEXT_ASSERT,
    TEXT_LOCK,
    TEXT_FLAG,
    TEXT_STARTED,
    TEXT_BREAK,
    TEXT_OP,
    TEXT_REQUEST,
    TEXT_REQUESTS,
    TEXT_NEWCOMM,
    TEXT_REGION,
    TEXT_CHILD,  /* a thread of the rank, "-" for one unknown */
    TEXT_OBJECT, /* a mutex, condition, barrier or semaphore of the rank */
    TEXT_NUMBER, /* of a thread primitive: 0 or more, -1 missing */
    TEXT_THREAD, /* the thread that calls */
    TEXT_SITE,
    TEXT_TIME, /* of a simulated trace, seconds */
    TEXT_BEFORE, /* of the time before the call, seconds */
    TEXT_EXTENT, /* bytes that a buffer with gaps spans */
};

struct text_field {
    const char *key;
    enum text_type type;
    size_t offset; /* in struct text_values */
};

/* The fields of calls come first, at enum call_field; those of the text form alone follow. */
enum {
    TEXT_BREAK_INDEX = CALL_FIELD_COUNT,
    TEXT_THREAD_INDEX,
    TEXT_BEFORE_FIRST, /* by enum trace_before */
    TEXT_EXTENT_FIRST =
        TEXT_BEFORE_FIRST +
        BEFORE_COUNT, /* of one-sided operations by enum trace_buffer, then of sent and received data */
    TEXT_SEND_EXTENT_INDEX = TEXT_EXTENT_FIRST + TRACE_BUFFERS,
    TEXT_RECV_EXTENT_INDEX,
    TEXT_SIM_FIRST,
    TEXT_FIELD_COUNT = TEXT_SIM_FIRST + 10,
};
const struct text_field *text_field(int index);

/* The key of the text form for bit (one of TRACE_NOCHECK ...), in the order of the bits. */
enum { TEXT_ASSERTION_COUNT = 5 };
const char *text_assertion(int bit);

/* Names may contain blanks and characters of the notation: such bytes are written as %XX. text_decode() works in place
 * and returns false on a broken %. text_encode()'s buffer has at least 3 * strlen(text) + 1 bytes. */
void text_encode(const char *text, char *buffer);
bool text_decode(char *text);

#endif
