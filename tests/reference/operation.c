/* docs/simulation.md, Operations, Blocking semantics: what happens to an operation from its call on. */
#include "tests/reference/operation.h"

#include <math.h>

#include "common/units.h"

/* What leaves at one moment to one target: one operation, or with aggregation several. */
enum { PARCEL_OPS_MAX = 64 };
struct parcel {
    struct access *access;
    struct op *ops[PARCEL_OPS_MAX];
    uint32_t count;
    int64_t bytes;
    bool gets_cleared; /* mpi.rma.protocol.get_data: the origin is ready for the data */
};

static bool moves_out(const struct op *op)
{
    return op->kind != CALL_GET;
}

static bool comes_back(const struct op *op)
{
    return op->kind == CALL_GET || op->kind == CALL_GET_ACCUMULATE;
}

bool op_is_away(const struct op *op)
{
    if (comes_back(op) || op->local == LOCAL_ACKNOWLEDGED) return op->known;
    return op->local == LOCAL_COPIED || op->sent;
}

bool op_is_local(const struct op *op)
{
    if (op->forgotten) return true;
    if (comes_back(op) || op->local == LOCAL_ACKNOWLEDGED) return op->known;
    return op->local == LOCAL_COPIED || op->left;
}

bool op_is_local_now(const struct model *model, const void *op)
{
    (void)model;
    return op_is_local(op);
}

int64_t op_left_ps(const struct op *op)
{
    return comes_back(op) || op->local != LOCAL_LEFT ? INT64_MIN : op->left_ps;
}

/* The reverse_share of the operation's data in a message of so many bytes, between nodes or within one. */
static int64_t reverse_of(const struct model *model, const struct op *op, int64_t bytes)
{
    const uint32_t origin = op->access->epoch->origin, target = op->access->target;
    const bool within = model->ranks[origin].node == model->ranks[target].node;
    const bool put = op->kind == CALL_PUT && !op->by_message;
    const enum rma_kind kind = op->kind == CALL_GET ? RMA_GET : put ? RMA_PUT : RMA_ACCUMULATE;
    const struct reverse_rule *rule = within ? model->platform->loopback_reverse[kind] : model->platform->protocol.reverse[kind];
    while (bytes > rule->upto_bytes) rule++;
    return llround(rule->share * 1e9);
}

/* --- at the target --- */

/* The origin hears of it, and it is flushed: no accumulate. */
static bool is_heard_of(const struct model *model, const struct op *op)
{
    bool moves = !op->by_message && (op->kind == CALL_GET || (op->kind == CALL_PUT && !op->copied && op->acknowledged));
    return moves && model->ranks[op->access->epoch->origin].node != model->ranks[op->access->target].node;
}

static void know(struct model *model, void *what)
{
    struct op *op = what;
    if (is_heard_of(model, op)) model->ranks[op->access->epoch->origin].unanswered--;
    op->known = true;
    access_pump(model, op->access);
}

static void acknowledgement_arrives(struct model *model, void *what)
{
    const struct op *op = what;
    rank_serve(model,
               (struct arrival){op->access->target, op->access->epoch->origin, SERVICE_ACKNOWLEDGEMENT, op->bytes},
               know, what);
}

static void done(struct op *op, int64_t done_ps)
{
    op->done = true;
    op->done_ps = done_ps;
}

static void answer(struct model *model, struct op *op)
{
    uint32_t origin = op->access->epoch->origin, target = op->access->target;
    done(op, network_send(model, (struct transport){.from = target,
                                                    .to = origin,
                                                    .bytes = op->result_bytes,
                                                    .reverse = reverse_of(model, op, op->result_bytes),
                                                    .arrived = know,
                                                    .what = op}));
}

static void acknowledge(struct model *model, struct op *op)
{
    op->written = true;
    done(op, model->now_ps);
    if (op->acknowledged)
        network_send_control(model, op->access->target, op->access->epoch->origin, true, acknowledgement_arrives, op);
    else
        op->known = true; /* nobody asks */
}

static void applied(struct model *model, void *what)
{
    struct op *op = what;
    op->written = true;
    if (comes_back(op))
        answer(model, op);
    else
        acknowledge(model, op);
}

