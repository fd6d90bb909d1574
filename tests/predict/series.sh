# rmacast predict: rounds with one partner each. Groups of one member and targets of locks follow the series; what this script
# writes at 64 and 1024 ranks is the known answer for what is predicted from its runs at 4, 8 and 16.
. "$(dirname "$0")/lib.sh"

# Partners of rank r in round k of n ranks: whom it puts to, and who puts to it.
#   cube           r xor 2^k, both                   log2 n rounds
#   dissemination  r + 2^k, r - 2^k                  log2 n rounds
#   pairwise       r + 1 + k, r - 1 - k              n - 1 rounds
trace() { # SERIES SYNC RANKS; groups=1: makes and frees each round's group, and another one behind the last round
    awk -v series="$1" -v sync="$2" -v n="$3" -v groups="${groups:-0}" '
        function log2(of, k) { for (k = 0; 2 ^ k < of; k++) ; return k }
        function cube(r, k) { return r + (int(r / 2 ^ k) % 2 ? -1 : 1) * 2 ^ k }
        function say(call, keys) { printf "%d %.9f %.9f MPI_%s win=0%s\n", r, t, t, call, keys }
        BEGIN {
            print "rmacast-trace 1\nranks " n "\nwindow 0 comm=0"
            rounds = series == "pairwise" ? n - 1 : log2(n)
            for (r = 0; r < n; r++) for (i = t = 0; i < 3; i++) for (k = 0; k < rounds; k++) {
                if (i == 0 && k == 0) print r, "0 0 MPI_Init"
                step = series == "pairwise" ? k + 1 : 2 ^ k
                to = series == "cube" ? cube(r, k) : (r + step) % n
                from = series == "cube" ? to : (r - step + n) % n
                t += 0.001
                if (groups) printf "%d %.9f %.9f MPI_Group_incl\n", r, t, t
                if (sync == "pscw") say("Win_post", " group=" from " assert=0")
                say(sync == "pscw" ? "Win_start" : "Win_lock", sync == "pscw" ? " group=" to " assert=0" : " target=" to " lock=shared")
                say("Put", " target=" to " bytes=64 disp=0")
                say(sync == "pscw" ? "Win_complete" : "Win_unlock", sync == "pscw" ? "" : " target=" to)
                if (sync == "pscw") say("Win_wait", "")
                if (groups) printf "%d %.9f %.9f MPI_Group_free\n", r, t, t
            }
            for (r = 0; groups && r < n; r++) printf "%d %.9f %.9f MPI_Group_free\n", r, t, t }'
}

# Lines without the header, in the order of the ranks and of each one's calls. A model leaves out calls of groups: they leave
# nothing but their time, which is 0 here.
body() {
    grep -v '^rmacast-trace\|^window\|^ranks\|^property generator\|MPI_Group_' "$1" |
        awk '{ $2 = sprintf("%.9f", $2); $3 = ""; print }'
}

known() { # SERIES SYNC RANKS...
    local series=$1 sync=$2 ranks
    shift 2
    for ranks in 4 8 16; do trace $series $sync $ranks >run$ranks.txt; done
    run 0 model run4.txt run8.txt run16.txt -o found.model
    for ranks; do
        trace $series $sync $ranks >known.txt
        run 0 dump known.txt
        body out >expected
        run 0 dump found.model --ranks $ranks
        body out >made
        [ -s made ] && cmp -s made expected || fail "$series $sync at $ranks ranks: $(diff made expected | head -3)"
    done
}
known cube pscw 64 1024
known cube lock 64 1024
known dissemination pscw 64 1024
known dissemination lock 48 1024
known pairwise pscw 64
known pairwise lock 64
groups=1
known cube pscw 64
known dissemination pscw 48
groups=0

# One round of one rank with another partner is no series: the whole program is a statistical step, and a note says why.
trace cube pscw 16 | awk '/^5 .*Win_post/ && ++seen == 3 { sub("group=1", "group=2") } { print }' >wrong16.txt
trace cube pscw 8 >run8.txt
run 0 model run8.txt wrong16.txt -o wrong.model
grep -q '100 %: MPI_Win_post (wrong16.txt: .*some others, but not all, call a series of calls' err ||
    fail "the series that is none: $(cat err)"

# What a person reads of it.
trace cube pscw 16 >run16.txt
run 0 predict run8.txt run16.txt --ranks 64 --platform ideal --engine loggp --semantics a --program
for line in 'for each partner of the neighbours in a hypercube' 'MPI_Win_post group=partner' 'MPI_Win_start group=partner' \
    'MPI_Put to partner bytes=64'; do
    grep -qF "$line" out || fail "--program does not say '$line'"
done
finish
