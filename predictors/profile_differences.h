/* Whether the platform's MPI profile, or without one what was calibrated, is of the library and transport that a trace was
 * recorded with. */
#ifndef PREDICTORS_PROFILE_DIFFERENCES_H
#define PREDICTORS_PROFILE_DIFFERENCES_H

#include "platforms/platform.h"
#include "trace/trace.h"

enum { PROFILE_DIFFERENCE_BYTES = 500 };

/* One line for another library or version, one for another transport. */
struct profile_differences {
    char text[2][PROFILE_DIFFERENCE_BYTES];
    size_t count;
};

/* None where the trace does not say what it was recorded with, or the profile names no version or no known transport. */
void profile_compare(const struct trace *trace, const struct platform *platform, struct profile_differences *differences);

#endif
