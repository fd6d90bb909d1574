# Nothing that a command reads is what it writes, and an archive replaces an archive only: whatever is named, by whatever
# name, no file of the user's is lost. 'kept' compares all files, byte by byte, with those before the command.
. "$(dirname "$0")/lib.sh"
rm -rf here && mkdir here && cd here || exit 1

keep() {
    find . -path ./out -o -path ./err -o -path ./kept -o -type f -exec cksum {} + | sort >kept
}

kept() {
    find . -path ./out -o -path ./err -o -path ./kept -o -type f -exec cksum {} + | sort | cmp -s - kept ||
        fail "$*: files of the user's are others than before"
}

# replaces TEXT ARGUMENT...: wrong usage, told in one line, and nothing changes.
replaces() {
    text=$1
    shift
    error 2 "$text" "$@"
    kept "$@"
}

# spares TEXT ARGUMENT...: what cannot be written there is told in one line, and nothing changes.
spares() {
    text=$1
    shift
    error 1 "$text" "$@"
    kept "$@"
}

cp "$worked" t.txt
cp "$platform" p.json
run 0 generate ring -n 2 -i 1 -o a.rma
run 0 analyze t.txt --json result.json
cp result.json reference.json
ln t.txt hard.txt
ln -s t.txt soft.txt
ln a.rma/traces/1.evt hard.evt
ln -s a.rma soft.rma
mkdir csv xml
ln t.txt csv/matrix.csv
cat >xml/net.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/></platform>
XML
jq '.network.topology = {simgrid_xml: "net.xml"}' p.json >xml/p.json
keep

# The trace: a text, by any of its names, and standard input.
for name in t.txt hard.txt soft.txt; do
    replaces "--json $name would replace" analyze t.txt --json "$name"
done
replaces "--json csv/../t.txt would replace" info soft.txt --json csv/../t.txt
replaces "-o $PWD/t.txt would replace" dump t.txt -o "$PWD/t.txt"
replaces "--json hard.txt would replace" validate --predicted result.json --measured result.json t.txt --json hard.txt
replaces "--json t.txt would replace" validate --predicted t.txt --measured result.json --json t.txt
replaces "--csv csv/matrix.csv would replace" analyze t.txt --csv csv
timeout 50 "$program" analyze - --json t.txt <t.txt >out 2>err
[ $? -eq 2 ] || fail "a trace that is read from standard input is replaced: $(cat err)"
kept "analyze -"
timeout 50 "$program" dump t.txt >>t.txt 2>err
[ $? -eq 2 ] || fail "a dump goes to the end of the trace that is dumped: $(cat err)"
kept "dump >>"

# A file that is open already is written in its place, and stays to the end, too: a page reads the trace while it is written.
for name in a.rma/traces.otf2 a.rma/traces/1.evt; do
    replaces "-o /proc/self/fd/9 would replace $name that is read" report a.rma -o /proc/self/fd/9 9<>"$name"
done
spares "p.json:\$calibration: no measured points" platform plot p.json -o /dev/fd/9 9<>t.txt

# A platform's MPI profile.
mkdir mpi
sed 's/"progress": "hardware"/"progress": "call"/' "$source/platforms/mpi/rdma.json" >mpi/mine.json
jq '.mpi = {profile: "mine"}' p.json >profiled.json
keep
replaces "--json mpi/mine.json would replace" simulate t.txt --platform profiled.json --json mpi/mine.json
spares "mpi/mine.json: is a file, expected the directory of an archive" simulate t.txt --platform profiled.json -o mpi/mine.json
replaces "--json profiled.json would replace" platform show profiled.json --json profiled.json

# A profile that a platform names, by each command that reads one, under each of its names.
cp mpi/mine.json prof.json && ln prof.json hard.prof && ln -s prof.json soft.prof && ln prof.json hard.txt.txt
jq '.mpi = {profile: "./prof.json"}' p.json >named.json
echo '{"schema": "rmacast.sweep-config/1", "traces": ["t.txt"], "engine": "loggp", "platforms": ["named.json"]}' >sweep.json
run 0 generate ring -n 2 -i 2 -o r2.txt
run 0 generate ring -n 4 -i 2 -o r4.txt
run 0 model r2.txt r4.txt -o h.model
keep
for name in prof.json hard.prof soft.prof csv/../prof.json; do
    for option in --json --csv -o; do replaces "$option $name would replace" sweep sweep.json $option $name; done
    replaces "--json $name would replace" platform show named.json --json $name
    for option in --json -o; do replaces "$option $name would replace" report t.txt named.json -o page.html $option $name; done
    replaces "--json $name would replace" platform diff named.json p.json --json $name
    replaces "--json $name would replace" platform diff p.json named.json --json $name
    replaces "--output $name would replace" platform export named.json -o $name
    replaces "--json $name would replace" platform profiles ./prof.json --json $name
    for command in simulate compare advise; do
        replaces "--json $name would replace" $command t.txt --platform named.json --engine loggp --json $name
    done
    for option in --extrap --svg --csv --json; do
        replaces "$option $name would replace" predict r2.txt r4.txt --ranks 8 --platform named.json --set nodes.count=8 \
            --engine loggp $option $name
    done
