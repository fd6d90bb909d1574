/* An archive as a source of slices (trace/source.h). A limited number of local readers stays open, since each has
 * chunks in memory. */
#ifndef TRACE_OTF2_SLICES_H
#define TRACE_OTF2_SLICES_H

#include "trace/source.h"

/* *possible is false, and nothing is opened, if the archive is not in our profile or ranks have several threads; such
 * archives are read as a whole. *events is the number of all records. */
enum status otf2_slices_open(const char *path, struct trace_source *source, bool *possible, uint64_t *events,
                             struct err *err);

#endif
