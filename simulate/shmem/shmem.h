/* The driver of OpenSHMEM. The symmetric memory is a window that every PE has locked for all, without a request, from
 * the beginning to the end. */
#ifndef SIMULATE_SHMEM_SHMEM_H
#define SIMULATE_SHMEM_SHMEM_H

#include "simulate/replay/driver.h"

extern const struct call_driver shmem_driver;

#endif
