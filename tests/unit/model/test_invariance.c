/* Property tests on random traces: what must hold whatever the times are. A failing assertion prints the seed. */
#include "model_test.h"

#include <stdlib.h>
#include <string.h>

#include "model/match/relations.h"
#include "trace/text/text.h"

enum { RANKS = 5, WINDOWS = 2, ROUNDS = 12, SEEDS = 40 };

/* xorshift64* (Vigna 2016). */
static uint64_t next(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * UINT64_C(2685821657736338717);
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
    return (uint32_t)(next(random) >> 33) % limit;
}

static bool scans = true;

struct maker {
    struct trace *trace;
    uint64_t random;
    int64_t now_ps[RANKS];
};

static void must(enum status status, const struct err *err)
{
    if (status != STATUS_OK) fail_msg("%s", err->text);
}

/* Appends a call of random duration, often none, after a random pause, often none. */
static void add(struct maker *maker, uint32_t rank, enum mpi_call id, struct trace_call call)
{
    struct err err;
    call.call = (uint16_t)id;
    call.enter_ps = maker->now_ps[rank] + below(&maker->random, 2) * below(&maker->random, 50) * US;
    call.exit_ps = call.enter_ps + below(&maker->random, 2) * below(&maker->random, 90) * US;
    maker->now_ps[rank] = call.exit_ps;
    must(trace_add_call(maker->trace, rank, &call, &err), &err);
}

static struct trace_call plain(int32_t handle)
{
    return (struct trace_call){.handle = handle, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
}

static struct trace_call grouped(struct maker *maker, int32_t window, const bool *members)
{
    struct err err;
    int32_t list[RANKS];
    uint32_t count = 0;
    struct trace_call call = plain(window);
    for (int32_t r = 0; r < RANKS; r++)
        if (members[r]) list[count++] = r;
    must(trace_add_group(maker->trace, list, count, &call.ref, &err), &err);
    return call;
}

/* A round of general active target synchronisation: targets[o][t] says that o accesses t. Half the targets test. */
static void add_pscw_round(struct maker *maker, int32_t window)
{
    bool targets[RANKS][RANKS], origins[RANKS][RANKS];
    for (uint32_t o = 0; o < RANKS; o++)
        for (uint32_t t = 0; t < RANKS; t++) targets[o][t] = origins[t][o] = below(&maker->random, 3) == 0;
    for (uint32_t r = 0; r < RANKS; r++) {
        add(maker, r, ID_Win_post, grouped(maker, window, origins[r]));
        add(maker, r, ID_Win_start, grouped(maker, window, targets[r]));
        for (uint32_t t = 0; t < RANKS; t++) {
            struct trace_call put = plain(window);
            put.peer = (int32_t)t;
            put.bytes = 8;
            for (uint32_t n = targets[r][t] ? below(&maker->random, 3) : 0; n > 0; n--)
                add(maker, r, n % 2 ? ID_Put : ID_Get, put);
        }
        add(maker, r, ID_Win_complete, plain(window));
        struct trace_call test = plain(window);
        uint32_t tests = below(&maker->random, 4);
        for (uint32_t n = 0; n < tests; n++) add(maker, r, ID_Win_test, test);
        test.flags = TRACE_FLAG;
        add(maker, r, tests > 0 ? ID_Win_test : ID_Win_wait, test);
    }
}

static void add_collective_round(struct maker *maker, int32_t window)
{
    int32_t root = (int32_t)below(&maker->random, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct trace_call rooted = plain(0);
        rooted.peer = root;
        struct trace_call put = plain(window);
        put.peer = root;
        put.bytes = 16;
        add(maker, r, ID_Win_fence, plain(window));
        add(maker, r, ID_Put, put);
        add(maker, r, ID_Win_fence, plain(window));
        add(maker, r, ID_Barrier, plain(0));
        if (scans) add(maker, r, ID_Exscan, plain(0));
        add(maker, r, ID_Bcast, rooted);
        add(maker, r, ID_Reduce, rooted);
        add(maker, r, ID_Allreduce, plain(0));
    }
}

static void add_lock_round(struct maker *maker, int32_t window)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        struct trace_call lock = plain(window);
        lock.peer = (int32_t)below(&maker->random, RANKS);
        lock.flags = below(&maker->random, 2) ? TRACE_EXCLUSIVE : 0;
        add(maker, r, ID_Win_lock, lock);
        lock.flags = 0;
        lock.bytes = 8;
        for (uint32_t n = below(&maker->random, 3); n > 0; n--) add(maker, r, ID_Put, lock);
        lock.bytes = 0;
        add(maker, r, ID_Win_unlock, lock);
    }
}

