/* result_shorten_names() of model/result/result.h. A long name is what the program's debug information says: a function with its
 * arguments, a file with its folders. Its short form takes its place in every text of the result, as long as no other name of
 * the result has the same short form. Short forms fit where the long ones were. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "model/result/result.h"

struct name {
    char *full, *brief;
    bool shared; /* another name has the same short form */
};

struct names {
    struct name *items;
    size_t count, capacity;
    struct map fulls, briefs; /* hash of a text to its item, chained by probing */
};

typedef enum status (*text_visitor)(struct names *names, char *text, bool is_file, struct err *err);

/* Of "ns::f<std::pair<int, int> >(int (*)(char))" that is "ns::f<>". Operators keep all: their names hold brackets. */
static void shorten_function(const char *full, char *brief)
{
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    if (strstr(full, "operator")) {
        strcpy(brief, full);
        return;
    }
    for (; *full && !(*full == '(' && depth == 0 && strncmp(full, anonymous, sizeof anonymous - 1) != 0); full++) {
        if (depth == 0 && *full == '(') { /* no argument: it has no other characters of meaning */
            memcpy(brief, full, sizeof anonymous - 1);
            brief += sizeof anonymous - 1;
            full += sizeof anonymous - 2;
            continue;
        }
        if (*full == '>') depth--;
        if (depth == 0) *brief++ = *full;
        if (*full == '<') depth++;
    }
    *brief = '\0';
}

/* The item whose full, or short, text it is; NULL: none is. *key: its key in the map, or a free one. */
static struct name *find_item(const struct names *names, bool is_full, const char *text, size_t bytes, uint64_t *key)
{
    const struct map *map = is_full ? &names->fulls : &names->briefs;
    uint64_t hash = bytes;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    for (*key = hash;; ++*key) {
        const uint64_t *at = map_find(map, *key);
        if (!at) return NULL;
        struct name *name = &names->items[*at];
        const char *has = is_full ? name->full : name->brief;
        if (strncmp(has, text, bytes) == 0 && has[bytes] == '\0') return name;
    }
}

static enum status add_name(struct names *names, const char *full, size_t bytes, bool is_file, struct err *err)
{
    uint64_t full_key, brief_key;
    if (find_item(names, true, full, bytes, &full_key)) return STATUS_OK;
    struct name made = {.full = strndup(full, bytes), .brief = malloc(bytes + 1)};
    if (!made.full || !made.brief) {
        FREE_ALL(made.full, made.brief);
        return err_memory(err);
    }
    const char *slash = strrchr(made.full, '/');
    if (is_file) strcpy(made.brief, slash ? slash + 1 : made.full);
    else shorten_function(made.full, made.brief);
    struct name *same = find_item(names, false, made.brief, strlen(made.brief), &brief_key);
    made.shared = *made.brief == '\0' || same;
    if (same) same->shared = true;
    const size_t number = names->count;
    enum status status = array_reserve((void **)&names->items, &names->capacity, number + 1, sizeof made, err);
    if (status != STATUS_OK) {
        free(made.full);
        free(made.brief);
        return status;
    }
    names->items[names->count++] = made;
    if (!same) TRY(map_set(&names->briefs, brief_key, number, err));
    return map_set(&names->fulls, full_key, number, err);
}

/* The text in place of a file or a component of a call path of so many bytes. */
static const char *shorter_of(const struct names *names, const char *text, size_t bytes)
{
    uint64_t key;
    const struct name *name = find_item(names, true, text, bytes, &key);
    return name && !name->shared && strlen(name->brief) < bytes ? name->brief : NULL;
}

static enum status collect_names(struct names *names, char *text, bool is_file, struct err *err)
{
    if (!text) return STATUS_OK;
    if (is_file) return add_name(names, text, strlen(text), true, err);
    for (const char *next; *text; text = (char *)next) {
        const size_t bytes = strcspn(text, "/");
        next = text + bytes + (text[bytes] == '/');
        if (bytes > 0) TRY(add_name(names, text, bytes, false, err));
    }
    return STATUS_OK;
}

