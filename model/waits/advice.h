/* The sentence that says which call to move where to remove a wait. Its rows are in model/waits/advice.def. */
#ifndef MODEL_WAITS_ADVICE_H
#define MODEL_WAITS_ADVICE_H

#include "model/callpaths/callpath.h"
#include "model/waits/finding.h"
#include "trace/trace.h"

/* The facts of one wait that a sentence names. They remain valid after the trace's calls are released. */
struct advice_facts {
    uint16_t pattern, own;           /* own: enum mpi_call in which rank waits */
    uint16_t other;                  /* the call that it waits for; ID_none: none is known */
    uint32_t rank, other_rank;
    uint32_t other_site, other_node; /* call site and call path */
    int64_t enter_ps;                /* of own */
    int64_t severity_ps, cost_ps, distance_ps, advised_ps, earlier_ps; /* struct finding */
    bool queues;      /* struct finding */
    bool fences_save; /* set by the caller: somewhere in the trace ranks waited in fences for ranks with which they
                         exchange nothing */
    bool unbalanced;  /* set by the caller: ranks' user code differs by at least half of the time that is lost at this place */
};

struct advice_facts advice_facts(const struct trace *trace, const struct callpaths *paths,
                                 const struct finding *finding);

/* How far the advice for a wait moves calls; 0: not stated. */
struct advice_moves {
    int64_t earlier_ps;              /* the other side's call */
    int64_t later_ps;                /* the call that waits */
    int64_t distance_ps, advised_ps; /* struct finding */
};
struct advice_moves advice_moves(const struct advice_facts *facts);

/* The rows of `compare` that predict the gain of the advice, "platform,platform+post-early". The caller frees *text. It
 * is NULL if no transform does what the advice says. */
enum status advice_rows(const struct advice_facts *facts, char **text, struct err *err);

/* The advice for one wait. The caller frees *text. It is NULL for a pattern without a row, for a wait without a known
 * cause, and where no move helps. */
enum status advice_text(const struct trace *trace, const struct callpaths *paths, const struct advice_facts *facts,
                        char **text, struct err *err);

#endif
