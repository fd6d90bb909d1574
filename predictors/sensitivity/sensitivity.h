/* What a run time is worth in the values of its platform: how much longer the run gets for each second of a time, each second per
 * byte of a rate, each second of computing; up to where that holds; how much of a value the program can do without; in which
 * calls it arises; how much later each call could come (docs/sensitivity.md).
 *
 * Order of calls: sensitivity_find, sensitivity_print or sensitivity_fields, sensitivity_clear. */
#ifndef PREDICTORS_SENSITIVITY_SENSITIVITY_H
#define PREDICTORS_SENSITIVITY_SENSITIVITY_H

#include <stdio.h>

#include "common/json/fields.h"
#include "common/units.h"
#include "platforms/values.h"
#include "predictors/scenes.h"
#include "predictors/sensitivity/gains.h"
#include "predictors/sensitivity/places.h"
#include "predictors/sensitivity/slack.h"

enum { SENSITIVITY_SHARES = 3, SENSITIVITY_ROWS_MAX = 32, SENSITIVITY_KEYS_MAX = 64 };

struct sensitivity_corner {
    double value, run_time_s;
};

struct sensitivity_tolerance {
    double share, value; /* value: NAN: the run does not get so much longer, or beyond a thousand times the range */
};

struct sensitivity_node {
    uint32_t node;
    double slope;
};

struct sensitivity_value {
    char key[VALUE_KEY_BYTES];
    enum key_kind kind;
    double value; /* of the platform; INFINITY: a rate without limit */
    char *refused; /* owned: why the trace cannot be replayed with another value; then nothing else is known. NULL: it can */
    double slope; /* upwards; of a rate by seconds per byte, of a speed by its inverse */
    double slope_below; /* NAN: as slope */
    bool exact;
    bool proven; /* the run time is convex in the value, and so a line wherever it is one at both ends */
    double from, to; /* values between which the slope holds, from < to; of a rate to is the slower end where from is larger */
    struct sensitivity_tolerance tolerances[SENSITIVITY_SHARES];
    struct sensitivity_corner *corners; /* owned; the curve in ascending values */
    size_t corner_count;
    cJSON *curve; /* NULL: the JSON is made of the corners */
    struct places places; /* owned; of no slope: empty */
    struct sensitivity_node *nodes; /* owned: of a speed, nodes whose computing is on the path */
    size_t node_count;
};

struct sensitivity_row {
    char *name; /* owned: of the scene, "a+post-early" */
    char semantics[PLATFORM_SEMANTICS_BYTES];
    double run_time_s;
    struct sensitivity_value *values; /* owned */
    size_t value_count;
    bool slack_known;
    struct slack slack; /* owned */
    bool gains_known;
    struct gains gains; /* owned */
    uint64_t replays, verified; /* verified: replays that were on the curves */
};

struct sensitivity {
    char *trace, *platform; /* owned: names */
    const struct engine_descriptor *engine;
    struct sensitivity_row rows[SENSITIVITY_ROWS_MAX];
    size_t row_count;
    char **notes; /* owned: what the first row's platform leaves out or assumes */
    size_t note_count;
};

struct sensitivity_range {
    const char *key;
    double low, high; /* values; of a rate as well */
};

/* Borrowed. */
struct sensitivity_options {
    struct scene_options scenes;
    const struct engine_descriptor *engine;
    const char *const *semantics; /* names of scenes: "a", ..., or "platform": as it says */
    size_t semantics_count;
    const char *const *keys; /* NULL: all */
    size_t key_count;
    const struct sensitivity_range *ranges;
    size_t range_count;
    bool slack, gains; /* of every trace; else where they take few replays */
    bool verify;       /* replay each curve at further values: one that is off a proven line is an error, else it is not exact */
    bool first;        /* only the first value, the network's latency, without slack and gains */
};

/* Inits *made. STATUS_USAGE for a key that the platform has not, and for an engine that cannot. */
enum status sensitivity_find(const struct trace *trace, const struct sensitivity_options *options, struct sensitivity *made,
                             struct err *err);
void sensitivity_clear(struct sensitivity *made);

void sensitivity_print(const struct sensitivity *made, FILE *out);
/* A line for each row: run time, slope and tolerance of its first value. */
void sensitivity_print_rows(const struct sensitivity *made, FILE *out);
/* "10 us"; a rate or a time by its kind. Gives text. */
char *sensitivity_value_text(enum key_kind kind, double value, char text[UNITS_TEXT_BYTES]);
/* A picture of the curves that are not flat: by value, a line for each row, with corners and the platform's value. */
void sensitivity_write_svg(const struct sensitivity *made, FILE *out);
/* The corners of all curves, and the points of all gains with the key scale:CALLPATH: "semantics,key,value,run_time_s". */
void sensitivity_write_csv(const struct sensitivity *made, FILE *out);
/* rank, event, call, slack_s; semantics where there are several. */
void sensitivity_write_slack(const struct sensitivity *made, FILE *out);

/* Schema rmacast.sensitivity/1. */
extern const struct field sensitivity_fields[], sensitivity_value_fields[];

#endif