static void serve(struct model *model, void *what)
{
    struct op *op = what;
    struct rank *target = rank_server(model, op->access->target);
    int64_t lasts_ps = units_ps(platform_apply_s(model->platform, op->bytes));
    if (lasts_ps == 0) {
        applied(model, op);
        return;
    }
    if (target->applied_ps < model->now_ps || !model->platform->contention) target->applied_ps = model->now_ps;
    target->applied_ps += lasts_ps;
    event_add(model, target->applied_ps, target->number, applied, op);
}

static void gets_arrived(struct model *model, void *what)
{
    struct parcel *parcel = what;
    for (uint32_t i = 0; i < parcel->count; i++) {
        struct op *op = parcel->ops[i];
        if (op->kind != CALL_GET) continue;
        op->known = true;
        if (is_heard_of(model, op)) model->ranks[op->access->epoch->origin].unanswered--;
    }
}

/* --- mpi.rma.protocol.get_data = rendezvous --- */

static void answer_gets(struct model *model, struct parcel *parcel);

static bool asks_for_data(const struct model *model, const struct parcel *parcel)
{
    const struct platform *platform = model->platform;
    bool asks = platform->protocol.get_data == GET_DATA_RENDEZVOUS && platform->progress != PROGRESS_HARDWARE;
    return asks && parcel->ops[0]->bytes > platform->rma_eager_bytes && parcel->access->target != parcel->access->epoch->origin;
}

static void cleared_for_data(struct model *model, void *what)
{
    struct parcel *parcel = what;
    parcel->gets_cleared = true;
    answer_gets(model, parcel);
}

static void data_are_cleared(struct model *model, void *what)
{
    const struct parcel *parcel = what;
    const struct access *access = parcel->access;
    rank_serve(model, (struct arrival){access->epoch->origin, access->target, SERVICE_CLEAR, parcel->ops[0]->bytes},
               cleared_for_data, what);
}

static void clear_data(struct model *model, void *what)
{
    const struct parcel *parcel = what;
    network_send_control(model, parcel->access->epoch->origin, parcel->access->target, true, data_are_cleared, what);
}

static void data_are_offered(struct model *model, void *what)
{
    const struct parcel *parcel = what;
    const struct access *access = parcel->access;
    rank_serve(model, (struct arrival){access->target, access->epoch->origin, SERVICE_CLEAR, parcel->ops[0]->bytes},
               clear_data, what);
}

/* The data of all its gets come back in one message. */
static void answer_gets(struct model *model, struct parcel *parcel)
{
    int64_t bytes = 0;
    const struct op *get = NULL;
    uint32_t gets = 0;
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind == CALL_GET) {
            bytes += parcel->ops[i]->bytes;
            get = parcel->ops[i];
            gets++;
        }
    if (gets == 0) return;
    if (parcel->count == 1 && !parcel->gets_cleared && asks_for_data(model, parcel)) {
        network_send_control(model, parcel->access->target, parcel->access->epoch->origin, true, data_are_offered, parcel);
        return;
    }
    int64_t left_ps = network_send(model, (struct transport){.from = parcel->access->target,
                                                             .to = parcel->access->epoch->origin,
                                                             .bytes = bytes,
                                                             .reverse = reverse_of(model, get, bytes),
                                                             .arrived = gets_arrived,
                                                             .what = parcel});
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind == CALL_GET) done(parcel->ops[i], left_ps);
}

static void serve_parcel(struct model *model, void *what)
{
    struct parcel *parcel = what;
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind == CALL_PUT)
            acknowledge(model, parcel->ops[i]);
        else if (parcel->ops[i]->kind != CALL_GET)
            serve(model, parcel->ops[i]);
    answer_gets(model, parcel);
}

static enum service service_of(const struct op *op)
{
    switch (op->kind) {
    case CALL_PUT: return op->by_message ? SERVICE_ACCUMULATE : SERVICE_PUT;
    case CALL_GET: return SERVICE_GET;
    case CALL_ACCUMULATE: return SERVICE_ACCUMULATE;
    default: return SERVICE_FETCH;
    }
}

/* mpi.rma.protocol.serves: several operations go by the row of the largest sizes. */
static int64_t served_bytes(const struct parcel *parcel)
{
    return parcel->count > 1 ? INT64_MAX : parcel->ops[0]->bytes;
}

