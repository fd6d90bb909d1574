#!/bin/sh
# Every function that a header of a folder declares has a caller outside the tests: a function that only tests call belongs to
# the tests. It has one outside its own file, which may be a test, and so has what headers of tests declare: else it is static.
# Usage: callers.sh SOURCE
set -eu
cd "$1"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The sources without comments, "FILE<tab>LINE" each.
find bench cli common export model mpi platforms predictors recording report simulate tests trace validate -name '*.[ch]' -o -name '*.def' |
    LC_ALL=C sort >"$place/files"
xargs sed -s -n 'F;p' <"$place/files" | awk '
    FNR % 2 { file = $0; next }
    { line = $0
      if (file != before) inside = 0
      before = file
      out = ""
      while (line != "") {
          mark = index(line, inside ? "*/" : "/*")
          if (!inside) out = out (mark ? substr(line, 1, mark - 1) : line)
          if (!mark) break
          inside = !inside
          line = substr(line, mark + 2)
      }
      print file "\t" out
    }' >"$place/lines"

# A declaration or definition begins in the first column with a type. What is left of its line is no call of itself.
awk -F '\t' '
    function name_of(text) {
        sub(/\(.*/, "", text)
        sub(/.*[ *]/, "", text)
        return text
    }
    { declares = $2 ~ /^[a-z][A-Za-z_0-9 *]*[ *][a-z_0-9]+\(/ && $2 !~ /^(return|static|else|case)/ }
    declares && $1 ~ /\.h$/ { declared[name_of($2)] = $1 }
    declares && $1 ~ /\.c$/ { defined[name_of($2)] = $1 }
    { line = $2
      if (declares) sub(/^[^(]*\(/, "", line)
      while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
          word = substr(line, RSTART, RLENGTH)
          if ($1 !~ /^tests\//) used[word] = 1
          if (!((word, $1) in seen)) { seen[word, $1] = 1; files[word]++ }
          line = substr(line, RSTART + RLENGTH)
      }
    }
    END {
        for (name in declared) {
            count++
            if (declared[name] ~ /^tests\//) used[name] = 1
            if (!(name in used)) { print declared[name] ": " name "() has no caller outside the tests"; bad = 1 }
            else if (files[name] + 0 == ((name, defined[name]) in seen)) { print declared[name] ": " name "() has no caller outside its file"; bad = 1 }
        }
        if (count < 300) { print "only " count " functions seen: the check itself is broken"; bad = 1 }
        exit bad
    }' "$place/lines"
