#include "report/placed_waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "common/text/json_text.h"
#include "model/waits/totals.h"

struct placed_wait placed_wait_of(const struct trace *trace, const struct wait *wait)
{
    const struct trace_call *call = &trace->ranks[wait->rank].calls[wait->call];
    struct placed_wait placed = {.from_ps = wait->from_ps,
                                 .until_ps = wait->until_ps,
                                 .severity_ps = wait->severity_ps,
                                 .call = -1,
                                 .cause_rank = wait->cause_rank,
                                 .rank = wait->rank,
                                 .thread = wait->thread,
                                 .pattern = wait->pattern};
    if (wait->until_ps > wait->from_ps) return placed;
    placed.from_ps = call->enter_ps;
    placed.until_ps = call->enter_ps + wait->severity_ps;
    placed.cause_rank = -1;
    return placed;
}

enum status placed_waits_add(struct placed_waits *waits, struct placed_wait wait, struct err *err)
{
    waits->found++;
    ARRAY_PUSH(waits->items, waits->count, waits->capacity, wait, err);
    return STATUS_OK;
}

ORDER(by_length, struct placed_wait, DOWN(severity_ps) UP(rank) UP(from_ps))

void placed_waits_keep_longest(struct placed_waits *waits, size_t most)
{
    if (waits->count > 0) qsort(waits->items, waits->count, sizeof *waits->items, by_length);
    if (waits->count > most) waits->count = most;
}

void placed_waits_clear(struct placed_waits *waits)
{
    free(waits->items);
    *waits = (struct placed_waits){0};
}

void placed_waits_write(const struct placed_waits *waits, int64_t begin_ps, FILE *out)
{
    fputs(",\"waits\":[", out);
    for (size_t i = 0; i < waits->count; i++) {
        const struct placed_wait *wait = &waits->items[i];
        fprintf(out, "%s[%" PRIu32 ",%u,%" PRId64 ",%" PRId64 ",%u,%" PRId64 ",%" PRId64 ",%" PRId64 "]", i ? "," : "",
                wait->rank, wait->thread, wait->from_ps - begin_ps, wait->until_ps - wait->from_ps, wait->pattern,
                wait->cause_rank, wait->severity_ps, wait->call);
    }
    fprintf(out, "],\"wait_count\":%zu,\"patterns\":[", waits->found);
    for (int p = 0; p < PATTERN_COUNT; p++) {
        if (p) fputc(',', out);
        json_text_write(out, pattern_row((enum pattern)p)->title);
    }
    fputc(']', out);
}
