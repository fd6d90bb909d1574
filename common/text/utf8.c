#include "common/text/utf8.h"

#include <stddef.h>

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
        for (int k = 1; k < heads[i].length; k++)
            if ((bytes[k] & 0xc0) != 0x80) return 0;
        uint32_t character = utf8_character(text, heads[i].length);
        if (character < heads[i].least || character > 0x10ffff) return 0;
        return character >= 0xd800 && character <= 0xdfff ? 0 : heads[i].length;
    }
    return 0;
}

uint32_t utf8_character(const char *text, int length)
{
    uint32_t character = (unsigned char)*text & (length == 1 ? 0x7fU : 0xffU >> (length + 1));
    for (int k = 1; k < length; k++) character = character << 6 | ((unsigned char)text[k] & 0x3f);
    return character;
}

int utf8_visible(const char *text)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0, 0x1f},          {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
                  {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x180e, 0x180e},
                  {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},
                  {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
                  {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
    if (*text >= ' ' && *text < 0x7f) return 1;
    int length = utf8_length(text);
    uint32_t character = length > 0 ? utf8_character(text, length) : 0;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character >= hidden[i].first && character <= hidden[i].last) return 0;
    return (character & 0xfffe) == 0xfffe ? 0 : length;
}

void utf8_make_plain(char *text)
{
    while (*text) {
        int length = utf8_visible(text);
        if (length == 0) *text = '?';
        text += length ? length : 1;
    }
}
