# sweep.sh RMACAST RMACAST_SWEEP DIRECTORY: a sweep in several MPI processes gives the bytes of one in a single process,
# whoever is killed.
. "$(dirname "$0")/lib.sh"
sweep_mpi=$analyze_mpi
cd "$work"
rm -f ./*.json pid.*
for ranks in 4 8 16; do "$rmacast" generate halo2d --ranks $ranks --iterations 10 --imbalance 0.2 -o run$ranks.txt; done
cat >config.json <<'END'
{"traces": ["run4.txt", "run8.txt", "run16.txt"], "ranks": [16, 36], "platforms": ["ideal", "infiniband-64"],
 "transforms": ["none", "post-early"], "engine": "loggp"}
END
"$rmacast" sweep config.json -o local.json >local.out

mpi() { # STATUS MPIEXEC-ARGUMENT...
    wanted=$1 status=0
    shift
    timeout 60 mpiexec.mpich "$@" >out 2>err || status=$?
    [ $status -eq "$wanted" ] || fail "mpiexec $*: exit status $status, expected $wanted: $(cat err)"
}

for processes in 1 3; do
    rm -f many.json
    mpi 0 -n $processes "$sweep_mpi" config.json -o many.json
    cmp local.json many.json || fail "$processes processes give another result"
    cmp local.out out || fail "$processes processes print another table"
done
head -c 3000 local.json >many.json
mpi 0 -n 2 "$sweep_mpi" config.json -o many.json
grep -q 'many.json breaks off' err || fail "$(cat err)"
cmp local.json many.json || fail "a sweep that goes on gives another result"

# The engine that cannot be in one program with MPI.
sed 's/loggp/simgrid/; s/36/4/; s/16, 4/4/' config.json >simgrid.json
"$rmacast" sweep simgrid.json -o local_simgrid.json >out
mpi 0 -n 2 "$sweep_mpi" simgrid.json -o many_simgrid.json
cmp local_simgrid.json many_simgrid.json || fail "simgrid gives another result"

# Faults are told once.
mpi 2 -n 2 "$sweep_mpi"
[ "$(grep -c '^rmacast: ' err)" -eq 1 ] || fail "$(cat err)"
sed 's/run8/none/' config.json >none.json
mpi 1 -n 3 "$sweep_mpi" none.json
[ "$(grep -c '^rmacast: none.json:traces\[1\]: ' err)" -eq 1 ] || fail "$(cat err)"
sed 's/run8/run16/' config.json >same.json
mpi 1 -n 3 "$sweep_mpi" same.json
[ "$(grep -c '^rmacast: .*has 16 ranks like' err)" -eq 1 ] || fail "$(cat err)"

# Longer points; each process says its number.
sed 's/\[16, 36\]/[400]/; s/"none", "post-early"/"none"/' config.json | sed 's/"infiniband-64"/{"file": "ideal", "name": "again"}/' >long.json
"$rmacast" sweep long.json -o long_local.json >out
cat >start.sh <<END
echo \$\$ >"$work/pid.\$PMI_RANK"
exec "$sweep_mpi" long.json -o long.json.result
END
begin() {
    rm -f pid.* long.json.result
    timeout -k 3 60 mpiexec.mpich -n 2 sh start.sh >out 2>err &
    job=$!
}
# Kills the point server of a process, once it runs a point.
kill_server() {
    tries=0
    while [ $tries -lt 2000 ]; do
        tries=$((tries + 1))
        server=$(cat /proc/"$(cat pid.$1 2>/dev/null)"/task/*/children 2>/dev/null) || server=
        for process in $server; do
            [ -n "$(cat /proc/$process/task/*/children 2>/dev/null)" ] && kill -KILL "$process" 2>/dev/null && return
        done
        sleep 0.005
    done
    fail "no point server of process $1 was seen"
}
for victim in 0 1; do
    begin
    kill_server $victim
    status=0
    wait $job || status=$?
    [ $status -eq 0 ] || fail "a point server of process $victim is killed: exit status $status: $(cat err)"
    cmp long_local.json long.json.result || fail "a killed point server changes the result"
done

# A killed process of MPI ends all; what was done is in the file, and the next sweep goes on.
begin
kill_server 0 # all are at work
kill -KILL "$(cat pid.1)"
status=0
wait $job || status=$?
[ $status -ne 0 ] || fail "process 1 is killed: exit status 0"
mpi 0 -n 2 "$sweep_mpi" long.json -o long.json.result
cmp long_local.json long.json.result || fail "a sweep that was killed gives another result"
finish
