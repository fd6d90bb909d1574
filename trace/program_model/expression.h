/* Expressions of program models: numbers that depend on the rank, the number of ranks, the rank's place on the grid, named
 * parameters and loop variables. docs/scaling.md has the grammar.
 *
 * All values are doubles: whole numbers are exact up to 2^53. The value `none` stands for a rank beyond the end of the
 * grid; every result computed from it is none. */
#ifndef TRACE_PROGRAM_MODEL_EXPRESSION_H
#define TRACE_PROGRAM_MODEL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "trace/program_model/grid.h"

/* The position of the next token in a file. */
struct scanner {
    const char *file;
    size_t line;
    const char *at;
    struct err *err;
};

#define SCANNER_FAIL(scanner, ...)                                                                                     \
    do {                                                                                                               \
        char fail_line_[24];                                                                                           \
        snprintf(fail_line_, sizeof fail_line_, "%zu", (scanner)->line);                                               \
        return err_set((scanner)->err, STATUS_DATA, (scanner)->file, fail_line_, __VA_ARGS__);                         \
    } while (0)

void scanner_skip_blanks(struct scanner *scanner);

/* Reads a name of letters, digits and _. Returns STATUS_DATA if there is none; `what` is used in the message: "the name
 * of a parameter". */
enum { SCANNER_NAME_BYTES = 64 };
enum status scanner_name(struct scanner *scanner, const char *what, char name[SCANNER_NAME_BYTES]);

/* Variables of every model; those of parameters and loops follow. */
enum {
    VARIABLE_RANK,
    VARIABLE_RANKS,
    VARIABLE_X,
    VARIABLE_Y,
    VARIABLE_Z,
    VARIABLE_NX,
    VARIABLE_NY,
    VARIABLE_NZ,
    VARIABLE_FIRST_NAMED
};
enum { VARIABLES_MAX = 256 };

struct variables {
    char names[VARIABLES_MAX][SCANNER_NAME_BYTES]; /* "" : out of scope */
    uint32_t count;
};
void variables_open(struct variables *variables);
/* Returns STATUS_DATA if the name is already in use, or there are too many. */
enum status variables_add(struct variables *variables, const struct scanner *scanner, const char *name, uint32_t *number);

struct operation;
struct expression {
    struct operation *operations; /* owned, operands first; NULL: there is no expression */
    uint32_t count;
};

/* Reads the longest expression at the scanner's position. */
enum status expression_read(struct scanner *scanner, const struct variables *variables, struct expression *made);
void expression_clear(struct expression *expression);

/* Computes the value; variables has one number per variable. Returns NULL, or the reason why there is no value:
 * "division by 0". *value is NAN for none. */
const char *expression_value(const struct expression *expression, const double *variables, const struct grid *grid,
                             double *value);

bool expression_uses(const struct expression *expression, uint32_t variable);

/* Rounds down to a whole number. A value within rounding errors of a whole number gives that number. */
double expression_whole(double value);

#endif