/* Several operations are served as the largest one could be: puts as puts, gets as gets, others by the last of all
 * kinds in the order hardware, thread, call. */
static struct arrival arrival_of(const struct model *model, const struct parcel *parcel)
{
    static const enum service kinds[] = {SERVICE_GET, SERVICE_ACCUMULATE, SERVICE_FETCH};
    struct arrival arrival = {parcel->access->epoch->origin, parcel->access->target, service_of(parcel->ops[0]),
                              parcel->ops[0]->bytes};
    bool puts = true, gets = true;
    if (parcel->count == 1) return arrival;
    for (uint32_t i = 0; i < parcel->count; i++) {
        puts &= parcel->ops[i]->kind == CALL_PUT && !parcel->ops[i]->by_message;
        gets &= parcel->ops[i]->kind == CALL_GET;
    }
    arrival.service = gets ? SERVICE_GET : SERVICE_PUT;
    arrival.bytes = INT64_MAX;
    bool mixed = !puts && !gets;
    for (size_t i = 0; mixed && i < sizeof kinds / sizeof *kinds; i++)
        if (server_of_message(model, kinds[i], INT64_MAX) > server_of_message(model, arrival.service, INT64_MAX))
            arrival.service = kinds[i];
    return arrival;
}

static void parcel_arrives(struct model *model, void *what)
{
    struct parcel *parcel = what;
    rank_serve(model, arrival_of(model, parcel), serve_parcel, parcel);
}

/* --- at the origin --- */

static void parcel_left(struct model *model, void *what)
{
    struct parcel *parcel = what;
    struct rank *origin = &model->ranks[parcel->access->epoch->origin];
    for (uint32_t i = 0; i < parcel->count; i++) {
        struct op *op = parcel->ops[i];
        op->left = true;
        if (op->copied) origin->buffered_bytes -= op->bytes;
    }
}

/* Gets, and fetches without data: a control message. */
static bool asks_only(const struct parcel *parcel)
{
    for (uint32_t i = 0; i < parcel->count; i++)
        if (!comes_back(parcel->ops[i]) || (moves_out(parcel->ops[i]) && parcel->ops[i]->bytes > 0)) return false;
    return true;
}

/* Somebody waits for each moment at which one of them has left: a request, or the buffer. */
static bool matters(const struct parcel *parcel)
{
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->copied || parcel->ops[i]->has_request) return true;
    return false;
}

static void send_parcel(struct model *model, void *what)
{
    struct parcel *parcel = what;
    bool only_gets = true; /* a fetch without data must not overtake accumulates either: MPI-3.1 11.7.1 */
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind != CALL_GET) only_gets = false;
    for (uint32_t i = 0; i < parcel->count; i++) parcel->ops[i]->sent = true;
    int64_t bytes = asks_only(parcel) ? model->platform->control_bytes : parcel->bytes, reverse = INT64_MIN;
    for (uint32_t i = 0; i < parcel->count; i++) {
        const struct op *op = parcel->ops[i];
        if (moves_out(op) && op->bytes > 0 && reverse_of(model, op, bytes) > reverse) reverse = reverse_of(model, op, bytes);
    }
    if (reverse == INT64_MIN) reverse = 0;
    int64_t left_ps = network_send(model, (struct transport){.from = parcel->access->epoch->origin,
                                                             .to = parcel->access->target,
                                                             .bytes = bytes,
                                                             .reverse = reverse,
                                                             .bypass = only_gets,
                                                             .left = matters(parcel) ? parcel_left : NULL,
                                                             .arrived = parcel_arrives,
                                                             .what = parcel});
    for (uint32_t i = 0; i < parcel->count; i++) parcel->ops[i]->left_ps = left_ps;
}

static void cleared(struct model *model, void *what)
{
    struct parcel *parcel = what;
    send_parcel(model, parcel);
    access_pump(model, parcel->access);
}

static void clear_arrives(struct model *model, void *what)
{
    const struct parcel *parcel = what;
    rank_serve(
        model,
        (struct arrival){parcel->access->target, parcel->access->epoch->origin, SERVICE_CLEAR, served_bytes(parcel)},
        cleared, what);
}

static void clear_to_send(struct model *model, void *what)
{
    struct parcel *parcel = what;
    network_send_control(model, parcel->access->target, parcel->access->epoch->origin, true, clear_arrives, parcel);
}

