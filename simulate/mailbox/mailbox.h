/* Between the replay core and an engine: decides when a message is delivered to the core.
 *
 * The core posts a message with its effect, waits for a condition (so many messages, a counter, any message), and polls
 * before anything but a message lets a rank go on. The eager mailbox delivers every message at its moment: it defines
 * the meaning. The lazy one lets the engine choose a later moment, as late as the effect allows, and gives the same
 * results (property late). A node is named by its index. */
#ifndef SIMULATE_MAILBOX_MAILBOX_H
#define SIMULATE_MAILBOX_MAILBOX_H

#include "simulate/engine/engine.h"

struct mailbox {
    const struct mailbox_kind *kind;
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct err *err;
};

struct mailbox_kind {
    bool delivers_at_once; /* whatever the effect of the message */
    /* What to wait for, until resume: struct engine_lazy says it. */
    enum status (*await)(const struct mailbox *, int32_t node, uint32_t rank, uint32_t need, uint32_t counter);
    void (*await_next)(const struct mailbox *, int32_t node, uint32_t counter);
    void (*resume)(const struct mailbox *, int32_t node);
    enum status (*watch)(const struct mailbox *, int32_t node, bool on);
    enum status (*poll)(const struct mailbox *, int32_t node);
    /* A message that only counts, at less cost, where counts() says so. */
    bool (*counts)(const struct mailbox *, int64_t bytes);
    enum status (*count)(const struct mailbox *, const struct engine_count *);
};

extern const struct mailbox_kind mailbox_eager, mailbox_lazy;

/* Lazy where the engine can be, unless eager is asked for. Borrows the engine. */
void mailbox_init(struct mailbox *mailbox, const struct engine_descriptor *engine_kind, struct engine *engine, bool eager,
                  struct err *err);

/* Sends the message; may change its effect. */
static inline enum status mailbox_post(const struct mailbox *mailbox, struct engine_message *message,
                                       struct engine_departure *departure)
{
    if (mailbox->kind->delivers_at_once) {
        message->effect = EFFECT_ACTS;
        message->early = false;
    }
    return mailbox->engine_kind->send(mailbox->engine, message, departure, mailbox->err);
}

#endif
