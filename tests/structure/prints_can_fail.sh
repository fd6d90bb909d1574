#!/bin/sh
# prints.sh must find what prints by itself, and pass others. Usage: prints_can_fail.sh SOURCE
set -eu
cd "$1"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/cli" "$copy/export" "$copy/common/text" "$copy/common/json"
printf '    printf("%%s", name);\n    text_print(out, "%%s", name);\n    fputs(name, out);\n    fputs("a", out);\n    text_print(out, "\\\\r");\n' >"$copy/cli/one.c"
printf '    fprintf(out, "%%s", name);\n    char *t = cJSON_Print(tree);\n' >"$copy/export/two.c"
printf '    cJSON_PrintUnformatted(tree);\n' >"$copy/common/json/json_write.c"
! sh tests/structure/prints.sh "$copy" 2 >"$copy/found" 2>/dev/null || { echo "these pass"; exit 1; }
cut -d: -f1,2 "$copy/found" | LC_ALL=C sort >"$copy/places"
printf 'cli/one.c:1\ncli/one.c:3\ncli/one.c:5\nexport/two.c:2\n' | diff - "$copy/places"
