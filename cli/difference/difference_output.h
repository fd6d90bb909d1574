/* The output of rmacast diff and rmacast gate. */
#ifndef CLI_DIFFERENCE_DIFFERENCE_OUTPUT_H
#define CLI_DIFFERENCE_DIFFERENCE_OUTPUT_H

#include "validate/difference.h"

/* Writes JSON to a file unless it is NULL, and the table of the first `top` rows unless JSON goes to standard output. slower: as
 * of difference_print(). A limit that is exceeded ends the command with status 1. */
enum status difference_output(const struct difference *difference, const char *json, size_t top, bool slower, struct err *err);

#endif
