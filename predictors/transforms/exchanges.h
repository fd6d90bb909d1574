/* Finds the exchanges of a trace: sets of two-sided messages that one synchronisation of a window can serve.
 *
 * On each rank consecutive sends are a group, and so are receives that the program waits for together. A group of
 * receives is an exposure of memory, and one of sends an access to others'; if the receivers get the data, it is the
 * other way round. An exchange is all groups that messages connect, and those that would wait for each other in a
 * circle. Of one exchange a rank has at most one access epoch and one exposure epoch. docs/transforms.md ("Messages as
 * one-sided communication") has the rules, and why no rank waits for ever. A message that cannot become an operation
 * stays, and the report has the reason.
 *
 * It does not rewrite: predictors/transforms/one_sided.c does. */
#ifndef PREDICTORS_TRANSFORMS_EXCHANGES_H
#define PREDICTORS_TRANSFORMS_EXCHANGES_H

#include "model/match/messages.h"
#include "predictors/transforms/transform.h"

/* A place among a rank's calls is call * EXCHANGE_SLOTS + slot. */
enum exchange_slot {
    SLOT_COMPLETE,
    SLOT_WAIT,
    SLOT_POST,
    SLOT_START,
    SLOT_CALL, /* the put that a send becomes; gets come with the start */
    SLOT_COMPLETE_BEHIND,
    SLOT_WAIT_BEHIND,
    SLOT_POST_BEHIND,
    SLOT_STAYS, /* the call, or what stays of it */
    EXCHANGE_SLOTS
};
#define EXCHANGE_NOWHERE UINT64_MAX
#define EXCHANGE_NONE UINT32_MAX

enum exchange_order {
    EXCHANGE_NOTIFIED, /* sends wait for no receiver */
    EXCHANGE_FLUSHED,  /* the same; messages without bytes stay, since they have nothing to put */
    EXCHANGE_BY_GROUPS, /* post, start, complete, wait */
    EXCHANGE_BY_FENCES  /* all ranks of the communicator have each exchange */
};

struct exchange_message {
    struct message of;
    size_t sent, received; /* the calls that complete send and receive; MESSAGE_NONE: none does */
    uint32_t next_done[2]; /* further ends that the same call completes, of the send and of the receive */
    uint32_t groups[2];    /* of the send, of the receive */
    bool stays;
};

struct exchange_group {
    uint32_t rank;
    bool receives;
    uint64_t begin, end; /* of an access: start and complete; of an exposure: post and wait */
    uint32_t parent;     /* towards the group that stands for the exchange */
    uint32_t part;
};

struct exchange_part { /* what a rank does in an exchange; EXCHANGE_NOWHERE: it has no access, or no exposure */
    uint32_t rank, exchange;
    uint64_t post, start, complete, wait;
};

enum exchange_act { ACT_POST, ACT_START, ACT_COMPLETE, ACT_WAIT, ACT_OPEN, ACT_CLOSE }; /* the last two are fences */
struct exchange_action {
    uint64_t place;
    uint32_t rank, part; /* EXCHANGE_FLUSHED: ACT_COMPLETE of a group, whose number it is */
    enum exchange_act act;
};

struct exchanges {
    const struct trace *trace;          /* borrowed */
    struct transform_report *report;    /* borrowed */
    bool gets;                          /* the receivers get the data; else the senders put them */
    int32_t comm;                       /* of the window */
    size_t *first;                      /* per rank, and one more: number of calls of the ranks before */
    struct exchange_message *messages;  /* by receiver, then receive */
    struct probe *probes;
    size_t count, probe_count;
    uint32_t *ends[2];                  /* by call: the message that it sends, that it receives */
    uint32_t *done;                     /* by call: the first end that it completes, message * 2 + (1: the receive) */
    bool *holds, *threads;              /* by call: a lock is held; by rank: several threads call MPI */
    bool *waits;                        /* by call: it may wait for another rank, but for messages that become operations */
    bool locks_wait;                    /* some rank waits for others while it holds a lock */
    struct exchange_group *groups;
    size_t group_count, group_capacity;
    struct exchange_part *parts; /* by rank */
    size_t part_count, part_capacity;
    struct exchange_action *actions; /* by rank, then place */
    size_t action_count, action_capacity;
    size_t exchange_count;
};

/* Inits *exchanges. Counts messages and refusals in the report. */
enum status exchanges_find(const struct trace *trace, enum exchange_order order, bool gets,
                           struct transform_report *report, struct exchanges *exchanges, struct err *err);
void exchanges_clear(struct exchanges *exchanges);

/* The message that the call sends (side 0) or receives (1) and that becomes an operation; NULL: none. */
struct exchange_message *exchanges_end(const struct exchanges *exchanges, uint32_t rank, size_t call, int side);
/* Whether the call completes something that stays. */
bool exchanges_call_stays(const struct exchanges *exchanges, uint32_t rank, size_t call);
int64_t exchange_bytes(const struct trace *trace, const struct exchange_message *message, int side);

/* For predictors/transforms/exchange_order.c: the group that stands for an exchange; joins two exchanges. */
uint32_t exchange_of(const struct exchanges *exchanges, uint32_t group);
void exchanges_join(struct exchanges *exchanges, uint32_t one, uint32_t other);

/* Joins exchanges that would wait for each other, and sets parts and actions. Sets *again where messages stay now, and the groups
 * have to be found anew. */
enum status exchanges_sort(struct exchanges *exchanges, enum exchange_order order, bool *again, struct err *err);
/* The message stays, and so does the other one of an MPI_Sendrecv. */
enum status exchanges_refuse(struct exchanges *exchanges, struct exchange_message *message, int side, struct err *err,
                             const char *why);

#endif
