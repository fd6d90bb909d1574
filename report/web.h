/* The files of the page (report/web). The build makes them part of the program. */
#ifndef REPORT_WEB_H
#define REPORT_WEB_H

#include <stddef.h>

struct web_part {
    const unsigned char *text; /* NULL: the end of web_scripts */
    size_t size;
};

extern const struct web_part web_style, web_body, web_scripts[];

#endif
