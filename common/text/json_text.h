/* Strings of users in JSON. What is written is valid JSON, whatever bytes a name has (RFC 8259: UTF-8): a byte that is no UTF-8
 * becomes U+FFFD, and characters that are not visible (common/text/utf8.h) are escaped. Trees: common/json/json_write.h. */
#ifndef COMMON_TEXT_JSON_TEXT_H
#define COMMON_TEXT_JSON_TEXT_H

#include <stdio.h>

/* Writes the character at the begin of text, which is neither a quote nor a backslash. Returns its bytes; 0: the text's end. */
int json_text_character(FILE *out, const char *text);

/* Writes a JSON string that is also safe inside an HTML script element: "<", ">" and "&" are escaped, as is what is not visible.
 * Text beyond 500 bytes is cut. */
void json_text_write(FILE *out, const char *text);

/* The same for JSON that json_print() made: its strings get the escapes. */
void json_text_copy(FILE *out, const char *json);

#endif
