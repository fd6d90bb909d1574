#!/bin/sh
# Usage: manual.sh RMACAST MADE: the manual pages and completions that the build made in MADE have the commands and the
# options that --help prints, and nothing else; groff, bash and, where it is installed, zsh read them without complaint.
. "$(dirname "$0")/../expect.sh"
program=$(realpath "$1")
made=$(realpath "$2")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1

# same WHAT: expected and found hold the same words.
same() {
    sort -u expected >expected.sorted
    sort -u found >found.sorted
    cmp -s expected.sorted found.sorted || fail "$1: < --help, > $(diff expected.sorted found.sorted)"
}

# plain PAGE: as text without roff's bold and underlining.
plain() {
    groff -man -Tascii -P-cbou -rLL=200n -ww "$made/man/man1/$1.1" 2>complaints | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g'
    [ ! -s complaints ] || fail "$1.1: $(head -n 1 complaints)"
}

"$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 15 ] || fail "--help has $(wc -l <commands) commands"
plain rmacast >page
sed 's/.*/rmacast-&/' commands >expected
grep -oE '^ +rmacast-[a-z]+\(1\)' page | sed 's/ *//; s/(1)//' >found
same "rmacast.1"
grep -qF "$("$program" --version | sed 's/ /, /; s/,//')" page || fail "rmacast.1 does not name its version"

while read -r command; do
    "$program" "$command" --help >help </dev/null
    grep -oE '^ {2,7}(-., )?--[a-z-]+(\[?=[^ ]+)?' help | sed 's/^ *//' >expected
    [ -s expected ] || fail "$command --help has no options"
    plain "rmacast-$command" >page
    sed -n '/^OPTIONS/,/^EXIT/p' page | grep -oE '^ {2,7}(-., )?--[a-z-]+(\[?=[^ ]+)?' | sed 's/^ *//' >found
    same "rmacast-$command.1"
    # every word of the summary and of the explanations, whatever the line breaks
    words=$(sed -n '/^ *-/,/^Mandatory/p' help | grep -v '^Mandatory' | tr -s ' \n' ' ' | grep -oE '[a-z]{6,}' | sort -u)
    for word in $words; do grep -q "$word" page || fail "rmacast-$command.1 lacks '$word'"; done
    sed 's/^-., //; s/\[=.*//; s/=.*/=/' expected >options
    sed -n "s/^        $command) options=\"\(.*\)\"\$/\1/p" "$made/completions/bash" | tr ' ' '\n' >found
    mv options expected
    same "bash, $command"
    sed 's/=.*//' expected >options
    sed -n "/^        $command)\$/,/;;\$/p" "$made/completions/zsh" | grep -oE "^ +'\*--[a-z-]+" | sed "s/ *'\*//" >found
    mv options expected
    same "zsh, $command"
done <commands

# What bash offers: commands, the options of the command, files.
cat >complete.bash <<'BASH'
source "$1"
touch trace.txt
offers() {
    COMP_WORDS=(rmacast "$@") COMP_CWORD=$#
    _rmacast
    echo "${COMPREPLY[*]}"
}
[ "$(offers ana)" = analyze ] || echo "rmacast ana: $(offers ana)"
[ "$(offers simulate t --engine = lo)" = loggp ] || echo "simulate --engine=lo: $(offers simulate t --engine = lo)"
[ "$(offers platform pro)" = profiles ] || echo "platform pro: $(offers platform pro)"
[ "$(offers generate halo2)" = halo2d ] || echo "generate halo2: $(offers generate halo2)"
[ "$(offers compare t --rewrite = post)" = post-early ] || echo "compare --rewrite=post: $(offers compare t --rewrite = post)"
[ "$(offers analyze t --efficiency = call)" = callpaths ] || echo "--efficiency=call: $(offers analyze t --efficiency = call)"
[ "$(offers probe --window = d)" = dynamic ] || echo "probe --window=d: $(offers probe --window = d)"
[ "$(offers generate ring --compute = w)" = "" ] || echo "generate --compute=w: $(offers generate ring --compute = w)"
[ "$(offers export --mo)" = --model= ] || echo "export --mo: $(offers export --mo)"
[ "$(offers export --q)" = --quiet ] || echo "export --q: $(offers export --q)"
[ "$(offers analyze --sem)" = "" ] || echo "analyze --sem: $(offers analyze --sem)"
[ "$(offers analyze tra)" = trace.txt ] || echo "analyze tra: $(offers analyze tra)"
[ "$(complete -p rmacast)" = "complete -o filenames -F _rmacast rmacast" ] || complete -p rmacast
BASH
bash complete.bash "$made/completions/bash" >out 2>&1
[ ! -s out ] || fail "bash: $(cat out)"
if command -v zsh >/dev/null; then
    zsh -n "$made/completions/zsh" 2>err || fail "zsh: $(cat err)"
    # what it hands to zsh's own functions: the commands with what they are, the options of a command
    cat >complete.zsh <<'ZSH'
_describe() { print -rl -- ${(P)2}; }
_arguments() { print -rl -- "$@"; }
offers() { words=(rmacast "$@") CURRENT=$(($# + 1)); source $made; }
made=$1
offers ana
offers export --mo
ZSH
    timeout 10 zsh -f complete.zsh "$made/completions/zsh" >out 2>err || fail "zsh: $(cat err)"
    [ ! -s err ] || fail "zsh: $(cat err)"
    shows "^export:a trace in another tool's format$"
    shows '^\*--model=\['
    shows '^\*:file:_files$'
    [ "$(grep -c '^[a-z]*:' out)" = $(($(wc -l <commands) + 1)) ] || fail "zsh offers $(grep -c '^[a-z]*:' out) commands"
else
    echo "zsh is not installed: its completion was compared, but not read by it"
fi

# --quiet: results and errors, no warnings.
printf 'rmacast-trace 1\nranks 2\n0 0 0.1 MPI_Send comm=0 peer=1 tag=5 bytes=64\n' >open.txt
run 0 export open.txt --to goal -o open.goal
grep -q '^rmacast: warning: ' err || fail "no warning without --quiet"
run 0 export --quiet open.txt --to goal -o open.goal
[ ! -s err ] || fail "--quiet: $(cat err)"
error 1 'missing.txt' export -q missing.txt --to goal -o -
error 2 "expected bash or zsh" help --completion fish
error 2 "unknown command nothing" help --man nothing
finish
