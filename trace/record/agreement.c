/* Ranks may have different environments, and a recording needs collectives of its world: all ranks record, or none.
 *
 * A rank that LD_PRELOAD did not reach knows nothing of the recorder and goes on in its program. So no collective is called
 * before rank 0 has heard of all others: each sends it a message, is told that it was heard, and is told what holds for all.
 * Whoever hears nothing for PATIENCE_S decides that the other is not there. Rank 0 counts from the last rank that it heard of,
 * since ranks that share cores leave MPI_Init one after another. If rank 0 itself was not reached, the messages stay there. */
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/output/uncancelled.h"
#include "trace/record/preload/abi.h"
#include "trace/record/preload/library.h"
#include "trace/record/record.h"
#include "trace/record/settings.h"

#if defined MPI_ABI_VERSION
static const enum rec_abi own_abi = REC_ABI_STANDARD;
#elif defined OPEN_MPI
static const enum rec_abi own_abi = REC_ABI_OPEN_MPI;
#else
static const enum rec_abi own_abi = REC_ABI_MPICH;
#endif

enum { TAG = 32767 /* the largest that every library has */, PATIENCE_S = 60, PAUSE_US = 100 };
enum verdict { NOBODY, SOME, EVERYBODY, NOT_REACHED };

static uint64_t patience_ns(void)
{
    const char *set = rec_setting("RMACAST_PATIENCE_S");
    return (set && *set ? strtoull(set, NULL, 10) : PATIENCE_S) * UINT64_C(1000000000);
}

static bool is_there(MPI_Request *request)
{
    int flag = 0;
    PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static void tell_missing(int rank)
{
    char why[SPOOL_UNRECORDED_BYTES];
    snprintf(why, sizeof why,
             "LD_PRELOAD did not reach rank %d of %d, expected it in all ranks: env -i, a set-uid program, a container or a "
             "launcher that passes no environment on takes it away",
             rank, rec_world);
    if (!rec_tell_unrecorded(why)) rec_say("rmacast: nothing is recorded: %s\n", why);
}

/* At rank 0. mine: whether it is to record. count: the ranks that are to. */
static enum verdict hear_all(int mine, int *count)
{
    int *wanted = calloc((size_t)rec_world, sizeof *wanted), heard = 1, missing = 0;
    MPI_Request *requests = malloc((size_t)rec_world * sizeof *requests);
    if (!wanted || !requests) {
        free(requests);
        free(wanted);
        rec_say("rmacast: nothing is recorded: out of memory\n");
        return NOT_REACHED; /* the others wait in vain */
    }
    for (int i = 1; i < rec_world; i++) PMPI_Irecv(&wanted[i], 1, MPI_INT, i, TAG, rec_everyone, &requests[i]);
    *count = mine;
    for (uint64_t last = rec_now(); heard < rec_world && rec_now() - last < patience_ns(); rec_sleep_us(PAUSE_US))
        for (int i = 1; i < rec_world; i++) {
            if (requests[i] == MPI_REQUEST_NULL || !is_there(&requests[i])) continue;
            PMPI_Send(&mine, 1, MPI_INT, i, TAG, rec_everyone);
            *count += wanted[i];
            heard++;
            last = rec_now();
        }
    enum verdict verdict = heard < rec_world ? NOT_REACHED : *count == rec_world ? EVERYBODY : *count > 0 ? SOME : NOBODY;
    for (int i = 1, told = verdict; i < rec_world; i++) {
        if (requests[i] == MPI_REQUEST_NULL) {
            PMPI_Send(&told, 1, MPI_INT, i, TAG, rec_everyone);
            continue;
        }
        if (missing == 0) missing = i;
        PMPI_Cancel(&requests[i]);
        PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    if (missing) tell_missing(missing);
    free(requests);
    free(wanted);
    return verdict;
}

static enum verdict ask_first(int mine)
{
    MPI_Request sent, heard;
    int answer = 0;
    PMPI_Irecv(&answer, 1, MPI_INT, 0, TAG, rec_everyone, &heard);
    PMPI_Isend(&mine, 1, MPI_INT, 0, TAG, rec_everyone, &sent);
    bool there = is_there(&heard);
    for (uint64_t begin = rec_now(); !there && rec_now() - begin < patience_ns(); rec_sleep_us(PAUSE_US))
        there = is_there(&heard);
    if (!there) {
        PMPI_Cancel(&heard);
        PMPI_Wait(&heard, MPI_STATUS_IGNORE);
        PMPI_Request_free(&sent);
        tell_missing(0);
        return NOT_REACHED;
    }
    PMPI_Wait(&sent, MPI_STATUS_IGNORE);
    PMPI_Recv(&answer, 1, MPI_INT, 0, TAG, rec_everyone, MPI_STATUS_IGNORE);
    return (enum verdict)answer;
}

bool rec_agree(bool this_one)
{
    static bool agreed;
    if (agreed) return true;
    agreed = true;
    if (rec_abi_of(rec_library_next("PMPI_Init")) != own_abi) { /* where no dispatch has chosen this recorder */
        if (this_one) rec_refuse_library(rec_abi_file(rec_library_next("PMPI_Init")));
        return false;
    }
    int count = 0;
    PMPI_Comm_rank(rec_everyone, &rec_rank);
    PMPI_Comm_size(rec_everyone, &rec_world);
    enum verdict verdict = rec_rank == 0 ? hear_all(this_one, &count) : ask_first(this_one);
    if (verdict == SOME && rec_rank == 0)
        rec_say("rmacast: nothing is recorded: %d of %d ranks have RMACAST_SPOOL, expected all\n", count, rec_world);
    return verdict == EVERYBODY;
}
