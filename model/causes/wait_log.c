#include "model/causes/wait_log.h"

#include <stdlib.h>

#include "common/external_sort.h"

struct marks {
    struct runs *runs;
};

void marks_free(struct marks *marks)
{
    if (!marks) return;
    runs_free(marks->runs);
    free(marks);
}

static int compare(const void *one, const void *other)
{
    const struct mark *a = one, *b = other;
    if (a->until_ps != b->until_ps) return a->until_ps < b->until_ps ? 1 : -1;
    if (a->rank != b->rank) return a->rank > b->rank ? 1 : -1;
    if (a->from_ps != b->from_ps) return a->from_ps < b->from_ps ? 1 : -1;
    return (a->pattern < b->pattern) - (a->pattern > b->pattern);
}

enum status marks_new(struct scratch *scratch, struct marks **marks, struct err *err)
{
    struct marks *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = runs_new(scratch, sizeof(struct mark), compare, &made->runs, err);
    if (status == STATUS_OK)
        *marks = made;
    else
        marks_free(made);
    return status;
}

enum status marks_add(struct marks *marks, const struct mark *mark, struct err *err)
{
    return runs_add(marks->runs, mark, err);
}

enum status marks_turn(struct marks *marks, struct err *err)
{
    return runs_turn(marks->runs, err);
}

enum status marks_next(struct marks *marks, struct mark *mark, bool *any, struct err *err)
{
    return runs_next(marks->runs, mark, any, err);
}
