/* The list of detectors: model/waits/detect.h. */
#include "model/waits/detect.h"

static detector_function *const detectors[] = {
#define DETECTOR(ID, FUNCTION) FUNCTION,
#include "model/waits/detectors.def"
#undef DETECTOR
};

enum { DETECTOR_COUNT = sizeof detectors / sizeof *detectors };

enum status detect_all(struct detection *detection)
{
    for (int i = 0; i < DETECTOR_COUNT; i++) TRY(detectors[i](detection));
    return STATUS_OK;
}
