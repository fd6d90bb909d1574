/* Text of users inside a page. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

/* A JSON string that may also stand inside an HTML script element: "<", ">" and "&" are escaped, as are control
 * characters and bytes that are no UTF-8. Text beyond 500 bytes is cut. */
void text_write_json(FILE *out, const char *text);

/* The same for JSON that is there already: strings in it get the escapes. */
void text_copy_json(FILE *out, const char *json);

#endif
