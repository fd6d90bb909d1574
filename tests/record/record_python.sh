#!/bin/sh
# Usage: record_python.sh RMACAST MPIEXEC MPICC [OPENMPI-LAUNCHER...]: where the calls of Python programs are, by ctypes, by cffi
# and by mpi4py, by each Python from 3.8 to 3.13 that is there. Expected are the lines of the programs below that say in a comment
# which call they make, and how often. The programs call MPI through the names that the process has: a function that is looked up
# in one library is called past what is preloaded.
rmacast=$1 mpiexec=$2 mpicc=$3
shift 3
launcher=$(echo $*)
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# Two layers, one calling the other, and a library of the user's.
cat >lower.c <<'END'
#include <mpi.h>
void lower_wait(void) { MPI_Barrier(MPI_COMM_WORLD); }
END
cat >upper.c <<'END'
void lower_wait(void);
void upper_wait(void) { lower_wait(); }
END
cat >user.c <<'END'
#include <mpi.h>
void user_wait(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* line 4 */
}
END
cat >world.c <<'END'
#include <mpi.h>
MPI_Comm world(void) { return MPI_COMM_WORLD; }
END
check "$mpicc" -g -fPIC -shared -Wl,-soname,libslepc.so.1 -o libslepc.so.1 lower.c
check "$mpicc" -g -fPIC -shared -Wl,-soname,libpetsc.so.1 -o libpetsc.so.1 upper.c -L. -l:libslepc.so.1 -Wl,-rpath,"$work"
check "$mpicc" -g -fPIC -shared -o libuser.so user.c
check "$mpicc" -g -fPIC -shared -o libworld.so world.c

