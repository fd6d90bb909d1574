/* The lazy mailbox: the engine knows the effects and the conditions and chooses the moment (simulate/engine/loggp/). */
#include "simulate/mailbox/mailbox.h"

static enum status await(const struct mailbox *mailbox, int32_t node, uint32_t rank, uint32_t need, uint32_t counter)
{
    return mailbox->engine_kind->lazy->await(mailbox->engine, node, rank, need, counter, mailbox->err);
}

static void await_next(const struct mailbox *mailbox, int32_t node, uint32_t counter)
{
    mailbox->engine_kind->lazy->await_next(mailbox->engine, node, counter);
}

static void resume(const struct mailbox *mailbox, int32_t node)
{
    mailbox->engine_kind->lazy->resume(mailbox->engine, node);
}

static enum status watch(const struct mailbox *mailbox, int32_t node, bool on)
{
    return mailbox->engine_kind->lazy->watch(mailbox->engine, node, on, mailbox->err);
}

static enum status poll(const struct mailbox *mailbox, int32_t node)
{
    return mailbox->engine_kind->lazy->poll(mailbox->engine, node, mailbox->err);
}

static bool counts(const struct mailbox *mailbox, int64_t bytes)
{
    return mailbox->engine_kind->lazy->counts(mailbox->engine, bytes);
}

static enum status send_count(const struct mailbox *mailbox, const struct engine_count *message)
{
    return mailbox->engine_kind->lazy->count(mailbox->engine, message, mailbox->err);
}

const struct mailbox_kind mailbox_lazy = {
    .await = await,
    .await_next = await_next,
    .resume = resume,
    .watch = watch,
    .poll = poll,
    .counts = counts,
    .count = send_count,
};
