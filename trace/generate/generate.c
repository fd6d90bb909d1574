#include "trace/generate/generate.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/scramble.h"
#include "common/units.h"

/* A rank to which a rank writes, and the position of this rank's block in its window. */
struct partner {
    int32_t rank;
    uint32_t slot;
};

struct pattern {
    const char *name;
    uint32_t slots; /* blocks in each window, and at most so many partners; 0: as many as ranks */
    uint32_t (*targets)(uint32_t ranks, uint32_t rank, struct partner *partners);
    uint32_t (*origins)(uint32_t ranks, uint32_t rank, struct partner *partners); /* NULL: the same ranks */
};

/* State of generating a trace. */
struct generator {
    const struct generate_options *options;
    const struct pattern *pattern;
    const struct sync *sync;
    struct trace *trace;
    struct trace_rank *last; /* that was made; NULL: none */
    uint32_t rank;
    int64_t now_ps, first_ps; /* first_ps: of all ranks so far */
    uint64_t calls;
    struct partner *targets, *origins;
    uint32_t target_count, origin_count;
    uint32_t target_group, origin_group;
    uint32_t next_request;
    struct err *err;
};

struct sync {
    const char *name;
    bool window;
    enum mpi_call before; /* once after the window's creation, with this assertion; ID_none: no call */
    unsigned assertion;
    enum status (*iteration)(struct generator *generator, bool last);
};

/* The grid is width x ranks / width, as square as the number of ranks allows, without wrap-around. */
static uint32_t halo_width(uint32_t ranks)
{
    uint32_t width = 1;
    for (uint32_t i = 2; (uint64_t)i * i <= ranks; i++)
        if (ranks % i == 0) width = i;
    return width;
}

static uint32_t halo_targets(uint32_t ranks, uint32_t rank, struct partner *partners)
{
    uint32_t width = halo_width(ranks), x = rank % width, y = rank / width, count = 0;
    /* West, east, north, south; a block is in the slot of the side from which it comes. */
    if (x > 0) partners[count++] = (struct partner){(int32_t)(rank - 1), 1};
    if (x + 1 < width) partners[count++] = (struct partner){(int32_t)(rank + 1), 0};
    if (y > 0) partners[count++] = (struct partner){(int32_t)(rank - width), 3};
    if (y + 1 < ranks / width) partners[count++] = (struct partner){(int32_t)(rank + width), 2};
    return count;
}

static uint32_t ring_targets(uint32_t ranks, uint32_t rank, struct partner *partners)
{
    if (ranks == 1) return 0;
    partners[0] = (struct partner){(int32_t)((rank + 1) % ranks), 0};
    return 1;
}

static uint32_t ring_origins(uint32_t ranks, uint32_t rank, struct partner *partners)
{
    if (ranks == 1) return 0;
    partners[0] = (struct partner){(int32_t)((rank + ranks - 1) % ranks), 0};
    return 1;
}

/* Each rank begins with its successor, so that not all write to one rank at once. */
static uint32_t transpose_targets(uint32_t ranks, uint32_t rank, struct partner *partners)
{
    for (uint32_t i = 1; i < ranks; i++) partners[i - 1] = (struct partner){(int32_t)((rank + i) % ranks), rank};
    return ranks - 1;
}

static const struct pattern patterns[] = {
    {"halo2d", 4, halo_targets, NULL},
    {"ring", 1, ring_targets, ring_origins},
    {"transpose", 0, transpose_targets, NULL},
};

static uint32_t slots_of(const struct pattern *pattern, uint32_t ranks)
{
    return pattern->slots > 0 ? pattern->slots : ranks;
}

static enum status add_call(struct generator *generator, struct trace_call call)
{
    call.enter_ps = call.exit_ps = generator->now_ps;
    return trace_add_call(generator->trace, generator->rank, &call, generator->err);
}

