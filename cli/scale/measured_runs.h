/* predict --measured TRACE: recordings that were made on the platform of the prediction. Each is replayed there, and its own
 * run time shows the replay's error (predictors/curve/replay_error.h). */
#ifndef CLI_SCALE_MEASURED_RUNS_H
#define CLI_SCALE_MEASURED_RUNS_H

#include "cli/prediction_options.h"
#include "predictors/curve/replay_error.h"

/* Replays the recordings under the platform's own semantics, not rewritten, their ranks on the nodes on which they ran. Both run
 * times are those of the section of analyze. The runs are sorted by ranks; the caller frees *runs. */
enum status measured_runs_replay(const struct cli_strings *files, const struct prediction_options *options,
                                 const struct analyze_options *analyze, struct measured_run **runs, struct err *err);

#endif
