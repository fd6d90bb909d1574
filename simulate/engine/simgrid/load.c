/* The SimGrid engine as the rest of the program sees it. The module with SimGrid is loaded only when the engine is
 * used: loading SimGrid's library takes 25 ms, most of the time of a short command. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "common/files/installed.h"
#include "simulate/engine/engine.h"

#define MODULE "librmacast-simgrid.so"

static const struct engine_descriptor *loaded;

static enum status simgrid_load(struct err *err)
{
    char path[INSTALLED_PATH_BYTES];
    if (loaded) return STATUS_OK;
    TRY(installed_library_find(MODULE, path, err));
    if (!*path)
        return err_set(err, STATUS_SYSTEM, NULL, NULL,
                       "engine simgrid: " MODULE " is missing, expected the module beside librmacast");
    errno = 0;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed: SimGrid's library cannot be unloaded */
    if (!module && errno == ENOMEM) return err_memory(err);
    if (!module)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "engine simgrid: %s, expected the module beside librmacast", dlerror());
    const char *made_for = dlsym(module, "engine_simgrid_interface");
    if (made_for && strcmp(made_for, ENGINE_INTERFACE) == 0) loaded = dlsym(module, "engine_simgrid_module");
    if (loaded) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, NULL, NULL,
                   "engine simgrid: %s is of another build (%.40s), expected the module of this one (" ENGINE_INTERFACE ")",
                   path, made_for ? made_for : "unknown");
}

static enum status simgrid_open(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    TRY(simgrid_load(err));
    return loaded->open(platform, pairs, pair_count, callbacks, engine, err);
}

static enum status simgrid_send(struct engine *engine, const struct engine_message *message,
                                struct engine_departure *departure, struct err *err)
{
    return loaded->send(engine, message, departure, err);
}

static enum status simgrid_timer(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id, struct err *err)
{
    return loaded->timer(engine, at_ps, key, id, err);
}

static enum status simgrid_run_loaded(struct engine *engine, struct engine_stats *stats, struct err *err)
{
    return loaded->run(engine, stats, err);
}

static void simgrid_close(struct engine *engine)
{
    if (engine) loaded->close(engine);
}

static void simgrid_explain_end(const char *said, char *text, size_t room)
{
    loaded->explain_end(said, text, room);
}

extern const struct engine_descriptor engine_simgrid;
const struct engine_descriptor engine_simgrid = {
    .name = "simgrid",
    .summary =
        "SimGrid's flow model: messages share the links of the topology or of a SimGrid platform; one per process",
    .load = simgrid_load,
    .open = simgrid_open,
    .send = simgrid_send,
    .timer = simgrid_timer,
    .run = simgrid_run_loaded,
    .close = simgrid_close,
    .explain_end = simgrid_explain_end,
    .once_per_process = true,
};
