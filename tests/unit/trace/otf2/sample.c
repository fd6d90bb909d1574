#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "trace_test.h"

/* Ids of definitions that all ranks are members of; communicator 1 has another order than the world. */
enum { COMM_REVERSED = 1, COMM_PAIR = 2, WINDOW_WORLD = 0, WINDOW_REVERSED = 1, WINDOW_HEAP = 4 };
enum { PENDING_MAX = 256, VARIANTS = 3 };

struct maker {
    const struct sample_options *options;
    struct trace *trace;
    uint32_t rank, next_request;
    int64_t time_ps;
    uint64_t step;
    uint32_t pending[PENDING_MAX];
    size_t pending_count;
};

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        struct err ok_err_ = {.text = ""};                                                                             \
        struct err *err = &ok_err_;                                                                                    \
        if ((call) != STATUS_OK) fail_msg("%s", ok_err_.text);                                                         \
    } while (0)

static void define_communication(struct trace *trace)
{
    static const int32_t reversed[] = {3, 2, 1, 0}, pair[] = {2, 0}, all[] = {0, 1, 2, 3}, one[] = {3};
    static const int64_t bytes[] = {4096, 0, INT64_C(1) << 40, 8}, reversed_bytes[] = {1, 2, 3, 4};
    static const int64_t around[] = {3, 3, 1, 1, 2, 0};
    static const int32_t units[] = {1, 8, 4, 1};
    int32_t id;
    uint32_t group;
    OK(trace_add_comm(trace, reversed, 4, &id, err));
    trace->definitions.comms[id].first_group = 3; /* 3, 2, 1 and 0 */
    OK(trace_add_comm(trace, pair, 2, &id, err));
    OK(trace_add_comm(trace, all, 4, &id, err)); /* a duplicate of the world */
    OK(trace_add_window(trace, 0, bytes, units, 'a', &id, err));
    OK(trace_add_window(trace, COMM_REVERSED, reversed_bytes, NULL, 'c', &id, err));
    OK(trace_set_window_name(trace, id, "halo, second", err));
    OK(trace_add_window(trace, COMM_PAIR, NULL, NULL, '?', &id, err));   /* nobody creates these two */
    OK(trace_add_window(trace, COMM_PAIR, bytes, units, 'c', &id, err));
    OK(trace_add_window(trace, 3, NULL, NULL, 'h', &id, err));
    OK(trace_add_counts(trace, bytes, 4, &group, err));
    OK(trace_add_counts(trace, reversed_bytes, 4, &group, err));
    OK(trace_add_neighbors(trace, &(struct trace_neighbors){2, 4, around, around + 2}, &group, err));
    OK(trace_add_neighbors(trace, &(struct trace_neighbors){0, 4, NULL, around}, &group, err));
    OK(trace_add_neighbors(trace, &(struct trace_neighbors){3, 3, around, around + 1}, &group, err)); /* edges */
    OK(trace_add_group(trace, NULL, 0, &group, err));
    OK(trace_add_group(trace, pair, 2, &group, err));
    OK(trace_add_group(trace, all, 4, &group, err));
    OK(trace_add_group(trace, one, 1, &group, err));
}

static void define_names(struct trace *trace)
{
    uint32_t id;
    OK(trace_add_region(trace, "exchange", &id, err));
    OK(trace_add_region(trace, "never entered", &id, err));
    OK(trace_add_region(trace, "MPI_Put", &id, err)); /* a user may call it so */
    OK(trace_add_region(trace, "", &id, err));
    OK(trace_add_site(trace, "main", "halo.c", 40, &id, err));
    OK(trace_add_site(trace, "symbol@@VERSION", "a@b/100%:x.c", -1, &id, err));
    OK(trace_add_site(trace, NULL, "only file.c", 7, &id, err));
    OK(trace_add_site(trace, "?", NULL, 0, &id, err));
    OK(trace_add_site(trace, "", "", INT32_MAX, &id, err));
    OK(trace_add_note(trace, err, "a note; with punctuation: \"quoted\", 100%%"));
}

static void set_properties(struct trace *trace, bool simulated)
{
    trace->provenance.simulated = simulated;
    trace->provenance.clock =
        (struct trace_clock_quality){true, 1.25e-3, 0.1, UINT64_C(12345678901234), TRACE_CLOCK_TSC};
    trace->provenance.record_cost_ps = 107000;
    if (!simulated) return;
    trace->provenance.platform = strdup("two nodes, \"quoted\" = 50%");
    trace->provenance.engine = strdup("loggp");
    trace->provenance.semantics = strdup("a");
    trace->provenance.lock = strdup("blocking");
}

