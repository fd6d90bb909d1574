#include "mpi/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "common/array.h"
#include "mpi/parcel.h"

enum { TAG_CALLS = 1, PARCELS_PER_RANK = 4, PAUSE_NS = 20000 };

struct exchange_share exchange_share_of(uint32_t rank_count, int process, int processes)
{
    if (processes == 1) return (struct exchange_share){0, rank_count};
    if (process == 0) return (struct exchange_share){0, 0};
    uint64_t place = (uint64_t)process - 1, others = (uint64_t)processes - 1;
    return (struct exchange_share){(uint32_t)(rank_count * place / others),
                                   (uint32_t)(rank_count * (place + 1) / others)};
}

/* Libraries of MPI wait with all the processor has; who has nothing to do lets the other processes of the machine work. */
static void pause_shortly(void)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
}

static int process_count(void)
{
    int processes;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return processes;
}

/* Process 0. */
struct waiting { /* parcels of one rank that came before they were asked for */
    struct parcel *items;
    size_t first, count, capacity;
};

struct exchange {
    struct trace_source archive; /* for the own ranks; its trace is the source's */
    struct waiting *waiting;     /* per rank */
    int *owner;                  /* per rank */
};

/* The next parcel of a process. */
static enum status receive(int process, struct parcel *parcel, struct err *err)
{
    MPI_Message message;
    MPI_Status about;
    int bytes, there = 0;
    while (!there) {
        MPI_Improbe(process, TAG_CALLS, MPI_COMM_WORLD, &there, &message, &about);
        if (!there) pause_shortly();
    }
    MPI_Get_count(&about, MPI_BYTE, &bytes);
    *parcel = (struct parcel){0};
    TRY(array_reserve((void **)&parcel->bytes, &parcel->capacity, (size_t)bytes, 1, err));
    parcel->count = (size_t)bytes;
    MPI_Mrecv(parcel->bytes, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return STATUS_OK;
}

/* A failure belongs to whatever is asked for. */
static enum status next_parcel(struct exchange *exchange, uint32_t rank, struct parcel *parcel, struct err *err)
{
    struct waiting *own = &exchange->waiting[rank];
    if (own->first < own->count) {
        *parcel = own->items[own->first++];
        if (own->first == own->count) own->first = own->count = 0;
        return STATUS_OK;
    }
    for (;;) {
        TRY(receive(exchange->owner[rank], parcel, err));
        uint32_t of = parcel_rank(parcel);
        if (of == rank || of == UINT32_MAX) return STATUS_OK;
        struct waiting *other = &exchange->waiting[of];
        ARRAY_PUSH(other->items, other->count, other->capacity, *parcel, err);
    }
}

static enum status read_exchange(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct exchange *exchange = source->state;
    struct parcel parcel = {0};
    if (exchange->owner[rank] == 0) return exchange->archive.read(&exchange->archive, rank, calls, ended, err);
    TRY(next_parcel(exchange, rank, &parcel, err));
    enum status status = parcel_unpack(&parcel, source->trace, ended, err);
    parcel_clear(&parcel);
    return status;
}

static enum status moved_exchange(struct trace_source *source, uint32_t rank, const size_t *moved, struct err *err)
{
    struct exchange *exchange = source->state;
    if (exchange->owner[rank] != 0) return STATUS_OK;
    return exchange->archive.moved(&exchange->archive, rank, moved, err);
}

static void close_exchange(struct trace_source *source)
{
    struct exchange *exchange = source->state;
    for (uint32_t r = 0; exchange->waiting && r < source->trace->rank_count; r++) {
        struct waiting *waiting = &exchange->waiting[r];
        for (size_t i = waiting->first; i < waiting->count; i++) parcel_clear(&waiting->items[i]);
        free(waiting->items);
    }
    free(exchange->waiting);
    free(exchange->owner);
    source_close(&exchange->archive);
    source->trace = NULL; /* was the archive's */
    free(exchange);
}

enum status exchange_source(struct trace_source *archive, struct trace_source *source, struct err *err)
{
    int processes = process_count();
    uint32_t rank_count = archive->trace->rank_count;
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return err_memory(err);
    exchange->archive = *archive;
    *archive = (struct trace_source){0};
    *source = (struct trace_source){.trace = exchange->archive.trace,
                                    .state = exchange,
                                    .read = read_exchange,
                                    .moved = moved_exchange,
                                    .close = close_exchange};
    exchange->waiting = calloc((size_t)rank_count + 1, sizeof *exchange->waiting);
    exchange->owner = calloc((size_t)rank_count + 1, sizeof *exchange->owner);
    if (!exchange->waiting || !exchange->owner) {
        source_close(source);
        return err_memory(err);
    }
    for (int p = 0; p < processes; p++) {
        struct exchange_share share = exchange_share_of(rank_count, p, processes);
        for (uint32_t r = share.first; r < share.end; r++) exchange->owner[r] = p;
    }
    return STATUS_OK;
}

/* The other processes. */
struct server {
    struct trace_source *archive;
    struct exchange_share share;
    size_t calls;
    int64_t *read_ps; /* per rank: how far it was read */
    bool *ended;
    struct parcel *parcels; /* a slice's worth: while process 0 looks at one, the next one is read */
    MPI_Request *requests;  /* of the parcels underway */
    size_t underway, next;
    size_t *moved;
    size_t moved_capacity;
    struct err *err;
};

static void wait_for(MPI_Request *request)
{
    int done = 0;
    while (!done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done) pause_shortly();
    }
}

/* A place for the next parcel; what it held has been received. */
static struct parcel *free_parcel(struct server *server)
{
    wait_for(&server->requests[server->next]);
    return &server->parcels[server->next];
}

