#include "common/json_text.h"

#include <stdint.h>
#include <string.h>

enum { TEXT_MAX = 500 };

/* Length of the UTF-8 character there; 0: there is none. */
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, value;
        int length;
    } heads[] = {{0x80, 0, 1}, {0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}, {0xf8, 0xf0, 4}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if ((*text & heads[i].mask) != heads[i].value) continue;
        for (int k = 1; k < heads[i].length; k++)
            if ((text[k] & 0xc0) != 0x80) return 0;
        return heads[i].length;
    }
    return 0;
}

void json_text_write(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', out);
    while (*at && at - (const unsigned char *)text < TEXT_MAX) {
        int length = utf8_length(at);
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
