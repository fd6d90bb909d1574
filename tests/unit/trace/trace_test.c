#include "trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/text/text.h"

enum status read_text(const char *text, struct trace **trace, struct err *err)
{
    char directory[] = "/tmp/rmacast-test-XXXXXX", before[4096];
    assert_non_null(mkdtemp(directory));
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    FILE *out = fopen("t.txt", "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    enum status status = text_read_by(0, "t.txt", false, trace, err);
    assert_int_equal(unlink("t.txt"), 0);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(directory), 0);
    return status;
}

struct trace *trace_of(const char *text)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (read_text(text, &trace, &err) != STATUS_OK || trace_check(trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

char *text_of(const struct trace *trace)
{
    char *text = NULL;
    size_t size;
    struct err err;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (text_write(trace, NULL, out, &err) != STATUS_OK) fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static void assert_same_text(const char *one, const char *two)
{
    assert_int_equal(one == NULL, two == NULL);
    if (one) assert_string_equal(one, two);
}

static void assert_same_bytes(const void *one, const void *two, size_t bytes)
{
    assert_int_equal(one == NULL, two == NULL);
    if (one && bytes) assert_memory_equal(one, two, bytes);
}

static void assert_definitions_equal(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->definitions.comm_count, two->definitions.comm_count);
    for (size_t i = 0; i < one->definitions.comm_count; i++) {
        assert_int_equal(one->definitions.comms[i].count, two->definitions.comms[i].count);
        assert_int_equal(one->definitions.comms[i].first_group, two->definitions.comms[i].first_group);
        assert_same_bytes(one->definitions.comms[i].members, two->definitions.comms[i].members,
                          one->definitions.comms[i].count * sizeof(int32_t));
    }
    assert_int_equal(one->definitions.window_count, two->definitions.window_count);
    for (size_t i = 0; i < one->definitions.window_count; i++) {
        const struct trace_window *a = &one->definitions.windows[i], *b = &two->definitions.windows[i];
        size_t members = one->definitions.comms[a->comm].count;
        assert_int_equal(a->comm, b->comm);
        assert_int_equal(a->flavor, b->flavor);
        assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
        assert_same_bytes(a->bytes, b->bytes, members * sizeof *a->bytes);
        assert_same_bytes(a->disp_unit, b->disp_unit, members * sizeof *a->disp_unit);
    }
}

static void assert_properties_equal(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->provenance.simulated, two->provenance.simulated);
    assert_same_text(one->provenance.platform, two->provenance.platform);
    assert_same_text(one->provenance.engine, two->provenance.engine);
    assert_same_text(one->provenance.semantics, two->provenance.semantics);
    assert_same_text(one->provenance.lock, two->provenance.lock);
    assert_int_equal(one->provenance.clock.known, two->provenance.clock.known);
    assert_true(one->provenance.clock.worst_offset_s == two->provenance.clock.worst_offset_s);
    assert_true(one->provenance.clock.worst_error_s == two->provenance.clock.worst_error_s);
    assert_int_equal(one->provenance.clock.violations, two->provenance.clock.violations);
    assert_int_equal(one->provenance.clock.source, two->provenance.clock.source);
    assert_int_equal(one->provenance.record_cost_ps, two->provenance.record_cost_ps);
    assert_int_equal(one->provenance.note_count, two->provenance.note_count);
    for (size_t i = 0; i < one->provenance.note_count; i++)
        assert_string_equal(one->provenance.notes[i], two->provenance.notes[i]);
}

/* Groups, lists, regions and sites have ids of their own in each trace: what they name is compared. */
static void assert_refs_equal(const struct trace *one, const struct trace_call *a, const struct trace *two,
                              const struct trace_call *b)
{
    uint32_t needed = call_row(a->call)->needed;
    const struct trace_site *site = &one->definitions.sites[a->site], *other = &two->definitions.sites[b->site];
    assert_same_text(site->function, other->function);
    assert_same_text(site->file, other->file);
    assert_int_equal(site->line, other->line);
    const int64_t *counts = trace_call_counts(one, a), *others = trace_call_counts(two, b);
    assert_same_bytes(counts, others, counts ? trace_call_comm(one, a)->count * sizeof *counts : 0);
    if (needed & F_GROUP) {
        const struct trace_group *group = &one->definitions.groups[a->ref], *same = &two->definitions.groups[b->ref];
        assert_int_equal(group->count, same->count);
        assert_same_bytes(group->members, same->members, group->count * sizeof *group->members);
    } else if (needed & F_REQS) {
        const struct trace_list *list = &one->definitions.lists[a->ref], *same = &two->definitions.lists[b->ref];
        assert_int_equal(list->count, same->count);
        for (uint32_t i = 0; i < list->count; i++)
            assert_int_equal(one->definitions.requests[list->first + i], two->definitions.requests[same->first + i]);
    } else if (needed & F_REGION) {
        assert_string_equal(one->definitions.regions[a->ref], two->definitions.regions[b->ref]);
    } else {
        assert_int_equal(a->ref, b->ref);
    }
}

static void assert_ranks_equal(const struct trace *one, const struct trace *two, uint32_t rank)
{
    const struct trace_rank *a = &one->ranks[rank], *b = &two->ranks[rank];
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->incomplete, b->incomplete);
    assert_same_text(a->incomplete_why, b->incomplete_why);
    assert_same_bytes(a->sim, b->sim, a->count * sizeof *a->sim);
    assert_int_equal(trace_thread_count(one, rank), trace_thread_count(two, rank));
    for (size_t i = 0; i < a->count; i++) {
        struct trace_call call = a->calls[i], other = b->calls[i];
        assert_int_equal(trace_call_thread(one, rank, i), trace_call_thread(two, rank, i));
        assert_refs_equal(one, &call, two, &other);
        call.ref = other.ref = call.site = other.site = 0;
        if (call_row(call.call)->allowed & F_COUNTS) call.collective.counts = other.collective.counts = 0;
        assert_memory_equal(&call, &other, sizeof call);
        struct trace_extents extents = trace_call_extents(one, rank, i), same = trace_call_extents(two, rank, i);
        assert_memory_equal(&extents, &same, sizeof extents);
    }
}

void assert_traces_equal(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->rank_count, two->rank_count);
    assert_definitions_equal(one, two);
    assert_properties_equal(one, two);
    for (uint32_t i = 0; i < one->rank_count; i++) assert_ranks_equal(one, two, i);
}