static void asked_to_send(struct model *model, void *what)
{
    const struct parcel *parcel = what;
    rank_serve(model,
               (struct arrival){parcel->access->epoch->origin, parcel->access->target, SERVICE_RENDEZVOUS,
                                served_bytes(parcel)},
               clear_to_send, what);
}

static void parcel_leaves(struct model *model, struct parcel *parcel)
{
    const struct platform *platform = model->platform;
    bool asks = platform->progress != PROGRESS_HARDWARE && parcel->bytes > platform->rma_eager_bytes;
    if (asks)
        network_send_control(model, parcel->access->epoch->origin, parcel->access->target, true, asked_to_send, parcel);
    else
        send_parcel(model, parcel);
}

bool epoch_is_open(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (!access_is_open(model, &epoch->accesses[i])) return false;
    return true;
}

static bool waits_for_group(const struct op *op)
{
    return op->group && !op->sending && !epoch_is_open(NULL, op->access->epoch);
}

bool access_awaits_group(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (waits_for_group(op)) return true;
    return false;
}

static bool may_leave(const struct op *op)
{
    return !op->sent && !op->held && op->access->open;
}

bool access_unhold(struct access *access)
{
    bool some = false;
    for (struct op *op = access->first; op; op = op->next) {
        some |= !op->sent;
        op->held = false;
    }
    return some;
}

bool access_unissued(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (!op->sending) return true;
    return false;
}

static void heard(struct model *model, void *what)
{
    struct access *access = what;
    const struct rank *target = &model->ranks[access->target];
    access->heard = true;
    if (access->epoch->origin != access->target && !rank_serves(model, target))
        model->unread[(size_t)access->epoch->window * model->rank_count + access->target] = target->visits + 1;
}

/* --- requests of flushes --- */

static void request_answered(struct model *model, void *what)
{
    (void)model;
    ((struct access *)what)->requests_answered++;
}

static void request_answer_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->target, access->epoch->origin, SERVICE_ACKNOWLEDGEMENT, 0},
               request_answered, what);
}

static void answer_request(struct model *model, void *what)
{
    const struct access *access = what;
    network_send_control(model, access->target, access->epoch->origin, true, request_answer_arrives, what);
}

static void request_arrives(struct model *model, void *what)
{
    const struct access *access = what;
    rank_serve(model, (struct arrival){access->epoch->origin, access->target, SERVICE_PUT, 0}, answer_request, what);
}

bool access_request(struct model *model, struct access *access, enum steps_query query)
{
    if (query == QUERY_NONE) return false;
    if ((!access->called && query != QUERY_ALL) || access->target == access->epoch->origin) return false;
    access->called = false;
    *called_target(model, access->epoch->window, access->epoch->origin, access->target) = false;
    access->requests = true;
    access->requests_made++;
    access_pump(model, access);
    return !access->requests;
}

bool access_is_answered(const struct access *access)
{
    return access->requests_made == access->requests_answered;
}

/* A lock that nobody has asked for keeps no request back. */
static void send_request(struct model *model, struct access *access)
{
    bool free = access->open || (access->epoch->kind == EPOCH_LOCK && !access->asked);
    if (!access->requests || !free || access_unissued(access)) return;
    access->requests = false;
    network_send_control(model, access->epoch->origin, access->target, false, request_arrives, access);
    model->unflushed[(size_t)access->epoch->origin * model->rank_count + access->target] = false;
}

/* --- requests to those who are no targets --- */

struct asked {
    uint32_t from, to;
};

static void other_answered(struct model *model, void *what)
{
    model->ranks[((struct asked *)what)->from].others_answered++;
}

static void other_answer_arrives(struct model *model, void *what)
{
    const struct asked *asked = what;
    rank_serve(model, (struct arrival){asked->to, asked->from, SERVICE_ACKNOWLEDGEMENT, 0}, other_answered, what);
}

static void other_answers(struct model *model, void *what)
{
    const struct asked *asked = what;
    network_send_control(model, asked->to, asked->from, true, other_answer_arrives, what);
}

static void other_is_asked(struct model *model, void *what)
{
    const struct asked *asked = what;
    rank_serve(model, (struct arrival){asked->from, asked->to, SERVICE_PUT, 0}, other_answers, what);
}

