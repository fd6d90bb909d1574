/* Any number of threads reads the same trace, and says the same of a damaged one. What one thread reads is compared with
 * what was written; the others with one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "otf2_test.h"
#include "sample.h"
#include "trace/generate/generate.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

struct reading {
    enum status status;
    struct err err;
    struct trace *trace;
    char *text;
};

static struct reading read_by(unsigned threads, const char *directory, bool keep_going)
{
    struct reading made = {.err = {.text = ""}};
    made.status = otf2_read_by(threads, directory, keep_going, &made.trace, &made.err);
    if (made.status == STATUS_OK) made.text = text_of(made.trace);
    return made;
}

static void assert_same_extents(const struct trace *one, const struct trace *other)
{
    assert_int_equal(one->definitions.extents_count, other->definitions.extents_count);
    if (one->definitions.extents_count > 0)
        assert_memory_equal(one->definitions.extents, other->definitions.extents,
                            one->definitions.extents_count * sizeof *one->definitions.extents);
}

static void clear(struct reading *reading)
{
    if (reading->status == STATUS_OK) trace_free(reading->trace);
    free(reading->text);
}

static void assert_same_faults(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->provenance.fault_count, two->provenance.fault_count);
    for (size_t i = 0; i < one->provenance.fault_count; i++) {
        assert_int_equal(one->provenance.faults[i].rank, two->provenance.faults[i].rank);
        assert_int_equal(one->provenance.faults[i].event, two->provenance.faults[i].event);
        assert_string_equal(one->provenance.faults[i].text, two->provenance.faults[i].text);
    }
    assert_int_equal(one->provenance.note_count, two->provenance.note_count);
    for (size_t i = 0; i < one->provenance.note_count; i++)
        assert_string_equal(one->provenance.notes[i], two->provenance.notes[i]);
}

/* Ids of lists stand in no text. */
static void assert_same_lists(const struct trace *one, const struct trace *two)
{
    assert_int_equal(one->definitions.list_count, two->definitions.list_count);
    assert_int_equal(one->definitions.request_count, two->definitions.request_count);
    if (one->definitions.list_count)
        assert_memory_equal(one->definitions.lists, two->definitions.lists,
                            one->definitions.list_count * sizeof *one->definitions.lists);
    if (one->definitions.request_count)
        assert_memory_equal(one->definitions.requests, two->definitions.requests,
                            one->definitions.request_count * sizeof *one->definitions.requests);
    for (uint32_t r = 0; r < one->rank_count; r++) {
        assert_int_equal(one->ranks[r].count, two->ranks[r].count);
        for (size_t i = 0; i < one->ranks[r].count; i++)
            assert_int_equal(one->ranks[r].calls[i].ref, two->ranks[r].calls[i].ref);
    }
}

/* The status of one thread. */
static enum status check_threads(const char *directory, bool keep_going)
{
    static const unsigned counts[] = {0, 2, 3, 7};
    struct reading alone = read_by(1, directory, keep_going);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct reading several = read_by(counts[i], directory, keep_going);
        assert_int_equal(several.status, alone.status);
        if (alone.status != STATUS_OK) assert_string_equal(several.err.text, alone.err.text);
        if (alone.status == STATUS_OK) {
            assert_string_equal(several.text, alone.text);
            assert_same_faults(several.trace, alone.trace);
            assert_same_lists(several.trace, alone.trace);
            assert_same_extents(several.trace, alone.trace);
        }
        clear(&several);
    }
    enum status status = alone.status;
    clear(&alone);
    return status;
}

static void write_archive(const struct trace *trace, const char *directory)
{
    struct err err = {.text = ""};
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
}

static void check_trace(struct trace *trace)
{
    char directory[TEMP_DIR_BYTES];
    temp_dir_make(directory);
    write_archive(trace, directory);
    struct reading alone = read_by(1, directory, false);
    assert_int_equal(alone.status, STATUS_OK);
    char *text = text_of(trace);
    assert_string_equal(alone.text, text);
    free(text);
    clear(&alone);
    assert_int_equal(check_threads(directory, false), STATUS_OK);
    assert_int_equal(check_threads(directory, true), STATUS_OK);
    trace_free(trace);
    temp_dir_remove(directory);
}

static void every_row(void **state)
{
    (void)state;
    check_trace(sample_make(&(struct sample_options){.first_ps = 5}));
    check_trace(sample_make(&(struct sample_options){.simulated = true}));
    check_trace(sample_make(&(struct sample_options){.broken = true}));
}

