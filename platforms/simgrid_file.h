/* Writes a platform as a SimGrid 3.32 platform file, for SMPI and other SimGrid programs. */
#ifndef PLATFORMS_SIMGRID_FILE_H
#define PLATFORMS_SIMGRID_FILE_H

#include <stdio.h>

#include "platforms/platform.h"

/* Writes a cluster of the platform's shape. Links have the highest rate of the segments. Their latency is such that the
 * two nearest nodes have the latency of the smallest message. The loopback has its first segment's values. A comment in
 * the file names what SimGrid's format cannot express: other segments, overheads, MPI's protocols. Returns STATUS_DATA
 * if the platform is a SimGrid file itself, or has no finite rate. */
enum status platform_write_simgrid(const struct platform *platform, FILE *out, struct err *err);

#endif
