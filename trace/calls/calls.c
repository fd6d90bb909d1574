#include "trace/calls/calls.h"

#include <string.h>

const struct call_kind_row call_kind_rows[CALL_KIND_COUNT] = {
#define CALL_KIND(NAME, ARM, BUFFERS, WORKS_ON, DOES) {ARM_##ARM, BUFFERS_##BUFFERS, OBJECT_##WORKS_ON, CALL_##DOES},
#include "trace/calls/call_kinds.def"
#undef CALL_KIND
};

const struct call_row call_rows[MPI_CALL_COUNT + 1] = {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    {"MPI_" #NAME, CALL_##KIND, (NEEDED), (NEEDED) | (ALLOWED) | F_SITE},
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define THREAD_CALL(NAME, KIND, NEEDED, ALLOWED) {#NAME, CALL_##KIND, (NEEDED), (NEEDED) | (ALLOWED) | F_SITE},
#include "trace/calls/thread_calls.def"
#undef THREAD_CALL
#define SHMEM_CALL(NAME, KIND, NEEDED, ALLOWED) {#NAME, CALL_##KIND, (NEEDED), (NEEDED) | (ALLOWED) | F_SITE},
#include "trace/calls/shmem_calls.def"
#undef SHMEM_CALL
    {"enter", CALL_REGION_ENTER, F_REGION, F_REGION},
    {"leave", CALL_REGION_LEAVE, F_REGION, F_REGION},
    {NULL, CALL_LOCAL, 0, 0},
};

static const char *const field_keys[CALL_FIELD_COUNT] = {
#define CALL_FIELD(NAME, KEY, MEMBER, NOTATION) KEY,
#include "trace/calls/call_fields.def"
#undef CALL_FIELD
};

bool call_makes_own_comm(enum mpi_call call)
{
    return call == ID_Comm_create_group || call == ID_Comm_create_from_group || call == ID_Intercomm_create ||
           call == ID_Intercomm_create_from_groups;
}

bool call_makes_request(enum mpi_call call)
{
    const struct call_row *row = &call_rows[call];
    return (row->needed & F_REQ) && call_arm(row->kind) != ARM_COMPLETION;
}

bool call_is_shmem(enum mpi_call call)
{
    return call >= SHMEM_CALL_FIRST && call < ID_region_enter;
}

bool call_moves(enum mpi_call call)
{
    return call_arm(call_rows[call].kind) == ARM_RMA;
}

bool call_puts_signal(enum mpi_call call)
{
    return call == ID_shmem_put_signal || call == ID_shmem_put_signal_nbi || call == ID_shmem_put_signal_req;
}

bool call_is_quiet(enum mpi_call call)
{
    enum call_kind kind = call_rows[call].kind;
    return kind == CALL_SHMEM_QUIET || kind == CALL_SHMEM_BARRIER || kind == CALL_SHMEM_CLEAR_LOCK ||
           (kind == CALL_FINALIZE && call_is_shmem(call));
}

enum call_kind call_operation(enum call_kind kind)
{
    switch (kind) {
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_PUT_NBI: return CALL_PUT;
    case CALL_SHMEM_GET:
    case CALL_SHMEM_GET_NBI: return CALL_GET;
    case CALL_SHMEM_ATOMIC: return CALL_ACCUMULATE;
    case CALL_SHMEM_FETCH: return CALL_GET_ACCUMULATE;
    default: return kind;
    }
}

const char *call_name(enum mpi_call call)
{
    assert(call < MPI_CALL_COUNT);
    return call_rows[call].name;
}

bool call_is_io(enum mpi_call call)
{
    static const char prefix[] = "MPI_File_";
    return strncmp(call_name(call), prefix, sizeof prefix - 1) == 0;
}

bool call_by_name(const char *name, enum mpi_call *call)
{
    for (int i = 0; i < ID_region_enter; i++) {
        if (strcmp(call_rows[i].name, name) != 0) continue;
        *call = (enum mpi_call)i;
        return true;
    }
    return false;
}

const char *call_field_key(enum call_field field)
{
    return field_keys[field];
}
