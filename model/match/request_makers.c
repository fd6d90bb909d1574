#include "model/match/request_makers.h"

#include <string.h>

#include "model/waits/properties.h"

static bool is_noted(enum mpi_call call)
{
    enum property property = property_of(call_kind(call));
    return property == PROPERTY_COLLECTIVE || property == PROPERTY_BARRIER || property == PROPERTY_RMA_COMMUNICATION;
}

/* Requests of files have no numbers in the trace, so they share this key. It is never removed. */
#define FILE_REQUESTS TRACE_NO_REF

static enum status note_file_request(struct map *made, const struct trace_call *call, struct err *err)
{
    uint64_t *slot;
    if (strncmp(call_name((enum mpi_call)call->call), "MPI_File_i", strlen("MPI_File_i")) != 0) return STATUS_OK;
    return map_put(made, FILE_REQUESTS, call->call, &slot, err);
}

static enum status note_maker(struct map *made, const struct trace_call *call, struct err *err)
{
    uint64_t *slot;
    if (!is_noted((enum mpi_call)call->call)) { /* a number that is used again */
        if (made->count > 0) map_remove(made, call->ref);
        return STATUS_OK;
    }
    TRY(map_put(made, call->ref, call->call, &slot, err));
    *slot = call->call;
    return STATUS_OK;
}

enum status request_makers_look(struct map *made, const struct trace *trace, const struct trace_call *call,
                                enum mpi_call *as, struct err *err)
{
    enum call_kind kind = call_kind(call->call);
    bool list = kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL;
    *as = (enum mpi_call)call->call;
    if (call_is_io((enum mpi_call)call->call)) return note_file_request(made, call, err);
    if (call_makes_request((enum mpi_call)call->call)) return note_maker(made, call, err);
    if (made->count == 0 || (!list && kind != CALL_REQUEST_WAIT && kind != CALL_REQUEST_TEST)) return STATUS_OK;
    const uint32_t *ids = list ? trace->definitions.requests + trace->definitions.lists[call->completion.list].first
                               : &call->completion.request;
    uint32_t count = list ? trace->definitions.lists[call->ref].count : 1, found = 0;
    if (list ? count == 0 : *ids == TRACE_NO_REF) {
        const uint64_t *file = map_find(made, FILE_REQUESTS);
        if (file) *as = (enum mpi_call) * file;
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *maker = map_find(made, ids[i]);
        if (maker && found++ == 0) *as = (enum mpi_call) * maker;
    }
    if (found < count) *as = (enum mpi_call)call->call;
    bool open = kind == CALL_REQUEST_TEST && !(call->flags & TRACE_FLAG);
    for (uint32_t i = 0; !open && found > 0 && i < count; i++) map_remove(made, ids[i]);
    return STATUS_OK;
}
