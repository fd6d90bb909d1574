# MPI profiles (mpi.profile): what a platform file says itself holds, the rest is the profile's; the platform command.
. "$(dirname "$0")/lib.sh"
rm -rf here && mkdir -p here/mpi && cd here || exit 1

# Every installed profile is listed, explained, and makes a platform.
run 0 platform profiles
for name in $(cd "$source/platforms/mpi" && ls | sed 's/.json//'); do
    grep -q "^$name " out || fail "platform profiles does not list $name"
    run 0 simulate "$worked" --platform "$platform" --set mpi.profile=$name --engine loggp --verify
    run 0 platform profiles $name
    grep -q "^$name: " out || fail "platform profiles $name does not say what it is"
    run 0 platform profiles
done

# The file's own values stay; sections are gone into, values are whole.
cat >mpi/mine.json <<'JSON'
{"schema": "rmacast.mpi-profile/1", "name": "mine", "library": "L", "transport": "T", "summary": "S",
 "mpi": {"eager_bytes": 1, "rma": {"lock": "lazy", "semantics": {"put": "call"},
         "protocol": {"complete": "remote", "unlock": "acknowledged", "serves": {"put": "call", "get": "call"}}}}}
JSON
cat >p.json <<'JSON'
{"schema": "rmacast.platform/1", "nodes": {"count": 2}, "network": {"latency_s": 1e-5, "bandwidth_Bps": 1e10},
 "mpi": {"profile": "mine", "rma": {"semantics": "c", "protocol": {"unlock": "released", "serves": {"get": "thread"}}}}}
JSON
run 0 platform show p.json --json -
holds out '.mpi.eager_bytes == 1 and .mpi.rma.lock == "lazy" and .mpi.rma.semantics == "c"'
holds out '.mpi.rma.protocol == {unlock: "released", complete: "remote", serves: {get: "thread", put: "call"}}'
run 0 platform show p.json --set mpi.rma.progress=hardware --json -
holds out '.mpi.rma.protocol.serves == null and .mpi.rma.protocol.complete == "remote"'
sed 's/"latency_s": 1e-5/"latency_s": {"value": 2e-5, "error": 1e-6, "n": 7}/' p.json >measured.json
run 0 platform show measured.json
shows '^network.latency_s  *2e-05 [+]- 1e-06  *5.0 %  n = 7$'
shows '^mpi.rma.semantics  *"c"$'
shows '^network.bandwidth_Bps  *1e[+]10$'
run 0 platform check p.json two-nodes
grep -q "p.json: .*2 nodes, semantics c, MPI mine" out || fail "platform check does not say what the file is"

# By path, from the platform file's folder.
mkdir other
sed 's/"mine"/"..\/mpi\/mine.json"/' p.json >other/p.json
run 0 platform show other/p.json --json -
holds out '.mpi.eager_bytes == 1'

# The worked example with the put and complete of MPICH over TCP, from start's end to the return of wait: 3 L + n / B and the
# copy, which is shorter than n / B here: start ends at 410, the put of 1 MB at 460 leaves until 560, arrives 570; complete at
# 510 waits for the acknowledgement (580), wait for the notification (590).
cat >tcp.json <<'JSON'
{"schema": "rmacast.mpi-profile/1", "name": "tcp", "library": "L", "transport": "T", "summary": "S",
 "mpi": {"rma": {"protocol": {"complete": "remote"}}}}
JSON
run 0 simulate "$worked" --platform "$platform" --set mpi.profile=$PWD/tcp.json --semantics a --engine loggp --json -
holds out 'near(.rank_time_s[0]; 580e-6) and near(.rank_time_s[1]; 590e-6)'

# A recording of another library or version is noted, one of the profile's or of an unknown library is not.
for library in "Open%20MPI%204.1.4" "MPICH%204.0.20%20(ch4:ucx)" "MPICH%203.4%20(ch4:ucx),%202%20hosts"; do
    sed "/^ranks/a property library=$library" "$worked" >recorded.txt
    run 0 simulate recorded.txt --platform "$platform" --set mpi.profile=mpich-4.0-ucx-tcp --engine loggp
    shows "recorded with .*; the platform's MPI profile mpich-4.0-ucx-tcp is of MPICH 4.0.2, ch4:ucx"
done
for known in "MPICH%204.0.2%20(ch4:ucx),%202%20hosts mpich-4.0-ucx-tcp" "MPICH%203.4 rdma" " mpich-4.0-ucx-tcp"; do
    sed "/^ranks/a property library=${known% *}" "$worked" >recorded.txt
    [ -n "${known% *}" ] || cp "$worked" recorded.txt
    run 0 simulate recorded.txt --platform "$platform" --set mpi.profile=${known#* } --engine loggp
    ! grep -q "recorded with" out || fail "a recording of '${known% *}' is told to be of another library than ${known#* }"
done

# So is one over another transport, where the profile names one.
for over in "shared%20memory:mpich-4.0-ucx-tcp" "TCP%20between%20hosts,%20shared%20memory%20within:mpich-4.0-ucx-shm"; do
    sed "/^ranks/a property transport=${over%:*}" "$worked" >recorded.txt
    run 0 simulate recorded.txt --platform "$platform" --set mpi.profile=${over#*:} --engine loggp
    shows "recorded over .*; the platform's MPI profile ${over#*:} is of"
done
for over in "shared%20memory:mpich-4.0-ucx-shm" "TCP%20between%20hosts,%20shared%20memory%20within:mpich-4.0-ucx-tcp" \
    "TCP:$PWD/tcp.json"; do
    sed "/^ranks/a property transport=${over%:*}" "$worked" >recorded.txt
    run 0 simulate recorded.txt --platform "$platform" --set mpi.profile=${over#*:} --engine loggp
    ! grep -q "recorded over" out || fail "a recording over '${over%:*}' is told to be over another transport than ${over#*:}"
done

# What is wrong is told with its file.
error 2 "no such MPI profile, expected a path with '/' or one of mpich-4.0" simulate "$worked" --platform "$platform" \
    --set mpi.profile=nosuch
sed 's/"eager_bytes": 1/"eager_bytes": -1/' mpi/mine.json >mpi/bad.json
sed 's/"mine"/"bad"/' p.json >bad.json
error 1 "mpi/bad.json:mpi.eager_bytes" platform check bad.json
sed 's/"eager_bytes": 1/"profile": "mine"/' mpi/mine.json >mpi/bad.json
error 1 "a profile takes no other profile" platform check bad.json
error 2 "expected show, check, profiles, plot, diff or export" platform
finish
