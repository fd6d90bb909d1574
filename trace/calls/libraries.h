/* Whether two texts, which name an MPI library or what carried its messages, differ: those of a recording, of a profile, and of a
 * calibration, which takes what MPI_Get_library_version says. NULL: not known, which differs from nothing. */
#ifndef TRACE_CALLS_LIBRARIES_H
#define TRACE_CALLS_LIBRARIES_H

#include <stdbool.h>

/* By name and version: "MPICH 4.0.2 (ch4:ucx), 2 hosts" is "MPICH 4.0.2, ch4:ucx" and "MPICH Version: 4.0.2". A text without a
 * version is of any library. */
bool library_is_other(const char *one, const char *two);

/* Whether both name the same library with the same first two numbers of the version: profiles are of such a series. */
bool library_is_of_series(const char *one, const char *two);

/* By the first kind that is named: "TCP between hosts, shared memory within" is "TCP". A text that names no kind is of any. */
bool transport_is_other(const char *one, const char *two);

#endif
