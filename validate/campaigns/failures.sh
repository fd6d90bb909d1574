# Sourced by run.sh: why a run failed, and whether a recording is still that of its program.

# failure_reason STATUS OUT ERR: what `rmacast record` of a parallel run ended with: the signal, or the exit status with the last
# line that the program or rmacast has to say of it. OUT and ERR are its outputs; launchers write into either. Not a reason: the
# boxes of launchers, backtraces, and what rmacast says of a recording that it has kept.
failure_reason() {
    [ "$1" = 124 ] && echo "it reached its time limit" && return
    cat "$2" "$3" | awk -v status="$1" '
        sub(/.*TERMINATED WITH THE EXIT STRING: /, "") { signal = $0; next }
        match($0, / exited on signal [0-9]+ \([^)]*\)/) {
            said = substr($0, RSTART, RLENGTH)
            split(said, word, / exited on signal | \(|\)/)
            signal = word[3] " (signal " word[2] ")"
            next
        }
        /^---+$/ { boxed = !boxed }
        boxed || !/[[:alpha:]]/ || /^[=*]/ || /^ *[0-9]+ +[^ ]*\[0x/ || /^\[[^]]*\] (\*\*\*|\[)/ { next }
        /^This typically refers to|^Please see the FAQ/ { next }
        /^rmacast: (next:|warning:|[0-9]+ ranks?,)/ { next }
        { last = $0 }
        END { print signal ? signal : "exit status " status (last ? ": " last : "") }'
}

# is_recording_of RECORDING PROGRAM: the program is no newer than its recording.
is_recording_of() {
    [ -d "$1" ] && [ -z "$(find -L "$2" -newer "$1" 2>/dev/null)" ]
}
