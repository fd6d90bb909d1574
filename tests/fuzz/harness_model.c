/* Program models: read, written again, walked at several numbers of ranks in all the ways that there are, changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "trace/limits.h"
#include "trace/program_model/edit.h"
#include "trace/program_model/ranks.h"
#include "trace/program_model/source.h"

enum { WORK_MOST = 4000, CALLS_MOST = 2000, RANKS_MOST = 48, SURVEYED = 16 /* ranks, all of which a survey asks */ };

static char *write_model(const struct program_model *model, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) abort();
    program_model_write(model, out);
    fclose(out);
    return text;
}

static enum status read_model(const void *text, size_t size, struct program_model **model, struct err *err)
{
    return program_model_open(fuzz_file(text, size), model, err);
}

static void check_written(const struct program_model *model)
{
    size_t sizes[2];
    struct program_model *again;
    struct err err;
    char *texts[2] = {write_model(model, &sizes[0])};
    if (read_model(texts[0], sizes[0], &again, &err) != STATUS_OK)
        fuzz_finding("a model that is written does not read back: %s", err.text);
    texts[1] = write_model(again, &sizes[1]);
    if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0)
        fuzz_finding("'%s' is written again as '%s'", texts[0], texts[1]);
    program_model_free(again);
    free(texts[0]);
    free(texts[1]);
}

/* --- runs --- */

static void check_call(const struct trace_call *call, int64_t *now_ps)
{
    if (call->enter_ps < *now_ps || call->exit_ps < call->enter_ps || call->exit_ps > TRACE_TIME_MAX_PS)
        fuzz_finding("a call from %g to %g s, the one before ended at %g s", (double)call->enter_ps / 1e12,
                     (double)call->exit_ps / 1e12, (double)*now_ps / 1e12);
    *now_ps = call->exit_ps;
}

static enum status walk_rank(struct program_run *run, uint32_t rank, uint64_t *calls, struct err *err)
{
    struct run_rank state;
    struct trace_call call;
    bool ended = false;
    int64_t now_ps = 0;
    TRY(run_rank_open(run, rank, &state, err));
    enum status status = STATUS_OK;
    for (*calls = 0; status == STATUS_OK && !ended; *calls += !ended) {
        status = run_rank_next(run, &state, &call, &ended, err);
        if (status == STATUS_OK && !ended) check_call(&call, &now_ps);
    }
    run_rank_clear(&state);
    return status;
}

/* Walks all ranks within a limit of work. False: the limit was not enough. */
static bool walk(const struct program_model *model, const struct program_model_options *options, uint64_t *calls,
                 enum status *status, struct err *err)
{
    struct program_run run;
    *status = program_run_open(model, options, &run, err);
    if (*status != STATUS_OK) return true;
    run.work = WORK_MOST;
    for (uint32_t rank = 0; *status == STATUS_OK && rank < options->ranks; rank++)
        *status = walk_rank(&run, rank, &calls[rank], err);
    program_run_clear(&run);
    return *status == STATUS_OK || !strstr(err->text, "the run is longer than");
}

bool model_is_short(const char *file, uint32_t ranks)
{
    static uint64_t calls[RANKS_MOST];
    struct program_model_options options = PROGRAM_MODEL_DEFAULTS;
    struct program_model *model;
    struct err err;
    enum status status;
    if (program_model_open(file, &model, &err) != STATUS_OK) return true;
    options.ranks = ranks > 0 ? ranks : model->ranks;
    bool is_short = options.ranks <= RANKS_MOST && walk(model, &options, calls, &status, &err);
    program_model_free(model);
    return is_short;
}

/* The run that is made rank after rank, and as it is needed, has the calls of the trace. */
static void check_ranks(const struct program_model *model, const struct program_model_options *options,
                        const struct trace *trace)
{
    struct program_ranks ranks;
    struct err err;
    if (program_ranks_open(model, options, &ranks, &err) != STATUS_OK) fuzz_finding("rank after rank: %s", err.text);
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        if (program_ranks_make(&ranks, rank, &err) != STATUS_OK) fuzz_finding("rank %u by itself: %s", rank, err.text);
        const struct trace_rank *one = &trace->ranks[rank], *two = &ranks.run.trace->ranks[rank];
        bool same = one->count == two->count;
        for (size_t i = 0; same && i < one->count; i++)
            same = one->calls[i].call == two->calls[i].call && one->calls[i].enter_ps == two->calls[i].enter_ps &&
                   one->calls[i].exit_ps == two->calls[i].exit_ps && one->calls[i].bytes == two->calls[i].bytes &&
                   one->calls[i].peer == two->calls[i].peer && one->calls[i].handle == two->calls[i].handle;
        if (!same) fuzz_finding("rank %u by itself makes other calls", rank);
    }
    program_ranks_close(&ranks);
}

