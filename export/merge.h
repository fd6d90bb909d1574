/* Merged archives: the five event models of Hermanns 2004 (ch. 4 and 7) as views of a packed trace. A view does not
 * change the trace. It says where transfers begin and end on the time lines of both ranks, and which arrows a viewer
 * shows. */
#ifndef EXPORT_MERGE_H
#define EXPORT_MERGE_H

#include "model/match/relations.h"
#include "trace/otf2/view.h"

struct merge_model {
    const char *name, *summary;
    bool base;         /* transfers end with their operation, else with the synchronisation that completes them */
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

/* data_arrows: transfers are shown as messages, too, for viewers that draw nothing else. Where a rank has several
 * threads, what one of its calls shows stands on that thread's line, all else on thread 0's. trace has passed
 * trace_check(). Inits *merge; model is borrowed until merge_clear. */
enum status merge_build(const struct trace *trace, const struct merge_model *model, bool data_arrows,
                        struct merge *merge, struct err *err);
void merge_clear(struct merge *merge);

/* What a model draws between time lines, for who draws it without an archive. Times are those of the calls: no arrow is
 * moved for viewers. */
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
