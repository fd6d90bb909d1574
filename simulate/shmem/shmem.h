/* The driver of OpenSHMEM: the symmetric memory is a window that every PE has locked for all, without asking anybody, from the
 * beginning to the end. */
#ifndef SIMULATE_SHMEM_SHMEM_H
#define SIMULATE_SHMEM_SHMEM_H

#include "simulate/replay/driver.h"

extern const struct call_driver shmem_driver;

#endif
