/* Rows that say which member of a struct is which member of a JSON object. From them come the JSON, what reads it back, lines of
 * CSV, and what frees the struct. Not for JSON whose keys a user may leave out or misspell: see platforms/keys.h.
 *
 * A file of rows defines S as the struct, and a row is FIELD("key", member, attributes...), SAME(member, attributes...) where key
 * and member have one name, or one of the macros below it. {0} ends the rows. Members have one of the types of enum field_kind.
 * Reading is as strict as writing: what is always written must be there, in its range. Keys that no row has are ignored. */
#ifndef COMMON_JSON_FIELDS_H
#define COMMON_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/json.h"
#include "common/wide.h"

enum field_kind {
    FIELD_DOUBLE, FIELD_U64, FIELD_I64, FIELD_U32, FIELD_I32, /* numbers, not negative unless SIGNED */
    FIELD_WIDE, FIELD_PS, /* wide_ps, int64_t: seconds in JSON; not read */
    FIELD_BOOL,    /* with `name`: the name of false or true */
    FIELD_TEXT,    /* char *, owned */
    FIELD_WORD,    /* const char *, static: one of the names, where the row has names */
    FIELD_CHARS,   /* char[] */
    FIELD_NAME,    /* an enum by its names */
    FIELD_NUMBERS, /* double *, owned: `many` of them, or with a count */
    FIELD_TEXTS,   /* char **, owned, with a count */
    FIELD_FLAGS,   /* bool[] by names: an array of the names of the true ones; not read */
    FIELD_TREE,    /* cJSON *, owned: what was read; NULL: what `tree` makes. rows, if any: what it holds, for its schema */
    FIELD_OBJECT,  /* a struct; or a part of the same struct */
    FIELD_INLINE,  /* a struct whose members are members of the same object */
    FIELD_MADE,    /* a struct that `make` fills for writing, with a key or inline. It is not read */
    FIELD_EACH,    /* an array, or by names an object, of structs that `each` fills for writing, one after another. Not read */
    FIELD_ARRAY,   /* a pointer to structs, owned, with a count */
    FIELD_LIST,    /* an array of structs, with a count; not read */
    FIELD_TABLE,   /* an array of structs by names: objects whose first member is "name"; those that `known` wants */
    FIELD_NAMED,   /* double[] by names: an object, or members of the same one (key NULL); NAN is null, or LEFT_OUT */
    FIELD_CONSTANT, /* a text, or null (text NULL); not read */
    FIELD_OWN       /* `read` takes members; not written */
};

/* What `each` says of an element, by its index: none is left; it has none; it is null; it has filled it. */
enum field_each { FIELD_END, FIELD_SKIP, FIELD_NULL, FIELD_ELEMENT };

#define FIELD_MANY SIZE_MAX

/* When a value is known. An unknown one is null, or left out. */
enum field_when { FIELD_ALWAYS, FIELD_POSITIVE, FIELD_NOT_NEGATIVE, FIELD_FINITE, FIELD_THERE, FIELD_FLAG, FIELD_ASKED };

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, bytes; /* bytes of the member, or of an element */
    size_t count;         /* offset of a size_t; number of names; FIELD_MANY: `many` */
    const struct field *rows;
    enum field_when when;
    size_t flag; /* offset of a bool; reading sets it */
    bool left_out, any_sign, below; /* below: less than `many` */
    bool pointed; /* FIELD_OBJECT, FIELD_INLINE: the member is a pointer, borrowed, and written only */
    bool counted, array; /* FIELD_NUMBERS has a count. FIELD_TREE is an array of what rows describe */
    bool nulls, owned; /* elements of FIELD_EACH may be null; are freed by fields_clear() */
    size_t ranks; /* FIELD_OBJECT, FIELD_INLINE: 1 + the offset, in that struct, of a uint32_t that is its `many` */
    double most; /* of a double; 0: 1e300 */
    bool unread;   /* is written only */
    bool optional; /* is always written; a reader can do without it */
    const char *(*name)(int index); /* NULL: there is none */
    bool (*known)(const void *item);
    void (*make)(const void *item, void *made); /* or the value of a number, FIELD_BOOL or FIELD_WORD: not read */
    enum field_each (*each)(const void *item, size_t index, void *made); /* made: of zeros */
    cJSON *(*tree)(const void *item);
    enum status (*read)(const struct json_node *object, void *item, struct err *err);
    const char *text; /* the constant */
};

#define FIELD_KIND(M)                                                                                                        \
    _Generic(&(M), double *: FIELD_DOUBLE, uint64_t *: FIELD_U64, int64_t *: FIELD_I64, uint32_t *: FIELD_U32,               \
             int32_t *: FIELD_I32, bool *: FIELD_BOOL, char **: FIELD_TEXT, const char **: FIELD_WORD,                       \
             double **: FIELD_NUMBERS, cJSON **: FIELD_TREE, wide_ps *: FIELD_WIDE, default: FIELD_CHARS)
#define FIELD_AT(M) .offset = offsetof(S, M)
#define FIELD(KEY, M, ...) {.key = KEY, .kind = FIELD_KIND(((S *)0)->M), FIELD_AT(M), .bytes = sizeof((S *)0)->M, __VA_ARGS__}
#define SAME(M, ...) FIELD(#M, M, __VA_ARGS__)
#define NAME_OF(KEY, M, NAMES, COUNT, ...)                                                                                   \
    {.key = KEY, .kind = FIELD_NAME, FIELD_AT(M), .name = NAMES, .count = COUNT, __VA_ARGS__}
