#include "common/memory_text.h"

#include <stdbool.h>
#include <stdlib.h>

enum status memory_text_open(struct memory_text *text, struct err *err)
{
    *text = (struct memory_text){.text = NULL};
    text->out = open_memstream(&text->text, &text->bytes);
    return text->out ? STATUS_OK : err_memory(err);
}

enum status memory_text_close(struct memory_text *text, enum status status, struct err *err)
{
    const bool cut = ferror(text->out) != 0;
    const bool whole = fclose(text->out) == 0 && !cut;
    text->out = NULL;
    if (status == STATUS_OK && !whole) status = err_memory(err);
    if (status == STATUS_OK) return status;
    free(text->text);
    text->text = NULL;
    return status;
}
