/* OpenSHMEM in foreign archives, as Score-P writes it (its sources, src/adapters/shmem): one region per function, the
 * window "All PEs" of all transfers, collectives on windows of the active sets, locks by address, no record at all for
 * quiet and fence. */
#include <string.h>

#include "trace/otf2/read.h"

static const struct {
    const char *name;
    enum mpi_call call;
} functions[] = {
#define SHMEM_DO(NAME, ROW, ...)         {#NAME, ID_##ROW},
#define SHMEM_GIVE(TYPE, NAME, ROW, ...) {#NAME, ID_##ROW},
#include "trace/record/shmem/shmem_functions.def"
#undef SHMEM_GIVE
#undef SHMEM_DO
    /* Declared by Score-P and by no library that is recorded here. */
    {"shmem_short_swap", ID_shmem_atomic_swap},
    {"shmem_swap", ID_shmem_atomic_swap},
    {"shmem_short_cswap", ID_shmem_atomic_compare_swap},
    {"shmem_short_fadd", ID_shmem_atomic_fetch_add},
    {"shmem_short_finc", ID_shmem_atomic_fetch_inc},
    {"shmem_short_add", ID_shmem_atomic_add},
    {"shmem_short_inc", ID_shmem_atomic_inc},
};

bool archive_shmem_function(const char *name, enum mpi_call *call)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0) continue;
        *call = functions[i].call;
        return true;
    }
    return false;
}

static int32_t operation_of(enum mpi_call call)
{
    switch (call) {
#define SHMEM_OP(ROW, OP) case ID_##ROW: return TRACE_OP_##OP;
#include "trace/record/shmem/shmem_ops.def"
#undef SHMEM_OP
    default: return TRACE_OP_UNKNOWN;
    }
}

static bool is_of_all(const struct archive_reader *reader, const struct archive_win *win)
{
    const struct archive_definitions *definitions = &reader->definitions;
    const struct archive_comm *comm = win->defined ? ARCHIVE_FIND(definitions, comms, win->comm) : NULL;
    const struct archive_group *members = comm ? ARCHIVE_FIND(definitions, groups, comm->group) : NULL;
    return members && members->paradigm == OTF2_PARADIGM_SHMEM && members->count == reader->trace->rank_count;
}

enum status archive_shmem_collective(struct archive_reader *reader, struct trace_call *call, uint32_t win,
                                     uint64_t sent, uint64_t received)
{
    const struct archive_win *of = ARCHIVE_FIND(&reader->definitions, wins, win);
    if (!of) return STATUS_OK;
    TRY(archive_comm_id(reader, of->comm, &call->handle));
    if (call->handle == TRACE_NONE) return STATUS_OK;
    uint32_t others = reader->trace->definitions.comms[call->handle].count - 1;
    switch (call_kind(call->call)) {
    case CALL_BCAST:
        call->peer = reader->trace->definitions.comms[call->handle].members[0];
        call->bytes = (int64_t)received;
        reader->assumed.shmem_root_count++;
        break;
    case CALL_ALLREDUCE:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV: call->bytes = others > 0 ? (int64_t)(sent / others) : 0; break;
    default: break;
    }
    return STATUS_OK;
}

enum status archive_shmem_lock(struct archive_reader *reader, struct trace_call *call, uint32_t win, uint64_t lock)
{
    uint64_t *number;
    TRY(archive_win_id(reader, win, &call->handle));
    if (reader->ours) {
        call->shmem.lock = (uint32_t)lock;
        return STATUS_OK;
    }
    TRY(map_put(&reader->locks, lock, reader->locks.count, &number, reader->err));
    call->primitive.object = (uint32_t)*number;
    return STATUS_OK;
}

enum status archive_shmem_finish(struct archive_reader *reader, struct trace_call *call)
{
    const struct call_row *row = call_row(call->call);
    int32_t id;
    if (row->allowed & F_OP) call->rma.op = operation_of(call->call);
    reader->assumed.shmem_wait_count += row->kind == CALL_SHMEM_WAIT;
    reader->assumed.shmem++;
    if (!(row->needed & F_WIN)) return STATUS_OK;
    /* The symmetric memory: the first window of all PEs. TRACE_NONE: there is none. */
    struct archive_definitions *definitions = &reader->definitions;
    id = TRACE_NONE;
    for (uint32_t i = 0; id == TRACE_NONE && i < definitions->wins.count; i++)
        if (is_of_all(reader, &definitions->wins.items[i]))
            TRY(archive_win_id(reader, definitions->wins.items[i].self, &id));
    if (id != TRACE_NONE) reader->trace->definitions.windows[id].flavor = 'h';
    if (call->handle == TRACE_NONE) call->handle = id;
    return STATUS_OK;
}
