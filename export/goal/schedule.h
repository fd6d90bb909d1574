/* A GOAL schedule (T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009; the text that
 * LogGOPSim's txt2bin reads): per rank sends, receives and computing, and their dependencies.
 *
 * Order of calls: goal_calc() and goal_message() make operations, goal_require() orders them; goal_begins(), goal_ends() and
 * goal_requests() say to which call of the trace they belong. goal_order_calls() then adds computing and program order, and
 * goal_write() writes the text. */
#ifndef EXPORT_GOAL_SCHEDULE_H
#define EXPORT_GOAL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "trace/trace.h"

enum goal_kind { GOAL_CALC, GOAL_SEND, GOAL_RECEIVE };

struct goal_id { /* an operation */
    uint32_t rank, number;
};

struct goal_operation {
    uint8_t kind;
    uint32_t peer, tag;
    uint64_t amount; /* nanoseconds or bytes */
};

struct goal_dependency { /* of operations of one rank */
    uint32_t operation, before;
    bool begun; /* before has begun, else it is done */
};

struct goal_rank {
    struct goal_operation *operations;
    size_t count, capacity;
    struct goal_dependency *dependencies;
    size_t dependency_count, dependency_capacity;
};

enum goal_role { GOAL_BEGINS, GOAL_ENDS, GOAL_REQUEST };
struct goal_part { /* an operation of a call */
    struct goal_id operation;
    enum goal_role role;
    size_t call;
};

struct goal_schedule {
    const struct trace *trace; /* borrowed until goal_clear */
    struct goal_rank *ranks;
    struct goal_part *parts;
    size_t part_count, part_capacity;
    uint32_t messages;
    uint64_t left_out; /* ends of messages without another end */
};

/* Inits *schedule. */
enum status goal_new(const struct trace *trace, struct goal_schedule *schedule, struct err *err);
void goal_clear(struct goal_schedule *schedule);

enum status goal_calc(struct goal_schedule *schedule, uint32_t rank, uint64_t ns, struct goal_id *made, struct err *err);
/* `operation` waits until `before` is done, or has begun. Both are of one rank. */
enum status goal_require(struct goal_schedule *schedule, struct goal_id operation, struct goal_id before, struct err *err);
enum status goal_require_begun(struct goal_schedule *schedule, struct goal_id operation, struct goal_id before, struct err *err);

/* Turns two operations of computing without time into the ends of a message. If both are of one rank, the second waits
 * for the first instead. An empty message has one byte, since LogGOPSim charges a message for its bytes minus one. */
enum status goal_join(struct goal_schedule *schedule, struct goal_id send, struct goal_id receive, int64_t bytes,
                      struct err *err);

struct goal_message {
    struct goal_id send, receive;
};
enum status goal_message(struct goal_schedule *schedule, uint32_t from, uint32_t to, int64_t bytes,
                         struct goal_message *made, struct err *err);

/* Assign an operation to a call of its rank: the call begins it; returns when it is done; makes a request that is
 * complete when it is done. */
enum status goal_begins(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err);
enum status goal_ends(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err);
enum status goal_requests(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err);

/* Adds computing between calls, and orders the calls of each rank. Nothing may be added afterwards. */
enum status goal_order_calls(struct goal_schedule *schedule, struct err *err);

void goal_write(const struct goal_schedule *schedule, FILE *out);

#endif
