#include "predictors/transforms/transform.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "predictors/transforms/rows.h"

const struct transform *const *transforms(void)
{
    static const struct transform *const rows[] = {
        &transform_post_early,   &transform_complete_early,
        &transform_wait_late,    &transform_fence_pscw,
        &transform_fence_notify, &transform_pscw_notify,
        &transform_flag_notify,  &transform_rma_p2p,
        &transform_lock_all,     &transform_put_rput,
        &transform_merge_puts,   &transform_merge_gets,
        &transform_polls,        &transform_p2p_pscw,
        &transform_p2p_fence,    &transform_p2p_flush,
        &transform_p2p_notify,   &transform_p2p_get_pscw,
        &transform_p2p_get_fence, &transform_p2p_get_flush,
        &transform_p2p_get_notify, &transform_balance,
        &transform_scale,        &transform_threads,
        NULL,
    };
    return rows;
}

enum { NAME_BYTES = 64 };

/* A setting of the platform, as of --set: its key has a section, and no transform's name has a dot. */
static bool is_setting(const char *spec)
{
    size_t key = strcspn(spec, "=:");
    return spec[key] == '=' && memchr(spec, '.', key);
}

static const struct transform *find_transform(const char *spec, const char **argument)
{
    size_t length = strcspn(spec, ":");
    *argument = spec[length] ? spec + length + 1 : NULL;
    for (const struct transform *const *row = transforms(); *row; row++)
        if (strlen((*row)->name) == length && strncmp((*row)->name, spec, length) == 0) return *row;
    return NULL;
}

enum status transform_check(const char *spec, struct err *err)
{
    const char *argument;
    const struct transform *transform = find_transform(spec, &argument);
    if (is_setting(spec)) return STATUS_OK;
    if (!transform) {
        char list[600] = "";
        size_t used = 0;
        for (const struct transform *const *row = transforms(); *row && used < sizeof list; row++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", (*row)->name);
        return err_set(err, STATUS_USAGE, NULL, NULL, "unknown rewrite '%s', expected one of %s, or SECTION.KEY=VALUE", spec,
                       list);
    }
    if (argument && !transform->argument)
        return err_set(err, STATUS_USAGE, NULL, NULL, "rewrite '%s': %s takes nothing behind a colon", spec,
                       transform->name);
    if (!argument && transform->argument && !transform->fallback)
        return err_set(err, STATUS_USAGE, NULL, NULL, "rewrite '%s', expected %s:%s", spec, transform->name,
                       transform->argument);
    return argument && transform->check ? transform->check(argument, err) : STATUS_OK;
}

const char *transform_override(const char *spec)
{
    const char *argument;
    return is_setting(spec) ? spec : find_transform(spec, &argument)->override;
}

#define S struct transform_refusal
static const struct field refusal_fields[] = {SAME(place), SAME(reason), SAME(count), {0}};
#undef S
#define S struct transform_report
const struct field transform_report_fields[] = {
    SAME(spec),    SAME(summary), SAME(considered),
    SAME(changed), SAME(refused), ARRAY("refusals", refusals, refusal_count, refusal_fields),
    {0}};
#undef S
#define S struct rewrite
const struct field rewrite_fields[] = {ARRAY("rewrites", reports, count, transform_report_fields), {0}};
#undef S

void rewrite_clear(struct rewrite *rewrite)
{
    fields_clear(rewrite_fields, rewrite);
    trace_free(rewrite->trace);
    *rewrite = (struct rewrite){.trace = NULL};
}

static enum status check_outcome(const struct trace *trace, const struct transform_report *report, struct err *err)
{
    if (report->refusal_count == 0 || report->changed > 0) return STATUS_OK;
    const struct transform_refusal *first = &report->refusals[0];
    return err_set(err, STATUS_DATA, trace->name, first->place, "%s changes nothing: %s", report->spec, first->reason);
}

static enum status apply_one(const struct trace *trace, const char *spec, struct rewrite *rewrite, struct err *err)
{
    const char *argument;
    const struct transform *transform = find_transform(spec, &argument);
    const struct trace *now = rewrite->trace ? rewrite->trace : trace;
    struct transform_report *report = &rewrite->reports[rewrite->count++];
    report->spec = strdup(spec);
    if (!report->spec) return err_memory(err);
    struct trace *made = NULL;
    TRY(transform->apply(now, argument ? argument : transform->fallback, &made, report, err));
    enum status status = check_outcome(now, report, err);
    if (status == STATUS_OK && made) status = trace_check(made, err);
    if (status != STATUS_OK || !made) {
        trace_free(made);
        return status;
    }
    trace_free(rewrite->trace);
    rewrite->trace = made;
    return STATUS_OK;
}

enum status rewrite_run(const struct trace *trace, const char *const *specs, size_t count, struct rewrite *rewrite,
                        struct err *err)
{
    struct rewrite made = {.reports = calloc(count + 1, sizeof *made.reports)};
    enum status status = made.reports ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (is_setting(specs[i])) continue;
        status = trace_check_no_shmem(trace, "transforms", err);
        if (status == STATUS_OK) status = apply_one(trace, specs[i], &made, err);
    }
    GIVE(status, *rewrite = made, rewrite_clear(&made));
}

void rewrite_print(const struct rewrite *rewrite, const char *label, FILE *out)
{
    for (size_t i = 0; i < rewrite->count; i++) {
        const struct transform_report *report = &rewrite->reports[i];
        const struct transform_refusal *refusals = report->refusals;
        text_print(out, "%s  %s: %s\n", label, report->spec, report->summary);
        for (size_t k = 0; k < report->refusal_count; k++) {
            text_print(out, "%s  %s refused %" PRIu64 " of %" PRIu64 ", because %s", label, report->spec, refusals[k].count,
                       report->considered, refusals[k].reason);
            text_print(out, refusals[k].count > 1 ? ": first %s\n" : ": %s\n", refusals[k].place);
        }
    }
}
