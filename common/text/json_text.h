/* JSON as text: the only writer of a tree, and strings where no tree is worth its memory. What is written is valid JSON, whatever
 * bytes a name has (RFC 8259: UTF-8): a byte that is no UTF-8 becomes U+FFFD. */
#ifndef COMMON_TEXT_JSON_TEXT_H
#define COMMON_TEXT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* The text of a tree, of several indented lines or of one; free() it. Strings keep their characters: those that are not visible
 * (common/text/utf8.h) are escaped. Numbers that are none are null. NULL: no memory. */
char *json_text(const cJSON *tree, bool indented);

/* Writes a JSON string that is also safe inside an HTML script element: "<", ">" and "&" are escaped, as is what is not visible.
 * Text beyond 500 bytes is cut. */
void json_text_write(FILE *out, const char *text);

/* The same for JSON that json_text() made: its strings get the escapes. */
void json_text_copy(FILE *out, const char *json);

#endif
