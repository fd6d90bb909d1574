/* Compares the replay with the reference model (model.h), to the picosecond.
 *
 *   run_reference programs FIRST_SEED COUNT AT_LEAST [--tamper | CALL=AT_LEAST... link_waits=AT_LEAST]
 *                                                      random programs, narrowed to what the model knows

 *   run_reference shmem ...                            the same, with OpenSHMEM
 *   run_reference trace PLATFORM.json TRACE.txt KEY=VALUE...
 *   run_reference cases BASE.json FILE...              hand-worked cases under a, b, c, d; those it does not know are
 *                                                      skipped
 *
 * The program that differs first is made small and printed with the options of rmacast simulate. Exit 1 where a call
 * differs, or where fewer than AT_LEAST programs, or calls of a kind, were compared. --tamper falsifies the reference's
 * platform: some call must differ. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/replay/replay.h"
#include "tests/cases/case_platform.h"
#include "tests/property/knobs.h"
#include "tests/property/property.h"
#include "tests/property/shrink.h"
#include "tests/reference/model.h"
#include "tests/reference/narrow.h"
#include "trace/text/text.h"

/* What was compared: calls, messages that waited for a link inside the network. */
static uint64_t calls_of[MPI_CALL_COUNT], link_waits;

struct comparison {
    bool differs, skipped;
    char what[VERDICT_DETAIL_BYTES];
};

static enum status make_times(const struct trace *trace, struct reference_times **times, struct err *err)
{
    *times = calloc(trace->rank_count, sizeof **times);
    if (!*times) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        (*times)[r].enter_ps = calloc(2 * trace->ranks[r].count + 1, sizeof(int64_t));
        if (!(*times)[r].enter_ps) return err_memory(err);
        (*times)[r].exit_ps = (*times)[r].enter_ps + trace->ranks[r].count;
    }
    return STATUS_OK;
}

static void free_times(const struct trace *trace, struct reference_times *times)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) free(times[r].enter_ps);
    free(times);
}

/* The first call that differs, in the order of its time. */
static void compare_calls(const struct trace *trace, const struct reference_times *times, struct comparison *comparison)
{
    int64_t first_ps = INT64_MAX;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            int64_t enter_ps = times[r].enter_ps[i], exit_ps = times[r].exit_ps[i];
            if ((enter_ps == call->enter_ps && exit_ps == call->exit_ps) || call->exit_ps >= first_ps) continue;
            char place[TRACE_PLACE_BYTES];
            first_ps = call->exit_ps;
            comparison->differs = true;
            snprintf(comparison->what, sizeof comparison->what,
                     "%s: %" PRId64 " to %" PRId64 " ps by the replay, %" PRId64 " to %" PRId64 " by the reference",
                     trace_place(trace, r, i, place), call->enter_ps, call->exit_ps, enter_ps, exit_ps);
        }
}

static void count_calls(const struct trace_rank *rank, struct program_counts *counts)
{
    counts->calls += rank->count;
    for (size_t i = 0; i < rank->count; i++) calls_of[rank->calls[i].call]++;
}

/* CALL=AT_LEAST or link_waits=AT_LEAST */
static enum status check_floor(const char *text, struct err *err)
{
    enum mpi_call call;
    uint64_t compared = link_waits;
    char name[64];
    const char *value = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", value ? (int)(value - text) : 0, text);
    if (strcmp(name, "link_waits") != 0) {
        if (!call_by_name(name, &call))
            return err_set(err, STATUS_USAGE, "run_reference", text, "expected CALL=AT_LEAST or link_waits=AT_LEAST");
        compared = calls_of[call];
    }
    if (compared >= strtoull(value + 1, NULL, 10)) return STATUS_OK;
    return err_set(err, STATUS_DATA, "run_reference", text, "%" PRIu64 " were compared", compared);
}

