#include "simulate/engine/engine.h"

#include <string.h>

extern const struct engine_descriptor engine_simgrid, engine_loggp;

static const struct engine_descriptor *const descriptors[] = {&engine_simgrid, &engine_loggp, NULL};

const struct engine_descriptor *const *engine_descriptors(void)
{
    return descriptors;
}

enum status engine_load(const struct engine_descriptor *engine, struct err *err)
{
    return engine->load ? engine->load(err) : STATUS_OK;
}

const struct engine_descriptor *engine_by_name(const char *name)
{
    for (const struct engine_descriptor *const *engine = descriptors; *engine; engine++)
        if (strcmp((*engine)->name, name) == 0) return *engine;
    return NULL;
}
