#include "common/text/text.h"

#include <stdbool.h>
#include <string.h>

#include "common/text/utf8.h"

enum { TEXT_BYTES = 16384, FORMAT_BYTES = 4096 };
#define DOTS "..."

static size_t count_byte(const char *text, char byte)
{
    size_t count = 0;
    for (const char *at = text; (at = strchr(at, byte)); at++) count++;
    return count;
}

/* The marks become newlines again, and the names between them plain. */
static void restore_newlines(char *text, char mark)
{
    for (char *next = text; next; text = next) {
        next = strchr(text, mark);
        if (next) *next = '\0';
        utf8_make_plain(text);
        if (next) *next++ = '\n';
    }
}

/* Which newlines are the format's is known by a control character that no name of this text has. Where names have all of them,
 * the text is one line. */
void text_print_list(FILE *out, const char *format, va_list arguments)
{
    char marked[FORMAT_BYTES], text[TEXT_BYTES + sizeof DOTS + 1];
    bool clear = false;
    char mark = 1;
    for (; !clear && mark < ' '; mark++) {
        va_list again;
        va_copy(again, arguments);
        /* The format with a mark in the place of its newlines. */
        size_t newlines = 0, at = 0;
        for (; format[at] && at + 1 < FORMAT_BYTES; at++) {
            marked[at] = format[at] == '\n' ? mark : format[at];
            newlines += format[at] == '\n';
        }
        marked[at] = '\0';
        int length = vsnprintf(text, TEXT_BYTES, marked, again);
        va_end(again);
        clear = count_byte(text, mark) <= newlines;
        if (length >= TEXT_BYTES) snprintf(text + TEXT_BYTES - 1, sizeof DOTS + 1, DOTS "%c", mark);
    }
    if (!clear) utf8_make_plain(text);
    restore_newlines(text, (char)(mark - 1));
    fputs(text, out); /* at once: standard error has no buffer, and a line is whole or not at all */
}

void text_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(out, format, arguments);
    va_end(arguments);
}

void text_write_escaped(FILE *out, const char *text, const struct text_escape *escapes, const char *hidden)
{
    for (int length; *text; text += length ? length : 1) {
        const struct text_escape *row = escapes;
        length = utf8_visible(text);
        while (row->character && row->character != *text) row++;
        if (row->character) fputs(row->written, out);
        else if (length > 0) fwrite(text, 1, (size_t)length, out);
        else fputs(hidden, out);
    }
}

void text_write_xml(FILE *out, const char *text)
{
    static const struct text_escape escapes[] = {{'<', "&lt;"},   {'>', "&gt;"},    {'&', "&amp;"},
                                                 {'"', "&quot;"}, {'\'', "&apos;"}, {0}};
    text_write_escaped(out, text, escapes, "?");
}
