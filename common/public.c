#include "common/public.h"

#include <stdio.h>

_Static_assert((int)RMACAST_OK == (int)STATUS_OK && (int)RMACAST_DATA == (int)STATUS_DATA &&
                   (int)RMACAST_USAGE == (int)STATUS_USAGE && (int)RMACAST_SYSTEM == (int)STATUS_SYSTEM &&
                   (int)RMACAST_ERROR_BYTES == (int)ERR_TEXT_BYTES,
               "the outside's status is ours");

enum rmacast_status public_status(enum status status, const struct err *err, struct rmacast_error *error)
{
    enum rmacast_status outside = (enum rmacast_status)status;
    if (!error) return outside;
    error->status = outside;
    snprintf(error->text, sizeof error->text, "%s", status == STATUS_OK ? "" : err->text);
    return outside;
}

PUBLIC const char *rmacast_version(void)
{
    return RMACAST_VERSION;
}
