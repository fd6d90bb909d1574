#include "model/waits/provisional.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void provisional_clear(struct provisional *provisional)
{
    for (int d = 0; d < DOUBT_COUNT; d++) {
        FREE_ALL(provisional->severity_ps[d], provisional->count[d]);
    }
    memset(provisional, 0, sizeof *provisional);
}

bool doubt_is_of_target(uint16_t doubt)
{
    return doubt >= DOUBT_TARGET && doubt < DOUBT_GROUP;
}

enum pattern doubt_pattern(uint16_t doubt)
{
    return doubt < DOUBT_TARGET ? PATTERN_WAIT_FOR_PROGRESS : PATTERN_EARLY_TRANSFER;
}

enum mpi_call doubt_function(uint16_t doubt)
{
    if (doubt < DOUBT_TARGET) return (enum mpi_call)(doubt - DOUBT_PROGRESS);
    return group_votes_function(doubt - (doubt < DOUBT_GROUP ? DOUBT_TARGET : DOUBT_GROUP));
}

enum status provisional_add(struct provisional *provisional, const struct trace *trace, const struct finding *finding,
                            struct err *err)
{
    int64_t **severity_ps = &provisional->severity_ps[finding->doubt];
    uint64_t **count = &provisional->count[finding->doubt];
    if (!*severity_ps) *severity_ps = calloc((size_t)trace->rank_count + 1, sizeof **severity_ps);
    if (!*count) *count = calloc((size_t)trace->rank_count + 1, sizeof **count);
    if (!*severity_ps || !*count) return err_memory(err);
    (*severity_ps)[finding->rank] += finding->severity_ps;
    (*count)[finding->rank]++;
    return STATUS_OK;
}

void provisional_decide(struct provisional *provisional)
{
    bool *of_target = &provisional->refuted[DOUBT_TARGET];
    group_votes_decide(&provisional->votes, of_target);
    for (int c = 0; c < GROUP_VOTE_CLASSES; c++) provisional->refuted[DOUBT_GROUP + c] = !of_target[c];
}

enum status provisional_end(const struct provisional *provisional, struct totals *totals, struct wait_profile *profile,
                            struct err *err)
{
    for (uint16_t d = DOUBT_PROGRESS; d < DOUBT_COUNT; d++) {
        if (provisional->refuted[d] || !provisional->count[d]) continue;
        enum pattern pattern = doubt_pattern(d);
        for (uint32_t r = 0; r < totals->rank_count; r++) {
            totals->severity_ps[pattern][r] += provisional->severity_ps[d][r];
            totals->count[pattern][r] += provisional->count[d][r];
            totals_add_in_kind(totals, call_kind(doubt_function(d)), pattern, provisional->severity_ps[d][r]);
        }
    }
    return wait_profile_end_doubts(profile, provisional->refuted, err);
}
