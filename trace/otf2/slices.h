/* An archive as a source of slices (trace/source.h). Local readers stay open while they are not too many, since each
 * holds chunks in memory. */
#ifndef TRACE_OTF2_SLICES_H
#define TRACE_OTF2_SLICES_H

#include "trace/source.h"

/* *possible false, and nothing opened: the archive is not in our profile, or ranks have several threads; such ones are
 * read as a whole. *events: records in all. */
enum status otf2_slices_open(const char *path, struct trace_source *source, bool *possible, uint64_t *events,
                             struct err *err);

#endif
