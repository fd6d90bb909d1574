/* Program models: what every rank of a program calls, as a text with loops, conditions and expressions in the rank and
 * the number of ranks. A model is a trace at any number of ranks. docs/scaling.md has the grammar.
 *
 * Order of calls: program_model_read, program_model_make as often as wanted, program_model_free. Ranks that are to be
 * made one after the other: trace/program_model/ranks.h; call by call: trace/program_model/run.h. */
#ifndef TRACE_PROGRAM_MODEL_PROGRAM_MODEL_H
#define TRACE_PROGRAM_MODEL_PROGRAM_MODEL_H

#include <stdio.h>

#include "common/files/input_file.h"
#include "trace/program_model/executions.h"
#include "trace/program_model/expression.h"
#include "trace/program_model/grid.h"
#include "trace/trace.h"

/* The scale of a run: its number of ranks, and the value of a parameter. */
struct model_scale {
    uint32_t ranks;
    uint32_t variable; /* of the parameter; 0: the run has no parameter, or any value of it is meant */
    double value;
};

/* The mean of a computing in a recorded run. At the scale of that run it takes the place of the expression. */
struct model_recorded {
    struct model_scale scale;
    double mean;
    struct executions executions; /* empty: those of struct model_computing hold at this scale, too */
};

/* Computing at one place of the program: a mean, and how single executions differ from it. */
struct model_computing {
    char name[SCANNER_NAME_BYTES];
    struct expression mean; /* seconds; less than 0 is 0 */
    struct model_recorded *recorded; /* owned */
    size_t recorded_count, recorded_capacity;
    double error;            /* relative error of the mean at a recorded scale */
    double missed, missed_s; /* error of the mean at another scale, relative and in seconds */
    double doublings;        /* the distance from the recorded scales for which missed and missed_s hold */
    double slept;            /* the share of each execution that is sleep, 0 to 1 */
    bool balanced;          /* all executions are within 10 % of the mean */
    struct executions executions; /* of the observed run */
};
enum { COMPUTING_ABSENT = -1, COMPUTING_ZERO = -2 }; /* the model does not say it; no time. Other values are indices */

enum statement_kind { STATEMENT_CALL, STATEMENT_COMPUTE, STATEMENT_REPEAT, STATEMENT_IF, STATEMENT_BLOCK };

/* A key of a call whose value is an expression. */
struct statement_value {
    uint8_t field; /* of trace/text/fields.h */
    struct expression value;
};

enum statement_group { GROUP_NONE, GROUP_LISTED, GROUP_OTHERS, GROUP_ALL };
/* Other values are positions among the rank's requests that no call has completed. */
enum { REQUESTS_NAMED = -3, REQUESTS_NONE = -2, REQUESTS_ALL = -1 };

/* Requests with a name: those that statements with request=NAME make. */
struct statement_request {
    uint32_t name;
    int32_t place; /* among those of the name that no call has completed; -1: all of them */
};

struct statement {
    enum statement_kind kind;
    size_t line;
    struct expression when; /* a rank executes the statement if the value is not 0; no expression: always */
    int32_t before, after;  /* computing before the call, or before the first call of a loop; computing after it */
    /* STATEMENT_CALL */
    struct trace_call
        call; /* the fields without expressions; site and ref (region) refer to struct program_model.names */
    struct statement_value *values; /* owned */
    size_t value_count;
    enum statement_group group;
    struct expression *members; /* owned; a member whose value is none is left out */
    size_t member_count;
    int64_t requests;
    struct statement_request *waited; /* owned, of REQUESTS_NAMED */
    size_t waited_count;
    uint32_t request_name; /* of the request that the call makes: 1 + its index; 0: it has none */
    struct expression takes; /* seconds of the call itself */
    /* STATEMENT_COMPUTE: seconds; STATEMENT_REPEAT: the number of rounds; STATEMENT_IF: the condition; STATEMENT_BLOCK:
     * seconds of the body. Instead of seconds there may be a computing */
    struct expression amount;
    int32_t computing;
    bool reduced;            /* STATEMENT_BLOCK: the time takes the place of the body */
    uint32_t variable;       /* of a loop with a name; 0: none */
    bool varies;             /* rounds of the loop differ in what they compute or in the statements that are taken */
    struct statement *body, *other; /* owned; other: the statements after else */
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
    size_t time_end, reduced_end; /* of a block: where its time ends, and the word behind it; 0: there is none */
};

struct program_model {
    char *file;         /* owned */
    uint32_t ranks;     /* the default number of ranks; 0: there is none */
    struct model_scale observed;  /* the run that the executions are from; 0 ranks: there is none */
    struct model_scale *recorded; /* owned: other runs that the model is made from */
    size_t recorded_count, recorded_capacity;
    struct trace_memory memory; /* of the recorded runs */
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
    char **request_names; /* owned */
    size_t request_name_count, request_name_capacity;
    struct model_line *lines;
    size_t line_count, line_capacity;
};

/* "rmacast-model": the first word of the form. */
#define PROGRAM_MODEL_WORD "rmacast-model"

/* Reads a model, and closes the file. Returns STATUS_DATA with file, line and what was expected. The caller owns *model. */
enum status program_model_read(struct input_file *in, struct program_model **model, struct err *err);
enum status program_model_open(const char *file, struct program_model **model, struct err *err);
void program_model_free(struct program_model *model);

/* Writes the model as text, without comments. Reading it gives the same model. */
void program_model_write(const struct program_model *model, FILE *out);

struct program_model_options {
    uint32_t ranks; /* 0: as many as the model says */
    double compute; /* factor of all computing */
    double error;   /* the share of its error that is added to each computing: -1 to 1 */
    uint64_t seed;  /* for the choice of executions where they differ randomly only */
};
#define PROGRAM_MODEL_DEFAULTS                                                                                         \
    {                                                                                                                  \
        .ranks = 0, .compute = 1, .error = 0, .seed = 1                                                                \
    }

/* Makes the run as a trace that has passed trace_check(). The caller owns *trace. */
enum status program_model_make(const struct program_model *model, const struct program_model_options *options,
                               struct trace **trace, struct err *err);

#endif
