/* The range of sizes for which a platform file was measured. Times beyond it are extrapolated, and results say so. */
#ifndef PLATFORMS_FIT_RANGE_H
#define PLATFORMS_FIT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* Stores the largest size on the curve of the network's values, in the $calibration that calibration_to_platform()
 * wrote. Returns false if the file was not measured. */
bool calibration_largest(const cJSON *platform, int64_t *bytes);

#endif
