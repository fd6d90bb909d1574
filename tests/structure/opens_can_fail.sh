#!/bin/sh
# opens.sh must find files that open or replace files by themselves, and pass others. Usage: opens_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar cf - cli common mpi platforms predictors recording simulate trace validate | tar xf - -C "$copy"
sh tests/structure/opens.sh "$copy"
printf 'FILE *in = fopen(file, "r");\n' >"$copy/trace/one.c"
printf 'if (rename(from, to) != 0) return;\nengine->open(engine), row.open(), reopen(3);\n' >"$copy/model.c"
printf 'input_file_open(file, &in, err);\nfclose(in.file);\n' >"$copy/cli/three.c"
printf 'engine->open(engine), row.open(), reopen(3), file_open(4), input_file_open(file, &in, err);\n' >"$copy/cli/good.c"
printf 'int main(void)\n' >"$copy/cli/program.c"
sed -i 's/fopen(/fopen_not(/' "$copy/trace/record/output/clock.c"
! sh tests/structure/opens.sh "$copy" >"$copy/found" || { echo "these pass"; exit 1; }
grep -oE '\./[a-z_/]+\.c' "$copy/found" | LC_ALL=C sort >"$copy/places"
printf '%s\n' ./cli/program.c ./cli/three.c ./model.c ./trace/one.c ./trace/record/output/clock.c | diff - "$copy/places"
