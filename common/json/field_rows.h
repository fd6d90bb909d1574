/* Macros for rows of members (common/json/fields.h), for a file that has some. It defines S as the struct, and a row is
 * FIELD("key", member, attributes...), SAME(member, attributes...) where key and member have one name, or one of the macros below
 * it. {0} ends the rows. */
#ifndef COMMON_JSON_FIELD_ROWS_H
#define COMMON_JSON_FIELD_ROWS_H

#include "common/json/fields.h"

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
#define IF_FLAG(M) .when = FIELD_FLAG, .flag = offsetof(S, M), .flag_bytes = sizeof((S *)0)->M
#define IF(ASKED) .when = FIELD_ASKED, .known = ASKED
#define LEFT_OUT .left_out = true
#define SIGNED .any_sign = true
#define BELOW .below = true
#define UNREAD .unread = true
#define OPTIONAL .optional = true
#define POINTED .pointed = true, .unread = true
#define RANKS_OF(STRUCT, M) .ranks = 1 + offsetof(STRUCT, M)

#endif
