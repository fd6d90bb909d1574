#!/bin/sh
# Usage: static_tls.sh RMACAST MPIEXEC MPICC LIBRARY...: a program under the recorder can load libraries with static TLS after
# MPI_Init, as GNU OpenMP's is. The recorders (LIBRARY) are loaded by dlopen, too, and share with them what the C library keeps
# for that: 1664 bytes (glibc.rtld.optional_static_tls). A limit of 256 leaves most of it to the program.
rmacast=$1 mpiexec=$2 mpicc=$3
shift 3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

for library; do
    bytes=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
    [ -n "$bytes" ] || fail "$library: no TLS seen: the check itself is broken"
    [ "$((bytes))" -le 256 ] || fail "$library has $((bytes)) bytes of static TLS"
done

cat >plugin.c <<'END'
#include <mpi.h>
#include <omp.h>
void call(const MPI_Comm *own)
{
#pragma omp parallel num_threads(2)
    MPI_Barrier(own[omp_get_thread_num()]);
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int provided;
    MPI_Comm own[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    if (!plugin) return fprintf(stderr, "%s\n", dlerror()), 3;
    void (*call)(const MPI_Comm *);
    *(void **)&call = dlsym(plugin, "call");
    call(own);
    MPI_Finalize();
    return 0;
}
END
check "$mpicc" -O1 -fopenmp -fPIC -shared -o plugin.so plugin.c
check "$mpicc" -O1 -o host host.c -ldl
expect 0 "$rmacast" record -o run.rma -- "$mpiexec" -n 1 ./host
check test "$(for thread in 0 1; do "$rmacast" dump --thread $thread run.rma; done | grep -c MPI_Barrier)" = 2
finish
