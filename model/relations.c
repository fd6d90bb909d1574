#include "model/relations.h"

enum status relations_build(const struct trace *trace, struct relations *relations, struct err *err)
{
    struct relations made = {.trace = trace};
    enum status status = lanes_build(trace, &made.lanes, err);
    if (status == STATUS_OK) status = epochs_build(trace, &made.epochs, err);
    if (status == STATUS_OK) status = instances_build(trace, &made.instances, err);
    if (status == STATUS_OK) status = messages_build(trace, &made.messages, err);
    if (status != STATUS_OK) {
        relations_clear(&made);
        return status;
    }
    *relations = made;
    return STATUS_OK;
}

void relations_clear(struct relations *relations)
{
    epochs_clear(&relations->epochs);
    instances_clear(&relations->instances);
    messages_clear(&relations->messages);
    lanes_clear(&relations->lanes);
    relations->trace = NULL;
}
