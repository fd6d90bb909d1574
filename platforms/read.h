/* Shared by the readers of the platform file: names of settings, overrides, readers of sections. Readers return
 * STATUS_DATA with file and key path. */
#ifndef PLATFORMS_READ_H
#define PLATFORMS_READ_H

#include "common/json.h"
#include "platforms/choices.h"
#include "platforms/platform.h"

/* NULL-terminated, in the order of the enums. */
extern const char *const platform_lock_names[], *const platform_fence_names[], *const platform_progress_names[],
    *const platform_issue_names[], *const platform_links_names[], *const platform_nic_names[], *const platform_rendezvous_names[],
    *const platform_window_creation_names[], *const protocol_service_names[];
/* -1 for an unknown name. */
int platform_name_index(const char *const *names, const char *name);

/* Reads a text and stores its index in names. The error lists the names. */
enum status name_read(const struct json_node *node, const char *const *names, int *index, struct err *err);

/* Sets "a.b.c=VALUE" in the document, making objects on the way; a part with dots is in quotes: a."b.c".d=VALUE.
 * STATUS_USAGE naming the option for a text without '=', an empty key, or a way through something that is no object. */
enum status override_apply(struct json_document *document, const char *override, struct err *err);

/* An override of mpi.profile names another library than the file's, so the file's own `mpi` goes, whatever the order of the
 * overrides; they are applied afterwards. *replaced: the keys that stated a value, "mpi.eager_bytes, mpi.rma.semantics"; where
 * there is none it stays as it is. The caller frees it. */
enum status override_library(struct json_document *document, const char *const *overrides, size_t override_count,
                             char **replaced, struct err *err);

/* Rewrites an error that was found at or below an override's key, or at an unknown key above it: the error names that
 * option and has STATUS_USAGE. Returns the status to pass on. */
enum status override_blame(const struct json_document *document, const char *const *overrides, size_t override_count,
                           struct err *err);

/* Reads mpi.rma.semantics, a letter or a table. buffer_read() reads mpi.rma.buffer_bytes, a size or "unlimited", into
 * the semantics. */
enum status semantics_read(const struct json_node *node, struct rma_semantics *semantics, struct err *err);
enum status buffer_read(const struct json_node *node, const struct platform *platform, struct rma_semantics *semantics,
                        struct err *err);
/* Reads mpi.rma.epochs_ahead: a number of at least 1, or "unlimited". */
enum status ahead_read(const struct json_node *node, int64_t *epochs_ahead, struct err *err);
/* Reads upto_bytes of a row by size. It must be larger than `above`, that of the row before; the last row has
 * INT64_MAX. */
enum status upto_read(const struct json_node *upto, bool last, int64_t above, int64_t *upto_bytes, struct err *err);
/* Reads mpi.rma.protocol, which may be missing. Defaults of missing keys follow mpi.rma.progress. */
enum status protocol_read(const struct json_node *node, enum progress_mode progress, struct rma_protocol *protocol,
                          struct err *err);
/* The part of platform_choices_visit() below mpi.rma.protocol. */
enum status protocol_choices_visit(platform_choice_visitor *visit, void *context, struct err *err);
/* Reads mpi.rma.protocol.reverse_share or network.loopback.reverse_share, which may be missing: by operation a number, or rows by
 * size. No share is below `least`. */
enum status reverse_read(const struct json_node *node, double least, struct reverse_rule rules[RMA_KIND_COUNT][REVERSE_RULES_MAX],
                         struct err *err);
/* Reads mpi.rma.atomic_s_per_byte, which may be missing: a number, or rows by size. */
enum status atomics_read(const struct json_node *node, struct apply_cost costs[APPLY_COSTS_MAX], struct err *err);
/* Checks that the root's section `mpi` is valid in a platform file. */
enum status platform_check_mpi(const struct json_node *root, struct err *err);
/* Reads mpi.rma.windows, after the rest of mpi.rma. */
enum status windows_read(const struct json_node *node, struct platform *platform, struct err *err);

/* A value beyond these limits is taken for a mistake in the unit: 1 B/s, an exabyte/s, an hour, a pebibyte. */
#define RATE_LEAST 1.0
#define RATE_MOST 1e18
#define TIME_MOST 3600.0
#define BYTES_MOST 0x1p50

/* A measured value may be written as {"value":, "error":, "n":}: measured_check refuses other keys, measured_read takes
 * the value. A rate may be "infinite". */
enum status measured_check(const struct json_node *node, struct err *err);
enum status measured_read(const struct json_node *node, double low, double high, double *value, struct err *err);
enum status rate_read(const struct json_node *node, double *value, struct err *err);

/* Size segments, loopback and topology: network_keys of the network section. */
extern const char *const network_keys[];
enum status network_read(const struct json_node *network, struct platform *platform, struct err *err);

#endif