static void add(struct maker *maker, struct trace_call *call)
{
    static const int64_t gaps_ps[] = {0, 1, 999, 1000, 123456789, INT64_C(3600) * 1000000000000};
    uint64_t step = maker->step++;
    struct trace_rank *rank = &maker->trace->ranks[maker->rank];
    call->enter_ps = maker->time_ps + gaps_ps[step % 5];
    call->exit_ps = call->enter_ps + (step % 4 ? gaps_ps[(step / 5) % 6] : 0);
    call->site = (uint32_t)(step % 6);
    maker->time_ps = call->exit_ps;
    OK(trace_add_call(maker->trace, maker->rank, call, err));
    if (!rank->sim) return;
    struct trace_sim *sim = &rank->sim[rank->count - 1];
    sim->blocked_ps = (call->exit_ps - call->enter_ps) / 2 * (int64_t)(step % 3);
    if (!(call_row(call->call)->allowed & F_TARGET)) return;
    *sim = (struct trace_sim){call->enter_ps + 1, call->enter_ps - 5, step % 2 ? TRACE_UNKNOWN_PS : call->exit_ps,
                              call->exit_ps + 9, call->enter_ps + 4, sim->blocked_ps, call->enter_ps + 2, call->exit_ps - 1,
                              step % 2 ? call->enter_ps + 3 : TRACE_UNKNOWN_PS,
                              step % 3 ? TRACE_UNKNOWN_PS : call->exit_ps - 2};
}