/* Synchronous: process 0 never holds more than what is underway. */
static enum status send_parcel(struct server *server, const struct parcel *parcel)
{
    if (parcel->count > INT32_MAX)
        return err_set(server->err, STATUS_SYSTEM, server->archive->trace->name, NULL,
                       "more than 2 GiB of calls at a time, expected less");
    MPI_Issend(parcel->bytes, (int)parcel->count, MPI_BYTE, 0, TAG_CALLS, MPI_COMM_WORLD,
               &server->requests[server->next]);
    server->next = (server->next + 1) % server->underway;
    return STATUS_OK;
}

/* Calls whose content is complete: a receive's comes with its completion. */
static size_t complete_calls(const struct trace_rank *stream)
{
    size_t i = 0;
    while (i < stream->count &&
           (call_kind(stream->calls[i].call) != CALL_IRECV || stream->calls[i].handle != TRACE_NONE))
        i++;
    return i;
}

/* Lists of what stays, in a new table. */
static enum status move_lists(struct server *server)
{
    struct trace *trace = server->archive->trace;
    struct trace_list *lists = trace->lists;
    uint32_t *requests = trace->requests;
    enum status status = STATUS_OK;
    trace->lists = NULL;
    trace->requests = NULL;
    trace->list_count = trace->list_capacity = trace->request_count = trace->request_capacity = 0;
    for (uint32_t r = server->share.first; r < server->share.end; r++)
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++) {
            struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if (kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) continue;
            struct trace_list list = lists[call->ref];
            status = trace_add_list(trace, requests + list.first, list.count, &call->ref, server->err);
        }
    free(lists);
    free(requests);
    return status;
}

static enum status drop_calls(struct server *server, uint32_t rank, size_t count)
{
    struct trace_rank *stream = &server->archive->trace->ranks[rank];
    TRY(array_reserve((void **)&server->moved, &server->moved_capacity, stream->count + 1, sizeof *server->moved,
                      server->err));
    for (size_t i = 0; i < stream->count; i++) server->moved[i] = i < count ? SOURCE_GONE : i - count;
    TRY(server->archive->moved(server->archive, rank, server->moved, server->err));
    size_t rest = stream->count - count;
    memmove(stream->calls, stream->calls + count, rest * sizeof *stream->calls);
    if (stream->sim) memmove(stream->sim, stream->sim + count, rest * sizeof *stream->sim);
    stream->count = rest;
    stream->first_event += count;
    return server->archive->trace->list_count > (1 << 16) ? move_lists(server) : STATUS_OK;
}

/* The rank that is least far is read on, as process 0 asks for them. */
static uint32_t least_far(const struct server *server)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t r = server->share.first; r < server->share.end; r++)
        if (!server->ended[r] && (least == UINT32_MAX || server->read_ps[r] < server->read_ps[least])) least = r;
    return least;
}

static enum status serve_rank(struct server *server, uint32_t rank)
{
    struct trace *trace = server->archive->trace;
    const struct trace_rank *stream = &trace->ranks[rank];
    size_t ready = 0;
    while (ready == 0 && !server->ended[rank]) {
        TRY(server->archive->read(server->archive, rank, server->calls, &server->ended[rank], server->err));
        ready = server->ended[rank] ? stream->count : complete_calls(stream);
    }
    if (ready > 0) server->read_ps[rank] = stream->calls[ready - 1].exit_ps;
    struct parcel *parcel = free_parcel(server);
    TRY(parcel_pack(parcel, trace, rank, ready, server->ended[rank], server->err));
    TRY(send_parcel(server, parcel));
    return drop_calls(server, rank, ready);
}

static enum status serve(struct server *server)
{
    size_t ranks = (size_t)server->archive->trace->rank_count + 1;
    server->read_ps = malloc(ranks * sizeof *server->read_ps);
    server->ended = calloc(ranks, sizeof *server->ended);
    if (!server->read_ps || !server->ended) return err_memory(server->err);
    for (size_t r = 0; r < ranks; r++) server->read_ps[r] = INT64_MIN;
    for (uint32_t rank; (rank = least_far(server)) != UINT32_MAX;) TRY(serve_rank(server, rank));
    return STATUS_OK;
}

static enum status tell_failure(struct server *server, enum status failure)
{
    struct err ignored;
    struct parcel *parcel = free_parcel(server);
    TRY(parcel_pack_failure(parcel, failure, server->err->text, &ignored));
    return send_parcel(server, parcel);
}

enum status exchange_serve(struct trace_source *archive, size_t calls, struct err *err)
{
    int process;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    struct server server = {.archive = archive, .calls = calls, .err = err};
    server.share = exchange_share_of(archive->trace->rank_count, process, process_count());
    server.underway = PARCELS_PER_RANK * (size_t)(server.share.end - server.share.first) + 1;
    server.parcels = calloc(server.underway, sizeof *server.parcels);
    server.requests = malloc(server.underway * sizeof *server.requests);
    if (!server.parcels || !server.requests) server.underway = 0;
    for (size_t i = 0; i < server.underway; i++) server.requests[i] = MPI_REQUEST_NULL;
    enum status status = server.underway > 0 ? serve(&server) : err_memory(err);
    if (status != STATUS_OK && server.underway > 0) tell_failure(&server, status);
    for (size_t i = 0; i < server.underway; i++) {
        wait_for(&server.requests[i]);
        parcel_clear(&server.parcels[i]);
    }
    free(server.parcels);
    free(server.requests);
    free(server.read_ps);
    free(server.ended);
    free(server.moved);
    source_close(archive);
    return status;
}
