# keys.sh RMACAST RUN_CASE CASES WORK: for each key of mpi.rma.protocol, and of its calls, serves and reverse_share, a case of
# CASES sets the key, and takes other times without it. The program's reader says which keys there are.
set -eu
rmacast=$1 run_case=$2 cases=$3 work=$4
rm -rf "$work"
mkdir -p "$work/family"
cp "$cases/base.json" "$work"
echo '{ "schema": "rmacast.platform/1", "nodes": { "count": 2 }, "network": { "latency_s": 0, "bandwidth_Bps": 1 } }' >"$work/platform.json"

# keys SECTION: its keys, from what the reader expects in the place of an unknown one.
keys() {
    "$rmacast" platform show --set "$1.none=1" "$work/platform.json" 2>&1 | sed -n 's/.*unknown key, expected one of //p' | tr -d ,
}

# words FILE: those of the case's platform, one per line.
words() {
    sed '1,/^# platform:$/d; /^# expected:$/,$d; s/^# //; s/#.*//' "$1" | tr -s ' ' '\n'
}

# differs FILE WORD: the case without the word of its platform fails under some letter.
differs() {
    sed '/^# platform:$/q' "$1" >"$work/family/without.case"
    words "$1" | grep -vxF -e "$2" | sed 's/^/# /' >>"$work/family/without.case"
    sed -n '/^# expected:$/,$p' "$1" >>"$work/family/without.case"
    for letter in a b c d; do
        said=$("$run_case" "$work/family/without.case" $letter loggp) || case $said in
            *expected*", got "*) return 0 ;;
        esac
    done
    return 1
}

# has_case PATTERN...: some platform has a word that begins so, without which times differ. A word with two keys is not one.
has_case() {
    for pattern in "$@"; do
        for file in $(grep -lF -e "$pattern" "$cases"/*/*.case); do
            for word in $(words "$file"); do
                case $word in
                    *'","'*) ;;
                    "$pattern"*) ! differs "$file" "$word" || return 0 ;;
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
