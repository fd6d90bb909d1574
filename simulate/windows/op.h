/* One-sided operations: items of the pool replay.ops. transfer.h has what happens to them. */
#ifndef SIMULATE_WINDOWS_OP_H
#define SIMULATE_WINDOWS_OP_H

#include "simulate/windows/window.h"

/* A put, get or accumulate, or a notification of complete in the queue of a pair. */
struct op {
    uint32_t origin, target, member, pair, lock; /* of start: pair, under a lock: lock; else NO_INDEX */
    uint32_t next;                               /* in a queue, or the free list */
    size_t call; /* replay_call_number() of the origin */
    union {
        struct {
            int64_t bytes, began_ps;
        };
        struct { /* notification */
            int64_t complete_enter_ps, last_op_ps;
        };
    };
    int64_t result_bytes;   /* of a fetching operation */
    uint32_t data_expected; /* notification */
    uint32_t epoch;         /* access number of the pair, or fence instance */
    uint8_t kind;           /* enum call_kind; CALL_COMPLETE: a notification */
    bool counts_left;       /* in access.lefts */
    bool group;             /* it leaves when the posts of the whole access epoch have arrived */
    uint32_t request;       /* completed by the operation's local completion, or NO_INDEX */
    bool buffered;          /* releases its bytes of the rank's buffer when they have left */
    bool put;               /* it goes by the rules of puts, not of accumulates */
    bool has_answer;        /* of its own: no request of a flush follows it */
    bool answered;          /* its origin gets its data, or an acknowledgement */
    uint8_t local;          /* enum local_mode: when a put or accumulate is complete at its origin */
    bool together;          /* head of a chain (by next) that is sent in one message */
};

#endif
