/* The offset of this rank's clock from rank 0's. Ranks that share rank 0's boot and time namespace share its
 * CLOCK_MONOTONIC. The others measure the offset by ping-pong with rank 0, one after another. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

enum { ROUNDS = 20, TAG = 1, IDENTITY_BYTES = 128 };

static MPI_Comm own = MPI_COMM_NULL; /* the recorder's own communicator, so that its messages never match the
                                        program's */
static int measures;                 /* this rank's clock is not rank 0's */
static int *measuring_ranks;         /* at rank 0 */

static void compare_clocks(void)
{
    char mine[IDENTITY_BYTES] = "", zero[IDENTITY_BYTES];
    const char *forced = rec_setting("RMACAST_CLOCK");
    char boot[64] = "", space[48] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "rce");
    if (file) {
        if (!fgets(boot, sizeof boot, file)) boot[0] = '\0';
        fclose(file);
    }
    if (readlink("/proc/self/ns/time", space, sizeof space - 1) < 0) space[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(mine, IDENTITY_BYTES, "%s %s", boot, space);
    memcpy(zero, mine, sizeof zero);
    PMPI_Comm_dup(rec_everyone, &own);
    PMPI_Bcast(zero, IDENTITY_BYTES, MPI_CHAR, 0, own);
    measures =
        rec_rank != 0 && (strcmp(mine, zero) != 0 || mine[0] == ' ' || (forced && strcmp(forced, "pingpong") == 0));
    if (rec_rank == 0) measuring_ranks = calloc((size_t)rec_world, sizeof *measuring_ranks);
    int ready = rec_rank != 0 || measuring_ranks != NULL;
    PMPI_Bcast(&ready, 1, MPI_INT, 0, own);
    if (ready)
        PMPI_Gather(&measures, 1, MPI_INT, measuring_ranks, 1, MPI_INT, 0, own);
    else
        measures = 0;
}

static void serve_rank(int rank)
{
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t now;
        PMPI_Recv(&now, 1, MPI_UINT64_T, rank, TAG, own, MPI_STATUS_IGNORE);
        now = rec_now();
        PMPI_Send(&now, 1, MPI_UINT64_T, rank, TAG, own);
    }
}

/* The round trip with the smallest duration bounds the offset best. */
static struct spool_clock measure_clock(void)
{
    struct spool_clock best = {.error_ns = INT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t sent = rec_now(), there = sent;
        PMPI_Send(&sent, 1, MPI_UINT64_T, 0, TAG, own);
        PMPI_Recv(&there, 1, MPI_UINT64_T, 0, TAG, own, MPI_STATUS_IGNORE);
        uint64_t back = rec_now(), middle = sent + (back - sent) / 2;
        int64_t error = (int64_t)(back - sent + 1) / 2;
        if (error >= best.error_ns) continue;
        best = (struct spool_clock){.local_ns = middle, .offset_ns = (int64_t)(there - middle), .error_ns = error};
    }
    return best;
}

static void sync_clocks(void)
{
    for (int rank = 1; rec_rank == 0 && measuring_ranks && rank < rec_world; rank++)
        if (measuring_ranks[rank]) serve_rank(rank);
    struct spool_clock clock = measures ? measure_clock() : (struct spool_clock){.local_ns = rec_now()};
    rec_define(SPOOL_CLOCK, 0, &clock, sizeof clock);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first: there every rank takes part, also one whose recording has
 * stopped, so that no rank waits for it in vain. */
static int sync_at_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    sync_clocks();
    return MPI_SUCCESS;
}

void rec_clock_begin(bool in_session)
{
    int keyval;
    compare_clocks();
    sync_clocks();
    bool any = measures;
    for (int rank = 0; rec_rank == 0 && measuring_ranks && rank < rec_world; rank++) any = any || measuring_ranks[rank];
    if (in_session) PMPI_Comm_free(&own);
    if (!any || in_session) return;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, sync_at_finalize, &keyval, NULL) == MPI_SUCCESS)
        PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}
