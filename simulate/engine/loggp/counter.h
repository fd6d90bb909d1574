/* Messages of count(): they only count, and take the receiving NIC no time. */
#ifndef SIMULATE_ENGINE_LOGGP_COUNTER_H
#define SIMULATE_ENGINE_LOGGP_COUNTER_H

#include "simulate/engine/loggp/state.h"

enum status loggp_count(struct engine *engine, int32_t src_node, int32_t dst_node, uint32_t source, uint32_t destination,
                        uint32_t counter, struct err *err);
/* Counts the messages that have arrived at the node by the limit. False: a rank awaited one of them and may have gone
 * on, and no further message is counted. All messages before the limit have been received. */
bool loggp_counted_all(struct engine *engine, int32_t node, struct event_time limit);
/* The time of the first one that is awaited, or an earlier time. */
struct event_time loggp_counter_due(const struct engine *engine, const struct nic *nic);

#endif
