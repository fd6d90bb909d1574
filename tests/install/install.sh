#!/bin/sh
# An installed tree works where it was put: the command with its library and platforms, the recorder, pkg-config.
# Usage: install.sh BUILD SOURCE
set -eu
build=$1
source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$build" --prefix "$place/usr" >"$place/log"
pc=$(find "$place/usr" -name rmacast.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir rmacast)
trace=$source/tests/cases/active/worked_example.case

# Each link of the documents leads to a file that is installed, too, and so do the examples that they name.
documents=$(dirname "$(find "$place/usr" -name README.md -path '*/doc/rmacast/README.md')")
sh "$source/tests/docs/links.sh" "$documents"
"$place/usr/bin/rmacast" dump "$documents/examples/halo.model" --ranks 12 >"$place/dumped"

# The example by pkg-config and by find_package. Expected: the worked example of docs/simulation.md; as recorded it lasts from
# MPI_Win_start at 0 to the exit of MPI_Win_wait at 0.0006 s, and start returned before the post.
cat >"$place/expected" <<'T'
recorded: 0.0006 s, Late Post 0 s
a: 0.00057 s, Late Post 0.0004 s, Early Transfer 0 s
b: 0.00052 s, Late Post 0 s, Early Transfer 0.00035 s
c: 0.00052 s, Late Post 0.0003 s, Early Transfer 0 s
d: 0.00052 s, Late Post 0 s, Early Transfer 0 s
T
cc -std=c11 -Wall -Wextra -Werror -o "$place/what_if" "$source/examples/what_if.c" $(pkg-config --cflags --libs rmacast) -Wl,-rpath,"$libdir"
"$place/what_if" "$trace" "$source/tests/cases/base.json" >"$place/found"
diff "$place/expected" "$place/found"
mkdir "$place/project"
cat >"$place/project/CMakeLists.txt" <<T
cmake_minimum_required(VERSION 3.20)
project(what_if LANGUAGES C)
find_package(rmacast 0.1 REQUIRED)
add_executable(what_if $source/examples/what_if.c)
target_link_libraries(what_if PRIVATE rmacast::rmacast)
T
cmake -S "$place/project" -B "$place/project/build" -DCMAKE_PREFIX_PATH="$place/usr" >"$place/log"
cmake --build "$place/project/build" >>"$place/log"
"$place/project/build/what_if" "$trace" "$source/tests/cases/base.json" >"$place/found"
diff "$place/expected" "$place/found"
! "$place/what_if" "$place/missing" "$source/tests/cases/base.json" 2>"$place/found" || { echo "a missing trace was read"; exit 1; }
grep -q '^what_if: .*missing' "$place/found"

# A program that is elsewhere: librmacast finds the module of its second engine beside itself. Both engines agree on the worked
# example; under a it lasts 0.00057 s.
cat >"$place/engine.c" <<'T'
#include <rmacast/rmacast.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct rmacast_error error = {.text = ""};
    struct rmacast_trace *trace;
    struct rmacast_platform *platform;
    struct rmacast_result *result;
    const struct rmacast_simulate_options options = {.size = sizeof options, .engine = argv[argc - 1]};
    if (rmacast_trace_open(argv[1], &trace, &error) == RMACAST_OK &&
        rmacast_platform_open(argv[2], NULL, 0, &platform, &error) == RMACAST_OK &&
        rmacast_simulate(trace, platform, &options, NULL, &result, &error) == RMACAST_OK)
        printf("%g\n", rmacast_result_run_time_s(result));
    fputs(error.text, stderr);
    return (int)error.status;
}
T
cc -std=c11 -Wall -Wextra -Werror -o "$place/engine" "$place/engine.c" $(pkg-config --cflags --libs rmacast) -Wl,-rpath,"$libdir"
[ "$("$place/engine" "$trace" "$source/tests/cases/base.json" simgrid)" = 0.00057 ]
# It finds the installed platforms by name, too, and their list where there is none.
[ "$("$place/engine" "$trace" two-nodes loggp)" = "$("$place/engine" "$trace" "$place/usr/share/rmacast/platforms/two-nodes.json" loggp)" ]
! "$place/engine" "$trace" three-nodes loggp 2>"$place/found" || { echo "a missing platform was read"; exit 1; }
grep -q '^three-nodes: no such file or installed platform, .*four-nodes' "$place/found"