static void add_message_round(struct maker *maker)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        struct trace_call message = plain(0);
        message.bytes = 1 << 20;
        message.peer = (int32_t)((r + 1) % RANKS);
        add(maker, r, ID_Send, message);
        message.peer = (int32_t)((r + RANKS - 1) % RANKS);
        for (uint32_t n = below(&maker->random, 3); n > 0; n--) add(maker, r, ID_Probe, message);
        add(maker, r, ID_Recv, message);
    }
}

static struct trace *random_trace(uint64_t seed)
{
    struct err err;
    struct maker maker = {.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    int32_t window;
    must(trace_new("random", RANKS, &maker.trace, &err), &err);
    for (int w = 0; w < WINDOWS; w++) must(trace_add_window(maker.trace, 0, NULL, NULL, '?', &window, &err), &err);
    for (int i = 0; i < ROUNDS; i++) {
        window = (int32_t)below(&maker.random, WINDOWS);
        switch (below(&maker.random, 4)) {
        case 0: add_collective_round(&maker, window); break;
        case 1: add_lock_round(&maker, window); break;
        case 2: add_message_round(&maker); break;
        default: add_pscw_round(&maker, window); break;
        }
    }
    must(trace_check(maker.trace, &err), &err);
    return maker.trace;
}

static struct totals accounted(const struct trace *trace)
{
    struct err err;
    struct totals totals;
    must(model_totals(trace, NULL, &totals, &err), &err);
    return totals;
}

static void expect_same(const struct totals *one, const struct totals *other, const int32_t *name, uint64_t seed)
{
    for (int p = 0; p < PATTERN_COUNT; p++)
        for (uint32_t r = 0; r < RANKS; r++)
            if (one->severity_ps[p][r] != other->severity_ps[p][name[r]] ||
                one->count[p][r] != other->count[p][name[r]])
                fail_msg("seed %llu: %s of rank %u differs", (unsigned long long)seed,
                         pattern_row((enum pattern)p)->name, r);
}

static void time_shift(void **state)
{
    (void)state;
    const int32_t same[RANKS] = {0, 1, 2, 3, 4};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trace *trace = random_trace(seed);
        struct totals before = accounted(trace);
        for (uint32_t r = 0; r < RANKS; r++)
            for (size_t i = 0; i < trace->ranks[r].count; i++) {
                trace->ranks[r].calls[i].enter_ps += 123456789;
                trace->ranks[r].calls[i].exit_ps += 123456789;
            }
        struct totals after = accounted(trace);
        expect_same(&before, &after, same, seed);
        totals_clear(&before);
        totals_clear(&after);
        trace_free(trace);
    }
}

/* The same trace in which rank r is called name[r]. */
static struct trace *renamed(const struct trace *trace, const int32_t *name)
{
    struct err err;
    struct trace *made;
    int32_t window;
    must(trace_new("renamed", RANKS, &made, &err), &err);
    for (int w = 0; w < WINDOWS; w++) must(trace_add_window(made, 0, NULL, NULL, '?', &window, &err), &err);
    for (uint32_t r = 0; r < RANKS; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            struct trace_call call = trace->ranks[r].calls[i];
            if (call.peer != TRACE_NONE) call.peer = name[call.peer];
            if (call.ref != TRACE_NO_REF) {
                const struct trace_group *group = &trace->definitions.groups[call.ref];
                int32_t members[RANKS];
                for (uint32_t m = 0; m < group->count; m++) members[m] = name[group->members[m]];
                must(trace_add_group(made, members, group->count, &call.ref, &err), &err);
            }
            must(trace_add_call(made, (uint32_t)name[r], &call, &err), &err);
        }
    must(trace_check(made, &err), &err);
    return made;
}

