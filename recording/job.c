#include "recording/job.h"

#include <stdio.h>

#include "recording/guests.h"
#include "recording/run.h"

enum status record_job(char *const *command, const char *directory, const struct record_observer *observer,
                       int *exit_status, struct err *err)
{
    char library[RECORD_PATH_BYTES], spool[RECORD_PATH_BYTES + 8];
    snprintf(spool, sizeof spool, "%s/spool", directory);
    TRY(record_find_library(library, err));
    TRY(record_check_semantics(library, err));
    TRY(record_make_spool(directory, spool, err));
    enum status status = record_run(command, library, spool, exit_status, err);
    if (status != STATUS_OK) {
        record_remove_spool(directory, spool);
        return status;
    }
    if (observer->ended) observer->ended(observer->context);
    int writer = record_await_writers(spool);
    if (writer == 0) return record_pack(directory, spool, observer, err);
    return err_set(err, STATUS_DATA, spool, NULL,
                   "process %d still writes to it: the recording is kept, not packed; every command reads it", writer);
}