done
replaces "-o hard.txt.txt would replace" predict h.model --ranks 4 --platform named.json --set nodes.count=8 --engine loggp \
    -o hard.txt.txt
# What is measured later is read before anything is written.
replaces "--extrap t.txt would replace" predict r2.txt r4.txt --ranks 8 --platform p.json --set nodes.count=8 --engine loggp \
    --measured t.txt --extrap t.txt

# Results of the bench: none of them is the platform that is made of them.
mkdir r
awk '/^@ /{file = $2; next} file {print > file}' "$source/tests/fuzz/corpus/file/bench_results"
ln r/run.json hard.run && ln -s r/mpi.json soft.mpi
keep
for name in r/run.json r/mpi.json r/rank-000000.csv hard.run soft.mpi r/../r/run.json; do
    replaces "--output $name would replace" calibrate --results r -o $name
    replaces "--json $name would replace" calibrate --results r -o new.json --json $name
done

# Any file of an archive, named by its directory or by its anchor.
for name in a.rma/traces.otf2 a.rma/traces.def a.rma/traces/0.evt soft.rma/traces/1.def hard.evt; do
    replaces "--json $name would replace" analyze a.rma --json $name
    replaces "-o $name would replace" dump a.rma/traces.otf2 -o $name
done
replaces "--json a.rma/traces/new.json would be in a.rma/traces that" analyze a.rma --json a.rma/traces/new.json
replaces "-o a.rma/traces/new.json would be in a.rma/traces that" dump a.rma/traces.otf2 -o a.rma/traces/new.json
replaces "--json a.rma/traces.def would replace" info soft.rma --json a.rma/traces.def
replaces "--json a.rma/traces.def would replace" compare a.rma/ --platform p.json --json a.rma/traces.def
replaces "-o soft.rma would replace" simulate a.rma --platform p.json -o soft.rma
replaces "-o a.rma would replace" export a.rma/traces.otf2 --to otf2 -o a.rma
# A file beside an archive is none of it.
run 0 analyze a.rma --json a.rma/result.json
run 0 analyze a.rma/traces.otf2 --json a.rma/result.json
rm a.rma/result.json

# A spool that was not packed.
mkdir -p b.rma/spool
: >b.rma/spool/rank-000000.spool
keep
for name in b.rma b.rma/spool; do
    replaces "--json b.rma/spool/rank-000000.spool would replace" info $name --json b.rma/spool/rank-000000.spool
done

# What else is read.
for command in simulate compare; do
    replaces "--json p.json would replace" $command t.txt --platform p.json --engine loggp --json p.json
    replaces "--json xml/net.xml would replace" $command t.txt --platform xml/p.json --json xml/net.xml
done
# Files that the SimGrid platform names: SimGrid looks for them from the working directory and from the platform's. It reads the
# profile and refuses <include>.
cat >xml/profiles.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf"/><host id="n1" speed="1Gf"/><host id="n2" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="l.bw"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route><route src="n0" dst="n2"><link_ctn id="l"/></route>
<route src="n1" dst="n2"><link_ctn id="l"/></route></zone></platform>
XML
echo '<platform version="4.1"><include file = '"'l.bw'"'/></platform>' >xml/include.xml
for name in profiles include; do jq ".network.topology = {simgrid_xml: \"$name.xml\"}" p.json >xml/$name.json; done
echo '0 1000000000' >xml/l.bw
cp xml/l.bw l.bw
keep
for name in profiles include; do
    for file in xml/l.bw l.bw; do
        replaces "--json $file would replace" \
            simulate t.txt --platform xml/$name.json --json $file
    done
done
run 0 simulate t.txt --platform xml/profiles.json --json xml/other.json
rm xml/other.json
# The files count with every engine and command that opens the platform.
replaces "--json xml/l.bw would replace" platform show xml/profiles.json --json xml/l.bw
replaces "--json xml/l.bw would replace" simulate t.txt --platform xml/profiles.json --engine loggp --json xml/l.bw
# SimGrid writes no file of its own: it gets no <config>.
sed 's|<platform version="4.1">|&<config id="General"><prop id="tracing" value="yes"/><prop id="tracing/filename" value="t.txt"/></config>|' \
    xml/net.xml >xml/traced.xml
sed "s|<platform version=\"4.1\">|&<!-- > <config> --><config\n><prop value='none' id='plugin'/></config>|" xml/net.xml >xml/factor.xml
sed 's|<platform version="4.1">|&<!-- <config id="General"><prop id="tracing" value="yes"/></config> -->|' xml/net.xml >xml/commented.xml
for name in traced factor commented; do jq ".network.topology = {simgrid_xml: \"$name.xml\"}" p.json >xml/$name.json; done
keep
run 0 simulate t.txt --platform xml/traced.json
kept "<config>"
shows "xml/traced.xml: <config> tracing/filename = t.txt is left out: SimGrid would write files"
run 0 compare t.txt --platform xml/factor.json --engine simgrid
shows "xml/factor.xml: <config> plugin = none is left out: it is SimGrid's own"
run 0 simulate t.txt --platform xml/commented.json --engine simgrid
kept "a comment"
spares "xml/net.xml: is a file, expected the directory of an archive" simulate t.txt --platform xml/p.json -o xml/net.xml
replaces "--json result.json would replace" analyze t.txt --ideal result.json --json result.json
replaces "--json reference.json would replace" analyze t.txt --reference reference.json --json reference.json

