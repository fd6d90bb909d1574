#!/bin/sh
# Usage: record_loading.sh RMACAST MPIEXEC MPICC LOADED.so [OPENMPI-PROGRAM LAUNCHER...]: programs that load MPI in other ways
# than by linking with it are recorded, or one line says why not, and all run as without the recorder. LOADED.so:
# programs/loaded.c.
rmacast=$1 mpiexec=$2 mpicc=$3 loaded=$4
shift 4
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# calls: of rank 1, by name
calls() { "$rmacast" dump run.rma | sed -n 's/^1 [0-9.]* [0-9.]* \(MPI_[A-Za-z_]*\).*/\1/p' | tr '\n' ' '; }
# recorded CALLS COMMAND...: runs with exit status 0, and these are the calls of rank 1
recorded() {
    wanted_calls=$1
    shift
    rm -rf run.rma
    expect 0 "$rmacast" record -o run.rma -- "$@"
    check test "$(calls)" = "$wanted_calls"
}
# unrecorded STATUS TEXT COMMAND...: nothing is recorded, one line has TEXT
unrecorded() {
    why=$2 ends=$1
    shift 2
    rm -rf run.rma
    expect "$ends" "$rmacast" record -o run.rma -- "$@"
    check test "$(grep -c "nothing was recorded: $why" err)" = 1
    check test ! -e run.rma
}

# By name in the library itself, which is loaded for nobody else; a name that it has not; a second library that has one of them.
cat >handle.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *mpi = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *own = dlopen("./own.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***) = mpi ? dlsym(mpi, "MPI_Init") : NULL, (*barrier)(int) = dlsym(mpi, "MPI_Barrier");
    int (*end)(void) = dlsym(mpi, "PMPI_Finalize"), (*other)(int) = dlsym(own, "MPI_Barrier");
    if (!init || dlsym(mpi, "MPI_Nothing") || !dlerror() || dlerror() || init(&argc, &argv) || barrier(0x44000000)) return 3;
    return other(2) != 3 || end();
}
C
echo 'int MPI_Barrier(int n) { return n + 1; }' >own.c
check cc -o handle handle.c
check cc -shared -fPIC -o own.so own.c
recorded 'MPI_Init MPI_Barrier MPI_Finalize ' "$mpiexec" -n 2 ./handle libmpich.so.12

# By what is bound to the library alone, when it is loaded and when it is first called.
cat >deep.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], (argc > 2 ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL | RTLD_DEEPBIND);
    int (*run)(int *, char ***) = library ? dlsym(library, "run_loaded") : 0;
    return run ? run(&argc, &argv) : 9;
}
C
check cc -o deep deep.c
for when in '' now; do recorded 'MPI_Init MPI_Allreduce MPI_Barrier MPI_Finalize ' "$mpiexec" -n 4 ./deep "$loaded" $when; done

# Python and Julia, which look up each name in the library.
cat >names.py <<'PY'
import ctypes
mpi = ctypes.CDLL("libmpich.so.12")
for call in mpi.MPI_Init, mpi.MPI_Finalize: call(None, None) if call is mpi.MPI_Init else call()
PY
recorded 'MPI_Init MPI_Finalize ' "$mpiexec" -n 2 python3 names.py
cat >names_cffi.py <<'PY'
import cffi
ffi = cffi.FFI()
ffi.cdef("int MPI_Init(void *, void *); int MPI_Finalize(void);")
mpi = ffi.dlopen("libmpich.so.12")
mpi.MPI_Init(ffi.NULL, ffi.NULL)
mpi.MPI_Finalize()
PY
if python3 -c 'import cffi' 2>/dev/null; then
    recorded 'MPI_Init MPI_Finalize ' "$mpiexec" -n 2 python3 names_cffi.py
else
    echo 'cffi is not installed: not tried'
fi
cat >names.jl <<'JL'
ccall((:MPI_Init, "libmpich.so.12"), Cint, (Ptr{Cvoid}, Ptr{Cvoid}), C_NULL, C_NULL)
ccall((:MPI_Finalize, "libmpich.so.12"), Cint, ())
JL
if command -v julia >/dev/null; then
    recorded 'MPI_Init MPI_Finalize ' "$mpiexec" -n 2 julia names.jl
else
    echo 'julia is not installed: not tried'
fi

# Rust, by the C functions. Its functions have the names of the source.
cat >program.rs <<'RS'
use std::os::raw::{c_char, c_int, c_long, c_void};
type Handle = c_int; // MPICH's ABI
const COMM_WORLD: Handle = 0x4400_0000;
const LONG: Handle = 0x4c00_0807;
const INFO_NULL: Handle = 0x1c00_0000;
const LOCK_EXCLUSIVE: c_int = 234;
extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Win_allocate(bytes: isize, unit: c_int, info: Handle, comm: Handle, base: *mut *mut c_long, window: *mut Handle) -> c_int;
    fn MPI_Win_lock(kind: c_int, rank: c_int, assertion: c_int, window: Handle) -> c_int;
    fn MPI_Put(from: *const c_void, n: c_int, kind: Handle, rank: c_int, at: isize, m: c_int, there: Handle, window: Handle) -> c_int;
    fn MPI_Win_unlock(rank: c_int, window: Handle) -> c_int;
    fn MPI_Win_free(window: *mut Handle) -> c_int;
    fn MPI_Finalize() -> c_int;
}
mod work {
    use super::*;
    #[inline(never)]
    pub unsafe fn put(window: Handle) {
        let value: c_long = 7;
        MPI_Win_lock(LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&value as *const c_long as *const c_void, 1, LONG, 0, 3, 1, LONG, window);
        MPI_Win_unlock(0, window);
    }
}
fn main() {
    let mut window: Handle = 0;
    let mut memory: *mut c_long = std::ptr::null_mut();
    unsafe {
        MPI_Init(std::ptr::null_mut(), std::ptr::null_mut());
        MPI_Win_allocate(64, 8, INFO_NULL, COMM_WORLD, &mut memory, &mut window);
        work::put(window);
        MPI_Win_free(&mut window);
        MPI_Finalize();
    }
}
RS
library=$(find -L /usr/lib /usr/lib64 -name libmpich.so 2>/dev/null | head -n 1)
if rustc --version >/dev/null 2>&1 && [ -n "$library" ]; then
    check timeout 100 rustc -g -o rust program.rs -C link-arg="$library"
    recorded 'MPI_Init MPI_Win_allocate MPI_Win_lock MPI_Put MPI_Win_unlock MPI_Win_free MPI_Finalize ' "$mpiexec" -n 2 ./rust
    "$rmacast" dump run.rma >rust.txt
    check grep -q '^1 .* MPI_Put win=0 target=0 bytes=8 disp=3 site=program::work::put@.*program.rs:22' rust.txt
