/* Any number of threads reads the same trace of a text, and says the same of a wrong one. Those that are asked for cut
 * it into pieces of 100 bytes and some, one to three lines each, so that every line is at a piece's end somewhere. One
 * thread reads line by line: that is what the others are compared with, beside what is worked out by hand. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "same_trace.h"
#include "trace/text/text.h"

#define HEAD "rmacast-trace 1\nranks 3\n"

/* --- texts --- */

struct text {
    char *data;
    size_t bytes;
    FILE *out;
};

static void begin(struct text *text)
{
    text->out = open_memstream(&text->data, &text->bytes);
    assert_non_null(text->out);
}

static void end(struct text *text)
{
    assert_int_equal(fclose(text->out), 0);
}

/* What stands before the calls, and the first ones. */
static void put_begin(FILE *out)
{
    fputs("# a comment\n\n" HEAD "comm 1 ranks=0,2\r\n", out);
    fputs("window 7 comm=0 bytes=64 disp_unit=8,4,1\nnote one sentence\n", out);
    fputs("0 0 0.001 MPI_Win_create win=7 site=main@a.c:1\n  1 0 0.001\tMPI_Win_create win=7\n", out);
    fputs("2 0 0.001 MPI_Win_create win=7 # said by all\r\n\n", out);
}

/* Each rank's calls of a round, lines of the ranks interleaved; numbers of requests are used again. */
enum { STEPS = 6, REGION_BEGIN = 2, REGION_END = 4 };
static void put_call(FILE *out, int round, int step, int rank)
{
    int next = (rank + 1) % 3, before = (rank + 2) % 3, tag = round % 2;
    switch (step) {
    case 0: fprintf(out, "MPI_Isend comm=0 peer=%d tag=%d bytes=8 req=%d\n", next, tag, round % 2); break;
    case 1:
        fprintf(out, "MPI_Irecv comm=0 peer=%d tag=%d bytes=8 req=9 recv_extent=%d\n", before, tag, 9 + round % 5);
        break;
    case 2: fprintf(out, "MPI_Win_start win=7 group=%d,%d assert=NOCHECK\n", rank, round % 3); break;
    case 3:
        fprintf(out, "MPI_Put win=7 target=%d bytes=8 disp=%d site=f%d@a.c:%d\n", rank, rank, (rank + round) % 4,
                round % 7);
        break;
    case 4: fprintf(out, "MPI_Win_complete win=7\n"); break;
    default: fprintf(out, "MPI_Waitall reqs=%d,9\n", round % 2); break;
    }
}

static void put_round(FILE *out, int round)
{
    for (int step = 0; step < STEPS; step++)
        for (int rank = 0; rank < 3; rank++) {
            double enter = 0.01 * (round + 1) + 0.001 * step, leave = enter + 0.0005;
            if (step == REGION_BEGIN) fprintf(out, "%d %.6f enter step%%20%d\n", rank, enter, round % 3);
            fprintf(out, "%d %.6f %.6f ", rank, enter, leave);
            put_call(out, round, step, rank);
            if (step == REGION_END) fprintf(out, "%d %.6f leave step%%20%d\n", rank, leave, round % 3);
        }
}

/* Definitions among the calls, used at once; lines longer than pieces; counts and neighbours; other threads, CPU
 * times. */
