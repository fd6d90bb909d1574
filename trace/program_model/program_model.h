/* Program models: what every rank of a program calls, as a text with loops, conditions and expressions in the rank and
 * the number of ranks. A model is a trace at any number of ranks. docs/scaling.md has the grammar.
 *
 * Order of calls: program_model_read, program_model_make as often as wanted, program_model_free. Ranks that are to be
 * made one after the other: trace/program_model/ranks.h; call by call: trace/program_model/run.h. */
#ifndef TRACE_PROGRAM_MODEL_PROGRAM_MODEL_H
#define TRACE_PROGRAM_MODEL_PROGRAM_MODEL_H

#include <stdio.h>

#include "trace/program_model/executions.h"
#include "trace/program_model/expression.h"
#include "trace/program_model/grid.h"
#include "trace/trace.h"

/* Which run is meant: its ranks, and the value that a parameter had. */
struct model_scale {
    uint32_t ranks;
    uint32_t variable; /* of the parameter; 0: whatever parameters are */
    double value;
};

/* What a recorded run shows of a computing; takes the place of the expression at that scale. */
struct model_recorded {
    struct model_scale scale;
    double mean;
    struct executions executions; /* without counts: as at other scales */
};

/* Computing at one place of the program: a mean, and how single executions differ from it. */
struct model_computing {
    char name[SCANNER_NAME_BYTES];
    struct expression mean; /* seconds; less than 0 is 0 */
    struct model_recorded *recorded; /* owned */
    size_t recorded_count, recorded_capacity;
    double error;           /* relative, of the mean at a scale that was recorded */
    double missed, missed_s, doublings; /* what the mean may miss at another scale, relative and in seconds, so far from them */
    bool balanced;          /* all executions are within 10 % of the mean */
    struct executions executions; /* of the observed run */
};
enum { COMPUTING_ABSENT = -1, COMPUTING_ZERO = -2 }; /* else an index: not said; no time */

enum statement_kind { STATEMENT_CALL, STATEMENT_COMPUTE, STATEMENT_REPEAT, STATEMENT_IF, STATEMENT_BLOCK };

/* A key of a call whose value is an expression. */
struct statement_value {
    uint8_t field; /* of trace/text/fields.h */
    struct expression value;
};

enum statement_group { GROUP_NONE, GROUP_LISTED, GROUP_OTHERS, GROUP_ALL };
enum { REQUESTS_NONE = -2, REQUESTS_ALL = -1 }; /* else: the one at that place among those that no call has completed */

struct statement {
    enum statement_kind kind;
    size_t line;
    struct expression when; /* the rank takes the statement where it is not 0; none: always */
    int32_t before, after;  /* computing before a call, or the first call in a loop; after it */
    /* STATEMENT_CALL */
    struct trace_call call; /* what the keys without expressions say; site and ref (region) of struct program_model.names */
    struct statement_value *values; /* owned */
    size_t value_count;
    enum statement_group group;
    struct expression *members; /* owned; what is none is left out */
    size_t member_count;
    int64_t requests;
    bool scales_disp; /* displacements are in units of the target's */
    struct expression takes; /* seconds of the call itself */
    /* STATEMENT_COMPUTE: seconds, or that computing; STATEMENT_REPEAT: how often; STATEMENT_IF: the condition;
     * STATEMENT_BLOCK: seconds, or that computing, of the body */
    struct expression amount;
    int32_t computing;
    bool reduced;            /* STATEMENT_BLOCK: the time takes the place of the body */
    uint32_t variable;       /* of a loop with a name; 0: none */
    struct statement *body, *other; /* owned; other: what is behind else */
    size_t body_count, other_count;
};

/* Communicators of all ranks, or of those that differ in the given dimensions only. */
struct model_comm {
    bool all, along[GRID_DIMENSIONS];
};

struct model_window {
    int32_t comm;
    char flavor;
    char *name;                           /* owned, may be NULL */
    struct expression bytes, disp_unit;
    size_t line;
};

struct model_parameter {
    char name[SCANNER_NAME_BYTES];
    uint32_t variable;
    struct expression value;
    size_t line;
};

struct model_line { /* of the text, as it is written again */
    uint32_t depth;
    char *text; /* owned */
};

struct program_model {
    char *file;         /* owned */
    uint32_t ranks;     /* where nobody asks for another number; 0: not said */
    struct model_scale observed; /* the run that executions are of; 0 ranks: none */
    struct model_scale *recorded; /* owned: other runs that the model is made from */
    size_t recorded_count, recorded_capacity;
    struct grid_shape shape;
    uint32_t variable_count, depth; /* blocks in blocks */
    struct model_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    struct model_comm *comms; /* 0: the world */
    size_t comm_count, comm_capacity;
    struct model_window *windows;
    size_t window_count, window_capacity;
    struct model_computing *computings;
    size_t computing_count, computing_capacity;
    struct statement *statements;
    size_t statement_count;
    struct trace *names; /* sites and regions */
    struct model_line *lines;
    size_t line_count, line_capacity;
};

/* "rmacast-model": the first word of the form. */
#define PROGRAM_MODEL_WORD "rmacast-model"

/* STATUS_DATA with file, line and what was expected. name: for messages. The caller owns *model. */
enum status program_model_read(FILE *in, const char *name, struct program_model **model, struct err *err);
enum status program_model_open(const char *file, struct program_model **model, struct err *err);
void program_model_free(struct program_model *model);

/* The text again, without comments; what reads it has the same model. */
void program_model_write(const struct program_model *model, FILE *out);

struct program_model_options {
    uint32_t ranks; /* 0: as many as the model says */
    double compute; /* factor of all computing */
    double error;   /* of each computing, the share of its error that is added to it: -1 to 1 */
    uint64_t seed;  /* of which execution's time is taken where all are alike */
};
#define PROGRAM_MODEL_DEFAULTS                                                                                         \
    {                                                                                                                  \
        .ranks = 0, .compute = 1, .error = 0, .seed = 1                                                                \
    }

/* The run as a trace, checked. The caller owns *trace. */
enum status program_model_make(const struct program_model *model, const struct program_model_options *options,
                               struct trace **trace, struct err *err);

#endif