static struct trace *generated(const char *pattern, const char *sync, uint32_t ranks, uint32_t iterations)
{
    struct generate_options what = {
        .pattern = pattern, .sync = sync, .ranks = ranks, .iterations = iterations, .bytes = 64, .seed = 1};
    struct trace *trace;
    struct err err = {.text = ""};
    if (generate_trace(&what, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

/* Every third call with a buffer has gaps, of 5 values over all ranks: each block numbers those that it meets. */
static void extents(void **state)
{
    (void)state;
    struct trace *trace = generated("halo2d", "fence", 9, 4);
    struct err err;
    uint32_t puts = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            struct trace_extents some = {{100 + (int64_t)((rank + i) % 5), 0, 0}};
            if (trace->ranks[rank].calls[i].call == ID_Put && puts++ % 3 == 0)
                assert_int_equal(trace_set_extents(trace, rank, i, &some, &err), STATUS_OK);
        }
    assert_int_equal(trace->definitions.extents_count, 1 + 5);
    check_trace(trace);
}

/* Lists of requests, groups, windows with sizes. */
static void generated_ones(void **state)
{
    (void)state;
    check_trace(generated("transpose", "p2p", 9, 4));
    check_trace(generated("halo2d", "pscw", 12, 3));
    check_trace(generated("ring", "fence", 5, 3));
}

/* More locations and records than a block has. */
static void several_blocks(void **state)
{
    (void)state;
    check_trace(generated("ring", "p2p", 300, 50));
}

static void cut_file(const char *directory, const char *name)
{
    size_t bytes;
    unsigned char *data = bytes_of(file_in(directory, name), &bytes);
    write_bytes(file_in(directory, name), data, bytes / 2);
    free(data);
}

/* The first error is that of the lowest rank, whoever comes to it first; of the ranks that are kept each has its own. */
static void damaged(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct trace *trace = generated("transpose", "p2p", 9, 4);
    temp_dir_make(directory);
    write_archive(trace, directory);
    cut_file(directory, "traces/7.evt");
    cut_file(directory, "traces/4.evt");
    assert_int_equal(check_threads(directory, false), STATUS_DATA);
    assert_int_equal(check_threads(directory, true), STATUS_OK);
    struct reading found = read_by(3, directory, false);
    assert_non_null(strstr(found.err.text, "traces/4.evt"));
    clear(&found);
    found = read_by(3, directory, true);
    assert_int_equal(found.trace->provenance.fault_count, 2);
    assert_int_equal(found.trace->provenance.faults[0].rank, 4);
    assert_int_equal(found.trace->provenance.faults[1].rank, 7);
    clear(&found);
    assert_int_equal(unlink(file_in(directory, "traces/2.evt")), 0);
    assert_int_equal(check_threads(directory, false), STATUS_DATA);
    trace_free(trace);
    temp_dir_remove(directory);
}

/* A function that we do not know makes a region at its first use: only one that reads all ranks may do that. */
static void unknown_function(void **state)
{
    (void)state;
    char directory[TEMP_DIR_BYTES];
    struct trace *trace = generated("ring", "fence", 5, 3);
    temp_dir_make(directory);
    write_archive(trace, directory);
    const char *path = file_in(directory, "traces.def");
    size_t bytes;
    unsigned char *data = bytes_of(path, &bytes);
    unsigned char *name = memmem(data, bytes, "MPI_Win_fence", sizeof "MPI_Win_fence");
    assert_non_null(name);
    memcpy(name, "MPI_Win_hedge", sizeof "MPI_Win_hedge");
    write_bytes(path, data, bytes);
    free(data);
    assert_int_equal(check_threads(directory, false), STATUS_OK);
    struct reading found = read_by(2, directory, false);
    assert_int_equal(found.trace->definitions.region_count, 1);
    assert_string_equal(found.trace->definitions.regions[0], "MPI_Win_hedge");
    assert_int_equal(found.trace->provenance.note_count, 1);
    clear(&found);
    trace_free(trace);
    temp_dir_remove(directory);
}

static void of_others(void **state)
{
    (void)state;
    assert_int_equal(check_threads("tests/data/scorep-ping-pong", false), STATUS_OK);
    assert_int_equal(check_threads("tests/data/scorep-ping-pong", true), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),      cmocka_unit_test(extents), cmocka_unit_test(generated_ones),
        cmocka_unit_test(several_blocks), cmocka_unit_test(damaged), cmocka_unit_test(unknown_function),
        cmocka_unit_test(of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
