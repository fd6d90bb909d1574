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
    enum status status = text_read("t.txt", trace, err);
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
    assert_int_equal(one->comm_count, two->comm_count);
    for (size_t i = 0; i < one->comm_count; i++) {
        assert_int_equal(one->comms[i].count, two->comms[i].count);
        assert_int_equal(one->comms[i].between, two->comms[i].between);
        assert_same_bytes(one->comms[i].members, two->comms[i].members, one->comms[i].count * sizeof(int32_t));
    }
    assert_int_equal(one->window_count, two->window_count);
    for (size_t i = 0; i < one->window_count; i++) {
        const struct trace_window *a = &one->windows[i], *b = &two->windows[i];
        size_t members = one->comms[a->comm].count;
        assert_int_equal(a->comm, b->comm);
        assert_int_equal(a->flavor, b->flavor);
        assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
        assert_same_bytes(a->bytes, b->bytes, members * sizeof *a->bytes);
        assert_same_bytes(a->disp_unit, b->disp_unit, members * sizeof *a->disp_unit);
    }
}

static void assert_properties_equal(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->simulated, two->simulated);
    assert_same_text(one->platform, two->platform);
    assert_same_text(one->engine, two->engine);
    assert_same_text(one->semantics, two->semantics);
    assert_same_text(one->lock, two->lock);
    assert_int_equal(one->clock.known, two->clock.known);
    assert_true(one->clock.worst_offset_s == two->clock.worst_offset_s);
    assert_true(one->clock.worst_error_s == two->clock.worst_error_s);
    assert_int_equal(one->clock.violations, two->clock.violations);
    assert_int_equal(one->clock.source, two->clock.source);
    assert_int_equal(one->record_cost_ps, two->record_cost_ps);
    assert_int_equal(one->note_count, two->note_count);
    for (size_t i = 0; i < one->note_count; i++) assert_string_equal(one->notes[i], two->notes[i]);
}

/* Groups, lists, regions and sites have ids of their own in each trace: what they name is compared. */
static void assert_refs_equal(const struct trace *one, const struct trace_call *a, const struct trace *two,
                              const struct trace_call *b)
{
    uint32_t needed = call_row(a->call)->needed;
    const struct trace_site *site = &one->sites[a->site], *other = &two->sites[b->site];
    assert_same_text(site->function, other->function);
    assert_same_text(site->file, other->file);
    assert_int_equal(site->line, other->line);
    const int64_t *counts = trace_call_counts(one, a), *others = trace_call_counts(two, b);
    assert_same_bytes(counts, others, counts ? trace_call_comm(one, a)->count * sizeof *counts : 0);
    if (needed & F_GROUP) {
        const struct trace_group *group = &one->groups[a->ref], *same = &two->groups[b->ref];
        assert_int_equal(group->count, same->count);
        assert_same_bytes(group->members, same->members, group->count * sizeof *group->members);
    } else if (needed & F_REQS) {
        const struct trace_list *list = &one->lists[a->ref], *same = &two->lists[b->ref];
        assert_int_equal(list->count, same->count);
        for (uint32_t i = 0; i < list->count; i++)
            assert_int_equal(one->requests[list->first + i], two->requests[same->first + i]);
    } else if (needed & F_REGION) {
        assert_string_equal(one->regions[a->ref], two->regions[b->ref]);
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
        if (call_row(call.call)->allowed & F_COUNTS) call.disp = other.disp = 0;
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
