/* All drivers, and the tables built from their rows (simulate/replay/driver.h). The only file of the services that knows a
 * driver. */
#include "simulate/collectives/collective.h"
#include "simulate/messages/messages.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/gap.h"
#include "simulate/replay/message.h"
#include "simulate/replay/thread.h"
#include "simulate/rma/rma.h"
#include "simulate/shmem/shmem.h"
#include "simulate/threads/sync.h"

/* The replay's own calls, which wait for no rank, and messages that are served late. */
static const struct call_step own_steps[] = {{CALL_LOCAL, .step = replay_step_local},
                                             {CALL_REGION_ENTER, .step = replay_step_local},
                                             {CALL_REGION_LEAVE, .step = replay_step_local},
                                             {0}};
static const struct timer_row own_timers[] = {{TIMER_MESSAGE, replay_rank_of_message, replay_serve_late},
                                              {TIMER_SERVE, replay_rank_of_poll, replay_poll_again},
                                              {TIMER_GAP, replay_rank_of_gap, replay_on_gap},
                                              {0}};
static const struct call_driver own_driver = {.name = "local", .steps = own_steps, .timers = own_timers};

static const struct call_driver *const drivers[] = {
    &own_driver, &rma_driver, &messages_driver, &collectives_driver, &threads_driver, &shmem_driver, NULL};

static enum step step_unknown(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    return replay_fail(replay, rank, "%s is not known to the replay", call_name(state->calls[state->next].call)), STEP_FAIL;
}

static void use_driver(struct replay *replay, const struct call_driver *driver,
                       const struct call_step *steps[CALL_KIND_COUNT])
{
    struct core *core = core_of(replay);
    for (const struct call_step *row = driver->steps; row->step; row++)
        for (enum call_kind kind = row->kind; kind == row->kind || kind <= row->last; kind++) {
            steps[kind] = row;
            core->driver_of[kind] = driver;
        }
    for (const struct message_row *row = driver->messages; row && row->act; row++) core->messages_of[row->type] = row;
    if (driver->prefetch) core->prefetch = driver->prefetch;
    for (const struct timer_row *row = driver->timers; row && row->act; row++) core->timers_of[row->kind] = row;
}

void replay_use_drivers(struct replay *replay)
{
    static const struct call_step unknown = {.step = step_unknown};
    const struct call_step *steps[CALL_KIND_COUNT] = {NULL};
    core_of(replay)->drivers = drivers;
    for (const struct call_driver *const *driver = drivers; *driver; driver++) use_driver(replay, *driver, steps);
    for (enum mpi_call call = 0; call < MPI_CALL_COUNT; call++)
        core_of(replay)->steps[call] = steps[call_kind(call)] ? steps[call_kind(call)] : &unknown;
}
