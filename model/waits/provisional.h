/* Waits for progress of a trace that is analysed in slices: a later slice may show that an MPI function does not wait
 * for the target, and then it never did. */
#ifndef MODEL_WAITS_PROVISIONAL_H
#define MODEL_WAITS_PROVISIONAL_H

#include <stdbool.h>

#include "model/waits/totals.h"
#include "model/waits/finding.h"
#include "model/waits/wait_profile.h"
#include "trace/trace.h"

/* All-zero is empty. */
struct provisional {
    bool refuted[MPI_CALL_COUNT];         /* functions that returned while the target was outside MPI all the time */
    int64_t *severity_ps[MPI_CALL_COUNT]; /* per rank; NULL: none */
    uint64_t *count[MPI_CALL_COUNT];
};

void provisional_clear(struct provisional *provisional);
enum status provisional_add(struct provisional *provisional, const struct trace *trace, const struct finding *finding,
                            struct err *err);
/* The sums of a function, made 0 if there are none. */
enum status provisional_reserve(struct provisional *provisional, enum mpi_call call, uint32_t ranks, struct err *err);
/* Takes out of account and places what was refuted. */
void provisional_withdraw(const struct provisional *provisional, struct totals *totals, struct wait_profile *profile);

#endif
