#include "trace/spool/read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/faults.h"
#include "trace/spool/reader.h"
#include "trace/spool/transport.h"

static enum status note_pauses(struct trace *trace, struct err *err)
{
    uint32_t ranks = 0;
    int64_t most_ps = 0;
    char text[UNITS_TEXT_BYTES];
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        int64_t paused_ps = trace->ranks[r].before_sum_ps[BEFORE_PAUSED];
        ranks += paused_ps > 0;
        if (paused_ps > most_ps) most_ps = paused_ps;
    }
    if (ranks == 0) return STATUS_OK;
    return trace_add_note(trace, err,
                          "%" PRIu32 " rank%s stopped the recording for a while, one of them for %s: what they did then is "
                          "unknown, and a replay takes none of it for computing",
                          ranks, units_plural(ranks), units_format_duration(units_s(most_ps), text));
}

/* Without the library that wraps the thread primitives a creation is recorded by the new thread, and takes no time. */
static bool wraps_primitives(const struct trace_rank *rank)
{
    for (size_t i = 0; i < rank->count; i++)
        if (call_is_thread(rank->calls[i].call) && (call_row(rank->calls[i].call)->needed & F_OBJECT) &&
            rank->calls[i].primitive.object < SPOOL_TEAM_OBJECTS)
            return true;
    for (size_t i = 0; i < rank->count; i++)
        if (call_kind(rank->calls[i].call) == CALL_THREAD_CREATE && rank->calls[i].exit_ps > rank->calls[i].enter_ps) return true;
    return false;
}

static bool has_openmp(const struct spool_rank *rank)
{
    static const char *const runtimes[] = {"libgomp", "libomp", "libiomp"};
    for (size_t m = 0; m < rank->module_count; m++) {
        const char *slash = strrchr(rank->modules[m].path, '/'), *name = slash ? slash + 1 : rank->modules[m].path;
        for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
            if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0) return true;
    }
    return false;
}

/* Where gaps of threads may hold waits that were not recorded. */
static enum status note_threads(const struct spool *spool, struct trace *trace, struct err *err)
{
    uint32_t unwrapped = 0, openmp = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (trace_thread_count(trace, r) == 1) continue;
        unwrapped += !wraps_primitives(&trace->ranks[r]);
        openmp += has_openmp(&spool->ranks[r]);
    }
    if (unwrapped > 0)
        TRY(trace_add_note(trace, err,
                           "threads of %" PRIu32 " rank%s may have waited for each other by mutexes, conditions or barriers: "
                           "that was not recorded and counts as computing or sleep, see record --threads",
                           unwrapped, units_plural(unwrapped)));
    if (openmp == 0) return STATUS_OK;
    return trace_add_note(trace, err,
                          "threads of %" PRIu32 " rank%s may have waited for each other by OpenMP's barriers, critical sections "
                          "or tasks: that is not recorded and counts as computing or sleep",
                          openmp, units_plural(openmp));
}

/* "MPICH 4.0.2 (ch4:ucx)" or "Open MPI 4.1.4", as the first rank that is there says; whether the ranks were on several hosts, and
 * what UCX was told to use, say by which transport. */
static enum status name_library(const struct spool *spool, struct trace *trace, struct err *err)
{
    static const char open_mpi[] = "Open MPI v";
    char name[128] = "", hosts[32] = "", text[400];
    const struct spool_rank *rank = spool->ranks;
    while (rank < spool->ranks + spool->world && !rank->present) rank++;
    if (rank == spool->ranks + spool->world) return STATUS_OK;
    if (rank->mpich_version && *rank->mpich_version)
        snprintf(name, sizeof name, "MPICH %.40s (%.40s)", rank->mpich_version, rank->mpich_device ? rank->mpich_device : "");
    else if (rank->library && strncmp(rank->library, open_mpi, sizeof open_mpi - 1) == 0)
        snprintf(name, sizeof name, "Open MPI %.*s", (int)strcspn(rank->library + sizeof open_mpi - 1, ","),
                 rank->library + sizeof open_mpi - 1);
    else if (rank->library)
        snprintf(name, sizeof name, "%.100s", rank->library);
    if (!*name) return STATUS_OK;
    if (trace->definitions.node_count > 1)
        snprintf(hosts, sizeof hosts, ", %zu hosts", trace->definitions.node_count);
    bool told = rank->tls && *rank->tls;
    snprintf(text, sizeof text, "%s%s%s%.100s", name, hosts, told ? ", UCX_TLS=" : "", told ? rank->tls : "");
    trace->provenance.library = strdup(text);
    return trace->provenance.library ? STATUS_OK : err_memory(err);
}

