/* Finds the main loop of a program in the calls of one rank: the outermost sequence of calls that comes again and again. What
 * recurs are functions at a line, or entered user regions; how often an inner loop runs may differ between iterations. */
#ifndef MODEL_OVER_TIME_MAIN_LOOP_H
#define MODEL_OVER_TIME_MAIN_LOOP_H

#include "common/map.h"
#include "trace/source.h"

/* All-zero is none. */
struct main_loop {
    char *place;     /* owned: of the first call of an iteration: "FILE:LINE", else its region or function; NULL: none */
    uint64_t begins; /* what an iteration begins with, main_loop_key() */
    uint32_t every;  /* each so many-th of these begins one */
    bool in_step;       /* its calls keep the ranks' iterations together: not only locks and flushes */
    struct map outside; /* what comes before or behind the loop alone */
};

/* What recurs: a function at a line, or the enter of a region; 0: the call is none of the program's own. */
uint64_t main_loop_key(const struct trace_call *call);
/* Looks into the first calls of rank 0, then of rank 1. */
enum status main_loop_find(const struct trace *trace, struct main_loop *loop, struct err *err);
/* The same; the source cannot be used for anything else afterwards. */
enum status main_loop_find_in(struct trace_source *source, struct main_loop *loop, struct err *err);
void main_loop_clear(struct main_loop *loop);

#endif
