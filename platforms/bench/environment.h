/* The machine of a bench run: nodes by host name, and the ranks on each. */
#ifndef PLATFORMS_BENCH_ENVIRONMENT_H
#define PLATFORMS_BENCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

enum { BENCH_HOST_BYTES = 256 };

struct bench_node {
    char host[BENCH_HOST_BYTES];
    int *ranks; /* ascending */
    int rank_count;
};

/* Nodes in the order of their lowest rank. */
struct bench_environment {
    struct bench_node *nodes;
    int node_count, rank_count;
    bool shares_cores; /* all nodes are parts of one machine that has fewer cores than ranks; set by the caller */
};

/* hosts: one NUL-terminated name of BENCH_HOST_BYTES per rank. */
enum status bench_environment_init(const char (*hosts)[BENCH_HOST_BYTES], int rank_count,
                                   struct bench_environment *environment, struct err *err);
void bench_environment_clear(struct bench_environment *environment);

#endif
