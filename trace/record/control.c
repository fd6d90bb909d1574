/* Which calls are recorded: all, those of some groups, or none while the program has stopped the recording. Calls that
 * make or free windows and communicators are always recorded, since later calls need them. */
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

uint8_t rec_off[REC_CALL_COUNT];
static uint8_t filtered[REC_CALL_COUNT]; /* the user's choice at the start */
bool rec_pausing;

/* Groups by kinds of calls, in the order of SPOOL_CALL_GROUPS. A kind that is in none is always recorded. */
static const char *const names[] = {SPOOL_CALL_GROUPS};
static const char *const groups[] = {
    " PUT GET ACCUMULATE GET_ACCUMULATE FENCE POST START COMPLETE WIN_WAIT WIN_TEST LOCK UNLOCK LOCK_ALL UNLOCK_ALL "
    "FLUSH "
    "FLUSH_LOCAL SYNC SHMEM_PUT SHMEM_PUT_NBI SHMEM_GET SHMEM_GET_NBI SHMEM_ATOMIC SHMEM_FETCH SHMEM_QUIET SHMEM_FENCE "
    "SHMEM_WAIT SHMEM_TEST SHMEM_SET_LOCK SHMEM_TEST_LOCK SHMEM_CLEAR_LOCK ",
    " SEND ISEND RECV IRECV SENDRECV PROBE IPROBE REQUEST_WAIT REQUEST_WAITALL REQUEST_TEST REQUEST_TESTALL "
    "REQUEST_QUERY ",
    " BARRIER SHMEM_BARRIER BCAST REDUCE ALLREDUCE GATHER SCATTER ALLGATHER ALLTOALL GATHERV SCATTERV ALLGATHERV "
    "ALLTOALLV "
    "REDUCE_SCATTER SCAN EXSCAN NEIGHBOR ",
    " LOCAL ",
};
enum { GROUPS = sizeof names / sizeof *names, LOCAL = GROUPS - 1 };
_Static_assert(sizeof groups == sizeof names, "a list of kinds for each name");

static int group_of_call(int call)
{
    static const char *const kinds[] = {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) " " #KIND " ",
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) " " #KIND " ",
#include "trace/calls/shmem_calls.def"
#undef SHMEM_CALL
    };
    int i = 0;
    while (i < GROUPS && !strstr(groups[i], kinds[call])) i++;
    return i;
}

/* Handles are followed through local calls that are not recorded: a freed group's handle comes again. */
static enum rec_off how_off(int group)
{
    return group == GROUPS ? REC_ON : group == LOCAL ? REC_QUIET : REC_SKIPPED;
}

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* An eighth of the disk's free space or of the machine's memory for all ranks: so the spool and its archive, four times as large
 * at most, fit on the disk, and a call that takes 16 bytes in the spool takes up to 100 bytes where it is read. */
static uint64_t usual_limit(void)
{
    struct statvfs disk;
    struct sysinfo machine;
    uint64_t on_disk = statvfs(rec_out.directory, &disk) == 0 ? disk.f_bavail * disk.f_frsize : 0;
    uint64_t in_memory = sysinfo(&machine) == 0 ? (uint64_t)machine.totalram * machine.mem_unit : 0;
    return (on_disk > 0 && on_disk < in_memory ? on_disk : in_memory) / 8 / (uint64_t)rec_world;
}

void rec_control_begin(void)
{
    const char *calls = rec_setting("RMACAST_CALLS"), *limit = rec_setting("RMACAST_LIMIT"), *off = rec_setting("RMACAST_PAUSED");
    rec_size.limit = limit ? strtoull(limit, NULL, 10) : usual_limit();
    for (int i = 0; calls && *calls && i < REC_CALL_COUNT; i++) {
        int group = group_of_call(i);
        if (group == GROUPS || is_listed(calls, names[group])) continue;
        rec_off[i] = filtered[i] = (uint8_t)how_off(group);
        rec_mark(SPOOL_FILTERED);
    }
    if (off && *off && *off != '0') rec_pause();
}

/* The event that it ends is the computing before it, or the time in which recording was stopped. */
static void put_pause(bool stops)
{
    rec_put(&REC_RECORD(SPOOL_PAUSE, .flags = stops ? SPOOL_STOPS : 0, .time = rec_stamp()));
}

void rec_pause(void)
{
    if (!rec_pausing) put_pause(true);
    rec_pausing = true;
    for (int i = 0; i < REC_CALL_COUNT; i++) rec_off[i] = (uint8_t)how_off(group_of_call(i));
}

bool rec_paused(void)
{
    return rec_pausing;
}

bool rec_resume(void)
{
    if (!rec_pausing) return false;
    put_pause(false);
    rec_pausing = false;
    memcpy(rec_off, filtered, sizeof rec_off);
    return true;
}
