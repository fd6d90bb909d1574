# Damaged program models are refused in one line, or are still models: a byte is replaced, or the end is cut off.
. "$(dirname "$0")/lib.sh"

number=0
while [ $number -lt 60 ]; do
    number=$((number + 1))
    for name in halo pipeline; do
        file=$source/examples/$name.model
        place=$((number * 7919 % $(wc -c <"$file")))
        byte=$(printf '(+*/%%^9=,\n x#K' | cut -c$((number % 11 + 1)))
        { head -c $place "$file"; [ $((number % 5)) -eq 0 ] || { printf '%s' "$byte"; tail -c +$((place + 2)) "$file"; }; } >damaged.model
        timeout 50 "$program" info damaged.model --ranks 9 >out 2>err
        status=$?
        [ $status -le 1 ] || [ $status -eq 2 ] || fail "$name, byte $place as '$byte': exit status $status: $(cat err)"
        [ $status -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "$name, byte $place: $(cat err)"
    done
done
finish
