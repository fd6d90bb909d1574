/* Possible changes of a platform, one at a time: a measured value by its stated error, a value without error by an
 * assumed share, a named choice of the MPI library by each of its other names. */
#ifndef VALIDATE_EXPLAIN_PLATFORM_CHANGES_H
#define VALIDATE_EXPLAIN_PLATFORM_CHANGES_H

#include <stddef.h>

#include "common/status.h"

enum change_why { CHANGE_STATED_ERROR, CHANGE_ASSUMED, CHANGE_OTHER_VALUE };

struct platform_change {
    char *key, *from, *to; /* owned: "network.latency_s", "1e-06", "1.1e-06" */
    char *override;        /* owned: "KEY=VALUE" for platform_open(); for an element of an array, the whole array */
    enum change_why why;
};

struct platform_changes {
    struct platform_change *items;
    size_t count, capacity;
};

#define PLATFORM_CHANGES_ASSUMED 0.1

/* Finds them for the platform with these overrides. The caller clears *changes in any case. */
enum status platform_changes_find(const char *platform, const char *const *overrides, size_t override_count,
                         struct platform_changes *changes, struct err *err);
void platform_changes_clear(struct platform_changes *changes);

/* "stated error", "10 % assumed", "other value". */
const char *change_why_name(enum change_why why);

#endif