/* Names the transport by the settings of the first existing rank; a device for remote DMA may be on any host. */
static enum status name_transport(const struct spool *spool, struct trace *trace, struct err *err)
{
    const struct spool_rank *rank = spool->ranks;
    char text[SPOOL_TRANSPORT_BYTES];
    while (rank < spool->ranks + spool->world && !rank->present) rank++;
    if (rank == spool->ranks + spool->world || !rank->library) return STATUS_OK;
    bool ucx = rank->mpich_device && strstr(rank->mpich_device, "ucx"), open_mpi = strncmp(rank->library, "Open MPI", 8) == 0;
    if (!ucx && !open_mpi) return STATUS_OK;
    struct spool_transport told = {ucx ? rank->tls : rank->btl, false, trace->definitions.node_count, spool->world};
    for (uint32_t i = 0; i < spool->world; i++)
        told.rdma = told.rdma || (spool->ranks[i].rdma && strcmp(spool->ranks[i].rdma, "yes") == 0);
    if (!spool_transport_text(&told, text)) return STATUS_OK;
    trace->provenance.transport = strdup(text);
    return trace->provenance.transport ? STATUS_OK : err_memory(err);
}

enum { CORE_DIGITS = 256 };

/* "3" is cores 0 and 1. Longer texts are none of the recorder's. */
static void add_cores(const char *text, uint8_t digits[CORE_DIGITS])
{
    size_t length = strlen(text);
    for (size_t i = 0; length <= CORE_DIGITS && i < length; i++) {
        const char *known = "0123456789abcdef", *at = strchr(known, text[length - 1 - i]);
        if (at) digits[i] |= (uint8_t)(at - known);
    }
}

/* Counts the cores that any rank of a node may use. */
static enum status count_cores(const struct spool *spool, struct trace *trace, struct err *err)
{
    uint8_t(*cores)[CORE_DIGITS] = calloc(trace->definitions.node_count + 1, sizeof *cores);
    if (!cores) return err_memory(err);
    for (uint32_t r = 0; r < spool->world; r++)
        if (spool->ranks[r].cores) add_cores(spool->ranks[r].cores, cores[trace->ranks[r].node]);
    for (uint32_t r = 0; r < spool->world; r++)
        for (size_t i = 0; trace->ranks[r].node > 0 && i < CORE_DIGITS; i++)
            trace->ranks[r].cores += (uint32_t)__builtin_popcount(cores[trace->ranks[r].node][i]);
    free(cores);
    return STATUS_OK;
}

/* Between the calls of each thread of a rank, without sleep, waits for a core and pauses. */
static enum status sum_computing(const struct trace *trace, uint32_t number, double *computing_s, struct err *err)
{
    const struct trace_rank *rank = &trace->ranks[number];
    const struct trace_call **last = calloc(trace_thread_count(trace, number), sizeof *last);
    if (!last) return err_memory(err);
    *computing_s = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call **before = &last[trace_call_thread(trace, number, i)];
        int64_t ps = *before ? rank->calls[i].enter_ps - (*before)->exit_ps : 0;
        ps -= trace_before_ps(rank, BEFORE_SLEPT, i) + trace_before_ps(rank, BEFORE_CORE_WAIT, i) +
              trace_before_ps(rank, BEFORE_PAUSED, i);
        if (ps > 0) *computing_s += units_s(ps);
        *before = &rank->calls[i];
    }
    free(last);
    return STATUS_OK;
}

/* The share of the computing that its misses would take in a loop that does nothing but miss: docs/recording.md. */
static enum status take_misses(const struct spool *spool, struct trace *trace, struct err *err)
{
    for (uint32_t r = 0; r < spool->world; r++) {
        const struct spool_rank *from = &spool->ranks[r];
        double computing_s;
        if (!from->misses || !from->misses_per_s) continue;
        const double misses = strtod(from->misses, NULL), per_s = strtod(from->misses_per_s, NULL);
        if (!(misses >= 0 && per_s > 0)) continue;
        TRY(sum_computing(trace, r, &computing_s, err));
        if (!(computing_s > 0)) continue;
        trace->ranks[r].memory_bound = fmin(misses / per_s / computing_s, 1);
        trace->ranks[r].memory_known = true;
    }
    return STATUS_OK;
}

/* Processes that do not know the launcher's protocol take themselves for the only one. */
static enum status note_launcher(const struct spool *spool, struct trace *trace, struct err *err)
{
    const struct spool_rank *rank = spool->ranks;
    if (spool->world != 1 || !rank->present || rank->spawned || !rank->launched || !rank->launcher ||
        !trace->provenance.library)
        return STATUS_OK;
    const char *of = strstr(rank->launcher, " of ");
    if (!*rank->launcher || atoi(rank->launched) < 2) return STATUS_OK;
    if (of && strncmp(trace->provenance.library, of + 4, strlen(of + 4)) == 0) return STATUS_OK;
    return trace_add_note(trace, err,
                          SPOOL_FOREIGN_LAUNCHER ": %.40s started %d processes, each of which is alone in the world of %s%s",
                          rank->launcher, atoi(rank->launched), trace->provenance.library,
                          strcmp(rank->launcher, "srun") == 0 ? ": expected another srun --mpi=TYPE" : "");
}

