/* An archive that is written rank by rank has the bytes of the one that is written of the whole run: other code makes
 * that one (program_model_make, otf2_write). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "otf2_test.h"
#include "trace/otf2/otf2.h"
#include "trace/program_model/ranks.h"
#include "trace_test.h"

/* Rank 0 of 6 calls nothing, and rank 2 begins first. Groups, lists of requests, rows, sites, regions and a receive that is
 * never completed have their own definitions or records. */
static const char text[] = "rmacast-model 1\n"
                           "grid square periodic=xy\n"
                           "comm 1 along=x\n"
                           "window 0 bytes=4096 disp_unit=8 flavor=allocate name=halo\n"
                           "if rank>0\n"
                           "  compute 5ms-1ms*(rank==2)\n"
                           "  MPI_Win_allocate win=0 site=main@a.c:7 when=rank!=3\n"
                           "  MPI_Irecv comm=0 peer=neighbor(0,1) tag=9 bytes=8 when=rank==4\n"
                           "  enter step\n"
                           "  repeat 3+rank as i\n"
                           "    compute 1ms*(1+rank)\n"
                           "    MPI_Win_post win=0 group=neighbor(1),neighbor(0,1)\n"
                           "    MPI_Win_start win=0 group=neighbor(1),neighbor(0,1)\n"
                           "    MPI_Put win=0 target=neighbor(1) bytes=64*(1+i) disp=i\n"
                           "    MPI_Win_complete win=0\n"
                           "    MPI_Win_wait win=0\n"
                           "    MPI_Irecv comm=0 peer=neighbor(0,1) tag=i bytes=64\n"
                           "    MPI_Isend comm=0 peer=neighbor(0,-1) tag=i bytes=64\n"
                           "    MPI_Waitall reqs=all takes=3us when=rank!=4\n"
                           "    MPI_Bcast comm=1 root=rank-x bytes=16\n"
                           "  end\n"
                           "  leave step\n"
                           "end\n";

static struct program_model *model_of(void)
{
    struct program_model *model;
    struct err err;
    struct input_file in;
    assert_int_equal(input_file_of_text(text, strlen(text), "t", &in, &err), STATUS_OK);
    if (program_model_read(&in, &model, &err) != STATUS_OK) fail_msg("%s", err.text);
    return model;
}

static const struct program_model_options six = {.ranks = 6, .compute = 1, .seed = 1};

static void write_whole(const struct program_model *model, const char *directory)
{
    struct trace *trace;
    struct err err;
    if (program_model_make(model, &six, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_true(trace_begin_ps(trace) > 0); /* the clock's properties are of the first call of rank 2 */
    trace_free(trace);
}

static void write_ranks(const struct program_model *model, const char *directory)
{
    struct program_ranks ranks;
    struct err err;
    if (program_ranks_open(model, &six, &ranks, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (otf2_write_ranks(ranks.run.trace, program_ranks_make, &ranks, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    program_ranks_close(&ranks);
}

/* Up to `differing` neighbouring bytes are not the same. */
static void assert_same_file(const char *one, const char *other, const char *name, size_t differing)
{
    size_t bytes, same_bytes, first = SIZE_MAX, last = 0;
    unsigned char *a = bytes_of(file_in(one, name), &bytes), *b = bytes_of(file_in(other, name), &same_bytes);
    if (bytes != same_bytes) fail_msg("%s: %zu bytes, and %zu", name, bytes, same_bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (a[i] == b[i]) continue;
        if (first == SIZE_MAX) first = i;
        last = i;
    }
    if (first != SIZE_MAX && last - first >= differing) fail_msg("%s: byte %zu to %zu differ", name, first, last);
    free(a);
    free(b);
}

static void archives_have_the_same_bytes(void **state)
{
    (void)state;
    enum { IDENTIFIER_BYTES = 8 }; /* of the archive: OTF2 draws one for each */
    char whole[TEMP_DIR_BYTES], ranks[TEMP_DIR_BYTES];
    struct program_model *model = model_of();
    temp_dir_make(whole);
    temp_dir_make(ranks);
    write_whole(model, whole);
    write_ranks(model, ranks);
    assert_same_file(whole, ranks, "traces.otf2", IDENTIFIER_BYTES);
    assert_same_file(whole, ranks, "traces.def", 0);
    for (int rank = 0; rank < 6; rank++) {
        char name[32];
        snprintf(name, sizeof name, "traces/%d.evt", rank);
        assert_same_file(whole, ranks, name, 0);
        snprintf(name, sizeof name, "traces/%d.def", rank);
        assert_same_file(whole, ranks, name, 0);
    }
    program_model_free(model);
    temp_dir_remove(whole);
    temp_dir_remove(ranks);
}

/* Rank 1 makes 4 rounds with a list of 2 requests each, rank 2 makes 5. */
static void one_rank_at_a_time_is_held(void **state)
{
    (void)state;
    struct program_model *model = model_of();
    struct program_ranks ranks;
    struct err err;
    assert_int_equal(program_ranks_open(model, &six, &ranks, &err), STATUS_OK);
    const struct trace *trace = ranks.run.trace;
    assert_int_equal(program_ranks_make(&ranks, 0, &err), STATUS_OK);
    assert_int_equal(trace->ranks[0].count, 0);
    assert_int_equal(program_ranks_make(&ranks, 1, &err), STATUS_OK);
    assert_int_equal(trace->ranks[1].count, 1 + 2 + 4 * 9);
    assert_int_equal(trace->definitions.request_count, 4 * 2);
    assert_int_equal(program_ranks_make(&ranks, 2, &err), STATUS_OK);
    assert_null(trace->ranks[1].calls);
    assert_int_equal(trace_all_calls(trace), 1 + 2 + 5 * 9);
    assert_int_equal(trace->definitions.request_count, 5 * 2);
    program_ranks_close(&ranks);
    program_model_free(model);
}

/* A fault of a later rank leaves no archive. The place is that of trace_check(). */
static void a_wrong_rank_is_refused(void **state)
{
    (void)state;
    static const char wrong[] = "rmacast-model 1\nwindow 0 bytes=8\nMPI_Win_create win=0\nleave a when=rank==2\n";
    struct program_model *model;
    struct program_ranks ranks;
    struct err err;
    char directory[TEMP_DIR_BYTES];
    struct input_file in;
    assert_int_equal(input_file_of_text(wrong, strlen(wrong), "t", &in, &err), STATUS_OK);
    assert_int_equal(program_model_read(&in, &model, &err), STATUS_OK);
    temp_dir_make(directory);
    assert_int_equal(program_ranks_open(model, &six, &ranks, &err), STATUS_OK);
    assert_int_equal(otf2_write_ranks(ranks.run.trace, program_ranks_make, &ranks, directory, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "rank 2, event 2"));
    FILE *anchor = fopen(file_in(directory, "traces.otf2"), "r");
    assert_null(anchor);
    program_ranks_close(&ranks);
    program_model_free(model);
    temp_dir_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_have_the_same_bytes),
        cmocka_unit_test(one_rank_at_a_time_is_held),
        cmocka_unit_test(a_wrong_rank_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
