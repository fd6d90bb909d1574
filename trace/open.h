/* Opens a trace of any kind: OTF2 archive, spool directory, text, program model. The kind is recognised from the content. */
#ifndef TRACE_OPEN_H
#define TRACE_OPEN_H

#include "trace/otf2/otf2.h"
#include "trace/source.h"
#include "trace/trace.h"

/* STATUS_DATA if nothing there is a trace. The trace has passed trace_check(). The caller owns *trace. */
enum status trace_open(const char *path, struct trace **trace, struct err *err);

/* The same to keep going: faults end their rank, not the reading, and are listed in (*trace)->faults (trace/faults.h).
 * Fails where nothing can be known without the faulty part: headers, definitions of an archive. */
enum status trace_open_partly(const char *path, struct trace **trace, struct err *err);

/* How many ranks the program models have that are opened from now on; 0: as many as each says. */
void trace_open_models_at(uint32_t ranks);

/* Gives a parameter of the program models that are opened from now on a value, an expression; both borrowed. False: they are too
 * many. */
enum { MODEL_PARAMETERS_MAX = 16 };
bool trace_open_models_with(const char *name, const char *value);

/* An archive to be read piece by piece, of so many records; *possible false: another kind of trace, or one that must be
 * read as a whole (trace/otf2/slices.h). The caller closes *source. */
enum status trace_open_source(const char *path, struct trace_source *source, bool *possible, uint64_t *records,
                              struct err *err);

/* Writes by the name: *.txt and "-" as text, everything else as an archive directory. */
enum status trace_save(const struct trace *trace, const char *path, struct err *err);

/* True if trace_save() writes text to this name. */
bool trace_is_text_name(const char *path);

/* Calls visit for the files that trace_open() reads beside the path itself: parts of an archive, or of all archives in
 * a directory; a directory of events or of a spool with all that is in it. Nothing there is no fault. */
enum status trace_visit_read(const char *path, otf2_file_visitor *visit, void *context, struct err *err);

/* True if the path is a program model by content. */
bool trace_is_model(const char *path);

/* True if the path is a trace by content (not JSON): for commands that take TRACE|RESULT. */
bool trace_is_trace(const char *path);

#endif
