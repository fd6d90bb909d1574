#include "model/analyze.h"

#include <stdlib.h>

#include "model/slices/slices.h"
#include "trace/steps.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

void analyze_found_clear(struct analyze_found *found)
{
    waits_clear(&found->waits);
    transfers_clear(&found->transfers);
    free(found->path.parts);
    found->path = (struct critical_path){.count = 0};
    wait_profile_clear(&found->profile);
}

static enum status note_steps(const struct trace *trace, struct result *result, struct err *err)
{
    struct trace_steps steps;
    char text[TRACE_STEPS_BYTES];
    TRY(trace_steps_find(trace, &steps, err));
    if (!steps.notable) return STATUS_OK;
    return result_add_note(result, err, "%s: " TRACE_STEPS_ADVICE, trace_steps_text(trace, &steps, text));
}

static enum status analyze_noted(const struct trace *trace, const struct analyze_options *options, struct result **result,
                                 struct err *err)
{
    struct result *made;
    TRY(slices_whole(trace, options, &made, err));
    enum status status = note_steps(trace, made, err);
    if (status == STATUS_OK) {
        *result = made;
        return STATUS_OK;
    }
    result_free(made);
    if (options->found) analyze_found_clear(options->found);
    return status;
}

enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err)
{
    struct analyze_options narrowed = options ? *options : defaults;
    struct section section = {NULL, NULL};
    if (section_is_set(&narrowed.section)) {
        TRY(section_find(trace, &narrowed.section, &section, err));
        narrowed.filter.section = &section;
        narrowed.filter.callpath = narrowed.section.callpath;
    }
    enum status status = analyze_noted(trace, &narrowed, result, err);
    section_clear(&section);
    return status;
}
