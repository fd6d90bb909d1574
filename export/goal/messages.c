/* Two-sided messages: each send with the receive that it met in the trace. */
#include "export/goal/lowering.h"

/* Whether the call returns without it; MPI_Sendrecv has both ends and waits for both. */
static enum status place_operation(struct goal_schedule *schedule, size_t call, struct goal_id operation, struct err *err)
{
    const struct trace_call *at = &schedule->trace->ranks[operation.rank].calls[call];
    TRY(goal_begins(schedule, call, operation, err));
    return call_makes_request(at->call) ? goal_requests(schedule, call, operation, err)
                                        : goal_ends(schedule, call, operation, err);
}

enum status goal_lower_messages(const struct relations *relations, struct goal_schedule *schedule, struct err *err)
{
    const struct messages *messages = &relations->messages;
    for (size_t m = 0; m < messages->count; m++) {
        const struct message *message = &messages->items[m];
        struct goal_message made;
        TRY(goal_message(schedule, message->sender, message->receiver,
                         relations_call(relations, message->sender, message->send_call)->bytes, &made, err));
        TRY(place_operation(schedule, message->send_call, made.send, err));
        TRY(place_operation(schedule, message->receive_call, made.receive, err));
    }
    schedule->left_out += messages->unmatched_sends.count + messages->unmatched_receives.count;
    return STATUS_OK;
}
