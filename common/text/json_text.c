#include "common/text/json_text.h"

#include <stdlib.h>
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

/* Printed by cJSON, so what is below a space is between strings. */
static void write_printed(FILE *out, const char *printed)
{
    for (int length; *printed; printed += length ? length : 1) {
        length = utf8_length(printed);
        if (length == 0) fputs(HIDDEN, out);
        else if (utf8_visible(printed) || (unsigned char)*printed < ' ') fwrite(printed, 1, (size_t)length, out);
        else write_number(out, utf8_character(printed, length));
    }
}

char *json_text(const cJSON *tree, bool indented)
{
    char *text = NULL, *printed = indented ? cJSON_Print(tree) : cJSON_PrintUnformatted(tree);
    size_t size;
    FILE *out = printed ? open_memstream(&text, &size) : NULL;
    if (out) write_printed(out, printed);
    cJSON_free(printed);
    if (!out) return NULL;
    bool whole = !ferror(out);
    if (fclose(out) == 0 && whole) return text;
    free(text);
    return NULL;
}

void json_text_write(FILE *out, const char *text)
{
    const char *at = text;
    fputc('"', out);
    for (int length; *at && at - text < TEXT_MAX; at += length ? length : 1) {
        length = utf8_length(at);
        if (length == 0) fputs(HIDDEN, out);
        else if (!utf8_visible(at) || strchr("\"\\<>&", *at)) write_number(out, utf8_character(at, length));
        else fwrite(at, 1, (size_t)length, out);
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