static struct trace_call new_call(enum mpi_call call)
{
    return (struct trace_call){.call = (uint16_t)call, .any = TRACE_NO_MEMBERS, .peer = TRACE_NONE};
}

static enum status add_plain(struct generator *generator, enum mpi_call call, unsigned assertion)
{
    struct trace_call made = new_call(call);
    made.flags = (uint16_t)assertion;
    return add_call(generator, made);
}

static enum status add_put(struct generator *generator, uint32_t index)
{
    struct trace_call put = new_call(ID_Put);
    put.peer = generator->targets[index].rank;
    put.bytes = generator->options->bytes;
    put.rma.disp = put.bytes * generator->targets[index].slot;
    return add_call(generator, put);
}

static enum status add_puts(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->target_count; i++) TRY(add_put(generator, i));
    return STATUS_OK;
}

static enum status pscw_iteration(struct generator *generator, bool last)
{
    struct trace_call post = new_call(ID_Win_post), start = new_call(ID_Win_start);
    (void)last;
    post.sync.group = generator->origin_group;
    start.sync.group = generator->target_group;
    TRY(add_call(generator, post));
    TRY(add_call(generator, start));
    TRY(add_puts(generator));
    TRY(add_plain(generator, ID_Win_complete, 0));
    return add_plain(generator, ID_Win_wait, 0);
}

static enum status fence_iteration(struct generator *generator, bool last)
{
    TRY(add_puts(generator));
    return add_plain(generator, ID_Win_fence, last ? TRACE_NOSUCCEED : 0);
}

/* Shared locks: the blocks of different origins do not overlap. */
static enum status lock_iteration(struct generator *generator, bool last)
{
    (void)last;
    for (uint32_t i = 0; i < generator->target_count; i++) {
        struct trace_call lock = new_call(ID_Win_lock), unlock = new_call(ID_Win_unlock);
        lock.peer = unlock.peer = generator->targets[i].rank;
        TRY(add_call(generator, lock));
        TRY(add_put(generator, i));
        TRY(add_call(generator, unlock));
    }
    return add_plain(generator, ID_Barrier, 0);
}

static enum status flush_iteration(struct generator *generator, bool last)
{
    TRY(add_puts(generator));
    TRY(add_plain(generator, ID_Win_flush_all, 0));
    TRY(add_plain(generator, ID_Barrier, 0));
    return last ? add_plain(generator, ID_Win_unlock_all, 0) : STATUS_OK;
}

static enum status add_message(struct generator *generator, enum mpi_call call, int32_t peer)
{
    struct trace_call message = new_call(call);
    message.peer = peer;
    message.bytes = generator->options->bytes;
    message.ref = generator->next_request++;
    return add_call(generator, message);
}

static enum status message_iteration(struct generator *generator, bool last)
{
    struct trace_call wait = new_call(ID_Waitall);
    uint32_t first = generator->next_request;
    (void)last;
    for (uint32_t i = 0; i < generator->origin_count; i++)
        TRY(add_message(generator, ID_Irecv, generator->origins[i].rank));
    for (uint32_t i = 0; i < generator->target_count; i++)
        TRY(add_message(generator, ID_Isend, generator->targets[i].rank));
    uint32_t count = generator->next_request - first;
    uint32_t *requests = malloc(((size_t)count + 1) * sizeof *requests);
    if (!requests) return err_memory(generator->err);
    for (uint32_t i = 0; i < count; i++) requests[i] = first + i;
    enum status status = trace_add_list(generator->trace, requests, count, &wait.completion.list, generator->err);
    free(requests);
    wait.handle = TRACE_NONE;
    return status == STATUS_OK ? add_call(generator, wait) : status;
}

static const struct sync syncs[] = {
    {"pscw", true, ID_none, 0, pscw_iteration},    {"fence", true, ID_Win_fence, TRACE_NOPRECEDE, fence_iteration},
    {"lock", true, ID_none, 0, lock_iteration},    {"flush", true, ID_Win_lock_all, 0, flush_iteration},
    {"p2p", false, ID_none, 0, message_iteration},
};

