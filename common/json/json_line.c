#include "common/json/json_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* at is the first quote. Returns the text after the last one. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        size_t word = strcspn(at, ",:{}[]\" \t\r\n"); /* a number, true, false, null */
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        at += word > 0 || !*at ? word : 1;
    } while (depth > 0 && *at);
    return at;
}

/* The rest of the path after the key, if the path begins with it; else NULL. */
static const char *behind_key(const char *path, const char *key, size_t length)
{
    if (strncmp(path, key, length) != 0) return NULL;
    path += length;
    if (*path == '.') return path + 1;
    return *path == '\0' || *path == '[' ? path : NULL;
}

/* The same for an element's index. */
static const char *behind_index(const char *path, long index)
{
    char *end;
    if (*path != '[' || strtol(path + 1, &end, 10) != index || *end != ']') return NULL;
    return end[1] == '.' ? end + 2 : end + 1;
}

/* at: a value, to which the path leads on. Returns the deepest key or element on the way; NULL: the value has none of it. */
static const char *find_place(const char *at, const char *path)
{
    const char *found = NULL;
    bool object = *at == '{';
    if ((!object && *at != '[') || !*path) return NULL;
    at = skip_blanks(at + 1);
    for (long index = 0; *at && *at != '}' && *at != ']'; index++) {
        const char *place = at, *rest;
        if (object) {
            at = skip_string(at);
            rest = behind_key(path, place + 1, (size_t)(at - place) - 2);
            at = skip_blanks(skip_blanks(at) + 1); /* the colon */
        } else {
            rest = behind_index(path, index);
        }
        if (rest) {
            const char *deeper = find_place(at, rest);
            found = deeper ? deeper : place;
        }
        at = skip_blanks(skip_value(at));
        if (*at == ',') at = skip_blanks(at + 1);
    }
    return found;
}

int json_line(const char *text, const char *path)
{
    int line = 1;
    const char *root = skip_blanks(text), *found = find_place(root, path);
    if (!found) found = root;
    for (const char *c = text; c < found; c++) line += *c == '\n';
    return line;
}
