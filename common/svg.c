#include "common/svg.h"

#include "common/text/text.h"

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *color, double width)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", x1,
            y1, x2, y2, color, width);
}

void svg_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    text_write_xml(out, text);
    fputs("</text>\n", out);
}
