/* The findings as section `mpi` of a platform file, with the keys that were asked and decided. Other keys are left out
 * and have the platform file's default. */
#ifndef PLATFORMS_PROBE_SECTION_H
#define PLATFORMS_PROBE_SECTION_H

#include <cjson/cJSON.h>

#include "platforms/probe/findings.h"

/* The caller owns *mpi. STATUS_DATA: a platform file would refuse the section, since measured values are absurd. */
enum status probe_section(const struct probe_findings *findings, cJSON **mpi, struct err *err);

#endif
