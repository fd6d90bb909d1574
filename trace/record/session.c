/* MPI_Init and MPI_Finalize: opening and closing the spool. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/record/handles.h"
#include "trace/record/record.h"

/* Cost of what a wrapper does outside the interval that it records, in picoseconds: the fastest of some batches, since
 * everything slower was disturbed. The handle's lookup stands for the columns' work. */
static uint64_t measure_cost(void)
{
    enum { BATCHES = 10, CALLS = 200 };
    struct spool_tail *tail = malloc(sizeof *tail);
    uint64_t best = UINT64_MAX;
    if (!tail) return 0;
    memset(tail, 0, sizeof *tail);
    struct rec_stream scratch = {.file = -1, .tail = tail, .next = tail->records, .end = tail->records + SPOOL_CHUNK_RECORDS};
    for (int batch = 0; batch < BATCHES; batch++) {
        scratch.next = tail->records;
        uint64_t begin = rec_now(), inside = 0;
        for (int i = 0; i < CALLS; i++) {
            struct spool_record record = {.kind = SPOOL_ENTER, .time = rec_now()};
            uint64_t enter = record.time;
            rec_stream_put(&scratch, &record);
            record.time = rec_now();
            inside += record.time - enter;
            rec_stream_put(&scratch, &record);
        }
        uint64_t spent = rec_now() - begin;
        spent = spent > inside ? spent - inside : 0;
        if (spent < best) best = spent;
    }
    free(tail);
    return best * 1000 / CALLS;
}

static void define_identity(void)
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
    int bytes = snprintf(text, sizeof text, "host=%s\nprogram=%s\nmpich_version=%s\nmpich_device=%s\nucx_rcache_enable=%s\n", host,
                         program, version, device, cache ? cache : "");
    if (bytes > 0) rec_define(SPOOL_IDENTITY, 0, text, (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1);
}

static void define_names(void)
{
    static const char calls[] =
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) "MPI_" #NAME "\n"
#include "trace/mpi_calls.def"
#undef MPI_CALL
        "";
    static const char ops[] =
#define TRACE_OP(NAME) "MPI_" #NAME "\n"
#include "trace/ops.def"
#undef TRACE_OP
        "";
    rec_define_with((struct spool_record){.kind = SPOOL_NAMES, .peer = SPOOL_NAMES_CALLS}, calls, sizeof calls - 1, NULL, 0);
    rec_define_with((struct spool_record){.kind = SPOOL_NAMES, .peer = SPOOL_NAMES_OPS}, ops, sizeof ops - 1, NULL, 0);
}

void rec_opened(struct rec_call *rec)
{
    if (rec_state != REC_READY) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rec_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &rec_world);
    PMPI_Comm_group(MPI_COMM_WORLD, &rec_world_group);
    struct spool_header header = {.magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .record_bytes = SPOOL_RECORD_BYTES,
                                  .chunk_records = SPOOL_CHUNK_RECORDS, .rank = (uint32_t)rec_rank, .world = (uint32_t)rec_world,
                                  .pid = (uint32_t)getpid(), .base_ns = rec->enter.time, .cost_ps = measure_cost()};
    errno = 0;
    const char *why = rec_stream_open(&rec_out, getenv("RMACAST_SPOOL"), &header);
    if (why) {
        rec_stop(why);
    } else {
        rec_state = REC_OPEN;
        rec_mine = true;
        define_names();
        define_identity();
        rec_comm_find(MPI_COMM_WORLD);
        rec_modules_define();
        rec->entered = true;
        rec_put(&rec->enter);
    }
    rec_clock_begin();
    rec->exit.time = rec_now();
}

void rec_finalizing(void)
{
    rec_modules_define();
}
