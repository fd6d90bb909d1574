#include "predictors/sensitivity/gains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "common/units.h"
#include "predictors/transforms/transform.h"

const double gain_factors[GAIN_POINTS] = {0, 0.5, 1, 1.5, 2};

static enum status replay_scaled(struct replays *replays, const char *callpath, double factor, double *run_time_s,
                                 struct err *err)
{
    struct rewrite rewrite;
    char *spec;
    int64_t run_time_ps = replays->run_time_ps;
    if (asprintf(&spec, "scale:%s=%g", callpath, factor) < 0) return err_memory(err);
    const char *const specs[] = {spec};
    enum status status = factor == 1 ? STATUS_OK : rewrite_run(replays->trace, specs, 1, &rewrite, err);
    free(spec);
    if (status == STATUS_OK && factor != 1) {
        status = replays_run(replays, rewrite.trace ? rewrite.trace : replays->trace, &run_time_ps, NULL, err);
        rewrite_clear(&rewrite);
    }
    *run_time_s = units_s(run_time_ps);
    return status;
}

ORDER(by_gain, struct gain, UP(run_time_s[0]) BY_TEXT(callpath))

enum status gains_find(struct replays *replays, const struct callpaths *paths, struct gains *gains, struct err *err)
{
    *gains = (struct gains){.items = calloc(paths->node_count + 1, sizeof *gains->items)};
    if (!gains->items) return err_memory(err);
    for (uint32_t node = CALLPATH_ROOT; node < paths->node_count; node++) {
        struct gain *gain = &gains->items[gains->count++];
        if (node != CALLPATH_ROOT)
            TRY(callpath_regions(replays->trace, paths, node, &gain->callpath, err));
        else if (!(gain->callpath = strdup("/")))
            return err_memory(err);
        for (int i = 0; i < GAIN_POINTS; i++)
            TRY(replay_scaled(replays, gain->callpath, gain_factors[i], &gain->run_time_s[i], err));
    }
    qsort(gains->items, gains->count, sizeof *gains->items, by_gain);
    return STATUS_OK;
}
