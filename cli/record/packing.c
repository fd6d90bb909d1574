#include "cli/record/packing.h"

#include <inttypes.h>

#include "cli/cli.h"
#include "cli/terminal/activity.h"
#include "common/text/text.h"
#include "common/units.h"
#include "trace/steps.h"

static void warn_misaligned(void *context, const struct spool_misaligned *found)
{
    (void)context;
    cli_note("warning: window %" PRId32 " of rank %" PRIu32 " begins at %#" PRIx64
             ", not a multiple of 16: %s puts and gets at a "
             "wrong address there; use MPI_Win_allocate, align the memory, or set UCX_RCACHE_ENABLE=n",
             found->window, found->rank, found->base, found->library);
}

static void show_packing(void *context)
{
    (void)context;
    activity_begin("rmacast: waiting for the ranks, and packing");
}

/* Predictions take their computing from the recording. */
static void warn_disturbed(const struct record_packed *packed)
{
    const struct trace_core_waits *waits = &packed->core_waits;
    char waited[UNITS_TEXT_BYTES], mpi[UNITS_TEXT_BYTES], inside[UNITS_TEXT_BYTES];
    if (!packed->crowded && !waits->notable && !waits->mpi_notable) return;
    cli_note("warning: %s: disturbed: computing waited %s for a core, %.1f %% of the ranks' time; of %s in MPI %s without a "
             "core%s",
             packed->directory, units_format_duration(waits->waited_s, waited), 100 * waits->share,
             units_format_duration(waits->mpi_s, mpi), units_format_duration(waits->mpi_waited_s, inside),
             packed->crowded ? "; more ranks than cores on a node" : "");
}

static void say_packed(void *context, const struct record_packed *packed)
{
    struct packing *sums = context;
    sums->programs++;
    sums->ranks += packed->rank_count;
    sums->events += packed->call_count;
    sums->incomplete += packed->incomplete_count;
    if (packed->incomplete_count > 0)
        cli_note("warning: %s: %" PRIu32 " of %" PRIu32 " rank%s %s incomplete; rank %" PRIu32 ": %s", packed->directory,
                 packed->incomplete_count, packed->rank_count, units_plural(packed->rank_count),
                 packed->incomplete_count == 1 ? "is" : "are", packed->first_incomplete,
                 packed->incomplete_why ? packed->incomplete_why : "its recording breaks off");
    warn_disturbed(packed);
    if (packed->steps) cli_note("warning: %s: %s: " TRACE_STEPS_ADVICE, packed->directory, packed->steps);
    if (packed->foreign_launcher) cli_note("warning: %s", packed->foreign_launcher);
    cli_note("%" PRIu32 " rank%s, %zu event%s: %s/traces.otf2", packed->rank_count, units_plural(packed->rank_count),
             packed->call_count, units_plural(packed->call_count), packed->directory);
    cli_note("next: rmacast analyze %s", packed->directory);
}

static void say_kept(void *context, const char *spool)
{
    (void)context;
    activity_end();
    text_print(
        stderr,
        "rmacast: %s: the recording is kept, not packed; every command reads it, rmacast export --to otf2 -o DIR packs it\n",
        spool);
}

static void say_failed(void *context, const struct err *error)
{
    (void)context;
    activity_end();
    text_print(stderr, "rmacast: %s\n", error->text);
}

struct record_observer packing_observer(struct packing *sums)
{
    return (struct record_observer){.ended = show_packing,
                                    .misaligned = warn_misaligned,
                                    .packed = say_packed,
                                    .kept = say_kept,
                                    .failed = say_failed,
                                    .context = sums};
}

void packing_count(const struct packing *sums, struct written *written)
{
    written_count(written, "programs", sums->programs);
    written_count(written, "ranks", sums->ranks);
    written_count(written, "events", sums->events);
    written_count(written, "incomplete_ranks", sums->incomplete);
}
