/* For which sizes a platform file was measured: beyond them its times are extrapolated, and who uses them should be told. */
#ifndef PLATFORMS_FIT_RANGE_H
#define PLATFORMS_FIT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* The largest size that the curve of the network's values has ($calibration of a file that calibration_to_platform
 * made). False: the file was not measured. */
bool calibration_largest(const cJSON *platform, int64_t *bytes);

#endif
