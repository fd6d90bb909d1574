/* The sentence that says what to move where to remove a wait. Rows: model/waits/advice.def. */
#ifndef MODEL_WAITS_ADVICE_H
#define MODEL_WAITS_ADVICE_H

#include "model/callpaths/callpath.h"
#include "model/waits/finding.h"
#include "trace/trace.h"

/* What a sentence names of one wait: it outlives the calls. */
struct advice_facts {
    uint16_t pattern, own;           /* own: enum mpi_call in which rank waits */
    uint16_t other;                  /* the call that it waits for; MPI_CALL_COUNT: none is known */
    uint32_t rank, other_rank;
    uint32_t other_site, other_node; /* call site and call path */
    int64_t enter_ps;                /* of own */
    int64_t severity_ps, distance_ps, advised_ps, earlier_ps; /* struct finding */
    bool queues;      /* struct finding */
    bool fences_save; /* of the whole trace: ranks waited in fences for ranks that they exchange nothing with; the
                         caller's */
};

struct advice_facts advice_facts(const struct trace *trace, const struct callpaths *paths,
                                 const struct finding *finding);

/* What the advice for a wait moves; 0: it does not say that. */
struct advice_moves {
    int64_t earlier_ps;              /* the other side's call */
    int64_t later_ps;                /* the call that waits */
    int64_t distance_ps, advised_ps; /* struct finding */
};
struct advice_moves advice_moves(const struct advice_facts *facts);

/* The rows of `compare` that show what following the advice is worth, "platform,platform+post-early"; the caller frees
 * *text; NULL: no transform does what it says. */
enum status advice_rows(const struct advice_facts *facts, char **text, struct err *err);

/* The advice for one wait, the caller frees *text; NULL for a pattern without a row, without a known cause, or where nothing
 * helps. */
enum status advice_text(const struct trace *trace, const struct callpaths *paths, const struct advice_facts *facts,
                        char **text, struct err *err);

#endif
