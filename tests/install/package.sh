#!/bin/sh
# Usage: package.sh BUILD SOURCE: the packages that cpack makes. They say what they depend on: a root that has the files of
# exactly these packages of Debian, and theirs, and nothing else, runs the command with both engines.
. "$(dirname "$0")/../expect.sh"
build=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

(cd "$build" && cpack -G DEB -B "$work/packages") >log 2>&1 || { cat log; exit 1; }
main=$(find packages -maxdepth 1 -name 'rmacast_*.deb')
[ -n "$main" ] || { ls packages; fail "no package rmacast"; finish; }
depends() { dpkg-deb --field "$1" Depends; }

# Who only analyses needs no MPI library; the module of the engine brings SimGrid.
case $(depends "$main") in *mpich* | *openmpi*) fail "rmacast depends on an MPI library: $(depends "$main")" ;; esac
for library in libc6 libsimgrid libopen-trace-format libgsl libcjson libdw; do
    depends "$main" | grep -q "$library" || fail "rmacast does not depend on $library: $(depends "$main")"
done
mpich=$(find packages -maxdepth 1 -name 'rmacast-mpich_*.deb')
depends "$mpich" | grep -q 'libmpich' && depends "$mpich" | grep -q 'rmacast (= ' || fail "rmacast-mpich depends on $(depends "$mpich")"
dpkg-deb --contents "$main" >contents
for file in bin/rmacast share/man/man1/rmacast.1.gz share/man/man1/rmacast-analyze.1.gz share/bash-completion/completions/rmacast \
    share/zsh/site-functions/_rmacast share/doc/rmacast/README.md share/doc/rmacast/copyright share/rmacast/platforms/two-nodes.json \
    share/rmacast/schemas/rmacast.result.schema.json; do
    grep -q " \./usr/$file" contents || fail "rmacast has no /usr/$file"
done
# What Debian calls an error, where its own checker is installed.
! command -v lintian >/dev/null || lintian --fail-on error packages/*.deb >said 2>&1 || fail "$(grep '^E:' said)"
awk '{ print $6 }' contents | grep -vE '^\./(usr/.*)?$' >outside
[ ! -s outside ] || fail "files outside /usr: $(head -n 3 outside)"

# closure PACKAGE...: they and what they depend on, of alternatives what is installed here.
closure() {
    wanted="$*" known=
    while [ -n "$wanted" ]; do
        next=
        for package in $wanted; do
            case " $known " in *" $package "*) continue ;; esac
            dpkg-query -W "$package" >/dev/null 2>&1 || continue
            known="$known $package"
            next="$next $(dpkg-query -W -f='${Depends},${Pre-Depends}' "$package" | sed 's/([^)]*)//g; s/:any//g; s/[,|]/ /g')"
        done
        wanted=$next
    done
    echo "$known"
}

# The usual links of a merged /usr, the packages' files, the package itself. Documents are left out.
root=$work/root
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/tmp" "$root/work" "$root/dev"
for directory in bin sbin lib lib64; do ln -s usr/$directory "$root/$directory"; done
names=$(depends "$main" | sed 's/([^)]*)//g; s/[,|]/ /g')
dpkg -L $(closure $names) | grep -vE '/(doc|man|locale|lintian|i18n)(/|$)' | sort -u | while read -r file; do
    [ -d "$file" ] && [ ! -L "$file" ] || echo "$file"
done >files
tar --create --ignore-failed-read --files-from files 2>/dev/null | tar --extract --keep-directory-symlink --directory "$root"
dpkg-deb --extract "$main" "$root"
[ "$(find "$root" -name 'libmpi*' | wc -l)" = 0 ] || fail "the root has an MPI library"
cp "$source/tests/cases/active/worked_example.case" "$root/work"

# inside COMMAND...: in the root, which has a /proc, as every Debian; as root in a name space of its own, where that is allowed.
inside() { unshare --map-root-user --mount --pid --fork --mount-proc="$root/proc" chroot "$root" "$@"; }
mkdir "$root/proc"
if ! unshare --map-root-user --mount --pid --fork --mount-proc="$root/proc" true 2>err; then
    echo "the packages are not run: no name space for a root of their own: $(head -n 1 err)"
    [ $failures -eq 0 ] && exit 77
    finish
fi
inside /usr/bin/rmacast --version >out 2>err || fail "rmacast does not run: $(cat err)"
grep -qx 'rmacast [0-9.]*' out || fail "--version: $(cat out)"
# The worked example of docs/simulation.md lasts 0.57 ms under semantics a, whatever the engine.
for engine in loggp simgrid; do
    inside /usr/bin/rmacast simulate /work/worked_example.case --platform two-nodes --semantics a --engine $engine >out 2>err ||
        fail "$engine: $(cat err)"
    grep -q '^Run time' out || fail "$engine: no run time"
done
inside /usr/bin/rmacast generate ring --ranks 3 -o /work/ring.rma 2>err || fail "generate: $(cat err)"
inside /usr/bin/rmacast analyze /work/ring.rma >out 2>err || fail "analyze: $(cat err)"
finish