static void renaming(void **state)
{
    (void)state;
    const int32_t name[RANKS] = {3, 0, 4, 2, 1};
    scans = false; /* their prefixes are those of the ranks' numbers */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trace *trace = random_trace(seed), *other = renamed(trace, name);
        struct totals before = accounted(trace), after = accounted(other);
        for (uint32_t r = 0; r < RANKS; r++) /* what is a ring depends on the ranks' numbers */
            before.count[PATTERN_CLOSE_SEND_RECEIVE][r] = after.count[PATTERN_CLOSE_SEND_RECEIVE][r] = 0;
        expect_same(&before, &after, name, seed);
        totals_clear(&before);
        totals_clear(&after);
        trace_free(trace);
        trace_free(other);
    }
    scans = true;
}

static struct trace *split(const struct trace *trace)
{
    struct err err;
    struct trace *made;
    must(trace_new_like(trace, &made, &err), &err);
    for (uint32_t r = 0; r < RANKS; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            struct trace_call call = trace->ranks[r].calls[i];
            int64_t exit_ps = call.exit_ps;
            if (call.call == ID_Put) {
                call.exit_ps = call.enter_ps + (exit_ps - call.enter_ps) / 3;
                must(trace_add_call(made, r, &call, &err), &err);
                call.enter_ps = call.exit_ps;
                call.exit_ps = exit_ps;
            }
            must(trace_add_call(made, r, &call, &err), &err);
        }
    must(trace_check(made, &err), &err);
    return made;
}

/* Each put as two that share its time: nobody waits for more or less outside the puts. Early Transfer looks at the posts
 * that lie in each half: one half may return before its target's post, and another target's post lie in the other. Wait
 * for Progress looks at the target's next call, which may be half a put here. */
static void splitting_puts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trace *trace = random_trace(seed), *other = split(trace);
        struct totals before = accounted(trace), after = accounted(other);
        for (int p = 0; p < PATTERN_COUNT; p++)
            for (uint32_t r = 0; r < RANKS; r++)
                if (p != PATTERN_WAIT_FOR_PROGRESS && p != PATTERN_EARLY_TRANSFER &&
                    (before.severity_ps[p][r] != after.severity_ps[p][r] || before.count[p][r] != after.count[p][r]))
                    fail_msg("seed %llu: %s of rank %u differs", (unsigned long long)seed,
                             pattern_row((enum pattern)p)->name, r);
        totals_clear(&before);
        totals_clear(&after);
        trace_free(trace);
        trace_free(other);
    }
}

/* Reads what text_write wrote, the ranks' calls one rank after another, the last rank first. */
static struct trace *read_reversed(char *text)
{
    char *reversed = calloc(strlen(text) + 2, 1), *save;
    char *copies[RANKS + 1];
    struct trace *made;
    for (int i = 0; i <= RANKS; i++) copies[i] = strdup(text);
    assert_non_null(reversed);
    for (int i = 0; i <= RANKS; i++) /* definitions, then ranks 4 to 0 */
        for (char *line = strtok_r(copies[i], "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
            bool call = line[0] >= '0' && line[0] <= '9', header = strncmp(line, "rmacast-trace", 13) == 0;
            if (header || call != (i > 0) || (call && line[0] - '0' != RANKS - i)) continue;
            strcat(strcat(reversed, line), "\n");
        }
    for (int i = 0; i <= RANKS; i++) free(copies[i]);
    made = trace_of(reversed);
    free(reversed);
    return made;
}

static void order_of_lines(void **state)
{
    (void)state;
    const int32_t same[RANKS] = {0, 1, 2, 3, 4};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct err err;
        char *text;
        size_t size;
        struct trace *trace = random_trace(seed);
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        must(text_write(trace, NULL, out, &err), &err);
        fclose(out);
        struct trace *other = read_reversed(text);
        struct totals before = accounted(trace), after = accounted(other);
        expect_same(&before, &after, same, seed);
        totals_clear(&before);
        totals_clear(&after);
        trace_free(trace);
        trace_free(other);
        free(text);
    }
}

