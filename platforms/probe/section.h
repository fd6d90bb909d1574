/* What the findings mean for a platform file: its section `mpi`, with the keys that were asked and could be told. What was not is
 * left out, and has the platform file's default. */
#ifndef PLATFORMS_PROBE_SECTION_H
#define PLATFORMS_PROBE_SECTION_H

#include <cjson/cJSON.h>

#include "platforms/probe/findings.h"

/* The caller owns *mpi. A section that a platform file would refuse is STATUS_DATA: what was measured is absurd. */
enum status probe_section(const struct probe_findings *findings, cJSON **mpi, struct err *err);

#endif
