#include "model/match/relations.h"

#include "trace/faults.h"

enum status relations_build_slice(const struct trace *trace, struct window_uses *uses, struct relations *relations,
                                  struct err *err)
{
    struct relations made = {.trace = trace};
    enum status status = timelines_build(trace, &made.timelines, err);
    if (status == STATUS_OK) status = epochs_build(trace, uses, &made.epochs, err);
    if (status == STATUS_OK) status = instances_build(trace, &made.instances, err);
    if (status == STATUS_OK) status = messages_build(trace, &made.messages, err);
    GIVE(status, *relations = made, relations_clear(&made));
}

enum status relations_build(const struct trace *trace, struct relations *relations, struct err *err)
{
    struct window_uses uses = {0};
    enum status status = relations_build_slice(trace, &uses, relations, err);
    window_uses_clear(&uses);
    return status;
}

enum status relations_keep_going(struct trace *trace, struct err *err)
{
    for (;;) {
        struct relations relations;
        struct err cause = {.list = ERR_NOWHERE};
        enum status status = relations_build(trace, &relations, &cause);
        if (status == STATUS_OK) {
            relations_clear(&relations);
            return STATUS_OK;
        }
        if (status != STATUS_DATA || cause.list == ERR_NOWHERE) {
            if (err) *err = cause;
            return status;
        }
        TRY(trace_cut(trace, (uint32_t)cause.list, (size_t)cause.item, &cause, err));
    }
}

void relations_clear(struct relations *relations)
{
    epochs_clear(&relations->epochs);
    instances_clear(&relations->instances);
    messages_clear(&relations->messages);
    timelines_clear(&relations->timelines);
    relations->trace = NULL;
    relations->state = NULL;
}
