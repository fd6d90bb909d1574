#include "model/waits/totals.h"

#include <stdlib.h>
#include <string.h>

static const struct pattern_row rows[PATTERN_COUNT] = {
#define PATTERN(ID, NAME, TITLE, PARENT, MEANING) {NAME, TITLE, PARENT, MEANING},
#include "model/waits/patterns.def"
#undef PATTERN
};

const struct pattern_row *pattern_row(enum pattern pattern)
{
    return &rows[pattern];
}

enum pattern pattern_of_write(enum mpi_call wait)
{
    return wait == ID_shmem_signal_wait_until ? PATTERN_LATE_SIGNAL : PATTERN_WAIT_FOR_WRITE;
}

enum pattern pattern_whole(enum pattern pattern)
{
    switch (pattern) {
    case PATTERN_LATE_COMPLETE: return PATTERN_EARLY_WAIT;
    case PATTERN_EARLY_FENCE: return PATTERN_WAIT_AT_FENCE;
    case PATTERN_WRONG_ORDER: return PATTERN_LATE_SENDER;
    default: return pattern;
    }
}

/* One block for all patterns: the pages of patterns that do not occur are never touched. */
enum status totals_init(struct totals *totals, uint32_t rank_count, struct err *err)
{
    size_t items = rank_count > 0 ? rank_count : 1;
    int64_t *block = calloc(2 * PATTERN_COUNT * items, sizeof *block);
    if (!block) return err_memory(err);
    *totals = (struct totals){.rank_count = rank_count};
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        totals->severity_ps[p] = block + 2 * p * items;
        totals->count[p] = (uint64_t *)(block + (2 * p + 1) * items);
    }
    return STATUS_OK;
}

void totals_clear(struct totals *totals)
{
    free(totals->severity_ps[0]);
    memset(totals, 0, sizeof *totals);
}

void totals_add(struct totals *totals, enum pattern pattern, uint32_t rank, int64_t severity_ps)
{
    if (severity_ps <= 0) return;
    totals->severity_ps[pattern][rank] += severity_ps;
    totals->count[pattern][rank]++;
}

void totals_add_in_kind(struct totals *totals, enum call_kind kind, enum pattern pattern, int64_t severity_ps)
{
    bool of_operation = pattern == PATTERN_WAIT_FOR_PROGRESS && call_arm(kind) == ARM_COMPLETION;
    totals->in_kind_ps[of_operation ? CALL_PUT : kind] += severity_ps;
}

wide_ps totals_severity_ps(const struct totals *totals, enum pattern pattern)
{
    wide_ps total = 0;
    for (uint32_t r = 0; r < totals->rank_count; r++) total += totals->severity_ps[pattern][r];
    return total;
}

uint64_t totals_count(const struct totals *totals, enum pattern pattern)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < totals->rank_count; r++) total += totals->count[pattern][r];
    return total;
}