static void severities_fit_into_calls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trace *trace = random_trace(seed);
        struct totals totals = accounted(trace);
        for (uint32_t r = 0; r < RANKS; r++) {
            int64_t inside_ps = 0, waits_ps = 0;
            for (size_t i = 0; i < trace->ranks[r].count; i++)
                inside_ps += trace->ranks[r].calls[i].exit_ps - trace->ranks[r].calls[i].enter_ps;
            for (int p = 0; p < PATTERN_COUNT; p++) {
                assert_true(totals.severity_ps[p][r] >= 0);
                if (pattern_whole((enum pattern)p) == (enum pattern)p) waits_ps += totals.severity_ps[p][r];
            }
            if (waits_ps > inside_ps)
                fail_msg("seed %llu: rank %u waits longer than it calls", (unsigned long long)seed, r);
            assert_true(totals.severity_ps[PATTERN_LATE_COMPLETE][r] <= totals.severity_ps[PATTERN_EARLY_WAIT][r]);
        }
        totals_clear(&totals);
        trace_free(trace);
    }
}

/* One call alone: with every other call's duration taken as it is, no call's waits exceed it. Each rank's trace is
 * analysed with the durations of all its other calls set to zero, so that all it waits is in that call. */
static void each_call_holds_its_waits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct trace *trace = random_trace(seed);
        for (size_t i = 0; i < trace->ranks[0].count; i++) {
            struct trace *alone = random_trace(seed);
            for (size_t k = 0; k < alone->ranks[0].count; k++)
                if (k != i) alone->ranks[0].calls[k].exit_ps = alone->ranks[0].calls[k].enter_ps;
            struct totals totals = accounted(alone);
            const struct trace_call *call = &alone->ranks[0].calls[i];
            int64_t waits_ps = 0;
            for (int p = 0; p < PATTERN_COUNT; p++)
                if (pattern_whole((enum pattern)p) == (enum pattern)p) waits_ps += totals.severity_ps[p][0];
            if (waits_ps > call->exit_ps - call->enter_ps)
                fail_msg("seed %llu: event %zu waits longer than it lasts", (unsigned long long)seed, i + 1);
            totals_clear(&totals);
            trace_free(alone);
        }
        trace_free(trace);
    }
}

static void every_epoch_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct err err;
        struct relations relations;
        struct trace *trace = random_trace(seed);
        must(relations_build(trace, &relations, &err), &err);
        assert_int_equal(relations.epochs.pair_count, relations.epochs.link_count);
        for (size_t p = 0; p < relations.epochs.pair_count; p++) {
            const struct epoch_pair *pair = &relations.epochs.pairs[p];
            assert_true(pair->exposure != EPOCH_NONE);
            const struct exposure_epoch *exposure = &relations.epochs.exposures[pair->exposure];
            const struct access_epoch *access = &relations.epochs.accesses[pair->access];
            assert_int_equal(exposure->window, access->window);
            uint32_t group = trace->ranks[access->rank].calls[access->open_call].ref;
            assert_int_equal(trace->definitions.groups[group].members[p - access->pair_first], exposure->rank);
        }
        relations_clear(&relations);
        trace_free(trace);
    }
}

/* All times at random, so that calls contradict each other: the figures agree with each other all the same. */
static void figures_agree(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.intervals = options.verify = true;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct err err;
        struct result *result;
        struct trace *trace = random_trace(seed);
        must(model_analyze(trace, &options, &result, &err), &err);
        for (size_t i = 0; i < result->check_count; i++)
            if (!result->checks[i].holds)
                fail_msg("seed %llu: %s: %s", (unsigned long long)seed, result->checks[i].name,
                         result->checks[i].detail);
        assert_int_equal(result->check_count, 7);
        result_free(result);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_shift),
        cmocka_unit_test(renaming),
        cmocka_unit_test(splitting_puts),
        cmocka_unit_test(order_of_lines),
        cmocka_unit_test(severities_fit_into_calls),
        cmocka_unit_test(each_call_holds_its_waits),
        cmocka_unit_test(every_epoch_pairs),
        cmocka_unit_test(figures_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
