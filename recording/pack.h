/* Packs what the recorder left of a run: one archive per program of the job.
 *
 * Order of calls: record_make_spool() and record_run() (recording/run.h), record_await_writers() (recording/guests.h),
 * record_pack(). */
#ifndef RECORDING_PACK_H
#define RECORDING_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "trace/spool/read.h"

/* One program whose archive is written. Strings are borrowed for the call of the observer. */
struct record_packed {
    const char *directory;
    uint32_t rank_count;
    size_t call_count;
    uint32_t incomplete_count, first_incomplete; /* ranks whose recording breaks off */
    const char *incomplete_why;                  /* of the first one; NULL: not known, or there is none */
    const char *foreign_launcher; /* the note that a launcher of another MPI library started it, where the job has
                                     further programs; else NULL */
};

/* Receives what happened to one program. */
struct record_observer {
    /* Before packing: a window at an address that the MPI library does not handle (trace/spool/read.h). */
    void (*misaligned)(void *context, const struct spool_misaligned *found);
    void (*packed)(void *context, const struct record_packed *packed);
    void (*kept)(void *context, const char *spool);         /* it could not be packed: the recording stays */
    void (*failed)(void *context, const struct err *error); /* a further program could not be packed */
    void *context;
};

/* Packs the spool of the program and those of further programs of its job (recording/worlds.h) to directory, and
 * removes each spool that is packed. Returns the first failure: STATUS_DATA if nothing was recorded or it cannot be
 * read, STATUS_SYSTEM if the archive cannot be written. Functions of observer may be NULL. */
enum status record_pack(const char *directory, const char *spool, const struct record_observer *observer,
                        struct err *err);

#endif
