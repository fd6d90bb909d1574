#include "model/waits/provisional.h"

#include <stdlib.h>
#include <string.h>

void provisional_clear(struct provisional *provisional)
{
    for (int c = 0; c < MPI_CALL_COUNT; c++) {
        free(provisional->severity_ps[c]);
        free(provisional->count[c]);
    }
    memset(provisional, 0, sizeof *provisional);
}

enum status provisional_reserve(struct provisional *provisional, enum mpi_call call, uint32_t ranks, struct err *err)
{
    if (!provisional->severity_ps[call]) provisional->severity_ps[call] = calloc((size_t)ranks + 1, sizeof(int64_t));
    if (!provisional->count[call]) provisional->count[call] = calloc((size_t)ranks + 1, sizeof(uint64_t));
    return provisional->severity_ps[call] && provisional->count[call] ? STATUS_OK : err_memory(err);
}

enum status provisional_add(struct provisional *provisional, const struct trace *trace, const struct finding *finding,
                            struct err *err)
{
    enum mpi_call call = trace_function(trace, finding->rank, finding->call);
    TRY(provisional_reserve(provisional, call, trace->rank_count, err));
    provisional->severity_ps[call][finding->rank] += finding->severity_ps;
    provisional->count[call][finding->rank]++;
    return STATUS_OK;
}

void provisional_withdraw(const struct provisional *provisional, struct totals *totals, struct wait_profile *profile)
{
    for (uint16_t c = 0; c < MPI_CALL_COUNT; c++) {
        if (!provisional->refuted[c] || !provisional->count[c]) continue;
        for (uint32_t r = 0; r < totals->rank_count; r++) {
            totals->severity_ps[PATTERN_WAIT_FOR_PROGRESS][r] -= provisional->severity_ps[c][r];
            totals->count[PATTERN_WAIT_FOR_PROGRESS][r] -= provisional->count[c][r];
            totals->in_kind_ps[call_kind((enum mpi_call)c)] -= provisional->severity_ps[c][r];
        }
        wait_profile_withdraw(profile, PATTERN_WAIT_FOR_PROGRESS, c);
    }
}
