#include "model/behaviour/group_votes.h"

#include "model/transfers/transfer_groups.h"

static const enum mpi_call functions[] = {
#define BEHAVIOUR(ID, CALL) [BEHAVIOUR_##ID] = ID_##CALL,
#include "model/behaviour/behaviour.def"
#undef BEHAVIOUR
};

int group_votes_class(const struct trace_call *call)
{
    for (int o = 0; o < BEHAVIOUR_OPERATIONS; o++)
        if (functions[o] == call->call) return o * BEHAVIOUR_SIZES + (int)transfer_size_class(call->bytes);
    return -1;
}

enum mpi_call group_votes_function(int votes_class)
{
    return functions[votes_class / BEHAVIOUR_SIZES];
}

void group_votes_count(const struct behaviour *behaviour, struct group_votes *votes)
{
    for (int c = 0; c < GROUP_VOTE_CLASSES; c++) {
        const struct behaviour_count *count = &behaviour->operations[c / BEHAVIOUR_SIZES][c % BEHAVIOUR_SIZES];
        votes->with[c] = count->group_only;
        votes->against[c] = count->group_not;
    }
}

struct poll {
    uint64_t with, against;
};

static void add_poll(struct poll *poll, const struct group_votes *votes, int votes_class)
{
    poll->with += votes->with[votes_class];
    poll->against += votes->against[votes_class];
}

static bool is_empty(const struct poll *poll)
{
    return poll->with == 0 && poll->against == 0;
}

void group_votes_decide(const struct group_votes *votes, bool for_group[GROUP_VOTE_CLASSES])
{
    struct poll of_function[BEHAVIOUR_OPERATIONS] = {{0, 0}}, of_all = {0, 0};
    for (int c = 0; c < GROUP_VOTE_CLASSES; c++) {
        add_poll(&of_function[c / BEHAVIOUR_SIZES], votes, c);
        add_poll(&of_all, votes, c);
    }
    for (int c = 0; c < GROUP_VOTE_CLASSES; c++) {
        struct poll poll = {votes->with[c], votes->against[c]};
        if (is_empty(&poll)) poll = of_function[c / BEHAVIOUR_SIZES];
        if (is_empty(&poll)) poll = of_all;
        for_group[c] = poll.with > poll.against;
    }
}
