/* The eager mailbox: every message is delivered at its moment, so no condition is needed. */
#include "simulate/mailbox/mailbox.h"

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
    .delivers_at_once = true,
    .await = await,
    .await_next = await_next,
    .resume = resume,
    .watch = watch,
    .poll = poll,
    .counts = counts,
};
