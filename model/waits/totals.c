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

enum pattern pattern_whole(enum pattern pattern)
{
    switch (pattern) {
    case PATTERN_LATE_COMPLETE: return PATTERN_EARLY_WAIT;
    case PATTERN_EARLY_FENCE: return PATTERN_WAIT_AT_FENCE;
    case PATTERN_WRONG_ORDER: return PATTERN_LATE_SENDER;
    default: return pattern;
    }
}

/* One block for all: the pages of patterns that do not occur are never touched. */
enum status account_init(struct account *account, uint32_t rank_count, struct err *err)
{
    size_t items = rank_count > 0 ? rank_count : 1;
    int64_t *block = calloc(2 * PATTERN_COUNT * items, sizeof *block);
    if (!block) return err_memory(err);
    *account = (struct account){.rank_count = rank_count};
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        account->severity_ps[p] = block + 2 * p * items;
        account->count[p] = (uint64_t *)(block + (2 * p + 1) * items);
    }
    return STATUS_OK;
}

void account_clear(struct account *account)
{
    free(account->severity_ps[0]);
    memset(account, 0, sizeof *account);
}

void account_add(struct account *account, enum pattern pattern, uint32_t rank, int64_t severity_ps)
{
    if (severity_ps <= 0) return;
    account->severity_ps[pattern][rank] += severity_ps;
    account->count[pattern][rank]++;
}

wide_ps account_total_ps(const struct account *account, enum pattern pattern)
{
    wide_ps total = 0;
    for (uint32_t r = 0; r < account->rank_count; r++) total += account->severity_ps[pattern][r];
    return total;
}

uint64_t account_total_count(const struct account *account, enum pattern pattern)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < account->rank_count; r++) total += account->count[pattern][r];
    return total;
}
