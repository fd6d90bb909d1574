/* A platform as a SimGrid 3.32 platform file, for SMPI and other programs of SimGrid. */
#ifndef PLATFORMS_SIMGRID_FILE_H
#define PLATFORMS_SIMGRID_FILE_H

#include <stdio.h>

#include "platforms/platform.h"

/* A cluster of the platform's shape. Links have the highest rate of the segments and such a latency that the two
 * nearest nodes are as far apart as the smallest message says; the loopback is that of its first segment. What
 * SimGrid's file cannot say (other segments, overheads, MPI's protocols) is named in a comment. STATUS_DATA: the
 * platform is a SimGrid file itself, or has no finite rate. */
enum status platform_write_simgrid(const struct platform *platform, FILE *out, struct err *err);

#endif
