/* Fields of comma-separated values (RFC 4180). What is not visible (common/text/utf8.h) becomes a question mark, but newlines and
 * tabs, which a field in quotes may have. */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include <stdio.h>

/* A field in quotes. NULL is the empty text. */
void csv_write_quoted(FILE *out, const char *word, const char *text);

/* The same, in quotes only if the text needs them. word precedes the text and needs none. */
void csv_write_text(FILE *out, const char *word, const char *text);

#endif
