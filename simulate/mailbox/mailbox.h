/* Between the replay core and an engine: decides when a message is delivered to the core.
 *
 * The core posts a message with its effect, waits for a condition (so many messages, a counter, any message), and polls
 * before anything but a message lets a rank go on. The eager mailbox delivers every message at its moment, so it needs
 * no condition: it defines the meaning. The lazy one lets the engine choose a later moment, as late as the effect
 * allows, and gives the same results (property late). A node is named by its index. */
#ifndef SIMULATE_MAILBOX_MAILBOX_H
#define SIMULATE_MAILBOX_MAILBOX_H

#include "simulate/engine/engine.h"

struct mailbox {
    const struct engine_descriptor *engine_kind;
    const struct engine_lazy *lazy; /* NULL: it is eager */
    struct engine *engine;
    struct err *err;
};

/* Lazy where the engine can be, unless eager is asked for. Borrows the engine. */
static inline struct mailbox mailbox_of(const struct engine_descriptor *engine_kind, struct engine *engine, bool eager,
                                        struct err *err)
{
    return (struct mailbox){engine_kind, eager ? NULL : engine_kind->lazy, engine, err};
}

/* Sends the message; may change its effect. */
static inline enum status mailbox_post(const struct mailbox *mailbox, struct engine_message *message,
                                       struct engine_departure *departure)
{
    if (!mailbox->lazy) {
        message->effect = EFFECT_ACTS;
        message->early = false;
    }
    return mailbox->engine_kind->send(mailbox->engine, message, departure, mailbox->err);
}

/* What to wait for, until resume: struct engine_lazy says it, of all that follow. */
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
