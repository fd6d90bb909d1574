#include "common/csv.h"

#include <string.h>

void csv_write_quoted(FILE *out, const char *word, const char *text)
{
    fprintf(out, "\"%s", word);
    for (; text && *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_write_text(FILE *out, const char *word, const char *text)
{
    if (text && strpbrk(text, ",\"\r\n"))
        csv_write_quoted(out, word, text);
    else
        fprintf(out, "%s%s", word, text ? text : "");
}
