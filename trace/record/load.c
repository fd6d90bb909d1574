/* Runs when the library is loaded, and in the child of a fork. */
#include <pthread.h>
#include <unistd.h>

#include "trace/record/preload/library.h"
#include "trace/record/preload/visible.h"
#include "trace/record/record.h"
#include "trace/record/settings.h"

/* The child of a rank is another process; a process forked before MPI_Init may become the rank. */
static void note_fork(void)
{
    if (rec_state == REC_OPEN || rec_inside != 0) rec_state = REC_OFF;
}

__attribute__((constructor)) static void loaded(void)
{
    rec_settings_copy(rmacast_record_settings ? rmacast_record_settings() : environ);
    const char *directory = rec_setting("RMACAST_SPOOL");
    rec_library_find();
    if (!directory || !*directory) return;
    if (rec_library.Init) rec_note_reached();
    rec_ticks_choose(rec_setting("RMACAST_TIMER"), REC_CLOCK_SOURCE);
    rec_loaded_at = rec_anchor_read();
    rec_cpu_begin();
    rec_functions_begin();
    pthread_atfork(NULL, NULL, note_fork);
    rec_state = REC_READY;
}
