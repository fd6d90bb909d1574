#!/bin/sh
# Usage: record_misses.sh RMACAST MPIEXEC MPICC: the share of computing that is bound by memory, with a stub in the place of the
# kernel's counter: it says 0, or very many misses until MPI_Finalize, a million more behind the recorder's loop. Without a
# counter, and where it never ran, the share is not known.
rmacast=$1 mpiexec=$2 mpicc=$3
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

cat >stub.c <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
    va_end(list);
    if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number != SYS_perf_event_open) return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    const char *misses = getenv("MISSES"), *running = getenv("RUNNING");
    int ends[2];
    if (!misses || pipe(ends) != 0) return errno = ENOENT, -1;
    const uint64_t first = strtoull(misses, NULL, 10), ran = running ? strtoull(running, NULL, 10) : 100;
    const uint64_t readings[3][3] = {{first, 100, ran}, {first, 100, ran}, {first + 1000000, 100, ran}};
    if (write(ends[1], readings, sizeof readings) != sizeof readings) return errno = EIO, -1;
    return ends[0];
}
END
cat >work.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (volatile long i = 0; i < 3000000; i++) { }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
check cc -shared -fPIC -O1 -o stub.so stub.c -ldl
check "$mpicc" -O1 -o work work.c

# share EXPECTED: the lines of a recording's dump, in text and read back from the archive
share() {
    expected=$1
    shift
    env "$@" LD_PRELOAD="$work/stub.so" "$rmacast" record -o run.rma -- "$mpiexec" -n 2 ./work >log 2>&1 || fail "$(cat log)"
    check test "$("$rmacast" dump run.rma | grep '^memory_bound' | tr '\n' ' ')" = "$expected"
}
share 'memory_bound 0 0 memory_bound 1 0 ' MISSES=0
share 'memory_bound 0 1 memory_bound 1 1 ' MISSES=1000000000000000
share '' MISSES=5 RUNNING=0
share '' NONE=1