/* Files that somebody has brought together may be of several runs. */
static enum status check_run(const struct spool *spool, struct err *err)
{
    const struct spool_rank *first = NULL;
    for (uint32_t i = 0; i < spool->world; i++) {
        const struct spool_rank *rank = &spool->ranks[i];
        if (!rank->run) continue;
        if (!first) first = rank;
        if (strcmp(rank->run, first->run) != 0)
            return err_set(err, STATUS_DATA, rank->main_name, NULL, "is of another run than %s", first->main_name);
    }
    return STATUS_OK;
}

static enum status read_all(struct spool *spool, struct trace *trace, struct err *err)
{
    TRY(spool_define(spool, trace, err));
    TRY(check_run(spool, err));
    spool_clock_begin(spool, trace);
    TRY(spool_events(spool, trace, err));
    for (uint32_t i = 0; i < spool->world; i++)
        if (spool->ranks[i].cost_ps > trace->provenance.record_cost_ps)
            trace->provenance.record_cost_ps = spool->ranks[i].cost_ps;
    TRY(spool_match(spool, trace, err));
    /* Adds notes: what no call says and a reader of the trace should know. */
    bool spawned = false;
    for (uint32_t i = 0; i < spool->world; i++) spawned = spawned || spool->ranks[i].spawned;
    if (spool->failed > 0)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64 " call%s returned an error and did nothing: regions NAME(failed), which take "
                           "part in no matching",
                           spool->failed, units_plural(spool->failed)));
    if (spool->apart > 0)
        TRY(trace_add_note(trace, err,
                           "%" PRIu64 " call%s with processes of other programs (MPI_Comm_spawn, MPI_Comm_connect): "
                           "regions, which take part in no matching",
                           spool->apart, units_plural(spool->apart)));
    TRY(note_pauses(trace, err));
    TRY(note_threads(spool, trace, err));
    if (spawned) TRY(trace_add_note(trace, err, "the program was started by MPI_Comm_spawn of another one"));
    TRY(name_library(spool, trace, err));
    TRY(name_transport(spool, trace, err));
    TRY(count_cores(spool, trace, err));
    TRY(take_misses(spool, trace, err));
    TRY(note_launcher(spool, trace, err));
    for (size_t i = 0; i < spool->unread_count; i++)
        if (spool->unread[i].rank < spool->world)
            TRY(trace_add_fault(trace, spool->unread[i].rank, 0, TRACE_UNKNOWN_PS, TRACE_FAULT_UNCOUNTED,
                                spool->unread[i].why, err));
    TRY(trace_fit_slept(trace, err));
    TRY(spool->keep_going ? trace_check_partly(trace, err) : trace_check(trace, err));
    TRY(clock_check(trace, spool->threads, err));
    return trace_fit_slept(trace, err); /* a repair shortens gaps */
}

enum status spool_read_by(unsigned threads, const char *directory, bool keep_going, struct trace **trace,
                          struct err *err)
{
    struct spool spool;
    struct trace *made = NULL;
    struct err own; /* its text is kept */
    if (!err) err = &own;
    TRY(spool_open(directory, threads, keep_going, &spool, err));
    enum status status = trace_new(directory, spool.world, &made, err);
    if (status == STATUS_OK) status = read_all(&spool, made, err);
    if (status == STATUS_OK)
        *trace = made;
    else
        trace_free(made);
    spool_close(&spool);
    return status;
}

enum status spool_read(const char *directory, struct trace **trace, struct err *err)
{
    return spool_read_by(0, directory, false, trace, err);
}

static bool rank_affected(const struct spool_rank *rank)
{
    return rank->present && rank->mpich_version && strncmp(rank->mpich_version, "4.0", 3) == 0 && rank->mpich_device &&
           strcmp(rank->mpich_device, "ch4:ucx") == 0 && !(rank->rcache && strncmp(rank->rcache, "n", 1) == 0);
}

enum status spool_find_misaligned(const char *directory, struct spool_misaligned *found, struct err *err)
{
    struct spool spool;
    struct trace *trace = NULL;
    TRY(spool_open(directory, 0, false, &spool, err));
    enum status status = trace_new(directory, spool.world, &trace, err);
    if (status == STATUS_OK) status = spool_define(&spool, trace, err);
    if (status == STATUS_OK) {
        *found = (struct spool_misaligned){0};
        for (size_t i = 0; i < spool.window_count; i++) {
            const struct spool_window_seen *window = &spool.windows[i];
            const struct trace_comm *comm = &trace->definitions.comms[window->comm];
            if (window->flavor != 'c') continue;
            for (uint32_t k = 0; k < comm->count; k++) {
                const struct spool_rank *rank = &spool.ranks[comm->members[k]];
                if (!window->known[k] || window->bytes[k] == 0 || window->base[k] % 16 == 0 || !rank_affected(rank))
                    continue;
                if (found->count++ > 0) continue;
                found->window = (int32_t)i;
                found->rank = (uint32_t)comm->members[k];
                found->base = window->base[k];
                snprintf(found->library, sizeof found->library, "MPICH %.20s (%.20s)", rank->mpich_version,
                         rank->mpich_device);
            }
        }
    }
    trace_free(trace);
    spool_close(&spool);
    return status;
}