void others_request(struct model *model, struct rank *rank)
{
    for (uint32_t to = 0; to < model->rank_count; to++) {
        bool *unflushed = &model->unflushed[(size_t)rank->number * model->rank_count + to];
        if (!*unflushed) continue;
        struct asked *asked = model_new(model, sizeof *asked);
        *asked = (struct asked){rank->number, to};
        rank->others_asked++;
        network_send_control(model, rank->number, to, false, other_is_asked, asked);
        *unflushed = false;
    }
}

bool *called_target(const struct model *model, int32_t window, uint32_t rank, uint32_t target)
{
    return &model->called[((size_t)window * model->rank_count + rank) * model->rank_count + target];
}

bool others_must_be_asked(struct model *model, const struct rank *rank, int32_t window, enum steps_query query)
{
    bool any = false;
    if (query != QUERY_CONNECTED) return false;
    for (uint32_t target = 0; target < model->rank_count; target++) {
        bool *called = called_target(model, window, rank->number, target);
        any |= *called;
        *called = false;
    }
    return any && rank->unanswered > 0;
}

bool others_have_answered(const struct model *model, uint32_t rank)
{
    return model->ranks[rank].others_answered == model->ranks[rank].others_asked;
}

/* Complete tells a target behind the data, and behind their acknowledgements. */
static bool may_tell(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (!op->sent || (op->acknowledged && !op->known)) return false;
    return access->closing && access->open && !access->told;
}

/* A put with a signal follows the operations before it. */
static bool is_behind(const struct op *signal)
{
    for (const struct op *op = signal->access->first; signal->signals && op != signal; op = op->next)
        if (!op->sent) return true;
    return false;
}

void access_pump(struct model *model, struct access *access)
{
    struct parcel *parcel = NULL;
    for (struct op *op = access->first; op; op = op->next) {
        if (waits_for_group(op)) break;
        if (!may_leave(op) || op->sending) continue;
        if (op->signals && parcel) parcel_leaves(model, parcel);
        if (op->signals) parcel = NULL;
        if (is_behind(op)) continue;
        if (!parcel || !model->platform->aggregate) {
            if (parcel) parcel_leaves(model, parcel);
            parcel = model_new(model, sizeof *parcel);
            parcel->access = access;
        }
        op->sending = true;
        if (is_heard_of(model, op)) model->ranks[op->access->epoch->origin].unanswered++;
        parcel->ops[parcel->count++] = op;
        parcel->bytes += moves_out(op) ? op->bytes : 0;
    }
    if (parcel) parcel_leaves(model, parcel);
    send_request(model, access);
    if (!may_tell(access)) return;
    access->told = true;
    network_send_control(model, access->epoch->origin, access->target, false, heard, access);
}

void access_append(struct op *op)
{
    struct access *access = op->access;
    if ((op->kind == CALL_PUT || op->kind == CALL_GET) && !op->by_message) {
        access->called = true;
        access->got = op->kind == CALL_GET && access->target != access->epoch->origin;
    }
    if (access->last)
        access->last->next = op;
    else
        access->first = op;
    access->last = op;
}

bool access_is_open(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct access *)what)->open;
}

bool access_is_away(const struct model *model, const void *what)
{
    (void)model;
    for (const struct op *op = ((const struct access *)what)->first; op; op = op->next)
        if (!op_is_away(op)) return false;
    return true;
}

int64_t access_left_ps(const struct access *access)
{
    int64_t last_ps = INT64_MIN;
    for (const struct op *op = access->first; op; op = op->next)
        if (op_left_ps(op) > last_ps) last_ps = op_left_ps(op);
    return last_ps;
}

bool access_is_known(const struct model *model, const void *what)
{
    (void)model;
    for (const struct op *op = ((const struct access *)what)->first; op; op = op->next)
        if (!op->known) return false;
    return true;
}

bool access_is_done(const struct access *access)
{
    for (const struct op *op = access->first; op; op = op->next)
        if (!op->done) return false;
    return true;
}

int64_t access_done_ps(const struct access *access)
{
    int64_t last_ps = INT64_MIN;
    for (const struct op *op = access->first; op; op = op->next)
        if (op->done_ps > last_ps) last_ps = op->done_ps;
    return last_ps;
}
