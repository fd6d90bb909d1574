#include "common/csv.h"

#include <string.h>

#include "common/text/text.h"

void csv_write_quoted(FILE *out, const char *word, const char *text)
{
    static const struct text_escape escapes[] = {{'"', "\"\""}, {'\n', "\n"}, {'\r', "\r"}, {'\t', "\t"}, {0}};
    fprintf(out, "\"%s", word);
    text_write_escaped(out, text ? text : "", escapes, "?");
    fputc('"', out);
}

void csv_write_text(FILE *out, const char *word, const char *text)
{
    static const struct text_escape none = {0};
    if (text && strpbrk(text, ",\"\t\r\n")) {
        csv_write_quoted(out, word, text);
        return;
    }
    fputs(word, out);
    text_write_escaped(out, text ? text : "", &none, "?");
}
