/* A second, independent model of the replay: the simulated enter and exit of every call, from the specification alone
 * (docs/simulation.md). It shares no code with simulate/ and no idea either: one sorted list of events, one event per
 * step of a message, every rank a coroutine that runs through its calls as straight code and looks after each event
 * whether it can go on. Nothing in it is fast; what it is for is to disagree.
 *
 * Only the loggp engine is modelled. What the model does not know is refused by reference_lacks(). */
#ifndef TESTS_REFERENCE_MODEL_H
#define TESTS_REFERENCE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platforms/platform.h"
#include "trace/trace.h"

/* --- for those who compare --- */

struct reference_times {
    int64_t *enter_ps, *exit_ps;
};

/* The name of what the model lacks to replay the trace there, NULL if it lacks nothing. */
const char *reference_lacks(const struct trace *trace, const struct platform *platform);

/* times: one per rank, owned by the caller, with room for all its calls. *link_waits: messages that waited for a link
 * inside the network. False: a deadlock, ranks are stuck. */
bool reference_run(const struct trace *trace, const struct platform *platform, struct reference_times *times,
                   uint64_t *link_waits);

/* --- for the files of the model --- */

struct model;
typedef void action(struct model *model, void *what);
struct rank;
typedef void coroutine(struct model *model, struct rank *rank, void *what);
typedef bool condition(const struct model *model, const void *what);

struct event {
    int64_t time_ps;
    uint32_t key; /* the rank that it is of; ties go by time, key, order of making */
    uint64_t sequence;
    action *act;
    void *what;
};

struct op;
struct message;
struct flight; /* network.c */

struct step { /* something to be done */
    action *act;
    void *what;
    uint32_t polls; /* that it needs */
};

struct rank {
    uint32_t number;
    int32_t node;
    double pace; /* computing time here per recorded time */
    const struct trace_rank *recorded;
    struct reference_times times;
    ucontext_t context, *caller;
    char *stack;
    int64_t poll_ps; /* when its call polls next; 0: not planned, else one more */
    int64_t lingers_until_ps; /* mpi.rma.protocol.linger_s: serves what arrives before */
    int64_t paused_from_ps; /* mpi.pause: its last call that ends a pause returned then */
    int64_t own_ps; /* mpi.call_s and mpi.pause of its call */
    int64_t overhead_ps; /* overhead_s of its call */
    uint32_t visits;    /* how often it has looked */
    bool served;        /* its call has served */
    bool fails;         /* its call is a test that says no */
    bool looks;         /* its call serves from its entry on */
    bool ended, serves; /* its call serves what comes; behind the last one it is served in any case */
    struct rank *owner; /* of a task: the rank whose non-blocking collective it is; else NULL */
    bool postponed;     /* a task: until the owner serves */
    condition *ready;   /* what it waits for */
    const void *what;
    coroutine *body;
    void *body_what;
    struct step *pending; /* what a call has to serve, by arrival */
    size_t pending_count, pending_capacity;
    int64_t applied_ps;       /* accumulates are applied one after another */
    int64_t buffered_bytes;   /* semantics d */
    struct request *requests; /* by their number */
    uint32_t request_count;
    int64_t polled_ps; /* the return of its last call that served */
    struct op **heap_ops;     /* by the number of the call: those of OpenSHMEM so far */
    uint64_t *instances;      /* of collectives, per channel */
    uint32_t unanswered; /* its puts and gets to other nodes that it has not heard of */
    uint32_t others_asked, others_answered; /* mpi.rma.protocol.flush = connections */
};

struct request { /* of an operation, of messages, or of a non-blocking collective */
    struct op *op;
    struct message *message;
    struct rank *task;
    bool receives;
    int64_t done_ps, made_ps; /* 0: not done yet; the return of the call that made it */
};

struct nic {
    int64_t send_ps, receive_ps; /* busy until then */
    int64_t head_ps;             /* of the last message that it takes in for some time, or that waits for that */
    struct flight *receives, *behind; /* with shares that come back: a message with bytes, and a list of those behind it */
    uint32_t last, before;       /* ranks: by which its last arrival is ordered, those of data and of earlier heads */
};

struct crowd { /* the ranks of a node */
    uint32_t cores, ranks, asleep, shares; /* shares: how often those of its cores have changed */
    bool sleeps;                    /* it has fewer cores than ranks, and some of these sleep at times */
};

struct link { /* inside the network */
    uint64_t id;
    int64_t free_ps;
};

/* A message of a barrier or an all-gather. */
struct token {
    uint32_t channel, from, to, round;
    uint64_t instance;
};

struct op; /* operation.h */
struct epoch;
struct fences;
struct pair;
struct server;  /* passive.h */
struct message; /* message.c */

struct model {
    const struct trace *trace;
    const struct platform *platform;
    int64_t now_ps;
    uint64_t sequence;
    struct event *events;
    size_t event_count, event_capacity;
    struct rank *ranks;
    uint32_t rank_count;
    struct nic *nics;
    struct flight *received_within; /* messages within nodes whose rate may change, a list */
    struct crowd *crowds; /* by node */
    int64_t *pair_head_ps; /* [from node][to node]; NULL: not used yet */
    bool *unflushed;       /* [from rank][to rank]: a message since the last request of a flush */
    bool *joined;          /* [rank][rank]: have made a window with memory of their own together */
    struct link *links; /* those used so far */
    size_t link_count, link_capacity;
    uint64_t link_waits;
    struct keeper *keepers; /* of locks of OpenSHMEM, a list */
    struct token *tokens;
    size_t token_count, token_capacity;
    struct pair *pairs;                /* [window][origin][target] */
    struct fences *fences;             /* [window][rank] */
    struct epoch **starts;             /* [window][rank], the last access epoch */
    const struct trace_group **posted; /* [window][rank], the last exposure epoch */
    bool *called; /* [window][rank][target]: a put or get since it completed the target, or all of the window */
    uint32_t *unread; /* [window][rank]: visits and 1 when the last notification came; 0: the rank served then */
    struct server *servers;            /* [window][target], of locks */
    struct message **messages;         /* all so far */
    size_t message_count, message_capacity;
    struct rank *running; /* NULL: an event */
    struct rank **tasks;  /* that are not over */
    size_t task_count, task_capacity;
    void **blocks; /* all memory of the model */
    size_t block_count, block_capacity;
};

