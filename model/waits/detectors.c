/* The list of detectors: model/waits/detect.h. */
#include "model/waits/detect.h"

static const struct detector detectors[] = {
#define DETECTOR(ID, FUNCTION) {PATTERN_##ID, FUNCTION},
#include "model/waits/detectors.def"
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
