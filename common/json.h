/* Reading JSON files whose every error names the file and the key path, on top of cJSON.
 *
 * Call order: json_open, json_root, json_* getters, json_close. A struct json_node is a small value that knows where it
 * is in it; nodes are valid until json_close of their document. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/status.h"

struct json_document {
    char *file; /* as shown in messages */
    char *text; /* what was parsed; NULL: not known */
    cJSON *root;
};

enum { JSON_PATH_BYTES = 256 };

struct json_node {
    const struct json_document *document;
    cJSON *item;
    char path[JSON_PATH_BYTES]; /* "network.topology.type", "" for the root */
};

/* Parses a whole file ("-" is standard input). A syntax error gives STATUS_DATA "FILE:LINE: ...". */
enum status json_open(const char *file, struct json_document *document, struct err *err);
/* The same from memory; file is the name for messages. */
enum status json_parse(const char *text, const char *file, struct json_document *document, struct err *err);
void json_close(struct json_document *document);

struct json_node json_root(const struct json_document *document);

/* The item at a path of members, "mpi.rma.lock"; NULL: there is none. No part of the path has a dot. */
cJSON *json_find(const cJSON *root, const char *path);

/* The member of an object, or the element of an array; item is NULL where there is none. */
struct json_node json_member(const struct json_node *node, const char *key);
struct json_node json_element(const struct json_node *node, size_t index);
/* The next element of an array after `element`; index is that of the next one. Walks an array once, whereas
 * json_element() searches from its begin: for (size_t i = 0, e = json_element(&array, 0); e.item; e = json_next(&array,
 * &e, ++i)). */
struct json_node json_next(const struct json_node *array, const struct json_node *element, size_t index);
size_t json_count(const struct json_node *node);

/* STATUS_DATA "FILE:KEY.PATH: <message> (line N)", without the line where the text is not known. json_cut_line: takes the line
 * off such a text. */
enum status json_error(const struct json_node *node, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void json_cut_line(char *text);

/* Checked values. A missing item is the error "missing, expected ...". A number may be written as {"value": x, ...}. */
enum status json_number(const struct json_node *node, double low, double high, double *value, struct err *err);
enum status json_integer(const struct json_node *node, int64_t low, int64_t high, int64_t *value, struct err *err);
enum status json_string(const struct json_node *node, const char **value,
                        struct err *err); /* borrowed from the document */
enum status json_boolean(const struct json_node *node, bool *value, struct err *err);
enum status json_object(const struct json_node *node, struct err *err);
enum status json_array(const struct json_node *node, struct err *err);

/* Every member must be one of keys (NULL-terminated); keys that start with "comment" or "$" are ignored. The
 * error names the unknown key and lists what is known. */
enum status json_known_keys(const struct json_node *node, const char *const *keys, struct err *err);
bool json_key_ignored(const char *key);

/* {"value": value, "error": error, "n": n}, as json_number() takes it; NULL: no memory. The caller owns it. */
cJSON *json_measured(double value, double error, size_t n);

#endif
