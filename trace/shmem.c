/* trace_check_no_shmem() of trace/trace.h: refuses traces of OpenSHMEM, for what cannot read them. */
#include "trace/trace.h"

enum status trace_check_no_shmem(const struct trace *trace, const char *what, struct err *err)
{
    char place[TRACE_PLACE_BYTES];
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++)
            if (call_is_shmem(trace->ranks[rank].calls[i].call))
                return err_set(err, STATUS_DATA, trace->name, trace_place(trace, rank, i, place),
                               "an OpenSHMEM routine, expected MPI only for %s", what);
    return STATUS_OK;
}
