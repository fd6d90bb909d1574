/* The sentence that says what to move where to remove a wait. Rows: model/advice.def. */
#ifndef MODEL_ADVICE_H
#define MODEL_ADVICE_H

#include "model/callpath.h"
#include "model/finding.h"
#include "trace/trace.h"

/* The advice for one finding, the caller frees *text; NULL for a pattern without a row or without a known cause. */
enum status advice_text(const struct trace *trace, const struct callpaths *paths, const struct finding *finding,
                        char **text, struct err *err);

#endif
