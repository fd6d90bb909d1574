# Where results are written: what cannot be written, or would destroy what is read, is one line, and nothing half done stays.
. "$(dirname "$0")/lib.sh"
rm -rf taken half full same
mkdir taken half

# The trace that is read is never what is written, by whatever name: a recording would be gone.
run 0 generate ring -n 2 -i 1 -o taken/ring.rma
cp "$worked" taken/worked.txt
ln -s worked.txt taken/link.txt
find taken -type f -exec cksum {} + | sort >before
for names in "taken/ring.rma taken/ring.rma" "taken/ring.rma taken/ring.rma/" "taken/ring.rma/traces.otf2 taken/ring.rma" \
    "taken/worked.txt taken/worked.txt" "taken/link.txt taken/worked.txt" "taken/worked.txt taken/link.txt"; do
    set -- $names
    error 2 "-o $2 would replace" simulate "$1" --platform "$platform" -o "$2"
done
error 2 "-o taken/ring.rma would replace" export taken/ring.rma --to otf2 --model extended -o taken/ring.rma
error 2 "-o taken/worked.txt would replace" dump taken/worked.txt -o taken/worked.txt
for command in simulate compare; do
    error 2 "--json taken/worked.txt would replace" $command taken/worked.txt --platform "$platform" --json taken/worked.txt
done
find taken -type f -exec cksum {} + | sort | cmp - before || fail "the trace that was read is another"
(cd taken/ring.rma && "$program" simulate traces.otf2 --platform "$platform" -o . 2>&1) | grep -q "would replace" ||
    fail "an archive that is read from its own directory is replaced"
# Standard output replaces nothing.
run 0 simulate taken/worked.txt --platform "$platform" -o - --json one.json
error 2 "-o and --json both write same, expected two files" simulate "$worked" --platform "$platform" -o same --json same

# A device without room: the cause, and the name of what could not be written. The table is there all the same.
if [ -w /dev/full ]; then
    run 0 generate ring -n 16 -i 40 -o long.txt
    for command in "simulate long.txt" "compare long.txt --per-rank" "advise $worked" "predict long.txt --replicate --ranks 32"; do
        error 1 "rmacast: /dev/full: cannot be written: No space left on device" $command --platform "$platform" \
            --set nodes.count=32 --engine loggp --json /dev/full
        shows '^(Run time|semantics|change|   ranks) '
    done
    error 1 "rmacast: /dev/full: cannot be written: No space left on device" analyze long.txt --json /dev/full
    shows '^Run time '
    "$program" simulate long.txt --platform "$platform" --set nodes.count=16 --engine loggp -o - >/dev/full 2>err
    [ $? -eq 1 ] || fail "a predicted trace to a full device does not end with 1"
    echo "rmacast: standard output: cannot be written: No space left on device" | cmp - err || fail "the error is $(cat err)"
fi
# A limit of the size of files (ulimit -f, of 512 or 1024 bytes) is no sudden death, and what is begun goes. (OTF2 keeps the
# memory of a writer whose file it could not close.)
for output in half/long.txt half/long.rma; do
    (ulimit -f 8 && ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$program" simulate long.txt \
        --platform "$platform" --set nodes.count=16 --engine loggp -o $output >out 2>err)
    status=$?
    [ $status -eq 1 ] || fail "-o $output beyond the limit of a file's size ends with $status"
    [ "$(wc -l <err)" -eq 1 ] || fail "-o $output: not one line: $(cat err)"
    grep -q 'too large' err || fail "-o $output: the cause is not named: $(cat err)"
    [ -z "$(ls -A half)" ] || fail "-o $output leaves $(ls -A half)"
done

finish
