#!/bin/sh
# Each row of cli/option_rules.def, with each of its commands and options: refused where the needed option is missing, and not for
# that reason where it is there. Usage: option_rules.sh RMACAST SOURCE
set -eu
rules=$(mktemp)
trap 'rm -f "$rules"' EXIT
program=$1 rows=$2/cli/option_rules.def
value_of() {
    case $1 in
    bandwidth) echo =1GB/s ;;
    callpath) echo '=main*' ;;
    epsilon | close | latency) echo =1us ;;
    limit) echo =requests=1 ;;
    lost) echo =all ;;
    late-post) echo =latest ;;
    platform) echo =ideal ;;
    imbalance | tolerance) echo =5% ;;
    set) echo =network.latency_s=1us ;;
    parameter) echo =a=1 ;;
    rows | semantics) echo =a ;;
    model) echo =base ;;
    efficiency | per-rank | without-init | whole | check | slices | program | totals | replicate | explain | data-arrows | *=*) ;;
    *) echo =1 ;;
    esac
}
said() { "$program" "$@" 2>&1 >/dev/null </dev/null | grep -cE -- "--$option (with --[^ ]* )?(needs|has no meaning with) --"; }
sed -n 's/^OPTION_RULE("\([^"]*\)", "\([^"]*\)", "\([^"]*\)", "\([^"]*\)")$/\1;\2;\3;\4/p' "$rows" >"$rules"
[ "$(grep -c '^OPTION_RULE(' "$rows")" -eq "$(wc -l <"$rules")" ] && [ "$(wc -l <"$rules")" -gt 20 ] || { echo "rows are not understood"; exit 1; }
tried=0 failed=0
while IFS=';' read -r commands when options needs; do
    for command in $commands; do
        [ "$command" != rmacast-analyze-mpi ] || continue
        for option in $options; do
            set -- "$command" "--$option$(value_of "$option")" ${when:+"--$when$(value_of "$when")"}
            tried=$((tried + 1))
            [ "$(said "$@")" = 1 ] || { echo "not refused: $*"; failed=1; }
            for need in $needs; do
                [ "$(said "$@" "--$need$(value_of "$need")")" = 0 ] && continue
                echo "refused all the same: $* --$need"
                failed=1
            done
        done
    done
done <"$rules"
[ "$tried" -gt 60 ] || { echo "only $tried refusals were tried"; exit 1; }
exit $failed
