/* Runs the measuring programs with a launcher, for `rmacast calibrate`. */
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
    int rounds;            /* this is one of so many */
    bool quiet;            /* the bench does not say which tests it leaves out */
    double limit_s;
};

/* Runs rmacast-bench with the launcher. Its rows are in the directory, also if it was ended after limit_s, which is
 * reported on standard error. Returns STATUS_DATA if it failed without any result, or ran with one rank. */
enum status calibrate_run_bench(const struct calibrate_run *run, struct err *err);

/* Runs rmacast-probe with the launcher, for CALIBRATE_PROBE_S at most. Returns the section `mpi` of its findings, which
 * the caller owns, or NULL if there are none; standard error says why. */
#define CALIBRATE_PROBE_S 60.0
enum status calibrate_run_probe(const struct calibrate_run *run, cJSON **mpi, struct err *err);

#endif
