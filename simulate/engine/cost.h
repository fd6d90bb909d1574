/* The cost of a message alone (docs/simulation.md, Messages): pure functions of the platform, shared by the engines. */
#ifndef SIMULATE_ENGINE_COST_H
#define SIMULATE_ENGINE_COST_H

#include "simulate/engine/engine.h"

/* Simulated time ends here, after 50 days; a later time is an error of the replay. Until the error is reported, a cost
 * may be added to a time without overflow. A single cost that is too long leads beyond the end whatever it is added
 * to. */
#define COST_END_PS    (INT64_C(50) * 24 * 3600 * 1000000000000)
#define COST_BEYOND_PS (COST_END_PS + 1) /* added to a time, and a latency to that: below 2^63 */

/* Nearest picosecond, at most COST_BEYOND_PS. */
int64_t cost_duration_ps(double s);
/* The nearest whole number of the platform's grain, at most COST_BEYOND_PS. */
int64_t cost_in_grains_ps(const struct platform *platform, double ps);
/* What bytes cost. */
int64_t cost_of_bytes_ps(const struct platform *platform, double s);

struct cost {
    int64_t occupy_ps;   /* the sending NIC is busy: max(gap, bytes / bandwidth); 0 inside a node */
    int64_t transmit_ps; /* bytes / bandwidth: the last byte has left this long after the first began */
    int64_t latency_ps;  /* from a byte's leaving to its arrival */
    bool network;        /* passes NICs and links; false inside a node and to oneself */
};

/* What the first call behind a pause takes longer. */
int64_t cost_pause_ps(const struct pause_cost *cost, int64_t lasts_ps);

struct cost cost_message(const struct platform *platform, const struct engine_message *message);

/* Caches the costs of some sizes between nodes, since programs send few sizes repeatedly. */
enum { COST_MEMORY_ROWS = 16, COST_MEMORY_SHIFT = 60 };
struct cost_memory {
    const struct platform *platform;
    bool same_latency; /* between any two nodes */
    struct cost_row {
        int64_t bytes; /* -1: none */
        bool two_sided;
        struct cost cost;
    } rows[COST_MEMORY_ROWS], other;
};

/* Borrows platform. */
void cost_memory_init(struct cost_memory *memory, const struct platform *platform);
/* Computes what cost_message does, and stores it. */
const struct cost *cost_learn(struct cost_memory *memory, struct cost_row *row, const struct engine_message *message);

/* As cost_message; valid until the next call. */
static inline const struct cost *cost_recall(struct cost_memory *memory, const struct engine_message *message)
{
    bool known = memory->same_latency && message->src_node != message->dst_node;
    uint64_t mixed = ((uint64_t)message->bytes + message->two_sided) * UINT64_C(0x9e3779b97f4a7c15);
    struct cost_row *row = known ? &memory->rows[mixed >> COST_MEMORY_SHIFT] : &memory->other;
    bool same = known && row->bytes == message->bytes && row->two_sided == message->two_sided;
    return same ? &row->cost : cost_learn(memory, row, message);
}

#endif
