#include "common/memory_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* A stream of open_memstream() has no mark of an error where it could not grow. This one has: 0 bytes are an error. */
static ssize_t append_bytes(void *cookie, const char *bytes, size_t count)
{
    struct memory_text *text = cookie;
    if (count >= text->room - text->bytes) {
        size_t room = 2 * text->room + count;
        char *moved = realloc(text->text, room);
        if (!moved) return 0;
        text->text = moved;
        text->room = room;
    }
    memcpy(text->text + text->bytes, bytes, count);
    text->bytes += count;
    text->text[text->bytes] = '\0';
    return (ssize_t)count;
}

enum status memory_text_open(struct memory_text *text, struct err *err)
{
    *text = (struct memory_text){.text = calloc(1, 1), .room = 1};
    if (text->text) text->out = fopencookie(text, "w", (cookie_io_functions_t){.write = append_bytes});
    if (text->out) return STATUS_OK;
    free(text->text);
    return err_memory(err);
}

enum status memory_text_close(struct memory_text *text, enum status status, struct err *err)
{
    const bool cut = fflush(text->out) != 0 || ferror(text->out);
    const bool whole = fclose(text->out) == 0 && !cut;
    text->out = NULL;
    if (status == STATUS_OK && !whole) status = err_memory(err);
    if (status == STATUS_OK) return status;
    free(text->text);
    text->text = NULL;
    return status;
}
