#include "cli/terminal/fold.h"

#include <string.h>

#include "cli/terminal/color.h"

enum { HANGING = 4, DOTS = 3 };

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++) width += begins_character(text[i]);
    return width;
}

/* Bytes of the first characters. */
static size_t bytes_of(const char *text, size_t length, int characters)
{
    size_t at = 0;
    for (; at < length; at++)
        if (begins_character(text[at]) && characters-- == 0) break;
    return at;
}

/* The end of a path says more than its begin. */
static void write_cut(const char *word, size_t length, int room, FILE *out)
{
    int width = width_of(word, length), head = (room - DOTS) / 3, tail = room - DOTS - head;
    size_t from = bytes_of(word, length, width - tail);
    fwrite(word, 1, bytes_of(word, length, head), out);
    fputs("...", out);
    fwrite(word + from, 1, length - from, out);
}

static void write_word(const char *word, size_t length, int room, bool first, bool colored, FILE *out)
{
    static const struct {
        const char *word;
        enum color color;
    } rows[] = {{"Warning:", COLOR_WARNING}, {"note:", COLOR_WARNING}, {"advice:", COLOR_ADVICE}};
    enum color color = COLOR_NONE;
    for (size_t i = 0; first && colored && i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == length && memcmp(rows[i].word, word, length) == 0) color = rows[i].color;
    fputs(color_begin(color), out);
    if (width_of(word, length) > room)
        write_cut(word, length, room, out);
    else
        fwrite(word, 1, length, out);
    fputs(color_end(color), out);
}

/* A word stays where it fits, with the spaces before it; else it begins the next line. */
static void write_line(const char *line, size_t length, int columns, bool colored, FILE *out)
{
    size_t indent = strspn(line, " ");
    int hanging = (int)indent + HANGING < columns / 2 ? (int)indent + HANGING : HANGING, column = 0;
    bool first = true;
    for (size_t at = 0; at < length;) {
        size_t gap = strspn(line + at, " "), word = 0;
        if (at + gap >= length) break; /* spaces at the end */
        while (at + gap + word < length && line[at + gap + word] != ' ') word++;
        int width = width_of(line + at + gap, word);
        if (!first && column + (int)gap + width > columns) {
            fputc('\n', out);
            gap = (size_t)hanging;
            at += strspn(line + at, " ");
            column = 0;
        } else
            at += gap;
        if ((int)gap >= columns - DOTS) gap = HANGING;
        fprintf(out, "%*s", (int)gap, "");
        write_word(line + at, word, columns - column - (int)gap, first, colored, out);
        column += (int)gap + width;
        at += word;
        first = false;
    }
}

void fold_write(const char *text, int columns, bool colored, FILE *out)
{
    enum { UNBOUNDED = 1 << 30 };
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        write_line(line, length, columns > 0 ? columns : UNBOUNDED, colored, out);
        line += length;
        if (*line) fputc(*line++, out);
    }
}