enum { PATTERNS = sizeof patterns / sizeof *patterns, SYNCS = sizeof syncs / sizeof *syncs };

const char *const *generate_patterns(void)
{
    static const char *names[PATTERNS + 1];
    for (size_t i = 0; i < PATTERNS; i++) names[i] = patterns[i].name;
    return names;
}

const char *const *generate_syncs(void)
{
    static const char *names[SYNCS + 1];
    for (size_t i = 0; i < SYNCS; i++) names[i] = syncs[i].name;
    return names;
}

/* The value depends on rank and iteration alone. */
static int64_t compute_ps(const struct generate_options *options, uint32_t rank, uint32_t iteration)
{
    uint64_t bits = scramble_bits(scramble_bits(options->seed) ^ ((uint64_t)rank << 32 | iteration));
    double u = (double)(bits >> 11) * 0x1p-52 - 1; /* in [-1, 1) */
    return units_ps(options->compute_s * (1 + options->imbalance * u));
}

static enum status add_group(struct generator *generator, const struct partner *partners, uint32_t count,
                             uint32_t *group)
{
    int32_t *members = malloc(((size_t)count + 1) * sizeof *members);
    if (!members) return err_memory(generator->err);
    for (uint32_t i = 0; i < count; i++) members[i] = partners[i].rank;
    enum status status = trace_add_group(generator->trace, members, count, group, generator->err);
    free(members);
    return status;
}

static enum status find_partners(struct generator *generator)
{
    const struct pattern *pattern = generator->pattern;
    const uint32_t ranks = generator->options->ranks, rank = generator->rank;
    generator->target_count = pattern->targets(ranks, rank, generator->targets);
    generator->origin_count = (pattern->origins ? pattern->origins : pattern->targets)(ranks, rank, generator->origins);
    TRY(add_group(generator, generator->targets, generator->target_count, &generator->target_group));
    return add_group(generator, generator->origins, generator->origin_count, &generator->origin_group);
}

static enum status add_calls(struct generator *generator)
{
    const struct generate_options *options = generator->options;
    const struct sync *sync = generator->sync;
    generator->now_ps = 0;
    generator->next_request = 1;
    TRY(find_partners(generator));
    if (sync->window) TRY(add_plain(generator, ID_Win_create, 0));
    if (sync->before != ID_none) TRY(add_plain(generator, sync->before, sync->assertion));
    for (uint32_t i = 0; i < options->iterations; i++) {
        generator->now_ps += compute_ps(options, generator->rank, i);
        TRY(sync->iteration(generator, i + 1 == options->iterations));
    }
    return sync->window ? add_plain(generator, ID_Win_free, 0) : STATUS_OK;
}

static enum status add_window(struct generator *generator)
{
    const struct generate_options *options = generator->options;
    int64_t *bytes = malloc(options->ranks * sizeof *bytes);
    int32_t *units = malloc(options->ranks * sizeof *units), id;
    enum status status = bytes && units ? STATUS_OK : err_memory(generator->err);
    for (uint32_t i = 0; status == STATUS_OK && i < options->ranks; i++) {
        bytes[i] = options->bytes * slots_of(generator->pattern, options->ranks);
        units[i] = 1;
    }
    if (status == STATUS_OK) status = trace_add_window(generator->trace, 0, bytes, units, 'c', &id, generator->err);
    FREE_ALL(bytes, units);
    return status;
}

static enum status begin_trace(struct generator *generator)
{
    const size_t slots = slots_of(generator->pattern, generator->options->ranks);
    TRY(trace_new(generator->pattern->name, generator->options->ranks, &generator->trace, generator->err));
    generator->trace->provenance.generator = strdup(generator->pattern->name);
    generator->targets = malloc(slots * sizeof *generator->targets);
    generator->origins = malloc(slots * sizeof *generator->origins);
    if (!generator->targets || !generator->origins || !generator->trace->provenance.generator) return err_memory(generator->err);
    return generator->sync->window ? add_window(generator) : STATUS_OK;
}

