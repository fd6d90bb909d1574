/* Program models: values of expressions, what is refused with which line, and which calls are made. Expected values follow from
 * docs/scaling.md, worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/units.h"
#include "trace/program_model/edit.h"
#include "trace/program_model/program_model.h"
#include "trace/program_model/reader.h"

/* On rank 5 of a grid of 3 x 4, that is at (2, 1): the right end. */
static const char *evaluate(const char *text, double *value)
{
    static const struct grid_shape shape = {.rule = GRID_SQUARE};
    double numbers[VARIABLE_FIRST_NAMED] = {5, 12, 2, 1, 0, 3, 4, 1};
    struct variables variables;
    struct grid grid;
    struct err err;
    struct scanner scanner = {.file = "t", .line = 7, .at = text, .err = &err};
    struct expression expression;
    variables_open(&variables);
    assert_true(grid_make(&shape, 12, &grid));
    if (expression_read(&scanner, &variables, &expression) != STATUS_OK) fail_msg("%s: %s", text, err.text);
    assert_string_equal(scanner.at, "");
    const char *why = expression_value(&expression, numbers, &grid, value);
    expression_clear(&expression);
    return why;
}

static void expressions_have_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1+2*3", 7},          {"(1+2)*3", 9},         {"-2^2", -4},          {"2^3^2", 512},        {"2^-1", 0.5},
        {"7/2", 3.5},          {"-1%4", 3},            {"(rank-7)%nranks", 10}, {"rank+1", 6},         {"x+10*y+100*z", 12},
        {"nx*ny*nz", 12},      {"64K", 65536},         {"2ms", 0.002},        {"1.5us*2", 3e-6},     {"3 < 4 && !(2>=3)", 1},
        {"1==2 || 1!=2", 1},   {"min(3,2)+max(3,2)", 5}, {"floor(-1.5)+ceil(1.2)", 0}, {"abs(-3)", 3}, {"sqrt(16)", 4},
        {"log2(8)", 3},        {"ilog2(1024)", 10},    {"clog2(9)", 4},       {"clog2(8)", 3},       {"xor(5,3)", 6},
        {"clog2(4503599627370497)", 53}, /* 2^52 + 1: log2() of it is 52 in a double */
        {"choose(rank>3,1,2)", 1}, {"neighbor(-1)", 4}, {"neighbor(0,1)", 8}, {"neighbor(-2,-1)", 0}, {"exists(neighbor(1))", 0},
        {"exists(neighbor(1)+1)", 0}, {"exists(0)", 1}, {"2*-3", -6},         {"1-1-1", -1},
        {"5%3", 2},            {"5%-3", -1},           {"-5%-3", -2},         {"6%-3", 0},           {"-6%3", 0},
        {"choose(1,2,none)", 2}, {"choose(0,none,3)", 3}, {"exists(choose(0,2,none))", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -99;
        const char *why = evaluate(cases[i].text, &value);
        if (why || fabs(value - cases[i].value) > 1e-15)
            fail_msg("%s is %g (%s), expected %g", cases[i].text, value, why ? why : "no fault", cases[i].value);
    }
    double none;
    assert_null(evaluate("neighbor(1)*8+1", &none));
    assert_true(isnan(none));
}

static void faults_have_reasons(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1/(rank-5)", "division by 0"},     {"1%0", "division by 0"},  {"log2(0)", "logarithm"}, {"ilog2(12)", "power of two"},
        {"sqrt(-1)", "root"},                {"10^400", "no number"},   {"xor(1.5,1)", "whole"},  {"neighbor(0.5)", "whole"},
        {"neighbor(1)==2", "none is compared"}, {"(-1)^0.5", "no number"}, {"!none", "none is compared"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        const char *why = evaluate(cases[i][0], &value);
        if (!why || !strstr(why, cases[i][1])) fail_msg("%s: '%s', expected '%s'", cases[i][0], why ? why : "", cases[i][1]);
    }
}

/* A share that comes out even up to the last digits is whole. */
static void whole_numbers_are_rounded_down(void **state)
{
    (void)state;
    assert_true(expression_whole(3.99) == 3);
    assert_true(expression_whole(pow(1000, 1. / 3)) == 10);
    assert_true(expression_whole(1000000000000. / 3) == 333333333333);
    assert_true(expression_whole(-0.5) == -1);
}

