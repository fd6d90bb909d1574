#include "platforms/bench/environment.h"

#include <stdlib.h>
#include <string.h>

static struct bench_node *find_node(const struct bench_environment *environment, const char *host)
{
    for (int i = 0; i < environment->node_count; i++)
        if (strncmp(environment->nodes[i].host, host, BENCH_HOST_BYTES) == 0) return &environment->nodes[i];
    return NULL;
}

static enum status add_rank(struct bench_environment *environment, const char *host, int rank, struct err *err)
{
    struct bench_node *node = find_node(environment, host);
    if (!node) {
        node = &environment->nodes[environment->node_count++];
        strncpy(node->host, host, BENCH_HOST_BYTES - 1);
    }
    int *ranks = realloc(node->ranks, sizeof *ranks * ((size_t)node->rank_count + 1));
    if (!ranks) return err_memory(err);
    node->ranks = ranks;
    node->ranks[node->rank_count++] = rank;
    return STATUS_OK;
}

enum status bench_environment_init(const char (*hosts)[BENCH_HOST_BYTES], int rank_count,
                                   struct bench_environment *environment, struct err *err)
{
    struct bench_environment made = {.nodes = calloc((size_t)rank_count, sizeof *made.nodes), .rank_count = rank_count};
    enum status status = made.nodes ? STATUS_OK : err_memory(err);
    for (int rank = 0; rank < rank_count && status == STATUS_OK; rank++) status = add_rank(&made, hosts[rank], rank, err);
    GIVE(status, *environment = made, bench_environment_clear(&made));
}

void bench_environment_clear(struct bench_environment *environment)
{
    for (int i = 0; i < environment->node_count; i++) free(environment->nodes[i].ranks);
    free(environment->nodes);
    *environment = (struct bench_environment){0};
}