/* trial: of random programs, may be NULL. Tampered: the reference has another platform than the replay. */
static enum status compare(const struct trace *trace, const struct platform *platform, const struct trial *trial,
                           struct comparison *comparison, struct err *err)
{
    struct platform referred = *platform;
    if (trial && trial->tamper) referred.control_bytes += 1000;
    const struct replay_options options = {.engine = engine_by_name("loggp"), .keep_trace = true};
    struct replay_outcome outcome = {0};
    struct reference_times *times;
    struct err why = {.status = STATUS_OK};
    const char *lacks = reference_lacks(trace, platform);
    *comparison = (struct comparison){.skipped = lacks};
    if (lacks) return STATUS_OK;
    bool replayed = replay_run(trace, platform, &options, &outcome, &why) == STATUS_OK;
    if (outcome.decided) trace = outcome.decided; /* the reference has each rank make its own calls */
    TRY(make_times(trace, &times, err));
    uint64_t waits;
    bool ends = reference_run(trace, &referred, times, &waits);
    comparison->differs = ends != replayed;
    if (comparison->differs)
        snprintf(comparison->what, sizeof comparison->what, "the reference %s, the replay: %.800s",
                 ends ? "ends" : "does not end", replayed ? "ends" : why.text);
    else if (ends)
        compare_calls(outcome.trace, times, comparison);
    if (trial && trial->counts) {
        link_waits += waits;
        struct program_counts *counts = trial->counts;
        counts->programs++;
        counts->transfers += outcome.transfers;
        for (uint32_t r = 0; r < trace->rank_count; r++) count_calls(&trace->ranks[r], counts);
    }
    free_times(trace, times);
    replay_outcome_clear(&outcome);
    return STATUS_OK;
}

/* Every third program: ranks have different shares that are bound by memory, or none that is known, and all nodes a curve. The
 * random numbers of the program stay what they are. */
static void bind_by_memory(const struct program *program, struct trace *trace, struct platform *platform)
{
    static const struct memory_row rows[] = {{2, 1.5}, {4, 1.75}};
    if (program->seed % 3 != 0) return;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        trace->ranks[r].memory_known = r % 4 < 3;
        trace->ranks[r].memory_bound = r % 4 < 3 ? 0.5 * (r % 4) : 0;
    }
    for (size_t i = 0; platform && i < platform->group_count; i++) {
        memcpy(platform->groups[i].memory_curve, rows, sizeof rows);
        platform->groups[i].memory_rows = 2;
    }
}

static enum status check(const struct trial *trial, const struct program *program, const struct trace *trace,
                         struct verdict *verdict, struct err *err)
{
    struct platform *platform;
    struct trace *known;
    struct comparison comparison;
    TRY(knobs_platform(program, NULL, &platform, err));
    enum status status = narrow_trace(trace, &known, err);
    if (status == STATUS_OK) {
        bind_by_memory(program, known, platform);
        status = compare(known, platform, trial, &comparison, err);
        trace_free(known);
    }
    platform_free(platform);
    if (status != STATUS_OK || !comparison.differs) return status;
    verdict->failed = true;
    snprintf(verdict->what, sizeof verdict->what, "replay and reference");
    snprintf(verdict->detail, sizeof verdict->detail, "%s", comparison.what);
    return STATUS_OK;
}

static const struct property reference = {"reference", "replay and reference agree", check};

static enum status report(const struct trial *failed, struct program *program, struct verdict *verdict, struct err *err)
{
    const struct trial trial = {.engine = failed->engine, .tamper = failed->tamper};
    uint32_t tries;
    struct trace *trace, *known;
    printf("seed %" PRIu64 ": %s\n", program->seed, verdict->detail);
    fflush(stdout);
    TRY(shrink(&reference, &trial, program, verdict, &tries, err));
    printf("made small in %" PRIu32 " tries: %s\nsimulate TRACE --engine loggp ", tries, verdict->detail);
    knobs_print(program, stdout);
    TRY(program_trace(program, &trace, err));
    enum status status = narrow_trace(trace, &known, err);
    trace_free(trace);
    TRY(status);
    bind_by_memory(program, known, NULL);
    status = text_write(known, NULL, stdout, err);
    trace_free(known);
    return status;
}

static enum status run_seed(uint64_t seed, enum subject subject, const struct trial *trial, bool *failed,
                            struct err *err)
{
    struct program program;
    struct verdict verdict;
    TRY(program_make(seed, subject, &program, err));
    narrow_program(&program);
    enum status status = property_check(&reference, trial, &program, &verdict, err);
    if (status == STATUS_OK && verdict.failed) {
        *failed = true;
        status = report(trial, &program, &verdict, err);
    }
    program_clear(&program);
    return status;
}

