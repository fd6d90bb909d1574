/* Fits lines to the terminal: a line that is too long continues below, indented; a word that is longer than a line,
 * such as a path, loses its middle. */
#ifndef CLI_TERMINAL_FOLD_H
#define CLI_TERMINAL_FOLD_H

#include <stdbool.h>
#include <stdio.h>

/* Spaces at the end of a line are left out. columns: 0: no line is folded or cut. colored: words that begin an
 * important line have a colour. A character of UTF-8 takes one column. */
void fold_write(const char *text, int columns, bool colored, FILE *out);

#endif
