#!/bin/sh
# Usage: record_openmp.sh RMACAST MPIEXEC MPICC: fork and join of OpenMP's teams, of which one thread computes longer. Expected
# calls are worked out from the program: its regions are numbered in comments.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

cat >teams.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <unistd.h>
static MPI_Comm own[2];
static volatile int told;
static void compute(int times)
{
    for (volatile long i = 0; i < times * 1000000L; i++) { }
}
int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_dup(MPI_COMM_SELF, &own[0]);
    MPI_Comm_dup(MPI_COMM_SELF, &own[1]);
#pragma omp parallel num_threads(2) /* region 1, line 16: thread 1 is made, and is not known to call MPI */
    compute(1 + 9 * omp_get_thread_num());
#pragma omp parallel num_threads(2) /* region 2, line 18: thread 1 is known before thread 0 ends */
    if (omp_get_thread_num() == 1) {
        compute(10);
        MPI_Barrier(own[1]);
        told = 1;
    } else {
        while (!told) usleep(100);
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(2) /* region 3, line 26: no calls */
    for (int i = 0; i < 4; i++) compute(i);
    MPI_Barrier(own[0]);
    for (int i = 0; i < 2; i++) { /* regions 4 and 5, line 31: each thread calls */
        MPI_Barrier(own[0]);
#pragma omp parallel num_threads(2)
        {
            compute(20 * omp_get_thread_num());
            MPI_Barrier(own[omp_get_thread_num()]);
        }
    }
#pragma omp parallel num_threads(1) /* region 6, of one line, 38: a team of one has only itself to wait for */
    compute(1);
    MPI_Finalize();
    return 0;
}
END
check "$mpicc" -O1 -g -fopenmp -o teams teams.c
expect 0 "$rmacast" record -o run.rma -- "$mpiexec" -n 1 ./teams

# calls THREAD: its calls, each with the line of its site if it is of a team
calls() {
    "$rmacast" dump --thread "$1" run.rma | sed -n 's/^0 [^ ]* [^ ]* \([A-Za-z_]*\)\( .*\)*$/\1 \2/p' |
        sed 's/^\(omp_[a-z]*\) .*teams.c:\([0-9]*\).*/\1:\2/; s/ .*//' | grep -v 'MPI_Comm_dup\|MPI_Init\|MPI_Finalize' | tr '\n' ' '
}
# The creator waits for its own end, too, so that its wait begins there: two ends and two joins for each region of two.
region() { echo "omp_fork:$1 ${2:-}omp_end:$1 omp_join:$1 omp_join:$1 "; }
two=$(region 18) three=$(region 26) four=$(region 31 'MPI_Barrier ')
expected="pthread_create $two $three MPI_Barrier MPI_Barrier $four MPI_Barrier $four omp_end:38 omp_join:38 "
check test "$(calls 0 | tr -s ' ')" = "$(echo "$expected" | tr -s ' ')"
member() { echo "omp_begin:$1 ${2:-}omp_end:$1 "; }
expected="thread_begin $(member 18 'MPI_Barrier ') $(member 26) $(member 31 'MPI_Barrier ') $(member 31 'MPI_Barrier ')"
check test "$(calls 1 | tr -s ' ')" = "$(echo "$expected " | tr -s ' ')"

# A call that an error handler jumps out of, as the last one in a region, has ended where the region does.
cat >left.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <setjmp.h>
static jmp_buf back;
static void jump(MPI_Comm *comm, int *error, ...) { longjmp(back, 1); }
int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 2; i++)
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) MPI_Barrier(MPI_COMM_SELF);
#pragma omp barrier
        if (omp_get_thread_num() == 0 && setjmp(back) == 0) MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
check "$mpicc" -O1 -g -fopenmp -o left left.c
expect 0 "$rmacast" record -o left.rma -- "$mpiexec" -n 1 ./left
"$rmacast" dump left.rma --thread 0 >left.txt
check test "$(sed -n 's/^0 [^ ]* [^ ]* \(omp_[a-z]*\).*/\1/p; s/^0 [^ ]* leave.*/left/p' left.txt | tr '\n' ' ')" = \
    'omp_fork left omp_end omp_join omp_join omp_fork left omp_end omp_join omp_join '

# The trace is one that a replay takes, and whose note says what is not recorded.
expect 0 "$rmacast" simulate run.rma --platform ideal --verify
"$rmacast" info run.rma | grep -q "OpenMP's barriers, critical sections or tasks: that is not recorded" || fail "no note"
finish
