/* Text of users as JSON, where no tree is worth its memory. */
#ifndef COMMON_JSON_TEXT_H
#define COMMON_JSON_TEXT_H

#include <stdio.h>

/* Writes a JSON string that is also safe inside an HTML script element: "<", ">" and "&" are escaped, as are control
 * characters and bytes that are no UTF-8. Text beyond 500 bytes is cut. */
void json_text_write(FILE *out, const char *text);

/* The same for existing JSON: its strings get the escapes. */
void json_text_copy(FILE *out, const char *json);

#endif
