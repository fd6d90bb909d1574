#include "common/status.h"

#include <stdarg.h>
#include <stdio.h>

/* One line, and nothing that a terminal obeys: names and pieces of inputs are in it. U+0080 to U+009F are C2 80 to C2 9F. */
static void make_plain(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
        if (*c < ' ' || *c == 0x7f) *c = '?';
    }
}

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
    make_plain(err->text);
    return status;
}

enum status err_memory(struct err *err)
{
    return err_set(err, STATUS_SYSTEM, NULL, NULL, "out of memory");
}
