/* Sums of transfers by pair of ranks, by window, by place in the program and by size: counts, bytes, and histograms of
 * the bounds of their bandwidth. */
#ifndef MODEL_TRANSFERS_TRANSFER_GROUPS_H
#define MODEL_TRANSFERS_TRANSFER_GROUPS_H

#include "common/map.h"
#include "model/transfers/bounds.h"
#include "model/callpaths/callpath.h"
#include "model/transfers/rate_histogram.h"

struct transfer_key {
    uint64_t number;  /* in its list */
    uint32_t a, b, c; /* pair: origin, target, kind's first letter; window: its number; place: node, site, enum
                         mpi_call; size: its class (transfer_size_class) */
};

struct transfer_group {
    struct transfer_key key;
    uint64_t count, bytes;
    struct rate_histogram lower, upper;
};

struct transfer_list {
    struct transfer_group *items;
    size_t count, capacity, last; /* last: added to last */
    struct map index;             /* key's number to item */
};

/* All-zero is empty. */
struct transfer_groups {
    struct transfer_list lists[TRANSFER_GROUPINGS];
    struct map locations; /* (node, site) to a number */
};

void transfer_groups_clear(struct transfer_groups *groups);
enum status transfer_groups_add(struct transfer_groups *groups, const struct trace *trace,
                                const struct callpaths *paths, const struct transfer *transfer, struct err *err);

/* Class 0 has transfers without bytes, class n those of 2^(n-1) to 2^n - 1 bytes. */
uint32_t transfer_size_class(int64_t bytes);

/* Fills result's groups, ordered by rank, number or size; places by bytes, the largest first. */
enum status transfer_groups_report(const struct transfer_groups *groups, const struct trace *trace,
                                   const struct callpaths *paths, struct result *result, struct err *err);

#endif
