#!/bin/sh
# patterns.sh ROOT: docs/patterns.md has a section "### Title (`name`)" for each row of model/waits/patterns.def, with a
# definition, a picture, what it is not, and a case, in this order; each case that it names exists, and one of them at least
# expects a wait of this pattern. The list of all wait states has the row's meaning.
. "$(dirname "$0")/../expect.sh"
cd "$1" || exit 1
page=docs/patterns.md

# The lines of a section.
section() {
    awk -v title="### $1 (\`$2\`)" '/^##/ { inside = 0 } inside; $0 == title { inside = 1 }' "$page"
}

# Whether the case "tests/cases/FAMILY/NAME" or "test_FILE.c:NAME", a function or rows ROW("NAME", ...), has a wait of pattern $2,
# identifier $3. 2: there is no such case.
proves() {
    case $1 in
    tests/cases/*)
        [ -f "$1.case" ] || return 2
        grep -qE "^# (wait|detect) $2 .*[1-9]" "$1.case" ;;
    *)
        file=$(find tests/unit -name "${1%%:*}")
        [ -n "$file" ] || return 2
        body=$(awk -v start="static void ${1##*:}(void **state)" -v row="ROW(\"${1##*:}\"," '
            $0 == start { end = "^}" } index($0, row) { end = "\\),$" } end; end && $0 ~ end { end = "" }' "$file")
        [ -n "$body" ] || return 2
        case $body in *"PATTERN_$3"*) return 0 ;; esac
        # The pattern may be named by a helper that the file has for it alone.
        [ "$(grep -oE 'PATTERN_[A-Z_]+' "$file" | sort -u)" = "PATTERN_$3" ] ;;
    esac
}

rows=$(sed -n 's/^PATTERN(\([A-Z_]*\), "\([a-z_]*\)", "\([^"]*\)".*/\1:\2:\3/p' model/waits/patterns.def | tr ' ' '~')
count=0
for row in $rows; do
    id=${row%%:*} rest=${row#*:}
    name=${rest%%:*} title=$(echo "${rest#*:}" | tr '~' ' ')
    count=$((count + 1))
    text=$(section "$title" "$name")
    [ -n "$text" ] || { fail "$page: no section \"### $title (\`$name\`)\""; continue; }
    meaning=$(tr '\n' ' ' <model/waits/patterns.def | sed 's/" *"//g' | sed -n "s/.*\"$name\", \"[^\"]*\", *\"[^\"]*\", *\"\([^\"]*\)\").*/\1/p")
    grep -q "^| \[$title\](#.*-$name) | $meaning |\$" "$page" || fail "$page: no row \"| [$title](...) | $meaning |\""
    parts=$(echo "$text" | sed -n 's/^\*\*\([A-Z][a-z ]*\)\.\*\*.*/\1/p' | tr '\n' ',')
    [ "$parts" = "Definition,Picture,What it is not,Case," ] ||
        fail "$page: $name: has \"$parts\", expected \"Definition,Picture,What it is not,Case,\""
    proved=false
    for proof in $(echo "$text" | sed -n '/^\*\*Case\.\*\*/,$p' | grep -oE '`(tests/cases/[a-z0-9_/]+|test_[a-z0-9_]+\.c:[a-z0-9_]+)`' | tr -d '`'); do
        proves "$proof" "$name" "$id"
        case $? in
        0) proved=true ;;
        2) fail "$page: $name: there is no case $proof" ;;
        esac
    done
    $proved || fail "$page: $name: no case that it names expects a wait of this pattern"
    for other in $(echo "$text" | grep -oE '`(tests/cases/[a-z0-9_/]+)`' | tr -d '`'); do
        [ -f "$other.case" ] || fail "$page: $name: there is no case $other"
    done
done
[ $count -ge 27 ] || fail "only $count patterns seen: the check itself is broken"
finish