static void put_others(FILE *out, int round)
{
    double time = 0.01 * (round + 1) + 0.007;
    for (int i = 0; i < 3; i++) fprintf(out, "#%0*d\n", 90 * i + 1, round);
    if (round == 3)
        fprintf(out, "comm 5 ranks=2,0,1\n0 %.6f %.6f MPI_Comm_dup comm=0 newcomm=5\n", time, time + 0.0001);
    if (round == 5) fprintf(out, "window 1 comm=5\n1 %.6f %.6f MPI_Win_fence win=1\n", time, time + 0.0001);
    if (round > 6)
        fprintf(out, "2 %.6f %.6f MPI_Neighbor_alltoall comm=0 bytes=9 received=9 neighbours=0,%d:0,1\n", time,
                time + 0.0001, round % 3);
    if (round > 6)
        fprintf(out, "0 %.6f %.6f MPI_Allgatherv comm=5 bytes=4 counts=%d,4,4\n", time + 0.0001, time + 0.0002, round);
    if (round % 4 == 0) fprintf(out, "2 %.6f %.6f MPI_Barrier comm=0 thread=%d\n", time, time + 0.003, 1 + round % 2);
    if (round > 8) fprintf(out, "1 %.6f %.6f MPI_Barrier comm=0 cpu=0.000%d\n", time + 0.0001, time + 0.0002, round);
}

enum { ROUNDS = 12 };
static void put_all(struct text *text)
{
    begin(text);
    put_begin(text->out);
    for (int round = 0; round < ROUNDS; round++) {
        put_round(text->out, round);
        put_others(text->out, round);
    }
    fputs("incomplete 1 the disk was full\nspeed 2 1.5\n0 9 9 MPI_Finalize", text->out); /* no newline */
    end(text);
}

/* --- reading --- */

static char directory[] = "/tmp/rmacast-test-XXXXXX", path[64];

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/t", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    remove(path);
    return rmdir(directory);
}

