/* Open requests of one rank: a hash table from request id to a value, with removal, so that its size is the number of
 * requests open at one time. Internal to trace/otf2/. */
#ifndef TRACE_OTF2_REQUESTS_H
#define TRACE_OTF2_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct archive_request {
    uint64_t id;
    uint64_t value;
    bool used;
};

/* All-zero is the empty table. */
struct archive_requests {
    struct archive_request *slots;
    size_t count, capacity; /* capacity is 0 or a power of two */
};

void archive_requests_clear(struct archive_requests *requests);   /* frees */
void archive_requests_restart(struct archive_requests *requests); /* empties, keeps the memory */

/* Adds or replaces. */
enum status archive_requests_put(struct archive_requests *requests, uint64_t id, uint64_t value, struct err *err);

/* False if the id is not open. take removes it. */
bool archive_requests_find(const struct archive_requests *requests, uint64_t id, uint64_t *value);
bool archive_requests_take(struct archive_requests *requests, uint64_t id, uint64_t *value);

/* Each value becomes moved[value]; SIZE_MAX: the request is forgotten. */
enum status archive_requests_move(struct archive_requests *requests, const size_t *moved, struct err *err);

/* The values still open, ascending, in memory that the caller frees. */
enum status archive_requests_values(const struct archive_requests *requests, uint64_t **values, struct err *err);

#endif
