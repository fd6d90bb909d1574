/* Shared by the implementations of include/rmacast: errors of the public interface. Internal. */
#ifndef COMMON_PUBLIC_H
#define COMMON_PUBLIC_H

#include "common/status.h"
#include <rmacast/error.h>

/* Marks what librmacast exports; everything else is hidden. */
#define PUBLIC __attribute__((visibility("default")))

/* Copies err to *error (NULL is legal) and returns the status as the outside knows it. */
enum rmacast_status public_status(enum status status, const struct err *err, struct rmacast_error *error);

#endif
