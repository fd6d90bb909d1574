/* Turns the findings into the section `mpi` of a platform file. It has the keys that were asked and decided; other keys
 * are left out and have the platform file's default. */
#ifndef PLATFORMS_PROBE_SECTION_H
#define PLATFORMS_PROBE_SECTION_H

#include <cjson/cJSON.h>

#include "platforms/probe/findings.h"

/* The caller owns *mpi. Returns STATUS_DATA if a platform file would refuse the section because measured values are out
 * of range. */
enum status probe_section(const struct probe_findings *findings, cJSON **mpi, struct err *err);

#endif
