/* Limits of traces that trace_check() accepts. No sum of bytes over the calls and ranks of an accepted trace overflows
 * 64 bits, no sum of times over the calls of a rank, and no difference of two times. Sums of times over ranks are wide
 * (common/wide.h). docs/security.md states these limits. */
#ifndef TRACE_LIMITS_H
#define TRACE_LIMITS_H

#include <stdint.h>

#include "common/units.h"

/* Ranks of a program. An analysis needs about 1 KB for each, with or without calls. */
#define TRACE_RANKS_MAX (1 << 20)
/* Absolute value of a time: 69 days. */
#define TRACE_TIME_MAX_PS (INT64_C(6000000) * UNITS_PS_PER_S)
/* Of the threads of one rank together, each from its first event (thread 0: from the trace's) to its last: 2562 hours.
 */
#define TRACE_LIVES_MAX_PS UINT64_C(9223372036854775807)
/* Bytes of all calls of a rank (sent, received, counts), times the ranks. */
#define TRACE_BYTES_MAX (INT64_C(1) << 62)
/* The number of a request. */
#define TRACE_REQUEST_MAX INT32_MAX
/* Displacements and addresses in a window. */
#define TRACE_DISP_MAX (INT64_MAX / 4)

#endif
