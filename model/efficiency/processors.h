/* Assigns threads to the processors that efficiency counts. A rank with one thread is one processor. Threads of a rank
 * that live at the same time are on different processors; a thread that begins after another one has ended takes the
 * lowest free processor. Thread 0 lives as long as its rank. */
#ifndef MODEL_EFFICIENCY_PROCESSORS_H
#define MODEL_EFFICIENCY_PROCESSORS_H

#include "model/match/timelines.h"

struct thread_life { /* the enter of its first call and the exit of its last */
    int64_t begin_ps, end_ps;
    bool any; /* it makes calls */
};

struct processor {
    uint32_t rank, index; /* index: of the rank's processors, from 0 */
};

struct processors {
    struct processor *items; /* by rank, then index */
    uint32_t count;
    uint32_t *of; /* by location (model/match/timelines.h), as index into items */
    bool several; /* some rank has more than one */
};

/* Inits *processors. lives: by location. */
enum status processors_build(uint32_t rank_count, const struct locations *locations, const struct thread_life *lives,
                             struct processors *processors, struct err *err);
void processors_clear(struct processors *processors);

#endif
