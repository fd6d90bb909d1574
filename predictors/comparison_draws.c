#include "predictors/comparison_draws.h"

#include <stdlib.h>
#include <string.h>


/* The row has no result any more. */
static enum status fail_row(struct comparison *comparison, size_t row, const char *why, struct err *err)
{
    result_free(comparison->results[row]);
    comparison->results[row] = NULL;
    comparison->failures[row] = strdup(why);
    return comparison->failures[row] ? STATUS_OK : err_memory(err);
}

enum status comparison_draws_run(const struct trace *trace, const struct comparison_row *rows,
                                 const struct draws_request *request, struct comparison *comparison, struct draws *draws,
                                 struct err *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < comparison->count; i++) {
        struct draws_request asked = *request;
        struct err why;
        const struct rewrite *rewrite = rows[i].rewrite;
        draws[i] = (struct draws){.count = 0};
        if (!comparison->results[i]) continue;
        asked.row = rows[i].name;
        asked.keep_going = rows[i].keep_going;
        asked.recording = rows[i].recording;
        if (asked.progress) asked.progress_contexts += i * asked.count;
        const struct trace *rewritten = rewrite && rewrite->trace ? rewrite->trace : trace;
        enum status drawn = draws_run(rewritten, rows[i].platform, &asked, &draws[i], &why);
        if (drawn == STATUS_OK) {
            const struct draws_range *range = &draws[i].run_time;
            uncertainty_draw(&comparison->results[i]->uncertainty, range->min_s, range->max_s, range->median_s);
            continue;
        }
        TRY(fail_row(comparison, i, why.text, err));
        if (status == STATUS_OK && err) *err = why;
        if (status == STATUS_OK) status = drawn;
    }
    comparison->draws = draws;
    return status;
}

size_t comparison_draws_order(const struct comparison *comparison, size_t *order)
{
    size_t count = 0;
    for (size_t row = 0; row < comparison->count; row++) {
        const struct draws *draws = &comparison->draws[row];
        if (draws->count == 0) continue;
        size_t place = count++;
        for (; place > 0 && comparison->draws[order[place - 1]].run_time.median_s > draws->run_time.median_s; place--)
            order[place] = order[place - 1];
        order[place] = row;
    }
    return count;
}

struct draws_pair draws_pair_of(const struct draws *one, const struct draws *other)
{
    struct draws_pair pair = {.overlap = one->run_time.max_s >= other->run_time.min_s &&
                                         other->run_time.max_s >= one->run_time.min_s};
    for (size_t i = 0; i < one->count; i++) {
        pair.faster += one->run_times_s[i] < other->run_times_s[i];
        pair.same += one->run_times_s[i] == other->run_times_s[i];
    }
    return pair;
}
