#include "recording/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files/input_file.h"
#include "recording/run.h"
#include "recording/unreached.h"
#include "recording/worlds.h"
#include "trace/memory.h"
#include "trace/otf2/otf2.h"
#include "trace/spool/spool.h"
#include "trace/steps.h"

/* The worlds of a job have the same launcher: the first one reports it. */
static const char *find_foreign_launcher(const struct trace *trace, unsigned more)
{
    for (size_t i = 0; more > 0 && i < trace->provenance.note_count; i++)
        if (strncmp(trace->provenance.notes[i], SPOOL_FOREIGN_LAUNCHER, strlen(SPOOL_FOREIGN_LAUNCHER)) == 0)
            return trace->provenance.notes[i];
    return NULL;
}

static void report_packed(const struct trace *trace, const char *directory, unsigned more,
                          const struct record_observer *observer)
{
    struct record_packed packed = {.directory = directory,
                                   .rank_count = trace->rank_count,
                                   .foreign_launcher = find_foreign_launcher(trace, more),
                                   .crowded = trace_is_crowded(trace),
                                   .core_waits = trace_core_waits(trace)};
    struct trace_steps steps;
    struct err ignored;
    char text[TRACE_STEPS_BYTES];
    if (trace_steps_find(trace, &steps, &ignored) == STATUS_OK && steps.notable)
        packed.steps = trace_steps_text(trace, &steps, text);
    for (uint32_t i = trace->rank_count; i-- > 0;) {
        packed.call_count += trace->ranks[i].count;
        if (!trace->ranks[i].incomplete) continue;
        packed.incomplete_count++;
        packed.first_incomplete = i;
        packed.incomplete_why = trace->ranks[i].incomplete_why;
    }
    if (observer->packed) observer->packed(observer->context, &packed);
}

/* A note: waits were decided by a preloaded library and not by the MPI library. */
static enum status note_semantics(struct trace *trace, struct err *err)
{
    const char *letter = getenv("RMACAST_SEMANTICS"), *lock = getenv("RMACAST_LOCK");
    if (letter && *letter)
        TRY(trace_add_note(trace, err, "recorded under semantics %s by librmacast-semantics", letter));
    if (lock && strcmp(lock, "lazy") == 0)
        return trace_add_note(trace, err, "recorded with lazy locks by librmacast-semantics");
    return STATUS_OK;
}

/* Removes the spool only after the archive has been written. more: number of further programs of the job. */
static enum status pack_spool(const char *directory, const char *spool, unsigned more,
                              const struct record_observer *observer, struct err *err)
{
    struct trace *trace;
    TRY(trace_memory_check(spool, err));
    TRY(spool_read(spool, &trace, err));
    enum status status = more == 0 ? STATUS_OK
                                   : trace_add_note(trace, err,
                                                    "further programs of the job have traces of their own, "
                                                    "below this one: world-1%s",
                                                    more > 1 ? ", ..." : "");
    if (status == STATUS_OK) status = note_semantics(trace, err);
    if (status == STATUS_OK) status = otf2_write(trace, directory, err);
    if (status == STATUS_OK) {
        report_packed(trace, directory, more, observer);
        record_remove_spool(directory, spool);
    }
    trace_free(trace);
    return status;
}

/* Nothing was recorded: the recorder knows why, or the program never called MPI_Init. */
static enum status fail_unrecorded(const char *directory, const char *spool, char *const *command, struct err *err)
{
    char path[RECORD_PATH_BYTES + 32], why[SPOOL_UNRECORDED_BYTES] = "";
    snprintf(path, sizeof path, "%s/" SPOOL_REACHED_NAME, spool);
    bool reached = access(path, F_OK) == 0;
    snprintf(path, sizeof path, "%s/" SPOOL_UNRECORDED_NAME, spool);
    struct input_file in;
    if (input_file_open_own(path, &in, NULL) == STATUS_OK) {
        why[input_file_read(&in, why, sizeof why - 1)] = '\0';
        TRY(input_file_close(&in, STATUS_OK, err));
    }
    record_remove_spool(directory, spool);
    if (!*why && !reached && command) record_why_unreached(command, why);
    if (*why) return err_set(err, STATUS_DATA, directory, NULL, "nothing was recorded: %s", why);
    return err_set(
        err, STATUS_DATA, directory, NULL,
        "nothing was recorded, expected a program that calls MPI_Init of a shared library with the ABI of MPICH, of Open MPI "
        "or of MPI-5.0");
}

static enum status pack_program(const char *directory, const char *spool, char *const *command, unsigned more,
                                const struct record_observer *observer, struct err *err)
{
    struct spool_misaligned found;
    struct err ignored;
    bool recorded;
    TRY(spool_find(spool, &recorded, err));
    if (!recorded) return fail_unrecorded(directory, spool, command, err);
    if (observer->misaligned && spool_find_misaligned(spool, &found, &ignored) == STATUS_OK && found.count > 0)
        observer->misaligned(observer->context, &found);
    enum status status = pack_spool(directory, spool, more, observer, err);
    if (status != STATUS_OK && observer->kept) observer->kept(observer->context, spool);
    return status;
}

enum status record_pack(const char *directory, const char *spool, char *const *command,
                        const struct record_observer *observer, struct err *err)
{
    char archive[RECORD_PATH_BYTES + 32], files[RECORD_PATH_BYTES + 32];
    unsigned more;
    TRY(record_count_worlds(spool, &more, err));
    enum status status = pack_program(directory, spool, command, more, observer, err);
    if (status == STATUS_OK) record_remove_worlds(directory);
    for (unsigned i = 1; i <= more; i++) {
        struct err other;
        record_world_path(directory, i, archive, sizeof archive);
        record_world_path(spool, i, files, sizeof files);
        enum status own = pack_program(archive, files, NULL, 0, observer, status == STATUS_OK ? err : &other);
        if (own != STATUS_OK && status != STATUS_OK && observer->failed) observer->failed(observer->context, &other);
        if (status == STATUS_OK) status = own;
    }
    rmdir(spool);
    return status;
}
