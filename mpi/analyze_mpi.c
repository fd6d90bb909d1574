/* mpiexec -n K rmacast-analyze-mpi TRACE: rmacast analyze, for which all processes but one read the archive. A program of its
 * own: libmpich and libsimgrid define the same symbols. */
#include <stdlib.h>

#include <mpi.h>

#include "cli/analysis.h"
#include "common/files/file_claims.h"
#include "mpi/reading.h"
#include "mpi/start.h"

enum { EXIT_DATA = 1, EXIT_USAGE = 2 };

int main(int argc, char **argv)
{
    static char name[] = "rmacast-analyze-mpi";
    struct err err;
    int own;
    mpi_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (own > 0) {
        reading_serve();
        return 0;
    }
    atexit(reading_end); /* --help ends the process */
    argv[0] = name;
    enum status status = file_claims_begin(&err);
    if (status == STATUS_OK) status = analyze_command(argc, argv, reading_open, &err);
    status = file_claims_end(status, &err);
    if (status == STATUS_OK) status = cli_flush(&err);
    if (status == STATUS_OK) return cli_exit_status();
    mpi_print_error(&err);
    return status == STATUS_USAGE ? EXIT_USAGE : EXIT_DATA;
}
