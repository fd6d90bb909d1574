/* Rows that say which member of a struct is which member of a JSON object. From them come the JSON, what reads it back, lines of
 * CSV, and what frees the struct. Not for JSON whose keys a user may leave out or misspell: see platforms/keys.h.
 *
 * {0} ends the rows (common/json/field_rows.h). Members have one of the types of enum field_kind.
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
    size_t flag, flag_bytes; /* a member that is not 0 where it is known; reading sets a bool */
    bool left_out, any_sign, below; /* below: less than `many` */
    bool pointed; /* FIELD_OBJECT, FIELD_INLINE: the member is a pointer, borrowed, and written only */
    bool counted, array; /* FIELD_NUMBERS has a count. FIELD_TREE is an array of what rows describe */
    bool nulls, owned; /* elements of FIELD_EACH may be null; are freed by fields_clear() */
    size_t ranks; /* FIELD_OBJECT, FIELD_INLINE: 1 + the offset, in that struct, of a uint32_t that is its `many` */
    double most; /* of a number; 0: 1e300, or the most of its type */
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

/* A JSON schema (draft 2020-12) of what the rows write. NULL, or spoilt: no memory. The caller owns it. */
cJSON *fields_schema(const struct field *rows);
bool field_is_row(const struct field *row); /* not the end of rows */

/* The values of the columns "key,key,..." of one item, with commas between. Keys of parts and inline structs are found, too; a
 * column that no row has, and an unknown value, is empty. */
void fields_write_csv(const struct field *rows, const char *columns, const void *item, FILE *out);

#endif
