/* Checks a property on random programs: run_property PROPERTY ENGINE FIRST_SEED COUNT [--tamper|--threads|--shmem|--library]
 *
 * The program that breaks it is made small and printed as a text trace, with its seed and the options of rmacast
 * simulate that make its platform; exit 1. Otherwise it prints how often each law was looked at; a law that never
 * applied is a failure too, since nothing was tested. --tamper falsifies each outcome: a law must break.
 * --threads, --shmem: programs have ranks with threads, or OpenSHMEM beside MPI. --library: platforms have MPICH's profile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/knobs.h"
#include "tests/property/property.h"
#include "tests/property/shrink.h"
#include "trace/text/text.h"

struct run {
    const struct property *property;
    struct trial trial;
    enum subject subject;
    uint64_t first_seed, count;
};

static enum status report_failure(const struct run *run, struct program *program, struct verdict *verdict,
                                  struct err *err)
{
    const struct trial trial = {.engine = run->trial.engine, .tamper = run->trial.tamper};
    uint32_t tries;
    struct trace *trace;
    printf("seed %" PRIu64 " breaks: %s\n%s: %s\n", program->seed, run->property->summary, verdict->what,
           verdict->detail);
    fflush(stdout);
    TRY(shrink(run->property, &trial, program, verdict, &tries, err));
    printf("\nmade small in %" PRIu32 " tries\n%s: %s\nsimulate TRACE --verify --engine %s ", tries, verdict->what,
           verdict->detail, trial.engine->name);
    knobs_print(program, stdout);
    TRY(program_trace(program, &trace, err));
    enum status status = text_write(trace, NULL, stdout, err);
    trace_free(trace);
    TRY(status);
    return err_set(err, STATUS_DATA, "run_property", NULL, "seed %" PRIu64 " breaks '%s'", program->seed,
                   verdict->what);
}

static enum status run_seed(const struct run *run, uint64_t seed, struct err *err)
{
    struct program program;
    struct verdict verdict;
    TRY(program_make(seed, run->subject, &program, err));
    enum status status = property_check(run->property, &run->trial, &program, &verdict, err);
    if (status != STATUS_OK) printf("seed %" PRIu64 "\n", seed);
    if (status == STATUS_OK && verdict.failed) status = report_failure(run, &program, &verdict, err);
    program_clear(&program);
    return status;
}

/* Law 7 is tests/cases; law 4 needs an engine that knows a network without contention, and few of an engine's slow runs are of
 * programs without locks, of which law 8 is; law 2 has a row for OpenSHMEM. */
static bool may_never_apply(const struct run *run, const struct verify_row *row)
{
    bool others = run->subject != SUBJECT_SHMEM && strcmp(row->name, "OpenSHMEM") == 0;
    return others || row->law == 7 || ((row->law == 4 || row->law == 8) && run->trial.engine->once_per_process);
}

static enum status report_counts(const struct run *run, struct err *err)
{
    const struct program_counts *counts = run->trial.counts;
    printf("%s, %s: seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " calls, %" PRIu64 " transfers\n",
           run->property->summary, run->trial.engine->name, run->first_seed, run->first_seed + run->count - 1,
           counts->calls, counts->transfers);
    for (size_t i = 0; i < counts->last.count; i++) {
        const struct verify_row *row = &counts->last.rows[i];
        printf("law %d  %-28s held %6" PRIu64 "  not applicable %6" PRIu64 "\n", row->law, row->name, counts->holds[i],
               counts->not_applicable[i]);
        if (counts->holds[i] == 0 && !may_never_apply(run, row))
            return err_set(err, STATUS_DATA, "run_property", row->name, "no program to which this law applies");
    }
    if (counts->transfers == 0) return err_set(err, STATUS_DATA, "run_property", NULL, "no program moves data");
    return STATUS_OK;
}

static enum status run_seeds(const struct run *run, struct err *err)
{
    for (uint64_t i = 0; i < run->count; i++) TRY(run_seed(run, run->first_seed + i, err));
    return report_counts(run, err);
}

static bool read_arguments(int argc, char **argv, struct run *run)
{
    if (argc < 5 || argc > 6) return false;
    for (run->property = properties; run->property->name; run->property++)
        if (strcmp(run->property->name, argv[1]) == 0) break;
    run->trial.engine = engine_by_name(argv[2]);
    run->first_seed = strtoull(argv[3], NULL, 10);
    run->count = strtoull(argv[4], NULL, 10);
    run->trial.tamper = argc == 6 && strcmp(argv[5], "--tamper") == 0;
    if (argc == 6 && strcmp(argv[5], "--threads") == 0) run->subject = SUBJECT_THREADS;
    if (argc == 6 && strcmp(argv[5], "--shmem") == 0) run->subject = SUBJECT_SHMEM;
    if (argc == 6 && strcmp(argv[5], "--library") == 0) run->subject = SUBJECT_LIBRARY;
    return run->property->name && run->trial.engine && run->count > 0 &&
           (argc < 6 || run->trial.tamper || run->subject != SUBJECT_MPI);
}

int main(int argc, char **argv)
{
    static struct program_counts counts;
    struct run run = {.trial.counts = &counts};
    struct err err;
    if (!read_arguments(argc, argv, &run)) {
        fputs("run_property PROPERTY ENGINE FIRST_SEED COUNT [--tamper|--threads|--shmem|--library], "
              "expected one of the properties",
              stderr);
        for (const struct property *row = properties; row->name; row++) fprintf(stderr, " %s", row->name);
        fputc('\n', stderr);
        return 2;
    }
    enum status status = run_seeds(&run, &err);
    if (status != STATUS_OK) fprintf(stderr, "%s\n", err.text);
    return status == STATUS_OK ? 0 : 1;
}
