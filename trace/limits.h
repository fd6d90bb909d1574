/* What trace_check() accepts at most. No sum of times or bytes over the calls and ranks of an accepted trace overflows
 * 64 bits, and no difference of two times does. docs/security.md states these limits. */
#ifndef TRACE_LIMITS_H
#define TRACE_LIMITS_H

#include <stdint.h>

#include "common/units.h"

/* Ranks of a program: about 1 KB each in an analysis, whether they call or not. */
#define TRACE_RANKS_MAX (1 << 20)
/* Of one time, either side of 0: 69 days. */
#define TRACE_TIME_MAX_PS (INT64_C(6000000) * UNITS_PS_PER_S)
/* From the trace's first event to the end of any, times the threads of all ranks: 2562 hours of threads. */
#define TRACE_TOTAL_MAX_PS UINT64_C(9223372036854775807)
/* Bytes of all calls of a rank (sent, received, counts), times the ranks. */
#define TRACE_BYTES_MAX (INT64_C(1) << 62)
/* Displacements and addresses in a window. */
#define TRACE_DISP_MAX (INT64_MAX / 4)

#endif
