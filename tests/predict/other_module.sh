# The engine simgrid beside a module of another build: one line of error, and no call into the module, whose structs may differ.
. "$(dirname "$0")/lib.sh"
cp "$program" ./rmacast
program=./rmacast

# refuses INTERFACE: of a module whose descriptor holds zeros
refuses() {
    cc -shared -fPIC -o librmacast-simgrid.so module.c
    for command in simulate compare; do
        error 1 "engine simgrid: $PWD/librmacast-simgrid.so is of another build ($1), expected the module of this one (" \
            $command "$worked" --platform "$platform" --engine simgrid
    done
}
echo 'const void *engine_simgrid_module[64];' >module.c
refuses unknown
echo 'const char engine_simgrid_interface[] = "0.0.9-0123456789ab";' >>module.c
refuses 0.0.9-0123456789ab
rm -f rmacast librmacast-simgrid.so module.c
finish
