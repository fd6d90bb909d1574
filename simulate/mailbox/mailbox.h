/* The mailbox is between the replay core and an engine. It decides when a message is delivered to the core.
 *
 * The core posts a message with its effect. It waits for a condition: a number of messages, a counter, or any message.
 * It polls before anything other than a message lets a rank continue. The eager mailbox delivers every message when it
 * arrives, so it needs no condition; it defines what is meant. The lazy mailbox lets the engine deliver a message
 * later, as late as its effect allows, and gives the same results (the property test late). A node is named by its
 * index. */
#ifndef SIMULATE_MAILBOX_MAILBOX_H
#define SIMULATE_MAILBOX_MAILBOX_H

#include "simulate/engine/engine.h"

struct mailbox {
    const struct engine_descriptor *engine_kind;
    const struct engine_lazy *lazy; /* NULL: it is eager */
    struct engine *engine;
    struct err *err;
};

/* Makes a lazy mailbox if the engine has one and eager is false. Borrows the engine. */
static inline struct mailbox mailbox_of(const struct engine_descriptor *engine_kind, struct engine *engine, bool eager,
                                        struct err *err)
{
    return (struct mailbox){engine_kind, eager ? NULL : engine_kind->lazy, engine, err};
}

/* Sends the message; may change its effect. */
static inline enum status mailbox_post(const struct mailbox *mailbox, struct engine_message *message,
                                       struct engine_departure *departure)
{
    if (!mailbox->lazy) message->effect = EFFECT_ACTS;
    return mailbox->engine_kind->send(mailbox->engine, message, departure, mailbox->err);
}

/* The conditions, until resume. struct engine_lazy describes these functions. */
static inline enum status mailbox_await(const struct mailbox *mailbox, int32_t node, uint32_t rank, uint32_t need,
                                        uint32_t counter)
{
    return mailbox->lazy ? mailbox->lazy->await(mailbox->engine, node, rank, need, counter, mailbox->err) : STATUS_OK;
}

static inline void mailbox_await_next(const struct mailbox *mailbox, int32_t node, uint32_t counter)
{
    if (mailbox->lazy) mailbox->lazy->await_next(mailbox->engine, node, counter);
}

static inline void mailbox_resume(const struct mailbox *mailbox, int32_t node)
{
    if (mailbox->lazy) mailbox->lazy->resume(mailbox->engine, node);
}

static inline enum status mailbox_watch(const struct mailbox *mailbox, int32_t node, bool on)
{
    return mailbox->lazy ? mailbox->lazy->watch(mailbox->engine, node, on, mailbox->err) : STATUS_OK;
}

static inline enum status mailbox_poll(const struct mailbox *mailbox, int32_t node)
{
    return mailbox->lazy ? mailbox->lazy->poll(mailbox->engine, node, mailbox->err) : STATUS_OK;
}

#endif
