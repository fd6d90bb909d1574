/* Builds JSON documents on top of cJSON, and writes them.
 *
 * What finds no memory spoils the object or array that it should have been in (its type is cJSON_Invalid then), and a document
 * with a spoilt part is not written. So nobody asks whether a member was added: json_write() and json_print() do. All of these
 * functions take NULL for an object, array or item, since that is what no memory gives. */
#ifndef COMMON_JSON_JSON_WRITE_H
#define COMMON_JSON_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

/* Each returns the item that was added, which the object owns; NULL: there was no memory. */
cJSON *json_add_number(cJSON *object, const char *key, double value);
cJSON *json_add_text(cJSON *object, const char *key, const char *text); /* NULL: null */
cJSON *json_add_bool(cJSON *object, const char *key, bool value);
cJSON *json_add_null(cJSON *object, const char *key);
cJSON *json_add_object(cJSON *object, const char *key);
cJSON *json_add_array(cJSON *object, const char *key);
/* null unless it is known. */
cJSON *json_add_known(cJSON *object, const char *key, bool known, double value);
/* An array of numbers, NAN: null, in the memory of the numbers alone. values NULL: no memory for them. Only json_write() and
 * json_print() see the numbers. */
cJSON *json_add_numbers(cJSON *object, const char *key, const double *values, size_t count);

/* Each takes the item, in every case, and the item stays valid. False: there was no memory, or no item. */
bool json_put(cJSON *object, const char *key, cJSON *item);
bool json_append(cJSON *array, cJSON *item);
/* In the place of the member with this key; else as json_put(). */
bool json_replace(cJSON *object, const char *key, cJSON *item);
cJSON *json_append_object(cJSON *array);
/* Frees an item that is left out of the object or array. If something of it is missing, nobody knows whether it is to be left
 * out, and the owner is spoilt. */
void json_drop(cJSON *owner, cJSON *item);
void json_remove(cJSON *object, const char *key); /* the same of a member, if there is one */

/* Whether nothing of it is missing. STATUS_SYSTEM: out of memory. NULL: it could not be begun. */
enum status json_whole(const cJSON *json, struct err *err);
/* Hands a finished tree on, or frees it and says why not. */
enum status json_made(cJSON *made, cJSON **json, struct err *err);

/* Writes the document as cJSON_Print() does, or as cJSON_PrintUnformatted(), without a copy of it in memory. Its strings are
 * valid whatever bytes a name has (common/text/json_text.h), and numbers that are none are null. STATUS_SYSTEM, and nothing is
 * written: something is missing. */
enum json_layout { JSON_LINES, JSON_LINE };
enum status json_write(const cJSON *json, enum json_layout layout, FILE *out, struct err *err);
/* The same as text, which the caller frees. NULL: something is missing, or no memory. */
char *json_print(const cJSON *json, enum json_layout layout);

#endif