static enum status shorten_text(struct names *names, char *text, bool is_file, struct err *err)
{
    char *to = text;
    (void)err;
    for (const char *next = text; text && *next;) {
        const size_t bytes = is_file ? strlen(next) : strcspn(next, "/");
        const char *brief = shorter_of(names, next, bytes);
        const size_t length = brief ? strlen(brief) : bytes;
        memmove(to, brief ? brief : next, length);
        to += length;
        next += bytes;
        if (*next == '/') *to++ = *next++;
    }
    if (text) *to = '\0';
    return STATUS_OK;
}

/* Where the name stands in a text as a whole: "g(int)" is not in "fg(int)". */
static char *find_name(const char *text, char *from, const struct name *name)
{
    char *at = from;
    while ((at = strstr(at, name->full)) != NULL) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || strchr("_:/~.", at[-1]));
        if (begins || (at[-1] == '/' && *name->full != '/')) return at;
        at++;
    }
    return NULL;
}

/* In an advice or a note. */
static void replace_names(const struct names *names, char *text)
{
    for (size_t i = 0; text && i < names->count; i++) {
        const struct name *name = &names->items[i];
        const size_t full = strlen(name->full), brief = strlen(name->brief);
        if (name->shared || brief == full) continue;
        for (char *at = text; (at = find_name(text, at, name)) != NULL; at += brief) {
            memcpy(at, name->brief, brief);
            memmove(at + brief, at + full, strlen(at + full) + 1);
        }
    }
}

static enum status visit_shares(struct names *names, struct result_shares *shares, text_visitor visit, struct err *err)
{
    for (size_t i = 0; i < shares->count; i++) {
        TRY(visit(names, shares->items[i].callpath, false, err));
        TRY(visit(names, shares->items[i].file, true, err));
    }
    return STATUS_OK;
}

static enum status visit_call(struct names *names, struct result_call *call, text_visitor visit, struct err *err)
{
    TRY(visit(names, call->callpath, false, err));
    return visit(names, call->file, true, err);
}

/* Call paths and files, wherever a table has them. */
static enum status visit_places(struct names *names, struct result *result, text_visitor visit, struct err *err)
{
    TRY(visit_shares(names, &result->calls, visit, err));
    TRY(visit_shares(names, &result->causes, visit, err));
    TRY(visit_shares(names, &result->critical_path, visit, err));
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            TRY(visit(names, result->patterns[p].places[i].callpath, false, err));
            TRY(visit(names, result->patterns[p].places[i].file, true, err));
        }
    const struct result_groups *groups = &result->transfer_groups[TRANSFERS_OF_PLACE];
    for (size_t i = 0; i < groups->count; i++) {
        TRY(visit(names, groups->items[i].name, false, err));
        TRY(visit(names, groups->items[i].file, true, err));
    }
    for (size_t i = 0; i < result->flight_count; i++) TRY(visit_call(names, &result->flights[i].first, visit, err));
    for (size_t i = 0; i < result->limit_count; i++) TRY(visit_call(names, &result->limits[i].first, visit, err));
    for (size_t i = 0; i < result->creation_count; i++) TRY(visit(names, result->creations[i].file, true, err));
    return STATUS_OK;
}

enum status result_shorten_names(struct result *result, struct err *err)
{
    struct names names = {.count = 0};
    enum status status = visit_places(&names, result, collect_names, err);
    if (status == STATUS_OK) status = visit_places(&names, result, shorten_text, err);
    for (int p = 0; status == STATUS_OK && p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < result->patterns[p].place_count; i++) replace_names(&names, result->patterns[p].places[i].advice);
    for (size_t i = 0; status == STATUS_OK && i < result->note_count; i++) replace_names(&names, result->notes[i]);
    for (size_t i = 0; i < names.count; i++) {
        FREE_ALL(names.items[i].full, names.items[i].brief);
    }
    free(names.items);
    map_clear(&names.fulls);
    map_clear(&names.briefs);
    return status;
}
