/* Functions of the program as regions, on request: programs compiled with -finstrument-functions call in here when they
 * enter and leave one. Addresses are recorded; they become names when the spool is packed. */
#include <stdlib.h>

#include "trace/record/record.h"

/* Deeper ones are left out, so that a recursion does not fill the spool. */
enum { DEPTH_MAX = 64 };

static int depth_wanted; /* 0: off */
static __thread int depth __attribute__((tls_model("initial-exec")));
static __thread const void *open[DEPTH_MAX] __attribute__((tls_model("initial-exec")));

static void put(enum spool_kind kind, const void *function, uint64_t time)
{
    struct spool_record record = {.kind = (uint8_t)kind,
                                  .time = time,
                                  .id = SPOOL_NO_ID,
                                  .peer = SPOOL_PEER_NONE,
                                  .extra = (int64_t)(uintptr_t)function};
    rec_put(&record);
}

/* Not what the MPI library calls back inside a call. */
static void mark(enum spool_kind kind, const void *function)
{
    if (rec_state != REC_OPEN || !rec_own || rec_depth > 0 || rec_paused()) return;
    uint64_t time = rec_stamp();
    if (rec_cpu) rec_cpu_enter();
    put(kind, function, time);
    if (rec_cpu) rec_cpu_leave();
}

void rec_functions_begin(void)
{
    const char *wanted = getenv("RMACAST_FUNCTIONS");
    long most = wanted ? strtol(wanted, NULL, 10) : 0;
    depth_wanted = most < 0 ? 0 : most > DEPTH_MAX ? DEPTH_MAX : (int)most;
}

void rec_functions_opened(uint64_t time)
{
    for (int i = 0; i < depth && i < depth_wanted; i++) put(SPOOL_FUNCTION_ENTER, open[i], time);
}

#define EXPORTED __attribute__((visibility("default"), no_instrument_function))
EXPORTED void __cyg_profile_func_enter(void *function, void *site);
EXPORTED void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (depth_wanted == 0 || depth++ >= depth_wanted) return;
    open[depth - 1] = function;
    mark(SPOOL_FUNCTION_ENTER, function);
}

/* A function left by longjmp or an exception does not come here; depth then stays too large, which leaves deep ones
 * out. */
void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    if (depth_wanted == 0 || depth == 0 || --depth >= depth_wanted) return;
    mark(SPOOL_FUNCTION_LEAVE, function);
}
