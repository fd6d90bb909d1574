/* Shared by the readers of the platform file: names of settings, overrides, readers of keys. Readers return STATUS_DATA with file
 * and key path. */
#ifndef PLATFORMS_READ_H
#define PLATFORMS_READ_H

#include "common/json.h"
#include "platforms/keys.h"
#include "platforms/platform.h"

/* -1 for an unknown name. */
int platform_name_index(const char *const *names, const char *name);

/* Reads a text and stores its index in names. The error lists the names. */
enum status name_read(const struct json_node *node, const char *const *names, int *index, struct err *err);

/* Sets "a.b.c=VALUE" in the document, making objects on the way; a part with dots is in quotes: a."b.c".d=VALUE.
 * STATUS_USAGE naming the option for a text without '=', an empty key, or a way through something that is no object. */
enum status override_apply(struct json_document *document, const char *override, struct err *err);

/* Removes mpi.rma.lock and mpi.rma.fence of the one document where the other one, or the same, has the list of the call.
 * STATUS_DATA for a name that there is not. */
enum status override_drop_names(const struct json_document *lists, const struct json_document *names, struct err *err);

/* Whether some override is of this key. */
bool override_asks(const char *const *overrides, size_t override_count, const char *key);
/* An override of mpi.profile names another library than the file's, so the file's own `mpi` goes, whatever the order of the
 * overrides; they are applied afterwards. *replaced: the keys that stated a value, "mpi.eager_bytes, mpi.rma.semantics"; where
 * there is none it stays as it is. The caller frees it. */
enum status override_library(struct json_document *document, const char *const *overrides, size_t override_count,
                             char **replaced, struct err *err);

/* Sets "nodes.KEY=VALUE" of all groups, "nodes[3].KEY=VALUE" of one node, "nodes[2-5].KEY=VALUE" of several,
 * "nodes[GROUP].KEY=VALUE" of the groups with this name. Nodes out of a group become a group of their own. *done: it is such an
 * override, and there are groups. */
enum status override_nodes(struct json_document *document, const char *override, const char *path, bool *done, struct err *err);
/* The value of an override, JSON or a text that may have the unit of the key at `path`. The caller owns *value. */
enum status override_value(const char *override, const char *path, const char *text, cJSON **value, struct err *err);
/* The factor of a text "*0.5". */
enum status override_factor(const char *override, const char *text, double *factor, struct err *err);
/* Multiplies a member of an object: a number, a measured value with its error, or that member of each row of a list. What the
 * file's nodes do not say has its default. False: there is none. */
bool override_scale(cJSON *object, const struct platform_key *key, const char *name, double factor);
/* The error where there is none. */
enum status override_states_none(const char *override, struct err *err);

/* Rewrites an error that was found at or below an override's key, or at an unknown key above it: the error names that
 * option and has STATUS_USAGE. Returns the status to pass on. */
enum status override_blame(const struct json_document *document, const char *const *overrides, size_t override_count,
                           struct err *err);

/* Reads mpi.rma.semantics, a letter or a table. */
enum status semantics_read(const struct json_node *node, struct rma_semantics *semantics, struct err *err);
/* Reads upto_bytes of a row by size. It must be larger than `above`, that of the row before; the last row has
 * INT64_MAX. */
enum status upto_read(const struct json_node *upto, bool last, int64_t above, int64_t *upto_bytes, struct err *err);
/* Checks that the root's section `mpi` is valid in a platform file. */
enum status platform_check_mpi(const struct json_node *root, struct err *err);

/* The node of a path below the root; item is NULL where the file has none. The section that has the key. */
struct json_node key_node(const struct json_node *root, const char *path);
struct json_node key_section(const struct json_node *root, const struct platform_key *key);

/* Reads a key into its member. node.item is NULL where the file says nothing. */
typedef enum status key_reader(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                               struct err *err);
/* An object of known keys; a value; a value by operation; a value, or rows by size; what another key's reader reads. */
key_reader section_read, value_read, by_operation_read, by_size_read, part_read;
/* Readers of single keys. */
key_reader nodes_read, topology_key_read, segments_read, loopback_read, semantics_key_read, buffer_read, ahead_read, windows_read,
    call_name_read, progress_read, protocol_read, serves_read, server_read;

/* A value beyond these limits is taken for a mistake in the unit: 1 B/s, an exabyte/s, an hour, a pebibyte. */
enum { NODES_MAX = 1 << 24 }; /* memory is up to 200 bytes for each node up to the last one with a rank */
#define RATE_LEAST 1.0
#define RATE_MOST 1e18
#define TIME_MOST 3600.0
#define BYTES_MOST 0x1p50

/* A measured value may be written as {"value":, "error":, "n":}: measured_check refuses other keys, measured_read takes
 * the value. A rate may be "infinite". */
enum status measured_check(const struct json_node *node, struct err *err);
enum status measured_read(const struct json_node *node, double low, double high, double *value, struct err *err);
/* 0 where none is stated. */
double measured_error(const struct json_node *node);
enum status rate_read(const struct json_node *node, double *value, struct err *err);

#endif