static enum status fail_usage(struct err *err, const char *what, const char *expected)
{
    return err_set(err, STATUS_USAGE, NULL, NULL, "%s, expected %s", what, expected);
}

static enum status check_options(const struct generate_options *options, const struct pattern **pattern, const struct sync **sync,
                                 struct err *err)
{
    *pattern = NULL;
    *sync = NULL;
    for (size_t i = 0; i < PATTERNS; i++)
        if (strcmp(patterns[i].name, options->pattern) == 0) *pattern = &patterns[i];
    for (size_t i = 0; i < SYNCS; i++)
        if (strcmp(syncs[i].name, options->sync) == 0) *sync = &syncs[i];
    if (!*pattern) return fail_usage(err, "unknown pattern", "halo2d, ring or transpose");
    if (!*sync) return fail_usage(err, "unknown synchronisation", "pscw, fence, lock, flush or p2p");
    if (options->ranks == 0 || options->ranks > INT32_MAX) return fail_usage(err, "no ranks", "1 or more");
    if (options->bytes < 0 || options->bytes > INT64_MAX / options->ranks / 4)
        return fail_usage(err, "impossible bytes", "0 or more");
    if (!(options->imbalance >= 0 && options->imbalance <= 1)) return fail_usage(err, "impossible imbalance", "0 to 1");
    if (!(options->compute_s >= 0 && options->compute_s * options->iterations < 4e6))
        return fail_usage(err, "impossible computing time", "0 to 4e6 s for all iterations");
    return STATUS_OK;
}

void generate_close(struct generator *generator)
{
    if (!generator) return;
    trace_free(generator->trace);
    FREE_ALL(generator->targets, generator->origins, generator);
}

static enum status open_generator(const struct generate_options *options, struct generator **generator, struct err *err)
{
    struct generator *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct generator){.options = options, .first_ps = INT64_MAX, .err = err};
    enum status status = check_options(options, &made->pattern, &made->sync, err);
    if (status == STATUS_OK) status = begin_trace(made);
    GIVE(status, *generator = made, generate_close(made));
}

enum status generate_open(const struct generate_options *options, struct generator **generator, struct err *err)
{
    TRY(open_generator(options, generator, err));
    (*generator)->trace->begin_known = true; /* 0 before the last rank: no time is earlier */
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < options->ranks; r++) {
        (*generator)->rank = r;
        status = find_partners(*generator);
    }
    if (status != STATUS_OK) generate_close(*generator);
    return status;
}

const struct trace *generate_definitions(const struct generator *generator)
{
    return generator->trace;
}

uint64_t generate_calls(const struct generator *generator)
{
    return generator->calls;
}

enum status generate_rank(void *context, uint32_t rank, struct err *err)
{
    struct generator *generator = context;
    struct trace *trace = generator->trace;
    struct trace_rank *process = &trace->ranks[rank];
    generator->rank = rank;
    generator->err = err;
    trace_pass_memory(trace, generator->last, process);
    generator->last = process;
    TRY(add_calls(generator));
    generator->calls += process->count;
    if (process->count > 0) generator->first_ps = units_min_ps(generator->first_ps, process->calls[0].enter_ps);
    if (rank + 1 == trace->rank_count && generator->calls > 0) trace->begin_ps = generator->first_ps;
    return trace_check_whole_rank(trace, rank, err);
}

enum status generate_trace(const struct generate_options *options, struct trace **trace, struct err *err)
{
    struct generator *generator;
    TRY(open_generator(options, &generator, err));
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < options->ranks; r++) {
        generator->rank = r;
        status = add_calls(generator);
    }
    if (status == STATUS_OK) {
        *trace = generator->trace;
        generator->trace = NULL;
    }
    generate_close(generator);
    return status;
}
