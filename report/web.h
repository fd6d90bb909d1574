/* The page's own files (report/web), which the build puts into the program. */
#ifndef REPORT_WEB_H
#define REPORT_WEB_H

#include <stddef.h>

struct web_part {
    const unsigned char *text; /* NULL behind the last one */
    size_t size;
};

extern const struct web_part web_style, web_body, web_scripts[];

#endif
