# keys.sh RMACAST RUN_CASE CASES WORK: for each key of mpi.rma.protocol, and of its calls, serves and reverse_share, a case of
# CASES sets the key, and takes other times without it. The program's reader says which keys there are.
set -eu
rmacast=$1 run_case=$2 cases=$3 work=$4
rm -rf "$work"
mkdir -p "$work/family/case"
cp "$cases/base.json" "$work"
echo '{ "schema": "rmacast.platform/1", "nodes": { "count": 2 }, "network": { "latency_s": 0, "bandwidth_Bps": 1 } }' >"$work/platform.json"

# keys SECTION: its keys, from what the reader expects in the place of an unknown one.
keys() {
    "$rmacast" platform show --set "$1.none=1" "$work/platform.json" 2>&1 | sed -n 's/.*unknown key, expected one of //p' | tr -d ,
}

# differs DIRECTORY WORD...: the case's platform without the words fails under some letter.
differs() {
    cp "$1/trace.txt" "$1/expected" "$work/family/case"
    awk -v without="$2" '/^#/ { next } { for (i = 1; i <= NF; i++) if ($i != without) printf "%s ", $i } END { print "" }' \
        "$1/platform" >"$work/family/case/platform"
    for letter in a b c d; do
        said=$("$run_case" "$work/family/case" $letter loggp) || case $said in
            *expected*", got "*) return 0 ;;
        esac
    done
    return 1
}

# has_case PATTERN...: some platform has a word that begins so, without which times differ. A word with two keys is not one.
has_case() {
    for pattern in "$@"; do
        for platform in $(grep -lF -e "$pattern" "$cases"/*/*/platform); do
            for word in $(grep -v '^#' "$platform"); do
                case $word in
                    *'","'*) ;;
                    "$pattern"*) ! differs "${platform%/platform}" "$word" || return 0 ;;
                esac
            done
        done
    done
    return 1
}

wrong=0
path=mpi.rma.protocol
for key in $(keys $path); do
    case $key in
        calls | serves | reverse_share) ;;
        *) has_case "$path.$key=" || { echo "$path.$key: no case in which it alone changes a time"; wrong=1; } ;;
    esac
done
for section in calls serves reverse_share; do
    for key in $(keys $path.$section); do
        [ $key != lock ] || has_case lock= && continue
        has_case "$path.$section={\"$key\":" "$path.$section.$key=" ||
            { echo "$path.$section.$key: no case in which it alone changes a time"; wrong=1; }
    done
done
[ "$(keys $path | wc -w)" -gt 10 ] && [ "$(keys $path.serves | wc -w)" = 10 ] && exit $wrong
