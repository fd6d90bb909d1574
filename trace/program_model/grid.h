/* The process grids on which partners are described. The extents of a grid follow from the number of ranks by a rule,
 * so that the same neighbour can be named at another number of ranks. */
#ifndef TRACE_PROGRAM_MODEL_GRID_H
#define TRACE_PROGRAM_MODEL_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

enum { GRID_DIMENSIONS = 3 };

/* How the extents follow from the number of ranks. Dimension 0 counts fastest with the rank. */
enum grid_rule {
    GRID_LINE,    /* one dimension */
    GRID_SQUARE,  /* two; the first is the largest divisor up to the square root */
    GRID_SQUARE_HIGH, /* two; the second is that */
    GRID_CUBE,    /* three, as MPI_Dims_create (MPI-3.1 7.5.2) divides: the last dimension is the largest */
    GRID_CUBE_HIGH,   /* three; the first dimension is the largest */
    GRID_FIXED,   /* two; the first is `fixed` */
    GRID_FIXED_HIGH,  /* two; the second is `fixed` */
    GRID_RULES
};

const char *grid_rule_name(enum grid_rule rule); /* "square_high" */

struct grid_shape {
    enum grid_rule rule;
    int32_t fixed;                  /* of GRID_FIXED and GRID_FIXED_HIGH */
    bool periodic[GRID_DIMENSIONS]; /* neighbours wrap around */
};

struct grid {
    int32_t ranks, extents[GRID_DIMENSIONS]; /* 1 in dimensions that the rule does not have */
    bool periodic[GRID_DIMENSIONS];
};

struct grid_offset {
    int32_t of[GRID_DIMENSIONS];
};

/* False: the ranks cannot be divided so. */
bool grid_make(const struct grid_shape *shape, int32_t ranks, struct grid *grid);

void grid_coordinates(const struct grid *grid, int32_t rank, int32_t coordinates[GRID_DIMENSIONS]);

/* From one rank to another; in a periodic dimension the shorter way, of two equal ones the one upwards. */
struct grid_offset grid_offset_between(const struct grid *grid, int32_t from, int32_t to);

/* The rank there; -1: outside the grid. */
int32_t grid_neighbor(const struct grid *grid, int32_t rank, const struct grid_offset *offset);

/* The same from coordinates on. */
int32_t grid_neighbor_of_place(const struct grid *grid, const int32_t at[GRID_DIMENSIONS], const struct grid_offset *offset);

bool grid_offset_equal(const struct grid_offset *a, const struct grid_offset *b);

/* Part of a grid: the ranks that share the coordinates of some dimensions (a bit each), as a row shares y and z. All ranks are
 * the part that shares none. A place is a rank's number in its part, by rising ranks. */
int32_t grid_part_count(const struct grid *grid, unsigned shared);
int32_t grid_part_place(const struct grid *grid, int32_t rank, unsigned shared);
bool grid_part_has(const struct grid *grid, int32_t rank, unsigned shared, int32_t other);

/* The rank at a place of a rank's part; -1: the part has no such place. */
int32_t grid_part_rank(const struct grid *grid, int32_t rank, unsigned shared, int32_t place);

/* The rank of a smaller grid of the same shape that has the same place: ends stay ends, what is between repeats. */
int32_t grid_similar(const struct grid *large, int32_t rank, const struct grid *small);

/* "2-D grid 4 x 16, periodic in the first dimension". Returns buffer. */
enum { GRID_TEXT_BYTES = 96 };
char *grid_text(const struct grid *grid, char buffer[GRID_TEXT_BYTES]);

#endif
