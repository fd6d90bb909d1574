#include "platforms/probe/program/probe.h"

static void issue_put(int bytes)
{
    MPI_Put(source, bytes, MPI_BYTE, PARTNER, place[PARTNER], bytes, MPI_BYTE, window);
}

void issue_operation(enum probe_variant variant, int64_t bytes)
{
    int n = (int)bytes, doubles = n / 8;
    switch (variant) {
    case PROBE_VARIANT_PUT: issue_put(n); break;
    case PROBE_VARIANT_GET: MPI_Get(result, n, MPI_BYTE, PARTNER, place[PARTNER], n, MPI_BYTE, window); break;
    case PROBE_VARIANT_ACCUMULATE:
        MPI_Accumulate(source, doubles, MPI_DOUBLE, PARTNER, place[PARTNER], doubles, MPI_DOUBLE, MPI_SUM, window);
        break;
    case PROBE_VARIANT_GET_ACCUMULATE:
        MPI_Get_accumulate(source, doubles, MPI_DOUBLE, result, doubles, MPI_DOUBLE, PARTNER, place[PARTNER], doubles,
                           MPI_DOUBLE, MPI_SUM, window);
        break;
    case PROBE_VARIANT_FETCH_AND_OP: MPI_Fetch_and_op(source, result, MPI_LONG, PARTNER, place[PARTNER], MPI_SUM, window); break;
    case PROBE_VARIANT_COMPARE_AND_SWAP:
        MPI_Compare_and_swap(source, source, result, MPI_LONG, PARTNER, place[PARTNER], window);
        break;
    default: break;
    }
}

void hold_window(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, PARTNER, 0, window);
    issue_put(8);
    MPI_Win_flush(PARTNER, window);
}