else
    echo 'no rustc, or no libmpich.so, here: not tried'
fi

# AddressSanitizer as a shared library wants to be first. It still finds what it is for.
cat >program.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    volatile char *room = malloc(10);
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) room[10] = 1;
    MPI_Finalize();
    free((void *)room);
    return 0;
}
C
check "$mpicc" -g -o program program.c
# Inside the program, as clang has it, it comes before all constructors, those of the C library included.
for how in '' -static-libasan; do
    if "$mpicc" -g -fsanitize=address $how -o checked program.c 2>/dev/null && ASAN_OPTIONS=detect_leaks=0 "$mpiexec" -n 1 ./checked; then
        export ASAN_OPTIONS=detect_leaks=0 # MPICH's own
        recorded 'MPI_Init MPI_Barrier MPI_Finalize ' "$mpiexec" -n 2 ./checked
        expect 1 "$rmacast" record -o run.rma -- "$mpiexec" -n 2 ./checked wrong
        check grep -q 'heap-buffer-overflow' err
        unset ASAN_OPTIONS
    else
        echo "no AddressSanitizer $how here: not tried"
    fi
done

# Where the recorder is not loaded.
unrecorded 1 'LD_PRELOAD did not reach ./program: env -i, a container or a launcher' "$mpiexec" -n 2 env -u LD_PRELOAD ./program
unrecorded 1 'LD_PRELOAD did not reach ./program: env -i, a container or a launcher' env -i "$mpiexec" -n 2 ./program
for part in './program : -n 1 env -u LD_PRELOAD ./program' 'env -u LD_PRELOAD ./program : -n 2 ./program'; do
    missing=$(case $part in env*) echo 0 of 3 ;; *) echo 1 of 2 ;; esac)
    RMACAST_PATIENCE_S=2 unrecorded 1 "LD_PRELOAD did not reach rank $missing, expected it in all ranks" "$mpiexec" -n 1 $part
done
# What the command preloads itself takes the recorder's place; in front of rmacast both are there. A library is no program.
echo 'int loading_test_library;' >other.c && cc -shared -fPIC -o other.so other.c
unrecorded 1 "the command sets LD_PRELOAD, in place of the recorder's" "$mpiexec" -genv LD_PRELOAD "$PWD/other.so" -n 2 ./program
unrecorded 1 "the command sets LD_PRELOAD, in place of the recorder's" "$mpiexec" -n 2 env "LD_PRELOAD=$PWD/other.so" ./program
rm -rf both.rma
LD_PRELOAD=$PWD/other.so "$rmacast" record -o both.rma -- "$mpiexec" -n 2 ./program >both.out 2>&1 || fail "$(cat both.out)"
cp program privileged
if [ "$(id -u)" = 0 ] && chgrp 65534 privileged && chmod g+s privileged && test -g privileged; then
    unrecorded 1 './privileged is set-uid or set-gid: the loader takes no LD_PRELOAD for it' "$mpiexec" -n 2 ./privileged
else
    echo 'no set-uid program can be made here: not tried'
fi
archive=$(find /usr/lib /usr/lib64 -name libmpich.a 2>/dev/null | head -n 1)
if [ -n "$archive" ] && "$mpicc" -c program.c && cc -o static program.o "$archive" $(pkg-config --libs --static mpich 2>/dev/null |
    sed 's/-lmpich\b//') 2>/dev/null; then
    unrecorded 1 './static has its MPI library in itself, which LD_PRELOAD does not reach' "$mpiexec" -n 2 ./static
else
    echo 'libmpich.a cannot be linked here: not tried'
fi
# It was reached, and has MPI, but never called it.
cat >idle.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) { return argc > 5 ? MPI_Init(&argc, &argv) : 0; }
C
check "$mpicc" -o idle idle.c
rm -rf run.rma
expect 1 "$rmacast" record -o run.rma -- ./idle
check grep -q 'nothing was recorded, expected a program that calls MPI_Init' err

# A build without the recorder for Open MPI.
if [ $# -gt 1 ]; then
    program=$1
    shift
    libraries=$(dirname "$rmacast")/../lib
    cp "$libraries/librmacast-record.so" "$libraries/librmacast-record-mpich.so" . || fail "no libraries in $libraries"
    export RMACAST_RECORDER="$work/librmacast-record.so"
    unrecorded 1 'the program has .*libmpi.so.*, and this rmacast was built without Open MPI: install libopenmpi-dev and build again' \
        "$@" -n 2 "$program"
fi
finish
