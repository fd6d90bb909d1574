/* Assigns threads to the processors that efficiency counts. A rank with one thread is one processor. Threads of a rank
 * that live at the same time are on different processors; a thread that begins after another one has ended takes the
 * lowest free processor. Thread 0 lives as long as its rank. */
#ifndef MODEL_EFFICIENCY_PROCESSORS_H
#define MODEL_EFFICIENCY_PROCESSORS_H

#include "model/match/timelines.h"

struct processor {
    uint32_t rank, index; /* index: of the rank's processors, from 0 */
    uint32_t first, count; /* its threads in the order of time, in processors.threads */
};

struct processors {
    const struct timelines *timelines; /* borrowed until processors_clear */
    struct processor *items;   /* by rank, then index */
    uint32_t count;
    uint32_t *rank_first; /* rank_count + 1 indices into items */
    uint32_t *threads;    /* of all processors */
    uint32_t *rank_threads; /* where a rank's threads begin in `of` */
    uint32_t *of;           /* per thread of all ranks: its processor */
    bool several;           /* some rank has more than one */
};

/* Inits *processors. */
enum status processors_build(const struct timelines *timelines, struct processors *processors, struct err *err);
void processors_clear(struct processors *processors);

/* The processor that makes a call, as index into items. */
uint32_t processor_of(const struct processors *processors, uint32_t rank, size_t call);

#endif
