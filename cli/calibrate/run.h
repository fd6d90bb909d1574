/* Running the measuring programs behind a launcher, for `rmacast calibrate`. */
#ifndef CLI_CALIBRATE_RUN_H
#define CLI_CALIBRATE_RUN_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "common/status.h"

enum { CALIBRATE_PATH_BYTES = 4096 };

enum calibrate_mpi { CALIBRATE_AUTO, CALIBRATE_MPICH, CALIBRATE_OPENMPI };

/* The launcher's library, by the name of its file after all links: orterun, prterun and names with "openmpi" belong to
 * Open MPI, all others to MPICH and its derivatives. */
enum calibrate_mpi calibrate_mpi_of(const char *launcher);

struct calibrate_run {
    char *const *command; /* the launcher with its options, NULL-terminated */
    enum calibrate_mpi mpi;
    const char *config;    /* NULL: the default */
    const char *directory; /* of results */
    double limit_s;
};

/* rmacast-bench behind the launcher. What it has written until it ended, or was ended after limit_s, is in the
 * directory. Writes to standard error when it was ended early. STATUS_DATA: it failed before it had any result. */
enum status calibrate_run_bench(const struct calibrate_run *run, struct err *err);

/* rmacast-probe behind the launcher, for CALIBRATE_PROBE_S at most: the section `mpi` of what it finds out (the caller's), NULL
 * where it finds nothing; standard error says why. */
#define CALIBRATE_PROBE_S 60.0
enum status calibrate_run_probe(const struct calibrate_run *run, cJSON **mpi, struct err *err);

#endif
