/* result_shorten_names() of model/result/result.h. A long name is what the program's debug information says: a function with its
 * arguments, a file with its folders. Its short form takes its place in every text of the result, as long as no other name of
 * the result has the same short form. Short forms fit where the long ones were. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/result/result.h"

struct name {
    char *full, *brief;
    bool shared; /* another name has the same short form */
};

struct names {
    struct name *items;
    size_t count, capacity;
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

static enum status add_name(struct names *names, const char *full, size_t bytes, bool is_file, struct err *err)
{
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->items[i].full) == bytes && memcmp(names->items[i].full, full, bytes) == 0) return STATUS_OK;
    struct name made = {.full = strndup(full, bytes), .brief = malloc(bytes + 1)};
    if (!made.full || !made.brief) {
        FREE_ALL(made.full, made.brief);
        return err_memory(err);
    }
    const char *slash = strrchr(made.full, '/');
    if (is_file) strcpy(made.brief, slash ? slash + 1 : made.full);
    else shorten_function(made.full, made.brief);
    made.shared = *made.brief == '\0';
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i].brief, made.brief) == 0) made.shared = names->items[i].shared = true;
    ARRAY_PUSH(names->items, names->count, names->capacity, made, err);
    return STATUS_OK;
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

static enum status replace_names(struct names *names, char *text, bool is_file, struct err *err)
{
    (void)is_file, (void)err;
    for (size_t i = 0; text && i < names->count; i++) {
        const struct name *name = &names->items[i];
        const size_t full = strlen(name->full), brief = strlen(name->brief);
        if (name->shared || brief == full) continue;
        for (char *at = text; (at = find_name(text, at, name)) != NULL; at += brief) {
            memcpy(at, name->brief, brief);
            memmove(at + brief, at + full, strlen(at + full) + 1);
        }
    }
    return STATUS_OK;
}

static enum status visit_shares(struct names *names, struct result_shares *shares, text_visitor visit, struct err *err)
{
    for (size_t i = 0; i < shares->count; i++) {
        TRY(visit(names, shares->items[i].callpath, false, err));
        TRY(visit(names, shares->items[i].file, true, err));
    }
    return STATUS_OK;
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
    for (size_t i = 0; i < groups->count; i++) TRY(visit(names, groups->items[i].name, false, err));
    for (size_t i = 0; i < result->creation_count; i++) TRY(visit(names, result->creations[i].file, true, err));
    return STATUS_OK;
}

enum status result_shorten_names(struct result *result, struct err *err)
{
    struct names names = {.count = 0};
    enum status status = visit_places(&names, result, collect_names, err);
    if (status == STATUS_OK) status = visit_places(&names, result, replace_names, err);
    for (int p = 0; status == STATUS_OK && p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < result->patterns[p].place_count; i++)
            status = replace_names(&names, result->patterns[p].places[i].advice, false, err);
    for (size_t i = 0; status == STATUS_OK && i < result->note_count; i++)
        status = replace_names(&names, result->notes[i], false, err);
    for (size_t i = 0; i < names.count; i++) {
        FREE_ALL(names.items[i].full, names.items[i].brief);
    }
    free(names.items);
    return status;
}
