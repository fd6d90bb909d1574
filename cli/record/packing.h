/* What the commands that pack recordings say of them on standard error, and count for --json. */
#ifndef CLI_RECORD_PACKING_H
#define CLI_RECORD_PACKING_H

#include <stdint.h>

#include "cli/written.h"
#include "recording/pack.h"

struct packing { /* of all archives */
    uint64_t programs, ranks, events, incomplete;
};

/* Borrows sums, which begin with 0. The caller ends the activity (cli/terminal/activity.h). */
struct record_observer packing_observer(struct packing *sums);
void packing_count(const struct packing *sums, struct written *written);

#endif
