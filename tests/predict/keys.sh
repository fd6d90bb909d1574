# The keys that the reader of platform files knows, and those of the table of costs in docs/simulation.md, are the same; each row
# of costs names cases that are there, of which one sets the key. tests/unit/platforms/test_keys.c reads docs/platforms.md.
. "$(dirname "$0")/lib.sh"
costs=$source/docs/simulation.md
cases=$source/tests/cases
is_case() { ls "$cases"/*/"$1.case" >/dev/null 2>&1; }
sets() { sed '1,/^# platform:$/d; /^# expected:$/,$d' "$cases"/*/"$2.case" | grep -q "$1"; } # WORD CASE

# What the reader says of a key that it does not know, in every section; what only holds other keys is left out.
for section in nodes network network.two_sided network.loopback network.loopback.two_sided network.loopback.pause network.loopback.reverse_share network.topology mpi mpi.pause mpi.rma mpi.rma.protocol mpi.rma.protocol.calls mpi.rma.protocol.reverse_share mpi.rma.protocol.serves threads engine mapping; do
    error 2 "unknown key, expected one of" simulate "$worked" --platform "$platform" --set "$section.nosuch=1"
    sed 's/.*expected one of //; s/, /\n/g' err | sed "s/^/$section./"
done | grep -vx 'network.topology\|network.loopback\|network.two_sided\|network.loopback.two_sided\|network.loopback.pause\|network.loopback.reverse_share\|mpi.pause\|mpi.rma\|mpi.rma.protocol\|mpi.rma.protocol.calls\|mpi.rma.protocol.reverse_share\|mpi.rma.protocol.serves' | sort >known

# Rows "| `a.b`, `.c` | ... | `case` `case` |" as "a.b a.c | case case"
sed -n '/^## Every key of a platform file/,/^## Draws/p' "$costs" | grep '^| `' |
    awk -F' \\| ' '{
        keys = ""
        count = split($1, words, "`")
        for (i = 2; i <= count; i += 2) {
            if (i == 2) { section = words[2]; sub(/\.[^.]*$/, "", section) }
            keys = keys (words[i] ~ /^\./ ? section words[i] : words[i]) " "
        }
        print keys "|" $NF
    }' | tr -d '`' >rows
# Which other file SimGrid reads is no key of one topology.
sed 's/|.*//' rows | tr ' ' '\n' | grep . | grep -vx network.topology.simgrid_xml | sort >told
diff known told >&2 || fail "docs/simulation.md and the reader of platform files know different keys"

# These have their values from tests/cases/base.json, or the letter, or have one value only.
base='nodes.memory_bandwidth_Bps network.latency_s network.bandwidth_Bps mpi.rma.semantics mpi.collectives network.topology.simgrid_xml'
while IFS='|' read -r keys names; do
    found=
    for name in $names; do
        [ "$name" = "${name#*[!a-z0-9_]}" ] || continue
        is_case "$name" || continue
        for key in $keys; do
            [ "$key" = mapping.ranks ] && word=nodes_of_ranks || word=${key##*.}
            sets "$word" "$name" && found="$found $name"
            case " $base " in *" $key "*) found="$found $name" ;; esac
        done
        [ -n "$found" ] || case "$keys" in nodes.count*) sets nodes "$name" && found=$name ;; esac
    done
    case $keys in network.topology.simgrid_xml* | mpi.profile*) continue ;; esac
    [ -n "$found" ] || fail "no case of '$names' sets one of $keys"
    for name in $(echo "$names" | grep -o '\b[a-z0-9_]*_[a-z0-9_]*\b'); do
        is_case "$name" || fail "docs/simulation.md names the case '$name', which is not there"
    done
done <rows
[ "$(wc -l <rows)" -ge 35 ] || fail "the table of costs has only $(wc -l <rows) rows"

finish