cd "$place"
two=$place/usr/share/rmacast/platforms/two-nodes.json
"$place/usr/bin/rmacast" simulate "$trace" --platform "$two" >simulated
grep -q '^Run time' simulated

mpicc.mpich -o halo2d "$source/tests/programs/halo2d.c"
# The example records, too. Under b and d nobody waits in MPI_Win_start: no Late Post.
timeout -s TERM -k 3 50 "$place/what_if" what_if.rma "$two" mpiexec.mpich -n 2 ./halo2d 2 1 >found
grep -q '^halo2d: 2 ranks, 2 iterations' found
sed '/^halo2d/d; s/: .*//' found | tr '\n' ' ' >lines
[ "$(cat lines)" = "recorded a b c d " ]
grep -q '^b: .*Late Post 0 s' found && grep -q '^d: .*Late Post 0 s' found
"$place/usr/bin/rmacast" info what_if.rma | grep -q '^complete *yes'
# A program that fails is recorded; a command that is none, and one that does not call MPI, are errors.
cat >record.c <<'T'
#include <rmacast/rmacast.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct rmacast_error error = {.text = ""};
    const struct rmacast_record_options options = {.size = sizeof options, .limit_bytes = 1 << 30};
    int exit_status = -1;
    enum rmacast_status status = rmacast_record(&argv[2], argv[1], &options, &exit_status, &error);
    printf("%d %d %s\n", (int)status, exit_status, error.text);
    return argc < 2;
}
T
cc -std=c11 -Wall -Wextra -Werror -o record record.c $(pkg-config --cflags --libs rmacast) -Wl,-rpath,"$libdir"
timeout -s TERM -k 3 50 ./record fails.rma sh -c 'mpiexec.mpich -n 1 ./halo2d 1 1; exit 3' | grep -qx '0 3 '
"$place/usr/bin/rmacast" info fails.rma | grep -q '^complete *yes'
./record none.rma ./missing | grep -q '^2 -1 ./missing: .*expected a command that can be run'
./record none.rma true | grep -q '^1 -1 none.rma: nothing was recorded'
[ ! -e none.rma ]
timeout -s TERM -k 3 50 "$place/usr/bin/rmacast" record -o run.rma --json written.json -- mpiexec.mpich -n 2 ./halo2d 2 1 >out
[ "$(jq -c '[.programs, .ranks, .incomplete_ranks, .exit_status]' written.json)" = '[1,2,0,0]' ]
[ "$(jq .bytes written.json)" -eq "$(find run.rma -type f -exec cat {} + | wc -c)" ]
grep -q '^halo2d: 2 ranks, 2 iterations' out
"$place/usr/bin/rmacast" info run.rma | grep -q '^complete *yes'
# UCX else says on standard output where /sys is missing, as in a bare chroot
UCX_LOG_LEVEL=fatal timeout -s TERM -k 3 50 mpiexec.mpich -n 2 "$place/usr/bin/rmacast-analyze-mpi" run.rma \
    --json together.json >together
"$place/usr/bin/rmacast" analyze run.rma --slices --json alone.json >alone
cmp together alone
cmp together.json alone.json
# Only the engine that uses SimGrid needs its module.
! ldd "$place/usr/bin/rmacast" | grep -q simgrid || { echo "the command is linked with SimGrid"; exit 1; }
rm "$libdir/librmacast-simgrid.so"
"$place/usr/bin/rmacast" simulate "$trace" --platform "$two" --engine loggp >simulated
for command in simulate compare; do
    ! "$place/usr/bin/rmacast" "$command" "$trace" --platform "$two" --engine simgrid 2>err || { echo "$command without its engine"; exit 1; }
    [ "$(wc -l <err)" -eq 1 ] && grep -q '^rmacast: engine simgrid: .*librmacast-simgrid.so.*expected the module beside' err || { cat err; exit 1; }
done
