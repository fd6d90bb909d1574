#!/bin/sh
# Files of the user's are opened by common/files/input_file.h and written by common/files/output_file.h, so that none is lost and
# no read error is missed. These files open, or replace, what is none of the user's, and no others do. Usage: opens.sh SOURCE
set -eu
cd "$1"
list=$(mktemp)
trap 'rm -f "$list" "$list".*' EXIT
LC_ALL=C sort >"$list.allowed" <<'END'
./cli/launcher.c                  /dev/null, as a program's standard input
./common/files/directory.c        a directory, to lock it
./common/files/file_claims.c      directories above an output, to look at them
./common/files/input_file.c       inputs
./common/files/output_file.c      outputs
./common/files/place.c            directories and links on an output's path
./common/files/temp_file.c        files without a name
./mpi/sweep_mpi.c                 /dev/null, as the standard output of all processes but one
./predictors/sweep/result_file.c  the sweep's result, which output_file.h has made, to go on behind its last line
./recording/guests.c              /proc, and spools that are being recorded, to see who writes them
./simulate/engine/simgrid/simgrid.c  a file in memory
./trace/otf2/archive_entries.c    what an archive would replace, to look at it
./trace/otf2/stage.c              moves archives that archive_check_unread() has looked at
./trace/otf2/write.c              a new archive in its stage
./trace/record/output/clock.c     /proc
./trace/record/output/ticks.c     /proc
./validate/cluster/switch.c       devices of the virtual cluster, and its count of frames
END
find . \( -name build -o -name .git -o -path ./tests -o -path ./examples -o -path ./docs -o -path ./bench \) -prune -o -type f \
    -name '*.c' -print | LC_ALL=C sort >"$list"
[ "$(wc -l <"$list")" -gt 200 ] || { echo "only $(wc -l <"$list") files seen: the check itself is broken"; exit 1; }
calls='(fopen|freopen|fdopen|open|openat|open64|creat|rename|renameat|renameat2|link|linkat|truncate)'
xargs grep -lE "(^|[^[:alnum:]_>.])$calls\\(" <"$list" >"$list.found" || true
sed 's/ .*//' "$list.allowed" >"$list.names"
status=0
LC_ALL=C comm -13 "$list.names" "$list.found" >"$list.new"
LC_ALL=C comm -23 "$list.names" "$list.found" >"$list.old"
[ ! -s "$list.new" ] || { echo "open or replace files by themselves, expected input_file_open() or output_file_open():"; cat "$list.new"; status=1; }
[ ! -s "$list.old" ] || { echo "are allowed to open files by themselves, and open none:"; cat "$list.old"; status=1; }
# Who opens an input closes it where read errors are seen.
xargs grep -lE 'input_file_open|input_file_of_text' <"$list" | grep -v '^./common/files/input_file.c$' >"$list.readers"
xargs grep -nE '(^|[^_])fclose\(&?in\b|ferror\(in|getline\(|getdelim\(|fgets\(' <"$list.readers" >"$list.closed" || true
[ ! -s "$list.closed" ] || { echo "read or close an input by themselves, expected input_file_line() and input_file_close():"; cat "$list.closed"; status=1; }
# Programs that read the user's files note them.
for program in $(xargs grep -lE '^int main\(' <"$list" | grep -vE '^./(platforms/probe/program|validate/cluster|trace/record)/'); do
    grep -q 'file_claims_begin(' "$program" || { echo "$program: main() lacks file_claims_begin()"; status=1; }
done
exit $status
