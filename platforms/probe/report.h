/* Prints findings as a table and as JSON (schema rmacast.probe/1, docs/probe.md). */
#ifndef PLATFORMS_PROBE_REPORT_H
#define PLATFORMS_PROBE_REPORT_H

#include <stdio.h>

#include "common/json/fields.h"
#include "platforms/probe/findings.h"

void probe_print(const struct probe_findings *findings, FILE *out);

extern const struct field probe_fields[];
/* broken says why the run ended early; NULL: it did not. The caller owns *json. */
enum status probe_to_json(const struct probe_findings *findings, const char *broken, cJSON **json, struct err *err);

/* Makes an MPI profile (platforms/profile.h) of this name, for mpi.profile of platform files. */
enum status probe_to_profile(const struct probe_findings *findings, const char *name, cJSON **profile, struct err *err);

#endif
