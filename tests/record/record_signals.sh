#!/bin/sh
# Usage: record_signals.sh RMACAST PROGRAMS: a program that takes a SIGBUS sees, prints and ends as without the recorder, however
# its handler was installed and however it leaves it (programs/signals.c). It runs without a launcher, whose status is its own.
set -u
rmacast=$1 programs=$2
. "$(dirname "$0")/../expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

same() { # WORDS STATUS: also the status that POSIX gives, 128 and the signal's number where that ended the program
    timeout 50 "$programs/signals" "$1" >alone 2>/dev/null
    got=$?
    [ $got = "$2" ] || fail "$1: exit status $got without the recorder, expected $2"
    expect "$2" "$rmacast" record -o signals.rma -- "$programs/signals" "$1"
    check cmp alone out
}
same jump 0
same jump,resethand 135
same jump,siginfo,mask 0
same jump,nodefer,onstack,siginfo 0
same mend,siginfo,onstack,mask 0
same mend,resethand 135
same return 50
same return,resethand 135
same kill,mask,onstack 0
same kill,jump,siginfo,nodefer 0
same kill,resethand 135
same back 135
same chain,first 7
same after,mend,siginfo,mask 0
same after,back,first 7
# The recorder installs its handler again above the program's when a chunk is full.
same long,jump,resethand 135
same long,after,jump 0
same long,after,chain 135
same long,after,chain,first 7
same long,after,back,first 7
same long,after,kill,mask,siginfo 0
finish
