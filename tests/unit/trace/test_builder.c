/* Two shards of one trace: what they name in different order comes together as if one thread had read rank 0, then
 * rank 1. */
#include "trace_test.h"

#include <string.h>

#include "trace/builder.h"
#include "trace/faults.h"

static struct err err;

static void add_region(struct builder_shard *shard, uint32_t rank, int64_t time_ps, const char *region,
                       const char *function)
{
    struct trace_call call = {
        .enter_ps = time_ps, .exit_ps = time_ps, .handle = TRACE_NONE, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
    call.call = ID_region_enter;
    assert_int_equal(trace_add_region(&shard->trace, region, &call.ref, &err), STATUS_OK);
    assert_int_equal(trace_add_site(&shard->trace, function, "a.c", 7, &call.site, &err), STATUS_OK);
    assert_int_equal(trace_add_call(&shard->trace, rank, &call, &err), STATUS_OK);
}

static void add_waitall(struct builder_shard *shard, uint32_t rank, int64_t time_ps, uint32_t request)
{
    struct trace_call call = {
        .enter_ps = time_ps, .exit_ps = time_ps, .handle = TRACE_NONE, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
    call.call = ID_Waitall;
    assert_int_equal(trace_add_list(&shard->trace, &request, 1, &call.ref, &err), STATUS_OK);
    assert_int_equal(trace_add_call(&shard->trace, rank, &call, &err), STATUS_OK);
}

static void merge(struct builder_shard *shard, struct trace *trace, uint32_t rank)
{
    assert_int_equal(builder_translate_table(shard, trace, BUILDER_SITES, &err), STATUS_OK);
    assert_int_equal(builder_translate_table(shard, trace, BUILDER_REGIONS, &err), STATUS_OK);
    assert_int_equal(builder_merge(shard, trace, rank, rank + 1, &err), STATUS_OK);
    assert_int_equal(builder_translate_ranks(shard, trace, rank, rank + 1, &err), STATUS_OK);
    builder_clear(shard);
}

static void shards_come_together(void **state)
{
    (void)state;
    struct builder_shard one = {.own = 0}, other = {.own = 0};
    struct trace *trace;
    uint32_t defined;
    assert_int_equal(trace_new("t", 2, &trace, &err), STATUS_OK);
    assert_int_equal(builder_begin(&one, trace, BUILDER_OWN_NAMES, &err), STATUS_OK);
    assert_int_equal(builder_begin(&other, trace, BUILDER_OWN_NAMES, &err), STATUS_OK);
    assert_int_equal(trace_add_region(trace, "defined", &defined, &err), STATUS_OK);
    assert_int_equal(builder_translate(&one, trace, BUILDER_REGIONS, &defined, &err), STATUS_OK); /* the whole's */
    assert_int_equal(defined, 0);
    add_region(&other, 1, 1, "inner", "g"); /* the later shard is read first */
    add_region(&other, 1, 2, "outer", "f");
    add_waitall(&other, 1, 3, 42);
    add_region(&one, 0, 1, "outer", "f");
    add_waitall(&one, 0, 2, 41);
    assert_int_equal(trace_add_fault(&other.trace, 1, 3, 4, 1, "t:rank 1: broken", &err), STATUS_OK);
    assert_int_equal(trace->definitions.site_count, 1);
    merge(&one, trace, 0);
    merge(&other, trace, 1);
    const struct trace_call *first = trace->ranks[0].calls, *second = trace->ranks[1].calls;
    assert_int_equal(trace->definitions.region_count, 3);
    assert_string_equal(trace->definitions.regions[1], "outer");
    assert_int_equal(first[0].ref, 1);
    assert_int_equal(second[0].ref, 2);
    assert_int_equal(second[1].ref, 1);
    assert_int_equal(trace->definitions.site_count, 3); /* the unknown one, f, g */
    assert_string_equal(trace->definitions.sites[second[0].site].function, "g");
    assert_int_equal(second[1].site, first[0].site);
    assert_int_equal(second[2].site, TRACE_NO_SITE);
    assert_int_equal(trace->definitions.requests[trace->definitions.lists[first[1].ref].first], 41);
    assert_int_equal(trace->definitions.requests[trace->definitions.lists[second[2].ref].first], 42);
    assert_int_equal(trace->provenance.fault_count, 1);
    assert_true(trace->ranks[1].incomplete);
    trace_free(trace);
}

/* Without tables of its own a shard uses the whole's, and leaves them when it goes. */
static void names_may_be_shared(void **state)
{
    (void)state;
    struct builder_shard shard = {.own = 0};
    struct trace *trace;
    uint32_t id, group;
    const int32_t members[] = {0, 1};
    assert_int_equal(trace_new("t", 2, &trace, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, "f", "a.c", 7, &id, &err), STATUS_OK);
    assert_int_equal(trace_add_group(trace, members, 2, &group, &err), STATUS_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(builder_begin(&shard, trace, BUILDER_OWN_GROUPS, &err), STATUS_OK);
        uint32_t site = id, own = UINT32_MAX;
        assert_int_equal(builder_translate(&shard, trace, BUILDER_SITES, &site, &err), STATUS_OK);
        assert_int_equal(site, id);
        assert_int_equal(trace_add_group(&shard.trace, members + 1, 1, &own, &err), STATUS_OK);
        assert_int_equal(own, 0);
        assert_int_equal(builder_translate(&shard, trace, BUILDER_GROUPS, &own, &err), STATUS_OK);
        assert_int_equal(own, 1);
    }
    builder_clear(&shard);
    assert_int_equal(trace->definitions.group_count, 2);
    assert_string_equal(trace->definitions.sites[id].function, "f");
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_come_together),
        cmocka_unit_test(names_may_be_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
