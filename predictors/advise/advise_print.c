/* advice_print() and advice_to_json() of predictors/advise/advise.h. */
#include <math.h>

#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "predictors/advise/advise.h"

static void print_change(const struct advice *advice, const struct proposal *change, FILE *out)
{
    char gain[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    text_print(out, "%-28s %10s +- %-9s %5.1f %%%s\n", change->scene.name, units_format_duration(change->gain_s, gain),
               units_format_duration(advice_error_s(change), error), 100 * change->gain_s / advice->reference_s,
               change->confirmed ? "" : "  fast engine only");
    rewrite_print(&change->scene.rewrite, "  ", out);
    if (change->where) text_print(out, "    most in %s\n", change->where);
}

void advice_print(const struct advice *advice, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    size_t advised = 0;
    const struct result *run = advice->options->recorded;
    if (run && run->calls.total_s > 0) {
        result_print_share(run, out);
        result_print_calls(run, 0, out);
        fputc('\n', out);
    }
    text_print(out, "run time %s as the platform is\n\n", units_format_duration(advice->reference_s, text));
    for (size_t i = 0; i + 1 < advice->count; i++) {
        const struct proposal *change = &advice->changes[advice->order[i]];
        if (!advice_is_advised(change)) continue;
        if (advised++ == 0) text_print(out, "%-28s %10s    %-9s %7s\n", "change", "gain", "error", "of run");
        print_change(advice, change, out);
    }
    if (advised == 0) fputs("No change gains more than the error of its prediction.\n", out);
    fputc('\n', out);
    for (size_t i = 0; i + 1 < advice->count; i++) {
        const struct proposal *change = &advice->changes[advice->order[i]];
        if (change->why)
            text_print(out, "%s does not apply: %s\n", change->scene.name, change->why);
        else if (!advice_is_advised(change) && !change->alone[0])
            text_print(out, "%s: no gain beyond its error (%s)\n", change->scene.name,
                       change->applies ? units_format_duration(change->gain_s, text) : "not replayed");
    }
}

static enum status add_json(const struct proposal *change, cJSON *list, struct err *err)
{
    cJSON *item = cJSON_CreateObject(), *rewrites = NULL;
    if (!item || !json_append(list, item)) return err_memory(err);
    bool known = change->applies && !isnan(change->gain_s);
    if (!json_add_text(item, "row", change->scene.name) ||
        !json_add_bool(item, "advised", advice_is_advised(change)) ||
        !json_add_bool(item, "confirmed", change->confirmed) ||
        !(known ? json_add_number(item, "gain_s", change->gain_s) : json_add_null(item, "gain_s")) ||
        !(change->why ? json_add_text(item, "reason", change->why) : json_add_null(item, "reason")) ||
        !(change->where ? json_add_text(item, "where", change->where) : json_add_null(item, "where")))
        return err_memory(err);
    if (known)
        uncertainty_to_json(&change->error, item);
    else
        json_add_null(item, "error_s");
    TRY(rewrite_to_json(&change->scene.rewrite, &rewrites, err));
    return json_put(item, "rewrites", rewrites) ? STATUS_OK : err_memory(err);
}

static enum status fill_json(const struct advice *advice, cJSON *json, struct err *err)
{
    const struct platform *platform = advice->changes[0].scene.platform;
    char semantics[PLATFORM_SEMANTICS_BYTES];
    platform_semantics_name(platform, semantics);
    if (!json_add_text(json, "schema", "rmacast.advice/1") ||
        !json_add_text(json, "trace", advice->trace->name) ||
        !json_add_text(json, "platform", platform->name ? platform->name : "") ||
        !json_add_text(json, "semantics", semantics) ||
        !json_add_number(json, "run_time_s", advice->reference_s) ||
        !json_add_known(json, "error", !isnan(advice->options->error), advice->options->error))
        return err_memory(err);
    uncertainty_to_json(&advice->changes[0].sure, json);
    if (advice->options->recorded) result_calls_json(advice->options->recorded, json);
    cJSON *list = json_add_array(json, "changes");
    if (!list) return err_memory(err);
    for (size_t i = 0; i + 1 < advice->count; i++) TRY(add_json(&advice->changes[advice->order[i]], list, err));
    return STATUS_OK;
}

enum status advice_to_json(const struct advice *advice, cJSON **json, struct err *err)
{
    cJSON *made = cJSON_CreateObject();
    enum status status = made ? fill_json(advice, made, err) : err_memory(err);
    if (status == STATUS_OK)
        *json = made;
    else
        cJSON_Delete(made);
    return status;
}
