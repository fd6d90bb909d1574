# How much of the machine's processor time other processes took while something ran. Read with '.': others_begin, the command as a
# child of this shell, others_end, which sets others_share. Neither in a subshell, which has no children yet.

# Ticks of 1/100 s that all processors were busy for.
others_busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat; }

# The same of this shell's children that have ended, and of the cluster's switch: sets others_own.
others_count_own() {
    others_file=$(mktemp)
    times >"$others_file"
    others_switch=$(awk '{ print $14 + $15 }' "/proc/$(cat /run/rmacast-cluster/switch.pid 2>/dev/null)/stat" 2>/dev/null)
    others_own=$(awk -v switch="${others_switch:-0}" '{ for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } }
        END { print int(sum * 100) + switch }' "$others_file")
    rm -f "$others_file"
}

others_begin() {
    others_count_own
    others_own_before=$others_own others_busy_before=$(others_busy) others_began=$(date +%s%N)
}

# Processors are counted by ticks, children exactly: less than nothing may remain, which is nothing.
others_end() {
    others_count_own
    others_share=$(awk -v all=$(($(others_busy) - others_busy_before)) -v own=$((others_own - others_own_before)) \
        -v ns=$(($(date +%s%N) - others_began)) -v cores="$(nproc)" 'BEGIN { printf "%.3f", (all > own ? all - own : 0) / (ns / 1e7 * cores) }')
}
