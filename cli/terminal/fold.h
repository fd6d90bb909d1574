/* Lines that fit what shows them: a line that is too long goes on below, further in; a word that is longer than a line, as a path
 * of a call site, loses its middle. */
#ifndef CLI_TERMINAL_FOLD_H
#define CLI_TERMINAL_FOLD_H

#include <stdbool.h>
#include <stdio.h>

/* Spaces at the end of a line are left out. columns: 0: no line is folded or cut. colored: words that begin a line and that tell
 * what to look at have a colour. A character of UTF-8 takes one column. */
void fold_write(const char *text, int columns, bool colored, FILE *out);

#endif
