#include "same_trace.h"

static void assert_same_text(const char *one, const char *two)
{
    if (!one || !two)
        assert_ptr_equal(one, two);
    else
        assert_string_equal(one, two);
}

static void assert_same_bytes(const void *one, const void *two, size_t bytes)
{
    assert_int_equal(one != NULL, two != NULL);
    if (one && bytes > 0) assert_memory_equal(one, two, bytes);
}

static void assert_same_names(const struct trace_definitions *one, const struct trace_definitions *two)
{
    assert_int_equal(one->site_count, two->site_count);
    for (size_t i = 0; i < one->site_count; i++) {
        assert_same_text(one->sites[i].function, two->sites[i].function);
        assert_same_text(one->sites[i].file, two->sites[i].file);
        assert_int_equal(one->sites[i].line, two->sites[i].line);
    }
    assert_int_equal(one->region_count, two->region_count);
    for (size_t i = 0; i < one->region_count; i++) assert_string_equal(one->regions[i], two->regions[i]);
    assert_int_equal(one->node_count, two->node_count);
    for (size_t i = 0; i < one->node_count; i++) assert_string_equal(one->nodes[i], two->nodes[i]);
}

static void assert_same_members(const struct trace_definitions *one, const struct trace_definitions *two)
{
    assert_int_equal(one->comm_count, two->comm_count);
    for (size_t i = 0; i < one->comm_count; i++) {
        assert_int_equal(one->comms[i].count, two->comms[i].count);
        assert_same_bytes(one->comms[i].members, two->comms[i].members, one->comms[i].count * sizeof(int32_t));
    }
    assert_int_equal(one->window_count, two->window_count);
    for (size_t i = 0; i < one->window_count; i++) assert_int_equal(one->windows[i].comm, two->windows[i].comm);
    assert_int_equal(one->group_count, two->group_count);
    for (size_t i = 0; i < one->group_count; i++) {
        assert_int_equal(one->groups[i].count, two->groups[i].count);
        assert_same_bytes(one->groups[i].members, two->groups[i].members, one->groups[i].count * sizeof(int32_t));
    }
    assert_int_equal(one->counts_count, two->counts_count);
    for (size_t i = 0; i < one->counts_count; i++) {
        assert_int_equal(one->counts[i].count, two->counts[i].count);
        assert_same_bytes(one->counts[i].bytes, two->counts[i].bytes, one->counts[i].count * sizeof(int64_t));
    }
}

static void assert_same_tables(const struct trace_definitions *one, const struct trace_definitions *two)
{
    assert_int_equal(one->list_count, two->list_count);
    assert_int_equal(one->request_count, two->request_count);
    assert_same_bytes(one->lists, two->lists, one->list_count * sizeof *one->lists);
    assert_same_bytes(one->requests, two->requests, one->request_count * sizeof *one->requests);
    assert_int_equal(one->extents_count, two->extents_count);
    assert_same_bytes(one->extents, two->extents, one->extents_count * sizeof *one->extents);
}

static void assert_same_rank(const struct trace_rank *a, const struct trace_rank *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count > 0) assert_memory_equal(a->calls, b->calls, a->count * sizeof *a->calls);
    assert_same_bytes(a->sim, b->sim, a->count * sizeof *a->sim);
    for (int i = 0; i < BEFORE_COUNT; i++)
        assert_same_bytes(a->before_ps[i], b->before_ps[i], a->count * sizeof *a->before_ps[i]);
    assert_int_equal(a->cores, b->cores);
    assert_same_bytes(a->thread, b->thread, a->count * sizeof *a->thread);
    assert_same_bytes(a->extents, b->extents, a->count * sizeof *a->extents);
    assert_int_equal(a->thread_count, b->thread_count);
    assert_true(a->speed == b->speed);
    assert_true(a->memory_bound == b->memory_bound && a->memory_known == b->memory_known);
    assert_int_equal(a->incomplete, b->incomplete);
    assert_same_text(a->incomplete_why, b->incomplete_why);
    assert_int_equal(a->node, b->node);
}

static void assert_same_provenance(const struct trace_provenance *one, const struct trace_provenance *two)
{
    assert_int_equal(one->simulated, two->simulated);
    assert_int_equal(one->core_waits, two->core_waits);
    assert_int_equal(one->note_count, two->note_count);
    for (size_t i = 0; i < one->note_count; i++) assert_string_equal(one->notes[i], two->notes[i]);
    assert_int_equal(one->fault_count, two->fault_count);
    for (size_t i = 0; i < one->fault_count; i++) {
        assert_int_equal(one->faults[i].rank, two->faults[i].rank);
        assert_int_equal(one->faults[i].event, two->faults[i].event);
        assert_int_equal(one->faults[i].time_ps, two->faults[i].time_ps);
        assert_int_equal(one->faults[i].left_out, two->faults[i].left_out);
        assert_string_equal(one->faults[i].text, two->faults[i].text);
    }
}

void assert_same_traces(const struct trace *one, const struct trace *two)
{
    assert_same_names(&one->definitions, &two->definitions);
    assert_same_members(&one->definitions, &two->definitions);
    assert_same_tables(&one->definitions, &two->definitions);
    assert_same_provenance(&one->provenance, &two->provenance);
    assert_int_equal(one->skips_checks, two->skips_checks);
    assert_int_equal(one->rank_count, two->rank_count);
    for (uint32_t rank = 0; rank < one->rank_count; rank++) assert_same_rank(&one->ranks[rank], &two->ranks[rank]);
}
