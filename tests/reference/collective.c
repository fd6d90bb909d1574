/* docs/simulation.md, Fence, windows, barrier; and of what collectives are made. */
#include "tests/reference/collective.h"

#include "tests/reference/message.h"

/* --- control messages of a barrier --- */

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
        network_send_two_sided(model, rank->number, to, false, note_token, out);
        rank_await(model, rank, has_token, in);
    }
}

/* --- messages with data, point-to-point --- */

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

/* --- those that pay for each message: for what a step sends before the step, for what it receives behind it --- */

static void pay(const struct party *party, uint32_t messages)
{
    while (!party->later && messages-- > 0) rank_pay_overhead(party->model, party->rank);
}

static struct message *send_to(const struct party *party, uint32_t to, int64_t bytes)
{
    const struct envelope out = {party->context, party->tag, party->rank->number, (uint32_t)party->comm->members[to]};
    return message_send(party->model, &out, bytes, SEND_STANDARD);
}

static struct message *receive_from(const struct party *party, uint32_t from)
{
    const struct envelope in = {party->context, party->tag, (uint32_t)party->comm->members[from], party->rank->number};
    return message_receive(party->model, &in);
}

/* What a step waits for, all of it at once. */
struct step_messages {
    struct message *const *sent, *const *received;
    uint32_t sent_count, received_count;
};

static bool step_is_over(const struct model *model, const void *what)
{
    const struct step_messages *step = what;
    for (uint32_t i = 0; i < step->sent_count; i++)
        if (!message_is_sent(model, step->sent[i])) return false;
    for (uint32_t i = 0; i < step->received_count; i++)
        if (!message_is_received(model, step->received[i])) return false;
    return true;
}

static void await_all(const struct party *party, struct message *const *sent, uint32_t sent_count,
                      struct message *const *received, uint32_t received_count)
{
    const struct step_messages step = {sent, received, sent_count, received_count};
    rank_await(party->model, party->rank, step_is_over, &step);
    pay(party, received_count);
}

void party_send(const struct party *party, uint32_t to, int64_t bytes)
{
    pay(party, 1);
    struct message *sent = send_to(party, to, bytes);
    await_all(party, &sent, 1, NULL, 0);
}

void party_receive(const struct party *party, uint32_t from)
{
    struct message *received = receive_from(party, from);
    await_all(party, NULL, 0, &received, 1);
}

void party_exchange(const struct party *party, uint32_t to, int64_t bytes, uint32_t from)
{
    pay(party, 1);
    struct message *received = receive_from(party, from), *sent = send_to(party, to, bytes);
    await_all(party, &sent, 1, &received, 1);
}

enum { MEMBERS_MAX = 32 }; /* MPICH's throttle; beyond it, another loop would be needed */

void party_exchange_all(const struct party *party, int64_t bytes)
{
    struct message *sent[MEMBERS_MAX], *received[MEMBERS_MAX];
    uint32_t n = party->count;
    for (uint32_t away = 1; away < n; away++) received[away - 1] = receive_from(party, (party->me + away) % n);
    for (uint32_t away = 1; away < n; away++) {
        pay(party, 1);
        sent[away - 1] = send_to(party, (party->me + n - away) % n, bytes);
    }
    await_all(party, sent, n - 1, received, n - 1);
}

/* From all members that have bytes, at once; counts: of each member. */
static void receive_all(const struct party *party, const int64_t *counts)
{
    struct message *received[MEMBERS_MAX];
    uint32_t count = 0;
    for (uint32_t member = 0; member < party->count; member++)
        if (member != party->me && counts[member] > 0) received[count++] = receive_from(party, member);
    await_all(party, NULL, 0, received, count);
}

static void send_all(const struct party *party, const int64_t *counts)
{
    struct message *sent[MEMBERS_MAX];
    uint32_t count = 0;
    for (uint32_t member = 0; member < party->count; member++) {
        if (member == party->me || counts[member] == 0) continue;
        pay(party, 1);
        sent[count++] = send_to(party, member, counts[member]);
    }
    await_all(party, sent, count, NULL, 0);
}

