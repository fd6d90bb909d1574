/* The output of rmacast diff and rmacast gate. */
#ifndef CLI_DIFFERENCE_DIFFERENCE_OUTPUT_H
#define CLI_DIFFERENCE_DIFFERENCE_OUTPUT_H

#include "validate/difference.h"

/* Writes JSON and CSV to files unless they are NULL, and the table of the first `top` rows unless one of them goes to standard
 * output. slower: as of difference_print(). A limit that is exceeded ends the command with status 1. */
enum status difference_output(const struct difference *difference, const char *json, const char *csv, size_t top, bool slower,
                              struct err *err);

#endif
