/* Marks between two readings of the machine's own clock, which no preload shifts; they go to the file $MARKS.RANK.
 * Around them the ranks compute, pass messages round a ring and meet. */
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

enum { MARKS = 8 };

static long long machine_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank, ranks, token = 0;
    long long before_ns[MARKS], behind_ns[MARKS];
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < MARKS; i++) {
        compute_ms(20 + 5 * rank);
        before_ns[i] = machine_ns();
        MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, i, MPI_COMM_WORLD);
        behind_ns[i] = machine_ns();
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 9, (rank + ranks - 1) % ranks, 9, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        if (i % 4 == 3) MPI_Barrier(MPI_COMM_WORLD);
    }
    snprintf(name, sizeof name, "%s.%d", getenv("MARKS"), rank);
    FILE *out = fopen(name, "w");
    for (int i = 0; out && i < MARKS; i++) fprintf(out, "%lld %lld\n", before_ns[i], behind_ns[i]);
    if (!out || fclose(out) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
