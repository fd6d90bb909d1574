#!/bin/sh
# Usage: clean_root.sh BUILD: apt installs the packages of cpack in a Debian 12 that debootstrap has just made, and they run
# there. Needs root, debootstrap and Debian's archive; without them it says so and is skipped.
set -eu
build=$(realpath "$1")
skip() {
    echo "skipped: $*"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root makes a root file system"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$build" && cpack -G DEB -B "$work/packages") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# The archive that this machine's apt uses.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Release: bookworm' 'Created-By: Packages' 2>"$work/log" | head -n 1)
debootstrap --variant=minbase bookworm "$work/root" "${DEBIAN_MIRROR:-${mirror:-http://deb.debian.org/debian}}" >"$work/log" 2>&1 ||
    skip "debootstrap: $(tail -n 1 "$work/log")"
mkdir "$work/root/packages"
cp "$work"/packages/*.deb "$work/root/packages"
# With a /proc of its own, as every Debian.
unshare --mount --pid --fork --mount-proc="$work/root/proc" chroot "$work/root" sh -eu -c '
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -q -y --no-install-recommends /packages/rmacast_*.deb
    cd /tmp
    rmacast generate halo2d --ranks 4 --sync pscw -o halo.rma
    rmacast analyze halo.rma
    rmacast simulate halo.rma --platform four-nodes --engine simgrid
    apt-get install -q -y --no-install-recommends mpich /packages/rmacast-mpich_*.deb
    mpiexec.mpich -n 2 rmacast-analyze-mpi halo.rma' >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
grep -q '^Run time' "$work/log" || { tail -n 20 "$work/log"; exit 1; }
