# Wrong usage: exit status 2.
see() {
  echo "see 'rmacast $1 --help'"
}

works '^rmacast [0-9]' --version
works '^Usage: rmacast COMMAND' --help
works '^Usage: rmacast COMMAND' help
works '^Usage: rmacast info ' help info
works '^Usage: rmacast dump ' dump --help
works '^ *-s, --sync=SYNC' generate --help
fails 2 "unknown option --verbose, see 'rmacast --help'" --verbose
names=$("$rmacast" frobnicate 2>&1 | sed 's/.*expected one of //')
for name in info dump generate; do
  echo ", $names," | grep -q ", $name," || complain "list of commands lacks $name" "$names"
done
fails 2 "unknown command frobnicate, expected one of $names" frobnicate
fails 2 "unknown command frobnicate, expected one of $names" help frobnicate
fails 2 "the command is missing, expected one of $names"
fails 2 "TRACE is missing, $(see info)" info
fails 2 "unexpected argument 'two', $(see info)" info one two
fails 2 "unknown option --frobnicate, $(see info)" info --frobnicate
fails 2 "unknown option --frobnicate, $(see info)" info trace.txt --frobnicate=1
fails 2 "unknown option -q, $(see info)" info -q trace.txt
fails 2 "option --json needs a value FILE, $(see info)" info --json
fails 2 "option --json needs a value FILE, $(see info)" info trace.txt --js
fails 2 "option -j needs a value FILE, $(see info)" info -j
fails 2 "--from soon, expected a duration as 10us, 1.5ms or 2s, $(see dump)" dump --from soon trace.txt
fails 2 "--from -1s, expected a duration as 10us, 1.5ms or 2s, $(see dump)" dump --from=-1s trace.txt
fails 2 "--rank two, expected a whole number from 0 to 2147483647, $(see dump)" dump --rank two trace.txt
fails 2 "PATTERN is missing, $(see generate)" generate
fails 2 "pattern star, expected one of halo2d, ring, transpose, $(see generate)" generate star
fails 2 "--sync signal, expected one of pscw, fence, lock, flush, p2p, $(see generate)" generate ring --sync signal
fails 2 "--ranks 0, expected a whole number from 1 to 1048576, $(see generate)" generate ring --ranks 0
fails 2 "--bytes 1KB, expected a size as 4096, 64K or 1M, $(see generate)" generate ring --bytes 1KB
fails 2 "--imbalance much, expected a fraction as 5% or 0.05, $(see generate)" generate ring --imbalance much
fails 2 "impossible imbalance, expected 0 to 1" generate ring --imbalance 2
