/* Messages: all together, receives first, or one after another with probes. */
#include "tests/property/program_parts.h"

enum { RING_TAG = 2, MESSAGES_MAX = 8, EXTRA_TESTS_MAX = 3, FAILED_MAX = 2, MIXED_MAX = 6 };

/* One-sided operations that complete by a request, as the messages do. aside: the messages of all seeds are as without them. */
static enum status mix_operations(struct random aside, uint32_t members, uint32_t of_window, struct phase *phase,
                                  struct err *err)
{
    static const enum mpi_call calls[] = {ID_Rput, ID_Rput, ID_Rget, ID_Raccumulate, ID_Rget_accumulate};
    phase->mixed = phase->together && (members & of_window) && random_chance(&aside, 40);
    for (uint32_t n = phase->mixed ? 1 + random_below(&aside, MIXED_MAX) : 0; n > 0; n--) {
        struct item item = {.kind = ITEM_OPERATION,
                            .call = calls[random_below(&aside, sizeof calls / sizeof *calls)],
                            .origin = random_member(&aside, members & of_window),
                            .target = random_member(&aside, of_window),
                            .bytes = random_bytes(&aside),
                            .nowhere = random_chance(&aside, 5)};
        TRY(add_item(phase, &item, err));
        /* Before, between or behind the sends. */
        struct item *last = &phase->items[phase->item_count - 1];
        struct item *other = last - random_below(&aside, (uint32_t)phase->item_count);
        *last = *other;
        *other = item;
    }
    return STATUS_OK;
}

/* A message to oneself needs its receive first, and a ring's is both. */
enum status make_messages(struct random *random, uint32_t members, uint32_t of_window, struct phase *phase,
                          struct err *err)
{
    static const enum mpi_call sends[] = {ID_Send,  ID_Isend, ID_Ssend,  ID_Bsend,    ID_Issend,
                                          ID_Isend, ID_Send,  ID_Ibsend, ID_Sendrecv, ID_Sendrecv_replace,
                                          ID_Rsend, ID_Irsend};
    static const enum mpi_call receives[] = {ID_Recv, ID_Recv, ID_Irecv, ID_Probe, ID_Iprobe, ID_Mprobe, ID_Improbe};
    phase->together = random_chance(random, 60);
    phase->tests = random_chance(random, 15);
    for (uint32_t n = random_below(random, MESSAGES_MAX); n > 0; n--) {
        struct item item = {
            .kind = ITEM_MESSAGE,
            .call = sends[random_below(random, sizeof sends / sizeof *sends)],
            .origin = random_member(random, members),
            .target = random_member(random, members),
            .bytes = random_bytes(random),
            .slot = random_below(random, 2), /* the tag */
            .flags = random_chance(random, 25) ? TRACE_STARTED : 0,
            .receive = receives[random_below(random, sizeof receives / sizeof *receives)],
            .nowhere = random_chance(random, 8),
            .freed = random_chance(random, 10),
        };
        if (call_kind(item.call) == CALL_SENDRECV) item.kind = ITEM_RING;
        if (item.kind == ITEM_RING || phase->together || item.origin != item.target) TRY(add_item(phase, &item, err));
    }
    return mix_operations(*random, members, of_window, phase, err);
}

static bool is_message(const struct item *item, uint32_t members)
{
    return item->kind == ITEM_MESSAGE && in(members, item->origin) && in(members, item->target);
}

static struct trace_call message_call(struct writer *writer, const struct phase *phase, const struct item *item,
                                      enum mpi_call id, uint32_t peer)
{
    struct trace_call call = new_call(id, writer->comm_of[phase->comm]);
    call.peer = item->nowhere ? TRACE_NONE : (int32_t)writer->rank_of[peer];
    call.message.tag = (int32_t)item->slot;
    call.bytes = item->bytes;
    return call;
}

/* A call that makes a request, begun by MPI_Start if the item says so. */
static enum status put_request(struct writer *writer, uint32_t rank, const struct item *item, struct trace_call call,
                               uint32_t *request, struct err *err)
{
    call.ref = *request = writer->next_request[rank]++;
    if (call_row((enum mpi_call)call.call)->allowed & F_STARTED) call.flags = item->flags;
    return put(writer, rank, call, err);
}

/* A test of a list that says no has completed none of it. */
static enum status put_failed(struct writer *writer, uint32_t rank, enum mpi_call id, struct err *err)
{
    struct trace_call call = new_call(id, TRACE_NONE);
    TRY(trace_add_list(writer->trace, NULL, 0, &call.ref, err));
    return put(writer, rank, call, err);
}

