/* Colours of a terminal: for errors, warnings and advice, and for nothing else. */
#ifndef CLI_TERMINAL_COLOR_H
#define CLI_TERMINAL_COLOR_H

#include <stdbool.h>

enum color { COLOR_NONE, COLOR_ERROR, COLOR_WARNING, COLOR_ADVICE };

/* Whether what is written to the descriptor may have colours: it is a terminal, and NO_COLOR (no-color.org) is not set. */
bool color_wanted(int descriptor);
/* The sequences that switch a colour on and off; "" for COLOR_NONE. */
const char *color_begin(enum color color);
const char *color_end(enum color color);

#endif
