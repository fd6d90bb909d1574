#include "trace/calls/libraries.h"

#include <stddef.h>
#include <string.h>

struct named {
    const char *name, *version;
    size_t name_length, version_length; /* version_length: 0 if there is none */
};

static struct named read_name(const char *text)
{
    static const char digits[] = "0123456789", word[] = "Version";
    const size_t first = strcspn(text, ","), number = strcspn(text, digits);
    struct named named = {text, text + number, number, number < first ? strspn(text + number, "0123456789.") : 0};
    const char *said = strstr(text, word);
    if (said && said < named.version)
        named.name_length = (size_t)(said - text);
    else if (number > 0 && text[number - 1] == 'v')
        named.name_length--;
    while (named.name_length > 0 && strchr(" \t:", text[named.name_length - 1])) named.name_length--;
    return named;
}

static bool is_same(const char *one, size_t length, const char *two, size_t other)
{
    return length == other && strncmp(one, two, length) == 0;
}

static bool is_same_name(const struct named *a, const struct named *b)
{
    return is_same(a->name, a->name_length, b->name, b->name_length);
}

/* "4.0.2": the length of "4.0". */
static size_t series_length(const struct named *named)
{
    const char *point = memchr(named->version, '.', named->version_length);
    if (!point) return named->version_length;
    return (size_t)(point + 1 - named->version) + strspn(point + 1, "0123456789");
}

bool library_is_of_series(const char *one, const char *two)
{
    if (!one || !two) return false;
    const struct named a = read_name(one), b = read_name(two);
    return a.version_length > 0 && b.version_length > 0 && is_same_name(&a, &b) &&
           is_same(a.version, series_length(&a), b.version, series_length(&b));
}

bool library_is_other(const char *one, const char *two)
{
    if (!one || !two) return false;
    const struct named a = read_name(one), b = read_name(two);
    if (a.version_length == 0 || b.version_length == 0) return false;
    return !is_same_name(&a, &b) ||
           !is_same(a.version, a.version_length, b.version, b.version_length);
}

static const char *first_kind(const char *text)
{
    static const char *const names[] = {"shared memory", "TCP", "remote DMA"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) return names[i];
    return NULL;
}

bool transport_is_other(const char *one, const char *two)
{
    const char *a = first_kind(one), *b = first_kind(two);
    return a && b && a != b;
}
