/* The eager mailbox: every message is delivered at its moment, so no condition is needed. */
#include "simulate/mailbox/mailbox.h"

static enum status post(const struct mailbox *mailbox, const struct engine_message *message,
                        struct engine_departure *departure)
{
    struct engine_message acting = *message;
    acting.effect = EFFECT_ACTS;
    acting.early = false;
    return mailbox->engine_kind->send(mailbox->engine, &acting, departure, mailbox->err);
}

static enum status await(const struct mailbox *mailbox, int32_t node, uint32_t rank, uint32_t need, uint32_t counter)
{
    (void)mailbox, (void)node, (void)rank, (void)need, (void)counter;
    return STATUS_OK;
}

static void await_next(const struct mailbox *mailbox, int32_t node, uint32_t counter)
{
    (void)mailbox, (void)node, (void)counter;
}

static void resume(const struct mailbox *mailbox, int32_t node)
{
    (void)mailbox, (void)node;
}

static enum status watch(const struct mailbox *mailbox, int32_t node, bool on)
{
    (void)mailbox, (void)node, (void)on;
    return STATUS_OK;
}

static enum status poll(const struct mailbox *mailbox, int32_t node)
{
    (void)mailbox, (void)node;
    return STATUS_OK;
}

static bool counts(const struct mailbox *mailbox, int64_t bytes)
{
    (void)mailbox, (void)bytes;
    return false;
}

const struct mailbox_kind mailbox_eager = {
    .post = post,
    .await = await,
    .await_next = await_next,
    .resume = resume,
    .watch = watch,
    .poll = poll,
    .counts = counts,
};