cat >by_ctypes.py <<'END'
import ctypes, threading
user = ctypes.CDLL("libuser.so", mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
upper = ctypes.CDLL("libpetsc.so.1")
world = ctypes.c_int(ctypes.CDLL("libworld.so").world())
got = ctypes.c_int()
mpi.MPI_Init_thread(None, None, 3, ctypes.byref(got))  # MPI_Init_thread
def wait():
    n = 1
    for i in range(500):
        mpi.MPI_Barrier(world)  # MPI_Barrier 500
def lazily():
    while True:
        yield mpi.MPI_Barrier(world)  # MPI_Barrier 7
class Solver:
    def step(self, *more):
        return [mpi.MPI_Barrier(world) for i in range(3)]  # MPI_Barrier 3
wait()
steps = lazily()
for i in range(7):
    next(steps)
Solver().step()
(lambda:
    mpi.MPI_Barrier(world))()  # MPI_Barrier 1
upper.upper_wait()  # MPI_Barrier 1
user.user_wait()
def in_thread():
    for i in range(40):
        mpi.MPI_Barrier(world)  # MPI_Barrier 40
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
for name in ["caf\u00e9 \u4e2d.py", "b.py"]:
    exec(compile("\n\nmpi.MPI_Barrier(world)", name, "exec"))
for i in range(60):  # a function that takes the place of the one before
    scope = {}
    exec(compile("\n" * (i % 3) + "def f(mpi, world):\n    mpi.MPI_Barrier(world)", "again.py", "exec"), scope)
    scope.pop("f")(mpi, world)
for i in range(60):  # that differs in its file's name and in lines after the first: each of the 6 ways 10 times
    scope = {}
    exec(compile("def g(mpi, world):\n" + "\n" * (i % 3) + "    mpi.MPI_Barrier(world)", "made_%d.py" % (i % 2), "exec"), scope)
    scope.pop("g")(mpi, world)
mpi.MPI_Finalize()  # MPI_Finalize
END
cat >by_cffi.py <<'END'
import cffi
ffi = cffi.FFI()
ffi.cdef("int MPI_Init(void *, void *); int MPI_Barrier(int); int MPI_Finalize(void); int world(void);")
world = ffi.dlopen("libworld.so").world()
user = ffi.dlopen("libuser.so", ffi.RTLD_NOW | ffi.RTLD_GLOBAL)
mpi = ffi.dlopen(None)
mpi.MPI_Init(ffi.NULL, ffi.NULL)  # MPI_Init
for i in range(9):
    mpi.MPI_Barrier(world)  # MPI_Barrier 9
mpi.MPI_Finalize()  # MPI_Finalize
END
cat >by_mpi4py.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
win = MPI.Win.Allocate(8, comm=world)  # MPI_Win_allocate
def spread(data):
    for i in range(30):
        win.Fence()  # MPI_Win_fence 30
        win.Put(data, 1 - world.rank)  # MPI_Put 30
spread(bytearray(8))
win.Fence()  # MPI_Win_fence 1
win.Free()  # MPI_Win_free
END

# lines PROGRAM: the calls of rank 0 by line, from the program's comments; found: from the recording
lines() {
    awk '/# MPI_/ { for (i = 1; $i != "#"; i++); print $(i + 1), $(i + 2) ? $(i + 2) : 1, FILENAME ":" NR }' "$1"
}
found() {
    "$rmacast" dump run.rma | sed -n 's/^0 .*\(MPI_[A-Z][A-Za-z_]*\).* site=[^ ]*@\([^ ]*\)\( .*\)*$/\1 \2/p' | grep -v '_set_errhandler\|importlib\|pylifecycle' |
        sort | uniq -c | awk '{ n = split($3, path, "/"); print $2, $1, path[n] }'
}
# sites PROGRAM LINE...: those of the program's comments and these are found, and no others
sites() {
    program=$1
    shift
    { lines "$program" && printf '%s\n' "$@"; } | sed '/^$/d' | sort >expected
    found | sort >sites
    cmp -s sites expected || fail "$python $program: $(diff sites expected)"
}
# record LAUNCHER MODULE: by_MODULE.py is recorded, if this Python has the module
record() {
    "$python" -c "import $2" 2>/dev/null || return 1
    rm -rf run.rma
    expect 0 "$rmacast" record -o run.rma -- $1 -n 2 "$python" "by_$2.py"
    check test "$(grep -c 'lines of Python' err)" = 0
}

export LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
tried='' mpi4py=0
for python in python3 /usr/bin/python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13; do
    version=$("$python" -c 'import sys
if (3, 8) <= sys.version_info < (3, 14): print(sys.version_info[1], sys.base_prefix)' 2>/dev/null) && [ -n "$version" ] || continue
    case $tried in *"|$version|"*) continue ;; esac
    tried="$tried|$version|"
    record "$mpiexec" ctypes && sites by_ctypes.py 'MPI_Barrier 1 user.c:4' 'MPI_Barrier 1 café%20中.py:3' 'MPI_Barrier 1 b.py:3' \
        'MPI_Barrier 20 again.py:2' 'MPI_Barrier 20 again.py:3' 'MPI_Barrier 20 again.py:4' \
        'MPI_Barrier 10 made_0.py:2' 'MPI_Barrier 10 made_0.py:3' 'MPI_Barrier 10 made_0.py:4' \
        'MPI_Barrier 10 made_1.py:2' 'MPI_Barrier 10 made_1.py:3' 'MPI_Barrier 10 made_1.py:4'
    record "$mpiexec" cffi && sites by_cffi.py
    by=$("$python" -c 'from mpi4py import rc; rc.initialize = False; from mpi4py import MPI; print(MPI.get_vendor()[0])' 2>/dev/null)
    case $by in MPICH) by=$mpiexec ;; 'Open MPI') by=$launcher ;; *) continue ;; esac
    [ -n "$by" ] && record "$by" mpi4py && sites by_mpi4py.py && mpi4py=1
done
check test -n "$tried"
[ $mpi4py = 1 ] || echo "mpi4py is not installed: not tried"
finish
