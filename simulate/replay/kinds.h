/* The kinds of messages between ranks, and of timers. A driver has a row for each kind of its own (replay/driver.h). */
#ifndef SIMULATE_REPLAY_KINDS_H
#define SIMULATE_REPLAY_KINDS_H

enum message_type {
    MESSAGE_POST,
    MESSAGE_COMPLETE,
    MESSAGE_WAITS, /* protocol.wait = confirmed: a target is in MPI_Win_wait */
    MESSAGE_DATA,
    MESSAGE_ACK,
    MESSAGE_GET_REQUEST,
    MESSAGE_GET_ASK, /* rendezvous of the data of a large get (protocol.get_data) */
    MESSAGE_GET_CLEAR,
    MESSAGE_GET_REPLY,
    MESSAGE_ACCUMULATE,
    MESSAGE_FETCH,   /* the data of a get_accumulate, fetch_and_op or compare_and_swap */
    MESSAGE_RMA_ASK, /* rendezvous of a large put */
    MESSAGE_RMA_CLEAR,
    MESSAGE_TOGETHER,        /* several puts to one target in one message */
    MESSAGE_TOGETHER_SERVED, /* accumulates and gets are among them */
    MESSAGE_TOGETHER_GETS,   /* only gets */
    MESSAGE_TOGETHER_REPLY,
    MESSAGE_LOCK_ASK,
    MESSAGE_LOCK_GRANT,
    MESSAGE_LOCK_RELEASE,
    MESSAGE_LOCK_RELEASED, /* the target's answer to a release */
    MESSAGE_FLUSH_QUERY,   /* needs an answer; it leaves after the data of its access */
    MESSAGE_FLUSHED,
    MESSAGE_BARRIER,
    MESSAGE_EAGER,
    MESSAGE_SEND_ASK, /* rendezvous of a send */
    MESSAGE_SEND_CLEAR,
    MESSAGE_SEND_DATA,
    MESSAGE_SEND_PUT,    /* rendezvous = notified: data whose storing the receiver acknowledges */
    MESSAGE_SEND_STORED, /* that acknowledgement */
    MESSAGE_SEND_NOTICE, /* the sender notifies the receiver that all data are there */
    MESSAGE_SEND_READ,   /* rendezvous = read: data that the receiver reads out of the sender's memory */
    MESSAGE_SEND_ACK,    /* of a small synchronous send, and of data that were read */
    MESSAGE_SHMEM_ASK,   /* of an OpenSHMEM lock */
    MESSAGE_SHMEM_GRANT,
    MESSAGE_SHMEM_RELEASE,
    MESSAGE_QUERIES, /* never sent: queries that arrived outside MPI are answered when their rank is inside */
    MESSAGE_TASK, /* never sent: a non-blocking collective continues when its rank is inside MPI */
    MESSAGE_TYPE_COUNT,
};

/* What a timer is for. The upper bits of its id have the kind, the lower bits the item (TIMER_SHIFT). */
enum timer_kind {
    TIMER_RANK,
    TIMER_OP,       /* an accumulate has been applied */
    TIMER_MESSAGE,  /* a helper thread serves it */
    TIMER_ENVELOPE, /* rendezvous data have left */
    TIMER_REQUEST,  /* a one-sided operation's data have left */
    TIMER_BUFFER,   /* buffered data have left */
    TIMER_THREAD,   /* as TIMER_RANK, for a thread of a rank that has several */
    TIMER_POLL,     /* a thread of such a rank is advanced again */
    TIMER_SERVE,    /* a call that waits polls once more for what it has to serve */
    TIMER_GAP,      /* of a thread on shared cores: its computing or sleep ends */
    TIMER_KIND_COUNT,
};

#endif
