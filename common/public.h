/* Shared by the implementations of include/rmacast: arguments, handles and errors of the public interface. Internal.
 *
 * A public function begins with public_check() or public_is(), and uses nothing of its arguments before. What can be told to be
 * wrong is refused there: RMACAST_USAGE, or the value that the header states. A handle is known by its address as long as it is
 * open, so NULL, a handle of another kind, and one that was freed are refused without being read (unless a newer one of its kind
 * has got the same address). */
#ifndef COMMON_PUBLIC_H
#define COMMON_PUBLIC_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"
#include <rmacast/error.h>

/* Marks what librmacast exports; everything else is hidden. */
#define PUBLIC __attribute__((visibility("default")))

enum public_kind {
    PUBLIC_TRACE,
    PUBLIC_PLATFORM,
    PUBLIC_RESULT,
    PUBLIC_POINTER, /* not NULL */
    PUBLIC_TEXT,    /* neither NULL nor empty */
    PUBLIC_SIZE,    /* value is NULL, or begins with a size_t, which is `high` */
    PUBLIC_NUMBER,  /* from `low` to `high` */
};

/* An argument, or a member of one, by its name. PUBLIC_NUMBER has no value but `number`. */
struct public_argument {
    const char *name;
    enum public_kind kind;
    const void *value;
    double number, low, high;
};

/* STATUS_USAGE in a line that names the first argument that is wrong; the last row is {0}. */
enum status public_check(const struct public_argument *arguments, struct err *err);

/* Whether it is an open handle of this kind: PUBLIC_TRACE, PUBLIC_PLATFORM or PUBLIC_RESULT. */
bool public_is(enum public_kind kind, const void *handle);

/* Opens a handle; without memory STATUS_SYSTEM. public_close: the same as public_is(), and it is one no longer. */
enum status public_open(enum public_kind kind, const void *handle, struct err *err);
bool public_close(enum public_kind kind, const void *handle);

/* Copies err to *error (NULL is legal) and returns the status as the outside knows it. */
enum rmacast_status public_status(enum status status, const struct err *err, struct rmacast_error *error);

#endif
