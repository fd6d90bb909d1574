/* The platform of a case: tests/cases/base.json with the key=value pairs of tests/cases/NAME/platform, one line or
 * several; '#' begins a comment. "engines=loggp" restricts the case (CMakeLists.txt reads it); "nodes_of_ranks=0,0,1"
 * places ranks. */
#ifndef TESTS_CASES_CASE_PLATFORM_H
#define TESTS_CASES_CASE_PLATFORM_H

#include "platforms/platform.h"

/* The caller frees *platform. */
enum status case_platform_open(const char *base, const char *file, char letter, struct platform **platform,
                               struct err *err);

#endif
