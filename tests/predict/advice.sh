# Advice that a transform implements: the rows of compare that stand beside it run, and what is advised against does not grow. Nor
# does the run time; a complete that is moved up waits itself for its data, so of complete-early only the waiting is compared.
. "$(dirname "$0")/lib.sh"

tried=0
for sync in pscw fence; do
    run 0 generate halo2d --ranks 4 --iterations 4 --bytes 64K --compute 1ms --imbalance 0.3 --sync $sync -o halo.txt
    run 0 simulate halo.txt --platform "$platform" --set nodes.count=4 --semantics a -o predicted.txt --json result.json
    jq -r '.patterns[] | select(.rows) | .name + " " + .rows' result.json >offered
    while read -r pattern rows; do
        run 0 compare predicted.txt --platform "$platform" --set nodes.count=4 --rows "$rows" --json comparison.json
        holds comparison.json "[.results[].patterns[] | select(.name == \"$pattern\") | .severity_s] | .[0] as \$now
            | \$now > 0 and all(.[1:][]; . <= \$now)"
        holds comparison.json '.results[0].run_time_s as $now
            | all(.results[1:][] | select(.row | contains("complete-early") | not); .run_time_s <= $now)'
        tried=$((tried + $(echo "$rows" | tr ',' '\n' | grep -c +)))
    done <offered
    # A place's rows stand only beside advice; the table prints the command.
    holds result.json '[.patterns[].places[] | select(.rows != null and .advice == null)] == []'
    run 0 analyze predicted.txt
    shows '^    try: rmacast compare TRACE --platform FILE --rows platform,platform\+[a-z=-]+$'
done
[ $tried -ge 3 ] || fail "$tried pieces of advice were tried, expected 3 at least"
finish
