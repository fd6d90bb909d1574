#include "simulate/mailbox/mailbox.h"

void mailbox_init(struct mailbox *mailbox, const struct engine_descriptor *engine_kind, struct engine *engine, bool eager,
                  struct err *err)
{
    const struct mailbox_kind *kind = engine_kind->lazy && !eager ? &mailbox_lazy : &mailbox_eager;
    *mailbox = (struct mailbox){kind, engine_kind, engine, err};
}
