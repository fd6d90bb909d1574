/* Packs the spool of a run: one archive per program of the job.
 *
 * recording/job.h calls it when the program has ended. */
#ifndef RECORDING_PACK_H
#define RECORDING_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "trace/spool/read.h"

/* One program with a written archive. The observer borrows the strings during its call. */
struct record_packed {
    const char *directory;
    uint32_t rank_count;
    size_t call_count;
    uint32_t incomplete_count, first_incomplete; /* ranks whose recording breaks off */
    const char *incomplete_why;                  /* of the first one; NULL: not known, or there is none */
    /* The note that another MPI library's launcher started it, if the job has further programs; else NULL. */
    const char *foreign_launcher;
    bool crowded; /* some node had more ranks than cores */
    struct trace_core_waits core_waits;
    const char *steps; /* that the computing of equal steps differs notably (trace/steps.h); NULL: it does not */
};

/* Is called with what happened to the job and to each of its programs. */
struct record_observer {
    void (*ended)(void *context); /* the command has: its writers are waited for, and packed */
    /* Before packing: a window at an address that the MPI library does not handle (trace/spool/read.h). */
    void (*misaligned)(void *context, const struct spool_misaligned *found);
    void (*packed)(void *context, const struct record_packed *packed);
    void (*kept)(void *context, const char *spool);         /* the program could not be packed: its recording stays */
    void (*failed)(void *context, const struct err *error); /* a further program could not be packed */
    void *context;
};

/* Packs the spool of the program and those of further programs of its job (recording/worlds.h) to directory, and
 * removes each spool that is packed. command: what was run, which may say why nothing was recorded; NULL: not known.
 * Returns the first failure: STATUS_DATA if nothing was recorded or it cannot be read, STATUS_SYSTEM if the archive cannot be
 * written. Functions of observer may be NULL. */
enum status record_pack(const char *directory, const char *spool, char *const *command,
                        const struct record_observer *observer, struct err *err);

#endif