uint32_t party_power(uint32_t count)
{
    uint32_t power = 1;
    while (2 * power <= count) power *= 2;
    return power;
}

static bool is_barrier(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_BARRIER || call_kind(call->call) == CALL_SHMEM_BARRIER;
}

void collective_make_window(struct model *model, struct rank *rank, const struct trace_call *call)
{
    static const int64_t allocating[] = {1, 12}, blocks[] = {8, 11, 16};
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    bool shares = call->call == ID_Win_allocate_shared, allocates = call->call == ID_Win_allocate || shares;
    bool registers = call->call == ID_Win_create || call->call == ID_Win_allocate;
    struct party party = {.model = model,
                          .rank = rank,
                          .comm = comm,
                          .context = -2 - call->handle,
                          .tag = -1,
                          .me = (uint32_t)trace_comm_rank(comm, (int32_t)rank->number),
                          .count = comm->count};
    party_allreduce(&party, 260);
    party_broadcast(&party, 0, 4);
    party_allreduce(&party, 1);
    if (shares) party_allgather(&party, 24);
    for (size_t i = 0; allocates && i < 2; i++) party_allreduce(&party, allocating[i]);
    if (allocates) party_broadcast(&party, 0, 8);
    if (allocates) party_allreduce(&party, 4);
    if (shares) party_broadcast(&party, 0, 50);
    for (size_t i = 0; shares && i < 2; i++) party_allreduce(&party, 4);
    for (size_t i = 0; registers && i < 3; i++) party_allgather(&party, blocks[i]);
}

static void collective(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = &model->trace->definitions.comms[call->handle];
    uint32_t channel = (uint32_t)model->trace->definitions.window_count + (uint32_t)call->handle;
    if (is_barrier(call)) {
        collective_barrier(model, rank, comm, channel);
        return;
    }
    const struct party party = {.model = model,
                                .rank = rank,
                                .comm = comm,
                                .context = -2 - (int32_t)channel,
                                .tag = (int32_t)rank->instances[channel]++,
                                .later = rank->owner,
                                .me = (uint32_t)trace_comm_rank(comm, (int32_t)rank->number),
                                .count = comm->count};
    uint32_t root = call->peer == TRACE_NONE ? 0 : (uint32_t)trace_comm_rank(comm, call->peer);
    const int64_t *counts = trace_call_counts(model->trace, call);
    switch (call_kind(call->call)) {
    case CALL_BCAST: party_broadcast(&party, root, call->bytes); break;
    case CALL_REDUCE: party_reduce(&party, root, call->bytes); break;
    case CALL_ALLREDUCE: party_allreduce(&party, call->bytes); break;
    case CALL_GATHER: party_gather(&party, root, call->bytes); break;
    case CALL_SCATTER: party_scatter(&party, root, call->bytes); break;
    case CALL_ALLGATHER: party_allgather(&party, call->bytes); break;
    case CALL_GATHERV:
        if (party.me == root)
            receive_all(&party, counts);
        else if (call->bytes > 0)
            party_send(&party, root, call->bytes);
        break;
    case CALL_SCATTERV:
        if (party.me == root)
            send_all(&party, counts);
        else if (call->bytes > 0)
            party_receive(&party, root);
        break;
    case CALL_SCAN:
    case CALL_EXSCAN: party_scan(&party, call->bytes); break;
    default: party_alltoall(&party, call->bytes);
    }
}

static void task(struct model *model, struct rank *rank, void *what)
{
    collective(model, rank, what);
}

void do_collective(struct model *model, struct rank *rank, const struct trace_call *call)
{
    bool later = call_makes_request(call->call), barrier = is_barrier(call);
    bool scan = call_kind(call->call) == CALL_SCAN || call_kind(call->call) == CALL_EXSCAN;
    bool nothing = scan && call->bytes == 0; /* is sent by anybody */
    if ((later || barrier) && !nothing && model->trace->definitions.comms[call->handle].count > 1)
        rank_pay_overhead(model, rank);
    if (later)
        rank->requests[call->ref].task = rank_task(model, rank, task, (void *)call);
    else
        collective(model, rank, call);
}