/* Anew: a file that is written over goes to the disk at once. */
static void write_bytes(const char *data, size_t bytes)
{
    remove(path);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

/* What one thread reads, or why it cannot; the caller frees *alone. */
static enum status check_threads(const char *data, size_t bytes, bool keep_going, struct trace **alone, struct err *err)
{
    static const unsigned counts[] = {0, 2, 3, 7};
    write_bytes(data, bytes);
    enum status status = text_read_by(1, path, keep_going, alone, err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct trace *several;
        struct err own = {.text = ""};
        enum status other = text_read_by(counts[i], path, keep_going, &several, &own);
        if (status != STATUS_OK) assert_string_equal(own.text, err->text);
        assert_int_equal(other, status);
        if (status != STATUS_OK) continue;
        assert_same_traces(*alone, several);
        trace_free(several);
    }
    return status;
}

/* The same of a text that may be right or wrong, both ways. */
static void check_both(const char *data, size_t bytes)
{
    for (int keep_going = 0; keep_going < 2; keep_going++) {
        struct trace *trace;
        struct err err = {.text = ""};
        if (check_threads(data, bytes, keep_going, &trace, &err) == STATUS_OK) trace_free(trace);
    }
}

static struct trace *read_whole(const char *data, size_t bytes)
{
    struct trace *trace;
    struct err err = {.text = ""};
    if (check_threads(data, bytes, false, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

static const struct trace_call *last_of(const struct trace *trace, uint32_t rank, enum mpi_call function)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = process->count; i-- > 0;)
        if (process->calls[i].call == function) return &process->calls[i];
    fail_msg("rank %u never calls %s", rank, call_name(function));
    return NULL;
}

/* --- tests --- */

/* By hand, in the order of the lines. Calls of a rank: its MPI_Win_create, eight lines in each of 12 rounds; rank 0
 * then MPI_Comm_dup, MPI_Allgatherv in rounds 7 to 11 and MPI_Finalize (104), rank 1 the fence and MPI_Barrier in
 * rounds 9 to 11 (101), rank 2 five neighbourhood calls and MPI_Barrier in rounds 0, 4, 8 by thread 1 (105). Groups of
 * {rank, round % 3}, in the order of round and rank: {0}, {0,1}, {0,2}; {1}, {1,2} in round 1; {2} in round 2.
 * Regions: one per round % 3. Extents: 9 + round % 5. Lists: 3 per round, so rank 1's last is 34. Requests: used
 * again, so renumbered: rank 0 makes 0 and 9, then 1, and the further ones count on behind the largest, 10, 11, ...:
 * the fourth is 10, those of round 11, the 23rd and 24th, 29 and 30. Counts: neighbours of rounds 7, 8, 9 (1, 2, 0 as
 * the second source) come before the counts of their rounds, those of 10 and 11 are 7's and 8's: 0, 2, 4 and 1, 3, 5,
 * 6, 7. Sites: the unknown one, main, then one for each pair of (rank + round) % 4 and round % 7 that occurs: three
 * functions for each line in rounds 0 to 6; rounds 7 to 11 repeat lines 0 to 4 with functions (r + 3) % 4 to (r + 5) %
 * 4, of which each round meets one new: 7 * 3 + 5. */
static void numbered_as_by_one(void **state)
{
    (void)state;
    struct text text;
    put_all(&text);
    struct trace *trace = read_whole(text.data, text.bytes);
    static const size_t calls[] = {104, 101, 105}, groups[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(trace->ranks[rank].count, calls[rank]);
    assert_int_equal(trace->definitions.group_count, sizeof groups / sizeof *groups);
    for (size_t i = 0; i < trace->definitions.group_count; i++) {
        assert_int_equal(trace->definitions.groups[i].members[0], groups[i][0]);
        assert_int_equal(trace->definitions.groups[i].members[trace->definitions.groups[i].count - 1], groups[i][1]);
    }
    assert_int_equal(trace->definitions.region_count, 3);
    assert_string_equal(trace->definitions.regions[2], "step 2");
    assert_int_equal(trace->definitions.extents_count, 1 + 5);
    assert_int_equal(trace->definitions.extents[5].of[TRACE_RECEIVE], 13);
    assert_int_equal(last_of(trace, 1, ID_Waitall)->ref, 34);
    assert_int_equal(last_of(trace, 0, ID_Isend)->ref, 29);
    assert_int_equal(
        trace->definitions.requests[trace->definitions.lists[last_of(trace, 0, ID_Waitall)->ref].first + 1], 30);
    assert_int_equal(trace->definitions.counts_count, 8);
    assert_int_equal(last_of(trace, 2, ID_Neighbor_alltoall)->collective.neighbors, 2);
    assert_int_equal(last_of(trace, 0, ID_Allgatherv)->collective.counts, 7);
    assert_int_equal(trace->definitions.site_count, 2 + 7 * 3 + 5);
    assert_int_equal(last_of(trace, 1, ID_Put)->rma.disp, 4); /* in units of 4 */
    assert_int_equal(trace_thread_count(trace, 2), 2);
    assert_string_equal(trace->ranks[1].incomplete_why, "the disk was full");
    trace_free(trace);
    free(text.data);
}

/* Begins of the lines of a text, and its end. */
static size_t find_lines(const struct text *text, size_t *begins, size_t most)
{
    size_t count = 0;
    for (size_t at = 0; at < text->bytes && count + 1 < most; count++) {
        const char *newline = memchr(text->data + at, '\n', text->bytes - at);
        begins[count] = at;
        at = newline ? (size_t)(newline - text->data) + 1 : text->bytes;
    }
    begins[count] = text->bytes;
    return count;
}

/* The text with a line more before byte `at`. */
static char *insert(const struct text *text, size_t at, const char *line)
{
    char *made = malloc(text->bytes + strlen(line) + 1);
    assert_non_null(made);
    memcpy(made, text->data, at);
    strcpy(made + at, line);
    memcpy(made + at + strlen(line), text->data + at, text->bytes - at);
    return made;
}

enum { LINES_MOST = 1000 };

/* Wherever it stands, first, in the middle or last: the error names its line. */
static void a_wrong_line_anywhere(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "1 0.5 0.5 MPI_Nothing\n",
        "1 0.5 0.4 MPI_Init\n",
        "8 0 0 MPI_Init\n",
        "window 7 comm=0\n",
        "1 0.5 0.5 MPI_Wait req=777\n",
        "1 100 100 MPI_Put win=7 target=1 bytes=1 disp=0 x=\n",
        "what is this\n",
    };
    static size_t begins[LINES_MOST];
    struct text text;
    put_all(&text);
    size_t lines = find_lines(&text, begins, LINES_MOST);
    for (size_t i = 6; i < lines; i++) {
        const char *line = wrong[i % (sizeof wrong / sizeof *wrong)];
        char *made = insert(&text, begins[i], line), place[128];
        size_t bytes = text.bytes + strlen(line);
        struct trace *trace;
        struct err err = {.text = ""};
        snprintf(place, sizeof place, "%s:%zu: ", path, i + 1);
        assert_int_equal(check_threads(made, bytes, false, &trace, &err), STATUS_DATA);
        assert_memory_equal(err.text, place, strlen(place));
        assert_int_equal(check_threads(made, bytes, true, &trace, &err), STATUS_OK);
        assert_true(trace->provenance.fault_count > 0);
        assert_memory_equal(trace->provenance.faults[0].text, place, strlen(place));
        trace_free(trace);
        free(made);
    }
    free(text.data);
}

/* Of several wrong lines the first one is told; who keeps going is told of one per rank, and counts the lines left out:
 * of rank 1, from its fault on, seven further ones. */
static void several_wrong_lines(void **state)
{
    (void)state;
    struct text text;
    struct trace *trace;
    struct err err = {.text = ""};
    begin(&text);
    fputs(HEAD "window 0 comm=0\n", text.out);
    for (int i = 0; i < 20; i++)
        for (int rank = 0; rank < 3; rank++)
            fprintf(text.out, "%d %d %d %s win=0 assert=%d\n", rank, i, i,
                    (rank == 1 && i >= 12) || (rank == 2 && i == 9) ? "MPI_What" : "MPI_Win_fence", i % 2 * 1024);
    end(&text);
    assert_int_equal(check_threads(text.data, text.bytes, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "/t:33: rank 2, event 10 at 9.000000 s: unknown call MPI_What")); /* 3 + 10 * 3 */
    assert_int_equal(check_threads(text.data, text.bytes, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->provenance.fault_count, 2);
    assert_int_equal(trace->provenance.faults[0].rank, 1); /* by rank, though rank 2's line comes first */
    assert_int_equal(trace->provenance.faults[0].event, 12);
    assert_int_equal(trace->provenance.faults[0].left_out, 8);
    assert_int_equal(trace->provenance.faults[1].rank, 2);
    assert_int_equal(trace->provenance.faults[1].left_out, 11);
    trace_free(trace);
    free(text.data);
}

/* What only a line behind the fault of its rank would define is not defined. */
static void nothing_is_left_of_lines_left_out(void **state)
{
    (void)state;
    static const char text[] = HEAD "window 0 comm=0\n0 0 0 MPI_Win_post win=0 group=1\n0 1 0 MPI_Win_wait win=0\n"
                                    "0 2 2 MPI_Win_post win=0 group=2 site=f@a.c:1\n0 3 enter loop\n"
                                    "1 0 0 MPI_Win_post win=0 group=0\n";
    struct trace *trace;
    struct err err = {.text = ""};
    assert_int_equal(check_threads(text, sizeof text - 1, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->definitions.group_count, 2);
    assert_int_equal(trace->definitions.groups[1].members[0], 0);
    assert_int_equal(trace->definitions.site_count, 1);
    assert_int_equal(trace->definitions.region_count, 0);
    assert_int_equal(trace->provenance.faults[0].left_out, 3);
    trace_free(trace);
}

/* A text that was cut off anywhere, or has a zero byte or a newline there. */
static void any_byte(void **state)
{
    (void)state;
    struct text text;
    put_all(&text);
    size_t bytes = text.bytes < 1800 ? text.bytes : 1800;
    for (size_t at = 0; at < bytes; at++) {
        char kept = text.data[at];
        if (at % 9 == 0) check_both(text.data, at);
        text.data[at] = at % 2 ? '\0' : '\n';
        if (at % 9 > 6) check_both(text.data, bytes);
        text.data[at] = kept;
    }
    free(text.data);
}

/* A simulated trace says more of each call; the same words mean nothing where it is not one, even if they were read
 * before. */
static void simulated(void **state)
{
    (void)state;
    static const char says[] = "MPI_Put win=0 target=1 bytes=8 disp=0 xfer_start=0.5 xfer_end=0.75 blocked=0.25\n";
    struct text text;
    begin(&text);
    fputs(HEAD "property simulated=1 engine=loggp\nwindow 0 comm=0\n", text.out);
    for (int i = 0; i < 60; i++) fprintf(text.out, "%d %d %d %s", i % 3, i, i + 1, says);
    end(&text);
    struct trace *trace = read_whole(text.data, text.bytes);
    assert_int_equal(trace->ranks[2].count, 20);
    assert_int_equal(trace->ranks[2].sim[19].xfer_end_ps, INT64_C(750000000000));
    trace_free(trace);
    free(text.data);
    begin(&text);
    fprintf(text.out, HEAD "window 0 comm=0\nproperty simulated=1\n0 2 1 %sproperty simulated=0\n1 1 2 %s", says, says);
    end(&text);
    struct err err = {.text = ""};
    assert_int_equal(check_threads(text.data, text.bytes, true, &trace, &err), STATUS_OK);
    assert_int_equal(trace->provenance.fault_count, 2);
    assert_non_null(strstr(trace->provenance.faults[1].text, "xfer_start= needs a line"));
    trace_free(trace);
    free(text.data);
}

/* As large as it must be for several threads to be worth it: 40,000 lines of 50 bytes and more. */
static void large(void **state)
{
    (void)state;
    struct text text;
    begin(&text);
    fputs(HEAD "window 0 comm=0\n", text.out);
    for (int i = 0; i < 40000; i++)
        fprintf(text.out, "%d %d.%09d %d.%09d MPI_Put win=0 target=%d bytes=%d disp=0\n", i % 3, i / 10, i, i / 10, i,
                (i + 1) % 3, i % 1000);
    end(&text);
    assert_true(text.bytes > 2 << 20);
    struct trace *trace = read_whole(text.data, text.bytes);
    assert_int_equal(trace->ranks[0].count, 13334);
    assert_int_equal(trace->ranks[0].calls[13333].enter_ps, INT64_C(3999000039999000));
    assert_int_equal(trace->ranks[0].calls[13333].bytes, 999);
    trace_free(trace);
    text.data[text.bytes - 2] = 'x'; /* disp=x */
    struct err err = {.text = ""};
    assert_int_equal(check_threads(text.data, text.bytes, false, &trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "/t:40003: rank 0, event 13334 at 3999.000039999 s: disp=x, expected"));
    free(text.data);
}

/* What comes through a pipe can only be read as it comes. */
static void piped(void **state)
{
    (void)state;
    struct text text;
    struct trace *alone, *trace;
    struct err err = {.text = ""};
    put_all(&text);
    alone = read_whole(text.data, text.bytes);
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int out = open(path, O_WRONLY);
        for (size_t done = 0; done < text.bytes;) {
            ssize_t wrote = write(out, text.data + done, text.bytes - done < 77 ? text.bytes - done : 77);
            if (wrote <= 0) _exit(1);
            done += (size_t)wrote;
        }
        _exit(0);
    }
    if (text_read_by(3, path, false, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    waitpid(child, NULL, 0);
    assert_same_traces(alone, trace);
    trace_free(alone);
    trace_free(trace);
    free(text.data);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbered_as_by_one),
        cmocka_unit_test(a_wrong_line_anywhere),
        cmocka_unit_test(several_wrong_lines),
        cmocka_unit_test(nothing_is_left_of_lines_left_out),
        cmocka_unit_test(any_byte),
        cmocka_unit_test(simulated),
        cmocka_unit_test(large),
        cmocka_unit_test(piped),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
