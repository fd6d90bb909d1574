/* A hand-worked case, tests/cases/FAMILY/NAME.case: a text trace, and behind it two sections in the trace's comments.
 *
 *   # platform:       key=value pairs that change tests/cases/base.json, one line or several; '#' begins a comment.
 *                     "engines=loggp" restricts the case (CMakeLists.txt reads it); "nodes_of_ranks=0,0,1" places ranks
 *   # expected:       calls, transfers and waits (expected.h)
 *
 * A line of a section is what follows its "# ". */
#ifndef TESTS_CASES_CASE_PLATFORM_H
#define TESTS_CASES_CASE_PLATFORM_H

#include <stdio.h>

#include "platforms/platform.h"

enum { CASE_LINE_BYTES = 512 };

struct case_section {
    FILE *in;
    int line; /* number of the last line read */
};

/* Goes to the section's first line. The caller closes section->in. */
enum status case_section_open(const char *file, const char *name, struct case_section *section, struct err *err);

/* The section's next line without its comments, blanks at its end, and newline; tabs are spaces. False: there is none. */
bool case_section_next(struct case_section *section, char line[CASE_LINE_BYTES]);

/* The caller frees *platform. */
enum status case_platform_open(const char *base, const char *file, char letter, struct platform **platform,
                               struct err *err);

#endif
