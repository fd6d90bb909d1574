#include "common/json_text.h"

#include <string.h>

#include "common/utf8.h"

enum { TEXT_MAX = 500 };

void json_text_write(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', out);
    while (*at && at - (const unsigned char *)text < TEXT_MAX) {
        int length = utf8_length((const char *)at);
        if (length == 0) fputs("\\ufffd", out);
        else if (length == 1 && (*at < 0x20 || *at == 0x7f || strchr("\"\\<>&", *at))) fprintf(out, "\\u%04x", *at);
        else fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    if (*at) fputs("...", out);
    fputc('"', out);
}

void json_text_copy(FILE *out, const char *json)
{
    for (; *json; json++) {
        if (*json == '<' || *json == '>' || *json == '&') fprintf(out, "\\u%04x", *json);
        else fputc(*json, out);
    }
}
