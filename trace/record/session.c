/* MPI_Init and MPI_Finalize: opening and closing the spool. */
#include <dirent.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/output/guard.h"
#include "trace/record/output/uncancelled.h"
#include "trace/record/mpi/handles.h"
#include "trace/record/preload/library.h"
#include "trace/record/preload/python.h"
#include "trace/record/record.h"
#include "trace/record/settings.h"

/* The time of a batch of calls outside their recorded intervals, each from the stamp of an entry to that of the next
 * exit. */
static uint64_t time_outside(const uint64_t *words, const uint64_t *end, uint64_t spent)
{
    uint64_t before = 0;
    while (words < end) {
        unsigned pattern = SPOOL_HEAD_TEMPLATE(*words);
        uint64_t stamp = SPOOL_HEAD_STAMP(*words);
        if (pattern < REC_CALL_TEMPLATES && pattern % 2 == 1) spent -= (stamp - before) & SPOOL_HEAD_STAMP(UINT64_MAX);
        before = stamp;
        words += 1 + __builtin_popcount(SPOOL_HEAD_CHANGED(*words));
    }
    return spent;
}

/* The cost of a recorded call outside its recorded interval, in picoseconds. It is measured with a real wrapper, a
 * message to MPI_PROC_NULL and a buffer that is discarded. The fastest of several batches counts, since slower ones
 * were disturbed. */
static uint64_t measure_cost(const struct spool_header *header)
{
    enum { BATCHES = 10, CALLS = 200 };
    struct trial {
        struct rec_buffer buffer;
        struct spool_tail tail;
    } *trial = aligned_alloc(alignof(struct trial), sizeof *trial);
    uint64_t best = UINT64_MAX;
    if (!trial) return 0;
    rec_buffer_begin(&trial->buffer, &trial->tail, header);
    trial->buffer.final_for = UINT64_MAX; /* no anchors between the calls */
    rec_own = &trial->buffer;
    uintptr_t inside = rec_inside;
    rec_inside = 0;
    bool functions = rec_functions;
    rec_functions = false;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t *begin = trial->buffer.next = trial->tail.words + 1;
        uint64_t spent = rec_stamp();
        for (int i = 0; i < CALLS; i++) rec_own_send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, rec_everyone);
        spent = time_outside(begin, trial->buffer.next, rec_stamp() - spent);
        if (spent < best) best = spent;
    }
    if (rec_cpu) rec_cpu_measured();
    rec_functions = functions;
    rec_inside = inside;
    rec_own = &rec_out;
    free(trial);
    double per_s = header->ticks_per_s ? (double)header->ticks_per_s : 1e9;
    return (uint64_t)((double)best * 1e12 / per_s / CALLS);
}

/* The number of processes by the launcher's own environment variable. Where mpiexec uses another launcher beneath, it counts. */
static const char *launched_ranks(const char **by)
{
    static const struct {
        const char *variable, *launcher;
    } known[] = {{"OMPI_COMM_WORLD_SIZE", "mpiexec of Open MPI"},
                 {"PMI_SIZE", "mpiexec of MPICH"},
                 {"SLURM_STEP_NUM_TASKS", "srun"},
                 {"JSM_NAMESPACE_SIZE", "jsrun"},
                 {"FLUX_JOB_SIZE", "flux run"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *ranks = getenv(known[i].variable);
        *by = known[i].launcher;
        if (ranks) return ranks;
    }
    return *by = "";
}

/* Whether the host has a device for remote DMA. */
static bool has_rdma(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    bool has = false;
    for (struct dirent *entry; devices && !has && (entry = readdir(devices)) != NULL;) has = entry->d_name[0] != '.';
    if (devices) closedir(devices);
    return has;
}

static void define_identity(const struct spool_header *of_rank)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", host[256] = "", program[4096] = "", text[8192];
    int length = 0;
    PMPI_Get_library_version(library, &length);
    gethostname(host, sizeof host - 1);
    ssize_t linked = readlink("/proc/self/exe", program, sizeof program - 1);
    program[linked > 0 ? linked : 0] = '\0';
    char version[64] = "", device[64] = "", cores[REC_CORES_BYTES];
    rec_cores_text(cores);
    const char *at = strstr(library, "MPICH Version:");
    if (at) sscanf(at + strlen("MPICH Version:"), "%63s", version);
    at = strstr(library, "MPICH Device:");
    if (at) sscanf(at + strlen("MPICH Device:"), "%63s", device);
    library[strcspn(library, "\n")] = '\0';
    const char *launcher, *processes = launched_ranks(&launcher);
    const char *cache = getenv("UCX_RCACHE_ENABLE"), *transports = getenv("UCX_TLS"), *btl = getenv("OMPI_MCA_btl");
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    int bytes = snprintf(
        text, sizeof text,
        "host=%s\nprogram=%s\nlibrary=%s\nmpich_version=%s\nmpich_device=%s\nucx_rcache_enable=%s\nucx_tls=%s\n"
        "spawned=%s\ncores=%s\ncore_waits=%s\nlauncher=%s\nlaunched=%.20s\n"
        "openmpi_btl=%.200s\nrdma=%s\nrun=%" PRIx64 "\n",
        host, program, library, version, device, cache ? cache : "", transports ? transports : "",
        parent == MPI_COMM_NULL ? "no" : "yes", cores, rec_core_wait_known() ? "yes" : "no", launcher, processes,
        btl ? btl : "", has_rdma() ? "yes" : "no", rec_run());
    struct spool_record head = {.kind = SPOOL_IDENTITY, .extra = (int64_t)measure_cost(of_rank)};
    rec_define_with(head, text, (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1, NULL, 0);
}

static void define_names(void)
{
    static const char calls[] =
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) "MPI_" #NAME "\n"
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) #NAME "\n"
#include "trace/calls/shmem_calls.def"
#undef SHMEM_CALL
#define THREAD_CALL(NAME, KIND, NEEDED, ALLOWED) #NAME "\n"
#include "trace/calls/thread_calls.def"
#undef THREAD_CALL
        "";
    static const char ops[] =
