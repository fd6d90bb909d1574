#include "common/text/json_text.h"

#include <stdint.h>
#include <string.h>

#include "common/text/utf8.h"

enum { TEXT_MAX = 500 };
#define HIDDEN "\\ufffd"

/* Beyond U+FFFF a pair of surrogates (RFC 8259, section 7). */
static void write_number(FILE *out, uint32_t character)
{
    if (character < 0x10000) fprintf(out, "\\u%04x", (unsigned)character);
    else fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (character >> 10)), (unsigned)(0xdc00 | (character & 0x3ff)));
}

int json_text_character(FILE *out, const char *at)
{
    int length = utf8_length(at);
    if (*at == '\0') return 0;
    if (length == 0) fputs(HIDDEN, out);
    else if (!utf8_visible(at)) write_number(out, utf8_character(at, length));
    else fwrite(at, 1, (size_t)length, out);
    return length ? length : 1;
}

void json_text_write(FILE *out, const char *text)
{
    const char *at = text;
    fputc('"', out);
    while (*at && at - text < TEXT_MAX) {
        if (strchr("\"\\<>&", *at)) write_number(out, (unsigned char)*at++);
        else at += json_text_character(out, at);
    }
    fputs(*at ? "...\"" : "\"", out);
}

void json_text_copy(FILE *out, const char *json)
{
    for (; *json; json++) {
        if (strchr("<>&", *json)) fprintf(out, "\\u%04x", *json);
        else fputc(*json, out);
    }
}
