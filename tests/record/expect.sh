# For shell tests of this folder, read with '.' before they change the directory; $failures counts what went wrong.
failures=0

# expect STATUS COMMAND...: output goes to out and err.
expect() {
    wanted=$1
    shift
    timeout 100 "$@" >out 2>err
    got=$?
    sed -i '/^\[hwloc\//d; / UCX  *ERROR /d' out err # what MPICH's libraries say where /sys is missing, as in a bare chroot
    [ "$got" = "$wanted" ] && return
    echo "FAILED: exit status $got, expected $wanted: $*"
    cat err
    failures=$((failures + 1))
}

check() {
    "$@" && return
    echo "FAILED: $*"
    cat err
    failures=$((failures + 1))
}
