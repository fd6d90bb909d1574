/* docs/simulation.md, Fence, windows, barrier. */
#include "tests/reference/message.h"

/* --- control messages of a barrier */

static void note_token(struct model *model, void *what)
{
    model->tokens = model_grow(model, model->tokens, model->token_count, &model->token_capacity, sizeof *model->tokens);
    model->tokens[model->token_count++] = *(struct token *)what;
}

static bool has_token(const struct model *model, const void *what)
{
    const struct token *want = what;
    for (size_t i = 0; i < model->token_count; i++) {
        const struct token *token = &model->tokens[i];
        if (token->channel == want->channel && token->instance == want->instance && token->from == want->from &&
            token->to == want->to && token->round == want->round)
            return true;
    }
    return false;
}

/* Hensgen, Finkel, Manber 1988: dissemination. Who calls pays. */
void collective_barrier(struct model *model, struct rank *rank, const struct trace_comm *comm, uint32_t channel)
{
    uint32_t me = (uint32_t)trace_comm_rank(comm, (int32_t)rank->number), n = comm->count;
    uint64_t instance = rank->instances[channel]++;
    for (uint32_t round = 0, distance = 1; distance < n; round++, distance *= 2) {
        struct token *out = model_new(model, sizeof *out), *in = model_new(model, sizeof *in);
        uint32_t to = (uint32_t)comm->members[(me + distance) % n];
        uint32_t from = (uint32_t)comm->members[(me + n - distance) % n];
        *out = (struct token){channel, rank->number, to, round, instance};
        *in = (struct token){channel, from, rank->number, round, instance};
        network_send_control(model, rank->number, to, false, note_token, out);
        rank_await(model, rank, has_token, in);
    }
}

/* --- messages with data, point-to-point */

static void exchange(struct model *model, struct rank *rank, uint32_t channel, uint32_t to, uint32_t from,
                     uint32_t round, int64_t bytes)
{
    int32_t comm = -2 - (int32_t)channel;
    struct envelope out = {comm, (int32_t)round, rank->number, to}, in = {comm, (int32_t)round, from, rank->number};
    const struct message *received = message_receive(model, &in);
    const struct message *sent = message_send(model, &out, bytes, SEND_STANDARD);
    rank_await(model, rank, message_is_sent, sent);
    rank_await(model, rank, message_is_received, received);
}

/* Recursive doubling on powers of two, else Bruck. Who calls pays. */
void collective_allgather(struct model *model, struct rank *rank, const struct trace_comm *comm, uint32_t channel,
                          int64_t block_bytes)
{
    uint32_t me = (uint32_t)trace_comm_rank(comm, (int32_t)rank->number), n = comm->count;
    bool power = (n & (n - 1)) == 0;
    for (uint32_t round = 0, distance = 1; distance < n; round++, distance *= 2) {
        uint32_t blocks = distance < n - distance ? distance : n - distance;
        uint32_t to = power ? me ^ distance : (me + n - distance) % n, from = power ? to : (me + distance) % n;
        exchange(model, rank, channel, (uint32_t)comm->members[to], (uint32_t)comm->members[from], round,
                 block_bytes * blocks);
    }
}
