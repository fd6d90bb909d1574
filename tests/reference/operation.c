/* docs/simulation.md, Operations, Blocking semantics: what happens to an operation from its call on. */
#include "tests/reference/operation.h"

#include "common/units.h"

/* What leaves at one moment to one target: one operation, or with aggregation several. */
enum { PARCEL_OPS_MAX = 64 };
struct parcel {
    struct lane *lane;
    struct op *ops[PARCEL_OPS_MAX];
    uint32_t count;
    int64_t bytes;
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
    return comes_back(op) ? op->known : op->sent;
}

bool op_is_local(const struct op *op)
{
    return comes_back(op) ? op->known : op->left;
}

bool op_is_away_now(const struct model *model, const void *op)
{
    (void)model;
    return op_is_away(op);
}

int64_t op_left_ps(const struct op *op)
{
    return comes_back(op) ? INT64_MIN : op->left_ps;
}

/* --- at the target */

static void know(struct model *model, void *what)
{
    (void)model;
    ((struct op *)what)->known = true;
}

static void done(struct op *op, int64_t done_ps)
{
    op->done = true;
    op->done_ps = done_ps;
}

static void answer(struct model *model, struct op *op)
{
    uint32_t origin = op->lane->epoch->origin, target = op->lane->target;
    done(op, network_send(model,
                          (struct transport){
                              .from = target, .to = origin, .bytes = op->result_bytes, .arrived = know, .what = op}));
}

static void acknowledge(struct model *model, struct op *op)
{
    op->written = true;
    done(op, model->now_ps);
    if (op->lane->epoch->kind == EPOCH_START)
        op->known = true; /* nobody asks */
    else
        network_send_control(model, op->lane->target, op->lane->epoch->origin, true, know, op);
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
    struct rank *target = &model->ranks[op->lane->target];
    int64_t lasts_ps = units_ps((double)op->bytes * model->platform->atomic_s_per_byte);
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
    (void)model;
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind == CALL_GET) parcel->ops[i]->known = true;
}

/* The data of all its gets come back in one message. */
static void answer_gets(struct model *model, struct parcel *parcel)
{
    int64_t bytes = 0;
    uint32_t gets = 0;
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind == CALL_GET) {
            bytes += parcel->ops[i]->bytes;
            gets++;
        }
    if (gets == 0) return;
    int64_t left_ps = network_send(model, (struct transport){.from = parcel->lane->target,
                                                             .to = parcel->lane->epoch->origin,
                                                             .bytes = bytes,
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

static bool needs_service(const struct parcel *parcel)
{
    for (uint32_t i = 0; i < parcel->count; i++)
        if (parcel->ops[i]->kind != CALL_PUT) return true;
    return false;
}

static void parcel_arrives(struct model *model, void *what)
{
    struct parcel *parcel = what;
    if (needs_service(parcel))
        rank_serve(model, parcel->lane->epoch->origin, parcel->lane->target, serve_parcel, parcel);
    else
        serve_parcel(model, parcel);
}

/* --- at the origin */

static void parcel_left(struct model *model, void *what)
{
    struct parcel *parcel = what;
    struct rank *origin = &model->ranks[parcel->lane->epoch->origin];
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
    int64_t bytes = asks_only(parcel) ? model->platform->control_bytes : parcel->bytes;
    int64_t left_ps = network_send(model, (struct transport){.from = parcel->lane->epoch->origin,
                                                             .to = parcel->lane->target,
                                                             .bytes = bytes,
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
    lane_pump(model, parcel->lane);
}

static void clear_to_send(struct model *model, void *what)
{
    struct parcel *parcel = what;
    network_send_control(model, parcel->lane->target, parcel->lane->epoch->origin, true, cleared, parcel);
}

static void asked_to_send(struct model *model, void *what)
{
    const struct lane *lane = ((const struct parcel *)what)->lane;
    rank_serve(model, lane->epoch->origin, lane->target, clear_to_send, what);
}

static void parcel_leaves(struct model *model, struct parcel *parcel)
{
    const struct platform *platform = model->platform;
    bool asks = platform->progress != PROGRESS_HARDWARE && parcel->bytes > platform->rma_eager_bytes;
    if (asks)
        network_send_control(model, parcel->lane->epoch->origin, parcel->lane->target, true, asked_to_send, parcel);
    else
        send_parcel(model, parcel);
}

static bool may_leave(const struct op *op)
{
    return !op->sent && !op->held && op->lane->open;
}

bool lane_unsent(const struct lane *lane)
{
    for (const struct op *op = lane->first; op; op = op->next)
        if (!op->sent) return true;
    return false;
}

bool lane_unhold(struct lane *lane)
{
    bool some = false;
    for (struct op *op = lane->first; op; op = op->next) {
        some |= !op->sent;
        op->held = false;
    }
    return some;
}

bool lane_unissued(const struct lane *lane)
{
    for (const struct op *op = lane->first; op; op = op->next)
        if (!op->sending) return true;
    return false;
}

static void heard(struct model *model, void *what)
{
    (void)model;
    ((struct lane *)what)->heard = true;
}

void lane_pump(struct model *model, struct lane *lane)
{
    struct parcel *parcel = NULL;
    for (struct op *op = lane->first; op; op = op->next) {
        if (!may_leave(op) || op->sending) continue;
        if (!parcel || !model->platform->aggregate) {
            if (parcel) parcel_leaves(model, parcel);
            parcel = model_new(model, sizeof *parcel);
            parcel->lane = lane;
        }
        op->sending = true;
        parcel->ops[parcel->count++] = op;
        parcel->bytes += moves_out(op) ? op->bytes : 0;
    }
    if (parcel) parcel_leaves(model, parcel);
    if (!lane->closing || !lane->open || lane->told || lane_unsent(lane)) return;
    lane->told = true;
    network_send_control(model, lane->epoch->origin, lane->target, false, heard, lane);
}

void lane_append(struct op *op)
{
    struct lane *lane = op->lane;
    if (lane->last)
        lane->last->next = op;
    else
        lane->first = op;
    lane->last = op;
}

bool lane_is_open(const struct model *model, const void *what)
{
    (void)model;
    return ((const struct lane *)what)->open;
}

bool lane_is_away(const struct model *model, const void *what)
{
    (void)model;
    for (const struct op *op = ((const struct lane *)what)->first; op; op = op->next)
        if (!op_is_away(op)) return false;
    return true;
}

int64_t lane_left_ps(const struct lane *lane)
{
    int64_t last_ps = INT64_MIN;
    for (const struct op *op = lane->first; op; op = op->next)
        if (op_left_ps(op) > last_ps) last_ps = op_left_ps(op);
    return last_ps;
}

bool lane_is_known(const struct model *model, const void *what)
{
    (void)model;
    for (const struct op *op = ((const struct lane *)what)->first; op; op = op->next)
        if (!op->known) return false;
    return true;
}

bool lane_is_done(const struct lane *lane)
{
    for (const struct op *op = lane->first; op; op = op->next)
        if (!op->done) return false;
    return true;
}

int64_t lane_done_ps(const struct lane *lane)
{
    int64_t last_ps = INT64_MIN;
    for (const struct op *op = lane->first; op; op = op->next)
        if (op->done_ps > last_ps) last_ps = op->done_ps;
    return last_ps;
}
