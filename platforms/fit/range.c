#include "platforms/fit/range.h"

/* Of the last segment; false: the curve has no lines. */
static bool find_end(const cJSON *curve, int64_t *bytes)
{
    const cJSON *segments = cJSON_GetObjectItem(curve, "segments");
    const cJSON *last = cJSON_GetArrayItem(segments, cJSON_GetArraySize(segments) - 1),
                *upto = cJSON_GetObjectItem(last, "upto_bytes");
    if (!cJSON_IsNumber(upto) || !(upto->valuedouble >= 0 && upto->valuedouble <= 0x1p50)) return false;
    *bytes = (int64_t)upto->valuedouble;
    return true;
}

bool calibration_largest(const cJSON *platform, int64_t *bytes)
{
    static const char *const classes[] = {"between", "within"}, *const curves[] = {"put", "ping_pong"};
    const cJSON *own = cJSON_GetObjectItem(platform, "$calibration");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (find_end(cJSON_GetObjectItem(cJSON_GetObjectItem(own, classes[i]), curves[k]), bytes)) return true;
    return false;
}
