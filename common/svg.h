/* Lines and texts of pictures in SVG. */
#ifndef COMMON_SVG_H
#define COMMON_SVG_H

#include <stdio.h>

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *color, double width);

/* anchor: start, middle, end. The text is escaped. */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *text);

#endif