#define TRACE_OP(NAME) "MPI_" #NAME "\n"
#include "trace/calls/ops.def"
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

static bool in_session; /* MPI_Session_init has opened the recording */
static int users;       /* sessions, and MPI_Init, that are not finalized */

static int declining; /* calls that initialise MPI, one inside another: of a binding, of another tool */
static bool asked;    /* all ranks have been asked whether they record, which one alone must not do later */

bool rec_decline_begin(void)
{
    return rec_state == REC_OFF && declining++ == 0;
}

/* The world of a program that has sessions only is not MPI_COMM_WORLD. While the program has a session, one more costs
 * nothing. */
static void begin_everyone(enum rec_call_id call)
{
    rec_everyone = MPI_COMM_WORLD;
#if MPI_VERSION >= 4
    MPI_Session own;
    MPI_Group group;
    if (call != REC_ID_Session_init) return;
    in_session = true;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
    PMPI_Group_from_session_pset(own, "mpi://WORLD", &group);
    PMPI_Comm_create_from_group(group, "rmacast", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &rec_everyone);
    PMPI_Group_free(&group);
    PMPI_Session_finalize(&own);
#else
    (void)call;
#endif
}

/* The handle stays that of the world in the tables until the library gives it to the program. */
static void end_everyone(void)
{
    MPI_Comm comm = rec_everyone;
    if (in_session) PMPI_Comm_free(&comm);
}

void rec_decline_end(bool initialised, enum rec_call_id call)
{
    declining = 0;
    if (!initialised) return;
    if (asked) {
        rec_note_later("those after MPI was initialised again");
        return;
    }
    asked = true;
    begin_everyone(call);
    rec_agree(false);
    end_everyone();
}

void rec_opened(struct rec_call *rec)
{
    users++;
    if (rec_state != REC_READY) return;
    asked = true;
    begin_everyone(rec->exit.call);
    if (!rec_agree(true)) {
        end_everyone();
        rec_state = REC_OFF;
        return;
    }
    PMPI_Comm_group(rec_everyone, &rec_world_group);
    struct spool_header header = {.magic = SPOOL_MAGIC,
                                  .version = SPOOL_VERSION,
                                  .unit_bytes = SPOOL_WORD_BYTES,
                                  .chunk_units = SPOOL_CHUNK_WORDS,
                                  .rank = (uint32_t)rec_rank,
                                  .world = (uint32_t)rec_world,
                                  .pid = (uint32_t)getpid(),
                                  .base_ns = rec->enter.time};
    if (rec_ticks) begin_ticks(&header, rec);
    const char *why = rec_spool_open(&header);
    if (why) {
        rec_stop(why);
    } else {
        rec_state = REC_OPEN;
        rec_guard();
        rec_guard_end();
        rec_layers_find();
        rec_core_wait_begin();
        rec_threads_begin(&header);
        define_names();
        rec_comm_find(rec_everyone);
        define_identity(&header);
        rec_modules_define();
        rec_python_opened(rec);
        rec->entered = true;
        rec_functions_opened(rec->enter.time);
        rec_put(&rec->enter);
        rec_core_wait_thread(&rec_out);
        rec_control_begin();
    }
    rec_clock_begin(in_session);
    end_everyone();
    if (rec_state == REC_OPEN) rec_misses_begin();
    rec->exit.time = rec_stamp();
}

void rec_initialising(struct rec_call *rec, bool session)
{
    if (rec_state == REC_OPEN && (session || in_session)) rec->quiet = true;
}

void rec_finalizing(struct rec_call *rec, bool session)
{
    users--;
    if (in_session ? users > 0 : session) rec->quiet = true;
    rec_modules_define();
    if (!rec->quiet) rec_misses_define();
}

/* shmem_finalize may leave MPI to the program. */
void rec_close_after(const struct rec_call *rec)
{
    int finalized = 0;
    if (rec->quiet) return;
    if (in_session || (PMPI_Finalized(&finalized) == MPI_SUCCESS && finalized)) rec_inside = REC_LAST;
    rec_put_anchor();
}
