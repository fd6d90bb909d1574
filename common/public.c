#include "common/public.h"

#include <pthread.h>
#include <stdio.h>

#include "common/map.h"

_Static_assert((int)RMACAST_OK == (int)STATUS_OK && (int)RMACAST_DATA == (int)STATUS_DATA &&
                   (int)RMACAST_USAGE == (int)STATUS_USAGE && (int)RMACAST_SYSTEM == (int)STATUS_SYSTEM &&
                   (int)RMACAST_ERROR_BYTES == (int)ERR_TEXT_BYTES,
               "the outside's status is ours");

static const char *const handle_names[] = {"trace", "platform", "result"};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct map handles[sizeof handle_names / sizeof *handle_names]; /* by kind: addresses of open ones */

static uint64_t address_of(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}

bool public_is(enum public_kind kind, const void *handle)
{
    pthread_rwlock_rdlock(&lock);
    bool is = map_find(&handles[kind], address_of(handle)) != NULL;
    pthread_rwlock_unlock(&lock);
    return is;
}

enum status public_open(enum public_kind kind, const void *handle, struct err *err)
{
    pthread_rwlock_wrlock(&lock);
    enum status status = map_set(&handles[kind], address_of(handle), 0, err);
    pthread_rwlock_unlock(&lock);
    return status;
}

bool public_close(enum public_kind kind, const void *handle)
{
    uint64_t value;
    pthread_rwlock_wrlock(&lock);
    bool was = map_take(&handles[kind], address_of(handle), &value);
    if (handles[kind].count == 0) map_clear(&handles[kind]);
    pthread_rwlock_unlock(&lock);
    return was;
}

static enum status check_argument(const struct public_argument *argument, struct err *err)
{
    const void *value = argument->value;
    switch (argument->kind) {
    case PUBLIC_TRACE:
    case PUBLIC_PLATFORM:
    case PUBLIC_RESULT:
        if (public_is(argument->kind, value)) return STATUS_OK;
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s is %s, expected an open %s", argument->name, value ? "none" : "NULL",
                       handle_names[argument->kind]);
    case PUBLIC_POINTER:
        return value ? STATUS_OK : err_set(err, STATUS_USAGE, NULL, NULL, "%s is NULL, expected an address", argument->name);
    case PUBLIC_TEXT:
        if (value && *(const char *)value) return STATUS_OK;
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s is %s, expected a text", argument->name, value ? "empty" : "NULL");
    case PUBLIC_SIZE:
        if (!value || *(const size_t *)value == (size_t)argument->high) return STATUS_OK;
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s.size is %zu, expected %.0f", argument->name, *(const size_t *)value,
                       argument->high);
    case PUBLIC_NUMBER:
        if (argument->number >= argument->low && argument->number <= argument->high) return STATUS_OK;
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s is %g, expected a number from %.15g to %.15g", argument->name,
                       argument->number, argument->low, argument->high);
    }
    return STATUS_OK;
}

enum status public_check(const struct public_argument *arguments, struct err *err)
{
    for (; arguments->name; arguments++) TRY(check_argument(arguments, err));
    return STATUS_OK;
}

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
