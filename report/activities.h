/* The classes in which a page draws calls. */
#ifndef REPORT_ACTIVITIES_H
#define REPORT_ACTIVITIES_H

#include "trace/calls/calls.h"

/* The classes of a diploma thesis on the analysis of MPI programs (appendix 2: colours of its time line), and classes of our
 * own for one-sided calls. The order is that of report/web/colors.js. */
enum activity {
    ACTIVITY_COMPUTING,
    ACTIVITY_REGION, /* user code inside a named region */
    ACTIVITY_COLLECTIVE,
    ACTIVITY_SEND,
    ACTIVITY_ISEND,
    ACTIVITY_RECEIVE, /* and waits for requests, and calls that send and receive */
    ACTIVITY_TEST,    /* and non-blocking receives */
    ACTIVITY_OPERATION,
    ACTIVITY_ACTIVE,  /* synchronisation of active target: fence, post, start, complete, wait */
    ACTIVITY_PASSIVE, /* of passive target: lock, unlock, flush */
    ACTIVITY_WINDOW,  /* creation and freeing */
    ACTIVITY_OTHER,
    ACTIVITIES
};

/* The class of a call other than a region's enter or leave. */
enum activity activity_of(enum mpi_call call);

#endif
