#!/bin/sh
# Usage: record_slurm.sh RMACAST PROGRAM [OPENMPI-PROGRAM]: programs of MPICH and of Open MPI that srun starts are recorded, by a
# Slurm that this test starts and ends: munged, slurmctld and slurmd as its own children on the loopback interface, with all their
# files in a directory.
set -u
rmacast=$1 program=$2 openmpi=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../expect.sh"
left_out() { echo "$1: not tried" && exit 77; }

# daemon NAME: its file, as Debian names it
daemon() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" || PATH=$PATH:/usr/sbin:/sbin command -v "$1-wlm"; }
[ "$(id -u)" = 0 ] || left_out 'Slurm needs root here'
slurmctld=$(daemon slurmctld) && slurmd=$(daemon slurmd) && stepd=$(daemon slurmstepd) && munged=$(daemon munged) &&
    command -v srun >/dev/null || left_out 'Slurm (slurmctld, slurmd, slurm-client, munge) is not installed'
plugins=$(find "$(dirname "$slurmctld")/../lib" -type d -name 'slurm*' -exec test -f '{}/select_cons_tres.so' \; -print 2>/dev/null | head -n 1)
[ -n "$plugins" ] || left_out 'the plugins of Slurm are not there'

work=$(mktemp -d) daemons=
# Ends the daemons, the last one first.
end() {
    status=$?
    for pid in $daemons; do kill "$pid" 2>/dev/null && wait "$pid"; done
    if pgrep -a -f "$work" >"$work/left"; then cat "$work/left" >&2 && status=1; fi
    rm -rf "$work"
    exit $status
}
trap end EXIT
trap 'exit 1' HUP INT TERM
# begin COMMAND...: a daemon in the foreground of a child
begin() {
    "$@" >"$work/${1##*/}.err" 2>&1 &
    daemons="$! $daemons"
}
cd "$work" || exit 1
chmod 755 . && mkdir state spool
port=$((20000 + $$ % 20000))
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
PluginDir=$plugins
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName=node NodeHostname=$(hostname) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=10 OverSubscribe=FORCE:8 State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
dd if=/dev/urandom of=munge.key bs=128 count=1 2>/dev/null && chmod 400 munge.key
begin "$munged" --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munged.seed"
ready() { for _ in $(seq 100); do "$@" && return; sleep 0.2; done; false; }
ready test -S munge.socket || left_out "munged does not begin ($(tail -n 1 munged*.err))"
begin "$slurmctld" -D
begin "$slurmd" -D -N node -d "$stepd"
idle() { sinfo -h -o %T 2>/dev/null | grep -q idle; }
ready idle || left_out "no node of Slurm is ready ($(tail -qn 1 slurmctld*.err slurmd*.err | tr '\n' ' '))"

# All ranks, in one world; the command's exit status; and a job script that records inside its own allocation.
expect 0 "$rmacast" record -o run.rma -- srun -n 3 -O --mpi=pmi2 "$program"
expect 0 "$rmacast" info run.rma
check grep -q '^ranks  *3$' out
check grep -q '^complete  *yes$' out
expect 7 "$rmacast" record -o ends.rma -- srun -n 2 -O --mpi=pmi2 sh -c '"$0"; exit 7' "$program"
if [ -n "$openmpi" ] && srun --mpi=list 2>&1 | grep -q 'pmix'; then
    expect 0 "$here/openmpi.sh" "$rmacast" record -o pmix.rma -- srun -n 3 -O --mpi=pmix "$openmpi"
    expect 0 "$rmacast" info pmix.rma
    check grep -q '^ranks  *3$' out
    check grep -q '^complete  *yes$' out
else
    echo 'no Open MPI, or no PMIx in Slurm: srun --mpi=pmix is not tried'
fi
# srun that does not speak the library's protocol, and what is not passed on: told.
expect 0 "$rmacast" record -o alone.rma -- srun -n 3 -O --mpi=none "$program"
check grep -q 'do not belong together: srun started 3 processes, each of which is alone in the world of MPICH.*: expected another' err
expect 1 "$rmacast" record -o none.rma -- srun -n 2 -O --export=NONE --mpi=pmi2 "$program"
check grep -q "LD_PRELOAD did not reach $program: env -i, a container or a launcher that passes no environment" err
cat >job.sh <<JOB
#!/bin/sh
#SBATCH -n 2 -O
"$rmacast" record -o "$work/job.rma" -- srun -n 2 -O --mpi=pmi2 "$program" && : >"$work/done"
JOB
expect 0 sbatch --wait -o job.out job.sh
expect 0 "$rmacast" info job.rma
check grep -q '^ranks  *2$' out
finish