static enum status run_programs(enum subject subject, uint64_t first, uint64_t count, uint64_t at_least, bool tamper,
                                char **floors, struct err *err)
{
    static struct program_counts counts;
    const struct trial trial = {.engine = engine_by_name("loggp"), .tamper = tamper, .counts = &counts};
    bool failed = false;
    for (uint64_t i = 0; i < count && !failed; i++) TRY(run_seed(first + i, subject, &trial, &failed, err));
    printf("%" PRIu64 " programs, %" PRIu64 " calls, %" PRIu64 " transfers compared\n", counts.programs, counts.calls,
           counts.transfers);
    if (failed) return err_set(err, STATUS_DATA, "run_reference", NULL, "replay and reference differ");
    if (counts.programs < at_least || counts.transfers == 0)
        return err_set(err, STATUS_DATA, "run_reference", NULL, "expected %" PRIu64 " programs and some transfers",
                       at_least);
    for (; *floors; floors++) TRY(check_floor(*floors, err));
    return STATUS_OK;
}

static enum status run_case(const char *base, const char *file, char letter, bool *failed, uint64_t *compared,
                            struct err *err)
{
    struct trace *trace;
    struct platform *platform;
    struct comparison comparison;
    TRY(text_read_by(0, file, false, &trace, err));
    enum status status = trace_check(trace, err);
    if (status == STATUS_OK) status = case_platform_open(base, file, letter, &platform, err);
    if (status == STATUS_OK) {
        status = compare(trace, platform, NULL, &comparison, err);
        platform_free(platform);
    }
    trace_free(trace);
    TRY(status);
    *failed |= comparison.differs;
    *compared += !comparison.skipped;
    if (comparison.differs) printf("%s %c: %s\n", file, letter, comparison.what);
    return STATUS_OK;
}

static enum status run_cases(const char *base, char **files, int count, struct err *err)
{
    bool failed = false;
    uint64_t compared = 0;
    for (int i = 0; i < count; i++)
        for (char letter = 'a'; letter <= 'd'; letter++)
            TRY(run_case(base, files[i], letter, &failed, &compared, err));
    printf("%" PRIu64 " cases compared\n", compared);
    if (compared < 2 * (uint64_t)count)
        return err_set(err, STATUS_DATA, "run_reference", NULL, "expected to know half of the cases");
    if (failed) return err_set(err, STATUS_DATA, "run_reference", NULL, "replay and reference differ");
    return STATUS_OK;
}

static enum status run_trace(const char *base, const char *file, const char *const *overrides, int count,
                             struct err *err)
{
    struct trace *trace;
    struct platform *platform;
    struct comparison comparison;
    TRY(text_read_by(0, file, false, &trace, err));
    enum status status = trace_check(trace, err);
    if (status == STATUS_OK) status = platform_open(base, overrides, (size_t)count, &platform, err);
    if (status == STATUS_OK) {
        status = compare(trace, platform, NULL, &comparison, err);
        platform_free(platform);
    }
    trace_free(trace);
    TRY(status);
    if (comparison.skipped) return err_set(err, STATUS_DATA, file, NULL, "the reference does not know all of it");
    if (comparison.differs) return err_set(err, STATUS_DATA, file, NULL, "%s", comparison.what);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct err err = {.status = STATUS_OK};
    enum status status = STATUS_USAGE;
    bool tamper = argc == 6 && strcmp(argv[5], "--tamper") == 0;
    bool shmem = argc > 1 && strcmp(argv[1], "shmem") == 0;
    if (argc >= 5 && (shmem || strcmp(argv[1], "programs") == 0))
        status =
            run_programs(shmem ? SUBJECT_SHMEM : SUBJECT_MPI, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
                         strtoull(argv[4], NULL, 10), tamper, argv + (tamper ? 6 : 5), &err);
    else if (argc > 3 && strcmp(argv[1], "cases") == 0)
        status = run_cases(argv[2], argv + 3, argc - 3, &err);
    else if (argc > 3 && strcmp(argv[1], "trace") == 0)
        status = run_trace(argv[2], argv[3], (const char *const *)argv + 4, argc - 4, &err);
    else
        snprintf(err.text, sizeof err.text,
                 "run_reference programs|shmem FIRST COUNT AT_LEAST [--tamper | CALL=AT_LEAST...] | cases BASE.json "
                 "FILE... | trace "
                 "PLATFORM.json TRACE.txt KEY=VALUE...");
    if (status != STATUS_OK) fprintf(stderr, "%s\n", err.text);
    return (int)status;
}