static enum status put_list(struct writer *writer, uint32_t rank, enum mpi_call id, const uint32_t *requests,
                            uint32_t count, struct err *err)
{
    struct trace_call call = new_call(id, TRACE_NONE);
    bool tests = call_row(id)->needed & F_FLAG;
    for (uint32_t n = tests ? random_below(&writer->gaps[rank], FAILED_MAX + 1) : 0; n > 0; n--)
        TRY(put_failed(writer, rank, id, err));
    if (tests) call.flags = TRACE_FLAG;
    TRY(trace_add_list(writer->trace, requests, count, &call.ref, err));
    return put(writer, rank, call, err);
}

/* Sometimes the program asks for a request without taking it, until it is complete. */
static enum status put_query(struct writer *writer, uint32_t rank, uint32_t request, struct err *err)
{
    if (!random_chance(&writer->gaps[rank], 10)) return STATUS_OK;
    struct trace_call call = new_call(ID_Request_get_status, TRACE_NONE);
    call.completion.request = request;
    return put_tests(writer, rank, call, err);
}

/* One of the requests, or some of them by a call that takes several. */
static enum status put_some(struct writer *writer, uint32_t rank, const uint32_t *requests, uint32_t count, bool tests,
                            uint32_t *taken, struct err *err)
{
    static const enum mpi_call calls[][2] = {
        {ID_Wait, ID_Test}, {ID_Waitany, ID_Testany}, {ID_Waitsome, ID_Testsome}, {ID_Waitall, ID_Testall}};
    TRY(put_query(writer, rank, requests[random_below(&writer->gaps[rank], count)], err));
    uint32_t pick = random_below(&writer->gaps[rank], 4);
    enum mpi_call id = calls[pick][tests];
    *taken = pick < 2 ? 1 : 1 + random_below(&writer->gaps[rank], count);
    if (pick > 0) return put_list(writer, rank, id, requests, *taken, err);
    struct trace_call call = new_call(id, TRACE_NONE);
    call.ref = *requests;
    return tests ? put_tests(writer, rank, call, err) : put(writer, rank, call, err);
}

enum status put_waits(struct writer *writer, uint32_t rank, uint32_t *requests, uint32_t count, bool tests,
                      struct err *err)
{
    struct random *gaps = &writer->gaps[rank];
    if (count == 0) return STATUS_OK;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = random_below(gaps, i), held = requests[i - 1];
        requests[i - 1] = requests[k];
        requests[k] = held;
    }
    if (!tests && random_chance(gaps, 30)) return put_list(writer, rank, ID_Waitall, requests, count, err);
    for (uint32_t i = 0, taken; i < count; i += taken)
        TRY(put_some(writer, rank, &requests[i], count - i, tests, &taken, err));
    return STATUS_OK;
}

struct open_requests {
    uint32_t list[RANKS_MAX][2 * MESSAGES_MAX + MIXED_MAX], count[RANKS_MAX];
};

/* A ready send needs its receive before it. */
static enum mpi_call without_ready(enum mpi_call call)
{
    return call == ID_Rsend ? ID_Send : call == ID_Irsend ? ID_Isend : call;
}

static enum status put_send(struct writer *writer, const struct phase *phase, const struct item *item,
                            struct open_requests *open, struct err *err)
{
    uint32_t rank = item->origin;
    struct trace_call call = message_call(writer, phase, item, item->call, item->target);
    if (!phase->together) call.call = without_ready(item->call);
    if (call_kind(item->call) != CALL_ISEND) return put(writer, rank, call, err);
    TRY(put_request(writer, rank, item, call, &open->list[rank][open->count[rank]++], err));
    if (!item->freed) return STATUS_OK;
    open->count[rank]--;
    return put(writer, rank, new_call(ID_Request_free, TRACE_NONE), err);
}

static enum status put_irecv(struct writer *writer, const struct phase *phase, const struct item *item,
                             enum mpi_call id, struct open_requests *open, struct err *err)
{
    uint32_t rank = item->target;
    struct trace_call call = message_call(writer, phase, item, id, item->origin);
    return put_request(writer, rank, item, call, &open->list[rank][open->count[rank]++], err);
}

/* Each member sends to the one `target` places on, the longer the lower it stands; nowhere: those at the ends have
 * nobody there. */
static enum status put_ring(struct writer *writer, const struct phase *phase, const struct item *item, uint32_t members,
                            struct err *err)
{
    uint32_t list[RANKS_MAX], count = 0;
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(members, r)) list[count++] = r;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = item->target % count, from = (i + count - step) % count;
        bool same = item->call == ID_Sendrecv_replace, first = item->nowhere && i < step;
        struct trace_call call = message_call(writer, phase, item, item->call, list[(i + step) % count]);
        if (item->nowhere && i + step < count) call.peer = (int32_t)writer->rank_of[list[i + step]];
        call.exchange.tag = RING_TAG;
        call.bytes = same ? item->bytes : item->bytes / (1 + i);
        call.exchange.recv_bytes = first ? 0 : same ? item->bytes : item->bytes / (1 + from);
        call.exchange.source = first ? TRACE_NONE : (int32_t)writer->rank_of[list[from]];
        call.exchange.recv_tag = RING_TAG;
        TRY(put(writer, list[i], call, err));
    }
    return STATUS_OK;
}