static void check_source(const struct program_model *model, const struct program_model_options *options,
                         const struct trace *trace)
{
    struct program_source source;
    struct err err;
    if (!program_source_possible(model)) return;
    if (program_source_open(model, options, &source, &err) != STATUS_OK) fuzz_finding("as it is needed: %s", err.text);
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        const struct trace_rank *whole = &trace->ranks[rank], *next = &source.run.trace->ranks[rank];
        size_t at = 0;
        while (next->count > 0) {
            for (size_t i = 0; i < next->count; i++, at++)
                if (at == whole->count || next->calls[i].call != whole->calls[at].call ||
                    next->calls[i].exit_ps != whole->calls[at].exit_ps || next->calls[i].peer != whole->calls[at].peer)
                    fuzz_finding("call %zu of rank %u is another one when it is made as it is needed", at, rank);
            if (program_source_next(&source, rank, &err) != STATUS_OK) fuzz_finding("as it is needed: %s", err.text);
        }
        if (at != whole->count)
            fuzz_finding("rank %u has %zu calls as they are needed, expected %zu", rank, at, whole->count);
    }
    program_source_close(&source);
}

static void check_survey(const struct program_model *model, const struct program_model_options *options, uint64_t calls)
{
    struct program_survey survey = {.computings_s = NULL};
    struct err err;
    enum status status = program_source_survey(model, options, &survey, &err);
    fuzz_check_error("survey", status, &err);
    if (status != STATUS_OK) return;
    if (!isfinite(survey.calls) || !isfinite(survey.computing_s) || survey.computing_s < 0 || !isfinite(survey.error) ||
        survey.error < 0)
        fuzz_finding("a survey of %g calls, %g s, error %g", survey.calls, survey.computing_s, survey.error);
    if (options->ranks <= SURVEYED && survey.calls != (double)calls)
        fuzz_finding("a survey of %g calls, expected %g", survey.calls, (double)calls);
}

static void check_replay(const struct trace *trace)
{
    struct platform *platform;
    struct err err;
    if (platform_open("ideal", NULL, 0, &platform, &err) != STATUS_OK) fuzz_finding("ideal: %s", err.text);
    oracle_replay(trace, platform);
    platform_free(platform);
}

static void check_run(const struct program_model *model, const struct program_model_options *options)
{
    static uint64_t calls[RANKS_MOST];
    uint64_t total = 0;
    struct trace *trace;
    struct err walked = {.text = ""}, err = {.text = ""};
    enum status status, made;
    if (!walk(model, options, calls, &status, &walked)) return;
    fuzz_check_error("walk", status, &walked);
    made = program_model_make(model, options, &trace, &err);
    fuzz_check_error("program_model_make", made, &err);
    if (status != STATUS_OK && (made != status || strcmp(err.text, walked.text) != 0))
        fuzz_finding("a walk says '%s', the run '%s'", walked.text, err.text);
    if (made != STATUS_OK) return;
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        total += calls[rank];
        if (trace->ranks[rank].count != calls[rank]) fuzz_finding("rank %u walks %zu calls", rank, (size_t)calls[rank]);
    }
    check_ranks(model, options, trace);
    check_source(model, options, trace);
    check_survey(model, options, total);
    oracle_text("run of a model", trace);
    if (total < CALLS_MOST && options->compute == 1 && fuzz_once_in(16)) check_replay(trace);
    trace_free(trace);
}

/* --- changes --- */

/* Parameters have values of their own, and blocks are reduced and expanded. */
static void check_edits(struct program_model **model)
{
    struct err err;
    double value;
    for (size_t i = 0; i < (*model)->parameter_count; i++) {
        char name[SCANNER_NAME_BYTES];
        strcpy(name, (*model)->parameters[i].name);
        enum status status = program_model_set_parameter(*model, name, i % 2 ? "2" : "3*nranks", &err);
        if (status != STATUS_OK) fuzz_finding("parameter %s: %s", name, err.text);
        status = program_model_parameter(*model, name, 4, &value, &err);
        fuzz_check_error("program_model_parameter", status, &err);
        if (status == STATUS_OK && value != (i % 2 ? 2 : 12)) fuzz_finding("parameter %s is %g", name, value);
    }
    for (size_t i = 0; i < (*model)->line_count; i++) {
        char name[256] = "";
        bool reduced = fuzz_once_in(2);
        if (sscanf((*model)->lines[i].text, "block %255s", name) != 1) continue;
        struct program_model *made;
        enum status status = program_model_reduce(*model, name, reduced, &made, &err);
        fuzz_check_error("reduce", status == STATUS_USAGE ? STATUS_DATA : status, &err);
        if (status != STATUS_OK) return;
        program_model_free(*model);
        *model = made;
    }
    check_written(*model);
}

