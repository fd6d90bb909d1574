#include "model/analyze.h"

#include "model/causes/causes.h"
#include "model/result/checks.h"
#include "model/waits/detect.h"
#include "model/waits/severity.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

enum status model_account(const struct trace *trace, const struct analyze_options *options, struct account *account,
                          struct err *err)
{
    struct relations relations;
    struct account made;
    TRY(relations_build(trace, &relations, err));
    enum status status = account_init(&made, trace->rank_count, err);
    if (status == STATUS_OK) {
        struct detection detection = {
            .relations = &relations, .options = options ? options : &defaults, .account = &made, .err = err};
        status = detect_all(&detection);
        if (status == STATUS_OK)
            *account = made;
        else
            account_clear(&made);
    }
    relations_clear(&relations);
    return status;
}

/* What needs every wait and transfer at once. */
struct whole {
    const struct relations *relations;
    struct tally *tally;
    struct waits waits;
    struct transfers transfers;
    struct result *result;
    struct err *err;
};

static enum status report_intervals(struct whole *whole)
{
    const struct analyze_options *options = whole->tally->options;
    struct result *result = whole->result;
    TRY(waits_sort(&whole->waits, whole->relations->trace->rank_count, whole->err));
    TRY(efficiency_new(whole->relations, &whole->waits, &whole->transfers, options->interval_source, options->lost_all,
                       &result->efficiency, whole->err));
    result->per_rank = options->per_rank;
    result->efficiency->ideal_run_time_s = options->ideal_run_time_s;
    result->efficiency->reference_user_s = options->reference_user_s;
    return STATUS_OK;
}

static enum status report_causes(const struct whole *whole)
{
    struct result *result = whole->result;
    struct shares causes = {.trace = whole->relations->trace, .paths = &whole->tally->places.paths};
    struct shares path = causes;
    const struct lanes *lanes = &whole->relations->lanes;
    enum status status = causes_find(&whole->waits, lanes, &causes, whole->err);
    if (status == STATUS_OK) status = shares_report(&causes, &result->causes, whole->err);
    if (status == STATUS_OK) status = critical_path_find(&whole->waits, lanes, &path, whole->err);
    if (status == STATUS_OK) status = shares_report(&path, &result->critical_path, whole->err);
    result->causes_known = status == STATUS_OK;
    shares_clear(&causes);
    shares_clear(&path);
    return status;
}

static enum status verify(struct whole *whole)
{
    struct checks checks = {0};
    wide_ps waited_ps = 0;
    for (size_t w = 0; w < whole->waits.count; w++) {
        const struct wait *wait = &whole->waits.items[w];
        if (wait->counted) waited_ps += wait->until_ps - wait->from_ps;
    }
    enum status status = checks_add(&checks, whole->relations, &whole->waits, whole->err);
    if (status == STATUS_OK) checks_report(&checks, &whole->tally->account, NULL, waited_ps, whole->result);
    checks_clear(&checks);
    return status;
}

static enum status analyze(struct whole *whole)
{
    struct tally *tally = whole->tally;
    if (!tally->options->intervals) {
        TRY(tally_add(tally, whole->relations, NULL, NULL, whole->err));
        TRY(tally_end(tally, whole->relations, whole->err));
        return tally_report(tally, &whole->relations->lanes, whole->result, whole->err);
    }
    TRY(tally_add(tally, whole->relations, &whole->waits, &whole->transfers, whole->err));
    TRY(report_intervals(whole));
    TRY(report_causes(whole));
    TRY(tally_end(tally, whole->relations, whole->err));
    TRY(tally_report(tally, &whole->relations->lanes, whole->result, whole->err));
    return tally->options->verify ? verify(whole) : STATUS_OK;
}

enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err)
{
    struct relations relations;
    struct tally tally = {0};
    struct whole whole = {.relations = &relations, .tally = &tally, .err = err};
    TRY(relations_build(trace, &relations, err));
    enum status status = tally_init(&tally, trace, options ? options : &defaults, err);
    if (status == STATUS_OK) status = result_new(trace->rank_count, &whole.result, err);
    if (status == STATUS_OK) status = analyze(&whole);
    waits_clear(&whole.waits);
    transfers_clear(&whole.transfers);
    tally_clear(&tally);
    relations_clear(&relations);
    if (status == STATUS_OK)
        *result = whole.result;
    else
        result_free(whole.result);
    return status;
}
