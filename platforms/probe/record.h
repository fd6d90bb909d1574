/* The output of the program rmacast-probe, parsed line by line. Each line of its own begins with "rmacast-probe"; a
 * launcher may put something before it. All times are seconds.
 *
 *     rmacast-probe begin 1 LIBRARY                      version of these lines; MPI_Get_library_version
 *     rmacast-probe hosts HOST HOST                      of the origin and the partner
 *     rmacast-probe value NAME NUMBER
 *     rmacast-probe delay CASE VARIANT BYTES DELAY HELPER BEGIN END...      one try: struct probe_sample
 *     rmacast-probe limit CASE VARIANT LOW HIGH          LOW bytes behave like smaller sizes, HIGH bytes like larger ones
 *     rmacast-probe skip CASE VARIANT BYTES WHY
 *     rmacast-probe time NAME BYTES NUMBER...            repetitions of a series
 *     rmacast-probe end                                  the output is complete
 *     rmacast-probe fail WHY */
#ifndef PLATFORMS_PROBE_RECORD_H
#define PLATFORMS_PROBE_RECORD_H

#include <stddef.h>

#include "common/status.h"
#include "platforms/probe/votes.h"

enum { PROBE_NAME_BYTES = 32, PROBE_TEXT_BYTES = 256, PROBE_SERIES_MAX = 256 };

struct probe_try {
    enum probe_case id;
    enum probe_variant variant;
    int64_t bytes;
    struct probe_sample sample;
};

struct probe_limit {
    enum probe_case id;
    enum probe_variant variant;
    int64_t low, high;
};

struct probe_skip {
    enum probe_case id;
    enum probe_variant variant;
    int64_t bytes;
    char why[PROBE_TEXT_BYTES];
};

struct probe_series {
    char name[PROBE_NAME_BYTES];
    int64_t bytes;
    double *values; /* owned, in the order of time */
    size_t count;
};

struct probe_value {
    char name[PROBE_NAME_BYTES];
    double value;
};

struct probe_record {
    bool began, ended;
    char library[PROBE_TEXT_BYTES], hosts[2][PROBE_TEXT_BYTES], failure[PROBE_TEXT_BYTES]; /* empty: not said */
    char window[PROBE_NAME_BYTES]; /* how it is made: create, allocate, dynamic */
    struct probe_try *tries;
    struct probe_limit *limits;
    struct probe_skip *skips;
    struct probe_series *series;
    struct probe_value *values;
    size_t try_count, limit_count, skip_count, series_count, value_count;
    size_t try_capacity, limit_capacity, skip_capacity, series_capacity, value_capacity;
};

/* *ours: the line is one of the program's. STATUS_DATA: it is, but it is malformed. */
enum status probe_record_add(struct probe_record *record, const char *line, bool *ours, struct err *err);
void probe_record_clear(struct probe_record *record);

/* fallback: returned if there is no such line. */
double probe_record_value(const struct probe_record *record, const char *name, double fallback);

#endif