#define TEXTS(KEY, M, COUNT, ...) {.key = KEY, .kind = FIELD_TEXTS, FIELD_AT(M), .count = offsetof(S, COUNT), __VA_ARGS__}
#define NUMBERS(KEY, M, COUNT, ...)                                                                                          \
    {.key = KEY, .kind = FIELD_NUMBERS, FIELD_AT(M), .counted = true, .count = offsetof(S, COUNT), __VA_ARGS__}
#define FLAGS(KEY, M, NAMES) {.key = KEY, .kind = FIELD_FLAGS, FIELD_NAMES(M, NAMES), .unread = true}
#define PS(KEY, M, ...) {.key = KEY, .kind = FIELD_PS, FIELD_AT(M), .unread = true, __VA_ARGS__}
#define SCHEMA(NAME) {.key = "schema", .kind = FIELD_CONSTANT, .text = NAME}
#define OBJECT(KEY, M, ROWS, ...) {.key = KEY, .kind = FIELD_OBJECT, FIELD_AT(M), .rows = ROWS, __VA_ARGS__}
#define PART(KEY, ROWS, ...) {.key = KEY, .kind = FIELD_OBJECT, .rows = ROWS, __VA_ARGS__} /* of the same struct */
/* KEY: a member that tells, where the struct may be unknown, whether it is. */
#define INLINE(KEY, M, ROWS, ...) {.key = KEY, .kind = FIELD_INLINE, FIELD_AT(M), .rows = ROWS, __VA_ARGS__}
#define MADE(KEY, TYPE, MAKE, ROWS, ...)                                                                                     \
    {.key = KEY, .kind = FIELD_MADE, .bytes = sizeof(TYPE), .make = MAKE, .rows = ROWS, __VA_ARGS__}
#define COMPUTED(KEY, KIND, MAKE, ...) {.key = KEY, .kind = KIND, .make = MAKE, .unread = true, __VA_ARGS__}
#define EACH(KEY, TYPE, FILL, ROWS, ...)                                                                                     \
    {.key = KEY, .kind = FIELD_EACH, .bytes = sizeof(TYPE), .each = FILL, .rows = ROWS, __VA_ARGS__}
#define FIELD_ITEMS(M, COUNT, ROWS) FIELD_AT(M), .bytes = sizeof *((S *)0)->M, .count = offsetof(S, COUNT), .rows = ROWS
#define ARRAY(KEY, M, COUNT, ROWS, ...) {.key = KEY, .kind = FIELD_ARRAY, FIELD_ITEMS(M, COUNT, ROWS), __VA_ARGS__}
#define PER_RANK(KEY, M, ROWS, ...) /* one for each of `many` */                                                             \
    {.key = KEY, .kind = FIELD_ARRAY, FIELD_AT(M), .bytes = sizeof *((S *)0)->M, .count = FIELD_MANY, .rows = ROWS, __VA_ARGS__}
#define LIST(KEY, M, COUNT, ROWS, ...) {.key = KEY, .kind = FIELD_LIST, FIELD_ITEMS(M, COUNT, ROWS), .unread = true, __VA_ARGS__}
#define FIELD_NAMES(M, NAMES)                                                                                                \
    FIELD_AT(M), .bytes = sizeof *((S *)0)->M, .count = sizeof((S *)0)->M / sizeof *((S *)0)->M, .name = NAMES
#define TABLE(KEY, M, NAMES, ROWS, ...) {.key = KEY, .kind = FIELD_TABLE, FIELD_NAMES(M, NAMES), .rows = ROWS, __VA_ARGS__}
#define NAMED(KEY, M, NAMES, ...) {.key = KEY, .kind = FIELD_NAMED, FIELD_NAMES(M, NAMES), __VA_ARGS__}

#define IF_POSITIVE .when = FIELD_POSITIVE
#define IF_NOT_NEGATIVE .when = FIELD_NOT_NEGATIVE /* unknown: -1 */
#define IF_FINITE .when = FIELD_FINITE             /* unknown: NAN */
#define IF_THERE .when = FIELD_THERE               /* unknown: NULL, or an empty char[] */
#define IF_FLAG(M) .when = FIELD_FLAG, .flag = offsetof(S, M)
#define IF(ASKED) .when = FIELD_ASKED, .known = ASKED
#define LEFT_OUT .left_out = true
#define SIGNED .any_sign = true
#define BELOW .below = true
#define UNREAD .unread = true
#define OPTIONAL .optional = true
#define POINTED .pointed = true, .unread = true
#define RANKS_OF(STRUCT, M) .ranks = 1 + offsetof(STRUCT, M)

/* many: how many numbers a FIELD_NUMBERS has, and structs a PER_RANK. */
void fields_write(const struct field *rows, const void *item, size_t many, cJSON *object);
/* A whole document. The caller owns the tree. */
enum status fields_to_json(const struct field *rows, const void *item, size_t many, cJSON **json, struct err *err);
/* An array of the count structs at items, each of so many bytes. */
cJSON *fields_array(const struct field *rows, const void *items, size_t bytes, size_t count);
/* Into a struct that is zero, or whose FIELD_NUMBERS have memory already. If it fails, what was read is there, too. */
enum status fields_read(const struct field *rows, const struct json_node *object, size_t many, void *item, struct err *err);
/* Frees what the rows' members own. */
void fields_clear(const struct field *rows, void *item);

/* The values of the columns "key,key,..." of one item, with commas between. Keys of parts and inline structs are found, too; a
 * column that no row has, and an unknown value, is empty. */
void fields_write_csv(const struct field *rows, const char *columns, const void *item, FILE *out);

#endif
