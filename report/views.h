/* The parts of a page's time lines that belong to several calls: epochs, grants of locks, and the arrows of the five
 * event models (export/merge.h) and of messages. */
#ifndef REPORT_VIEWS_H
#define REPORT_VIEWS_H

#include <stdio.h>

#include "model/match/relations.h"

struct views_window {
    int64_t begin_ps;          /* of the run: times are written since then */
    int64_t from_ps, until_ps; /* of what is written */
};

/* Writes the keys "views", "epochs", "grants" and "arrows" of a JSON object, each after a comma; report/web/timeline.js
 * describes them. */
enum status views_write(const struct relations *relations, const struct views_window *window, FILE *out, struct err *err);

#endif
