/* Text that people read: lines of tables and messages, and fields of other formats. Names of inputs are in it. The functions
 * here keep them from being more than names: what is not visible (common/text/utf8.h) becomes a question mark, so that a name
 * neither makes a line of its own nor steers a terminal, and what is written is UTF-8. JSON: common/text/json_text.h. */
#ifndef COMMON_TEXT_TEXT_H
#define COMMON_TEXT_TEXT_H

#include <stdarg.h>
#include <stdio.h>

/* As fprintf(). Lines end where the format says so, and only there; it has no other control character. A text beyond 16 KB is
 * cut, and says so by its dots. */
void text_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_print_list(FILE *out, const char *format, va_list arguments);

/* How a format writes a character that it cannot have as it is. */
struct text_escape {
    char character;
    const char *written;
};

/* Writes the text with escapes, whose last row is {0}; hidden takes the place of what is not visible and has no row. */
void text_write_escaped(FILE *out, const char *text, const struct text_escape *escapes, const char *hidden);

/* A text or the value of an attribute in XML 1.0. */
void text_write_xml(FILE *out, const char *text);

#endif
