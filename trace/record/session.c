/* MPI_Init and MPI_Finalize: opening and closing the spool. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/record/handles.h"
#include "trace/record/record.h"

/* Cost of a recorded call outside the interval that is recorded, in picoseconds: of a real wrapper, with a message to
 * nobody, into a stream that is thrown away. The fastest of some batches, since everything slower was disturbed. */
static uint64_t measure_cost(const struct spool_header *header)
{
    enum { BATCHES = 10, CALLS = 200 };
    struct spool_tail *tail = calloc(1, sizeof *tail);
    struct rec_stream own = rec_out; /* this thread's: rec_own points to it */
    uint64_t best = UINT64_MAX;
    if (!tail) return 0;
    rec_stream_begin(&rec_out, tail, header);
    rec_out.settled_for = UINT64_MAX; /* no anchors between the calls */
    rec_depth = 0;
    bool functions = rec_functions;
    rec_functions = false;
    for (int batch = 0; batch < BATCHES; batch++) {
        rec_out.next = tail->records;
        uint64_t spent = rec_stamp();
        for (int i = 0; i < CALLS; i++) MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        spent = rec_stamp() - spent;
        for (const struct spool_record *at = tail->records; at < rec_out.next; at++)
            if (at->kind == SPOOL_EXIT) spent -= at->time - at[-1].time;
        if (spent < best) best = spent;
    }
    if (rec_cpu) rec_cpu_measure(tail->records, (size_t)(rec_out.next - tail->records));
    rec_functions = functions;
    rec_depth = 1;
    rec_out = own;
    free(tail);
    double per_s = header->ticks_per_s ? (double)header->ticks_per_s : 1e9;
    return (uint64_t)((double)best * 1e12 / per_s / CALLS);
}

static void define_identity(const struct spool_header *of_rank)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", host[256] = "", program[4096] = "", text[8192];
    int length = 0;
    PMPI_Get_library_version(library, &length);
    gethostname(host, sizeof host - 1);
    ssize_t linked = readlink("/proc/self/exe", program, sizeof program - 1);
    program[linked > 0 ? linked : 0] = '\0';
    char version[64] = "", device[64] = "";
    const char *at = strstr(library, "MPICH Version:");
    if (at) sscanf(at + strlen("MPICH Version:"), "%63s", version);
    at = strstr(library, "MPICH Device:");
    if (at) sscanf(at + strlen("MPICH Device:"), "%63s", device);
    const char *cache = getenv("UCX_RCACHE_ENABLE");
    int bytes =
        snprintf(text, sizeof text, "host=%s\nprogram=%s\nmpich_version=%s\nmpich_device=%s\nucx_rcache_enable=%s\n",
                 host, program, version, device, cache ? cache : "");
    struct spool_record head = {.kind = SPOOL_IDENTITY, .extra = (int64_t)measure_cost(of_rank)};
    rec_define_with(head, text, (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1, NULL, 0);
}

static void define_names(void)
{
    static const char calls[] =
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) "MPI_" #NAME "\n"
#include "trace/mpi_calls.def"
#undef MPI_CALL
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) #NAME "\n"
#include "trace/shmem_calls.def"
#undef SHMEM_CALL
#define THREAD_CALL(NAME, KIND, NEEDED, ALLOWED) #NAME "\n"
#include "trace/thread_calls.def"
#undef THREAD_CALL
        "";
    static const char ops[] =
#define TRACE_OP(NAME) "MPI_" #NAME "\n"
#include "trace/ops.def"
#undef TRACE_OP
        "";
    rec_define_with((struct spool_record){.kind = SPOOL_NAMES, .peer = SPOOL_NAMES_CALLS}, calls, sizeof calls - 1,
                    NULL, 0);
    rec_define_with((struct spool_record){.kind = SPOOL_NAMES, .peer = SPOOL_NAMES_OPS}, ops, sizeof ops - 1, NULL, 0);
}

/* Ticks per second are known from what has passed since the library was loaded. */
static void begin_ticks(struct spool_header *header, struct rec_call *init)
{
    const struct rec_anchor *before = &rec_loaded_at, now = rec_anchor_read();
    uint64_t rate = rec_anchor_rate(before, &now);
    if (rate == 0) {
        rec_ticks = false;
        header->base_ns = init->enter.time = before->ns;
        return;
    }
    header->clock = SPOOL_TICKS;
    header->ticks_per_s = rate;
    header->base_ticks = init->enter.time;
    header->base_ns = before->ns + (uint64_t)((double)(init->enter.time - before->ticks) * 1e9 / (double)rate);
}

void rec_opened(struct rec_call *rec)
{
    if (rec_state != REC_READY) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rec_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &rec_world);
    PMPI_Comm_group(MPI_COMM_WORLD, &rec_world_group);
    struct spool_header header = {.magic = SPOOL_MAGIC,
                                  .version = SPOOL_VERSION,
                                  .record_bytes = SPOOL_RECORD_BYTES,
                                  .chunk_records = SPOOL_CHUNK_RECORDS,
                                  .rank = (uint32_t)rec_rank,
                                  .world = (uint32_t)rec_world,
                                  .pid = (uint32_t)getpid(),
                                  .base_ns = rec->enter.time};
    if (rec_ticks) begin_ticks(&header, rec);
    errno = 0;
    const char *why = rec_stream_open(&rec_out, getenv("RMACAST_SPOOL"), &header);
    if (why) {
        rec_stop(why);
    } else {
        rec_state = REC_OPEN;
        rec_threads_begin(&header);
        define_names();
        rec_comm_find(MPI_COMM_WORLD);
        define_identity(&header);
        rec_modules_define();
        rec->entered = true;
        rec_functions_opened(rec->enter.time);
        rec_put(&rec->enter);
        rec_control_begin();
    }
    rec_clock_begin();
    rec->exit.time = rec_stamp();
}

void rec_finalizing(void)
{
    rec_modules_define();
}