/* model.c: memory that lasts as long as the model, zeroed; a list one longer. Out of memory ends the program. */
void *model_new(struct model *model, size_t bytes);
void *model_grow(struct model *model, void *list, size_t count, size_t *capacity, size_t item_bytes);

/* events.c */
void event_add(struct model *model, int64_t time_ps, uint32_t key, action *act, void *what);
/* Of a moment that changes: in the order of the first making, whose sequence it was. */
void event_add_again(struct model *model, int64_t time_ps, uint32_t key, uint64_t sequence, action *act, void *what);
bool event_take(struct model *model, struct event *event);

/* ranks.c: of the rank that runs. */
void rank_await(struct model *model, struct rank *rank, condition *ready, const void *what);
void rank_spend(struct model *model, struct rank *rank, int64_t ps);            /* not as who waits */
void rank_await_time(struct model *model, struct rank *rank, int64_t until_ps); /* as who waits; nothing, if past */
void rank_pay_overhead(struct model *model, struct rank *rank);
int64_t rank_call_ps(const struct model *model, const struct rank *rank, const struct trace_call *call); /* mpi.call_s */
void rank_look(struct model *model, struct rank *rank); /* serves what lies there */
bool rank_serves(const struct model *model, const struct rank *rank); /* what comes now */
void rank_start(struct model *model, struct rank *rank, coroutine *body, void *what);
/* A coroutine of the owner beside its calls: it is run at once until it waits, and goes on as what it waits for is
 * there; with progress call while the owner's calls serve. It has the owner's number, and ended when it is over. */
struct rank *rank_task(struct model *model, struct rank *owner, coroutine *body, void *what);
void rank_walk(struct model *model, struct rank *rank, void *unused); /* through the calls: a body */
void ranks_go_on(struct model *model);
/* Within an event: now and not behind it. False: it still waits, or the event is its own step. */
bool rank_go_on(struct model *model, struct rank *rank);

/* A message that has arrived, and who serves it by mpi.rma.protocol.serves: hardware, and whoever has sent it to
 * itself, at once, thread after its delay, call when a call of the rank serves. */
struct arrival {
    uint32_t from, to;
    enum service service;
    int64_t bytes; /* that its operation moves */
};
/* Who serves, and applies accumulates, in place of the rank. */
struct rank *rank_server(struct model *model, uint32_t number);
void rank_serve(struct model *model, struct arrival arrival, action *act, void *what);
/* Of a two-sided message: one poll is enough. */
void rank_serve_once(struct model *model, struct arrival arrival, action *act, void *what);
/* message.c, of mpi.rma.protocol.visit = wait and needed: notes the time of all requests that are done by now; whether the rank
 * has to poll to learn that those of a wait or test are done. */
void requests_note_done(struct model *model);
bool requests_are_news(const struct model *model, const struct rank *rank, const struct trace_call *call);
enum progress_mode server_of_message(const struct model *model, enum service service, int64_t bytes);

/* network.c. arrived, left: may be NULL. bypass: a request or its answer. two_sided: of a send or a collective.
 * Returns when the last byte has left: who only has to wait until then needs no event of the NIC. */
struct transport {
    uint32_t from, to; /* ranks */
    int64_t bytes;
    int64_t reverse; /* of 10^9 parts of its data so many come back meanwhile */
    bool bypass, two_sided;
    action *left, *arrived;
    void *what;
};
int64_t network_send(struct model *model, struct transport transport);
int64_t network_lasts_ps(const struct model *model, uint32_t from, uint32_t to, int64_t bytes); /* in a NIC */
void network_send_control(struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived, void *what);
void network_send_two_sided(struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived, void *what);

/* collective.c: among the members of a communicator. A channel keeps the instances of one use of it apart from all
 * others. */
void collective_barrier(struct model *model, struct rank *rank, const struct trace_comm *comm, uint32_t channel);
void collective_make_window(struct model *model, struct rank *rank, const struct trace_call *call); /* as MPICH */
void collective_allgather(struct model *model, struct rank *rank, const struct trace_comm *comm, uint32_t channel,
                          int64_t block_bytes);

/* shmem.c: before all else. */
void shmem_open_heaps(struct model *model);

/* Each does the calls of its kinds for the rank, from behind the entry to the exit. */
void do_active(struct model *model, struct rank *rank, const struct trace_call *call);
void do_operation(struct model *model, struct rank *rank, const struct trace_call *call);
void do_fence(struct model *model, struct rank *rank, const struct trace_call *call);
void do_passive(struct model *model, struct rank *rank, const struct trace_call *call);
void do_collective(struct model *model, struct rank *rank, const struct trace_call *call);
void do_shmem(struct model *model, struct rank *rank, const struct trace_call *call);
void do_message(struct model *model, struct rank *rank, const struct trace_call *call);

static inline bool nobody(int32_t peer)
{
    return peer == TRACE_NONE;
}

#endif
