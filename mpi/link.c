#include "mpi/link.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "common/array.h"

enum { TAG = 2, CHUNK = 1 << 30, PAUSE_NS = 20000, TRIES = 200 };

/* Libraries of MPI wait with all the processor has; who waits long lets the other processes of the machine work. */
static void wait_for(MPI_Request *request)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int done = 0;
    for (int tries = 0; !done; tries++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tries >= TRIES) nanosleep(&pause, NULL);
    }
}

static enum status add_request(struct mpi_link *link, MPI_Request **request, struct err *err)
{
    TRY(array_reserve(&link->requests, &link->request_capacity, link->request_count + 1, sizeof **request, err));
    *request = (MPI_Request *)link->requests + link->request_count++;
    return STATUS_OK;
}

/* In pieces that an int can count. */
static enum status begin_transfers(struct mpi_link *link, uint32_t process, const struct bytes *to, const struct bytes *from,
                         struct err *err)
{
    MPI_Request *request;
    for (uint64_t at = 0; at < link->from_bytes[process]; at += CHUNK) {
        uint64_t rest = link->from_bytes[process] - at;
        TRY(add_request(link, &request, err));
        MPI_Irecv(from->data + at, (int)(rest < CHUNK ? rest : CHUNK), MPI_BYTE, (int)process, TAG, MPI_COMM_WORLD,
                  request);
    }
    for (uint64_t at = 0; at < to->count; at += CHUNK) {
        uint64_t rest = to->count - at;
        TRY(add_request(link, &request, err));
        MPI_Isend(to->data + at, (int)(rest < CHUNK ? rest : CHUNK), MPI_BYTE, (int)process, TAG, MPI_COMM_WORLD,
                  request);
    }
    return STATUS_OK;
}

static enum status swap_all(struct mpi_link *link, const struct bytes *to, struct bytes *from, struct err *err)
{
    MPI_Request request;
    for (uint32_t p = 0; p < link->shards.count; p++) link->to_bytes[p] = p == link->shards.own ? 0 : to[p].count;
    MPI_Ialltoall(link->to_bytes, 1, MPI_UINT64_T, link->from_bytes, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for(&request);
    link->request_count = 0;
    for (uint32_t p = 0; p < link->shards.count; p++) {
        bytes_empty(&from[p]);
        TRY(array_reserve((void **)&from[p].data, &from[p].capacity, (size_t)link->from_bytes[p], 1, err));
        from[p].count = (size_t)link->from_bytes[p];
    }
    for (uint32_t p = 0; p < link->shards.count; p++)
        if (p != link->shards.own) TRY(begin_transfers(link, p, &to[p], &from[p], err));
    for (size_t i = 0; i < link->request_count; i++) wait_for((MPI_Request *)link->requests + i);
    return STATUS_OK;
}

static enum status swap_bytes(void *state, const struct bytes *to, struct bytes *from, struct err *err)
{
    struct mpi_link *link = state;
    link->swapped = true;
    enum status status = swap_all(link, to, from, err);
    if (status != STATUS_OK) link->broken = true;
    return status;
}

enum status link_init(struct mpi_link *link, struct err *err)
{
    int own, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *link = (struct mpi_link){.shards = {.own = (uint32_t)own, .count = (uint32_t)count, .state = link, .swap = swap_bytes}};
    link->to_bytes = calloc((size_t)count, sizeof *link->to_bytes);
    link->from_bytes = calloc((size_t)count, sizeof *link->from_bytes);
    return link->to_bytes && link->from_bytes ? STATUS_OK : err_memory(err);
}

void link_clear(struct mpi_link *link)
{
    free(link->to_bytes);
    free(link->from_bytes);
    free(link->requests);
    memset(link, 0, sizeof *link);
}
