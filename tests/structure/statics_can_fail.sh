#!/bin/sh
# statics.sh must find static functions of one word, and pass others. Usage: statics_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar cf - common trace model simulate predictors | tar xf - -C "$copy"
printf 'static struct thing *keep(int n)\n{\n    return meet(n);\n}\nstatic inline int keep_thing(void)\n' >"$copy/common/file.c"
printf 'static inline uint32_t\tnone(void);\nstatic enum status take(struct err *err)\n' >"$copy/common/file.h"
printf 'static const int four = four(2), list[] = {1};\nstatic int (*next)(void);\nint put(void)\n' >"$copy/common/other.c"
! sh tests/structure/statics.sh "$copy" >"$copy/found" || { echo "these pass"; exit 1; }
sed 's/^\([^:]*:[0-9]*\):.*/\1/' "$copy/found" | head -n -1 | LC_ALL=C sort >"$copy/places"
printf './common/file.c:1\n./common/file.h:1\n./common/file.h:2\n' | diff - "$copy/places"
