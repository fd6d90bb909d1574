/* Predictions of one program at several scales under several semantics, and what they say together: speed-up,
 * efficiency, where more ranks stop paying, which semantics is the fastest. */
#ifndef PREDICTORS_SCALE_CURVE_H
#define PREDICTORS_SCALE_CURVE_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "model/result/result.h"
#include "predictors/scale/program.h"

struct curve_point {
    uint32_t ranks;
    double low_s, high_s;  /* run time by the error of the computing times */
    struct result *result; /* owned */
};

struct curve {
    const struct program *program; /* borrowed */
    char **semantics;              /* borrowed names of the rows */
    size_t rows;
    struct curve_point *points; /* owned; rows points per number of ranks, which rise; the first is the reference */
    size_t count, capacity;
    bool strong; /* computing per rank falls as ranks are added; else it is about the same */
};

void curve_clear(struct curve *curve);

/* Sets curve->strong by the program's computing at the two scales. */
void curve_choose_scaling(struct curve *curve, uint32_t few, uint32_t many);

/* Against the first point of the same row: of strong scaling time by time, of weak scaling work by work. */
double curve_speedup(const struct curve *curve, size_t point);
double curve_efficiency(const struct curve *curve, size_t point);

void curve_print(const struct curve *curve, FILE *out);

/* Schema rmacast.scaling/1. The caller owns the tree. */
enum status curve_to_json(const struct curve *curve, cJSON **json, struct err *err);

#endif