static enum status close_requests(struct writer *writer, const struct phase *phase, struct open_requests *open,
                                  struct err *err)
{
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        TRY(put_waits(writer, r, open->list[r], open->count[r], phase->tests, err));
    return STATUS_OK;
}

/* Of a mixed phase: the window's members; else none. */
static uint32_t members_mixed(const struct writer *writer, const struct phase *phase)
{
    bool mixed = phase->mixed && writer->window_of[phase->window] != TRACE_NONE;
    return mixed ? members_of_window(writer->program, phase->window) : 0;
}

/* Nobody asks for the locks while a rank that somebody waits for still has an exclusive one. */
static enum status put_lock_all(struct writer *writer, const struct phase *phase, uint32_t members, bool unlock,
                                struct err *err)
{
    struct trace_call barrier = new_call(ID_Barrier, writer->comm_of[writer->program->window_comm[phase->window]]);
    if (members == 0) return STATUS_OK;
    if (!unlock) TRY(put_all(writer, members, barrier, err));
    return put_all(writer, members, new_call(unlock ? ID_Win_unlock_all : ID_Win_lock_all, writer->window_of[phase->window]),
                   err);
}

static enum status put_operation(struct writer *writer, const struct phase *phase, const struct item *item, uint32_t members,
                                 struct open_requests *open, struct err *err)
{
    uint32_t rank = item->origin;
    if (item->kind != ITEM_OPERATION || !in(members, rank) || !in(members, item->target)) return STATUS_OK;
    return put_request(writer, rank, item, operation_call(writer, phase, item), &open->list[rank][open->count[rank]++], err);
}

static enum status write_together(struct writer *writer, const struct phase *phase, uint32_t members, struct err *err)
{
    const uint32_t mixed = members_mixed(writer, phase);
    TRY(put_lock_all(writer, phase, mixed, false, err));
    struct open_requests open = {.count = {0}};
    for (size_t i = 0; i < phase->item_count; i++)
        if (is_message(&phase->items[i], members))
            TRY(put_irecv(writer, phase, &phase->items[i], ID_Irecv, &open, err));
    for (size_t i = 0; i < phase->item_count; i++)
        if (phase->items[i].call == ID_Rsend || phase->items[i].call == ID_Irsend) {
            TRY(put_all(writer, members, new_call(ID_Barrier, writer->comm_of[phase->comm]), err));
            break;
        }
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        if (item->kind == ITEM_RING) TRY(put_ring(writer, phase, item, members, err));
        if (is_message(item, members)) TRY(put_send(writer, phase, item, &open, err));
        TRY(put_operation(writer, phase, item, mixed, &open, err));
    }
    TRY(close_requests(writer, phase, &open, err));
    return put_lock_all(writer, phase, mixed, true, err);
}

/* Finds the message, as the item says, then takes it. */
static enum status put_receive(struct writer *writer, const struct phase *phase, const struct item *item,
                               struct open_requests *open, struct err *err)
{
    struct trace_call probe = message_call(writer, phase, item, item->receive, item->origin);
    bool matched = item->receive == ID_Mprobe || item->receive == ID_Improbe;
    if (call_kind(item->receive) == CALL_PROBE) {
        struct trace_call none = probe;
        none.bytes = 0;
        bool asks = call_row(item->receive)->needed & F_FLAG;
        uint32_t vain = asks ? random_below(&writer->gaps[item->target], EXTRA_TESTS_MAX) : 0;
        for (; vain > 0; vain--) TRY(put(writer, item->target, none, err));
        if (asks) probe.flags = TRACE_FLAG;
        TRY(put(writer, item->target, probe, err));
    }
    bool blocks = item->receive != ID_Irecv && item->flags == 0;
    if (!blocks) return put_irecv(writer, phase, item, matched ? ID_Imrecv : ID_Irecv, open, err);
    probe.call = matched ? ID_Mrecv : ID_Recv;
    probe.flags = 0;
    return put(writer, item->target, probe, err);
}

enum status write_messages(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t members = members_of_comm(writer->program, phase->comm);
    if (phase->together) return write_together(writer, phase, members, err);
    for (size_t i = 0; i < phase->item_count; i++) {
        const struct item *item = &phase->items[i];
        struct open_requests open = {.count = {0}};
        if (item->kind == ITEM_RING) TRY(put_ring(writer, phase, item, members, err));
        if (!is_message(item, members)) continue;
        TRY(put_send(writer, phase, item, &open, err));
        TRY(put_receive(writer, phase, item, &open, err));
        TRY(close_requests(writer, phase, &open, err));
    }
    return STATUS_OK;
}
