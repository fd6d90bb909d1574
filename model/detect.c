#include "model/detect.h"

static const struct detector detectors[] = {
#define DETECTOR(ID, FUNCTION) {PATTERN_##ID, FUNCTION},
#include "model/detectors.def"
#undef DETECTOR
};

enum { DETECTOR_COUNT = sizeof detectors / sizeof *detectors };

enum status detect_all(struct detection *detection)
{
    for (int i = 0; i < DETECTOR_COUNT; i++) TRY(detectors[i].find(detection));
    return STATUS_OK;
}

const struct detector *detector_of(enum pattern pattern)
{
    for (int i = 0; i < DETECTOR_COUNT; i++)
        if (detectors[i].pattern == pattern) return &detectors[i];
    return NULL;
}

enum status detect_wait(struct detection *detection, enum pattern pattern, uint32_t rank, size_t call,
                        int64_t severity_ps)
{
    if (severity_ps <= 0 || severity_ps < detection->options->epsilon_ps) return STATUS_OK;
    account_add(detection->account, pattern, rank, severity_ps);
    if (!detection->places) return STATUS_OK;
    return places_add(detection->places, detection->relations->trace, pattern, rank, call, severity_ps, detection->err);
}
