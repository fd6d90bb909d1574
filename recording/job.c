#include "recording/job.h"

#include <stdio.h>
#include <unistd.h>

#include "recording/guests.h"
#include "recording/run.h"

static enum status run_and_pack(char *const *command, const char *library, const char *directory, const char *spool,
                                const struct record_observer *observer, int *exit_status, struct err *err)
{
    enum status status = record_run(command, library, spool, exit_status, err);
    if (status != STATUS_OK) {
        record_remove_spool(directory, spool);
        return status;
    }
    if (observer->ended) observer->ended(observer->context);
    int writer;
    status = record_await_writers(spool, &writer, err);
    if (status != STATUS_OK && observer->kept) observer->kept(observer->context, spool);
    TRY(status);
    if (writer == 0) return record_pack(directory, spool, command, observer, err);
    return err_set(err, STATUS_DATA, spool, NULL,
                   "process %d still writes to it: the recording is kept, not packed; every command reads it", writer);
}

enum status record_job(char *const *command, const char *directory, const struct record_observer *observer,
                       int *exit_status, struct err *err)
{
    char library[RECORD_PATH_BYTES], spool[RECORD_PATH_BYTES + 8];
    int lock;
    snprintf(spool, sizeof spool, "%s/spool", directory);
    TRY(record_find_library(library, err));
    TRY(record_check_semantics(library, err));
    TRY(record_make_spool(directory, spool, &lock, err));
    enum status status = run_and_pack(command, library, directory, spool, observer, exit_status, err);
    if (lock >= 0) close(lock);
    return status;
}
