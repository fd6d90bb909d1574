/* rmacast calibrate --check: the closed loop. */
#ifndef CLI_CALIBRATE_CHECK_H
#define CLI_CALIBRATE_CHECK_H

#include "cli/calibrate/run.h"

/* Records a bench run behind the same launcher, replays it on the platform file, and prints a table of measured and predicted
 * medians. Works in the directory of the run. */
enum status calibrate_check(const struct calibrate_run *run, const char *platform, struct err *err);

#endif