static enum status read_text(const char *text, struct program_model **model, struct err *err)
{
    struct input_file in;
    assert_int_equal(input_file_of_text(text, strlen(text), "t", &in, err), STATUS_OK);
    return program_model_read(&in, model, err);
}

#define HEAD "rmacast-model 1\nwindow 0 bytes=64\n"

static void wrong_lines_are_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"rmacast-trace 1\n", "t:1: 'rmacast-trace 1', expected \"rmacast-model 1\""},
        {"rmacast-model 2\n", "t:1: version 2"},
        {"# nothing\n", "t:1: the file ends"},
        {HEAD "repeat 3\n", "t:3: the file ends, expected \"end\" of the block of line 3"},
        {HEAD "end\n", "t:3: end without repeat, if or block"},
        {HEAD "repeat 2\nelse\nend\n", "t:4: else without if"},
        {HEAD "MPI_Put win=0 bytes=1\n", "t:3: MPI_Put lacks target="},
        {HEAD "MPI_Put win=1 target=0 bytes=1\n", "t:3: win=1 is not defined"},
        {HEAD "MPI_Put win=0 target=0 bytes=1 bytes=2\n", "t:3: bytes= stands twice, expected once"},
        {HEAD "MPI_Put win=- target=0 bytes=1 disp=0\n", "t:3: MPI_Put names none, expected a window or communicator"},
        {HEAD "MPI_Put win=0 target=left bytes=1\n", "t:3: 'left' is no variable"},
        {HEAD "MPI_Put win=0 target=(1 bytes=1\n", "t:3: 'bytes=1', expected ')'"},
        {HEAD "MPI_Put win=0 target=0 bytes=3e300G\n", "t:3: '3e300G', expected a number"}, /* 3e309 is beyond every double */
        {HEAD "MPI_Put win=0 target=neighbor(1,2,3,4) bytes=1\n", "t:3: neighbor takes 1 to 3 arguments"},
        {HEAD "MPI_Put win=0 target=0 bytes=3q\n", "t:3: 'q' behind a number"},
        {HEAD "MPI_Put win=0 target=0 color=3\n", "t:3: 'color=' of MPI_Put is no key"},
        {HEAD "MPI_Isend comm=0 peer=0 tag=0 bytes=1 req=1\n", "t:3: req= of MPI_Isend, expected none"},
        {HEAD "MPI_Winfence win=0\n", "t:3: 'MPI_Winfence', expected a definition"},
        {HEAD "pthread_mutex_lock object=1\n", "t:3: pthread_mutex_lock: threads have no place"},
        {HEAD "compute 1ms before=warm\n", "t:3: 'warm' is no computing"},
        {HEAD "grid torus\n", "t:3: grid torus, expected line, square"},
        {HEAD "grid fixed\n", "t:3: grid fixed lacks side="},
        {HEAD "parameter rank = 3\n", "t:3: 'rank' has a meaning already"},
        {HEAD "compute 1ms\nparameter n = 3\n", "t:4: a parameter behind a statement"},
        {HEAD "computing c 1ms\nby_rank 1 1\n", "t:4: 2 factors, expected one for each of the 0 ranks of the run"},
        {HEAD "observed 2\ncomputing c 1ms\ncounts 2\nchance 1 1 1\n", "computing c counts 4 executions"},
        {HEAD "observed 2\ncomputing c 1ms\ncounts 1\nchance 1 1\nobserved 8\n", "t:7: a second line \"observed\""},
        {HEAD "computing c 1ms\nchance 1\nobserved 8\n", "t:5: a second line \"observed\", or one behind a computing"},
        {HEAD "chance 1\n", "t:3: chance without computing"},
        {HEAD "ranks 0\n", "t:3: ranks is no whole number"},
        {HEAD "MPI_Barrier comm=0 1\n", "t:3: '1', expected key=value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program_model *model;
        struct err err = {.status = STATUS_OK};
        if (read_text(cases[i][0], &model, &err) != STATUS_DATA) fail_msg("taken: %s", cases[i][0]);
        if (!strstr(err.text, cases[i][1])) fail_msg("'%s', expected '%s'", err.text, cases[i][1]);
    }
}

