/* Opens a trace of any kind: OTF2 archive, spool directory, text, program model. The kind is recognised from the content. */
#ifndef TRACE_OPEN_H
#define TRACE_OPEN_H

#include "trace/otf2/otf2.h"
#include "trace/source.h"
#include "trace/trace.h"

/* Opens a trace and checks it with trace_check(). Returns STATUS_DATA if the path is no trace. The caller owns
 * *trace. */
enum status trace_open(const char *path, struct trace **trace, struct err *err);

/* The same with --keep-going: a fault ends its rank, not the reading, and is listed in (*trace)->provenance.faults
 * (trace/faults.h). It fails if the faulty part is indispensable: headers, definitions of an archive. */
enum status trace_open_partly(const char *path, struct trace **trace, struct err *err);

/* Sets the number of ranks of program models that are opened from now on; 0: the number in each model. */
void trace_open_models_at(uint32_t ranks);

/* Sets a parameter of program models that are opened from now on to the value of an expression. Both texts are
 * borrowed. Returns false if there are too many. */
enum { MODEL_PARAMETERS_MAX = 16 };
bool trace_open_models_with(const char *name, const char *value);

/* Opens an archive that is read in slices; *records is the number of its records. *possible is false for another kind
 * of trace, or one that must be read as a whole (trace/otf2/slices.h). The caller closes *source. */
enum status trace_open_source(const char *path, struct trace_source *source, bool *possible, uint64_t *records,
                              struct err *err);

/* Writes a trace. The name decides the form: *.txt and "-" are text, every other name is an archive directory. */
enum status trace_save(const struct trace *trace, const char *path, struct err *err);

/* True if trace_save() writes text to this name. */
bool trace_is_text_name(const char *path);

/* Calls visit for the files that trace_open() reads beside the path itself: parts of an archive, or of all archives in
 * a directory; a directory of events or of a spool with all its files. A missing path is no fault. */
enum status trace_visit_read(const char *path, otf2_file_visitor *visit, void *context, struct err *err);

enum trace_form { TRACE_FORM_OTHER, TRACE_FORM_TRACE, TRACE_FORM_MODEL };

/* What the path is by content: for commands that take TRACE|RESULT, or a program model alone. Nothing there, or JSON: other. */
enum status trace_recognise(const char *path, enum trace_form *form, struct err *err);

#endif
