/* Finds the value of a platform, or the entry of its protocol, that best explains the error of a prediction. It replays
 * the predicted trace with one change at a time on the loggp engine, in child processes. It compares each replay
 * with the real runs call by call, in the compared section. Replaying a predicted trace on its own platform gives the
 * same trace again (law 6). So the first replay, without a change, is the reference for the others. It also
 * replays the real runs: what an error leaves when the computing is theirs is not the computing's. */
#ifndef VALIDATE_EXPLAIN_EXPLAIN_H
#define VALIDATE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json/fields.h"
#include "model/analyze.h"
#include "trace/trace.h"
#include "validate/explain/platform_changes.h"

struct explanation_replay {
    const struct platform_change *change; /* NULL: none */
    double run_time_s;       /* of the section */
    double absolute_s;       /* sum over the section's calls of |error| */
    double transfers_s;      /* of the times when data were there, where a measured run is a simulated one: breaks ties */
    double run_time_error_s; /* predicted - measured median */
    double explained;        /* reduction of absolute_s, as a share of the unchanged replay's; negative: it grows */
};

struct explanation {
    struct platform_changes changes;
    struct explanation_replay unchanged, *replays; /* owned; the best first */
    struct explanation_replay computing; /* of the measured runs: the one whose replay takes the median time */
    bool computing_known;                /* some measured run can be replayed */
    double mpi_s, mpi_waited_s;          /* as in the input */
    size_t count;
    size_t without_effect, failed; /* changes without an effect on times; changes that the platform or the replay
                                      refuses */
};

struct explain_input { /* borrowed */
    const char *platform;           /* its file */
    const char *const *overrides;   /* as platform_open() takes them */
    size_t override_count;
    const struct trace *predicted;
    const struct trace *const *measured;
    size_t repetitions;
    double measured_run_time_s;            /* of the section */
    double mpi_s, mpi_waited_s;            /* of all measured runs: in MPI, and of that without a core */
    const struct analyze_options *analyze; /* those of the compared results: their section holds; NULL: defaults */
};

/* STATUS_DATA if the unchanged replay fails. The caller clears *explanation. */
enum status explain_run(const struct explain_input *input, struct explanation *explanation, struct err *err);
void explanation_clear(struct explanation *explanation);

/* Prints the first `top` changes that explain something. */
void explanation_print(const struct explanation *explanation, size_t top, FILE *out);
/* The member "explanation" of a validation's JSON. */
extern const struct field explanation_fields[];

#endif
