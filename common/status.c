#include "common/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/text/utf8.h"

enum status err_set(struct err *err, enum status status, const char *file, const char *place, const char *format, ...)
{
    if (!err) return status;
    err->status = status;
    err->list = err->item = ERR_NOWHERE;
    size_t used = 0;
    const char *parts[2] = {file, place};
    for (int i = 0; i < 2; i++) {
        if (!parts[i] || !*parts[i]) continue;
        int n = snprintf(err->text + used, sizeof err->text - used, "%s:", parts[i]);
        used += n > 0 ? (size_t)n : 0;
        if (used >= sizeof err->text) used = sizeof err->text - 1;
    }
    if (used > 0 && used < sizeof err->text - 1) err->text[used++] = ' ';
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, args);
    va_end(args);
    for (char *c = err->text; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
    utf8_make_plain(err->text); /* names and pieces of inputs are in it */
    return status;
}

bool err_refused(int cause)
{
    return cause == EIO || cause == EMFILE || cause == ENFILE || cause == ENOMEM;
}

enum status err_memory(struct err *err)
{
    return err_set(err, STATUS_SYSTEM, NULL, NULL, "out of memory");
}
