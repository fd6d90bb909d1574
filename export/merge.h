/* Merged archives: the five event models of Hermanns 2004 (ch. 4 and 7) as views of a packed trace. A view does not
 * change the trace. It has the begins and ends of transfers on the time lines of both ranks, and the arrows that a
 * viewer shows. */
#ifndef EXPORT_MERGE_H
#define EXPORT_MERGE_H

#include "model/match/relations.h"
#include "trace/otf2/view.h"

struct merge_model {
    const char *name, *summary;
    bool base;         /* true: transfers end with their operation; false: with the synchronisation that completes
                          them */
    bool late;         /* a get's data leave as late as possible */
    bool requests;     /* arrow from a get to the beginning of its transfer */
    bool dependencies; /* arrows between synchronisation calls */
};
extern const struct merge_model merge_models[];
enum { MERGE_MODELS = 5 };

struct merge {
    struct otf2_view view;
    size_t line_count; /* of the view */
    uint64_t transfers;
    uint64_t endless;  /* transfers whose closing call is missing: they have no end */
    uint64_t backward; /* arrows left out, since they would arrive before they begin: the call did not wait */
};

/* Inits *merge from a trace that has passed trace_check(). data_arrows: transfers are shown as messages, too, for
 * viewers that draw only messages. If a rank has several threads, ends that a call shows are on the timeline of that
 * call's thread, all others on thread 0's. Borrows model until merge_clear(). */
enum status merge_build(const struct trace *trace, const struct merge_model *model, bool data_arrows,
                        struct merge *merge, struct err *err);
void merge_clear(struct merge *merge);

/* The arrows and grants of a model, for drawing without an archive. Times are those of the calls: no arrow is moved for
 * a viewer. */
struct merge_arrow {
    enum otf2_arrow_kind kind;
    uint32_t from_rank, to_rank;
    int64_t from_ps, to_ps, bytes;
};
struct merge_grant {
    uint32_t rank;
    int32_t window, target; /* TRACE_NONE: all targets */
    int64_t time_ps;
    bool exclusive;
};
struct merge_visitor {
    void *context;
    enum status (*arrow)(void *context, const struct merge_arrow *arrow, struct err *err);
    enum status (*grant)(void *context, const struct merge_grant *grant, struct err *err);
};
/* Calls both for the model's arrows, data included, and grants. */
enum status merge_visit(const struct relations *relations, const struct merge_model *model,
                        const struct merge_visitor *visitor, struct err *err);

#endif
