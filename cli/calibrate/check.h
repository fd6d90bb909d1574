/* rmacast calibrate --check: the closed loop. */
#ifndef CLI_CALIBRATE_CHECK_H
#define CLI_CALIBRATE_CHECK_H

#include "cli/calibrate/run.h"

/* The check's tests run between the others of the bench. Their names in its configuration and results begin so. */
#define CALIBRATE_CHECK_PREFIX "check "
/* Writes the configuration of the run (NULL: the default), with the check's tests. */
enum status calibrate_check_config(const struct calibrate_run *run, const char *file, struct err *err);
/* Of the results in the run's directory, with those of the check: sizes of tests with references, and how many of these lack
 * repetitions under the conditions of the fit (platforms/fit/conditions.h). */
enum status calibrate_count_missing(const struct calibrate_run *run, size_t *sizes, size_t *missing, struct err *err);
/* Records the check's tests once, behind the same launcher; in the directory of the run. */
enum status calibrate_check_record(const struct calibrate_run *run, struct err *err);
/* Replays what was recorded on the platform file, and prints a table: what the bench measured of the check's tests, without
 * recorder, and what the replay predicts. */
enum status calibrate_check(const struct calibrate_run *run, const char *platform, struct err *err);

#endif
