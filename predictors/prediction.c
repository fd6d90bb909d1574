#include "predictors/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "predictors/predictor_bounds.h"
#include "predictors/predictor_replay.h"

const struct predictor *const *predictors(void)
{
    static const struct predictor *const all[] = {&predictor_replay, &predictor_bounds, NULL};
    return all;
}

enum status prediction_run(struct prediction *prediction, struct err *err)
{
    for (const struct predictor *const *predictor = predictors(); *predictor; predictor++) {
        enum status status = (*predictor)->predict(prediction, err);
        if (status == STATUS_OK) continue;
        prediction_clear(prediction);
        return status;
    }
    return STATUS_OK;
}

void prediction_clear(struct prediction *prediction)
{
    replay_outcome_clear(&prediction->outcome);
    memset(&prediction->outcome, 0, sizeof prediction->outcome);
    result_free(prediction->result);
    free(prediction->bounds);
    replayable_prefix_free(prediction->prefix);
    prediction->prefix = NULL;
    prediction->result = NULL;
    prediction->bounds = NULL;
    prediction->bound_count = 0;
}
