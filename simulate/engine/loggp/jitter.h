/* The latencies of single messages, drawn around the stated one (platform.jitter_s, platform.draw). A message between two
 * nodes takes latency + jitter_s x z. z (scramble_bell()) depends on the draw, the two nodes and the number of the message
 * between them alone, so the order of events does not change it.
 *
 * A message does not overtake an earlier one of the same two nodes, unless it would with the stated latency. */
#ifndef SIMULATE_ENGINE_LOGGP_JITTER_H
#define SIMULATE_ENGINE_LOGGP_JITTER_H

#include "common/map.h"
#include "platforms/platform.h"

struct jitter {
    double sd_ps; /* 0: latencies are those that the platform states, and nothing is drawn */
    uint64_t draw;
    struct map index; /* of a pair of nodes in pairs */
    struct jitter_pair {
        uint64_t messages;           /* so far */
        int64_t stated_ps, drawn_ps; /* when the head of the last one arrives, with the stated latency and the drawn one */
    } *pairs;
    size_t count, capacity;
};

void jitter_init(struct jitter *jitter, const struct platform *platform);
void jitter_clear(struct jitter *jitter);

/* Only if sd_ps > 0. Replaces the stated latency of a message that begins to leave at begin_ps; the drawn one is not negative. */
enum status jitter_draw(struct jitter *jitter, int32_t src_node, int32_t dst_node, int64_t begin_ps, int64_t *latency_ps,
                        struct err *err);

#endif
