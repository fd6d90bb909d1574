# docs/demo.md shows what ./demo prints, and README a part of a transcript. Arguments: rmacast, the source directory.
#
# Times differ from run to run. So of the script its own words and commands are compared, in their order, and of the
# program's output the titles, which stand at the begin of a line.
. "$(dirname "$0")/../expect.sh"
program=$1
source=$2
page=$source/docs/demo.md
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# What the script itself prints: the texts of echo, and each command behind "$ "; what a file takes up is
# not shown (simulate's output, whose command is on two lines).
sed -e ':join' -e '/\\$/ { N; s/\\\n *//; b join' -e '}' "$source/demo" | sed '/^run .*>/d' |
    sed -n -e 's/^echo "\(.*\)"$/\1/p' -e 's/^run \(.*\)$/$ \1/p' |
    sed -e 's,\$commands,$out/commands,g' -e 's,\$rmacast,$build/bin/rmacast,g' \
        -e 's,\$build,build/release,g' -e 's,\$out,demo-out,g' >said
[ "$(grep -c '^\$ ' said)" -eq 3 ] || fail "$(grep -c '^\$ ' said) commands of ./demo were found, expected 3"
grep -Fxf said "$page" >shown
diff said shown >&2 || fail "docs/demo.md (>) does not show what ./demo says (<), in its order"

# The titles that analyze and compare print today, of a trace that was made as the demonstration's was: start waits.
# Of a recorded one nothing says with what it was simulated. Which functions take most of the time, whether the user code of a
# rank stands out, and whether a row is no different, differs from run to run, too.
four=$source/platforms/four-nodes.json
"$program" generate halo2d --ranks 4 --iterations 3 --imbalance 0.5 --sync pscw -o made.txt >out 2>&1 || fail "$(cat out)"
"$program" simulate made.txt --platform "$four" --semantics a --engine loggp -o t.txt >out 2>&1 || fail "$(cat out)"
"$program" analyze t.txt >analyzed || fail "analyze"
"$program" compare t.txt --platform "$four" --engine loggp >compared || fail "compare"
sed -n -e '/^Simulated/d' -e '/^MPI_/d' -e '/^User code/d' -e '/^How sure/d' -e '/^[A-Z]/ { s/[ :,]*  .*//; s/[:,0-9].*//; p; }' analyzed compared | sort -u >titles
[ "$(wc -l <titles)" -gt 8 ] || fail "analyze and compare print $(wc -l <titles) titles, expected more than 8"
while read -r title; do
    grep -q "^$title" "$page" || fail "docs/demo.md does not show '$title'"
done <titles

# README: every line of its blocks of output is one of the transcript that has its commands.
questions=$source/tests/commands/questions/questions.test
sed -n '/^## What you get/,/^## Try it/p' "$source/README.md" | sed -n '/^```/,/^```/p' | grep -v '^```\|^\$\|^$' >excerpt
[ "$(wc -l <excerpt)" -gt 10 ] || fail "README shows $(wc -l <excerpt) lines of output, expected more than 10"
while IFS= read -r line; do
    grep -qFx -- "  $line" "$questions" || fail "README shows a line that $questions has not: $line"
done <excerpt
finish
