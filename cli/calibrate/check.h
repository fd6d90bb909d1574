/* rmacast calibrate --check: the closed loop. */
#ifndef CLI_CALIBRATE_CHECK_H
#define CLI_CALIBRATE_CHECK_H

#include "cli/calibrate/run.h"

/* Records a bench run behind the same launcher, as the round's; in the directory of the run. */
enum status calibrate_check_record(const struct calibrate_run *run, int round, struct err *err);
/* Replays what was recorded in each round on the platform file, and prints a table of measured and predicted medians. */
enum status calibrate_check(const struct calibrate_run *run, const char *platform, int rounds, struct err *err);

#endif