/* --- the whole --- */

static void check_command(const uint8_t *data, size_t size)
{
    char place[64], path[80], output[96];
    char *words[] = {(char *)command_program, "model", path, "-o", output, NULL};
    struct program_model *model;
    struct err err;
    fuzz_directory("model", place, sizeof place);
    command_write(place, "in.model", (const char *)data, size);
    snprintf(path, sizeof path, "%s/in.model", place);
    snprintf(output, sizeof output, "%s/out.model", place);
    enum status status = program_model_open(path, &model, &err);
    bool is_model =
        size > strlen(PROGRAM_MODEL_WORD) && memcmp(data, PROGRAM_MODEL_WORD " ", strlen(PROGRAM_MODEL_WORD) + 1) == 0;
    if (is_model) command_check_same(place, words, status, &err);
    if (status == STATUS_OK) program_model_free(model);
    fuzz_remove(place);
}

static void run(const uint8_t *data, size_t size)
{
    static const uint32_t ranks[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 27, 48};
    static const double errors[] = {0, 0, 1, -1};
    struct program_model *model;
    struct err err;
    if (fuzz_once_in(4000)) check_command(data, size);
    enum status status = read_model(data, size, &model, &err);
    fuzz_check_error("program_model_open", status, &err);
    if (status != STATUS_OK) return;
    check_written(model);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (!fuzz_once_in(4)) continue;
        const struct program_model_options options = {
            .ranks = ranks[i], .compute = fuzz_once_in(8) ? 1e6 : 1, .error = errors[i % 4], .seed = i};
        check_run(model, &options);
    }
    if (fuzz_once_in(4)) check_edits(&model);
    program_model_free(model);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"repeat 3 as i",
                                        "repeat 0",
                                        "repeat 1e9",
                                        "end",
                                        "if rank==0",
                                        "else",
                                        "block b time=1ms",
                                        "block b time=c reduced",
                                        "compute 1e-300",
                                        "compute c when=x>0",
                                        "compute 1e6",
                                        "ranks 4",
                                        "observed 2",
                                        "observed 4 n=2",
                                        "observed 6",
                                        "computing c 1e-320 error=1e9 missed=1e-300 missed_s=1e9 doublings=1e-9",
                                        "recorded 8",
                                        "parameter n = 2",
                                        "grid square periodic=xy",
                                        "grid cube",
                                        "grid fixed side=2",
                                        "comm 1 along=x",
                                        "window 0 comm=1 bytes=rank*8 disp_unit=8",
                                        "window 1 bytes=9007199254740992",
                                        "computing c 1ms*nranks error=0.1 missed=0.5 missed_s=1 doublings=2 slept=0.5",
                                        "by_rank 1 2",
                                        "by_execution 1 2 3",
                                        "counts 2",
                                        "chance 1 1 1 1",
                                        "at 4 mean=0.001",
                                        "MPI_Barrier comm=0",
                                        "MPI_Win_create win=0 before=c",
                                        "MPI_Win_fence win=0 assert=0 after=c",
                                        "MPI_Win_free win=0",
                                        "MPI_Put win=0 target=neighbor(1) bytes=8 disp=rank takes=1us",
                                        "MPI_Win_post win=0 group=all",
                                        "MPI_Win_start win=0 group=others",
                                        "MPI_Win_complete win=0",
                                        "MPI_Win_wait win=0",
                                        "MPI_Isend comm=0 peer=neighbor(1) tag=1 bytes=8",
                                        "MPI_Irecv comm=0 peer=neighbor(-1) tag=1 bytes=8",
                                        "MPI_Wait req=0",
                                        "MPI_Waitall reqs=all",
                                        "enter r",
                                        "leave r"};
    return mutate_any(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_model = {
    .name = "model",
    .summary = "program models: read, written again, walked at several numbers of ranks, changed",
    .run = run,
    .mutate = mutate,
    .splices = true,
};