# Two outputs of one command, whether they exist or not.
replaces "-o and --json both write new" simulate t.txt --platform p.json -o ./new --json new
replaces "expected two files" simulate t.txt --platform p.json -o new.txt --json "$PWD/csv/../new.txt"
replaces "-o and --json both write new/traces.def" simulate t.txt --platform p.json -o new --json new/traces.def
replaces "--json and --csv both write new/places.csv" analyze a.rma --csv new --json new/places.csv
ln -s nothing.json dangling.json
replaces "-o and --json both write dangling.json" simulate t.txt --platform p.json -o nothing.json --json dangling.json

# An archive replaces an archive, and nothing else: the directory is named with what is in it, before anything is simulated.
refused() {
    directory=$1 what=$2
    shift 2
    keep
    error 1 "$directory: holds $what, which is no part of an OTF2 archive, expected a new or empty directory" "$@" -o "$directory"
    kept "$@"
}
mkdir -p proj/traces notes mixed/traces alien/traces linked
echo work >proj/traces/mine
refused proj traces/mine generate ring
refused proj traces/mine export t.txt --to otf2
refused proj traces/mine simulate t.txt --platform p.json --engine loggp
error 1 "proj: holds traces/mine" record -o proj -- true
kept record
echo notes >notes/notes.txt
refused notes notes.txt generate ring
cp -r a.rma/. mixed && echo notes >mixed/notes.txt
refused mixed notes.txt generate ring
for name in traces/0.evt traces.otf2 traces.def; do
    rm -rf alien && mkdir -p alien/traces && echo "no OTF2" >alien/$name
    refused alien $name generate ring
done
cp a.rma/traces.* linked && ln -s ../a.rma/traces linked/traces
refused linked traces generate ring
cp -r a.rma worlds && cp -r a.rma worlds/world-1
run 0 generate ring -n 2 -i 1 -o worlds # the archive of a further program of the job is no hindrance, and stays
[ -f worlds/world-1/traces.otf2 ] || fail "the archive of another program is gone"
echo notes >worlds/world-1/notes.txt
keep
error 1 "holds notes.txt, which is no part of an OTF2 archive" record -o worlds -- true
kept record
cd proj
"$program" generate ring -o . 2>../err && fail "-o . replaces what is no archive"
grep -q 'rmacast: \.: holds traces/mine' ../err || fail "-o .: $(cat ../err)"
cp ../t.txt traces/t.txt
"$program" simulate traces/t.txt --engine loggp --platform ../p.json -o . 2>../err
[ $? -eq 1 ] || fail "-o . replaces the trace that is read: $(cat ../err)"
cmp ../t.txt traces/t.txt && [ -f traces/mine ] || fail "-o . removes traces/"
cd ..

# In a directory for all nobody leads us to a file of ours: links of another user (root can make some) are not followed.
if [ "$(id -u)" = 0 ]; then
    mkdir all && chmod 1777 all
    ln -s ../result.json all/result.json && ln -s ../empty all/link.rma && mkdir empty
    chown -h 12345:12345 all/result.json all/link.rma
    keep
    error 1 "all/result.json: cannot be written: a link of another user's" info t.txt --json all/result.json
    error 1 "all/link.rma/result.json: cannot be written: a link of another user's" info t.txt --json all/link.rma/result.json
    error 1 "all/link.rma: cannot be written: a link of another user's" generate ring -o all/link.rma
    error 1 "all/link.rma/new: cannot be written: a link of another user's" generate ring -o all/link.rma/new
    kept "links of others"
    rmdir empty
fi

# What may be written: a new directory, an empty one, an archive, and what a killed writer leaves.
mkdir empty
run 0 generate ring -n 2 -i 1 -o empty
for left in traces.otf2 traces.def traces/0.evt traces; do
    cp -r a.rma part && rm -r part/$left
    run 0 generate ring -n 3 -i 1 -o part
    [ "$(ls -A part | tr '\n' ' ')" = "traces traces.def traces.otf2 " ] || fail "part holds $(ls -A part)"
    rm -r part
done
cp -r a.rma zero && : >zero/traces/0.evt && : >zero/traces.def
run 0 generate ring -n 2 -i 1 -o zero
cp -r a.rma cwd
(cd cwd && "$program" generate ring -n 3 -i 1 -o .) || fail "an archive in the working directory is not replaced"
run 0 info cwd
shows '^ranks +3'
[ -z "$(find . -name '.*rmacast-*')" ] || fail "stages are left: $(find . -name '.*rmacast-*')"
finish