static void depth_is_limited(void **state)
{
    (void)state;
    char text[20000] = HEAD;
    for (int i = 0; i < 40; i++) strcat(text, "repeat 2\n");
    struct program_model *model;
    struct err err;
    assert_int_equal(read_text(text, &model, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "t:35: more than 32 blocks")); /* 2 lines before them, the 33rd is one too many */
    strcpy(text, HEAD "compute ");
    for (int i = 0; i < 5000; i++) strcat(text, "(");
    assert_int_equal(read_text(text, &model, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "nested deeper"));
    strcpy(text, HEAD "compute 1");
    for (int i = 0; i < 2000; i++) strcat(text, "+1");
    assert_int_equal(read_text(text, &model, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "too long"));
}

static struct trace *make(const char *text, uint32_t ranks)
{
    struct program_model *model;
    struct program_model_options options = PROGRAM_MODEL_DEFAULTS;
    struct trace *trace;
    struct err err;
    options.ranks = ranks;
    if (read_text(text, &model, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (program_model_make(model, &options, &trace, &err) != STATUS_OK) fail_msg("%s", err.text);
    program_model_free(model);
    return trace;
}

/* Rank 0 of 3: 1 ms, then 3 barriers of 2 us with 10 us, 20 us before them, and what is behind else on the others. */
static void statements_become_calls(void **state)
{
    (void)state;
    struct trace *trace =
        make("rmacast-model 1\ncompute 1ms\nrepeat 3 as i\n  compute 10us*(1+i)\n  MPI_Barrier comm=0 takes=2us\nend\n"
             "if rank==0\n  enter a%20b\n  leave a%20b\nelse\n  MPI_Comm_group\nend\n",
             3);
    const struct trace_rank *rank = &trace->ranks[0];
    assert_int_equal(rank->count, 5);
    assert_int_equal(rank->calls[0].enter_ps, 1010000000);
    assert_int_equal(rank->calls[1].enter_ps, 1012000000 + 20000000);
    assert_int_equal(rank->calls[2].enter_ps, 1034000000 + 30000000);
    assert_int_equal(rank->calls[2].exit_ps, 1066000000);
    assert_int_equal(rank->calls[3].call, ID_region_enter);
    assert_string_equal(trace->definitions.regions[rank->calls[3].ref], "a b");
    assert_int_equal(trace->ranks[2].count, 4);
    assert_int_equal(trace->ranks[2].calls[3].call, ID_Comm_group);
    trace_free(trace);
}

/* Of a grid of 2 x 3: rows are {0 1} {2 3} {4 5}, columns {0 2 4} {1 3 5}. A window of columns is one window for each. */
static void communicators_are_rows_and_columns(void **state)
{
    (void)state;
    struct trace *trace =
        make("rmacast-model 1\ngrid square\ncomm 1 along=x\ncomm 2 along=y\nwindow 5 comm=2 bytes=8*(1+y)\n"
             "MPI_Allreduce comm=1 bytes=8\nMPI_Win_create win=5\nMPI_Win_lock win=5 target=x+nx*2 lock=shared\n"
             "MPI_Win_unlock win=5 target=x+nx*2\nMPI_Win_free win=5\n",
             6);
    static const int32_t rows[3][2] = {{0, 1}, {2, 3}, {4, 5}}, columns[2][3] = {{0, 2, 4}, {1, 3, 5}};
    assert_int_equal(trace->definitions.comm_count, 6);
    for (int32_t r = 0; r < 6; r++) {
        const struct trace_comm *row = &trace->definitions.comms[trace->ranks[r].calls[0].handle];
        const struct trace_window *window = &trace->definitions.windows[trace->ranks[r].calls[1].handle];
        const struct trace_comm *column = &trace->definitions.comms[window->comm];
        assert_int_equal(row->count, 2);
        assert_memory_equal(row->members, rows[r / 2], sizeof rows[0]);
        assert_int_equal(column->count, 3);
        assert_memory_equal(column->members, columns[r % 2], sizeof columns[0]);
        assert_int_equal(window->bytes[1], 16);
        assert_int_equal(trace->ranks[r].calls[2].peer, r % 2 + 4);
    }
    trace_free(trace);
}

/* To MPI_PROC_NULL nothing moves; groups leave it out. Displacements are in units of the target's. */
static void missing_partners_are_null(void **state)
{
    (void)state;
    struct trace *trace =
        make("rmacast-model 1\nwindow 0 bytes=64 disp_unit=8\nMPI_Win_create win=0\n"
             "MPI_Win_post win=0 group=neighbor(-1),neighbor(1)\nMPI_Win_start win=0 group=neighbor(-1),neighbor(1)\n"
             "MPI_Put win=0 target=neighbor(1) bytes=16 disp=2\nMPI_Win_complete win=0\nMPI_Win_wait win=0\n",
             2);
    const struct trace_call *put = &trace->ranks[0].calls[3], *last = &trace->ranks[1].calls[3];
    assert_int_equal(put->peer, 1);
    assert_int_equal(put->bytes, 16);
    assert_int_equal(put->rma.disp, 16);
    assert_int_equal(last->peer, TRACE_NONE);
    assert_int_equal(last->bytes, 0);
    assert_int_equal(last->rma.disp, -1);
    assert_int_equal(trace->definitions.groups[trace->ranks[0].calls[1].ref].count, 1);
    assert_int_equal(trace->definitions.groups[trace->ranks[0].calls[1].ref].members[0], 1);
    trace_free(trace);
}

/* The rule of computing before and after calls. A loop's own is before its first call, once. Z is always made: its own is taken.
 * Y is made by rank 1 only: what is behind X, where all make X, comes first. */
static void computing_belongs_to_places(void **state)
{
    (void)state;
    struct trace *trace = make("rmacast-model 1\ncomputing loop 1s\ncomputing x 10s\ncomputing behind 100s\ncomputing y 1000s\n"
                               "computing z 10000s\nrepeat 2 before=loop\n  MPI_Barrier comm=0 before=x after=behind\n"
                               "  MPI_Comm_group when=rank==1 before=y\n  MPI_Barrier comm=0 before=z\nend\n", 2);
    const struct trace_call *zero = trace->ranks[0].calls, *one = trace->ranks[1].calls;
    static const int64_t zero_s[] = {1, 10001, 10011, 20011}, one_s[] = {1, 101, 10101, 10111, 10211, 20211};
    assert_int_equal(trace->ranks[0].count, 4);
    assert_int_equal(trace->ranks[1].count, 6);
    for (int i = 0; i < 4; i++) assert_int_equal(zero[i].enter_ps / UNITS_PS_PER_S, zero_s[i]);
    for (int i = 0; i < 6; i++) assert_int_equal(one[i].enter_ps / UNITS_PS_PER_S, one_s[i]);
    trace_free(trace);
}

/* A call that some ranks make has the computing behind the call before it, if all ranks make that in the same body;
 * behind a loop, and behind a call of some ranks, it has its own. Where the call before has none, it is its own, too.
 */
static void computing_before_calls_of_some_ranks(void **state)
{
    static const struct {
        const char *before;
        int64_t enter_s;
    } rows[] = {{"MPI_Barrier comm=0 before=x after=behind\n", 110},
                {"MPI_Barrier comm=0 before=x\n", 1010},
                {"repeat 1\n  MPI_Barrier comm=0 before=x after=behind\nend\n", 1010},
                {"MPI_Barrier comm=0 when=rank>=0 before=x after=behind\n", 1010},
                {"MPI_Barrier comm=0 before=x after=behind\nrepeat 1\n", 1010}, /* in a body of its own */
                {"MPI_Barrier comm=0 before=x after=behind\nif rank==1\n", 1010}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "rmacast-model 1\ncomputing x 10s\ncomputing behind 100s\ncomputing y 1000s\n%sMPI_Comm_group when=rank==1 "
            "before=y\n%s",
            rows[i].before, i < 4 ? "" : "end\n");
        struct trace *trace = make(text, 2);
        const int64_t enter_s = trace->ranks[1].calls[1].enter_ps / UNITS_PS_PER_S;
        if (enter_s != rows[i].enter_s) fail_msg("row %zu: %d s", i, (int)enter_s);
        trace_free(trace);
    }
}

/* A reduced block takes its time; without the word it is what is in it. */
static void blocks_are_reduced(void **state)
{
    (void)state;
    struct trace *whole = make("rmacast-model 1\nblock solve\n  MPI_Barrier comm=0\nend\nMPI_Barrier comm=0\n", 2);
    struct trace *less = make("rmacast-model 1\nblock solve time=3s reduced\n  MPI_Barrier comm=0\nend\nMPI_Barrier comm=0\n", 2);
    assert_int_equal(whole->ranks[0].count, 2);
    assert_int_equal(less->ranks[0].count, 1);
    assert_int_equal(less->ranks[0].calls[0].enter_ps, 3 * UNITS_PS_PER_S);
    trace_free(whole);
    trace_free(less);
}

/* --reduce adds the word behind the time, --expand takes it away; a name that is it, also in the time or behind it, is not. */
static void a_name_is_no_word(void **state)
{
    static const char *const names[] = {"solve", "reduced", "reduced_too", "is_reduced", "time"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[2][200];
        for (int reduced = 0; reduced < 2; reduced++)
            snprintf(text[reduced], sizeof text[reduced],
                     "rmacast-model 1\nparameter reduced = 2\n"
                     "block %s time=3s * reduced%s when=1 < reduced\n  MPI_Barrier comm=0\nend\n",
                     names[i], reduced ? " reduced" : "");
        for (int from = 0; from < 2; from++)
            for (int to = 0; to < 2; to++) {
                struct program_model *model, *made;
                struct err err;
                char *written = NULL;
                size_t bytes;
                if (read_text(text[from], &model, &err) != STATUS_OK) fail_msg("%s", err.text);
                if (program_model_reduce(model, names[i], to, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
                FILE *out = open_memstream(&written, &bytes);
                program_model_write(made, out);
                fclose(out);
                if (strcmp(written, text[to]) != 0) fail_msg("%s from %d to %d: %s", names[i], from, to, written);
                free(written);
                program_model_free(made);
                program_model_free(model);
            }
    }
}

/* A path is that of the end of a block's blocks, whatever is around them; loops between them do not count. The digits are the
 * lines of the blocks that are reduced. */
static void paths_of_blocks(void **state)
{
    static const char text[] = "rmacast-model 1\n"
                               "block a time=1s\n  block b time=1s\n    repeat 2\n      block c time=1s\n      end\n    end\n"
                               "    block bc time=1s\n    end\n  end\nend\nblock b time=1s\n  block c time=1s\n  end\nend\n";
    static const struct {
        const char *path, *reduced; /* NULL: there is none */
    } rows[] = {{"a", "2"},     {"b", "3C"},    {"c", "5D"},        {"b/c", "5D"},  {"a/b/c", "5"},  {"a/b", "3"}, {"bc", "8"},
                {"a/c", NULL},  {"c/b", NULL},  {"x/a/b/c", NULL},  {"/a", NULL},   {"a/b/bc", "8"}, {"ab", NULL}, {"b/", NULL},
                {"", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program_model *model, *made = NULL;
        struct err err;
        char found[20] = "";
        if (read_text(text, &model, &err) != STATUS_OK) fail_msg("%s", err.text);
        enum status status = program_model_reduce(model, rows[i].path, true, &made, &err);
        if (!rows[i].reduced) {
            if (status != STATUS_USAGE || !strstr(err.text, "has no block")) fail_msg("'%s': status %d", rows[i].path, status);
        } else {
            char *written = NULL;
            size_t bytes, used = 0;
            if (status != STATUS_OK) fail_msg("%s", err.text);
            FILE *out = open_memstream(&written, &bytes);
            program_model_write(made, out);
            fclose(out);
            int line = 1;
            for (char *rest = written, *at; (at = strsep(&rest, "\n")); line++)
                if (strstr(at, " reduced")) found[used++] = "0123456789ABCDEF"[line];
            assert_string_equal(found, rows[i].reduced);
            free(written);
            program_model_free(made);
        }
        program_model_free(model);
    }
}

/* 2^32 rounds of 1 ns are 4294967296000 ps. 10^6 times 10^6 rounds of 1 ps on rank 0 alone are 10^12 ps; its barrier is never
 * made. 0 + 1 + 2 + 3 + 4 ns, 2 * 10^9 times, are 20 s. Walked, the loops take hours. */
static void rounds_without_calls_are_counted(void **state)
{
    (void)state;
    struct trace *trace = make("rmacast-model 1\nrepeat 4294967296\n  compute 1ns\nend\nMPI_Barrier comm=0\n"
                               "repeat 1000000 as i\n  repeat 1000000\n    if rank==0\n      compute 0.001ns\n    end\n"
                               "    MPI_Barrier comm=0 when=rank==5\n  end\nend\nMPI_Barrier comm=0\n"
                               "repeat 2000000000\n  block b\n    repeat 5 as k\n      compute k*1ns\n    end\n  end\nend\n"
                               "MPI_Barrier comm=0\n", 2);
    static const int64_t enter_ps[2][3] = {{4294967296000, 5294967296000, 25294967296000},
                                           {4294967296000, 4294967296000, 24294967296000}};
    for (int r = 0; r < 2; r++) {
        assert_int_equal(trace->ranks[r].count, 3);
        for (int i = 0; i < 3; i++) assert_int_equal(trace->ranks[r].calls[i].enter_ps, enter_ps[r][i]);
    }
    trace_free(trace);
}

static void wrong_runs_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {HEAD "MPI_Put win=0 target=rank-1 bytes=1\n", "t:3: target of rank 0 of 3 is -1, expected 0 to 2"},
        {HEAD "MPI_Put win=0 target=none bytes=1/0\n", "t:3: bytes of rank 0 of 3: division by 0"},
        {HEAD "parameter n = rank\n", "t:3: the parameter has no value: it depends on the rank"},
        {HEAD "parameter n = neighbor(1)\n", "t:3: the parameter has no value: neighbor() depends on the rank"},
        {HEAD "grid fixed side=2\n", "t: 3 ranks are no multiple of the grid's side of 2"},
        {HEAD "MPI_Wait req=0\n", "t:3: rank 0 has 0 requests that are not completed, expected 1"},
        {HEAD "MPI_Barrier comm=0 when=neighbor(-1)\n", "t:3: when= is none"},
        {HEAD "compute 8000000s\nMPI_Barrier comm=0\n", "t:4: the run takes too long"},
        {HEAD "repeat 4294967296\nMPI_Barrier comm=0\nend\n", "t: more than 268435456 calls"},
        {HEAD "repeat 3\nrepeat 3e12 as i\nif i>1\nMPI_Barrier comm=0\nend\nend\nend\n",
         "t:4: the run is longer than 8589934592"},
        {HEAD "repeat 1e9 as i\ncompute i\nend\n", "t:4: more than 134217728 statements make no call"},
        {HEAD "repeat -1\nend\n", "t:3: the number of repetitions of rank 0 of 3 is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program_model *model;
        struct program_model_options options = PROGRAM_MODEL_DEFAULTS;
        struct trace *trace;
        struct err err;
        options.ranks = 3;
        if (read_text(cases[i][0], &model, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(program_model_make(model, &options, &trace, &err), STATUS_DATA);
        if (!strstr(err.text, cases[i][1])) fail_msg("'%s', expected '%s'", err.text, cases[i][1]);
        program_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(faults_have_reasons),
        cmocka_unit_test(whole_numbers_are_rounded_down),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(statements_become_calls),
        cmocka_unit_test(communicators_are_rows_and_columns),
        cmocka_unit_test(missing_partners_are_null),
        cmocka_unit_test(computing_belongs_to_places),
        cmocka_unit_test(computing_before_calls_of_some_ranks),
        cmocka_unit_test(blocks_are_reduced),
        cmocka_unit_test(a_name_is_no_word),
        cmocka_unit_test(paths_of_blocks),
        cmocka_unit_test(wrong_runs_are_refused),
        cmocka_unit_test(rounds_without_calls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
