#include "common/utf8.h"

#include <stddef.h>
#include <stdint.h>

int utf8_length(const char *text)
{
    static const struct {
        unsigned char mask, value;
        int length;
        uint32_t least; /* character of this length */
    } heads[] = {{0x80, 0, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if ((*bytes & heads[i].mask) != heads[i].value) continue;
        uint32_t character = *bytes & (unsigned char)~heads[i].mask;
        for (int k = 1; k < heads[i].length; k++) {
            if ((bytes[k] & 0xc0) != 0x80) return 0;
            character = character << 6 | (bytes[k] & 0x3f);
        }
        if (character < heads[i].least || character > 0x10ffff) return 0;
        return character >= 0xd800 && character <= 0xdfff ? 0 : heads[i].length;
    }
    return 0;
}

/* U+0080 to U+009F are C2 80 to C2 9F. */
void utf8_make_plain(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
        if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f) *c = '?';
    }
}
