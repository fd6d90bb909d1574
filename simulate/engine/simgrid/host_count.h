/* How many hosts the clusters of a SimGrid platform have, before SimGrid builds them. */
#ifndef SIMULATE_ENGINE_SIMGRID_HOST_COUNT_H
#define SIMULATE_ENGINE_SIMGRID_HOST_COUNT_H

#include "common/status.h"

/* Each host costs SimGrid 3 KB and 25 us. */
enum { HOSTS_OF_CLUSTERS = 1 << 18 };

/* STATUS_DATA: the clusters and cabinets of the file together have more hosts than HOSTS_OF_CLUSTERS. SimGrid itself
 * reports what it cannot read. */
enum status host_count_check(const char *file, struct err *err);

#endif
