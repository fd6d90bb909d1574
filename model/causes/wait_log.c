#include "model/causes/wait_log.h"

#include <stdlib.h>

#include "common/external_sort.h"

struct wait_log {
    struct external_sort *runs;
};

void wait_log_free(struct wait_log *wait_log)
{
    if (!wait_log) return;
    external_sort_free(wait_log->runs);
    free(wait_log);
}

static int compare_rows(const void *one, const void *other)
{
    const struct wait_log_row *a = one, *b = other;
    if (a->until_ps != b->until_ps) return a->until_ps < b->until_ps ? 1 : -1;
    if (a->location != b->location) return a->location > b->location ? 1 : -1;
    if (a->from_ps != b->from_ps) return a->from_ps < b->from_ps ? 1 : -1;
    return (a->pattern < b->pattern) - (a->pattern > b->pattern);
}

enum status wait_log_new(struct temp_file *temp, struct wait_log **wait_log, struct err *err)
{
    struct wait_log *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = external_sort_new(temp, sizeof(struct wait_log_row), compare_rows, &made->runs, err);
    if (status == STATUS_OK)
        *wait_log = made;
    else
        wait_log_free(made);
    return status;
}

enum status wait_log_add(struct wait_log *wait_log, const struct wait_log_row *row, struct err *err)
{
    return external_sort_add(wait_log->runs, row, err);
}

enum status wait_log_turn(struct wait_log *wait_log, struct err *err)
{
    return external_sort_turn(wait_log->runs, err);
}

enum status wait_log_next(struct wait_log *wait_log, struct wait_log_row *row, bool *any, struct err *err)
{
    return external_sort_next(wait_log->runs, row, any, err);
}