static struct trace_call bare(enum mpi_call id)
{
    return (struct trace_call){
        .call = (uint16_t)id, .handle = TRACE_NONE, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
}

static uint32_t take_pending(struct maker *maker)
{
    assert_true(maker->pending_count > 0);
    return maker->pending[--maker->pending_count];
}

static uint32_t make_list(struct maker *maker, uint32_t count)
{
    uint32_t requests[8], id;
    for (uint32_t i = 0; i < count; i++) requests[i] = take_pending(maker);
    OK(trace_add_list(maker->trace, requests, count, &id, err));
    return id;
}

static void set_handle(struct trace_call *call, uint32_t fields, int variant)
{
    if (fields & F_WIN) call->handle = variant % 2 ? WINDOW_REVERSED : WINDOW_WORLD;
    if ((fields & F_WIN) && call_is_shmem(call->call)) call->handle = WINDOW_HEAP;
    if (fields & F_COMM) call->handle = variant == 0 ? 0 : variant == 1 ? COMM_REVERSED : 3;
    if (call->call == ID_Win_create) call->handle = WINDOW_REVERSED;
    if (call->call == ID_Win_allocate) call->handle = WINDOW_WORLD;
}

static void set_ref(struct maker *maker, struct trace_call *call, int variant)
{
    uint32_t fields = call_row(call->call)->allowed;
    enum call_kind kind = call_kind(call->call);
    if (fields & F_GROUP) call->ref = (uint32_t)variant % 4;
    if (fields & F_NEWCOMM) call->ref = variant == 0 ? COMM_REVERSED : variant == 1 ? 3 : TRACE_NO_REF;
    if (call_makes_request(call->call)) {
        call->ref = maker->next_request++;
        maker->pending[maker->pending_count++] = call->ref;
    }
    if (kind == CALL_REQUEST_WAIT) call->ref = take_pending(maker);
    if (kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL)
        call->ref = make_list(maker, maker->pending_count > 6 ? (uint32_t)variant * 2 : 0);
    if (kind == CALL_REQUEST_TEST) {
        bool done = variant > 0;
        call->ref = take_pending(maker);
        if (!done) maker->pending[maker->pending_count++] = call->ref;
        if (done) call->flags |= TRACE_FLAG;
    }
}

static void fill(struct maker *maker, struct trace_call *call, int variant)
{
    uint32_t fields = call_row(call->call)->allowed;
    int32_t peers[] = {3, (int32_t)maker->rank, fields & F_ROOT ? 1 : TRACE_NONE};
    set_handle(call, fields, variant);
    if (fields & (F_TARGET | F_PEER | F_ROOT)) call->peer = peers[variant];
    if (fields & F_BYTES) call->bytes = (INT64_C(1) << (13 * variant)) + call->call;
    if (fields & F_DISP) call->rma.disp = variant == 0 ? 0 : variant == 1 ? -1 : INT64_C(1) << 45;
    if (fields & F_TAG) call->message.tag = variant == 0 ? 0 : variant == 1 ? 7 : INT32_MAX;
    if (fields & F_OP) call->rma.op = (call->call + variant * 5) % TRACE_OP_COUNT;
    if (fields & (F_RESULT_BYTES | F_RECEIVED)) call->any.second = 100 + variant;
    if (fields & F_SOURCE) {
        call->exchange.source = variant ? TRACE_NONE : 2;
        call->exchange.recv_tag = variant == 1 ? -1 : 9;
    }
    if (fields & F_COUNTS) call->collective.counts = variant - 1;
    if (fields & F_NEIGHBORS)
        call->collective.neighbors = variant == 0 ? TRACE_NONE : variant + 1; /* behind the two counts */
    if ((fields & F_NEIGHBORS) && variant > 0 && call_kind(call->call) == CALL_COMM_CREATE)
        call->collective.neighbors = 4;
    if ((fields & F_STARTED) && variant) call->flags |= TRACE_STARTED;
    if (fields & F_ASSERT) call->flags |= variant == 0 ? 0 : variant == 1 ? TRACE_NOCHECK : TRACE_ASSERTIONS;
    if ((fields & F_LOCKTYPE) && variant) call->flags |= TRACE_EXCLUSIVE;
    if ((fields & F_FLAG) && call_kind(call->call) != CALL_REQUEST_TEST && variant) call->flags |= TRACE_FLAG;
    set_ref(maker, call, variant);
}

static void add_region(struct maker *maker, enum mpi_call id, uint32_t region)
{
    struct trace_call call = bare(id);
    call.ref = region;
    add(maker, &call);
}

static void break_off(struct maker *maker)
{
    struct trace_rank *rank = &maker->trace->ranks[maker->rank];
    struct trace_call call = bare(maker->rank == 0 ? ID_Recv : ID_Waitall);
    rank->incomplete = true;
    if (maker->rank != 2) rank->incomplete_why = strdup(maker->rank == 0 ? "killed by signal 9" : "a limit");
    call.flags = TRACE_BREAK;
    if (maker->rank == 0) {
        call.handle = COMM_REVERSED;
        call.peer = 2;
        call.message.tag = 5;
        call.bytes = 99;
        add(maker, &call);
    } else if (maker->rank == 1) {
        call.ref = make_list(maker, 2);
        add(maker, &call);
    }
}

static void make_rank(struct maker *maker)
{
    maker->next_request = maker->rank * 1000;
    maker->time_ps = maker->options->first_ps + maker->rank;
    maker->pending_count = 0;
    maker->step = maker->rank;
    add_region(maker, ID_region_enter, 0);
    for (int id = 0; id < MPI_FUNCTION_COUNT; id++)
        for (int variant = 0; variant < VARIANTS; variant++) {
            struct trace_call call = bare((enum mpi_call)id);
            fill(maker, &call, variant);
            add(maker, &call);
        }
    add_region(maker, ID_region_enter, 2);
    add_region(maker, ID_region_enter, 3);
    add_region(maker, ID_region_leave, 3);
    add_region(maker, ID_region_leave, 2);
    assert_true(maker->pending_count >= 2); /* some requests never complete */
    if (maker->options->broken)
        break_off(maker);
    else
        add_region(maker, ID_region_leave, 0);
}

struct trace *sample_make(const struct sample_options *options)
{
    struct maker maker = {.options = options};
    OK(trace_new("sample", SAMPLE_RANKS, &maker.trace, err));
    define_communication(maker.trace);
    define_names(maker.trace);
    set_properties(maker.trace, options->simulated);
    maker.trace->ranks[1].speed = 2.5;
    maker.trace->ranks[1].memory_bound = 0.25;
    maker.trace->ranks[0].memory_known = maker.trace->ranks[1].memory_known = true;
    /* The last rank has no event at all. */
    for (maker.rank = 0; maker.rank < SAMPLE_RANKS - 1; maker.rank++) make_rank(&maker);
    OK(trace_check(maker.trace, err));
    return maker.trace;
}
