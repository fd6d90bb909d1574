/* A text that is written into memory, of any length. One that could not grow is no text. */
#ifndef COMMON_MEMORY_TEXT_H
#define COMMON_MEMORY_TEXT_H

#include <stdio.h>

#include "common/status.h"

struct memory_text {
    FILE *out;    /* between open and close */
    char *text;   /* after close: the caller's, to be freed; a NUL stands behind it */
    size_t bytes, room;
};

/* Borrows *text until it is closed. */
enum status memory_text_open(struct memory_text *text, struct err *err);

/* status: what became of the writing. Where that or the closing failed, text is NULL. */
enum status memory_text_close(struct memory_text *text, enum status status, struct err *err);

#endif
