/* The one-sided operations that the probe tries (platforms/probe/program/probe.h). */
#include "platforms/probe/program/probe.h"

void issue_into(MPI_Win into, MPI_Aint disp, enum probe_variant variant, int64_t bytes)
{
    int n = (int)bytes, doubles = n / 8;
    switch (variant) {
    case PROBE_VARIANT_PUT: MPI_Put(source, n, MPI_BYTE, PARTNER, disp, n, MPI_BYTE, into); break;
    case PROBE_VARIANT_GET: MPI_Get(result, n, MPI_BYTE, PARTNER, disp, n, MPI_BYTE, into); break;
    case PROBE_VARIANT_ACCUMULATE:
        MPI_Accumulate(source, doubles, MPI_DOUBLE, PARTNER, disp, doubles, MPI_DOUBLE, MPI_SUM, into);
        break;
    case PROBE_VARIANT_GET_ACCUMULATE:
        MPI_Get_accumulate(source, doubles, MPI_DOUBLE, result, doubles, MPI_DOUBLE, PARTNER, disp, doubles,
                           MPI_DOUBLE, MPI_SUM, into);
        break;
    case PROBE_VARIANT_FETCH_AND_OP: MPI_Fetch_and_op(source, result, MPI_LONG, PARTNER, disp, MPI_SUM, into); break;
    case PROBE_VARIANT_COMPARE_AND_SWAP:
        MPI_Compare_and_swap(source, source, result, MPI_LONG, PARTNER, disp, into);
        break;
    default: break;
    }
}

void issue_operation(enum probe_variant variant, int64_t bytes)
{
    issue_into(window, place[PARTNER], variant, bytes);
}

void hold_window(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, PARTNER, 0, window);
    issue_operation(PROBE_VARIANT_PUT, 8);
    MPI_Win_flush(PARTNER, window);
}
