/* How sure a predicted run time is, or the difference of two: half of the band in which 90 % of measured ones lie, as a sum of
 * named parts (docs/trust.md). Times are in seconds. NAN stands for an unknown part. */
#ifndef MODEL_RESULT_UNCERTAINTY_H
#define MODEL_RESULT_UNCERTAINTY_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error_sources.h"
#include "common/units.h"

enum uncertainty_part {
    PART_RECORDING, /* the computing of equal steps differs: another run has other computing */
    PART_RACES,     /* half of the range of the draws; unknown without draws */
    PART_PLATFORM,  /* stated errors of the platform's values; unknown where none is stated */
    PART_MODEL,     /* a share of the time inside MPI, from measured campaigns */
    UNCERTAINTY_PARTS
};

/* What the share of the model depends on. */
enum uncertainty_class {
    CLASS_UNDRAWN, /* nobody looked for races */
    CLASS_STEADY,  /* draws differ by up to 2 % */
    CLASS_RACING,  /* draws differ by more */
    CLASS_DECIDED, /* tasks of queues go to the ranks that come for them first in the simulation */
    CLASS_STEERED, /* results may decide which calls the program makes */
    UNCERTAINTY_CLASSES
};

struct uncertainty {
    bool known; /* false: nobody predicted the time, or nobody said how sure it is */
    enum uncertainty_class class;
    double part_s[UNCERTAINTY_PARTS];
    double source_s[ERROR_SOURCES]; /* how much longer the run is where values of a source err; PART_PLATFORM is made of them */
    double in_mpi_s; /* time not spent computing, mean of the ranks */
};

/* A run on a platform. recording_s: the recording's part; NAN: unknown. source_s: ERROR_SOURCES elements, NAN where no value
 * states an error; NULL: unknown. class: UNDRAWN, DECIDED or STEERED. */
struct uncertainty uncertainty_of_run(double recording_s, const double *source_s, enum uncertainty_class class, double in_mpi_s);
/* Replaces what is said of races: the least and the largest run time of the draws, and their median. */
void uncertainty_draw(struct uncertainty *of, double least_s, double most_s, double median_s);
/* band_s: by how much the run time changes with the errors of computing and of the platform's values. The recording's part is
 * what the platform's part does not explain. */
void uncertainty_record(struct uncertainty *of, double band_s);
/* The difference of the times of two runs. What both have in common cancels. */
struct uncertainty uncertainty_of_difference(const struct uncertainty *a, const struct uncertainty *b);

/* The sum of the known parts; NAN: nothing is known. */
double uncertainty_total_s(const struct uncertainty *of);
/* "12 ms"; "unknown". Gives text. */
char *uncertainty_total_text(const struct uncertainty *of, char text[UNITS_TEXT_BYTES]);
/* Whether a difference is more than its error. Where nothing is known, each that is not 0 is. */
bool uncertainty_tells(const struct uncertainty *of, double difference_s);

/* What a reader of the prediction must know of the program: a sentence; NULL: nothing. */
const char *uncertainty_warning(const struct uncertainty *of);

/* "12 ms (recording 3 ms, model 9 ms; unknown: races, platform)". Gives text. */
enum { UNCERTAINTY_TEXT_BYTES = 256 };
char *uncertainty_text(const struct uncertainty *of, char text[UNCERTAINTY_TEXT_BYTES]);

/* For a table with a column "+-": a line that names the unknown parts. Nothing if all are known. */
void uncertainty_print_unknown(const struct uncertainty *of, FILE *out);

#endif
